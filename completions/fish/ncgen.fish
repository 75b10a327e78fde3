complete -c ncgen -s l -d 'What to make: b (a netCDF file), or a program that makes the file, in c, f77 or java' -r -f -a "b\t''
c\t''
f77\t''
java\t''"
complete -c ncgen -s o -d 'The output file (`-` for standard output), or the file that the program will make; implies -b without -l. A Zarr store is a directory, or a zip file if the name ends in `.zip`; a URL names one, too: file://PATH#mode=nczarr,file (or zip)' -r -F
complete -c ncgen -s N -d 'Name of the dataset, overriding the name in the text' -r
complete -c ncgen -s M -d 'Name of the main function or class of a program' -r
complete -c ncgen -s k -s v -d 'Kind of the output: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7), or Zarr: nczarr and zarr (version 2, with and without netCDF\'s own metadata), nczarr3 and zarr3 (version 3). By default a URL decides, then the output\'s name (zarr3 if it ends in .zarr or .zip), then `_Format` in the text, else the oldest kind that can hold the dataset' -r -f -a "classic\t''
64-bit-offset\t''
cdf5\t''
netCDF-4\t''
netCDF-4-classic\t''
nczarr\t''
zarr\t''
nczarr3\t''
zarr3\t''"
complete -c ncgen -s W -d 'Most elements of a variable that a program writes at once [default: 1024]; it writes larger variables, and those with unlimited dimensions, row by row' -r
complete -c ncgen -s B -d 'Accepted, without effect: size of a buffer' -r
complete -c ncgen -s D -d 'Accepted, without effect: level of debugging output' -r
complete -c ncgen -s L -d 'Accepted, without effect: log level' -r
complete -c ncgen -l isolate-plugins -d 'Run HDF5 plugins in separate processes: a plugin that crashes, exits or never finishes is an error that names the plugin' -f -a "yes\t''
no\t''"
complete -c ncgen -l plugin-timeout -d 'Seconds that a plugin may take for a chunk, plus one for each MiB [default: 30]; implies --isolate-plugins' -r
complete -c ncgen -l requests -d 'Maximum number of requests at a time to storage; at most 64 to local files [default: few to local files, 8 to 256 to remote storage]' -r
complete -c ncgen -l timeout -d 'Seconds after which a request to another machine is given up, with all its repetitions [default: 60]' -r
complete -c ncgen -l threads -d 'Accepted, without effect so far: one thread reads the text' -r
complete -c ncgen -s b -d 'Make a netCDF file, by default named after the text, with `.nc`'
complete -c ncgen -s n -d 'As -b, with `.cdf`'
complete -c ncgen -s c -d 'As -l c'
complete -c ncgen -s f -d 'As -l f77'
complete -c ncgen -s 3 -d 'Classic output (CDF-1), as -k classic'
complete -c ncgen -s 4 -d 'netCDF-4 output, as -k netCDF-4'
complete -c ncgen -s 5 -d 'CDF-5 output, as -k cdf5'
complete -c ncgen -s 6 -d '64-bit offset output (CDF-2), as -k 64-bit-offset'
complete -c ncgen -s 7 -d 'netCDF-4 classic model output, as -k nc7'
complete -c ncgen -l consolidated -d 'Zarr output: also write consolidated metadata (.zmetadata, or in zarr.json)'
complete -c ncgen -l zip-prefix -d 'Zip output: prefix all keys with a directory named after the file, as netCDF-C requires [default for nczarr and nczarr3]'
complete -c ncgen -l no-zip-prefix -d 'Zip output: do not prefix keys with a directory, as zarr-python expects [default for zarr and zarr3]'
complete -c ncgen -l overwrite -d 'Zarr output: replace a store even if its directory holds files that do not belong to it; these files are removed, and each is named'
complete -c ncgen -s H -d 'Check declarations only, and ignore data lists'
complete -c ncgen -s x -d 'Do not fill elements for which the text has no values'
complete -c ncgen -s 1 -d 'Accepted, without effect'
complete -c ncgen -s P -d 'Accepted, without effect: write through memory'
complete -c ncgen -s d -d 'Accepted, without effect: debugging output'
complete -c ncgen -l prefer-plugins -d 'Prefer HDF5 plugins to the built-in filters'
complete -c ncgen -l io-stats -d 'Print on standard error what was asked of other machines: requests, rounds, bytes, failed tries'
complete -c ncgen -l allow-large -d 'Allow outputs of more than 1 GB that are almost all fill values; by default this is an error'
complete -c ncgen -l cloud -d 'Put all metadata in front of the data for readers over a network: in netCDF-4 files also the indexes of chunks, of variables whose lengths are known before their values (docs/cloud.md); in Zarr stores as with --consolidated'
complete -c ncgen -l keep-links -d 'Overwrite a file that has several names (hard links), so that all of them lead to the new content. This step is not atomic. By default the output replaces the file under the given name only, with a note'
complete -c ncgen -l no-sync -d 'Do not wait until the output has reached the disk'
complete -c ncgen -l strict -d 'Treat warnings as errors: write nothing if there are any'
complete -c ncgen -l quiet -d 'Show no warnings'
complete -c ncgen -l trace -d 'Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)'
complete -c ncgen -s h -d 'Print a short usage message'
complete -c ncgen -l help -d 'Print help'
complete -c ncgen -l version -d 'Print version'

complete -c ncgen -s l -d 'Make this: b (a netCDF file), or a program that makes the file, in c, f77 or java' -r
complete -c ncgen -s o -d 'The file to be made, by us (`-` for standard output) or by the program; implies -b unless a program is asked for. A Zarr store is a directory, or a zip file if the name ends in `.zip`; a URL names one, too: file://PATH#mode=nczarr,file (or zip)' -r -F
complete -c ncgen -s N -d 'Name of the dataset, instead of the text\'s' -r
complete -c ncgen -s M -d 'Name of the main function or class of a program' -r
complete -c ncgen -s k -s v -d 'Kind of the output, by default that of the text\'s `_Format`, else the oldest that has all of it: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7), or Zarr: nczarr and zarr (version 2, with netCDF\'s own metadata and without), nczarr3 and zarr3 (version 3)' -r
complete -c ncgen -s W -d 'Elements of a variable that a program writes at once, 1024 by default; where there are more, or dimensions are unlimited, it writes row by row' -r
complete -c ncgen -s B -d 'Accepted, without effect: size of a buffer' -r
complete -c ncgen -s D -d 'Accepted, without effect: level of debugging output' -r
complete -c ncgen -s L -d 'Accepted, without effect: log level' -r
complete -c ncgen -l isolate-plugins -d 'Run HDF5 plugins in processes of their own: one that crashes, ends its process or does not come to an end is an error that names it' -r -f -a "true\t''
false\t''"
complete -c ncgen -l plugin-timeout -d 'Seconds that a plugin may take for a chunk (30), to which one is added for each MiB; implies --isolate-plugins' -r
complete -c ncgen -l threads -d 'Accepted, without effect so far: text is read by one thread' -r
complete -c ncgen -s b -d 'Make a netCDF file, by default named as the text with `.nc`'
complete -c ncgen -s n -d 'As -b, with `.cdf`'
complete -c ncgen -s c -d 'As -l c'
complete -c ncgen -s f -d 'As -l f77'
complete -c ncgen -s 3 -d 'Classic output (CDF-1), as -k classic'
complete -c ncgen -s 4 -d 'netCDF-4 output, as -k netCDF-4'
complete -c ncgen -s 5 -d 'CDF-5 output, as -k cdf5'
complete -c ncgen -s 6 -d '64-bit offset output (CDF-2), as -k 64-bit-offset'
complete -c ncgen -s 7 -d 'netCDF-4 classic model output, as -k nc7'
complete -c ncgen -l consolidated -d 'Zarr output: put all metadata under one key, too (.zmetadata, or in zarr.json)'
complete -c ncgen -l zip-prefix -d 'Zarr output in a zip file: a directory named as the file in front of all keys, which netCDF-C needs; by default with the kinds nczarr and nczarr3'
complete -c ncgen -l no-zip-prefix -d 'Zarr output in a zip file: no directory in front of the keys, as zarr-python has them; by default with the kinds zarr and zarr3'
complete -c ncgen -l overwrite -d 'Zarr output: replace a store although there are files in its directory that are no part of it; they are removed, and named'
complete -c ncgen -s H -d 'Declarations only: data lists are not looked at'
complete -c ncgen -s x -d 'Leave what the text has no values for undefined instead of filling it'
complete -c ncgen -s 1 -d 'Accepted, without effect'
complete -c ncgen -s P -d 'Accepted, without effect: write through memory'
complete -c ncgen -s d -d 'Accepted, without effect: debugging output'
complete -c ncgen -l prefer-plugins -d 'Use HDF5 plugins, where there are some, instead of the filters that are built in'
complete -c ncgen -l no-sync -d 'Do not wait until the output is on the disk'
complete -c ncgen -l strict -d 'Take warnings for errors: nothing is made if there are any'
complete -c ncgen -l quiet -d 'No warnings'
complete -c ncgen -l trace -d 'Print the operations on Zarr stores on standard error, as with NCTRACING=1 in the environment'
complete -c ncgen -s h -d 'Print usage, in short'
complete -c ncgen -l help -d 'Print help'
complete -c ncgen -l version -d 'Print version'

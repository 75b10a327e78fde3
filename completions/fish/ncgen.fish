complete -c ncgen -s o -d 'Write the output to FILE (- for standard output); implies -b without -l. A Zarr store is a directory, or a zip file if the name ends in .zip' -r -F
complete -c ncgen -s N -d 'Name of the dataset, in place of the name in the text' -r
complete -c ncgen -s l -d 'Output language: b (a netCDF file), or c, f77 or java (a program that creates the file)' -r -f -a "b\t''
c\t''
f77\t''
java\t''"
complete -c ncgen -s M -d 'Name of the main function or class of the program' -r
complete -c ncgen -s W -d 'Maximum number of elements that the program writes at once [default: 1024]' -r
complete -c ncgen -l isolate-plugins -d 'Run HDF5 plugins in separate processes, so that a plugin that crashes or hangs is an error [default: no]' -f -a "yes\t''
no\t''"
complete -c ncgen -l plugin-timeout -d 'Time limit of a plugin for a chunk: this number of seconds, plus one second per MiB [default: 30]. Implies --isolate-plugins' -r
complete -c ncgen -l threads -d 'Number of threads [default: number of cores]' -r
complete -c ncgen -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c ncgen -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c ncgen -s B -d 'Ignored: buffer size' -r
complete -c ncgen -s D -d 'Ignored: level of debugging output' -r
complete -c ncgen -s L -d 'Ignored: log level' -r
complete -c ncgen -s k -s v -d 'Kind of the output: nc3 (classic), nc6 (64-bit-offset), nc5 (cdf5), nc4 (netCDF-4), nc7 ("netCDF-4 classic model"), zarr3, zarr, nczarr3 or nczarr [default: from the name of the output, else from the input]' -r -f -a "classic\t''
64-bit-offset\t''
cdf5\t''
netCDF-4\t''
netCDF-4-classic\t''
nczarr\t''
zarr\t''
nczarr3\t''
zarr3\t''"
complete -c ncgen -s b -d 'Write a netCDF file named after the input, with .nc'
complete -c ncgen -s H -d 'Check declarations only, and ignore data'
complete -c ncgen -s 3 -d 'Write a classic file (CDF-1), as -k nc3'
complete -c ncgen -s 4 -d 'Write a netCDF-4 file, as -k nc4'
complete -c ncgen -s 5 -d 'Write a CDF-5 file, as -k nc5'
complete -c ncgen -s 6 -d 'Write a 64-bit offset file (CDF-2), as -k nc6'
complete -c ncgen -s 7 -d 'Write a netCDF-4 classic model file, as -k nc7'
complete -c ncgen -l quiet -d 'Print no progress bar, notes or warnings'
complete -c ncgen -s h -d 'Print the most important options'
complete -c ncgen -l help -d 'Print all options and examples'
complete -c ncgen -l version -d 'Print the version'
complete -c ncgen -s n -d 'Write a netCDF file named after the input, with .cdf'
complete -c ncgen -s x -d 'Write no fill values to elements without data'
complete -c ncgen -l cloud -d 'Write all metadata before the data, for remote readers. For Zarr, the same as --consolidated'
complete -c ncgen -s c -d 'Write a C program, as -l c'
complete -c ncgen -s f -d 'Write a Fortran 77 program, as -l f77'
complete -c ncgen -l consolidated -d 'Write consolidated metadata: all metadata in one key'
complete -c ncgen -l zip-prefix -d 'Prefix all keys of a zip file with a directory named after the file, as netCDF-C requires [default for nczarr and nczarr3]'
complete -c ncgen -l no-zip-prefix -d 'Write the keys of a zip file without a prefix, as zarr-python expects [default for zarr and zarr3]'
complete -c ncgen -l overwrite -d 'Replace a store even if its directory contains unrelated files. A note names each removed file'
complete -c ncgen -l strict -d 'Fail instead of printing a note or warning about skipped or changed data'
complete -c ncgen -l allow-large -d 'Allow outputs of more than 1 GB that are almost entirely fill values'
complete -c ncgen -l keep-links -d 'Overwrite an output that has several hard links in place, so that all links have the new content. This step is not atomic'
complete -c ncgen -l no-sync -d 'Do not wait until the output is written to disk (skip fsync)'
complete -c ncgen -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c ncgen -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c ncgen -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c ncgen -s 1 -d 'Ignored'
complete -c ncgen -s P -d 'Ignored: write through memory'
complete -c ncgen -s d -d 'Ignored: debugging output'

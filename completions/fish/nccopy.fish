complete -c nccopy -s k -d 'Kind of the output; without one a URL says it, or the output\'s name: Zarr if it ends in .zarr or .zip (as the input if that is Zarr, else zarr3); else it is the input\'s, and netCDF-4 for one of Zarr: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7), or Zarr: nczarr and zarr (version 2, with netCDF\'s own metadata and without), nczarr3 and zarr3 (version 3)' -r -f -a "classic\t''
64-bit-offset\t''
cdf5\t''
netCDF-4\t''
netCDF-4-classic\t''
nczarr\t''
zarr\t''
nczarr3\t''
zarr3\t''"
complete -c nccopy -s v -d 'Data of these variables only, definitions of all: names in any group, paths ("/g/v"), patterns ("t*", "?", "[a-z]"), and "!" in front of what is not meant ("!t*"); a backslash takes the meaning from a character' -r
complete -c nccopy -s V -d 'Definitions and data of these variables only, named as for -v' -r
complete -c nccopy -s g -d 'Data of the variables of these groups only, definitions of all: names, paths, patterns and "!" as for -v' -r
complete -c nccopy -s G -d 'Definitions and data of these groups only, named as for -g' -r
complete -c nccopy -s d -d 'Deflate level of all variables of netCDF-4 output (0 for none)' -r
complete -c nccopy -s c -d 'Chunks of netCDF-4 output: "dim/N,dim/N,…" (all of the dimension without N), "var:N,N,…", "var:contiguous", "var:compact", or "/" for no chunks' -r
complete -c nccopy -l shard -d 'Shards of Zarr version 3 output, each of which holds several chunks: "dim/N,dim/N,…" or "var:N,N,…" in elements, as for -c' -r
complete -c nccopy -s F -d 'Filters of netCDF-4 output: "var,FILTER,PARAMETER,…", with "var&var" and "|" for several variables and filters, patterns ("*", "?", "[a-z]") for names of variables, and names or numbers of filters and parameters ("temp*,shuffle|zstd,3", "*,blosc,codec=zstd,level=5", "temp,zfp,accuracy=0.001"); "var,none" for no filters, "none" for no others. The filters of a pattern are applied where they can be. Patterns of filters with loss pass over coordinates and what describes them' -r
complete -c nccopy -l quantize -d 'Quantize numbers of netCDF-4 output, so that they compress better: "var,ALGORITHM,N", with "var&var" and patterns as for -F. bitgroom and granularbr keep N decimal digits (float 1 to 6, double 1 to 15), bitround N bits (float 1 to 23, double 1 to 52). Patterns pass over coordinates and what describes them; "var,none" leaves a variable as it is' -r
complete -c nccopy -s M -d 'Bytes of the smallest variables (with "dim/N") or chunks that are stored in chunks if nothing else needs them; 8192 if not given' -r
complete -c nccopy -s m -d 'Accepted, without effect: bytes of the copy buffer (suffixes K, M, G, T, P)' -r
complete -c nccopy -s h -d 'Accepted, without effect: bytes of the chunk cache' -r
complete -c nccopy -s e -d 'Accepted, without effect: chunks in the chunk cache' -r
complete -c nccopy -s L -d 'Accepted, without effect: log level' -r
complete -c nccopy -l memory -d 'Bytes of memory for changing the shapes of chunks, 256 MiB if not given (suffixes K, M, G, T, P; Ki, Mi, Gi, Ti for powers of two)' -r
complete -c nccopy -l suffix -d 'What names of copies in a directory end in, in place of the extension of the input: `.zarr`, `_small.nc`. Without it the extension stays, but for one that says another format: copies with -k zarr3 end in .zarr, those of Zarr stores with -k nc4 in .nc' -r
complete -c nccopy -l report -d 'Print what was done: stored bytes of each variable before and after, and the time' -r -f -a "table\t'A table'
json\t'JSON'"
complete -c nccopy -l isolate-plugins -d 'Run HDF5 plugins in processes of their own: one that crashes, ends its process or does not come to an end is an error that names it' -r -f -a "yes\t''
no\t''"
complete -c nccopy -l plugin-timeout -d 'Seconds that a plugin may take for a chunk (30), to which one is added for each MiB; implies --isolate-plugins' -r
complete -c nccopy -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c nccopy -s 3 -d 'Classic output (CDF-1), as -k classic'
complete -c nccopy -s 4 -d 'netCDF-4 output, as -k netCDF-4'
complete -c nccopy -s 5 -d 'CDF-5 output, as -k cdf5'
complete -c nccopy -s 6 -d '64-bit offset output (CDF-2), as -k 64-bit-offset'
complete -c nccopy -s 7 -d 'netCDF-4 classic model output, as -k nc7'
complete -c nccopy -s u -d 'Make unlimited dimensions fixed ones'
complete -c nccopy -l coordinates -d 'With -v or -V, keep what says where the values of these variables are, too: coordinate variables, and those that the attributes coordinates, bounds, grid_mapping and others of the CF conventions name'
complete -c nccopy -s s -d 'Shuffle bytes before they are deflated'
complete -c nccopy -l consolidated -d 'Zarr output: put all metadata under one key, too (.zmetadata, or in zarr.json)'
complete -c nccopy -l zip-prefix -d 'Zarr output in a zip file: a directory named as the file in front of all keys, which netCDF-C needs; by default with the kinds nczarr and nczarr3'
complete -c nccopy -l no-zip-prefix -d 'Zarr output in a zip file: no directory in front of the keys, as zarr-python has them; by default with the kinds zarr and zarr3'
complete -c nccopy -l overwrite -d 'Zarr output: replace a store although there are files in its directory that are no part of it; they are removed, and named'
complete -c nccopy -s w -d 'Accepted, without effect: write through memory'
complete -c nccopy -s r -d 'Accepted, without effect: read through memory'
complete -c nccopy -s x -d 'Accepted, without effect'
complete -c nccopy -l no-clobber -d 'Do not replace outputs: one that is there is an error'
complete -c nccopy -l skip-existing -d 'Do not replace outputs: what is there is passed over, so that a job that was stopped goes on where it was'
complete -c nccopy -l in-place -d 'Put the copies in the place of the inputs, each when it is whole; all paths are inputs, and of a directory those are the datasets in it and below it. An input that cannot be copied without a loss stays as it is, and the run fails in the end'
complete -c nccopy -l dry-run -d 'Write nothing; print what would be done'
complete -c nccopy -l verify -d 'Read the output back, and compare all values with the input, before it appears under its name'
complete -c nccopy -l strict -d 'Take notes for errors: a dataset is not copied of which something would be left out, or not be done as asked'
complete -c nccopy -l prefer-plugins -d 'Use HDF5 plugins, where there are some, instead of the filters that are built in'
complete -c nccopy -l allow-external -d 'Open files that the input names and that are not in its directory (HDF5 links, virtual datasets and external data)'
complete -c nccopy -l fill-missing -d 'Write fill values in place of sources of virtual datasets that are missing, which is an error without it'
complete -c nccopy -l allow-large -d 'Make outputs of more than 1 GB of which less than a thousandth is stored in the input, and all else is fill values; an error without it'
complete -c nccopy -l no-sync -d 'Do not wait until the output is on the disk'
complete -c nccopy -l quiet -d 'No progress bar, no notes'
complete -c nccopy -l trace -d 'Print the operations on Zarr stores on standard error, as with NCTRACING=1 in the environment'
complete -c nccopy -l help -d 'Print help'
complete -c nccopy -l version -d 'Print version'

# Prints variables of the first dataset on the command line. Names with characters of shells are left out.
function _netcdf_variables
    set -l token (commandline -ct)
    set -l prefix (string match -r '^(?:.*,)?!?' -- $token)
    for word in (commandline -o)[2..]
        set word (string replace -r '^~/' "$HOME/" -- $word)
        string match -q -- '-*' $word; and continue
        test -f $word -o -d $word; or continue
        set -l names (ncdump -x $word 2>/dev/null | sed -n 's/^ *<variable name="\([[:alnum:]_.+@-]*\)".*/\1/p')
        test (count $names) -gt 0; or continue
        printf '%s\n' $prefix$names
        return
    end
end

# Prints filters after the variables of -F.
function _netcdf_filters
    set -l token (commandline -ct | string trim -l -c "'\"")
    set -l prefix (string match -r '^(?:.*\||[^,]*,)' -- $token)
    if test -z "$prefix"
        printf '%s\n' '*,' none
        return
    end
    string match -q -- '*,*' (string replace -- $prefix '' $token); and return
    for name in none deflate shuffle fletcher32 szip nbit scaleoffset bzip2 lzf blosc lz4 bitshuffle zfp zstd bitgroom granularbr bitround
        echo $prefix$name
    end
end

complete -c nccopy -s k -d 'Kind of the output: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7), or Zarr: nczarr and zarr (version 2, with and without netCDF\'s own metadata), nczarr3 and zarr3 (version 3). By default a URL decides, then the output\'s name: if it ends in .zarr or .zip, the output is Zarr (of the input\'s kind if the input is Zarr, else zarr3). Otherwise the output has the input\'s kind; a Zarr input becomes netCDF-4' -r -f -a "classic\t''
64-bit-offset\t''
cdf5\t''
netCDF-4\t''
netCDF-4-classic\t''
nczarr\t''
zarr\t''
nczarr3\t''
zarr3\t''"
complete -c nccopy -l unlimited -d 'Make these dimensions unlimited: names in any group, paths and patterns as for -v. With -u, all other dimensions are fixed' -r
complete -c nccopy -s v -d 'Copy the data of these variables only, but define all of them: names in any group, paths ("/g/v"), patterns ("t*", "?", "[a-z]"), and "!" before what to leave out ("!t*"); a backslash makes the next character an ordinary one' -r -f -a '(_netcdf_variables)'
complete -c nccopy -s V -d 'Copy these variables only, definitions and data; named as for -v' -r -f -a '(_netcdf_variables)'
complete -c nccopy -s g -d 'Copy the data of these groups only, but define all variables: names, paths, patterns and "!" as for -v' -r
complete -c nccopy -s G -d 'Copy these groups only, definitions and data; named as for -g' -r
complete -c nccopy -l select -d 'Take only this part of a dimension. Whole numbers are indices from 0, or from the end if negative; numbers with a point and times are values of the coordinate: `time,0,11`, `time,-1`, `lat,-30.,30.`, `time,2001-01-01,2001-12-31`, `x,,,10`. Both limits are included; a month or day as the second limit ends with the month or day, and `time,2001-06` is the whole month. From a larger to a smaller longitude, the part goes around the globe. Can be given several times: parts of the same dimension are joined' -r
complete -c nccopy -l enums -d 'Store variables with enum types as numbers, with the CF attributes flag_values and flag_meanings, for kinds without enums. Enum attributes become numbers. Kinds with truth values store enums of FALSE = 0 and TRUE = 1 as truth values' -r -f -a "flags\t'Numbers, described by `flag_values` and `flag_meanings`'"
complete -c nccopy -l rename -d 'Give dimensions, variables and groups of this name or path (`/g/v`) another name, only the variables (`var:OLD,NEW`) or only the dimensions (`dim:OLD,NEW`), or an attribute (`VAR@ATTRIBUTE,NEW`). Attributes that name variables, such as coordinates and bounds, follow. Data is not touched. Can be given several times' -r
complete -c nccopy -l attribute -d 'Set an attribute, with values as in CDL and a type before the variable where the values do not say it (`v@units="K"`, `short v@levels=1, 2`), or remove it (`!v@units`). The owner is a list of variables as for -v, or of groups (`/g/@title="…"`); without one it is the dataset (`@title="…"`). All options use the names of the input. Can be given several times' -r
complete -c nccopy -l history-time -d 'The time for --history in seconds since 1970. Plans set it for their parts' -r
complete -c nccopy -s d -d 'Deflate level of all variables of netCDF-4 output (0 for none)' -r
complete -c nccopy -s c -d 'Chunks of netCDF-4 output: "dim/N,dim/N,…" (all of the dimension without N), "var:N,N,…", "var:contiguous", "var:compact", or "/" for no chunks' -r
complete -c nccopy -l shard -d 'Shards of Zarr version 3 output; each shard holds several chunks: "dim/N,dim/N,…" or "var:N,N,…" in elements, as for -c' -r
complete -c nccopy -s F -d 'Filters of netCDF-4 output: "var,FILTER,PARAMETER,…", with "var&var" and "|" for several variables and filters, patterns ("*", "?", "[a-z]") for names of variables, and names or numbers of filters and parameters ("temp*,shuffle|zstd,3", "*,blosc,codec=zstd,level=5", "temp,zfp,accuracy=0.001"); "var,none" for no filters, "none" for no others. A filter named with a pattern is applied where possible. Patterns with lossy filters skip coordinates and the variables that describe them' -r -f -a '(_netcdf_filters)'
complete -c nccopy -l quantize -d 'Quantize numbers of netCDF-4 output, so that they compress better: "var,ALGORITHM,N", with "var&var" and patterns as for -F. bitgroom and granularbr keep N decimal digits (float 1 to 6, double 1 to 15), bitround N bits (float 1 to 23, double 1 to 52). Patterns skip coordinates and the variables that describe them; "var,none" leaves a variable as it is' -r
complete -c nccopy -s M -d 'Smallest size in bytes of variables (with "dim/N") or chunks that are stored in chunks where nothing else requires chunks [default: 8192]' -r
complete -c nccopy -l chunk-size -d 'Size of chunks before filters, for variables and dimensions that -c does not name: chunks have at least so many bytes (suffixes as for --memory), and their edges are about equal shares of the dimensions. Smaller variables are one chunk' -r
complete -c nccopy -l cloud -d 'Store data as readers over a network need it: all metadata in front, then coordinates and small variables, and chunks of --chunk-size [default: 4Mi], unless those of the input have a quarter to four times as many bytes. Further options win. RULES: cmip7 (for files of CMIP7: also time and its bounds in one chunk each, and no chunks below --chunk-size), paged or paged,SIZE (also metadata in pages of SIZE bytes, a power of two, for the page buffer of HDF5 [default: the smallest from 64Ki to 8Mi that holds all metadata]), or both (cmip7,paged)' -f -a "cmip7\t''
paged\t''
cmip7\,paged\t''"
complete -c nccopy -s m -d 'Accepted, without effect: bytes of the copy buffer (suffixes K, M, G, T, P)' -r
complete -c nccopy -s h -d 'Accepted, without effect: bytes of the chunk cache' -r
complete -c nccopy -s e -d 'Accepted, without effect: chunks in the chunk cache' -r
complete -c nccopy -s L -d 'Accepted, without effect: log level' -r
complete -c nccopy -l memory -d 'Bytes of memory for changing the shapes of chunks, 256 MiB if not given (suffixes K, M, G, T, P; Ki, Mi, Gi, Ti for powers of two)' -r
complete -c nccopy -l suffix -d 'Ending of the names of copies in a directory, in place of the input\'s extension: `.zarr`, `_small.nc`. By default the extension stays, unless it names another format: with -k zarr3 copies end in .zarr, and copies of Zarr stores with -k nc4 end in .nc' -r
complete -c nccopy -l dry-run -d 'Write nothing; print what would be done (as JSON, a line for each input: docs/json.md)' -f -a "table\t'A table'
json\t'JSON'"
complete -c nccopy -l report -d 'Print what was done: stored bytes of each variable before and after, and the time (as JSON, one line per finished input: docs/json.md). With --finish: report the parts' -f -a "table\t'A table'
json\t'JSON'"
complete -c nccopy -l isolate-plugins -d 'Run HDF5 plugins in separate processes: a plugin that crashes, exits or never finishes is an error that names the plugin' -f -a "yes\t''
no\t''"
complete -c nccopy -l plugin-timeout -d 'Seconds that a plugin may take for a chunk, plus one for each MiB [default: 30]; implies --isolate-plugins' -r
complete -c nccopy -l plan -d 'Copy nothing yet: divide the copy into parts that processes on any machines can make (--part), and describe them in a new directory DIR (docs/machines.md)' -r -F
complete -c nccopy -l parts -d 'With --plan: the number of parts' -r
complete -c nccopy -l part-size -d 'With --plan: bytes of elements of a part [default: 1Gi] (suffixes as for --memory)' -r
complete -c nccopy -l stages -d 'With --plan: copy in one stage or in two, of which the first cuts the input into pieces that the second puts together (docs/machines.md) [default: two for variables of which parts would otherwise decode each chunk of the input many times]' -r
complete -c nccopy -l part -d 'Make part K of the plan in a directory, the only path: nccopy --part K DIR. Parts are numbered from 0 on. K-L makes several, auto the one of the task of a job (SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX). A part can be made any number of times. Exit status 75 means: try again' -r
complete -c nccopy -l lease -d 'With --next: lease time of a part in seconds; after it expires, another process may run the part. With --finish: lease time of the right to finish the plan, in buckets and on file systems without locks; nccopy renews it [default: 3600, with --finish 300]' -r
complete -c nccopy -l emit -d 'Print a script with which ENGINE makes the parts of the plan in a directory, and then the output: nccopy --emit slurm DIR (docs/machines.md)' -r -f -a "slurm\t'Slurm: a shell script that submits a job array, and a job that finishes the copy'
dask\t'Dask: a Python script for a scheduler of distributed, or worker processes on this machine'
snakemake\t'Snakemake: a Snakefile'
parallel\t'GNU parallel: a shell script for this machine, or several by SSH'"
complete -c nccopy -l threads -d 'Number of threads [default: all cores]' -r
complete -c nccopy -l requests -d 'Maximum number of requests at a time to storage; at most 64 to local files [default: few to local files, 8 to 256 to remote storage]' -r
complete -c nccopy -l timeout -d 'Seconds after which a request to another machine is given up, with all its repetitions [default: 60]' -r
complete -c nccopy -s 3 -d 'Classic output (CDF-1), as -k classic'
complete -c nccopy -s 4 -d 'netCDF-4 output, as -k netCDF-4'
complete -c nccopy -s 5 -d 'CDF-5 output, as -k cdf5'
complete -c nccopy -s 6 -d '64-bit offset output (CDF-2), as -k 64-bit-offset'
complete -c nccopy -s 7 -d 'netCDF-4 classic model output, as -k nc7'
complete -c nccopy -s u -d 'Make unlimited dimensions fixed'
complete -c nccopy -l coordinates -d 'With -v or -V, also keep the variables that locate the values: coordinate variables, and those named by the attributes coordinates, bounds, grid_mapping and others of the CF conventions'
complete -c nccopy -l history -d 'Prepend the UTC date and this command to the global attribute `history`, as NCO and CDO do. Passwords and queries are removed from addresses'
complete -c nccopy -s s -d 'Shuffle the bytes before deflating them'
complete -c nccopy -l consolidated -d 'Zarr output: also put all metadata under one key (.zmetadata, or in zarr.json)'
complete -c nccopy -l zip-prefix -d 'Zarr output in a zip file: put a directory with the file\'s name before all keys, as netCDF-C requires; the default for the kinds nczarr and nczarr3'
complete -c nccopy -l no-zip-prefix -d 'Zarr output in a zip file: put no directory before the keys, as zarr-python does; the default for the kinds zarr and zarr3'
complete -c nccopy -l overwrite -d 'Zarr output: replace a store even if its directory holds files that do not belong to it; these files are removed, and each is named'
complete -c nccopy -s w -d 'Accepted, without effect: write through memory'
complete -c nccopy -s r -d 'Accepted, without effect: read through memory'
complete -c nccopy -s x -d 'Accepted, without effect'
complete -c nccopy -l no-clobber -d 'Do not replace existing outputs; an output that exists is an error'
complete -c nccopy -l skip-existing -d 'Skip inputs whose output exists, so that a stopped job continues where it left off'
complete -c nccopy -l in-place -d 'Replace each input with its copy once the copy is complete. All paths are inputs; a directory stands for its datasets. A dataset that is already stored as requested is skipped. An input that cannot be copied without loss stays as it is, and the run fails at the end'
complete -c nccopy -l force -d 'With --in-place: also rewrite datasets that are already stored as requested'
complete -c nccopy -l if-smaller -d 'With --in-place: replace an input only if the copy has fewer bytes than the input'
complete -c nccopy -l keep-mtime -d 'With --in-place: keep the modification time of each input'
complete -c nccopy -l recursive -d 'Include the sub-directories of an input directory. The content of a file decides whether it is a dataset, not the name. A Zarr store is one dataset. Symbolic links are followed to files only, and names that begin with a dot are skipped'
complete -c nccopy -l verify -d 'Read the output back and compare all values with the input before it appears under its name'
complete -c nccopy -l strict -d 'Treat notes as errors: do not copy a dataset if something would be left out or not done as asked'
complete -c nccopy -l prefer-plugins -d 'Prefer HDF5 plugins to the built-in filters'
complete -c nccopy -l allow-secrets -d 'With --plan: make the plan even if other users can read user names, passwords and queries of addresses in it, because the file system has no permissions (exFAT, mounted buckets)'
complete -c nccopy -l next -d 'Make parts of the plan in a directory that no other process makes, until none is left: nccopy --next DIR, on as many machines as there are. Exit status 75 means that others still make some'
complete -c nccopy -l finish -d 'Check that all parts of the plan in a directory are made, and make the output from them'
complete -c nccopy -l no-check -d 'With --finish: skip the comparison of the stored bytes with the digests of the parts, which --report needs'
complete -c nccopy -l status -d 'Print how many parts of the plan in a directory are made'
complete -c nccopy -l json -d 'With --status: as JSON'
complete -c nccopy -l clean -d 'Remove the plan in a directory, with all that belongs to it. The output stays'
complete -c nccopy -l io-stats -d 'Print on standard error what was asked of other machines: requests, rounds, bytes, failed tries'
complete -c nccopy -l allow-external -d 'Also open files outside the input\'s directory that the input refers to (HDF5 links, virtual datasets, external data)'
complete -c nccopy -l fill-missing -d 'Write fill values where sources of virtual datasets are missing; by default this is an error'
complete -c nccopy -l allow-large -d 'Allow outputs of more than 1 GB that are almost all fill values (less than a thousandth is stored in the input); by default this is an error'
complete -c nccopy -l keep-links -d 'Overwrite a file that has several names (hard links), so that all of them lead to the new content. This step is not atomic. By default the output replaces the file under the given name only, with a note'
complete -c nccopy -l no-sync -d 'Do not wait until the output has reached the disk'
complete -c nccopy -l quiet -d 'Show no progress bar and no notes'
complete -c nccopy -l trace -d 'Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)'
complete -c nccopy -l help -d 'Print help'
complete -c nccopy -l version -d 'Print version'

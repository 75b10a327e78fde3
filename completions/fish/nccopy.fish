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

complete -c nccopy -s k -d 'Kind of the output: nc3 (classic), nc6 (64-bit-offset), nc5 (cdf5), nc4 (netCDF-4), nc7 ("netCDF-4 classic model"), zarr3, zarr, nczarr3 or nczarr [default: from the name of the output, else from the input]' -r -f -a "classic\t''
64-bit-offset\t''
cdf5\t''
netCDF-4\t''
netCDF-4-classic\t''
nczarr\t''
zarr\t''
nczarr3\t''
zarr3\t''"
complete -c nccopy -s d -d 'Deflate level of all variables, 0 to 9 (0: no compression)' -r
complete -c nccopy -s c -d 'Chunk shapes: "dim/N,dim/N,…" or "var:N,N,…" in elements, "var:contiguous", "var:compact", or "/" to store all variables without chunks' -r
complete -c nccopy -s F -d 'Filters of variables, by name or number: \'*,shuffle|zstd,3\' or \'v&w,blosc,codec=zstd,level=5\'. \'v,none\' removes the filters of v' -r -f -a '(_netcdf_filters)'
complete -c nccopy -l chunk-size -d 'Minimum chunk size before filters, where -c sets no shape (suffixes as for --memory). Each chunk spans about the same fraction of every dimension; a smaller variable is one chunk' -r
complete -c nccopy -l cloud -d 'Optimize the layout for remote readers: metadata before data, and chunks of --chunk-size [default: 4Mi]. RULES: cmip7, paged, paged,SIZE or cmip7,paged' -f -a "cmip7\t''
paged\t''
cmip7\,paged\t''"
complete -c nccopy -l quantize -d 'Round numbers to compress them better: "var,ALGORITHM,N", with names and patterns as for -F. bitgroom and granularbr keep N decimal digits, bitround N bits' -r
complete -c nccopy -s M -d 'Store a variable without chunks if its chunks would have fewer than BYTES bytes [default: 8192]' -r
complete -c nccopy -l shard -d 'Shard shapes of Zarr version 3 in elements: "dim/N,dim/N,…" or "var:N,N,…", as for -c' -r
complete -c nccopy -s V -d 'Copy only these variables: names, paths such as /g/v, or patterns such as \'t*\'. A leading ! excludes: \'!t*\'' -r -f -a '(_netcdf_variables)'
complete -c nccopy -s v -d 'Copy the data of these variables only, and define all variables; names, paths and patterns as for -V' -r -f -a '(_netcdf_variables)'
complete -c nccopy -s G -d 'Copy only these groups; names, paths and patterns as for -V' -r
complete -c nccopy -s g -d 'Copy the data of these groups only, and define all variables; names, paths and patterns as for -V' -r
complete -c nccopy -l select -d 'Select a range of a dimension: `DIM[,MIN[,MAX[,STRIDE]]]`. Whole numbers are indices from 0, numbers with a point and dates are coordinate values: time,0,11 or lat,-30.,30. or time,2001-06' -r
complete -c nccopy -l dry-run -d 'Print the planned work without copying' -f -a "table\t''
json\t''"
complete -c nccopy -l report -d 'Print the stored bytes of each variable before and after, and the time. With --finish: report the parts' -f -a "table\t''
json\t''"
complete -c nccopy -l split -d 'Divide the input into parts: DIM/year, DIM/month, DIM/day, DIM/hour, DIM/LENGTH or vars. The output name has %Y, %m, %d, %H, %M, %S (first time of the part), %n (number) or %v (variable)' -r
complete -c nccopy -l append -d 'Add the records of the inputs to the output, along its unlimited dimension or DIM. Records that it already has are skipped. A missing output is created; options for its kind and storage only count then' -r
complete -c nccopy -l recover -d 'End an unfinished change of each FILE, in the old state, in the new state, or with the current bytes (drop). A program that opens a file for writing restores the old state itself; this option is for files that another program changed meanwhile' -f -a "old\t''
new\t''
drop\t''"
complete -c nccopy -l suffix -d 'End of the names of copies in a directory, in place of the extension: .zarr, _small.nc [default: extension of the output\'s format]' -r
complete -c nccopy -l join -d 'Read all inputs as one dataset: the inputs follow each other along DIM [default: the unlimited dimension, or the only one with different coordinates]' -r
complete -c nccopy -l join-new -d 'Like --join, along a new dimension. Variables that differ get the dimension. A scalar variable of this name becomes the coordinate' -r
complete -c nccopy -l labels -d 'With --join-new: coordinate values of the inputs: a list, a global attribute, or a pattern of file names: a,b,c or @id or \'r*.nc\'' -r
complete -c nccopy -l each -d 'With --join-new: add the dimension to these variables, even if all inputs have the same values' -r
complete -c nccopy -l inputs -d 'With --join, --join-new or --merge: read names of further inputs from FILE, one a line (- for standard input)' -r -F
complete -c nccopy -l order -d 'With --join: order of the inputs: coordinate or given (as on the command line) [default: coordinate]' -r -f -a "coordinate\t'By the coordinate of the joined dimension'
given\t'As on the command line'"
complete -c nccopy -l overlap -d 'With --join: inputs with common coordinate values: error, first or last (the values of this input) [default: error]' -r -f -a "error\t'An error'
first\t'The values of the first input'
last\t'The values of the last input'"
complete -c nccopy -l static -d 'With --join: variables without the joined dimension: check (all values must be equal) or first (the values of the first input) [default: check]' -r -f -a "check\t'All elements must be equal'
first\t'Types and shapes must be equal'"
complete -c nccopy -l lacking -d 'With --join: variables that some inputs lack: error, fill (missing values) or skip [default: error]' -r -f -a "error\t'An error'
fill\t'Missing values'
skip\t'No variable'"
complete -c nccopy -l conflicts -d 'With --join: attributes with several values: first (the value of the first input), common (no attribute) or error [default: first]' -r -f -a "first\t'The value of the first input'
common\t'No attribute'
error\t'An error'"
complete -c nccopy -l time-units -d 'With --join: time units of the output, such as \'hours since 2000-01-01\' [default: the units of the first input]' -r
complete -c nccopy -l repack -d 'With --join: unpack data with several packings to float or double, or pack the data again as byte, short or int' -r
complete -c nccopy -l open-files -d 'With --join: maximum number of open inputs [default: 64]' -r
complete -c nccopy -l rename -d 'Rename a dimension, variable or group, or an attribute (VAR@ATTRIBUTE,NEW). var:OLD,NEW and dim:OLD,NEW rename only variables or dimensions' -r
complete -c nccopy -l attribute -d 'Set an attribute to values as in CDL: \'v@units="K"\', or \'@title="…"\' for the dataset. \'!v@units\' removes an attribute' -r
complete -c nccopy -l history-time -d 'Time for --history in seconds since 1970. Plans set this option for their parts' -r
complete -c nccopy -l unlimited -d 'Make these dimensions unlimited: names, paths and patterns as for -V. With -u, all other dimensions become fixed' -r
complete -c nccopy -l enums -d 'Store enums as integers with the CF attributes flag_values and flag_meanings, for kinds without enums' -r -f -a "flags\t'Numbers with the attributes `flag_values` and `flag_meanings`'"
complete -c nccopy -l inline -d 'Maximum size of a variable whose values are stored in the references, because readers cannot decode its chunks (suffixes as for --memory) [default: 1Mi]' -r
complete -c nccopy -l url-prefix -d 'Replace the start of source names, for readers on other machines: --url-prefix /data/=s3://bucket/' -r
complete -c nccopy -l record-size -d 'References per parquet file [default: 10000]' -r
complete -c nccopy -l plan -d 'Divide the copy into parts, and write only a plan to the new directory DIR' -r -F
complete -c nccopy -l parts -d 'With --plan: number of parts' -r
complete -c nccopy -l part-size -d 'With --plan: size of a part before filters (suffixes as for --memory) [default: 1Gi]' -r
complete -c nccopy -l stages -d 'With --plan: copy in one or two stages [default: the cheaper number for each variable]' -r
complete -c nccopy -l part -d 'Run part K of the plan in DIR (from 0), parts K-L, or auto for the task number of Slurm or Kubernetes. Exit status 75: try again' -r
complete -c nccopy -l lease -d 'With --next: lease time of a part in seconds; after it expires, another process may run the part [default: 3600, with --finish: 300]' -r
complete -c nccopy -l emit -d 'Print a script that runs all parts of the plan with ENGINE, and then --finish' -r -f -a "slurm\t''
dask\t''
snakemake\t''
parallel\t''"
complete -c nccopy -l isolate-plugins -d 'Run HDF5 plugins in separate processes, so that a plugin that crashes or hangs is an error [default: no]' -f -a "yes\t''
no\t''"
complete -c nccopy -l plugin-timeout -d 'Time limit of a plugin for a chunk: this number of seconds, plus one second per MiB [default: 30]. Implies --isolate-plugins' -r
complete -c nccopy -l threads -d 'Number of threads [default: number of cores]' -r
complete -c nccopy -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c nccopy -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c nccopy -l memory -d 'Memory limit for changing chunk shapes (suffixes K, M, G, T, P, or Ki, Mi, Gi, Ti for powers of two) [default: 256Mi]' -r
complete -c nccopy -s m -d 'Ignored: size of the copy buffer' -r
complete -c nccopy -s h -d 'Ignored: size of the chunk cache' -r
complete -c nccopy -s e -d 'Ignored: number of chunks in the chunk cache' -r
complete -c nccopy -s L -d 'Ignored: log level' -r
complete -c nccopy -s 3 -d 'Write a classic file (CDF-1), as -k nc3'
complete -c nccopy -s 4 -d 'Write a netCDF-4 file, as -k nc4'
complete -c nccopy -s 5 -d 'Write a CDF-5 file, as -k nc5'
complete -c nccopy -s 6 -d 'Write a 64-bit offset file (CDF-2), as -k nc6'
complete -c nccopy -s 7 -d 'Write a netCDF-4 classic model file, as -k nc7'
complete -c nccopy -s s -d 'Shuffle bytes before deflate'
complete -c nccopy -l coordinates -d 'With -v or -V: also copy the variables that locate the data, such as coordinates, bounds and grid mappings'
complete -c nccopy -l in-place -d 'Replace each input with its copy once the copy is complete. Datasets that are already stored as requested are skipped'
complete -c nccopy -l recursive -d 'Include the subdirectories of input directories'
complete -c nccopy -l add-variables -d 'Add variables to the output that it lacks. Common variables must be equal'
complete -c nccopy -l verify -d 'Compare all values of the output with the input before the output appears under its name'
complete -c nccopy -l no-clobber -d 'Fail if an output exists'
complete -c nccopy -l skip-existing -d 'Skip inputs whose output exists, to resume an interrupted job'
complete -c nccopy -l force -d 'With --in-place: also rewrite datasets that are already stored as requested'
complete -c nccopy -l if-smaller -d 'With --in-place: replace an input only if the copy is smaller'
complete -c nccopy -l keep-mtime -d 'With --in-place: keep the modification time of each input'
complete -c nccopy -l quiet -d 'Print no progress bar, notes or warnings'
complete -c nccopy -l help -d 'Print all options and examples'
complete -c nccopy -l version -d 'Print the version'
complete -c nccopy -l merge -d 'Read all inputs as one dataset with the variables of all inputs'
complete -c nccopy -l history -d 'Prepend the date and this command, without passwords, to the global attribute history'
complete -c nccopy -s u -d 'Make unlimited dimensions fixed'
complete -c nccopy -l consolidated -d 'Write consolidated metadata: all metadata in one key'
complete -c nccopy -l zip-prefix -d 'Prefix all keys of a zip file with a directory named after the file, as netCDF-C requires [default for nczarr and nczarr3]'
complete -c nccopy -l no-zip-prefix -d 'Write the keys of a zip file without a prefix, as zarr-python expects [default for zarr and zarr3]'
complete -c nccopy -l overwrite -d 'Replace a store even if its directory contains unrelated files. A note names each removed file'
complete -c nccopy -l skip-unreadable -d 'Skip variables whose chunks readers cannot decode, with a note, instead of failing'
complete -c nccopy -l strict -d 'Fail instead of printing a note or warning about skipped or changed data'
complete -c nccopy -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c nccopy -l fill-missing -d 'Write fill values if a source of a virtual dataset or of references is missing, instead of failing'
complete -c nccopy -l allow-large -d 'Allow outputs of more than 1 GB that are almost entirely fill values'
complete -c nccopy -l keep-links -d 'Overwrite an output that has several hard links in place, so that all links have the new content. This step is not atomic'
complete -c nccopy -l no-sync -d 'Do not wait until the output is written to disk (skip fsync)'
complete -c nccopy -l allow-secrets -d 'With --plan: write the plan even if other users can read passwords in its addresses'
complete -c nccopy -l next -d 'Run unclaimed parts of the plan until all are taken: nccopy --next DIR, on any number of machines. Exit status 75: other processes are still running parts'
complete -c nccopy -l finish -d 'Check that all parts of the plan are complete, and create the output from them'
complete -c nccopy -l no-check -d 'With --finish: do not compare the stored bytes with the digests of the parts'
complete -c nccopy -l status -d 'Print the number of finished, started and failed parts of the plan'
complete -c nccopy -l json -d 'With --status: print JSON'
complete -c nccopy -l clean -d 'Remove the plan and its intermediate data. The output stays'
complete -c nccopy -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c nccopy -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c nccopy -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c nccopy -s w -d 'Ignored: write through memory'
complete -c nccopy -s r -d 'Ignored: read through memory'
complete -c nccopy -s x -d 'Ignored'

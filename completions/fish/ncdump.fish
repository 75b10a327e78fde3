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

complete -c ncdump -s v -d 'Print the data of these variables only: names, paths such as /g/v, or patterns such as \'t*\'. A leading ! excludes: \'!*_bnds\'' -r -f -a '(_netcdf_variables)'
complete -c ncdump -s g -d 'Print these groups only: names, paths or patterns as for -v' -r
complete -c ncdump -l select -d 'Select a range of a dimension: `DIM[,MIN[,MAX[,STRIDE]]]`. Whole numbers are indices from 0, numbers with a point and dates are coordinate values: time,0,11 or lat,-30.,30. or time,2001-06' -r
complete -c ncdump -l join -d 'Read all inputs as one dataset: the inputs follow each other along DIM [default: the unlimited dimension, or the only one with different coordinates]' -r
complete -c ncdump -l join-new -d 'Like --join, along a new dimension. Variables that differ get the dimension. A scalar variable of this name becomes the coordinate' -r
complete -c ncdump -l labels -d 'With --join-new: coordinate values of the inputs: a list, a global attribute, or a pattern of file names: a,b,c or @id or \'r*.nc\'' -r
complete -c ncdump -l each -d 'With --join-new: add the dimension to these variables, even if all inputs have the same values' -r
complete -c ncdump -l inputs -d 'With --join, --join-new or --merge: read names of further inputs from FILE, one a line (- for standard input)' -r -F
complete -c ncdump -l order -d 'With --join: order of the inputs: coordinate or given (as on the command line) [default: coordinate]' -r -f -a "coordinate\t'By the coordinate of the joined dimension'
given\t'As on the command line'"
complete -c ncdump -l overlap -d 'With --join: inputs with common coordinate values: error, first or last (the values of this input) [default: error]' -r -f -a "error\t'An error'
first\t'The values of the first input'
last\t'The values of the last input'"
complete -c ncdump -l static -d 'With --join: variables without the joined dimension: check (all values must be equal) or first (the values of the first input) [default: check]' -r -f -a "check\t'All elements must be equal'
first\t'Types and shapes must be equal'"
complete -c ncdump -l lacking -d 'With --join: variables that some inputs lack: error, fill (missing values) or skip [default: error]' -r -f -a "error\t'An error'
fill\t'Missing values'
skip\t'No variable'"
complete -c ncdump -l conflicts -d 'With --join: attributes with several values: first (the value of the first input), common (no attribute) or error [default: first]' -r -f -a "first\t'The value of the first input'
common\t'No attribute'
error\t'An error'"
complete -c ncdump -l time-units -d 'With --join: time units of the output, such as \'hours since 2000-01-01\' [default: the units of the first input]' -r
complete -c ncdump -l repack -d 'With --join: unpack data with several packings to float or double, or pack the data again as byte, short or int' -r
complete -c ncdump -l open-files -d 'With --join: maximum number of open inputs [default: 64]' -r
complete -c ncdump -s b -d 'Annotate each row with its indices, in C or Fortran order' -r -f -a "c\t''
f\t''"
complete -c ncdump -s f -d 'Annotate each value with its indices, in C or Fortran order' -r -f -a "c\t''
f\t''"
complete -c ncdump -s l -d 'Maximum line length in data lists, in bytes [default: 80]' -r
complete -c ncdump -s n -d 'Name of the dataset in the output [default: the file name]' -r
complete -c ncdump -s p -d 'Significant digits of float and double values, overriding C_format. `exact` prints the digits needed to read the same values back' -r
complete -c ncdump -s d -d 'Significant digits of variables without C_format (old form of -p)' -r
complete -c ncdump -s X -d 'F: print the type of _FillValue attributes; p and m are ignored' -r -f -a "F\t''
p\t''
m\t''"
complete -c ncdump -l require -d 'Check the layout against RULES: cloud, cmip7 or paged. Exit status 0: no violation, 1: violations, 2: error' -r -f -a "cloud\t'All metadata before the data; chunks of at least 1 MiB before filters, or one chunk per variable'
cmip7\t'A netCDF-4 file; all metadata before the data; time and its bounds in one chunk each; other chunks of at least 4 MiB'
paged\t'A netCDF-4 file with metadata in separate pages of at least 64 KiB'"
complete -c ncdump -l tolerance -d 'With --diff: allow numbers to differ by ABS, or by REL times the larger magnitude' -r
complete -c ncdump -l ignore -d 'With --diff: ignore these objects and attributes: names, paths, patterns, or v:units for an attribute of v' -r
complete -c ncdump -l isolate-plugins -d 'Run HDF5 plugins in separate processes, so that a plugin that crashes or hangs is an error [default: no]' -f -a "yes\t''
no\t''"
complete -c ncdump -l plugin-timeout -d 'Time limit of a plugin for a chunk: this number of seconds, plus one second per MiB [default: 30]. Implies --isolate-plugins' -r
complete -c ncdump -l threads -d 'Number of threads [default: number of cores]' -r
complete -c ncdump -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c ncdump -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c ncdump -s L -d 'Ignored: log level' -r
complete -c ncdump -s h -d 'Print the header only, no data'
complete -c ncdump -s c -d 'Print the header and the data of coordinate variables only'
complete -c ncdump -s k -d 'Print the kind of the dataset only, such as classic or netCDF-4'
complete -c ncdump -s s -d 'Print special attributes, which describe the storage: chunks, filters, format'
complete -c ncdump -s t -d 'Print times as dates: 2000-01-01 06'
complete -c ncdump -l json -d 'Print JSON instead of CDL. Also with -k, -K, --filters, --diff, --sum, --stats and --layout'
complete -c ncdump -l diff -d 'Compare two datasets and print the differences. Exit status 0: equal, 1: different, 2: error'
complete -c ncdump -l help -d 'Print all options and examples'
complete -c ncdump -l version -d 'Print the version'
complete -c ncdump -l merge -d 'Read all inputs as one dataset with the variables of all inputs'
complete -c ncdump -s i -d 'Print times as ISO dates: 2000-01-01T06'
complete -c ncdump -s F -d 'With -s: print all filters as _Filter'
complete -c ncdump -s K -d 'Print the storage format and mode of the dataset only'
complete -c ncdump -s x -d 'Print NcML instead of CDL, without data'
complete -c ncdump -l layout -d 'Print the storage layout: chunks, filters, sizes, metadata location, problems for remote readers'
complete -c ncdump -l filters -d 'Print the filters of each variable, and whether this system can decode them'
complete -c ncdump -l sum -d 'Print digests of the variables and of the dataset, which do not depend on the storage'
complete -c ncdump -l check -d 'With --sum: verify the digests in FILE, a list printed by --sum (- for standard input)'
complete -c ncdump -l stats -d 'Print statistics of variables: elements, missing elements, minimum, maximum, mean, standard deviation, histogram'
complete -c ncdump -l unpack -d 'With --stats: unpack values with scale_factor, add_offset and _Unsigned first'
complete -c ncdump -l csv -d 'Print the variables of -v with their coordinates as comma-separated values. The variables must have the same dimensions'
complete -c ncdump -l compare-layout -d 'With --diff: also compare the storage: format, chunks, filters, byte order, unlimited dimensions, definition order'
complete -c ncdump -l strict -d 'Fail instead of printing a note or warning about skipped or changed data'
complete -c ncdump -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c ncdump -l fill-missing -d 'Read fill values if a source of references is missing or has changed, instead of failing'
complete -c ncdump -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c ncdump -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c ncdump -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c ncdump -s w -d 'Ignored: cache of remote variables'

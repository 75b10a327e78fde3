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

complete -c ncdump -s v -d 'Print the data of these variables only: names in any group, paths (`/g/v`) or their last parts, patterns (`t*`, `?`, `[a-z]`), and `!` before what to leave out (`!*_bnds`); a backslash makes the next character an ordinary one' -r -f -a '(_netcdf_variables)'
complete -c ncdump -s g -d 'Print these groups only: names, paths, patterns and `!` as for -v; `/` is the root group' -r
complete -c ncdump -l select -d 'Take only this part of a dimension. Whole numbers are indices from 0, or from the end if negative; numbers with a point and times are values of the coordinate: `time,0,11`, `time,-1`, `lat,-30.,30.`, `time,2001-01-01,2001-12-31`, `x,,,10`. Both limits are included; a month or day as the second limit ends with the month or day, and `time,2001-06` is the whole month. From a larger to a smaller longitude, the part goes around the globe. Can be given several times: parts of the same dimension are joined' -r
complete -c ncdump -s b -d 'Annotate each row with its indices, as C or Fortran counts them' -r -f -a "c\t''
f\t''"
complete -c ncdump -s f -d 'Annotate each value with its indices, as C or Fortran counts them' -r -f -a "c\t''
f\t''"
complete -c ncdump -s l -d 'Longest line in data lists, in bytes [default: 80]' -r
complete -c ncdump -s n -d 'Name of the dataset in the output [default: the file\'s name]' -r
complete -c ncdump -s p -d 'Significant digits of float and double values, overriding C_format; `exact` prints as many as are needed to read the same values back' -r
complete -c ncdump -s d -d 'Like -p, but C_format takes precedence (old form)' -r
complete -c ncdump -l tolerance -d 'With --diff: numbers may differ by ABS, or by REL times the larger magnitude' -r
complete -c ncdump -l ignore -d 'With --diff: leave out attributes and objects: names, paths, patterns, and `v:units` for an attribute of `v`' -r
complete -c ncdump -l require -d 'Print only where the dataset falls short of these rules, on standard error, and exit with 0 if it does not, with 1 if it does, and with 2 on any error' -r -f -a "cloud\t'All metadata in front of the data, chunks of 1 MiB and more before filters, or one for each variable'
cmip7\t'A netCDF-4 file, all metadata in front, time and its bounds in one chunk each, other chunks of 4 MiB and more'
paged\t'A netCDF-4 file whose metadata is in pages of its own, of 64 KiB and more'"
complete -c ncdump -s X -d 'F: print the type of _FillValue attributes; p, m: accepted, without effect' -r -f -a "F\t''
p\t''
m\t''"
complete -c ncdump -s L -d 'Log level: accepted, without effect' -r
complete -c ncdump -l isolate-plugins -d 'Run HDF5 plugins in separate processes: a plugin that crashes, exits or never finishes is an error that names the plugin' -f -a "yes\t''
no\t''"
complete -c ncdump -l plugin-timeout -d 'Seconds that a plugin may take for a chunk, plus one for each MiB [default: 30]; implies --isolate-plugins' -r
complete -c ncdump -l threads -d 'Number of threads [default: all cores]' -r
complete -c ncdump -l requests -d 'Maximum number of requests at a time to storage; at most 64 to local files [default: few to local files, 8 to 256 to remote storage]' -r
complete -c ncdump -l timeout -d 'Seconds after which a request to another machine is given up, with all its repetitions [default: 60]' -r
complete -c ncdump -s c -d 'Print header and data of coordinate variables only'
complete -c ncdump -s h -d 'Print the header only, no data'
complete -c ncdump -l diff -d 'Compare two datasets: print what differs, and exit with 0 if nothing does, with 1 if something does, and with 2 on any error'
complete -c ncdump -l compare-layout -d 'With --diff: also compare how the datasets are stored: format, chunks, filters, byte order, unlimited dimensions, order of definitions'
complete -c ncdump -s k -d 'Print the kind of the dataset only (`FILE: kind` for several files)'
complete -c ncdump -s K -d 'Print the storage and mode of the dataset only (`FILE: storage` for several files)'
complete -c ncdump -s s -d 'Print special attributes: how the dataset is stored'
complete -c ncdump -s F -d 'With -s: print all filters as _Filter'
complete -c ncdump -l filters -d 'Print only a table of the filters of each variable, and whether they are available here'
complete -c ncdump -l sum -d 'Print only digests of what the dataset says, however it is stored: of each variable, and of the dataset (docs/sum.md)'
complete -c ncdump -l check -d 'With --sum: read digests from FILE, a list that --sum printed or `-` for standard input, and check that the datasets named there still have them'
complete -c ncdump -l layout -d 'Print only how the dataset is stored: chunks, filters, bytes before and after, where metadata lies, and what readers over a network would miss (docs/cloud.md)'
complete -c ncdump -l stats -d 'Print only statistics of variables: elements, missing ones, minimum, maximum, mean, standard deviation, a histogram'
complete -c ncdump -l csv -d 'Print only a table of the variables in -v, as comma-separated values (docs/csv.md): columns for coordinates or indices, for auxiliary coordinates, and for the variables. The variables need the same dimensions; -t and -i print dates'
complete -c ncdump -l unpack -d 'With --stats: of the values that scale_factor, add_offset and _Unsigned make of the stored ones'
complete -c ncdump -s t -d 'Print times as dates, `2000-01-01 06`'
complete -c ncdump -s i -d 'Print times as dates, `2000-01-01T06`'
complete -c ncdump -s x -d 'Print NcML instead of CDL, without data'
complete -c ncdump -l json -d 'Print JSON instead of CDL, with as many digits as are needed to read the same values back (docs/json.md); also for -k, -K, --filters, --diff, --sum, --stats and --layout'
complete -c ncdump -s w -d 'Cache variables of remote datasets: accepted, without effect on files'
complete -c ncdump -l strict -d 'Treat notes as errors: exit with 1 if anything is left out'
complete -c ncdump -l prefer-plugins -d 'Prefer HDF5 plugins to the built-in filters'
complete -c ncdump -l io-stats -d 'Print on standard error what was asked of other machines: requests, rounds, bytes, failed tries'
complete -c ncdump -l allow-external -d 'Also open files outside the input\'s directory that the input refers to (HDF5 links, virtual datasets, external data)'
complete -c ncdump -l trace -d 'Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)'
complete -c ncdump -l help -d 'Print help'
complete -c ncdump -l version -d 'Print version'

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_zdump_global_optspecs
    string join \n json allow-external prefer-plugins threads= requests= timeout= io-stats trace compat h/help V/version
end

function __fish_zdump_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_zdump_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_zdump_using_subcommand
    set -l cmd (__fish_zdump_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c zdump -n "__fish_zdump_needs_command" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_needs_command" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_needs_command" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_needs_command" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_needs_command" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_needs_command" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_needs_command" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_needs_command" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_needs_command" -l compat -d 'Behave like zmapio, a test program of netCDF-C. Must be the first argument, followed by the arguments of zmapio'
complete -c zdump -n "__fish_zdump_needs_command" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_needs_command" -s V -l version -d 'Print version'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "tree" -d 'Show groups and arrays: shape, dimensions, chunks, type, codecs, stored chunks, bytes (the default command)'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "keys" -d 'List all keys: size, kind, name'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "cat" -d 'Print the value of a key, metadata as indented JSON'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "chunk" -d 'Print the decoded values of chunks, and the result of each codec'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "codecs" -d 'Show the codecs of each array, and whether they are available here'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "check" -d 'Check a store for errors. Exit status 0: no errors, 1: errors, 3: not a store'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "stat" -d 'Show chunk sizes and compression ratios of each array'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "map" -d 'Draw the chunk grid of an array'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "diff" -d 'Compare two stores: metadata, attributes, values. Exit status 0: equal, 1: different'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l depth -d 'Show only this many levels of groups [default: all]' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l raw -d 'Print the raw bytes'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l hex -d 'Print offsets, hexadecimal digits and characters'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l at -d 'Print the chunk that contains the element with these indices (1,20,300)' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l stage -d 'Decode only the first N codecs and print the resulting bytes (0: the stored bytes)' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l all -d 'Print all stored chunks'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -s t -l times -d 'Print times as dates: values with units such as "days since …", and NumPy\'s datetime64'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l missing -d 'Show only missing codecs. Exit status 0: none, 1: some'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand check" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand check" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand check" -l deep -d 'Also decode all chunks'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l complete -d 'Also report missing chunks, which readers replace with the fill value'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l quiet -d 'Print no progress bar'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand check" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand map" -s o -d 'Write an SVG image to FILE (- for standard output)' -r -F
complete -c zdump -n "__fish_zdump_using_subcommand map" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand map" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand map" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand map" -l decode -d 'Also decode the chunks of a remote store'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand map" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l threads -d 'Number of threads [default: number of cores]' -r
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l requests -d 'Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]' -r
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l timeout -d 'Timeout of a remote request in seconds, including retries [default: 60]' -r
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l raw -d 'Compare keys and bytes instead of values'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l json -d 'Print JSON lines'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l allow-external -d 'Also read files outside the input\'s directory that the input refers to: links, virtual datasets, external data'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l prefer-plugins -d 'Prefer plugins to the built-in filters and codecs'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l io-stats -d 'Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l trace -d 'Trace operations on Zarr stores to standard error, as NCTRACING=1 does'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "tree" -d 'Show groups and arrays: shape, dimensions, chunks, type, codecs, stored chunks, bytes (the default command)'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "keys" -d 'List all keys: size, kind, name'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "cat" -d 'Print the value of a key, metadata as indented JSON'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "chunk" -d 'Print the decoded values of chunks, and the result of each codec'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "codecs" -d 'Show the codecs of each array, and whether they are available here'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "check" -d 'Check a store for errors. Exit status 0: no errors, 1: errors, 3: not a store'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "stat" -d 'Show chunk sizes and compression ratios of each array'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "map" -d 'Draw the chunk grid of an array'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "diff" -d 'Compare two stores: metadata, attributes, values. Exit status 0: equal, 1: different'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'

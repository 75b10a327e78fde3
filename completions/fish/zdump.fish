# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_zdump_global_optspecs
    string join \n json allow-external trace threads= prefer-plugins compat h/help V/version
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

complete -c zdump -n "__fish_zdump_needs_command" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_needs_command" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_needs_command" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_needs_command" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_needs_command" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_needs_command" -l compat -d 'Work as zmapio of netCDF-C\'s tests does: must come first, what follows is zmapio\'s command line'
complete -c zdump -n "__fish_zdump_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c zdump -n "__fish_zdump_needs_command" -s V -l version -d 'Print version'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "tree" -d 'Show groups and arrays: shape, chunks, type, codecs, chunks that are stored, bytes'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "keys" -d 'List the keys that have bytes: size, kind, key'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "cat" -d 'Print the bytes of a key: metadata as indented JSON'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "chunk" -d 'Print the values of chunks, decoded, and what each codec made of them'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "codecs" -d 'Show the codecs of each array, and whether they are to be had here'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "check" -d 'Look for what is wrong in a store; exit status 0 if it is sound, 1 if not, 3 if it is no store'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "stat" -d 'Show how large the chunks of each array are, and how well they compress'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "map" -d 'Draw the grid of the chunks of an array'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "diff" -d 'Compare two stores: metadata, attributes, chunks; exit status 1 if they differ'
complete -c zdump -n "__fish_zdump_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l depth -d 'Levels of groups that are shown; all if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand tree" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand keys" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l raw -d 'The bytes as they are'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l hex -d 'Offset, hexadecimal digits and characters'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand cat" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l at -d 'The chunk that has this element: its indices with commas between them' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l stage -d 'Stop after so many codecs were undone, and print the bytes: 0 for those that are stored' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l all -d 'All chunks that are stored'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -s t -l times -d 'Show times as dates: where `units` is "days since ..." or the like, and for times of NumPy'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand chunk" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l missing -d 'Show those only that are missing; exit status 1 if there are any'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand codecs" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand check" -l deep -d 'Decode all chunks'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l complete -d 'Report chunks that are missing; readers take the fill value for their elements'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l quiet -d 'No progress bar'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand check" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand check" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand stat" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand map" -s o -d 'Draw an SVG image into this file instead; - for standard output' -r -F
complete -c zdump -n "__fish_zdump_using_subcommand map" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand map" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand map" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand map" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l threads -d 'Threads that work at a time; all cores if not given' -r
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l raw -d 'Compare the bytes of chunks, not their values'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l json -d 'Print JSON lines, as docs/zdump.md describes them'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l allow-external -d 'Follow links in the store that lead out of it'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l trace -d 'Print the operations on the store on standard error, as with NCTRACING=1 in the environment'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -l prefer-plugins -d 'Use codec libraries, where there are some, instead of the codecs that are built in'
complete -c zdump -n "__fish_zdump_using_subcommand diff" -s h -l help -d 'Print help'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "tree" -d 'Show groups and arrays: shape, chunks, type, codecs, chunks that are stored, bytes'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "keys" -d 'List the keys that have bytes: size, kind, key'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "cat" -d 'Print the bytes of a key: metadata as indented JSON'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "chunk" -d 'Print the values of chunks, decoded, and what each codec made of them'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "codecs" -d 'Show the codecs of each array, and whether they are to be had here'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "check" -d 'Look for what is wrong in a store; exit status 0 if it is sound, 1 if not, 3 if it is no store'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "stat" -d 'Show how large the chunks of each array are, and how well they compress'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "map" -d 'Draw the grid of the chunks of an array'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "diff" -d 'Compare two stores: metadata, attributes, chunks; exit status 1 if they differ'
complete -c zdump -n "__fish_zdump_using_subcommand help; and not __fish_seen_subcommand_from tree keys cat chunk codecs check stat map diff help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'

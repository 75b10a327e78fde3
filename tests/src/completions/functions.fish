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
    for name in none @FILTERS@
        echo $prefix$name
    end
end

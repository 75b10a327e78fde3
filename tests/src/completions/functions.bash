# Sets $option to the option whose value is completed, with "=" if the value follows one, and $value to the value so far.
_netcdf_option() {
    option=${COMP_WORDS[COMP_CWORD-1]} value=$1
    if [[ ${COMP_WORDS[COMP_CWORD]} == "=" ]]; then
        option+="=" value=""
    elif [[ $option == "=" ]]; then
        option="${COMP_WORDS[COMP_CWORD-2]}="
    fi
}

# Completes the value with one of the arguments.
_netcdf_words() {
    local word
    COMPREPLY=()
    for word in "$@"; do
        if [[ $word == "$value"* ]]; then COMPREPLY+=("$word"); fi
    done
}

# Completes the last name of a list with one of the arguments; $1 is the list before this name.
_netcdf_names() {
    local prefix=$1 name
    shift
    COMPREPLY=()
    for name in "$@"; do
        if [[ $prefix$name == "$value"* ]]; then COMPREPLY+=("$prefix$name"); fi
    done
    compopt -o nospace 2>/dev/null
}

# Completes variables of the first dataset on the command line. Names with characters of shells are left out.
_netcdf_variables() {
    local path names="" prefix=""
    for path in "${COMP_WORDS[@]:1}"; do
        path=${path//\\/} path=${path/#\~\//$HOME/}
        [[ $path != -* && ( -f $path || -d $path ) ]] || continue
        names=$(ncdump -x "$path" 2>/dev/null | sed -n 's/^ *<variable name="\([[:alnum:]_.+@-]*\)".*/\1/p')
        [[ -z $names ]] || break
    done
    if [[ $value == *,* ]]; then prefix="${value%,*},"; fi
    if [[ ${value#"$prefix"} == !* ]]; then prefix+="!"; fi
    local IFS=$'\n'
    set -f
    # shellcheck disable=SC2086
    _netcdf_names "$prefix" $names
    set +f
}

# Completes filters after the variables of -F.
_netcdf_filters() {
    local list=${value##*|} prefix
    if [[ $value == *"|"* && $list != *,* ]]; then
        prefix="${value%|*}|"
    elif [[ $value == *,* && $value != *"|"* && ${value#*,} != *,* ]]; then
        prefix="${value%%,*},"
    elif [[ $value != *,* ]]; then
        _netcdf_names "" "*," none
        return
    else
        COMPREPLY=()
        return
    fi
    _netcdf_names "$prefix" none @FILTERS@
}

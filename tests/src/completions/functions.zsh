# Completes variables of the first dataset on the command line. Names with characters of shells are left out.
_netcdf_variables() {
    local word
    local -a names
    for word in ${(Q)words[2,-1]}; do
        word=${word/#\~\//$HOME/}
        [[ $word != -* && ( -f $word || -d $word ) ]] || continue
        names=(${(f)"$(ncdump -x $word 2>/dev/null | sed -n 's/^ *<variable name="\([[:alnum:]_.+@-]*\)".*/\1/p')"})
        (( $#names )) && break
    done
    compset -P '*,'
    compset -P '!'
    compadd -S '' -a names
}

# Completes filters after the variables of -F.
_netcdf_filters() {
    local -a names
    if [[ $PREFIX == *'|'* ]]; then
        compset -P '*\|'
    elif [[ $PREFIX == *,* ]]; then
        compset -P 1 '*,'
    else
        names=('*,' none)
        compadd -S '' -a names
        return
    fi
    [[ $PREFIX == *,* ]] && return 1
    names=(none @FILTERS@)
    compadd -S '' -a names
}

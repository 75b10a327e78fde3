# shellcheck shell=bash
# Lays out the files of the packages. Sourced by packaging/build, which sets `executable`, `library`, `stage`, `level` and SOURCE_DATE_EPOCH.

# The tools, and the names of the executable.
TOOLS="ncdump ncgen nccopy zdump"
NAMES="$TOOLS ncgen3"

# stage_tree DIRECTORY: bin and share of an installation. The names of the tools are hard links to one executable.
stage_tree() {
    local tree=$1 doc=$1/share/doc/netcdf-tools name
    install -Dm755 "$executable" "$tree/bin/netcdf-tools"
    for name in $NAMES; do ln "$tree/bin/netcdf-tools" "$tree/bin/$name"; done
    manuals "$tree/share" ""
    completions "$tree/share" "" site-functions
    install -d "$doc/docs"
    install -m644 README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$stage/LICENSES-CRATES.txt" "$doc"
    install -m644 docs/*.md docs/*.json "$doc/docs"
}

# c_library_tree DIRECTORY: the C library, for the prefix of the tools. Their executable runs plugins.
c_library_tree() {
    local own=$1/lib/netcdf-tools doc=$1/share/doc/netcdf-tools-c-library
    install -d "$own/include" "$own/pkgconfig" "$doc"
    install -m755 "$library" "$own/libnetcdf.so.22"
    ln -s libnetcdf.so.22 "$own/libnetcdf.so.19"
    ln -s ../../bin/netcdf-tools "$own/netcdf-plugin-helper"
    install -m755 netcdf-core/capi/netcdf-run "$own"
    install -m644 netcdf-core/capi/netcdf_tools.h "$own/include"
    sed "s/@VERSION@/$version/" netcdf-core/capi/netcdf-tools.pc >"$own/pkgconfig/netcdf-tools.pc"
    install -m644 docs/c-api.md LICENSE-APACHE LICENSE-MIT "$stage/LICENSES-CRATES.txt" "$doc"
}

# manuals SHARE SUFFIX: installs man pages, with SUFFIX after the names of the tools.
manuals() {
    local tool
    for tool in $TOOLS; do install -Dm644 "docs/man/$tool.1" "$1/man/man1/$tool$2.1"; done
    [ -n "$2" ] || ln -s ncgen.1 "$1/man/man1/ncgen3.1"
}

# completions SHARE SUFFIX ZSH: installs completions, with SUFFIX after the names of the tools. zsh's directory is SHARE/zsh/ZSH.
completions() {
    local share=$1 suffix=$2 tool
    for tool in $TOOLS; do
        complete "completions/bash/$tool" "$share/bash-completion/completions/$tool$suffix"
        complete "completions/fish/$tool.fish" "$share/fish/vendor_completions.d/$tool$suffix.fish"
        complete "completions/zsh/_$tool" "$share/zsh/$3/_$tool$suffix"
    done
}

# complete FROM TO: copies completions of `tool`, with `suffix` after its name. Completions run ncdump for names of variables.
complete() {
    install -d "$(dirname "$2")"
    sed -E "s/^( *complete .*) $tool\$/\1 $tool$suffix/; s/(complete -c $tool)\b/\1$suffix/; 1s/^#compdef $tool\$/#compdef $tool$suffix/
        s/\bncdump -x/ncdump$suffix -x/" "$1" >"$2"
}

# archive TREE OUTPUT: the archive of a tree. Times, owners and order do not depend on the run.
archive() {
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$(dirname "$1")" \
        "$(basename "$1")" | xz "-$level" --threads=1 >"$2/$(basename "$1").tar.xz"
}

# wheel_tag EXECUTABLE ARCH: the platform of a wheel, from the newest version of glibc's symbols in the executable. 2.17 has two names.
wheel_tag() {
    local minor
    minor=$(objdump -T "$1" | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1)
    minor=${minor#GLIBC_2.}
    if [ "$minor" -le 17 ]; then echo "manylinux_2_17_$2.manylinux2014_$2"; else echo "manylinux_2_${minor}_$2"; fi
}

# debian_package TREE VERSION OUTPUT: installs the tools in /usr/lib/netcdf-tools, and links in /usr/bin that do not conflict with other
# packages. `man` and bash find pages and completions beside a directory of PATH.
debian_package() {
    local root=$stage/deb own=$stage/deb/usr/lib/netcdf-tools name
    install -Dm755 "$executable" "$own/bin/netcdf-tools"
    for name in $NAMES; do ln -s netcdf-tools "$own/bin/$name"; done
    manuals "$own/share" ""
    manuals "$root/usr/share" -rs
    completions "$own/share" "" site-functions
    completions "$root/usr/share" -rs vendor-completions
    mkdir -p "$root/usr/bin" "$root/usr/share/doc" "$root/DEBIAN"
    for name in $TOOLS; do ln -s "../lib/netcdf-tools/bin/$name" "$root/usr/bin/$name-rs"; done
    cp -r "$1/share/doc/netcdf-tools" "$root/usr/share/doc/"
    cat LICENSE-MIT "$stage/LICENSES-CRATES.txt" >"$root/usr/share/doc/netcdf-tools/copyright"
    rm "$root/usr/share/doc/netcdf-tools/LICENSES-CRATES.txt"
    find "$root" -name '*.1' -type f -exec gzip -9n {} +
    find "$root" -name '*.1' -type l -exec sh -c 'ln -s "$(readlink "$1").gz" "$1.gz" && rm "$1"' sh {} \;
    sed "s/@VERSION@/$2/; s/@SIZE@/$(du -sk --apparent-size "$root" | cut -f 1)/" packaging/control >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    DPKG_DEB_THREADS_MAX=1 dpkg-deb --build --root-owner-group -Zxz "-z$level" "$root" "$3/netcdf-tools_$2_amd64.deb" >/dev/null
}

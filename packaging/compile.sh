# shellcheck shell=bash
# Compiles the executable `netcdf-tools` for an older glibc. packaging/build sources this file, and sets `profile`, and `cache`, a directory
# for downloaded tools.

# The release of cargo-libc. The tool is young: another release needs the checks of .ci/packs.
CARGO_LIBC=0.3.0
# The Debian release that provides glibc 2.31 without cargo-libc.
OLD_DEBIAN=bullseye

# compile LIBC ARCH: compiles with the compiler of LIBC (`cargo-libc` or `sysroot`), and sets `executable` and `library`.
compile() {
    local libc=$1 arch=$2 target=$2-unknown-linux-gnu flags
    flags=CARGO_TARGET_${arch^^}_UNKNOWN_LINUX_GNU_RUSTFLAGS
    cargo fetch --quiet --locked
    "use_${libc//-/_}" "$arch"
    export "$flags=${!flags} $(without_paths)"
    cargo build --locked --profile "$profile" --target "$target" -p netcdf-tools
    cargo build --locked --profile "$profile" --target "$target" -p netcdf-capi
    executable=target/$target/$profile/netcdf-tools
    library=target/$target/$profile/libnetcdf.so
}

# Flags that replace the directories of this machine in the executable.
without_paths() {
    local directory
    printf '%s' "--remap-path-prefix=$PWD=."
    for directory in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        printf '%s' " --remap-path-prefix=$directory=/crates"
    done
}

# Sets the compilers of cargo-libc for glibc 2.17.
use_cargo_libc() {
    local settings
    [ "$1" = x86_64 ] || { echo "packaging/build: cargo-libc compiles for x86_64 only; use --libc sysroot"; exit 2; }
    export PATH=$cache/tools/bin:$PATH
    [ "$(cargo-libc --version 2>/dev/null)" = "cargo-libc $CARGO_LIBC" ] || CARGO_TARGET_DIR=$cache/tools-target \
        cargo install --quiet --locked --force --version "$CARGO_LIBC" --root "$cache/tools" cargo-libc
    settings=$(cargo libc env --target "$1-unknown-linux-gnu.2.17" --cc "$(command -v clang-19)")
    eval "$settings"
}

# Sets the compiler of this machine, with the C library of an old Debian. The standard library of Rust for arm64 is Debian's.
use_sysroot() {
    local arch=$1 root=$cache/sysroot-$1 name=${1}_unknown_linux_gnu debian compiler
    case $arch in x86_64) debian=amd64 compiler=gcc ;; *) debian=arm64 compiler=$arch-linux-gnu-gcc ;; esac
    [ -e "$root" ] || unpack "$OLD_DEBIAN" "$debian" "$root" libc6 libc6-dev linux-libc-dev libgcc-s1 libcrypt1
    [ "$arch" = "$(uname -m)" ] || use_rust_of_debian "$cache/rust-$debian" "$debian" libstd-rust-web-dev
    # Without -B, Debian's gcc finds the libraries of this machine first.
    printf '#!/bin/sh\nexec %s --sysroot=%s -B%s -B%s "$@"\n' "$compiler" "$root" "$root/usr/lib/$arch-linux-gnu" \
        "$root/lib/$arch-linux-gnu" >"$cache/gcc-$arch"
    chmod +x "$cache/gcc-$arch"
    export "CARGO_TARGET_${name^^}_RUSTFLAGS=-C linker=$cache/gcc-$arch" "CC_$name=$cache/gcc-$arch"
}

# use_rust_of_debian DIRECTORY ARCH PACKAGE: sets the compiler of Debian, with a package for ARCH: a standard library or its source. The
# packages are not installed, because they conflict with rustup.
use_rust_of_debian() {
    local root=$1 release here packages
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    here=$(dpkg --print-architecture)
    [ -e "$root/rustc" ] || {
        mapfile -t packages < <(apt-get install --simulate --no-install-recommends rustc-web libstd-rust-web-dev | awk '/^Inst/ { print $2 }')
        unpack "$release" "$here" "$root" "${packages[@]}"
        unpack "$release" "$2" "$root" "$3"
    }
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$root/usr/lib/$(uname -m)-linux-gnu" "$root/usr/bin/rustc" >"$root/rustc"
    chmod +x "$root/rustc"
    export RUSTC=$root/rustc
}

# unpack RELEASE ARCH DIRECTORY PACKAGE…: unpacks packages of a Debian release, without installing them. The packages come from the
# package servers of this machine.
unpack() {
    local release=$1 arch=$2 into=$3 here state=$cache/apt-$1-$2 package options
    here=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/packages" "$into.part"
    touch "$state/status"
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u >"$state/sources.list"
    # The servers may no longer have the updates of an older release.
    [ "$release" = "$here" ] || sed -i -n "s/ $here / $release /p" "$state/sources.list"
    options=(-o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state" -o "Dir::Etc::SourceList=$state/sources.list"
        -o Dir::Etc::SourceParts=/dev/null -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update -q
    (cd "$state/packages" && rm -f ./*.deb && apt-get "${options[@]}" download -q "${@:4}")
    for package in "$state"/packages/*.deb; do dpkg-deb -x "$package" "$into.part"; done
    [ ! -e "$into" ] || { cp -a "$into/." "$into.part/"; rm -r "$into"; }
    mv "$into.part" "$into"
    # Absolute links would lead to files of this machine.
    find "$into" -type l -lname '/*' | while read -r package; do ln -snfr "$into$(readlink "$package")" "$package"; done
}

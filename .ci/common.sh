# shellcheck shell=bash
# The runner of .ci/run and .ci/long, and the functions that .ci/steps and .ci/groups name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8 RUST_BACKTRACE=0 CARGO_TERM_COLOR=never INSTA_UPDATE=no
export BIN=${BIN:-$PWD/target/release} HELPER=${HELPER:-$PWD/target/debug/helper}
# A clean machine compiles once and shows no backtraces. Without incremental data and debug information, target/ needs 6 GB instead of 15
# GB.
[ "${CI:-}" != true ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

names=()      # all steps in the order of the table
chosen=()     # the steps of this run
unchanged=()  # the steps whose paths have not changed
skipped=()    # a line for each omitted check
declare -A when needs=([packages]="") paths seconds commands=([packages]=install) verdicts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

read_steps() {
    local name run need path time command
    while IFS='|' read -r name run need path time command; do
        read -r name <<<"$name"
        [[ $name != \#* && -n $command ]] || continue
        names+=("$name")
        read -r "when[$name]" <<<"$run"
        read -r "needs[$name]" <<<"$need"
        read -r "paths[$name]" <<<"$path"
        read -r "seconds[$name]" <<<"$time"
        read -r "commands[$name]" <<<"$command"
    done <.ci/steps
}

# Prints the words of kind $1 in the groups after it, one per line.
words() {
    awk -v kind="$1" -v groups=" ${*:2} " '$2 == kind && index(groups, " " $1 " ") { for (i = 3; i <= NF; i++) if (!seen[$i]++) print $i }' \
        .ci/groups
}

# Prints the pathspecs of step $1: its groups and paths, the script that its command calls, and the modules of all scripts.
pathspecs() {
    local word script
    for word in ${paths[$1]}; do
        words path "$word" | grep . || printf '%s\n' "$word"
    done
    grep -oE '\.ci/[a-z0-9]+' <<<"${commands[$1]}" | while read -r script; do
        printf '%s\n' "$script*" .ci/common/
    done || true
}

# Checks whether the paths of step $1 differ from commit $2. Unknown commits count as different.
changed() {
    local specs
    mapfile -t specs < <(pathspecs "$1")
    [ -n "$2" ] && git diff --quiet "$2" -- "${specs[@]}" 2>/dev/null || return 0
    [ -n "$(git ls-files --others --exclude-standard -- "${specs[@]}")" ]
}

# Prints the commit at which step $1 last passed, if .ci/passed has one.
passed_at() {
    awk -v name="$1" '$1 == name { print $2 }' .ci/passed
}

# Prints the commit that the gate compares step $1 with: BASE, else the branch point from origin/main, else the last passed commit.
# A clone of main alone has no branch point before HEAD.
base_of() {
    local fork
    fork=$(git merge-base HEAD origin/main 2>/dev/null) || fork=
    [ "$fork" != "$(git rev-parse HEAD 2>/dev/null)" ] || fork=
    printf '%s\n' "${BASE:-${fork:-$(passed_at "$1")}}"
}

# Chooses steps: `choose DEFAULT [--list | --changed BASE | NAME…]`, where DEFAULT has the values of the column `when`. A name stands for
# its step and for all steps of DEFAULT that have the name and a suffix.
choose() {
    local default=" $1 " all=() name step
    shift
    for step in "${names[@]}"; do
        [[ $default != *" ${when[$step]} "* ]] || all+=("$step")
    done
    case "${1:-}" in
        --list) for step in "${all[@]}"; do printf '%-24s %4s s  %s\n' "$step" "${seconds[$step]}" "${commands[$step]}"; done
            exit ;;
        --changed)
            BASE=$(git rev-parse --verify --quiet "${2:-}^{commit}") || { echo "--changed needs a commit"; exit 2; }
            export BASE
            shift 2 ;;
        -*) echo "usage: $0 [--list | --changed BASE | NAME…]"; exit 2 ;;
    esac
    for step in "${names[@]}"; do
        for name in "$@"; do
            [[ $step == "$name" || ( $step == "$name"-* && $default == *" ${when[$step]} "* ) ]] || continue
            chosen+=("$step")
            break
        done
    done
    for name in "$@"; do
        [[ " ${chosen[*]}" == *" $name"* ]] || { echo "no step has the name $name: see --list"; exit 2; }
    done
    [ $# -eq 0 ] || return 0
    for step in "${all[@]}"; do
        if [ "${when[$step]}" = always ] || { [[ $default == *long* ]] && [ -z "${BASE:-}" ]; } || changed "$step" "$(base_of "$step")"; then
            chosen+=("$step")
        else
            unchanged+=("$step")
        fi
    done
}

# Runs step $1 and records its verdict. The command runs in a subshell, so that `set -e` stays in force.
step() {
    local name=$1 start=$SECONDS status line
    printf '\n== %s\n' "$name"
    set +e
    (set -e; prepare "$name"; eval "${commands[$name]}") 2>&1 | tee "$work/log"
    status=${PIPESTATUS[0]}
    set -e
    while IFS= read -r line; do
        skipped+=("$name: ${line#SKIPPED }")
        line=${line#SKIPPED }
        if ! may_skip "${line%%:*}"; then
            touch "$work/incomplete-$name"
            [ "${CI:-}" != true ] || { status=1; echo "${line%%:*} may not be skipped: .ci/may-skip does not have it" | tee -a "$work/log"; }
        fi
    done < <(grep -E '^SKIPPED [^ :]+: ' "$work/log")
    case $status in
        0) verdicts[$name]=ok ;;
        77) verdicts[$name]=skipped ;;
        *) verdicts[$name]=FAILED
            printf '\n== last lines of "%s"\n%s\n' "$name" "$(tail -n 60 "$work/log" | cut -c1-400)" >>"$work/failures" ;;
    esac
    printf '== %s: %s, %d s\n' "$name" "${verdicts[$name]}" $((SECONDS - start)) | tee -a "$work/times"
}

# Checks the recorded material and makes the builds that step $1 needs.
prepare() {
    local group path command
    for group in ${needs[$1]}; do
        for path in $(words beside "$group"); do
            [ -e "$path" ] || { echo "SKIPPED $group: $path is missing"; exit 77; }
        done
        mapfile -t command < <(words build "$group")
        [ ${#command[@]} -eq 0 ] || [ -e "$work/built-$group" ] || { "${command[@]}"; touch "$work/built-$group"; }
    done
}

# Checks whether .ci/may-skip has the word $1 with a reason.
may_skip() {
    awk -v word="$1" '$1 == word && NF > 1 { found = 1 } END { exit !found }' .ci/may-skip
}

# Records in .ci/passed that step $1 passed at commit $2, if the step is complete and the tree has no uncommitted changes.
record() {
    if [ -e "$work/incomplete-$1" ]; then
        echo "$1 is not recorded: it skipped checks"
    elif [ "$(git rev-parse HEAD)" != "$2" ] || [ -n "$(git status --porcelain -- . ':!.ci/passed')" ]; then
        echo "$1 is not recorded: the tree has changes that are not committed"
    else
        { awk -v name="$1" '$1 != name' .ci/passed; echo "$1 $2"; } >"$work/passed"
        cp "$work/passed" .ci/passed
    fi
}

# Prints the long steps without a recorded commit, or with changed paths since that commit.
due() {
    local name late=()
    for name in "${names[@]}"; do
        [ "${when[$name]}" != long ] || ! changed "$name" "$(passed_at "$name")" || late+=("$name")
    done
    [ ${#late[@]} -eq 0 ] || printf 'changed since they last passed: .ci/long %s\n' "${late[*]}"
}

# Prints the verdicts, and the counts as the last line; fails if a step failed.
summary() {
    local ok=0 bad=0 left=0 verdict
    for verdict in "${verdicts[@]}"; do
        case $verdict in ok) ok=$((ok + 1)) ;; skipped) left=$((left + 1)) ;; *) bad=$((bad + 1)) ;; esac
    done
    printf '\n'
    cat "$work/failures" 2>/dev/null || true
    cat "$work/times"
    [ ${#unchanged[@]} -eq 0 ] || printf 'not run, as their paths have not changed: %s\n' "${unchanged[*]}"
    [ ${#skipped[@]} -eq 0 ] || printf 'skipped: %s\n' "${skipped[@]}"
    due
    printf '%d passed, %d failed, %d skipped\n' "$ok" "$bad" "$left"
    [ "$bad" -eq 0 ]
}

# Installs the missing packages of the chosen steps.
install() {
    local groups=() name packages=() missing=() function failed=0
    for name in "${chosen[@]}"; do read -ra packages <<<"${needs[$name]}"; groups+=("${packages[@]}"); done
    mapfile -t packages < <(words apt "${groups[@]}")
    # A command with the package's name is enough: Debian's npm conflicts with the Node.js packages of other repositories.
    for name in "${packages[@]}"; do
        command -v "$name" >/dev/null || [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"; } || failed=1
    fi
    mapfile -t packages < <(words pip "${groups[@]}")
    # Python compiles the imported modules later; compiling all modules takes longer. Debian's pip needs the first variable.
    [ ${#packages[@]} -eq 0 ] || PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore \
        python3 -m pip install --quiet --no-compile "${packages[@]}" || failed=1
    for function in $(words call "${groups[@]}"); do $function || failed=1; done
    return "$failed"
}

# Debug information has no use here, and optimisation takes longer than it saves.
install_cargo_deny() {
    cargo deny --version 2>/dev/null || CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=target/cargo-deny \
        cargo install --quiet --locked --debug --version 0.20.2 cargo-deny
}

# zarr-python 2 reads characters of NCZarr version 2.
install_zarr_2() {
    [ -x target/zarr2/bin/python ] || { python3 -m venv target/zarr2 &&
        target/zarr2/bin/python -m pip install --quiet 'zarr<3' 'numcodecs<0.16' 'numpy<2'; } || { rm -rf target/zarr2; return 1; }
}

# Creates the environment $1 of Python 3.13 with the packages after it. Debian 12 lacks Python 3.13; steps then skip its readers. A launcher
# of pyenv may exist for a version that is not selected, so the command is tried.
install_python_3_13() {
    local folder=$1 python=python3.13
    shift
    if ! "$python" -c '' 2>/dev/null; then
        python=$(printf '%s\n' ~/.pyenv/versions/3.13.*/bin/python3.13 | tail -n 1)
        [ -x "$python" ] || return 0
    fi
    [ -x "$folder/bin/python" ] || { "$python" -m venv "$folder" &&
        "$folder/bin/python" -m pip install --quiet "$@"; } || { rm -rf "$folder"; return 1; }
}

install_zarr_3_13() {
    install_python_3_13 target/zarr3.13 'zarr>=3.4' xarray
}

# fsspec reads missing chunks of parquet references with pandas 2 only. rasterio contains GDAL.
install_references_3_13() {
    install_python_3_13 target/references3.13 xarray 'zarr>=3.4' kerchunk fastparquet fsspec netCDF4 h5py hdf5plugin 'pandas<3' rasterio
}

# Compares references with the readers of Python 3.13.
references_3_13() {
    local python=target/references3.13/bin/python
    [ -x "$python" ] || { echo "SKIPPED references-3-13: no Python 3.13: its readers of references were not tried"; return 77; }
    "$python" .ci/references "$@"
}

# Packages the release build twice, with equal bytes, into the directory $1.
pack_release() {
    local folder
    cargo build --quiet --release -p netcdf-tools -p netcdf-capi
    for folder in "$1" "$1-again"; do
        rm -rf "$folder"
        packaging/build --executable target/release/netcdf-tools --library target/release/libnetcdf.so --level 1 --output "$folder"
    done
    diff -r "$1" "$1-again"
}

# Packages for the architecture $2 into the directory $1.
pack() {
    rm -rf "$1"
    packaging/build --arch "$2" --output "$1"
}

# Debian's plugins are unpacked, not installed: the C tools must not find more plugins than before.
unpack_plugins() {
    [ ! -e target/plugins/usr ] || return 0
    mkdir -p target/plugins/packages
    (
        cd target/plugins/packages
        apt-get download -q hdf5-filter-plugin hdf5-filter-plugin-blosc-serial hdf5-filter-plugin-zfp-serial &&
            for package in *.deb; do dpkg-deb -x "$package" .. || exit 1; done
    )
}

# Emulates Azure's blobs.
install_azurite() {
    [ -x target/azurite/node_modules/.bin/azurite-blob ] || npm install --silent --prefix target/azurite azurite
}

# Prints and runs the first block of shell code under the heading $1 of the README, or of the page $2.
readme() {
    local code page=${2:-README.md}
    code=$(awk -v want="## $1" '
        $0 == want { here = 1; next }
        here && /^## / { exit }
        here && /^```sh$/ { inside = 1; next }
        inside && /^```$/ { exit }
        inside' "$page")
    [ -n "$code" ] || { echo "$page has no code under '$1'"; return 1; }
    printf '%s\n' "$code"
    bash -euo pipefail -c "$code"
}

# Documents all packages; a warning is an error.
document() {
    RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --workspace --quiet "$@"
}

# Runs all cases of the test executables in tests/, apart from the damaged files.
exhaustive_areas() {
    local area chosen=()
    for area in tests/tests/*; do
        area=$(basename "$area" .rs)
        [ "$area" = damage ] || chosen+=(--test "$area")
    done
    EXHAUSTIVE=1 cargo test --workspace "${chosen[@]}"
}

# Runs README's run command and checks the output of ncdump.
run_readme() {
    readme "Run it" | tee "$work/printed" | tail -n 12
    grep -qx 'netcdf stations-5 {' "$work/printed"
    grep -qx '  1e-30, 1e+30, 0.1, 123456.7,' "$work/printed"
}

# Checks the licences and sources of dependencies, and advisories if the network has their database.
deny() {
    cargo deny --locked check bans licenses sources
    if timeout 120 cargo deny --locked fetch db 2>/dev/null; then
        cargo deny --locked check advisories
    else
        echo "SKIPPED advisories: the advisory database is not reachable"
    fi
}

# Runs the installation of docs/install.md. Without optimisation, it takes a third of the time.
install_with_cargo() {
    local tool profile
    export CARGO_INSTALL_ROOT=$PWD/target/installed CARGO_TARGET_DIR=$PWD/target/install
    for profile in RELEASE DIST; do
        export "CARGO_PROFILE_${profile}_OPT_LEVEL=0" "CARGO_PROFILE_${profile}_LTO=off" "CARGO_PROFILE_${profile}_CODEGEN_UNITS=16"
    done
    readme Cargo docs/install.md
    for tool in ncdump ncgen nccopy zdump; do
        "target/installed/bin/$tool" --help >/dev/null
    done
}

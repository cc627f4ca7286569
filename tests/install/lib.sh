# What the tests of the installation share. Use: . "$(dirname "$0")/lib.sh"; arguments SOURCE BUILD COMPILER.
set -eu
source_dir=$1
build=$2
compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# need COMMAND PACKAGE
need()
{
    command -v "$1" >/dev/null || {
        echo "SKIP: this test needs the package $2"
        exit 77
    }
}

# try WHAT COMMAND...: the command must succeed; what it says is shown when it does not
try()
{
    what=$1
    shift
    "$@" >"$place/said" 2>&1 || {
        fail "$what: $*"
        cat "$place/said" >&2
        return 1
    }
}

# The example between the first .EX and .EE behind .SH EXAMPLE of a page, as one reads it.
example_of()
{
    awk '/^\.SH/ { there = $2 == "EXAMPLE" } there && $0 == ".EE" { exit } inside { print } there && $0 == ".EX" { inside = 1 }' "$1" |
        sed 's/\\-/-/g; s/\\e/\\/g'
}

# runs PROGRAM: made from the example of libphlexor(3), it simulates that of phlexor-model(5)
runs()
{
    (cd "$place/run" && rm -f bar.h5 && try "run" "$@" && [ -s bar.h5 ] && grep -q '^balance closes to [0-9.]*e-' "$place/said") ||
        fail "$*: no result: $(cat "$place/said")"
}

# use_library PREFIX LIBDIR: link a program outside to the library there, in every way, and run it
use_library()
{
    prefix=$1
    libraries=$2
    mkdir -p "$place/run"
    example_of "$build/man/man3/libphlexor.3" >"$place/run/outside.c"
    example_of "$build/man/man5/phlexor-model.5" >"$place/run/bar.yaml"
    for kind in shared static; do
        rm -rf "$place/outside"
        cp -r "$here/project" "$place/outside"
        cp "$place/run/outside.c" "$place/outside"
        try "cmake" cmake -S "$place/outside" -B "$place/outside/build" -DCMAKE_PREFIX_PATH="$prefix" -DKIND=$kind \
            -DCMAKE_C_COMPILER="$compiler" -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Release || continue
        try "build" cmake --build "$place/outside/build" || continue
        runs "$place/outside/build/outside"
    done
    PKG_CONFIG_PATH=$libraries/pkgconfig
    export PKG_CONFIG_PATH
    cd "$place/run"
    try "pkg-config, shared" sh -c "'$compiler' outside.c \$(pkg-config --cflags --libs phlexor) -o shared" &&
        LD_LIBRARY_PATH=$libraries runs ./shared
    try "pkg-config, static" sh -c "'$compiler' outside.c \$(pkg-config --static --cflags --libs phlexor | sed 's/-lphlexor/-l:libphlexor.a/') -o static" &&
        runs ./static
    cd "$here"
}

# whole PREFIX: the program, its pages and examples are usable there
whole()
{
    prefix=$1
    try "info" "$prefix/bin/phlexor" info
    grep -q "^Phlexor $(sed -n 's/^project(Phlexor VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")" "$place/said" ||
        fail "phlexor info: $(cat "$place/said")"
    try "an example" "$prefix/bin/phlexor" check "$prefix/share/doc/phlexor/examples/four_bar.yaml"
    if command -v man >/dev/null; then
        for page in phlexor phlexor-simulate phlexor-model libphlexor; do
            try "man $page" man -M "$prefix/share/man" $page
        done
    fi
    [ -s "$prefix/share/bash-completion/completions/phlexor" ] || fail "no completion for bash"
    # nothing leads back to where it was built
    found=$(grep -rlF -e "$source_dir" -e "$build" "$prefix" || true)
    [ -z "$found" ] || fail "paths of the build in $found"
}

finish()
{
    exit $((failures > 0))
}

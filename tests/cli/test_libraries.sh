#!/bin/sh
# The libraries that the program is linked with, and those that it loads when it uses them, are those of
# docs/dependencies.md, and their licences what `info` says. Most runs load none of the latter; where one is not there
# the program says what to install.
. "$(dirname "$0")/lib.sh"
table=$source_dir/docs/dependencies.md

# column NUMBERS: of every library of the table
column()
{
    sed -n '/^| library/,/^$/p' "$table" | tail -n +3 | cut -d'|' -f"$1"
}

# ---- what is linked stands in the table ----
column 6 | grep -v loaded: | tr -d '` ' | tr ',' '\n' | grep . | sort -u >listed.txt
readelf -d "$program" | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*\].*/\1/p' | sort -u >linked.txt
[ -s linked.txt ] || fail "the program is linked with nothing"
for library in $(grep -vxE 'c|m|dl|stdc\+\+|gcc_s|[alut]+san|clang_rt.*' linked.txt); do
    case $library in
    sundials_*) library='sundials_\*' ;;
    esac
    grep -qx "$library" listed.txt || fail "$library is not in docs/dependencies.md"
done

# ---- and what is loaded: the names that the program has; not by what does not use it ----
column 6 | sed -n 's/.*loaded: `\(.*\)`.*/\1/p' | sort >listed.txt
ldd "$program" | sed -n 's/^[[:space:]]*\(lib[^ ]*\).*/\1/p' >needed.txt # libc is in the shared object of FMUs too
readelf -p .rodata "$program" | grep -oE '\blib[a-z0-9_-]+\.so\.[0-9]+$' | sort -u | grep -vxF -f needed.txt >loaded.txt
sed 's/^lib\(.*\)\.so.*/\1/' loaded.txt | diff listed.txt - >&2 || fail "docs/dependencies.md lists other libraries (<)"
printf '%s\n' 'phlexor: 1' 'bodies: {bob: {kind: rigid, mass: 1, inertia: 1}}' 'dimension: 2' >bob.yaml
for command in info 'check bob.yaml' 'simulate --help'; do
    LD_DEBUG=files LD_DEBUG_OUTPUT=$place/debug run 0 $command
    for library in $(cat loaded.txt); do
        ! grep -q "file=$library" debug.* || fail "phlexor $command loads $library"
    done
    rm -f debug.*
done
run 0 info --load
mkdir broken
for library in $(cat loaded.txt); do # nothing but a text of this name is there
    echo none >"broken/$library"
    LD_LIBRARY_PATH=$place/broken run 1 info --load
    says "cannot be loaded: .*$library.*; install "
    rm "broken/$library"
done

# The first words of lines: "A, B and C".
names()
{
    sed 's/^ \([A-Za-z]*\).*/\1/' | sort | paste -sd , | sed 's/,\([^,]*\)$/ and \1/; s/,/, /g'
}

# ---- under the GPL is CHOLMOD or none, not even behind another, and `info` says which ----
gpl=$(column 2,7 | grep '[^L]GPL' | names)
lesser=$(column 2,7 | grep LGPL | grep -v '[^L]GPL' | names)
[ "$gpl" = CHOLMOD ] || fail "under the GPL are, by docs/dependencies.md: $gpl"
if LD_PRELOAD=$(tr '\n' ' ' <loaded.txt) ldd "$program" | grep -E 'lib(spqr|umfpack|fftw3|gsl)[.-]'; then
    fail "a library under the GPL is linked"
fi
said='no library is under the GPL'
if ldd "$program" | grep -q 'libcholmod[.-]'; then
    said="the library $gpl is under the GPL, and so is this program as a whole"
fi
run 0 info
prints "^licence: MIT; $said; $lesser are under the LGPL\$"
[ "$(grep -c "^ *$gpl " out.txt)" -eq "$(ldd "$program" | grep -c 'libcholmod[.-]')" ] ||
    fail "$gpl is listed and not linked, or linked and not listed"
finish

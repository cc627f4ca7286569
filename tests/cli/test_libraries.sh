#!/bin/sh
# The libraries that the program is linked with are those of docs/dependencies.md, and their licences what `info` says.
. "$(dirname "$0")/lib.sh"
table=$source_dir/docs/dependencies.md

# column NUMBERS: of every library of the table
column()
{
    sed -n '/^| library/,/^$/p' "$table" | tail -n +3 | cut -d'|' -f"$1"
}

# ---- what is linked stands in the table ----
column 6 | tr -d '` ' | tr ',' '\n' | grep . | sort -u >listed.txt
readelf -d "$program" | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*\].*/\1/p' | sort -u >linked.txt
[ -s linked.txt ] || fail "the program is linked with nothing"
for library in $(grep -vxE 'c|m|dl|stdc\+\+|gcc_s|[alut]+san|clang_rt.*' linked.txt); do
    case $library in
    sundials_*) library='sundials_\*' ;;
    esac
    grep -qx "$library" listed.txt || fail "$library is not in docs/dependencies.md"
done

# The first words of lines: "A and B".
names()
{
    sed 's/^ \([A-Za-z]*\).*/\1/' | sort | tr '\n' ' ' | sed 's/ $//; s/ / and /g'
}

# ---- under the GPL is CHOLMOD or none, not even behind another, and `info` says which ----
gpl=$(column 2,7 | grep '[^L]GPL' | names)
lesser=$(column 2,7 | grep LGPL | grep -v '[^L]GPL' | names)
[ "$gpl" = CHOLMOD ] || fail "under the GPL are, by docs/dependencies.md: $gpl"
if ldd "$program" | grep -E 'lib(spqr|umfpack|fftw3|gsl)[.-]'; then
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

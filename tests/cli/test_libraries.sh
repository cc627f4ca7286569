#!/bin/sh
# The libraries that the program is linked with are those of docs/dependencies.md, and their licences what `info` says.
. "$(dirname "$0")/lib.sh"
table=$source_dir/docs/dependencies.md

# column NUMBER: of every library of the table
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

# ---- none under the GPL, not even behind another ----
if ldd "$program" | grep -E 'lib(cholmod|spqr|umfpack|fftw3|gsl)[.-]'; then
    fail "a library under the GPL is linked"
fi
if column 7 | grep -E '(^|[^L])GPL'; then
    fail "a library of docs/dependencies.md is under the GPL"
fi

# ---- `info` names those under the LGPL ----
lesser=$(sed -n '/^| library/,/^$/p' "$table" | grep LGPL | sed 's/^| \([A-Za-z]*\).*/\1/' | sort | tr '\n' ' ')
run 0 info
prints "^licence: MIT; of the libraries $(echo "$lesser" | sed 's/ $//; s/ / and /g') are under the LGPL, none is under the GPL"
finish

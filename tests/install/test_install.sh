#!/bin/sh
# `make install` into an empty root; what it leaves works in another place, a project outside links to it by CMake and
# by pkg-config, and `make uninstall` takes all of it away again.
#
#   test_install.sh SOURCE BUILD COMPILER
. "$(dirname "$0")/lib.sh"

DESTDIR=$place/root try "install" cmake --install "$build" --prefix /usr/local || exit 1
cp "$build/install_manifest.txt" "$place/installed"
(cd "$place/root/usr/local" && find . ! -type d | sed 's,^\.,/usr/local,' | sort) >"$place/there"
sort -u "$place/installed" | diff - "$place/there" >&2 || fail "other files are there (>) than were listed (<)"
for file in bin/phlexor include/phlexor/phlexor.h share/man/man1/phlexor.1 share/zsh/site-functions/_phlexor; do
    [ -e "$place/root/usr/local/$file" ] || fail "$file was not installed"
done
for header in "$source_dir"/include/phlexor/*.h; do
    [ -e "$place/root/usr/local/include/phlexor/$(basename "$header")" ] || fail "$header was not installed"
done

cp -a "$place/root/usr/local" "$place/elsewhere"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    for package in "$place"/elsewhere/lib/python3*/*-packages; do
        try "Python" env -u PHLEXOR_LIBRARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$package" \
            /usr/bin/python3 -c 'import phlexor; print(phlexor.library_version())'
        grep -q "$place/elsewhere" "$place/said" || fail "the Python package found another library: $(cat "$place/said")"
    done
    try "a command in Python" env PYTHONDONTWRITEBYTECODE=1 "$place/elsewhere/bin/phlexor" reproduce --only matrices -o "$place/page.html"
fi
whole "$place/elsewhere"
if grep -q PHX_GPL:BOOL=ON "$build/CMakeCache.txt"; then
    "$source_dir/tools/make-wheel" "$build" >"$place/said" 2>&1 && fail "a wheel with libraries under the GPL"
    grep -q "under the GPL; take the preset no-gpl" "$place/said" || fail "the refusal of a wheel: $(cat "$place/said")"
fi
use_library "$place/elsewhere" "$(dirname "$(find "$place/elsewhere" -name libphlexor.so)")"

touch "$place/root/usr/local/share/doc/phlexor/notes"
DESTDIR=$place/root try "uninstall" cmake -DMANIFEST="$place/installed" -P "$source_dir/cmake/Uninstall.cmake"
left=$(cd "$place/root" && find . ! -type d)
[ "$left" = ./usr/local/share/doc/phlexor/notes ] || fail "after the removal there are: $left"
left=$(cd "$place/root" && find . -ipath '*phlexor*' -type d)
[ "$left" = ./usr/local/share/doc/phlexor ] || fail "after the removal there are the folders: $left"
finish

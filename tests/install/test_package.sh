#!/bin/sh
# The Debian packages: what is in them works from an unpacked root, they depend on the libraries, and lintian (where it
# is installed) finds no error and warns of nothing.
#
#   test_package.sh SOURCE BUILD COMPILER
. "$(dirname "$0")/lib.sh"
need dpkg-shlibdeps dpkg-dev
need file file

DEBEMAIL=packager@debian.org DEBFULLNAME="A Packager" try "cpack" cpack --config "$build/CPackConfig.cmake" -B "$place/packages" ||
    exit 1
version=$(sed -n 's/^project(Phlexor VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
library=libphlexor${version%.*}
for package in phlexor "$library" libphlexor-dev; do
    file=$place/packages/${package}_${version}_$architecture.deb
    [ -s "$file" ] || { fail "there is no $file"; continue; }
    dpkg-deb -x "$file" "$place/root"
    dpkg-deb -f "$file" Depends >"$place/$package.depends"
    for document in copyright changelog.gz; do
        [ -s "$place/root/usr/share/doc/$package/$document" ] || fail "$package has no $document"
    done
done
for package in phlexor "$library"; do
    for needed in libc6 libhdf5 libklu libopenblas libfyaml libsundials libmatio; do
        grep -q "$needed" "$place/$package.depends" || fail "$package does not depend on $needed: $(cat "$place/$package.depends")"
    done
done
copyright=$place/root/usr/share/doc/phlexor/copyright
under=no
if grep -q libcholmod "$place/phlexor.depends"; then
    under=CHOLMOD,
fi
grep -q "and with $under .*under the GPL" "$copyright" || fail "the licence of what is linked: $(cat "$copyright")"
grep -q "three.js authors" "$copyright" || fail "the authors of three.js are not in $copyright"
grep -q "$library (= $version)" "$place/libphlexor-dev.depends" || fail "libphlexor-dev does not depend on $library"

python=$(ls "$place"/packages/python3-phlexor_*_all.deb 2>/dev/null || true)
if [ -n "$python" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    dpkg-deb -x "$python" "$place/root"
    try "Python" env -u PHLEXOR_LIBRARY PYTHONDONTWRITEBYTECODE=1 \
        PYTHONPATH="$place/root/usr/lib/python3/dist-packages" \
        /usr/bin/python3 "$place/root/usr/share/doc/phlexor/python/examples/controller.py" "$place/python"
    [ -s "$place/python/step.csv" ] || fail "the example in Python wrote nothing"
fi
whole "$place/root/usr"
use_library "$place/root/usr" "$(dirname "$(find "$place/root" -name libphlexor.so)")"
# Lintian takes half a minute for the objects of the static library, and finds nothing about them: it sees the package
# without it.
if command -v lintian >/dev/null; then
    dpkg-deb -R "$place"/packages/libphlexor-dev_*.deb "$place/dev"
    find "$place/dev" -name '*.a' -exec rm {} +
    sed -i '/\.a$/d' "$place/dev/DEBIAN/md5sums"
    rm "$place"/packages/libphlexor-dev_*.deb
    dpkg-deb -Zgzip -z1 -b "$place/dev" "$place/packages/libphlexor-dev.deb" >/dev/null
    # `make package` builds for /usr, where libraries lie by processor; this build is for /usr/local.
    try "lintian" lintian --allow-root --fail-on error,warning \
        --suppress-tags pkg-config-unavailable-for-cross-compilation "$place"/packages/*.deb
fi
finish

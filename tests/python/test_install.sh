#!/bin/sh
# test_install.sh BUILD: the package installed by pip into a virtual environment, without a network, is whole and finds
# the library beside it, in a lib folder above it, and by PHLEXOR_LIBRARY.
set -eu
build=$1
skip()
{
    echo "SKIP: $1"
    exit 77
}
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$(command -v "$candidate")
        break
    fi
done
[ -n "$python" ] || skip "Python with NumPy is missing (Debian: python3-numpy)"
"$python" -c 'import setuptools, wheel' 2>/dev/null || skip "setuptools is missing (Debian: python3-setuptools python3-wheel)"
"$python" -c 'import ensurepip' 2>/dev/null || skip "venv is missing (Debian: python3-venv)"
unset PYTHONPATH
library=$PHLEXOR_LIBRARY
unset PHLEXOR_LIBRARY

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$build/lib/python" "$folder/source" # pip builds in the source folder
"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-index --no-build-isolation --disable-pip-version-check "$folder/source"
cd "$folder"
[ -z "${PHLEXOR_PRELOAD:-}" ] || export LD_PRELOAD="$PHLEXOR_PRELOAD"
try()
{
    "$folder/venv/bin/python" - "$@" <<'EOF'
import sys
import phlexor
assert phlexor.__file__.startswith(sys.prefix), phlexor.__file__
assert sys.argv[1] in phlexor.library_version(), phlexor.library_version()
model = phlexor.ModelBuilder("x")
model.rigid("body", mass=1, inertia=1)
assert model.build().simulate(end=1, step=0.5).complete
EOF
}
package=$(echo "$folder"/venv/lib/python3*/site-packages/phlexor)
[ -f "$package/py.typed" ] || { echo "py.typed is not installed" >&2; exit 1; }
name=$(basename "$(readlink -f "$library")")
name=${name%.*} # libphlexor.so.0.1

PHLEXOR_LIBRARY=$library try "$library"
cp "$library" "$folder/venv/lib/$name"
try "$folder/venv/lib/$name"
mv "$folder/venv/lib/$name" "$package/$name"
try "$package/$name"
echo "the package installs, and finds its library in three places"

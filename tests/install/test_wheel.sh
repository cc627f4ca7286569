#!/bin/sh
# A wheel on a system that has Python only: the command without NumPy, then the package with it. tools/test-debian runs
# this in a fresh Debian, where it installs python3-numpy.
#
#   test_wheel.sh SOURCE REFERENCE WHEEL
#
# REFERENCE has csv files of examples and the picture of crank_slider by the program that the wheel was made from.
. "$(dirname "$0")/lib.sh"
reference=$build
wheel=$compiler
limit=60 # s, from pip to a page

# made FILE START: it exists and begins with these bytes
made()
{
    [ "$(head -c ${#2} "$1" 2>/dev/null)" = "$2" ] || fail "$1 does not begin with '$2'"
}

cd "$place"
python3 -m venv alone
begin=$(date +%s.%N)
try "pip" alone/bin/pip install --no-index --no-deps "$wheel" || exit 1
phlexor=$place/alone/bin/phlexor
examples=$place/alone/share/doc/phlexor/examples
try "simulate" "$phlexor" simulate "$examples/crank_slider.yaml" -o motion.h5 --csv crank_slider.csv
try "report" "$phlexor" report motion.h5 -o motion.html
python3 -c "import time; d = time.time() - $begin; print('from pip to a page: %.1f s' % d); exit(d > $limit)" ||
    fail "it takes longer than $limit s"
made motion.html '<!doctype html>'
[ "$(wc -c <"$wheel")" -le 30000000 ] || fail "the wheel has $(wc -c <"$wheel") bytes"

# the numbers of the program that the wheel was made from
for table in "$reference"/*.csv; do
    name=$(basename "$table" .csv)
    [ -e "$name.csv" ] || try "$name" "$phlexor" simulate "$examples/$name.yaml" -o "$name.h5" --csv "$name.csv"
    cmp "$table" "$name.csv" >&2 || fail "the numbers of $name are others"
done

# each library that is loaded
try "a result is read" "$phlexor" export motion.h5 -o again.csv
cmp crank_slider.csv again.csv >&2 || fail "a result is read with other numbers"
for kind in svg:'<?xml' png:"$(printf '\211PNG')" pdf:%PDF; do
    try "a picture" "$phlexor" plot motion.h5 -o "picture.${kind%%:*}"
    made "picture.${kind%%:*}" "${kind#*:}"
done
cmp "$reference/picture.svg" picture.svg >&2 || fail "the picture is another: are the fonts there?"
try "a workbook" "$phlexor" export motion.h5 -o motion.xlsx
try "a MAT-file" "$phlexor" export motion.h5 -o motion.mat
made motion.xlsx PK
made motion.mat 'MATLAB 5.0 MAT-file'
try "an FMU" "$phlexor" fmu "$examples/crank_slider.yaml" -o slider.fmu
try "an FMU runs" "$phlexor" fmu check slider.fmu
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >plate.obj
sed '0,/^    shape:$/s//&\n      - {mesh: plate.obj}/' "$examples/crank_slider.yaml" >mesh.yaml
grep -q plate.obj mesh.yaml || fail "the example has no list of shapes"
try "a mesh" "$phlexor" view mesh.yaml -o mesh.html
try "man pages" test -s alone/share/man/man1/phlexor.1

# none of them is the system's
try "info" env LD_DEBUG=files "$phlexor" info --load
grep -q 'calling init: .*/phlexor.libs/phlexor-libhdf5' said || fail "HDF5 is not that of the wheel"
sed -n '/\/phlexor\.libs\/phlexor-/,$s/.*calling init: //p' said |
    grep -Ev "^$place/|/(ld-linux-[a-z0-9-]+|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so" >outside &&
    fail "libraries from outside: $(cat outside)"

# commands in Python need NumPy
"$phlexor" film motion.h5 -o motion.mp4 >said 2>&1 && fail "a film without NumPy"
grep -q NumPy said || fail "the message about NumPy: $(cat said)"
if [ "$(id -u)" -eq 0 ] && ! python3 -c 'import numpy' 2>/dev/null; then
    try "apt-get" apt-get install -y --no-install-recommends python3-numpy
fi
python3 -m venv --system-site-packages whole
try "pip" whole/bin/pip install --no-index "$wheel" || exit 1
cat >use.py <<PROGRAM
import phlexor
result = phlexor.Model("$examples/crank_slider.yaml").simulate()
table = [line.split(",") for line in open("crank_slider.csv") if not line.startswith("#")]
energy = [float(row[table[0].index("energy")]) for row in table[1:]]
assert list(result["energy"]) == energy, "the numbers of the package are others"
print(phlexor.library_version())
maps = open("/proc/self/maps").read()
assert "phlexor.libs/phlexor-lapack.so" in maps and "libphlexor" in maps
PROGRAM
try "import phlexor" whole/bin/python use.py
try "a command in Python" whole/bin/phlexor reproduce --only matrices -o page.html
finish

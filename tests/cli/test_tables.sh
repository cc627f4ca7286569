#!/bin/sh
# Tables with units, with decimal commas and as workbooks have the numbers of the plain ones, and are read again.
. "$(dirname "$0")/lib.sh"
model=$examples/crank_slider.yaml

run 0 simulate "$model" -o plain.h5 --csv plain.csv
run 0 simulate "$model" -o styled.h5 --csv styled.csv --units --decimal comma
run 0 simulate "$model" -o book.h5 --csv book.xlsx
prints 'book.xlsx'
run 0 export plain.h5 -o units.csv --units
head -n 1 units.csv | grep -q '^t \[s\],kinetic \[J\],.*,tip\|mid.x \[m\],.*,bend \[N m\]$' || fail "head: $(head -n 1 units.csv)"
sed '1s/ \[[^]]*\]//g' units.csv | cmp - plain.csv || fail "with units"
[ "$(head -n 1 styled.csv | tr ';' ',')" = "$(head -n 1 units.csv)" ] || fail "head with semicolons"
tr ';,' ',.' <styled.csv | sed '1s/ \[[^]]*\]//g' | cmp - plain.csv || fail "with commas"

# ---- they are read as the plain one is ----
run 0 compare plain.csv styled.csv --format csv -o differences.csv
awk -F, 'NR > 1 && $8 + 0 != 0 { exit 1 }' differences.csv || fail "compare: $(cat differences.csv)"
run 0 plot plain.h5 --columns bend -o h5.svg
run 0 plot styled.csv --columns bend -o csv.svg
run 0 plot plain.csv --columns bend -o bare.svg
grep -q 'N m' h5.svg || fail "no unit in the plot of the result"
grep -q 'N m' csv.svg || fail "no unit in the plot of a table with units"
! grep -q 'N m' bare.svg || fail "a unit from nowhere"
run 0 plot plain.h5 --with units.csv --map 'bend [N m]=bend' --columns bend -o with.svg
run 0 plot plain.h5 --with units.csv --map bend=bend --columns bend -o with.svg
cat >thousand.yaml <<'X'
phlexor: 1
dimension: 2
bodies: {b: {kind: rigid, mass: 1, inertia: 1}}
loads: {f: {torque: {file: signal.csv, column: w}, at: b.P}}
outputs: {tip: {position: b.P}}
simulate: {end: 0.1, step: 0.01}
X
printf 't [s];w [N m]\n0;1,5\n1;2\n' >signal.csv
run 0 simulate thousand.yaml -o thousand.h5
sed -i 's/column: w/column: "w [N m]"/' thousand.yaml
run 0 simulate thousand.yaml -o again.h5
run 0 compare thousand.h5 again.h5
printf 't,force [N],force [lbf]\n0,1,2\n1,3,4\n' >two.csv # the same name twice: both keep their units
run 0 plot two.csv --columns 'force [lbf]' -o two.svg
run 0 simulate "$model" -o few.h5 --csv few.csv --decimal comma --end 2e-4

# ---- modes ----
run 0 modes "$examples/four_bar.yaml" -o modes.csv
run 0 modes "$examples/four_bar.yaml" -o modes.h5
run 0 modes "$examples/four_bar.yaml" -o modes.xlsx
run 0 export modes.h5 -o commas.csv --units --decimal comma
grep -q '^theta1;mode;branch;omega \[rad/s\];frequency \[Hz\];damping$' commas.csv || fail "modes: $(head -n 1 commas.csv)"
run 0 export commas.csv -o again.csv
cmp again.csv modes.csv || fail "modes with commas, read and written"

# ---- workbooks, read by another program ----
if python3 -c '' 2>/dev/null; then
    for pair in book.xlsx:units.csv modes.xlsx:modes.csv; do
        python3 "$source_dir/tests/cli/read_workbook.py" "${pair%:*}" >book.csv || fail "${pair%:*} cannot be read"
        # 16 digits
        awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) cell[FNR, i] = $i; rows = FNR; next }
            { for (i = 1; i <= NF; i++) {
                  apart = cell[FNR, i] - $i; size = $i < 0 ? -$i : $i + 0
                  if (FNR > 1 && (cell[FNR, i] == "" || apart > 2e-15 * size || -apart > 2e-15 * size)) exit bad = 1 } }
            END { exit bad || rows != FNR || rows < 3 }' book.csv "${pair#*:}" || fail "${pair%:*} has other numbers"
    done
    python3 "$source_dir/tests/cli/read_workbook.py" book.xlsx >book.csv
    [ "$(head -n 1 book.csv)" = "$(head -n 1 units.csv)" ] || fail "names"
fi
run 0 export plain.h5 -o exported.xlsx
cmp exported.xlsx book.xlsx || fail "a workbook twice"
run 0 export plain.h5 --format xlsx
[ -s plain.xlsx ] || fail "the name of the workbook"
rm plain.xlsx

# ---- extremes: 2 kg driven by 4 N from rest: x = t^2, P = 8 t, over the last interval the mean 7.96 W ----
cat >car.yaml <<'X'
phlexor: 1
dimension: 2
bodies: {car: {kind: rigid, mass: 2, inertia: 1}}
joints: {rail: {kind: prismatic, ports: [ground.O, car.P], axis: [1, 0], effort: 4}}
outputs: {x: {coordinate: rail}, push: {effort: rail}}
simulate: {end: 1, step: 0.01}
X
run 0 simulate car.yaml
tail -n 4 out.txt | tr -s ' ' >tail.txt
grep -qx ' x m 0 at 0 1 at 1' tail.txt && grep -q '^ push N 4 at .* 4 at ' tail.txt &&
    grep -qx ' joint.rail W 0.04 at 0.01 7.96 at 1' tail.txt || fail "extremes: $(cat out.txt)"
run 0 simulate car.yaml --summary json
grep -q '"powers": {"joint.rail": {"min": 0.0[34].*, "max": 7.9[56].*, "t_min": 0.01.*, "t_max": 1}}' out.txt ||
    fail "powers: $(cat out.txt)"
grep -q '"x": {"unit": "m", .*"t_max": 1}' out.txt || fail "the output in json"
awk 'BEGIN { print "phlexor: 1\ndimension: 2\nbodies: {car: {kind: rigid, mass: 2, inertia: 1}}\nsimulate: {end: 1, step: 0.1}\noutputs:"
    for (k = 1; k <= 15; k++) print "  o" k ": {position: car.P}" }' >many.yaml
run 0 simulate many.yaml
prints 'and 6 more, which --summary json lists'
[ "$(grep -c ' at .* at ' out.txt)" -eq 24 ] || fail "24 lines of extremes: $(cat out.txt)"

# ---- maps: z = x y on 3 x 2 points, one of them failed; a cell for each other point, in the band of its value ----
printf 'point,a,b,complete,z,message\n1,1,1,1,1,\n2,1,3,1,3,\n3,2,1,1,2,\n4,2,3,1,6,\n5,4,1,1,4,\n6,4,3,0,,"no"\n' >grid.csv
run 0 plot grid.csv --over a,b --columns z -o grid.svg
grep -q 'upward: b' grid.svg || fail "the map"
for band in '1 to 2' '2 to 3' '3 to 4' '5 to 6'; do
    grep -q ">$band<" grid.svg || fail "no band $band: $(grep -o '>[0-9] to [0-9]<' grid.svg)"
done
run 0 modes "$examples/rotor_blade.yaml" --sweep Omega=0:12:3 --sweep radius=0:2:3 -o blade.h5
run 0 plot blade.h5 --over Omega,radius -o blade.svg
grep -q 'branch 1 (Hz), upward: radius' blade.svg || fail "the map of modes"
run 2 plot grid.csv --over a,c --columns z
says "no column or parameter 'c'"
run 2 plot grid.csv --over a,complete --columns z
says "'complete' 1; a map needs two of each"
run 2 plot grid.csv --over a,b
says '\-\-over needs the columns'
run 2 plot grid.csv --over a --columns z
says 'expected two parameters'
run 2 plot grid.csv --over a,b --spectrum --columns z
printf 'point,a,b,complete,z,message\n1,1,1,1,1,\n2,1,1,1,3,\n3,2,3,1,2,\n' >twice.csv
run 2 plot twice.csv --over a,b --columns z
says 'two points have a = 1 and b = 1'

# ---- what cannot be ----
run 2 simulate "$model" --units
says '\-\-units needs --csv FILE'
run 2 simulate "$model" --csv a.xlsx --decimal comma
says "not to the workbook 'a.xlsx'"
run 2 simulate "$model" --csv a.csv --units --sweep speed=1:2:2
says "phlexor export"
run 2 simulate "$model" --csv a.csv --decimal point,
says 'point|comma'
run 2 export plain.h5 -o a.mat --units
says '\-\-units applies to csv files'
run 2 modes "$examples/four_bar.yaml" -o a.xlsx --format csv
says 'a workbook; give only one'
run 2 export plain.h5 -o - --format xlsx
says 'standard output'
run 2 export plain.h5 -o no/such/a.xlsx
mkdir broken
for library in $(ldconfig -p 2>/dev/null | sed -n 's/^[[:space:]]*\(libxlsxwriter\.so\.[0-9]*\) .*/\1/p' | head -n 1); do
    echo none >"broken/$library"
    LD_LIBRARY_PATH=$place/broken run 1 export plain.h5 -o b.xlsx
    says "libxlsxwriter cannot be loaded: .*install "
done
for left in a.csv a.xlsx a.mat b.xlsx *.partial; do
    [ ! -e "$left" ] || fail "$left was left"
done
finish

#!/bin/sh
# phlexor import and reduce: what is in files of other programs, the model made of them, bodies in their basis.
. "$(dirname "$0")/lib.sh"

# A truss in mm, t, s as Abaqus would write it: 6 x 2 x 2 nodes, springs between near ones, 1 kg at each node.
awk 'BEGIN {
    nx = 6; a = 50; k0 = 2000; m = 0.001
    for (i = 0; i < nx; i++) for (j = 0; j < 2; j++) for (k = 0; k < 2; k++) {
        n++; x[n, 1] = i * a; x[n, 2] = j * a; x[n, 3] = k * a
        end = i == 0 ? "left" : i == nx - 1 ? "right" : ""
        if (end != "") nodes[end] = nodes[end] (nodes[end] == "" ? "" : ", ") n
        all = all n "\n"
    }
    deck = "truss.inp"
    print "*NODE" >deck
    for (p = 1; p <= n; p++) print p ", " x[p, 1] ", " x[p, 2] ", " x[p, 3] >deck
    printf "*NSET, NSET=Left.bore\n%s\n*NSET, NSET=on\n%s\n*NSET, NSET=corner\n1\n*NSET, NSET=most\n%s", nodes["left"],
        nodes["right"], all >deck
    for (p = 1; p <= n; p++) for (q = p + 1; q <= n; q++) {
        s = 0
        for (c = 1; c <= 3; c++) { d[c] = x[q, c] - x[p, c]; s += d[c] * d[c] }
        if (s > 1.8 * 1.8 * a * a) continue
        for (c = 1; c <= 3; c++) for (e = 1; e <= 3; e++) {
            v = k0 * d[c] * d[e] / s
            K[3 * p - 3 + c, 3 * p - 3 + e] += v; K[3 * q - 3 + c, 3 * q - 3 + e] += v
            K[3 * p - 3 + c, 3 * q - 3 + e] -= v; K[3 * q - 3 + c, 3 * p - 3 + e] -= v
        }
    }
    for (r = 1; r <= 3 * n; r++) for (c = 1; c <= 3 * n; c++)
        if ((r, c) in K && K[r, c] != 0) printf "%d %d %.17g\n", r, c, K[r, c] >"truss_STIF1.mtx"
    for (r = 1; r <= 3 * n; r++) printf "%d %d %.17g\n", r, r, m >"truss_MASS1.mtx"
}'
truss="truss_STIF1.mtx truss_MASS1.mtx truss.inp --unit length=0.001 --unit mass=1000"

# number KEY [INDEX]: of the json in out.txt, entry INDEX (from 1) of a list
number()
{
    sed -n "s/^  \"$1\": \[*\([^]]*\).*/\1/p" out.txt | tr -d ' ' | cut -d, -f"${2-1}"
}

# ---- matrices ----
# shellcheck disable=SC2086
run 0 import $truss --format json
check "mass" "$(number mass | awk '{ print $1 - 24 }')" 1e-12
check "centre of mass" "$(number centre_of_mass 1 | awk '{ print $1 - 0.125 }')" 1e-14
check "inertia xx" "$(number inertia 1 | awk '{ print $1 - 24 * (0.025^2 + 0.025^2) }')" 1e-15
check "inertia yy" "$(number inertia 5 | awk '{ print $1 - 24 * (0.05^2 * 35 / 12 + 0.025^2) }')" 1e-14
for k in 1 2 3 4 5 6; do
    check "rigid motion $k" "$(number rigid_force $k)" 1e-15
done
prints '"stiffness": {"rows": 72, "entries": 1080}'
prints '"mass": {"rows": 72, "entries": 72}'
prints '"name": "Left.bore", "dimension": 0, "cells": 0, "nodes": 4, "port": "Left_bore"'
prints '"name": "corner".*"refused": "it shares nodes with .Left.bore.'
prints '"name": "most".*"refused": "it is most of the body"'
for k in 1 2 3; do number frequencies $k; done >free.txt

# the model file: on standard output the table is its comments; with -o it is printed
# shellcheck disable=SC2086
run 0 import $truss
cp out.txt truss.yaml
mkdir models
# shellcheck disable=SC2086
run 0 import $truss -o models/truss.yaml
sed 's/^/# /' out.txt >comments.txt
grep '^#' truss.yaml | cmp -s - comments.txt || fail "the comments of the model are not the table"
sed 's|\.\./||g' models/truss.yaml | cmp -s - truss.yaml || fail "the model in a folder has other paths"
grep -q '^      Left_bore: {on: Left.bore}$' truss.yaml || fail "no port Left_bore: $(cat truss.yaml)"
grep -q '^      "on": {on: "on"}$' truss.yaml || fail "no port on: $(cat truss.yaml)"
run 0 check models/truss.yaml --format json
check "mass of the model" "$(sed -n 's/.*"mass": \([^,]*\),.*/\1/p' out.txt | awk '{ print $1 - 24 }')" 1e-12
sed 's/^    ports:/    basis: {kind: all}\n    ports:/; /^      /d' truss.yaml >all.yaml
sed -i '/^    ports:/d' all.yaml
run 0 modes all.yaml --count 3 --format csv
columns out.txt frequency >modes.txt
paste free.txt modes.txt | awk '{ print $1 / $2 - 1 }' | while read -r error; do
    check "frequency of the free body" "$error" 1e-9 && [ "$failures" -eq 0 ] || exit 1
done || fail "frequencies: $(paste free.txt modes.txt)"

# ---- meshes ----
cat >bar.inp <<'END'
*NODE
1, 0, 0, 0
2, 100, 0, 0
3, 100, 20, 0
4, 0, 20, 0
5, 0, 0, 20
6, 100, 0, 20
7, 100, 20, 20
8, 0, 20, 20
*ELEMENT, TYPE=C3D8, ELSET=Eall
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=left
1, 4, 5, 8
*MATERIAL, NAME=Alu
*ELASTIC
70000, 0.33
*DENSITY
2.7e-9
*SOLID SECTION, ELSET=Eall, MATERIAL=Alu
END
run 0 import bar.inp --unit length=0.001 --unit mass=1000 --name rod -o bar.yaml
prints '^material Alu: density 2700 kg/m^3, young 7e+10 N/m^2, poisson 0.33$'
prints '^  mass  *0.108 kg$'
grep -q '^  Alu: {density: 2700, young: 7e+10, poisson: 0.33}$' bar.yaml || fail "the material: $(cat bar.yaml)"
grep -q '^    mesh: {file: bar.inp, unit: 0.001}$' bar.yaml || fail "the mesh: $(cat bar.yaml)"
run 0 check bar.yaml
prints '^mass  *0.108 kg$'
# two materials are two regions, in the table and in the model; C3D20R has its own rule
awk 'function id(x, y, z) { return 1 + x + 9*y + 45*z }
BEGIN {
    split("000 200 220 020 002 202 222 022 100 210 120 010 102 212 122 012 001 201 221 021", place)
    print "*NODE"
    for (z = 0; z < 5; z++) for (y = 0; y < 5; y++) for (x = 0; x < 9; x++)
        if (x % 2 + y % 2 + z % 2 < 2) printf "%d, %g, %g, %g\n", id(x, y, z), 5*x, 2.5*y, 2.5*z
    print "*ELEMENT, TYPE=TYPE_, ELSET=ALL"
    for (e = 0; e < 16; e++) {
        line = e + 1
        for (k = 1; k <= 20; k++)
            line = line (k == 16 ? ",\n" : ", ") id(2*int(e/4) + substr(place[k], 1, 1),
                2*(e % 2) + substr(place[k], 2, 1), 2*(int(e/2) % 2) + substr(place[k], 3, 1))
        print line
    }
    print "*ELSET, ELSET=A, GENERATE\n1, 8\n*ELSET, ELSET=B, GENERATE\n9, 16\n*NSET, NSET=END\n1, 5, 37, 181, 91"
    print "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n*DENSITY\n8e-9\n*MATERIAL, NAME=ALU\n*ELASTIC\n70000., 0.3"
    print "*DENSITY\n2e-9\n*SOLID SECTION, ELSET=A, MATERIAL=STEEL\n*SOLID SECTION, ELSET=B, MATERIAL=ALU" }' >two.txt
for type in C3D20 C3D20R; do
    sed "s/TYPE_/$type/" two.txt >two.inp
    run 0 import two.inp --unit length=0.001 --unit mass=1000 --modes 3 -o two.yaml
    prints '^  mass  *0.02 kg$' # 20 mm x 10 mm x 10 mm of each
    prints '^region B: of ALU$'
    grep -q '^      B: {material: ALU}$' two.yaml || fail "regions: $(cat two.yaml)"
    grep -q '^  ALU: {density: .*, young: 7e+10, poisson: 0.3}$' two.yaml || fail "materials: $(cat two.yaml)"
    grep 'free body' out.txt >"$type.txt"
    run 0 modes two.yaml
    grep ' 1 ' out.txt >"modes_$type.txt"
done
! cmp -s C3D20.txt C3D20R.txt || fail "C3D20R is integrated as C3D20"
! cmp -s modes_C3D20.txt modes_C3D20R.txt || fail "C3D20R is integrated as C3D20 in a model"
sed '/MATERIAL/,$d' bar.inp >plain.inp
run 0 import plain.inp
prints 'assumed'
cat >sheet.inp <<'END'
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
*ELEMENT, TYPE=S3, ELSET=all
1, 1, 2, 3
2, 1, 3, 4
END
run 2 import sheet.inp
says 'sheet.inp: the mesh has surfaces but no thickness'
run 0 import sheet.inp --thickness 0.01 -o sheet.yaml
grep -q '^    thickness: 0.01$' sheet.yaml || fail "the thickness: $(cat sheet.yaml)"
prints '^  mass  *78.5 kg$'
run 0 check sheet.yaml

# ---- a body in its basis moves as before, bit by bit ----
# mechanism BODY: an arm on a drive
mechanism()
{
    cat <<END
phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
parameters: {speed: 30}
materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}
bodies:
  arm:
$1
    damping: {stiffness: 1e-6}
joints:
  hinge: {kind: revolute, ports: [ground.O, arm.P], axis: [0, 0, 1], speed: speed}
loads:
  push: {force: [0, 0, "50*(t < 0.002)"], at: arm.C}
outputs:
  tip: {attitude: arm.C}
  bend: {deformation: arm.C}
  node: {deformation: arm@5}
simulate: {end: 0.005, step: 1e-4}
END
}
mechanism '    kind: solid
    material: steel
    mesh: {size: [0.3, 0.02, 0.02], elements: [4, 1, 1]}
    basis: {modes: 6}
    ports: {P: {on: x0}, C: {on: x1, rotation: {axis: [0, 0, 1], angle: 0.3}}}
    point_masses: [{at: C, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}]' >whole.yaml
mechanism '    kind: reduced
    file: arm.h5' >reduced.yaml
run 2 check reduced.yaml
says "reduced.yaml:9:11: bodies.arm.file: arm.h5: cannot read: No such file or directory"
run 0 reduce whole.yaml --body arm
prints '^arm.h5: arm, 12 coordinates, 2 ports, '
prints 'arm: {kind: reduced, file: arm.h5}'
run 0 reduce whole.yaml --body arm -o again.h5 --format json
prints '"coordinates": 12, "ports": 2'
cmp -s arm.h5 again.h5 || fail "two runs give different files"
run 0 simulate whole.yaml --csv whole.csv
run 0 simulate reduced.yaml --csv reduced.csv
cmp -s whole.csv reduced.csv || fail "the reduced body moves in another way"
[ "$(wc -l <whole.csv)" -gt 50 ] || fail "too few rows: $(cat whole.csv)"
for model in whole reduced; do # the file is not read by several threads
    run 0 simulate $model.yaml --sweep speed=10:30:3 --threads 2 -o $model-list.csv
    grep -v '^#' $model-list.csv >$model-rows.csv
done
cmp -s whole-rows.csv reduced-rows.csv || fail "a sweep with the reduced body differs"
for model in whole reduced; do
    run 0 modes $model.yaml --format csv --count 3
    grep -v '^#' out.txt >$model-modes.csv
done
cmp -s whole-modes.csv reduced-modes.csv || fail "modes with the reduced body differ"
for model in whole reduced; do
    run 0 titop $model.yaml --body arm --format json
    cp out.txt $model-titop.json
done
grep -v '"model"' whole-titop.json >one.txt
grep -v '"model"' reduced-titop.json | cmp -s - one.txt || fail "the TITOP model of the reduced body differs"
run 2 titop bar.yaml --body rod
says "body 'rod' has no port 'P'"
run 0 view reduced.yaml -o reduced.html
run 0 reduce reduced.yaml --body arm -o twice.h5 # of a reduced body
sed 's/arm.h5/twice.h5/' reduced.yaml >second.yaml
run 0 simulate second.yaml --csv second.csv
cmp -s whole.csv second.csv || fail "the body reduced twice moves in another way"

# ---- what is refused, and leaves no file or the older one ----
cp arm.h5 older.h5
run 2 reduce whole.yaml
says '[-]-body is missing'
run 2 reduce whole.yaml --body amr -o arm.h5
says "no body 'amr'; did you mean 'arm'"
run 2 reduce "$examples/spacecraft.yaml" --body hub -o arm.h5
says 'can be reduced'
run 2 reduce reduced.yaml --body arm -o arm.h5
says 'written over'
run 2 reduce whole.yaml --body arm -o whole.yaml
says "unknown ending '.yaml', expected .h5"
run 2 reduce whole.yaml --body arm -o nowhere/arm.h5
says 'nowhere'
cmp -s arm.h5 older.h5 || fail "the older file has changed"
(ulimit -f 8 && run 1 reduce whole.yaml --body arm -o arm.h5 && says 'File too large' && finish) || fail "a full disk"
cmp -s arm.h5 older.h5 || fail "a full disk harmed the older file"
[ ! -e arm.h5.partial ] || fail "arm.h5.partial was left"
head -c 3000 older.h5 >arm.h5
run 2 simulate reduced.yaml
says 'reduced.yaml:9:11: bodies.arm.file: arm.h5: '
cp truss.inp older.inp
run 2 import
says 'FILE... is missing'
run 2 import none.inp
says "cannot read 'none.inp'"
run 2 import bar.inp -o bar.inp
says 'written over'
# shellcheck disable=SC2086
run 2 import $truss -o ./truss.inp
says 'written over'
cmp -s truss.inp older.inp || fail "an input was overwritten"
for unit in length length= length=-1 length=x width=1 =1; do
    run 2 import bar.inp --unit $unit
    says '[-]-unit: expected'
done
run 2 import bar.inp --thickness 0
says '[-]-thickness: expected a number above 0'
run 2 import bar.inp -o nowhere/bar.yaml
says 'nowhere'
run 2 import truss_STIF1.mtx truss_MASS1.mtx
says 'none of the files gives nodes'
run 2 import truss.inp bar.inp
run 2 import truss.inp
says 'no cells of a surface or a solid'
sed 's/^1 1 .*/1 1 1e6/' truss_STIF1.mtx >held_STIF1.mtx
run 2 import held_STIF1.mtx truss_MASS1.mtx truss.inp -o held.yaml
says 'resists rigid motions'
prints '^  rigid motions   K r costs 1 ' # what is wrong is shown
[ ! -e held.yaml ] || fail "held.yaml was written"
sed '5d' truss_STIF1.mtx >skew_STIF1.mtx
run 2 import skew_STIF1.mtx truss_MASS1.mtx truss.inp
says 'skew_STIF1.mtx: .*not symmetric'
head -c 5000 truss_STIF1.mtx >cut_STIF1.mtx
run 2 import cut_STIF1.mtx truss_MASS1.mtx truss.inp
says 'cut_STIF1.mtx:[0-9]*: '

# ---- modes of MBDyn ----
# A strip of lumped masses, 1, 2 and 1 kg at x = 0, 1, 2, halves at y = -0.1 and 0.1, whose free bending mode in z is
# (1, -1, 1): modal mass 4, modal stiffness 4e4, so 100 rad/s. Rotations of the nodes have no mass, but move with it.
cat >bar.fem <<'EOF'
** RECORD GROUP 1, HEADER
  REV0 6 1 0 0 0
** RECORD GROUP 2, NODES
 1 2 3 4 5 6
** RECORD GROUP 5, X
 0 0 1 1 2 2
** RECORD GROUP 6, Y
 -0.1 0.1 -0.1 0.1 -0.1 0.1
** RECORD GROUP 7, Z
 0 0 0 0 0 0
** RECORD GROUP 8, MODES
 0 0 1 0 2 0
 0 0 1 0 2 0
 0 0 -1 0 0 0
 0 0 -1 0 0 0
 0 0 1 0 -2 0
 0 0 1 0 -2 0
** RECORD GROUP 9, MODAL MASS
 4
** RECORD GROUP 10, MODAL STIFFNESS
 4e4
** RECORD GROUP 11, LUMPED MASSES
 0.5 0.5 0.5 0 0 0
 0.5 0.5 0.5 0 0 0
 1 1 1 0 0 0
 1 1 1 0 0 0
 0.5 0.5 0.5 0 0 0
 0.5 0.5 0.5 0 0 0
EOF
run 0 import bar.fem --format json
check "frequency of the mode" "$(number frequencies 1 | awk '{ print $1 * 2 * 3.14159265358979 / 100 - 1 }')" 1e-12
run 0 import bar.fem -o fem.yaml
sed 's/^    ports:.*/    ports: {tip: {node: 3}}/; /^      /d' fem.yaml >fem_port.yaml
grep -q 'ports: {tip' fem_port.yaml || echo '    ports: {tip: {node: 3}}' >>fem_port.yaml
run 0 modes fem_port.yaml --count 1 --format csv
check "free body" "$(columns out.txt omega | awk '{ print $1 / 100 - 1 }')" 1e-9
cat >>fem_port.yaml <<'EOF'
joints: {hinge: {kind: spherical, ports: [ground.O, bar.tip]}}
simulate: {end: 0.1, step: 1e-3}
gravity: [0, 0, -9.81]
outputs: {tip: {deformation: bar@2}}
EOF
run 0 simulate fem_port.yaml --csv fem.csv -o fem.h5
check "energy" "$(columns fem.csv residual | tail -n 1)" 1e-10
sed 's/^    kind: imported/&\n    basis: {kind: free, modes: 1}/' fem.yaml >wrong.yaml
run 2 check wrong.yaml
says "known for its own modes alone; take them as its basis, kind 'own'"

# ---- thermal expansion ----
# A clamped bar that is heated: whatever the basis, it has the deformation of the load.
# heated BASIS ELEMENTS: how far the end goes
heated()
{
    cat >heat.yaml <<EOF
phlexor: 1
dimension: 3
materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3, expansion: 1e-5}}
bodies:
  b:
    {kind: solid, mesh: {size: [1, 0.1, 0.1], elements: [$2, 1, 1]}, material: steel, basis: {$1},
     ports: {x0: {}, x1: {attach: average}}}
joints: {clamp: {kind: weld, ports: [ground.O, b.x0]}}
loads: {heat: {temperature: 100, on: b}}
outputs: {end: {deformation: b.x1}}
initial: {deformation: quasi_static}
simulate: {end: 1e-4, step: 1e-4}
EOF
    run 0 simulate heat.yaml --csv heat.csv -o heat.h5
    columns heat.csv end.x | head -n 1
}
all=$(heated "kind: all" 3)
for basis in "modes: 3" "kind: free, modes: 3" "kind: held, at: x0, modes: 3"; do
    check "expansion with $basis" "$(heated "$basis" 3 | awk -v all="$all" '{ print $1 / all - 1 }')" 1e-9
done
# along the axis alpha dT L, and by a part of the width more where the clamp keeps the section
check "expansion" "$(heated "modes: 3" 10 | awk '{ print $1 / (1e-5 * 100 * 1) - 1 - 0.3 * 0.1 * 0.5 }')" 5e-3

finish

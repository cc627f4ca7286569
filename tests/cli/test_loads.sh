#!/bin/sh
# Load cases of a simulated body: they balance, and CalculiX makes the stresses of the instant of them, by its own deck
# and by its own matrices; mistakes are named.
. "$(dirname "$0")/lib.sh"

# A beam of 12 tetrahedra with 10 nodes, 0.4 x 0.1 x 0.05 m, in mm: six in each of two boxes.
python3 - >beam.inp <<'END'
N, size = (2, 1, 1), (400.0, 100.0, 50.0)
label, places = {}, []
def node(x):
    if x not in label:
        label[x] = len(places) + 1
        places.append(x)
    return label[x]
paths = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
cells = []
for i in range(N[0]):
    for path in paths:
        corner = [2 * i, 0, 0]
        tet = [tuple(corner)]
        for axis in path:
            corner[axis] += 2
            tet.append(tuple(corner))
        if paths.index(path) > 2:
            tet[1], tet[2] = tet[2], tet[1]
        middle = lambda a, b: tuple((tet[a][k] + tet[b][k]) // 2 for k in range(3))
        cells.append([node(x) for x in tet + [middle(*e) for e in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))]])
print("*NODE, NSET=ALL")
for k, x in enumerate(places):
    print("%d, %r, %r, %r" % (k + 1, *[x[a] * size[a] / (2 * N[a]) for a in range(3)]))
print("*ELEMENT, TYPE=C3D10, ELSET=BEAM")
for k, cell in enumerate(cells):
    print(", ".join(str(n) for n in [k + 1] + cell))
for name, where in (("ROOT", 0), ("TIP", 2 * N[0])):
    print("*NSET, NSET=" + name)
    for k, x in enumerate(places):
        if x[0] == where:
            print("%d," % (k + 1))
print("*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e5, 0.3\n*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=BEAM, MATERIAL=STEEL")
END

# A hinge and a mass on the tip, turning in gravity, a pressure on the mass of the tip's side.
model()
{
    cat <<END
phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}
bodies:
  beam:
    $1
    basis: $2
    ports: {root: {on: ROOT, attach: $3}, tip: {on: TIP, attach: average}}
    damping: {stiffness: 1e-6}
    point_masses: [{at: tip, mass: 2, inertia: [0.01, 0.02, 0.02]}]
  ball: {kind: rigid, mass: 5, inertia: [0.02, 0.02, 0.02], pose: {position: [0.4, 0.05, 0.025]}}
ground: {ports: {O: {position: [0, 0.05, 0.025]}}}
joints:
  hinge: {kind: revolute, ports: [ground.O, beam.root], axis: [0, 1, 0], rate: 20}
  wrist: {kind: spherical, ports: [beam.tip, ball.P]}
loads: {side: {force: ["2000*cos(300*t)", 900, 400], at: ball.P}}
outputs: {most: {von_mises: beam}, hinge: {reaction: hinge}}
simulate: {end: 0.02, step: 1e-4}
END
}
solid='{file: beam.inp, unit: 0.001}'
model "kind: solid
    material: steel
    mesh: $solid" '{kind: all}' rigid >solid.yaml
run 0 simulate solid.yaml --csv solid.csv -o solid.h5
run 0 stress solid.h5 -o spots.csv
cat >balance.py <<'END'
import sys
places, part = {}, None
for line in open("beam.inp"):
    if line.startswith("*"):
        part = line.split(",")[0].strip()
    elif part == "*NODE":
        words = line.split(",")
        places[int(words[0])] = [float(word) for word in words[1:4]]
for text in open(sys.argv[1]).read().split("*CLOAD")[1:]:
    total, size = [0.0] * 6, [0.0] * 6
    for line in text.split("*NODE FILE")[0].splitlines()[1:]:
        label, c, f = line.split(",")
        x, c, f = places[int(label)], int(c) - 1, float(f)
        for k, value in [(c, f), (3 + (c + 1) % 3, x[(c + 2) % 3] * f), (3 + (c + 2) % 3, -x[(c + 1) % 3] * f)]:
            total[k] += value
            size[k] += abs(value)
    assert len(text) > 1000
    print(max(abs(t) / s for t, s in zip(total, size)))
END
run 0 loads solid.yaml solid.h5 --body beam --at 0.01 --at 0.0151 -o other.inp
prints '^t = 0.0151 s'
python3 balance.py other.inp >rest.txt
run 0 loads solid.yaml solid.h5 --body beam -o loads.inp
python3 balance.py loads.inp >>rest.txt
prints 'port root  *force'
prints 'unit of length 0.001 m, of force 1 N'

# ---- they balance to rounding, and the force at the root is the reaction of the hinge ----
[ "$(wc -l <rest.txt)" -eq 3 ] || fail "three load cases"
for rest in $(cat rest.txt); do
    check "resultant of the loads" "$rest" 1e-13
done
time=$(sed -n 's/^t = \([0-9.e-]*\) s:.*/\1/p' out.txt | head -1)
sed -n 's/^  port root *force *\([^N]*\)N.*/\1/p' out.txt | head -1 | tr -s ' ' '\n' |
    awk '{ s += $1 * $1 } END { printf "%.12g\n", sqrt(s) }' >force.txt
columns solid.csv t hinge.fx hinge.fy hinge.fz |
    awk -v t="$time" '$1 - t < 1e-9 && t - $1 < 1e-9 { printf "%.12g\n", sqrt($2 * $2 + $3 * $3 + $4 * $4) }' >reaction.txt
check "the force at the root is the reaction" \
    "$(paste force.txt reaction.txt | awk '{ d = $1 / $2 - 1; print d < 0 ? -d : d }')" 1e-5

# ---- what the basis leaves out ----
left_out()
{
    sed -n 's/.*leaves out \([0-9.e-]*\)$/\1/p' out.txt | head -1
}
check "all unknowns leave out second orders of the deformation" "$(left_out)" 1e-4
model "kind: solid
    material: steel
    mesh: $solid" '{kind: craig_bampton, modes: 3}' rigid >few.yaml
run 0 simulate few.yaml -o few.h5
run 0 loads few.yaml few.h5 --body beam --at 0.01 -o few.inp
left_out | awk '{ exit !($1 > 1e-3 && $1 < 0.5) }' || fail "three modes leave out: $(cat out.txt)"

# ---- for Nastran ----
run 0 loads solid.yaml solid.h5 --body beam --at 0.01 --format nastran -o loads.bdf
[ "$(grep -c '^SPC1,1,' loads.bdf)" -eq 6 ] || fail "six supports"
grep '^FORCE' -A1 loads.bdf | awk 'length($0) > 72 { exit 1 }' || fail "a field of loads.bdf is too wide"

# ---- mistakes ----
run 2 loads solid.yaml solid.h5 --body ball -o none.inp
says "body 'ball' is rigid"
run 2 loads solid.yaml solid.h5 --body beam --at 0.5 -o none.inp
says 't = 0.5 s is not in the result, which goes from 0 to 0.02 s'
run 2 loads few.yaml solid.h5 --body beam -o none.inp
says 'solid.h5: it was made with another text of the model'
run 2 loads solid.yaml solid.h5 --body beam --at 0.01 --worst 2 -o none.inp
says '--at and --worst'
run 2 loads solid.yaml solid.h5 --body bean -o none.inp
says "there is no body 'bean'"
run 2 loads solid.yaml solid.h5 -o none.inp
says '--body is missing'
run 2 loads solid.yaml solid.h5 --body beam -o solid.h5
run 2 loads solid.yaml solid.h5 --body beam -o beam.inp
sed 's|^simulate:|events: [{when: t - 0.01, do: [{switch: side, to: off}]}]\nsimulate:|' solid.yaml >events.yaml
[ ! -e none.inp ] || fail "load cases of a mistake"

# ---- CalculiX ----
if ! command -v ccx >/dev/null 2>&1; then
    echo "there is no program ccx (Debian package calculix-ccx): stresses are not compared with it"
    finish
    exit 77
fi
cat >stresses.py <<'END'
# The largest von Mises stress of the first step of CalculiX at the node of the first hot spot, over that of Phlexor.
import sys
name = sys.argv[1]
spot = open(name + ".csv").read().splitlines()[1].split(",")
inside = False
for line in open(name + ".frd"):
    if line.startswith(" -4"):
        inside = "STRESS" in line
    elif inside and line.startswith(" -1") and int(line[3:13]) == int(spot[1]):
        x, y, z, xy, yz, zx = (1e6 * float(line[13 + 12 * k:25 + 12 * k]) for k in range(6))
        print(abs((((x - y)**2 + (y - z)**2 + (z - x)**2) / 2 + 3 * (xy**2 + yz**2 + zx**2))**0.5 / float(spot[6]) - 1))
        break
END
calculate()
{
    { cat "$1"; echo "*INCLUDE, INPUT=$2"; } >case.inp
    rm -f case.frd
    ccx -i case >ccx.log 2>&1 || fail "ccx: $(tail -3 ccx.log)"
}
calculate beam.inp loads.inp
mv case.frd spots.frd
check "von Mises stress at the hot spot by CalculiX" "$(python3 stresses.py spots)" 1e-4

# the same body by the matrices of CalculiX, and with its root rigid there
for root in free rigid; do
    cp beam.inp $root.inp
    [ $root = free ] || printf '*NODE\n9001, 0., 50., 25.\n9002, 5., 6., 7.\n*RIGID BODY, NSET=ROOT, REF NODE=9001, ROT NODE=9002\n' >>rigid.inp
    { cat $root.inp; printf '*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n'; } >matrix.inp
    ccx -i matrix >ccx.log 2>&1 || fail "ccx: $(tail -3 ccx.log)"
    for end in sti mas dof; do mv matrix.$end $root.$end; done
    model "kind: imported
    files: [$root.inp, $root.sti, $root.mas, $root.dof]
    units: {length: 0.001, mass: 1000}" '{kind: all}' rigid >$root.yaml
    [ $root = free ] || sed -i 's|{on: ROOT, attach: rigid}|{node: 9001}|' rigid.yaml
    run 0 simulate $root.yaml -o $root.h5
    run 0 stress $root.h5 -o $root.csv
    run 0 loads $root.yaml $root.h5 --body beam -o $root.loads
    left_out >$root.left
    calculate $root.inp $root.loads
    mv case.frd $root.frd
done
check "the same by its matrices" "$(python3 stresses.py free)" 1e-4
# a node of the rigid root has no rows; it moves with the root, by its rotation
corner=$(sed -n '/NSET=ROOT/{n;s/,.*//;p;q}' beam.inp)
sed "s|^outputs: {|outputs: {corner: {deformation: beam@$corner}, |" rigid.yaml >corner.yaml
run 0 simulate corner.yaml --csv corner.csv -o corner.h5
columns corner.csv corner.x |
    awk '{ d = $1 < 0 ? -$1 : $1; if (d > most) most = d } END { exit !(most > 1e-8 && most < 1e-4) }' ||
    fail "the corner of a rigid root does not follow its rotation"
# the mass of a rigid root couples directions, of which gyroscopic terms are left out
check "the same with a rigid root, within what is left out" "$(python3 stresses.py rigid)" "$(cat rigid.left)"
check "what is left out with a rigid root" "$(cat rigid.left)" 2e-3
sed '/^\*MATERIAL/,$d' free.inp >bare.inp
sed 's|free.inp|bare.inp|' free.yaml >bare.yaml
run 2 check bare.yaml
says "the stresses of 'beam' are not known: its deck has no \*SOLID SECTION with a \*MATERIAL"
# ---- stress shapes in the place of cells and materials: the modes of the free body, their stresses by CalculiX ----
{ cat beam.inp; printf '*STEP\n*FREQUENCY\n14\n*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n'; } >freq.inp
ccx -i freq >ccx.log 2>&1 || fail "ccx: $(tail -3 ccx.log)"
for model in free bare; do
    sed -e 's|basis: {kind: all}|basis: {kind: free, modes: 8, statics: false}|' -e 's|attach: rigid|attach: average|' \
        $model.yaml >$model-modes.yaml
done
sed -i 's|free.dof\]|free.dof, freq.frd]|' bare-modes.yaml
for model in free bare; do
    run 0 simulate $model-modes.yaml --csv $model-modes.csv -o $model-modes.h5
    columns $model-modes.csv most >$model.most
done
! grep -q 'stress shapes leave out' err.txt || fail "the modes hold the basis"
check "stresses by stress shapes" "$(paste free.most bare.most | awk '{ d = $1 - $2; d = d < 0 ? -d : d
    if (d > most) most = d; if ($1 > size) size = $1 } END { print most / size }')" 1e-4
sed 's|modes: 8|modes: 14|' bare-modes.yaml >more.yaml
run 0 simulate more.yaml -o more.h5
says "its stress shapes leave out up to 0.9[0-9]* of a shape of its basis"
head -100 freq.frd >cut.frd
sed 's|freq.frd|cut.frd|' bare-modes.yaml >cut.yaml
run 2 check cut.yaml
says 'cut.frd.*there is no field STRESS'

sed 's|^2.1e5, 0.3|2.1e4, 0.3|' free.inp >soft.inp
sed 's|free.inp|soft.inp|' free.yaml >soft.yaml
run 0 simulate soft.yaml --end 1e-4 -o soft.h5
says 'have 0.1 of the stiffness of the matrices'
finish

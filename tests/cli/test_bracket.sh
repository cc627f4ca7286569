#!/bin/sh
# docs/import-programs.md, CalculiX from mesh to mechanism: the bracket of the examples by its deck, by the matrices that
# CalculiX makes of this deck, and in its basis from a file, carries the same pendulum.
. "$(dirname "$0")/lib.sh"

if ! command -v ccx >/dev/null 2>&1; then
    echo "there is no program ccx (Debian package calculix-ccx): the bracket is not imported from it"
    exit 77
fi
cp "$examples/bracket.yaml" direct.yaml
cp "$examples/bracket.inp" bracket.inp
printf '*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n' >>bracket.inp
ccx -i bracket >ccx.log 2>&1 || fail "ccx: $(tail -3 ccx.log)"

# ---- what is in the files ----
run 0 import bracket.inp bracket.sti bracket.mas bracket.dof --unit length=0.001 --unit mass=1000 -o imported.yaml
prints 'bracket.sti: CalculiX matrix: stiffness matrix 2637 x 2637'
prints 'bracket.mas: CalculiX matrix: mass matrix 2637 x 2637'
prints '^  mass            0.5568'
prints '^group FOOT: 193 nodes; port'
prints '^group BORE: 120 nodes; port'
grep -q '^      FOOT: {on: FOOT}$' imported.yaml || fail "no port FOOT: $(cat imported.yaml)"
run 0 modes imported.yaml --count 6

# ---- the mechanism with this body ----
sed -e 's|^    kind: solid|    kind: imported|' -e '/^    material: steel/d' -e 's|^    mesh:.*|'"\
    files: [bracket.inp, bracket.sti, bracket.mas, bracket.dof]\n    units: {length: 0.001, mass: 1000}|" \
    direct.yaml >matrices.yaml
grep -q 'kind: imported' matrices.yaml && grep -q 'bracket.sti' matrices.yaml || fail "matrices.yaml is wrong"
run 0 reduce matrices.yaml --body bracket -o bracket.h5
awk '/^  bracket:/ { print; print "    kind: reduced\n    file: bracket.h5"; skip = 1; next }
     /^  pendulum:/ { skip = 0 } !skip' matrices.yaml >reduced.yaml
for model in direct matrices reduced; do
    run 0 modes $model.yaml --count 4 --format csv
    columns out.txt omega >$model.txt
    run 0 simulate $model.yaml --end 0.2 --csv $model.csv -o $model.h5
done
cmp -s matrices.txt reduced.txt || fail "frequencies of the reduced body differ: $(paste matrices.txt reduced.txt)"
columns matrices.csv angle bore.z floor.fz >matrices.txt
columns reduced.csv angle bore.z floor.fz | cmp -s - matrices.txt || fail "the reduced body moves otherwise"

# ---- against the deck read directly ----

for model in direct matrices; do
    run 0 modes $model.yaml --count 4 --format csv
    columns out.txt omega >$model.omega
done
paste direct.omega matrices.omega | awk '{ e = $1 / $2 - 1; e = e < 0 ? -e : e; if (e > most) most = e } END { print most }' >most.txt
check "frequencies by the deck and by the matrices" "$(cat most.txt)" 1e-6
for column in angle bore.z floor.fz; do
    columns direct.csv $column >one.txt
    columns matrices.csv $column >other.txt
    check "$column" "$(paste one.txt other.txt | awk '{ d = $1 - $2; d = d < 0 ? -d : d; s = $1 < 0 ? -$1 : $1
        if (d > most) most = d; if (s > size) size = s } END { print most / size }')" 1e-5
done
finish

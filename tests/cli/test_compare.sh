#!/bin/sh
# Results against each other by the program: tables, exit statuses by tolerances, and what cannot be compared.
. "$(dirname "$0")/lib.sh"
cat >point.yaml <<'EOF'
phlexor: 1
dimension: 2
gravity: [0, 0]
parameters: {v: 2}
bodies:
  b: {kind: rigid, mass: 1, inertia: 1, velocity: {linear: [v, 0]}}
outputs:
  b: {position: b.P}
simulate: {integrator: midpoint, step: 0.125, end: 1}
EOF
run 0 simulate point.yaml -o a.h5 --csv a.csv
run 0 simulate point.yaml --step 0.25 -o b.h5
run 0 simulate point.yaml --set v=3 -o c.h5

# ---- uniform motions: x = 2 t at other steps, and 3 t ----
run 0 compare a.h5 b.h5 a.csv --tolerance 1e-12m --tolerance 1e-12
prints '^b.h5 less a.h5, 0 to 1 s$'
prints '^a.csv less a.h5, 0 to 1 s$'
run 1 compare a.h5 b.h5 c.h5 --tolerance 1e-3 --tolerance 1e-12m
prints '^b.x .* above *0.002$'
says '1 of 4 differences is above its tolerance'
! grep -q '^b.y .* above' out.txt || fail "b.y, which stays at zero, is above an absolute tolerance"
run 0 compare a.h5 c.h5 --format csv
check 'largest x' "$(columns out.txt largest | awk 'NR == 1 { print $1 - 1 }')" 1e-13
check 'rms of t' "$(columns out.txt rms | awk 'NR == 1 { print $1 - sqrt(1 / 3) }')" 1e-13
check 'in parts of 2 m' "$(columns out.txt largest_share | awk 'NR == 1 { print $1 - 0.5 }')" 1e-13
run 0 compare a.h5 c.h5 --from 0.25 --to 0.5 --outputs b.x --format csv
check 'largest of a range of time' "$(columns out.txt largest | awk '{ print $1 - 0.5 }')" 1e-13
run 0 compare a.h5 c.h5 -o table.json
"${PYTHON:-python3}" - <<'EOF' || fail "the json of a comparison"
import json
table = json.load(open("table.json"))
rows = {row["output"]: row for row in table["files"][0]["outputs"]}
assert table["reference"] == "a.h5" and table["files"][0]["file"] == "c.h5" and list(rows) == ["b.x", "b.y"]
assert abs(rows["b.x"]["end"] - 1) < 1e-13 and rows["b.x"]["largest_at"] == 1 and rows["b.x"]["tolerance"] is None
EOF
run 0 compare a.h5 c.h5 --outputs energy
prints '^energy  J .* 2.5'

# ---- a measurement ----
printf 'time,place\n0,0.5\n1,2.5\n' >measured.csv
run 0 compare a.h5 --with measured.csv --map place=b.x --tolerance 0.25
run 1 compare a.h5 --with measured.csv --map place=b.x --tolerance 0.2499
run 1 compare a.h5 b.h5 --with measured.csv --map place=b.x --tolerance 0.2499

# ---- what is missing is told ----
sed 's/^  b: {position.*/  d: {position: b.P}\n&/; s/b: {position/b: {velocity/' \
    point.yaml >other.yaml
sed 's/^  b: {position.*/&\n  d: {position: b.P}/' point.yaml >more.yaml
run 0 simulate other.yaml -o other.h5
run 0 simulate more.yaml -o more.h5
run 0 compare a.h5 more.h5
says 'a.h5 has no d.x, d.y, which more.h5 has'
run 0 compare more.h5 a.h5
says 'a.h5 has no d.x, d.y, which more.h5 has'
run 2 compare more.h5 a.h5 --outputs b,d
says "a.h5: it has no column 'd.x'"

# ---- what is wrong ----
printf 't,z\n0,1\n' >z.csv
printf 't,b.x\n0,1\n0.5,fast\n' >words.csv
cp z.csv table.csv
run 2 compare
run 2 compare a.h5
says 'give two results at least'
run 2 compare a.h5 missing.h5 -o table.csv
says missing.h5
run 2 compare a.h5 other.h5 -o table.csv
says 'b.x is in m in a.h5 and in m/s in other.h5'
run 2 compare a.h5 z.csv -o table.csv
says 'no common outputs'
run 1 compare a.h5 words.csv -o table.csv
says 'words.csv:3: expected a finite number in column 2'
run 2 compare a.h5 b.h5 --outputs b.z -o table.csv
says 'no column'
run 2 compare a.h5 b.h5 --tolerance 1m/s -o table.csv
says "the tolerance is in 'm/s'"
for wrong in much -1 nan ''; do
    run 2 compare a.h5 b.h5 --tolerance "$wrong"
    says 'tolerance: expected a number from 0 on'
done
run 2 compare a.h5 --with measured.csv
says 'belong together'
run 2 compare a.h5 b.h5 -o table.csv --format json
says 'contradicts'
run 2 compare a.h5 --from 3 --to 4 b.h5
says 'no rows from t = 3 s to 4 s'
cmp z.csv table.csv || fail "a comparison that failed has written its table"
[ ! -e table.csv.partial ] || fail "table.csv.partial stays"
run 2 compare a.h5 a.csv -o a.csv
says 'a.csv'
finish

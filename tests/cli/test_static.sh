#!/bin/sh
# phlexor static: what it prints and writes, and what it refuses; modes and linear models about the equilibrium.
. "$(dirname "$0")/lib.sh"

# ---- text, json, files ----
run 0 static "$examples/desk_lamp.yaml" -o lamp.h5 --csv lamp.csv
prints 'equilibrium  stable; descent'
prints 'lower_angle '
[ -s lamp.h5 ] || fail "no lamp.h5"
lines=$(columns lamp.csv t static.load static.unstable | wc -l)
[ "$lines" -eq 1 ] || fail "lamp.csv has $lines rows, expected 1"
run 0 static "$examples/desk_lamp.yaml" -o lamp.json --format json
cmp -s out.txt lamp.json || fail "the json on stdout and in the file differ"
grep -q '"lower_angle": 2.26' lamp.json || fail "lamp.json has no angle"
run 0 static "$examples/desk_lamp.yaml" -o again.csv
cmp -s lamp.csv again.csv || fail "--csv and -o FILE.csv differ"
run 0 report lamp.h5 -o lamp.html
run 0 export lamp.h5 --format json

# ---- steps and paths ----
run 0 static "$examples/shallow_arch.yaml" --steps 10 --csv -
[ "$(grep -c '^[0-9]' out.txt)" -eq 11 ] || fail "--steps 10 gives $(grep -c '^[0-9]' out.txt) rows, expected 11"
run 0 static "$examples/shallow_arch.yaml" --path --points 12 --csv path.csv
prints 'path         12 points'
columns path.csv static.load static.unbalanced | awk '{ if ($2 > 1e-10) exit 1 }' || fail "a point of the path is out of balance"
run 0 static "$examples/shallow_arch.yaml" --set load=20 --buckling 2
prints 'critical     loads times '

# ---- a steady rotation, and a run that goes on from it ----
sed 's/^modes:.*/outputs: {stress: {axial_force: blade@0}}\nsimulate: {end: 0.5, step: 1e-3}/; /^sweep:/d' \
    "$examples/rotor_blade.yaml" >blade.yaml
run 0 static blade.yaml --steady -o turning.h5
prints 'rotation     steady, '
pulls=$(awk '$1 == "stress" { print $2 }' out.txt)
(cat blade.yaml; echo 'initial: {from: turning.h5}') >on.yaml
run 0 simulate on.yaml -o on.h5 --csv on.csv
columns on.csv stress | awk -v pulls="$pulls" '{ d = $1 / pulls - 1; if (d > 1e-6 || d < -1e-6) exit 1 }' ||
    fail "the blade does not go on turning as it was: $pulls N, then $(columns on.csv stress | tail -1)"
run 2 static blade.yaml --steady --path

run 0 static "$examples/landing_gear.yaml" # an output is called load

# ---- what is refused ----
run 2 static "$examples/shallow_arch.yaml" --path --steps 3
run 2 static "$examples/shallow_arch.yaml" --stride 0.1
run 2 static "$examples/shallow_arch.yaml" -o arch.txt
says "unknown ending '.txt', expected .h5, .csv or .json"
run 2 static "$examples/shallow_arch.yaml" -o arch
says 'FILE.h5, FILE.csv or FILE.json'
run 1 static "$examples/hinged_beam.yaml"
says "'ball' still moves"
cat >free.yaml <<'E'
phlexor: 1
dimension: 2
gravity: [0, -9.81]
bodies: {wheel: {kind: rigid, mass: 1, inertia: 1}, bob: {kind: rigid, mass: 1, inertia: 1, centre_of_mass: [0.3, 0]}}
joints: {axle: {kind: revolute, ports: [ground.O, wheel.P]}, pin: {kind: revolute, ports: [wheel.P, bob.P]}}
outputs: {angle: {coordinate: pin}}
E
for length in 1 0.7; do # a spring that is as long as it wants to be has stiffness in one direction
    cat >joined.yaml <<E
phlexor: 1
dimension: 2
bodies: {a: {kind: rigid, mass: 1, inertia: 1}, b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [1, 0]}}}
springs: {s: {ports: [a.P, b.P], stiffness: 100, length: $length}}
E
    run 0 static joined.yaml
    says "neither held nor loaded: body 'a' along y, .* (5 free motions)"
done
run 0 static free.yaml
says "neither held nor loaded: joint"
prints '1 motion'

# ---- modes and linear models about it ----
sed 's/, inertia: 1, centre/, inertia: 0.2, centre/; s/wheel: {kind: rigid, mass: 1, inertia: 1}, //; s/axle:.*wheel.P\]}, //; s/wheel.P/ground.O/' free.yaml >bob.yaml
run 0 modes bob.yaml --format csv --at static
omega=$(awk -F, '!/^#/ && $1 == 1 { print $3 }' out.txt)
awk "BEGIN { w = sqrt(9.81 * 0.3 / (0.2 + 0.09)); exit !($omega - w < 1e-12 && w - $omega < 1e-12) }" ||
    fail "the hanging bob has omega = $omega"
[ -s err.txt ] && fail "modes --at static says: $(cat err.txt)"
run 0 modes bob.yaml --format csv
says 'not in equilibrium: it would accelerate with .* of the acting forces'
says 'at static'
run 0 modes bob.yaml --format csv --at steady
[ "$(awk -F, '!/^#/ && $1 == 1 { print $3 }' out.txt)" = "$omega" ] || fail "steady without a drive is another equilibrium"
run 0 linearize bob.yaml --at static --inputs pin.effort
prints '2 states'
[ -s err.txt ] && fail "linearize --at static says: $(cat err.txt)"
run 0 linearize bob.yaml --inputs pin.effort
says 'not in equilibrium'

# ---- a steady rotor keeps its gyroscopic terms: the poles are the modes, forward and backward apart ----
run 0 modes "$examples/overhung_disc.yaml" --at steady --set Omega=500 --count 4 --format csv
awk -F, '!/^#/ && $1 + 0 > 0 { print $3 }' out.txt >modes.txt
run 0 linearize "$examples/overhung_disc.yaml" --at steady --set Omega=500 --inputs disc.P.fy --outputs disc.P.y
awk '$1 == "pair" && n < 4 { print $2; n++ }' out.txt >poles.txt
[ "$(wc -l <poles.txt)" -eq 4 ] || fail "expected four poles in: $(cat out.txt)"
paste modes.txt poles.txt | awk '{ d = $1 / $2 - 1; if (d > 1e-8 || d < -1e-8) exit 1 }' ||
    fail "the poles about the rotation are not the modes: $(paste modes.txt poles.txt)"
# ---- controllers with states rest ----
cat >pid.yaml <<'E'
phlexor: 1
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [0.4, 0]}}
joints: {j: {kind: revolute, ports: [ground.O, arm.P]}}
outputs: {q: {coordinate: j}}
controllers: {pid: {kind: pid, measure: j, reference: 0.7, kp: 30, kd: 5, ki: 20, effort: j}}
simulate: {end: 0.5, step: 1e-2}
initial: {equilibrium: true}
E
run 0 static pid.yaml -o held.h5
prints 'stable by its 2 motions'
prints 'pid.z1 *6.0024814'
run 0 simulate pid.yaml --csv rest.csv
columns rest.csv q pid.z1 kinetic | awk '{ d = $1 - 0.7; if (d * d > 1e-26 || $3 > 1e-24) exit 1 }' ||
    fail "a run from the equilibrium moves: $(columns rest.csv q pid.z1 kinetic | tail -1)"
(grep -v initial pid.yaml; echo 'initial: {from: held.h5}') >from.yaml
run 0 simulate from.yaml --csv from.csv
columns from.csv kinetic | awk '{ if ($1 > 1e-24) exit 1 }' || fail "a run that continues the equilibrium moves"
run 0 linearize pid.yaml --at static --inputs j.effort
prints '3 states'
[ -s err.txt ] && fail "linearize --at static says: $(cat err.txt)"
sed 's/effort: j}/effort: j, sample: 0.01}/' pid.yaml >sampled.yaml
run 0 static sampled.yaml
prints 'stable by its 2 motions'
sed 's/sample: 0.01/sample: 0.3/' sampled.yaml >slow.yaml
run 0 static slow.yaml
prints 'unstable'
prints 'pid.z1 *6.0024814'

# ---- divergence and flutter apart: Ziegler's pendulum ----
cat >ziegler.yaml <<'E'
phlexor: 1
dimension: 2
parameters: {p: 5}
bodies:
  a: {kind: rigid, mass: 2, inertia: 0.01, centre_of_mass: [1, 0], ports: {C: {position: [1, 0]}}}
  b: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [1, 0], ports: {C: {position: [1, 0]}}, pose: {position: [1, 0]}}
joints:
  p: {kind: revolute, ports: [ground.O, a.P], stiffness: 5}
  q: {kind: revolute, ports: [a.C, b.P], stiffness: 5}
loads: {f: {force: [-p, "0"], at: b.C, frame: body}}
E
run 0 static ziegler.yaml
prints 'stable by its 2 motions'
run 0 static ziegler.yaml --set p=12
prints 'unstable: flutters (1 motion), the fastest as exp('
says 'it flutters; no other equilibrium is searched for'
run 0 static ziegler.yaml --set p=40 --format json
prints '"divergent": 2'
prints '"fluttering": 0'
says 'it diverges; --stable searches for a stable one'
finish

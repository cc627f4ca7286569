#!/bin/sh
# Models of very many parts in a time that grows with their number, and runs that are refused for their size.
. "$(dirname "$0")/lib.sh"

# within SECONDS STATUS ARGUMENTS...: run, and see that it did not take longer than a quadratic method would.
within()
{
    limit=$1
    shift
    begun=$(date +%s)
    run "$@"
    spent=$(($(date +%s) - begun))
    [ "$spent" -le "$limit" ] || fail "phlexor $*: $spent s, at most $limit expected"
}

head2='phlexor: 1
dimension: 2'

# ---- many ports of one body ----
{
    printf '%s\nbodies:\n  a:\n    kind: rigid\n    mass: 1\n    inertia: 1\n    ports:\n' "$head2"
    awk 'BEGIN { for (i = 0; i < 200000; i++) printf "      p%d: {position: [%d, 0]}\n", i, i }'
} >ports.yaml
within 60 0 check ports.yaml

# ---- many loads ----
{
    printf '%s\nbodies:\n  a: {kind: rigid, mass: 1, inertia: 1}\nloads:\n' "$head2"
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "  l%d: {force: [1, 0], at: a.P}\n", i }'
} >loads.yaml
within 60 0 check loads.yaml

# ---- many welds between two bodies: one warning, quickly, and the same rank as of one ----
{
    printf 'phlexor: 1\ndimension: 3\nbodies:\n  a: {kind: rigid, mass: 1, inertia: [1, 1, 1]}\njoints:\n'
    awk 'BEGIN { for (i = 0; i < 1000; i++) printf "  w%d: {kind: weld, ports: [ground.O, a.P]}\n", i }'
} >welds.yaml
within 30 0 check welds.yaml
[ "$(grep -c warning err.txt)" -eq 1 ] || fail "one warning expected: $(head -3 err.txt)"
says "5994 rows of 999 joints are redundant (joints 'w1', 'w2', "
prints '^constraint rank  *6$'

# a pair with very many rows that contradict each other is found all the same
sed "s/  w500: .*/  w500: {kind: weld, ports: [ground.Q, a.P]}/; s/^bodies:/ground: {ports: {Q: {position: [0.1, 0, 0]}}}\nbodies:/" \
    welds.yaml >apart.yaml
run 1 check apart.yaml
says "the joints cannot be closed: .*'w"

# ---- the elements of a beam ----
beam()
{
    cat >beam.yaml <<EOF
$head2
materials: {al: {density: 2700, young: 7e10}}
bodies:
  bar:
    kind: beam
    material: al
    length: 1
    section: {kind: circle, diameter: 0.01}
    elements: $1
    reference: $2
EOF
}
beam 100000 simply_supported
within 60 0 check beam.yaml
beam 50000 cantilever
run 1 check beam.yaml
says "beam.yaml:5:3: body 'bar': its mass matrix is singular to rounding; take fewer elements"
beam 100001 simply_supported
run 2 check beam.yaml
says "beam.yaml:10:15: bodies.bar.elements: expected an integer from 1 to 100000, found '100001'"

beam 20001 simply_supported
sed 's/dimension: 2/dimension: 3/' beam.yaml >space.yaml
run 2 check space.yaml
says "space.yaml:10:15: bodies.bar: expected at most 20000 'elements' in space, found 20001"

# ---- data that leave no room for products ----
beam 4 cantilever
for change in 'length: 1$/length: 1e300' 'length: 1$/length: 1e-100' 'density: 2700/density: 1e300' 'young: 7e10/young: 1e-160'; do
    sed "s/$change/" beam.yaml >extreme.yaml
    run 2 check extreme.yaml
    says "extreme.yaml:5:3: body 'bar': .* check its lengths, masses and material; the key farthest from 1 is .*1e[+-]"
done

# ---- runs of very many instants or points ----
run 2 simulate "$examples/crank_slider.yaml" -o r.h5 --every 1e-11
says 'instants: about .* of results and about .* on one thread; take a longer --every, or go on with --yes'
[ ! -e r.h5 ] || fail "a result of a run that was refused"
run 2 simulate "$examples/crank_slider.yaml" -o r.h5 --every 1e-300
says '^phlexor: --every: 1e-300 s is too short for an end at'
run 2 simulate "$examples/crank_slider.yaml" -o r.h5 --step 1e-300
says '^phlexor: --step: 1e-300 s is too short'
run 2 simulate "$examples/four_bar.yaml" -o - --end 0.1 --step 1e-3 --sweep theta1=0:1:1000000000
says '1000000000 points with .* instants in all: about .* of results and about .* on one thread; take fewer points'
run 2 modes "$examples/four_bar.yaml" --sweep theta1=0:1:1000000000
says '1000000000 points: about .* of results and about .* on one thread; take fewer points, or go on with --yes'
run 0 simulate "$examples/crank_slider.yaml" -o r.h5 --end 1e-3 --yes
finish

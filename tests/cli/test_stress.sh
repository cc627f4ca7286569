#!/bin/sh
# Hot spots of a result: their value and time are those of the output of the whole body, node and place those of the
# deck, and they lie in the order of their stress; what has none is refused.
. "$(dirname "$0")/lib.sh"
cp "$examples/bracket.inp" .
sed 's|^outputs:|outputs:\n  most: {von_mises: bracket}|' "$examples/bracket.yaml" >m.yaml
run 0 simulate m.yaml --end 0.2 --csv m.csv -o m.h5
mv out.txt summary.txt
run 0 stress m.h5 -o spots.csv
columns m.csv t most >most.txt
columns spots.csv node x y z t von_mises >spots.txt
python3 - <<'END' || fail "the hot spots of the bracket"
rows = lambda name: [[float(word) for word in line.split()] for line in open(name)]
time, most = max(rows("most.txt"), key=lambda row: row[1])
spots = rows("spots.txt")
assert 1 < len(spots) <= 5, spots
assert abs(spots[0][5] / most - 1) < 1e-12 and spots[0][4] == time, (spots[0], time, most)
assert all(a[5] >= b[5] for a, b in zip(spots, spots[1:])), spots
deck, inside = {}, False
for line in open("bracket.inp"):
    if line.startswith("*"):
        inside = line.upper().startswith("*NODE")
    elif inside:
        words = line.split(",")
        deck[int(words[0])] = [1e-3 * float(word) for word in words[1:4]]
for node, *place in (spot[:4] for spot in spots):
    assert max(abs(a - b) for a, b in zip(place, deck[int(node)])) < 1e-15, (node, place, deck[int(node)])
END

node=$(sed -n '2s/^bracket,\([0-9]*\),.*/\1/p' spots.csv)
grep -q "most is largest, .* at node $node of 'bracket'" summary.txt || fail "the node of the largest: $(cat summary.txt)"

# ---- every node of a set ----
run 0 stress m.h5 --set BORE -o bore.csv
[ "$(wc -l <bore.csv)" -eq 121 ] || fail "BORE has 120 nodes: $(wc -l <bore.csv)"
run 2 stress m.h5 --set BORE --body pendulum -o none.csv
run 2 stress m.h5 --set BOR -o none.csv
says "no mesh with stresses has a set of nodes 'BOR', beside that of all its nodes; did you mean 'BORE'"

# ---- one body of it, and the other forms ----
run 0 stress m.h5 --body bracket --count 1
[ "$(wc -l <out.txt)" -eq 2 ] || fail "a heading and one line: $(cat out.txt)"
run 0 stress m.h5 --format json
python3 -c 'import json, sys
spots = json.load(open("out.txt"))["hot_spots"]
sys.exit([spot["node"] for spot in spots] != [float(line.split()[0]) for line in open("spots.txt")])' ||
    fail "json and csv differ"

# ---- with stiffening a result has no stresses at nodes: nothing is said of them ----
{ cat "$examples/spinning_plate.yaml"; echo 'outputs: {most: {von_mises: plate}}'; } >stiff.yaml
run 0 simulate stiff.yaml --end 0.01 --step 1e-3 -o stiff.h5
! grep -q 'is largest' out.txt || fail "a node of stresses that are not there: $(cat out.txt)"
run 2 stress stiff.h5 -o none.csv
says 'no body has stresses at the nodes of a mesh'

# ---- mistakes ----
run 2 stress m.h5 --body pendulum -o none.csv
says "no body 'pendulum' has stresses"
run 2 stress m.h5 -o none.csv --format json
says 'contradicts --format json'
run 2 stress m.h5 -o none.xlsx
says "unknown ending '.xlsx'"
run 2 stress missing.h5 -o none.csv
run 2 stress m.h5 --count 0
run 0 simulate "$examples/four_bar.yaml" --step 1e-3 --end 0.01 -o plane.h5
run 2 stress plane.h5 -o none.csv
says 'plane.h5: no body has stresses at the nodes of a mesh'
[ ! -e none.csv ] || fail "a table of nothing"
finish

#!/bin/sh
# First models: every kind is written, keeps to the keys, runs without a warning and is shown; nothing is written over.
. "$(dirname "$0")/lib.sh"

run 2 new pendulu
says "did you mean 'pendulum'"
kinds=$(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' err.txt)
[ "$(echo $kinds)" = "pendulum crank-slider robot satellite rotor suspension plate imported rod controller" ] || fail "kinds: $kinds"
for kind in $kinds; do
    run 0 new $kind -o my-$kind.yaml
    prints "phlexor simulate my-$kind.yaml"
    run 0 check my-$kind.yaml
    end=
    [ $kind != satellite ] || end='--end 3' # of a minute, which runs below in longer steps
    run 0 simulate my-$kind.yaml --csv my-$kind.csv -o my-$kind.h5 $end
    ! grep -q 'warning' err.txt || fail "$kind: $(cat err.txt)"
    run 0 view my-$kind.yaml -o my-$kind.html
    grep -q '^ *shape:' my-$kind.yaml || [ $kind = rod ] || fail "$kind has no shapes"
    grep -q "^| \[\`$kind\`\](../cli/templates/$kind.yaml)" "$source_dir/docs/first-models.md" || fail "$kind is not explained"
done

# ---- the numbers that the models speak of ----
# the rod has the curvature 2 pi 0.5 when it is at rest; the wheel has turned the satellite by ten degrees
columns my-rod.csv bend.k3 | tail -1 | awk '{ e = $1 / 3.14159265 - 1; exit !(e * e < 0.15^2) }' || fail "the rod"
run 0 simulate my-satellite.yaml --step 0.05 --csv my-satellite.csv -o my-satellite.h5
columns my-satellite.csv craft.6 | tail -1 | awk '{ e = $1 / 0.1745329 - 1; exit !(e * e < 0.01^2) }' || fail "the satellite"
columns my-controller.csv phi x | tail -1 | awk '{ exit !($1 * $1 + $2 * $2 < 1e-6) }' || fail "the cart"

# ---- the files of a body come along, by the name of the model ----
mkdir folder
run 0 new imported -o folder/part.yaml
for file in part.yaml part_K.mtx part_M.mtx part_nodes.csv; do
    [ -s folder/$file ] || fail "no folder/$file"
done
# its basis has the frequencies of all unknowns of the mesh, though its ports are single nodes
run 0 modes folder/part.yaml --count 3 --format csv
columns out.txt frequency >reduced.txt
sed 's/basis: .*/basis: {kind: all}/' folder/part.yaml >folder/all.yaml
run 0 modes folder/all.yaml --count 3 --format csv
columns out.txt frequency | paste -d' ' - reduced.txt | awk '{ e = $2 / $1 - 1; bad += e * e > 1e-12 } END { exit bad || NR != 3 }' ||
    fail "the frequencies of the imported body: $(cat reduced.txt)"
run 2 new imported -o folder/part.yaml
says 'folder/part.yaml: it is there already'
rm folder/part.yaml
run 2 new imported -o folder/part.yaml
says 'it is there already'
[ ! -e folder/part.yaml ] || fail "a model without all its files"
run 2 new imported -o 'c: d.yaml'
says "a name of letters"
run 2 new pendulum -o nowhere/p.yaml
finish

#!/bin/sh
# Nothing is written over what a command reads nor over another result, by whatever name; links are written through;
# "-" is standard output; what cannot be written says why.
. "$(dirname "$0")/lib.sh"

cat >signal.csv <<'E'
t,w
0,1
1,2
E
cat >m.yaml <<'E'
phlexor: 1
dimension: 2
parameters: {k: 1}
bodies: {b: {kind: rigid, mass: 1, inertia: 1, ports: {C: {position: [1, 0]}}}}
joints: {j: {kind: revolute, ports: [ground.O, b.P]}}
springs: {s: {stiffness: k, length: 0.5, ports: [ground.O, b.C]}}
loads: {f: {torque: {file: signal.csv, column: w}, at: b.P}}
outputs: {tip: {position: b.C}}
simulate: {end: 0.1, step: 0.01}
optimize: {variables: {k: {min: 0.5, max: 2}}, minimize: simulate.final(tip.y)}
identify: {parameters: {k: {min: 0}}, time_series: {file: measured.csv, column: angle, model: tip.y}}
E
cat >measured.csv <<'E'
t,angle
0,0
0.05,0.001
0.1,0.004
E
run 0 simulate m.yaml -o a.h5 --csv a.csv
sed 's/^outputs/initial: {from: a.h5}\noutputs/; s/end: 0.1/end: 0.2/' m.yaml >next.yaml
run 0 modes m.yaml -o modes.h5
run 0 linearize m.yaml -o linear.h5
cat >published.csv <"$source_dir/python/phlexor/reproduce/published.csv"
mkdir folder kept
ln -s "$place" elsewhere
cp -p m.yaml next.yaml signal.csv measured.csv a.h5 a.csv modes.h5 linear.h5 published.csv kept

# intact WHAT: every input is as it was, and nothing was left behind.
intact()
{
    for input in kept/*; do
        cmp -s "$input" "${input#kept/}" || fail "$1 destroyed ${input#kept/}"
    done
    left=$(find . -name '*.partial*')
    [ -z "$left" ] || fail "$1 left $left"
}

# refuses ARGUMENTS...: status 2, every input intact.
refuses()
{
    run 2 "$@"
    says 'written over\|two results\|unknown ending'
    intact "$*"
}

# ---- no input is written over, by any name ----
for name in m.yaml ./m.yaml folder/../m.yaml "$place/m.yaml" elsewhere/m.yaml; do
    refuses simulate m.yaml -o "$name"
    refuses simulate m.yaml -o new.h5 --csv "$name"
    refuses modes m.yaml -o "$name"
    refuses inverse m.yaml -o "$name"
    refuses optimize m.yaml --model "$name"
    refuses optimize m.yaml --page "$name"
    refuses inverse m.yaml -o new.csv --result "$name"
    refuses view m.yaml -o "$name"
    refuses identify m.yaml -o "$name"
    refuses identify m.yaml --page "$name"
    refuses plot m.yaml --spy -o "$name" --format svg
    refuses export m.yaml --format json -o "$name"
done
for name in a.h5 ./a.h5 folder/../a.h5 "$place/a.h5" elsewhere/a.h5; do
    refuses report a.h5 -o "$name"
    refuses plot a.h5 -o "$name" --format svg
    refuses export a.h5 --format csv -o "$name"
    refuses simulate next.yaml -o "$name"
    refuses modes next.yaml -o "$name"
    refuses linearize next.yaml -o "$name"
    refuses titop next.yaml --body b -o "$name"
    refuses view next.yaml -o "$name"
    refuses export elsewhere/next.yaml --format mat -o "$name"
done
refuses plot a.csv --columns tip.x -o a.csv --format svg
refuses plot modes.h5 -o modes.h5 --format svg
refuses report modes.h5 -o modes.h5
refuses export modes.h5 --format csv -o modes.h5
refuses export linear.h5 --format mat -o linear.h5
refuses plot linear.h5 -o linear.h5 --format svg
refuses simulate m.yaml -o new.h5 --csv signal.csv
refuses modes m.yaml -o signal.csv
refuses optimize m.yaml -o signal.csv
refuses modes m.yaml --set k=2 -o ./signal.csv
refuses view m.yaml -o signal.csv
refuses identify m.yaml -o measured.csv
refuses report a.h5 -o signal.csv
refuses reproduce --only titop_tables --published published.csv -o published.csv

# ---- links of both kinds, from and to ----
ln m.yaml hard.h5
ln -s m.yaml soft.h5
ln -s m.yaml link.yaml
ln -s signal.csv soft.csv
ln signal.csv hard.csv
refuses simulate m.yaml -o hard.h5
refuses simulate m.yaml -o soft.h5
refuses simulate link.yaml -o m.yaml
refuses simulate link.yaml -o link.yaml
refuses modes m.yaml -o soft.csv
refuses modes m.yaml -o hard.csv
for name in hard.h5 soft.h5 link.yaml soft.csv hard.csv; do
    [ -e "$name" ] || fail "$name is gone"
    rm "$name"
done

# ---- the names of unfinished results ----
cp a.h5 x.h5.partial
cp a.h5 x.h5.partial.tmp
for name in x.h5.partial x.h5.partial.tmp; do
    sed "s/a.h5/$name/" next.yaml >part.yaml
    for command in 'simulate part.yaml -o x.h5' 'modes part.yaml -o x.h5' 'linearize part.yaml -o x.h5'; do
        run 2 $command
        says "written over .*$name"
        cmp -s "$name" a.h5 || fail "$command destroyed $name"
    done
done
run 2 export x.h5.partial --format csv -o x.h5
cmp -s x.h5.partial a.h5 || fail "export destroyed x.h5.partial"
rm x.h5.partial x.h5.partial.tmp
ln -s m.yaml x.h5.partial # an old link leads nowhere
run 2 simulate m.yaml -o x.h5
rm x.h5.partial
ln -s kept/a.csv x.csv.partial
run 0 modes m.yaml -o x.csv
[ -s x.csv ] && [ ! -L x.csv ] || fail "a table in place of a link x.csv.partial"
intact "a link x.csv.partial"
rm x.csv
mkdir x_mtx.partial
cp m.yaml x_mtx.partial/contents.json
run 2 export x_mtx.partial/contents.json -o x_mtx
cmp -s m.yaml x_mtx.partial/contents.json || fail "export destroyed a model in x_mtx.partial"
rm -r x_mtx.partial

# ---- two results of one name ----
for name in same.h5 ./same.h5 folder/../same.h5 "$place/same.h5" elsewhere/same.h5 same.h5.partial \
    same.h5.partial.tmp; do
    refuses simulate m.yaml -o same.h5 --csv "$name"
    refuses simulate m.yaml -o "$name" --csv same.h5
    [ ! -e same.h5 ] || fail "there is a same.h5"
done
ln -s same.h5 same.csv # to what is not there yet
refuses simulate m.yaml -o same.h5 --csv same.csv
rm same.csv
refuses simulate m.yaml --sweep k=1:2:3 -o s.h5 --csv s.h5
refuses simulate m.yaml --sweep k=1:2:3 -o s-0002.csv --csv s.csv
cp a.h5 s-0003.h5
sed 's/a.h5/s-0003.h5/' next.yaml >part.yaml
run 2 simulate part.yaml --sweep k=1:2:3 -o ./s.h5
says 'written over .*s-0003.h5'
cmp -s s-0003.h5 a.h5 || fail "a sweep destroyed the result that it continues"
rm s-0003.h5

# ---- what is not read is replaced, also through a link, which stays ----
run 0 simulate m.yaml -o b.h5
run 0 simulate m.yaml -o b.h5 --csv b.csv
mkdir there
ln -s there/target.csv link.csv
ln -s there/target.h5 link.h5
ln -s ../there/target.mat folder/link.mat
for round in new again; do
    run 0 simulate m.yaml -o link.h5 --csv link.csv
    run 0 linearize m.yaml -o folder/link.mat
    for name in link.csv link.h5 folder/link.mat; do
        [ -L "$name" ] || fail "$round: $name is no link any more"
    done
    for name in target.csv target.h5 target.mat; do
        [ -f "there/$name" ] && [ ! -L "there/$name" ] || fail "$round: there/$name is not there"
    done
    cmp -s there/target.csv b.csv || fail "$round: the table behind a link is another one"
    intact "$round"
done
ln -s nowhere/target.h5 lost.h5
run 2 simulate m.yaml -o lost.h5
says 'No such file or directory'
ln -s round.h5 round.h5
run 2 simulate m.yaml -o round.h5
says 'symbolic links'
rm lost.h5 round.h5

# ---- "-" is standard output, where a format can go there ----
run 0 simulate m.yaml -o b.h5 --csv -
cmp -s out.txt b.csv || fail "--csv - is not the table"
run 2 simulate m.yaml -o -
says 'HDF5 cannot be written to standard output'
run 0 simulate m.yaml --sweep k=1:2:2 -o -
prints '^point,k,complete'
run 0 modes m.yaml --format csv -o table.csv
run 0 modes m.yaml --format csv -o -
cmp -s out.txt table.csv || fail "modes -o - is not the table"
run 0 export a.h5 --format csv -o -
run 2 export a.h5 --format mat -o -
says 'cannot be written to standard output'
run 0 export m.yaml --format json -o -
prints '"M"'
for command in linearize 'titop --body b'; do
    run 2 $command m.yaml -o -
    says 'format json'
done
for format in svg pdf png; do
    run 0 plot a.h5 --format $format -o picture.$format
    run 0 plot a.h5 --format $format -o -
    cmp -s out.txt picture.$format || fail "plot --format $format -o - is not the picture"
done
if "$program" report a.h5 -o page.html >out.txt 2>err.txt; then
    run 0 report a.h5 -o -
    cmp -s out.txt page.html || fail "report -o - is not the page"
    run 0 view m.yaml -o view.html
    run 0 view m.yaml -o -
    cmp -s out.txt view.html || fail "view -o - is not the page"
fi
[ ! -e - ] || fail "there is a file called '-'"

# ---- why something cannot be written ----
long=$(printf '%0300d' 0)
: >plain
mkdir -p full
# unwritable REASON NAME: no command writes NAME, for this reason.
unwritable()
{
    for command in "simulate m.yaml -o $2.h5" "simulate m.yaml -o b.h5 --csv $2.csv" "modes m.yaml -o $2.csv" \
        "optimize m.yaml -o $2.csv" "optimize m.yaml --model $2.yaml" "optimize m.yaml --page $2.html" \
        "modes m.yaml -o $2.h5" "linearize m.yaml -o $2.mat" "linearize m.yaml -o $2.h5" \
        "linearize m.yaml -o $2.json" "linearize m.yaml -o $2_mtx" "titop m.yaml --body b -o $2.mat" \
        "view m.yaml -o $2.html" "report a.h5 -o $2.html" "plot a.h5 -o $2.svg" "compare a.h5 a.h5 -o $2.csv" "export a.h5 -o $2.csv" \
        "export a.h5 -o $2_vtk" "export m.yaml -o $2_mtx" "simulate m.yaml --sweep k=1:2:2 -o $2.h5" \
        "simulate m.yaml --sweep k=1:2:2 -o $2.csv" "reproduce --only titop_tables -o $2.html"; do
        status=0
        $runner "$program" $command >out.txt 2>err.txt || status=$?
        [ "$status" -eq 2 ] || fail "phlexor $command: exit status $status, expected 2"
        says "$1"
        says ';'
    done
}
runner=
unwritable 'No such file or directory; check the name, and create' nowhere/x
if [ -z "${PHLEXOR_TEST_SHORT-}" ]; then
    unwritable 'Not a directory; check the name' plain/x
    unwritable 'File name too long; choose a shorter name' "$long"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then # a folder of somebody else
    chmod 755 "$place"
    runner='setpriv --reuid=65534 --clear-groups'
    unwritable 'Permission denied; choose a place you may write to' "$place/x"
elif [ "$(id -u)" != 0 ]; then
    chmod 555 full
    unwritable 'Permission denied; choose a place you may write to' full/x
    chmod 755 full
fi
runner=
for command in 'simulate m.yaml -o b.h5 --csv /dev/full' 'modes m.yaml --format csv -o /dev/full' 'optimize m.yaml -o /dev/full' \
    'plot a.h5 --format svg -o /dev/full' 'compare a.h5 a.h5 -o /dev/full' 'export a.h5 --format json -o /dev/full'; do
    run 1 $command
    says 'No space left on device; free space'
done
if [ -s page.html ]; then
    run 1 report a.h5 -o /dev/full
    says 'No space left on device; free space'
    run 1 view m.yaml -o /dev/full
    says 'No space left on device; free space'
    ! grep -q '/dev/full' out.txt && ! grep -q 'the page shows' err.txt || fail "view says that there is a page"
fi
for command in 'modes m.yaml' 'optimize m.yaml' 'schema' 'plot a.h5 --format svg -o -' 'export a.h5 --format csv -o -' 'check m.yaml' \
    'linearize m.yaml --format json' 'info' 'simulate m.yaml -o b.h5'; do
    status=0
    "$program" $command >/dev/full 2>err.txt || status=$?
    [ "$status" -eq 1 ] || fail "phlexor $command >/dev/full: exit status $status, expected 1"
    says 'No space left on device'
done
intact 'a full disk'

# A name with an ending that is no format of the command writes nothing; one without an ending is a name.
for command in 'simulate m.yaml' 'modes m.yaml' 'optimize m.yaml' 'static m.yaml' 'linearize m.yaml' 'plot a.h5' 'compare a.h5 a.h5' 'export a.h5' 'report a.h5' \
    'view m.yaml' 'inverse m.yaml' 'identify m.yaml' 'fmu m.yaml' 'titop m.yaml' 'reduce m.yaml' 'merge t.csv' 'reproduce'; do
    run 2 $command -o new.ods
    says "--output new.ods: unknown ending '.ods'"
    [ ! -e new.ods ] && [ ! -e new.ods.partial ] || fail "phlexor $command -o new.ods has written a file"
done
run 2 simulate m.yaml --csv t.csv -o b.h6
says "unknown ending '.h6', expected .h5 or .csv"
run 0 simulate m.yaml -o B.H5
run 0 simulate m.yaml -o plain
[ -s B.H5 ] && [ -s plain ] || fail "names with capitals or without an ending are not written"
finish

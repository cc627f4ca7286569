#!/bin/sh
# Sweeps of simulations and modes: the same files for any number of threads, failing points, Ctrl-C, options.
. "$(dirname "$0")/lib.sh"
pendulum=$examples/double_pendulum.yaml
four_bar=$examples/four_bar.yaml

# ---- threads ----
for threads in 1 2 3; do
    mkdir "t$threads"
    run 0 simulate "$pendulum" --sweep EI=100:400:4 --sweep n=1:3:3 --end 0.2 --threads $threads \
        -o "t$threads/p.h5" --csv "t$threads/table.csv"
    prints '12 of 12 complete'
    for format in csv json h5; do
        run 0 modes "$four_bar" --sweep theta1=0:2*pi:25 --threads $threads -o "t$threads/modes.$format"
    done
done
for threads in 2 3; do
    diff -r t1 t$threads >diff.txt || fail "$threads threads: $(cat diff.txt)"
done
[ "$(find t1 -type f | wc -l)" -eq 28 ] || fail "expected 12 results, 12 tables, a list and 3 of modes: $(ls t1)"
run 0 plot t1/p-0012.h5 -o picture.svg

# a point of the sweep is the simulation with those parameters
run 0 simulate "$pendulum" --set EI=200 --set n=3 --end 0.2 -o single.h5 --csv single.csv
cmp -s single.csv t1/table-0006.csv || fail "point 6 is not the single simulation"
[ "$(columns t1/p-list.csv point EI n complete | sed -n 6p)" = "6 200 3 1" ] || fail "the list: $(sed -n 7p t1/p-list.csv)"
[ "$(columns single.csv tip.y | tail -n 1)" = "$(columns t1/p-list.csv tip.y.end | sed -n 6p)" ] || fail "tip.y.end"

# ---- the list alone; defaults ----
run 0 simulate "$pendulum" --sweep EI=100:400:2 --end 0.1 -o list.csv
[ ! -e list-0001.h5 ] || fail "-o list.csv made results"
run 0 simulate "$pendulum" --sweep EI=100:400:2 --end 0.1 -o -
cmp -s out.txt list.csv || fail "-o - is not -o list.csv"
run 0 simulate "$pendulum" --sweep EI=100:400:2 --end 0.1
[ -e double_pendulum-0002.h5 ] && [ -e double_pendulum-list.csv ] || fail "no results under the model's name"

# ---- failing points ----
run 1 simulate "$pendulum" --sweep n=-1:2:4 --end 0.1 -o fails.h5 --threads 2
says 'at n = -1 (point 1 of 4)'
says '2 of 4 simulations failed'
[ ! -e fails-0001.h5 ] && [ -e fails-0003.h5 ] && [ -e fails-0004.h5 ] || fail "failing points: $(ls fails*)"
[ "$(columns fails-list.csv complete | tr '\n' ' ')" = "0 0 1 1 " ] || fail "failing points: $(cat fails-list.csv)"
rm -f fails*
run 2 simulate "$pendulum" --sweep n=2:-1:4 --end 0.1 -o fails.h5 --threads 2 --stop
says 'at n = 0 (point 3 of 4)'
[ -e fails-0002.h5 ] && [ ! -e fails-0004.h5 ] && [ ! -e fails-list.csv ] || fail "--stop: $(ls fails*)"

# ---- Ctrl-C ----
"$program" simulate "$pendulum" --sweep EI=100:400:9999 --end 0.1 -o stopped.h5 --threads 2 >out.txt 2>err.txt &
child=$!
for _ in $(seq 300); do
    [ ! -e stopped-0003.h5 ] || break
    sleep 0.1
done
kill -INT $child
status=0
wait $child || status=$?
[ $status -eq 130 ] || fail "Ctrl-C: exit status $status, expected 130: $(cat err.txt)"
says 'simulations were complete; they are listed in stopped-list.csv.partial'
[ "$(find . -name 'stopped-*.h5' | wc -l)" -eq "$(columns stopped-list.csv.partial complete | wc -l)" ] ||
    fail "Ctrl-C: $(find . -name 'stopped-*.h5' | wc -l) results, list: $(tail -n 1 stopped-list.csv.partial)"
[ -z "$(find . -name 'stopped-[0-9]*partial*')" ] || fail "Ctrl-C left $(find . -name 'stopped-[0-9]*partial*')"
rm -f stopped*

# ---- shards, and studies that were killed ----
study="--sweep EI=100:400:5 --sweep n=1:3:3 --end 0.1"
run 0 simulate "$pendulum" $study -o whole.csv
for i in 1 2 3 4; do
    run 0 simulate "$pendulum" $study --shard $i/4 -o part.csv --threads $((1 + i % 2))
done
run 0 merge part-*-of-4.csv -o merged.csv
prints '15 points of 4 tables'
cmp -s whole.csv merged.csv || fail "merged shards are not the study: $(diff whole.csv merged.csv)"
run 2 merge part-1-of-4.csv part-2-of-4.csv part-4-of-4.csv -o gap.csv
says 'point 3 is in none of the tables'
run 2 merge part-1-of-4.csv part-1-of-4.csv -o twice.csv
says 'point 1 is in part-1-of-4.csv and in part-1-of-4.csv'
run 2 merge "$pendulum" -o other.csv
says "its first column is called 'point'"
[ ! -e gap.csv ] && [ ! -e twice.csv ] && [ ! -e other.csv ] || fail "a table was merged that should not be"
run 0 simulate "$pendulum" $study --shard 15/20 -o few.csv
[ "$(wc -l <few-15-of-20.csv)" -eq 2 ] || fail "shard 15/20 of 15 points: $(cat few-15-of-20.csv)"
for shard in 0/4 5/4 1 a/b 2/4x; do
    run 2 simulate "$pendulum" $study --shard $shard -o part.csv
    says 'expected I/N'
done
run 2 simulate "$pendulum" --shard 1/2
run 2 simulate "$pendulum" --resume

for after in 0.02 0.05 0.1 0.2 0.3; do
    mkdir killed
    "$program" simulate "$pendulum" $study -o killed/r.h5 --threads 2 >/dev/null 2>&1 &
    child=$!
    sleep $after
    kill -KILL $child 2>/dev/null || true
    wait $child 2>/dev/null || true
    run 0 simulate "$pendulum" $study -o killed/r.h5 --threads 2 --resume
    cmp -s whole.csv killed/r-list.csv || fail "killed after $after s: $(diff whole.csv killed/r-list.csv)"
    [ "$(find killed -name 'r-[0-9]*.h5' | wc -l)" -eq 15 ] || fail "killed after $after s: $(ls killed)"
    rm -r killed
done
head -n 8 whole.csv >half.csv.partial
printf '8,200' >>half.csv.partial
run 0 simulate "$pendulum" $study -o half.csv --resume
prints '15 of 15 complete, .*; 6 were there before'
cmp -s whole.csv half.csv || fail "a study from its half: $(diff whole.csv half.csv)"
head -n 8 whole.csv >half.csv.partial
run 2 simulate "$pendulum" --sweep EI=100:400:5 --sweep n=1:3:3 --end 0.11 -o half.csv --resume
says 'its last point comes out another'
head -n 8 whole.csv >half-1-of-2.csv.partial
run 2 simulate "$pendulum" $study --shard 1/2 -o half.csv --resume
says 'it lists other points'

# ---- what does not go together ----
run 2 simulate "$pendulum" --stop
run 2 simulate "$pendulum" --sweep EI=1:2:2 --csv -
run 2 simulate "$pendulum" --sweep EI=1:2:2 -o one-0002.csv --csv one.csv
says 'two results would be written to one file, one-0002.csv'
[ ! -e one-0001.csv ] && [ ! -e one-0002.csv ] || fail "a list in place of a table: $(ls one*)"
run 0 simulate "$pendulum" --sweep EI=100:200:2 --end 0.1 -o one-0003.csv --csv one.csv
run 2 simulate "$pendulum" -o same.csv --csv same.csv
[ ! -e same.csv ] || fail "a result and a table in one file"
# the list of a sweep leaves the table of a simulation alone
run 0 simulate "$pendulum" --end 0.1 -o one.h5 --csv one.csv
cp one.csv before.csv
run 0 simulate "$pendulum" --sweep EI=100:200:2 --end 0.1 -o one.h5 --csv one.csv
cmp -s one.csv before.csv && [ -e one-list.csv ] || fail "the list is in place of a table"
run 2 simulate "$pendulum" --sweep EJ=1:2:2
says "did you mean 'E"
run 2 simulate "$pendulum" --sweep EI=1:2:2 --threads 0
run 2 simulate "$pendulum" --sweep EI=1:2:2 -o no/such/folder.h5
# ---- columns of controllers have names, the list is drawn over its parameter, endings of export are formats ----
cat >loop.yaml <<'END'
phlexor: 1
dimension: 2
parameters: {k1: 5, m: 1}
bodies: {a: {kind: rigid, mass: m, inertia: 0.1}}
joints: {s: {kind: revolute, ports: [ground.O, a.P]}}
outputs: {x: {coordinate: s}}
controllers: {c: {kind: pid, measure: s, effort: s, kp: k1, ki: 1, reference: 0.5}}
simulate: {end: 1, step: 0.1}
END
run 0 simulate loop.yaml --sweep k1=1:2:2 -o loop.csv
[ "$(head -1 loop.csv | cut -d, -f9-)" = \
    x.end,x.min,x.max,c.u1.end,c.u1.min,c.u1.max,c.z1.end,c.z1.min,c.z1.max,message ] || fail "columns: $(head -1 loop.csv)"
run 0 plot loop.csv -o loop.svg
grep -q '>k1<' loop.svg || fail "the list is not drawn over k1"
run 1 simulate loop.yaml --sweep m=-1:1:2 -o failed.csv # a point without numbers
run 0 plot failed.csv -o failed.svg
run 0 simulate loop.yaml --sweep k1=1:2:2 --sweep m=1:2:2 -o both.csv
run 0 plot both.csv --columns x.end,c.u1.max -o both.svg
grep -q '>point<' both.svg || fail "a list of two parameters is not drawn over the points"
run 0 simulate loop.yaml -o loop.h5
for name in film.mp4 x.ods; do
    run 2 export loop.h5 -o $name
    says "--output $name: unknown ending"
    [ ! -e $name ] || fail "$name was made"
done
run 2 export loop.h5 -o loop.mat --format json
says 'the ending contradicts --format json'
run 0 export loop.h5 -o run_0.5 # a folder
[ -f run_0.5/motion.pvd ] || fail "no folder run_0.5"
finish

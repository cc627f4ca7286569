#!/bin/sh
# phlexor simulate --sweep under mpirun: the same files for any number of processes, points that fail, a process that is
# killed.
. "$(dirname "$0")/lib.sh"
pendulum=$examples/double_pendulum.yaml
sweep="--sweep EI=100:400:4 --sweep n=1:3:2 --end 0.1"

mkdir one
run 0 simulate "$pendulum" $sweep -o one/p.h5 --csv one/table.csv
for size in 1 2 4; do
    mkdir "p$size"
    run_on $size 0 simulate "$pendulum" $sweep -o "p$size/p.h5" --csv "p$size/table.csv"
    [ "$(grep -c '8 of 8 complete' out.txt)" -eq 1 ] || fail "the summary: $(cat out.txt)"
    diff -r one "p$size" >diff.txt || fail "$size processes: $(cat diff.txt)"
done
[ "$(find one -type f | wc -l)" -eq 17 ] || fail "8 results, 8 tables and a list: $(ls one)"

# ---- points that fail ----
run 1 simulate "$pendulum" --sweep n=-1:2:4 --end 0.1 -o alone.h5
cp err.txt alone.txt
run_on 2 1 simulate "$pendulum" --sweep n=-1:2:4 --end 0.1 -o fails.h5
grep '^phlexor: ' err.txt >told.txt
cmp -s alone.txt told.txt || fail "messages of two processes: $(diff alone.txt told.txt)"
cmp -s alone-list.csv fails-list.csv || fail "the list: $(diff alone-list.csv fails-list.csv)"
run_on 2 1 simulate "$pendulum" --sweep n=3:-1:5 --end 0.1 -o stop.h5 --stop
says 'at n = 0 (point 4 of 5)'
[ -e stop-0003.h5 ] && [ ! -e stop-0004.h5 ] && [ ! -e stop-0005.h5 ] && [ ! -e stop-list.csv ] ||
    fail "--stop: $(ls stop*)"
run_on 2 1 simulate "$pendulum" $sweep -o no/such/folder.h5
once
run_on 2 1 simulate "$pendulum" $sweep --threads 2 -o no.h5
says 'each process computes one point at a time'

# ---- a process that is killed, and the study that goes on ----
study="--sweep EI=100:400:3000 --end 0.1"
has_points() { [ -e study.csv.partial ] && [ "$(wc -l <study.csv.partial)" -gt 20 ]; }
kill_one has_points 'study.csv' simulate "$pendulum" $study -o study.csv
[ -e study.csv.partial ] && [ ! -e study.csv ] || fail "killed: $(ls study*)"
listed=$(columns study.csv.partial complete | wc -l)
run_on 2 0 simulate "$pendulum" $study --resume -o study.csv
prints "; $((listed - 1)) were there before"
run 0 simulate "$pendulum" $study -o whole.csv
cmp -s whole.csv study.csv || fail "a study that was killed is another one"
finish

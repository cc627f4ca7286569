#!/bin/sh
# Ctrl-C, kill -9 and a full disk: the older result is untouched, the unfinished one readable and marked, or absent.
. "$(dirname "$0")/lib.sh"
model=$examples/crank_slider.yaml

run 0 simulate "$model" -o result.h5 --csv result.csv
cp result.h5 before.h5
cp result.csv before.csv

untouched()
{
    cmp -s result.h5 before.h5 || fail "$1: the older result.h5 has changed"
    cmp -s result.csv before.csv || fail "$1: the older result.csv has changed"
}

# until FILE: waits until it is there
until_there()
{
    for _ in $(seq 300); do
        [ ! -e "$1" ] || return 0
        sleep 0.1
    done
    fail "$1 did not appear"
}

# a run far too long to end by itself
begin()
{
    rm -f result.h5.partial result.csv.partial
    "$program" simulate "$model" -o result.h5 --csv result.csv --step 1e-8 >out.txt 2>err.txt &
    child=$!
}

# ---- Ctrl-C ----
begin
until_there result.csv.partial
sleep 0.3
kill -INT $child
status=0
wait $child || status=$?
[ $status -eq 130 ] || fail "Ctrl-C: exit status $status, expected 130: $(cat err.txt)"
says 'result.h5.partial'
untouched "Ctrl-C"
[ -s result.h5.partial ] || fail "Ctrl-C: result.h5.partial is missing"
run 0 plot result.h5.partial -o partial.svg
[ -z "$(tail -c 1 result.csv.partial)" ] || fail "Ctrl-C: the last line of the table is not whole"

# ---- kill -9, after a checkpoint ----
begin
until_there result.h5.partial
kill -KILL $child
wait $child 2>/dev/null || true
untouched "kill -9"
run 0 plot result.h5.partial -o partial.svg

# ---- a full disk ----
rm -f result.h5.partial result.csv.partial
status=0
(
    ulimit -f 8 # blocks of 512 or 1024 bytes
    exec "$program" simulate "$model" -o result.h5 --csv result.csv
) >out.txt 2>err.txt || status=$?
[ $status -eq 1 ] || fail "a full disk: exit status $status, expected 1: $(cat err.txt)"
says 'cannot write'
untouched "a full disk"
[ ! -e result.h5.partial ] || run 0 plot result.h5.partial -o partial.svg
if [ -c /dev/full ]; then
    for arguments in info schema "check $model" "modes $model"; do
        status=0
        # shellcheck disable=SC2086
        "$program" $arguments >/dev/full 2>err.txt || status=$?
        [ $status -eq 1 ] || fail "phlexor $arguments >/dev/full: exit status $status, expected 1"
        says 'No space left'
    done
    run 1 simulate "$model" -o other.h5 --csv /dev/full
    [ ! -e other.h5 ] || fail "a failed run left other.h5"
fi

# ---- and the next run is whole again ----
run 0 simulate "$model" -o result.h5 --csv result.csv
untouched "a rerun"
[ ! -e result.h5.partial ] || fail "result.h5.partial outlived a complete run"
finish

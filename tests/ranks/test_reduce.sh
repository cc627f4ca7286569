#!/bin/sh
# phlexor reduce under mpirun: the file is that of one process, failures are told once and end all processes.
. "$(dirname "$0")/lib.sh"
cp "$examples/solid_conrod.yaml" rod.yaml
run 0 reduce rod.yaml --body rod -o one.h5 --format json
cp out.txt one.json
run 0 reduce rod.yaml --body rod -o mumps.h5 --solver mumps --format json
run_on 2 0 reduce rod.yaml --body rod -o two.h5 --format json
cp out.txt two.json
run_on 2 0 reduce rod.yaml --body rod -o gamg.h5 --solver gamg
[ "$(wc -l <out.txt)" -gt 2 ] && [ "$(grep -c '^  mass' out.txt)" -eq 1 ] || fail "the summary: $(cat out.txt)"

numbers() { sed 's/.*"frequencies": \[\([^]]*\)\].*/\1/' "$1" | tr -d ' ' | tr , '\n'; }
numbers one.json >one.txt
numbers two.json >two.txt
[ "$(wc -l <one.txt)" -eq 12 ] || fail "12 frequencies: $(cat one.txt)"
check "frequencies on two processes" "$(paste one.txt two.txt | awk '{ d = ($1 - $2) / $1; if (d < 0) d = -d; if (d > m) m = d } END { print m }')" 1e-9

# bodies are interchangeable: the same motion
for body in one two gamg; do
    sed "/^  rod:/,/^  piston:/{/^  rod:/!{/^  piston:/!d}}" rod.yaml |
        sed "s/^  rod:.*/  rod: {kind: reduced, file: $body.h5, pose: {position: [r, -0.005, -0.01]}}/; /^  mid:/d" >$body.yaml
    run 0 simulate $body.yaml --end 0.002 -o $body-run.h5 --csv $body.csv
    columns $body.csv q s motor >$body.txt
done
for body in two gamg; do
    check "the motion of $body.h5" "$(paste one.txt $body.txt |
        awk '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d < 0) d = -d; a = $i < 0 ? -$i : $i
               if (d > w[i]) w[i] = d; if (a > m[i]) m[i] = a } }
             END { for (i = 1; i <= 3; i++) if (w[i] / m[i] > most) most = w[i] / m[i]; print most }')" 1e-8
done

# ---- failures ----
run_on 2 1 reduce rod.yaml --body road -o no.h5
once
says "there is no body 'road'"
run_on 2 1 reduce rod.yaml --body rod --solver serial -o no.h5
says 'each process would do the same work'
run_on 2 1 reduce rod.yaml --body rod --solver petsc -o no.h5
once
mkdir folder
run_on 2 1 reduce rod.yaml --body rod -o folder/no/no.h5
once
[ ! -e no.h5 ] || fail "a failure has left no.h5"
sed 's/elements: \[8, 1, 2\], cells: hex20/elements: [1, 1, 1], cells: hex8/; s/modes: 6/modes: 1/' rod.yaml >small.yaml
run_on 3 1 reduce small.yaml --body rod -o no.h5
once
says 'start fewer'

# a process that is killed ends the others
sed 's/elements: \[8, 1, 2\]/elements: [24, 6, 12]/' rod.yaml >large.yaml
a_moment() { sleep 0.5; }
kill_one a_moment 'reduce large.yaml' reduce large.yaml --body rod -o killed.h5
[ ! -e killed.h5 ] || fail "half a file"

# without the modules
PHLEXOR_MODULES=$PWD/folder
export PHLEXOR_MODULES
run 2 reduce rod.yaml --body rod --solver mumps -o no.h5
says 'phlexor-mpi.so is not there: install an MPI'
run 0 reduce rod.yaml --body rod -o alone.h5
finish

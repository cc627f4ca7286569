#!/bin/sh
# Frequencies of the four-bar mechanism over the angle of its crank against reference values, and the formats of tables.
. "$(dirname "$0")/lib.sh"

# sweep MODEL REFERENCE: largest relative difference of omega
sweep()
{
    run 0 modes "$examples/$1.yaml" --format csv -o "$1.csv"
    columns "$1.csv" theta1 mode branch omega frequency damping >modes.txt
    check "$1 against $2" "$(columns "$data/$2.csv" theta1_deg w1 w2 w3 w4 w5 w6 | awk '
        NR == FNR { n++; angle[n] = $1; mode[n] = $2; omega[n] = $4; next }
        { for (i = 1; i <= 6; i++) {
              k++
              a = angle[k] * 180 / 3.14159265358979 - $1
              if (a > 1e-9 || a < -1e-9 || mode[k] != i) { print "rows differ at " k; exit }
              e = omega[k] / $(i + 1) - 1; if (e < 0) e = -e; if (e > worst) worst = e } }
        END { print k == n && n == 438 ? worst : "rows are missing" }' modes.txt -)" 1e-7
    check "$1: frequency - omega / 2 pi, relative" "$(awk '
        { e = $5 * 2 * 3.14159265358979 / $4 - 1; if (e < 0) e = -e; if (e > worst) worst = e }
        END { print worst + 0 }' modes.txt)" 1e-13
    # the sweep closes: at 360 degrees every branch is back where it began, or has changed places with another one
    awk '$3 < 1 { exit 1 }' modes.txt || fail "$1: a branch below 1"
}
sweep four_bar fourbar_n4_clamped
sweep four_bar_free fourbar_n4_free
head -n 1 four_bar.csv | grep -qx 'theta1,mode,branch,omega,frequency,damping' || fail "columns: $(head -n 1 four_bar.csv)"

# ---- rigid-body modes are counted ----
run 0 modes "$examples/four_bar_free.yaml" --set theta1=0
prints 'rigid-body modes left out: 1'
says 'theta1 has the given value'
run 0 modes "$examples/four_bar.yaml" --set theta1=0
prints 'rigid-body modes left out: 0'

# ---- other sweeps, counts and formats ----
run 0 modes "$examples/four_bar.yaml" --sweep 'theta1=0:90*deg:3' --sweep n=2:4:2 --count 2 --format csv
[ "$(wc -l <out.txt)" -eq 13 ] || fail "$(wc -l <out.txt) lines instead of 13"
prints '^theta1,n,mode,branch'
run 0 modes "$examples/four_bar.yaml" --set theta1=45*deg --format csv --count 3
check "third clamped frequency at 45 degrees (the open branch)" "$(columns out.txt omega | awk '
    NR == 3 { print $1 / 717.68997 - 1 }')" 1e-3
run 0 modes "$examples/four_bar.yaml" --set theta1=0 --count 2 --format json
prints '"coordinates": \["crank.rx"'
run 0 modes "$examples/four_bar.yaml" -o four.h5
run 0 modes "$examples/four_bar.yaml" -o again.h5
cmp four.h5 again.h5 || fail "a rerun gives another HDF5 file"
run 0 plot four.h5
[ -s four.svg ] || fail "four.svg is missing"
run 0 modes "$examples/four_bar.yaml" --sweep n=2:3:2 -o changing.h5
says 'mode shapes are left out'
finish

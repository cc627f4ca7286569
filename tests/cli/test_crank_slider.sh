#!/bin/sh
# The crank-slider against the reference motion, its invariants at three steps, and reruns that are the same.
. "$(dirname "$0")/lib.sh"
model=$examples/crank_slider.yaml

# ---- columns, and the motion at the model's step ----
awk '{ print } /^outputs:/ { print "  turn: {angle: crank.P}" }' "$model" >turn.yaml
run 0 simulate turn.yaml -o one.h5 --csv one.csv
header=t,kinetic,elastic,potential,energy,supplied,dissipated,residual,drift,drift_rate
header=$header,turn,mid.x,mid.y,slider.x,slider.y,drive,bend
[ "$(head -n 1 one.csv)" = "$header" ] || fail "the columns are $(head -n 1 one.csv)"
[ "$(wc -l <one.csv)" -eq 402 ] || fail "$(wc -l <one.csv) lines instead of 402"

# motion FILE: largest error of mid.y/L against the reference, which has every fourth instant
motion()
{
    columns "$1" t mid.y >mid.txt
    columns "$data/crank_slider.csv" crank_angle uy_mid_over_L | awk '
        NR == FNR { t[NR] = $1; y[NR] = $2; next }
        { k = 4 * (FNR - 1) + 1; n++
          if (150 * t[k] - $1 > 1e-8 || $1 - 150 * t[k] > 1e-8) { print "instants differ"; exit }
          e = y[k] / 0.3 - $2; if (e < 0) e = -e; if (e > worst) worst = e }
        END { print n == 101 ? worst : "too few" }' mid.txt -
}
check "deflection at the middle over L, midpoint" "$(motion one.csv)" 3e-5
check "crank angle - 150 t" "$(columns one.csv t turn | awk '
    { e = $2 - 150 * $1; if (e < 0) e = -e; if (e > worst) worst = e } END { print worst + 0 }')" 1e-12
columns one.csv mid.y | awk '{ if ($1 > high) high = $1; if ($1 < low) low = $1 }
    END { print high / 0.3 / 0.01876 - 1, low / 0.3 / -0.01868 - 1 }' >peaks.txt
check "upper peak, relative" "$(cut -d' ' -f1 peaks.txt)" 1e-3
check "lower peak, relative" "$(cut -d' ' -f2 peaks.txt)" 1e-3

# ---- energy and joints at this step, five times and a tenth of it ----
invariants()
{
    columns "$1" energy residual drift drift_rate | awk '
        function size(x) { return x < 0 ? -x : x }
        { if (size($1) > e) e = size($1); if (size($2) > r) r = size($2); if ($3 > d) d = $3; if ($4 > v) v = $4 }
        END { print r / e, d + 0, v + 0 }' >invariants.txt
    check "$1: balance of energy over the largest energy" "$(cut -d' ' -f1 invariants.txt)" 1e-10
    check "$1: drift" "$(cut -d' ' -f2 invariants.txt)" 1e-12
    check "$1: drift_rate" "$(cut -d' ' -f3 invariants.txt)" 1e-11
}
invariants one.csv
run 0 simulate "$model" -o large.h5 --csv large.csv --step 5*pi/150000
invariants large.csv
run 0 simulate "$model" -o small.h5 --csv small.csv --step pi/1500000
invariants small.csv

# ---- geometric stiffening lowers the peak by about 17 % ----
sed 's/reference: simply_supported/&\n    stiffening: true/' "$model" >stiff.yaml
run 0 simulate stiff.yaml --csv stiff.csv
invariants stiff.csv
check "peak with stiffening against 0.83 of the peak without" "$(columns stiff.csv mid.y | awk '
    { if ($1 > high) high = $1 } END { print high / 0.3 / 0.01876 - 0.83 }')" 0.02

# ---- the same bytes again ----
run 0 simulate turn.yaml -o two.h5 --csv two.csv
cmp one.csv two.csv || fail "a rerun gives another csv file"
cmp one.h5 two.h5 || fail "a rerun gives another HDF5 file"
run 0 simulate turn.yaml -o three.h5 --csv -
cmp one.csv out.txt || fail "--csv - prints another table"
says 'balance closes'

# ---- a run that is continued ----
sed 's/^simulate:/initial: {from: half.h5}\nsimulate:/' turn.yaml >rest.yaml
run 0 simulate turn.yaml -o half.h5 --end 2*pi/150
run 0 simulate rest.yaml -o rest.h5 --csv rest.csv
check "last deflection of a continued run against one run" "$(
    { columns one.csv mid.y | tail -n 1; columns rest.csv mid.y | tail -n 1; } | awk '
    NR == 1 { a = $1 } END { print ($1 - a) / 0.3 }')" 1e-9
[ "$(wc -l <rest.csv)" -eq 202 ] || fail "the continued run has $(wc -l <rest.csv) lines instead of 202"
run 2 simulate rest.yaml -o no.h5 --end 0.01
says 'rest.yaml:.*does not lie after the start'
finish

# ---- two corrections a step, and how long the steps take ----
run 0 simulate turn.yaml -o counted.h5 --csv counted.csv --iterations 2 --real-time
prints '2 Newton corrections a step'
prints '^  corrections  0 of 4000 steps'
prints '^  real time .* of 4000 miss the deadline of 2.09e-05 s'
invariants counted.csv
check "deflection at the middle over L, two corrections" "$(motion counted.csv)" 3e-5
run 2 simulate turn.yaml -o counted.h5 --iterations 2 --rtol 1e-4
says 'fixed number of Newton corrections is for midpoint with a fixed step'
run 2 simulate turn.yaml -o counted.h5 --real-time --sweep speed=100:150:2
says 'real-time cannot be combined with --sweep'

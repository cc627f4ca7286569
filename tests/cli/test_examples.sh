#!/bin/sh
# Every example model runs: certified, simulated where it says so, its modes where it says so.
. "$(dirname "$0")/lib.sh"

for model in "$examples"/*.yaml; do
    name=$(basename "$model" .yaml)
    run 0 check "$model" --format json
    prints '"skew_residual": 0,'
    awk '/power_residual/ { gsub(",", ""); exit !($2 <= 1e-12) }' out.txt || fail "$name: $(grep power_residual out.txt)"
    if grep -q '^simulate:' "$model"; then
        run 0 simulate "$model" --csv "$name.csv"
        prints 'balance closes'
        [ -s "$name.h5" ] || fail "$name.h5, the default name of the result, is missing"
        columns "$name.csv" energy kinetic residual drift >numbers.txt
        check "$name: balance of energy over the largest energy" "$(awk '
            function size(x) { return x < 0 ? -x : x }
            { if (size($1) > e) e = size($1); if ($2 > e) e = $2; if (size($3) > r) r = size($3) }
            END { print r / e }' numbers.txt)" 1e-10
        check "$name: drift" "$(awk '$4 > d { d = $4 } END { print d + 0 }' numbers.txt)" 1e-12
        run 0 plot "$name.h5"
        [ -s "$name.svg" ] || fail "$name.svg is missing"
        run 0 plot "$name.h5" --motion -o motion.svg
        [ -s motion.svg ] || fail "the picture of the motion of $name is missing"
        run 0 export "$name.h5" --frames 2
        [ -s "${name}_vtk/motion.pvd" ] || fail "${name}_vtk/motion.pvd is missing"
        [ -s "${name}_vtk/frame_000001.vtp" ] || fail "the last frame of $name is missing"
    fi
    if grep -q '^modes:' "$model"; then
        run 0 modes "$model" --format csv -o "$name.modes.csv"
        run 0 plot "$name.modes.csv"
        [ -s "$name.modes.svg" ] || fail "$name.modes.svg is missing"
    fi
done
[ -f crank_slider.h5 ] && [ -f four_bar.modes.csv ] || fail "the two examples of the paper are missing"
finish

#!/bin/sh
# The figures of docs/accuracy.md, measured again; those of the papers are in tests/cli/test_reproduce.sh. Round-off
# varies: a measured one may be up to three times the printed figure, and not below a tenth of it, which would be out of
# date. The README repeats some of them.
#
#   test_figures.sh PROGRAM
. "$(dirname "$0")/../cli/lib.sh"
page=$source_dir/docs/accuracy.md

# printed ROW N [K]: the N-th number in the last column, or K columns before, of the first row of the page with ROW
printed()
{
    grep -F -e "$1" "$page" | head -n 1 | awk -F'|' -v n="$2" '{
        text = $(NF - ('"${3:-0}"' + 1))
        gsub(/−/, "-", text)
        while (match(text, /-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/)) {
            if (++k == n) print substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
        } }'
}

# figure WHAT PRINTED MEASURED LEAST MOST: the measured one over the printed one lies between
figure()
{
    awk -v a="$2" -v b="$3" -v least="$4" -v most="$5" 'BEGIN {
        if (a == "" || b == "" || a + 0 == 0) exit 1
        exit !(b / a >= least && b / a <= most) }' || fail "$1: the page says '$2', measured '$3'"
}
rounding()
{
    figure "$1" "$2" "$3" 0.1 3
}

# summary WORD N: the N-th number behind WORD in what the last simulation said
summary()
{
    sed -n "s/.*$1//p" out.txt | grep -oE '[0-9]+(\.[0-9]+)?(e-?[0-9]+)?' | sed -n "$2p"
}

# ---- simulations ----
run 0 simulate "$examples/crank_slider.yaml" --csv slider.csv
rounding "crank-slider, balance" "$(printed 'crank-slider, `midpoint`, 4000' 1)" "$(summary 'balance closes to' 2)"
rounding "crank-slider, joint residual" "$(printed 'largest drift of a joint' 1)" "$(summary 'drift at most' 1)"
rounding "crank-slider, its velocity" "$(printed 'largest drift of a joint' 2)" "$(summary 'drift at most' 2)"
figure "crank-slider, steps" "$(grep -F 'crank-slider, `midpoint`' "$page" | grep -oE '[0-9]+ steps' | grep -oE '[0-9]+')" \
    "$(summary 'steps  ' 1)" 1 1
figure "lowest deflection" "$(printed 'deflection at the middle' 1)" \
    "$(columns slider.csv mid.y | sort -g | head -n 1 | awk '{ print $1 / 0.3 }')" 0.999 1.001
figure "highest deflection" "$(printed 'deflection at the middle' 2)" \
    "$(columns slider.csv mid.y | sort -g | tail -n 1 | awk '{ print $1 / 0.3 }')" 0.999 1.001
run 0 simulate "$examples/double_pendulum.yaml" --end 1000
rounding "double pendulum, balance" "$(printed 'double pendulum, `midpoint`' 1)" "$(summary 'balance closes to' 2)"
gaps=$(grep -F -A 1 'double pendulum, `midpoint`' "$page" | tail -n 1 | sed 's/.*velocity//')
rounding "double pendulum, gap" "$(echo "$gaps" | grep -oE '[0-9.]+e-[0-9]+' | sed -n 1p)" "$(summary 'drift at most' 1)"
rounding "double pendulum, its velocity" "$(echo "$gaps" | grep -oE '[0-9.]+e-[0-9]+' | sed -n 2p)" \
    "$(summary 'drift at most' 2)"

# ---- a page of ten thousand instants ----
run 0 simulate "$examples/crank_slider.yaml" -o long.h5 --step pi/37500 --every pi/37500 --end 10000*pi/37500
figure "instants of the page" 10001 "$(summary 't = 0.* s, ' 1)" 1 1
if "$program" report long.h5 >out.txt 2>err.txt; then
    figure "page, MB" "$(printed '10 001 instants' 1)" "$(wc -c <long.html | awk '{ print $1 / 1e6 }')" 0.95 1.05
elif ! grep -q 'reports are off' err.txt; then
    fail "report: $(cat err.txt)"
fi

# ---- convergence to the continuum ----
k=0
for n in 4 8 16; do
    k=$((k + 1))
    run 0 modes "$examples/four_bar_free.yaml" --set theta1=0 --set n=$n --count 1 --format csv -o modes.csv
    figure "four-bar, $n elements" "$(printed 'elements: first frequency' $k 1)" \
        "$(columns modes.csv omega | awk -v exact="$(columns "$data/fourbar_exact_free.csv" w1 | head -n 1)" '
            { print $1 / exact - 1 }')" 0.9 1.1
done
for figure in '2.1e-13' '1.4e-16 m' '1.5e-5' '8e-12' 'below 1e-8' '8e-14' '0.75 s'; do
    for file in "$page" "$source_dir/README.md"; do
        grep -qF "$figure" "$file" || fail "$file: it does not say $figure"
    done
done
finish

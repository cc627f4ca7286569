#!/bin/sh
# One allocation fails, or all from one on, anywhere in the program and the libraries below it: the run ends with the
# files of an undisturbed one, or with a message that memory is out and exit status 1. Never with another result, a
# crash, or a message about something else. The second argument is what lets allocations fail (LD_PRELOAD), the third
# the number of trials of each command (default: 6).
. "$(dirname "$0")/lib.sh"
preload=$2
trials=${3:-6}
seed=12345

# next_number BELOW: sets `number`; the same sequence in every run.
next_number()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    number=$((seed / 8 % $1))
}

# attempt FOLDER [NAME=VALUE ...]: the command in `command`, run in a new folder of results.
attempt()
{
    rm -rf "$1"
    mkdir "$1"
    folder=$1
    shift
    status=0
    # shellcheck disable=SC2086
    (cd "$folder" && exec env LD_PRELOAD="$preload" "$@" "$program" $command) >out.txt 2>err.txt || status=$?
    sed 's/[0-9.]* m\{0,1\}s\b//g' out.txt >"$folder/stdout"
}

# judge WHAT: the trial in `trial` against the undisturbed run in `whole`.
judge()
{
    case $status in
    0) diff -r whole trial >differences.txt || fail "$command, $1: exit status 0 and another result: $(cat differences.txt)" ;;
    1) grep -qi 'memory' err.txt || fail "$command, $1: the message is about something else: $(cat err.txt)" ;;
    *) fail "$command, $1: exit status $status: $(cat err.txt)" ;;
    esac
}

# fails_well ARGUMENTS...: trials of one command of the program.
fails_well()
{
    command=$*
    attempt whole FAIL_COUNT="$place/count"
    [ "$status" -eq 0 ] || fail "$command: exit status $status: $(cat err.txt)"
    count=$(cat "$place/count")
    [ "$count" -gt 0 ] || fail "$command: no allocation was counted"
    trial=0
    while [ "$trial" -lt "$trials" ]; do
        next_number "$count"
        if [ $((trial % 4)) -eq 3 ]; then
            attempt trial FAIL_AT="$number" FAIL_FROM=1
            judge "no memory from allocation $number of $count on"
        else
            attempt trial FAIL_AT="$number"
            judge "allocation $number of $count fails"
        fi
        trial=$((trial + 1))
    done
}

crank=$examples/crank_slider.yaml
pair=$examples/hinged_pair.yaml
fails_well check "$examples/four_bar.yaml"
fails_well check "$examples/spacecraft.yaml" --format json
for integrator in midpoint midpoint4 gauss4 gauss6 radau5; do
    fails_well simulate "$crank" --integrator $integrator --end 0.001 --csv r.csv
done
fails_well simulate "$pair" --integrator ida --end 0.005
fails_well simulate "$examples/double_pendulum.yaml" --sweep EI=300:500:2 --end 0.02 --threads 2 -o table.csv
fails_well modes "$examples/spacecraft.yaml" -o modes.csv
fails_well optimize "$examples/stepped_cantilever.yaml" -o history.csv --model best.yaml --page best.html
fails_well modes "$crank" --threads 1 -o modes.h5
fails_well linearize "$crank" -o linear.mat
fails_well linearize "$crank" --form descriptor -o linear.h5
fails_well titop "$examples/four_bar.yaml" --body crank -o titop.json
fails_well view "$crank" -o view.html
fails_well export "$crank" --format mtx -o matrices
fails_well export "$crank" -o matrices.mat

"$program" simulate "$crank" --end 0.002 -o "$place/r.h5" >out.txt
"$program" linearize "$crank" -o "$place/l.h5" >out.txt
fails_well export "$place/r.h5" --format vtk -o motion
fails_well export "$place/r.h5" -o r.mat
fails_well report "$place/r.h5" -o r.html
fails_well plot "$place/r.h5" -o r.svg
fails_well plot "$place/r.h5" --motion -o r.pdf
fails_well plot "$place/l.h5" -o l.png
finish

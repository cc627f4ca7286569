#!/bin/sh
# Every example by the plain and by the fast evaluation of the equations: the same motion to rounding.
. "$(dirname "$0")/lib.sh"

# both EXAMPLE END: simulated until END s either way, compared column by column.
both()
{
    for backend in plain fast; do
        run 0 simulate "$examples/$1.yaml" --end "$2" --backend $backend -o $backend.h5 --csv $backend.csv
    done
    python3 "$(dirname "$test_file")/compare_csv.py" plain.csv fast.csv 1e-11 >said.txt || fail "$1: $(cat said.txt)"
}
test_file=$source_dir/tests/cli/test_backends.sh
both bennett 0.2
both arm_digital 0.05
both arm_pd 0.1
both coupler_modes pi/150
both crank_slider pi/150
both damped_lever 0.3
both double_pendulum 1
both heavy_top 0.05
both hinged_beam 2e-3
both hinged_pair 0.2
both manipulator 0.2
both modal_appendage 2
both satellite 1
both spacecraft 1
both spatial_slider_crank 0.2
both spin_up 1
both torque_free 2
both wheel_pendulum 0.2

# hinges with one direction: what they lock makes factors without pivoting grow
{
    printf 'phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n'
    for k in $(seq 0 99); do
        echo "  b$k: {kind: rigid, mass: 1, inertia: [0.01, 1/12, 1/12], centre_of_mass: [0.5, 0, 0]," \
            "pose: {position: [$k, 0, 0]}, ports: {C: {position: [1, 0, 0]}}}"
    done
    printf 'joints:\n  j0: {kind: revolute, ports: [ground.O, b0.P], axis: [0, 1, 0]}\n'
    for k in $(seq 1 99); do
        echo "  j$k: {kind: revolute, ports: [b$((k - 1)).C, b$k.P], axis: [0, 1, 0]}"
    done
    printf 'outputs: {tip: {position: b99.C}, first: {reaction: j0}}\nsimulate: {end: 0.1, step: 1e-3, every: 1e-2}\n'
} >chain.yaml
examples=. both chain 0.1

# the fast one is what runs when nothing is said
run 0 simulate "$examples/hinged_pair.yaml" --end 0.2 --backend fast -o fast.h5 --csv fast.csv
run 0 simulate "$examples/hinged_pair.yaml" --end 0.2 -o auto.h5 --csv auto.csv
cmp fast.csv auto.csv || fail "auto is not fast"
run 2 simulate "$examples/hinged_pair.yaml" --backend quick
says "'quick'"
finish

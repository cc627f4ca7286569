#!/bin/sh
# The beam under nine boundary conditions (Tables 3-11 of "Linear dynamics of flexible multibody systems"), two ways:
# channels of its block inverted (phlexor titop), and joints to the ground (phlexor modes). Prints the lowest pulsations,
# rad/s in units of sqrt(EI/(m l^3)), of bending.
#
#     examples/beam_ends.sh [PROGRAM]       default: phlexor
set -eu
program=${1:-phlexor}
model=$(dirname "$0")/beam.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ends NAME CHANNELS JOINTS...: P and C of the block are clamped and free until a channel is inverted
ends()
{
    name=$1
    channels=$2
    shift 2
    "$program" titop "$model" --body beam --ports C --invert "$channels" >"$work/block"
    {
        cat "$model"
        [ $# -eq 0 ] || printf 'joints:\n'
        for joint in "$@"; do
            printf '  %s\n' "$joint"
        done
    } >"$work/model.yaml"
    "$program" modes "$work/model.yaml" --format csv -o "$work/modes.csv" >/dev/null
    printf '%s %s\n' "$name" "$channels"
    printf '   block '
    awk '$1 == "pair" && $2 < 1000 { printf " %14.8f", $2 } END { printf "\n" }' "$work/block" # above it is axial
    printf '   joints'
    awk -F, '/^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == "omega") n = i; next }
        $n < 1000 { printf " %14.8f", $n } END { printf "\n" }' "$work/modes.csv"
}

weld_P='P: {kind: weld, ports: [ground.O, beam.P]}'
hinge_P='P: {kind: revolute, ports: [ground.O, beam.P]}'
guide_P='P: {kind: prismatic, ports: [ground.O, beam.P], axis: [0, 1]}'
weld_C='C: {kind: weld, ports: [ground.E, beam.C]}'
hinge_C='C: {kind: revolute, ports: [ground.E, beam.C]}'
guide_C='C: {kind: prismatic, ports: [ground.E, beam.C], axis: [0, 1]}'

ends free-free       beam.P.ay,beam.P.alpha
ends clamped-clamped beam.C.fy,beam.C.tz              "$weld_P" "$weld_C"
ends hinged-free     beam.P.alpha                     "$hinge_P"
ends hinged-clamped  beam.C.fy,beam.C.tz,beam.P.alpha "$hinge_P" "$weld_C"
ends hinged-hinged   beam.C.fy,beam.P.alpha           "$hinge_P" "$hinge_C"
ends guided-free     beam.P.ay                        "$guide_P"
ends guided-clamped  beam.C.fy,beam.C.tz,beam.P.ay    "$guide_P" "$weld_C"
ends guided-hinged   beam.C.fy,beam.P.ay              "$guide_P" "$hinge_C"
ends guided-guided   beam.C.tz,beam.P.ay              "$guide_P" "$guide_C"

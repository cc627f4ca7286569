#!/bin/sh
# phlexor titop: channels, boundary conditions, files that Octave and SciPy read, what is refused.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/support/readers.sh"

# The beam of unit length, mass and stiffness with one quintic element: the polynomial model of the paper.
cat >beam.yaml <<'END'
phlexor: 1
title: Unit beam
dimension: 2
parameters: {zeta: 0, n: 1}
materials: {unit: {density: 1, young: 1}}
bodies:
  beam:
    kind: beam
    material: unit
    length: 1
    section: {kind: general, area: 1, inertia: 1}
    elements: n
    order: 5
    reference: cantilever
    damping: {modal: zeta}
    ports: {mid: {at: 0.5}}
  block:
    kind: rigid
    mass: 2
    inertia: 0.1
    pose: {position: [1, 0]}
joints:
  bearing: {kind: revolute, ports: [ground.O, beam.P]}
  slot: {kind: revolute, ports: [beam@0.25, block.P]}
END

# poles: the omegas of the table on standard output
poles()
{
    awk '/^poles/ { inside = 1; next } inside && !NF { exit } inside { print $(NF - 2) }' out.txt
}

# ---- values of the paper ----
run 0 titop beam.yaml --body beam --ports C
prints '^10 states, 6 inputs, 6 outputs$'
prints '^  1 beam.C.fx     beam.C.ax$'
prints '^  6 beam.P.alpha  beam.P.tz$'
prints 'least mass eigenvalue'
check "Table 1, clamped-free" "$(poles | awk 'NR == 2 { print $1 - 3.5160206804 }')" 2e-9 # after the axial one
run 0 titop beam.yaml --body beam --ports C --invert beam.C.fy,beam.P.alpha --inputs beam.C.tz,beam.P.tz
check "Table 7, hinged at both ends" "$(poles | awk '$1 > 9 && $1 < 11 { print $1 - 9.87250 }')" 5e-4
run 0 titop beam.yaml --body beam --set zeta=0.02
check "damping of the first mode" "$(awk '$1 == "pair" && $2 < 4 && $2 > 3 { print $4 - 0.02 }' out.txt)" 1e-9
# f at C accelerates the beam as if it were rigid: clamped, forces arrive at P
run 0 titop beam.yaml --body beam --ports C --format json -o free.json
cmp -s out.txt free.json || fail "the json on standard output is not that of the file"

# ---- other bases: assumed modes (Table 1, the second pulsation of so many: exact values), modal data of the same shapes
cat >bases.yaml <<'END'
phlexor: 1
dimension: 2
parameters: {n: 2}
materials: {unit: {density: 1, young: 1}}
bodies:
  assumed: {kind: beam, material: unit, length: 1, section: {kind: general, area: 1, inertia: 1}, element: assumed,
            modes: n, reference: cantilever}
  data:
    kind: modal
    mass: 1
    inertia: 1/12
    centre_of_mass: [0.5, 0]
    modes:
      - {frequency: 3.5160152685/(2*pi), translation: [0, 0.7829917560396], rotation: 0.5688257437099}
      - {frequency: 22.0344915647/(2*pi), translation: [0, 0.4339358951107], rotation: 0.0907667868864}
    ports:
      C: {position: [1, 0], shapes: [{translation: [0, 2], rotation: 2.7530109693451},
                                     {translation: [0, -2], rotation: -9.5615568204233}]}
END
# inverted BODY [OPTION...]: the free-clamped model by inverting all of bending
inverted()
{
    body=$1
    shift
    run 0 titop bases.yaml --body "$body" --invert "$body.C.fy,$body.C.tz,$body.P.ay,$body.P.alpha" "$@"
}
inverted assumed --set n=4
check "Table 1, free-clamped, 4 assumed modes" "$(poles | awk 'NR == 2 { print $1 - 4.3895304 }')" 1e-7
inverted assumed --set n=8
check "Table 1, free-clamped, 8 assumed modes" "$(poles | awk 'NR == 2 { print $1 - 3.9078325 }')" 1e-7
inverted assumed
want=$(poles | awk 'NR == 3 { print $1 }') # after two axial ones
inverted data
check "modal data, free-clamped" "$(poles | awk -v want="$want" 'NR == 1 { print $1 / want - 1 }')" 1e-8

# ---- ports: all that the model names, or those asked for ----
run 0 titop beam.yaml --body beam
prints '^TITOP model of beam, P: P, C: C, mid, @0.25$'
prints 'beam@0.25.fx'
run 0 titop beam.yaml --body beam --parent mid --ports @0.75,P
prints '^TITOP model of beam, P: mid, C: @0.75, P$'
run 0 titop beam.yaml --body block
prints '^0 states, 3 inputs, 3 outputs$'
prints '^       none$'
awk '/^DC gain/ { getline; getline; if ($2 != -2) exit 1; getline; getline; exit !($4 == -0.1) }' out.txt ||
    fail "DC gain of a rigid body: $(cat out.txt)"

# ---- boundary conditions that leave states without a motion ----
run 0 titop beam.yaml --body beam --ports C,mid --invert beam.C.fx,beam.C.fy,beam.C.tz
prints '^10 states'
prints 'about zero'
prints 'DC gain: not of all outputs'
run 0 titop beam.yaml --body beam --ports C,mid --invert beam.C.fx,beam.C.fy,beam.C.tz --inputs beam.mid.fy \
    --outputs beam.mid.ay,beam.C.fy
prints '^4 states, 1 input, 2 outputs; 6 states left out$'
prints '^DC gain (rows'

# ---- the files ----
run 0 titop beam.yaml --body beam --ports C --invert beam.P.alpha -o beam.mat
prints '^beam.mat$'
poles >poles.txt
run 0 titop beam.yaml --body beam --ports C --invert beam.P.alpha -o beam.json
run 0 titop beam.yaml --body beam --ports C --invert beam.P.alpha -o beam.h5
run 0 titop beam.yaml --body beam --ports C --invert beam.P.alpha -o again.mat
cmp -s beam.mat again.mat || fail "two runs give different bytes"
octave_script <<'END' || fail "Octave"
load beam.mat
want = load('poles.txt');
omega = sort(abs(eig(A)));
assert(omega(1:2:end), sort(want), 1e-8 * max(want))
assert(sort(abs(poles)), omega, 1e-9 * max(omega))
assert(iscellstr(inputs) && numel(inputs) == columns(B) && numel(outputs) == rows(C) && numel(states) == rows(A))
assert(inputs{6}, 'beam.P.tz')
assert(outputs{6}, 'beam.P.alpha')
assert(form, 'state-space')
assert(dc_gain, D - C * (A \ B), 1e-9 * max(abs(D(:))))
pkg load control
s = ss(A, B, C, D, 'inname', inputs, 'outname', outputs, 'stname', states);
assert(isa(s, 'ss'))
assert(get(s, 'inname'), inputs)
assert(abs(pole(s)), abs(eig(A)), 1e-9 * max(omega))
END
python_script <<'END' || fail "SciPy"
import json
import numpy as np
import scipy.io
import scipy.signal
want = np.sort(np.loadtxt("poles.txt"))
m = scipy.io.loadmat("beam.mat", simplify_cells=True)
with open("beam.json") as stream:
    j = json.load(stream)
for name in "ABCD":
    assert np.array_equal(m[name], j[name]), name
assert list(m["inputs"]) == j["inputs"] and j["outputs"][5] == "beam.P.alpha"
system = scipy.signal.StateSpace(m["A"], m["B"], m["C"], m["D"])
omega = np.sort(abs(np.linalg.eigvals(system.A)))
assert abs(omega[::2] - want).max() < 1e-8 * want.max()
with open("beam.yaml") as stream:
    assert m["model"] == stream.read()
try:
    import h5py
    with h5py.File("beam.h5") as f:
        assert np.array_equal(f["A"][()], m["A"]) and list(f["inputs"].asstr()) == j["inputs"]
except ImportError:
    pass
END

# ---- what is refused, and leaves no file or the older one ----
cp beam.mat older.mat
files='wrong.mat wrong.h5 wrong.json beam.mat'
[ -z "${PHLEXOR_TEST_SHORT-}" ] || files='wrong.h5 beam.mat'
for file in $files; do
    run 2 titop beam.yaml -o $file
    says '[-]-body is missing'
    run 2 titop beam.yaml --body baem -o $file
    says "no body 'baem'; did you mean 'beam'"
    run 2 titop beam.yaml --body beam --ports c -o $file
    says "beam.yaml:[0-9]*:[0-9]*: body 'beam' has no port 'c'; .*'C'"
    run 2 titop beam.yaml --body beam --parent Q -o $file
    says "no port 'Q'"
    run 2 titop beam.yaml --body beam --ports @1.5 -o $file
    says 'must be in \[0, 1\]'
    run 2 titop beam.yaml --body beam --ports C,P -o $file
    says "'P' .*twice"
    run 2 titop beam.yaml --body block --ports @0.5 -o $file
    run 2 titop beam.yaml --body beam --ports '' -o $file
    run 2 titop beam.yaml --body beam --ports C,,mid -o $file
    says 'is empty'
    run 2 titop beam.yaml --body beam --invert '' -o $file
    run 2 titop beam.yaml --body beam --invert , -o $file
    run 2 titop beam.yaml --body beam --invert beam.P.alfa -o $file
    says "no channel 'beam.P.alfa'; did you mean 'beam.P.alpha'"
    run 2 titop beam.yaml --body beam --invert beam.P.alpha,beam.P.tz -o $file
    says 'twice'
    run 2 titop beam.yaml --body beam --inputs beam.C.fz -o $file
    says "no input 'beam.C.fz'; did you mean 'beam.C.f"
    run 2 titop beam.yaml --body beam --outputs beam.C.fy -o $file
    says "no output 'beam.C.fy'; did you mean 'beam.C.ay'"
    run 2 titop beam.yaml --body beam --set zetta=1 -o $file
    run 2 titop missing.yaml --body beam -o $file
    # six coordinates of a beam with five degrees of freedom beside C cannot all be held
    run 1 titop beam.yaml --body beam --parent C --ports P,mid,@0.25,@0.75 -o $file \
        --invert beam.P.fx,beam.P.fy,beam.P.tz,beam.mid.fx,beam.mid.fy,beam.mid.tz
    says "the channel 'beam\..*cannot be inverted"
    [ "$file" = beam.mat ] || [ ! -e $file ] || fail "$file was written"
    [ ! -e $file.partial ] || fail "$file.partial was left"
    cmp -s beam.mat older.mat || fail "the older file has changed"
done
run 2 titop beam.yaml --body beam -o beam.txt
says '.mat, .h5, .json, or _mtx'
run 2 titop beam.yaml --body beam -o nowhere/beam.mat
says 'nowhere'
[ ! -e beam.txt ] || fail "beam.txt was written"
for end in mat h5 json; do
    mkdir folder.$end
    run 1 titop beam.yaml --body beam -o folder.$end
    says 'directory'
    cp older.mat full.$end
    (ulimit -f 8 && run 1 titop beam.yaml --body beam --set n=20 -o full.$end && says 'File too large' && finish) ||
        fail "a full disk and .$end"
    cmp -s full.$end older.mat || fail "a full disk harmed the older .$end"
    [ ! -e full.$end.partial ] || fail "full.$end.partial was left"
done
finish

#!/bin/sh
# phlexor linearize: channels, forms, files that Octave and SciPy read, pictures, what is refused.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/support/readers.sh"

# A mass between the ground and a spring on a slide, and a beam that hangs on it: one rigid coordinate, known by hand
# while the beam is stiff.
cat >slide.yaml <<'END'
phlexor: 1
title: Sliding mass with a beam
dimension: 2
parameters: {k: 50, c: 3, g: 0}
gravity: [g, 0]
materials: {steel: {density: 7850, young: 2e11}}
bodies:
  mass: {kind: rigid, mass: 2, inertia: 0.1, ports: {side: {position: [0, 0.1]}}}
  beam:
    kind: beam
    material: steel
    length: 0.5
    section: {kind: rectangle, width: 0.02, height: 0.01}
    elements: 2
    reference: cantilever
    damping: {modal: 0.01}
joints:
  guide: {kind: prismatic, ports: [ground.O, mass.P], axis: [1, 0], stiffness: k, damping: c}
  root: {kind: weld, ports: [mass.P, beam.P]}
loads:
  push: {force: [0, 0], at: mass.P}
outputs:
  x: {coordinate: guide}
  tip: {position: beam.C}
END

# poles: omega and damping of the table on standard output
poles()
{
    awk '/^poles/ { inside = 1; next } inside && !NF { exit } inside { print $(NF - 2), $NF }' out.txt
}

# ---- one degree of freedom and the beam: m = 2 + 7850 0.5 0.02 0.01 = 2.785 ----
run 0 linearize slide.yaml
prints '^Linear model of Sliding mass with a beam$'
prints '^14 states, 2 inputs, 3 outputs$'
prints '^  1 push.fx  x$'
poles >poles.txt
check "frequency" "$(awk 'NR == 1 { print $1 / sqrt(50 / 2.785) - 1 }' poles.txt)" 1e-6
check "damping" "$(awk 'NR == 1 { print $2 - 3 / (2 * sqrt(50 * 2.785)) }' poles.txt)" 1e-6
check "modal damping of the beam" "$(awk 'NR == 2 { print $2 - 0.01 }' poles.txt)" 1e-3
check "DC gain, 1/k" "$(awk '/^DC gain/ { getline; getline; print $2 - 0.02 }' out.txt)" 1e-9
[ ! -s err.txt ] || fail "a warning at an equilibrium: $(cat err.txt)"
run 0 linearize slide.yaml --set k=0 --set c=0 # no load moves the tip sideways; all else sees the free motion
prints 'not of all outputs, the system has poles at zero: 1 rigid motion$'
prints '^  3  *0  *0$'
run 0 linearize slide.yaml --set k=0 --set c=0 --outputs x,tip.x
prints 'there is none, the system has poles at zero: 1 rigid motion$'
run 0 linearize slide.yaml --set k=0 --set c=0 --outputs x,mass.P.ax
prints 'DC gain: not of all outputs, the system has poles at zero: 1 rigid motion$'
check "DC gain, 1/m" "$(awk '/^DC gain/ { getline; getline; print $2 - 1 / 2.785 }' out.txt)" 1e-7
run 0 linearize slide.yaml --set g=-9.81
says 'warning: the loads accelerate the whole mechanism with 9.81 m/s^2'
says "'gravity: \[0, 0\]'"

# ---- channels ----
run 0 linearize slide.yaml --inputs beam.C.fy,mass.side.fx --outputs beam.C.ay,guide.coordinate,beam@0.5.y
prints '^  1 beam.C.fy     beam.C.ay$'
prints '^  2 mass.side.fx  guide.coordinate$'
run 0 linearize slide.yaml --inputs guide.acceleration --outputs guide.effort,x
prints 'about zero'

# ---- power needs a drive's rate, and the effort conjugate to it follows its derivative ----
slider=$source_dir/examples/crank_slider.yaml
run 0 linearize "$slider" --form descriptor -o crank.json
prints '^  1 motor.rate  mid.x$'
grep -q '"drive"' crank.json || fail "the descriptor form has lost the drive's effort"
run 2 linearize "$slider" --inputs motor.rate
says "'drive' follows the derivative of the input 'motor.rate'"
run 0 linearize "$slider" --form second-order
prints '^  1 motor.acceleration  mid.x$'

# ---- the forms are one model; Octave and SciPy read them ----
for form in state-space second-order descriptor; do
    for end in mat h5 json; do
        run 0 linearize slide.yaml --form $form -o $form.$end
        prints "^$form.$end$"
    done
    run 0 linearize slide.yaml --form $form --format json
    cmp -s out.txt $form.json || fail "$form: json on standard output is not that of the file"
done
octave_script <<'END' || fail "Octave"
m = load('state-space.mat');
want = load('poles.txt')(:, 1);
assert(sort(abs(eig(m.A)))(1:2:end), sort(want), 1e-8 * max(want))
assert(m.inputs, {'push.fx'; 'push.fy'})
pkg load control
sys = ss(m.A, m.B, m.C, m.D, 'inname', m.inputs, 'outname', m.outputs, 'stname', m.states);
assert(isa(sys, 'ss') && all(size(sys) == [3, 2]))
w = 7;
H = m.C * ((1i * w * eye(rows(m.A)) - m.A) \ m.B) + m.D;
assert(squeeze(freqresp(sys, w)), H, 1e-9 * norm(H))
s = load('second-order.mat');
q = (-w^2 * s.M + 1i * w * s.D + s.K) \ s.F;
assert((s.Y_q + 1i * w * s.Y_v - w^2 * s.Y_a) * q + s.Y_u, H, 1e-9 * norm(H))
assert(rows(s.basis) == numel(s.motions) && columns(s.basis) == numel(s.coordinates))
d = load('descriptor.mat');
assert(issparse(d.J) && issparse(d.E) && nnz(d.J + d.J') == 0 && nnz(d.R - d.R') == 0)
e = (1i * w * d.E - (d.J - d.R) * d.Q) \ full(d.B);
assert(d.C * e + d.D, H, 1e-7 * norm(H))
END
python_script <<'END' || fail "SciPy"
import json
import numpy as np
import scipy.io
import scipy.signal
want = np.sort(np.loadtxt("poles.txt")[:, 0])
m = scipy.io.loadmat("state-space.mat", simplify_cells=True)
system = scipy.signal.StateSpace(m["A"], m["B"], m["C"], m["D"])
omega = np.sort(abs(np.linalg.eigvals(system.A)))
assert abs(omega[::2] - want).max() < 1e-8 * want.max()
assert list(m["outputs"]) == ["x", "tip.x", "tip.y"]
with open("descriptor.json") as stream:
    d = json.load(stream)
mat = scipy.io.loadmat("descriptor.mat", simplify_cells=True)
for name in "EJRQBCD":
    s = d[name]
    made = scipy.sparse.coo_matrix((s["value"], (s["row"], s["col"])), (s["rows"], s["cols"]))
    assert np.array_equal(made.toarray(), mat[name].toarray()), name
END

# ---- fewer states: the same channels, the response of the model, forms that are one model, files for others ----
for form in state-space second-order descriptor; do
    run 0 linearize slide.yaml --form $form --reduce modal --order 3 -o reduced-$form.mat
    prints '^reduced by modal: 3 of 7 elastic coordinates, 0 rigid, 0 prescribed motions exact; 6 states$'
    prints 'error, H infinity .* an estimate from below' # of rounding: what is left out is not moved
    prints 'passive  *yes by structure, .*; yes by the Hamiltonian test$'
    prints 'rad/s$'
done
run 0 linearize slide.yaml --reduce modal --order 3 -o reduced.json
run 0 linearize slide.yaml --reduce krylov --points 0,10i,3+40i,inf -o krylov.mat
prints '^reduced by krylov'
run 0 linearize slide.yaml --reduce irka --order 2 --form descriptor -o irka.mat
prints 'error, H infinity .* certified'
octave_script <<'END' || fail "Octave: reduced models"
w = 7;
f = load('state-space.mat');
H = f.C * ((1i * w * eye(rows(f.A)) - f.A) \ f.B) + f.D;
m = load('reduced-state-space.mat');
R = m.C * ((1i * w * eye(rows(m.A)) - m.A) \ m.B) + m.D;
assert(R, H, 1e-3 * norm(H))
assert(m.reduction_error_least > 0 && m.reduction_error_least <= m.reduction_error && m.reduction_error < 1)
assert(rows(m.basis) == numel(m.motions) && columns(m.basis) == 3)
s = load('reduced-second-order.mat');
q = (-w^2 * s.M + 1i * w * s.D + s.K) \ s.F;
assert((s.Y_q + 1i * w * s.Y_v - w^2 * s.Y_a) * q + s.Y_u, R, 1e-9 * norm(H))
for name = {'reduced-descriptor.mat', 'irka.mat'}
    d = load(name{1});
    assert(nnz(d.J + d.J') == 0 && nnz(d.R - d.R') == 0 && min(eig(full(d.R))) > -1e-12 * norm(full(d.R)))
    assert(norm(full(d.E' * d.Q - d.Q' * d.E)) == 0 && min(eig(full(d.E' * d.Q))) > -1e-9)
    e = (1i * w * d.E - (d.J - d.R) * d.Q) \ full(d.B);
    assert(d.C * e + d.D, H, 5e-3 * norm(H))
    assert(d.ports, {'push.fx'; 'push.fy'})
end
k = load('krylov.mat');
for z = [10i, 3+40i]
    assert(k.C * ((z * eye(rows(k.A)) - k.A) \ k.B) + k.D, f.C * ((z * eye(rows(f.A)) - f.A) \ f.B) + f.D, 1e-9)
end
END
python_script <<'END' || fail "SciPy: reduced models"
import json
import numpy as np
import scipy.io
import scipy.signal
with open("reduced.json") as stream:
    j = json.load(stream)
m = scipy.io.loadmat("reduced-state-space.mat", simplify_cells=True)
full = scipy.io.loadmat("state-space.mat", simplify_cells=True)
assert np.array_equal(np.array(j["A"]), m["A"]) and j["inputs"] == list(m["inputs"])
assert j["reduction_method"] == "modal" and j["reduction_order"] == 3 and j["reduction_passive"] == 1
assert len(j["reduction_omega"]) == len(j["reduction_error_gain"])
omega = np.array([1.0, 3.0, 7.0])
small, large = (scipy.signal.StateSpace(s["A"], s["B"][:, :1], s["C"][:1], s["D"][:1, :1]) for s in (m, full))
got, want = (scipy.signal.freqresp(s, omega)[1] for s in (small, large))
assert abs(got - want).max() < 1e-3 * abs(want).max()
END
run 0 linearize slide.yaml --reduce modal --order 3 -o reduced.h5
run 0 plot reduced.h5
grep -q 'thin: the model before its reduction' reduced.svg || fail "the model beside the reduced one"
run 1 linearize slide.yaml --reduce modal
says 'a reduction by .modal. needs an order, 1 or more, or a relative error'
run 1 linearize slide.yaml --reduce modal --order 30
says 'an order of 30 is more than there is: the model has 7 elastic coordinates'
run 2 linearize slide.yaml --order 3
says '--order, --error, --band, --points and --damping need --reduce'
run 2 linearize slide.yaml --reduce modal --error 0.1 --band 3
says "--band: expected FROM:TO in rad/s such as 0:20, found '3'"
run 2 linearize slide.yaml --reduce krylov --points 1,2j
says "--points: expected points such as 0,2.5,10i,3+4i,inf, found '2j'"
run 2 linearize slide.yaml --reduce modal --error big
says "--error: expected a number, found 'big'"

# ---- the plants of a sweep: one file, each the model of its point ----
for form in state-space second-order descriptor; do
    run 0 linearize slide.yaml --form $form --sweep k=40:60:3 --sweep c=2:4:2 -o plants-$form.mat
    prints '^6 plants: 3 values of k times 2 values of c$'
    prints '^14 states, 2 inputs, 3 outputs$'
    prints '^\* *4  *50  *4 '
    run 0 linearize slide.yaml --form $form --sweep k=40:60:3 --sweep c=2:4:2 --format json
    grep -q '"parameters": \["k", "c"\]' out.txt || fail "json of $form: the parameters"
done
run 0 linearize slide.yaml --set k=60 --set c=2 -o alone.mat
run 0 linearize slide.yaml --sweep k=40:60:3 --sweep c=2:4:2 --reduce modal --order 3 -o plants-reduced.mat
octave_script <<'END' || fail "Octave: plants"
w = 7;
f = load('alone.mat');
H = f.C * ((1i * w * eye(rows(f.A)) - f.A) \ f.B) + f.D;
m = load('plants-state-space.mat');
assert(size(m.A), [14, 14, 6])
k = find(m.values(:, 1) == 60 & m.values(:, 2) == 2);
assert(k, 5)
assert(m.parameters, {'k'; 'c'})
assert(m.nominal, 4)
assert(m.C(:, :, k) * ((1i * w * eye(14) - m.A(:, :, k)) \ m.B(:, :, k)) + m.D(:, :, k), H, 1e-9 * norm(H))
r = load('plants-reduced.mat');
assert(size(r.A), [6, 6, 6])
assert(r.C(:, :, k) * ((1i * w * eye(6) - r.A(:, :, k)) \ r.B(:, :, k)) + r.D(:, :, k), H, 1e-3 * norm(H))
s = load('plants-second-order.mat');
q = (-w^2 * s.M(:, :, k) + 1i * w * s.D(:, :, k) + s.K(:, :, k)) \ s.F(:, :, k);
assert((s.Y_q(:, :, k) + 1i * w * s.Y_v(:, :, k) - w^2 * s.Y_a(:, :, k)) * q + s.Y_u(:, :, k), H, 1e-9 * norm(H))
assert(s.M(:, :, 4), eye(7), 1e-9)
assert(size(s.basis), [numel(s.motions), numel(s.coordinates), 6])
d = load('plants-descriptor.mat');
e = (1i * w * d.E_5 - (d.J_5 - d.R_5) * d.Q_5) \ full(d.B_5);
assert(d.C_5 * e + d.D_5, H, 1e-7 * norm(H))
END
python_script <<'END' || fail "SciPy: plants"
import numpy as np
import scipy.io
import scipy.signal
m = scipy.io.loadmat("plants-state-space.mat", simplify_cells=True)
full = scipy.io.loadmat("alone.mat", simplify_cells=True)
systems = [scipy.signal.StateSpace(*(m[name][:, :, k] for name in "ABCD")) for k in range(6)]
got, want = (np.sort(abs(np.linalg.eigvals(a))) for a in (systems[4].A, full["A"]))
assert abs(got - want).max() < 1e-8 * want.max()
END
run 2 linearize slide.yaml --sweep k=40:60:3 --reduce irka --order 2
says 'at k = 50 (point 2 of 3): the method irka makes states of its own for each plant'
run 2 linearize slide.yaml --sweep k=40:60
says '--sweep: expected name=from:to:count'
run 2 linearize slide.yaml --sweep kk=40:60:3
says "no parameter 'kk'"
run 2 linearize slide.yaml --sweep k=40:60:3 -o plants_mtx
says 'let the name end with .mat, .h5 or .json'
[ ! -e plants_mtx ] || fail "plants_mtx was written"
run 0 linearize slide.yaml --sweep k=40:60:3 -o plants.h5
run 1 plot plants.h5 -o wrong.svg
says 'the plants of a sweep'

# ---- the plants as an LFT: closed at the plants and between them ----
run 0 linearize slide.yaml --sweep k=40:60:3 --sweep c=2:4:3 --lft c,k -o lft.mat
prints '^  c  *2  *4  *1  *1$'
prints '^  k  *40  *60  *1  *1$'
prints 'at values left out of the fit$'
run 0 linearize slide.yaml --set k=43 --set c=3.5 -o between.mat
octave_script <<'END' || fail "Octave: LFT"
pkg load control
m = load('lft.mat');
f = load('between.mat');
assert(m.lft_parameters, {'c'; 'k'})
assert(m.lft_range, [2, 4; 40, 60])
assert(m.lft_inputs, {'c.w1'; 'k.w1'; 'push.fx'; 'push.fy'})
assert(m.lft_error_held_out < 1e-9 && m.lft_error_realisation < 1e-10)
M = ss(m.lft_A, m.lft_B, m.lft_C, m.lft_D);
value = [3.5; 43];
delta = (2 * value - sum(m.lft_range, 2)) ./ diff(m.lft_range, 1, 2);
plant = lft(ss(diag(repelems(delta', [1:numel(delta); m.lft_blocks']))), M);
w = 7;
H = f.C * ((1i * w * eye(rows(f.A)) - f.A) \ f.B) + f.D;
assert(squeeze(freqresp(plant, w)), H, 1e-9 * norm(H))
END
python_script <<'END' || fail "SciPy: LFT"
import numpy as np
import scipy.io
m = scipy.io.loadmat("lft.mat", simplify_cells=True)
A, B, C, D = (m["lft_" + name] for name in "ABCD")
r = int(m["lft_blocks"].sum())
low, high = m["lft_range"].T
w = 7j
for k, (stiffness, damping) in enumerate(m["values"]):
    delta = np.diag(np.repeat((2 * np.array([damping, stiffness]) - low - high) / (high - low), m["lft_blocks"].astype(int)))
    M = C @ np.linalg.solve(w * np.eye(len(A)) - A, B) + D
    got = M[r:, r:] + M[r:, :r] @ delta @ np.linalg.solve(np.eye(r) - M[:r, :r] @ delta, M[:r, r:])
    plant = [m[name][:, :, k] for name in "ABCD"]
    want = plant[2] @ np.linalg.solve(w * np.eye(len(plant[0])) - plant[0], plant[1]) + plant[3]
    assert abs(got - want).max() < 1e-9 * abs(want).max()
END
run 0 linearize slide.yaml --sweep k=40:60:3 --lft k --lft-degree 0
prints '^  k  *40  *60  *0  *0$'
run 0 linearize slide.yaml --sweep k=40:60:2 --lft k --band 1:100
says 'warning: the sweep has too few values to estimate the error of the LFT'
prints 'too few values for this degree$'
prints 'from 1 to 100 rad/s$'
run 0 linearize slide.yaml --sweep k=40:60:4 --lft k --lft-degree 0 --lft-error 1
run 2 linearize slide.yaml --lft k
says '--lft needs --sweep'
run 2 linearize slide.yaml --sweep k=40:60:3 --lft-degree 2
says '--lft-degree and --lft-error need --lft'
run 2 linearize slide.yaml --sweep k=40:60:3 --lft k --lft-degree 2,3
says '--lft-degree: 2 degrees for 1 parameters'
run 2 linearize slide.yaml --sweep k=40:60:3 --lft k --lft-degree two
says "expected degrees such as 2 or 2,3, found 'two'"
run 1 linearize slide.yaml --sweep k=40:60:3 --lft k --lft-degree 3
says "degree 3 of 'k'; with 3 values of it the degree can be from 0 to 2"
run 1 linearize slide.yaml --sweep k=40:60:3 --sweep c=2:4:3 --lft k
says "the sweep has 3 values of 'c', which is not among the parameters of the LFT"

# ---- pictures ----
run 0 plot state-space.h5
prints '^state-space.svg$'
grep -q 'push.fx → tip.x' state-space.svg && grep -q 'Phase (degrees)' state-space.svg || fail "the Bode diagram"
# the guide lets the mass move along x only, and the beam along its axis
grep -q 'left out: 4 responses zero to rounding' state-space.svg || fail "responses that are zero"
! grep -q 'tip.y\|push.fy' state-space.svg || fail "a response that is zero is drawn"
run 0 plot second-order.h5
cmp -s state-space.svg second-order.svg || grep -q 'push.fx → tip.x' second-order.svg || fail "of second order"
run 0 plot state-space.h5 --inputs push.fx --outputs x,tip.x -o two.svg
[ "$(grep -c '→' two.svg)" -eq 2 ] || fail "two responses in the legend of both panels: $(grep -c '→' two.svg)"
run 0 plot state-space.h5 --poles
prints '^state-space_poles.svg$'
# a cross of two strokes for each
[ "$(sed -n '/fill="none"/,/"\/>/p' state-space_poles.svg | grep -o 'M[0-9]' | wc -l)" -eq 28 ] || fail "14 poles"
run 2 plot state-space.h5 --inputs push.fz -o wrong.svg
says "no input 'push.fz'; did you mean 'push.f"
run 2 plot state-space.h5 --outputs ,x -o wrong.svg
run 1 plot descriptor.h5 -o wrong.svg
says 'write the model in the form state-space'
[ ! -e wrong.svg ] || fail "wrong.svg was written"

# ---- what is refused, and leaves no file or the older one ----
cp state-space.mat older.mat
for file in wrong.mat wrong.h5 wrong.json state-space.mat; do
    run 2 linearize slide.yaml --inputs push.fz -o $file
    says "slide.yaml: there is no input 'push.fz'"
    run 2 linearize slide.yaml --outputs tipp -o $file
    says 'tip'
    run 2 linearize slide.yaml --inputs '' -o $file
    run 2 linearize slide.yaml --inputs push.fx,,push.fy -o $file
    says 'is empty'
    run 2 linearize slide.yaml --inputs push.fx,push.fx -o $file
    run 2 linearize slide.yaml --outputs push.fx -o $file
    run 2 linearize slide.yaml --inputs mass.P.ay -o $file # the guide holds it
    says 'mass.P'
    run 2 linearize slide.yaml --form modal -o $file
    says 'state-space|descriptor|second-order'
    run 2 linearize slide.yaml --inputs guide.acceleration --form descriptor -o $file
    says 'guide'
    run 2 linearize missing.yaml -o $file
    grep -v 'push:' slide.yaml | sed 's/^loads:.*//' >silent.yaml
    run 2 linearize silent.yaml -o $file
    says 'no load, actuator or drive'
    [ "$file" = state-space.mat ] || [ ! -e $file ] || fail "$file was written"
    [ ! -e $file.partial ] || fail "$file.partial was left"
    cmp -s state-space.mat older.mat || fail "the older file has changed"
done
run 2 linearize slide.yaml -o slide.xml
says '.mat, .h5, .json, or _mtx'
run 2 linearize slide.yaml -o nowhere/slide.h5
says 'nowhere'

# ---- stable inversion: the force that moves the mass, the beam on it vibrating, is not far from that of one mass ----
cat slide.yaml - >moved.yaml <<'END'
inverse: {inputs: push.fx, motion: {x: "0.1*ramp(ramp(t, 0.2, 0.8), 0, 1)"}}
simulate: {end: 1, step: 1e-3, every: 0.01}
END
run 0 inverse moved.yaml -o moved.csv
grep -q 'zeros .*' out.txt && grep -q ', for x$' out.txt || fail "the summary: $(cat out.txt)"
awk -F, 'NR == 1 { exit !($2 == "push.fx" && $3 == "x") }' moved.csv || fail "the columns of moved.csv"
awk -F, 'END { exit !(NR == 102 && $2 > 4.99 && $2 < 5.01) }' moved.csv || fail "k x at the end of moved.csv"
run 2 inverse moved.yaml --result moved.h5
says 'apply to driven joints only'
run 2 inverse slide.yaml --end 1 --step 0.1
says 'no joint is driven'
finish

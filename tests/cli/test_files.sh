#!/bin/sh
# The files of `phlexor export`, opened by Octave, NumPy and SciPy, h5py and h5dump, against each other and against what
# the program computes.
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/support/readers.sh"
for reader in octave-cli:octave h5dump:hdf5-tools; do
    command -v "${reader%%:*}" >/dev/null || {
        echo "SKIP: ${reader%%:*} is missing; Debian has it in ${reader#*:}"
        exit 77
    }
done
python3 -c 'import scipy, h5py' 2>/dev/null || /usr/bin/python3 -c 'import scipy, h5py' 2>/dev/null || {
    echo "SKIP: SciPy or h5py is missing; Debian has them in python3-scipy and python3-h5py"
    exit 77
}
# A name that neither MATLAB nor XML nor csv likes, and one that is a word of MATLAB's language.
sed 's/^  mid: /  end: {effort: motor}\n  "größe <b> \&amp 1": {position: coupler.C}\n  mid: /' \
    "$examples/crank_slider.yaml" >plane.yaml
cp "$examples/manipulator.yaml" space.yaml
cp "$examples/rotor_blade.yaml" "$examples/hinged_pair.yaml" "$examples/satellite.yaml" "$examples/heavy_top.yaml" .

# ---- simulations ----
for name in plane space; do
    run 0 simulate $name.yaml -o $name.h5 --csv table.csv --summary json
    mv out.txt printed.json
    for format in csv json mat; do
        run 0 export $name.h5 --format $format
        prints "^$name.$format$"
    done
    cmp table.csv $name.csv || fail "export of $name as csv is not what simulate writes"
    cmp printed.json $name.json || fail "export of $name as json is not the summary that simulate prints"
    h5dump -H $name.h5 >dump.txt || fail "h5dump cannot read $name.h5"
    h5dump -d /columns/energy -m %.17g -y -w 1 -o energy.txt -O $name.h5 >dump.txt 2>&1 || fail "h5dump: $(cat dump.txt)"
    tr -d ' ,' <energy.txt | grep . >energy.dump
    columns $name.csv energy >energy.csv
    paste energy.dump energy.csv | awk '$1 != $2 { bad++ } END { exit !(NR > 100 && bad == 0) }' ||
        fail "h5dump shows other energies than the csv of $name"
done

octave_script <<'END' || fail "Octave does not agree"
for name = {"plane", "space"}
    r = load([name{1}, ".mat"]);
    text = strsplit(fileread([name{1}, ".csv"]), "\n");
    table = dlmread([name{1}, ".csv"], ",", 1, 0);
    assert(columns(table) == numel(r.columns) && rows(table) > 100)
    for k = 1:numel(r.columns)
        assert(isvarname(r.variables{k}))
        assert(r.(r.variables{k}), table(:, k))
    end
    assert(r.units{1}, "s")
    assert(r.info_status, "complete")
    assert(max(abs(r.residual)), r.info_largest_residual)
    assert(rows(r.states_x) == rows(table) && columns(r.states_x) >= sum(r.x_count))   # behind: turns counted
    assert(size(r.states_v), [rows(table), sum(r.v_count)])
    assert(r.kinetic + r.elastic + r.potential, r.energy, 1e-14 * max(abs(r.energy)))
    assert(iscellstr(r.bodies) && numel(r.bodies) == 3)
end
plane = load("plane.mat");
assert(plane.end_, plane.drive)
assert(plane.gr__e__b___amp_1_x, plane.slider_x, 1e-12)   # the coupler's end is the slider
assert(ischar(plane.model) && ! isempty(strfind(plane.model, "phlexor: 1")))
END

python_script <<'END' || fail "Python does not agree on simulations"
import csv, json
import h5py, numpy as np, scipy.io

for name in ["plane", "space"]:
    with open(name + ".csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    table = {key: np.array([float(row[k]) for row in rows[1:]]) for k, key in enumerate(rows[0])}
    with open(name + ".json", encoding="utf-8") as stream:
        summary = json.load(stream)
    mat = scipy.io.loadmat(name + ".mat", squeeze_me=True)
    with h5py.File(name + ".h5") as f:
        found = {d.attrs["name"]: (d[:], d.attrs["unit"]) for d in f["columns"].values()}
        assert set(found) == set(table) == set(summary["columns"])
        assert np.array_equal(mat["states_x"], f["states/x"]) and np.array_equal(mat["states_v"], f["states/v"])
        assert list(mat["bodies"]) == list(f["bodies/name"].asstr()) == summary["bodies"]
        assert summary["rows"] == len(table["t"]) and summary["status"] == f.attrs["status"] == "complete"
    for key, values in table.items():
        part = summary["columns"][key]
        assert np.array_equal(found[key][0], values), key
        assert part["unit"] == found[key][1]
        assert [part["first"], part["last"], part["min"], part["max"]] == [
            values[0], values[-1], values.min(), values.max()], key
        assert table["t"][values.argmin()] == part["t_min"] and table["t"][values.argmax()] == part["t_max"], key
    size = max(abs(table[k]).max() for k in ["kinetic", "elastic", "energy"])
    assert summary["largest"]["energy"] == size == summary["attributes"]["largest_energy"]
    assert summary["largest"]["drift"] == table["drift"].max()

    # the ledger adds up, in every file
    with h5py.File(name + ".h5") as f:
        for takes, group in enumerate(["supplied", "dissipated"]):
            parts = {d.attrs["name"]: d[:] for d in f["ledger"].get(group, {}).values()}
            assert summary["ledger"][group] == {part: values[-1] for part, values in parts.items()}
            mine = np.atleast_1d(mat["ledger_dissipates"]) == takes
            assert list(np.atleast_1d(mat["ledger"])[mine]) == list(parts)
            values = mat["ledger_values"].reshape(len(table["t"]), -1)[:, mine]
            assert all(np.array_equal(values[:, k], part) for k, part in enumerate(parts.values()))
            error = abs(values.sum(axis=1) - table[group]).max()
            assert error <= 1e-12 * size, (group, error)
END

# ---- modes ----
for model in rotor_blade hinged_pair; do
    run 0 modes $model.yaml --count 4 -o $model.h5
    for format in csv json mat; do
        run 0 export $model.h5 --format $format -o $model-x.$format
    done
    run 0 modes $model.yaml --count 4 -o table.csv
    cmp table.csv $model-x.csv || fail "export of modes as csv is not what modes writes"
    run 0 modes $model.yaml --count 4 -o table.json
    cmp table.json $model-x.json || fail "export of modes as json is not what modes writes"
    h5dump -H $model.h5 >dump.txt || fail "h5dump cannot read $model.h5"
done
python_script <<'END' || fail "Python does not agree on modes"
import h5py, numpy as np, scipy.io

for name in ["rotor_blade", "hinged_pair"]:
    mat = scipy.io.loadmat(name + "-x.mat")
    with h5py.File(name + ".h5") as f:
        for key in ["mode", "branch", "omega", "frequency", "damping"]:
            assert np.array_equal(mat[key][:, 0], f["modes"][key]), key
        assert np.array_equal(mat["point"][:, 0], f["modes/point"][:] + 1)
        shapes = f["shapes/real"][:]
        if "imaginary" in f["shapes"]:
            shapes = shapes + 1j * f["shapes/imaginary"][:]
        assert np.array_equal(mat["shapes"], shapes) and shapes.size > 0
        assert [str(n[0]) for n in mat["coordinates"][:, 0]] == list(f["shapes/coordinates"].asstr())
        if "values" in f["sweep"]:
            assert np.array_equal(mat["values"], f["sweep/values"])
        assert len(f["modes/omega"]) == 4 * mat["rigid_modes"].shape[0]
END

# ---- everything in an HDF5 file is described in docs/result-files.md ----
run 0 linearize satellite.yaml -o states.h5
run 0 linearize satellite.yaml --form second-order -o second.h5
run 0 linearize satellite.yaml --form descriptor -o linear.h5
run 0 titop plane.yaml --body coupler -o body.h5
cat >described.py <<END
import re
import h5py

text = open("$source_dir/docs/result-files.md", encoding="utf-8").read()
parts = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.M | re.S))


def described(chapter):
    """Paths and attributes of the root in the tables of a chapter."""
    paths, attributes = set(), set()
    for row in re.findall(r"^\|(.*)\|$", parts[chapter], re.M):
        cells = row.split("|")
        if cells[0].strip().startswith("attributes of"):
            attributes |= set(re.findall(r"\`([a-z_]+)\`", row))
        folder = ""
        for word in re.findall(r"\`([^\`]+)\`", cells[0]):
            folder = word.rsplit("/", 1)[0] if "/" in word else folder
            paths.add(word if "/" in word else folder + "/" + word)
    return paths, attributes


def check(name, chapters, general):
    paths, attributes = (set().union(*sets) for sets in zip(*map(described, chapters)))
    missing = set()

    def visit(path, item):
        path = "/" + path
        for folder in general:
            if path.startswith(folder + "/"):
                path = folder + general[folder]
        if path not in paths and not (isinstance(item, h5py.Group) and any(p.startswith(path + "/") for p in paths)):
            missing.add(path)

    with h5py.File(name) as f:
        f.visititems(visit)
        missing |= set(f.attrs) - attributes
    assert not missing, (name, sorted(missing))


simulation, modes, linear = "HDF5 file of a simulation", "Tables of modes", "Files of linear models"
general = {"/columns": "/NAME", "/ledger/supplied": "/PART", "/ledger/dissipated": "/PART"}
for name in ["plane", "space"]:
    check(name + ".h5", [simulation], general)
for name in ["rotor_blade", "hinged_pair"]:
    check(name + ".h5", [modes, simulation], general)
items = set(re.findall(r"\`([A-Za-z_]+)\`", parts[linear]))
for name in ["states", "second", "linear", "body"]:
    with h5py.File(name + ".h5") as f:
        missing = set(f) - items
        assert not missing, (name, sorted(missing))
        assert set(f.attrs) <= items, set(f.attrs) - items
        for key, item in f.items():
            assert isinstance(item, h5py.Dataset) or set(item) == {"data", "indices", "indptr", "shape"}, key
END
python_script <described.py || fail "docs/result-files.md does not describe what is in the files"

# ---- matrices ----
run 0 export satellite.yaml
prints '^satellite_mtx/contents.json$'
run 0 export satellite.yaml --format mat
run 0 export plane.yaml -o matrices
run 0 export space.yaml --set load=1.5
cat >follower.yaml <<'END'
phlexor: 1
dimension: 2
bodies:
  one: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}
  two: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], pose: {position: [1, 0]}, ports: {C: {position: [1, 0]}}}
joints:
  A: {kind: revolute, ports: [ground.O, one.P], stiffness: 10}
  B: {kind: revolute, ports: [one.C, two.P], stiffness: 10}
loads: {f: {force: [-1, 0], at: two.C, frame: body}}
END
run 0 export follower.yaml
says 'matrices of the descriptor form are left out'
run 0 export heavy_top.yaml
run 0 modes satellite.yaml --count 8 --format csv -o satellite.csv
run 0 modes plane.yaml --count 6 --format csv -o plane_modes.csv
run 0 export linear.h5 --format mtx
run 0 export linear.h5 --format json
run 0 linearize satellite.yaml --form state-space -o states_mtx
python_script <<'END' || fail "Python does not agree on matrices"
import csv, json
import numpy as np, scipy.io, scipy.linalg, scipy.sparse


def folder(name):
    with open(name + "/contents.json", encoding="utf-8") as stream:
        contents = json.load(stream)
    matrices = {}
    for entry in contents["matrices"]:
        path = name + "/" + entry["file"]
        rows, cols, _, _, _, symmetry = scipy.io.mminfo(path)
        assert (rows, cols, symmetry) == (entry["rows"], entry["cols"], entry["symmetry"]), path
        matrix = scipy.io.mmread(path)
        matrix = matrix.toarray() if scipy.sparse.issparse(matrix) else matrix
        assert matrix.shape == (rows, cols), path
        same = {"symmetric": 1, "skew-symmetric": -1}.get(symmetry)
        if same:
            assert np.array_equal(matrix, same * matrix.T), path
        elif rows == cols:
            assert not np.array_equal(matrix, matrix.T), path + " is symmetric and does not say so"
        assert entry["meaning"], path
        matrices[entry["name"]] = matrix
    return matrices, contents["items"]


def frequencies(m):
    """Of M xi'' + K xi = G^T lambda, G xi' = 0."""
    basis = scipy.linalg.null_space(m["G"])
    values = scipy.linalg.eigvalsh(basis.T @ m["K"] @ basis, basis.T @ m["M"] @ basis)
    return np.sqrt(np.maximum(values, 0)) / (2 * np.pi)


def table(path):
    with open(path) as stream:
        return np.array([float(row["frequency"]) for row in csv.DictReader(stream)])


def compare(what, found, wanted, tolerance):
    error = np.max(abs(found - wanted) / wanted)
    print("%-32s largest relative difference %.2g, tolerance %.2g" % (what, error, tolerance))
    assert len(wanted) > 0 and error <= tolerance, (what, found, wanted)


# satellite: three rigid motions; symmetric, so that the descriptor form exists
m, items = folder("satellite_mtx")
found, wanted = frequencies(m), table("satellite.csv")
rigid = m["M"].shape[0] - np.linalg.matrix_rank(m["G"]) - np.linalg.matrix_rank(m["K"])
compare("satellite, frequencies", found[3:3 + len(wanted)], wanted, 1e-9)
n, c = m["M"].shape[0], m["G"].shape[0]
assert np.array_equal(m["KKT"], np.block([[m["M"], -m["G"].T], [-m["G"], np.zeros((c, c))]]))
assert len(items["coordinates"]) == n and len(items["states"]) == m["E"].shape[0]
assert len(items["inputs"]) == m["B"].shape[1] == m["F"].shape[1]

# port-Hamiltonian: skew J, symmetric R >= 0, energy 1/2 e^T E^T Q e, and the pencil has the modes
assert np.array_equal(m["J"], -m["J"].T) and np.array_equal(m["R"], m["R"].T)
assert scipy.linalg.eigvalsh(m["R"]).min() > -1e-12
assert np.allclose(m["E"].T @ m["Q"], m["Q"].T @ m["E"], rtol=0, atol=1e-12 * abs(m["Q"]).max())
values = scipy.linalg.eigvals((m["J"] - m["R"]) @ m["Q"], m["E"])
values = values[np.isfinite(values) & (abs(values) < 1e8)]
for frequency in wanted[:5]:
    nearest = values[np.argmin(abs(abs(values) / (2 * np.pi) - frequency))]
    assert abs(abs(nearest) / (2 * np.pi) - frequency) < 1e-4 * frequency, (frequency, nearest)

# the same in a MAT-file, and what linearize --form descriptor has
mat = scipy.io.loadmat("satellite.mat")
for name, matrix in m.items():
    other = mat[name].toarray() if scipy.sparse.issparse(mat[name]) else mat[name]
    assert np.array_equal(other, matrix), name
linear, items = folder("linear_mtx")
for name in "EJRQBPSN":
    assert np.array_equal(linear[name], m[name]), name
with open("linear.json", encoding="utf-8") as stream:
    data = json.load(stream)
for name in "EJRQBC":
    s = data[name]
    made = scipy.sparse.coo_matrix((s["value"], (s["row"], s["col"])), (s["rows"], s["cols"]))
    assert np.array_equal(made.toarray(), linear[name]), name
states, items = folder("states_mtx")
poles = np.linalg.eigvals(states["A"])
assert items["form"] == "state-space" and len(items["states"]) == len(poles)
for frequency in wanted[:5]:
    assert min(abs(abs(poles) / (2 * np.pi) - frequency)) < 1e-6 * frequency

# bodies: K = root^T root; a drive that is locked
m, items = folder("matrices")
compare("crank-slider, frequencies", frequencies(m)[:6], table("plane_modes.csv"), 1e-10)
K = m["coupler_K_ff"]
assert np.allclose(m["coupler_root"].T @ m["coupler_root"], K, rtol=0, atol=1e-13 * abs(K).max())
assert np.array_equal(m["coupler_M"][3:, 3:], m["coupler_M_ff"]) and scipy.linalg.eigvalsh(m["coupler_M"]).min() > 0
assert np.array_equal(m["coupler_M"][:2, 3:], m["coupler_S"]) and np.array_equal(m["coupler_M"][2:3, 3:], m["coupler_C"])
assert items["inputs"] == ["motor.rate"] and m["crank_M"].shape == (3, 3)

m, items = folder("space_mtx")
assert m["fore_K_ff"].shape[0] > 0 and scipy.linalg.eigvalsh(m["fore_K_ff"]).min() > 0
assert len(items["inputs"]) == 3 and m["Y_q"].shape == (len(items["outputs"]), len(items["coordinates"]))

# a force that follows its body: K is not symmetric and says so
m, items = folder("follower_mtx")
assert "J" not in m and not np.array_equal(m["K"], m["K"].T) and np.array_equal(m["M"], m["M"].T)
# a top that would fall: K of a point that is no equilibrium is the symmetric one of a potential; no inputs
m, items = folder("heavy_top_mtx")
assert "J" in m and "F" not in m and np.abs(m["K"] - m["K"].T).max() <= 1e-12 * np.abs(m["K"]).max()
END

# ---- standard output, names with spaces, results of runs that stopped ----
run 0 export plane.h5 -o named.csv
cmp named.csv plane.csv || fail "export -o named.csv is not csv"
run 2 export plane.yaml -o named.vtk
run 0 export plane.h5 --format csv -o -
cmp out.txt plane.csv || fail "csv on standard output is not that of the file"
run 0 export plane.h5 --format json -o -
cmp out.txt plane.json || fail "json on standard output is not that of the file"
run 2 export plane.h5 --format mat -o -
says 'mat cannot be written to standard output'
run 0 export satellite.yaml -o 'über "a" b'
[ -s 'über "a" b/M.mtx' ] || fail "no folder with spaces and quotes in its name"
sed 's/speed: speed}/speed: speed*sqrt(1 - t\/0.03)}/' plane.yaml >stops.yaml
status=0
"$program" simulate stops.yaml -o stops.h5 >out.txt 2>err.txt || status=$?
if [ "$status" -eq 1 ] && [ -s stops.h5.partial ]; then
    run 0 export stops.h5.partial --format json -o stops.json
    grep -q '"status": "partial"' stops.json || fail "the summary of a partial result does not say so"
    run 0 export stops.h5.partial --format mat -o stops.mat
    run 0 export stops.h5.partial --frames 3
    prints '^stops.h5_vtk/motion.pvd$'
    rm stops.h5.partial
else
    fail "no partial result to export: status $status, $(cat err.txt)"
fi

# ---- what cannot be ----
run 2 export plane.h5 --format mtx
says "plane.h5 is a simulation and cannot be written as 'mtx'; there are vtk, xdmf, glb, mat, csv, xlsx, json"
run 2 export rotor_blade.h5 --format vtk
says 'is a table of modes .* there are mat, csv, xlsx, json'
run 2 export linear.h5 --format csv
run 2 export plane.yaml --format vtk
says "cannot be written as 'vtk'; there are mat, json, mtx"
run 2 export plane.h5 --set load=1
says 'applies to models only'
run 2 export plane.h5 --format mat -o plane.h5
says 'written over itself'
run 2 export none.h5
run 2 export none.yaml
run 1 export satellite.yaml
says 'satellite_mtx: it exists and is not an empty folder'
run 2 export satellite.yaml --format json -o none/x.json
printf 'no HDF5\n' >wrong.h5
run 1 export wrong.h5
says 'wrong.h5'
# ---- numbers that no run records ----
for set in states/x states/v columns/energy; do
    cp plane.h5 damaged.h5
    SET=$set python_script <<'END' || fail "h5py cannot damage $set"
import h5py, os
with h5py.File("damaged.h5", "r+") as f:
    data = f[os.environ["SET"]]
    data[(len(data) - 1,) + (2,) * (len(data.shape) - 1)] = float("nan")
END
    run 1 export damaged.h5 --format mat -o damaged.mat
    says "damaged.h5: row [0-9]* of /$set is -\?nan; the file is damaged"
done
cp plane.h5 damaged.h5
python_script <<'END' || fail "h5py cannot damage the last state"
import h5py
with h5py.File("damaged.h5", "r+") as f:
    f["states/x"][-1, 0] = float("inf")
END
{ sed '/^initial/d' plane.yaml; echo 'initial: {from: damaged.h5}'; } >goes_on.yaml
run 2 simulate goes_on.yaml --end 99
says 'of /states/x is inf; the file is damaged'
[ -z "$(find . -name '*.partial')" ] || fail "left behind: $(find . -name '*.partial')"
finish

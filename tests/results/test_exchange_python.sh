#!/bin/sh
# SciPy reads the MAT-file and the Matrix Market files of the sample as they are, json the json file, h5py (where there is one) the HDF5 file.
set -eu
. "$(dirname "$0")/../support/readers.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
"$1" sample.mat sample.json sample.h5 sample_mtx
python_script <<'END'
import json
import numpy as np
import scipy.io
import scipy.sparse

real = np.array([[1, -2.5, 1e-300], [1 / 3, 0, 1.7e308]])
sparse = np.array([[0, 2, 0, -1], [0, 0, 0, 0], [1 / 7, 0, 0, 0]])
names = ["crank.C.fx", "Kurbelträger", ""]
text = 'ein \U0001d11e "Text"\n'

mat = scipy.io.loadmat("sample.mat")
assert np.array_equal(mat["real"], real)
assert np.array_equal(mat["complex"], [[1 + 2j], [-3.5 - 1j]])
assert mat["empty"].shape == (0, 3) and mat["hollow"].shape == (2, 0) and mat["desert"].shape == (0, 0)
assert mat["complex_empty"].shape == (0, 3) and mat["complex_hollow"].shape == (2, 0)
assert mat["complex_desert"].shape == (0, 0)
assert mat["rowless"].shape == (0, 3) and mat["columnless"].shape == (3, 0) and mat["sizeless"].shape == (0, 0)
assert [name.size for name in mat["unnamed"][:, 0]] == [0, 0]
assert scipy.sparse.issparse(mat["sparse"]) and np.array_equal(mat["sparse"].toarray(), sparse)
assert mat["nothing"].shape == (2, 2) and mat["nothing"].nnz == 0
assert mat["names"].shape == (3, 1)
assert [str(name[0]) if name.size else "" for name in mat["names"][:, 0]] == names
assert mat["none"].size == 0 and mat["blank"].size == 0
assert mat["text"][0] == text.replace("\U0001d11e", "\ufffd")
assert mat["number"][0, 0] == 0.1

with open("sample.json", encoding="utf-8") as stream:
    data = json.load(stream)
assert np.array_equal(data["real"], real)
assert data["complex"] == {"real": [[1], [-3.5]], "imaginary": [[2], [-1]]}
s = data["sparse"]
made = scipy.sparse.coo_matrix((s["value"], (s["row"], s["col"])), (s["rows"], s["cols"]))
assert np.array_equal(made.toarray(), sparse)
assert data["empty"] == [] and data["hollow"] == [[], []] and data["desert"] == []
assert data["complex_empty"] == data["complex_desert"] == {"real": [], "imaginary": []}
assert data["complex_hollow"] == {"real": [[], []], "imaginary": [[], []]}
for name, rows, cols in [("rowless", 0, 3), ("columnless", 3, 0), ("sizeless", 0, 0)]:
    assert data[name] == {"rows": rows, "cols": cols, "row": [], "col": [], "value": []}
assert data["none"] == [] and data["unnamed"] == ["", ""] and data["blank"] == ""
assert data["names"] == names and data["text"] == text and data["number"] == 0.1

def market(name):
    matrix = scipy.io.mmread("sample_mtx/" + name + ".mtx")
    return matrix.toarray() if scipy.sparse.issparse(matrix) else matrix


assert np.array_equal(market("real"), real) and np.array_equal(market("sparse"), sparse)
assert np.array_equal(market("complex"), [[1 + 2j], [-3.5 - 1j]])
for name, shape in [("empty", (0, 3)), ("hollow", (2, 0)), ("desert", (0, 0)), ("rowless", (0, 3)),
                    ("columnless", (3, 0)), ("sizeless", (0, 0)), ("nothing", (2, 2))]:
    assert market(name).shape == shape, name
    if "complex_" + name in data:
        assert market("complex_" + name).shape == shape and market("complex_" + name).dtype == complex, name
with open("sample_mtx/contents.json", encoding="utf-8") as stream:
    items = json.load(stream)["items"]
assert items == {"names": names, "unnamed": ["", ""], "none": [], "text": text, "blank": "", "number": 0.1}

try:
    import h5py
except ImportError:
    print("h5py is not there; the HDF5 file was not read")
    raise SystemExit(0)
with h5py.File("sample.h5") as f:
    assert f.attrs["format"] == "phlexor exchange"
    assert np.array_equal(f["real"][()], real)
    assert np.array_equal(f["complex"][()], [[1 + 2j], [-3.5 - 1j]])
    assert f["empty"].shape == (0, 3) and f["hollow"].shape == (2, 0)
    for name in ["complex_empty", "complex_hollow", "complex_desert"]:
        assert f[name].dtype == complex
    assert f["complex_empty"].shape == (0, 3) and f["complex_hollow"].shape == (2, 0)
    assert f["complex_desert"].shape == (0, 0)
    assert list(f["rowless/shape"]) == [0, 3] and list(f["columnless/shape"]) == [3, 0]
    assert f["sizeless/indptr"].shape == (1,) and f["columnless/indptr"].shape == (4,)
    assert f["none"].shape == (0,) and list(f["unnamed"].asstr()) == ["", ""] and f["blank"].asstr()[()] == ""
    g = f["sparse"]
    made = scipy.sparse.csr_matrix((g["data"][()], g["indices"][()], g["indptr"][()]), g["shape"][()])
    assert np.array_equal(made.toarray(), sparse)
    assert list(f["names"].asstr()) == names and f["text"].asstr()[()] == text and f["number"][()] == 0.1
END

#!/usr/bin/env python3
"""A motion as glb, read by three.js: every node of every surface is where the result file puts it (docs/result-files.md).

    test_gltf.py PROGRAM NODE WEB_BUILD WEB_TEST EXAMPLES
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIP: {missing} (Debian: python3-h5py)")
    sys.exit(77)

TOLERANCE = 1e-6  # of the extent: glTF has single precision
INSTANTS = 3
PLATE = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
materials: {m: {density: 2700, young: 7e9, poisson: 0.3}}
bodies:
  plate: {kind: plate, material: m, thickness: 0.02, mesh: {size: [1, 0.5], elements: [6, 3]}, basis: {modes: 4},
          ports: {P: {on: x0}}}
  lid: {kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}, shape: {sphere: 0.1}}
joints: {wall: {kind: weld, ports: [ground.O, plate.P]}, slide: {kind: prismatic, ports: [ground.O, lid.P], axis: [0, 0, 1]}}
simulate: {end: 0.1, step: 1e-3, every: 1e-2}
"""


def expected(file, row):
    """The places of all nodes of the visuals at a row; of bodies on a mesh without any, of the mesh."""
    dim = int(file.attrs["dimension"])
    x = file["states/x"][row]
    n_rot = 1 if dim == 2 else 3
    bodies, visuals, meshes = file["bodies"], file["visuals"], file["meshes"]
    points, shapes, turns = (np.asarray(bodies["points"]), np.asarray(bodies["shapes"]),
                             np.asarray(visuals["point_turns"]))
    made, at, of_shapes, of_turns = [], 0, 0, 0
    for b, count in enumerate(bodies["n_points"]):
        first, size = int(bodies["x_start"][b]), int(bodies["x_count"][b])
        state = x[first:first + size]
        rotation = np.eye(3)
        if dim == 3:
            rotation = state[3:12].reshape(3, 3)
        else:
            rotation[:2, :2] = [[state[2], -state[3]], [state[3], state[2]]]
        q = state[dim + (3 if dim == 2 else 9):]
        body = {"place": np.append(state[:dim], [0.0] * (3 - dim)), "rotation": rotation, "q": q}
        own = np.zeros((count, 3))
        own[:, :dim] = points[at:at + count * dim].reshape(count, dim)
        at += count * dim
        turn = np.zeros((count, 3))
        if bodies["deforms"][b]:
            n = count * dim * len(q)
            own[:, :dim] += shapes[of_shapes:of_shapes + n].reshape(count, dim, len(q)) @ q
            of_shapes += n
            n = count * n_rot * len(q)
            turned = turns[of_turns:of_turns + n].reshape(count, n_rot, len(q)) @ q
            turn[:, (2 if dim == 2 else slice(0, 3))] = turned[:, 0] if dim == 2 else turned
            of_turns += n
        made.append(dict(body, points=own, turns=turn))
    node = 0
    surfaces = []
    for v, count in enumerate(visuals["nodes"]):
        places = []
        for k in range(node, node + count):
            b, point, arm = int(visuals["node_body"][k]), int(visuals["node_point"][k]), visuals["node_arm"][k]
            if b < 0:
                places.append(arm)
                continue
            body = made[b]
            local = arm if point < 0 else body["points"][point] + arm + np.cross(body["turns"][point], arm)
            places.append(body["place"] + body["rotation"] @ local)
        node += count
        surfaces.append(np.array(places))
    seen = set(visuals["body"])
    node = shape = 0
    for m, b in enumerate(meshes["body"]):
        count, body = int(meshes["nodes"][m]), made[b]
        n = 3 * count * len(body["q"])
        local = meshes["x"][node:node + count] + np.asarray(meshes["shapes"])[shape:shape + n].reshape(
            count, 3, len(body["q"])) @ body["q"]
        node, shape = node + count, shape + n
        if b not in seen:
            surfaces.append(body["place"] + local @ body["rotation"].T)
    return surfaces


def accessor(glb, kind):
    """The accessors behind an animation, `input` or of weights, and their numbers."""
    data = glb.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf = json.loads(data[20:20 + length])
    animation = gltf["animations"][0]
    samplers = animation["samplers"]
    wanted = [samplers[0]["input"]] if kind == "input" else \
        [samplers[channel["sampler"]]["output"] for channel in animation["channels"] if channel["target"]["path"] == kind]
    for one in (gltf["accessors"][k] for k in wanted):
        start = 28 + length + gltf["bufferViews"][one["bufferView"]].get("byteOffset", 0) + one.get("byteOffset", 0)
        yield np.frombuffer(data, "<f4", one["count"], start)


def compare(program, examples, read, tolerance):
    """Results and glb files of the models; `read` gives of a glb a list of {t, surfaces: [{places}]}."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "plate.yaml").write_text(PLATE)
        models = [pathlib.Path(examples) / f"{name}.yaml" for name in ("cable_arm", "fishing_rod", "bennett")]
        for model in models + [folder / "plate.yaml"]:
            result, glb = folder / f"{model.stem}.h5", folder / f"{model.stem}.glb"
            subprocess.run([program, "simulate", model, "-o", result], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            for _ in range(2):  # equal bytes
                before = glb.read_bytes() if glb.exists() else None
                subprocess.run([program, "export", result, "-o", glb, "--frames", "20"], check=True,
                               stdout=subprocess.DEVNULL)
                assert before in (None, glb.read_bytes()), f"{glb}: another file"
            for weights in accessor(glb, "weights"):  # Blender cuts off others
                assert weights.min() >= 0.0 and weights.max() == 1.0, f"{glb.name}: weights {weights.min()} {weights.max()}"
            worst = 0.0
            with h5py.File(result) as file:
                times = np.asarray(file["columns/t"])
                for instant in read(glb):
                    row = int(np.argmin(abs(times - instant["t"])))
                    wanted = expected(file, row)
                    found = [np.array(surface["places"]).reshape(-1, 3) for surface in instant["surfaces"]]
                    every = np.concatenate(wanted)
                    extent = np.linalg.norm(every.max(axis=0) - every.min(axis=0))
                    left = list(range(len(wanted)))
                    for surface in found:  # in the order of the tree
                        errors = [abs(surface - wanted[k]).max() if surface.shape == wanted[k].shape else np.inf
                                  for k in left]
                        best = int(np.argmin(errors))
                        assert errors[best] < tolerance * extent, \
                            f"{model.stem} at {instant['t']}: {errors[best] / extent:g} of the extent"
                        worst = max(worst, errors[best] / extent)
                        left.pop(best)
                    assert not left, f"{model.stem}: {len(left)} surfaces are missing"
            print(f"{model.stem}: {len(found)} surfaces, {len(every)} nodes, {worst:.1e} of the extent at most")


def main(program, node, build, tests, examples):
    def read(glb):
        done = subprocess.run([node, f"{tests}/gltf.mjs", glb, str(INSTANTS)], cwd=build, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    compare(program, examples, read, TOLERANCE)


if __name__ == "__main__":
    main(*sys.argv[1:])

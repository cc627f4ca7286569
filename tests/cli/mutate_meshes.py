#!/usr/bin/env python3
"""Damaged mesh files through `phlexor check`.

    mutate_meshes.py PROGRAM [--seconds S] [--count N] [--seed K] [--keep FOLDER]

STL (text and binary), OBJ, glTF, GLB, PLY and DAE files of one tetrahedron are cut, and their bytes and numbers changed
at random with a fixed seed. Wanted: exit status 0, or 2 with a message that names model file and line and the mesh file;
an end within the limit of processor time; no more memory than the limit; no file left behind. What does not keep to this
is printed; the exit status is then 1.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time

PLACES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
NUMBERS = ["0", "-1", "1e38", "-1e39", "nan", "inf", "4294967295", "2147483648", "1e9", "99999999999999999999", "3", "1e-45"]
INTEGERS = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000000]
LIMIT_SECONDS = 300  # wall time; the process that reads may take 10 s of a processor
LIMIT_MEMORY = 6 << 20  # kB: 4 GB, and the program
MODEL = """phlexor: 1
dimension: 3
bodies: {a: {kind: rigid, mass: 1, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}, shape: {mesh: NAME}}}
"""


def gltf(glb):
    """The tetrahedron in two buffer views, with its bytes in the text, or behind it."""
    data = b"".join(struct.pack("<3f", *place) for place in PLACES) + b"".join(struct.pack("<3H", *face) for face in FACES)
    buffer = {"byteLength": len(data)}
    if not glb:
        buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "buffers": [buffer],
        "nodes": [{"children": [1], "scale": [1, 1, 1]}, {"mesh": 0, "translation": [0, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0],
                       "max": [1, 1, 1]}, {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
    }).encode()
    if not glb:
        return text
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text + \
        struct.pack("<I4s", len(data), b"BIN\0") + data


def dae():
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries>
<geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">{' '.join(str(x) for p in PLACES for x in p)}
</float_array><technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y"
type="float"/><param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input
semantic="POSITION" source="#p"/></vertices><triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>
{' '.join(str(k) for f in FACES for k in f)}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
""".encode()


def sound_files():
    """Name and bytes of a sound file of each kind."""
    corner = " vertex {} {} {}\n"
    facets = ["facet normal 0 0 0\n outer loop\n" + "".join(corner.format(*PLACES[k]) for k in face) +
              " endloop\nendfacet\n" for face in FACES]
    binary = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in PLACES[k]), 0) for face in FACES)
    obj = "".join("v {} {} {}\n".format(*p) for p in PLACES) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
    ply = ("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 4\nproperty list uchar int vertex_indices\nend_header\n" +
           "".join("{} {} {}\n".format(*p) for p in PLACES) + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES))
    return {"text.stl": ("solid a\n" + "".join(facets) + "endsolid a\n").encode(),
            "binary.stl": b"made".ljust(80) + struct.pack("<I", 4) + binary, "a.obj": obj.encode(), "a.gltf": gltf(False),
            "a.glb": gltf(True), "a.ply": ply.encode(), "a.dae": dae()}


def change(data, draw):
    """One change of the bytes of a file."""
    kind = draw.randrange(8)
    place = draw.randrange(len(data) + 1)
    numbers = list(re.finditer(rb"(?<![\w.])-?\d+(?:\.\d*)?", data))
    if kind < 3 and numbers:
        hit = draw.choice(numbers)
        return data[:hit.start()] + draw.choice(NUMBERS).encode() + data[hit.end():]
    if kind == 3:
        return data[:place]
    if kind == 4:
        width = draw.choice("BHI")
        number = struct.pack("<" + width, draw.choice(INTEGERS) % 256 ** struct.calcsize(width))
        return data[:place] + number + data[place + len(number):]
    if kind == 5:
        return data[:place] + data[place + draw.randrange(1, 40):]
    if kind == 6:
        other = draw.randrange(len(data) + 1)
        return data[:place] + data[other:other + draw.randrange(1, 200)] + data[place:]
    return data[:place] + bytes(draw.randrange(256) for _ in range(draw.randrange(1, 6))) + data[place:]


def judge(name, run, left, memory):
    """What is wrong with a run; None: nothing."""
    if run is None:
        return f"no end after {LIMIT_SECONDS} s"
    if run.returncode not in (0, 2):
        return f"exit status {run.returncode}"
    if left != sorted([name, "model.yaml"]):
        return f"files left: {left}"
    if memory > LIMIT_MEMORY:
        return f"{memory / 2**20:.1f} GB of memory"
    if run.returncode and not re.search(rf"model\.yaml:3:\d+: .*{re.escape(name)}: \S", run.stderr):
        return "a message without place"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    sound, begun, wrong, refused, slowest = sound_files(), time.monotonic(), 0, 0, 0.0
    number = -len(sound)  # these first, as they are
    while number < arguments.count and time.monotonic() - begun < arguments.seconds:
        draw = random.Random(f"{arguments.seed}.{number}")
        name = list(sound)[number] if number < 0 else draw.choice(list(sound))
        data = sound[name]
        for _ in range(draw.choice([1, 1, 2, 4]) if number >= 0 else 0):
            data = change(data, draw)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, name).write_bytes(data)
            pathlib.Path(folder, "model.yaml").write_text(MODEL.replace("NAME", name), encoding="utf-8")
            start = time.monotonic()
            try:
                run = subprocess.run([os.path.abspath(arguments.program), "check", "model.yaml"], cwd=folder, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, timeout=LIMIT_SECONDS, check=False, encoding="utf-8",
                                     errors="replace", env={**os.environ, "TMPDIR": folder})
            except subprocess.TimeoutExpired:
                run = None
            slowest = max(slowest, time.monotonic() - start)
            if run and "shapes from files are not drawn" in run.stderr:
                print("SKIP: Assimp is missing (Debian: libassimp5)")
                return 77
            problem = judge(name, run, sorted(os.listdir(folder)), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            if number < 0 and run and run.returncode != 0:
                problem = f"a sound file is refused: {run.stderr}"
        refused += bool(run and run.returncode)
        if problem:
            wrong += 1
            print(f"{number} {name}: {problem}: {run.stderr[:600] if run else ''}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(exist_ok=True)
                (arguments.keep / f"{number}-{name}").write_bytes(data)
        number += 1
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{number} damaged files, {refused} refused, {wrong} wrong; slowest {slowest:.1f} s, most memory {memory:.0f} MB")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""A motion as glb, read by Blender: every node of every surface is where the result file puts it, as in test_gltf.py.

    blender -b --python-exit-code 1 --python tests/web/blender_gltf.py -- PROGRAM EXAMPLES

Blender is large and therefore no part of the tests. Debian's, 3.4, finds the packages python3-h5py and python3-numpy.
"""
import pathlib
import sys

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_gltf import TOLERANCE, accessor, compare


def read(glb):
    """Where Blender has the vertices of all meshes at each instant, in the axes of the node `motion`."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(glb), import_shading="SMOOTH")  # "NORMALS" fails in 3.4 with NumPy 1.24
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    root = bpy.data.objects["motion"]
    for time in next(accessor(glb, "input")).tolist():
        frame = time * rate  # the importer puts the first instant at this frame, too
        scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        back = root.evaluated_get(graph).matrix_world.inverted()
        surfaces = []
        for thing in scene.objects:
            if thing.type != "MESH":
                continue
            drawn = thing.evaluated_get(graph)
            place = back @ drawn.matrix_world
            mesh = drawn.to_mesh()
            at = [place @ vertex.co for vertex in mesh.vertices]
            surfaces.append({"places": [(x, z, -y) for x, y, z in at]})  # Blender has the axes (x, -z, y) of glTF
            drawn.to_mesh_clear()
        yield {"t": time, "surfaces": surfaces}


compare(*sys.argv[sys.argv.index("--") + 1:], read, TOLERANCE)

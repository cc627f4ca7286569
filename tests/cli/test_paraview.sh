#!/bin/sh
# ParaView opens what `phlexor export` writes: instants, points, cells, data, against the columns of the simulation, in
# the plane and in space.
. "$(dirname "$0")/lib.sh"
command -v pvpython >/dev/null || {
    echo "SKIP: pvpython is missing; Debian has it in paraview and python3-paraview"
    exit 77
}
run 0 simulate "$examples/crank_slider.yaml" -o plane.h5 --csv plane.csv
run 0 simulate "$examples/manipulator.yaml" -o space.h5 --csv space.csv
run 0 simulate "$examples/solid_conrod.yaml" --end 0.02 -o solid.h5 --csv solid.csv
for name in plane space solid; do
    run 0 export $name.h5 --frames 40
    prints "^${name}_vtk/motion.pvd$"
    run 0 export $name.h5 --format xdmf --frames 40
    prints "^${name}_xdmf/motion.xmf$"
done
cat >read.py <<'END'
import csv
import math
import sys

import paraview.simple as pv
from vtkmodules.util.numpy_support import vtk_to_numpy

KINDS = {"vtkVertex": 1, "vtkPolyVertex": 1, "vtkLine": 2, "vtkPolyLine": 2}
VECTORS = ["displacement", "velocity", "axis_x", "axis_y", "axis_z"]
worst = {}


def close(what, value, wanted, tolerance):
    error = max(abs(a - b) for a, b in zip(value, wanted))
    worst[what] = max(worst.get(what, 0.0), error)
    assert len(value) == len(wanted) and error <= tolerance, (what, list(value), list(wanted), tolerance)


class Frame:
    def __init__(self, reader, time):
        source = reader.GetClientSideObject()
        source.UpdateTimeStep(time)
        grid = source.GetOutputDataObject(0)
        points, fields = grid.GetPointData(), grid.GetFieldData()
        self.places = vtk_to_numpy(grid.GetPoints().GetData()).copy()
        self.data = {points.GetArrayName(k): vtk_to_numpy(points.GetArray(k)).copy()
                     for k in range(points.GetNumberOfArrays())}
        self.fields = {fields.GetArrayName(k): float(vtk_to_numpy(fields.GetArray(k))[0])
                       for k in range(fields.GetNumberOfArrays()) if fields.GetArray(k)}
        self.cells = [(KINDS[cell.GetClassName()], [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())])
                      for cell in map(grid.GetCell, range(grid.GetNumberOfCells()))]


def columns(path):
    with open(path, encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return [{name: float(value) for name, value in row.items()} for row in rows]


def check(name, point, body, axes):
    """At every instant the place of the last point of `body` is the output `point`."""
    table = {row["t"]: row for row in columns(name + ".csv")}
    readers = [pv.PVDReader(FileName=name + "_vtk/motion.pvd"), pv.XDMFReader(FileNames=[name + "_xdmf/motion.xmf"]),
               pv.Xdmf3ReaderT(FileName=[name + "_xdmf/motion.xmf"]), pv.Xdmf3ReaderS(FileName=[name + "_xdmf/motion.xmf"])]
    instants = []
    for reader in readers:
        reader.UpdatePipelineInformation()
        instants.append(list(reader.TimestepValues))
    assert len(instants[0]) == 40 and all(times == instants[0] for times in instants), instants
    for time in instants[0][::13] + instants[0][-1:]:
        frames = [Frame(reader, time) for reader in readers]
        row = table[time]
        for frame in frames:
            last = max(i for i, number in enumerate(frame.data["body"]) if number == body)
            close(name + " place", frame.places[last][: len(axes)], [row[point + "." + axis] for axis in axes], 1e-8)
            for column, value in row.items():
                if column != "t":
                    close(name + " " + column, [frame.fields[column]], [value], 1e-12 * abs(value))
            assert frame.cells == frames[0].cells and len(frame.places) == len(frames[0].places)
            assert (frame.data["body"] == frames[0].data["body"]).all()
            close(name + " places", frame.places.ravel(), frames[0].places.ravel(), 1e-8)
            for vector in VECTORS:
                # nine digits in the one, 53 or 24 bits in the others
                size = max(1.0, abs(frames[0].data[vector]).max())
                close(name + " " + vector, frame.data[vector].ravel(), frames[0].data[vector].ravel(), 2e-7 * size)
            for axis in VECTORS[2:]:
                close(name + " axes", [math.hypot(*a) for a in frame.data[axis]], [1.0] * len(frame.places), 2e-7)


def middle(name, body, array, output):
    """A section force at the middle of the line of `body` is the output there, through every reader."""
    table = {row["t"]: row[output] for row in columns(name + ".csv")}
    largest = max(map(abs, table.values()))
    for reader in (pv.PVDReader(FileName=name + "_vtk/motion.pvd"), pv.XDMFReader(FileNames=[name + "_xdmf/motion.xmf"])):
        reader.UpdatePipelineInformation()
        for time in list(reader.TimestepValues)[::13]:
            data = Frame(reader, time).data
            points = [i for i, number in enumerate(data["body"]) if number == body][1:]  # behind the origin
            close(name + " " + array, [data[array][points[len(points) // 2]]], [table[time]], 1e-8 * largest)


def blocks(dataset):
    """The grids of a data set of several, in their order."""
    if not dataset.IsA("vtkCompositeDataSet"):
        return [dataset]
    found, step = [], dataset.NewIterator()
    while not step.IsDoneWithTraversal():
        found += blocks(step.GetCurrentDataObject())
        step.GoToNextItem()
    return found


def meshes(name, output, hexahedra):
    """The largest von Mises stress of the mesh is the output, and its cells are hexahedra with 20 nodes."""
    table = {row["t"]: row[output] for row in columns(name + ".csv")}
    largest = max(table.values())
    for reader in (pv.PVDReader(FileName=name + "_vtk/motion.pvd"), pv.XDMFReader(FileNames=[name + "_xdmf/motion.xmf"]),
                   pv.Xdmf3ReaderT(FileName=[name + "_xdmf/motion.xmf"])):
        reader.UpdatePipelineInformation()
        for time in list(reader.TimestepValues)[::13]:
            source = reader.GetClientSideObject()
            source.UpdateTimeStep(time)
            lines, mesh = blocks(source.GetOutputDataObject(0))
            assert [mesh.GetCell(k).GetClassName() for k in range(mesh.GetNumberOfCells())] == \
                ["vtkQuadraticHexahedron"] * hexahedra
            stress = vtk_to_numpy(mesh.GetPointData().GetArray("von_mises"))
            close(name + " von_mises", [stress.max()], [table[time]], 1e-7 * largest)


middle("plane", 1, "bending_moment_z", "bend")
check("plane", "slider", 1, "xy")
check("space", "tip", 2, "xyz")
meshes("solid", "most", 8 * 1 * 2)
for what, error in worst.items():
    print("%-28s largest difference %.2g" % (what, error))
END
pvpython read.py >read.txt 2>&1 || fail "pvpython: $(tail -n 5 read.txt)"
if grep -qi 'error\|ERR|' read.txt; then
    fail "ParaView complains: $(grep -i 'error\|ERR|' read.txt | head -n 5)"
fi
cat read.txt
finish

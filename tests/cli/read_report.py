"""Decodes a page of `phlexor report` or `phlexor view` and checks it against a csv file of the same run.

  read_report.py PAGE                         prints the manifest's kind, status and sizes
  read_report.py PAGE value PATH              prints a value of the manifest, e.g. bodies/0/name
  read_report.py PAGE position CSV BODY PORT COLUMN    largest distance of a port from an output COLUMN.x, .y (.z)
  read_report.py PAGE section CSV BODY SECTION POINT COLUMN   largest difference of a section value from a column,
                                                              over the largest value
  read_report.py PAGE stress CSV BODY POINT COLUMN        the same of the least and greatest stress of all fibres and the
                                                          outputs COLUMN.top, COLUMN.bottom, the extremes in space
  read_report.py PAGE column CSV COLUMN       the same of a column of the diagrams
  read_report.py PAGE ledger                  largest difference of the sums of the parts from supplied and dissipated
  read_report.py PAGE load NAME AXIS FORMULA  the same of a component of a load and a formula in t and s
  read_report.py PAGE modes                   largest gap that a mode shape tears into a joint, over its motion
  read_report.py --serve                      answers lines of such arguments with tabs between them, "is ANSWER" or
                                              "failed WHY"
"""
import base64
import csv
import json
import math
import os
import re
import struct
import sys
import zlib


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            html = file.read()
        parts = dict(re.findall(r'<script id="phlexor-(\w+)" type="[^"]*">(.*?)</script>', html, re.S))
        if html.count('id="phlexor-manifest"') != 1 or "<" in parts["manifest"]:
            raise SystemExit("the page does not hold one manifest without '<'")
        if "<!--phlexor-data-->" in html:
            raise SystemExit("the line for the data is still there")
        self.manifest = json.loads(parts["manifest"], parse_constant=self.refuse)
        self.bytes = zlib.decompress(base64.b64decode(parts["arrays"], validate=True))

    @staticmethod
    def refuse(word):
        raise SystemExit(f"{word} is no JSON")

    def array(self, ref):
        size = {"f32": 4, "f64": 8, "u32": 4}[ref["type"]]
        if ref["at"] % 8 or ref["at"] + size * ref["count"] > len(self.bytes):
            raise SystemExit(f"{ref} does not fit {len(self.bytes)} bytes")
        form = "<%d%s" % (ref["count"], {"f32": "f", "f64": "d", "u32": "I"}[ref["type"]])
        return struct.unpack_from(form, self.bytes, ref["at"])

    def check(self):
        """Every reference fits, and their counts fit each other."""
        m = self.manifest
        frames = m["frames"]["count"]
        q = sum(body["q"] for body in m["bodies"])
        assert len(self.array(m["frames"]["pose"])) == 7 * frames * len(m["bodies"])
        assert len(self.array(m["frames"]["q"])) == frames * q
        if m["kind"] == "simulation":
            assert len(self.array(m["frames"]["time"])) == frames
            rows = m["columns"]["time"]["count"]
            for group in m["columns"]["groups"]:
                assert group["columns"]
                for column in group["columns"]:
                    assert len(self.array(column["data"])) == rows
        for load in m.get("loads", []):
            if "value" in load:
                each = 3 * len(load.get("places", [0]))
                assert len(self.array(load["value"])) in (each, each * frames)
        for body in m["bodies"] + [body for p in range(len(self.points())) for body in self.bodies(p)]:
            n = len(self.array(body["points"])) // 3
            assert all(i < n for i in self.array(body["lines"]))
            if "shapes" in body:
                assert len(self.array(body["shapes"])) == 3 * n * body["q"]
            for port in body["ports"]:
                assert len(port["position"]) == 3 and len(port["rotation"]) == 9
                if "shape" in port:
                    assert len(self.array(port["shape"])) == 3 * body["q"]
            for section in body.get("section", []):
                assert len(self.array(section["map"])) == n * body["q"]
        for joint in m["joints"]:
            for end in (joint["a"], joint["b"]):
                assert end["body"] < 0 or end["port"] < len(m["bodies"][end["body"]]["ports"])

    def points(self):
        return self.manifest.get("modes", {}).get("points", [])

    def bodies(self, point):
        """Those at a point of the sweep."""
        own = self.points()[point].get("bodies", [])
        if isinstance(own, int):
            return self.bodies(own)
        return [other or body for body, other in zip(self.manifest["bodies"], own or self.manifest["bodies"])]

    def body(self, name):
        for i, body in enumerate(self.manifest["bodies"]):
            if body["name"] == name:
                return i
        raise SystemExit(f"no body {name!r}")

    def q(self, frame, b, values):
        counts = [body["q"] for body in self.manifest["bodies"]]
        start = frame * sum(counts) + sum(counts[:b])
        return values[start : start + counts[b]]

    def turn(self, quaternion, vector):
        w, x, y, z = quaternion
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return [sum(r * v for r, v in zip(row, vector)) for row in rows]

    def local(self, b, port, q):
        at = list(port["position"])
        if "shape" in port:
            shape = self.array(port["shape"])
            n = len(q)
            at = [at[a] + sum(shape[a * n + k] * q[k] for k in range(n)) for a in range(3)]
        return at

    def place(self, frame, b, port, pose, qs):
        start = 7 * (frame * len(self.manifest["bodies"]) + b)
        origin, quaternion = pose[start : start + 3], pose[start + 3 : start + 7]
        turned = self.turn(quaternion, self.local(b, port, self.q(frame, b, qs)))
        return [o + t for o, t in zip(origin, turned)]


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def position(page, columns, body, port_name, column):
    m = page.manifest
    b = page.body(body)
    port = next(p for p in m["bodies"][b]["ports"] if p["name"] == port_name)
    pose, qs = page.array(m["frames"]["pose"]), page.array(m["frames"]["q"])
    times = page.array(m["frames"]["time"])
    row_of = {t: i for i, t in enumerate(columns["t"])}
    worst = 0.0
    for frame, t in enumerate(times):
        row = row_of[t]
        place = page.place(frame, b, port, pose, qs)
        for a, axis in enumerate("xyz"[: m["dimension"]]):
            worst = max(worst, abs(place[a] - columns[f"{column}.{axis}"][row]))
    return worst


def section(page, columns, body, name, point, column):
    m = page.manifest
    b = page.body(body)
    of = next(s for s in m["bodies"][b]["section"] if s["name"] == name)
    n = m["bodies"][b]["q"]
    row = page.array(of["map"])[int(point) * n : (int(point) + 1) * n]
    qs, times = page.array(m["frames"]["q"]), page.array(m["frames"]["time"])
    row_of = {t: i for i, t in enumerate(columns["t"])}
    worst = largest = 0.0
    for frame, t in enumerate(times):
        wanted = columns[column][row_of[t]]
        q = page.q(frame, b, qs)
        worst = max(worst, abs(sum(r * v for r, v in zip(row, q)) - wanted))
        largest = max(largest, abs(wanted), sum(abs(r * v) for r, v in zip(row, q)))
    if largest == 0.0:
        raise SystemExit(f"{column} is zero")
    return worst / largest


def stress(page, columns, body, point, column):
    m = page.manifest
    b = page.body(body)
    n = m["bodies"][b]["q"]
    first = int(point) * n
    rows = [page.array(s["map"])[first : first + n] for s in m["bodies"][b]["section"] if s["name"].startswith("stress")]
    assert len(rows) == (2 if m["dimension"] == 2 else 4)
    qs, times = page.array(m["frames"]["q"]), page.array(m["frames"]["time"])
    row_of = {t: i for i, t in enumerate(columns["t"])}
    worst = largest = 0.0
    for frame, t in enumerate(times):
        q = page.q(frame, b, qs)
        values = [sum(r * v for r, v in zip(row, q)) for row in rows]
        got = (values[0], values[1]) if m["dimension"] == 2 else (min(values), max(values))
        for value, name in zip(got, ("top", "bottom")):
            wanted = columns[f"{column}.{name}"][row_of[t]]
            worst = max(worst, abs(value - wanted))
            largest = max([largest, abs(wanted)] + [sum(abs(r * v) for r, v in zip(row, q)) for row in rows])
    assert largest > 0.0
    return worst / largest


def column_difference(page, columns, name):
    m = page.manifest
    times = page.array(m["columns"]["time"])
    for group in m["columns"]["groups"]:
        for column in group["columns"]:
            whole = [column["name"], f"{group['title']}.{column['name']}"]
            if name in whole:
                values = page.array(column["data"])
                largest = max(map(abs, columns[name])) or 1.0
                assert len(values) == len(columns[name]) and list(times) == columns["t"]
                return max(abs(a - b) for a, b in zip(values, columns[name])) / largest
    raise SystemExit(f"no column {name}")


def ledger_difference(page):
    groups = {g["title"]: g["columns"] for g in page.manifest["columns"]["groups"]}
    work = {c["name"]: page.array(c["data"]) for c in groups["Work since the start"]}
    worst = largest = 0.0
    for title, name in (("Work supplied, by part", "supplied"), ("Work taken, by part", "dissipated")):
        parts = [page.array(c["data"]) for c in groups.get(title, [])]
        for row, total in enumerate(work[name]):
            values = [part[row] for part in parts]
            worst = max(worst, abs(sum(values) - total))
            largest = max([largest] + [abs(v) for v in values])
    assert largest > 0.0
    return worst / largest


def load_difference(page, name, axis, formula):
    m = page.manifest
    load = next(load for load in m["loads"] if load["name"] == name)
    values, places = page.array(load["value"]), load.get("places", [0])
    times = page.array(m["frames"]["time"]) if "time" in m["frames"] else [0.0]
    worst = 0.0
    for k in range(len(values) // 3):
        known = {"t": times[k // len(places)], "s": places[k % len(places)], "sin": math.sin}
        worst = max(worst, abs(values[3 * k + "xyz".index(axis)] - eval(formula, known)))
    return worst


def gap_of_modes(page):
    """A shape moves both ends of a joint that holds a point together alike."""
    m = page.manifest
    pose, qs = page.array(m["frames"]["pose"]), page.array(m["frames"]["q"])
    joints = [j for j in m["joints"] if m["joint_kinds"][j["kind"]]["holds_points"]]
    assert joints and m["modes"]["rows"]
    worst = 0.0

    def motion(end, bodies, frame, shape):
        if end["body"] < 0:
            return [0.0] * 3
        b = end["body"]
        body = bodies[b]
        port = body["ports"][end["port"]]
        start = sum(6 + other["q"] for other in m["bodies"][:b])
        move, turn, dq = shape[start : start + 3], shape[start + 3 : start + 6], shape[start + 6 : start + 6 + body["q"]]
        at = 7 * (frame * len(m["bodies"]) + b)
        quaternion = pose[at + 3 : at + 7]
        arm = page.turn(quaternion, page.local(b, port, page.q(frame, b, qs)))
        bend = [0.0] * 3
        if "shape" in port:
            values = page.array(port["shape"])
            bend = [sum(values[a * body["q"] + k] * dq[k] for k in range(body["q"])) for a in range(3)]
        bend = page.turn(quaternion, bend)
        cross = (
            turn[1] * arm[2] - turn[2] * arm[1],
            turn[2] * arm[0] - turn[0] * arm[2],
            turn[0] * arm[1] - turn[1] * arm[0],
        )
        return [move[a] + cross[a] + bend[a] for a in range(3)]

    for row in m["modes"]["rows"]:
        frame = m["modes"]["points"][row["point"]]["frame"]
        bodies = page.bodies(row["point"])
        for part in ("shape", "imaginary"):
            if part not in row:
                continue
            shape = page.array(row[part])
            for joint in joints:
                a, b = motion(joint["a"], bodies, frame, shape), motion(joint["b"], bodies, frame, shape)
                worst = max(worst, max(abs(x - y) for x, y in zip(a, b)))
    return worst


def answer(page, what, read=read_csv):
    m = page.manifest
    if what[0] == "":
        return f"{m['kind']} {m['status']} {len(m['bodies'])} {m['frames']['count']}"
    if what[0] == "value":
        node = m
        for key in what[1].split("/"):
            node = node[int(key)] if isinstance(node, list) else node[key]
        return str(node)
    if what[0] == "ledger":
        return str(ledger_difference(page))
    if what[0] == "load":
        return str(load_difference(page, *what[1:]))
    if what[0] == "modes":
        return str(gap_of_modes(page))
    of = {"position": position, "section": section, "stress": stress, "column": column_difference}[what[0]]
    return str(of(page, read(what[1]), *what[2:]))


def checked(path):
    page = Page(path)
    page.check()
    return page


def serve():
    """Each file is read once for as long as it stays the same."""
    known = {}

    def of(read):
        def kept(path):
            state = os.stat(path)
            key = (path, state.st_ino, state.st_mtime_ns, state.st_size)
            if key not in known:
                known[key] = read(path)
            return known[key]

        return kept

    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        try:
            said = "is " + answer(of(checked)(words[0]), words[1:] or [""], of(read_csv)).replace("\n", " ")
        except (Exception, SystemExit) as error:
            said = f"failed {type(error).__name__}: {error}".replace("\n", " ")
        print(said, flush=True)


def main():
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        print(answer(checked(sys.argv[1]), sys.argv[2:] or [""]))


main()

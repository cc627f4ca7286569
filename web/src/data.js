// The data of the page: a manifest (json) and one run of bytes with all arrays.
//
// The program replaces the line <!--phlexor-data--> by two elements:
//
//   <script id="phlexor-manifest" type="application/json">  the manifest, every < written as \u003c
//   <script id="phlexor-arrays" type="text/plain">          base64 of a zlib stream (RFC 1950) of all arrays, little endian
//
// A REF is {"at": first byte among the inflated, "count": entries, "type": "f32" | "f64" | "u32" | "i16"}, `at` a multiple of 8.
// Matrices are stored row by row. SI units and radians; in the plane z = 0 and rotations are about z. Keys marked ? may
// be absent, what belongs to them is then hidden; unknown keys are ignored.
//
//   format "phlexor report", version 1, kind "simulation" | "modes" | "model", title, program, dimension 2 | 3,
//   status "complete" | "partial", reason?, source, model? (text)
//   settings?, summary?   [{name, value, unit?}]
//   certificate?          [{name, value, unit?, good: true | false | null, meaning}]
//   bodies                [{name, kind, points REF n x 3 (undeformed, in the body's frame), lines REF (pairs of points),
//                           radius?, q (number of deformation coordinates), shapes? REF 3n x q,
//                           ports [{name, position, rotation? (9), shape? REF 3 x q}], mass?, centre?,
//                           section? [{name, label, unit, map REF n x q}],    value at point i = row i of map times q
//                           mesh? {points REF n x 3, triangles REF, thickness? REF n (a plate), shapes REF q x 3n,
//                           scale REF q, factors? (number of temperatures), fields? [{name, label, unit,
//                           map REF q x n, scale REF q, or with factors map REF n x (q + factors)}]}}]
//                         shapes and maps of a mesh are integers, coordinate by coordinate, times its scale; maps with
//                         factors numbers, by the coordinates and behind them the factors of the frame
//   joints                [{name, kind, a, b, axis? (in the directions of port a), drive? (true: it is turned)}], a and b
//                         {body, port}, or the ground {body: -1, position, rotation?}
//   joint_kinds?          {kind: {holds_points (else drawn where b is), solids [{shape, size (3)}]}}: glyphs.js
//   loads?                [{name, kind "force" | "torque" | "distributed", body, port, frame? "inertial" | "body" (the
//                           directions of the port, of a distributed one the body's), places? (distributed: fractions
//                           of the line of its body), value? REF F x places x 3, or places x 3 when it is constant}]
//                         and among them {name, kind "reaction" | "exerted", at, directions? (ends like those of joints; none:
//                           inertial), value REF F x 3}
//   springs?              [{name, kind, a, b, wheel_a?, wheel_b? {joint, radius}}], ends like those of joints; kind:
//                         glyphs.js; wheels: wheels.js
//   visuals?              {body REF, kind [..], colour [..], opacity REF, nodes REF, triangles REF (of each how many), node_body
//                         REF, node_point REF (-1: the frame of that body, else a point of it, behind these a node of its
//                         mesh), node_arm REF x 3, triangle_nodes REF x 3, point_turns REF (of the bodies with shapes:
//                         rotations of each point by q)}
//   opening?              {camera (direction, 0 0 0: not said), magnification, colour?, plots [..], trails ["BODY.PORT"]}
//   gravity?
//   frames                {count F, time? REF F, pose REF F x 7 bodies (x y z, quaternion w x y z),
//                         q REF F x (of each body its q, then the factors of its mesh)}
//   columns?              {time REF R, groups [{title, unit, columns [{name, unit, data REF R, log?}]}]}
//   modes?                {parameters, points [{values, rigid, spin?, frame, bodies? (as above, null: as at the first
//                           point; a number: those of that point), visuals? (as above; a number: those of that point;
//                           absent: as at the first point)}],
//                          rows [{point, mode, branch, omega, frequency, damping, shape? REF, imaginary? REF}]}
//                         a shape has for each body: translation of its origin, small rotation (both inertial), its q
//   sensitivity?          {gradient {objectives [{objective, value, gradient {parameter: number}}], parameters {name:
//                         value}}, uses [{parameter, body, from, to}]}: fractions of the length of a body made with it
//   optimization?         {rows [{kind, name, min, max, start, optimum, at}], history (of each evaluation its rows), best,
//                         evaluations, failed, feasible, violation, end}
//   identification?       {parameters, series, rows [[series, at, measured, model, band]], correlation, undetermined ..}
//   sweep?                {name: value} of the parameters that a sweep has given this result
//   others?               further results, each with the keys above; their columns have difference? {largest, at, rms}
//                         to the column of the same name of this one

import { derived } from './surfaces.js';

const types = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i16: Int16Array };

/** What a reader is told when the page cannot be shown. */
export class DataError extends Error {}

function bytesOf(text) {
    text = text.replaceAll(/\s/g, '');
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
    return bytes;
}

async function inflate(bytes) {
    if (typeof DecompressionStream === 'undefined')
        throw new DataError(
            'This browser cannot unpack the data (it has no DecompressionStream). A newer one can: Chrome or Edge 111, Firefox 113, Safari 16.4.',
        );
    try {
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
        return await new Response(stream).arrayBuffer();
    } catch (error) {
        throw new DataError(`The arrays of this page are damaged (${error.message || error}). Write the report again.`);
    }
}

/** The manifest with every REF {at, count, type} replaced by a view of the inflated bytes. */
function resolve(value, buffer, path) {
    if (Array.isArray(value))
        return typeof value[0] === 'object' ? value.map((entry, i) => resolve(entry, buffer, `${path}[${i}]`)) : value;
    if (value === null || typeof value !== 'object') return value;
    if (value.type in types && 'at' in value && 'count' in value) {
        const type = types[value.type];
        if (value.at % type.BYTES_PER_ELEMENT || value.at + value.count * type.BYTES_PER_ELEMENT > buffer.byteLength)
            throw new DataError(`The array ${path} lies outside of the data. Write the report again.`);
        return new type(buffer, value.at, value.count);
    }
    for (const key of Object.keys(value)) value[key] = resolve(value[key], buffer, `${path}.${key}`);
    return value;
}

function expect(array, length, what) {
    if (!array || array.length !== length)
        throw new DataError(
            `${what} has ${array?.length ?? 'no'} numbers, ${length} are needed. Write the report again.`,
        );
}

/** Integers, column by column, and the scale of each column: the matrix row by row. */
function scaled(integers, scale, rows, what) {
    const columns = scale?.length ?? 0;
    expect(integers, rows * columns, what);
    const matrix = new Float32Array(rows * columns);
    for (let c = 0, at = 0; c < columns; c++)
        for (let r = 0; r < rows; r++) matrix[r * columns + c] = integers[at++] * scale[c];
    return matrix;
}

/** Rounding of a map in each column: half a unit of its integers; of floats, map and q, that of the largest. */
function roundingOf({ map, scale }, columns) {
    if (scale) return Float64Array.from(scale, (unit) => 0.5 * unit);
    const most = new Float64Array(columns);
    map.forEach((value, i) => {
        most[i % columns] = Math.max(most[i % columns], 2 ** -23 * Math.abs(value));
    });
    return most;
}

/** The mesh of a body with numbers in place of scaled integers, and all that it can be coloured by. */
function checkMesh(body) {
    const { mesh } = body;
    const what = `The mesh of the body "${body.name}"`;
    const n = mesh.points.length / 3;
    if (mesh.triangles.some((node) => node >= n))
        throw new DataError(`${what} has a triangle at a node that does not exist. Write the report again.`);
    if (mesh.thickness) expect(mesh.thickness, n, `${what}: thickness`);
    expect(mesh.scale, body.q, `${what}: scale`);
    mesh.shapes = scaled(mesh.shapes, mesh.scale, 3 * n, `${what}: shapes`);
    mesh.fields ??= [];
    body.factors = mesh.factors ?? 0;
    const columns = body.q + body.factors;
    for (const field of mesh.fields) {
        const name = `${what}: ${field.name}`;
        if (field.scale) {
            expect(field.scale, columns, `${name}: scale`);
            field.map = scaled(field.map, field.scale, n, name);
        } else expect(field.map, n * columns, name);
        field.rounding = roundingOf(field, columns);
    }
    body.section = [...mesh.fields, ...derived(mesh.fields)];
}

/** A body whose coordinates, and behind them the factors of its mesh, begin at `first` among all. */
function checkBody(body, first) {
    body.q ??= 0;
    body.factors = 0;
    body.first = first;
    body.points ??= new Float32Array();
    body.lines ??= new Uint32Array();
    body.ports ??= [];
    const n = body.points.length / 3;
    expect(body.points, 3 * Math.floor(n), `The body "${body.name}": points`);
    if (body.lines.some((point) => point >= n))
        throw new DataError(
            `The body "${body.name}" has a line to a point that does not exist. Write the report again.`,
        );
    if (body.shapes && body.q > 0) expect(body.shapes, 3 * n * body.q, `The body "${body.name}": shapes`);
    if (body.mesh) checkMesh(body);
    else body.section = (body.section ?? []).filter((entry) => entry.map?.length === n * body.q && body.q > 0);
}

/** The bodies at each point of a sweep: all of them, those that do not change the same objects. */
function checkPoints(report) {
    const { points = [] } = report.modes;
    for (const point of points) {
        if (typeof point.bodies === 'number') {
            point.visuals ??= point.bodies;
            point.bodies = points[point.bodies]?.bodies;
        }
        if (!Array.isArray(point.bodies)) {
            point.bodies = report.bodies;
            continue;
        }
        point.bodies = report.bodies.map((body, b) => {
            const own = point.bodies[b];
            if (!own || own === body) return body;
            checkBody(own, body.first);
            if (own.q !== body.q || (own.mesh?.fields.length && own.factors !== body.factors))
                throw new DataError(`The body "${body.name}" changes its coordinates. Write the report again.`);
            return own;
        });
    }
}

function checkLoad(load, frames) {
    if (!load.value) return;
    const each = 3 * (load.places?.length ?? 1);
    if (load.value.length !== each) expect(load.value, each * frames, `The load "${load.name}"`);
}

/** The surfaces of bodies one by one, in place of their lists; `turns` of the bodies that bend. */
function checkVisuals(report) {
    const all = report.visuals;
    const signed = (list) => new Int32Array(list.buffer, list.byteOffset, list.length);
    let [node, corner, turn] = [0, 0, 0];
    const rotations = report.dimension === 2 ? 1 : 3;
    for (const body of report.bodies)
        if (body.shapes && body.q > 0) {
            const n = (body.points.length / 3) * rotations * body.q;
            body.turns = all.point_turns.subarray(turn, turn + n);
            turn += n;
        }
    report.visuals = Array.from(all.body, (_, k) => {
        const [nodes, corners] = [all.nodes[k], 3 * all.triangles[k]];
        const visual = {
            body: signed(all.body)[k],
            kind: all.kind[k],
            colour: all.colour[k],
            opacity: all.opacity[k],
            nodeBody: signed(all.node_body).subarray(node, node + nodes),
            nodePoint: signed(all.node_point).subarray(node, node + nodes),
            arms: all.node_arm.subarray(3 * node, 3 * (node + nodes)),
            triangles: all.triangle_nodes.subarray(corner, corner + corners),
        };
        expect(visual.arms, 3 * nodes, `The shape ${k + 1}: nodes`);
        expect(visual.triangles, corners, `The shape ${k + 1}: triangles`);
        [node, corner] = [node + nodes, corner + corners];
        return visual;
    });
}

/** The report at each point of a sweep: with the bodies and surfaces there, or the same object where none changes. */
function checkReports(report) {
    const { points = [] } = report.modes;
    for (const point of points) {
        if (typeof point.visuals === 'number') point.visuals = points[point.visuals].visuals;
        const there = { ...report, bodies: point.bodies };
        there.bodies.forEach((body, b) => {
            body.turns ??= report.bodies[b].turns;
        });
        if (point.visuals && !Array.isArray(point.visuals)) {
            there.visuals = point.visuals;
            checkVisuals(there);
        } else if (point.visuals) there.visuals = point.visuals;
        point.visuals = there.visuals === report.visuals ? undefined : there.visuals;
        const known = points.find((other) => other.report?.bodies === there.bodies && other.visuals === point.visuals);
        if (there.bodies === report.bodies && !point.visuals) point.report = report;
        else point.report = known?.report ?? there;
    }
}

/** Those that stand in a frame: of a sweep each point has its frame. */
export function bodiesAt(report, frame) {
    const point = report.frames.count > 1 ? report.modes?.points?.[frame] : null;
    return point?.bodies ?? report.bodies;
}

/** Lengths that the rest of the page relies on; offsets of the deformation coordinates. */
function check(report) {
    report.bodies ??= [];
    report.joints ??= [];
    report.joint_kinds ??= {};
    report.springs ??= [];
    report.loads ??= [];
    let q = 0;
    for (const body of report.bodies) {
        checkBody(body, q);
        q += body.q + body.factors;
    }
    if (report.modes) checkPoints(report);
    report.nq = q;
    const frames = report.frames ?? { count: 0 };
    if (frames.count > 0) {
        expect(frames.pose, 7 * report.bodies.length * frames.count, 'The poses');
        if (q > 0) expect(frames.q, q * frames.count, 'The deformations');
        if (frames.time) expect(frames.time, frames.count, 'The times of the frames');
    }
    report.frames = frames;
    if (report.visuals) checkVisuals(report);
    for (const load of report.loads) checkLoad(load, frames.count);
    report.others = (report.others ?? []).map(check);
    if (report.modes) checkReports(report);
    return report;
}

/** The report that stands in this page. */
export async function readReport() {
    const manifest = document.getElementById('phlexor-manifest');
    const arrays = document.getElementById('phlexor-arrays');
    if (!manifest || !arrays)
        throw new DataError('This page holds no data. "phlexor report RESULT.h5" writes one that does.');
    const report = JSON.parse(manifest.textContent);
    if (report.format !== 'phlexor report' || report.version !== 1)
        throw new DataError(
            `This page shows version 1 of "phlexor report", the data are version ${report.version} of "${report.format}".`,
        );
    const packed = arrays.textContent.trim();
    const buffer = packed ? await inflate(bytesOf(packed)) : new ArrayBuffer(0);
    arrays.textContent = ''; // tens of megabytes of text that nobody needs any more
    return check(resolve(report, buffer, 'report'));
}

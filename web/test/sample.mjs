// Reports made up for tests, in the form that the program writes: manifest, arrays, and the page with both inside.
import { deflateSync } from 'node:zlib';

const constructors = { f32: Float32Array, f64: Float64Array, u32: Uint32Array };

/** Collects arrays; `ref` puts one away and returns what the manifest says of it. */
export class Arrays {
    constructor() {
        this.parts = [];
        this.at = 0;
    }

    ref(values, type = 'f64') {
        const array = constructors[type].from(values);
        const bytes = Buffer.from(array.buffer);
        const at = this.at;
        const padding = (8 - (bytes.length % 8)) % 8;
        this.parts.push(bytes, Buffer.alloc(padding));
        this.at += bytes.length + padding;
        return { at, count: array.length, type };
    }

    packed() {
        return deflateSync(Buffer.concat(this.parts)).toString('base64');
    }
}

/** The page with a report in place of its one line. */
export function fill(page, { manifest, arrays }) {
    const json = JSON.stringify(manifest).replaceAll('<', '\\u003c');
    const data =
        `<script id="phlexor-manifest" type="application/json">${json}</script>\n` +
        `<script id="phlexor-arrays" type="text/plain">${arrays.packed()}</script>`;
    return page.replace('<!--phlexor-data-->', () => data);
}

// ---- parts ----
/** A straight beam along x of n points with bending shapes x^2, x^3 in y (and z in space). */
function beam(arrays, name, { length, radius, n = 25, space = false, young = 1e6 }) {
    const x = Array.from({ length: n }, (_, i) => (length * i) / (n - 1));
    const q = space ? 4 : 2;
    const shapes = [];
    const shape = (s) => {
        const two = (s / length) ** 2,
            three = (s / length) ** 3;
        return space
            ? [
                  [0, 0, 0, 0],
                  [two, three, 0, 0],
                  [0, 0, two, three],
              ]
            : [
                  [0, 0],
                  [two, three],
                  [0, 0],
              ];
    };
    x.forEach((s) => shape(s).forEach((row) => shapes.push(...row)));
    const curvature = x.map((s) => [2 / length ** 2, (6 * s) / length ** 3]);
    const map = (plane) =>
        x.flatMap((_, i) => {
            const row = new Array(q).fill(0);
            row[plane] = young * curvature[i][0];
            row[plane + 1] = young * curvature[i][1];
            return row;
        });
    const scaled = (values, by) => values.map((value) => value * by);
    const section = [
        { name: 'bending_moment_z', label: 'bending moment z', unit: 'N m', map: arrays.ref(map(0), 'f32') },
        ...(space
            ? [{ name: 'bending_moment_y', label: 'bending moment y', unit: 'N m', map: arrays.ref(map(2), 'f32') }]
            : []),
        { name: 'stress', label: 'bending stress', unit: 'Pa', map: arrays.ref(scaled(map(0), 4e3), 'f32') },
    ];
    return {
        name,
        kind: 'beam',
        points: arrays.ref(x.flatMap((s) => [s, 0, 0])),
        lines: arrays.ref(
            x.slice(1).flatMap((_, i) => [i, i + 1]),
            'u32',
        ),
        radius,
        q,
        shapes: arrays.ref(shapes),
        mass: 2.5 * length,
        centre: [length / 2, 0, 0],
        section,
        ports: [
            { name: 'origin', position: [0, 0, 0] },
            { name: 'end', position: [length, 0, 0], shape: arrays.ref(shape(length).flat()) },
        ],
    };
}

function bar(arrays, name, length, radius) {
    return {
        name,
        kind: 'rigid',
        points: arrays.ref([0, 0, 0, length, 0, 0]),
        lines: arrays.ref([0, 1], 'u32'),
        radius,
        q: 0,
        mass: 1,
        centre: [length / 2, 0, 0],
        ports: [
            { name: 'origin', position: [0, 0, 0] },
            { name: 'end', position: [length, 0, 0] },
        ],
    };
}

function block(arrays, name) {
    return {
        name,
        kind: 'rigid',
        points: arrays.ref([]),
        lines: arrays.ref([], 'u32'),
        q: 0,
        mass: 0.6,
        centre: [0, 0, 0],
        ports: [{ name: 'pin', position: [0, 0, 0] }],
    };
}

const about = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
const common = { format: 'phlexor report', version: 1, program: 'phlexor 0.1.0', status: 'complete' };
const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));

const certificate = [
    { name: 'skew symmetry of J', value: 0, good: true, meaning: 'The interconnection makes and loses no power.' },
    {
        name: 'least eigenvalue of M',
        value: 0.0132,
        unit: 'kg m²',
        good: true,
        meaning: 'The kinetic energy is positive.',
    },
    { name: 'least eigenvalue of R', value: -2.1e-18, good: true, meaning: 'Damping only takes energy.' },
    {
        name: 'power of the constraints',
        value: 3.2e-17,
        unit: 'W',
        good: true,
        meaning: 'Joints exchange power and make none.',
    },
    { name: 'redundant constraints', value: 0, good: null, meaning: 'Rows that the others imply.' },
];
const modelText = `# A crank, a flexible coupler and a slider
phlexor: 1
title: Slider crank
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {kind: rigid, mass: 1}
  coupler:
    kind: beam
    length: 0.35      # m
`;

const solid = (shape, ...size) => ({ shape, size });
/** Every solid, and a kind of joint that it is not known how to draw (null). */
const jointKinds = {
    revolute: { holds_points: true, solids: [solid('cylinder', 0.36, 2.6), solid('ring', 1, 0.17)] },
    weld: { holds_points: true, solids: [solid('box', 1.5, 1.5, 1.5)] },
    prismatic: { holds_points: false, solids: [solid('box', 0.55, 0.55, 4.4), solid('box', 1.5, 1.5, 1.9)] },
    universal: { holds_points: true, solids: [solid('cylinder across', 0.3, 3), solid('ball', 0.6)] },
    unknown: null,
};

/** A slider crank with a flexible coupler. */
export function plane({
    frames = 501,
    rows = frames,
    title = 'Slider crank with a flexible coupler',
    end = 4,
    start = 0.6,
    arrays = new Arrays(),
} = {}) {
    const r = 0.15,
        l = 0.35;
    const bodies = [
        bar(arrays, 'crank', r, 0.008),
        beam(arrays, 'coupler', { length: l, radius: 0.004, young: 30 }),
        block(arrays, 'slider'),
    ];
    const pose = [];
    const q = [];
    const at = (i, n) => (n > 1 ? (end * i) / (n - 1) : 0);
    for (let i = 0; i < frames; i++) {
        const angle = start + (2 * Math.PI * at(i, frames)) / 2;
        const tilt = -Math.asin((r * Math.sin(angle)) / l);
        pose.push(0, 0, 0, ...about(angle));
        pose.push(r * Math.cos(angle), r * Math.sin(angle), 0, ...about(tilt));
        pose.push(r * Math.cos(angle) + l * Math.cos(tilt), 0, 0, 1, 0, 0, 0);
        const bend = 0.004 * Math.sin(14 * at(i, frames)) * Math.cos(angle);
        q.push(3 * bend, -3 * bend);
    }
    const t = range(rows, (i) => at(i, rows));
    const column = (name, unit, f, more = {}) => ({ name, unit, data: arrays.ref(t.map(f), 'f64'), ...more });
    const groups = [
        {
            title: 'Energies',
            unit: 'J',
            columns: [
                column('kinetic', 'J', (s) => 1.2 + Math.sin(Math.PI * s)),
                column('elastic', 'J', (s) => 0.1 * Math.sin(14 * s) ** 2),
                column('potential', 'J', (s) => 0.8 - Math.sin(Math.PI * s)),
                column('total', 'J', () => 2),
            ],
        },
        {
            title: 'Momentum',
            unit: 'kg m/s',
            columns: [column('constant', 'kg m/s', (s) => 3e5 * (1 + 1e-15 * Math.sin(9 * s)))],
        },
        {
            title: 'Tiny',
            unit: 'm',
            columns: [column('tiny', 'm', (s) => 1e-19 * Math.sin(9 * s)), column('least', 'm', () => 4e-324)],
        },
        {
            title: 'Residual from nothing',
            unit: 'J',
            columns: [column('start', 'J', (s) => 10 ** (-40 + 9 * Math.min(s, 3)), { log: true })],
        },
        {
            title: 'Work at the ports',
            unit: 'J',
            columns: [column('motor', 'J', (s) => 0.3 * s), column('damper', 'J', (s) => -0.3 * s)],
        },
        {
            title: 'Residual of the balance',
            unit: 'J',
            columns: [column('balance', 'J', (s) => 1e-13 * (s + 0.01) * (1 + 0.5 * Math.sin(40 * s)), { log: true })],
        },
        {
            title: 'Drift of the joints',
            unit: 'm',
            columns: [
                column('positions', 'm', (s) => (s < 0.5 ? 0 : 1e-16 * (2 + Math.sin(30 * s))), { log: true }),
                column('rates', 'm/s', () => 0, { log: true }),
            ],
        },
        {
            title: 'slider position',
            unit: 'm',
            columns: [column('x', 'm', (s) => l + r * Math.cos(start + Math.PI * s))],
        },
        { title: 'tip deflection', unit: 'mm', columns: [column('v', 'mm', (s) => 4 * Math.sin(14 * s))] },
        {
            title: 'reaction of the pin',
            unit: 'N',
            columns: [column('x', 'N', (s) => 12 * Math.cos(3 * s)), column('y', 'N', (s) => 9 * Math.sin(5 * s) + 4)],
        },
    ];
    const manifest = {
        ...common,
        kind: 'simulation',
        title,
        dimension: 2,
        source: 'crank_slider.h5',
        model: modelText,
        certificate,
        bodies,
        settings: [
            { name: 'integrator', value: 'midpoint' },
            { name: 'step', value: '0.001 s' },
            { name: 'tolerance', value: '1e-12' },
        ],
        summary: [
            { name: 'steps', value: 4000 },
            { name: 'largest residual', value: 3.1e-13, unit: 'J' },
            { name: 'computing time', value: 0.42, unit: 's' },
        ],
        joints: [
            {
                name: 'bearing',
                kind: 'revolute',
                a: { body: -1, position: [0, 0, 0] },
                b: { body: 0, port: 0 },
                axis: [0, 0, 1],
            },
            { name: 'crank pin', kind: 'revolute', a: { body: 0, port: 1 }, b: { body: 1, port: 0 }, axis: [0, 0, 1] },
            { name: 'wrist pin', kind: 'revolute', a: { body: 1, port: 1 }, b: { body: 2, port: 0 }, axis: [0, 0, 1] },
            {
                name: 'guide',
                kind: 'prismatic',
                a: { body: -1, position: [0.5, 0, 0] },
                b: { body: 2, port: 0 },
                axis: [1, 0, 0],
            },
        ],
        joint_kinds: jointKinds,
        springs: [{ name: 'return spring', a: { body: -1, position: [0.5, 0.06, 0] }, b: { body: 2, port: 0 } }],
        loads: [
            {
                name: 'motor',
                body: 0,
                port: 0,
                kind: 'torque',
                frame: 'inertial',
                value: arrays.ref(range(frames, (i) => [0, 0, 3 * Math.cos(Math.PI * at(i, frames))]).flat(), 'f32'),
            },
            { name: 'push', body: 0, port: 1, kind: 'force', frame: 'inertial', value: arrays.ref([0, -20, 0], 'f32') },
            { name: 'thrust', body: 0, port: 1, kind: 'force', frame: 'body', value: arrays.ref([10, 0, 0], 'f32') },
            {
                name: 'wind',
                body: 1,
                port: 0,
                kind: 'distributed',
                frame: 'body',
                places: [0, 0.5, 1],
                value: arrays.ref([0, 0, 0, 0, 2, 0, 0, 4, 0], 'f32'),
            },
            { name: 'unknown', body: 2, port: 0, kind: 'force' },
        ],
        gravity: [0, -9.81, 0],
        frames: {
            count: frames,
            time: arrays.ref(range(frames, (i) => at(i, frames))),
            pose: arrays.ref(pose, 'f32'),
            q: arrays.ref(q, 'f32'),
        },
        columns: { time: arrays.ref(t), groups },
    };
    return { manifest, arrays };
}

/** Two results of the plane mechanism: the second has started further, and has other instants and half of the time. */
export function pair() {
    const first = plane();
    const { manifest } = plane({ arrays: first.arrays, start: 1.1, frames: 101, end: 2, title: 'Further' });
    manifest.source = 'further.h5';
    for (const { columns } of manifest.columns.groups)
        for (const column of columns) column.difference = { largest: 0.125, at: 1, rms: 0.0625 };
    first.manifest.others = [manifest];
    return first;
}

/** A sweep of the plane mechanism over the angle at the start and a mass; the last combination of both failed. */
export function family() {
    const points = [0.2, 0.9, 1.6].flatMap((angle) => [1, 4].map((mass) => ({ angle, mass }))).slice(0, -1);
    const arrays = new Arrays();
    const parts = points.map((sweep, k) => {
        const { manifest } = plane({ arrays, start: sweep.angle, frames: k === 2 ? 101 : 201, end: k === 2 ? 2 : 4 });
        return Object.assign(manifest, { sweep: { ...sweep, fixed: 7 }, source: `p-${k + 1}.h5` });
    });
    parts[0].others = parts.slice(1);
    return { manifest: parts[0], arrays };
}

/** A spacecraft: a hub, two flexible arms with boxes at their tips, a spinning rotor. `bodies` arms make it longer. */
export function space({
    frames = 401,
    rows = frames,
    end = 20,
    arms = 2,
    outputs = 3,
    title = 'Spacecraft with flexible arms',
} = {}) {
    const arrays = new Arrays();
    const hubPoints = [
        [-1, -1, -1],
        [1, -1, -1],
        [1, 1, -1],
        [-1, 1, -1],
        [-1, -1, 1],
        [1, -1, 1],
        [1, 1, 1],
        [-1, 1, 1],
    ].map((p) => p.map((x) => 0.5 * x));
    const bodies = [
        {
            name: 'hub',
            kind: 'rigid',
            points: arrays.ref(hubPoints.flat()),
            lines: arrays.ref([0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7], 'u32'),
            radius: 0.03,
            q: 0,
            mass: 300,
            centre: [0, 0, 0],
            ports: range(arms, (k) => ({
                name: `side ${k + 1}`,
                position: [0.5 * Math.cos((2 * Math.PI * k) / arms), 0.5 * Math.sin((2 * Math.PI * k) / arms), 0],
            })),
        },
        ...range(arms, (k) => beam(arrays, `arm ${k + 1}`, { length: 4, radius: 0.04, space: true, young: 4000 })),
    ];
    const joints = range(arms, (k) => ({
        name: `hinge ${k + 1}`,
        kind: Object.keys(jointKinds)[k % 5],
        a: { body: 0, port: k },
        b: { body: k + 1, port: 0 },
        axis: [0, 0, 1],
    }));
    const pose = new Float32Array(frames * 7 * bodies.length);
    const q = new Float32Array(frames * 4 * arms);
    const at = (i, n) => (n > 1 ? (end * i) / (n - 1) : 0);
    for (let i = 0, p = 0, d = 0; i < frames; i++) {
        const t = at(i, frames),
            angle = 0.4 * t,
            tilt = 0.25 * Math.sin(0.5 * t);
        const [c, s] = [Math.cos(tilt / 2), Math.sin(tilt / 2)];
        // Rotation about x by the tilt, then about z by the angle.
        const turn = (w, z) => [w * c, w * s, z * s, z * c];
        pose.set([0, 0, 0, ...turn(Math.cos(angle / 2), Math.sin(angle / 2))], p);
        p += 7;
        for (let k = 0; k < arms; k++, p += 7, d += 4) {
            const around = angle + (2 * Math.PI * k) / arms;
            const whole = turn(Math.cos(angle / 2), Math.sin(angle / 2));
            const [x, y] = [0.5 * Math.cos((2 * Math.PI * k) / arms), 0.5 * Math.sin((2 * Math.PI * k) / arms)];
            // Position of the side in the turned hub; the arm points radially outwards in the hub.
            const [ty, tz] = [y * Math.cos(tilt), y * Math.sin(tilt)];
            pose.set([x * Math.cos(angle) - ty * Math.sin(angle), x * Math.sin(angle) + ty * Math.cos(angle), tz], p);
            const half = around - angle;
            const [w, , , z] = about(half);
            const [a, b, cc, dd] = whole;
            pose.set([a * w - dd * z, b * w + cc * z, cc * w - b * z, dd * w + a * z], p + 3);
            const wave = Math.sin(1.7 * t + k);
            q.set([0.3 * wave, -0.12 * wave, 0.5 * Math.cos(1.1 * t), -0.2 * Math.cos(1.1 * t)], d);
        }
    }
    const t = range(rows, (i) => at(i, rows));
    const column = (name, unit, f) => ({ name, unit, data: arrays.ref(t.map(f), 'f64') });
    const groups = [
        {
            title: 'Energies',
            unit: 'J',
            columns: [
                column('kinetic', 'J', (s) => 900 + 80 * Math.cos(3.4 * s)),
                column('elastic', 'J', (s) => 80 - 80 * Math.cos(3.4 * s)),
            ],
        },
        {
            title: 'Residual of the balance',
            unit: 'J',
            columns: [{ ...column('balance', 'J', (s) => 1e-11 * Math.abs(Math.sin(s)) + 1e-14), log: true }],
        },
        ...range(outputs, (k) => ({
            title: `attitude ${k + 1}`,
            unit: 'rad',
            columns: range(3, (c) => column('xyz'[c], 'rad', (s) => Math.sin((0.4 + 0.1 * k) * s + c))),
        })),
    ];
    const manifest = {
        ...common,
        kind: 'simulation',
        title,
        dimension: 3,
        source: 'spacecraft.h5',
        model: modelText,
        certificate,
        bodies,
        joints,
        joint_kinds: jointKinds,
        loads: [{ name: 'thruster', body: 0, port: 0, kind: 'force' }],
        gravity: [0, 0, 0],
        settings: [{ name: 'integrator', value: 'gauss4' }],
        summary: [{ name: 'steps', value: frames - 1 }],
        frames: {
            count: frames,
            time: arrays.ref(range(frames, (i) => at(i, frames))),
            pose: arrays.ref(pose, 'f32'),
            q: arrays.ref(q, 'f32'),
        },
        columns: { time: arrays.ref(t), groups },
    };
    return { manifest, arrays };
}

/** A tetrahedron of this size as the only surface, carried by the first body. */
const tetrahedron = (arrays, size) => ({
    body: arrays.ref([0], 'u32'),
    kind: ['box'],
    colour: ['#808080'],
    opacity: arrays.ref([1], 'f32'),
    nodes: arrays.ref([4], 'u32'),
    triangles: arrays.ref([4], 'u32'),
    node_body: arrays.ref([0, 0, 0, 0], 'u32'),
    node_point: arrays.ref([-1, -1, -1, -1], 'u32'),
    node_arm: arrays.ref([0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, size], 'f32'),
    triangle_nodes: arrays.ref([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], 'u32'),
    point_turns: arrays.ref([], 'f32'),
});

/** Modes of a rotating beam on a hub along a sweep of its speed; one branch is complex. With `grows` the first arm is
 * half as long again from point 20 on, and the surface of the hub larger at point 10 and from point 20 on. */
export function modes({ points = 31, branches = 5, grows = false } = {}) {
    const { manifest, arrays } = space({ frames: 1, rows: 0 });
    const other = manifest.bodies.map((body, b) => {
        if (b !== 1 || !grows) return null;
        return beam(arrays, body.name, { length: 6, radius: 0.04, space: true, young: 4000 });
    });
    if (grows) manifest.visuals = tetrahedron(arrays, 1);
    const larger = { 10: { visuals: tetrahedron(arrays, 2) }, 11: { visuals: 10 } };
    larger[20] = { bodies: other, visuals: tetrahedron(arrays, 3) };
    const size = manifest.bodies.reduce((sum, body) => sum + 6 + body.q, 0);
    const rows = [];
    for (let point = 0; point < points; point++) {
        const speed = 2 * point;
        const list = range(branches, (k) => ({
            branch: k + 1,
            omega:
                Math.sqrt((8 * (k + 1) ** 2) ** 2 + (k % 2 ? 3 : 0.4) * speed ** 2) * (k === 2 ? 1 - 0.004 * speed : 1),
        })).sort((a, b) => a.omega - b.omega);
        list.forEach(({ branch, omega }, i) => {
            const shape = new Array(size).fill(0);
            const imaginary = new Array(size).fill(0);
            const sign = branch % 2 ? 1 : -1;
            const plane = branch > 2 ? 2 : 0;
            ((shape[12 + plane] = 3 - branch), (shape[12 + plane + 1] = branch - 2));
            ((shape[22 + plane] = sign * (3 - branch)), (shape[22 + plane + 1] = sign * (branch - 2)));
            imaginary[12 + 2 - plane] = branch === 5 ? 0.6 : 0;
            rows.push({
                point,
                mode: i + 1,
                branch,
                omega,
                frequency: omega / (2 * Math.PI),
                damping: 0.002 * branch,
                shape: arrays.ref(shape, 'f32'),
                ...(branch === 5 ? { imaginary: arrays.ref(imaginary, 'f32') } : {}),
            });
        });
    }
    Object.assign(manifest, {
        kind: 'modes',
        title: 'Rotating arms: frequencies against speed',
        columns: undefined,
        modes: {
            parameters: ['speed'],
            points: range(points, (point) => ({
                values: [2 * point],
                rigid: 1,
                spin: 2 * point,
                frame: 0,
                ...(grows ? (larger[point] ?? (point > 20 ? { bodies: 20 } : {})) : {}),
            })),
            rows,
        },
    });
    manifest.frames.time = undefined;
    return { manifest, arrays };
}

/** A model before any run. */
export function model() {
    const { manifest, arrays } = plane({ frames: 1, rows: 1 });
    Object.assign(manifest, {
        kind: 'model',
        title: 'Slider crank, as assembled',
        source: 'crank_slider.yaml',
        columns: undefined,
        summary: undefined,
        settings: undefined,
    });
    manifest.frames.time = undefined;
    return { manifest, arrays };
}

/** Names that a careless page would run, numbers that are none, a run that was interrupted. */
export function odd() {
    const { manifest, arrays } = plane({ frames: 40, rows: 60 });
    const bad = '</script><script>window.broken = true</script><img src=x onerror="window.broken = true">';
    manifest.title = `Ünïcode "quotes" & 'more' ${bad}`;
    manifest.bodies[0].name = bad;
    manifest.bodies[1].name = 'Schwinge 振り子 ½';
    manifest.joints[0].name = '<b>bold</b>';
    manifest.model += `# ${bad}\n`;
    Object.assign(manifest, { status: 'partial', reason: 'interrupted at t = 2.1 s of 4 s' });
    const t = range(60, (i) => (4 * i) / 59);
    manifest.columns.groups.push(
        { title: 'no numbers', unit: 'm', columns: [{ name: 'nan', unit: 'm', data: arrays.ref(t.map(() => NaN)) }] },
        {
            title: 'some numbers',
            unit: 'm',
            columns: [
                {
                    name: 'gaps',
                    unit: 'm',
                    data: arrays.ref(t.map((s, i) => (i % 7 < 3 ? NaN : i === 20 ? Infinity : s))),
                },
            ],
        },
        { title: 'no columns', unit: 'm', columns: [] },
    );
    return { manifest, arrays };
}

/** The page without rows and frames: a run that was interrupted before its first step. */
export function empty() {
    const { manifest, arrays } = plane({ frames: 0, rows: 0 });
    return {
        manifest: { ...manifest, status: 'partial', reason: 'interrupted before the first step', title: '' },
        arrays,
    };
}

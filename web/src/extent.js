// How far the mechanism and its motion reach.
import { Box3, Vector3 } from 'three';
import { bodiesAt } from './data.js';
import { rotate } from './motion.js';

/** Frames looked at for the extent of the motion and the range of a colour. */
export const SAMPLES = 240;

/** The numbers of at most `most` frames, evenly spread, the first and the last among them. */
export function sampled(count, most = SAMPLES) {
    const n = Math.min(count, most);
    return Array.from({ length: n }, (_, i) => (n > 1 ? Math.round((i * (count - 1)) / (n - 1)) : 0));
}

const FAR = 6; // times the median: bodies that are larger are what others move on, and need not be seen whole

const AUTOMATIC = new Set(['section', 'inertia', 'mass', 'contact']);

/** The bodies whose shapes the model file gives: their ports need not be seen. */
function shaped(visuals) {
    const bodies = new Set();
    for (const { kind, nodeBody } of visuals ?? [])
        if (!AUTOMATIC.has(kind)) for (const body of nodeBody) bodies.add(body);
    return bodies;
}

/** What a view should hold of a report: `given`, the bodies that their shapes alone stand for, and for each body whether
 * it is `seen` whole: all but those that are much larger than most, as a road under a wheel. */
function viewOf(report) {
    const given = shaped(report.visuals);
    const reach = report.bodies.map((body, b) => {
        if (given.has(b)) return 0;
        const points = [...body.ports.map((port) => port.position)];
        for (let i = 0; i < body.points.length; i += 3) points.push(body.points.subarray(i, i + 3));
        return Math.max(0, ...points.map((point) => Math.hypot(...point)));
    });
    for (const { nodeBody, nodePoint, arms } of report.visuals ?? [])
        nodeBody.forEach((body, i) => {
            if (body >= 0 && nodePoint[i] < 0)
                reach[body] = Math.max(reach[body], Math.hypot(arms[3 * i], arms[3 * i + 1], arms[3 * i + 2]));
        });
    const sorted = reach.filter((x) => x > 0).sort((a, b) => a - b);
    const most = sorted.length > 2 ? FAR * sorted[sorted.length >> 1] : Infinity;
    return { given, seen: reach.map((x) => x <= most) };
}

/** The same of the report of a motion, found once. */
function view(motion) {
    motion.view ??= viewOf(motion.report);
    return motion.view;
}

/** Points of the bodies as they are placed now, to `visit` as x, y, z. */
function visitPoints(bodies, visuals, { given, seen }, pose, visit) {
    const point = [0, 0, 0];
    const put = (local, at) => {
        rotate(pose, at + 3, local, point);
        const [x, y, z] = point.map((value, k) => value + pose[at + k]);
        if (Number.isFinite(x + y + z)) visit(x, y, z);
    };
    bodies.forEach((body, b) => {
        if (!seen[b] || (given.has(b) && body.q === 0)) return;
        for (const points of [body.points, body.mesh?.points ?? []]) {
            const step = 3 * Math.max(1, Math.floor(points.length / 3 / (points === body.points ? 16 : 64)));
            for (let i = 0; i < points.length; i += step) put([points[i], points[i + 1], points[i + 2]], 7 * b);
        }
        put(body.points.length > 0 ? body.points.slice(-3) : (body.centre ?? [0, 0, 0]), 7 * b);
        for (const port of body.ports) put(port.position, 7 * b);
    });
    for (const { nodeBody, nodePoint, arms } of visuals ?? [])
        for (let i = 0, step = Math.ceil(nodeBody.length / 48); i < nodeBody.length; i += step)
            if (seen[nodeBody[i]] && nodePoint[i] < 0) put(arms.subarray(3 * i, 3 * i + 3), 7 * nodeBody[i]);
}

/** The mean of the origins of the bodies that are seen whole, into `out`. */
export function middle(motion, out) {
    const { pose, nBodies } = motion;
    const { seen } = view(motion);
    let n = 0;
    out.fill(0);
    for (let b = 0; b < 7 * nBodies; b += 7)
        if (seen[b / 7] && Number.isFinite(pose[b] + pose[b + 1] + pose[b + 2])) {
            n++;
            for (let k = 0; k < 3; k++) out[k] += pose[b + k];
        }
    for (let k = 0; k < 3; k++) out[k] /= n || 1;
    return out;
}

/** `size` of the start pose; `reached`, the points (x, y, z one after the other) that should be seen, and the `box`
 * around them: those of the whole motion, or of the start when the mechanism `travels` far. */
export function measure(report, motion) {
    const [start, whole, middles] = [new Box3(), new Box3(), new Box3()];
    const vector = new Vector3();
    let reached = [];
    const put = (boxes) => (x, y, z) => {
        reached.push(x, y, z);
        vector.set(x, y, z);
        boxes.forEach((box) => box.expandByPoint(vector));
    };
    for (const joint of [...report.joints, ...report.springs])
        for (const end of [joint.a, joint.b]) if (end.body < 0 && end.position) put([start, whole])(...end.position);
    let atStart = reached;
    for (const frame of sampled(report.frames.count)) {
        motion.toFrame(frame);
        visitPoints(
            bodiesAt(report, frame),
            report.visuals,
            view(motion),
            motion.pose,
            put(frame === 0 ? [start, whole] : [whole]),
        );
        middles.expandByPoint(new Vector3(...middle(motion, [0, 0, 0])));
        if (frame === 0) atStart = reached.slice();
    }
    motion.toFrame(0);
    for (const box of [start, whole])
        if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    const length = (box) => (box.isEmpty() ? 0 : box.getSize(new Vector3()).length());
    const size = length(start) > 1e-9 ? length(start) : Math.max(length(whole), 1e-2);
    const travels = length(middles) > 3 * size;
    const box = (travels ? start : whole).clone().expandByScalar(0.02 * size); // depth around what is flat
    return { size, travels, box, reached: travels ? atStart : reached };
}

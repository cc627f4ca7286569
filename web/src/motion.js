// Where everything is at an instant: poses and deformation coordinates, interpolated straight from the arrays of the
// report, or a pose moved along a mode shape.

/** The number of the last entry of an increasing array that is not above `value`; 0 at least. */
export function floorIndex(values, value) {
    let low = 0;
    let high = values.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (values[middle] <= value) low = middle;
        else high = middle - 1;
    }
    return low;
}

export class Motion {
    constructor(report) {
        this.use(report);
    }

    /** Moves the bodies of this report from now on. */
    use(report) {
        this.report = report;
        this.view = undefined; // of the extent
        this.frames = report.frames;
        this.nBodies = report.bodies.length;
        this.pose = new Float64Array(7 * this.nBodies); // x y z, w x y z for each body
        this.q = new Float64Array(report.nq);
        this.time = this.start;
        this.toFrame(0);
    }

    get start() {
        return this.frames.time?.[0] ?? 0;
    }

    get end() {
        return this.frames.time?.[this.frames.count - 1] ?? 0;
    }

    toFrame(frame) {
        const { pose, q, nBodies } = this;
        Object.assign(this, { frame, share: 0 }); // how far it is from this frame to the next
        if (this.frames.count === 0) {
            for (let b = 0; b < nBodies; b++) pose.set([0, 0, 0, 1, 0, 0, 0], 7 * b);
            return;
        }
        for (let i = 0; i < pose.length; i++) pose[i] = this.frames.pose[frame * pose.length + i];
        for (let i = 0; i < q.length; i++) q[i] = this.frames.q[frame * q.length + i];
    }

    /** The frame at or before a time. */
    frameAt(time) {
        return this.frames.time ? floorIndex(this.frames.time, time) : 0;
    }

    /** p(t) = (1 - s) p_k + s p_k+1; the quaternions likewise on the shorter way, then normalised. */
    toTime(time) {
        this.time = time;
        const { time: times, pose: poses, q: allQ, count } = this.frames;
        if (!times || count < 2) {
            this.toFrame(0);
            return;
        }
        const k = Math.min(floorIndex(times, time), count - 2);
        const s = Math.min(1, Math.max(0, (time - times[k]) / (times[k + 1] - times[k] || 1)));
        const { pose, q } = this;
        this.frame = k;
        this.share = s;
        let i = k * pose.length;
        let j = i + pose.length;
        for (let b = 0; b < pose.length; b += 7, i += 7, j += 7) {
            for (let c = 0; c < 3; c++) pose[b + c] = (1 - s) * poses[i + c] + s * poses[j + c];
            let dot = 0;
            for (let c = 3; c < 7; c++) dot += poses[i + c] * poses[j + c];
            const sign = dot < 0 ? -s : s;
            let size = 0;
            for (let c = 3; c < 7; c++) {
                pose[b + c] = (1 - s) * poses[i + c] + sign * poses[j + c];
                size += pose[b + c] * pose[b + c];
            }
            size = 1 / Math.sqrt(size);
            for (let c = 3; c < 7; c++) pose[b + c] *= size;
        }
        i = k * q.length;
        j = i + q.length;
        for (let c = 0; c < q.length; c++) q[c] = (1 - s) * allQ[i + c] + s * allQ[j + c];
    }

    /** The pose of `frame` plus amplitude Re((a + ib) exp(i phase)); rotations by the exponential of the small ones. */
    toMode(frame, row, amplitude, phase) {
        this.toFrame(Math.min(frame ?? 0, Math.max(0, this.frames.count - 1)));
        const { pose, q } = this;
        const cosine = amplitude * Math.cos(phase);
        const sine = row.imaginary ? amplitude * Math.sin(phase) : 0;
        const at = (i) => cosine * row.shape[i] - (sine ? sine * row.imaginary[i] : 0);
        let i = 0;
        for (let b = 0; b < this.nBodies; b++) {
            const p = 7 * b;
            for (let c = 0; c < 3; c++) pose[p + c] += at(i + c);
            turn(pose, p + 3, at(i + 3), at(i + 4), at(i + 5));
            const { first, q: nq } = this.report.bodies[b];
            for (let c = 0; c < nq; c++) q[first + c] += at(i + 6 + c);
            i += 6 + nq;
        }
    }
}

/** Quaternion at pose[at] := exp(theta) times it, theta in inertial directions. */
function turn(pose, at, x, y, z) {
    const angle = Math.hypot(x, y, z);
    if (!(angle > 0)) return;
    const s = Math.sin(angle / 2) / angle;
    const a = Math.cos(angle / 2),
        b = s * x,
        c = s * y,
        d = s * z;
    const [w, i, j, k] = [pose[at], pose[at + 1], pose[at + 2], pose[at + 3]];
    pose[at] = a * w - b * i - c * j - d * k;
    pose[at + 1] = a * i + b * w + c * k - d * j;
    pose[at + 2] = a * j - b * k + c * w + d * i;
    pose[at + 3] = a * k + b * j - c * i + d * w;
}

/** v := R(quaternion at pose[at]) v + shift; `v` and `out` are arrays of three. */
export function rotate(pose, at, v, out) {
    const w = pose[at],
        x = pose[at + 1],
        y = pose[at + 2],
        z = pose[at + 3];
    const tx = 2 * (y * v[2] - z * v[1]),
        ty = 2 * (z * v[0] - x * v[2]),
        tz = 2 * (x * v[1] - y * v[0]);
    out[0] = v[0] + w * tx + y * tz - z * ty;
    out[1] = v[1] + w * ty + z * tx - x * tz;
    out[2] = v[2] + w * tz + x * ty - y * tx;
    return out;
}

/** out = matrix q for `rows` rows, row by row, times `scale`. */
export function multiply(matrix, q, first, columns, rows, scale, out) {
    for (let r = 0, m = 0; r < rows; r++) {
        let sum = 0;
        for (let c = 0; c < columns; c++) sum += matrix[m++] * q[first + c];
        out[r] = scale * sum;
    }
    return out;
}

// Loads as arrows: forces along their direction, torques as arcs about it, distributed ones as a row of arrows; and
// outputs that are forces, reactions and what springs and contacts exert. Lengths are in proportion to the values, the largest over the whole motion of each kind has the longest arrow.
import { Matrix4, Vector3 } from 'three';
import { poseMatrix } from './bodies.js';
import { arrowSolid, stretch, turnSolid } from './glyphs.js';

const upwards = new Vector3(0, 0, 1);
const longest = { force: 0.25, torque: 0.11, distributed: 0.15, reaction: 0.25, exerted: 0.25 }; // of the extent of the mechanism
const least = 1e-3; // of the largest: what is smaller is not drawn

/** |value| at most, over all frames and places; 0 when it is not known. */
export function largestValue(load) {
    const { value = [] } = load;
    let largest = 0;
    for (let i = 0; i + 2 < value.length; i += 3) {
        const size = Math.hypot(value[i], value[i + 1], value[i + 2]);
        if (size > largest && Number.isFinite(size)) largest = size;
    }
    return largest;
}

/** The value at place `k` where the motion is now, into the Vector3 `out`. */
export function valueNow(load, motion, k, out) {
    const each = 3 * (load.places?.length ?? 1);
    const { value } = load;
    const constant = value.length === each;
    const i = 3 * k + (constant ? 0 : motion.frame * each);
    const s = constant || i + each >= value.length ? 0 : motion.share;
    const at = (c) => (s === 0 ? value[i + c] : (1 - s) * value[i + c] + s * value[i + each + c]);
    return out.set(at(0), at(1), at(2));
}

export class Loads {
    /** `attached` says where ports are. */
    constructor(attached, loads) {
        this.attached = attached;
        const { size } = attached.scene;
        const most = {};
        const scaleOf = ({ kind }) => (kind === 'exerted' ? 'reaction' : kind);
        for (const load of loads) most[scaleOf(load)] = Math.max(most[scaleOf(load)] ?? 0, largestValue(load));
        this.entries = loads.map((load) => {
            const torque = load.kind === 'torque';
            const thickness = (load.kind === 'distributed' ? 0.0025 : 0.005) * size;
            const solids = (load.places ?? [0]).map(() =>
                torque ? turnSolid() : arrowSolid(thickness, 9 * thickness, load.at !== undefined),
            );
            solids.forEach((solid) => attached.scene.scene.add(solid));
            return { load, solids, largest: most[scaleOf(load)], full: (longest[load.kind] ?? 0.2) * size };
        });
        this.value = new Vector3();
        this.matrix = new Matrix4();
        this.point = [0, 0, 0];
    }

    /** Where place k of a load is, its directions into the matrix; false when nowhere. */
    locate(load, k) {
        const { attached, matrix, point } = this;
        if (load.at) {
            const found = attached.portAt(load.directions ?? load.at, point, matrix) !== null;
            if (!load.directions) matrix.identity();
            return attached.portAt(load.at, point, new Matrix4()) !== null && found;
        }
        if (!load.places) return attached.portAt(load, point, matrix) !== null;
        const body = attached.scene.bodies[load.body];
        if (!body || body.n < 2) return false;
        const x = load.places[k] * (body.n - 1);
        const i = Math.min(Math.floor(x), body.n - 2);
        const place = new Vector3().fromArray(body.bent, 3 * i);
        place.lerp(new Vector3().fromArray(body.bent, 3 * i + 3), x - i).applyMatrix4(body.object.matrix);
        place.toArray(point);
        poseMatrix(matrix, attached.scene.motion.pose, 7 * load.body).setPosition(0, 0, 0);
        return true;
    }

    place() {
        const { value, matrix, point, attached } = this;
        for (const { load, solids, largest, full } of this.entries)
            solids.forEach((solid, k) => {
                const found = attached.scene.shown[load.at ? 'forces' : 'loads'] && this.locate(load, k);
                valueNow(load, attached.scene.motion, k, value);
                if (load.frame === 'body' || load.at) value.applyMatrix4(matrix);
                const size = value.length() / (largest || 1);
                solid.visible =
                    Boolean(found) && size > least && Number.isFinite(size + point[0] + point[1] + point[2]);
                if (!solid.visible) return;
                solid.position.set(point[0], point[1], point[2] + attached.lift);
                solid.quaternion.setFromUnitVectors(upwards, value.normalize());
                if (load.kind === 'torque') solid.scale.setScalar(size * full);
                else stretch(solid, size * full);
            });
    }
}

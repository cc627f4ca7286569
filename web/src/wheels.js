// Belts and cables that run over wheels: lines that touch the wheels, and arcs round them.
import { Group, Mesh, TorusGeometry, Vector3 } from 'three';
import { cord } from './glyphs.js';

const ARC = 20; // pieces of the arc of a belt round a wheel
const upwards = new Vector3(0, 0, 1);

/** From where to where a line touches circles of radii ra and rb about a and b, on the side of `left`; a negative radius
 * is touched on the other side. `ahead` and `left` are unit vectors in their plane, `apart` the distance from a to b
 * along `ahead`. Null: one circle is inside the other. */
function tangent(a, ra, b, rb, ahead, left, apart) {
    const along = (ra - rb) / apart;
    if (!(Math.abs(along) < 1)) return null;
    const normal = ahead.clone().multiplyScalar(along).addScaledVector(left, Math.sqrt(1 - along * along));
    return { normal, from: a.clone().addScaledVector(normal, ra), to: b.clone().addScaledVector(normal, rb) };
}

/** The places of an arc about a centre, from the direction `first` to `last` by way of `through` (all unit). */
function arc(centre, radius, first, last, through) {
    const points = [];
    const side = through.clone().addScaledVector(first, -through.dot(first)).normalize();
    let angle = Math.atan2(last.dot(side), last.dot(first));
    if (angle < 0) angle += 2 * Math.PI;
    for (let k = 1; k < ARC; k++) {
        const phi = (angle * k) / ARC;
        points.push(
            centre
                .clone()
                .addScaledVector(first, radius * Math.cos(phi))
                .addScaledVector(side, radius * Math.sin(phi)),
        );
    }
    return points;
}

/** A spring of the manifest whose ends run over wheels, `thick` half its thickness. */
export class Rope {
    constructor({ kind, wheel_a: a, wheel_b: b }, thick, material) {
        this.loop = kind === 'belt';
        this.radii = [a?.radius ?? 0, b?.radius ?? 0];
        this.solid = new Group();
        this.pieces = Array.from({ length: this.loop ? 2 * ARC + 2 : 1 }, () => {
            const piece = cord(thick, material);
            this.solid.add(piece);
            return piece;
        });
        this.rings = this.radii.map((radius) => {
            if (this.loop || radius === 0) return null; // a rope is wound there
            const ring = new Mesh(new TorusGeometry(Math.abs(radius), thick, 6, 48), material);
            this.solid.add(ring);
            return ring;
        });
    }

    /** Ends (Vector3) and the axis of the wheels (unit), inertial; false: it cannot run so. */
    place(a, b, axis) {
        const [ra, rb] = this.radii;
        const ahead = b.clone().sub(a);
        ahead.addScaledVector(axis, -ahead.dot(axis));
        const apart = ahead.length();
        ahead.divideScalar(apart);
        const left = axis.clone().cross(ahead);
        const one = tangent(a, ra, b, rb, ahead, left, apart);
        if (!one) return false;
        const points = [one.from, one.to];
        if (this.loop) {
            const two = tangent(a, -ra, b, -rb, ahead, left, apart);
            const towards = (normal, sign) => normal.clone().multiplyScalar(sign);
            const [signA, signB] = [Math.sign(ra), Math.sign(rb)];
            points.push(
                ...arc(b, Math.abs(rb), towards(one.normal, signB), towards(two.normal, -signB), ahead),
                two.to,
                two.from,
                ...arc(a, Math.abs(ra), towards(two.normal, -signA), towards(one.normal, signA), towards(ahead, -1)),
                one.from,
            );
        }
        this.pieces.forEach((piece, k) => {
            const along = points[k + 1].clone().sub(points[k]);
            const length = along.length();
            piece.position.copy(points[k]);
            piece.quaternion.setFromUnitVectors(upwards, along.divideScalar(length));
            piece.scale.z = length;
        });
        this.rings.forEach((ring, end) => {
            ring?.position.copy(end ? b : a);
            ring?.quaternion.setFromUnitVectors(upwards, axis);
        });
        return true;
    }
}

// Parts at the bodies: joints, springs, loads, and where the ground holds them.
import {
    BufferAttribute,
    BufferGeometry,
    DoubleSide,
    LineSegments,
    Matrix4,
    MeshBasicMaterial,
    MeshLambertMaterial,
    Vector3,
} from 'three';
import { poseMatrix } from './bodies.js';
import { theme } from './colours.js';
import {
    Crowd,
    MANY,
    driveSolid,
    groundSolid,
    jointSolid,
    lineMaterial,
    loadSolid,
    tieSolid,
    turn,
} from './glyphs.js';
import { Loads } from './loads.js';
import { multiply, rotate } from './motion.js';
import { Rope } from './wheels.js';

const upwards = new Vector3(0, 0, 1);
const red = 0xd0453e; // drives, and joints that the poses of a model leave open
const colours = { light: { joint: 0x4a5666, ground: 0x9aa5b3 }, dark: { joint: 0xb4c0cf, ground: 0x667283 } };

/** matrix := matrix rotation, nine numbers row by row (none: identity). */
function directions(matrix, rotation) {
    if (rotation) {
        const [a, b, c, d, e, f, g, i, k] = rotation;
        matrix.multiply(new Matrix4().set(a, b, c, 0, d, e, f, 0, g, i, k, 0, 0, 0, 0, 1));
    }
    return matrix;
}

export class Attached {
    /** Made for a scene that has its bodies. */
    constructor(scene) {
        this.scene = scene;
        this.material = new MeshLambertMaterial();
        this.groundMaterial = new MeshLambertMaterial();
        this.railMaterial = lineMaterial(0x808890, 0.8);
        this.driveMaterial = new MeshBasicMaterial({
            color: red,
            side: DoubleSide,
            transparent: true,
            opacity: 0.75,
            depthTest: false, // seen through the wheel that it turns
        });
        this.openMaterial = new MeshBasicMaterial({ color: red });
        this.radius = 0.011 * scene.size;
        this.crowd = new Crowd(scene.scene);
        const { joints, joint_kinds: kinds, springs, loads } = scene.report;
        const unclosed = scene.report.kind === 'model' && scene.report.reason; // the bodies stand as written
        this.joints = joints.map((joint) => {
            const kind = kinds[joint.kind];
            const apart = unclosed && kind?.holds_points ? this.lengthOf(joint) : 0;
            const open = apart > 0.01 * this.radius ? apart : 0;
            const size = this.fitting(joint.a, joint.b);
            const solid = this.crowd.add(jointSolid(joint, kind, size, open ? this.openMaterial : this.material, joints.length > MANY));
            const drive = joint.drive && joints.length <= MANY ? this.add(driveSolid(this.driveMaterial)) : null;
            drive?.scale.setScalar(2.6 * size);
            return { joint, solid, drive, open, atB: kind?.holds_points === false };
        });
        this.makeRails();
        this.springs = springs
            .map((spring) => {
                const runs = spring.wheel_a || spring.wheel_b;
                const rope = runs ? new Rope(spring, 0.15 * this.radius, this.material) : null;
                const solid = rope?.solid ?? tieSolid(spring.kind, this.radius, this.lengthOf(spring), this.material);
                return { spring, rope, solid };
            })
            .filter(({ solid }) => solid);
        this.springs.forEach(({ solid }) => this.add(solid));
        this.loads = loads
            .filter((load) => !load.value)
            .map((load) => ({ load, solid: this.add(loadSolid(load, this.fitting(load))) }));
        this.arrows = new Loads(
            this,
            loads.filter((load) => load.value),
        );
        this.makeGrounds();
    }

    /** As large as is seen beside the bodies at these ends. */
    fitting(...ends) {
        const { bodies, size } = this.scene;
        const radii = ends.map((end) => 1.15 * (bodies[end.body]?.drawnRadius() ?? 0));
        return Math.min(0.05 * size, Math.max(this.radius, ...radii));
    }

    /** The distance of two ends now; of those that coincide the least that is drawn. */
    lengthOf({ a, b }) {
        const [from, to] = [
            [0, 0, 0],
            [0, 0, 0],
        ];
        if (!this.portAt(a, from, new Matrix4()) || !this.portAt(b, to, new Matrix4())) return 0;
        return Math.max(Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]), 1e-3 * this.radius);
    }

    add(solid) {
        solid.userData.turn = solid.quaternion.clone();
        this.scene.scene.add(solid);
        return solid;
    }

    /** The lines between the two points of each joint, seen where it slides and where a magnified deformation parts
     * them. */
    makeRails() {
        const ends = new Float32Array(6 * this.joints.length);
        this.rails = new BufferGeometry().setAttribute('position', new BufferAttribute(ends, 3));
        if (this.joints.some(({ open }) => open)) this.railMaterial = lineMaterial(red, 1);
        const lines = new LineSegments(this.rails, this.railMaterial);
        lines.frustumCulled = false;
        this.scene.scene.add(lines);
    }

    makeGrounds() {
        const { report, plane } = this.scene;
        const places = new Map();
        const held = report.springs.filter(({ kind }) => kind !== 'contact' && kind !== 'belt');
        for (const { a, b } of [...report.joints, ...held])
            for (const end of [a, b])
                if (end.body < 0 && end.position)
                    places.set(end.position.map((x) => x.toPrecision(6)).join(), end.position);
        if (places.size > MANY) return; // the joints are seen
        for (const position of places.values())
            this.crowd.add(groundSolid(this.radius, this.groundMaterial, plane)).position.set(...position);
    }

    retheme() {
        this.material.color.setHex(colours[theme()].joint);
        this.groundMaterial.color.setHex(colours[theme()].ground);
    }

    /** Where an end is: position into `out`, its directions into `matrix`; null when there is no such port. */
    portAt(end, out, matrix) {
        const { report, motion, magnification } = this.scene;
        if (end.body < 0) {
            const position = end.position ?? [0, 0, 0];
            for (let k = 0; k < 3; k++) out[k] = position[k];
            return directions(matrix.identity(), end.rotation);
        }
        const body = report.bodies[end.body];
        const port = body?.ports[end.port];
        if (!port) return null;
        const { pose, q } = motion;
        const local = [0, 0, 0];
        if (port.shape && body.q > 0) multiply(port.shape, q, body.first, body.q, 3, magnification, local);
        for (let k = 0; k < 3; k++) local[k] += port.position[k];
        const at = 7 * end.body;
        rotate(pose, at + 3, local, out);
        for (let k = 0; k < 3; k++) out[k] += pose[at + k];
        poseMatrix(matrix, pose, at).setPosition(0, 0, 0);
        return directions(matrix, port.rotation);
    }

    /** Everything where the motion has it now. */
    place() {
        const { plane, size, shown } = this.scene;
        this.lift = plane ? 0.2 * size : 0; // in the plane what joins is seen in front of what is joined
        const point = [0, 0, 0];
        const matrix = new Matrix4();
        this.parted = 0; // joints whose points are seen apart
        for (const entry of this.joints) this.placeJoint(entry, point, matrix);
        this.rails.setDrawRange(0, 2 * this.parted);
        this.rails.attributes.position.needsUpdate = true;
        this.crowd.update();
        for (const entry of this.springs) this.placeSpring(entry, point, matrix);
        for (const { load, solid } of this.loads) {
            solid.visible = shown.loads && Boolean(this.portAt(load, point, matrix));
            if (solid.visible) this.put(solid, point, matrix);
        }
        this.arrows.place();
    }

    put(solid, at, matrix) {
        solid.visible = Number.isFinite(at[0] + at[1] + at[2]);
        solid.position.set(at[0], at[1], at[2] + this.lift);
        solid.quaternion.setFromRotationMatrix(matrix).multiply(solid.userData.turn);
    }

    placeJoint({ joint, solid, drive, atB }, point, matrix) {
        const other = [0, 0, 0];
        const found = this.portAt(joint.b, other, matrix) && this.portAt(joint.a, point, matrix);
        solid.visible = Boolean(found);
        if (found) this.put(solid, atB ? other : point, matrix);
        if (drive) this.placeDrive(joint, drive, found ? point : null);
        const apart = Math.hypot(other[0] - point[0], other[1] - point[1], other[2] - point[2]);
        if (solid.visible && apart > 0.2 * this.radius)
            this.rails.attributes.position.array.set([...point, ...other], 6 * this.parted++);
    }

    /** The angle from the directions of port A to those of port B about the axis, at a place (null: there is none). */
    placeDrive(joint, drive, at) {
        const [here, there] = [new Matrix4(), new Matrix4()];
        const axis = this.axisIn(joint);
        const across = new Vector3(Math.abs(axis.x) < 0.9 ? 1 : 0, Math.abs(axis.x) < 0.9 ? 0 : 1, 0);
        across.addScaledVector(axis, -across.dot(axis)).normalize();
        const place = [0, 0, 0];
        drive.visible = Boolean(at && this.portAt(joint.a, place, here) && this.portAt(joint.b, place, there));
        if (!drive.visible) return;
        const third = axis.clone().cross(across);
        const now = across.clone().applyMatrix4(there);
        const angle = Math.atan2(now.dot(third.applyMatrix4(here)), now.dot(across.applyMatrix4(here)));
        axis.applyMatrix4(here);
        drive.position.set(at[0], at[1], at[2] + this.lift).addScaledVector(axis, 0.02 * drive.scale.x);
        drive.quaternion.setFromRotationMatrix(here.makeBasis(across, third, axis));
        turn(drive, angle);
    }

    /** The axis of a joint that turns, in the directions of port A. */
    axisIn(joint) {
        return new Vector3(...((!this.scene.plane && joint.axis) || [0, 0, 1])).normalize();
    }

    /** The axis of the wheels at the ends of a spring, inertial, from the joint of one of them. */
    axisOf({ wheel_a: a, wheel_b: b }, matrix) {
        const joint = this.scene.report.joints[(a ?? b).joint];
        this.portAt(joint.a, [0, 0, 0], matrix);
        return this.axisIn(joint).applyMatrix4(matrix);
    }

    placeSpring({ spring, solid, rope }, point, matrix) {
        const other = [0, 0, 0];
        const found = this.portAt(spring.a, point, matrix) && this.portAt(spring.b, other, matrix);
        const along = new Vector3(...other).sub(new Vector3(...point));
        const length = along.length();
        solid.visible = Boolean(found) && length > 0;
        if (!solid.visible) return;
        solid.position.set(point[0], point[1], point[2] + this.lift);
        if (rope) {
            const to = new Vector3(...other).sub(new Vector3(...point));
            solid.visible = rope.place(new Vector3(), to, this.axisOf(spring, matrix));
            return;
        }
        solid.quaternion.setFromUnitVectors(upwards, along.divideScalar(length));
        for (const part of solid.children) part.userData.stretch?.(length);
    }
}

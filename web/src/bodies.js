// One body as it is drawn: tubes along its lines, balls where a line ends or has a corner, or the surface of its mesh. Everything stands in the
// frame of the body; only its matrix changes with the motion, and the vertices when the body bends or its colours do.
import {
    BufferAttribute,
    BufferGeometry,
    Group,
    InstancedBufferAttribute,
    InstancedMesh,
    Matrix4,
    Mesh,
    MeshLambertMaterial,
    Sphere,
    SphereGeometry,
    Vector3,
} from 'three';
import { multiply, rotate } from './motion.js';
import { Surface, vonMises } from './surfaces.js';

const SIDES = 12;
const cosines = Array.from({ length: SIDES }, (_, i) => Math.cos((2 * Math.PI * i) / SIDES));
const sines = Array.from({ length: SIDES }, (_, i) => Math.sin((2 * Math.PI * i) / SIDES));

/** Whether the lines only join each point to the next one, as results have them. */
const isChain = (lines) => lines.every((point, i) => point === (i + 1) >> 1);

/** What is drawn of a body. The line of a rigid one goes from port to port in their order, which says little when there
 * are more than two: it becomes struts from its centre of mass. A body without lines is drawn so as well. */
function skeleton(body) {
    const { points, lines, shapes, ports } = body;
    if (body.mesh) return { points: new Float64Array(), lines: new Uint32Array(), shapes: null, own: true };
    if (lines.length > 0 && (body.q > 0 || points.length < 9 || !isChain(lines)))
        return { points, lines, shapes, own: true };
    const ends =
        lines.length > 0
            ? Array.from({ length: points.length / 3 }, (_, i) => points.slice(3 * i, 3 * i + 3))
            : ports.map((port) => port.position);
    const mean = (k) => ends.reduce((sum, end) => sum + end[k], 0) / (ends.length || 1);
    const centre = body.centre ?? [mean(0), mean(1), mean(2)];
    const star = [...centre];
    const struts = [];
    for (const end of ends)
        if (Math.hypot(end[0] - centre[0], end[1] - centre[1], end[2] - centre[2]) > 0) {
            struts.push(0, star.length / 3);
            star.push(...end);
        }
    return { points: Float64Array.from(star), lines: Uint32Array.from(struts), shapes: null, own: false };
}

export class BodyView {
    /** `size` is the extent of the mechanism: what is thinner than a small part of it is drawn thicker. */
    constructor(body, index, size) {
        this.body = body;
        this.index = index;
        const { points, lines, shapes, own } = skeleton(body);
        Object.assign(this, { points, lines, own, shapes: body.q > 0 && own ? shapes : null });
        this.n = points.length / 3;
        this.radius = Math.max(body.radius || 0.006 * size, 0.0035 * size);
        this.bent = Float64Array.from(points); // where the points are now
        this.displacement = new Float64Array(points.length);
        this.surface = body.mesh ? new Surface(body.mesh) : null;
        this.values = new Float64Array(this.surface?.n ?? this.n);
        this.material = new MeshLambertMaterial({ vertexColors: true });
        this.object = new Group();
        this.object.matrixAutoUpdate = false;
        this.object.userData.body = index;
        this.neighbours();
        this.makeTubes();
        this.makeBalls(size);
        if (body.covered) this.object.clear(); // shapes stand for it
        this.shape();
        if (this.surface) this.object.add(this.surface.object);
        this.showMesh(false);
    }

    /** A mesh that a shape stands for is seen when it is coloured. */
    showMesh(coloured) {
        if (this.surface) this.surface.object.visible = coloured || !this.body.covered;
    }

    /** Of its tubes; a ball is larger than what joins it. */
    drawnRadius() {
        return this.lines.length > 0 && !this.body.covered ? this.radius : 0;
    }

    /** Where its name stands, in its frame: half way along it, or in the middle of its points. */
    anchor(out) {
        if (this.surface) return out.fromArray(this.surface.bent, 3 * Math.floor(this.surface.n / 2));
        if (this.own && this.n > 8) return out.fromArray(this.bent, 3 * Math.floor(this.n / 2));
        out.set(0, 0, 0);
        for (let i = 0; i < this.bent.length; i++)
            out.setComponent(i % 3, out.getComponent(i % 3) + this.bent[i] / this.n);
        return out;
    }

    /** For each point the two others it is joined to, when the line runs on smoothly through it. */
    neighbours() {
        const others = Array.from({ length: this.n }, () => []);
        for (let i = 0; i < this.lines.length; i += 2) {
            others[this.lines[i]].push(this.lines[i + 1]);
            others[this.lines[i + 1]].push(this.lines[i]);
        }
        const at = (i) => new Vector3().fromArray(this.points, 3 * i);
        this.before = new Int32Array(this.n).fill(-1);
        this.after = new Int32Array(this.n).fill(-1);
        others.forEach((list, i) => {
            if (list.length !== 2) return;
            const incoming = at(i).sub(at(list[0])).normalize();
            const outgoing = at(list[1]).sub(at(i)).normalize();
            if (incoming.dot(outgoing) > 0.85) [this.before[i], this.after[i]] = list;
        });
        this.corners = [...this.before.keys()].filter((i) => this.before[i] < 0);
    }

    makeTubes() {
        const segments = this.lines.length / 2;
        const vertices = segments * 2 * SIDES;
        const index = [];
        // A direction across each segment that rings are started from.
        this.across = new Float64Array(3 * segments);
        for (let s = 0; s < segments; s++) {
            const [i, j] = [this.lines[2 * s], this.lines[2 * s + 1]];
            const along = [0, 1, 2].map((k) => Math.abs(this.points[3 * j + k] - this.points[3 * i + k]));
            this.across[3 * s + along.indexOf(Math.min(...along))] = 1;
            const base = 2 * SIDES * s;
            for (let k = 0; k < SIDES; k++) {
                const next = (k + 1) % SIDES;
                index.push(base + k, base + next, base + SIDES + k, base + next, base + SIDES + next, base + SIDES + k);
            }
        }
        const geometry = new BufferGeometry();
        for (const name of ['position', 'normal', 'color'])
            geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * vertices), 3));
        geometry.setIndex(index);
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // bodies bend: never leave one out
        this.tube = new Mesh(geometry, this.material);
        this.tube.frustumCulled = false;
        if (segments > 0) this.object.add(this.tube);
    }

    makeBalls(size) {
        const points = this.lines.length > 0 ? this.corners : [...this.before.keys()];
        const alone = this.lines.length === 0;
        this.ballPoints = points;
        this.ballRadius = alone ? Math.max(0.018 * size, this.body.radius ?? 0) : this.radius;
        const ball = new SphereGeometry(1, alone ? 24 : 16, alone ? 16 : 12);
        // The balls take the colour of their instance; white vertices keep it.
        ball.setAttribute(
            'color',
            new BufferAttribute(new Float32Array(ball.attributes.position.count * 3).fill(1), 3),
        );
        this.balls = new InstancedMesh(ball, this.material, points.length);
        this.balls.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * points.length), 3);
        this.balls.frustumCulled = false;
        this.balls.boundingSphere = new Sphere(new Vector3(), Infinity);
        if (points.length > 0) this.object.add(this.balls);
    }

    /** points + magnification shapes q, in the frame of the body. */
    bend(q, magnification) {
        this.surface?.bend(q, this.body.first, this.body.q, magnification);
        if (!this.shapes) return;
        multiply(this.shapes, q, this.body.first, this.body.q, 3 * this.n, magnification, this.displacement);
        for (let i = 0; i < this.bent.length; i++) this.bent[i] = this.points[i] + this.displacement[i];
        this.shape();
    }

    /** Rings and balls at the bent points. */
    shape() {
        if (this.body.covered) return;
        const { bent, lines, before, after, radius } = this;
        const position = this.tube.geometry.attributes.position;
        const normal = this.tube.geometry.attributes.normal;
        for (let s = 0, at = 0; s < lines.length / 2; s++) {
            for (let end = 0; end < 2; end++) {
                const i = lines[2 * s + end];
                const smooth = before[i] >= 0;
                const from = 3 * (smooth ? before[i] : lines[2 * s]);
                const to = 3 * (smooth ? after[i] : lines[2 * s + 1]);
                let tx = bent[to] - bent[from],
                    ty = bent[to + 1] - bent[from + 1],
                    tz = bent[to + 2] - bent[from + 2];
                const tl = 1 / (Math.hypot(tx, ty, tz) || 1);
                ((tx *= tl), (ty *= tl), (tz *= tl));
                const ax = this.across[3 * s],
                    ay = this.across[3 * s + 1],
                    az = this.across[3 * s + 2];
                let ux = ay * tz - az * ty,
                    uy = az * tx - ax * tz,
                    uz = ax * ty - ay * tx;
                const ul = 1 / (Math.hypot(ux, uy, uz) || 1);
                ((ux *= ul), (uy *= ul), (uz *= ul));
                // The ring runs the same way round at both ends, whichever way the neighbours are named.
                const vx = ty * uz - tz * uy,
                    vy = tz * ux - tx * uz,
                    vz = tx * uy - ty * ux;
                const flip = smooth && this.against(s, i) ? -1 : 1;
                for (let k = 0; k < SIDES; k++, at += 3) {
                    const c = flip * cosines[k],
                        d = sines[k];
                    const nx = c * ux + d * vx,
                        ny = c * uy + d * vy,
                        nz = c * uz + d * vz;
                    normal.array[at] = nx;
                    normal.array[at + 1] = ny;
                    normal.array[at + 2] = nz;
                    position.array[at] = bent[3 * i] + radius * nx;
                    position.array[at + 1] = bent[3 * i + 1] + radius * ny;
                    position.array[at + 2] = bent[3 * i + 2] + radius * nz;
                }
            }
        }
        position.needsUpdate = true;
        normal.needsUpdate = true;
        const matrix = new Matrix4();
        this.ballPoints.forEach((i, k) => {
            matrix
                .makeScale(this.ballRadius, this.ballRadius, this.ballRadius)
                .setPosition(bent[3 * i], bent[3 * i + 1], bent[3 * i + 2]);
            this.balls.setMatrixAt(k, matrix);
        });
        this.balls.instanceMatrix.needsUpdate = true;
    }

    /** Whether the neighbours of point i are named against the direction of segment s. */
    against(s, i) {
        const [a, b] = [this.lines[2 * s], this.lines[2 * s + 1]];
        return i === a ? this.before[i] === b : this.after[i] === a;
    }

    /** One colour. */
    paint(colour) {
        this.fill(() => colour, 0);
    }

    /** The colour of each point by its value in `values`; `place` gives a number from 0 to 255. */
    paintValues(linear, place) {
        this.fill((i) => linear, place);
    }

    fill(colourOf, place) {
        const { values } = this;
        this.surface?.paint(colourOf(0), place ? (i) => place(values[i]) : () => 0);
        const write = (array, at, i) => {
            const colour = colourOf(i);
            const from = place ? 3 * place(values[i]) : 0;
            array[at] = colour[from];
            array[at + 1] = colour[from + 1];
            array[at + 2] = colour[from + 2];
        };
        const attribute = this.tube.geometry.attributes.color;
        for (let v = 0; v < this.lines.length * SIDES; v++)
            write(attribute.array, 3 * v, this.lines[Math.floor(v / SIDES)]);
        attribute.needsUpdate = true;
        this.ballPoints.forEach((i, k) => write(this.balls.instanceColor.array, 3 * k, i));
        this.balls.instanceColor.needsUpdate = true;
    }

    /** Error of a quantity of a mesh by the rounding of the numbers in the page, about. */
    rounding(section, q) {
        if (section.largest || section.from)
            return Math.max(...(section.largest ?? section.from).map((part) => this.rounding(part, q)));
        let sum = 0;
        section.rounding?.forEach((unit, k) => (sum += (unit * q[this.body.first + k]) ** 2));
        return Math.sqrt(sum);
    }

    /** Values of a section quantity at the points, of a mesh at its nodes. */
    evaluate(section, q) {
        const { first } = this.body;
        const columns = this.body.q + this.body.factors;
        const n = this.values.length;
        if (section.constant) {
            const { constant } = section;
            const own = this.own && !this.surface && constant.length === n;
            for (let i = 0; i < n; i++) this.values[i] = own ? constant[i] : constant[0];
            return this.values;
        }
        if (section.largest) {
            const parts = section.largest.map((part) => this.evaluate(part, q).slice());
            for (let i = 0; i < n; i++) this.values[i] = Math.max(...parts.map((part) => part[i]));
            return this.values;
        }
        if (section.from) {
            const parts = section.from.map(({ map }) => multiply(map, q, first, columns, n, 1, new Float64Array(n)));
            for (let i = 0; i < n; i++) this.values[i] = vonMises(parts.map((part) => part[i]));
            return this.values;
        }
        if (this.surface) return multiply(section.map, q, first, columns, n, 1, this.values);
        return multiply(section.map, q, this.body.first, this.body.q, this.n, 1, this.values);
    }

    place(pose) {
        const p = 7 * this.index;
        const visible = Number.isFinite(
            pose[p] + pose[p + 1] + pose[p + 2] + pose[p + 3] + pose[p + 4] + pose[p + 5] + pose[p + 6],
        );
        this.object.visible = visible;
        if (visible) poseMatrix(this.object.matrix, pose, p);
        this.object.matrixWorldNeedsUpdate = true;
    }

    highlight(on) {
        this.material.emissive.setHex(on ? 0x335577 : 0);
        this.surface?.material.emissive.setHex(on ? 0x335577 : 0);
    }

    /** The mechanism as it stands now, as a copy that does not move. */
    ghost(material) {
        const group = new Group();
        group.matrixAutoUpdate = false;
        group.matrix.copy(this.object.matrix);
        if (this.lines.length > 0 && !this.body.covered) group.add(new Mesh(this.tube.geometry.clone(), material));
        if (this.surface && !this.body.covered) {
            const geometry = this.surface.object.geometry.clone();
            geometry.computeVertexNormals();
            group.add(new Mesh(geometry, material));
        }
        if (this.ballPoints.length > 0 && !this.body.covered) {
            const balls = new InstancedMesh(this.balls.geometry, material, this.ballPoints.length);
            balls.instanceMatrix.array.set(this.balls.instanceMatrix.array);
            group.add(balls);
        }
        for (const child of group.children) {
            child.frustumCulled = false;
            child.raycast = () => {};
        }
        group.visible = this.object.visible;
        return group;
    }

    dispose() {
        this.surface?.dispose();
        this.tube.geometry.dispose();
        this.balls.dispose();
    }
}

/** The matrix of pose number `at`/7: rotation by its quaternion, then the shift. */
export function poseMatrix(matrix, pose, at) {
    const e = matrix.elements;
    const column = [0, 0, 0];
    for (let k = 0; k < 3; k++) {
        rotate(pose, at + 3, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0], column);
        e[4 * k] = column[0];
        e[4 * k + 1] = column[1];
        e[4 * k + 2] = column[2];
        e[4 * k + 3] = 0;
    }
    e[12] = pose[at];
    e[13] = pose[at + 1];
    e[14] = pose[at + 2];
    e[15] = 1;
    return matrix;
}

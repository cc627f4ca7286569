// Surfaces of bodies and the ground. A surface that one frame carries moves with its matrix;
// of others each node follows its carrier, a point of the line of its body, a node of its mesh, or one of its frames.
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    DoubleSide,
    EdgesGeometry,
    FrontSide,
    Group,
    LineBasicMaterial,
    LineSegments,
    Mesh,
    MeshLambertMaterial,
    Sphere,
    Vector3,
} from 'three';
import { categorical } from './colours.js';
import { MANY } from './glyphs.js';
import { multiply, rotate } from './motion.js';
import { rimOf } from './surfaces.js';

const CREASE = Math.cos((35 * Math.PI) / 180); // normals of triangles that meet at less are smoothed
const edgeMaterial = new LineBasicMaterial({ color: 0x10161d, transparent: true, opacity: 0.4 });
const THINNEST = 0.0035; // of the extent of the mechanism: thinner sections are drawn thicker

/** Unit normals of the corners of all triangles: of the triangles at the node that are nearly parallel, by area. */
function cornerNormals(points, triangles) {
    const faces = new Float64Array(triangles.length);
    const around = Array.from({ length: points.length / 3 }, () => []);
    const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
    for (let t = 0; t < triangles.length; t += 3) {
        [a, b, c].forEach((v, k) => v.fromArray(points, 3 * triangles[t + k]));
        b.sub(a).cross(c.sub(a)).toArray(faces, t);
        for (let k = 0; k < 3; k++) around[triangles[t + k]].push(t);
    }
    const normals = new Float32Array(3 * triangles.length);
    for (let corner = 0; corner < triangles.length; corner++) {
        const own = b.fromArray(faces, corner - (corner % 3)).clone();
        const size = own.length() || 1;
        a.set(0, 0, 0);
        for (const t of around[triangles[corner]]) {
            c.fromArray(faces, t);
            if (c.dot(own) > CREASE * size * c.length()) a.add(c);
        }
        (a.lengthSq() > 0 ? a : own).normalize().toArray(normals, 3 * corner);
    }
    return normals;
}

/** Where what carries nodes is: `place` (3) and `axes` (9, columns one after the other) of each. */
class Carriers {
    /** The different pairs of body and point among the nodes; `of`: for each node its carrier. */
    constructor(report, visual) {
        const found = new Map();
        this.report = report;
        this.of = Array.from(visual.nodeBody, (body, i) => {
            const key = `${body} ${visual.nodePoint[i]}`;
            if (!found.has(key)) found.set(key, { index: found.size, body, point: visual.nodePoint[i] });
            return found.get(key).index;
        });
        this.list = [...found.values()];
        this.place = new Float64Array(3 * this.list.length);
        this.axes = new Float64Array(9 * this.list.length);
    }

    update(motion, magnification) {
        const [local, turned, column, out] = [new Float64Array(3), new Float64Array(3), [0, 0, 0], [0, 0, 0]];
        const shift = new Float64Array(3);
        const plane = this.report.dimension === 2;
        this.list.forEach(({ body: b, point }, k) => {
            const body = this.report.bodies[b];
            const at = 7 * b;
            const points = body.points.length / 3;
            local.fill(0);
            turned.fill(0);
            if (point >= points) {
                const node = 3 * (point - points);
                const rows = body.mesh.shapes.subarray(node * body.q, (node + 3) * body.q);
                multiply(rows, motion.q, body.first, body.q, 3, magnification, shift);
                for (let c = 0; c < 3; c++) local[c] = body.mesh.points[node + c] + shift[c];
            } else if (point >= 0) {
                for (let c = 0; c < 3; c++) local[c] = body.points[3 * point + c];
                if (body.q > 0 && body.shapes) {
                    const rows = body.shapes.subarray(3 * point * body.q, 3 * (point + 1) * body.q);
                    multiply(rows, motion.q, body.first, body.q, 3, magnification, shift);
                    for (let c = 0; c < 3; c++) local[c] += shift[c];
                }
                if (body.q > 0 && body.turns) {
                    const n = plane ? 1 : 3;
                    const turns = body.turns.subarray(n * point * body.q, n * (point + 1) * body.q);
                    multiply(turns, motion.q, body.first, body.q, n, magnification, shift);
                    if (plane) turned[2] = shift[0];
                    else turned.set(shift);
                }
            }
            rotate(motion.pose, at + 3, local, out);
            for (let c = 0; c < 3; c++) this.place[3 * k + c] = out[c] + motion.pose[at + c];
            for (let c = 0; c < 3; c++) {
                // column c of 1 + [turned]x, kept to length one
                const d = (c + 1) % 3;
                const e = (c + 2) % 3;
                column[c] = 1;
                column[d] = turned[e];
                column[e] = -turned[d];
                const size = 1 / Math.hypot(1, turned[d], turned[e]);
                rotate(
                    motion.pose,
                    at + 3,
                    column.map((x) => x * size),
                    out,
                );
                for (let i = 0; i < 3; i++) this.axes[9 * k + 3 * c + i] = out[i];
            }
        });
    }

    /** place + axes arm */
    put(node, arms, scale, out) {
        const k = this.of[node];
        const { place, axes } = this;
        for (let i = 0; i < 3; i++)
            out[3 * node + i] =
                place[3 * k + i] +
                scale *
                    (axes[9 * k + i] * arms[3 * node] +
                        axes[9 * k + 3 + i] * arms[3 * node + 1] +
                        axes[9 * k + 6 + i] * arms[3 * node + 2]);
    }
}

/** One surface. */
class Visual {
    constructor(report, visual, scene) {
        Object.assign(this, { report, visual, scene, body: visual.body });
        const { nodeBody, nodePoint, arms, triangles } = visual;
        this.n = nodeBody.length;
        this.rigid = nodePoint.every((point) => point < 0) && nodeBody.every((body) => body === nodeBody[0]);
        this.scale = visual.kind === 'section' ? this.thicken() : 1;
        this.material = new MeshLambertMaterial({
            vertexColors: !this.rigid,
            side: rimOf(triangles).length > 0 ? DoubleSide : FrontSide, // a shell is seen from both sides
            transparent: visual.opacity < 1,
            opacity: visual.opacity,
            depthWrite: visual.opacity >= 1,
        });
        const geometry = new BufferGeometry();
        const corners = triangles.length;
        this.position = new Float32Array(3 * corners);
        this.normal = new Float32Array(3 * corners);
        geometry.setAttribute('position', new BufferAttribute(this.position, 3));
        geometry.setAttribute('normal', new BufferAttribute(this.normal, 3));
        this.object = new Mesh(geometry, this.material);
        this.object.userData.body = visual.body;
        if (this.rigid) {
            this.spread(arms);
            this.normal.set(cornerNormals(arms, triangles));
            geometry.computeBoundingSphere();
            return;
        }
        this.colours = new Float32Array(3 * corners);
        geometry.setAttribute('color', new BufferAttribute(this.colours, 3));
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // it bends: never leave it out
        this.object.frustumCulled = false;
        this.carriers = new Carriers(report, visual);
        this.points = new Float64Array(3 * this.n);
    }

    /** How much a thin section is enlarged to be seen. */
    thicken() {
        const { arms } = this.visual;
        let largest = 0;
        for (let i = 0; i < arms.length; i += 3) largest = Math.max(largest, Math.hypot(arms[i + 1], arms[i + 2]));
        return Math.max(1, (THINNEST * this.scene.size) / (largest || 1));
    }

    spread(points) {
        this.visual.triangles.forEach((node, corner) => {
            for (let k = 0; k < 3; k++) this.position[3 * corner + k] = points[3 * node + k];
        });
    }

    /** Where the motion has it now. */
    update(motion, magnification) {
        if (this.rigid) return;
        const { carriers, points, visual } = this;
        carriers.update(motion, magnification);
        for (let i = 0; i < this.n; i++) carriers.put(i, visual.arms, this.scale, points);
        if (!Number.isFinite(points[0])) return;
        this.spread(points);
        this.turnNormals();
        this.object.geometry.attributes.position.needsUpdate = true;
        this.object.geometry.attributes.normal.needsUpdate = true;
    }

    /** Normals are made once, and turn with what carries their node. */
    turnNormals() {
        const { axes, of } = this.carriers;
        const { triangles } = this.visual;
        if (!this.arms) {
            const normals = cornerNormals(this.points, triangles);
            this.arms = new Float32Array(normals.length);
            triangles.forEach((node, corner) => {
                const k = 9 * of[node];
                for (let c = 0; c < 3; c++)
                    for (let i = 0; i < 3; i++)
                        this.arms[3 * corner + c] += axes[k + 3 * c + i] * normals[3 * corner + i];
            });
        }
        const { arms, normal } = this;
        triangles.forEach((node, corner) => {
            const k = 9 * of[node];
            const at = 3 * corner;
            for (let i = 0; i < 3; i++)
                normal[at + i] =
                    axes[k + i] * arms[at] + axes[k + 3 + i] * arms[at + 1] + axes[k + 6 + i] * arms[at + 2];
        });
    }

    ownColour() {
        return new Color(this.visual.colour || (this.body < 0 ? '#9aa5b3' : categorical(this.body)));
    }

    /** One colour, its own when none is given. */
    paint(colour) {
        const own = colour ? new Color().fromArray(colour) : this.ownColour();
        if (this.rigid) this.material.color.copy(own);
        else {
            for (let i = 0; i < this.colours.length; i += 3) own.toArray(this.colours, i);
            this.object.geometry.attributes.color.needsUpdate = true;
        }
    }

    /** The colours of the values that `bodies` have at the points; `linear` and `place` as of a body. */
    paintValues(bodies, linear, place) {
        if (this.rigid) {
            const at = 3 * place(bodies[this.body].values[0]);
            this.material.color.fromArray(linear, at);
            return;
        }
        const from = this.carriers.list.map(({ body, point }) => {
            const view = bodies[body];
            const points = view.body.points.length / 3;
            return 3 * place(view.values[view.surface ? Math.max(0, point - points) : Math.max(0, point)]);
        });
        this.visual.triangles.forEach((node, corner) => {
            const at = from[this.carriers.of[node]];
            for (let k = 0; k < 3; k++) this.colours[3 * corner + k] = linear[at + k];
        });
        this.object.geometry.attributes.color.needsUpdate = true;
    }

    highlight(on) {
        this.material.emissive.setHex(on ? 0x335577 : 0);
    }
}

/** All surfaces of a scene that has its bodies; `edges`: sharp ones are seen. */
export class Visuals {
    constructor(scene, edges) {
        this.scene = scene;
        this.list = (scene.report.visuals ?? []).map((visual) => new Visual(scene.report, visual, scene));
        for (const visual of this.list) {
            const parent =
                visual.rigid && visual.visual.nodeBody[0] >= 0 ? scene.bodies[visual.body].object : scene.scene;
            parent.add(visual.object);
        }
        if (edges && scene.report.bodies.length <= MANY) this.addEdges();
    }

    /** The sharp edges of what moves with one body, as thin lines that are drawn at once. */
    addEdges() {
        const places = new Map();
        for (const { rigid, visual, object } of this.list) {
            if (!rigid || visual.opacity < 1) continue;
            if (!places.has(object.parent)) places.set(object.parent, []);
            places.get(object.parent).push(new EdgesGeometry(object.geometry, 35).attributes.position.array);
        }
        for (const [parent, lists] of places) {
            const all = new Float32Array(lists.reduce((sum, list) => sum + list.length, 0));
            lists.reduce((at, list) => (all.set(list, at), at + list.length), 0);
            const lines = new LineSegments(
                new BufferGeometry().setAttribute('position', new BufferAttribute(all, 3)),
                edgeMaterial,
            );
            lines.raycast = () => {};
            parent.add(lines);
        }
    }

    /** Marks the bodies that surfaces of a report stand for: `covered`. */
    static cover(report) {
        const covered = new Set((report.visuals ?? []).flatMap(({ nodeBody }) => [...new Set(nodeBody)]));
        report.bodies.forEach((body, i) => {
            body.covered = covered.has(i);
        });
    }

    update(motion, magnification) {
        for (const visual of this.list) visual.update(motion, magnification);
    }

    /** `colourOf` a body: numbers, null for the own one, undefined where its values give the colours. */
    paint(colourOf) {
        for (const visual of this.list) {
            const colour = colourOf(visual.body);
            if (colour !== undefined || visual.rigid) visual.paint(colour);
        }
    }

    paintValues(body, linear, place) {
        for (const visual of this.list)
            if (visual.body === body && !this.hidden(visual)) visual.paintValues(this.scene.bodies, linear, place);
    }

    /** A mesh shows its stresses itself. */
    hidden(visual) {
        return Boolean(this.coloured && this.scene.bodies[visual.body]?.surface);
    }

    showMeshes(quantity) {
        this.coloured = quantity;
        for (const body of this.scene.bodies) body.showMesh(Boolean(quantity));
        for (const visual of this.list) visual.object.visible = !this.hidden(visual);
    }

    /** The surfaces that stand in the scene itself and can be pointed at. */
    carried() {
        return this.list.filter((visual) => !visual.rigid && !this.hidden(visual)).map((visual) => visual.object);
    }

    /** All as they stand now, as copies that do not move. */
    ghost(material) {
        const group = new Group();
        for (const visual of this.list) {
            if (visual.body < 0) continue;
            const copy = new Mesh(visual.object.geometry.clone(), material);
            copy.matrixAutoUpdate = false;
            if (visual.rigid) copy.matrix.copy(this.scene.bodies[visual.visual.nodeBody[0]].object.matrix);
            copy.frustumCulled = false;
            copy.raycast = () => {};
            group.add(copy);
        }
        return group;
    }

    highlight(hovered, selected) {
        for (const visual of this.list)
            visual.highlight(visual.body >= 0 && (visual.body === hovered || visual.body === selected));
    }
}

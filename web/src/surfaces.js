// The surface of a body on a mesh: triangles between its nodes; a plate is a slab of its true thickness.
import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshLambertMaterial, Sphere, Vector3 } from 'three';
import { multiply } from './motion.js';

/** Edges that one triangle has alone, as pairs of nodes in its direction. */
export function rimOf(triangles) {
    const open = new Map();
    for (let t = 0; t < triangles.length; t += 3)
        for (let k = 0; k < 3; k++) {
            const a = triangles[t + k];
            const b = triangles[t + ((k + 1) % 3)];
            const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
            if (open.has(key)) open.delete(key);
            else open.set(key, [a, b]);
        }
    return [...open.values()];
}

export class Surface {
    constructor(mesh) {
        this.mesh = mesh;
        this.n = mesh.points.length / 3;
        this.bent = Float64Array.from(mesh.points);
        this.displacement = new Float64Array(mesh.points.length);
        this.normals = new Float64Array(mesh.points.length);
        this.slab = Boolean(mesh.thickness);
        // Both sides in one list of vertices: the upper ones, then the lower ones.
        const index = Array.from(mesh.triangles);
        if (this.slab) {
            for (let t = 0; t < mesh.triangles.length; t += 3)
                index.push(this.n + mesh.triangles[t], this.n + mesh.triangles[t + 2], this.n + mesh.triangles[t + 1]);
            for (const [a, b] of rimOf(mesh.triangles)) index.push(a, this.n + a, b, b, this.n + a, this.n + b);
        }
        const vertices = this.slab ? 2 * this.n : this.n;
        const geometry = new BufferGeometry();
        for (const name of ['position', 'color'])
            geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * vertices), 3));
        geometry.setIndex(index);
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // it bends: never leave it out
        this.material = new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: DoubleSide });
        this.object = new Mesh(geometry, this.material);
        this.object.frustumCulled = false;
        this.shape();
    }

    /** points + magnification shapes q. */
    bend(q, first, columns, magnification) {
        const { mesh, bent, displacement } = this;
        multiply(mesh.shapes, q, first, columns, 3 * this.n, magnification, displacement);
        for (let i = 0; i < bent.length; i++) bent[i] = mesh.points[i] + displacement[i];
        this.shape();
    }

    /** Normals of the nodes: the mean of those of their triangles by area. */
    turnNormals() {
        const { bent, normals } = this;
        const { triangles } = this.mesh;
        normals.fill(0);
        for (let t = 0; t < triangles.length; t += 3) {
            const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
            const [ux, uy, uz] = [bent[b] - bent[a], bent[b + 1] - bent[a + 1], bent[b + 2] - bent[a + 2]];
            const [vx, vy, vz] = [bent[c] - bent[a], bent[c + 1] - bent[a + 1], bent[c + 2] - bent[a + 2]];
            const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
            for (const i of [a, b, c]) {
                normals[i] += x;
                normals[i + 1] += y;
                normals[i + 2] += z;
            }
        }
    }

    shape() {
        const position = this.object.geometry.attributes.position;
        const { bent, normals } = this;
        if (!this.slab) position.array.set(bent);
        else {
            this.turnNormals();
            for (let i = 0; i < bent.length; i += 3) {
                const size = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
                const half = (0.5 * this.mesh.thickness[i / 3]) / size;
                for (let k = 0; k < 3; k++) {
                    position.array[i + k] = bent[i + k] + half * normals[i + k];
                    position.array[bent.length + i + k] = bent[i + k] - half * normals[i + k];
                }
            }
        }
        position.needsUpdate = true;
    }

    /** The colour of each node: three numbers of `colours` from entry 3 place(i) on. */
    paint(colours, place) {
        const { array } = this.object.geometry.attributes.color;
        for (let i = 0; i < this.n; i++) {
            const from = 3 * place(i);
            for (let k = 0; k < 3; k++) {
                array[3 * i + k] = colours[from + k];
                if (this.slab) array[3 * (this.n + i) + k] = colours[from + k];
            }
        }
        this.object.geometry.attributes.color.needsUpdate = true;
    }

    dispose() {
        this.object.geometry.dispose();
        this.material.dispose();
    }
}

/** Von Mises stress of components xx yy zz xy yz zx, or of plane stress xx yy xy. */
export function vonMises(s) {
    const [xx, yy, zz, xy, yz, zx] = s.length === 3 ? [s[0], s[1], 0, s[2], 0, 0] : s;
    return Math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + yz * yz + zx * zx));
}

/** What follows from the components of stress among the fields of a mesh. */
export function derived(fields) {
    const found = [];
    for (const [prefix, name, label] of [
        ['stress', 'von_mises', 'von Mises stress'],
        ['stress_top', 'von_mises_top', 'von Mises stress, upper surface'],
        ['stress_bottom', 'von_mises_bottom', 'von Mises stress, lower surface'],
    ]) {
        const components = prefix === 'stress' ? ['xx', 'yy', 'zz', 'xy', 'yz', 'zx'] : ['xx', 'yy', 'xy'];
        const from = components.map((component) => fields.find((field) => field.name === `${prefix}_${component}`));
        if (from.every(Boolean)) found.push({ name, label, unit: 'Pa', positive: true, from });
    }
    // Of a plate the larger of its surfaces, so that one scale serves plates and solids.
    if (found.length > 1)
        found.unshift({
            name: 'von_mises',
            label: 'von Mises stress',
            unit: 'Pa',
            positive: true,
            largest: found.slice(),
        });
    return found;
}

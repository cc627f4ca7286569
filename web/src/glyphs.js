// Joints, loads, the ground and axes as small solids. The axis of a joint is the z axis of its solid.
import {
    BoxGeometry,
    BufferAttribute,
    BufferGeometry,
    CanvasTexture,
    ConeGeometry,
    CylinderGeometry,
    Curve,
    Group,
    InstancedMesh,
    LineBasicMaterial,
    LineSegments,
    Matrix4,
    Mesh,
    MeshBasicMaterial,
    MeshLambertMaterial,
    OctahedronGeometry,
    Quaternion,
    RingGeometry,
    SphereGeometry,
    Sprite,
    SpriteMaterial,
    SRGBColorSpace,
    TorusGeometry,
    TubeGeometry,
    Vector3,
} from 'three';

/** More bodies or joints are drawn with fewer triangles, and without lines at their edges. */
export const MANY = 60;
const round = 24; // sides of a cylinder

const along = (geometry) => geometry.rotateX(Math.PI / 2); // cylinders of three.js stand along y

/** The solids that the kinds of joint are made of, by their shape in the manifest. */
const shapes = {
    box: ([x, y, z]) => new BoxGeometry(x, y, z),
    cylinder: ([radius, length]) => along(new CylinderGeometry(radius, radius, length, round)),
    'cylinder across': ([radius, length]) => new CylinderGeometry(radius, radius, length, round),
    ball: ([radius]) => new SphereGeometry(radius, round, (2 * round) / 3),
    ring: ([radius, section]) => new TorusGeometry(radius, section, round / 2, 1.6 * round),
};

const made = new Map(); // equal solids have one geometry, so that they are drawn at once
function geometryOf({ shape, size }) {
    const key = `${shape} ${size}`;
    if (!made.has(key)) made.set(key, shapes[shape]?.(size) ?? new OctahedronGeometry(1.2));
    return made.get(key);
}

/** Solids that are drawn together: those of one geometry and material at once. */
export class Crowd {
    constructor(parent) {
        Object.assign(this, { parent, sets: new Map(), solids: [] });
    }

    add(solid) {
        this.solids.push(solid);
        solid.userData.turn = solid.quaternion.clone();
        for (const mesh of solid.children) {
            const key = mesh.geometry.uuid + mesh.material.uuid;
            if (!this.sets.has(key)) this.sets.set(key, []);
            this.sets.get(key).push({ solid, mesh });
        }
        return solid;
    }

    /** Where the solids are now. */
    update() {
        const none = new Matrix4().makeScale(0, 0, 0);
        for (const solid of this.solids) solid.updateMatrixWorld(true);
        for (const entries of this.sets.values()) {
            if (!entries.drawn) {
                const [{ mesh }] = entries;
                entries.drawn = new InstancedMesh(mesh.geometry, mesh.material, entries.length);
                entries.drawn.frustumCulled = false;
                this.parent.add(entries.drawn);
            }
            entries.forEach(({ solid, mesh }, i) =>
                entries.drawn.setMatrixAt(i, solid.visible ? mesh.matrixWorld : none),
            );
            entries.drawn.instanceMatrix.needsUpdate = true;
        }
    }
}

/** A joint as its kind is drawn, `{solids: [{shape, size}]}`; an octahedron when it is not known how, or of many. */
export function jointSolid(joint, kind, size, material, many) {
    const group = new Group();
    const geometries = (many ? [{ shape: 'any' }] : (kind?.solids ?? [{ shape: 'any' }])).map(geometryOf);
    for (const geometry of geometries) group.add(new Mesh(geometry, material));
    group.scale.setScalar(size);
    const axis = new Vector3(...(joint.axis ?? [0, 0, 1]));
    if (axis.lengthSq() > 0) group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), axis.normalize());
    return group;
}

/** A coil along z, `length` long; with as many turns as fit and thin wire. */
function coil(radius, length, material) {
    const turns = Math.min(40, Math.max(4, Math.round((0.8 * length) / (1.1 * radius))));
    const line = new Curve();
    line.getPoint = (t, out = new Vector3()) => {
        const along = (t - 0.1) / 0.8; // straight ends
        const r = along < 0 || along > 1 ? 0 : radius * Math.min(1, 2 * turns * along, 2 * turns * (1 - along));
        const angle = 2 * turns * Math.PI * along;
        return out.set(r * Math.cos(angle), r * Math.sin(angle), t * length);
    };
    const mesh = new Mesh(new TubeGeometry(line, 20 * turns, 0.11 * radius, 6), material);
    mesh.userData.stretch = (now) => {
        mesh.scale.z = now / length;
    };
    return mesh;
}

/** A cylinder along z and a rod that comes out of it. */
function piston(radius, length, material) {
    const body = 0.55 * length;
    const outer = new Mesh(along(new CylinderGeometry(radius, radius, body, 20)).translate(0, 0, 0.5 * body), material);
    const rod = new Mesh(along(new CylinderGeometry(0.4 * radius, 0.4 * radius, 1, 12)).translate(0, 0, 0.5), material);
    rod.userData.stretch = (now) => {
        rod.scale.z = now;
    };
    return [outer, rod];
}

/** A thin line along z. */
export function cord(radius, material) {
    const mesh = new Mesh(along(new CylinderGeometry(radius, radius, 1, 8)).translate(0, 0, 0.5), material);
    mesh.userData.stretch = (now) => {
        mesh.scale.z = now;
    };
    return mesh;
}

/** What ties two points, along z, by its kind; null: nothing is seen between them. stretch(length) of its children. */
export function tieSolid(kind, size, length, material) {
    const group = new Group();
    const radius = Math.min(1.5 * size, 0.2 * length);
    if (!(length > 0)) return null;
    if (kind === 'spring' || kind === '' || kind === undefined) group.add(coil(radius, length, material));
    else if (kind === 'strut') group.add(coil(radius, length, material), ...piston(0.5 * radius, length, material));
    else if (kind === 'damper' || kind === 'actuator') group.add(...piston(0.6 * radius, length, material));
    else if (kind === 'bushing')
        group.add(new Mesh(along(new CylinderGeometry(size, size, size, 20)), material)); // where its ends are
    else if (kind === 'cable') group.add(cord(0.15 * size, material));
    else return null;
    return group;
}

const loadMaterial = new MeshLambertMaterial({ color: 0xd28a00 });
// For forces that are results. They begin inside the body they act on, and are drawn over it.
const foundMaterial = new MeshLambertMaterial({ color: 0xb23a8a, depthTest: false, transparent: true });

/** A load whose direction is not known: a rhombus for a force, a ring for a torque. */
export function loadSolid(load, size) {
    const torque = load.kind === 'torque';
    const geometry = torque ? new TorusGeometry(1.9, 0.2, 10, 48) : new TorusGeometry(2.1, 0.22, 10, 4);
    const group = new Group().add(new Mesh(geometry, loadMaterial));
    group.scale.setScalar(size);
    return group;
}

/** An arrow along z; stretch(arrow, length) makes it so long, its head at most `head`. */
export function arrowSolid(thickness, head, found) {
    const material = found ? foundMaterial : loadMaterial;
    const shaft = new Mesh(along(new CylinderGeometry(thickness, thickness, 1, 12)).translate(0, 0, 0.5), material);
    const tip = new Mesh(along(new ConeGeometry(3 * thickness, 1, 16)).translate(0, 0, 0.5), material);
    const group = new Group().add(shaft, tip);
    group.userData.head = head;
    return group;
}

export function stretch(arrow, length) {
    const [shaft, tip] = arrow.children;
    const head = Math.min(arrow.userData.head, 0.6 * length);
    shaft.scale.z = length - head;
    tip.position.z = length - head;
    tip.scale.set(head / arrow.userData.head, head / arrow.userData.head, head);
}

/** A torque about z: three quarters of a circle of radius one with a head, right-handed. */
export function turnSolid() {
    const arc = 1.5 * Math.PI;
    const tip = new Mesh(new ConeGeometry(0.22, 0.5, 16), loadMaterial); // along y, as the circle goes where it begins
    tip.position.set(Math.cos(arc), Math.sin(arc), 0);
    tip.rotation.z = arc;
    tip.translateY(0.2);
    return new Group().add(new Mesh(new TorusGeometry(1, 0.07, 10, 48, arc), loadMaterial), tip);
}

/** A drive about z: a sector of a disc from x on, of radius one; turn(drive, angle) opens it. */
export function driveSolid(material) {
    const sector = new Mesh(new RingGeometry(0.75, 1, 96, 1, 0, 2 * Math.PI), material);
    const tip = new Mesh(new ConeGeometry(0.28, 0.45, 16), material);
    return new Group().add(sector, tip);
}

export function turn(drive, angle) {
    const [sector, tip] = drive.children;
    const size = Math.abs(angle);
    sector.geometry.setDrawRange(0, 6 * Math.round((96 * size) / (2 * Math.PI)));
    sector.scale.y = Math.sign(angle) || 1;
    tip.position.set(0.875 * Math.cos(angle), 0.875 * Math.sin(angle), 0);
    tip.rotation.z = angle + (angle < 0 ? Math.PI : 0);
    tip.visible = size > 0.05;
}

/** Where the ground holds something: a triangle under the point in the plane, a plate in space. */
export function groundSolid(size, material, plane) {
    shapes.ground ??= () =>
        plane
            ? new CylinderGeometry(2.2, 2.2, 1, 3).rotateX(-Math.PI / 2).translate(0, -2.2, -1)
            : along(new CylinderGeometry(2, 2.4, 0.6, round)).translate(0, 0, -1.1);
    const geometry = geometryOf({ shape: 'ground' });
    const group = new Group().add(new Mesh(geometry, material));
    group.scale.setScalar(size);
    return group;
}

const axisColours = [0xd0453e, 0x3f9b45, 0x3a78d6];

/** x, y and z as thin rods. */
export function axesSolid(size, count = 3, thickness = 0.02) {
    const group = new Group();
    for (let k = 0; k < count; k++) {
        const material = new MeshBasicMaterial({ color: axisColours[k] });
        const rod = new Mesh(new CylinderGeometry(thickness, thickness, 0.8, 10).translate(0, 0.4, 0), material);
        const tip = new Mesh(
            new ConeGeometry(2.8 * thickness, 7 * thickness, 12).translate(0, 0.8 + 3.5 * thickness, 0),
            material,
        );
        const axis = new Group().add(rod, tip);
        axis.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3().setComponent(k, 1));
        group.add(axis);
    }
    group.scale.setScalar(size);
    return group;
}

/** Text that faces the observer, `height` high. */
export function textSprite(text, colour, height) {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    const font = '500 44px system-ui, sans-serif';
    context.font = font;
    canvas.width = Math.max(64, Math.ceil(context.measureText(text).width) + 8);
    canvas.height = 64;
    Object.assign(context, { font, textAlign: 'center', textBaseline: 'middle', fillStyle: colour });
    context.fillText(text, 0.5 * canvas.width, 34);
    const map = new CanvasTexture(canvas);
    map.colorSpace = SRGBColorSpace;
    const sprite = new Sprite(new SpriteMaterial({ map, transparent: true, depthWrite: false }));
    sprite.userData.width = canvas.width / 64; // of the height
    sprite.scale.set(height * sprite.userData.width, height, 1);
    return sprite;
}

function letter(text, colour) {
    const sprite = textSprite(text, colour, 0.6);
    sprite.material.depthTest = false;
    return sprite;
}

/** The axes with their letters and gravity, for the corner of the scene. */
export function compass(plane, gravity) {
    const group = axesSolid(1, plane ? 2 : 3, 0.034);
    const place = (sprite, x, y, z) => sprite.position.set(x, y, z);
    ['x', 'y', 'z'].slice(0, plane ? 2 : 3).forEach((name, k) => {
        const sprite = letter(name, `#${axisColours[k].toString(16)}`);
        place(sprite, ...[0, 1, 2].map((i) => (i === k ? 1.3 : 0)));
        group.add(sprite);
    });
    const pull = new Vector3(...(gravity ?? [0, 0, 0]));
    if (pull.lengthSq() > 0) {
        const arrow = new Group();
        const material = new MeshBasicMaterial({ color: 0x8a94a3 });
        arrow.add(
            new Mesh(new CylinderGeometry(0.03, 0.03, 0.75, 10).translate(0, 0.375, 0), material),
            new Mesh(new ConeGeometry(0.09, 0.25, 12).translate(0, 0.85, 0), material),
        );
        const direction = pull.clone().normalize();
        arrow.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), direction));
        const sprite = letter('g', '#8a94a3');
        place(sprite, ...direction.clone().multiplyScalar(1.25).toArray());
        group.add(arrow, sprite);
    }
    return group;
}

/** A grid of lines `step` apart over [x0, x1] x [y0, y1] at height z. */
export function grid(x0, x1, y0, y1, z, step, material) {
    const points = [];
    const first = (x) => Math.floor(x / step + 1e-9);
    const last = (x) => Math.ceil(x / step - 1e-9);
    const [left, right, low, high] = [first(x0), last(x1), first(y0), last(y1)];
    for (let i = left; i <= right; i++) points.push(i * step, low * step, z, i * step, high * step, z);
    for (let i = low; i <= high; i++) points.push(left * step, i * step, z, right * step, i * step, z);
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    return new LineSegments(geometry, material);
}

export const lineMaterial = (colour, opacity) =>
    new LineBasicMaterial({ color: colour, transparent: true, opacity, depthWrite: false });

// The mechanism in three dimensions: bodies, joints, loads, names; camera and controls. It draws when asked to, not all
// the time.
import {
    AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, Group, LineSegments, Matrix4, MeshLambertMaterial, OrthographicCamera,
    PerspectiveCamera, Raycaster, Scene as ThreeScene, Vector2, Vector3, WebGLRenderer, MOUSE, TOUCH,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { BodyView, poseMatrix } from './bodies.js';
import { categorical, css, ramp, theme } from './colours.js';
import { h } from './dom.js';
import {
    axesSolid, compass, grid, groundSolid, jointColour, jointSolid, lineMaterial, loadSolid, springSolid,
} from './glyphs.js';
import { multiply, rotate } from './motion.js';

const upwards = new Vector3(0, 0, 1);
const slides = new Set(['prismatic', 'slider', 'cylindrical', 'planar']); // drawn where body b is
const SAMPLES = 240; // frames looked at for the extent of the motion and the range of a colour

/** Whether this browser draws in three dimensions at all. */
export function hasWebGL() {
    try {
        const context = document.createElement('canvas').getContext('webgl2');
        context?.getExtension('WEBGL_lose_context')?.loseContext();
        return Boolean(context);
    } catch {
        return false;
    }
}

export class Scene {
    constructor(host, report, motion) {
        Object.assign(this, { host, report, motion });
        this.plane = report.dimension === 2;
        this.magnification = 1;
        this.colour = null; // a section quantity, or null: by body
        this.shown = { bodies: false, joints: false, frames: false, ghost: false, loads: true, grid: true, follow: false };
        this.selected = -1;
        this.hovered = -1;
        this.onColour = () => {};
        this.onSelect = () => {};

        this.renderer = new WebGLRenderer({ antialias: true });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.autoClear = false;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute('aria-label', `The mechanism: ${report.bodies.length} bodies, ${report.joints.length} joints`);
        this.names = h('div', { class: 'names', 'aria-hidden': 'true' });
        this.tip = h('div', { class: 'tip', hidden: true });
        host.append(this.canvas, this.names, this.tip);

        this.scene = new ThreeScene();
        this.measure();
        this.makeCamera();
        this.makeBodies();
        this.makeJoints();
        this.makeNames();
        this.makeGrid();
        this.corner = new ThreeScene();
        this.corner.add(compass(this.plane, report.gravity));
        this.ghosts = new Group();
        this.ghostMaterial = new MeshLambertMaterial({ transparent: true, opacity: 0.22, depthWrite: false });
        this.scene.add(this.ghosts);
        this.retheme();
        this.fit();
        this.listen();
    }

    // ---- extent ----
    /** Boxes around the start pose and around the whole motion; the travel of the middle. */
    measure() {
        const { motion, report } = this;
        this.reached = []; // points that the motion comes to, at the start first
        this.start = new Box3();
        this.whole = new Box3();
        const count = report.frames.count;
        const middles = new Box3();
        const middle = [0, 0, 0];
        for (let s = 0; s < Math.min(Math.max(count, 1), SAMPLES); s++) {
            motion.toFrame(count > 1 ? Math.round(s * (count - 1) / (Math.min(count, SAMPLES) - 1)) : 0);
            this.extend(s === 0 ? [this.start, this.whole] : [this.whole]);
            if (s === 0)
                this.reachedAtStart = this.reached.length;
            middles.expandByPoint(new Vector3(...this.middle(middle)));
        }
        motion.toFrame(0);
        for (const joint of [...report.joints, ...report.springs])
            for (const end of [joint.a, joint.b])
                if (end.body < 0 && end.position)
                    [this.start, this.whole].forEach((box) => box.expandByPoint(new Vector3(...end.position))),
                    this.reached.push(...end.position);
        for (const box of [this.start, this.whole])
            if (box.isEmpty())
                box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
        this.size = Math.max(this.start.getSize(new Vector3()).length(), 1e-9);
        const travels = !middles.isEmpty() && middles.getSize(new Vector3()).length() > 3 * this.size;
        if (this.start.getSize(new Vector3()).length() < 1e-9)
            this.size = Math.max(this.whole.getSize(new Vector3()).length(), 1e-2);
        this.shown.follow = travels;
        if (travels)
            this.reached.length = this.reachedAtStart;
        this.frameBox = (travels ? this.start : this.whole).clone().expandByScalar(0.02 * this.size);
    }

    extend(boxes) {
        const { pose } = this.motion;
        const point = [0, 0, 0];
        const vector = new Vector3();
        const put = (local, at) => {
            rotate(pose, at + 3, local, point);
            vector.set(point[0] + pose[at], point[1] + pose[at + 1], point[2] + pose[at + 2]);
            if (Number.isFinite(vector.x + vector.y + vector.z))
                boxes.forEach((box) => box.expandByPoint(vector)), this.reached.push(vector.x, vector.y, vector.z);
        };
        this.report.bodies.forEach((body, b) => {
            const step = 3 * Math.max(1, Math.floor(body.points.length / 3 / 16));
            for (let i = 0; i < body.points.length; i += step)
                put([body.points[i], body.points[i + 1], body.points[i + 2]], 7 * b);
            if (body.points.length > 0)
                put(body.points.slice(-3), 7 * b);
            else
                put(body.centre ?? [0, 0, 0], 7 * b);
            for (const port of body.ports)
                put(port.position, 7 * b);
        });
    }

    /** The mean of the bodies' origins. */
    middle(out) {
        const { pose, nBodies } = this.motion;
        out.fill(0);
        let n = 0;
        for (let b = 0; b < nBodies; b++)
            if (Number.isFinite(pose[7 * b] + pose[7 * b + 1] + pose[7 * b + 2])) {
                n++;
                for (let k = 0; k < 3; k++)
                    out[k] += pose[7 * b + k];
            }
        for (let k = 0; k < 3; k++)
            out[k] /= n || 1;
        return out;
    }

    // ---- camera ----
    makeCamera() {
        const size = Math.max(this.size, this.frameBox.getSize(new Vector3()).length());
        this.camera = this.plane ? new OrthographicCamera(-1, 1, 1, -1, 0.1 * size, 100 * size)
            : new PerspectiveCamera(35, 1, 0.005 * size, 200 * size);
        this.camera.up.set(...(this.plane ? [0, 1, 0] : [0, 0, 1]));
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.enableRotate = !this.plane;
        this.controls.zoomToCursor = true;
        this.controls.screenSpacePanning = true;
        if (this.plane) {
            this.controls.mouseButtons.LEFT = MOUSE.PAN;
            this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
        }
        this.controls.addEventListener('change', () => this.draw());
        this.light = new DirectionalLight(0xffffff, 2.1);
        this.camera.add(this.light, this.light.target);
        this.light.position.set(-0.6, 1, 1.4);
        this.light.target.position.set(0, 0, -1);
        this.ambient = new AmbientLight(0xffffff, 1.5);
        this.scene.add(this.camera, this.ambient);
    }

    /** Look from a direction so that everything the motion reaches is seen. */
    fit(direction = this.plane ? [0, 0, 1] : [1.1, -1.5, 0.75]) {
        const { camera, controls, frameBox: box } = this;
        const centre = box.getCenter(new Vector3());
        const now = this.followShift ?? new Vector3();
        centre.add(now);
        const back = new Vector3(...direction).normalize();
        const up = Math.abs(back.z) > 0.99 ? new Vector3(0, 1, 0) : camera.up.clone();
        const right = up.clone().cross(back).normalize();
        up.crossVectors(back, right);
        const width = this.host.clientWidth || 1;
        const height = this.host.clientHeight || 1;
        let halfWidth = 0, halfHeight = 0, distance = 0;
        const tangent = this.plane ? 1 : Math.tan(camera.fov * Math.PI / 360) * 0.86;
        const points = this.reached.length > 0 ? this.reached : [...box.min, ...box.max];
        const corner = new Vector3();
        for (let k = 0; k < points.length; k += 3) {
            corner.set(points[k], points[k + 1], points[k + 2]).add(now).sub(centre);
            const x = Math.abs(corner.dot(right)), y = Math.abs(corner.dot(up)), z = corner.dot(back);
            halfWidth = Math.max(halfWidth, x);
            halfHeight = Math.max(halfHeight, y);
            distance = Math.max(distance, x / (tangent * width / height) + z, y / tangent + z);
        }
        distance = Math.max(distance, 0.3 * this.size);
        if (this.plane) {
            this.halfHeight = Math.max(halfHeight, halfWidth * height / width, 1e-9) * 1.18;
            camera.zoom = 1;
            distance = 20 * Math.max(this.size, halfWidth);
        }
        controls.target.copy(centre);
        camera.position.copy(centre).addScaledVector(back, distance);
        this.resize();
        controls.update();
        this.draw();
    }

    resize() {
        const width = this.host.clientWidth;
        const height = this.host.clientHeight;
        if (width === 0 || height === 0)
            return;
        this.renderer.setSize(width, height);
        if (this.plane) {
            const half = this.halfHeight ?? 1;
            Object.assign(this.camera, { left: -half * width / height, right: half * width / height, top: half, bottom: -half });
        } else
            this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    // ---- what is drawn ----
    makeBodies() {
        this.bodies = this.report.bodies.map((body, i) => new BodyView(body, i, this.size));
        this.bodies.forEach((body) => this.scene.add(body.object));
        this.axes = this.report.bodies.map(() => axesSolid(0.13 * this.size, this.plane ? 2 : 3));
        this.axes.push(axesSolid(0.18 * this.size, this.plane ? 2 : 3)); // of the ground
        for (const solid of this.axes) {
            solid.visible = false;
            this.scene.add(solid);
        }
        this.axes.slice(0, -1).forEach((solid, i) => {
            solid.matrixAutoUpdate = false;
            solid.userData.scale = 0.13 * this.size;
        });
    }

    makeJoints() {
        this.jointMaterial = new MeshLambertMaterial();
        this.groundMaterial = new MeshLambertMaterial();
        this.railMaterial = lineMaterial(0x808890, 0.8);
        const radius = 0.011 * this.size;
        // As large as is seen beside the bodies it joins.
        const fitting = (...ends) => Math.min(0.05 * this.size, Math.max(radius,
            ...ends.map((end) => 1.15 * (this.bodies[end.body]?.drawnRadius() ?? 0))));
        const add = (solid) => {
            this.scene.add(solid);
            solid.userData.turn = solid.quaternion.clone();
            solid.userData.size = solid.scale.x;
            return solid;
        };
        this.joints = this.report.joints.map((joint) => ({ joint, solid: add(jointSolid(joint, fitting(joint.a, joint.b), this.jointMaterial)), rail: this.makeRail() }));
        this.springs = this.report.springs.map((spring) => ({ spring, solid: add(springSolid(1.5 * radius, this.jointMaterial)) }));
        this.loads = this.report.loads.map((load) => ({ load, solid: add(loadSolid(load, fitting(load))) }));
        const grounds = new Map();
        for (const { a, b } of [...this.report.joints, ...this.report.springs])
            for (const end of [a, b])
                if (end.body < 0 && end.position)
                    grounds.set(end.position.map((x) => x.toPrecision(6)).join(), end.position);
        for (const position of grounds.values()) {
            const solid = groundSolid(radius, this.groundMaterial, this.plane);
            solid.position.set(...position);
            this.scene.add(solid);
        }
    }

    /** The line between the two points of a joint, seen where it slides and where a magnified deformation parts them. */
    makeRail() {
        const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
        const line = new LineSegments(geometry, this.railMaterial);
        line.frustumCulled = false;
        this.scene.add(line);
        return line;
    }

    /** Where the end of a joint or a load is: position into `out`, the matrix of its directions into `matrix`. */
    portAt(end, out, matrix) {
        if (end.body < 0) {
            const p = end.position ?? [0, 0, 0];
            out[0] = p[0], out[1] = p[1], out[2] = p[2];
            matrix.identity();
            return directions(matrix, end.rotation);
        }
        const body = this.report.bodies[end.body];
        const port = body?.ports[end.port];
        if (!port)
            return null;
        const { pose, q } = this.motion;
        const local = [0, 0, 0];
        if (port.shape && body.q > 0)
            multiply(port.shape, q, body.first, body.q, 3, this.magnification, local);
        for (let k = 0; k < 3; k++)
            local[k] += port.position[k];
        const at = 7 * end.body;
        rotate(pose, at + 3, local, out);
        for (let k = 0; k < 3; k++)
            out[k] += pose[at + k];
        poseMatrix(matrix, pose, at).setPosition(0, 0, 0);
        return directions(matrix, port.rotation);
    }

    makeNames() {
        const name = (text, kind) => {
            const element = h('span', { class: `name ${kind}` }, text);
            this.names.append(element);
            return element;
        };
        this.labels = [
            ...this.report.bodies.map((body, i) => ({ kind: 'bodies', element: name(body.name, 'body'), body: i })),
            ...this.report.joints.map((joint, i) => ({ kind: 'joints', element: name(joint.name, 'joint'), joint: i })),
        ];
    }

    makeGrid() {
        const box = this.frameBox;
        const span = Math.max(box.max.x - box.min.x, box.max.y - box.min.y, 0.2 * this.size);
        const raw = span / 8;
        const step = [1, 2, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(raw))).find((s) => s >= raw);
        const margin = this.plane ? 6 * span : 0.6 * span;
        this.gridMaterial = lineMaterial(0x808890, 0.16);
        const z = this.plane ? -0.5 * this.size : box.min.z - 0.03 * this.size;
        this.grid = grid(box.min.x - margin, box.max.x + margin, box.min.y - margin, box.max.y + margin, z, step,
            this.gridMaterial);
        this.grid.userData.step = step;
        this.scene.add(this.grid);
    }

    retheme() {
        const dark = theme() === 'dark';
        this.background = new Color(css('--scene'));
        this.jointMaterial.color.setHex(jointColour[theme()]);
        this.groundMaterial.color.setHex(dark ? 0x667283 : 0x9aa5b3);
        this.gridMaterial.color.setHex(dark ? 0xa0b4cc : 0x4a5c74);
        this.ghostMaterial.color.setHex(dark ? 0x7d8da4 : 0x506078);
        this.setColour(this.colour);
    }

    // ---- colour ----
    /** Names and labels of all section quantities of the model. */
    quantities() {
        const found = new Map();
        for (const body of this.report.bodies)
            for (const section of body.section)
                found.set(section.name, section);
        return [...found.values()];
    }

    setColour(quantity) {
        this.colour = quantity;
        if (!quantity) {
            this.bodies.forEach((body) => body.paint(new Color(categorical(body.index)).toArray()));
            this.onColour(null);
        } else {
            this.unsigned = /stress/.test(quantity);
            this.ramp = ramp(this.unsigned ? 'magnitude' : 'signed');
            const plain = new Color(css('--plain')).toArray();
            for (const body of this.bodies)
                if (!body.body.section.some((section) => section.name === quantity))
                    body.paint(plain);
            this.setRange();
        }
        this.update();
    }

    /** The largest |value| over all frames (sampled), or of the mode at its amplitude. */
    setRange() {
        const { frames } = this.report;
        const colour = this.colour;
        let largest = 0;
        let section = null;
        const look = () => {
            for (const body of this.bodies) {
                const found = body.body.section.find((entry) => entry.name === colour);
                if (!found || !body.own)
                    continue;
                section = found;
                body.evaluate(found, this.motion.q);
                for (const value of body.values)
                    if (Math.abs(value) > largest && Number.isFinite(value))
                        largest = Math.abs(value);
            }
        };
        if (this.mode) {
            for (const phase of [0, 0.25, 0.5, 0.75]) {
                this.motion.toMode(this.mode.frame, this.mode.row, this.mode.amplitude, 2 * Math.PI * phase);
                look();
            }
        } else {
            const n = Math.min(frames.count, SAMPLES);
            for (let s = 0; s < n; s++) {
                this.motion.toFrame(n > 1 ? Math.round(s * (frames.count - 1) / (n - 1)) : 0);
                look();
            }
        }
        this.largest = largest;
        this.onColour({ section, largest, unsigned: this.unsigned, gradient: this.ramp.gradient });
        this.restore?.();
    }

    // ---- every frame ----
    /** Take over what the motion says now. */
    update() {
        const { motion, colour } = this;
        const scale = this.largest > 0 ? 1 / this.largest : 0;
        const unsigned = this.unsigned;
        const place = (value) => {
            const x = unsigned ? Math.abs(value) * scale : 0.5 + 0.5 * value * scale;
            return x > 0 ? Math.min(255, Math.floor(256 * x)) : 0;
        };
        for (const body of this.bodies) {
            body.place(motion.pose);
            if (body.body.q === 0)
                continue;
            body.bend(motion.q, this.magnification);
            const section = colour && body.own && body.body.section.find((entry) => entry.name === colour);
            if (section) {
                body.evaluate(section, motion.q);
                body.paintValues(this.ramp.linear, place);
            }
        }
        this.placeJoints();
        if (this.shown.frames)
            this.placeAxes();
        if (this.shown.follow)
            this.follow();
        this.draw();
    }

    placeJoints() {
        const point = [0, 0, 0];
        const other = [0, 0, 0];
        const matrix = new Matrix4();
        const unused = new Matrix4();
        // In the plane what joins is seen in front of what is joined.
        const lift = this.plane ? 0.2 * this.size : 0;
        const put = (solid, at) => {
            solid.visible = Number.isFinite(at[0] + at[1] + at[2]);
            solid.position.set(at[0], at[1], at[2] + lift);
            solid.quaternion.setFromRotationMatrix(matrix).multiply(solid.userData.turn);
        };
        for (const { joint, solid, rail } of this.joints) {
            const found = this.portAt(joint.b, other, unused) && this.portAt(joint.a, point, matrix);
            rail.visible = solid.visible = Boolean(found);
            if (!found)
                continue;
            put(solid, slides.has(joint.kind) ? other : point);
            rail.visible = solid.visible;
            const ends = rail.geometry.attributes.position;
            ends.setXYZ(0, ...point);
            ends.setXYZ(1, ...other);
            ends.needsUpdate = true;
        }
        const [from, to] = [new Vector3(), new Vector3()];
        for (const { spring, solid } of this.springs) {
            solid.visible = Boolean(this.portAt(spring.a, point, unused) && this.portAt(spring.b, other, unused));
            from.set(...point);
            to.set(...other);
            const length = from.distanceTo(to);
            solid.visible &&= length > 0;
            if (!solid.visible)
                continue;
            solid.position.copy(from).setZ(from.z + lift);
            solid.quaternion.setFromUnitVectors(upwards, to.sub(from).divideScalar(length));
            solid.scale.set(1, 1, length);
        }
        for (const { load, solid } of this.loads) {
            solid.visible = this.shown.loads && Boolean(this.portAt(load, point, matrix));
            if (solid.visible)
                put(solid, point);
        }
    }

    placeAxes() {
        this.bodies.forEach((body, i) => {
            const solid = this.axes[i];
            solid.visible = body.object.visible;
            const s = solid.userData.scale;
            solid.matrix.copy(body.object.matrix).scale(new Vector3(s, s, s));
            solid.matrixWorldNeedsUpdate = true;
        });
        this.axes.at(-1).visible = true;
    }

    follow() {
        const now = new Vector3(...this.middle([0, 0, 0]));
        this.reference ??= now.clone();
        const shift = now.sub(this.reference);
        const step = shift.clone().sub(this.followShift ?? new Vector3());
        if (!Number.isFinite(step.x + step.y + step.z))
            return;
        this.camera.position.add(step);
        this.controls.target.add(step);
        this.followShift = shift;
        this.controls.update();
    }

    show(what, on) {
        this.shown[what] = on;
        if (what === 'frames')
            this.axes.forEach((solid) => { solid.visible = on; });
        if (what === 'grid')
            this.grid.visible = on;
        if (what === 'ghost')
            this.ghosts.visible = on;
        this.update();
    }

    /** The ghost is the mechanism as it stands now. */
    setGhost() {
        for (const group of this.ghosts.children)
            group.children.forEach((mesh) => mesh.isInstancedMesh ? mesh.dispose() : mesh.geometry.dispose());
        this.ghosts.clear();
        for (const body of this.bodies) {
            body.place(this.motion.pose);
            body.bend(this.motion.q, 1);
            this.ghosts.add(body.ghost(this.ghostMaterial));
        }
        this.ghosts.visible = this.shown.ghost;
    }

    setMagnification(value) {
        this.magnification = value;
        this.update();
    }

    draw() {
        if (this.pending)
            return;
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            this.render();
        });
    }

    render() {
        const { renderer } = this;
        const width = this.host.clientWidth;
        const height = this.host.clientHeight;
        if (width === 0 || height === 0)
            return;
        renderer.setViewport(0, 0, width, height);
        renderer.setScissorTest(false);
        renderer.setClearColor(this.background);
        renderer.clear();
        renderer.render(this.scene, this.camera);
        this.renderCompass();
        this.placeNames(width, height);
    }

    renderCompass() {
        const side = 84;
        this.cornerCamera ??= new OrthographicCamera(-1.6, 1.6, 1.6, -1.6, 0.1, 20);
        this.cornerCamera.up.copy(this.camera.up);
        this.cornerCamera.position.copy(this.camera.position).sub(this.controls.target).setLength(5);
        this.cornerCamera.lookAt(0, 0, 0);
        this.renderer.clearDepth();
        this.renderer.setViewport(6, 6, side, side);
        this.renderer.render(this.corner, this.cornerCamera);
    }

    placeNames(width, height) {
        const taken = [];
        const v = new Vector3();
        const matrix = new Matrix4();
        const point = [0, 0, 0];
        for (const label of this.labels) {
            const chosen = label.body !== undefined && (label.body === this.selected || label.body === this.hovered);
            let on = this.shown[label.kind] || chosen;
            if (on && label.body !== undefined) {
                const body = this.bodies[label.body];
                on = body.object.visible;
                body.anchor(v).applyMatrix4(body.object.matrix);
            } else if (on) {
                on = this.portAt(this.report.joints[label.joint].a, point, matrix) !== null;
                v.set(...point);
            }
            v.project(this.camera);
            on &&= Math.abs(v.x) < 1 && Math.abs(v.y) < 1 && v.z < 1;
            if (on) {
                const x = (v.x + 1) / 2 * width;
                const y = (1 - v.y) / 2 * height;
                label.width ||= 7.2 * label.element.textContent.length + 14;
                const box = [x, y - (label.kind === 'joints' ? -4 : 24), label.width, 20];
                on = chosen || !taken.some((other) => box[0] < other[0] + other[2] && other[0] < box[0] + box[2]
                    && box[1] < other[1] + other[3] && other[1] < box[1] + box[3]);
                if (on) {
                    taken.push(box);
                    label.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(box[1])}px)`;
                }
            }
            if (label.on !== on) {
                label.on = on;
                label.element.classList.toggle('on', on);
            }
        }
    }

    // ---- pointer ----
    listen() {
        new ResizeObserver(() => this.resize()).observe(this.host);
        this.canvas.addEventListener('webglcontextlost', (event) => {
            event.preventDefault();
            this.tip.hidden = false;
            this.tip.textContent = 'The browser took the graphics away; reload the page to see the scene again.';
        });
        const ray = new Raycaster();
        const hit = (event) => {
            const box = this.canvas.getBoundingClientRect();
            const x = event.clientX - box.left;
            const y = event.clientY - box.top;
            ray.setFromCamera(new Vector2(2 * x / box.width - 1, 1 - 2 * y / box.height), this.camera);
            const found = ray.intersectObjects(this.bodies.filter((body) => body.object.visible).map((body) => body.object));
            return found.length > 0 ? found[0].object.parent.userData.body : -1;
        };
        this.canvas.addEventListener('pointermove', (event) => {
            if (event.pointerType === 'mouse' && event.buttons === 0)
                this.hover(hit(event));
        });
        this.canvas.addEventListener('pointerleave', () => this.hover(-1));
        let pressed = null;
        this.canvas.addEventListener('pointerdown', (event) => { pressed = [event.clientX, event.clientY]; });
        this.canvas.addEventListener('pointerup', (event) => {
            if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4)
                this.select(hit(event));
        });
        this.canvas.addEventListener('dblclick', () => this.fit());
    }

    hover(body) {
        if (body === this.hovered)
            return;
        this.hovered = body;
        this.emphasise();
    }

    select(body) {
        this.selected = body === this.selected ? -1 : body;
        this.emphasise();
        this.onSelect(this.selected);
    }

    emphasise() {
        this.canvas.style.cursor = this.hovered >= 0 ? 'pointer' : '';
        this.bodies.forEach((body, i) => body.highlight(i === this.hovered || i === this.selected));
        this.draw();
    }

    /** The scene as a PNG file. */
    picture(done) {
        this.render();
        this.canvas.toBlob(done, 'image/png');
    }
}

/** matrix := matrix rotation, nine numbers row by row (none: identity). */
function directions(matrix, rotation) {
    if (rotation) {
        const [a, b, c, d, e, f, g, i, k] = rotation;
        matrix.multiply(new Matrix4().set(a, b, c, 0, d, e, f, 0, g, i, k, 0, 0, 0, 0, 1));
    }
    return matrix;
}

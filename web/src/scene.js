// The mechanism in three dimensions: bodies, joints, loads, names; camera and controls. It draws when asked to, not all
// the time.
import {
    AmbientLight,
    Color,
    DirectionalLight,
    Group,
    MeshLambertMaterial,
    OrthographicCamera,
    PerspectiveCamera,
    Raycaster,
    Scene as ThreeScene,
    Vector2,
    Vector3,
    WebGLRenderer,
    MOUSE,
    TOUCH,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Attached } from './attached.js';
import { BodyView } from './bodies.js';
import { categorical, css, ramp, theme } from './colours.js';
import { h } from './dom.js';
import { measure, middle, sampled } from './extent.js';
import { MANY, axesSolid, compass } from './glyphs.js';
import { Ground } from './ground.js';
import { Names } from './names.js';
import { Others } from './others.js';
import { Visuals } from './visuals.js';

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

/** A scale of colours is at least so many times what rounding makes: what has no stress does not look as if it had. */
const aboveRounding = 16;

export class Scene {
    constructor(host, report, motion) {
        Object.assign(this, { host, report, motion });
        this.plane = report.dimension === 2;
        this.magnification = 1;
        this.colour = null; // a section quantity, or null: by body
        this.shown = {
            bodies: false,
            joints: false,
            frames: false,
            ghost: false,
            loads: true,
            forces: true,
            grid: true,
            follow: false,
        };
        this.selected = -1;
        this.hovered = -1;
        this.onColour = () => {};
        this.onSelect = () => {};

        this.renderer = new WebGLRenderer({ antialias: report.bodies.length <= MANY });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.autoClear = false;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute(
            'aria-label',
            `The mechanism: ${report.bodies.length} bodies, ${report.joints.length} joints`,
        );
        this.tip = h('div', { class: 'tip', hidden: true });
        host.append(this.canvas);

        this.scene = new ThreeScene();
        const { size, travels, box, reached } = measure(report, motion);
        Object.assign(this, { size, frameBox: box, reached });
        this.shown.follow = travels;
        this.makeCamera();
        this.makeBodies();
        this.visuals = new Visuals(this, true);
        this.others = new Others(this);
        this.attached = new Attached(this);
        this.names = new Names(this);
        host.append(this.names.element, this.tip);
        this.ground = new Ground(this);
        this.corner = new ThreeScene();
        this.corner.add(compass(this.plane, report.gravity));
        this.ghosts = new Group();
        this.ghostMaterial = new MeshLambertMaterial({ transparent: true, opacity: 0.22, depthWrite: false });
        this.scene.add(this.ghosts);
        this.retheme();
        this.fit();
        this.listen();
    }

    // ---- camera ----
    makeCamera() {
        const size = Math.max(this.size, this.frameBox.getSize(new Vector3()).length());
        this.camera = this.plane
            ? new OrthographicCamera(-1, 1, 1, -1, 0.1 * size, 100 * size)
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
        let halfWidth = 0,
            halfHeight = 0,
            distance = 0;
        const tangent = this.plane ? 1 : Math.tan((camera.fov * Math.PI) / 360) * 0.86;
        const points = this.reached.length > 0 ? this.reached : [...box.min, ...box.max];
        const corner = new Vector3();
        for (let k = 0; k < points.length; k += 3) {
            corner
                .set(points[k], points[k + 1], points[k + 2])
                .add(now)
                .sub(centre);
            const x = Math.abs(corner.dot(right)),
                y = Math.abs(corner.dot(up)),
                z = corner.dot(back);
            halfWidth = Math.max(halfWidth, x);
            halfHeight = Math.max(halfHeight, y);
            distance = Math.max(distance, x / ((tangent * width) / height) + z, y / tangent + z);
        }
        distance = Math.max(distance, 0.3 * this.size);
        if (this.plane) {
            this.halfHeight = Math.max(halfHeight, (halfWidth * height) / width, 1e-9) * 1.18;
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
        if (width === 0 || height === 0) return;
        this.renderer.setSize(width, height);
        if (this.plane) {
            const half = this.halfHeight ?? 1;
            Object.assign(this.camera, {
                left: (-half * width) / height,
                right: (half * width) / height,
                top: half,
                bottom: -half,
            });
        } else this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    // ---- what is drawn ----
    makeBodies() {
        Visuals.cover(this.report);
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

    retheme() {
        const dark = theme() === 'dark';
        this.background = new Color(css('--scene'));
        this.attached.retheme();
        this.others.paint();
        this.ground.retheme(dark);
        this.ghostMaterial.color.setHex(dark ? 0x7d8da4 : 0x506078);
        this.setColour(this.colour);
    }

    // ---- colour ----
    /** Names and labels of all section quantities of the model. */
    quantities() {
        const found = new Map();
        for (const body of this.report.bodies) for (const section of body.section) found.set(section.name, section);
        return [...found.values()];
    }

    setColour(quantity) {
        this.colour = quantity;
        this.visuals.showMeshes(quantity);
        if (!quantity) {
            this.visuals.paint(() => null);
            this.bodies.forEach((body) => body.paint(new Color(categorical(body.index)).toArray()));
            this.onColour(null);
        } else {
            this.unsigned = /^(stress(_\d+)?|von_mises.*|sensitivity \d+)$/.test(quantity);
            this.ramp = ramp(this.unsigned ? 'magnitude' : 'signed');
            const plain = new Color(css('--plain')).toArray();
            const has = (body) => body?.body.section.some((section) => section.name === quantity);
            for (const body of this.bodies) if (!has(body)) body.paint(plain);
            this.visuals.paint((body) => (has(this.bodies[body]) ? undefined : plain));
            this.setRange();
            this.paintConstants();
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
                if (!found || !(body.own || found.constant)) continue;
                section = found;
                body.evaluate(found, this.motion.q);
                largest = Math.max(largest, aboveRounding * body.rounding(found, this.motion.q));
                for (const value of body.values)
                    if (Math.abs(value) > largest && Number.isFinite(value)) largest = Math.abs(value);
            }
        };
        if (this.mode) {
            for (const phase of [0, 0.25, 0.5, 0.75]) {
                this.motion.toMode(this.mode.frame, this.mode.row, this.mode.amplitude, 2 * Math.PI * phase);
                look();
            }
        } else {
            for (const frame of sampled(frames.count)) {
                this.motion.toFrame(frame);
                look();
            }
        }
        this.largest = largest;
        this.onColour({ section, largest, unsigned: this.unsigned, gradient: this.ramp.gradient });
        this.restore?.();
    }

    /** The place of a value in the scale of colours. */
    placing() {
        const scale = this.largest > 0 ? 1 / this.largest : 0;
        const { unsigned } = this;
        return (value) => {
            const x = unsigned ? Math.abs(value) * scale : 0.5 + 0.5 * value * scale;
            return x > 0 ? Math.min(255, Math.floor(256 * x)) : 0;
        };
    }

    /** Quantities that do not move, of rigid bodies too. */
    paintConstants() {
        const place = this.placing();
        for (const body of this.bodies) {
            const section = body.body.section.find((entry) => entry.name === this.colour && entry.constant);
            if (!section) continue;
            body.evaluate(section, this.motion.q);
            body.paintValues(this.ramp.linear, place);
            this.visuals.paintValues(body.index, this.ramp.linear, place);
        }
    }

    // ---- every frame ----
    /** Take over what the motion says now. */
    update() {
        const { motion, colour } = this;
        const place = this.placing();
        this.visuals.update(motion, this.magnification);
        this.others.update(motion.time, this.magnification);
        for (const body of this.bodies) {
            body.place(motion.pose);
            if (body.body.q === 0) continue;
            body.bend(motion.q, this.magnification);
            const section = colour && body.own && body.body.section.find((entry) => entry.name === colour);
            if (section && !section.constant) {
                body.evaluate(section, motion.q);
                body.paintValues(this.ramp.linear, place);
                this.visuals.paintValues(body.index, this.ramp.linear, place);
            }
        }
        this.attached.place();
        if (this.shown.frames) this.placeAxes();
        if (this.shown.follow) this.follow();
        this.draw();
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
        const now = new Vector3(...middle(this.motion, [0, 0, 0]));
        this.reference ??= now.clone();
        const shift = now.sub(this.reference);
        const step = shift.clone().sub(this.followShift ?? new Vector3());
        if (!Number.isFinite(step.x + step.y + step.z)) return;
        this.camera.position.add(step);
        this.controls.target.add(step);
        this.followShift = shift;
        this.ground.follow(shift);
        this.controls.update();
    }

    show(what, on) {
        this.shown[what] = on;
        if (what === 'frames')
            this.axes.forEach((solid) => {
                solid.visible = on;
            });
        if (what === 'grid') this.ground.object.visible = on;
        if (what === 'ghost') this.ghosts.visible = on;
        this.update();
    }

    /** The ghost is the mechanism as it stands now. */
    setGhost() {
        for (const group of this.ghosts.children)
            group.children.forEach((mesh) => (mesh.isInstancedMesh ? mesh.dispose() : mesh.geometry.dispose()));
        this.ghosts.clear();
        for (const body of this.bodies) {
            body.place(this.motion.pose);
            body.bend(this.motion.q, 1);
            this.ghosts.add(body.ghost(this.ghostMaterial));
        }
        this.visuals.update(this.motion, 1);
        this.ghosts.add(this.visuals.ghost(this.ghostMaterial));
        this.ghosts.visible = this.shown.ghost;
    }

    setMagnification(value) {
        this.magnification = value;
        this.update();
    }

    draw() {
        if (this.pending) return;
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            this.render();
        });
    }

    render() {
        const { renderer } = this;
        const width = this.host.clientWidth;
        const height = this.host.clientHeight;
        if (width === 0 || height === 0) return;
        renderer.setViewport(0, 0, width, height);
        renderer.setScissorTest(false);
        renderer.setClearColor(this.background);
        renderer.clear();
        this.ground.measure(this.camera);
        renderer.render(this.scene, this.camera);
        this.renderCompass();
        this.names.place(width, height);
    }

    renderCompass() {
        const side = 84;
        this.cornerCamera ??= new OrthographicCamera(-1.6, 1.6, 1.6, -1.6, 0.1, 20);
        this.cornerCamera.up.copy(this.camera.up);
        this.cornerCamera.position.copy(this.camera.position).sub(this.controls.target).setLength(5);
        this.cornerCamera.lookAt(0, 0, 0);
        this.renderer.setViewport(6, 6, side, side);
        this.renderer.setScissor(6, 6, side, side);
        this.renderer.setScissorTest(true); // the depth of the corner alone is cleared
        this.renderer.clearDepth();
        this.renderer.render(this.corner, this.cornerCamera);
        this.renderer.setScissorTest(false);
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
            ray.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.camera);
            const found = ray.intersectObjects([
                ...this.bodies.filter((body) => body.object.visible).map((body) => body.object),
                ...this.visuals.carried(),
            ]);
            const [first] = found.filter(({ object }) => object.visible);
            return first ? (first.object.userData.body ?? first.object.parent.userData.body) : -1;
        };
        this.canvas.addEventListener('pointermove', (event) => {
            if (event.pointerType === 'mouse' && event.buttons === 0) this.hover(hit(event));
        });
        this.canvas.addEventListener('pointerleave', () => this.hover(-1));
        let pressed = null;
        this.canvas.addEventListener('pointerdown', (event) => {
            pressed = [event.clientX, event.clientY];
        });
        this.canvas.addEventListener('pointerup', (event) => {
            if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4)
                this.select(hit(event));
        });
        this.canvas.addEventListener('dblclick', () => this.fit());
    }

    hover(body) {
        if (body === this.hovered) return;
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
        this.visuals.highlight(this.hovered, this.selected);
        this.draw();
    }

    /** The scene as a PNG file. */
    picture(done) {
        this.render();
        this.canvas.toBlob(done, 'image/png');
    }
}

// The ground under the mechanism: a grid with lengths, and in space the shadow of what moves.
import {
    DirectionalLight,
    Group,
    Mesh,
    PlaneGeometry,
    ShadowMaterial,
    Sphere,
    Vector3,
} from 'three';
import { number } from './format.js';
import { MANY, grid, lineMaterial, textSprite } from './glyphs.js';

const LABELS = 14; // about so many along an axis

/** 1, 2 or 5 times a power of ten, at least x. */
function roundUp(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= x * (1 - 1e-9));
}

export class Ground {
    constructor({ scene, frameBox, size, plane, report, renderer }) {
        Object.assign(this, { frameBox, size, plane });
        const { min, max } = frameBox;
        const span = Math.max(max.x - min.x, max.y - min.y, 0.2 * size);
        this.step = roundUp(span / 8);
        this.height = plane ? -0.5 * size : min.z - 0.03 * size;
        this.object = new Group();
        this.material = lineMaterial(0x808890, 0.16);
        const margin = plane ? 6 * span : 0.6 * span;
        this.object.add(
            grid(min.x - margin, max.x + margin, min.y - margin, max.y + margin, this.height, this.step, this.material),
        );
        this.labels = new Group();
        this.made = new Map(); // sprites of lengths, by their text
        this.object.add(this.labels);
        scene.add(this.object);
        this.many = report.bodies.length > MANY;
        if (!plane && !this.many) this.addShadow(scene, renderer);
    }

    /** A length at a place of an axis; the text of each is made once. */
    label(axis, i, unit, x, y, height) {
        const key = `${axis} ${i} ${unit}`;
        if (!this.made.has(key))
            this.made.set(key, textSprite(number(i * this.step, 6) + unit, this.colour, 1));
        const sprite = this.made.get(key);
        const { width } = sprite.userData;
        sprite.scale.set(height * width, height, 1);
        sprite.position.set(axis === 0 ? i * this.step : x + 0.5 * height * width, axis === 0 ? y : i * this.step, this.height);
        this.labels.add(sprite);
    }

    /** The lengths along two sides of a rectangle, at most `most` each, `height` high, the unit behind the last. */
    addLengths([x0, x1], [y0, y1], most, height, gap) {
        const { step, labels } = this;
        labels.clear();
        for (const axis of [0, 1]) {
            const [from, to] = axis === 0 ? [x0, x1] : [y0, y1];
            const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
            const each = roundUp(Math.max(1, (last - first) / most));
            for (let i = Math.ceil(first / each) * each; i <= last; i += each)
                this.label(axis, i, i + each > last ? ' m' : '', x0 + (axis ? gap : 0), y0 + gap, height);
        }
    }

    /** In the plane the lengths stand at the edges of the view, in space beside what the motion reaches. */
    measure(camera) {
        const { frameBox: { min, max }, step, plane } = this;
        if (!plane) {
            if (this.many || this.labels.children.length > 0) return;
            const outside = (low, high) => [(Math.floor(low / step) - 0.5) * step, high];
            this.addLengths(outside(min.x, max.x), outside(min.y, max.y), LABELS, 0.22 * step, 0);
            return;
        }
        const { left, right, top, bottom, zoom, position: { x, y } } = camera;
        const view = [left, right, bottom, top].map((side) => side / zoom);
        const key = [...view, x, y].join();
        if (key === this.seen) return;
        this.seen = key;
        const height = (view[3] - view[2]) / 32;
        this.addLengths([x + view[0], x + view[1]], [y + view[2], y + view[3]], LABELS, height, 0.7 * height);
    }

    /** A light straight above that throws shadows on the ground and lights nothing. */
    addShadow(scene, renderer) {
        const sphere = this.frameBox.getBoundingSphere(new Sphere());
        const radius = 1.1 * sphere.radius;
        renderer.shadowMap.enabled = true;
        this.light = new DirectionalLight(0xffffff, 0);
        this.light.castShadow = true;
        this.light.shadow.mapSize.set(1024, 1024);
        Object.assign(this.light.shadow.camera, {
            left: -radius,
            right: radius,
            top: radius,
            bottom: -radius,
            near: 0.1 * radius,
            far: 6 * radius,
        });
        this.shadow = new Mesh(
            new PlaneGeometry(4 * radius, 4 * radius),
            new ShadowMaterial({ opacity: 0.16, depthWrite: false }),
        );
        this.shadow.receiveShadow = true;
        this.shadow.raycast = () => {};
        this.centre = sphere.center;
        this.above = new Vector3(0.25, -0.35, 1).setLength(3 * radius);
        this.object.add(this.shadow, this.light, this.light.target);
        this.follow(new Vector3());
        this.cast(scene.children.filter((object) => object !== this.object));
    }

    /** What is opaque of these objects casts a shadow, if there is one. */
    cast(objects) {
        for (const object of this.shadow ? objects : [])
            object.traverse((part) => {
                part.castShadow = Boolean(part.isMesh && part.material.opacity === 1);
            });
    }

    /** The mechanism has moved away by a vector. */
    follow(shift) {
        if (!this.light) return;
        const { centre, above, light, shadow } = this;
        light.target.position.copy(centre).add(shift);
        light.position.copy(light.target.position).add(above);
        shadow.position.set(light.target.position.x, light.target.position.y, this.height);
    }

    retheme(dark) {
        this.material.color.setHex(dark ? 0xa0b4cc : 0x4a5c74);
        if (this.shadow) this.shadow.material.opacity = dark ? 0.4 : 0.16;
        this.colour = dark ? '#8795a8' : '#7d8998';
        this.made.clear();
        this.labels.clear();
        this.seen = null;
    }
}

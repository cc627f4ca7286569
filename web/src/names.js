// Names of bodies and joints over the scene, each beside its place and none over another; of the body that was chosen also
// its mass and where its centre of mass is.
import { Matrix4, Vector3 } from 'three';
import { h } from './dom.js';
import { number, quantity } from './format.js';

export class Names {
    constructor(scene) {
        this.scene = scene;
        this.element = h('div', { class: 'names', 'aria-hidden': 'true' });
        const label = (entry, text, kind) => {
            const element = h('span', { class: `name ${kind}` }, text);
            this.element.append(element);
            return { ...entry, element, text, shown: text };
        };
        const { bodies, joints } = scene.report;
        this.labels = [
            ...bodies.map(({ name }, body) => label({ kind: 'bodies', body }, name, 'body')),
            ...joints.map(({ name }, joint) => {
                const { open } = scene.attached.joints[joint];
                return open
                    ? label({ kind: 'joints', joint, open }, `${name}: open by ${quantity(open, 'm', 3)}`, 'joint open')
                    : label({ kind: 'joints', joint }, name, 'joint');
            }),
        ];
    }

    /** The place that a label names, into `out`; false when there is none. */
    anchor(label, out) {
        if (label.body !== undefined) {
            const body = this.scene.bodies[label.body];
            body.anchor(out).applyMatrix4(body.object.matrix);
            return body.object.visible;
        }
        const point = [0, 0, 0];
        const { a, b } = this.scene.report.joints[label.joint];
        const found = this.scene.attached.portAt(a, point, new Matrix4());
        out.set(...point);
        if (label.open && this.scene.attached.portAt(b, point, new Matrix4())) out.lerp(new Vector3(...point), 0.5);
        return found !== null;
    }

    /** Name, mass and the place of the centre of mass of a body. */
    described({ body, text }) {
        const { mass, centre } = this.scene.report.bodies[body];
        const place = new Vector3(...(centre ?? [0, 0, 0])).applyMatrix4(this.scene.bodies[body].object.matrix);
        const at = place.toArray().slice(0, this.scene.plane ? 2 : 3);
        return [text, mass === undefined ? '' : quantity(mass, 'kg', 4), `(${at.map((x) => number(x, 4)).join(', ')}) m`]
            .filter(Boolean)
            .join(' · ');
    }

    place(width, height) {
        const { shown, selected, hovered, camera } = this.scene;
        const taken = [];
        const free = (box) =>
            !taken.some(
                (other) =>
                    box[0] < other[0] + other[2] &&
                    other[0] < box[0] + box[2] &&
                    box[1] < other[1] + other[3] &&
                    other[1] < box[1] + box[3],
            );
        const v = new Vector3();
        for (const label of this.labels) {
            const chosen = label.body !== undefined && (label.body === selected || label.body === hovered);
            const text = label.body !== undefined && label.body === selected ? this.described(label) : label.text;
            if (text !== label.shown) label.element.textContent = label.shown = text;
            let on = (shown[label.kind] || chosen || label.open) && this.anchor(label, v);
            v.project(camera);
            on &&= Math.abs(v.x) < 1 && Math.abs(v.y) < 1 && v.z < 1;
            if (on) {
                const x = ((v.x + 1) / 2) * width;
                const y = ((1 - v.y) / 2) * height + (label.kind === 'joints' ? 4 : -24);
                const box = [x, y, 7.2 * text.length + 14, 20];
                on = chosen || free(box);
                if (on) {
                    taken.push(box);
                    label.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
                }
            }
            if (label.on !== on) {
                label.on = on;
                label.element.classList.toggle('on', on);
            }
        }
    }
}

// Further results in the scene: their bodies as translucent ghosts that move with the first.
import { Color, Group } from 'three';
import { BodyView } from './bodies.js';
import { categorical } from './colours.js';
import { h } from './dom.js';
import { Motion } from './motion.js';
import { Visuals } from './visuals.js';

const OPACITY = 0.35;
const FIRST = 3; // of the palette: away from the colours of the first bodies

/** The bodies of one other result in the scene of the first. */
class Other {
    constructor(report, k, first) {
        Object.assign(this, { report, k, size: first.size, scene: new Group() });
        first.scene.add(this.scene);
        this.motion = new Motion(report);
        Visuals.cover(report);
        this.bodies = report.bodies.map((body, i) => new BodyView(body, i, this.size));
        this.bodies.forEach((body) => this.scene.add(body.object));
        this.visuals = new Visuals(this, false);
        for (const { object, body } of this.visuals.list) object.visible = body >= 0; // the ground is there already
        for (const { material } of [
            ...this.bodies,
            ...this.bodies.map((body) => body.surface ?? {}),
            ...this.visuals.list,
        ])
            if (material) Object.assign(material, { transparent: true, opacity: OPACITY, depthWrite: false });
        this.swatch = h('i', { class: 'swatch' });
        this.button = h(
            'button',
            { type: 'button', class: 'series', 'aria-pressed': 'true', title: `${report.source}: show or hide` },
            this.swatch,
            h('span', { class: 'series-name' }, report.source),
        );
        this.button.onclick = () => {
            this.scene.visible = !this.scene.visible;
            this.button.setAttribute('aria-pressed', String(this.scene.visible));
            first.draw();
        };
        this.paint();
    }

    paint() {
        const hue = categorical(FIRST + this.k);
        const colour = new Color(hue).toArray();
        this.swatch.style.background = hue;
        this.bodies.forEach((body) => body.paint(colour));
        this.visuals.paint(() => colour);
    }

    update(time, magnification) {
        const { motion } = this;
        motion.toTime(time);
        this.visuals.update(motion, magnification);
        for (const body of this.bodies) {
            body.place(motion.pose);
            if (body.body.q > 0) body.bend(motion.q, magnification);
        }
    }
}

export class Others {
    constructor(scene) {
        this.list = (scene.report.others ?? []).map((report, k) => new Other(report, k, scene));
        const buttons = this.list.map(({ button }) => button);
        if (buttons.length)
            scene.host.append(h('div', { class: 'others', role: 'group', 'aria-label': 'Other results' }, buttons));
    }

    update(time, magnification) {
        for (const other of this.list) other.update(time, magnification);
    }

    paint() {
        for (const other of this.list) other.paint();
    }
}

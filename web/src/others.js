// Further results in the scene: their bodies as translucent ghosts that move with the first. Of a sweep any of them can
// be in front.
import { Color, Group } from 'three';
import { Attached } from './attached.js';
import { BodyView } from './bodies.js';
import { categorical } from './colours.js';
import { h } from './dom.js';
import { measure, sampled } from './extent.js';
import { Motion } from './motion.js';
import { Visuals } from './visuals.js';

const OPACITY = 0.35;
const FAINT = 0.13; // of a sweep
const MOST_FAINT = 12; // of them, evenly chosen
const FIRST = 3; // of the palette: away from the colours of the first bodies

/** The bodies of one other result in the scene of the first. */
class Other {
    constructor(report, k, first, family) {
        Object.assign(this, { report, k, size: first.size, scene: new Group(), family });
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
            if (material)
                Object.assign(material, { transparent: true, opacity: family ? FAINT : OPACITY, depthWrite: false });
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
        const colour = this.family?.colour(this.k) ?? new Color(hue).toArray();
        this.swatch.style.background = hue;
        this.bodies.forEach((body) => body.paint(colour));
        this.visuals.paint(() => colour);
    }

    update(time, magnification) {
        const { motion } = this;
        if (!this.scene.visible) return;
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
        const { others = [], family } = scene.report;
        Object.assign(this, { scene, family, fronts: new Map() });
        if (family) {
            this.list = sampled(family.members.length, MOST_FAINT).map(
                (k) => new Other(family.members[k], k, scene, family),
            );
            family.listen((k) => this.choose(k));
            this.hide();
            return;
        }
        this.list = others.map((report, k) => new Other(report, k, scene));
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

    // ---- of a sweep, of simulations or modes ----
    /** The one in front is no ghost. */
    hide() {
        const { front, hide } = this.family;
        for (const { scene, k } of this.list) scene.visible = k !== front && hide.checked;
    }

    choose(member) {
        this.hide();
        this.paint();
        this.use(this.family.members[member]);
        this.scene.restore?.();
        this.scene.update();
    }

    /** Bodies, shapes, joints and loads of another result take the place of those in the scene, which are kept. */
    use(report) {
        const { scene, fronts } = this;
        if (scene.report === report) return;
        const ghosts = this.list.map((other) => other.scene);
        const stays = [scene.camera, scene.ambient, scene.ground.object, scene.ghosts, ...ghosts];
        const shown = scene.scene.children.filter((object) => !stays.includes(object));
        const { bodies, axes, visuals, attached, frameBox, reached } = scene;
        fronts.set(scene.report, { bodies, axes, visuals, attached, frameBox, reached, shown });
        scene.scene.remove(...shown);
        scene.report = report;
        scene.motion.use(report);
        if (fronts.has(report)) {
            const { shown: again, ...parts } = fronts.get(report);
            Object.assign(scene, parts);
            scene.scene.add(...again);
        } else {
            const { box, reached: places } = measure(report, scene.motion);
            Object.assign(scene, { frameBox: box, reached: places });
            scene.makeBodies();
            scene.visuals = new Visuals(scene, true);
            scene.attached = new Attached(scene);
            scene.ground.cast(scene.scene.children.filter((object) => !stays.includes(object)));
        }
        scene.motion.toFrame(0);
        scene.attached.retheme();
        scene.setGhost();
        scene.emphasise();
        scene.setColour(scene.colour);
    }
}

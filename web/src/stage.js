// The left half of the page: scene, display controls, legend, the banner of a mode shape, the bar of the player. It
// decides what the scene shows: the motion at the player's time, or a mode shape at its phase.
import { colourLegend, displayControls } from './display.js';
import { h } from './dom.js';
import { number, quantity } from './format.js';
import { pointName } from './modes.js';
import { Scene, hasWebGL } from './scene.js';

export class Stage {
    constructor(report, motion, player) {
        Object.assign(this, { report, motion, player, mode: null, point: 0 });
        this.amplitude = 0.05; // of the extent of the mechanism
        this.onClose = () => {};
        this.view = h('div', { class: 'view' });
        this.element = h('section', { class: 'stage', 'aria-label': 'Mechanism' }, this.view, player.bar);
    }

    /** Makes the scene, once the element is in the page; without one a message says why. */
    build() {
        const { view, report } = this;
        if (report.frames.count === 0)
            view.append(
                h('div', { class: 'no-scene' }, h('strong', {}, 'No pose was recorded.'), ' There is nothing to draw.'),
            );
        else if (!hasWebGL())
            view.append(
                h(
                    'div',
                    { class: 'no-scene', role: 'alert' },
                    h('strong', {}, 'The scene cannot be shown.'),
                    ' This browser has no WebGL 2, or it is switched off. Plots and tables work without it.',
                ),
            );
        else this.buildScene();
        this.player.listen(() => this.refresh());
    }

    buildScene() {
        const { view, report, motion } = this;
        const legend = (this.legend = colourLegend());
        this.scene = new Scene(view, report, motion);
        this.scene.onColour = (what) => legend.set(what, this.mode ? ', at this amplitude' : '');
        this.scene.restore = () => this.place();
        motion.toFrame(0);
        this.scene.setGhost();
        this.display = displayControls(this.scene, report);
        this.element.prepend(this.display.element);
        this.amplitudeInput = h('input', {
            type: 'range',
            min: 0,
            max: 0.3,
            step: 0.001,
            value: this.amplitude,
            'aria-label': 'Amplitude of the mode shape',
            oninput: () => {
                this.amplitude = Number(this.amplitudeInput.value);
                this.modeChanged();
            },
        });
        this.amplitudeText = h('output', { class: 'readout' });
        this.banner = h('div', { class: 'banner', hidden: true });
        view.append(legend.element, this.banner);
    }

    /** The frame that the modes at the point of the sweep were linearised at. */
    frame() {
        const frame = this.report.modes?.points[this.point]?.frame ?? 0;
        return Math.min(frame, Math.max(0, this.report.frames.count - 1));
    }

    place() {
        const { motion, mode, player, scene } = this;
        if (mode) motion.toMode(this.frame(), mode, this.amplitude * scene.size, 2 * Math.PI * player.at.phase);
        else if (this.report.modes) motion.toFrame(this.frame());
        else motion.toTime(player.at.time);
    }

    refresh() {
        if (!this.scene) return;
        this.place();
        this.scene.update();
    }

    /** Show the mode shape of a row, or a point of the sweep without one (null). */
    showMode(row, point) {
        const { scene, display, player, report } = this;
        if (!scene) return;
        this.point = point;
        scene.others.use(report.modes.points[point]?.report ?? report);
        const changes = !row !== !this.mode;
        this.mode = row;
        display.allowMagnification(!row);
        scene.setMagnification(row ? 1 : display.magnification()); // a mode has its amplitude
        this.motion.toFrame(this.frame());
        scene.setGhost();
        if (changes) display.setGhost(Boolean(row));
        this.fillBanner();
        this.modeChanged();
        if (changes) {
            player.pause();
            player.setKind(row ? 'phase' : 'time');
            if (row) player.autoplay();
        }
    }

    fillBanner() {
        const { banner, mode, report } = this;
        banner.hidden = !mode;
        if (!mode) return;
        const damping = Number.isFinite(mode.damping) ? ` · damping ${number(100 * mode.damping, 3)} %` : '';
        banner.replaceChildren(
            h(
                'div',
                {},
                h('strong', {}, `Mode ${mode.mode}`),
                ` ${number(mode.frequency ?? mode.omega / (2 * Math.PI), 5)} Hz${damping}`,
                report.modes.points.length > 1
                    ? h('div', { class: 'label' }, pointName(report.modes, mode.point))
                    : null,
            ),
            h(
                'div',
                { class: 'field' },
                h('span', { class: 'label' }, 'Amplitude'),
                this.amplitudeInput,
                this.amplitudeText,
            ),
            h(
                'button',
                { type: 'button', class: 'small', onclick: () => this.onClose() },
                report.frames.count > 1 && report.frames.time ? 'Back to the motion' : 'Close',
            ),
        );
    }

    modeChanged() {
        const { scene, mode } = this;
        const metres = this.amplitude * scene.size;
        scene.mode = mode && { frame: this.frame(), row: mode, amplitude: metres };
        this.amplitudeText.textContent = quantity(metres, 'm', 2);
        if (scene.colour) scene.setRange();
        this.refresh();
    }
}

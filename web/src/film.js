// Films and stills: the scene with a title, the time, the legend of its colours and plots, drawn into one canvas.
// `phlexor film` calls `prepare` and `frame` of phlexor.film; the button "Save film" records the same canvas.
import { categorical, css } from './colours.js';
import { views } from './display.js';
import { h, iconButton, save, setIcon } from './dom.js';
import { fixed, number } from './format.js';
import { floorIndex } from './motion.js';
import { TimePlot } from './plots.js';

const PLOTS_SHARE = 0.4; // of the picture, beside the scene or below
const LEAST_PLOT = 40; // px, also where many plots share a small picture
const FILM_RATE = 30; // frames a second of a film that the page records
const recordable = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'];

const paper = (width, height) => {
    const canvas = h('canvas', { width, height });
    return { canvas, context: canvas.getContext('2d', { alpha: false, willReadFrequently: true }) };
};

/** Plots by their names: groups, columns of groups ("wheel.z"), and columns whose own name is the only one. */
function plotsByName(groups) {
    const found = new Map();
    const single = groups.flatMap(({ title, unit, columns }) =>
        columns.map((column) => ({ title: `${title}.${column.name}`, unit: column.unit || unit, columns: [column] })),
    );
    for (const plot of single) {
        const { name } = plot.columns[0];
        found.set(plot.title, plot);
        if (single.filter(({ columns }) => columns[0].name === name).length === 1)
            found.set(name, { ...plot, title: name });
    }
    for (const group of groups) found.set(group.title, group);
    return found;
}

export class Film {
    constructor(report, stage, player, address) {
        Object.assign(this, { report, stage, player, address });
        this.known = plotsByName(report.columns?.groups ?? []);
        if (stage.scene) stage.display.element.querySelector('.display-rows').append(this.buttons());
    }

    /** What a film can show: for `phlexor film`, which checks its options with it. */
    get about() {
        const { report, player, stage } = this;
        return {
            drawn: Boolean(stage.scene),
            frames: report.kind === 'simulation' && report.frames.time ? report.frames.count : 0,
            range: player.range,
            plane: report.dimension === 2,
            flexible: report.bodies.some((body) => body.q > 0),
            quantities: stage.scene?.quantities().map(({ name }) => name) ?? [],
            plots: [...this.known.keys()],
            groups: report.columns?.groups.map(({ title }) => title) ?? [],
        };
    }

    /**
     * The picture that `frame` draws: its size (default: the scene's) and what is in it. `camera` is a name of a view, a
     * direction from the mechanism to the eye, or a view of the address; `speed` and `step` are of the time shown.
     */
    async prepare({ width, height, camera, colour, magnification, plots = [], title, speed = 1, step = 0 } = {}) {
        const { stage, report } = this;
        const { scene, display, view } = stage;
        const [w, h] = width ? [width, height] : [view.clientWidth, view.clientHeight];
        const wide = w >= h;
        const share = plots.length > 0 ? PLOTS_SHARE : 0;
        this.size = wide ? [w - Math.round(share * w), h] : [w, h - Math.round(share * h)];
        Object.assign(this, { title: title ?? report.title ?? '', speed, step });
        Object.assign(this, paper(w, h));
        if (width) {
            const [sceneWidth, sceneHeight] = this.size;
            Object.assign(view.style, { position: 'fixed', width: `${sceneWidth}px`, height: `${sceneHeight}px` });
            scene.resize();
        }
        if (colour !== undefined) display.setColour(colour);
        if (magnification !== undefined) display.setMagnification(magnification);
        if (camera?.length > 3 && Array.isArray(camera)) this.address.look(camera);
        else if (width) scene.fit(scene.plane ? undefined : (views[camera] ?? camera));
        const [left, top] = wide ? [this.size[0], 0] : [0, this.size[1]];
        this.plots = await this.makePlots(plots, left, top, w - left, h - top);
    }

    /** Plots of these names, drawn once; each has its place, and room for the texts above it. */
    async makePlots(names, left, top, width, height) {
        if (names.length === 0) return [];
        const { time } = this.report.columns;
        const owner = { time0: time, range: [time[0], time.at(-1)], time: time[0], pointer() {} };
        const each = Math.floor(height / names.length);
        const room = Math.round(2.6 * this.line);
        const host = h('div', { class: 'offscreen' });
        host.style.width = `${width}px`;
        document.body.append(host);
        const made = names.map((name, k) => {
            const group = this.known.get(name);
            const plot = new TimePlot(group, { ...owner, height: Math.max(each - room, LEAST_PLOT) });
            host.append(plot.element);
            plot.build();
            return { plot, group, left, top: top + k * each, width, room };
        });
        await new Promise((done) => {
            setTimeout(done); // uPlot draws after this
        });
        host.remove();
        return made;
    }

    /** The height of a line of text. */
    get line() {
        return Math.max(11, Math.round(this.canvas.height / 42));
    }

    /** The picture at a time (of a mode shape at a phase) as the address of a PNG. */
    frame(time) {
        this.stage.player.at[this.stage.player.kind] = time;
        this.stage.refresh();
        const { scene } = this.stage;
        cancelAnimationFrame(scene.pending); // it is drawn here and now
        scene.pending = 0;
        scene.render();
        this.compose(time);
        return this.canvas.toDataURL('image/png');
    }

    compose(time) {
        const { context, canvas, size, line } = this;
        const { scene } = this.stage;
        context.fillStyle = css('--surface');
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(scene.canvas, 0, 0, ...size);
        const unit = this.player.kind === 'time' ? ' s' : ' periods';
        const texts = [
            `${fixed(time, this.step)}${unit}`,
            this.speed === 1 ? '' : `${number(this.speed)} × real time`,
            scene.magnification === 1 ? '' : `deformation × ${number(scene.magnification)}`,
        ];
        this.write(this.title, line, 1.6 * line, { bold: true, most: size[0] - 12 * line });
        texts
            .filter(Boolean)
            .forEach((text, k) => this.write(text, size[0] - line, (1.6 + 1.4 * k) * line, { align: 'right' }));
        if (scene.colour) this.composeLegend();
        for (const plot of this.plots) this.composePlot(plot, time);
    }

    write(text, x, y, { bold = false, align = 'left', fill = css('--text'), most = undefined } = {}) {
        const { context } = this;
        context.font = `${bold ? 600 : 400} ${this.line}px ${css('--font')}`;
        context.textAlign = align;
        context.fillStyle = fill;
        context.fillText(text, x, y, most);
    }

    /** The legend of the page: its title, the colours, the values at the ends. */
    composeLegend() {
        const { context, size, line } = this;
        const { title, ends, stops } = this.stage.legend.texts;
        const width = Math.min(15 * line, size[0] - 2 * line);
        const [x, y] = [size[0] - width - line, size[1] - 2.4 * line];
        const gradient = context.createLinearGradient(x, 0, x + width, 0);
        stops.forEach((stop, k) => gradient.addColorStop(k / (stops.length - 1), stop));
        context.fillStyle = gradient;
        context.fillRect(x, y, width, 0.7 * line);
        this.write(title, x, y - 0.5 * line, { most: width });
        ['left', 'center', 'right'].forEach((align, k) =>
            this.write(ends[k], x + (k * width) / 2, y + 1.8 * line, { align, fill: css('--muted') }),
        );
    }

    /** A plot with its name, the values at the time shown, and where these are on the curves. */
    composePlot({ plot: { plot, series }, group, left, top, width, room }, time) {
        const { context, line } = this;
        const times = this.report.columns.time;
        const before = floorIndex(times, time);
        const after = Math.min(before + 1, times.length - 1);
        const row = times[after] - time < time - times[before] ? after : before;
        const unit = group.unit && group.unit !== '1' ? ` (${group.unit})` : '';
        const share = (width - 2 * line) / group.columns.length;
        this.write(group.title + unit, left + line, top + 1.2 * line, { bold: true, most: width - 2 * line });
        group.columns.forEach(({ name, data }, i) => {
            const text = group.columns.length > 1 ? `${name} ${number(data[row], 4)}` : number(data[row], 4);
            const place = { most: share - line / 2, fill: categorical(i) };
            this.write(text, left + line + i * share, top + 2.4 * line, place);
        });
        if (!plot) return;
        const y = top + room;
        context.drawImage(plot.ctx.canvas, left, y);
        const x = left + plot.valToPos(time, 'x', true);
        context.fillStyle = css('--accent');
        context.fillRect(Math.round(x), y + plot.bbox.top, 1, plot.bbox.height);
        series.forEach((values, i) => {
            if (values[row] === null) return;
            context.fillStyle = categorical(i);
            context.beginPath();
            context.arc(x, y + plot.valToPos(values[row], 'y', true), line / 4, 0, 2 * Math.PI);
            context.fill();
        });
    }

    // ---- in the page ----
    buttons() {
        const type = window.MediaRecorder && recordable.find((kind) => MediaRecorder.isTypeSupported(kind));
        const link = iconButton('link', 'Copy a link to this view', () => {
            this.address.write();
            navigator.clipboard?.writeText(location.href).catch(() => {}); // the address has it in any case
        });
        this.saver = iconButton('film', 'Save film', () => (this.recorder ? this.player.pause() : this.record(type)), {
            hidden: !type || this.player.range[0] === this.player.range[1],
        });
        return h('div', { class: 'field group', role: 'group', 'aria-label': 'Share' }, this.saver, link);
    }

    /** Plays the motion once and records what it shows, as long as it is not paused. */
    async record(type) {
        const { player } = this;
        await this.prepare({ speed: player.kind === 'time' ? player.speed : 1, step: this.shownStep });
        const [low, high] = player.range;
        const parts = [];
        const { loop } = player;
        player.pause();
        player.setLoop(false);
        player.set(low);
        this.recorder = new MediaRecorder(this.canvas.captureStream(FILM_RATE), { mimeType: type });
        this.recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
        this.recorder.addEventListener('stop', () => {
            this.recorder = null;
            setIcon(this.saver, 'film', 'Save film');
            save(new Blob(parts, { type }), `phlexor.${type.startsWith('video/webm') ? 'webm' : 'mp4'}`);
        });
        setIcon(this.saver, 'stop', 'End the film');
        this.recorder.start();
        player.play();
        const draw = () => {
            this.stage.scene.render();
            this.compose(player.value);
            if (player.playing && player.value < high) requestAnimationFrame(draw);
            else {
                player.pause();
                player.setLoop(loop);
                this.recorder.stop();
            }
        };
        draw();
    }

    get shownStep() {
        const [low, high] = this.player.range;
        return (high - low) / 2000;
    }
}

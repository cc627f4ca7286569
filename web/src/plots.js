// Plots over time. All of them share one range of time and one cursor, which is the time of the animation.
import uPlot from 'uplot';
import { categorical, css } from './colours.js';
import { h, iconButton } from './dom.js';
import { number } from './format.js';
import { floorIndex } from './motion.js';

const font = () => `12px ${css('--font')}`;

const line = () => ({ stroke: () => css('--line'), width: 1 });

/** An axis in the colours of the theme. */
function axis(more = {}) {
    return {
        stroke: () => css('--muted'),
        font: font(),
        labelFont: font(),
        labelSize: 18,
        gap: 4,
        grid: line(),
        ticks: { ...line(), size: 4 },
        ...more,
    };
}

/** Numbers at the ticks: as many digits as tell them apart. */
function ticks(plot, splits) {
    const present = splits.filter((value) => value !== null);
    const largest = Math.max(...present.map(Math.abs), 0);
    const step = present.length > 1 ? Math.abs(present[1] - present[0]) : largest;
    if (largest >= 1e5 || (largest > 0 && largest < 1e-3)) {
        const digits = Math.min(6, Math.max(0, Math.ceil(Math.log10(largest / (step || largest)) + 0.3)));
        return splits.map((value) =>
            value === null
                ? ''
                : value === 0
                  ? '0'
                  : value
                        .toExponential(digits)
                        .replace(/(\.\d*?)0+e/, '$1e')
                        .replace('.e', 'e')
                        .replace('e+', 'e')
                        .replaceAll('-', '−'),
        );
    }
    let decimals = step > 0 ? 0 : 2;
    while (
        decimals < 10 &&
        step > 0 &&
        Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals
    )
        decimals++; // 2.5 needs one, 0.25 two
    return splits.map((value) => (value === null ? '' : value.toFixed(decimals).replace('-', '−')));
}

/** The range of values that are there; what is constant but for rounding is a level line. */
export function valueRange(plot, low, high) {
    if (low === null || high === null) return [0, 1];
    const largest = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-9 * largest) {
        const half = largest > 1e-300 ? 0.1 * largest : 1;
        return [(low + high) / 2 - half, (low + high) / 2 + half];
    }
    return uPlot.rangeNum(low, high, 0.1, true);
}

/** Places of the ticks for ranges of any size: multiples of a step, because adding steps up would not end where the
 * step is lost in rounding. */
function places(plot, axisNumber, low, high) {
    const length = (axisNumber === 0 ? plot.bbox.width : plot.bbox.height) / uPlot.pxRatio || 300;
    const least = ((high - low) * (axisNumber === 0 ? 60 : 28)) / length;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= least * (1 - 1e-9));
    const first = Math.ceil(low / step - 1e-6),
        last = Math.floor(high / step + 1e-6);
    return last - first < 100 ? Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step) : [low, high];
}

/** A linear axis: uPlot's own search for a step, which knows a table of them, is always content. */
export const linear = (more = {}) => axis({ values: ticks, incrs: () => [Number.MAX_VALUE], splits: places, ...more });

/** As wide as the numbers beside it. */
const room = (plot, texts) => Math.max(62, 14 + 6.8 * Math.max(0, ...(texts ?? []).map((text) => text.length)));

/** Whole decades around the magnitudes that are there, but not more than twenty below the largest. */
function decadeRange(plot, low, high) {
    if (low === null || high === null) return [0.1, 1];
    const top = Math.ceil(Math.log10(high) - 1e-9);
    const bottom = Math.max(Math.floor(Math.log10(low) + 1e-9), top - 20);
    return [10 ** Math.min(bottom, top - 1), 10 ** top];
}

/** Powers of ten, or every second, third ... of them when there are many. */
function decades(plot, axisNumber, low, high) {
    const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
    const every = Math.max(1, Math.ceil((last - first) / 7));
    return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => 10 ** (last - i * every)).reverse();
}

const powers = (plot, splits) =>
    splits.map((value) =>
        value === null || value === undefined ? '' : `1e${Math.round(Math.log10(value))}`.replace('-', '−'),
    );

/** What can be drawn of a column: gaps where it has no number or, on a logarithmic axis, where it is zero. */
function drawable(data, logarithmic) {
    if (logarithmic)
        return Array.from(data, (value) =>
            Math.abs(value) > 1e-300 && Number.isFinite(value) ? Math.abs(value) : null,
        );
    if (data.every(Number.isFinite)) return data;
    return Array.from(data, (value) => (Number.isFinite(value) ? value : null));
}

/** A column of another result at the times of the first, by straight lines; NaN where that has no time. */
function resampled(times, { data }, wanted) {
    return Float64Array.from(wanted, (time) => {
        if (!(time >= times[0] && time <= times.at(-1))) return NaN;
        const k = Math.min(floorIndex(times, time), times.length - 2);
        if (k < 0 || time === times[k + 1]) return data[k + 1];
        return data[k] + ((time - times[k]) / (times[k + 1] - times[k])) * (data[k + 1] - data[k]);
    });
}

/** The columns of the same name in a group of the same title of other results, with colour, dashes and the file. */
function otherColumns(group, plots) {
    const found = [];
    (plots.others ?? []).forEach(({ columns, source }, k) => {
        const theirs = columns?.time.length ? columns.groups.find(({ title }) => title === group.title) : null;
        group.columns.forEach((column, i) => {
            const same = theirs?.columns.find(({ name, unit }) => name === column.name && unit === column.unit);
            if (!same) return;
            const data = resampled(columns.time, same, plots.time0);
            const name = `${column.name}, ${source}`;
            found.push({ ...same, data, name, colour: i, dash: k + 1, source, index: i, member: k + 1 });
        });
    });
    return found;
}

/** Largest and rms difference of the columns of a plot, for each other result. */
function differences(columns) {
    const files = new Map();
    for (const { source, difference } of columns)
        if (difference) files.set(source, [...(files.get(source) ?? []), difference]);
    return [...files].map(([source, list]) => {
        const most = (key) => number(Math.max(...list.map((one) => one[key])), 3);
        return h(
            'span',
            { class: 'difference', title: 'Largest and rms difference to the first result' },
            `${source}: |Δ| ≤ ${most('largest')}, rms ${most('rms')}`,
        );
    });
}

/** Of a sweep: all its curves, faint, the dashes telling the columns, and over them those of the member in front. */
const familyColumns = (own, others) => [
    ...[...own.map((column) => ({ ...column, member: 0 })), ...others].map((column) => ({
        ...column,
        dash: column.index,
        faint: true,
    })),
    ...own.map((column) => ({ ...column, dash: column.index })),
];

const FAINT = 0.4; // opacity

const dashes = [[], [7, 4], [8, 3, 2, 3], [2, 3], [8, 3, 2, 3, 2, 3]];

/** Columns over time; `plots` has their rows, the range shown, the time and the height. */
export class TimePlot {
    constructor(group, plots) {
        const own = group.columns.map((column, i) => ({ colour: i, ...column, dash: 0, index: i }));
        const others = otherColumns(group, plots);
        const { family } = plots;
        Object.assign(this, { group, plots, columns: family ? familyColumns(own, others) : [...own, ...others] });
        this.logarithmic = group.columns.some((column) => column.log);
        this.hidden = new Set();
        this.values = this.columns.map(() => h('span', { class: 'value' }));
        this.host = h('div', { class: 'canvas' });
        this.legend = h(
            'div',
            { class: 'legend' },
            this.columns.map((column, i) => (column.faint || column.quiet ? null : this.entry(column, i))),
        );
        const unit = group.unit && group.unit !== '1' ? ` (${group.unit})` : '';
        this.element = h(
            'section',
            { class: 'plot', 'aria-label': group.title },
            h('h3', {}, group.title, h('span', { class: 'unit' }, unit), family ? null : differences(others)),
            this.host,
            this.legend,
        );
    }

    entry(column, i) {
        this.swatches ??= new Map();
        const swatch = h('i', { class: 'swatch' });
        swatch.style.background = this.swatch(i);
        this.swatches.set(i, swatch);
        return h(
            'button',
            {
                type: 'button',
                class: 'series',
                'aria-pressed': 'true',
                title: `${column.name}: show or hide`,
                onclick: (event) => this.show(i, event.currentTarget),
            },
            swatch,
            h('span', { class: 'series-name' }, column.name),
            this.values[i],
        );
    }

    /** A square of the colour of a column, of another result in stripes. */
    swatch(i) {
        const { dash } = this.columns[i];
        const full = this.stroke(this.columns[i]);
        return dash ? `repeating-linear-gradient(90deg, ${full} 0 3px, transparent 3px 5px)` : full;
    }

    /** The colour of a column; in a sweep that of the member. */
    stroke({ colour, member, faint }) {
        const { family } = this.plots;
        return family ? family.stroke(member ?? family.front, faint ? FAINT : 1) : categorical(colour);
    }

    /** Of a sweep all curves of the column. */
    show(i, button) {
        const on = this.hidden.has(i);
        button.setAttribute('aria-pressed', String(on));
        this.columns.forEach(({ index, faint }, k) => {
            if (k !== i && !(faint && index === this.columns[i].index)) return;
            if (on) this.hidden.delete(k);
            else this.hidden.add(k);
            this.plot?.setSeries(k + 1, { show: this.shows(k) });
        });
        this.setTime(this.plots.time);
    }

    shows(i) {
        return !this.hidden.has(i) && !(this.columns[i].faint && !this.plots.family.hide.checked);
    }

    /** Another member of the sweep in front. */
    bringForward() {
        const { front } = this.plots.family;
        this.columns.forEach((column, i) => {
            if (column.faint) return;
            const found = this.columns.find(
                ({ faint, index, member }) => faint && index === column.index && member === front,
            );
            column.data = found?.data ?? new Float64Array(this.plots.time0.length).fill(NaN);
            if (this.series) this.series[i] = drawable(column.data, this.logarithmic);
        });
        this.plot?.setData([this.plots.time0, ...this.series], false);
        this.columns.forEach((_, i) => this.plot?.setSeries(i + 1, { show: this.shows(i) }, false));
        this.recolour();
        this.setTime(this.plots.time);
    }

    /** Built when it is first seen. */
    build() {
        if (this.plot || this.host.clientWidth === 0) return;
        this.series = this.columns.map((column) => drawable(column.data, this.logarithmic));
        const empty = this.series.every((data) => !data.some((value) => value !== null));
        this.setTime(this.plots.time);
        if (empty || this.plots.time0.length === 0) {
            const zero = this.columns.every((column) => column.data.every((value) => value === 0));
            this.host.replaceChildren(
                h(
                    'p',
                    { class: 'nothing' },
                    this.plots.time0.length === 0
                        ? 'No rows were recorded.'
                        : zero
                          ? 'Zero throughout.'
                          : 'There is no number to draw.',
                ),
            );
            return;
        }
        const width = this.host.clientWidth;
        const { family } = this.plots;
        const { band } = this.group; // the columns between which the plot is filled
        this.plot = new uPlot(
            {
                width,
                bands: band ? [{ series: band.map((k) => k + 1), fill: () => css('--band') }] : undefined,
                height: this.plots.height,
                legend: { show: false },
                padding: [10, 16, 0, 0],
                cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
                scales: {
                    x: { time: false, range: () => [...this.plots.range] },
                    y: this.logarithmic ? { distr: 3, range: decadeRange } : { range: valueRange },
                },
                axes: [
                    linear({ size: 24 }),
                    this.logarithmic
                        ? axis({ values: powers, splits: decades, filter: (plot, splits) => splits, size: 62 })
                        : linear({ size: room }),
                ],
                series: [
                    {},
                    ...this.columns.map((column, i) => ({
                        label: column.name,
                        stroke: () => this.stroke(column),
                        dash: dashes[column.dash % dashes.length],
                        width: column.edge || (column.points && !column.line) ? 0 : family && !column.faint ? 2.4 : 1.4,
                        pxAlign: 0,
                        points: {
                            show: Boolean(column.points) || this.plots.time0.length < 2,
                            size: column.size ?? (column.line ? 4 : 5),
                            fill: () => (column.size ? 'transparent' : this.stroke(column)),
                        },
                        show: this.shows(i),
                    })),
                ],
                hooks: { setSelect: [(plot) => this.zoomed(plot)], draw: [() => this.setTime(this.plots.time)] },
            },
            [this.plots.time0, ...this.series],
            this.host,
        );
        this.now = h('div', { class: 'now' });
        this.dots = this.columns.map(() => h('i', { class: 'dot' }));
        this.plot.over.append(this.now, ...this.dots);
        this.plots.pointer(this);
        this.recolour();
    }

    zoomed(plot) {
        const { left, width } = plot.select;
        if (width > 2) this.plots.setRange(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }

    setRange(low, high) {
        if (this.plot && (this.plot.scales.x.min !== low || this.plot.scales.x.max !== high))
            this.plot.setScale('x', { min: low, max: high });
    }

    /** The line, the dots and the numbers of the legend at a time. */
    setTime(time) {
        const times = this.plots.time0;
        if (times.length === 0) return;
        let row = floorIndex(times, time);
        if (row + 1 < times.length && times[row + 1] - time < time - times[row]) row++;
        this.columns.forEach((column, i) => {
            const value = column.data[row];
            this.values[i].textContent = Number.isFinite(value) ? number(value, 5) : '–';
        });
        const { plot } = this;
        if (!this.dots) return;
        const width = plot.bbox.width / uPlot.pxRatio; // asking the page for it would lay it out anew
        const height = plot.bbox.height / uPlot.pxRatio;
        const x = plot.valToPos(time, 'x');
        const left = plot.valToPos(times[row], 'x');
        this.now.style.transform = `translateX(${x}px)`;
        this.now.hidden = !(x >= -1 && x <= width + 1);
        this.columns.forEach((column, i) => {
            const value = this.series[i][row];
            const dot = this.dots[i];
            const top = value === null ? NaN : plot.valToPos(value, 'y');
            const show =
                !this.hidden.has(i) &&
                !this.columns[i].faint &&
                left >= -1 &&
                left <= width + 1 &&
                top >= -1 &&
                top <= height + 1;
            dot.hidden = !show;
            if (show) dot.style.transform = `translate(${left}px, ${top}px)`;
        });
    }

    recolour() {
        this.swatches.forEach((swatch, i) => {
            swatch.style.background = this.swatch(i);
        });
        this.dots?.forEach((dot, i) => {
            dot.style.background = this.stroke(this.columns[i]);
        });
        this.plot?.redraw(false);
    }

    resize() {
        const width = this.host.clientWidth;
        if (this.plot && width > 0 && this.plot.width !== width)
            this.plot.setSize({ width, height: this.plots.height });
    }
}

export class Plots {
    /** `player` is followed, and set when the reader moves over a plot while it is paused. */
    constructor(columns, player, { others = [], family = null, words = null } = {}) {
        Object.assign(this, { others, family, words }); // words: of another axis than time
        family?.listen(() => this.list.forEach((plot) => plot.bringForward()));
        this.time0 = columns.time;
        this.player = player;
        this.full = this.time0.length > 0 ? [this.time0[0], this.time0.at(-1)] : [0, 1];
        if (this.full[0] === this.full[1]) this.full = [this.full[0] - 0.5, this.full[1] + 0.5];
        this.range = [...this.full];
        this.time = this.full[0];
        this.height = 190;
        this.following = true;
        this.list = columns.groups
            .filter((group) => group.columns.length > 0)
            .map((group) => new TimePlot(group, this));
        this.visible = new Set();
        this.seen = new IntersectionObserver((entries) => this.watch(entries), { rootMargin: '200px' });
        this.sized = new ResizeObserver(() => this.list.forEach((plot) => plot.resize()));
        for (const plot of this.list) {
            plot.host.plot = plot;
            this.seen.observe(plot.host);
        }
        this.element = h(
            'div',
            { class: 'plots' },
            this.toolbar(),
            this.list.map((plot) => plot.element),
            this.list.length === 0 ? h('p', { class: 'nothing' }, 'This result has no columns.') : null,
        );
        this.sized.observe(this.element);
    }

    toolbar() {
        const by = (factor) => () => {
            const [low, high] = this.range;
            const centre = this.time > low && this.time < high ? this.time : (low + high) / 2;
            this.setRange(centre - (centre - low) * factor, centre + (high - centre) * factor);
        };
        const move = (part) => () => {
            const [low, high] = this.range;
            this.pan(part * (high - low));
        };
        this.reset = h(
            'button',
            { type: 'button', class: 'small', disabled: true, onclick: () => this.setRange(...this.full) },
            this.words?.whole ?? 'Whole time',
        );
        this.filter = h('input', {
            type: 'search',
            placeholder: 'Find a plot',
            'aria-label': 'Find a plot',
            oninput: () => this.find(this.filter.value),
        });
        const follow = h(
            'label',
            { class: 'check' },
            h('input', {
                type: 'checkbox',
                checked: true,
                onchange: (event) => {
                    this.following = event.target.checked;
                },
            }),
            'Pointer moves time',
        );
        return h(
            'div',
            { class: 'plot-tools', role: 'group', 'aria-label': this.words?.range ?? 'Range of time' },
            iconButton('plus', 'Zoom in', by(0.5)),
            iconButton('minus', 'Zoom out', by(2)),
            iconButton('left', 'Earlier', move(-0.25)),
            iconButton('right', 'Later', move(0.25)),
            this.reset,
            this.words ? null : follow,
            this.list.length > 5 ? this.filter : null,
        );
    }

    find(text) {
        const wanted = text.trim().toLowerCase();
        for (const plot of this.list)
            plot.element.hidden = ![plot.group.title, ...plot.columns.map((column) => column.name)].some((name) =>
                name.toLowerCase().includes(wanted),
            );
    }

    watch(entries) {
        for (const { target, isIntersecting } of entries) {
            if (!isIntersecting) {
                this.visible.delete(target.plot);
                continue;
            }
            this.visible.add(target.plot);
            target.plot.build();
            target.plot.setRange(...this.range);
            target.plot.setTime(this.time);
        }
    }

    pan(by) {
        const [low, high] = this.range;
        by = Math.min(Math.max(by, this.full[0] - low), this.full[1] - high);
        this.setRange(low + by, high + by);
    }

    setRange(low, high) {
        const least = 1e-9 * Math.max(this.full[1] - this.full[0], Math.abs(this.full[0]), Math.abs(this.full[1]));
        low = Math.max(low, this.full[0]);
        high = Math.min(high, this.full[1]);
        if (!(high - low > least)) return;
        this.range = [low, high];
        this.reset.disabled = low === this.full[0] && high === this.full[1];
        for (const plot of this.visible) plot.setRange(low, high);
    }

    setTime(time) {
        this.time = time;
        for (const plot of this.visible) plot.setTime(time);
    }

    recolour() {
        this.list.forEach((plot) => plot.recolour());
    }

    /** Pointer, wheel and fingers over one plot. */
    pointer(timePlot) {
        const over = timePlot.plot.over;
        const fingers = new Map();
        const at = (x) => timePlot.plot.posToVal(x - over.getBoundingClientRect().left, 'x');
        const follow = (event) => this.player.set(at(event.clientX));
        let panning = null;
        // Before uPlot hears of it: with shift or the middle button the range moves instead of being selected.
        over.parentElement.addEventListener(
            'mousedown',
            (event) => {
                if (event.shiftKey || event.button === 1) {
                    event.stopPropagation();
                    event.preventDefault();
                }
            },
            true,
        );
        over.addEventListener('pointerdown', (event) => {
            if (event.pointerType === 'touch') fingers.set(event.pointerId, event.clientX);
            else if (event.shiftKey || event.button === 1) {
                panning = event.clientX;
                over.setPointerCapture(event.pointerId);
            } else if (event.button === 0) follow(event);
        });
        over.addEventListener('pointermove', (event) => {
            if (panning !== null) {
                this.pan(at(panning) - at(event.clientX));
                panning = event.clientX;
            } else if (event.pointerType === 'touch') this.touch(fingers, event, at);
            else if (event.buttons === 0 && this.following && !this.player.playing) follow(event);
        });
        let touched = 0;
        over.addEventListener('pointerdown', (event) => {
            touched = event.clientX;
        });
        for (const end of ['pointerup', 'pointercancel'])
            over.addEventListener(end, (event) => {
                if (
                    end === 'pointerup' &&
                    event.pointerType === 'touch' &&
                    fingers.size === 1 &&
                    Math.abs(event.clientX - touched) < 8
                )
                    follow(event);
                fingers.delete(event.pointerId);
                panning = null;
            });
        over.addEventListener('dblclick', () => this.setRange(...this.full));
        over.addEventListener('wheel', (event) => this.wheel(event, at), { passive: false });
    }

    wheel(event, at) {
        const [low, high] = this.range;
        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.008);
            const centre = at(event.clientX);
            this.setRange(centre - (centre - low) * factor, centre + (high - centre) * factor);
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            event.preventDefault();
            this.pan(((event.deltaX || event.deltaY) / event.currentTarget.clientWidth) * (high - low));
        }
    }

    /** One finger moves the time, two move and stretch the range. */
    touch(fingers, event, at) {
        if (!fingers.has(event.pointerId)) return;
        if (fingers.size === 1) {
            fingers.set(event.pointerId, event.clientX);
            this.player.set(at(event.clientX));
            return;
        }
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const [mine, fixed, next] = [at(fingers.get(event.pointerId)), at(other), at(event.clientX)];
        fingers.set(event.pointerId, event.clientX);
        const factor = (mine - fixed) / (next - fixed);
        const [low, high] = this.range;
        if (factor > 0.2 && factor < 5) this.setRange(fixed - (fixed - low) * factor, fixed + (high - fixed) * factor);
    }
}

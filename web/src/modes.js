// Mode shapes: the list of modes at a point of the sweep, and the sweep with its tracked branches.
import uPlot from 'uplot';
import { categorical, css } from './colours.js';
import { choice, h } from './dom.js';
import { count, number } from './format.js';
import { linear, valueRange } from './plots.js';

/** "speed = 120", or "point 3" when the model has no parameters. */
export function pointName(modes, point) {
    const { parameters = [], points } = modes;
    const { values = [] } = points[point];
    return parameters.length > 0
        ? parameters.map((name, i) => `${name} = ${number(values[i])}`).join(', ')
        : `point ${point + 1}`;
}

export class Modes {
    /** `show(row or null, point)` is called when the reader chooses a mode or a point. */
    constructor(modes, show) {
        Object.assign(this, { modes, show, point: 0, row: null });
        modes.rows ??= [];
        modes.points ??= [{}];
        this.list = h('tbody');
        this.note = h('p', { class: 'note' });
        const many = modes.points.length > 1;
        this.pointInput = many
            ? h('input', {
                  type: 'range',
                  min: 0,
                  max: modes.points.length - 1,
                  step: 1,
                  value: 0,
                  'aria-label': 'Point of the sweep',
                  oninput: () => this.setPoint(Number(this.pointInput.value)),
              })
            : null;
        this.pointText = h('output', { class: 'readout' });
        this.sweep = many ? new Sweep(modes, (row) => this.choose(row, true)) : null;
        this.element = h(
            'div',
            { class: 'modes' },
            this.sweep?.element,
            many
                ? h(
                      'div',
                      { class: 'point-choice' },
                      h('span', { class: 'label' }, 'Point'),
                      this.pointInput,
                      this.pointText,
                  )
                : null,
            h(
                'div',
                { class: 'table-scroll' },
                h(
                    'table',
                    { class: 'mode-table' },
                    h(
                        'thead',
                        {},
                        h(
                            'tr',
                            {},
                            ['Mode', 'Frequency', 'Damping', 'Branch'].map((name) => h('th', { scope: 'col' }, name)),
                        ),
                    ),
                    this.list,
                ),
            ),
            this.note,
        );
        this.setPoint(0, false);
    }

    rowsAt(point) {
        return this.modes.rows.filter((row) => row.point === point);
    }

    setPoint(point, keep = true) {
        this.point = point;
        const { rigid, spin } = this.modes.points[point];
        const rows = this.rowsAt(point);
        this.buttons = new Map();
        this.list.replaceChildren(...rows.map((row) => this.line(row)));
        const notes = [rows.length === 0 ? 'No modes at this point.' : `${count(rows.length)} modes.`];
        if (rigid) notes.push(`${rigid} rigid-body motion${rigid > 1 ? 's' : ''} of frequency zero.`);
        if (spin) notes.push(`Rotation at ${number(spin)} rad/s.`);
        if (rows.some((row) => !row.shape)) notes.push('Modes without a shape cannot be animated.');
        this.note.textContent = notes.join(' ');
        this.pointText.textContent = pointName(this.modes, point);
        if (this.pointInput) this.pointInput.value = point;
        // The same branch at the new point.
        if (keep && this.row)
            this.choose(
                rows.find((row) => row.branch === this.row.branch) ??
                    rows.find((row) => row.mode === this.row.mode) ??
                    null,
            );
        else {
            this.mark();
            if (keep) this.show(null, point);
        }
    }

    line(row) {
        const frequency = row.frequency ?? row.omega / (2 * Math.PI);
        const button = h(
            'button',
            {
                type: 'button',
                class: 'mode-button',
                disabled: !row.shape,
                'aria-pressed': 'false',
                'aria-label': `Mode ${row.mode}, ${number(frequency, 4)} Hz`,
                onclick: () => this.choose(row === this.row ? null : row),
            },
            String(row.mode),
        );
        this.buttons.set(row, button);
        const damping = Number.isFinite(row.damping) ? `${number(100 * row.damping, 3)} %` : '–';
        return h(
            'tr',
            {
                onclick: (event) => {
                    if (event.target.closest('button') === null && row.shape)
                        this.choose(row === this.row ? null : row);
                },
            },
            h('td', {}, button),
            h('td', {}, `${number(frequency, 5)} Hz`),
            h('td', {}, damping),
            h('td', {}, this.modes.points.length > 1 && row.branch !== undefined ? String(row.branch) : '–'),
        );
    }

    choose(row, movePoint = false) {
        if (row && !row.shape) row = null;
        this.row = row;
        if (row && movePoint && row.point !== this.point) {
            this.setPoint(row.point, false);
        }
        this.mark();
        this.show(row, this.point);
    }

    /** Another mode of the list, by the keyboard. */
    next(by) {
        const rows = this.rowsAt(this.point).filter((row) => row.shape);
        if (rows.length > 0) this.choose(rows[(rows.indexOf(this.row) + by + rows.length) % rows.length]);
    }

    mark() {
        for (const [row, button] of this.buttons) {
            button.setAttribute('aria-pressed', String(row === this.row));
            button.closest('tr').classList.toggle('chosen', row === this.row);
        }
        this.sweep?.mark(this.row);
    }

    recolour() {
        this.sweep?.recolour();
    }
}

/** Frequencies or damping against a parameter; a point of a branch is a mode that can be shown. */
class Sweep {
    constructor(modes, choose) {
        Object.assign(this, { modes, choose });
        this.branches = [...new Set(modes.rows.map((row) => row.branch ?? row.mode))].sort((a, b) => a - b);
        const names = modes.parameters ?? [];
        this.x = names.length > 0 ? this.widest() : -1;
        this.y = 'frequency';
        this.host = h('div', { class: 'canvas sweep-canvas' });
        this.ordersNote = h('span', {}, ' Dashed: once, twice and three times the speed of rotation.');
        const xChoice = choice(
            'Horizontal axis',
            [...names.map((name, i) => [String(i), name]), ['-1', 'point']],
            (value) => {
                this.x = Number(value);
                this.build();
            },
        );
        xChoice.value = String(this.x);
        this.element = h(
            'section',
            { class: 'plot', 'aria-label': 'Sweep' },
            h(
                'div',
                { class: 'sweep-head' },
                h('h3', {}, 'Sweep'),
                choice(
                    'Vertical axis',
                    [
                        ['frequency', 'frequency (Hz)'],
                        ['damping', 'damping (%)'],
                    ],
                    (value) => {
                        this.y = value;
                        this.build();
                    },
                ),
                h('span', { class: 'label' }, 'against'),
                xChoice,
            ),
            this.host,
            h('p', { class: 'note' }, 'Choose a point to see its mode shape.', this.ordersNote),
        );
        new ResizeObserver(() => this.resize()).observe(this.host);
    }

    /** The parameter that takes the most values. */
    widest() {
        const sizes = this.modes.parameters.map(
            (name, i) => new Set(this.modes.points.map((point) => point.values[i])).size,
        );
        return sizes.indexOf(Math.max(...sizes));
    }

    /** Points in the order of the axis. */
    build() {
        const { modes } = this;
        const value = (point) => (this.x < 0 ? point + 1 : modes.points[point].values[this.x]);
        this.order = modes.points
            .map((_, i) => i)
            .filter((i) => Number.isFinite(value(i)))
            .sort((a, b) => value(a) - value(b) || a - b);
        const xs = this.order.map(value);
        const single = new Set(xs).size === xs.length; // else several points share a place: no lines
        this.rows = this.branches.map(() => this.order.map(() => null));
        const where = new Map(this.order.map((point, i) => [point, i]));
        const number = new Map(this.branches.map((branch, i) => [branch, i]));
        for (const row of modes.rows)
            if (where.has(row.point)) this.rows[number.get(row.branch ?? row.mode)][where.get(row.point)] = row;
        const y = (row) => {
            const result =
                row && (this.y === 'damping' ? 100 * row.damping : (row.frequency ?? row.omega / (2 * Math.PI)));
            return Number.isFinite(result) ? result : null;
        };
        const data = [xs, ...this.rows.map((list) => list.map(y))];
        // Multiples of the speed of rotation, where there is one.
        const spins = this.order.map((point) => modes.points[point].spin);
        const orders = this.y === 'frequency' && single && spins.some((spin) => spin > 0) ? [1, 2, 3] : [];
        this.ordersNote.hidden = orders.length === 0;
        const top = Math.max(
            ...data
                .slice(1)
                .flat()
                .filter((entry) => entry !== null),
            0,
        );
        for (const k of orders)
            data.push(
                spins.map((spin) => ((k * spin) / (2 * Math.PI) <= 1.05 * top ? (k * spin) / (2 * Math.PI) : null)),
            );
        this.data = data;
        this.plot?.destroy();
        this.plot = null;
        this.host.replaceChildren();
        if (this.host.clientWidth === 0 || xs.length === 0) return;
        const name = this.x < 0 ? 'point' : modes.parameters[this.x];
        this.plot = new uPlot(
            {
                width: this.host.clientWidth,
                height: 280,
                legend: { show: false },
                padding: [10, 12, 0, 0],
                cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
                scales: { x: { time: false }, y: { range: valueRange } },
                axes: [linear({ size: 30, label: name, labelGap: 2 }), linear({ size: 62 })],
                series: [
                    {},
                    ...this.branches.map((branch, i) => ({
                        label: String(branch),
                        stroke: () => categorical(i),
                        width: single ? 1.4 : 0,
                        pxAlign: 0,
                        spanGaps: false,
                        points: { show: true, size: xs.length > 80 ? 4 : 6, fill: () => categorical(i) },
                    })),
                    ...orders.map((k) => ({
                        label: `${k}×`,
                        stroke: () => css('--muted'),
                        width: 1,
                        dash: [4, 5],
                        points: { show: false },
                    })),
                ],
                hooks: { draw: [() => this.mark(this.marked)] },
            },
            data,
            this.host,
        );
        this.marker = h('i', { class: 'sweep-marker', hidden: true });
        this.plot.over.append(this.marker);
        this.plot.over.addEventListener('click', (event) => this.pick(event));
        this.plot.over.addEventListener('pointermove', (event) => {
            this.plot.over.style.cursor = this.nearest(event) ? 'pointer' : 'default';
        });
    }

    nearest(event) {
        const box = this.plot.over.getBoundingClientRect();
        const [x, y] = [event.clientX - box.left, event.clientY - box.top];
        let best = null;
        let least = 26;
        this.rows.forEach((list, branch) =>
            list.forEach((row, i) => {
                const value = this.data[branch + 1][i];
                if (!row || value === null) return;
                const distance = Math.hypot(
                    this.plot.valToPos(this.data[0][i], 'x') - x,
                    this.plot.valToPos(value, 'y') - y,
                );
                if (distance < least) [best, least] = [row, distance];
            }),
        );
        return best;
    }

    pick(event) {
        const row = this.nearest(event);
        if (row) this.choose(row);
    }

    mark(row) {
        this.marked = row;
        if (!this.marker?.isConnected) return;
        this.marker.hidden = true;
        this.rows.forEach((list, branch) => {
            const i = list.indexOf(row);
            if (!row || i < 0 || this.data[branch + 1][i] === null) return;
            this.marker.hidden = false;
            this.marker.style.transform = `translate(${this.plot.valToPos(this.data[0][i], 'x')}px, ${this.plot.valToPos(this.data[branch + 1][i], 'y')}px)`;
        });
    }

    recolour() {
        this.plot?.redraw(false);
    }

    resize() {
        const width = this.host.clientWidth;
        if (width === 0) return;
        if (!this.plot) this.build();
        else if (this.plot.width !== width) this.plot.setSize({ width, height: 280 });
    }
}

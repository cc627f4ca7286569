// Derivatives, optimisations and identifications: bars, histories, fits, tables, and colours of the mechanism.
import { h } from './dom.js';
import { number, quantity } from './format.js';
import { Plots } from './plots.js';
import { table } from './tables.js';

/** Units of objectives that the page knows. */
const units = [
    [/^model\.mass$/, 'kg'],
    [/^modes\.(omega|mean)\./, 'rad/s'],
    [/^modes\.frequency\./, 'Hz'],
    [/^linearize\.pole\./, '1/s'],
    [/^linearize\.phase\./, 'rad'],
    [/^simulate\.when\(/, 's'],
];
const unitOf = (objective) => units.find(([pattern]) => pattern.test(objective))?.[1] ?? '';

const cells = (texts) => texts.map((text) => h('td', { class: 'number' }, text));
const row = (name, texts) => h('tr', {}, h('th', { scope: 'row' }, name), cells(texts));
const shown = (value) => (Number.isFinite(value) ? number(value, 5) : '–');

/** Plots against something else than the time of the animation. */
function against(at, groups, words) {
    const fixed = { playing: false, set: (value) => plots.setTime(value) };
    const plots = new Plots({ time: Float64Array.from(at), groups }, fixed, { words });
    return plots;
}
const column = (name, data, more = {}) => ({ name, unit: '', data: Float64Array.from(data, (x) => x ?? NaN), ...more });

// ---- derivatives ----
/** The changes of an objective for 100 % of each parameter, the largest first. */
const changes = ({ gradient }, parameters) =>
    Object.entries(gradient)
        .map(([name, derivative]) => ({ name, derivative, change: derivative * parameters[name] }))
        .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));

/** Fractions of the length of a body at the points of its line; of a piece of a rod, NAME or NAME@FRACTION, that one. */
function fractions({ name, points }, cut) {
    if (cut) return Float64Array.of(Number(name.split('@')[1] ?? 0));
    const at = new Float64Array(Math.max(1, points.length / 3));
    for (let i = 1; i < at.length; i++)
        at[i] = at[i - 1] + Math.hypot(...[0, 1, 2].map((k) => points[3 * i + k] - points[3 * i + k - 3]));
    return at.map((length) => (at.at(-1) > 0 ? length / at.at(-1) : 0));
}

/** Gives bodies a quantity for each objective: at each place the sum of the magnitudes of the changes by the parameters
 * that are used there. */
export function addSensitivities(report) {
    const { gradient, uses } = report.sensitivity;
    const cuts = new Set(report.bodies.filter(({ name }) => name.includes('@')).map(({ name }) => name.split('@')[0]));
    gradient.objectives.forEach((objective, k) => {
        const size = new Map(
            changes(objective, gradient.parameters).map(({ name, change }) => [name, Math.abs(change)]),
        );
        report.bodies.forEach((body) => {
            const [name] = body.name.split('@');
            const own = uses.filter((use) => use.body === name && size.has(use.parameter));
            if (own.length === 0) return;
            const constant = fractions(body, cuts.has(name)).map((s) => {
                const here = own.filter(({ from, to }) => s >= from && (s < to || to === 1));
                return [...new Set(here.map(({ parameter }) => parameter))].reduce(
                    (sum, name) => sum + size.get(name),
                    0,
                );
            });
            body.section = [
                ...body.section,
                {
                    name: `sensitivity ${k + 1}`,
                    label: `change of ${objective.objective} per 100 %`,
                    unit: unitOf(objective.objective),
                    positive: true,
                    constant,
                },
            ];
        });
    });
}

function bars(objective, parameters) {
    const rows = changes(objective, parameters);
    const largest = Math.abs(rows[0]?.change) || 1;
    const unit = unitOf(objective.objective);
    const two = rows.some(({ change }) => change < 0) && rows.some(({ change }) => change > 0);
    return h(
        'section',
        { class: 'plot', 'aria-label': objective.objective },
        h('h3', {}, objective.objective, h('span', { class: 'unit' }, ` = ${quantity(objective.value, unit, 6)}`)),
        h(
            'div',
            { class: 'bars', role: 'list' },
            rows.map(({ name, derivative, change }) => {
                const share = ((two ? 50 : 100) * Math.abs(change)) / largest;
                const bar = h('i', { class: change < 0 ? 'bar minus' : 'bar' });
                bar.style.width = `${share}%`;
                bar.style.marginLeft = `${two ? (change < 0 ? 50 - share : 50) : 0}%`;
                return h(
                    'div',
                    { class: 'bar-row', role: 'listitem' },
                    h('span', { class: 'bar-name' }, name),
                    h('div', { class: two ? 'bar-track two' : 'bar-track' }, bar),
                    h('span', { class: 'bar-value' }, quantity(change, unit, 4)),
                    h(
                        'span',
                        { class: 'bar-note' },
                        `${number(parameters[name], 5)}, derivative ${number(derivative, 5)}`,
                    ),
                );
            }),
        ),
    );
}

export function sensitivity(report) {
    const { gradient, uses } = report.sensitivity;
    const used = new Set(uses.map(({ parameter }) => parameter));
    const others = Object.keys(gradient.parameters).filter((name) => !used.has(name));
    return h(
        'div',
        {},
        h(
            'p',
            { class: 'note' },
            'Bars: derivative times value, the change of the objective for 100 % of the parameter.',
        ),
        h(
            'p',
            { class: 'note' },
            'Colours of the mechanism: for each part, the sum of the magnitudes of these changes over the parameters that its keys and its material use. Parts that use none are grey.',
            others.length ? ` No body uses ${others.join(', ')}.` : '',
        ),
        gradient.objectives.map((objective) => bars(objective, gradient.parameters)),
    );
}

// ---- optimisation ----
export function optimization({ optimization: found }) {
    const { rows, history, best } = found;
    const limits = ({ min, max }) => [min !== null ? `≥ ${number(min)}` : '', max !== null ? `≤ ${number(max)}` : ''];
    const groups = rows.map((of, k) => {
        const data = history.map((values) => values[k]);
        const mark = data.map((value, i) => (i === best - 1 ? value : NaN));
        const limit = of.kind === 'variable' ? null : (of.min ?? of.max);
        return {
            title: of.name,
            kind: of.kind,
            unit: unitOf(of.name),
            columns: [
                column(of.kind, data, { points: true, line: true }),
                column(`evaluation ${best}, the best`, mark, { points: true, size: 11 }),
                ...(limit === null ? [] : [column('limit', data.fill(limit))]),
            ],
        };
    });
    groups.sort((a, b) => (a.kind === 'variable') - (b.kind === 'variable'));
    const evaluations = history.map((_, i) => i + 1);
    const plots = against(evaluations, groups, { whole: 'All evaluations', range: 'Range of evaluations' });
    plots.setTime(best);
    const lines = rows.map((of) =>
        h(
            'tr',
            {},
            h('th', { scope: 'row' }, of.name, of.kind === 'variable' ? null : h('p', { class: 'meaning' }, of.kind)),
            cells([shown(of.start), shown(of.optimum), limits(of).filter(Boolean).join(', ')]),
            h('td', {}, of.at < 0 ? 'at min' : of.at > 0 ? 'at max' : ''),
        ),
    );
    return {
        element: h(
            'div',
            {},
            table('Result', ['Name', 'Start', 'Optimum', 'Limits', ''], lines),
            found.feasible
                ? null
                : h(
                      'p',
                      { class: 'partial-note' },
                      `No point satisfies all constraints: violation ${number(found.violation)} of a limit.`,
                  ),
            h(
                'p',
                { class: 'note' },
                `${found.evaluations} evaluations, ${found.failed} failed. The end: ${found.end}.`,
            ),
            plots.element,
        ),
        recolour: () => plots.recolour(),
    };
}

// ---- identification ----
/** Measurements, fitted model with its band, and residuals of a series. */
function fit({ name }, rows, words) {
    const of = (k) => rows.map((values) => values[k]);
    const [, , measured, model, band] = [0, 1, 2, 3, 4].map(of);
    const edge = (sign) => model.map((value, i) => value + sign * (band[i] ?? 0));
    const groups = [
        {
            title: name,
            band: [2, 3],
            columns: [
                column('measured', measured, { points: true }),
                column('model', model, { line: true }),
                column('95 % band', edge(1), { edge: true, colour: 1 }),
                column('95 % band', edge(-1), { edge: true, colour: 1, quiet: true }),
            ],
        },
        {
            title: `Residuals of ${name}`,
            columns: [
                column(
                    'model less measured',
                    model.map((value, i) => value - measured[i]),
                    { points: true },
                ),
            ],
        },
    ];
    return against(of(1), groups, words);
}

/** The plots of a series; real and imaginary parts of a response alternate. */
function fits(series, k, all) {
    const rows = all.filter(([of]) => of === k).map((values, i) => [...values, i]);
    rows.sort((a, b) => a[1] - b[1] || a[5] - b[5]);
    const words = { whole: 'All', range: 'Range of the measurements' };
    const pairs =
        rows.length > 1 && rows.length % 2 === 0 && rows.every((values, i) => values[1] === rows[i - (i % 2)][1]);
    if (!pairs) return [fit(series, rows, words)];
    return ['real', 'imaginary'].map((part, i) =>
        fit(
            { name: `${series.name}, ${part} part` },
            rows.filter((_, at) => at % 2 === i),
            words,
        ),
    );
}

function correlations({ parameters, correlation }) {
    const n = parameters.length;
    const cell = (value) => {
        const made = h('td', { class: 'number' }, value === null ? '–' : value.toFixed(3).replace('-', '−'));
        const strength = value === null ? 0 : Math.round(70 * Math.abs(value));
        made.style.background = `color-mix(in srgb, var(${value < 0 ? '--minus' : '--plus'}) ${strength}%, transparent)`;
        return made;
    };
    const lines = parameters.map(({ name }, i) =>
        h('tr', {}, h('th', { scope: 'row' }, name), correlation.slice(n * i, n * i + n).map(cell)),
    );
    return table('Correlations', ['', ...parameters.map(({ name }) => name)], lines, { class: 'correlations' });
}

export function identification({ identification: found }) {
    const { parameters, series, rows, undetermined, variance, freedom, iterations, end } = found;
    const plots = series.flatMap((of, k) => fits(of, k, rows));
    const list = parameters.map(({ name, start, value, deviation, low, high, state }) =>
        row(name, [
            shown(start),
            shown(value),
            shown(deviation),
            state || (low === null ? 'no interval' : `${shown(low)} … ${shown(high)}`),
        ]),
    );
    const quality = series.map((of) =>
        row(of.name, [
            of.count,
            `${shown(of.deviation)}${of.estimated ? ' *' : ''}`,
            shown(of.rms),
            shown(of.correlation),
        ]),
    );
    return {
        element: h(
            'div',
            {},
            table('Parameters', ['Name', 'Start', 'Value', 'Deviation', '95 % interval'], list),
            undetermined.length
                ? h('p', { class: 'partial-note' }, `Not determined by these data: ${undetermined.join('; ')}.`)
                : null,
            plots.map(({ element }) => element),
            correlations(found),
            table('Measurements', ['Series', 'Number', 'Deviation', 'rms', 'Neighbours'], quality),
            h(
                'p',
                { class: 'note' },
                `* estimated from the residuals. Variance ${shown(variance)}, ${freedom} degrees of freedom; ${iterations} iterations: ${end}.`,
            ),
        ),
        recolour: () => plots.forEach((one) => one.recolour()),
    };
}

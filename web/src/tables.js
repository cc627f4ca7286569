// Tables and texts: summary, settings, certificate, bodies and joints, the text of the model.
import { categorical } from './colours.js';
import { h, icon } from './dom.js';
import { count, number, quantity, words } from './format.js';
import { largestValue } from './loads.js';

const loadUnits = { force: 'N', torque: 'N m', distributed: 'N/m', reaction: 'N', exerted: 'N' };

/** A number with its unit; a text as it is. */
const shown = ({ value, unit }) => {
    if (typeof value !== 'number') return String(value ?? '–');
    return unit && unit !== '1' ? `${number(value)} ${unit}` : number(value);
};

function pairs(title, entries) {
    if (!entries?.length) return null;
    return h(
        'section',
        {},
        h('h3', {}, title),
        h(
            'div',
            { class: 'table-scroll' },
            h(
                'table',
                { class: 'pairs' },
                h(
                    'tbody',
                    {},
                    entries.map((entry) =>
                        h('tr', {}, h('th', { scope: 'row' }, entry.name), h('td', {}, shown(entry))),
                    ),
                ),
            ),
        ),
    );
}

export function table(title, names, rows, more = {}) {
    return h(
        'section',
        {},
        h('h3', {}, title, h('span', { class: 'unit' }, ` ${count(rows.length)}`)),
        h(
            'div',
            { class: 'table-scroll' },
            h(
                'table',
                more,
                h(
                    'thead',
                    {},
                    h(
                        'tr',
                        {},
                        names.map((name) => h('th', { scope: 'col' }, name)),
                    ),
                ),
                h('tbody', {}, rows),
            ),
        ),
    );
}

export function certificate(report) {
    const entries = report.certificate;
    const bad = entries.filter((entry) => entry.good === false).length;
    const judged = entries.some((entry) => entry.good !== null && entry.good !== undefined);
    const mark = (good) =>
        good === true
            ? h('span', { class: 'mark good' }, '✓ holds')
            : good === false
              ? h('span', { class: 'mark bad' }, '✗ fails')
              : h('span', { class: 'mark' }, '–');
    return h(
        'div',
        {},
        judged
            ? h(
                  'p',
                  { class: bad ? 'verdict bad' : 'verdict good' },
                  bad
                      ? `${bad} of ${entries.length} properties do not hold.`
                      : 'Every property of the structure that was tested holds.',
              )
            : null,
        h(
            'div',
            { class: 'table-scroll' },
            h(
                'table',
                { class: 'certificate' },
                h(
                    'thead',
                    {},
                    h(
                        'tr',
                        {},
                        ['Property', 'Value', ''].map((name) => h('th', { scope: 'col' }, name)),
                    ),
                ),
                h(
                    'tbody',
                    {},
                    entries.map((entry) =>
                        h(
                            'tr',
                            {},
                            h(
                                'th',
                                { scope: 'row' },
                                entry.name,
                                entry.meaning ? h('p', { class: 'meaning' }, entry.meaning) : null,
                            ),
                            h('td', { class: 'number' }, shown(entry)),
                            h('td', {}, mark(entry.good)),
                        ),
                    ),
                ),
            ),
        ),
    );
}

/** Diagrams that every simulation has. */
const always = /^(Energy|Work since the start|Work supplied, .*|Work taken, .*|Residual of .*|Drift of the joints)$/;

/** The outputs of the model with their least and largest values; null: there are none. */
function outputs(columns) {
    const rows = (columns?.groups ?? [])
        .filter(({ title }) => !always.test(title))
        .flatMap(({ title, unit, columns: own }) =>
            own.map((column) => {
                const of = column.unit ?? unit;
                const least = column.data.reduce((a, b) => Math.min(a, b), Infinity);
                const most = column.data.reduce((a, b) => Math.max(a, b), -Infinity);
                return h(
                    'tr',
                    {},
                    h('th', { scope: 'row' }, own.length > 1 ? `${title}.${column.name}` : title),
                    h('td', { class: 'number' }, quantity(least, of, 4)),
                    h('td', { class: 'number' }, quantity(most, of, 4)),
                );
            }),
        );
    return rows.length ? table('Outputs', ['Name', 'Least', 'Largest'], rows) : null;
}

/** `select(body)` is called when a row is chosen; returns the element and what marks a row. */
export function overview(report, select) {
    const bodyName = (end) => {
        if (end.body < 0) return 'ground';
        const body = report.bodies[end.body];
        const port = body?.ports[end.port]?.name;
        return body ? `${body.name}${port ? ` · ${port}` : ''}` : '–';
    };
    const swatches = [];
    const rows = report.bodies.map((body, i) => {
        const swatch = h('i', { class: 'swatch' });
        swatches.push(swatch);
        return h(
            'tr',
            { onclick: () => select(i) },
            h(
                'th',
                { scope: 'row' },
                h('button', { type: 'button', class: 'link', 'aria-pressed': 'false' }, swatch, body.name),
            ),
            h('td', {}, words(body.kind ?? '–')),
            h('td', { class: 'number' }, body.mass === undefined ? '–' : quantity(body.mass, 'kg', 4)),
            h('td', { class: 'number' }, String(body.q)),
            h('td', {}, body.ports.map((port) => port.name).join(', ') || '–'),
        );
    });
    const element = h(
        'div',
        {},
        report.status === 'partial'
            ? h('p', { class: 'partial-note' }, `The result is partial${report.reason ? `: ${report.reason}` : ''}.`)
            : null,
        report.bodies.length ? table('Bodies', ['Name', 'Kind', 'Mass', 'Coordinates', 'Ports'], rows) : null,
        report.joints.length
            ? table(
                  'Joints',
                  ['Name', 'Kind', 'From', 'To'],
                  report.joints.map((joint) =>
                      h(
                          'tr',
                          {},
                          h('th', { scope: 'row' }, joint.name),
                          h('td', {}, words(joint.kind)),
                          h('td', {}, bodyName(joint.a)),
                          h('td', {}, bodyName(joint.b)),
                      ),
                  ),
              )
            : null,
        report.springs.length
            ? table(
                  'Springs',
                  ['Name', 'From', 'To'],
                  report.springs.map((spring) =>
                      h(
                          'tr',
                          {},
                          h('th', { scope: 'row' }, spring.name),
                          h('td', {}, bodyName(spring.a)),
                          h('td', {}, bodyName(spring.b)),
                      ),
                  ),
              )
            : null,
        report.loads.length
            ? table(
                  'Loads',
                  ['Name', 'Kind', 'At', 'Largest'],
                  report.loads.map((load) =>
                      h(
                          'tr',
                          {},
                          h('th', { scope: 'row' }, load.name),
                          h('td', {}, words(load.kind)),
                          h('td', {}, bodyName(load.at ?? load)),
                          h('td', {}, load.value ? quantity(largestValue(load), loadUnits[load.kind]) : '–'),
                      ),
                  ),
              )
            : null,
        outputs(report.columns),
        pairs('Summary', report.summary),
        pairs('Settings', report.settings),
    );
    const recolour = () =>
        swatches.forEach((swatch, i) => {
            swatch.style.background = categorical(i);
        });
    recolour();
    const mark = (selected) =>
        rows.forEach((row, i) => {
            row.classList.toggle('chosen', i === selected);
            row.querySelector('button').setAttribute('aria-pressed', String(i === selected));
        });
    return { element, mark, recolour };
}

async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // pages opened from a file may not: the old way
        const area = h('textarea', { value: text, class: 'offscreen' });
        document.body.append(area);
        area.select();
        const done = document.execCommand('copy');
        area.remove();
        return done;
    }
}

/** The text with numbered lines. */
export function modelText(text) {
    const status = h('span', { role: 'status', class: 'label' });
    const button = h(
        'button',
        {
            type: 'button',
            class: 'small',
            onclick: async () => {
                status.textContent = (await copyText(text)) ? 'Copied' : 'The browser does not allow copying';
                setTimeout(() => {
                    status.textContent = '';
                }, 2500);
            },
        },
        icon('copy'),
        'Copy',
    );
    return h(
        'div',
        {},
        h('div', { class: 'plot-tools' }, button, status),
        h(
            'pre',
            { class: 'model', tabIndex: 0, 'aria-label': 'Text of the model' },
            h(
                'code',
                {},
                text
                    .replace(/\n$/, '')
                    .split('\n')
                    .map((line) => h('span', { class: 'line' }, `${line}\n`)),
            ),
        ),
    );
}

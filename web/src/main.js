// The page of `phlexor report` and `phlexor view`: reads the data that stand in it and puts the parts together.
import { Address } from './address.js';
import { DataError, readReport } from './data.js';
import { familyOf } from './family.js';
import { h, icon, iconButton } from './dom.js';
import { Film } from './film.js';
import { helpDialog } from './help.js';
import { listenToKeys } from './keyboard.js';
import { Modes } from './modes.js';
import { Motion } from './motion.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Stage } from './stage.js';
import { addSensitivities, identification, optimization, sensitivity } from './study.js';
import { certificate, modelText, overview } from './tables.js';
import { tabs } from './tabs.js';
import { addTrails } from './trails.js';
import { themeSwitch } from './theme.js';

const licences = PHLEXOR_LICENCES;
const recolour = []; // what has to be done when the colours change
const theme = themeSwitch(() => recolour.forEach((change) => change()));
const kinds = { simulation: 'Simulation', modes: 'Mode shapes', model: 'Model' };
const studies = { sensitivity: 'Sensitivities', optimization: 'Optimisation', identification: 'Identification' };
const kindOf = (report) =>
    Object.entries(studies).find(([key]) => report[key])?.[1] ?? kinds[report.kind] ?? report.kind;

function header(report, buttons) {
    const status =
        report?.status === 'partial'
            ? h(
                  'span',
                  { class: 'badge warn', title: report.reason ?? '' },
                  report.reason ? `partial: ${report.reason}` : 'partial',
              )
            : null;
    return h(
        'header',
        { class: 'top' },
        h('span', { class: 'logo' }, icon('logo')),
        h(
            'div',
            { class: 'titles' },
            h('h1', {}, report?.title || report?.source || 'Phlexor report'),
            h(
                'div',
                { class: 'subtitle' },
                [report ? kindOf(report) : '', report?.source, report?.program].filter(Boolean).join(' · '),
            ),
        ),
        status,
        h('div', { class: 'top-buttons' }, buttons),
    );
}

/** The parts of the panel that this report has: [name, element]. */
function panelParts(report, stage, player) {
    const parts = [];
    const add = (name, element, change) => {
        parts.push([name, element]);
        if (change) recolour.push(change);
    };
    if (report.sensitivity) add(studies.sensitivity, sensitivity(report));
    for (const [key, make] of Object.entries({ optimization, identification })) {
        if (!report[key]) continue;
        const study = make(report);
        add(studies[key], study.element, study.recolour);
    }
    let plots = null;
    if (report.columns?.time) {
        plots = new Plots(report.columns, player, report);
        add('Plots', plots.element, () => plots.recolour());
    }
    let modes = null;
    if (report.modes) {
        modes = new Modes(report.modes, (row, point) => stage.showMode(row, point));
        stage.onClose = () => modes.choose(null);
        add('Modes', modes.element, () => modes.recolour());
    }
    const about = overview(report, (body) => stage.scene?.select(body));
    add('Overview', about.element, about.recolour);
    if (stage.scene) stage.scene.onSelect = about.mark;
    if (report.certificate?.length) add('Certificate', certificate(report));
    if (report.model) add('Model', modelText(report.model));
    return { parts, plots, modes };
}

function bindKeys({ player, stage, modes, help, tabbed, parts }) {
    const { scene, display, report } = stage;
    const { family } = report;
    const jump = (by) => (event) => player.step(event.shiftKey ? 10 * by : by);
    const nextMode = (by) => () => (stage.mode ? modes.next(by) : false);
    const press = (name) => () => display?.press(name);
    listenToKeys({
        ' ': () => player.toggle(),
        ArrowLeft: jump(-1),
        ArrowRight: jump(1),
        ArrowUp: nextMode(-1),
        ArrowDown: nextMode(1),
        Home: () => player.set(player.range[0]),
        End: () => player.set(player.range[1]),
        '+': () => player.faster(1),
        '=': () => player.faster(1),
        '-': () => player.faster(-1),
        l: () => player.setLoop(!player.loop),
        '[': () => display?.magnify(1 / 2),
        ']': () => display?.magnify(2),
        c: () => display?.nextColour(),
        n: press('bodies'),
        j: press('joints'),
        x: press('frames'),
        g: press('ghost'),
        ',': () => family?.step(-1),
        '.': () => family?.step(1),
        f: () => scene?.fit(),
        t: theme.next,
        '?': help,
        ...Object.fromEntries(parts.map((_, i) => [String(i + 1), () => tabbed.open(i)])),
    });
}

/** The groups of columns that the model file names first, in its order. */
function orderPlots({ opening, columns }) {
    const rank = ({ title, columns: own }) => {
        const place = opening.plots.findIndex(
            (name) => name === title || own.some((column) => `${title}.${column.name}` === name),
        );
        return place < 0 ? opening.plots.length : place;
    };
    columns?.groups.sort((a, b) => rank(a) - rank(b));
}

/** As the model file wants it. */
function openAs({ camera, magnification, colour, trails }, { scene, display }) {
    addTrails(scene, trails);
    if (scene.quantities().some(({ name }) => name === colour)) display.setColour(colour);
    if (magnification !== 1) display.setMagnification(magnification);
    if (camera.some((x) => x !== 0)) scene.fit(camera);
}

/** Everything of the page; what it returns is for tests and for the console. */
function show(report) {
    document.title = report.title ? `${report.title} – Phlexor` : 'Phlexor report';
    if (report.opening) orderPlots(report);
    if (report.sensitivity) addSensitivities(report);
    report.family = familyOf(report);
    const motion = new Motion(report);
    const player = new Player(report.frames.count > 1 ? (report.frames.time ?? null) : null);
    const stage = new Stage(report, motion, player);
    const help = helpDialog(report, licences);
    const panel = h('section', { class: 'panel', 'aria-label': 'Results' });
    document
        .getElementById('page')
        .replaceChildren(
            header(report, [theme.button, iconButton('help', 'Help (?)', help)]),
            h('div', { class: 'layout' }, stage.element, panel),
        );
    if (report.family) {
        player.bar.before(report.family.element);
        recolour.push(() => report.family.recolour());
    }
    stage.build();
    if (stage.scene) recolour.push(() => stage.scene.retheme());

    const { parts, plots, modes } = panelParts(report, stage, player);
    const tabbed = tabs(parts);
    panel.append(tabbed.element);
    player.listen((value, kind) => kind === 'time' && plots?.setTime(value));
    player.set(player.value);
    if (report.kind === 'modes' && modes) {
        tabbed.open(parts.findIndex(([name]) => name === 'Modes'));
        modes.choose(modes.rowsAt(0).find((row) => row.shape && (row.frequency ?? row.omega) > 1e-6) ?? null);
    }
    bindKeys({ player, stage, modes, help, tabbed, parts });
    if (report.opening && stage.scene) openAs(report.opening, stage);
    if (report.sensitivity && !report.opening?.colour) {
        const first = stage.scene?.quantities().find(({ constant }) => constant);
        if (first) stage.display.setColour(first.name);
    }
    const address = new Address(stage, player);
    const film = new Film(report, stage, player, address);
    return { report, motion, player, plots, modes, stage, scene: stage.scene, film };
}

function complain(error) {
    const known = error instanceof DataError;
    document
        .getElementById('page')
        .replaceChildren(
            header(null, []),
            h(
                'div',
                { class: 'failure', role: 'alert' },
                h('h2', {}, 'This report cannot be shown'),
                h('p', {}, known ? error.message : `${error}`),
            ),
        );
    if (!known) throw error;
}

readReport()
    .then((report) => {
        window.phlexor = show(report);
        requestAnimationFrame(() => {
            document.documentElement.dataset.ready = String(Math.round(performance.now()));
        });
    })
    .catch(complain);

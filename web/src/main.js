// The page of `phlexor report` and `phlexor view`: reads the data that stand in it and puts the parts together.
import { DataError, readReport } from './data.js';
import { displayControls, colourLegend } from './display.js';
import { h, icon, iconButton } from './dom.js';
import { number, quantity } from './format.js';
import { helpDialog } from './help.js';
import { listenToKeys } from './keyboard.js';
import { Modes, pointName } from './modes.js';
import { Motion } from './motion.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Scene, hasWebGL } from './scene.js';
import { certificate, modelText, overview } from './tables.js';
import { tabs } from './tabs.js';
import { themeSwitch } from './theme.js';

const licences = PHLEXOR_LICENCES;
const recolour = []; // what has to be done when the colours change
const theme = themeSwitch(() => recolour.forEach((change) => change()));
const kinds = { simulation: 'Simulation', modes: 'Mode shapes', model: 'Model' };

function header(report, buttons) {
    const status = report?.status === 'partial'
        ? h('span', { class: 'badge warn', title: report.reason ?? '' }, report.reason ? `partial: ${report.reason}` : 'partial') : null;
    return h('header', { class: 'top' },
        h('span', { class: 'logo' }, icon('logo')),
        h('div', { class: 'titles' }, h('h1', {}, report?.title || report?.source || 'Phlexor report'),
            h('div', { class: 'subtitle' }, [report ? kinds[report.kind] ?? report.kind : '', report?.source, report?.program].filter(Boolean).join(' · '))),
        status, h('div', { class: 'top-buttons' }, buttons));
}

/** Everything of the page; what it returns is for tests and for the console. */
function show(report) {
    document.title = report.title ? `${report.title} – Phlexor` : 'Phlexor report';
    const page = document.getElementById('page');
    const motion = new Motion(report);
    const times = report.frames.count > 1 ? report.frames.time : null;
    const player = new Player(times ?? null);
    const help = helpDialog(report, licences);

    const view = h('div', { class: 'view' });
    const banner = h('div', { class: 'banner', hidden: true });
    const stage = h('section', { class: 'stage', 'aria-label': 'Mechanism' }, view, player.bar);
    const panel = h('section', { class: 'panel', 'aria-label': 'Results' });
    page.append(header(report, [theme.button, iconButton('help', 'Help (?)', help)]), h('div', { class: 'layout' }, stage, panel));

    // ---- scene ----
    const legend = colourLegend();
    let scene = null;
    let display = null;
    let mode = null; // the row that is shown
    let amplitude = 0.08; // of the extent of the mechanism
    const place = () => {
        if (mode && scene)
            motion.toMode(modeFrame(), mode, amplitude * scene.size, 2 * Math.PI * player.at.phase);
        else
            motion.toTime(player.at.time);
    };
    const modeFrame = () => report.modes.points[mode.point]?.frame ?? 0;
    if (report.frames.count === 0)
        view.append(h('div', { class: 'no-scene' }, h('strong', {}, 'No pose was recorded.'), ' There is nothing to draw.'));
    else if (hasWebGL()) {
        scene = new Scene(view, report, motion);
        scene.onColour = (what) => legend.set(what, mode ? ', at this amplitude' : '');
        scene.restore = place;
        motion.toFrame(0);
        scene.setGhost();
        display = displayControls(scene, report);
        stage.prepend(display.element);
        view.append(legend.element, banner);
        recolour.push(() => scene.retheme());
    } else
        view.append(h('div', { class: 'no-scene', role: 'alert' }, h('strong', {}, 'The scene cannot be shown.'),
            ' This browser has no WebGL 2, or it is switched off. Plots and tables work without it.'));

    // ---- parts of the panel ----
    const parts = [];
    let plots = null;
    if (report.columns?.time) {
        plots = new Plots(report.columns, player);
        parts.push(['Plots', plots.element]);
        recolour.push(() => plots.recolour());
    }
    let modes = null;
    if (report.modes) {
        modes = new Modes(report.modes, (row) => showMode(row));
        parts.push(['Modes', modes.element]);
        recolour.push(() => modes.recolour());
    }
    const about = overview(report, (body) => scene?.select(body));
    parts.push(['Overview', about.element]);
    recolour.push(about.recolour);
    if (scene)
        scene.onSelect = about.mark;
    if (report.certificate?.length)
        parts.push(['Certificate', certificate(report)]);
    if (report.model)
        parts.push(['Model', modelText(report.model)]);
    const tabbed = tabs(parts);
    panel.append(tabbed.element);
    if (report.kind === 'modes')
        tabbed.open(parts.findIndex(([name]) => name === 'Modes'));

    // ---- modes ----
    const amplitudeInput = h('input', { type: 'range', min: 0, max: 0.3, step: 0.001, value: amplitude, 'aria-label': 'Amplitude of the mode shape',
        oninput: () => {
            amplitude = Number(amplitudeInput.value);
            modeChanged();
        } });
    const amplitudeText = h('output', { class: 'readout' });
    const modeChanged = () => {
        scene.mode = mode && { frame: modeFrame(), row: mode, amplitude: amplitude * scene.size };
        amplitudeText.textContent = quantity(amplitude * scene.size, 'm', 2);
        if (scene.colour)
            scene.setRange();
        place();
        scene.update();
    };
    function showMode(row) {
        if (!scene)
            return;
        const before = mode;
        mode = row;
        banner.hidden = !row;
        scene.setMagnification(row ? 1 : display.magnification()); // a mode has its amplitude
        display.allowMagnification(!row);
        if (row) {
            motion.toFrame(Math.min(modeFrame(), Math.max(0, report.frames.count - 1)));
            scene.setGhost();
            if (!before)
                display.setGhost(true);
            const damping = Number.isFinite(row.damping) ? ` · damping ${number(100 * row.damping, 3)} %` : '';
            banner.replaceChildren(h('div', {}, h('strong', {}, `Mode ${row.mode}`),
                ` ${quantity(row.frequency ?? row.omega / (2 * Math.PI), 'Hz', 5)}${damping}`,
                report.modes.points.length > 1 ? h('div', { class: 'label' }, pointName(report.modes, row.point)) : null),
            h('label', { class: 'field' }, h('span', { class: 'label' }, 'Amplitude'), amplitudeInput, amplitudeText),
            h('button', { type: 'button', class: 'small', onclick: () => modes.choose(null) }, times ? 'Back to the motion' : 'Close'));
        } else {
            motion.toFrame(0);
            scene.setGhost();
            display.setGhost(false);
        }
        modeChanged();
        if (!before !== !row) {
            player.pause();
            player.setKind(row ? 'phase' : 'time');
        }
        if (row && !before)
            player.autoplay();
    }

    // ---- time ----
    player.listen((value, kind) => {
        if (scene) {
            place();
            scene.update();
        }
        if (kind === 'time')
            plots?.setTime(value);
    });
    player.set(player.value);
    if (report.kind === 'modes' && modes) {
        const first = modes.rowsAt(0).find((row) => row.shape && (row.frequency ?? row.omega) > 1e-6);
        if (first)
            modes.choose(first);
    }

    const jump = (by) => (event) => player.step(event.shiftKey ? 10 * by : by);
    listenToKeys({
        ' ': () => player.toggle(), ArrowLeft: jump(-1), ArrowRight: jump(1), ArrowUp: () => (mode ? modes.next(-1) : false),
        ArrowDown: () => (mode ? modes.next(1) : false), Home: () => player.set(player.range[0]), End: () => player.set(player.range[1]),
        '+': () => player.faster(1), '=': () => player.faster(1), '-': () => player.faster(-1), l: () => player.setLoop(!player.loop),
        '[': () => display?.magnify(1 / 2), ']': () => display?.magnify(2), c: () => display?.nextColour(), n: () => display?.press('bodies'),
        j: () => display?.press('joints'), x: () => display?.press('frames'), g: () => display?.press('ghost'), f: () => scene?.fit(),
        t: theme.next, '?': help, ...Object.fromEntries(parts.map((_, i) => [String(i + 1), () => tabbed.open(i)])),
    });
    return { report, motion, player, scene, plots, modes };
}

function complain(error) {
    const known = error instanceof DataError;
    document.getElementById('page').replaceChildren(header(null, []), h('div', { class: 'failure', role: 'alert' },
        h('h2', {}, 'This report cannot be shown'), h('p', {}, known ? error.message : `${error}`)));
    if (!known)
        throw error;
}

readReport().then((report) => {
    window.phlexor = show(report);
    requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); });
}).catch(complain);

// Display of the scene: the row of controls above it and the legend inside it.
import { choice, h, iconButton, save, toggle } from './dom.js';
import { quantity } from './format.js';

const MOST = 4; // the slider of the magnification ends at 10^MOST

/** Directions from the mechanism to the eye. */
export const views = { iso: [1.1, -1.5, 0.75], front: [0, -1, 0], side: [1, 0, 0], top: [0, 0, 1] };

export function displayControls(scene, report) {
    const quantities = scene.quantities();
    const setColour = (name) => {
        colour.value = name;
        scene.setColour(name || null);
    };
    const colour = choice(
        'Colour by',
        [['', 'body'], ...quantities.map(({ name, label }) => [name, label])],
        setColour,
    );
    const flexible = report.bodies.some((body) => body.q > 0);

    const slider = h('input', {
        type: 'range',
        min: 0,
        max: MOST,
        step: 0.01,
        value: 0,
        'aria-label': 'Magnification of the deformation',
        oninput: () => magnify(10 ** Number(slider.value)),
    });
    const exact = h('input', {
        type: 'number',
        min: 0,
        step: 'any',
        value: 1,
        'aria-label': 'Magnification of the deformation, a number',
        onchange: () => magnify(Number(exact.value)),
    });
    const magnify = (value) => {
        if (!Number.isFinite(value) || value < 0) value = 1;
        value = Number(value.toPrecision(3));
        exact.value = value;
        slider.value = Math.log10(Math.max(1, value));
        scene.setMagnification(value);
    };
    const shows = {
        bodies: toggle('Bodies', false, (on) => scene.show('bodies', on), { title: 'Names of the bodies (N)' }),
        joints: toggle('Joints', false, (on) => scene.show('joints', on), { title: 'Names of the joints (J)' }),
        frames: toggle('Axes', false, (on) => scene.show('frames', on), {
            title: 'Axes of the bodies and of the ground (X)',
        }),
        ghost: toggle('Start pose', false, (on) => scene.show('ghost', on), { title: 'The pose at the start (G)' }),
        forces: toggle('Forces', true, (on) => scene.show('forces', on), {
            title: 'Outputs that are forces: reactions, springs, contacts',
        }),
        follow: toggle('Follow', scene.shown.follow, (on) => scene.show('follow', on), {
            title: 'The view follows the mechanism',
        }),
    };
    if (report.kind === 'model' && report.bodies.length <= 12) shows.bodies.click();
    const viewButtons = scene.plane
        ? []
        : [
              ['3D', views.iso],
              ['Front', views.front],
              ['Side', views.side],
              ['Top', views.top],
          ].map(([name, direction]) =>
              h('button', { type: 'button', class: 'toggle', onclick: () => scene.fit(direction) }, name),
          );
    const picture = () => scene.picture((blob) => save(blob, 'phlexor.png'));
    const magnification = h('div', { class: 'field' }, h('span', { class: 'label' }, 'Deformation ×'), slider, exact);
    const rows = h(
        'div',
        { class: 'display-rows', id: 'display-rows' },
        quantities.length ? h('div', { class: 'field' }, h('span', { class: 'label' }, 'Colour'), colour) : null,
        flexible ? magnification : null,
        h(
            'div',
            { class: 'field group', role: 'group', 'aria-label': 'Show' },
            h('span', { class: 'label' }, 'Show'),
            shows.bodies,
            shows.joints,
            shows.frames,
            report.frames.count > 1 || report.modes ? shows.ghost : null,
            report.loads.some((load) => load.at) ? shows.forces : null,
            report.frames.count > 1 ? shows.follow : null,
        ),
        h(
            'div',
            { class: 'field group', role: 'group', 'aria-label': 'View' },
            h('span', { class: 'label' }, 'View'),
            viewButtons,
            iconButton('fit', 'Fit into the view (F)', () => scene.fit()),
            iconButton('camera', 'Save a picture', picture),
        ),
    );
    const opener = iconButton(
        'display',
        'Display',
        () => {
            const open = rows.classList.toggle('open');
            opener.setAttribute('aria-expanded', String(open));
        },
        { class: 'icon-button display-opener', 'aria-expanded': 'false', 'aria-controls': 'display-rows' },
    );
    const element = h('div', { class: 'display', role: 'group', 'aria-label': 'Display' }, opener, rows);

    return {
        element,
        press: (name) => shows[name].isConnected && shows[name].click(),
        magnify: (factor) => flexible && magnify(Math.max(1, Number(exact.value) || 1) * factor),
        nextColour: () =>
            setColour(
                ['', ...quantities.map(({ name }) => name)].at((colour.selectedIndex + 1) % (quantities.length + 1)),
            ),
        setGhost: (on) => {
            shows.ghost.setAttribute('aria-pressed', String(on));
            scene.show('ghost', on);
        },
        setColour,
        setMagnification: magnify,
        magnification: () => Number(exact.value),
        allowMagnification: (on) => {
            magnification.hidden = !on;
        },
    };
}

/** The legend of the colours; `set` takes what the scene says of them, `texts` are for who draws a legend elsewhere. */
export function colourLegend() {
    const bar = h('div', { class: 'ramp' });
    const title = h('div', { class: 'ramp-title' });
    const ends = ['low', 'middle', 'high'].map((name) => h('span', { class: name }));
    const element = h(
        'div',
        { class: 'colour-legend', hidden: true },
        title,
        bar,
        h('div', { class: 'ramp-ends' }, ends),
    );
    const legend = { element, texts: null };
    legend.set = (what, note = '') => {
        element.hidden = !what;
        if (!what) return;
        const { section, largest, unsigned, gradient } = what;
        title.textContent =
            (unsigned && !section?.positive ? `|${section?.label ?? ''}|` : (section?.label ?? '')) + note;
        bar.style.background = gradient;
        const unit = section?.unit ?? '';
        ends[0].textContent = unsigned ? '0' : quantity(-largest, unit);
        ends[1].textContent = unsigned ? '' : '0';
        ends[2].textContent = quantity(largest, unit);
        legend.texts = {
            title: title.textContent,
            ends: ends.map(({ textContent }) => textContent),
            stops: gradient.match(/#[0-9a-f]+/g),
        };
    };
    return legend;
}

// The keys, and what the page is made with.
import { h } from './dom.js';

const keys = [
    ['Space', 'play or pause'],
    ['← →', 'one frame back or on; with Shift ten'],
    ['Home End', 'to the start, to the end'],
    ['+ −', 'faster, slower'],
    ['L', 'repeat'],
    ['[ ]', 'less or more magnification of the deformation'],
    ['C', 'next colouring'],
    ['N J', 'names of bodies, of joints'],
    ['X', 'axes of the bodies'],
    ['G', 'start pose'],
    [', .', 'previous or next result of a sweep'],
    ['F', 'fit the mechanism into the view'],
    ['↑ ↓', 'next mode shape (with a mode shown)'],
    ['1 … 5', 'tabs'],
    ['T', 'light or dark'],
    ['?', 'this help'],
];
const gestures = [
    [
        'Scene',
        'drag to turn (in the plane: to move), right button or two fingers to move, wheel or pinch to zoom, double click to fit, click a body to mark it',
    ],
    [
        'Plots',
        'move to set the time, drag to zoom, Shift and drag to move, Ctrl and wheel to zoom, double click for the whole time; one finger sets the time, two zoom',
    ],
];

/** A dialog with a function that opens and closes it. `licences`: name, version and text of what is bundled. */
export function helpDialog(report, licences) {
    const dialog = h('dialog', { class: 'help', 'aria-label': 'Help' });
    const rows = (list) =>
        h(
            'table',
            { class: 'pairs' },
            h(
                'tbody',
                {},
                list.map(([key, what]) =>
                    h(
                        'tr',
                        {},
                        h(
                            'th',
                            { scope: 'row' },
                            key.split(' ').map((part) => h('kbd', {}, part)),
                        ),
                        h('td', {}, what),
                    ),
                ),
            ),
        );
    dialog.append(
        h(
            'div',
            { class: 'help-body' },
            h(
                'div',
                { class: 'help-head' },
                h('h2', {}, 'Keys and gestures'),
                h('button', { type: 'button', class: 'small', onclick: () => dialog.close() }, 'Close'),
            ),
            rows(keys),
            h(
                'dl',
                {},
                gestures.map(([where, what]) => [h('dt', {}, where), h('dd', {}, what)]),
            ),
            h('h2', {}, 'About'),
            h('p', {}, `${report?.program ?? 'Phlexor'}. This page needs no network. It contains:`),
            licences.map(({ name, version, text }) =>
                h('details', {}, h('summary', {}, `${name} ${version}`), h('pre', {}, text)),
            ),
        ),
    );
    dialog.addEventListener('click', (event) => {
        if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    return () => (dialog.open ? dialog.close() : dialog.showModal());
}

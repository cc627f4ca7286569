// Tabs: one panel at a time, arrow keys move between them.
import { h } from './dom.js';

/** `panels`: [name, element] in order. Returns the element and `open(index)`. */
export function tabs(panels) {
    const buttons = panels.map(([name], i) =>
        h(
            'button',
            { type: 'button', role: 'tab', id: `tab-${i}`, 'aria-controls': `panel-${i}`, onclick: () => open(i) },
            name,
        ),
    );
    const hosts = panels.map(([, element], i) =>
        h('div', { role: 'tabpanel', id: `panel-${i}`, 'aria-labelledby': `tab-${i}`, class: 'tab-panel' }, element),
    );
    const list = h('div', { role: 'tablist', 'aria-label': 'Parts of the report', class: 'tabs' }, buttons);
    const open = (index) => {
        if (!panels[index]) return;
        buttons.forEach((button, i) => {
            button.setAttribute('aria-selected', String(i === index));
            button.tabIndex = i === index ? 0 : -1;
            hosts[i].hidden = i !== index;
        });
    };
    list.addEventListener('keydown', (event) => {
        const now = buttons.indexOf(document.activeElement);
        const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
        if (next === undefined || now < 0) return;
        event.preventDefault();
        const to = (next + buttons.length) % buttons.length;
        open(to);
        buttons[to].focus();
    });
    open(0);
    return { element: h('div', { class: 'tab-box' }, list, hosts), open };
}

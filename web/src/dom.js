// Small helpers to make elements. Text is always set as text, never as markup: names come from users' files.

/** An element with properties and children. `on...` are listeners, `class` and `aria-*` attributes. */
export function h(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'class') element.className = value;
        else if (key.includes('-') || !(key in element)) element.setAttribute(key, value === true ? '' : value);
        else element[key] = value;
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
}

const paths = {
    play: 'M7 4.5v15l12.5-7.5z',
    pause: 'M6.5 5h4v14h-4zM13.5 5h4v14h-4z',
    first: 'M5 5h2.5v14H5zM20 5v14L9 12z',
    last: 'M16.5 5H19v14h-2.5zM4 5v14l11-7z',
    back: 'M15.5 5v14L6 12z',
    forward: 'M8.5 5v14L18 12z',
};
const strokes = {
    loop: 'M4 11a6 6 0 0 1 6-6h7m-3-3 3 3-3 3M20 13a6 6 0 0 1-6 6H7m3 3-3-3 3-3',
    logo: 'M4.5 18.5 9 6.5l9.5 3.5 1 8.5M4.5 18.5h15M9 5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM18.5 8.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
    help: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.6v.4',
    sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.700M17.3 17.3 19 19M5 19l1.7-1.700M17.3 6.7 19 5',
    moon: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
    auto: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 4v16M15 5v14M17.5 6.5v11',
    fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
    camera: 'M4 7.5h3.5L9 5h6l1.5 2.5H20v11H4zM12 10a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
    copy: 'M8 8V4h12v12h-4M4 8h12v12H4z',
    display:
        'M4 7h9m5 0h2M4 17h3m5 0h8M15.5 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM9.5 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
    film: 'M4 6h11v12H4zM15 10.5l5-3v9l-5-3',
    stop: 'M7 7h10v10H7z',
    link: 'M10 13.5a3.5 3.5 0 0 0 5 0l3-3a3.5 3.5 0 0 0-5-5l-1 1M14 10.5a3.5 3.5 0 0 0-5 0l-3 3a3.5 3.5 0 0 0 5 5l1-1',
    plus: 'M12 5v14M5 12h14',
    minus: 'M5 12h14',
    left: 'M14 6l-6 6 6 6',
    right: 'M10 6l6 6-6 6',
};

/** An icon of 24 x 24 units. */
export function icon(name) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    svg.setAttribute('class', name in paths ? 'icon solid' : 'icon');
    path.setAttribute('d', paths[name] ?? strokes[name]);
    svg.append(path);
    return svg;
}

/** A button with an icon; `label` is read out and shown as its title. */
export function iconButton(name, label, action, properties = {}) {
    return h(
        'button',
        { type: 'button', class: 'icon-button', title: label, 'aria-label': label, onclick: action, ...properties },
        icon(name),
    );
}

export function setIcon(button, name, label) {
    button.replaceChildren(icon(name));
    button.title = label;
    button.setAttribute('aria-label', label);
}

/** A button that is on or off. */
export function toggle(label, on, action, properties = {}) {
    const button = h('button', { type: 'button', class: 'toggle', 'aria-pressed': String(on), ...properties }, label);
    button.addEventListener('click', () => {
        const next = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(next));
        action(next);
    });
    return button;
}

/** A select with its label; options are [value, text]. */
export function choice(label, options, action) {
    const select = h(
        'select',
        { 'aria-label': label, onchange: () => action(select.value) },
        options.map(([value, text]) => h('option', { value }, text)),
    );
    return select;
}

/** Hands a file to the reader. */
export function save(blob, name) {
    const link = h('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Whether the reader asked for less movement. */
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

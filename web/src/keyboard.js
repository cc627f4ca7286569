// Keys that work wherever the focus is, unless the element that has it uses them itself.

const writes = (target) =>
    target.closest('textarea, select, [contenteditable], input:not([type=range], [type=checkbox])');
const presses = (target) => target.closest('button, summary, a, input[type=checkbox]');
const slides = (target) => target.closest('input[type=range], [role=tab], pre');

/** `actions`: from a key to a function of the event. */
export function listenToKeys(actions) {
    document.addEventListener('keydown', (event) => {
        const { target, key } = event;
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !(target instanceof Element))
            return;
        if (document.querySelector('dialog[open]') && key !== '?') return;
        if (
            writes(target) ||
            (key === ' ' && presses(target)) ||
            (/^(Arrow|Home|End|Page)/.test(key) && slides(target))
        )
            return;
        const action = actions[key.length === 1 ? key.toLowerCase() : key];
        if (action && action(event) !== false) event.preventDefault();
    });
}

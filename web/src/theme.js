// Light and dark: what the system says, or what the reader chose (kept where the browser keeps anything).
import { iconButton, setIcon } from './dom.js';

const key = 'phlexor-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const faces = {
    auto: ['auto', 'Theme: as the system (T)'],
    light: ['sun', 'Theme: light (T)'],
    dark: ['moon', 'Theme: dark (T)'],
};

function kept() {
    try {
        const value = localStorage.getItem(key);
        return value in faces ? value : 'auto';
    } catch {
        return 'auto';
    }
}

/** A button that goes through the three choices; `changed` is called after each change of colours. */
export function themeSwitch(changed) {
    let choice = kept();
    const button = iconButton(...faces[choice], () => next());
    const apply = () => {
        document.documentElement.dataset.theme = choice === 'auto' ? (dark.matches ? 'dark' : 'light') : choice;
        setIcon(button, ...faces[choice]);
    };
    const next = () => {
        const order = dark.matches ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light'];
        choice = order[(order.indexOf(choice) + 1) % 3];
        try {
            localStorage.setItem(key, choice);
        } catch {
            /* a page opened from a file may have nowhere to keep it */
        }
        apply();
        changed();
    };
    dark.addEventListener('change', () => {
        apply();
        changed();
    });
    apply();
    return { button, next };
}

// The view in the address of the page: #t=0.5&view=...&colour=von_mises&magnify=10 opens the page as it was.
// `view` is the position of the eye, the point looked at and the zoom: seven numbers.
const SETTLED = 300; // ms after the reader's last action
const DIGITS = 6;

const short = (value) => Number(value.toPrecision(DIGITS));

export class Address {
    constructor(stage, player) {
        Object.assign(this, { stage, player });
        if (!stage.scene) return;
        this.read();
        window.addEventListener('hashchange', () => this.read());
        for (const action of ['pointerup', 'keyup', 'wheel', 'change'])
            document.addEventListener(action, () => this.later(), { passive: true });
    }

    /** Writes the address when nothing moves any more: one entry of the history, whatever the reader does. */
    later() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => (this.player.playing ? null : this.write()), SETTLED);
    }

    get text() {
        const { scene, display, mode } = this.stage;
        const { camera, controls } = scene;
        const parts = { t: short(this.player.at.time) };
        if (mode) delete parts.t;
        parts.view = [...camera.position, ...controls.target, camera.zoom].map(short).join(',');
        if (scene.colour) parts.colour = scene.colour;
        if (display.magnification() !== 1) parts.magnify = display.magnification();
        return `#${Object.entries(parts)
            .map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
            .join('&')}`;
    }

    write() {
        const { text } = this;
        if (text === location.hash) return;
        try {
            history.replaceState(history.state, '', text);
        } catch {
            /* a page inside another one may have no address */
        }
    }

    /** Shows what the address says; what it does not know stays as it is. */
    read() {
        const { scene, display } = this.stage;
        const parts = new URLSearchParams(location.hash.slice(1));
        const number = (key) => (parts.get(key)?.trim() ? Number(parts.get(key)) : NaN);
        const colour = parts.get('colour');
        if (scene.quantities().some(({ name }) => name === colour)) display.setColour(colour);
        if (number('magnify') >= 0) display.setMagnification(number('magnify'));
        if (Number.isFinite(number('t'))) this.player.set(number('t')); // before the view, which may follow it
        if (parts.has('view')) this.look(parts.get('view').split(',').map(Number));
    }

    /** Places the camera; numbers that are none or too few change nothing. */
    look(view) {
        const { scene } = this.stage;
        const [x, y, z, ...rest] = view;
        if (view.length < 6 || !view.every(Number.isFinite)) return;
        scene.camera.position.set(x, y, z);
        scene.controls.target.set(...rest.slice(0, 3));
        scene.camera.zoom = rest[3] > 0 ? rest[3] : 1;
        scene.camera.updateProjectionMatrix();
        scene.controls.update();
        scene.draw();
    }
}

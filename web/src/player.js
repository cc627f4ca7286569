// The clock of the page: time of a motion or phase of a mode shape, with its bar of buttons.
import { calm, h, iconButton, setIcon } from './dom.js';
import { count, fixed, number } from './format.js';

const speeds = [
    1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e4,
    1e5,
];

/** The speed at which `duration` seconds play in a time that one likes to watch; 1 when that will do. */
function pleasant(duration) {
    if (!(duration > 0) || (duration >= 2.5 && duration <= 60)) return 1;
    const wanted = duration / 12;
    return speeds.reduce((best, speed) =>
        Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best,
    );
}

export class Player {
    /** `times` of the frames, or null when nothing moves. */
    constructor(times) {
        this.times = times;
        this.listeners = [];
        this.playing = false;
        this.loop = true;
        this.speeds = { time: pleasant(times ? times.at(-1) - times[0] : 0), phase: 0.5 };
        this.at = { time: times?.[0] ?? 0, phase: 0 };
        this.kind = 'time';
        this.makeBar();
        this.setKind('time');
    }

    get value() {
        return this.at[this.kind];
    }

    get speed() {
        return this.speeds[this.kind];
    }

    get range() {
        return this.kind === 'phase' ? [0, 1] : this.times ? [this.times[0], this.times.at(-1)] : [0, 0];
    }

    /** `listener` is told of every change of time and of what kind it is. */
    listen(listener) {
        this.listeners.push(listener);
    }

    makeBar() {
        this.playButton = iconButton('play', 'Play (space)', () => this.toggle(), { class: 'icon-button play' });
        this.scrub = h('input', {
            type: 'range',
            class: 'scrub',
            'aria-label': 'Time',
            step: 'any',
            oninput: () => this.set(Number(this.scrub.value)),
        });
        this.readout = h('output', { class: 'readout', 'aria-live': 'off' });
        this.frameReadout = h('span', { class: 'frame-readout' });
        this.loopButton = h('span');
        this.loopButton = iconButton('loop', 'Repeat (L)', () => this.setLoop(!this.loop), { 'aria-pressed': 'true' });
        this.speedSelect = h(
            'select',
            {
                'aria-label': 'Speed',
                title: 'Speed (+ and −)',
                onchange: () => this.setSpeed(Number(this.speedSelect.value)),
            },
            speeds.map((speed) => h('option', { value: String(speed) }, `${number(speed)}×`)),
        );
        this.bar = h(
            'div',
            { class: 'player', role: 'group', 'aria-label': 'Playback' },
            h(
                'div',
                { class: 'transport' },
                iconButton('first', 'To the start (Home)', () => this.set(this.range[0])),
                iconButton('back', 'One frame back (←)', () => this.step(-1)),
                this.playButton,
                iconButton('forward', 'One frame on (→)', () => this.step(1)),
                iconButton('last', 'To the end (End)', () => this.set(this.range[1])),
            ),
            this.scrub,
            h('div', { class: 'readouts' }, this.readout, this.frameReadout),
            h('div', { class: 'rate' }, this.loopButton, this.speedSelect),
        );
    }

    /** 'time', or 'phase' of a mode shape (in periods). */
    setKind(kind) {
        this.kind = kind;
        const [low, high] = this.range;
        this.scrub.min = low;
        this.scrub.max = high;
        this.scrub.setAttribute('aria-label', kind === 'phase' ? 'Phase of the mode' : 'Time');
        this.bar.hidden = kind === 'time' && !(this.times?.length > 1);
        this.speedSelect.value = String(this.speed);
        this.speedSelect.title = kind === 'phase' ? 'Periods a second (+ and −)' : 'Speed (+ and −)';
        this.set(this.value);
    }

    set(value) {
        const [low, high] = this.range;
        if (!Number.isFinite(value)) return;
        this.at[this.kind] = Math.min(high, Math.max(low, value));
        this.show();
        for (const listener of this.listeners) listener(this.value, this.kind);
    }

    show() {
        const { value, kind } = this;
        const [low, high] = this.range;
        this.scrub.value = value;
        this.scrub.style.setProperty('--done', `${(100 * (value - low)) / (high - low || 1)}%`);
        const step = (high - low) / 2000;
        const text = kind === 'phase' ? `${Math.round(360 * value)}°` : `${fixed(value, step)} s`;
        this.readout.textContent = text;
        this.scrub.setAttribute('aria-valuetext', text);
        this.frameReadout.textContent =
            kind === 'phase' ? '' : `frame ${count(this.frame() + 1)} / ${count(this.times?.length ?? 0)}`;
    }

    /** The number of the frame at or before now. */
    frame() {
        const { times } = this;
        if (!times) return 0;
        let low = 0;
        let high = times.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (times[middle] <= this.at.time * (1 + 1e-12)) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    step(by) {
        this.pause();
        if (this.kind === 'phase') return this.set((this.value + by / 24 + 1) % 1);
        if (!this.times) return undefined;
        let frame = this.frame();
        // Between two frames a step back goes to the one before.
        frame += by < 0 && this.at.time > this.times[frame] * (1 + 1e-12) + 1e-300 ? by + 1 : by;
        return this.set(this.times[Math.min(this.times.length - 1, Math.max(0, frame))]);
    }

    setLoop(on) {
        this.loop = on;
        this.loopButton.setAttribute('aria-pressed', String(on));
    }

    setSpeed(speed) {
        this.speeds[this.kind] = speed;
        this.speedSelect.value = String(speed);
    }

    faster(by) {
        const now = speeds.indexOf(this.speed);
        this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, now + by))]);
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }

    play() {
        const [low, high] = this.range;
        if (this.playing || !(high > low)) return;
        if (this.kind === 'time' && this.value >= high) this.set(low);
        this.playing = true;
        setIcon(this.playButton, 'pause', 'Pause (space)');
        let before = performance.now();
        const tick = (now) => {
            if (!this.playing) return;
            this.advance(Math.min(0.1, Math.max(0, now - before) / 1000) * this.speed);
            before = now;
            this.request = requestAnimationFrame(tick);
        };
        this.request = requestAnimationFrame(tick);
    }

    advance(by) {
        const [low, high] = this.range;
        let next = this.value + by;
        if (this.kind === 'phase') next %= 1;
        else if (next > high && this.loop) next = low + ((next - high) % (high - low));
        this.set(next);
        if (this.kind === 'time' && next >= high && !this.loop) this.pause();
    }

    pause() {
        if (!this.playing) return;
        this.playing = false;
        cancelAnimationFrame(this.request);
        setIcon(this.playButton, 'play', 'Play (space)');
        this.listeners.forEach((listener) => listener(this.value, this.kind));
    }

    /** Mode shapes start by themselves, unless the reader asked for less movement. */
    autoplay() {
        if (!calm()) this.play();
    }
}

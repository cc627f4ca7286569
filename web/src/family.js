// The results of a sweep: a slider for each parameter chooses the one in front.
import { css, ramp } from './colours.js';
import { h } from './dom.js';
import { number } from './format.js';

/** The family that a report and its others are: all have values of the same parameters. null: they are none. */
export function familyOf(report) {
    const members = [report, ...(report.others ?? [])];
    const names = Object.keys(report.sweep ?? {}).filter((name) =>
        members.every(({ sweep }) => Number.isFinite(sweep?.[name])),
    );
    const varying = names.filter((name) => new Set(members.map(({ sweep }) => sweep[name])).size > 1);
    return varying.length > 0 ? new Family(members, varying) : null;
}

class Family {
    /** `front`: the number of the member in front, `by`: the parameter that gives the colours. */
    constructor(members, names) {
        Object.assign(this, { members, names, front: 0, by: names[0], listeners: [] });
        this.levels = new Map(
            names.map((name) => [name, [...new Set(members.map(({ sweep }) => sweep[name]))].sort((a, b) => a - b)]),
        );
        this.rows = names.map((name) => this.row(name));
        this.source = h('span', { class: 'label' });
        this.hide = h('input', { type: 'checkbox', checked: true, onchange: () => this.tell() });
        this.element = h(
            'div',
            { class: 'family', role: 'group', 'aria-label': 'Sweep' },
            this.rows.map(({ element }) => element),
            h('label', { class: 'check' }, this.hide, `all ${members.length}`),
            this.source,
        );
        this.recolour();
    }

    row(name) {
        const levels = this.levels.get(name);
        const input = h('input', {
            type: 'range',
            min: 0,
            max: levels.length - 1,
            step: 1,
            'aria-label': name,
            oninput: () => this.move(name, Number(input.value)),
        });
        const text = h('output', { class: 'readout' });
        const scale = h('div', { class: 'scale' });
        const element = h(
            'div',
            { class: 'family-row' },
            h('span', { class: 'label' }, name),
            h('div', {}, input, scale),
            text,
        );
        return { name, input, text, scale, element };
    }

    listen(listener) {
        this.listeners.push(listener);
    }

    tell() {
        for (const listener of this.listeners) listener(this.front);
    }

    level(member, name) {
        return this.levels.get(name).indexOf(this.members[member].sweep[name]);
    }

    /** The member with this level of a parameter whose other levels are nearest to those in front. */
    move(name, level) {
        const far = (member) =>
            this.names.reduce(
                (sum, other) =>
                    sum +
                    (other === name
                        ? 1e6 * Math.abs(this.level(member, name) - level)
                        : Math.abs(this.level(member, other) - this.level(this.front, other))),
                0,
            );
        this.by = name;
        this.choose(this.members.reduce((best, _, member) => (far(member) < far(best) ? member : best), 0));
    }

    /** The next level of the parameter that was moved last. */
    step(by) {
        const level = this.level(this.front, this.by) + by;
        if (level >= 0 && level < this.levels.get(this.by).length) this.move(this.by, level);
    }

    choose(member) {
        this.front = member;
        this.recolour();
        this.tell();
    }

    /** The colour of a member: its place among the levels of the parameter that was moved last. */
    colour(member) {
        const count = this.levels.get(this.by).length;
        const at = 3 * Math.round((255 * this.level(member, this.by)) / (count - 1));
        return this.ramp.linear.subarray(at, at + 3);
    }

    /** The same as css. */
    stroke(member, opacity = 1) {
        const srgb = [...this.colour(member)].map((x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
        return `rgb(${srgb.map((x) => Math.round(255 * x)).join(' ')} / ${opacity})`;
    }

    recolour() {
        this.ramp = ramp('family');
        this.source.textContent = this.members[this.front].source;
        for (const { name, input, text, scale } of this.rows) {
            input.value = this.level(this.front, name);
            text.textContent = number(this.members[this.front].sweep[name]);
            scale.style.background = name === this.by ? this.ramp.gradient : css('--line');
        }
    }
}

// Numbers for readers.

const minus = (text) => text.replaceAll('-', '−');

/** A number with so many significant digits. */
export function number(value, digits = 5) {
    if (typeof value !== 'number') return value === null || value === undefined ? '–' : String(value);
    if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : '−∞';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e6) return minus(String(value));
    if (size < 1e-3 || size >= 10 ** Math.max(digits, 6))
        return minus(
            value
                .toExponential(Math.min(digits - 1, 3))
                .replace(/\.?0+e/, 'e')
                .replace('e+', 'e'),
        );
    return minus(String(Number(value.toPrecision(digits))));
}

const prefixes = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
    [1e-9, 'n'],
];

/** A number with its unit, prefixed where the unit takes a prefix: 2.1 kN m, 140 MPa. */
export function quantity(value, unit = '', digits = 3) {
    if (!/^(N|Pa|J|W|m|Hz)( |$)/.test(unit) || !Number.isFinite(value) || value === 0)
        return unit && unit !== '1' ? `${number(value, digits)} ${unit}` : number(value, digits);
    const size = Math.abs(value) * (1 + 0.5 * 10 ** -digits);
    const [scale, prefix] = prefixes.find(([least]) => size >= least) ?? [1, ''];
    return `${number(value / scale, digits)} ${prefix}${unit}`;
}

/** So many digits that steps of `step` are seen in a number up to `largest`. */
export function fixed(value, step) {
    if (!Number.isFinite(value)) return '–';
    const decimals = step > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : 3;
    return minus(value.toFixed(decimals));
}

/** 12,345 with thin spaces. */
export const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');

/** "bending_moment_z" as a reader writes it. */
export const words = (name) => name.replaceAll('_', ' ');

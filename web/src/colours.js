// Colours of bodies, curves and scales.
import { Color } from 'three';

/** Distinct for readers with any colour vision, in both themes. */
const palettes = {
    light: [
        '#2f6fb7',
        '#c9651b',
        '#2b8a6b',
        '#a8477f',
        '#7b6ac0',
        '#8a7a1e',
        '#3f9ab8',
        '#b04444',
        '#5f6f80',
        '#4f8f2f',
    ],
    dark: [
        '#6aa9ee',
        '#ee9a55',
        '#55c39d',
        '#dd86b8',
        '#ab9cf0',
        '#cdbb55',
        '#71c8e4',
        '#ea8080',
        '#a3b1c2',
        '#8fca6a',
    ],
};

export const theme = () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');
export const categorical = (i) => palettes[theme()][i % 10];
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Stops from the least to the largest value. */
const scales = {
    magnitude: {
        light: ['#dfe6ee', '#9cc3dc', '#4f93c4', '#3a62a8', '#5b3c8c', '#8c2a72', '#b8204a'],
        dark: ['#3a4350', '#32618c', '#3d8ec2', '#63bfb0', '#b7d66a', '#f3c94f', '#fb8b4b'],
    },
    family: {
        light: ['#3b4cc0', '#1f83b5', '#1c9a7c', '#7fa11f', '#d08a10', '#c23b22'],
        dark: ['#7f96ff', '#4db4e6', '#4fcfae', '#b5d655', '#f5bd50', '#ff7f66'],
    },
    signed: {
        light: ['#0b4f9c', '#3a83c6', '#93bfe0', '#d5dae0', '#eeb08f', '#d5653f', '#a3201c'],
        dark: ['#66b4ff', '#3f86d0', '#325a85', '#454d58', '#8a4d3c', '#d3714c', '#ffab7d'],
    },
};

/** 256 colours of a scale: `srgb` as css, `linear` as the renderer takes them. */
export function ramp(kind) {
    const stops = scales[kind][theme()].map((text) => new Color().setStyle(text).getRGB({}, 'srgb'));
    const linear = new Float32Array(3 * 256);
    const colour = new Color();
    for (let i = 0; i < 256; i++) {
        const x = (i / 255) * (stops.length - 1);
        const k = Math.min(Math.floor(x), stops.length - 2);
        const mix = (key) => stops[k][key] + (x - k) * (stops[k + 1][key] - stops[k][key]);
        colour.setRGB(mix('r'), mix('g'), mix('b'), 'srgb').toArray(linear, 3 * i);
    }
    return { linear, gradient: `linear-gradient(to right, ${scales[kind][theme()].join(', ')})` };
}

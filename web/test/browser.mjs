// A headless browser for the tests of the page, and what they ask of a page.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const quiet = [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-default-apps',
];
// The page itself is drawn by the processor, which takes less of it than by an imitated graphics card.
const drawing = [
    '--disable-gpu-rasterization',
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
];

/** A browser at `executablePath`; `webgl` says whether it draws in three dimensions. */
export function launch(executablePath, webgl = true) {
    const { chromium } = createRequire(resolve('node_modules/here.js'))('playwright-core');
    return chromium.launch({
        executablePath,
        args: [...quiet, ...(webgl ? drawing : ['--disable-gpu', '--disable-3d-apis'])],
    });
}

/**
 * A function that opens html in a window, through a file in `folder`. A window is used again, without what the last page
 * stored, which takes a fifth less than a new one.
 */
export function opener(browser, folder, pictures) {
    let files = 0;
    const windows = new Map();
    if (pictures) mkdirSync(pictures, { recursive: true });
    // Whatever a page says on the console, asks of the network or throws is collected.
    async function window(from, touch) {
        const known = windows.get(from)?.[touch];
        if (known) {
            await known.evaluate(() => localStorage.clear());
            await known.goto('about:blank');
            await known.mouse.move(0, 0);
            return known;
        }
        const tab = await (await from.newContext({ hasTouch: touch })).newPage();
        windows.set(from, { ...windows.get(from), [touch]: tab });
        // What a page is asked for it answers as drawn: a frame that is due is drawn first.
        const evaluate = tab.evaluate.bind(tab);
        tab.evaluate = async (...asked) => {
            await evaluate(() => new Promise((done) => (globalThis.phlexor?.scene?.pending ? requestAnimationFrame(done) : done())));
            return evaluate(...asked);
        };
        tab.on('console', (message) => tab.noise.push(`${message.type()}: ${message.text()}`));
        tab.on('pageerror', (error) => tab.noise.push(`thrown: ${error.stack}`));
        tab.on('request', (request) => {
            if (!/^(file|data|blob|about):/.test(request.url())) tab.noise.push(`request: ${request.url()}`);
        });
        tab.picture = async (name) => pictures && tab.screenshot({ path: join(pictures, `${name}.png`) });
        tab.now = () => tab.evaluate(() => phlexor.player.value);
        tab.done = async () => assert.deepEqual(tab.noise, [], 'the page is silent');
        return tab;
    }
    return async function open(
        html,
        { size: [width, height] = [1440, 900], dark = false, calm = true, touch = false, from = browser } = {},
    ) {
        const file = join(folder, `page-${files++}.html`);
        writeFileSync(file, html);
        const tab = await window(from, touch);
        tab.noise = [];
        await tab.setViewportSize({ width, height });
        await tab.emulateMedia({
            colorScheme: dark ? 'dark' : 'light',
            reducedMotion: calm ? 'reduce' : 'no-preference',
        });
        await tab.goto(pathToFileURL(file).href);
        await tab.waitForSelector('html[data-ready], .failure', { timeout: 60000 });
        return tab;
    };
}

/** How many pixels of the scene look like each of the colours (css hex), and how many differ from its most common one. */
export async function pixels(tab, colours = []) {
    const png = await tab.locator('.view').screenshot();
    return tab.evaluate(
        async ([data, wanted]) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = Object.assign(document.createElement('canvas'), {
                width: image.width,
                height: image.height,
            });
            const context = canvas.getContext('2d', { willReadFrequently: true });
            context.drawImage(image, 0, 0);
            const { data: rgba } = context.getImageData(0, 0, image.width, image.height);
            const counts = new Map();
            const found = wanted.map(() => 0);
            const directions = wanted.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
            for (let i = 0; i < rgba.length; i += 4) {
                const [r, g, b] = [rgba[i], rgba[i + 1], rgba[i + 2]];
                const key = (r << 16) | (g << 8) | b;
                counts.set(key, (counts.get(key) ?? 0) + 1);
                directions.forEach(([x, y, z], k) => {
                    const dot = r * x + g * y + b * z;
                    if (
                        dot * dot > 0.985 * (r * r + g * g + b * b) * (x * x + y * y + z * z) &&
                        r + g + b > 60 &&
                        Math.max(r, g, b) - Math.min(r, g, b) > 50
                    )
                        found[k]++;
                });
            }
            return { found, other: image.width * image.height - Math.max(...counts.values()) };
        },
        [png.toString('base64'), colours],
    );
}

export const near = (value, wanted, tolerance, what) =>
    assert.ok(Math.abs(value - wanted) <= tolerance, `${what}: ${value}, wanted ${wanted} within ${tolerance}`);
export const key = (tab, ...keys) =>
    keys.reduce((before, k) => before.then(() => tab.keyboard.press(k)), Promise.resolve());
export const settle = (tab) =>
    tab.evaluate(
        () =>
            new Promise((done) => {
                requestAnimationFrame(() => requestAnimationFrame(done));
            }),
    );
export const plotBox = (tab, i) => tab.locator('.plot .u-over').nth(i).boundingBox();

/** In the page: how far the points of joints that hold points are apart over the motion, over the mechanism's extent. */
export function jointGap() {
    const { scene, report, player } = phlexor;
    const matrix = scene.camera.matrix.clone();
    let gap = 0;
    for (let k = 0; k <= 20; k++) {
        player.set(player.range[0] + ((player.range[1] - player.range[0]) * k) / 20);
        for (const joint of report.joints.filter(({ kind }) => report.joint_kinds[kind].holds_points)) {
            const a = [0, 0, 0],
                b = [0, 0, 0];
            scene.attached.portAt(joint.a, a, matrix);
            scene.attached.portAt(joint.b, b, matrix);
            gap = Math.max(gap, Math.hypot(...a.map((x, i) => x - b[i])));
        }
    }
    return gap / scene.size;
}

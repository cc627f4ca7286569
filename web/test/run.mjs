// Opens the page in a headless browser and uses it.
//
//   node test/run.mjs --page PAGE.html --browser CHROMIUM [--pictures FOLDER] [--only TEXT]
//                     [--program PHLEXOR --examples FOLDER]
//
// in a directory with node_modules (playwright-core). Prints a line for each check (with --only those whose name has
// TEXT); pictures of the page go to FOLDER for people to look at. With --program its own reports are opened, too. Ends
// with 77 (skipped) when there is no browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { jointGap, key, launch, near, opener, pixels, plotBox, settle } from './browser.mjs';
import * as sample from './sample.mjs';

const given = Object.fromEntries(
    ['page', 'browser', 'pictures', 'only', 'program', 'examples'].map((name) => [name, { type: 'string' }]),
);
const {
    page: pagePath,
    browser: browserPath,
    pictures,
    only,
    program,
    examples,
} = parseArgs({ options: given }).values;
if (!browserPath || !existsSync(browserPath)) {
    console.log('SKIP: no browser to open the page in (Debian: chromium)');
    process.exit(77);
}
const page = readFileSync(pagePath, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'phlexor-page-'));
const browser = await launch(browserPath);
const open = opener(browser, folder, pictures);
const show = (report, options) => open(sample.fill(page, report), options);
const checks = [];
const check = (name, run) => checks.push([name, run]);

// ---- the scene ----
check('a plane mechanism is drawn where its arrays say', async () => {
    const tab = await show(sample.plane());
    await tab.picture('plane');
    assert.match(await tab.title(), /Slider crank/);
    const { found } = await pixels(tab, ['#2f6fb7', '#c9651b']);
    assert.ok(found[0] > 400 && found[1] > 400, `pixels of crank and coupler: ${found}`);
    // The pins are seen in front of the crank.
    await tab.evaluate(() => {
        const { attached } = phlexor.scene;
        for (const { solid } of attached.joints) solid.visible = false;
        attached.crowd.update();
        phlexor.scene.draw();
    });
    await settle(tab);
    const bare = (await pixels(tab, ['#2f6fb7'])).found[0];
    assert.ok(bare > found[0] + 60, `pixels of the crank without the pins: ${bare}, with them: ${found[0]}`);
    // Between two frames: the crank turns evenly, and the pins hold.
    const worst = await tab.evaluate(() => {
        const { scene, motion, report, player } = phlexor;
        const matrix = scene.camera.matrix.clone();
        let gap = 0,
            angle = 0;
        for (const time of [0, 0.1234, 1.8765, 3.99999, 4]) {
            player.set(time);
            for (const joint of report.joints.slice(0, 2)) {
                const a = [0, 0, 0],
                    b = [0, 0, 0];
                scene.attached.portAt(joint.a, a, matrix);
                scene.attached.portAt(joint.b, b, matrix);
                gap = Math.max(gap, Math.hypot(...a.map((x, k) => x - b[k])));
            }
            const turned = 2 * Math.atan2(motion.pose[6], motion.pose[3]);
            angle = Math.max(angle, Math.abs(Math.sin((turned - 0.6 - Math.PI * time) / 2)));
        }
        return { gap, angle };
    });
    near(worst.gap, 0, 3e-5, 'gap of the pins (m)'); // chord of an arc of 0.025 rad and single precision
    near(worst.angle, 0, 1e-6, 'angle of the crank');
    await tab.done();
});

check('a beam bends by its shapes times its coordinates', async () => {
    const tab = await show(sample.space());
    await tab.picture('space');
    const { found } = await pixels(tab, ['#2f6fb7', '#c9651b', '#2b8a6b']);
    found.forEach((n, i) => assert.ok(n > 200, `pixels of body ${i}: ${n}`));
    const tip = await tab.evaluate(() => {
        phlexor.player.set(5);
        document.querySelector('.display input[type=number]').value = '10';
        document.querySelector('.display input[type=number]').dispatchEvent(new Event('change'));
        return [...phlexor.scene.bodies[1].bent.slice(-3)];
    });
    const wave = Math.sin(1.7 * 5),
        other = Math.cos(1.1 * 5);
    near(tip[0], 4, 1e-6, 'x of the tip');
    near(tip[1], 10 * 0.18 * wave, 1e-4, 'y of the tip, ten times');
    near(tip[2], 10 * 0.3 * other, 1e-4, 'z of the tip, ten times');
    await tab.done();
});

check('another result moves as a ghost and is plotted with dashes', async () => {
    const tab = await show(sample.pair());
    await tab.evaluate(() => phlexor.player.set(1.234));
    await tab.picture('pair');
    const found = await tab.evaluate(() => {
        const { scene, plots, motion } = phlexor;
        const [other] = scene.others.list;
        const { pose } = other.motion;
        const slider = plots.list.find((plot) => plot.group.title === 'slider position');
        const own = slider.columns.filter((column) => column.dash === 0);
        const theirs = slider.columns.filter((column) => column.dash === 1);
        const worst = plots.time0.reduce((most, t, row) => {
            const value = theirs[0].data[row];
            return t > 2 ? most : Math.max(most, Math.abs(value - (0.35 + 0.15 * Math.cos(1.1 + Math.PI * t))));
        }, 0);
        return {
            turned: 2 * Math.atan2(pose[6], pose[3]) - 2 * Math.atan2(motion.pose[6], motion.pose[3]),
            transparent: other.bodies.every((body) => body.material.transparent),
            names: theirs.map((column) => column.name),
            own: own.length,
            colours: theirs.map((column) => column.colour),
            beyond: theirs[0].data.at(-1),
            worst,
            title: slider.element.querySelector('h3').textContent,
        };
    });
    near(Math.sin(found.turned - 0.5), 0, 1e-5, 'angle of the ghost before the first');
    near(found.worst, 0, (0.15 * (Math.PI * 0.02) ** 2) / 8 + 1e-7, 'its curve, by straight lines'); // h^2/8 of 0.02 s
    assert.ok(found.transparent && Number.isNaN(found.beyond), 'a ghost, with a gap where it has no time');
    assert.deepEqual(found.names, ['x, further.h5']);
    assert.deepEqual([found.own, ...found.colours], [1, 0]);
    assert.match(found.title, /further\.h5: \|Δ\| ≤ 0\.125, rms 0\.0625/);
    await tab.locator('.others button').click();
    assert.equal(await tab.evaluate(() => phlexor.scene.others.list[0].scene.visible), false);
    await tab.done();
});

check('sliders over a sweep bring one result to the front', async () => {
    const tab = await show(sample.family());
    const state = () =>
        tab.evaluate(() => {
            const { scene, motion, plots, report } = phlexor;
            const { family } = report;
            const slider = plots.list.find((plot) => plot.group.title === 'slider position');
            const front = slider.columns.find((column) => !column.faint);
            return {
                front: family.front,
                texts: [...document.querySelectorAll('.family output')].map((output) => output.textContent),
                source: document.querySelector('.family > .label').textContent,
                crank: 2 * Math.atan2(motion.pose[6], motion.pose[3]),
                drawn: scene.bodies[0].object.matrix.elements.slice(0, 2),
                ghosts: scene.others.list.filter((other) => other.scene.visible).map((other) => other.k),
                value: front.data[50],
                lines: slider.columns.filter((column) => column.faint).map(slider.stroke.bind(slider)),
                legend: slider.legend.children.length,
                children: scene.scene.children.length,
                differences: document.querySelectorAll('.difference').length,
            };
        });
    const check = async (front, angle, mass, what) => {
        const found = await state();
        assert.deepEqual([found.front, found.texts], [front, [String(angle), String(mass)]], what);
        assert.equal(found.source, `p-${front + 1}.h5`);
        near(Math.sin((found.crank - angle - Math.PI) / 2), 0, 1e-6, `${what}: angle of the crank after 1 s`);
        near(found.drawn[0], Math.cos(angle + Math.PI), 1e-6, `${what}: its picture`);
        near(found.value, 0.35 + 0.15 * Math.cos(angle + Math.PI), 1e-4, `${what}: the curve in front`);
        assert.deepEqual(
            found.ghosts,
            [0, 1, 2, 3, 4].filter((k) => k !== front),
        );
        return found;
    };
    await tab.evaluate(() => phlexor.player.set(1));
    const first = await check(0, 0.2, 1, 'as it opens');
    assert.deepEqual([first.legend, first.differences, first.lines.length], [1, 0, 5]);
    assert.equal(first.lines[0], first.lines[1]); // one angle, two masses
    assert.equal(new Set(first.lines).size, 3);
    await tab.picture('family');
    const slider = (name) => tab.locator('.family').getByLabel(name, { exact: true });
    assert.deepEqual([await slider('angle').getAttribute('max'), await slider('mass').getAttribute('max')], ['2', '1']);
    assert.equal(await slider('fixed').count(), 0);
    await slider('mass').focus();
    await key(tab, 'ArrowRight');
    const second = await check(1, 0.2, 4, 'the other mass');
    assert.equal(new Set(second.lines).size, 2); // coloured by the mass now
    await slider('angle').fill('2');
    await check(4, 1.6, 1, 'the combination that is not there');
    await key(tab, ',');
    const third = await check(2, 0.9, 1, 'the key');
    await key(tab, ',', ',', '.', '.', '.');
    await check(4, 1.6, 1, 'keys beyond the ends');
    await key(tab, ',');
    assert.equal((await state()).children, third.children, 'objects in the scene');
    await tab.locator('.family input[type=checkbox]').click();
    assert.deepEqual((await state()).ghosts, []);
    await tab.locator('.family input[type=checkbox]').click();
    await tab.evaluate(() => phlexor.player.set(3));
    near((await state()).value, 0.35 + 0.15 * Math.cos(0.9 + Math.PI), 1e-3, 'a result of half of the time');
    await key(tab, 't', 't'); // dark
    await tab.setViewportSize({ width: 390, height: 844 });
    await settle(tab);
    await tab.picture('family-phone');
    const inside = await tab.evaluate(() =>
        [...document.querySelectorAll('.family input')].every((input) => {
            const { left, right } = input.getBoundingClientRect();
            return left >= 0 && right <= innerWidth;
        }),
    );
    assert.ok(inside, 'sliders within a phone');
    await tab.done();
});

check('colour by a section quantity, with its range over the motion', async () => {
    const tab = await show(sample.space());
    await tab.locator('.display select').selectOption('bending_moment_z');
    // young (2 q1 / L^2 + 6 x q2 / L^3) with q1 = 0.3, q2 = -0.12, largest at the root: 4000 * 2 * 0.3 / 16 N m
    assert.equal(await tab.locator('.ramp-ends .high').innerText(), '150 N m');
    assert.equal(await tab.locator('.ramp-ends .low').innerText(), '−150 N m');
    await tab.locator('.display select').selectOption('stress');
    assert.equal(await tab.locator('.ramp-ends .low').innerText(), '0');
    assert.equal(await tab.locator('.ramp-ends .high').innerText(), '600 kPa');
    await tab.picture('space-stress');
    await key(tab, 'c');
    assert.equal(await tab.locator('.colour-legend').isVisible(), false);
    await tab.done();
});

check('loads point where they act, as long as they are large', async () => {
    const tab = await show(sample.plane());
    await tab.picture('loads');
    const at = (time) =>
        tab.evaluate((time) => {
            const { scene, player, motion } = phlexor;
            player.set(time);
            const rounded = (v) => [v.x, v.y, v.z];
            const along = (solid) => rounded(scene.camera.up.clone().set(0, 0, 1).applyQuaternion(solid.quaternion));
            const arrow = (solid) => ({
                seen: solid.visible,
                from: rounded(solid.position),
                along: along(solid),
                length: solid.children[1].position.z + solid.children[1].scale.z,
                scale: solid.scale.x,
            });
            const entries = scene.attached.arrows.entries.map(({ solids }) => solids.map(arrow));
            const pin = [0, 0, 0];
            scene.attached.portAt({ body: 0, port: 1 }, pin, scene.camera.matrix.clone());
            const angle = (b) => 2 * Math.atan2(motion.pose[7 * b + 6], motion.pose[7 * b + 3]);
            const drawn = scene.attached.loads.map(({ load }) => load.name);
            return { entries, pin, size: scene.size, angles: [angle(0), angle(1)], drawn };
        }, time);
    for (const time of [0, 0.3, 0.9]) {
        const { entries, pin, size, angles, drawn } = await at(time);
        const [[motor], [push], [thrust], wind] = entries;
        assert.deepEqual(drawn, ['unknown'], 'without a value there is no arrow');
        const torque = Math.cos(Math.PI * time);
        near(motor.scale, 0.11 * size * Math.abs(torque), 2e-3 * size, `torque at ${time} s`);
        assert.ok(motor.along[2] * Math.sign(torque) > 0.999, `sense of the torque at ${time} s: ${motor.along}`);
        near(push.length, 0.25 * size, 1e-9, 'the largest force');
        near(push.along[1], -1, 1e-9, 'direction of the push');
        for (const k of [0, 1]) near(push.from[k], pin[k], 1e-9, 'where it acts');
        near(thrust.length, 0.125 * size, 1e-9, 'half as large');
        near(thrust.along[0], Math.cos(angles[0]), 1e-6, 'a force that turns with its body');
        near(thrust.along[1], Math.sin(angles[0]), 1e-6, 'a force that turns with its body');
        assert.deepEqual(
            wind.map(({ seen }) => seen),
            [false, true, true],
            'no arrow where there is no load',
        );
        near(wind[1].length, 0.075 * size, 1e-9, 'in the middle');
        near(wind[2].along[0], -Math.sin(angles[1]), 1e-6, 'across the beam');
    }
    await tab.getByRole('tab', { name: 'Overview' }).click();
    assert.match(await tab.locator('.panel').innerText(), /push\s+force\s+\S+.*\s+20 N/);
    await tab.done();
});

check('names, axes, start pose, views and a body chosen in the table', async () => {
    const tab = await show(sample.space());
    await key(tab, 'n', 'j', 'x', 'g', 'End');
    await settle(tab);
    assert.deepEqual(await tab.locator('.name.body.on').allInnerTexts(), ['hub', 'arm 1', 'arm 2']);
    assert.ok((await tab.locator('.name.joint.on').count()) > 0);
    const before = await pixels(tab);
    await tab.getByRole('button', { name: 'Top', exact: true }).click();
    await settle(tab);
    const z = await tab.evaluate(() => phlexor.scene.camera.getWorldDirection(phlexor.scene.camera.position.clone()).z);
    near(z, -1, 1e-4, 'direction of the view from the top');
    assert.notEqual((await pixels(tab)).other, before.other);
    await tab.getByRole('tab', { name: 'Overview' }).click();
    await tab.getByRole('button', { name: 'arm 2' }).click();
    assert.equal(await tab.evaluate(() => phlexor.scene.selected), 2);
    const [text, place] = await tab.evaluate(() => {
        const { names, bodies, report } = phlexor.scene;
        const at = bodies[2].object.position.clone().set(...(report.bodies[2].centre ?? [0, 0, 0]));
        return [
            names.labels.find(({ body }) => body === 2).element.textContent,
            at.applyMatrix4(bodies[2].object.matrix).toArray(),
        ];
    });
    assert.match(text, /^arm 2 · .*\(.*\) m$/);
    const numbers = text
        .match(/\((.*)\)/)[1]
        .split(', ')
        .map((x) => Number(x.replaceAll('−', '-')));
    numbers.forEach((x, c) => near(x, place[c], 1e-3 * Math.max(1, Math.abs(place[c])), `centre, ${'xyz'[c]}`));
    await tab.picture('space-names');
    await tab.done();
});

// ---- time ----
check('play, pause, repeat and speed', async () => {
    const tab = await show(sample.plane());
    const before = await pixels(tab);
    await tab.getByRole('button', { name: /^Play/ }).click();
    await tab.waitForFunction(() => phlexor.player.value > 0.3);
    await key(tab, '-', ' ');
    // The button had the focus and takes the space bar itself: playing has stopped either way, once.
    assert.equal(await tab.evaluate(() => phlexor.player.playing), false);
    assert.equal(await tab.evaluate(() => phlexor.player.speed), 0.5);
    const there = await tab.now();
    await tab.waitForTimeout(80);
    assert.equal(await tab.now(), there, 'nothing moves while paused');
    assert.notEqual((await pixels(tab)).other, before.other, 'the picture changed');
    await tab.locator('body').click({ position: { x: 700, y: 20 } });
    await key(tab, '+', '+', '+', 'End', 'l', ' ');
    await tab.waitForFunction(() => !phlexor.player.playing);
    assert.equal(await tab.now(), 4, 'without repeat it ends at the end');
    await key(tab, 'l', ' ');
    await tab.waitForFunction(() => phlexor.player.playing && phlexor.player.value > 0.2 && phlexor.player.value < 3.5);
    await tab.done();
});

check('keys step through frames', async () => {
    const tab = await show(sample.plane());
    await key(tab, 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft');
    near(await tab.now(), 2 * 0.008, 1e-12, 'time of frame 2');
    await key(tab, 'Shift+ArrowRight');
    near(await tab.now(), 12 * 0.008, 1e-12, 'time of frame 12');
    await key(tab, 'End', 'ArrowRight');
    assert.equal(await tab.now(), 4);
    await key(tab, 'Home', 'ArrowLeft');
    assert.equal(await tab.now(), 0);
    await tab.evaluate(() => phlexor.player.set(0.0125)); // between frames 1 and 2
    await key(tab, 'ArrowLeft');
    near(await tab.now(), 0.008, 1e-12, 'time of frame 1');
    await key(tab, ']', ']');
    assert.equal(await tab.evaluate(() => phlexor.scene.magnification), 4);
    await key(tab, '[');
    assert.equal(await tab.evaluate(() => phlexor.scene.magnification), 2);
    await tab.done();
});

check('the bar scrubs, and all plots show the time', async () => {
    const tab = await show(sample.plane());
    const bar = await tab.locator('.scrub').boundingBox();
    await tab.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    near(await tab.now(), 2, 0.1, 'time at the middle of the bar');
    for (const i of [0, 1, 2]) {
        const plot = await plotBox(tab, i);
        const line = await tab.locator('.plot .now').nth(i).boundingBox();
        near(line.x, plot.x + (plot.width * (await tab.now())) / 4, 1.5, `cursor of plot ${i} (pixels)`);
    }
    assert.equal(await tab.locator('.series .value').nth(3).innerText(), '2', 'the total energy in the legend');
    await tab.done();
});

// ---- plots ----
check('the pointer over a plot moves the mechanism', async () => {
    const tab = await show(sample.plane());
    const plot = await plotBox(tab, 1);
    await tab.mouse.move(plot.x + plot.width * 0.25, plot.y + 50);
    near(await tab.now(), 1, 0.02, 'time under the pointer');
    near(
        await tab.evaluate(() =>
            Math.sin(
                (2 * Math.atan2(phlexor.motion.pose[6], phlexor.motion.pose[3]) -
                    0.6 -
                    Math.PI * phlexor.player.value) /
                    2,
            ),
        ),
        0,
        1e-6,
        'angle',
    );
    await tab.getByLabel('Pointer moves time').uncheck();
    await tab.mouse.move(plot.x + plot.width * 0.5, plot.y + 50);
    near(await tab.now(), 1, 0.02, 'time when the pointer does not move it');
    await tab.done();
});

check('zoom by dragging, pan, zoom by wheel and buttons, whole time', async () => {
    const tab = await show(sample.plane());
    const plot = await plotBox(tab, 0);
    const at = (part) => [plot.x + part * plot.width, plot.y + 60];
    const ranges = () =>
        tab.evaluate(() =>
            [...phlexor.plots.visible].filter((p) => p.plot).map(({ plot }) => [plot.scales.x.min, plot.scales.x.max]),
        );
    const same = (list, low, high, tolerance, what) => {
        assert.ok(list.length > 2);
        list.forEach(([a, b]) => {
            near(a, low, tolerance, what);
            near(b, high, tolerance, what);
        });
    };
    await tab.mouse.move(...at(0.25));
    await tab.mouse.down();
    await tab.mouse.move(...at(0.5), { steps: 4 });
    await tab.mouse.up();
    await settle(tab);
    same(await ranges(), 1, 2, 0.02, 'dragged range');
    await tab.keyboard.down('Shift');
    await tab.mouse.down();
    await tab.mouse.move(...at(0.25), { steps: 4 });
    await tab.mouse.up();
    await tab.keyboard.up('Shift');
    await settle(tab);
    same(await ranges(), 1.25, 2.25, 0.03, 'moved range');
    await tab.picture('plane-zoomed');
    await tab.mouse.dblclick(...at(0.5));
    await settle(tab);
    same(await ranges(), 0, 4, 0, 'whole range');
    await tab.keyboard.down('Control');
    await tab.mouse.wheel(0, -60);
    await tab.keyboard.up('Control');
    await settle(tab);
    const [[low, high]] = await ranges();
    assert.ok(high - low < 3.5 && low > 0.1 && high < 3.9, `range after the wheel: ${low} ${high}`);
    await tab.getByRole('button', { name: 'Whole time' }).click();
    await tab.getByRole('button', { name: 'Zoom in' }).click();
    await tab.getByRole('button', { name: 'Later' }).click();
    await settle(tab);
    const [[left, right]] = await ranges();
    near(right - left, 2, 1e-9, 'width after zooming in by the button');
    await tab.done();
});

check('curves are hidden, plots found, empty ones say so', async () => {
    const tab = await show(sample.plane());
    await tab.getByRole('button', { name: 'kinetic' }).click();
    assert.equal(await tab.evaluate(() => phlexor.plots.list[0].plot.series[1].show), false);
    await tab.getByLabel('Find a plot').fill('reaction');
    await settle(tab);
    assert.deepEqual(await tab.locator('.plot h3:visible').allInnerTexts(), ['reaction of the pin (N)']);
    await tab.getByLabel('Find a plot').fill('rates');
    assert.deepEqual(await tab.locator('.plot h3:visible').allInnerTexts(), ['Drift of the joints (m)']);
    await tab.done();
});

check('constants, tiny and huge ranges, magnitudes over many decades', async () => {
    const tab = await show(sample.plane(), { size: [1440, 1600] });
    await settle(tab);
    const axes = await tab.evaluate(() =>
        phlexor.plots.list
            .slice(1, 4)
            .map(({ plot }) => [plot.scales.y.min, plot.scales.y.max, plot.axes[1]._splits.length]),
    );
    near(axes[0][0], 2.7e5, 1, 'below a constant');
    near(axes[0][1], 3.3e5, 1, 'above a constant');
    near(axes[1][1], 1.2e-19, 0.3e-19, 'above tiny values');
    assert.deepEqual(
        axes[2].slice(0, 2).map((value) => Math.round(Math.log10(value))),
        [-33, -13],
        'decades',
    );
    axes.forEach(([, , n], i) => assert.ok(n >= 3 && n < 12, `ticks of plot ${i + 1}: ${n}`));
    await tab.done();
});

// ---- modes ----
check('mode shapes move by their amplitude', async () => {
    const tab = await show(sample.modes());
    await tab.picture('modes');
    assert.equal(
        await tab.evaluate(() => phlexor.player.playing),
        false,
        'reduced motion: it does not start by itself',
    );
    await tab.getByRole('button', { name: /^Mode 2/ }).click();
    assert.match(await tab.locator('.banner').innerText(), /Mode 2 5\.093 Hz · damping 0\.4 %/);
    await tab.getByLabel('Amplitude of the mode shape').evaluate((input) => {
        input.value = '0.1';
        input.dispatchEvent(new Event('input'));
    });
    // Branch 2 has the coordinates 1, 0 in y: the tip of arm 1 moves by 1 m times the amplitude.
    const [shift, size] = await tab.evaluate(() => {
        const { scene, player, motion } = phlexor;
        player.set(0);
        const out = scene.bodies[1].bent.at(-2);
        motion.toFrame(0);
        scene.bodies[1].bend(motion.q, 1);
        return [out - scene.bodies[1].bent.at(-2), scene.size];
    });
    near(shift, 0.1 * size, 1e-6 * size, 'displacement of the tip');
    await key(tab, 'Escape', 'ArrowDown');
    await tab.evaluate(() => document.activeElement.blur());
    await key(tab, ' ');
    await tab.waitForFunction(() => phlexor.player.value > 0.1);
    await key(tab, ' ');
    await tab.getByRole('button', { name: 'Close' }).first().click();
    assert.equal(await tab.locator('.banner').isVisible(), false);
    await tab.done();
});

check('a point of the sweep shows its own bodies', async () => {
    const tab = await show(sample.modes({ grows: true }));
    const choose = (point) =>
        tab.getByLabel('Point of the sweep').evaluate((input, point) => {
            input.value = String(point);
            input.dispatchEvent(new Event('input'));
        }, point);
    const arm = () =>
        tab.evaluate(() => {
            const { scene, motion } = phlexor;
            motion.toFrame(0);
            scene.bodies[1].bend(motion.q, 1);
            return [scene.bodies[1].bent.at(-3), scene.report.bodies[1].ports[1].position[0], scene.bodies.length];
        });
    const [first, port, count] = await arm();
    for (const point of [20, 25]) {
        await choose(point);
        assert.deepEqual(await arm(), [1.5 * first, 1.5 * port, count], `the longer arm at point ${point}`);
    }
    const objects = await tab.evaluate(() => phlexor.scene.scene.children.length);
    for (const [point, size] of [
        [0, 1],
        [10, 2],
        [11, 2],
        [12, 1],
        [20, 3],
        [25, 3],
    ]) {
        await choose(point);
        const found = await tab.evaluate(() => {
            const { list } = phlexor.scene.visuals;
            return [list.length, Math.max(...list[0].position), Boolean(list[0].object.parent?.parent)];
        });
        assert.deepEqual(found, [1, size, true], `the surface at point ${point}`);
    }
    assert.equal(await tab.evaluate(() => phlexor.scene.scene.children.length), objects, 'nothing is drawn twice');
    await tab.picture('longer');
    await tab.evaluate(() => phlexor.modes.choose(null));
    assert.equal((await arm())[0], 1.5 * first, 'without a mode, too');
    await choose(3);
    assert.deepEqual(await arm(), [first, port, count]);
    await tab.done();
});

check('a point of the sweep shows its mode, and the branch is kept', async () => {
    const tab = await show(sample.modes(), { calm: false });
    assert.equal(await tab.evaluate(() => phlexor.player.playing), true, 'mode shapes start by themselves');
    await settle(tab);
    const [x, y] = await tab.evaluate(() => {
        const sweep = phlexor.modes.sweep;
        return [sweep.plot.valToPos(40, 'x'), sweep.plot.valToPos(sweep.data[2][20], 'y')];
    });
    const box = await tab.locator('.sweep-canvas .u-over').boundingBox();
    await tab.mouse.click(box.x + x, box.y + y);
    const chosen = () => tab.evaluate(() => ({ point: phlexor.modes.row.point, branch: phlexor.modes.row.branch }));
    assert.deepEqual(await chosen(), { point: 20, branch: 2 });
    const marker = await tab.locator('.sweep-marker').boundingBox();
    near(marker.x + marker.width / 2, box.x + x, 1.5, 'marker');
    await tab.getByLabel('Point of the sweep').evaluate((input) => {
        input.value = '3';
        input.dispatchEvent(new Event('input'));
    });
    assert.deepEqual(await chosen(), { point: 3, branch: 2 });
    await tab.getByLabel('Vertical axis').selectOption('damping');
    await tab.getByLabel('Horizontal axis').selectOption('-1');
    await settle(tab);
    near(await tab.evaluate(() => phlexor.modes.sweep.data[1][0]), 0.2, 1e-12, 'damping in percent');
    await tab.done();
});

// ---- all kinds of reports ----
check('a model without a run', async () => {
    const tab = await show(sample.model());
    await tab.picture('model');
    assert.deepEqual(await tab.getByRole('tab').allInnerTexts(), ['Overview', 'Certificate', 'Model']);
    assert.equal(await tab.locator('.player').isVisible(), false);
    assert.equal(await tab.locator('.name.body.on').count(), 3);
    await tab.getByRole('tab', { name: 'Certificate' }).click();
    assert.match(await tab.locator('.certificate').innerText(), /least eigenvalue of M[\s\S]*0\.0132 kg m²/);
    await tab.getByRole('tab', { name: 'Model' }).click();
    await tab.getByRole('button', { name: 'Copy', exact: true }).click();
    await tab.getByText('Copied').waitFor();
    await key(tab, ' ', 'ArrowRight', 'f');
    await tab.done();
});

check('open joints of a model that cannot be assembled are marked', async () => {
    const unclosed = sample.model();
    Object.assign(unclosed.manifest, { status: 'partial', reason: 'the joints cannot be closed' });
    unclosed.manifest.joints[0].a.position = [0, 0.25, 0];
    const tab = await show(unclosed);
    await tab.picture('open');
    assert.deepEqual(await tab.locator('.name.open').allInnerTexts(), ['bearing: open by 250 mm']);
    assert.equal(await tab.locator('.name.open.on').count(), 1);
    await tab.done();
});

check('odd names are text, numbers that are none are gaps', async () => {
    const tab = await show(sample.odd());
    await key(tab, 'n', 'j');
    assert.equal(await tab.evaluate(() => window.broken), undefined);
    assert.match(await tab.locator('h1').innerText(), /Ünïcode "quotes" & 'more' <\/script>/);
    assert.match(await tab.locator('.badge').innerText(), /interrupted at t = 2\.1 s of 4 s/);
    await tab.getByLabel('Find a plot').fill('numbers');
    await tab.getByText('There is no number to draw.').waitFor();
    await tab.evaluate(() => phlexor.player.set(0));
    assert.equal(await tab.locator('.plot:visible .value').last().innerText(), '–');
    await tab.getByRole('tab', { name: 'Overview' }).click();
    assert.ok(await tab.getByRole('button', { name: '</script><script>' }).isVisible());
    await tab.getByRole('tab', { name: 'Model' }).click();
    await tab.done();
});

check('no frames, one frame, one row', async () => {
    const none = await show(sample.empty());
    await none.getByText('No pose was recorded.').waitFor();
    await none.getByText('No rows were recorded.').first().waitFor();
    await key(none, ' ', 'ArrowRight', 'c', 'f', ']');
    await none.done();
    const one = await show(sample.plane({ frames: 1, rows: 1 }));
    assert.equal(await one.locator('.player').isVisible(), false);
    assert.equal(await one.locator('.series .value').first().innerText(), '1.2');
    await one.done();
});

check('bodies without shapes are drawn stiff', async () => {
    const report = sample.space({ frames: 3 });
    for (const body of report.manifest.bodies) {
        delete body.shapes;
        delete body.section;
    }
    const tab = await show(report);
    await key(tab, 'End', 'c', ']');
    near(await tab.evaluate(() => phlexor.scene.bodies[1].bent.at(-2)), 0, 0, 'y of the tip');
    await tab.done();
});

check('a pose that is not a number hides its body only', async () => {
    const report = sample.space({ frames: 11 });
    const { at } = report.manifest.frames.pose;
    const bytes = Buffer.concat(report.arrays.parts);
    bytes.writeFloatLE(NaN, at + 4 * (5 * 21 + 7));
    report.arrays.parts = [bytes];
    const tab = await show(report);
    await tab.evaluate(() => phlexor.player.set(phlexor.player.times[5]));
    assert.deepEqual(await tab.evaluate(() => phlexor.scene.bodies.map((body) => body.object.visible)), [
        true,
        false,
        true,
    ]);
    await tab.done();
});

check('what cannot be shown says why', async () => {
    const { manifest, arrays } = sample.plane({ frames: 5 });
    const cases = [
        [page, /holds no data/],
        [sample.fill(page, { manifest: { ...manifest, version: 2 }, arrays }), /version 2/],
        [sample.fill(page, { manifest, arrays: { packed: () => arrays.packed().slice(0, 400) } }), /damaged/],
        [
            sample.fill(page, {
                manifest: {
                    ...manifest,
                    columns: { ...manifest.columns, time: { at: 1 << 28, count: 5, type: 'f64' } },
                },
                arrays,
            }),
            /outside of the data/,
        ],
        [
            sample.fill(page, { manifest: { ...manifest, frames: { ...manifest.frames, count: 50 } }, arrays }),
            /The poses has|The poses/,
        ],
    ];
    for (const [html, message] of cases) {
        const tab = await open(html);
        assert.match(await tab.locator('.failure').innerText(), message);
        await tab.done();
    }
});

check('without WebGL the plots still work', async () => {
    const plain = await launch(browserPath, false);
    const tab = await show(sample.plane(), { from: plain });
    await tab.getByText('The scene cannot be shown.').waitFor();
    const plot = await plotBox(tab, 0);
    await tab.mouse.move(plot.x + plot.width * 0.75, plot.y + 50);
    near(await tab.now(), 3, 0.02, 'time under the pointer');
    await key(tab, 'c', 'f', ']', 'n', 'x', 'ArrowRight');
    await tab.done();
    const shapes = await show(sample.modes(), { from: plain });
    await shapes.getByRole('button', { name: /^Mode 2/ }).click();
    await shapes.done();
    await plain.close();
});

// ---- readers ----
// ---- films and links ----
/** In the page: the size of the pictures of these views at a time, whether they are the same twice, their pixels apart. */
async function filmed([views, time]) {
    const read = async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        return { size: [image.width, image.height], data: context.getImageData(0, 0, image.width, image.height).data };
    };
    const pictures = [];
    for (const view of views) {
        await phlexor.film.prepare(view);
        const [once, again] = [time, time].map((t) => phlexor.film.frame(t));
        pictures.push({ ...(await read(once)), same: once === again });
    }
    const apart = (a, b) => a.data.reduce((n, value, i) => n + (Math.abs(value - b.data[i]) > 40), 0);
    return pictures.map(({ size, same, data }) => ({ size, same, apart: apart({ data }, pictures[0]) }));
}

check('films show time, title, colours and plots, from any side', async () => {
    const tab = await show(sample.space());
    const about = await tab.evaluate(() => phlexor.film.about);
    assert.ok(about.drawn && about.flexible && !about.plane && about.frames > 1);
    const [quantity, plot] = [about.quantities[0], about.groups[0]];
    assert.ok(quantity && about.plots.includes(plot), `${about.quantities} ${about.plots}`);
    const base = { width: 320, height: 180, title: '' };
    const views = [{}, { title: 'A title' }, { camera: 'top' }, { camera: [-1, -1, 0.2] }, { plots: [plot] }];
    const found = await tab.evaluate(filmed, [
        [...views, { colour: quantity }].map((view) => ({ ...base, ...view })),
        0.5,
    ]);
    found.forEach(({ size, same, apart }, k) => {
        assert.deepEqual(size, [320, 180]);
        assert.ok(same, `view ${k} is the same picture twice`);
        assert.equal(apart > 100, k > 0, `view ${k} differs from the first in ${apart} values`);
    });
    // The picture is the page's scene: the eye of a film with the view of a link is where the link says.
    const eye = await tab.evaluate(async () => {
        await phlexor.film.prepare({ width: 64, height: 64, camera: [1, 2, 3, 0, 0, 0.5, 1] });
        return [...phlexor.scene.camera.position, ...phlexor.scene.controls.target];
    });
    [1, 2, 3, 0, 0, 0.5].forEach((value, k) => near(eye[k], value, 1e-12, 'eye and target'));
    await tab.done();
});

check('the page saves a film of what it shows', async () => {
    const tab = await show(sample.plane());
    await tab.evaluate(() => phlexor.player.setSpeed(2));
    const [download] = await Promise.all([
        tab.waitForEvent('download'),
        tab.getByRole('button', { name: 'Save film' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'phlexor.webm');
    const film = readFileSync(await download.path());
    assert.equal(film.readUInt32BE(0), 0x1a45dfa3, 'the film is a webm file');
    assert.ok(film.length > 2000, `${film.length} bytes`);
    assert.ok(await tab.evaluate(() => !phlexor.player.playing && phlexor.player.loop));
    await tab.done();
});

check('the address keeps the view, and shows it again', async () => {
    const tab = await show(sample.space());
    const [quantity] = await tab.evaluate(() => phlexor.film.about.quantities);
    const length = await tab.evaluate(() => history.length);
    assert.equal(await tab.evaluate(() => location.hash), '', 'a page that nobody touched has its plain address');
    await tab.getByLabel('Colour by').selectOption(quantity);
    await tab.getByRole('button', { name: 'Side', exact: true }).click();
    await tab.evaluate(() => {
        phlexor.player.set(0.375);
        phlexor.stage.display.setMagnification(20);
    });
    await tab.getByRole('button', { name: /^Copy a link/ }).click();
    const state = () =>
        tab.evaluate(() => {
            const { camera, controls, colour, magnification } = phlexor.scene;
            return [...camera.position, ...controls.target, camera.zoom, magnification, phlexor.player.value, colour];
        });
    const before = await state();
    const address = await tab.evaluate(() => location.hash);
    assert.match(address, new RegExp(`#t=0.375&view=[-0-9.e,]+&colour=${quantity}&magnify=20$`));
    assert.equal(await tab.evaluate(() => history.length), length, 'no entries of the history');
    await tab.reload();
    await tab.waitForSelector('html[data-ready]');
    const after = await state();
    assert.equal(after.at(-1), quantity);
    before.slice(0, -1).forEach((value, k) => near(after[k], value, 1e-4 * (1 + Math.abs(value)), `entry ${k}`));
    // What is written at rest follows the reader; what makes no sense changes nothing.
    await key(tab, 'Home');
    await tab.waitForFunction(() => location.hash.startsWith('#t=0&'));
    await tab.evaluate(() => {
        location.hash = '#t=soon&view=1,2,x&colour=</b>&magnify=-3';
    });
    await settle(tab);
    assert.deepEqual((await state()).slice(6), [1, 20, 0, quantity]);
    await tab.done();
});

check('dark and light', async () => {
    const tab = await show(sample.plane(), { dark: true });
    const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await tab.picture('plane-dark');
    const dark = await ground();
    await key(tab, 't');
    const light = await ground();
    assert.notEqual(dark, light);
    assert.ok((await pixels(tab, ['#2f6fb7'])).found[0] > 400, 'the bodies have the colours of the light theme');
    await tab.reload();
    await tab.waitForSelector('html[data-ready]');
    assert.equal(await ground(), light, 'the choice is kept');
    await key(tab, 't', 't');
    await tab.emulateMedia({ colorScheme: 'light' });
    await settle(tab);
    assert.equal(await ground(), light, 'as the system');
    await tab.done();
});

check('help, licences and the focus', async () => {
    const tab = await show(sample.plane());
    await key(tab, '?');
    assert.ok(await tab.locator('dialog').isVisible());
    const text = await tab.locator('dialog').evaluate((dialog) => dialog.textContent);
    for (const part of ['three 0.', 'uplot 1.', 'The MIT License', 'three.js authors', 'Leon Sorokin'])
        assert.ok(text.includes(part), `the help has "${part}"`);
    await tab.picture('help');
    await key(tab, 'Escape');
    assert.equal(await tab.locator('dialog').isVisible(), false);
    // Every stop of the tab key has a name and shows that it has the focus.
    const stops = new Set();
    for (let i = 0; i < 60; i++) {
        await key(tab, 'Tab');
        const stop = await tab.evaluate(() => {
            const element = document.activeElement;
            if (element === document.body) return null;
            const style = getComputedStyle(element);
            const name = element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent;
            return {
                name: name.trim(),
                tag: element.tagName,
                outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
            };
        });
        if (!stop) continue;
        assert.ok(stop.name, `a ${stop.tag} has no name`);
        assert.ok(stop.outlined, `the focus is not seen on ${stop.name}`);
        stops.add(stop.name);
    }
    for (const wanted of [
        'Time',
        'Play (space)',
        'Colour by',
        'Speed',
        'Plots',
        'Zoom in',
        'kinetic1.2',
        'Theme: as the system (T)',
    ])
        assert.ok(stops.has(wanted), `the focus comes to ${wanted}; it came to ${[...stops].join(', ')}`);
    await tab.getByRole('tab', { name: 'Plots' }).focus();
    await key(tab, 'ArrowRight');
    assert.equal(await tab.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected'), 'true');
    assert.equal(await tab.now(), 0, 'arrows belong to the tabs when they have the focus');
    await tab.done();
});

check('on a telephone', async () => {
    for (const [name, report] of [
        ['plane', sample.plane()],
        ['modes', sample.modes()],
        ['odd', sample.odd()],
    ]) {
        const tab = await show(report, { size: [360, 740], touch: true });
        await tab.picture(`phone-${name}`);
        await tab.locator('.display-opener').click();
        for (const button of await tab.getByRole('tab').all()) {
            await button.click();
            const width = await tab.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(width, 360, `${name}, ${await button.innerText()}: nothing sticks out`);
        }
        await tab.picture(`phone-${name}-display`);
        const outside = await tab
            .locator('.display-rows button:visible, .display-rows input:visible, .player button:visible')
            .evaluateAll((all) =>
                all
                    .map((element) => [element.ariaLabel ?? element.textContent, element.getBoundingClientRect()])
                    .filter(([, box]) => box.left < 0 || box.right > 360 || box.width < 24 || box.height < 22)
                    .map(([text]) => text),
            );
        assert.deepEqual(outside, [], 'controls are inside and large enough');
        await tab.done();
    }
    const tab = await show(sample.plane(), { size: [360, 740], touch: true });
    await tab.locator('.plot').first().scrollIntoViewIfNeeded();
    const plot = await plotBox(tab, 0);
    await tab.touchscreen.tap(plot.x + plot.width * 0.5, plot.y + 40);
    near(await tab.now(), 2, 0.05, 'time where the finger touched');
    await tab.done();
});

check('ten thousand frames open quickly', async () => {
    const html = sample.fill(
        page,
        sample.space({ frames: 10001, arms: 9, end: 100, outputs: 12, title: 'Ten bodies' }),
    );
    const megabytes = Buffer.byteLength(html) / 1e6;
    const times = [];
    const limit = 8000;
    for (let i = 0; i < 3 && !(Math.min(...times) < limit); i++) {
        const tab = await open(html);
        times.push(await tab.evaluate(() => Number(document.documentElement.dataset.ready)));
        if (i === 0) {
            await key(tab, ' ');
            await tab.waitForFunction(() => phlexor.player.value > 1);
            const cost = await tab.evaluate(() => {
                const begin = performance.now();
                for (let k = 0; k < 200; k++) phlexor.player.set(0.5 * k);
                return (performance.now() - begin) / 200;
            });
            console.log(`    a frame costs ${cost.toFixed(2)} ms before it is drawn`);
        }
        await tab.done();
    }
    const least = Math.min(...times);
    console.log(`    ${megabytes.toFixed(1)} MB, 10 bodies, 10001 frames: opened in ${least} ms (${times.join(', ')})`);
    assert.ok(megabytes < 20, `${megabytes} MB`);
    assert.ok(least < limit, `opened in ${least} ms: four times as long as on a quiet machine it may take`);
});

if (program)
    check('what the program writes', async () => {
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        const model = (name) => join(resolve(examples), `${name}.yaml`);
        const reports = [
            ['crank_slider', 'simulate'],
            ['manipulator', 'simulate'],
            ['four_bar', 'modes'],
            ['rotor_blade', 'modes'],
            ['bennett', 'view'],
            ['spacecraft', 'view'],
        ];
        for (const [name, command] of reports) {
            const file = `${name}-${command}`;
            if (command === 'view') run('view', model(name), '-o', `${file}.html`);
            else {
                run(command, model(name), '-o', `${file}.h5`);
                run('report', `${file}.h5`);
            }
            const tab = await open(readFileSync(join(folder, `${file}.html`), 'utf8'));
            assert.equal(await tab.locator('.failure').count(), 0, file);
            const colours = await tab.evaluate(() => {
                const chroma = (hex) => {
                    const parts = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
                    return Math.max(...parts) - Math.min(...parts);
                };
                return [0, 1].map((i) => {
                    const own = phlexor.report.visuals.filter(({ body, colour }) => body === i && colour);
                    const [strongest] = own.map(({ colour }) => colour).sort((a, b) => chroma(b) - chroma(a));
                    return strongest ?? ['#2f6fb7', '#c9651b'][i];
                });
            });
            const { found } = await pixels(tab, colours);
            found.forEach((n, i) => assert.ok(n > 100, `${file}: pixels of body ${i}: ${n}`));
            const gap = command === 'modes' ? 0 : await tab.evaluate(jointGap);
            near(gap, 0, 1e-4, `${file}: largest gap of its joints that hold points, over the extent`);
            await key(tab, 'End', ' ', ' ', 'c', ']', 'n', 'j', 'x', 'g');
            await settle(tab);
            for (const part of await tab.getByRole('tab').all()) {
                await part.click();
                await settle(tab);
            }
            await tab.picture(`real-${file}`);
            await tab.done();
        }
    });

const shaped = `phlexor: 1
dimension: 3
materials: {m: {density: 1000, young: 2e7, poisson: 0.3}}
ground: {ports: {B: {position: [0, 1, 0]}}, shape: {box: [1, 1, 0.1], position: [0, 0, -1]}}
bodies:
  arm: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.04}, reference: cantilever, elements: 4}
  rod: {kind: rod, material: m, length: 1, section: {kind: circle, diameter: 0.04}, elements: 6, pose: {position: [0, 1, 0]}}
  tip: {kind: rigid, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], pose: {position: [1, 0, 0]},
        shape: [{tube: [0.2, 0.1], length: 0.1, colour: red}, {mesh: wedge.stl, scale: 0.001, opacity: 0.5}]}
joints:
  root: {kind: weld, ports: [ground.O, arm.P]}
  other: {kind: weld, ports: [ground.B, rod.P]}
  end: {kind: weld, ports: [arm.C, tip.P]}
loads: {push: {force: [0, 0.1, 0.2], at: arm.C}, pull: {force: [0, 0.1, 0.2], at: rod.C}}
outputs: {tip: {position: arm.C}, end: {position: rod.C}, turn: {attitude: arm.C}}
simulate: {end: 0.2, step: 2e-3, every: 1e-2}
page: {camera: [0, -1, 0], colour: bending_moment_z, magnification: 3, plots: [end, tip.x], trails: [arm.C]}
`;

if (program)
    check('shapes follow their bodies', async () => {
        writeFileSync(join(folder, 'shaped.yaml'), shaped);
        copyFileSync(join(resolve(examples), '../tests/model/data/wedge.stl'), join(folder, 'wedge.stl'));
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        run('simulate', 'shaped.yaml', '-o', 'shaped.h5');
        run('report', 'shaped.h5');
        const tab = await open(readFileSync(join(folder, 'shaped.html'), 'utf8'));
        const opened = await tab.evaluate(() => {
            const { camera, controls, colour, magnification, scene } = phlexor.scene;
            return {
                back: camera.position.clone().sub(controls.target).normalize().toArray(),
                colour,
                magnification,
                plots: phlexor.plots.list.slice(0, 2).map((plot) => plot.group.title),
                trails: scene.children.filter((object) => object.type === 'Line').length,
            };
        });
        [0, -1, 0].forEach((x, k) => near(opened.back[k], x, 1e-6, 'direction of the camera'));
        assert.deepEqual([opened.colour, opened.magnification], ['bending_moment_z', 3]);
        assert.deepEqual([opened.plots, opened.trails], [['end', 'tip'], 1]);
        await key(tab, 'End');
        await settle(tab);
        await tab.evaluate(() => phlexor.scene.setMagnification(1));
        const found = await tab.evaluate(() => {
            const { visuals } = phlexor.scene;
            const value = (name) => {
                const columns = phlexor.report.columns.groups.flatMap((group) =>
                    group.columns.map((column) => [`${group.title}.${column.name}`, column.data]),
                );
                return new Map(columns).get(name).at(-1);
            };
            // The middle of the last ring of a section is the end of its axis.
            const ends = visuals.list
                .filter(({ visual }) => visual.kind === 'section')
                .map(({ points, n }) =>
                    [0, 1, 2].map((c) =>
                        Array.from({ length: 32 }, (_, k) => points[3 * (n - 32 + k) + c] / 32).reduce((a, b) => a + b),
                    ),
                );
            // The axes of the last point of the beam are those of the section there.
            const { carriers } = visuals.list.find(({ visual }) => visual.kind === 'section');
            const [w, x, y, z] = ['w', 'x', 'y', 'z'].map((part) => value(`turn.${part}`));
            return {
                ends,
                axis: [...carriers.axes.slice(-9, -6)],
                along: [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
                wanted: ['tip', 'end'].map((name) => ['x', 'y', 'z'].map((axis) => value(`${name}.${axis}`))),
                kinds: visuals.list.map(({ visual }) => visual.kind),
                opaque: visuals.list.map(({ material }) => material.opacity),
                ground: visuals.list.filter(({ body }) => body < 0).length,
            };
        });
        assert.deepEqual(found.kinds, ['box', 'section', 'section', 'tube', 'mesh']);
        assert.deepEqual(found.opaque, [1, 1, 1, 1, 0.5]);
        assert.equal(found.ground, 1);
        found.ends.forEach((end, k) =>
            end.forEach((x, c) => near(x, found.wanted[k][c], 1e-5, `end ${k}, ${'xyz'[c]}`)),
        );
        found.axis.forEach((x, c) => near(x, found.along[c], 1e-5, `axis of the last section, ${'xyz'[c]}`));
        assert.ok(Math.abs(found.along[1]) > 3e-3, `the section turns: ${found.along}`);
        assert.ok(Math.abs(found.wanted[0][1]) > 1e-3, 'the beam bends');
        await tab.picture('shapes');
        await tab.done();
    });

const driven = `phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
ground: {ports: {A: {position: [0, 0, 1]}, B: {position: [0.5, 0, 1.1]}, C: {position: [0.3, 0, 1.4]}, D: {position: [-1, 0, 1]}}}
bodies:
  a: {kind: rigid, mass: 1, inertia: [0.004, 0.008, 0.004]}
  b: {kind: rigid, mass: 2, inertia: [0.02, 0.04, 0.02]}
  c: {kind: rigid, mass: 2, inertia: [0.005, 0.009, 0.005]}
  ball: {kind: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0.1, 0.4, 0.0999]}}
  load: {kind: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [-0.05, 0, 0.5]}}
joints:
  a: {kind: revolute, ports: [ground.A, a.P], axis: [0, 1, 0], motion: "0.5*t"}
  b: {kind: revolute, ports: [ground.B, b.P], axis: [0, 1, 0]}
  c: {kind: revolute, ports: [ground.C, c.P], axis: [0, 1, 0]}
forces:
  belt: {kind: coupling, terms: [{joint: a, weight: 0.1}, {joint: b, weight: -0.2}], stiffness: 1e5, damping: 100}
  cross: {kind: coupling, terms: [{joint: b, weight: 0.1}, {joint: c, weight: 0.1}], stiffness: 1e5, damping: 100}
  rope: {kind: cable, ports: [a.P, load.P], terms: [{joint: a, weight: 0.05}], length: 0.5, stiffness: 1e4, damping: 1e-2}
  floor: {kind: contact, ports: [ground.O, ball.P], against: plane, normal: [0, 0, 1], radius: 0.1, stiffness: 1e5, damping: 0.2}
outputs: {floor: {force: floor}, pin: {reaction: b}}
simulate: {end: 1, step: 1e-3, every: 1e-2}
`;

if (program)
    check('belts, ropes, drives, contacts, forces and the ground', async () => {
        writeFileSync(join(folder, 'driven.yaml'), driven);
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        run('simulate', 'driven.yaml', '-o', 'driven.h5');
        run('report', 'driven.h5');
        const tab = await open(readFileSync(join(folder, 'driven.html'), 'utf8'));
        await key(tab, 'End');
        await settle(tab);
        const found = await tab.evaluate(() => {
            const { attached, ground, visuals } = phlexor.scene;
            const ropes = attached.springs.filter(({ rope }) => rope);
            // How a straight piece touches the wheel about `centre`: its distance, and whether it stands across the radius.
            const touch = (solid, piece, centre, end) => {
                const along = piece.position.clone().set(0, 0, piece.scale.z).applyQuaternion(piece.quaternion);
                const arm = piece.position.clone().add(solid.position);
                if (end) arm.add(along);
                arm.x -= centre[0];
                arm.z -= centre[2];
                return [Math.hypot(arm.x, arm.z), arm.dot(along) / along.length(), arm.z];
            };
            const of = (name) => ropes.find(({ spring }) => spring.name === name);
            const values = (name, column) =>
                phlexor.report.columns.groups
                    .find(({ title }) => title === name)
                    .columns.find((entry) => entry.name === column)
                    .data.at(-1);
            const [belt, cross, rope] = ['belt', 'cross', 'rope'].map(of);
            const back = belt.rope.pieces[21];
            const { joint, drive } = attached.joints.find((entry) => entry.drive);
            const [sector] = drive.children;
            const arrows = attached.arrows.entries.map(({ load, solids: [solid] }) => ({
                name: load.name,
                visible: solid.visible,
                at: solid.position.toArray(),
                along: solid.position.clone().set(0, 0, 1).applyQuaternion(solid.quaternion).toArray(),
            }));
            return {
                touches: [
                    touch(belt.solid, belt.rope.pieces[0], [0, 0, 1], false),
                    touch(belt.solid, belt.rope.pieces[0], [0.5, 0, 1.1], true),
                    touch(belt.solid, back, [0.5, 0, 1.1], false),
                    touch(belt.solid, back, [0, 0, 1], true),
                    touch(cross.solid, cross.rope.pieces[0], [0.5, 0, 1.1], false),
                    touch(cross.solid, cross.rope.pieces[0], [0.3, 0, 1.4], true),
                    touch(rope.solid, rope.rope.pieces[0], [0, 0, 1], false),
                ],
                closed: [belt, cross].map(({ rope: loop }) => {
                    const last = loop.pieces.at(-1);
                    const end = last.position.clone().set(0, 0, last.scale.z).applyQuaternion(last.quaternion);
                    return end.add(last.position).distanceTo(loop.pieces[0].position);
                }),
                driven: joint.name,
                angle: (sector.geometry.drawRange.count / 6 / 96) * 2 * Math.PI,
                arrows,
                kinds: visuals.list.filter(({ visual }) => visual.kind === 'contact').map(({ body }) => body),
                inertia: visuals.list.filter(({ visual, body }) => visual.kind === 'inertia' && body === 3).length,
                lengths: ground.labels.children.length,
                shadow: Boolean(ground.shadow?.receiveShadow),
                pin: ['fx', 'fy', 'fz'].map((name) => values('pin', name)),
            };
        });
        const radii = [0.1, 0.2, 0.2, 0.1, 0.1, 0.1, 0.05];
        found.touches.forEach(([distance, across], k) => {
            near(distance, radii[k], 1e-6, `piece ${k} from the axis of its wheel`);
            near(across, 0, 1e-6, `piece ${k} touches its wheel`);
        });
        assert.ok(found.touches[0][2] * found.touches[3][2] < 0, 'an open belt runs above and below');
        found.closed.forEach((gap) => near(gap, 0, 1e-6, 'a belt is closed'));
        assert.equal(found.driven, 'a');
        near(found.angle, 0.5, 0.04, 'angle of the drive');
        const [floor, pin] = ['floor', 'pin'].map((name) => found.arrows.find((arrow) => arrow.name === name));
        assert.ok(floor.visible && pin.visible);
        near(floor.along[2], 1, 1e-6, 'the floor pushes upwards');
        near(floor.at[0], 0.1, 1e-3, 'at the ball');
        const size = Math.hypot(...found.pin);
        pin.along.forEach((x, c) => near(x, found.pin[c] / size, 1e-4, `reaction, ${'xyz'[c]}`));
        assert.deepEqual([...found.kinds].sort(), [-1, 3]);
        assert.equal(found.inertia, 0); // the ball is all that is seen of its body
        assert.ok(found.lengths > 4 && found.shadow);
        await tab.getByRole('button', { name: 'Forces' }).click();
        await settle(tab);
        const hidden = await tab.evaluate(() =>
            phlexor.scene.attached.arrows.entries
                .filter(({ load }) => load.at)
                .every(({ solids }) => !solids[0].visible),
        );
        assert.ok(hidden, 'forces can be hidden');
        await tab.picture('driven');
        await tab.done();
    });

const meshes = `phlexor: 1
title: A plate and a bar
dimension: 3
gravity: [0, 0, -9.81]
materials:
  m: {density: 2700, young: 7e9, poisson: 0.3, expansion: 1e-5}
ground: {ports: {O: {position: [0, 0.25, 0]}}}
bodies:
  plate: {kind: plate, material: m, thickness: 0.02, mesh: {size: [1, 0.5], elements: [8, 4]}, ports: {P: {on: x0}, C: {on: x1}}}
  bar: {kind: solid, material: m, pose: {position: [1, 0.2, -0.05]}, mesh: {size: [0.6, 0.1, 0.1], elements: [4, 1, 1], cells: hex20}, ports: {P: {on: x0}, C: {on: x1}}}
joints:
  hinge: {kind: revolute, ports: [ground.O, plate.P], axis: [0, 1, 0]}
  knee: {kind: revolute, ports: [plate.C, bar.P], axis: [0, 1, 0]}
loads: {sun: {temperature: 100*t, on: plate, profile: 0.5 + z/0.02}, warm: {temperature: -5, on: plate, profile: x*x}}
outputs:
  tip: {position: plate@44}
  node: {stress: plate@44}
  plate: {von_mises: plate}
  bar: {von_mises: bar}
  corner: {stress: bar@1}
simulate: {end: 0.5, step: 1e-3, every: 1e-2}
`;

const expansion = `phlexor: 1
dimension: 3
materials: {m: {density: 7800, young: 2e11, poisson: 0.3, expansion: 1e-5}}
bodies:
  b: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 1, 1]}, ports: {P: {on: x0, attach: average}}}
joints: {root: {kind: weld, ports: [ground.O, b.P]}}
loads: {heat: {temperature: 50, on: b, profile: 1 + 40*x}}
`;

if (program)
    check('surfaces of bodies on a mesh, coloured by their stresses', async () => {
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        writeFileSync(join(folder, 'meshes.yaml'), meshes);
        run('simulate', 'meshes.yaml', '-o', 'meshes.h5', '--csv', 'meshes.csv');
        run('report', 'meshes.h5');
        const [names, ...rows] = readFileSync(join(folder, 'meshes.csv'), 'utf8')
            .trim()
            .split('\n')
            .map((line) => line.split(','));
        const column = (name) => rows.map((row) => Number(row[names.indexOf(name)]));
        const tab = await open(readFileSync(join(folder, 'meshes.html'), 'utf8'));
        const { found } = await pixels(tab, ['#2f6fb7', '#c9651b']);
        found.forEach((n, i) => assert.ok(n > 100, `pixels of body ${i}: ${n}`));

        // A node of the plate stands where its output says, and the slab has its thickness.
        const node = await tab.evaluate(() => {
            const { scene, player } = phlexor;
            player.set(0.37);
            const { surface, object } = scene.bodies[0];
            const at = object.position
                .clone()
                .fromArray(surface.bent, 3 * 43)
                .applyMatrix4(object.matrix);
            const { array } = surface.object.geometry.attributes.position;
            const other = 3 * (surface.n + 43);
            return {
                at: [at.x, at.y, at.z],
                thickness: Math.hypot(...[0, 1, 2].map((k) => array[3 * 43 + k] - array[other + k])),
            };
        });
        ['x', 'y', 'z'].forEach((axis, k) => near(node.at[k], column(`tip.${axis}`)[37], 1e-5, `${axis} of the node`));
        near(node.thickness, 0.02, 1e-8, 'thickness of the slab');

        // The scales reach to the largest values of the outputs.
        const largest = async (name) => {
            await tab.locator('.display select').selectOption(name);
            return tab.evaluate(() => phlexor.scene.largest);
        };
        const most = (...columns) => Math.max(...columns.flatMap((name) => column(name)));
        const mises = most('plate.top', 'plate.bottom', 'bar');
        near(await largest('von_mises'), mises, 1e-3 * mises, 'largest von Mises stress');
        await tab.picture('surfaces');
        const values = await tab.evaluate(() => {
            const { scene, motion } = phlexor;
            const [body] = scene.bodies;
            const section = body.body.section.find((entry) => entry.name === 'stress_top_yy');
            return Array.from({ length: 51 }, (_, frame) => {
                motion.toFrame(frame);
                return body.evaluate(section, motion.q)[43];
            });
        });
        const node_yy = column('node.top_yy');
        const node_most = most('node.top_yy', 'plate.top');
        values.forEach((value, k) =>
            near(value, node_yy[k], 1e-6 * node_most, `stress of the heated plate, frame ${k}`),
        );
        near(await largest('von_mises_top'), most('plate.top'), 1e-3 * mises, 'of the upper surface');
        const corner = Math.max(...column('corner.xx').map(Math.abs));
        assert.ok((await largest('stress_xx')) >= 0.999 * corner, 'stress xx is at least that of a corner');
        assert.equal(await tab.locator('.ramp-ends .middle').innerText(), '0');
        await key(tab, 'g', 'n', 'x', 'End');
        await tab.done();
    });

if (program)
    check('a body that expands freely has no colours of a stress', async () => {
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        writeFileSync(join(folder, 'free.yaml'), expansion);
        run('static', 'free.yaml', '-o', 'free.h5');
        run('report', 'free.h5');
        const tab = await open(readFileSync(join(folder, 'free.html'), 'utf8'));
        await tab.locator('.display select').selectOption('stress_xx');
        const found = await tab.evaluate(() => ({
            scale: phlexor.scene.largest,
            most: Math.max(...phlexor.scene.bodies[0].values.map(Math.abs)),
        }));
        assert.ok(found.most < 1e-5 * 2e11 * 1e-5 * 50, `largest stress: ${found.most}`);
        assert.ok(found.most < 0.25 * found.scale, `largest stress ${found.most} on a scale to ${found.scale}`);
        await tab.done();
    });

if (program)
    check('pages of derivatives, optima and identified parameters', async () => {
        const run = (...words) => execFileSync(resolve(program), words, { cwd: folder, stdio: 'pipe' });
        const model = (name) => join(resolve(examples), `${name}.yaml`);
        const show = async (name) => {
            const tab = await open(readFileSync(join(folder, `${name}.html`), 'utf8'), { size: [390, 844] });
            assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 390, `${name}: width`);
            await tab.picture(name);
            return tab;
        };
        const of = ['--of', 'modes.omega.1', '--of', 'model.mass'];
        const to = ['d1', 'd2', 'd3'].flatMap((name) => ['--to', name]).concat('--set', 'd3=0.012');
        run('sensitivity', model('stepped_cantilever'), ...of, ...to, '-o', 'bars.html');
        const { objectives, parameters } = JSON.parse(
            run('sensitivity', model('stepped_cantilever'), ...of, ...to, '--format', 'json'),
        );
        let tab = await show('bars');
        const bars = await tab.evaluate(() => ({
            names: [...document.querySelectorAll('.bar-name')].map((name) => name.textContent),
            widths: [...document.querySelectorAll('.bar')].map((bar) => parseFloat(bar.style.width)),
            values: [...phlexor.scene.bodies[0].values],
            largest: phlexor.scene.largest,
            end: document.querySelector('.ramp-ends .high').textContent,
        }));
        assert.deepEqual(bars.names.slice(0, 3), ['d1', 'd3', 'd2'], 'bars by their size; that of d3 is negative');
        const change = (name, k = 0) => Math.abs(objectives[k].gradient[name] * parameters[name]);
        ['d1', 'd2', 'd3'].forEach((name, k) => {
            near(bars.widths[bars.names.indexOf(name)], (50 * change(name)) / change('d1'), 1e-2, `bar of ${name}`);
            const third = bars.values.filter((_, i, all) => Math.floor((3 * i + 0.5) / (all.length - 1)) === k);
            third.forEach((value) => near(value, change(name), 1e-9 * value, `colour of a place with ${name}`));
        });
        near(bars.largest, change('d1'), 1e-9 * bars.largest, 'the scale');
        assert.equal(bars.end, '171 rad/s');
        const { found } = await pixels(tab, ['#b8204a']); // the end of the scale
        assert.ok(found[0] > 50, `pixels of the first third: ${found[0]}`);
        await tab.done();

        const optimum = JSON.parse(
            run('optimize', model('stepped_cantilever'), '--format', 'json', '--page', 'history.html'),
        );
        tab = await show('history');
        const history = await tab.evaluate(() => ({
            titles: [...document.querySelectorAll('.plot h3')].map((title) => title.firstChild.textContent),
            rows: phlexor.report.optimization.history,
            others: phlexor.scene.others.list.map(({ report, bodies }) => [report.source, bodies.length]),
            best: [...document.querySelectorAll('.series-name')].filter((entry) => /the best/.test(entry.textContent))
                .length,
            text: document.querySelector('table').innerText,
        }));
        assert.deepEqual(history.titles, ['modes.omega.1', 'model.mass', 'd1', 'd2', 'd3']);
        assert.deepEqual(history.rows, optimum.history);
        assert.deepEqual([history.others, history.best], [[['start', 1]], 5]);
        assert.match(history.text, /162\.72/);
        await tab.done();

        // A file whose name a careless page would run.
        const data = '<img src=x onerror=alert(1)>.csv';
        copyFileSync(join(resolve(examples), 'measured_hinge.csv'), join(folder, data));
        run('identify', model('measured_hinge'), '--data', data, '--page', 'fit.html');
        tab = await show('fit');
        const fit = await tab.evaluate(() => ({
            title: document.querySelector('.plot h3').innerText,
            images: document.querySelectorAll('.panel img').length,
            cells: [...document.querySelectorAll('.correlations td')].map((cell) => cell.textContent),
            plots: document.querySelectorAll('.plot canvas').length,
            rows: phlexor.report.identification.rows.length,
        }));
        assert.equal(fit.title, `${data}: measured`);
        assert.deepEqual([fit.images, fit.rows, fit.cells.length], [0, 151, 9]);
        assert.ok(fit.plots >= 1);
        assert.equal(fit.cells[5], '−0.988');
        await tab.done();
    });

let ran = 0;
let failed = 0;
for (const [name, run] of checks) {
    if (only && !name.includes(only)) continue;
    ran++;
    const begin = Date.now();
    try {
        await run();
        console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed++;
        console.log(`FAIL  ${name}\n${error.stack}\n`);
    }
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(failed ? `${failed} of ${ran} failed` : `${ran} checks passed`);
process.exit(failed ? 1 : 0);

// Takes a picture of a report for the documentation: bodies named, coloured by their bending moment, some way on.
//
//   node test/picture.mjs REPORT.html CHROMIUM PICTURE.png      in a directory with node_modules (playwright-core)
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const [report, browserPath, picture] = process.argv.slice(2);
const browser = await launch(browserPath);
const tab = await browser.newPage({
    viewport: { width: 1240, height: 720 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
});
await tab.goto(pathToFileURL(resolve(report)).href);
await tab.waitForSelector('html[data-ready]');
await tab.getByLabel('Colour by').selectOption('bending_moment_z');
await tab.keyboard.press('n');
await tab.evaluate(() => {
    const [low, high] = phlexor.player.range;
    phlexor.player.set(low + 0.31 * (high - low));
    document.activeElement.blur();
});
await tab.waitForTimeout(500);
await tab.screenshot({ path: picture });
await browser.close();

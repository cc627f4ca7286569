// Takes a picture of a report for the documentation: bodies named, coloured by a quantity, some way on (a share of the
// whole time), the deformation magnified.
//
//   node test/picture.mjs REPORT.html CHROMIUM PICTURE.png QUANTITY SHARE [MAGNIFICATION]      in a directory with node_modules (playwright-core)
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const [report, browserPath, picture, quantity, share, magnification] = process.argv.slice(2);
const browser = await launch(browserPath);
const tab = await browser.newPage({
    viewport: { width: 1240, height: 720 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
});
await tab.goto(pathToFileURL(resolve(report)).href);
await tab.waitForSelector('html[data-ready]');
if (quantity) await tab.getByLabel('Colour by').selectOption(quantity);
if (magnification) await tab.getByLabel('Magnification of the deformation, a number').fill(magnification);
await tab.keyboard.press('Tab');
if (quantity) await tab.keyboard.press('n');
await tab.evaluate((share) => {
    const [low, high] = phlexor.player.range;
    phlexor.player.set(low + share * (high - low));
    document.activeElement.blur();
}, Number(share));
await tab.waitForTimeout(500);
await tab.screenshot({ path: picture });
await browser.close();

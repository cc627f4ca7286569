// Bundles the page: src/page.html with the style and the program inside, and the licences of what is bundled.
//
//   node build.mjs OUTPUT      in the directory that has node_modules (web/ itself, or the build tree's copy)
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const modules = resolve('node_modules');
const output = resolve(process.argv[2] ?? 'page.html');
const require = createRequire(join(modules, 'here.js'));
const { build } = require('esbuild');

const bundled = ['three', 'uplot'];
const licences = bundled.map((name) => ({
    name,
    version: JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version,
    text: readFileSync(join(modules, name, 'LICENSE'), 'utf8').trim(),
}));

const result = await build({
    entryPoints: [join(source, 'main.js'), join(source, 'page.css')],
    outdir: 'bundle', // only names: nothing is written
    write: false,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'iife',
    target: ['es2022'],
    nodePaths: [modules],
    legalComments: 'inline',
    define: { PHLEXOR_LICENCES: JSON.stringify(licences) },
    logLevel: 'warning',
});
const text = (end) => result.outputFiles.find((file) => file.path.endsWith(end)).text.trim();

// Nothing that ends a script or a style element may stand inside one.
const script = text('.js')
    .replaceAll(/<\/(script)/gi, '<\\/$1')
    .replaceAll('<!--', '<\\!--');
const html = readFileSync(join(source, 'page.html'), 'utf8')
    .replace('/*style*/', () => text('.css'))
    .replace('/*script*/', () => script);
const places = html.split('<!--phlexor-data-->').length - 1;
if (places !== 1) throw new Error(`the page has ${places} places for the data, it must have one`);

mkdirSync(dirname(output), { recursive: true });
writeFileSync(`${output}.partial`, html);
renameSync(`${output}.partial`, output);

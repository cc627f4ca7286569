// Where the reader of three.js has every node of every surface of a glb at some of its instants: as JSON, a list of
// {t, surfaces: [{name, places: [x, y, z, ...]}]} in the axes of the node "motion".
//
//   node test/gltf.mjs MOTION.glb COUNT      in a directory with node_modules (three)
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const module = (name) => import(pathToFileURL(resolve('node_modules/three', name)).href);
globalThis.self = globalThis; // the reader asks for a browser
const { AnimationMixer, Vector3 } = await module('build/three.module.js');
const { GLTFLoader } = await module('examples/jsm/loaders/GLTFLoader.js');

const [file, count] = process.argv.slice(2);
const bytes = readFileSync(file);
const gltf = await new GLTFLoader().parseAsync(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    '',
);
const mixer = new AnimationMixer(gltf.scene);
const [animation] = gltf.animations;
mixer.clipAction(animation).play();
const root = gltf.scene.getObjectByName('motion');
const times = animation.tracks[0].times;
const out = [];
for (let k = 0; k < count; k++) {
    // Just before the end: the action begins again there.
    const t = times[Math.floor((k * (times.length - 1)) / count)];
    mixer.setTime(t);
    gltf.scene.updateMatrixWorld(true);
    const surfaces = [];
    gltf.scene.traverse((mesh) => {
        if (!mesh.isMesh) return;
        if (mesh.isSkinnedMesh) mesh.skeleton.update();
        const v = new Vector3();
        const places = [];
        for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
            mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
            places.push(...root.worldToLocal(v).toArray());
        }
        surfaces.push({ name: mesh.name, places });
    });
    out.push({ t, surfaces });
}
process.stdout.write(JSON.stringify(out));

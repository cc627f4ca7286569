// The paths of ports over the whole motion.
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Matrix4 } from 'three';
import { categorical } from './colours.js';
import { sampled } from './extent.js';

/** A line for each of the ports "BODY.PORT", in the colour of its body; names that there are not are left out. */
export function addTrails(scene, names) {
    const { report, motion, attached } = scene;
    const matrix = new Matrix4();
    for (const name of names) {
        const body = report.bodies.findIndex((entry) => name.startsWith(`${entry.name}.`));
        const port = report.bodies[body]?.ports.findIndex(
            (entry) => `${report.bodies[body].name}.${entry.name}` === name,
        );
        if (!(port >= 0)) continue;
        const places = [];
        const at = [0, 0, 0];
        for (const frame of sampled(report.frames.count, 2000)) {
            motion.toFrame(frame);
            attached.portAt({ body, port }, at, matrix);
            places.push(...at);
        }
        const geometry = new BufferGeometry().setAttribute(
            'position',
            new BufferAttribute(new Float32Array(places), 3),
        );
        const line = new Line(geometry, new LineBasicMaterial({ color: categorical(body) }));
        line.frustumCulled = false;
        scene.scene.add(line);
    }
    scene.restore?.();
}

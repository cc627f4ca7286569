/* An arm on a hinge, a solid or in its basis. */
#include "arm.h"

#include "continuum/continuum.h"

#include "model/model.h"
#include "system/system.h"

const char whole_arm[] = "kind: solid, material: steel, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 1, 1]}, "
                         "basis: {modes: 4}, ports: {P: {on: x0}, C: {on: x1, rotation: {axis: [1, 0, 0], "
                         "angle: 0.3}}}";
const char reduced_arm[] = "kind: reduced, file: arm.h5";

phx_model *read_arm(phx_context *context, const char *arm, const char *more)
{
    static char text[2000];

    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 3\ngravity: [0, -9.81, 0]\nparameters: {rate: 2}\n"
             "materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"
             "bodies:\n  arm: {%s%s}\n"
             "joints: {hinge: {kind: revolute, ports: [ground.O, arm.P], axis: [0, 0, 1], rate: rate}}\n"
             "loads: {pull: {force: [0, 1, 0], at: arm.C}}\n"
             "outputs: {tip: {position: arm.C}, middle: {deformation: arm@20}}\n",
             arm, more);
    return read_text(context, text);
}

void write_reduced_arm(phx_context *context)
{
    phx_model *model = read_arm(context, whole_arm, "");
    const phx_model_body *body = &model->bodies[0];
    phx_system *system = NULL;
    phx_reduced_port ports[2];

    CHECK_OK(context, phx_model_build_body(context, model, 0, &system));
    assert_int_equal(body->n_ports, 2);
    for (int k = 0; k < 2; k++) {
        ports[k].name = body->ports[k].name;
        ports[k].location = &body->ports[k].location;
        memcpy(ports[k].rotation, body->ports[k].rotation.matrix, sizeof ports[k].rotation);
    }
    CHECK_OK(context,
             phx_reduced_write(context, "arm.h5", "arm", "solid", phx_system_source(system, 0), NULL, 2, ports));
    phx_system_destroy(system);
    phx_model_destroy(model);
}

enum { CORNERS = 4, UNKNOWNS = 3 * CORNERS };
static const double corner[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* k n n^T of each spring, n along it. */
static void add_springs(double K[UNKNOWNS][UNKNOWNS])
{
    const double stiffness = 1e6;

    for (int p = 0; p < CORNERS; p++)
        for (int q = p + 1; q < CORNERS; q++) {
            double d[3], square = 0.0;
            for (int a = 0; a < 3; a++) {
                d[a] = corner[q][a] - corner[p][a];
                square += d[a] * d[a];
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    const double part = stiffness * d[a] * d[b] / square;
                    K[3 * p + a][3 * p + b] += part;
                    K[3 * q + a][3 * q + b] += part;
                    K[3 * p + a][3 * q + b] -= part;
                    K[3 * q + a][3 * p + b] -= part;
                }
        }
}

void write_frame(void)
{
    double K[UNKNOWNS][UNKNOWNS] = {{0}};
    FILE *nodes = fopen("frame.csv", "w"), *stiffness = fopen("frame_K.mtx", "w"), *mass = fopen("frame_M.mtx", "w");

    assert_true(nodes && stiffness && mass);
    add_springs(K);
    fputs("node, x, y, z\n", nodes);
    for (int p = 0; p < CORNERS; p++)
        fprintf(nodes, "%d, %g, %g, %g\n", p + 1, corner[p][0], corner[p][1], corner[p][2]);
    fprintf(stiffness, "%%%%MatrixMarket matrix array real general\n%d %d\n", UNKNOWNS, UNKNOWNS);
    fprintf(mass, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", UNKNOWNS, UNKNOWNS, UNKNOWNS);
    for (int i = 0; i < UNKNOWNS; i++) {
        fprintf(mass, "%d %d 1\n", i + 1, i + 1);
        for (int j = 0; j < UNKNOWNS; j++)
            fprintf(stiffness, "%.17g\n", K[i][j]);
    }
    fclose(nodes);
    fclose(stiffness);
    fclose(mass);
}

/* Shells: what they are built of, and each refusal with its place. */
#include "arm.h"

#include "body/body.h"
#include "model/model.h"
#include "system/system.h"

#include <math.h>

static phx_status build(phx_context *context, const char *text, phx_model **model, phx_system **system)
{
    phx_status status = phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, model);

    *system = NULL;
    if (!status)
        status = phx_model_build(context, *model, NULL, system);
    return status;
}

#define HEAD                                                                                                           \
    "phlexor: 1\ndimension: 3\nmaterials:\n  steel: {density: 7850, young: 2.1e11, poisson: 0.3}\n"                    \
    "  wire: {density: 7850, young: 2.1e11}\nbodies:\n"
#define MESH     "mesh: {size: [2, 1], elements: [2, 1]}"
#define KEYS     "kind: shell, material: steel, thickness: 0.01"
#define PLATE(x) HEAD "  s: {" KEYS ", " MESH x "}\n"
#define SWEEP(x) HEAD "  s: {" KEYS ", mesh: {" x "}}\n"

static void refusals(void **state)
{
    static const struct {
        int line, column;
        const char *fragment, *text;
    } cases[] = {
        {7, 6, "'thickness' is missing, or 'layers'", HEAD "  s: {kind: shell, material: steel, " MESH "}\n"},
        {7, 30, "material 'wire' has no 'poisson'",
         HEAD "  s: {kind: shell, material: wire, thickness: 1, " MESH "}\n"},
        {7, 48, "the thickness is that of the layers", PLATE(", layers: [{thickness: 0.1}]")},
        {7, 103, "the damping of a shell is that of its strains", PLATE(", damping: {mass: 1}")},
        {7, 112, "'node' and 'near' both say", PLATE(", ports: {a: {near: [0, 0, 0], node: 1}}")},
        {7, 120, "a single node has no 'tie'; tie a set", PLATE(", ports: {a: {node: 1, tie: rigid}}")},
        {7, 120, "expected one of rigid, places, found 'loose'", PLATE(", ports: {a: {set: x0, tie: loose}}")},
        {7, 101, "port 'clamp': the mesh has no group 'x2'", PLATE(", clamp: [x2]")},
        {7, 128, "the body has a port 'clamp' already", PLATE(", ports: {clamp: {set: x0}}, clamp: [x1]")},
        {7, 102, "port 'a': the mesh has no group 'x5'", PLATE(", ports: {a: {set: x5}}")},
        {7, 102, "port 'a': the shell has no node 99", PLATE(", ports: {a: {node: 99}}")},
        {7, 102, "lies 1 m off the nearest node", PLATE(", ports: {a: {near: [0, 0, 1]}}")},
        {7, 116, "is in the ports 'a' and 'b', which are both rigid", PLATE(", ports: {a: {set: x0}, b: {set: y0}}")},
        {7, 102, "its places stand on a line", PLATE(", ports: {a: {set: x0, tie: places}}")},
        {7, 102, "its set is a single node", PLATE(", ports: {a: {set: x0y0}}")},
        {7, 104, "region: the mesh has no group 'rim'", PLATE(", regions: {rim: {thickness: 1}}")},
        {7, 100, "the axis is normal to the surface", PLATE(", axis: [0, 0, 1]")},
        {7, 137, "a mass with inertia at a single node",
         PLATE(", ports: {a: {node: 1}}, point_masses: [{at: a, mass: 1, inertia: [1, 1, 1]}]")},
        {7, 158, "weld a rigid body to it",
         PLATE(", ports: {a: {set: x0, position: [0, 0, 1]}}, point_masses: [{at: a, mass: 1}]")},
        {7, 60, "comes to [0, 1], and the axis of the revolution",
         SWEEP("revolve: pi, elements: 4, from: [1, 1], line: [{to: [0, 1], elements: 2}]")},
        {7, 60, "segment 1 of the line, from [1, 1], has no length",
         SWEEP("extrude: 1, elements: 4, from: [1, 1], line: [{to: [1, 1], elements: 2}]")},
        {7, 60, "the angle of the sweep is 7",
         SWEEP("revolve: 7, elements: 4, from: [1, 1], line: [{to: [2, 1], elements: 2}]")},
        {7, 60, "a shell mesh needs one of the keys size, extrude, revolve, file", SWEEP("elements: [1, 1]")},
    };
    int wrong = 0;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char place[80];
        phx_model *model = NULL;
        phx_system *system = NULL;
        const phx_status status = build(*state, cases[k].text, &model, &system);
        const char *message = status ? phx_context_message(*state) : "it was built";
        snprintf(place, sizeof place, "model.yaml:%d:%d: ", cases[k].line, cases[k].column);
        if (status != PHX_ERR_INPUT || strncmp(message, place, strlen(place)) != 0 ||
            !strstr(message, cases[k].fragment)) {
            print_error("case %zu: %d %s\nexpected %s...%s\n", k, status, message, place, cases[k].fragment);
            wrong++;
        }
        phx_system_destroy(system);
        phx_model_destroy(model);
    }
    assert_int_equal(wrong, 0);
}

/* Mass and centre of a folded profile whose web is thicker, and of a hemisphere with a hole, against closed forms. */
static void mass_is_that_of_the_surface(void **state)
{
    static const char text[] =
        HEAD "  s: {" KEYS ", mesh: {extrude: 2, elements: 2, from: [0, 0], line: [\n"
             "    {to: [0.3, 0], elements: 2, name: web}, {to: [0.3, 0.1], elements: 1}]}, regions: {web: {thickness: "
             "0.02}},\n    ports: {far: {near: [0, 0, 2]}}, point_masses: [{at: corner, mass: 3}]}\n"
             "  d: {" KEYS ", mesh: {revolve: 2*pi, elements: 24, from: [1, 0], line: [{angle: 72*deg, centre: [0, "
             "0],\n    elements: 8}]}}\n";
    char copy[sizeof text + 80];
    phx_model *model = NULL;
    phx_system *system = NULL;
    const char *ports = strstr(text, "ports: {") + strlen("ports: {");

    snprintf(copy, sizeof copy, "%.*scorner: {near: [0.3, 0, 0]}, %s", (int)(ports - text), text, ports);
    CHECK_OK(*state, build(*state, copy, &model, &system));
    const phx_mass_properties *profile = phx_body_at_rest(phx_system_body(system, 0)),
                              *dome = phx_body_at_rest(phx_system_body(system, 1));
    const double web = 7850.0 * 0.02 * 0.6, flange = 7850.0 * 0.01 * 0.2, pi = 3.141592653589793;
    CHECK_RELATIVE(profile->mass, web + flange + 3.0, 1e-12, "mass");
    CHECK_RELATIVE(profile->s0[0], 0.15 * web + 0.3 * (flange + 3.0), 1e-12, "first moment");
    CHECK_RELATIVE(profile->s0[2], web + flange, 1e-12, "first moment along the extrusion");
    /* area 2 pi R^2 sin a, centre at R sin a / 2; Lobatto's rule on curved cells is of fourth order */
    const double area = 2.0 * pi * sin(0.4 * pi);
    CHECK_RELATIVE(dome->mass, 7850.0 * 0.01 * area, 1e-4, "mass of the dome");
    CHECK_RELATIVE(dome->s0[2] / dome->mass, 0.5 * sin(0.4 * pi), 1e-4, "its centre");
    phx_system_destroy(system);
    phx_model_destroy(model);
}

/* Clamped sets are one rigid set, which a weld holds to the ground wherever the body is posed. */
static void clamps_are_welds(void **state)
{
    phx_model *model = NULL;
    phx_system *system = NULL;

    CHECK_OK(*state,
             build(*state,
                   PLATE(", clamp: [x0, y0], pose: {position: [3, 1, -2], rotation: {axis: [1, 2, 3], angle: 1}}"),
                   &model, &system));
    assert_int_equal(model->n_joints, 1);
    assert_string_equal(model->joints[0].name, "s/clamp");
    assert_int_equal(model->joints[0].kind, PHX_JOINT_WELD);
    assert_int_equal(phx_body_frames(phx_system_body(system, 0), NULL), 1);
    /* it is at the origin of the ground: r + R p = 0 */
    const phx_model_body *body = &model->bodies[0];
    for (int a = 0; a < 3; a++) {
        double at = body->pose.position[a];
        for (int i = 0; i < 3; i++)
            at += body->pose.rotation.matrix[3 * a + i] * body->ports[body->n_ports - 1].position[i];
        CHECK_CLOSE(at, 0.0, 1e-14, "component %d of the place of the clamp", a);
    }
    /* 5 x 3 places, of which 5 + 3 - 1 are tied; places and directors */
    assert_int_equal(phx_body_n_v(phx_system_body(system, 0)), 6 + 2 * 3 * (15 - 7));
    phx_system_destroy(system);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(mass_is_that_of_the_surface, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(clamps_are_welds, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

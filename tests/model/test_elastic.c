/* Plates, solids and imported bodies of model files: what their keys make, and what is refused with the place in the
 * file, the reason and the remedy. */
#include "arm.h"

#include "continuum/continuum.h"

#include "model/model.h"
#include "system/system.h"

#include <math.h>

#define HEAD   "phlexor: 1\ndimension: 3\nmaterials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\nbodies:\n"
#define BAR    "kind: solid, material: steel, mesh: {size: [0.3, 0.02, 0.01], elements: [4, 1, 1]}"
#define SQUARE "kind: plate, material: steel, thickness: 0.01, mesh: {size: [1, 1], elements: [2, 2]}"

/* The model of this text is read and built, or not. */
static phx_status build(phx_context *context, const char *text, phx_model **model, phx_system **system)
{
    phx_status status = phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, model);

    *system = NULL;
    if (!status)
        status = phx_model_build(context, *model, NULL, system);
    return status;
}

static void accept(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    phx_system *system = NULL;

    CHECK_OK(context, build(context, text, &model, &system));
    phx_system_destroy(system);
    phx_model_destroy(model);
}

static void refuse(phx_context *context, const char *text, const char *where, const char *what)
{
    char place[80];
    phx_model *model = NULL;
    phx_system *system = NULL;

    snprintf(place, sizeof place, "model.yaml:%s: ", where);
    CHECK_STATUS(context, build(context, text, &model, &system), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, place);
    CHECK_MESSAGE(context, what);
    phx_model_destroy(model);
}

/* ---- bases of other programs ---- */
static void write_shapes(int rows)
{
    FILE *file = fopen("frame_T.mtx", "w");

    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d 3 3\n4 1 1\n8 2 1\n12 3 1\n", rows);
    fclose(file);
}

#define FRAME HEAD "  frame: {kind: imported, files: [frame.csv, frame_K.mtx, frame_M.mtx], "
static void own_bases(void **state)
{
    phx_context *context = *state;
    phx_model *model;
    phx_system *system;

    write_frame();
    write_shapes(12);
    CHECK_OK(context,
             build(context, FRAME "basis: {kind: own, file: frame_T.mtx}, ports: {P: {node: 1}}}\n", &model, &system));
    assert_int_equal(phx_flex_source_flex(phx_system_source(system, 0))->n, 3);
    phx_system_destroy(system);
    phx_model_destroy(model);
    refuse(context, FRAME "basis: {kind: own}}\n", "5:3", "no modes of its own");
    refuse(context, FRAME "basis: {kind: own, file: frame_T.mtx, modes: 3}}\n", "5:118", "no 'modes'");
    refuse(context, FRAME "basis: {kind: free, file: frame_T.mtx}}\n", "5:99", "'file' is for an 'own' basis");
    refuse(context, HEAD "  bar: {" BAR ", basis: {kind: own, file: frame_T.mtx}}\n", "5:100",
           "an 'own' basis is for imported bodies");
    write_shapes(13);
    refuse(context, FRAME "basis: {kind: own, file: frame_T.mtx}}\n", "5:3", "shapes of 13 rows");
    for (size_t k = 0; k < 4; k++)
        remove((const char *const[]){"frame.csv", "frame_K.mtx", "frame_M.mtx", "frame_T.mtx"}[k]);
}

/* ---- ports without directions ---- */
#define NODES HEAD "  bar: {" BAR ", ports: {all: {on: x0}, one: {node: 1}}}\n"
static void joints_that_need_directions(void **state)
{
    phx_context *context = *state;
    static const char reason[] = "is a single node, which moves but does not turn; take a port on a set of nodes";

    accept(context, NODES "joints: {ball: {kind: spherical, ports: [ground.O, bar.one]}}\n");
    accept(context, NODES "joints: {ball: {kind: spherical, ports: [ground.O, bar@7]}}\n");
    accept(context, NODES "joints: {line: {kind: slider, ports: [ground.O, bar.one], axis: [1, 0, 0]}}\n");
    accept(context, NODES "loads: {pull: {force: [1, 0, 0], at: bar.one}}\n");
    accept(context, NODES "loads: {pull: {torque: [1, 0, 0], at: bar.all, frame: body}}\n");
    refuse(context, NODES "joints: {hinge: {kind: revolute, ports: [ground.O, bar.one], axis: [0, 0, 1]}}\n", "6:10",
           "joint 'hinge': port 'one' of body 'bar' is a single node");
    CHECK_MESSAGE(context, reason);
    refuse(context, NODES "joints: {hinge: {kind: revolute, ports: [ground.O, bar@7], axis: [0, 0, 1]}}\n", "6:10",
           "joint 'hinge': port node 7 of body 'bar'");
    refuse(context, NODES "joints: {line: {kind: slider, ports: [bar.one, ground.O], axis: [1, 0, 0]}}\n", "6:10",
           reason);
    refuse(context, NODES "joints: {ball: {kind: spherical, ports: [ground.O, bar.one], damping: [1, 1, 1]}}\n", "6:10",
           reason);
    refuse(context, NODES "loads: {twist: {torque: [1, 0, 0], at: bar.one}}\n", "6:9", reason);
    refuse(context, NODES "loads: {pull: {force: [1, 0, 0], at: bar.one, frame: body}}\n", "6:9", reason);
}

/* A reduced body knows it too. */
static void reduced_bodies_know_directions(void **state)
{
    phx_context *context = *state;
    static const phx_location location = {.sort = PHX_LOCATION_NAME, .name = "one"};
    const phx_reduced_port port = {"one", &location, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    phx_model *model;
    phx_system *system;

    CHECK_OK(context, build(context, NODES, &model, &system));
    CHECK_OK(context,
             phx_reduced_write(context, "bar.h5", "bar", "solid", phx_system_source(system, 0), NULL, 1, &port));
    phx_system_destroy(system);
    phx_model_destroy(model);
    accept(context, HEAD "  bar: {kind: reduced, file: bar.h5}\n"
                         "joints: {ball: {kind: spherical, ports: [ground.O, bar.one]}}\n");
    refuse(context,
           HEAD "  bar: {kind: reduced, file: bar.h5}\n"
                "joints: {fix: {kind: weld, ports: [ground.O, bar.one]}}\n",
           "6:10", "is a single node");
    remove("bar.h5");
}

/* ---- sets of nodes on a line ---- */
/* The edge of a box in the direction of y, of x turned in the plane. */
static void write_line(bool turned)
{
    static const char *const mesh[] = {
        "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n",
        "*NODE\n1,0,0,0\n2,3,4,0\n3,-1,7,0\n4,-4,3,0\n5,0,0,5\n6,3,4,5\n7,-1,7,5\n"
        "8,-4,3,5\n"};
    FILE *file = fopen("line.inp", "w");

    assert_non_null(file);
    fputs(mesh[turned], file);
    fputs("*ELEMENT, TYPE=C3D8, ELSET=ALL\n1,1,2,3,4,5,6,7,8\n*NSET, NSET=EDGE\n1,4\n*NSET, NSET=FACE\n1,4,5,8\n",
          file);
    fclose(file);
}

static void sets_on_a_line_are_refused(void **state)
{
    for (int turned = 0; turned < 2; turned++) {
        write_line(turned);
        accept(*state, HEAD "  box: {kind: solid, material: steel, mesh: {file: line.inp}, basis: {modes: 2}, "
                            "ports: {FACE: {}}}\n");
        for (int average = 0; average < 2; average++)
            refuse(*state,
                   average ? HEAD "  box: {kind: solid, material: steel, mesh: {file: line.inp},\n"
                                  "    ports: {EDGE: {attach: average}}}\n"
                           : HEAD "  box: {kind: solid, material: steel, mesh: {file: line.inp},\n"
                                  "    ports: {EDGE: {}}}\n",
                   "6:13", "its nodes lie on a line, and its rotation about this line is not defined");
    }
    remove("line.inp");
}

/* ---- frames ---- */
/* The largest motion of a port in the body's frame by any coordinate of the deformation. */
static double motion_of(phx_context *context, const phx_system *system, const char *port)
{
    const phx_location location = phx_location_of_name(port);
    phx_flex_point point = {.n = 0};
    double most = 0.0;

    CHECK_OK(context, phx_flex_source_point(phx_system_source(system, 0), context, &location, &point));
    for (int k = 0; k < 3 * point.n; k++)
        most = fmax(most, fmax(fabs(point.phi[k]), fabs(point.theta[k])));
    phx_flex_point_free(&point);
    return most;
}

typedef enum frame_kind { MEAN, HELD, CHORD } frame_kind;

/* `keys`: more of the body. */
static void check_frame_with(phx_context *context, const char *keys, const char *more, frame_kind kind)
{
    char text[800];
    phx_model *model;
    phx_system *system;
    double momentum = 0.0;

    snprintf(text, sizeof text,
             HEAD "  bar: {" BAR ", basis: {modes: 2}, ports: {x0: {}, x1: {}, tip: {node: 1}}%s}\n%s", keys, more);
    CHECK_OK(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_model_build_body(context, model, 0, &system));
    const phx_flex *flex = phx_flex_source_flex(phx_system_source(system, 0));
    for (int k = 0; k < 3 * flex->n; k++)
        momentum = fmax(momentum, fabs(flex->S[k]));
    const double first = motion_of(context, system, "x0"), second = motion_of(context, system, "x1");
    assert_int_equal(momentum < 1e-9, kind == MEAN);
    assert_int_equal(first < 1e-9 * second, kind == HELD);
    phx_system_destroy(system);
    phx_model_destroy(model);
}

static void check_frame(phx_context *context, const char *more, frame_kind kind)
{
    check_frame_with(context, "", more, kind);
}

/* With joints at two ports the line between them, with a weld its port, with stiffening that of the one joint, else
 * mean axes: springs and loads take no part. */
static void frames_by_the_joints(void **state)
{
    check_frame(*state, "", MEAN);
    check_frame(*state, "loads: {pull: {force: [0, 1, 0], at: bar.x0}}\n", MEAN);
    check_frame(*state, "springs: {s: {ports: [ground.O, bar.x0], stiffness: 1}}\n", MEAN);
    check_frame(*state, "joints: {j: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, bar.x0]}}\n", MEAN);
    check_frame(*state, "joints: {j: {kind: weld, ports: [ground.O, bar.x0]}}\n", HELD);
    check_frame(*state, "joints: {j: {kind: weld, ports: [bar.x0, ground.O]}}\n", HELD);
    check_frame(
        *state,
        "  hub: {kind: rigid, mass: 1, inertia: [1, 1, 1]}\njoints: {j: {kind: weld, ports: [hub.P, bar.x0]}}\n", HELD);
    check_frame_with(*state, ", stiffening: true",
                     "joints: {j: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, bar.x0]}}\n", HELD);
    check_frame_with(*state, ", stiffening: true", "", MEAN);
    check_frame(
        *state,
        "joints: {j: {kind: weld, ports: [bar.x0, ground.O]}, k: {kind: spherical, ports: [ground.O, bar.x1]}}\n",
        CHORD);
    check_frame(
        *state,
        "joints: {j: {kind: weld, ports: [bar.x1, ground.O]}, k: {kind: spherical, ports: [ground.O, bar.tip]}}\n",
        CHORD);
}

/* ---- loads over surfaces ---- */
static void profiles_over_surfaces(void **state)
{
    phx_context *context = *state;

    accept(context, HEAD "  b: {" BAR "}\nloads: {p: {pressure: 1, on: b, group: z1, profile: 2*x + pi*y}}\n");
    accept(context, HEAD "  b: {" SQUARE "}\nloads: {p: {traction: [1, 0, t], on: b, profile: 2*x + pi*y}}\n");
    refuse(context, HEAD "  b: {" BAR "}\nloads: {p: {pressure: 1, on: b, group: z1, profile: w*y}}\n", "6:53",
           "unknown name 'w'; expected x, y, z, pi, deg or a name under 'parameters'");
    refuse(context, HEAD "  b: {" BAR "}\nloads: {p: {pressure: 1, on: b, group: z1, profile: 2*t}}\n", "6:55",
           "'t' does not vary over a surface; a profile has x, y and z");
    refuse(context, HEAD "  b: {" BAR "}\nloads: {p: {pressure: 1, on: b}}\n", "6:9",
           "load 'p': it needs 'group', the faces of the body");
    refuse(context, HEAD "  b: {" BAR "}\nloads: {p: {pressure: 1, on: b, group: z2}}\n", "6:9",
           "no group of faces named 'z2'; did you mean 'z0'?");
}

/* ---- materials, layers, regions ---- */
/* The first frequency, rad/s, of a body welded to the ground at x0; its mass, kg. */
typedef struct figures {
    double omega, mass;
} figures;

#define MATERIALS                                                                                                      \
    "phlexor: 1\ndimension: 3\nmaterials:\n"                                                                           \
    "  steel: {density: 7850, young: 2.1e11, poisson: 0.3, expansion: 1e-5}\n"                                         \
    "  same: {density: 7850, orthotropic: {young: [2.1e11, 2.1e11, 2.1e11], poisson: [0.3, 0.3, 0.3],\n"               \
    "    shear: [2.1e11/2.6, 2.1e11/2.6, 2.1e11/2.6], expansion: [1e-5, 1e-5, 1e-5]}}\n"                               \
    "  light: {density: 785, young: 2.1e11, poisson: 0.3}\n"                                                           \
    "  ply: {density: 7850, orthotropic: {young: [1.4e11, 1e10, 1e10], poisson: [0.3, 0.4, 0.3],\n"                    \
    "    shear: [5e9, 4e9, 5e9]}}\n"                                                                                   \
    "joints: {j: {kind: weld, ports: [ground.O, b.x0]}}\nbodies:\n"

static figures figures_of(phx_context *context, const char *body)
{
    char text[2000];
    phx_model *model;
    phx_system *system;

    snprintf(text, sizeof text, MATERIALS "  b: {%s, ports: {x0: {}}}\n", body);
    CHECK_OK(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_model_build_body(context, model, 0, &system));
    const phx_flex_source *source = phx_system_source(system, 0);
    const figures found = {phx_continuum_frequencies(source)[0], phx_flex_source_flex(source)->mass};
    phx_system_destroy(system);
    phx_model_destroy(model);
    return found;
}

#define PANEL "kind: plate, mesh: {size: [1, 0.5], elements: [4, 2]}, "
#define BLOCK "kind: solid, mesh: {size: [0.3, 0.02, 0.01], elements: [4, 1, 1]}, "
static void the_same_material_said_otherwise(void **state)
{
    const figures plate = figures_of(*state, PANEL "material: steel, thickness: 0.01");
    const figures solid = figures_of(*state, BLOCK "material: steel");
    static const char *const plates[] = {
        PANEL "material: same, thickness: 0.01",
        PANEL
        "material: ply, layers: [{material: same, thickness: 0.005, angle: 0.3}, {material: steel, thickness: 0.005}]",
        PANEL "material: ply, thickness: 1, regions: {all: {material: steel, thickness: 0.01}}",
        PANEL "material: steel, thickness: 1, regions: {all: {layers: [{thickness: 0.01, angle: 1}]}}",
    };

    for (size_t k = 0; k < sizeof plates / sizeof *plates; k++) {
        const figures other = figures_of(*state, plates[k]);
        CHECK_RELATIVE(other.omega, plate.omega, 1e-9, "frequency of plate %zu", k);
        CHECK_RELATIVE(other.mass, plate.mass, 1e-13, "mass of plate %zu", k);
    }
    CHECK_RELATIVE(figures_of(*state, BLOCK "material: same").omega, solid.omega, 1e-10, "orthotropic solid");
    CHECK_RELATIVE(figures_of(*state, BLOCK "material: light, regions: {all: {material: steel}}").omega, solid.omega,
                   1e-14, "region of the whole solid");
    /* a clamped strip bends by E1 h^3 / 12 of its fibres: sqrt(E1 / E2) between 0 and 90 degrees */
    const double along = figures_of(*state, "kind: plate, mesh: {size: [1, 0.02], elements: [16, 1]}, material: ply, "
                                            "thickness: 0.004")
                             .omega,
                 across = figures_of(*state, "kind: plate, mesh: {size: [1, 0.02], elements: [16, 1]}, material: ply, "
                                             "layers: [{thickness: 0.004, angle: pi/2}]")
                              .omega;
    CHECK_RELATIVE(along / across, sqrt(14.0), 5e-3, "strip along and across the fibres");
}

/* A square of four triangles from a file, two of them in a group, with a line of the edge before them. */
static void write_triangles(void)
{
    FILE *file = fopen("triangles.inp", "w");

    assert_non_null(file);
    fputs("*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0.5,0.25,0\n*ELEMENT, TYPE=S3, ELSET=LOW\n1,1,2,5\n2,2,3,5\n"
          "*ELEMENT, TYPE=S3, ELSET=HIGH\n3,3,4,5\n4,4,1,5\n*NSET, NSET=x0\n1,4,5\n",
          file);
    fclose(file);
}

/* A list of thicknesses belongs to the squares, along x first, or to the triangles of a file in their order; regions
 * come first. Masses of areas 1/16 and, in the file, 1/8, 1/4, 3/8 and 1/4. */
#define TRIANGLES "kind: plate, material: steel, mesh: {file: triangles.inp}, "
static void thickness_of_each_cell(void **state)
{
    phx_context *context = *state;
    const double each = figures_of(context, PANEL "material: steel, thickness: 0.01").mass / 8.0;
    const figures equal =
        figures_of(context, PANEL "material: steel, thickness: [0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01]");
    const figures thin =
        figures_of(context, PANEL "material: steel, thickness: [0.01, 0.01, 0.01, 0.001, 0.01, 0.01, 0.01, 0.001]");
    const figures root =
        figures_of(context, PANEL "material: steel, thickness: [0.001, 0.01, 0.01, 0.01, 0.001, 0.01, 0.01, 0.01]");

    CHECK_RELATIVE(root.omega, thin.omega, 5e-3, "a hinge at either end of a free plate");
    assert_true(root.omega < 0.3 * equal.omega);
    write_triangles();
    CHECK_CLOSE(equal.mass, 8.0 * each, 0.0, "equal cells");
    CHECK_CLOSE(equal.omega, figures_of(context, PANEL "material: steel, thickness: 0.01").omega, 0.0, "equal cells");
    CHECK_RELATIVE(thin.mass, 6.2 * each, 1e-12, "two thin cells");
    CHECK_RELATIVE(root.mass, 6.2 * each, 1e-12, "two thin cells at the root");
    CHECK_RELATIVE(figures_of(context, TRIANGLES "thickness: [0.1, 0.2, 0.3, 0.4]").mass,
                   7850.0 * (0.1 / 8.0 + 0.2 / 4.0 + 0.3 * 3.0 / 8.0 + 0.4 / 4.0), 1e-12, "triangles");
    CHECK_RELATIVE(figures_of(context, TRIANGLES "thickness: [9, 9, 0.3, 0.4], regions: {LOW: {thickness: 0.5}}").mass,
                   7850.0 * (0.5 * 3.0 / 8.0 + 0.3 * 3.0 / 8.0 + 0.4 / 4.0), 1e-12, "a region of the triangles");
    refuse(context, HEAD "  wing: {" TRIANGLES "thickness: [1, 2, 3]}\n", "5:80",
           "expected 4 thicknesses, one for each triangle of the mesh, found 3");
    refuse(context, HEAD "  wing: {" PANEL "material: steel, thickness: [1]}\n", "5:93",
           "expected 8 thicknesses, one for each square of the mesh, found 1");
    refuse(context, HEAD "  wing: {" TRIANGLES "thickness: [1, -2, 3, 4]}\n", "5:84",
           "bodies.wing.thickness[2]: expected a number greater than 0, found '-2'");
    refuse(context, HEAD "  wing: {" TRIANGLES "thickness: [1, 2, 3, 4], regions: {LOW: {material: steel}}}\n", "5:104",
           "'thickness' or 'layers' is missing: the body has a list of thicknesses");
    refuse(context, HEAD "  wing: {" TRIANGLES "thickness: [1, 2, 3, 4], layers: [{thickness: 1}]}\n", "5:80",
           "the thickness is that of the layers; leave it out");
    remove("triangles.inp");
}

/* Two materials in one deck, elements that are none, and masses in it. */
static void write_two(const char *more)
{
    FILE *file = fopen("two.inp", "w");

    assert_non_null(file);
    fputs(
        "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
        "9,2,0,0\n10,2,1,0\n11,2,0,1\n12,2,1,1\n*ELEMENT, TYPE=C3D8, ELSET=LEFT\n1,1,2,3,4,5,6,7,8\n"
        "*ELEMENT, TYPE=C3D8, ELSET=RIGHT\n2,2,9,10,3,6,11,12,7\n*NSET, NSET=x0\n1,4,5,8\n*NSET, NSET=x2\n9,10,11,12\n",
        file);
    fputs(more, file);
    fclose(file);
}

static void regions_of_a_deck(void **state)
{
    static const char deck[] = "kind: solid, mesh: {file: two.inp}, basis: {modes: 2}, material: steel";

    write_two("");
    CHECK_RELATIVE(figures_of(*state, deck).mass, 2 * 7850.0, 1e-14, "one material");
    char text[200];
    snprintf(text, sizeof text, "%s, regions: {RIGHT: {material: light}}", deck);
    CHECK_RELATIVE(figures_of(*state, text).mass, 7850.0 + 785.0, 1e-14, "two materials");
    write_two("*ELEMENT, TYPE=MASS, ELSET=M\n3,9\n*MASS, ELSET=M\n5.\n");
    refuse(*state, MATERIALS "  b: {kind: solid, mesh: {file: two.inp}, material: steel, ports: {x0: {}}}\n", "12:3",
           "two.inp: elements of type MASS are not taken from a deck");
    remove("two.inp");
}

static void wrong_materials_are_refused(void **state)
{
    phx_context *context = *state;

    refuse(context, "phlexor: 1\ndimension: 3\nmaterials: {a: {density: 1}}\n", "3:16",
           "key 'young' of a material is missing: Young's modulus; or 'orthotropic'");
    refuse(context,
           MATERIALS
           "  b: {kind: beam, reference: free, material: ply, length: 1, section: {kind: circle, diameter: 0.1}}\n",
           "12:46", "material 'ply' is orthotropic, which is for plates and solids");
    refuse(context, MATERIALS "  b: {" PANEL "material: steel}\n", "12:6", "'thickness' is missing, or 'layers'");
    refuse(context, MATERIALS "  b: {" PANEL "material: steel, thickness: 1, layers: [{thickness: 1}]}\n", "12:90",
           "the thickness is that of the layers");
    refuse(context,
           MATERIALS
           "  b: {" PANEL
           "material: steel, layers: [{thickness: 1}, {thickness: 2, material: ply}],\n    ports: {x0: {}}}\n",
           "12:3", "not symmetric about the middle");
    refuse(context,
           MATERIALS "  b: {" PANEL
                     "material: steel, thickness: 1, regions: {rib: {thickness: 2}},\n    ports: {x0: {}}}\n",
           "12:3", "the mesh has no group 'rib' of triangles");
}

/* A temperature is for materials that expand. */
static void heat_is_for_what_expands(void **state)
{
    phx_context *context = *state;
    static const char text[] = HEAD "  bar: {" BAR ", basis: {kind: all}}\nloads: {heat: {temperature: 80, on: bar}}\n";
    refuse(context, text, "6:9", "load 'heat': it expands nothing: the materials there have no 'expansion'");
    refuse(context, HEAD "  bar: {" SQUARE "}\nloads: {heat: {temperature: 80, on: bar}}\n", "6:9",
           "load 'heat': it expands nothing");
    refuse(context, HEAD "  bar: {" SQUARE "}\nloads: {heat: {temperature: 80, on: bar, group: x0}}\n", "6:9",
           "no group 'x0' of triangles");
}

/* ---- ports at nodes ---- */
static void a_port_is_at_the_nearest_node(void **state)
{
    phx_context *context = *state;
    phx_model *model = NULL;
    phx_system *system = NULL;

    CHECK_OK(context, build(context, HEAD "  b: {" SQUARE ", ports: {a: {node: 6}, b: {near: [0.98, 0.47, 0.01]}}}\n",
                            &model, &system));
    const phx_body_port *a = phx_system_find_point(system, 0, "a"), *b = phx_system_find_point(system, 0, "b");
    CHECK_VECTOR(3, b->point.x, a->point.x, 0.0, "place");
    assert_int_equal(b->point.n, a->point.n);
    CHECK_VECTOR(b->point.n, b->point.phi, a->point.phi, 0.0, "shapes");
    phx_system_destroy(system);
    phx_model_destroy(model);
    refuse(context, HEAD "  b: {" SQUARE ", ports: {b: {near: [1, 0.5, 1]}}}\n", "5:102",
           "lies 1 m off the nearest node, 6 at [1, 0.5, 0]");
    refuse(context, HEAD "  b: {" SQUARE ", ports: {b: {near: [1, 0.5, 0], node: 6}}}\n", "5:112",
           "'node' and 'near' both say where the port is");
    refuse(context, HEAD "  b: {" SQUARE ", ports: {b: {near: [1, 0.5, 0], on: x0}}}\n", "5:112",
           "'on' and 'near' both say where the port is");
}

/* ---- wrong files and parts ---- */
static void what_is_wrong_is_an_input_error(void **state)
{
    phx_context *context = *state;

    refuse(context, HEAD "  b: {kind: solid, material: steel, mesh: {file: none.msh}}\n", "5:3",
           "none.msh: cannot be read");
    refuse(context, HEAD "  b: {kind: imported, files: [none.mtx]}\n", "5:3", "none.mtx: cannot read");
    refuse(context, HEAD "  b: {" BAR ", ports: {x9: {}}}\n", "5:99", "no group 'x9'; did you mean 'x0'?");
    refuse(context, HEAD "  b: {" BAR ", ports: {P: {node: 9999}}}\n", "5:99", "the mesh has no node 9999");
    refuse(context, HEAD "  b: {" BAR ", basis: {modes: 900}}\n", "5:3", "modes is 900, the body has");
    refuse(context, HEAD "  b: {" BAR ", ports: {x0: {}, y0: {}}}\n", "5:3", "'x0' and 'y0' share a node");
    refuse(context, HEAD "  b: {" BAR ", ports: {x0: {attach: hinged}}}\n", "5:99",
           "only the edge of a plate can be hinged");
    refuse(context, HEAD "  b: {" BAR ", frame: n, ports: {n: {node: 3}}}\n", "5:3",
           "its frame cannot be held at 'n', a single node, which does not turn");
    refuse(context, HEAD "  b: {" BAR ", frame: [n, x0], ports: {n: {node: 30}, x0: {}}}\n", "5:3",
           "take a set of nodes, or the other way round");
    refuse(context,
           HEAD "  b: {" BAR ", ports: {n: {node: 3}}, point_masses: [{at: n, mass: 1, inertia: [1, 1, 1]}]}\n",
           "5:134", "a mass with inertia at 'n', a single node");
}

/* Cubes of nodes with springs of 1 MN/m between all, one each 2 m; `hinge` springs between the first two. Entries have
 * so many digits. */
static void write_cubes(int cubes, double size, int hinge, int digits)
{
    enum { MOST = 16 };
    const int bars[4][2] = {{4, 8}, {5, 9}, {4, 9}, {6, 8}}, n = 8 * cubes;
    double x[MOST][3], K[3 * MOST][3 * MOST] = {{0.0}};
    FILE *nodes = fopen("cubes.csv", "w"), *stiffness = fopen("cubes_K.mtx", "w"), *mass = fopen("cubes_M.mtx", "w");

    assert_true(nodes && stiffness && mass);
    fprintf(nodes, "node,x,y,z,ux,uy,uz\n");
    for (int i = 0; i < n; i++) {
        const double side = i < 8 ? 1.0 : size;
        x[i][0] = 2.0 * (i / 8) + side * (i / 4 % 2);
        x[i][1] = side * (i / 2 % 2);
        x[i][2] = side * (i % 2);
        fprintf(nodes, "%d,%g,%g,%g,%d,%d,%d\n", i + 1, x[i][0], x[i][1], x[i][2], 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            bool joined = i / 8 == j / 8;
            for (int k = 0; k < hinge; k++)
                joined = joined || (bars[k][0] == j && bars[k][1] == i);
            const double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]};
            for (int a = 0; a < 3 && joined; a++)
                for (int b = 0; b < 3; b++) {
                    const double value = 1e6 * d[a] * d[b] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                    K[3 * i + a][3 * i + b] += value;
                    K[3 * j + a][3 * j + b] += value;
                    K[3 * i + a][3 * j + b] -= value;
                    K[3 * j + a][3 * i + b] -= value;
                }
        }
    fprintf(stiffness, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", 3 * n, 3 * n, 9 * n * n);
    fprintf(mass, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", 3 * n, 3 * n, 3 * n);
    for (int i = 0; i < 3 * n; i++) {
        fprintf(mass, "%d %d 1\n", i + 1, i + 1);
        for (int j = 0; j < 3 * n; j++)
            fprintf(stiffness, "%d %d %.*e\n", i + 1, j + 1, digits - 1, K[i][j]);
    }
    fclose(nodes);
    fclose(stiffness);
    fclose(mass);
}

/* Matrices of two parts, or of parts with a hinge, whatever rounding leaves of them; and of one part are accepted. */
static void matrices_in_loose_parts_are_refused(void **state)
{
    static const struct {
        int cubes, hinge, digits;
        const char *told; /* NULL: accepted */
    } cases[] = {{1, 0, 17, NULL},
                 {1, 0, 7, NULL},
                 {2, 0, 17, "leaves 12 motions free, expected 6"},
                 {2, 0, 7, "leaves 12 motions free, expected 6"},
                 {2, 1, 17, "leaves 11 motions free"},
                 {2, 4, 8, "leaves 8 motions free"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static const char model[] = HEAD "  b: {kind: imported, files: [cubes.csv, cubes_K.mtx, cubes_M.mtx]}\n";
        write_cubes(cases[k].cubes, 0.7, cases[k].hinge, cases[k].digits);
        if (cases[k].told)
            refuse(*state, model, "5:3", cases[k].told);
        else
            accept(*state, model);
    }
    for (size_t k = 0; k < 3; k++)
        remove((const char *const[]){"cubes.csv", "cubes_K.mtx", "cubes_M.mtx"}[k]);
}

/* ---- points of a sweep ---- */
/* The source of body 0 with a value of a parameter, and its mass. */
static const phx_flex_source *source_with(phx_context *context, phx_model *model, phx_beam_cache *cache,
                                          const char *name, double value, phx_system **system)
{
    const phx_model_override override = {.name = name, .value = value};
    const phx_build_options options = {.cache = cache, .without_outputs = true};

    CHECK_OK(context, phx_model_set_parameters(context, model, 1, &override));
    CHECK_OK(context, phx_model_build(context, model, &options, system));
    return phx_system_source(*system, 0);
}

/* Bodies are built anew where a parameter that they depend on changes, and only there. */
static void bodies_are_built_once_for_a_sweep(void **state)
{
    phx_context *context = *state;
    static const char text[] =
        "phlexor: 1\ndimension: 3\n"
        "parameters: {length: 0.3, half: length/2, rho: 7850, turn: 0.1, height: 2, push: 3, rate: 1, other: 1}\n"
        "materials: {steel: {density: rho, young: 2.1e11, poisson: 0.3}}\n"
        "bodies:\n  bar: {kind: solid, material: steel, mesh: {size: [2*half, 0.02, 0.01], elements: [2, 1, 1]},\n"
        "    ports: {x0: {}, x1: {}}, pose: {position: [turn, 0, 0]}, damping: {stiffness: rate}}\n"
        "loads: {p: {pressure: push*t, on: bar, group: z1, profile: height*x}}\n";
    static const struct {
        const char *name;
        bool matters;
    } parameters[] = {{"length", true}, {"rho", true},   {"height", true}, {"turn", false},
                      {"push", false},  {"rate", false}, {"other", false}};
    phx_model *model;
    phx_beam_cache *cache;

    CHECK_OK(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_beam_cache_create(context, &cache));
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++) {
        phx_system *one, *other, *again;
        const phx_flex_source *first = source_with(context, model, cache, parameters[k].name, 0.4, &one);
        const phx_flex_source *second = source_with(context, model, cache, parameters[k].name, 0.5, &other);
        if ((first != second) != parameters[k].matters)
            fail_msg("'%s' %s", parameters[k].name, parameters[k].matters ? "is not seen" : "builds the body anew");
        assert_ptr_equal(source_with(context, model, cache, parameters[k].name, 0.4, &again), first);
        phx_system_destroy(one);
        phx_system_destroy(other);
        phx_system_destroy(again);
    }
    phx_system *one, *other;
    const double light = phx_flex_source_flex(source_with(context, model, cache, "rho", 1.0, &one))->mass;
    CHECK_RELATIVE(phx_flex_source_flex(source_with(context, model, cache, "rho", 3.0, &other))->mass, 3.0 * light,
                   1e-14, "mass");
    phx_system_destroy(one);
    phx_system_destroy(other);
    phx_beam_cache_destroy(cache);
    phx_model_destroy(model);
}

/* The joints choose the frame and what the basis has to hold. */
static void joints_matter_to_the_key(void **state)
{
    static const char *const joints[] = {"", "joints: {j: {kind: weld, ports: [ground.O, bar.x0]}}\n",
                                         "joints: {j: {kind: revolute, axis: [0, 0, 1], ports: [ground.O, bar.x0]}}\n"};
    phx_context *context = *state;
    const phx_flex_source *sources[3];
    phx_beam_cache *cache;
    phx_system *systems[3];

    CHECK_OK(context, phx_beam_cache_create(context, &cache));
    const phx_build_options options = {.cache = cache};
    for (int k = 0; k < 3; k++) {
        char text[500];
        phx_model *model;
        snprintf(text, sizeof text, HEAD "  bar: {" BAR ", ports: {x0: {}}}\n%s", joints[k]);
        CHECK_OK(context, phx_model_read_text(context, "model.yaml", text, strlen(text), 0, NULL, &model));
        CHECK_OK(context, phx_model_build(context, model, &options, &systems[k]));
        sources[k] = phx_system_source(systems[k], 0);
        phx_model_destroy(model);
    }
    assert_true(sources[0] != sources[1] && sources[1] != sources[2] && sources[0] != sources[2]);
    for (int k = 0; k < 3; k++)
        phx_system_destroy(systems[k]);
    phx_beam_cache_destroy(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_bases),
        cmocka_unit_test(joints_that_need_directions),
        cmocka_unit_test(reduced_bodies_know_directions),
        cmocka_unit_test(sets_on_a_line_are_refused),
        cmocka_unit_test(frames_by_the_joints),
        cmocka_unit_test(profiles_over_surfaces),
        cmocka_unit_test(thickness_of_each_cell),
        cmocka_unit_test(the_same_material_said_otherwise),
        cmocka_unit_test(regions_of_a_deck),
        cmocka_unit_test(wrong_materials_are_refused),
        cmocka_unit_test(heat_is_for_what_expands),
        cmocka_unit_test(a_port_is_at_the_nearest_node),
        cmocka_unit_test(what_is_wrong_is_an_input_error),
        cmocka_unit_test(matrices_in_loose_parts_are_refused),
        cmocka_unit_test(joints_matter_to_the_key),
        cmocka_unit_test(bodies_are_built_once_for_a_sweep),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}

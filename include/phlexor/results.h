/* Phlexor, layer results: result files, tables of modes, exchange files, pictures, reports.
 *
 * The layer knows nothing of bodies and joints: it gets plain descriptions. What holds for every file it writes:
 * - A file appears under its name only when it is complete and on the disk; until then an older file of that name is
 *   untouched. Symbolic links are followed. A path that names a device or a pipe is written directly (text only).
 * - Numbers in csv and json have 17 significant digits and a decimal point in every locale. Text is UTF-8. Nothing that
 *   depends on the clock or the machine is written, so that equal input gives equal bytes.
 * - A failure is PHX_ERR_FILE; the message names the file, the reason and the remedy.
 * - Writing past a file size limit raises SIGXFSZ, past a closed pipe SIGPIPE; a program that wants the error instead
 * of the signal ignores them.
 * - An HDF5 file ends with a checksum of its content (docs/result-files.md). A file that is damaged is refused
 *   (PHX_ERR_FILE); one that another program has changed has no checksum any more and is read.
 * - HDF5 as packaged by Debian allows one caller at a time: calls of this layer that touch HDF5 files must not overlap
 *   in time in one process, whatever their contexts. Neither must spectra (PHX_PLOT_SPECTRUM). */
#ifndef PHLEXOR_RESULTS_H
#define PHLEXOR_RESULTS_H

#include <phlexor/statespace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A free-form attribute of a result: text, or a number when `text` is NULL. Names must not be those that the file
 * format uses itself (status, reason, last_time, format, format_version, program_version, model_name, integrator,
 * dimension). */
typedef struct phx_attribute {
    const char *name;
    const char *text;
    double number;
} phx_attribute;

/* ---- recorder: the result of a simulation ---- */

typedef struct phx_result phx_result; /* what a recorder left: see below */

/* A body's place in the state vectors and a polyline to draw it. In x a body holds
 *   ( place dim | attitude: plane (cos, sin, angle), space R 3x3 row-major | deformation n_q ),  n_q = what is left,
 * and point i of the polyline is at  place + R (points[i] + shapes[i] q)  in inertial components. */
typedef struct phx_record_body {
    const char *name;
    const char *kind; /* free text: "rigid", "beam", ... */
    int x_start, x_count;
    int v_start, v_count;
    int n_points;         /* 0: not drawn */
    const double *points; /* n_points x dim, m, body axes, undeformed */
    const double *shapes; /* n_points x dim x n_q, row-major; NULL: the points do not deform */
} phx_record_body;

/* The picture of a mechanism beside its bodies' polylines: its lists, X(kind, list, path, width, count). `kind`: NAMES
 * (char **), INTEGERS (int *), NUMBERS (double *); `path`: of the list in an HDF5 file; `width`: values of an entry,
 * ONE, DIM, SPACE (3), SQUARE (dim x dim), SECTION (5); `count`: the field with the number of entries. Every list is
 * flat, one entry after the other; n_q: deformation coordinates of a body. There are as many bodies as the result has,
 * in their order; meshes (in space) are whole or, of large ones, their surface, nodes, cells and triangles one mesh
 * after the other. A list of numbers of bodies is written to files and pages with no further line. */
#define PHX_SCENE_LISTS(X)                                                                                             \
    /* radius: half the height of the section, m; 0: none */                                                           \
    X(NUMBERS, radius, "/bodies/radius", ONE, n_bodies)                                                                \
    /* mass: kg */                                                                                                     \
    X(NUMBERS, mass, "/bodies/mass", ONE, n_bodies)                                                                    \
    /* centre: centre of mass, undeformed, body axes, m */                                                             \
    X(NUMBERS, centre, "/bodies/centre", DIM, n_bodies)                                                                \
    /* section: area, m^2, second moments Iy, Iz, m^4, distances of the extreme fibres along y and z, m; 0: not known  \
     */                                                                                                                \
    X(NUMBERS, section, "/bodies/section", SECTION, n_bodies)                                                          \
    X(NAMES, port_name, "/ports/name", ONE, n_ports)                                                                   \
    /* port_body: -1: the ground */                                                                                    \
    X(INTEGERS, port_body, "/ports/body", ONE, n_ports)                                                                \
    /* port_position: undeformed, body axes (ground: inertial), m */                                                   \
    X(NUMBERS, port_position, "/ports/position", DIM, n_ports)                                                         \
    /* port_rotation: from the port's directions to body axes */                                                       \
    X(NUMBERS, port_rotation, "/ports/rotation", SQUARE, n_ports)                                                      \
    /* port_shapes: dim x n_q of each port whose body has n_q > 0: displacement of the port = shapes q */              \
    X(NUMBERS, port_shapes, "/ports/shapes", ONE, n_port_shapes)                                                       \
    X(NAMES, joint_name, "/joints/name", ONE, n_joints)                                                                \
    X(NAMES, joint_kind, "/joints/kind", ONE, n_joints)                                                                \
    /* joint_a: ports */                                                                                               \
    X(INTEGERS, joint_a, "/joints/port_a", ONE, n_joints)                                                              \
    X(INTEGERS, joint_b, "/joints/port_b", ONE, n_joints)                                                              \
    /* joint_axis: in the directions of port A; 0: the kind has none */                                                \
    X(NUMBERS, joint_axis, "/joints/axis", DIM, n_joints)                                                              \
    /* joint_drive: 1: a motion, rate or effort turns it */                                                            \
    X(INTEGERS, joint_drive, "/joints/drive", ONE, n_joints)                                                           \
    X(NAMES, spring_name, "/springs/name", ONE, n_springs)                                                             \
    /* spring_a: ports */                                                                                              \
    X(INTEGERS, spring_a, "/springs/port_a", ONE, n_springs)                                                           \
    X(INTEGERS, spring_b, "/springs/port_b", ONE, n_springs)                                                           \
    /* spring_kind: "spring", "damper", "strut" (both), "actuator", "belt", or the kind of a force element */          \
    X(NAMES, spring_kind, "/springs/kind", ONE, n_springs)                                                             \
    /* spring_wheel_a: at this end it runs over a wheel: the joint whose axis that of the wheel is */                  \
    X(INTEGERS, spring_wheel_a, "/springs/wheel_a", ONE, n_springs)                                                    \
    /* spring_wheel_b: the same at the other end */                                                                    \
    X(INTEGERS, spring_wheel_b, "/springs/wheel_b", ONE, n_springs)                                                    \
    /* spring_radius_a: m, of the wheel; 0: none. On its left towards the other end, seen against the axis; < 0: right \
     */                                                                                                                \
    X(NUMBERS, spring_radius_a, "/springs/radius_a", ONE, n_springs)                                                   \
    /* spring_radius_b: m, of the other wheel, on the same sides */                                                    \
    X(NUMBERS, spring_radius_b, "/springs/radius_b", ONE, n_springs)                                                   \
    X(NAMES, load_name, "/loads/name", ONE, n_loads)                                                                   \
    /* load_kind: "force", "torque", "distributed" */                                                                  \
    X(NAMES, load_kind, "/loads/kind", ONE, n_loads)                                                                   \
    /* load_port: distributed: a port of the body it acts on */                                                        \
    X(INTEGERS, load_port, "/loads/port", ONE, n_loads)                                                                \
    /* arrow_name: the output of each force that is known at all instants */                                           \
    X(NAMES, arrow_name, "/arrows/name", ONE, n_arrows)                                                                \
    /* arrow_kind: "reaction", "exerted" (by a spring or force) */                                                     \
    X(NAMES, arrow_kind, "/arrows/kind", ONE, n_arrows)                                                                \
    /* arrow_port: on which it acts */                                                                                 \
    X(INTEGERS, arrow_port, "/arrows/port", ONE, n_arrows)                                                             \
    /* arrow_directions: the port whose directions its components have; n_ports: inertial components */                \
    X(INTEGERS, arrow_directions, "/arrows/directions", ONE, n_arrows)                                                 \
    /* section_body: what can be read along a line: a value at each point of its body = map q */                       \
    X(INTEGERS, section_body, "/sections/body", ONE, n_sections)                                                       \
    /* section_name: "axial_force", "bending_moment_y", "bending_moment_z", "torsion" */                               \
    X(NAMES, section_name, "/sections/name", ONE, n_sections)                                                          \
    X(NAMES, section_unit, "/sections/unit", ONE, n_sections)                                                          \
    /* maps: n_points x n_q of each section's body */                                                                  \
    X(NUMBERS, maps, "/sections/maps", ONE, n_maps)                                                                    \
    X(NAMES, parameter_name, "/parameters/name", ONE, n_parameters)                                                    \
    X(NUMBERS, parameter_value, "/parameters/value", ONE, n_parameters)                                                \
    /* gravity: m/s^2; n_gravity: dim, or 0: not known */                                                              \
    X(NUMBERS, gravity, "/gravity", ONE, n_gravity)                                                                    \
    /* mesh_body: ascending */                                                                                         \
    X(INTEGERS, mesh_body, "/meshes/body", ONE, n_meshes)                                                              \
    /* mesh_stresses: "solid", "plate": what stands in mesh_maps; "": nothing */                                       \
    X(NAMES, mesh_stresses, "/meshes/stresses", ONE, n_meshes)                                                         \
    /* mesh_nodes: how many of each */                                                                                 \
    X(INTEGERS, mesh_nodes, "/meshes/nodes", ONE, n_meshes)                                                            \
    X(INTEGERS, mesh_cells, "/meshes/cells", ONE, n_meshes)                                                            \
    X(INTEGERS, mesh_triangles, "/meshes/triangles", ONE, n_meshes)                                                    \
    /* mesh_factors: columns of mesh_maps behind those of q, whose factors each instant has: temperatures, K */        \
    X(INTEGERS, mesh_factors, "/meshes/factors", ONE, n_meshes)                                                        \
    /* mesh_x: undeformed, body axes, m */                                                                             \
    X(NUMBERS, mesh_x, "/meshes/x", DIM, n_mesh_nodes)                                                                 \
    /* mesh_thickness: of plates, m; else 0 */                                                                         \
    X(NUMBERS, mesh_thickness, "/meshes/thickness", ONE, n_mesh_nodes)                                                 \
    /* mesh_label: number of the node in the mesh file, else counted from 1 */                                         \
    X(INTEGERS, mesh_label, "/meshes/label", ONE, n_mesh_nodes)                                                        \
    /* cell_type: as VTK counts them: 24 is a tetrahedron with 10 nodes */                                             \
    X(INTEGERS, cell_type, "/meshes/cell_type", ONE, n_mesh_cells)                                                     \
    /* cell_nodes: of each cell, counted in its mesh from 0 */                                                         \
    X(INTEGERS, cell_nodes, "/meshes/cell_nodes", ONE, n_cell_nodes)                                                   \
    /* triangle_nodes: 3 of each triangle of the surface, seen from outside */                                         \
    X(INTEGERS, triangle_nodes, "/meshes/triangle_nodes", ONE, n_triangle_nodes)                                       \
    /* mesh_shapes: 3 x n_q of each node: displacement = shapes q */                                                   \
    X(NUMBERS, mesh_shapes, "/meshes/shapes", ONE, n_mesh_shapes)                                                      \
    /* mesh_maps: components x (n_q + factors) of each node: stresses = map (q, factors), in the order of              \
     * docs/result-files.md */                                                                                         \
    X(NUMBERS, mesh_maps, "/meshes/maps", ONE, n_mesh_maps)                                                            \
    /* set_name: sets of nodes of the meshes; those of all nodes are left out */                                       \
    X(NAMES, set_name, "/sets/name", ONE, n_mesh_sets)                                                                 \
    X(INTEGERS, set_mesh, "/sets/mesh", ONE, n_mesh_sets)                                                              \
    /* set_nodes: how many of each */                                                                                  \
    X(INTEGERS, set_nodes, "/sets/nodes", ONE, n_mesh_sets)                                                            \
    /* set_node: of each set, counted in its mesh from 0 */                                                            \
    X(INTEGERS, set_node, "/sets/node", ONE, n_set_nodes)                                                              \
    /* point_turns: n_rot x n_q of each point of the bodies that deform: rotation of the point = turns q */            \
    X(NUMBERS, point_turns, "/visuals/point_turns", ONE, n_point_turns)                                                \
    /* visual_body: the body of each surface of triangles that is drawn; -1: the ground */                             \
    X(INTEGERS, visual_body, "/visuals/body", ONE, n_visuals)                                                          \
    /* visual_kind: as in the model file; "section", "inertia", "mass", "contact": by the physics */                   \
    X(NAMES, visual_kind, "/visuals/kind", ONE, n_visuals)                                                             \
    /* visual_colour: "#rrggbb"; "": colour of the body */                                                             \
    X(NAMES, visual_colour, "/visuals/colour", ONE, n_visuals)                                                         \
    X(NUMBERS, visual_opacity, "/visuals/opacity", ONE, n_visuals)                                                     \
    /* visual_nodes: how many of each */                                                                               \
    X(INTEGERS, visual_nodes, "/visuals/nodes", ONE, n_visuals)                                                        \
    X(INTEGERS, visual_triangles, "/visuals/triangles", ONE, n_visuals)                                                \
    /* node_body: the body that carries a node, one of the frames of a body that has several; -1: the ground */        \
    X(INTEGERS, node_body, "/visuals/node_body", ONE, n_visual_nodes)                                                  \
    /* node_point: by -1: its frame; a point of its line; behind these a node of its mesh, which shifts only */        \
    X(INTEGERS, node_point, "/visuals/node_point", ONE, n_visual_nodes)                                                \
    /* node_arm: from there, undeformed, axes of the body that carries it, m: 3 of each node, also in the plane */     \
    X(NUMBERS, node_arm, "/visuals/node_arm", SPACE, n_visual_nodes)                                                   \
    /* visual_triangle_nodes: 3 of each triangle, counted in its visual from 0, seen from outside */                   \
    X(INTEGERS, visual_triangle_nodes, "/visuals/triangle_nodes", ONE, n_visual_triangle_nodes)

/* Type of a list of names. */
#define PHX_SCENE_NAMES char **
/* Type of a list of integers. */
#define PHX_SCENE_INTEGERS int *
/* Type of a list of numbers. */
#define PHX_SCENE_NUMBERS double *
/* Declares a list. */
#define PHX_SCENE_LIST(kind, list, path, width, count) PHX_SCENE_##kind list;
/* The lists, and how many entries they have. A scene owns what it points to. */
typedef struct phx_scene {
    int n_bodies, n_ports, n_port_shapes, n_joints, n_springs, n_loads, n_arrows, n_sections, n_maps, n_parameters,
        n_gravity, n_meshes, n_mesh_nodes, n_mesh_cells, n_cell_nodes, n_triangle_nodes, n_mesh_shapes, n_mesh_maps,
        n_mesh_sets, n_set_nodes, n_point_turns, n_visuals, n_visual_nodes, n_visual_triangle_nodes;
    PHX_SCENE_LISTS(PHX_SCENE_LIST)
} phx_scene;

/* An entry of a ledger: who supplied or took work, J since the start. */
typedef struct phx_record_entry {
    const char *name; /* unique among those that supply, and among the others */
    bool dissipates;
} phx_record_entry;

/* ---- result: what a recorder left, complete or partial ---- */

/* An open result file, its descriptions in memory and its rows read on demand; or the result of
 * phx_study_simulate_result, all of it in memory. What it returns by pointer lives as long. */
phx_status phx_result_read(phx_context *context, const char *path, phx_result **result);
void phx_result_destroy(phx_result *result); /* NULL is allowed */

/* A column of a result. */
typedef struct phx_record_column {
    const char *name; /* unique, not empty */
    const char *unit; /* NULL or "": none */
} phx_record_column;

/* Contents of a result; pointers belong to it. */
typedef struct phx_result_info {
    bool complete; /* the run came to its end */
    size_t rows;   /* instants */
    int dimension;
    int n_columns;
    const phx_record_column *columns;
    int n_x, n_v; /* sizes of the states; 0: not recorded */
    int n_bodies;
    const phx_record_body *bodies;
    const phx_scene *scene; /* NULL: the file has none */
    int n_attributes;
    const phx_attribute *attributes; /* every one, those of the file format too, in the order of their names */
    int n_ledger;                    /* entries of the ledger; 0: the result has none */
    const phx_record_entry *ledger;
    const char *model_text;
    /* All rows of a result in memory, one after the other: the columns, x, v, the ledger, `width` values altogether.
     * NULL for a file. */
    const double *memory;
    size_t width;
} phx_result_info;
/* Of a result; NULL: all zero. */
phx_result_info phx_result_about(const phx_result *result);

/* Values of rows first .. first + count - 1. */
phx_status phx_result_column(const phx_result *result, int column, size_t first, size_t count, double *values);
/* Values of an entry of the ledger, J since the start, of rows first .. */
phx_status phx_result_ledger_values(const phx_result *result, int entry, size_t first, size_t count, double *values);
/* States of rows first .. first + count - 1: x (count x n_x), v (count x n_v); either may be NULL. */
phx_status phx_result_states(const phx_result *result, size_t first, size_t count, double *x, double *v);

/* The factors of mesh_maps in rows first .. first + count - 1: those of all meshes one after the other, K. */
phx_status phx_result_factors(const phx_result *result, size_t first, size_t count, double *factors);

/* ---- tables of modes ---- */

/* A mode at a point of a sweep. */
typedef struct phx_mode_row {
    int point;                        /* of the sweep, from 0, not descending over the rows */
    int mode;                         /* ascending rank, from 1 */
    int branch;                       /* identity tracked along the sweep, from 1 */
    double omega, frequency, damping; /* |lambda| rad/s, Hz, -Re lambda/|lambda| */
} phx_mode_row;

/* Frequencies over a sweep. No parameters and one point without a sweep. As HDF5: attributes format "phlexor modes",
 * format_version, points, program_version, model_name; /model; /sweep/parameters, values, rigid_modes, spin;
 * /modes/point, mode, branch, omega, frequency, damping; /shapes/coordinates, real, imaginary. With bodies also
 * dimension, /states/x, factors, /bodies and the lists of phx_scene as in a result. */
typedef struct phx_modes_table {
    const char *model_name; /* the title of pictures: no path. Texts may be NULL: "" */
    const char *model_text, *program_version;
    int n_parameters;
    const char *const *parameters; /* names */
    int n_points;
    const double *values;   /* n_points x n_parameters */
    const int *rigid_modes; /* n_points: rigid-body modes left out at each point; NULL: not known */
    const double *spin;     /* n_points: angular speed of the steady rotation, rad/s; NULL: modes at rest */
    int n_rows;
    const phx_mode_row *rows;
    int n_coordinates; /* 0: no mode shapes */
    const char *const *coordinates;
    const double *shapes;           /* n_rows x n_coordinates, real parts */
    const double *shapes_imaginary; /* NULL: the shapes are real */
    int dimension;                  /* 0: the bodies are not known, and what follows is not read */
    int n_bodies;
    const phx_record_body *bodies; /* of the first point */
    const phx_scene *scene;        /* of the first point; NULL: none */
    int n_x, n_states;             /* n_states: as many as points, or 1: only the first point's */
    const double *states;          /* n_states x n_x: the configuration the modes are about */
    const double *factors;         /* n_states x the factors of all meshes of the scene; NULL where it has none */
    int n_files;
    const char *const *files; /* the model was made of them: phx_modes_write does not write over them */
} phx_modes_table;

/* How a table of modes is written. */
typedef enum phx_modes_format {
    PHX_MODES_TEXT, /* for reading: aligned, 10 digits */
    PHX_MODES_CSV,  /* parameters, mode, branch, omega, frequency, damping */
    PHX_MODES_JSON, /* with the mode shapes */
    PHX_MODES_HDF5, /* with the mode shapes and the model text */
    PHX_MODES_XLSX  /* the columns of csv, with units, in a workbook */
} phx_modes_format;

/* A value that is not finite is refused with PHX_ERR_ANALYSIS. */
phx_status phx_modes_write(phx_context *context, const phx_modes_table *table, phx_modes_format format,
                           const char *path);
/* Read what phx_modes_write left as csv (no rigid_modes, no shapes) or HDF5. `table` is set to own what it points to;
 * free with phx_modes_free. */
phx_status phx_modes_read(phx_context *context, const char *path, phx_modes_table *table);
void phx_modes_free(phx_modes_table *table);

/* ---- exchange files: named things for MATLAB, Octave, Python ---- */

/* The kind of an item of a bundle. */
typedef enum phx_bundle_kind {
    PHX_BUNDLE_MATRIX, /* dense, real or complex; or an array of real ones */
    PHX_BUNDLE_SPARSE,
    PHX_BUNDLE_NAMES, /* a list of texts */
    PHX_BUNDLE_TEXT,
    PHX_BUNDLE_NUMBER
} phx_bundle_kind;

/* Fields that are not of the kind are zero. */
typedef struct phx_bundle_item {
    const char *name;           /* a letter, then letters, digits and '_' */
    const char *meaning, *unit; /* "": not told */
    phx_bundle_kind kind;
    int rows, cols;  /* matrix, sparse; names: rows of them */
    int pages;       /* of an array how many matrices; 0: one matrix */
    double *re, *im; /* rows x cols, row-major, page after page; im NULL: real */
    phx_csr sparse;  /* rows x cols */
    const char *const *names;
    const char *text;
    double number;
} phx_bundle_item;

/* An ordered collection of named things. Adding copies; the first failure sticks, nothing is added after it, and
 * phx_bundle_status and phx_exchange_write return it: PHX_ERR_ARGUMENT for a name that is none or stands twice,
 * PHX_ERR_ANALYSIS for a value that is not finite, PHX_ERR_MEMORY. */
typedef struct phx_bundle phx_bundle;
phx_status phx_bundle_create(phx_context *context, phx_bundle **bundle);
void phx_bundle_destroy(phx_bundle *bundle); /* NULL is allowed */
/* PHX_OK, or the first failure. */
phx_status phx_bundle_status(const phx_bundle *bundle);
int phx_bundle_count(const phx_bundle *bundle);
/* Item k in the order of adding; the item of a name, NULL when there is none. They belong to the bundle. */
const phx_bundle_item *phx_bundle_item_at(const phx_bundle *bundle, int k);
const phx_bundle_item *phx_bundle_find(const phx_bundle *bundle, const char *name);

/* The items of a linear model, with the texts `form` and `name`:
 *   state-space    A B C D, inputs outputs states, poles (complex column)
 *   second-order   M D K F Y_q Y_v Y_a Y_u (as in phx_ss_second_order_def, zero matrices written out), inputs outputs
 *                  coordinates, names that must be given
 *   descriptor     E J R Q B P S N sparse, ports; no Q: a nonlinear system at a state
 * Errors: the status of the bundle, PHX_ERR_MEMORY, those of phx_ss_poles. */
phx_status phx_bundle_add_ss(phx_context *context, phx_bundle *bundle, const phx_ss *system);
phx_status phx_bundle_add_second_order(phx_context *context, phx_bundle *bundle, const phx_ss_second_order_def *system);
phx_status phx_bundle_add_descriptor(phx_context *context, phx_bundle *bundle, const phx_descriptor *system);
/* The state-space system of a bundle that holds the first or the second of these forms. PHX_ERR_FILE when there is
 * none, or what there is does not fit together; the errors of phx_ss_create and phx_ss_from_second_order. */
phx_status phx_bundle_get_ss(phx_context *context, const phx_bundle *bundle, phx_ss **system);

/* Write a bundle; the end of the name says how (capitals or not):
 *   .mat   MAT-file version 5, compressed: double matrices (arrays of them rows x cols x pages), sparse matrices,
 *          columns of cells with texts, texts
 *   .h5    HDF5, attributes format "phlexor exchange" and format_version: matrices as rows x cols, arrays of them as
 *          pages x rows x cols (complex: compound of r and i, as h5py has it), sparse matrices as groups data,
 *          indices, indptr, shape (SciPy's CSR), names and texts as UTF-8
 *   .json  one object: matrices as lists of rows (complex: {"real", "imaginary"}), arrays of them as lists of
 *          matrices, sparse matrices as {"rows", "cols", "row", "col", "value"} with indices from 0
 *   _mtx   a folder, empty or new, with a Matrix Market file NAME.mtx for each matrix (coordinate where it is sparse,
 *          else array; symmetric or skew-symmetric where it is so to the last digit) and contents.json, which lists
 *          them and has the other items; built as FOLDER.partial. No arrays of matrices
 * PHX_ERR_INPUT for another ending and for arrays that the format does not take, PHX_ERR_FILE when it cannot be
 * written, the status of the bundle. */
phx_status phx_exchange_write(phx_context *context, const char *path, const phx_bundle *bundle);
/* Read an HDF5 file that phx_exchange_write left. */
phx_status phx_exchange_read(phx_context *context, const char *path, phx_bundle **bundle);

/* ---- pictures: SVG, PDF, PNG ---- */

/* The page of a picture. Zero is a default everywhere. Equal data, page and program give equal bytes. */
typedef struct phx_page {
    const char *format;   /* "svg", "pdf" or "png"; NULL: the ending of the picture's name */
    double width, height; /* mm; 0: 560 pixels (148 mm) for each plot, a height that suits. A width means print: letters
                             of 8 pt, no title */
    double font_size;     /* pt; 0: 9, in print 8. Everything else is in proportion */
    double resolution;    /* PNG: pixels in an inch; 0: 300 */
    const char *title;    /* "": none; NULL: the model's name, in print none */
    bool grey;            /* black, greys and dashes; else a palette for all kinds of colour vision, with dashes */
} phx_page;

/* The diagrams of a file. */
typedef enum phx_plot_kind {
    PHX_PLOT_ALL,      /* what the file is for: see phx_plot */
    PHX_PLOT_COLUMNS,  /* of a result: `columns` over time, or over the column `against` */
    PHX_PLOT_SPECTRUM, /* of a result: amplitudes of `columns` over the frequency */
    PHX_PLOT_MOTION,   /* of a result: snapshots of the bodies seen along an axis, from light (first) to dark (last) */
    PHX_PLOT_POLES,    /* of a linear model: its poles in the complex plane */
    PHX_PLOT_SPY,      /* of a linear model: the patterns of its matrices */
    PHX_PLOT_NYQUIST,  /* of a linear model: its responses in the complex plane, with -1 */
    PHX_PLOT_NICHOLS   /* of a linear model: magnitude, dB, over phase, degrees */
} phx_plot_kind;

/* How an axis divides its range. */
typedef enum phx_plot_scale { PHX_SCALE_AUTO, PHX_SCALE_LINEAR, PHX_SCALE_LOGARITHMIC } phx_plot_scale;

/* The plane that a motion in space is drawn in: the first direction to the right, the second upward. */
typedef enum phx_plot_plane { PHX_PLANE_XY, PHX_PLANE_XZ, PHX_PLANE_YZ } phx_plot_plane;

/* Content and style of a diagram. Fields that do not belong to the kind are not read. */
typedef struct phx_plot_options {
    phx_plot_kind kind;
    /* Names of columns with commas between them, a text for each panel; the name before the last dot means all that
     * have it ("tip" for tip.x and tip.y). Columns of different units get panels of their own. The entries of the
     * ledger are columns too: "supplied.load.push", "dissipated.body.rod". */
    int n_columns;
    const char *const *columns;
    const char *against;     /* a column; NULL: time */
    int n_over;              /* 2: a map of the columns of a study's list, or of the branches of modes, over */
    const char *const *over; /* these parameters: to the right and upward */
    double from, to; /* range of time (results), the parameter (modes), frequency in rad/s (Bode); default: all */
    phx_plot_scale x_scale, y_scale; /* of columns and spectra; a spectrum's y is logarithmic unless said otherwise */
    phx_plot_plane plane;            /* of a motion; results in the plane have x-y only */
    int n_inputs, n_outputs;         /* of a Bode diagram: */
    const char *const *inputs, *const *outputs; /* NULL: all, up to 12 lines */
    int n_matrices;
    const char *const *matrices; /* of the patterns: "J", "R" ...; NULL: all that are not empty */
    int n_others;                /* of a result: further ones, whose columns of the same names are drawn with it */
    const char *const *others;
    const char *measured; /* and a csv file whose first column is time; NULL: none */
    int n_maps;
    const char *const *maps; /* of its columns: "COLUMN=NAME", NAME being a column of the result */
    bool difference;         /* the columns of the others less those of the first */
    bool decibels;           /* of a Bode diagram; a loop has them without being asked */
    phx_page page;
} phx_plot_options;
phx_plot_options phx_plot_options_default(void); /* all of everything */

/* Draw a file as a picture. `options` NULL: the default ones. Without a kind:
 *   result          energies, residual and drift on a logarithmic scale, and one panel for each output (its components
 *                   together); csv or HDF5, complete or partial
 *   modes           frequencies over the sweep parameter, one line for each branch; over the mode number without a
 *                   sweep. A sweep over several parameters has a panel for each combination of the others (the first of
 *                   them vary slowest). About steady rotations with rays 1P, 2P ...
 *   linear model    (an HDF5 exchange file, phx_bundle_get_ss) a Bode diagram: magnitude and phase over the frequency,
 *                   from a tenth of the lowest pole that is not at zero to ten times the highest, four decades above
 * the lowest at most. Responses that are zero to rounding are left out, which the picture says Errors: PHX_ERR_FILE for
 * a file that cannot be read, is another kind of file, or has nothing to draw; PHX_ERR_INPUT for a column, signal or
 * matrix that does not exist (with the nearest), an empty range, a page without room. */
phx_status phx_plot(phx_context *context, const char *path, const char *picture_path, const phx_plot_options *options);
/* The patterns of the matrices of a bundle (PHX_PLOT_SPY), e.g. of phx_study_linearize; `name` for messages, and the
 * title where the bundle has none. */
phx_status phx_plot_bundle(phx_context *context, const phx_bundle *bundle, const char *name, const char *picture_path,
                           const phx_plot_options *options);

/* A line of a chart, or its points alone as crosses. A y that is not finite breaks the line. */
typedef struct phx_chart_line {
    const char *label; /* NULL: not in the legend */
    bool points;
    size_t count;
    const double *x, *y;
} phx_chart_line;

/* A chart of lines in one panel. Texts may be NULL: empty. */
typedef struct phx_chart_def {
    const char *title, *remark, *x_label, *y_label; /* labels with their units */
    bool logarithmic, x_logarithmic;                /* axes; y shows the size then */
    bool equal;                                     /* one scale for both axes */
    int n_lines;
    const phx_chart_line *lines;
} phx_chart_def;
/* The chart as an SVG element for a page; free with phx_free. */
phx_status phx_chart_svg(phx_context *context, const phx_chart_def *def, char **svg);

/* ---- reports: one html page that shows the mechanism, for any browser ---- */

/* A line of the page: a name with a text or a number. */
typedef struct phx_report_item {
    const char *name;
    const char *text; /* NULL: the number */
    double value;
    const char *unit;    /* NULL: none */
    const char *meaning; /* a sentence; certificate only */
    int good;            /* certificate: 1 as it should be, 0 not, -1: neither */
} phx_report_item;

/* A load at any time. */
typedef struct phx_report_load {
    bool follows;     /* along the directions of its port, or of its body for a distributed one; else inertial */
    int n_components; /* dim; 1: a torque in the plane */
    const phx_signal *component[3]; /* N, N m, N/m over t, s and the place along the body, from 0 to 1; NULL: zero */
} phx_report_load;

/* The bodies at a point of a sweep, where they are others than at the first: as many, with the same coordinates. */
typedef struct phx_report_bodies {
    const phx_record_body *bodies; /* NULL: those of the first point */
    const phx_scene *scene;
} phx_report_bodies;

/* The text of a page beside the result, and the kind of page. */
/* How a page opens. */
typedef struct phx_report_opening {
    double camera[3]; /* direction to the observer; 0: not given */
    double magnification;
    const char *colour; /* a quantity; NULL: by body */
    int n_plots;
    const char *const *plots; /* outputs or columns, whose plots come first */
    int n_trails;
    const char *const *trails; /* BODY.PORT, whose paths are drawn */
} phx_report_opening;

/* What a page is told besides its result. */
typedef struct phx_report_options {
    const char *source; /* the file that is shown, as the page names it; NULL: "" */
    int n_certificate;
    const phx_report_item *certificate; /* borrowed, as everything here */
    int n_loads;                        /* as many as the scene has, or 0: their values are not known */
    const phx_report_load *loads;
    int n_points; /* modes: as many as the table has, or 0: the bodies are those of the first point everywhere */
    const phx_report_bodies *points;
    const phx_report_opening *opening; /* NULL: as pages open */
    int n_others;                      /* of a result: files of further ones, which move and are plotted with it */
    const char *const *others;
    const phx_result *other; /* of a result: one more, in memory, instead of files; NULL: none */
    const char *other_name;  /* of it */
    const char *members;     /* JSON: further members of the page's data, "\"NAME\": VALUE"; NULL: none */
    const char *page;        /* html with a line "<!--phlexor-data-->" for the data; NULL: the page of this build */
} phx_report_options;

/* The parts of a result that a page got. */
typedef struct phx_report_size {
    size_t rows, frames, points; /* instants of the result; shown in the animation; in the diagrams */
    size_t bytes;                /* of the page */
    int results;                 /* shown: 100 at most, evenly chosen */
} phx_report_size;

/* The page of a result, complete or partial; of a table of modes. The data stand in it, so that it
 * needs nothing else; of long results as much as keeps the page below 20 MB: instants evenly chosen for the animation,
 * least and greatest values of equal intervals for the diagrams. `options` may be NULL, and so may `size`. Errors:
 * PHX_ERR_LIBRARY without a page in this build, PHX_ERR_ARGUMENT for a page without the line, PHX_ERR_FILE,
 * PHX_ERR_MEMORY. */
phx_status phx_report_result(phx_context *context, const phx_result *result, const phx_report_options *options,
                             const char *html_path, phx_report_size *size);
phx_status phx_report_modes(phx_context *context, const phx_modes_table *table, const phx_report_options *options,
                            const char *html_path, phx_report_size *size);

/* ---- other programs ---- */

/* Write what is in a file (a simulation, complete or not; modes, HDF5 or csv; a linear model) in the format of that
 * name:
 *
 *         simulation                 modes                       linear model
 *   vtk   the motion                 -                           -
 *   xdmf  the motion                 -                           -
 *   mat   columns, states, ledger    the rows, the shapes        its items
 *   csv   the columns                the rows                    -
 *   xlsx  the columns                the rows                    -
 *   json  a summary                  with the shapes             its items
 *   mtx   -                          -                           its matrices
 *
 * most_frames is for vtk and xdmf, which ParaView opens: the instants at most, evenly chosen; 0: all. PHX_ERR_INPUT for
 * a format that there is not, or not of such a file, and when the output is the file itself; PHX_ERR_FILE when the file
 * cannot be read. */
phx_status phx_export(phx_context *context, const char *path, const char *format, const char *output, int most_frames);

/* How a table looks. All false: csv with commas, decimal points and names alone. */
typedef struct phx_table_style {
    bool units;    /* names are followed by their unit, "tip.x [m]" */
    bool comma;    /* decimal commas, between semicolons */
    bool workbook; /* an Office Open XML workbook (.xlsx) with one sheet instead of csv; without `comma` */
} phx_table_style;
/* The table that phx_export writes as csv (of a simulation or of modes) in another style. Errors of phx_export;
 * PHX_ERR_LIBRARY when a workbook needs libxlsxwriter, which is missing; PHX_ERR_INPUT for more rows or columns than a
 * sheet can have (1 048 575 and 16 384). */
phx_status phx_export_table(phx_context *context, const char *path, const phx_table_style *style, const char *output);

/* The tables of the shards of a study (phx_study_batch_options) as the one that the whole study would have written;
 * `points`: how many it has. PHX_ERR_INPUT for a table of something else, other columns, a point that is missing or
 * there twice. */
phx_status phx_tables_merge(phx_context *context, int count, const char *const *paths, const char *output, int *points);

#ifdef __cplusplus
}
#endif
#endif

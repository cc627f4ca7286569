/* Reports: the selection shown, the arrays of the page and the text that describes them; private to the layer results.
 *
 * A page holds a manifest, JSON, and arrays, the numbers it refers to by their place in one stream of bytes. The
 * manifest is made first: each reference adds an array to a list, and the list is streamed afterwards. */
#ifndef PHX_RESULTS_REPORT_H
#define PHX_RESULTS_REPORT_H

#include "results/compare/timeline.h"
#include "results/store/output.h"
#include "payload.h"
#include "results/results.h"

typedef struct phx_report phx_report;
typedef enum report_type { REPORT_F32, REPORT_F64, REPORT_U32, REPORT_I16 } report_type;

/* Puts the `count` numbers of an array. */
typedef phx_status report_writer(phx_report *report, int index, phx_payload *payload);
typedef struct report_array {
    report_writer *write;
    int index;
    report_type type;
    size_t count, at; /* at: its first byte, a multiple of 8 */
    int point;        /* of the sweep, whose bodies it is about; -1: those of the report */
} report_array;

/* Texts about the page; borrowed. */
typedef struct report_about {
    const char *kind, *title, *program, *model_text, *reason; /* reason NULL: complete */
} report_about;

/* Source of the motion: a result or modes (NULL: not this one), or one configuration. */
typedef struct report_source {
    const phx_result *result;
    const phx_modes_table *modes;
    const double *states;  /* rows x n_x, of modes and one configuration */
    const double *factors; /* rows x the factors of the scene, likewise; NULL: 0 */
    int n_x;
    size_t rows; /* number of configurations */
} report_source;

/* The part of it that is shown. */
typedef struct report_shown {
    size_t frames; /* configurations, evenly chosen */
    size_t points; /* in each column of the diagrams: all rows, or pairs of least and greatest */
    bool with_maps, with_meshes, with_shapes;
    int n_entries[2]; /* of the ledger: that supply, that take */
    bool *entry;      /* of each entry: it is shown */
    int every_shape;  /* of the points of a sweep: mode shapes of each such one */
    int every_visual; /* likewise: surfaces that change along the sweep */
    int others;       /* of the further results, evenly chosen */
} report_shown;

/* The arrays behind the manifest, in their order. */
typedef struct report_stream {
    int n, room;
    report_array *array;
    size_t start, bytes; /* where it begins and ends among all arrays of the page */
} report_stream;

/* Workspace of the writers. */
typedef struct report_work {
    double *block; /* room for REPORT_BLOCK numbers, or one row of x */
    int block_of;  /* its contents: a column, or REPORT_STATES */
    size_t block_first, block_rows;
    double *quaternions; /* n_bodies x 4: attitudes in the frame before */
} report_work;

struct phx_report {
    phx_context *context;
    const phx_report_options *options;
    report_about about;
    int dimension, n_bodies;
    const phx_record_body *bodies;
    const phx_scene *scene; /* NULL: none */
    int point;              /* bodies and scene are now those of this point of the sweep; -1: those of the report */
    report_source source;
    phx_norms *differences;  /* of each column to the first result, owned; NULL for the first result */
    const phx_report *other; /* shown with it instead of files; NULL: none */
    int n_parts;             /* results that share the page evenly */
    report_shown shown;
    report_stream stream;
    report_work work;
};

enum { REPORT_BLOCK = 1 << 15, REPORT_STATES = -1, REPORT_ENTRIES = 24, REPORT_NAME = 256 };

/* A reference into the manifest and the array behind it. PHX_ERR_MEMORY sticks to the manifest. */
void phx_report_ref(phx_report *report, phx_output *manifest, report_type type, size_t count, report_writer *write,
                    int index);
/* Up to REPORT_ENTRIES entries of the ledger of either kind, those with the most work. */
phx_status phx_report_choose_entries(phx_report *report);
/* Select the bodies of a point of the sweep (-1: of the report); false: they are the same as before. */
bool phx_report_at_point(phx_report *report, int point);
/* Whether a body is drawn as at the first point, with the same section forces. */
bool phx_report_same_body(const phx_report *report, int b);
bool phx_report_same_visuals(const phx_report *report); /* and all surfaces */
/* Fills `differences` to the first result; they do not depend on the amount that is shown. */
phx_status phx_report_measure(phx_report *report, const phx_result *first);
/* Write the manifest and the list of its arrays. */
void phx_report_manifest(phx_report *report, phx_output *manifest);
int phx_report_deformations(const phx_report *report, int body);
/* Factors of the maps of a body's mesh, which stand in the frames behind its deformations; 0 where the maps are left
 * out. */
int phx_report_factors(const phx_report *report, int body);
size_t phx_report_bytes(report_type type); /* of one number */
/* A number of JSON: null when it is not finite. */
void phx_report_number(phx_output *manifest, double value);

/* ---- writers (report_arrays.c); index: of the body, the port, the section, the column, the row of modes ---- */
report_writer phx_report_points, phx_report_lines, phx_report_shapes, phx_report_port_shapes;
/* Section k of the scene; of body b the fibre f: n_sections + 4 b + f. */
report_writer phx_report_map;
/* Mesh k of the scene; of its stresses component c: PHX_STRESSES_MOST k + c (report_meshes.c). */
report_writer phx_report_mesh_points, phx_report_mesh_triangles, phx_report_mesh_thickness, phx_report_mesh_shapes,
    phx_report_mesh_shape_scales, phx_report_mesh_map, phx_report_mesh_map_scales, phx_report_mesh_float_map;
/* List k of the scene under REPORT_VISUALS; integers as unsigned ones, -1 as the largest. */
#define REPORT_VISUALS "/visuals/"
report_writer phx_report_visual_list;
bool phx_report_mesh_of(const phx_report *report, int body, int *mesh);          /* false: the body has none */
phx_status phx_report_mesh_size(const phx_report *report, int mesh, int *nodes); /* of its surface */
/* Whether the mesh of a body is the same in another scene. */
bool phx_report_same_mesh(const phx_report *report, int body, const phx_scene *their);
report_writer phx_report_frame_times, phx_report_poses, phx_report_deformed;
/* Load k at each frame: n_places x 3; constant: once. */
report_writer phx_report_load_values, phx_report_load_constant;
int phx_report_load_places(const phx_report *report, int load);
double phx_report_load_place(const phx_report *report, int load, int place); /* fraction of the length */
bool phx_report_load_is_constant(const phx_report *report, int load);
/* Arrow k at each frame, 3 components. */
report_writer phx_report_arrow_values;
int phx_report_arrow_column(const phx_report *report, int arrow, int component);
report_writer phx_report_times, phx_report_column;
report_writer phx_report_mode_real, phx_report_mode_imaginary;
/* Fibres of a body that a stress can be given for: 0, 2 in the plane, 4 in space; its signs of y and z. */
int phx_report_fibres(const phx_report *report, int body);
int phx_report_fibre_sign(int fibre, int axis);

#endif

/* Layer model, for the other layers of the library: positions in the file, sections, building of single bodies.
 *
 * Positions: the model remembers where in the file each field was written. Pass the address of a field to
 * phx_model_where or phx_model_fail, e.g. phx_model_fail(context, model, &body->material, ...). Addresses of fields the
 * file does not give (defaults) lead to the position of the object that holds them; those of copies to the file alone.
 * A struct shares its address with its first field, whose position then counts when the file gives it. */
#ifndef PHX_MODEL_MODEL_H
#define PHX_MODEL_MODEL_H

#include "system/system.h"

#include <phlexor/model.h>

/* Place in the model file, both from 1; line 0: not from the file. */
typedef struct phx_model_source {
    int line, column;
} phx_model_source;

/* File k that the model is made of, with all links in its name followed: the model file (none when it was read from
 * memory), csv files of signals, a result to continue. NULL behind the last one; the text is the model's. */
const char *phx_model_file(const phx_model *model, int k);
/* List them with the context as files that are read (phx_files_read), so that nothing is written over them. */
phx_status phx_model_protect(phx_context *context, const phx_model *model);

/* Where a field was written; see the head of this file. */
phx_model_source phx_model_where(const phx_model *model, const void *field);
/* phx_fail with "file:line:column: " of the field (NULL: "file: ") in front. */
phx_status phx_model_fail(phx_context *context, const phx_model *model, const void *field, phx_status status,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

/* phx_model_copy with the values that phx_model_set_parameters has given, which are those of its reading then. */
phx_status phx_model_copy_present(phx_context *context, const phx_model *model, phx_model **copy);

/* Index by name, -1 when there is none. */
int phx_model_find_parameter(const phx_model *model, const char *name);
/* The number of parameters that a name stands for, from *first on: more than 1 for a list, 0 if there is none; and the
 * end of a message on such a name, with the nearest. */
int phx_model_find_parameters(const phx_model *model, const char *name, int *first);
phx_shown phx_model_parameter_hint(const phx_model *model, const char *name);
int phx_model_find_body(const phx_model *model, const char *name);
int phx_model_find_joint(const phx_model *model, const char *name);

/* The points at which joints, springs, forces and loads act, one after the other, from 0; NULL behind the last. The
 * text of one that a load does not have is NULL. */
const phx_model_point *phx_model_reference(const phx_model *model, int k);

/* Sections along the length of a body, and what its sections are held against. */
typedef struct phx_model_sections {
    const phx_model_section *section; /* NULL: not known */
    bool varies;                      /* the section is that of the first station */
    int segments;                     /* pieces on each of which the deformation is one polynomial or shape */
    bool torsion;                     /* it twists (space) */
    int watched;                      /* places, both ends among them, at which a motion is watched */
    bool stiffening;                  /* its bending feels the axial force */
    double strain_per_force;          /* of the axial force, 1/N */
    double strain_per_moment[2];      /* of the bending moments at the extreme fibres, 1/(N m): Mz; My, Mz in space */
    double euler_load;                /* N, under its reference condition */
    double bending_frequency;         /* its lowest, rad/s, under its reference condition */
} phx_model_sections;
/* false, nothing filled in: the body has none. */
bool phx_model_body_sections(const phx_model *model, const phx_model_body *body, phx_model_sections *sections);

/* The outline of the section at a fraction of the length, for pictures: a box, or an ellipse when `round`; a section
 * known by its area and second moments is the box that has its radii of gyration. False: not known. */
typedef struct phx_model_outline {
    bool round;
    double half[2]; /* m: along y and along z of the section */
} phx_model_outline;
bool phx_model_body_outline(const phx_model *model, const phx_model_body *body, double s, phx_model_outline *outline);
/* Of a body of vectors its places in the order of its nodes, with triangles between them; of others nothing. The caller
 * frees it. */
struct phx_surface;
phx_status phx_model_body_surface(phx_context *context, const phx_model_body *body, struct phx_surface *surface);

/* The section of a body along a length at a fraction of it; of kind general where its fibres are not known, false: not
 * known at all. */
bool phx_model_section_at(const phx_model *model, const phx_model_body *body, double s, phx_model_section *section);

/* The cross-section of a body along a length as PHX_REDUCED_SECTION numbers of a reduced body; false: not known. */
bool phx_model_write_section(const phx_model *model, const phx_model_body *body, double *numbers);

/* phx_model_body_kind_info of this body: a reduced beam has sections, another reduced body none. */
const phx_model_body_info *phx_model_body_info_of(const phx_model_body *body);

/* The word of a kind as the file writes it, "" outside the range. */
const char *phx_model_body_kind_name(phx_model_body_kind kind);

/* ---- from the specification to a system ---- */
phx_beam_cache_stats phx_beam_cache_statistics(const phx_beam_cache *cache);

/* The nodal forces (elastic->n) of all pressures and tractions on a body at t, added to `force`. PHX_ERR_UNSUPPORTED
 * for a temperature, whose stresses no forces make. */
struct phx_elastic_model;
phx_status phx_model_surface_forces(phx_context *context, const phx_model *model, int body,
                                    const struct phx_elastic_model *elastic, double t, double *force);
/* The units of the mesh or the matrices of a body, m and N; of a mesh forces are in N. 1: SI, or no such body. */
void phx_model_file_units(const phx_model_body *body, double *length, double *force);

/* phx_model_build of one body alone, without joints, loads and outputs; it is body 0 of the system. */
phx_status phx_model_build_body(phx_context *context, const phx_model *model, int body, phx_system **system);

/* ---- parameters that stay open (tunable.c) ---- */
/* A parameter whose value can be set when the system is built: it is used in expressions of time alone. */
typedef struct phx_tunable {
    int parameter;     /* index in phx_model.parameters */
    const char *where; /* "loads.push.force[1]": the first use, the model's */
} phx_tunable;
enum { PHX_TUNABLE_NONE = -1, PHX_TUNABLE_MADE = -2 };
typedef struct phx_tunables {
    int count;
    phx_tunable *items;
    double *values;           /* count: what programs evaluate; at first those of the model */
    int *number;              /* of each parameter of the model: index in items, PHX_TUNABLE_NONE: its value stays, or
                                 PHX_TUNABLE_MADE: it is an expression of open ones */
    const char *const *texts; /* of each parameter of the model, the model's */
} phx_tunables;
/* Those of these names, NULL: all that can be open. PHX_ERR_INPUT for names that are not there, that are used
 * elsewhere, with the places, that are used nowhere, and for one that is made of another of them. */
phx_status phx_tunables_create(phx_context *context, const phx_model *model, int n_names, const char *const *names,
                               phx_tunables *tunables);
void phx_tunables_free(phx_tunables *tunables);
/* Part of a body that is made with a parameter: by its keys, by its material, or by parameters that are expressions of
 * this one. */
typedef struct phx_parameter_place {
    int parameter, body;
    double from, to; /* fractions of the length: of a station in `sections` up to its neighbours; else 0, 1 */
} phx_parameter_place;
/* Of all parameters; the list is allocated, free it with phx_free. */
phx_status phx_model_uses(phx_context *context, const phx_model *model, int *count, phx_parameter_place **places);

/* phx_model_build with them; they must live as long as the system. */
phx_status phx_model_build_open(phx_context *context, const phx_model *model, const phx_build_options *options,
                                const phx_tunables *tunables, phx_system **system);

/* Put file:line:column of the joint, body, spring or load that the recorded message names first in quotes in front of
 * it, of the file when it names none; nothing when the message has a position already. For errors of phx_system_start
 * and the like. Returns `status`. */
phx_status phx_model_blame(phx_context *context, const phx_model *model, phx_status status);

const phx_model_force_info *phx_model_force_kind_info(phx_model_force_kind kind); /* NULL: no such kind */
/* A contact, all but its ports; false: the force is no contact. */
bool phx_model_force_contact(const phx_model_force *force, phx_contact_def *def);
/* The weighted coordinates of joints in a force, and how many; joints by their number in the model. */
enum { PHX_FORCE_MOST_TERMS = 8 };
int phx_model_force_terms(const phx_model_force *force, phx_coupling_term terms[PHX_FORCE_MOST_TERMS]);
bool phx_model_force_holds(const phx_model_force *force); /* their sum is constant: a rigid coupling */
/* The tables of keys of docs/keys.md, in Markdown. The text is allocated; free with phx_free. */
phx_status phx_model_schema_markdown(phx_context *context, char **text);

/* ---- expressions of measurements (columns.c) ---- */
/* An expression of t (variable 0) and of y(NAME) (variables 1 ..), with the values of the parameters. Owns both. */
typedef struct phx_expression_of_columns {
    int count;
    char **names;
    phx_program *program;
} phx_expression_of_columns;
/* Of a text; independent of the model. PHX_ERR_INPUT without the place. */
phx_status phx_model_expression_of_columns(phx_context *context, const phx_model *model, const char *text,
                                           phx_expression_of_columns *measured);
void phx_expression_of_columns_free(phx_expression_of_columns *measured); /* frees and zeroes the fields */

/* ---- beams and elastic bodies that systems share ---- */
phx_status phx_beam_cache_create(phx_context *context, phx_beam_cache **cache);
void phx_beam_cache_destroy(phx_beam_cache *cache); /* NULL is allowed */

#endif

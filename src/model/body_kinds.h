/* Phlexor, layer model, private: the kinds of body, a row each. Everything that reads, builds, documents, draws or
 * watches bodies asks the row; only the file of a row knows its kind. */
#ifndef PHLEXOR_MODEL_BODY_KINDS_H
#define PHLEXOR_MODEL_BODY_KINDS_H

#include "build.h"
#include "reader.h"

/* Which of a body's numbers lies farthest from 1, in decades; for messages. */
typedef struct phx_extreme {
    const char *key;
    double value, distance;
} phx_extreme;
void phx_extreme_offer(phx_extreme *worst, const char *key, double value);

typedef struct phx_body_row {
    phx_model_body_info info;
    /* The same of one body, where bodies of the kind differ; NULL: `info`. */
    const phx_model_body_info *(*info_of)(const phx_model_body *body);
    unsigned traits;    /* of phx_word: which of the keys that kinds share it has */
    phx_key_table keys; /* its own, with the bit of the kind */
    size_t own_size;    /* of the struct behind phx_model_body.own, for keys marked `own`; 0: none */

    /* ---- reading ---- */
    double port_fractions[PHX_MODEL_MAX_OWN_PORTS]; /* of the ports that always exist, where they lie along a length */
    /* Location and place of a port, from its keys, or its fraction as above. */
    void (*place_port)(const phx_model_body *body, phx_model_port *port);
    /* After all keys of a port of the file, or of the body, are read: what they must be together. NULL: nothing. */
    phx_status (*finish_port)(phx_reader *reader, const phx_node *node, const phx_model_port *port);
    phx_status (*finish)(phx_reader *reader, const phx_node *node, const phx_model_body *body);

    /* ---- building ---- */
    /* The body, and where its deformation comes from (NULL: it has none); both are the caller's, on failure too. Masses
     * at points are part of it. */
    phx_status (*build)(phx_builder *builder, const phx_model_body *body, phx_flex_source **source, phx_body **made);
    /* Offer the numbers that a failure may be owed to; masses at points are offered elsewhere. */
    void (*offer_numbers)(const phx_model *model, const phx_model_body *body, phx_extreme *worst);

    /* ---- asking ---- */
    /* phx_model_body_sections; NULL: it has no sections along a length. */
    void (*sections)(const phx_model *model, const phx_model_body *body, phx_model_sections *sections);
    /* phx_model_body_outline where it differs along the length; NULL: that of `sections`. */
    bool (*outline)(const phx_model *model, const phx_model_body *body, double s, phx_model_outline *outline);
    /* The section at a fraction of the length where it varies; NULL: it is the same all along. */
    phx_model_section (*section_at)(const phx_model_body *body, double s);
    /* Compliance of the section at a fraction of the length, 6 x 6 by (N1 N2 N3 M1 M2 M3); NULL: it has none. */
    phx_status (*compliance)(const phx_model *model, const phx_model_body *body, double s, double *compliance);
    /* Places of a body of vectors as points, in the order of its nodes, with triangles between them; NULL: none. */
    phx_status (*surface)(phx_context *context, const phx_model_body *body, struct phx_surface *surface);
    phx_stress_set (*stresses)(const phx_model_body *body);                        /* at its nodes; NULL: none */
    void (*file_units)(const phx_model_body *body, double *length, double *force); /* NULL: SI */
} phx_body_row;

#define PHX_BODY_DECLARE(NAME, name) extern const phx_body_row phx_body_row_##name;
PHX_MODEL_BODY_LIST(PHX_BODY_DECLARE)
#undef PHX_BODY_DECLARE

const phx_body_row *phx_body_row_of(const phx_model_body *body);
phx_stress_set phx_body_stresses(const phx_model_body *body);
/* "beam", "beam or rod": the kinds with sections; with a mesh; those that have points behind '@'. */
phx_shown phx_body_kinds_with_sections(void);
phx_shown phx_body_kinds_with_mesh(void);
phx_shown phx_body_kinds_with_locations(void);

/* Port by its place: of bodies whose points do not move against each other, and of the ground. */
void phx_place_port_by_position(const phx_model_body *body, phx_model_port *port);
/* That mass and inertia of a body are those of one that has to be pushed to turn. */
phx_status phx_check_inertia_of(phx_reader *reader, const phx_node *node, const phx_model_body *body);
/* Sections of a beam by its definition and its cross-section (NULL: not known); `reduced`: it is in a basis
 * (body_beam.c). */
void phx_beam_sections(const phx_beam_def *def, const phx_model_section *section, bool reduced,
                       phx_model_sections *sections);
/* The outline of a section by its shape. */
phx_model_outline phx_outline_of(const phx_model_section *section);
/* Area, moments and fibres linear between two sections, of kind general if one is (shapes.c). */
phx_model_section phx_section_between(const phx_model_section *a, const phx_model_section *b, double part);
/* {at: s} of bodies with a length (body_beam.c). */
extern const phx_object phx_schema_length_port;
/* Whether a point is this port of a body, by their numbers; whether a joint acts there; whether a joint, a spring, a
 * force or a load does. */
bool phx_builder_is_at(const phx_model_point *point, int body, int port);
bool phx_builder_has_joint(const phx_model *model, int body, int port);
bool phx_builder_is_joined(const phx_model *model, int body, int port);
/* All points at which joints, springs, forces and loads are. */
typedef void phx_point_visit(void *user, const phx_model_point *point);
void phx_builder_visit_points(const phx_model *model, phx_point_visit *visit, void *user);
/* Keys of every body. */
phx_body_def phx_builder_body_def(const phx_builder *builder, const phx_model_body *body);
/* Mass, inertia and centre of mass. */
void phx_offer_mass(const phx_model_body *body, phx_extreme *worst);

#endif

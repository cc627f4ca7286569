/* Phlexor, layer model, private: what plates, solids and imported bodies share: ports on parts of a mesh, basis, frame,
 * and the way from an elastic model to a floating body. */
#ifndef PHLEXOR_MODEL_ELASTIC_H
#define PHLEXOR_MODEL_ELASTIC_H

#include "body_kinds.h"
#include "schema_parts.h"

#include "continuum/continuum.h"

/* The first member of the own struct of such a kind. */
typedef struct phx_elastic_keys {
    struct {
        bool given;
        phx_basis_kind kind;
        int modes, among;
        int choose;     /* 0 by frequency, 1 by effective mass */
        const char *at; /* port that `held` holds */
        bool statics;
        const char *file; /* of an own basis; NULL: with the matrices */
    } basis;
    const char *frame[2]; /* `mean`, or ports; NULL: from the joints */
} phx_elastic_keys;

extern const phx_type phx_type_frame;
extern const phx_object phx_schema_basis, phx_schema_elastic_port;

/* Rows of keys for one kind, `bit`. */
#define PHX_ELASTIC_KEYS(bit)                                                                                          \
    {"ports",                                                                                                          \
     &phx_type_ports,                                                                                                  \
     AT(phx_model_body, ports),                                                                                        \
     .kinds = bit,                                                                                                     \
     .object = &phx_schema_elastic_port,                                                                               \
     .fallback = "none",                                                                                               \
     .count_offset = AT(phx_model_body, n_ports),                                                                      \
     .doc = "named ports, on parts of the mesh"},                                                                      \
        {"basis",                                                                                                      \
         &phx_type_given,                                                                                              \
         AT(phx_elastic_keys, basis),                                                                                  \
         .own = true,                                                                                                  \
         .kinds = bit,                                                                                                 \
         .object = &phx_schema_basis,                                                                                  \
         .fallback = "craig_bampton, 10 modes",                                                                        \
         .doc = "coordinates of the deformation"},                                                                     \
        {"stiffening", &phx_type_boolean,   AT(phx_model_body, stiffening),                                            \
         .kinds = bit, .fallback = "false", .doc = "geometric stiffening by the stresses; not for imported matrices"}, \
    {                                                                                                                  \
        "frame", &phx_type_frame, AT(phx_elastic_keys, frame),                                                         \
            .own = true, .kinds = bit,                                                                                 \
            .fallback = "joints at two ports: the line between them; a welded port, with 'stiffening' the one with "   \
                        "a joint; else mean",                                                                          \
            .doc = "what the body's frame follows: a port, [P, C] the line from P to C, or 'mean', the mean axes"      \
    }

/* A layer of a plate. */
typedef struct phx_elastic_layer {
    bool own_material; /* else that of the body or region */
    int material;
    double thickness, angle;
} phx_elastic_layer;
extern const phx_object phx_schema_layer;

/* A group of cells of a plate or a shell with another section than the rest. */
typedef struct phx_elastic_region {
    const char *group;
    bool own_material; /* else that of the body */
    int material;
    double thickness; /* 0: that of the body */
    int n_layers;
    phx_elastic_layer *layers;
} phx_elastic_region;
extern const phx_object phx_schema_region;
/* That a body or a region has either a thickness or layers, and that the materials of layers have the constants. */
phx_status phx_elastic_check_thickness(phx_reader *reader, const phx_node *node, double thickness, int n_layers);
phx_status phx_elastic_check_layers(phx_reader *reader, const phx_node *node, int n_layers,
                                    const phx_elastic_layer *layers);

/* A material as a solid takes it; a section of layers (0: one of `thickness`), which may couple membrane and bending if
 * `coupled`. */
void phx_elastic_material(const phx_model_material *from, phx_solid_material *material);
phx_status phx_elastic_section(phx_builder *builder, const phx_model_material *material, double thickness, int n_layers,
                               const phx_elastic_layer *layers, double kappa, bool coupled, phx_plate_section *section);
/* That a plate or a solid can be made of it; errors are at the key `material` of the node. */
phx_status phx_elastic_check_material(phx_reader *reader, const phx_node *node, int material, bool solid);

/* That a mesh from a file has no elements that would be left out, masses and springs. */
phx_status phx_elastic_check_mesh(const phx_builder *builder, const phx_mesh *mesh, const char *file);

/* For the row: the location of a port is its name; what its keys are together; what the body's keys are. */
void phx_elastic_place_port(const phx_model_body *body, phx_model_port *port);
phx_status phx_elastic_finish_port(phx_reader *reader, const phx_node *node, const phx_model_port *port);
/* Of plates and solids; of imported bodies, which have bases of their own and no stiffening. */
phx_status phx_elastic_finish_mesh(phx_reader *reader, const phx_node *node, const phx_model_body *body);
phx_status phx_elastic_finish_matrices(phx_reader *reader, const phx_node *node, const phx_model_body *body);

/* A text of all that the source of the body depends on; `ports`: a number for each port, what is joined to it. The
 * caller frees it.
 */
phx_status phx_elastic_key(const phx_builder *builder, const phx_model_body *body, const unsigned char *ports,
                           char **key);

/* The elastic model of a body, and the unknowns that do not move (NULL: all do); the caller's on success. */
typedef phx_status phx_elastic_make_fn(phx_builder *builder, const phx_model_body *body, phx_elastic_model **elastic,
                                       unsigned char **held);
/* The body in its basis; where the cache has one with the same key its model is not made again. */
phx_status phx_elastic_build(phx_builder *builder, const phx_model_body *body, phx_elastic_make_fn *make,
                             phx_flex_source **source, phx_body **made);

#endif

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
        int modes;
        const char *at; /* port that `held` holds */
        bool statics;
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
         &phx_type_object,                                                                                             \
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
            .fallback = "two joined ports: the line between them; one: that port; else mean",                          \
            .doc = "what the body's frame follows: a port, [P, C] the line from P to C, or 'mean', the mean axes"      \
    }

/* For the row: the location of a port is its name; what its keys are together; what the body's keys are. */
void phx_elastic_place_port(const phx_model_body *body, phx_model_port *port);
phx_status phx_elastic_finish_port(phx_reader *reader, const phx_node *node, const phx_model_port *port);
phx_status phx_elastic_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body);

/* A mesh of the file `path`, or with path NULL nothing; errors name the body. The model becomes the source's, or is
 * destroyed. */
phx_status phx_elastic_build(phx_builder *builder, const phx_model_body *body, phx_elastic_model *elastic,
                             const unsigned char *held, phx_flex_source **source, phx_body **made);

#endif

/* Phlexor, layer model, private: the kinds of force element under `forces`, a row each. Everything that reads, builds
 * or documents them asks the row; only the file of a row knows its kind. */
#ifndef PHLEXOR_MODEL_FORCE_KINDS_H
#define PHLEXOR_MODEL_FORCE_KINDS_H

#include "build.h"
#include "reader.h"
#include "schema_parts.h"

typedef struct phx_force_row {
    phx_model_force_info info;
    phx_key_table keys; /* its own, with the bit of the kind */
    size_t own_size;    /* of the struct behind phx_model_force.own */
    /* After all keys are read: what they must be together; NULL: nothing. */
    phx_status (*finish)(phx_reader *reader, const phx_node *node, const phx_model_force *force);
    /* The number of the body along whose length it acts; NULL: it acts between points. */
    int *(*along)(void *own);
    /* phx_model_force_contact, phx_model_force_terms and phx_model_force_holds; NULL: it has none. */
    void (*contact)(const phx_model_force *force, phx_contact_def *def);
    int (*terms)(const phx_model_force *force, phx_coupling_term *terms);
    bool (*holds)(const phx_model_force *force);
    /* ports: those of the force, in the system. */
    phx_status (*build)(phx_builder *builder, const phx_model_force *force, const phx_port_id *ports);
} phx_force_row;

#define PHX_FORCE_DECLARE(NAME, name) extern const phx_force_row phx_force_row_##name;
PHX_MODEL_FORCE_LIST(PHX_FORCE_DECLARE)
#undef PHX_FORCE_DECLARE

/* Coordinates of joints in a force, weighted: `terms` of couplings and cables (force_coupling.c). */
typedef struct phx_force_term {
    int joint, coordinate; /* coordinate: from 1, as written */
    double weight;
} phx_force_term;
extern const phx_object phx_schema_force_term;
phx_status phx_force_terms_check(phx_reader *reader, const phx_node *node, int n, const phx_force_term *terms);
int phx_force_terms_build(int n, const phx_force_term *terms, phx_coupling_term *out); /* n */

const phx_force_row *phx_force_row_of(const phx_model_force *force);

#endif

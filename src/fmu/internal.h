/* Private to layer fmu: what writes an FMU. */
#ifndef PHX_FMU_INTERNAL_H
#define PHX_FMU_INTERNAL_H

#include "fmu.h"

#include <stdio.h>

/* ---- units.c ---- */
/* A unit by its exponents of kg, m, s, rad. */
typedef struct phx_fmu_unit {
    const char *name;
    int kg, m, s, rad;
} phx_fmu_unit;
/* NULL: it has none. */
const phx_fmu_unit *phx_fmu_find_unit(const char *name);
/* Number k of the table; NULL past the end. */
const phx_fmu_unit *phx_fmu_unit_at(int k);

/* ---- description*.c: modelDescription.xml and what goes with it ---- */
typedef struct phx_fmu_description {
    const phx_unit *unit;
    const char *identifier, *name, *text; /* of the model */
    const char *token;
    double stop, step; /* s; 0: none */
    bool events;       /* there are sampled controllers */
} phx_fmu_description;
void phx_fmu_put_text(FILE *stream, const char *text);                 /* of an attribute, escaped */
void phx_fmu_put_number(FILE *stream, const char *name, double value); /* name="value" */
/* Attributes of variable k; those of its type, in which variables are numbered from `from` on. */
void phx_fmu_put_attributes(FILE *stream, const phx_variable *variable, int k);
void phx_fmu_put_real(FILE *stream, const phx_unit *unit, const phx_variable *variable, int from);
/* A list of the structure: elements with a reference to a variable and those that it depends on. */
typedef enum phx_fmu_unknowns {
    PHX_FMU_OUTPUTS,
    PHX_FMU_DERIVATIVES,
    PHX_FMU_INITIAL_UNKNOWNS,
    PHX_FMU_INDICATORS
} phx_fmu_unknowns;
void phx_fmu_put_unknowns(FILE *stream, const phx_unit *unit, phx_fmu_unknowns which, const char *element,
                          const char *reference, int from);
void phx_fmu_put_units(FILE *stream, const phx_unit *unit);
void phx_fmu_put_log(FILE *stream);
void phx_fmu_put_experiment(FILE *stream, const phx_fmu_description *description);
void phx_fmu_put_description2(FILE *stream, const phx_fmu_description *description);
void phx_fmu_put_description3(FILE *stream, const phx_fmu_description *description);
void phx_fmu_put_terminals(FILE *stream, const phx_fmu_description *description);
void phx_fmu_put_index(FILE *stream, const phx_fmu_description *description); /* documentation/index.html */

/* ---- zip.c ---- */
typedef struct phx_zip_entry {
    const char *name;
    size_t size;
    const void *bytes;
} phx_zip_entry;
/* An archive that appears as `path` when it is complete. */
phx_status phx_zip_write(phx_context *context, const char *path, int count, const phx_zip_entry *entry);

#endif

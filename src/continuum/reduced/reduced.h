/* Phlexor, layer continuum, private: a body in its basis, in memory and in a file. */
#ifndef PHLEXOR_CONTINUUM_REDUCED_H
#define PHLEXOR_CONTINUUM_REDUCED_H

#include "continuum/source.h"

typedef struct reduced_source {
    continuum_source shape; /* first */
    phx_flex_source *base;  /* whose everything but `flex` it borrows; NULL: it owns it */
    int n_ports;
    char **names;
    double *rotation;       /* n_ports x 9 */
    phx_flex_point *points; /* n_ports */
    phx_stress_set stresses;
    double *port_stress; /* n_ports x components x (n + n_pairs); NULL: its stresses are not known */
    int n_pairs, *pair;  /* products of coordinates that the stresses have besides (stiffening): 2 each */
    int node_pairs;      /* of these at the nodes: all, or none where there would be too many numbers */
} reduced_source;
static inline const reduced_source *reduced_of(const phx_flex_source *source)
{
    return (const reduced_source *)source;
}

/* A matrix of phx_flex as it stands in the file, on a full pattern. */
typedef struct reduced_field {
    const char *path;
    int rows, cols;                  /* 0: as many as coordinates */
    enum { ANY, SYMMETRIC, SKEW } a; /* what it must be */
    size_t offset;                   /* of the pointer in phx_flex */
    const char *meaning, *unit;
} reduced_field;
enum { REDUCED_FIELDS = 14 };
extern const reduced_field reduced_fields[REDUCED_FIELDS];
double **reduced_values(const reduced_field *field, phx_flex *flex);
/* Number of rows, or columns, of a body with n coordinates. */
static inline int reduced_extent(int extent, int n)
{
    return extent > 0 ? extent : n;
}

#endif

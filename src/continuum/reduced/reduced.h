/* Phlexor, layer continuum, private: a body in its basis, in memory and in a file. */
#ifndef PHLEXOR_CONTINUUM_REDUCED_H
#define PHLEXOR_CONTINUUM_REDUCED_H

#include "continuum/source.h"
#include "file/file.h"

static const double AGREES = 1e-9; /* numbers of a file that say the same, relative to the largest */

typedef struct reduced_source {
    continuum_source shape; /* first */
    phx_flex_source *base;  /* whose everything but `flex` it borrows; NULL: it owns it */
    int n_ports;
    char **names;
    double *rotation;       /* n_ports x 9 */
    phx_flex_point *points; /* n_ports */
    phx_stress_set stresses;
    double *port_stress;         /* n_ports x components x (n + n_pairs); NULL: its stresses are not known */
    int n_pairs, *pair;          /* products of coordinates that the stresses have besides (stiffening): 2 each */
    int node_pairs;              /* of these at the nodes: all, or none where there would be too many numbers */
    phx_plate_edges edges;       /* of a plate; n 0: not known */
    int *port_first, *port_node; /* nodes of the mesh that each port has, from port_first[p] on, for these; NULL */
    phx_flex_source *beam; /* of a beam: the same in its basis, which answers for its length; NULL: it is none. One with
                              masses has a share */
    double *section;       /* of a beam: its PHX_REDUCED_SECTION numbers; NULL: not known */
} reduced_source;
static inline const reduced_source *reduced_of(const phx_flex_source *source)
{
    return (const reduced_source *)source;
}

/* A matrix of phx_flex as it stands in the file, on a full pattern. */
typedef enum reduced_extent {
    EXTENT_N,
    EXTENT_DIM,
    EXTENT_ROT,
    EXTENT_PAIR
} reduced_extent; /* n, dim, n_rot, n_pair */
typedef struct reduced_field {
    const char *path;
    reduced_extent rows, cols;
    enum { ANY, SYMMETRIC, SKEW } a; /* what it must be */
    bool space;                      /* a body of the plane has it not */
    size_t offset;                   /* of the pointer in phx_flex */
    const char *meaning, *unit;
} reduced_field;
enum { REDUCED_FIELDS = 14 };
extern const reduced_field reduced_fields[REDUCED_FIELDS];
double **reduced_values(const reduced_field *field, phx_flex *flex);
/* Rows and columns in a body; 0 and 0: it has no such matrix. */
void reduced_extents(const reduced_field *field, const phx_flex *flex, int *rows, int *cols);

/* The nodes of the mesh that a port has, added to them. */
void reduced_port_nodes(const phx_flex_source *source, const char *port, unsigned char *nodes);

/* ---- files ---- */
/* PHX_ERR_FILE: what of the file is wrong. */
phx_status reduced_wrong(phx_h5 *file, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A matrix of this extent, finite: into `values`, or allocated. */
phx_status reduced_read_into(phx_h5 *file, const char *path, int rows, int cols, double *values);
phx_status reduced_read_matrix(phx_h5 *file, const char *path, int rows, int cols, double **values);
/* Rows (which 0) or columns (1) of a matrix. */
phx_status reduced_extent_of(phx_h5 *file, const char *path, int which, int *extent);
void reduced_put_matrix(phx_h5 *file, const char *path, int rows, int cols, const double *values, const char *meaning,
                        const char *unit);

/* ---- beams (beam.c) ---- */
/* /beam: what the beam is made of, the basis, the section (NULL: not known). */
phx_status reduced_put_beam(phx_h5 *file, const phx_flex_source *source, const double *section);
/* The dimension of a file: 3 of all that are no beams. */
phx_status reduced_read_dimension(phx_h5 *file, int *dim);
/* Fills beam, section and what the stress vector of a beam with stiffening needs; the flex is there. */
phx_status reduced_read_beam(phx_h5 *file, reduced_source *source);
extern const phx_source_operations reduced_beam_operations;

#endif

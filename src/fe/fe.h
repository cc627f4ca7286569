/* Phlexor, layer fe, for other layers of the library: what makes a phx_flex and a source of deformation. */
#ifndef PHLEXOR_FE_FE_H
#define PHLEXOR_FE_FE_H

#include <phlexor/fe.h>

/* ---- sources ---- */
typedef struct phx_source_operations {
    const char *name; /* "beam": for messages */
    /* Frees the data of the source beside `flex`, and the source itself. */
    void (*destroy)(phx_flex_source *source);
    /* The point at a location, of one of these sorts (bits). A fraction is in [0, 1]. */
    unsigned sorts;
    phx_status (*point)(const phx_flex_source *source, phx_context *context, const phx_location *location,
                        phx_flex_point *point);
    /* Of a source with sections, else NULL; see phx_flex_source_section_rows and its like. */
    void (*section_rows)(const phx_flex_source *source, const phx_location *location, double *axial, double *moment,
                         double *torsion);
    void (*quadrature)(const phx_flex_source *source, int *count, const double **s, const double **weight);
} phx_source_operations;

/* First member of every source. */
struct phx_flex_source {
    const phx_source_operations *operations;
    int shares; /* owners beside the first */
    phx_flex flex;
};

/* Arrays of a point that moves on so many coordinates; on failure the point is empty. */
phx_status phx_flex_point_allocate(phx_context *context, int dim, int n, phx_flex_point *point);
/* Full pattern of n x n, and that of a diagonal. */
phx_status phx_flex_dense_pattern(phx_context *context, phx_flex *flex);
phx_status phx_flex_diagonal_pattern(phx_context *context, phx_flex *flex);
/* ---- filling a phx_flex ---- */
/* Allocate the arrays of `flex`, with dim and n set, except pattern and matrices. */
phx_status phx_flex_allocate_vectors(phx_context *context, phx_flex *flex);
/* Allocate M, A, Q and, when wanted, K for the pattern ptr, idx that is already there. */
phx_status phx_flex_allocate_matrices(phx_context *context, phx_flex *flex, bool stiffness);
/* Index of entry (row, col) of the pattern. The entry exists. */
int phx_flex_entry(const phx_flex *flex, int row, int col);
/* Adds a mass at a point, given in the coordinates of `flex`, to all integrals: kg; kg m^2 about the point (plane: 1
 * value; space: 3 x 3 row-major). The pattern holds all products of the coordinates of the point. */
phx_status phx_flex_add_mass(phx_context *context, const phx_flex_point *point, double mass, const double *inertia,
                             phx_flex *flex);

/* A load that keeps its direction in the body's frame and its distribution: what it does by its factor 1, with the
 * deformation q: resultant `force`, moment about the frame's origin `moment` + `turning` q, on the coordinates `modal`.
 */
typedef struct phx_flex_load {
    int n;
    double force[3], moment[3];
    double *turning; /* 3 x n */
    double *modal;   /* n */
} phx_flex_load;
void phx_flex_load_free(phx_flex_load *load);
phx_status phx_flex_load_allocate(phx_context *context, int n, phx_flex_load *load); /* zeros */

enum { PHX_GAUSS_MAX = 8 }; /* points of a Gauss rule */

/* Gauss rule on [0,1], exact to degree 2*count-1; 1 <= count <= PHX_GAUSS_MAX. */
void phx_gauss(int count, double *point, double *weight);
/* Number of Gauss points that integrate polynomials of this degree exactly. */
static inline int phx_gauss_count(int degree)
{
    return degree / 2 + 1;
}

#endif

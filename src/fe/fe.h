/* Layer fe, for the other layers of the library: places, the matrices of a deformation as they are multiplied, what a
 * source answers, what makes one. */
#ifndef PHX_FE_FE_H
#define PHX_FE_FE_H

#include "algebra/algebra.h"
#include "reduce/reduce.h"

#include <phlexor/fe.h>

/* ---- points, places ---- */
phx_status phx_flex_point_copy(phx_context *context, int dim, const phx_flex_point *point, phx_flex_point *copy);

/* The bit of a sort in a set of sorts, 0 for what is none. */
static inline unsigned phx_location_bit(phx_location_sort sort)
{
    return (unsigned)sort < PHX_LOCATION_SORTS ? 1u << (unsigned)sort : 0u;
}
bool phx_location_same(const phx_location *a, const phx_location *b);
/* "origin, fraction of the length": a set of sorts, for messages. */
phx_shown phx_location_sorts_text(unsigned sorts);
/* The location that a text like that behind '@' means on a body whose points are given by these sorts: a number a
 * fraction or else a node, any other text a name, which stays the caller's. PHX_ERR_ARGUMENT when it can be none of
 * them. */
phx_status phx_location_read(phx_context *context, unsigned sorts, const char *text, phx_location *location);

/* A matrix over q x q without its zeros, by rows; rows without entries are left out. */
typedef struct phx_flex_matrix {
    int n_rows;
    int *row, *ptr, *idx;
    double *val;
} phx_flex_matrix;
/* x^T A y */
static inline double phx_flex_matrix_form(const phx_flex_matrix *a, const double *x, const double *y)
{
    double form = 0.0;
    for (int r = 0; r < a->n_rows; r++) {
        double sum = 0.0;
        for (int e = a->ptr[r]; e < a->ptr[r + 1]; e++)
            sum += a->val[e] * y[a->idx[e]];
        form += x[a->row[r]] * sum;
    }
    return form;
}

/* Matrices with a common vector, one above the other: row i of matrix m is row m n + i, n rows each. Rows of one length
 * follow each other, so that a loop over each length can have it as a constant. Rows of matrices, unless
 * full, are filled up with zeros to multiples of three, which they have along a beam but for its ends (a node has two
 * neighbours). Rows without entries have length 0. Where the rows of a length all have the same columns, as those of
 * full matrices, their values stand there once more, column by column, each filled up with zeros to a multiple of
 * eight. */
typedef struct phx_flex_stack {
    int n_groups;
    int *length, *count; /* entries of a row, rows */
    int *row, *idx;      /* in the order of the groups */
    double *val;
    int *column_at; /* per group: its first in `columns`, or -1 */
    double *columns;
} phx_flex_stack;
static inline int phx_flex_stack_stride(int count)
{
    return (count + 7) / 8 * 8;
}

struct phx_flex_compact {
    phx_flex_matrix K, A[3], Q[PHX_MAX_PAIR];
    phx_flex_stack mass, stiffness, gyro, pairs; /* M, K, all A_k, all Q_p */
    phx_flex_stack moments;                      /* of one row each: S_a, then C_k */
};
void phx_flex_free_compact(phx_flex_compact *compact); /* NULL is allowed */

/* ---- where a deformation comes from ---- */
const char *phx_flex_source_kind(const phx_flex_source *source); /* "beam", "modal body": for messages */
/* Whether its points can be given by a location of this sort, and all such sorts as bits (phx_location_bit). */
bool phx_flex_source_offers(const phx_flex_source *source, phx_location_sort sort);
unsigned phx_flex_source_sorts(const phx_flex_source *source);
/* Whether it has sections along a length: section forces at its points, and a quadrature for loads per length. The
 * functions below are for such a source; others are PHX_ERR_ARGUMENT. */
bool phx_flex_source_has_sections(const phx_flex_source *source);
/* Linear functionals of the stress vector at a location: the axial force (tension positive), the bending moment
 * (EI w'', n_moment = 1 in the plane, 2 in space: m_y = EIy uz'', m_z = EIz uy''), the torsion moment (space; zero
 * where there is none): mean of both sides at an element interface. Dense rows of n_stress values. Any of the three may
 * be NULL. */
phx_status phx_flex_source_section_rows(const phx_flex_source *source, phx_context *context,
                                        const phx_location *location, double *axial, double *moment, double *torsion);
/* Quadrature over the length for loads per length: count points, their fractions s of the length and weights (m).
 * Arrays owned by the source. */
phx_status phx_flex_source_quadrature(const phx_flex_source *source, phx_context *context, int *count, const double **s,
                                      const double **weight);

/* Into how many equal pieces of the length its shapes are cubic polynomials, which the displacements and rotations at
 * their ends determine; 0: they are others, or there is no length. */
int phx_flex_source_cubic_pieces(const phx_flex_source *source);

/* ---- stresses ---- */
/* Stresses of a body on a mesh at its nodes and ports, linear in the deformation coordinates; body axes. */
typedef enum phx_stress_set {
    PHX_STRESSES_NONE,
    PHX_STRESSES_SOLID,   /* 6: xx yy zz xy yz zx, Pa */
    PHX_STRESSES_PLATE,   /* 14: membrane force xx yy xy, N/m; bending moment xx yy xy, N m/m; shear force x y, N/m;
                             stress xx yy xy of the upper surface, of the lower, Pa */
    PHX_STRESSES_BENDING, /* 5: of those of a plate the bending moment and the shear force */
    PHX_STRESSES_EDGE,    /* 3: on an edge of a plate, n outward, t to its left: the shear force with the change of the
                             twisting moment, q_n - dM_nt/dt, that acts on the plate along z, N/m; bending moment nn nt,
                             N m/m; at no nodes */
    PHX_STRESSES_CORNER,  /* 1: the force that acts on a corner of a plate along z, N; at no nodes */
    PHX_STRESS_SETS
} phx_stress_set;
enum { PHX_STRESSES_MOST = 14 };
enum { PHX_STRAIN_LOADS_MOST = 64 }; /* initial strains of a source */
/* A part of a set of stresses that has a name of its own. */
typedef struct phx_stress_field {
    const char *name;       /* "bending_moment" */
    const char *unit;       /* "N m/m" */
    const char *components; /* "xx|yy|xy" */
    int first, count;       /* its components in the set */
} phx_stress_field;
/* "solid", "plate", "bending", "" of none; the set of a name, none of an unknown one. */
const char *phx_stress_set_name(phx_stress_set set);
phx_stress_set phx_stress_set_named(const char *name);
/* The fields of a set, `count` of them, and its components altogether. */
const phx_stress_field *phx_stress_fields(phx_stress_set set, int *count);
int phx_stress_components(phx_stress_set set);
/* One of them by its name; NULL: there is none. */
const phx_stress_field *phx_stress_field_named(phx_stress_set set, const char *name);

/* The six stresses xx yy zz xy yz zx -> von Mises; principal ones, descending. */
double phx_von_mises(const double stress[6]);
void phx_principal_stresses(const double stress[6], double principal[3]);
/* The six stresses that a set holds, one after the other: those of a solid; of a plate those of the upper and of the
 * lower surface. Returns their number, 2 at most. */
int phx_stress_states(phx_stress_set set, const double *stress, double (*state)[6]);

/* The stresses without products of q, linear functions of it: with geometric stiffening of a plate its bending, of a
 * solid nothing. */
phx_stress_set phx_flex_source_stresses(const phx_flex_source *source);
/* Initial strains (temperatures) whose factors these stresses depend on besides: they are linear functions of both. */
int phx_flex_source_strains(const phx_flex_source *source);
/* stresses = rows (q, factors): at a location, its components x (n + strains); at the nodes of a port their mean. Of a
 * node the mean over its elements. PHX_ERR_ARGUMENT: the source has none, or no such point. */
phx_status phx_flex_source_stress_rows(const phx_flex_source *source, phx_context *context,
                                       const phx_location *location, double *rows);

/* Stresses by all that they depend on: q; the products q_a q_b of strains of second order (geometric stiffening); the
 * factors of initial strains (temperatures). stresses = rows (q, products, factors). */
typedef struct phx_stress_map {
    phx_stress_set set;
    int points;
    int n, n_pairs, n_strains; /* columns of each of the three */
    int *pair;                 /* n_pairs x 2: a <= b */
    double *rows;              /* points x components x columns */
} phx_stress_map;
static inline int phx_stress_map_columns(const phx_stress_map *map)
{
    return map->n + map->n_pairs + map->n_strains;
}
void phx_stress_map_free(phx_stress_map *map); /* NULL is allowed */
/* Those of phx_flex_source_stresses at all nodes, without products. */
phx_status phx_flex_source_nodal_stresses(const phx_flex_source *source, phx_context *context, phx_stress_map *map);
/* The set of such a map. */
phx_stress_set phx_flex_source_all_stresses(const phx_flex_source *source);
/* At a location, as phx_flex_source_stress_rows; NULL: at all nodes. set: the one above, or of a plate those of its
 * edges and corners, at a location. */
phx_status phx_flex_source_stress_map(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                                      const phx_location *location, phx_stress_map *map);

/* ---- beams ---- */
/* How well a beam in modes, with stiffening, holds the beam that it is made of. */
typedef struct phx_modes_quality {
    int modes, followers; /* its coordinates: modes, then shapes that follow them */
    double pulled;        /* largest relative error of the first frequencies, half as many as modes, under an axial pull
                             three times the buckling load of the reference condition: an estimate */
} phx_modes_quality;
/* Of such a beam; NULL: of another source. */
const phx_modes_quality *phx_beam_modes_quality(const phx_flex_source *source);

/* The beam of elements or assumed modes that a source is a basis of, or is: without pulled places and basis, with its
 * masses. NULL: of another source. */
const phx_beam_def *phx_beam_definition(const phx_flex_source *source);
/* The columns of that basis, q of the beam = T q of the source: T is *n x the coordinates of the source, row-major,
 * allocated; the unit matrix of the beam itself. PHX_ERR_ARGUMENT: of another source. */
phx_status phx_beam_columns(phx_context *context, const phx_flex_source *source, int *n, double **T);

/* Of the modes of a beam in a Craig-Bampton basis; NULL: of another source, or there are none. */
const phx_effective_mass *phx_beam_effective_mass(const phx_flex_source *source);

/* Stations along a length: structs of `size` bytes that begin with their place, a fraction, ascending from 0 to 1, two
 * at least; two at one place are a step. The place of station k; the station at or before s, and how far s is on the
 * way from there to the next, 0 to 1. */
double phx_station_place(const void *stations, size_t size, int k);
int phx_station_before(int count, const void *stations, size_t size, double s, double *part);
/* Point at a fraction s in [0,1] of the length, else PHX_ERR_ARGUMENT; free with phx_flex_point_free. A fraction within
 * rounding of a node is taken as the node. */
phx_status phx_beam_point(const phx_beam *beam, phx_context *context, double s, phx_flex_point *point);
/* phx_flex_source_section_rows at a fraction s of what is known to be a beam. */
void phx_beam_stress_rows(const phx_beam *beam, double s, double *axial, double *moment, double *torsion);

/* ---- what makes a source ---- */
/* The operations of a kind of source. */
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
    int (*cubic_pieces)(const phx_flex_source *source); /* NULL: 0 */
    /* Of a beam by itself: what it is made of. Of a source that is made of a beam: that beam, in its coordinates. Else
     * NULL both. */
    const phx_beam_def *(*definition)(const phx_flex_source *source);
    const phx_flex_source *(*beam)(const phx_flex_source *source);
    /* Of a source with stresses at nodes, else NULL; see phx_flex_source_stresses. `location` NULL: all nodes. */
    phx_stress_set (*stresses)(const phx_flex_source *source);
    int (*strains)(const phx_flex_source *source); /* NULL: 0 */
    phx_status (*stress_rows)(const phx_flex_source *source, phx_context *context, const phx_location *location,
                              double *rows);
    int (*stress_nodes)(const phx_flex_source *source);
    /* The columns of all that the stresses depend on: everything of the map but `points`, `set` and `rows`; and the
     * rows. NULL: q alone. */
    phx_status (*stress_columns)(const phx_flex_source *source, phx_context *context, phx_stress_map *map);
    phx_status (*stress_map_rows)(const phx_flex_source *source, phx_context *context, phx_stress_set set,
                                  const phx_location *location, double *rows);
} phx_source_operations;

/* First member of every source. */
struct phx_flex_source {
    const phx_source_operations *operations;
    int shares; /* owners beside the first */
    phx_flex flex;
};

/* Arrays of a point that moves on the coordinates 0 .. n - 1; on failure the point is empty. */
phx_status phx_flex_point_allocate(phx_context *context, int dim, int n, phx_flex_point *point);
/* Allocate all arrays of `flex`, with dim and n set, on the full pattern or on that of a diagonal. */
phx_status phx_flex_allocate(phx_context *context, bool full, phx_flex *flex);
/* K = diag(omega^2) of modes, and its root diag(omega), which also serves as stresses. */
phx_status phx_flex_modal_stiffness(phx_context *context, const double *omega, phx_flex *flex);
/* ---- filling a phx_flex ---- */
/* Allocate the arrays of `flex`, with dim and n set, except pattern and matrices. */
phx_status phx_flex_allocate_vectors(phx_context *context, phx_flex *flex);
/* Allocate M, A, Q and, when wanted, K for the pattern ptr, idx that is already there. */
phx_status phx_flex_allocate_matrices(phx_context *context, phx_flex *flex, bool stiffness);
/* Allocate the arrays of `stiffening` over strains and products, but not those of the stress vector; set n_strain. */
phx_status phx_stiffening_allocate(phx_context *context, int n_strain, int n_product, phx_flex_stiffening *stiffening);
/* Fills what is the same in every basis of n coordinates: stiffness 1, slope a is coordinate a, each strain has all. */
phx_status phx_stiffening_in_basis(phx_context *context, int n, int n_slope, phx_flex_stiffening *stiffening);
phx_status phx_stiffening_copy(phx_context *context, const phx_flex_stiffening *from, phx_flex_stiffening **copy);
void phx_stiffening_destroy(phx_flex_stiffening *stiffening); /* NULL is allowed */
/* ---- strains of second order in a basis (second_order.c) ----
 * Of k coordinates, products of the first n_slopes: each strain of stiffness 1 is a row (z, y), y q + z m with
 * m_ab = q_a q_b, a <= b, half of it where a = b. Rows come as they are found, the triangle of all is kept. */
typedef struct phx_strain_triangle {
    int n_slopes, k;
    int cols, rows, most;
    double *value, *R; /* most x cols; cols x cols */
} phx_strain_triangle;
/* The products q_a q_b, a <= b, of so many coordinates: (0, 0), (0, 1), ... (1, 1), ... */
static inline int phx_strain_pairs(int count)
{
    return count * (count + 1) / 2;
}
/* at_once: most rows that come together. */
phx_status phx_strain_triangle_create(phx_context *context, int n_slopes, int k, int at_once,
                                      phx_strain_triangle *triangle);
void phx_strain_triangle_free(phx_strain_triangle *triangle);
/* second: count x pairs; first: count x k. */
phx_status phx_strain_triangle_append(phx_context *context, int count, const double *second, const double *first,
                                      phx_strain_triangle *triangle);
/* The strains with the energy of all rows so far, as many as there are products at most. The caller frees them as
 * phx_flex_free does. */
phx_status phx_strain_triangle_finish(phx_context *context, phx_strain_triangle *triangle, phx_flex_stiffening **made);
/* The strains of `full` in the coordinates eta, q = T eta (k columns), so compressed: phx_flex_project. */
phx_status phx_stiffening_project(phx_context *context, const phx_flex_stiffening *full, int k, const double *T,
                                  phx_flex_stiffening **made);
/* M <- the mass matrix of the undeformed body over (v, w, q_dot), dense, row-major, from zeros. */
void phx_flex_mass_matrix(const phx_flex *flex, double *M);
/* sqrt(K_kk / M_kk): the circular frequency of coordinate k by itself, rad/s. */
double phx_flex_frequency(const phx_flex *flex, int k);
/* Index of entry (row, col) of the pattern. The entry exists. */
int phx_flex_entry(const phx_flex *flex, int row, int col);
/* Adds a mass at a point, given in the coordinates of `flex`, to all integrals: kg; kg m^2 about the point (plane: 1
 * value; space: 3 x 3 row-major). The pattern holds all products of the coordinates of the point. */
phx_status phx_flex_add_mass(phx_context *context, const phx_flex_point *point, double mass, const double *inertia,
                             phx_flex *flex);

/* A load that keeps its direction in the body's frame and its distribution: what it does by its factor 1, with the
 * deformation q: resultant `force`, moment about the frame's origin `moment` + `turning` q, on the coordinates `modal`
 * - S q: S is the geometric stiffness of the stresses of a temperature. */
typedef struct phx_flex_load {
    int n;
    double force[3], moment[3];
    double *turning; /* 3 x n */
    double *modal;   /* n */
    int n_stressed;  /* S is of the first so many coordinates; 0: zero */
    double *S;       /* n_stressed x n_stressed, symmetric */
    int strain;      /* 1 + number of the initial strain of the source whose factor is that of the load; 0: none */
} phx_flex_load;
void phx_flex_load_free(phx_flex_load *load);
phx_status phx_flex_load_allocate(phx_context *context, int n, int n_stressed, phx_flex_load *load); /* zeros */

/* ---- archives ---- */
void phx_flex_point_archive(phx_archive *archive, int dim, phx_flex_point *point);
void phx_flex_load_archive(phx_archive *archive, phx_flex_load *load);
void phx_flex_archive(phx_archive *archive, phx_flex *flex);
/* A deformation; what is read is a source that has nothing but that, allocated. */
void phx_flex_source_archive(phx_archive *archive, const phx_flex *written, phx_flex_source **read);

enum { PHX_GAUSS_MAX = 8 }; /* points of a Gauss rule */

/* Gauss rule on [0,1], exact to degree 2*count-1; 1 <= count <= PHX_GAUSS_MAX. */
void phx_gauss(int count, double *point, double *weight);
/* Number of Gauss points that integrate polynomials of this degree exactly. */
static inline int phx_gauss_count(int degree)
{
    return degree / 2 + 1;
}

/* ---- the matrices of a deformation ---- */
/* Frees the arrays, which malloc and its like have made, and zeroes the fields; NULL is allowed. */
void phx_flex_free(phx_flex *flex);
/* Fills `compact` from the matrices as they are. PHX_ERR_MEMORY. */
phx_status phx_flex_make_compact(phx_context *context, phx_flex *flex);

/* ---- other bases ---- */
/* The body in the coordinates eta of a basis, q = T eta with T n x k, row-major, of full rank, 1 <= k <= n: every
 * integral, K, stress, root and the strains of geometric stiffening, on a full pattern. The stress vector keeps its
 * rows. `flex` is filled and owned by the caller. With stiffening T needs columns that stretch the axis as the others
 * shorten it, or the body is too stiff; such columns, without slopes, stand last. Errors: PHX_ERR_ARGUMENT (k),
 * PHX_ERR_UNSUPPORTED for stiffening with more than PHX_STRAIN_SLOPES columns that have slopes, PHX_ERR_MEMORY. */
phx_status phx_flex_project(phx_context *context, const phx_flex *full, int k, const double *T, phx_flex *flex);
/* A point in the coordinates of the basis; `point` is filled and owned by the caller. */
phx_status phx_flex_point_project(phx_context *context, int dim, const phx_flex_point *full, int k, const double *T,
                                  phx_flex_point *point);
/* A source over another one, of which it takes a share: its points, stresses and quadrature are those of the other. */
phx_status phx_flex_source_project(phx_context *context, phx_flex_source *full, int k, const double *T,
                                   phx_flex_source **source);
/* The lowest `count` normal modes under the reference conditions, K T = M T diag(omega^2), T^T M T = I, 1 <= count <=
 * n: omega (count, rad/s, ascending), T (n x count, row-major). The first of the largest entries of a mode is positive.
 * Dense: PHX_ERR_UNSUPPORTED above 4000 coordinates. PHX_ERR_ARGUMENT (count), PHX_ERR_MEMORY, PHX_NOT_CONVERGED. */
phx_status phx_flex_normal_modes(phx_context *context, const phx_flex *flex, int count, double *omega, double *T);
/* The source in its lowest `count` normal modes: M = I, K = diag(omega^2). Of a beam with geometric stiffening these
 * are the first coordinates; behind them, orthogonal to them in K and not in M, come axial shapes that follow: those
 * that axial inertia loads and axial forces at P and C make, and static modal derivatives of pairs of modes, which take
 * the strains of second order away. Errors of the two above. */
phx_status phx_flex_source_modes(phx_context *context, phx_flex_source *full, int count, phx_flex_source **source);

#endif

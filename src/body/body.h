/* Layer body, for the other layers of the library: what the interconnection asks of a body. */
#ifndef PHX_BODY_BODY_H
#define PHX_BODY_BODY_H

#include "fe/fe.h"
#include "port/port.h"

#include <phlexor/body.h>

/* Mass properties of an undeformed body about the origin of its first frame, in the axes of that frame: mass, first
 * moment, moments of inertia in the order 11 | 11 22 33 12 13 23. */
typedef struct phx_mass_properties {
    double mass, s0[3], J0[PHX_MAX_PAIR];
} phx_mass_properties;

const char *phx_body_kind(const phx_body *body);   /* "floating body": for messages */
const char *phx_body_beyond(const phx_body *body); /* why its forces may be no numbers, with the remedy; NULL */
/* Written, or read and allocated; `flex`: its deformation, which is another part of the archive (NULL: rigid).
 * PHX_ERR_UNSUPPORTED names a body of a kind that has no row in the table of archive.c. */
void phx_body_archive(phx_archive *archive, const phx_flex *flex, phx_body **body);
/* A body whose numbers are sums of weight times those of n alike: so are its momenta and, if *residual, its residual
 * over an interval. NULL: the equations of this kind are not linear in its numbers. PHX_ERR_UNSUPPORTED: not alike. */
phx_status phx_body_sum(phx_context *context, int n, const phx_body *const *bodies, const double *weight,
                        phx_body **sum, bool *residual);
int phx_body_dim(const phx_body *body);
/* Its moving frames, the first at 0 of x and v; the number. Its coordinates beside them: where they are in x, their
 * rates in v, their number n_q (without places along its curve). Pointers may be NULL. */
int phx_body_frames(const phx_body *body, const phx_body_frame **frames);
int phx_body_coordinates(const phx_body *body, int *x, int *v);
/* Attitude of its first frame, or of the axes that a body without frames has (kind.h). */
void phx_body_attitude(const phx_body *body, const double *x, double *R);
bool phx_body_floats(const phx_body *body);              /* one frame, coordinates in its axes */
bool phx_body_vectors(const phx_body *body);             /* its coordinates are inertial vectors, three numbers each */
bool phx_body_is_direction(const phx_body *body, int i); /* coordinate i is of a vector that is no place */
bool phx_body_deforms(const phx_body *body);             /* it has more velocities than a rigid body */
int phx_body_n_stress(const phx_body *body);
const phx_mass_properties *phx_body_at_rest(const phx_body *body);
bool phx_body_is_lossless(const phx_body *body); /* no damping, full kinetics */
bool phx_body_balances(const phx_body *body);    /* full kinetics: what it loses is booked */
/* Of a floating body, with places along it or not, where a rigid one has n = 0; NULL: the body is of another kind. */
const phx_flex *phx_body_flex(const phx_body *body);
/* Of a body with an elastic energy 1/2 |B q|^2 = 1/2 q^T K q: B (NULL: none, or another energy); K over q, whose arrays
 * are the body's (false: none, or another energy). */
const phx_csr *phx_body_elastic_root(const phx_body *body);
bool phx_body_stiffness(const phx_body *body, phx_csr *K);

/* Attitude part of x (dim 2: 3 values, dim 3: 9) from a rotation (dim x dim) and, in the plane, an angle. */
int phx_attitude_size(int dim);
void phx_attitude_set(int dim, const double *rotation, double angle, double *attitude);
static inline void phx_attitude_rotation(int dim, const double *attitude, double *rotation)
{
    if (dim == 2) {
        rotation[0] = rotation[3] = attitude[0];
        rotation[1] = -attitude[1];
        rotation[2] = attitude[1];
    } else {
        for (int i = 0; i < 9; i++)
            rotation[i] = attitude[i];
    }
}

/* A body over an interval; at an instant the ends coincide (same pointers allowed) and h = 0. `xm` holds the means of
 * r, R, q (attitude part: mean of the direction cosines, not a rotation). */
typedef struct phx_products phx_products;
typedef struct phx_body_view {
    double h;
    const double *x0, *x1, *xm;
    const double *v0, *v1, *vm;
    phx_products *products; /* of an interval, made by phx_body_products_create; NULL at an instant and in batches */
} phx_body_view;

/* p = M(q) nu, p in the order of nu. */
void phx_body_momenta(const phx_body *body, const double *x, const double *v, double *p);
/* M(q) as dense n_v x n_v. */
void phx_body_mass_matrix(const phx_body *body, const double *x, double *mass);
/* Inertia against rigid motions, dim + n_rot square: | m I  -[s]x; [s]x  J |. */
void phx_body_rigid_mass(const phx_body *body, const double *x, double *mass);
/* x_dot = T(x) v. */
void phx_body_rates(const phx_body *body, const double *x, const double *v, double *x_dot);
/* The undeformed configuration, the first frame at the origin. */
void phx_body_rest(const phx_body *body, double *x);
/* Move the body, as it is deformed, rigidly to where its first frame has this place and attitude (rotation: space, dim
 * x dim; angle: plane). */
void phx_body_place(const phx_body *body, const double *position, const double *rotation, double angle, double *x);
/* x <- x (+) factor xi, xi over the velocities: r += R dr, R <- R cay(dphi) of every frame, q += dq. */
void phx_body_displace(const phx_body *body, double factor, const double *xi, double *x);
/* The same of the rigid motion that displaces the first frame by factor twist. */
void phx_body_displace_rigidly(const phx_body *body, double factor, const double *twist, double *x);
/* The xi of a change dx: (R^T dr, skew part of R^T dR) of every frame, dq. */
void phx_body_tangent(const phx_body *body, const double *x, const double *dx, double *dxi);
/* Attitudes made rotations again; plane: those of the angles. */
void phx_body_normalise(const phx_body *body, double *x);
/* Velocities of a rigid motion, v = T twist with the twist (v, w) of the first frame; wrench = T^T p of generalised
 * forces or momenta p. */
void phx_body_rigid_motion(const phx_body *body, const double *x, const double *twist, double *v);
void phx_body_rigid_force(const phx_body *body, const double *x, const double *p, double *wrench);
/* The same of the inertial velocity of the first frame's origin and an inertial angular velocity. */
void phx_body_rigid_velocities(const phx_body *body, const double *x, const double *linear, const double *angular,
                               double *v);
/* Instant: res = d/dt (M nu) - inertial, elastic, dissipative and gravity forces, with the acceleration v_dot. */
void phx_body_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                       const double *v_dot, double *res);
/* Values at the start of an interval that one body keeps. NULL when there is no memory. `room`:
 * phx_body_room numbers of scratch that bodies evaluated one after the other may share; NULL: room of its own. */
phx_products *phx_body_products_create(phx_context *context, const phx_body *body, double *room);
void phx_body_products_destroy(const phx_body *body, phx_products *products); /* NULL is allowed */
size_t phx_body_room(const phx_body *body);
/* Other scratch from now on, of products that were made with some. */
void phx_body_products_share(const phx_body *body, phx_products *products, double *room);
/* Begin an interval of length h at (x0, v0). */
void phx_body_interval_begin(const phx_body *body, double h, const double *x0, const double *v0,
                             phx_products *products);
/* Interval: res = (p1 - p0)/h - mean forces, the view's products from phx_body_interval_begin. Exact: h vm.res = change
 * of kinetic, elastic and gravity energy plus the energy that R dissipates. */
void phx_body_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view, double *res);
/* Move the configuration: x1 = x0 (+) h vm with the Cayley map. Writes x1 and the means xm. low0, low1 (n_x): rounding
 * errors of x0 and x1 (compensated summation). */
void phx_body_move(const phx_body *body, double h, const double *x0, const double *low0, const double *vm, double *x1,
                   double *low1, double *xm);
/* The same to rounding, faster: for ends that a Newton iteration tries. */
void phx_body_try(const phx_body *body, double h, const double *x0, const double *low0, const double *vm, double *x1,
                  double *low1, double *xm);

/* Energies at an instant, J. Potential: gravity, zero at the inertial origin. */
double phx_body_kinetic(const phx_body *body, const double *x, const double *v);
/* Kinetic and elastic energy, potential of gravity, J: the numbers of the three functions. */
typedef struct phx_body_energies {
    double kinetic, elastic, potential;
} phx_body_energies;
void phx_body_energies_of(const phx_body *body, const double *gravity, const double *x, const double *v,
                          phx_body_energies *energies);
double phx_body_kinetic_undeformed(const phx_body *body, const double *v); /* 1/2 nu^T M(0) nu */
double phx_body_elastic(const phx_body *body, const double *x);
double phx_body_potential(const phx_body *body, const double *gravity, const double *x);
/* R = beta K + W^T W + rest on fine meshes, where the power of the first two is summed as squares of strain rates,
 * beta |B q_dot|^2 + |W q_dot|^2. *beta, *W (n_q columns, borrowed); 0 and no rows when R is all rest. */
void phx_body_damping_roots(const phx_body *body, double *beta, const phx_csr **W);
/* Leaves of values on the body's pattern that contain R those with `rest` instead. */
void phx_body_subtract_rooted_damping(const phx_body *body, double *D);
/* Power that R dissipates, q_dot^T R q_dot; the mean power over an interval. */
double phx_body_dissipation(const phx_body *body, const double *v);
double phx_body_interval_dissipation(const phx_body *body, const phx_body_view *view);
/* Stress vector, stiffening included: n_stress values. */
void phx_body_stress(const phx_body *body, const double *x, double *sigma);
/* Derivative of row . sigma, row over the stress vector, with respect to xi: n_v values. */
void phx_body_stress_derivative(const phx_body *body, const double *x, const double *row, double *out);
/* Sections along a length of a body that has no source of deformation. Row over the stress vector of a resultant at a
 * location, in the axes of the section there. */
typedef enum phx_section_part {
    PHX_SECTION_AXIAL,   /* N_1, tension positive */
    PHX_SECTION_SHEAR_Y, /* N_2 */
    PHX_SECTION_SHEAR_Z,
    PHX_SECTION_TORSION,   /* M_1 */
    PHX_SECTION_BENDING_Y, /* EI uz'' = -M_2, as on beams */
    PHX_SECTION_BENDING_Z  /* EI uy'' = M_3 */
} phx_section_part;
bool phx_body_has_sections(const phx_body *body);
void phx_body_section_rows(const phx_body *body, const phx_location *location, phx_section_part part, double *row);
/* How many elements a body has whose ends turn against each other without limit, and the largest such turn, rad, with
 * the number of its element from 0. */
int phx_body_elements(const phx_body *body);
double phx_body_element_turn(const phx_body *body, const double *x, int *element);
/* Points that take a load per length, places of the body's frames: the load is that at the fraction, times the weight.
 */
typedef struct phx_length_point {
    phx_body_frame frame;
    double place[3];
    double fraction, weight; /* m */
} phx_length_point;
int phx_body_length_points(const phx_body *body, const phx_length_point **points);
/* Geometric stiffening: how many strains it has, 0 without it; EA l (eps(q) + eps'(q) dq) of each, N m (dq, of n_q,
 * may be NULL: zero); sum_k force_k eps_k'' added to the deformation part of a matrix n_v x n_v (row-major). */
int phx_body_strains(const phx_body *body);
void phx_body_strain_forces(const phx_body *body, const double *q, const double *dq, double *force);
void phx_body_strain_curvature(const phx_body *body, const double *force, int ld, double *matrix);
/* First moment in inertial components: mass * (place of the centre of mass). */
void phx_body_moment(const phx_body *body, const double *x, double *moment);
/* Inertial linear momentum (dim) and angular momentum about the inertial origin (n_rot). */
void phx_body_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear,
                                double *angular);

/* Linearisation on the body's pattern: n_v x n_v compressed rows, structurally symmetric, ascending columns. */
void phx_body_pattern(const phx_body *body, const int **ptr, const int **idx);
/* M(q) on that pattern into val[at[k]], k the place in the pattern; without `all` only what depends on q, in place of
 * what an earlier call with `all` left. */
void phx_body_put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val);
/* M(q), D = d res/d nu, K = d res/d xi (v_dot = 0) at an instant, on that pattern. D or K may be NULL. */
void phx_body_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                        double *D, double *K);
/* Mixed Newton of equilibria, for bodies whose stress answers displacements far more stiffly than the equilibrium does
 * (a rod along its axis). In K = d res/d xi the stress sigma (phx_body_n_free_stress numbers, 0: none) that stands in
 * the terms of finite rotations is an unknown of its own: at first that of the start, then after each correction -xi
 * that of the linear equations, sigma(x) + d sigma (-xi). The residual always has sigma(x), so the solution is the
 * same; the way there is much shorter.
 *   phx_body_free_stress: sigma at x (xi NULL), or predicted for the variation xi of x
 *   phx_body_free_linearise: K with that stress, without velocities, on the body's pattern */
int phx_body_n_free_stress(const phx_body *body);
void phx_body_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma);
void phx_body_free_linearise(const phx_body *body, const double *gravity, const double *x, const double *sigma,
                             double *K);
/* Derivative of the interval residual with respect to the mean velocity, on that pattern, after the residual; exact
 * with full kinetics. `room`: twice the pattern. */
void phx_body_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view, double *room,
                                 double *A);
/* Whether its origin is held to the ground, so that the velocity there vanishes in any axes: intervals of a rigid body
 * then turn about it. Before they are begun, and before bodies are put into batches. */
void phx_body_set_pivot(phx_body *body, bool pivots);
/* The interval is solved: v1 = 2 v_m - v0 that the iteration has found becomes the velocity at its end. It differs
 * where the velocity of the centre of mass is averaged in inertial axes, theory 4 (9). */
void phx_body_interval_finish(const phx_body *body, double h, const double *v0, double *v1);
bool phx_body_finishes(const phx_body *body); /* whether that does anything */

/* ---- variations of an interval (variation.c, theory 19) ----
 * Of each frame in its own axes (rho, theta) and of each coordinate, as xi of phx_body_displace. */
typedef enum phx_step_map {
    PHX_STEP_X,  /* xi_1 by xi_0 */
    PHX_STEP_Y,  /* xi_1 by v_m */
    PHX_STEP_E,  /* v_m by xi_0 where x_1 stays */
    PHX_STEP_V0, /* v_1 by v_0 */
    PHX_STEP_VM, /* v_1 by v_m */
    PHX_STEP_W,  /* v_0 by v_m where v_1 stays */
    PHX_STEP_B,  /* the residual by v_0 where v_m and x_0 stay, of bodies without deformations */
    PHX_STEP_MAPS
} phx_step_map;
typedef struct phx_step_maps {
    double map[PHX_STEP_MAPS][36]; /* of a frame: n_rigid square, row-major */
} phx_step_maps;
/* All but B, of an interval that is solved; v1: the velocity at its end. One of each frame. */
void phx_body_step_maps(const phx_body *body, const phx_body_view *view, phx_step_maps *maps);
/* out += alpha times a map of the whole body, all but B, or its transpose. */
void phx_body_step_apply(const phx_body *body, const phx_step_maps *maps, double h, phx_step_map which, bool transposed,
                         double alpha, const double *in, double *out);
/* B, and its application; leaves the products of the view at another start. room: n_x + 6 n_v. */
void phx_body_start_maps(const phx_body *body, const double *gravity, const phx_body_view *view, double *room,
                         phx_step_maps *maps);
void phx_body_start_apply(const phx_body *body, const phx_body_view *view, const phx_step_maps *maps, bool transposed,
                          double alpha, const double *in, double *out, double *room);
/* slope += d/dxi (a^T M(x) b), over the velocities; (dM/dxi xi) b into p. Zero but for bodies that deform in moving
 * frames. room: n_x + n_v. */
void phx_body_mass_slope(const phx_body *body, const double *x, const double *a, const double *b, double *slope);
void phx_body_momenta_slope(const phx_body *body, const double *x, const double *xi, const double *b, double *p,
                            double *room);

/* Structure matrix of the body's pH form at (x, v), dense skew, for the certificate:
 * canonical: state (r, attitude cosines, q, p), x' = J dH; modified: the paper's (12) with modified momenta. Size
 * n = dim + dim*dim + n_q + n_v. Returns J as n x n row-major. */
int phx_body_structure_size(const phx_body *body);
typedef enum phx_structure_form { PHX_STRUCTURE_CANONICAL, PHX_STRUCTURE_MODIFIED } phx_structure_form;
void phx_body_structure(const phx_body *body, phx_structure_form form, const double *x, const double *v, double *J);
/* The efforts z that belong to it: dH/d(state) (canonical) or z of eq. 12 (modified; velocities instead of momenta). */
void phx_body_efforts(const phx_body *body, phx_structure_form form, const double *gravity, const double *x,
                      const double *v, double *z);

/* ---- numerical damping of intervals (floating/filter.c) ---- */
typedef struct phx_filter phx_filter;
/* Of a body that deforms, with the spectral radius 0 <= radius < 1 of what a step does not resolve; *filter NULL: the
 * body has no deformation. PHX_ERR_UNSUPPORTED for simplified kinetics. */
phx_status phx_filter_create(phx_context *context, const phx_body *body, double radius, phx_filter **filter);
void phx_filter_destroy(phx_filter *filter); /* NULL is allowed */
/* A trial of length h begins. */
void phx_filter_begin(phx_filter *filter, double h);
/* Adds to the residual of the interval, to its derivative on the body's pattern. */
phx_status phx_filter_residual(phx_filter *filter, const phx_body_view *view, double *res);
void phx_filter_linearise(const phx_filter *filter, double h, double *A);
/* Ends a solved interval: v1 becomes the velocity at its end. lost: the energy that the body has dissipated, J, the
 * change of the energy stored in the filter included. */
phx_status phx_filter_finish(phx_filter *filter, const phx_body_view *view, double *v1, double *lost);
/* The trial that was finished last is accepted. */
void phx_filter_keep(phx_filter *filter);
void phx_filter_copy(phx_filter *filter, const phx_filter *from);  /* the memories */
void phx_filter_archive(phx_archive *archive, phx_filter *filter); /* the same */

/* ---- ports ---- */
/* The sorts of location that the body itself knows (phx_location_bit); 0: its source does, or its only frame has
 * places. The frame and point of a location of such a sort; the port is empty before. PHX_ERR_ARGUMENT for another sort
 * and for a location outside the body. */
unsigned phx_body_location_sorts(const phx_body *body);
phx_status phx_body_locate(const phx_body *body, phx_context *context, const phx_location *location,
                           phx_body_port *port);
/* A port at an inertial vector, which has no directions; the attitude of the frame of a port, for a vector the inertial
 * axes. */
bool phx_body_port_is_vector(const phx_body *body, const phx_body_port *port);
void phx_body_port_attitude(const phx_body *body, const phx_body_port *port, const double *x, double *R);
/* Its velocities: how many there are; which (room for all of the body) into cols, or NULL. */
int phx_body_port_columns(const phx_body *body, const phx_body_port *port, int *cols);
/* Evaluate a port over an interval. */
void phx_body_port_view(const phx_body *body, const phx_body_port *port, const phx_body_view *view, phx_port_view *out);
/* The same when only the end of the interval has moved since `out` was evaluated. */
void phx_body_port_view_end(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            phx_port_view *out);
/* Ports of rigid bodies at an instant, of their views only what POINT and DOT rows read: u_1 and the rate of the place,
 * with `frame` also R_1 and w; dim and straight are set before. */
typedef struct phx_rigid_port {
    const double *point;        /* in body axes, borrowed */
    const phx_port_view *fixed; /* on the ground: its view is copied; else NULL */
    int x, v;                   /* where the state of the body is in x and v */
    bool frame;
} phx_rigid_port;
void phx_body_view_rigid(int dim, int n, const phx_rigid_port *ports, const double *x, const double *v,
                         phx_port_view *views);
/* res += alpha P^T effort (rows of the body), P: nu -> rate at the mean state. */
void phx_body_port_apply(const phx_body *body, const phx_body_port *port, const phx_body_view *view, double alpha,
                         const double *effort, double *res);
/* The effort without the entry of a wheel, in `room` where the port has one. */
static inline const double *phx_body_port_without_wheel(const phx_body_port *port, const double *effort,
                                                        double room[PHX_PORT_MAX])
{
    if (!port->wheel || !effort)
        return effort;
    memcpy(room, effort, PHX_PORT_MAX * sizeof *room);
    room[port->wheel_entry] = 0.0;
    return room;
}
/* A port with columns beside those of a point: it slides, or it has a wheel, whose column is its last. */
static inline bool phx_body_port_is_wide(const phx_body_port *port)
{
    return port->slides || port->wheel;
}
/* P as columns: n_cols local columns of nu (dim + n_rot + point.n; listed in cols, room for that many, or NULL) and the
 * phx_port_size x n_cols row-major matrix (leading dimension n_cols). */
int phx_body_port_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *cols,
                           double *P);
/* The rows of the place in P, dim x n_cols; in those of w P has the identity at w, in those of theta_dot the point's
 * theta at q. */
void phx_body_port_place_jacobian(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                                  double *P);
/* Derivatives with respect to xi. Over an interval they are those with respect to the mean velocity, divided by h/2,
 * exactly: xi is h/2 times its variation. At an instant xi is the variation of the place, of the frame and of q. All
 * matrices are row-major and overwritten, those that are NULL are left out; n = n_cols. */
typedef struct phx_port_tangents {
    double *place; /* phx_body_port_place_jacobian */
    /* Of the rate P nu at fixed nu: dim x (n - dim), rows of the place, columns of w and q; the others vanish. */
    double *rate;
    /* Variation of the frame, dR_m = R1 [turn dphi]x: n_rot x n_rot. With it the variation of the port is P xi with
     * h/2 `rate` added in the rows of the place and `turn` in place of the identity. */
    double *turn;
    /* Of P^T effort at fixed effort: columns of w, n x n_rot; columns of q, n_rot x point.n, in the rows of w. Both are
     * needed where an effort is given. */
    double *turns, *bends;
} phx_port_tangents;
/* Those derivatives in one pass. effort: phx_port_size, or NULL for none of its derivatives. */
void phx_body_port_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                            const double *effort, const phx_port_tangents *out);

/* ---- places along a curve (sliding/sliding.h, docs/theory-sliding.md) ---- */
/* One place more, from 0 at P to the length at C, along the curve of *body, which deforms by `source` (NULL: none): a
 * coordinate without mass behind all others. *body becomes a body with places, which owns the one before. A port with
 * `slides` equal to the number of the place, from 1, moves along the curve with it. PHX_ERR_UNSUPPORTED, with name and
 * reason, for a body without a curve. */
phx_status phx_body_add_place(phx_context *context, const phx_flex_source *source, phx_body **body);
void phx_body_drop_place(phx_body *body); /* the last one, of a body that has one */
/* One place more that is the turn of a wheel of this inertia (0: none), kg m^2, kg or what its unit makes it, by whose
 * rate alone it has energy. A port with `wheel` equal to its number has its rate beside those of the point. */
phx_status phx_body_add_wheel(phx_context *context, double inertia, double gear, phx_body **body);
/* Of place number `place`, from 1: its inertia; `gear` as given, the coordinate of a joint over its turn, 0 of a place
 * that is no wheel. */
double phx_body_wheel_inertia(const phx_body *body, int place);
double phx_body_wheel_gear(const phx_body *body, int place);
/* The body itself, or the body that one with places wraps, whose velocities and pattern come first in it. */
const phx_body *phx_body_inside(const phx_body *body);
/* Where its places are in x, their rates in v (may be NULL); their number. */
int phx_body_places(const phx_body *body, int *x, int *v);
double phx_body_curve_length(const phx_body *body); /* of a body with places, m; else 0 */
/* Moves the places alone over an interval, as phx_body_move all of the body. */
void phx_body_move_places(const phx_body *body, double h, const double *x0, const double *low0, const double *vm,
                          double *x1, double *low1, double *xm);
/* Which of its columns (phx_body_port_columns) a port that slides depends on over the interval, those of the elements
 * that it passes, ascending, its place last; their number. Room for all of them. */
int phx_body_port_active(const phx_body *body, const phx_body_port *port, const phx_body_view *view, int *active);
/* Whether there is a place that depends on both of two columns of a port; true of a port that does not slide. */
bool phx_body_port_meets(const phx_body *body, const phx_body_port *port, int one, int other);
/* Derivatives of a port that slides; NULL: not wanted. All overwritten. */
typedef struct phx_slide_derivatives {
    double *P; /* as phx_body_port_jacobian, phx_port_size x n */
    double *T; /* of the rate P nu at fixed nu, phx_port_size x n: the port's means vary by (P + h/2 T) xi */
    double *K; /* of P^T effort at fixed effort (needed for it alone), n x n */
} phx_slide_derivatives;
/* Over the n_active columns `active` (phx_body_port_active), n of them; NULL: over all columns. */
void phx_body_port_slide_tangents(const phx_body *body, const phx_body_port *port, const phx_body_view *view,
                                  int n_active, const int *active, const double *effort,
                                  const phx_slide_derivatives *out);

/* ---- rods (rod/rod.h, docs/rods.md) ---- */
enum {
    PHX_ROD_GAUSS = 6,   /* points of an element at which its section is asked for */
    PHX_ROD_SECTION = 36 /* entries of a matrix over (N1 N2 N3 M1 M2 M3) or (v1 v2 v3 w1 w2 w3) */
};
/* Points and weights of an element in [0, 1]. */
void phx_rod_gauss(double *point, double *weight);

/* A mass at a node, its inertia about it in the axes of its section (plane: [0]). */
typedef struct phx_rod_mass {
    int node; /* from 0 */
    double mass, inertia[9];
} phx_rod_mass;

/* A rod at rest: its nodes, the axes of their sections (columns; the first along the rod), the lengths of its elements
 * along the curve and its sections at the Gauss points of each. Compliance (N1 N2 N3 M1 M2 M3) -> (Gamma, K), which may
 * be singular in the shears, and mass per length against (v, w) of the section's axes are 6 x 6 in the plane too, where
 * only the entries of its three motions count. Everything is copied. */
typedef struct phx_rod_def {
    const char *name;
    int dim, elements;
    const double *place;      /* (n + 1) x dim */
    const double *axes;       /* (n + 1) x dim x dim */
    const double *length;     /* n */
    const double *compliance; /* n x PHX_ROD_GAUSS x 36 */
    const double *mass;       /* n x PHX_ROD_GAUSS x 36 */
    double damping;           /* s: Kelvin-Voigt, stress + damping * C strain rate */
    int n_masses;
    const phx_rod_mass *masses;
} phx_rod_def;

/* PHX_ERR_ARGUMENT, with the name, for values that make no rod, and for more than 120 degrees between two nodes. */
phx_status phx_rod_create(phx_context *context, const phx_rod_def *def, phx_body **body);
/* The lowest torsional frequency, rad/s, of a straight clamped rod of its first section and its length; 0 of bodies
 * that are no rods in space. */
double phx_rod_twist(const phx_body *body);

/* ---- bodies of vectors: shells and solids of large displacement (vectors/vectors.h) ----
 * The unknowns are vectors in inertial axes: places and, of shells, directors (unit at rest). A set of them may be
 * tied: it is then rigid and moves as one frame. A body without ties has no frame. */
typedef enum phx_vector_element { PHX_VECTOR_Q9, PHX_VECTOR_T6, PHX_VECTOR_TET10, PHX_VECTOR_HEX27 } phx_vector_element;

enum {
    PHX_VECTOR_NODES = 27,  /* of an element at most */
    PHX_VECTOR_POINTS = 27, /* integration points of an element at most */
    PHX_SHELL_STRAINS = 8,  /* (e11 e22 2e12 k11 k22 2k12 g1 g2) */
    PHX_SOLID_STRAINS = 6   /* (e11 e22 e33 2e23 2e13 2e12) */
};

/* Of an element kind: its nodes, its integration points, its strains at each.
 * Order of the nodes: Q9 and Hex27 by lines, i + 3 j (+ 9 k) with i along r, j along s, k along t;
 * T6: corners 1 2 3, then the middles of 12 23 31;  Tet10: corners 1 2 3 4, then the middles of 12 23 31 14 24 34.
 * r x s of a shell points to its upper side, as the directors do. */
int phx_vector_nodes(phx_vector_element element);
int phx_vector_points(phx_vector_element element);
int phx_vector_strains(phx_vector_element element);

/* A region: section of a shell, material of a solid. */
typedef struct phx_vector_section {
    double stiffness[64]; /* shell: 8 x 8, (N11 N22 N12 M11 M22 M12 Q1 Q2) by its strains, 5/6 of the shears included;
                             solid: the first 36, 6 x 6, second Piola-Kirchhoff stress by its strains */
    double mass;          /* shell: per area, kg/m^2; solid: per volume, kg/m^3 */
    double inertia;       /* shell: of the directors per area, rho h^3/12, kg */
    double director;      /* shell: stiffness of the director's length, E h, N/m */
} phx_vector_section;

/* A rigid set. Its frame has the body's axes at rest and its origin at `origin`; that of the first tie is the first
 * frame of the body. Its mass must not vanish, and its vectors must not be parallel to one line. A tie of places
 * without their directors is a hinge along them. */
typedef struct phx_vector_tie {
    const char *name; /* a location of the body, PHX_LOCATION_NAME; for messages */
    double origin[3];
    int n_places, n_directors;
    const int *places, *directors; /* from 0; each in one tie at most */
} phx_vector_tie;

/* A mass at a place: of a tie, with its inertia (about the place, body axes at rest); else without inertia. */
typedef struct phx_vector_mass {
    int place;
    double mass, inertia[9];
} phx_vector_mass;

/* All numbers count from 0. Everything is copied. */
typedef struct phx_vector_def {
    const char *name;
    int n_places, n_directors, n_elements; /* n_directors 0: a solid */
    const double *place;                   /* n_places x 3, m, body axes */
    const double *director;                /* n_directors x 3, unit */
    const int *director_place;             /* n_directors: where each stands; several at one place are a fold, whose
                                              angles are kept */
    const phx_vector_element *element;     /* n_elements: shells Q9 and T6, or solids */
    const int *cell_place;    /* the nodes of each element, one element after the other (phx_vector_nodes each) */
    const int *cell_director; /* shell: its directors at these nodes; solid: NULL */
    const int *section;       /* n_elements: of sections */
    const double *axis;       /* shell: n_elements x 3, a direction whose projection on the tangent plane at each point
                                 is axis 1 there; solid: NULL, its axes are those of the body */
    int n_sections, n_ties, n_masses;
    const phx_vector_section *sections;
    const phx_vector_tie *ties;
    const phx_vector_mass *masses;
    double damping; /* s: Kelvin-Voigt, stress + damping * C strain rate */
} phx_vector_def;

/* PHX_ERR_ARGUMENT, with the name, for values that make no body: an element with a Jacobian that is not positive (by
 * its number, from 1), a section that is not positive definite, a place without an element. */
phx_status phx_vector_body_create(phx_context *context, const phx_vector_def *def, phx_body **body);
/* Where entry `component` of the stress vector at a point of an element stands; -1 if there is none. The stress vector
 * has the stresses at the integration points, element by element, N, M, Q of shells in the axes of the section. */
int phx_vector_stress_at(const phx_body *body, int element, int point, int component);
/* Weights over the integration points of the stress at each node, extrapolated: nodes x points, row-major. */
void phx_vector_extrapolate(phx_vector_element element, double *weights);

/* ---- name and sizes of a body ---- */
const char *phx_body_name(const phx_body *body);
int phx_body_n_x(const phx_body *body);
int phx_body_n_v(const phx_body *body);
int phx_body_n_q(const phx_body *body);

#endif

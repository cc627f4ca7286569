/* The part that all bodies share, and the calls of the operations of a kind. */
#include "kind.h"

#include <math.h>
#include <string.h>

/* ---- attitudes ---- */
int phx_attitude_size(int dim)
{
    return dim == 2 ? 3 : 9;
}

void phx_attitude_set(int dim, const double *rotation, double angle, double *attitude)
{
    if (dim == 2) {
        attitude[0] = cos(angle);
        attitude[1] = sin(angle);
        attitude[2] = angle;
    } else {
        memcpy(attitude, rotation, 9 * sizeof *attitude);
    }
}

/* ---- what every body has ---- */
phx_status phx_body_lay_out(phx_context *context, const phx_body_ops *ops, const char *name, int dim, int n_frames,
                            phx_body_frame *frames, int n_q, phx_body *body)
{
    body->ops = ops;
    body->dim = dim;
    body->n_rot = dim == 2 ? 1 : 3;
    body->n_rigid = dim + body->n_rot;
    body->n_attitude = phx_attitude_size(dim);
    body->n_frames = n_frames;
    body->frames = frames;
    for (int f = 0; f < n_frames; f++)
        frames[f] = (phx_body_frame){.x = f * (dim + body->n_attitude), .v = f * body->n_rigid};
    body->n_q = n_q;
    body->q_x = n_frames * (dim + body->n_attitude);
    body->q_v = n_frames * body->n_rigid;
    body->n_x = body->q_x + n_q;
    body->n_v = body->q_v + n_q;
    body->name = phx_strdup(context, name);
    return body->name ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_body_free_base(phx_body *body)
{
    for (int f = 0; body->nodes && f < body->n_frames; f++)
        phx_body_destroy(body->nodes[f]);
    phx_free(body->nodes);
    phx_free(body->name);
    phx_free(body->ptr);
    phx_free(body->idx);
}

void phx_body_destroy(phx_body *body)
{
    if (body)
        body->ops->destroy(body);
}

const char *phx_body_name(const phx_body *body)
{
    return body->name;
}

const char *phx_body_kind(const phx_body *body)
{
    return body->ops->kind;
}

const char *phx_body_beyond(const phx_body *body)
{
    return body->ops->beyond;
}

int phx_body_dim(const phx_body *body)
{
    return body->dim;
}

int phx_body_n_x(const phx_body *body)
{
    return body->n_x;
}

int phx_body_n_v(const phx_body *body)
{
    return body->n_v;
}

int phx_body_frames(const phx_body *body, const phx_body_frame **frames)
{
    if (frames)
        *frames = body->frames;
    return body->n_frames;
}

int phx_body_coordinates(const phx_body *body, int *x, int *v)
{
    if (x)
        *x = body->q_x;
    if (v)
        *v = body->q_v;
    return body->n_q;
}

int phx_body_n_q(const phx_body *body)
{
    return body->n_q;
}

void phx_body_attitude(const phx_body *body, const double *x, double *R)
{
    if (body->n_frames > 0)
        phx_attitude_rotation(body->dim, x + body->dim, R);
    else
        body->ops->axes(body, x, R);
}

bool phx_body_floats(const phx_body *body)
{
    return body->n_frames == 1 && !body->directions;
}

bool phx_body_is_direction(const phx_body *body, int i)
{
    return body->directions && body->directions[i / 3];
}

bool phx_body_vectors(const phx_body *body)
{
    return body->directions != NULL;
}

bool phx_body_deforms(const phx_body *body)
{
    return body->n_v > body->n_rigid;
}

int phx_body_n_stress(const phx_body *body)
{
    return body->n_stress;
}

const phx_mass_properties *phx_body_at_rest(const phx_body *body)
{
    return &body->rest;
}

bool phx_body_balances(const phx_body *body)
{
    return body->kinetics == PHX_KINETICS_FULL;
}

bool phx_body_is_lossless(const phx_body *body)
{
    return body->lossless;
}

void phx_body_pattern(const phx_body *body, const int **ptr, const int **idx)
{
    *ptr = body->ptr;
    *idx = body->idx;
}

void phx_body_rest(const phx_body *body, double *x)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

    memset(x, 0, (size_t)body->n_x * sizeof *x);
    if (body->ops->rest)
        body->ops->rest(body, x);
    else
        phx_attitude_set(body->dim, identity, 0.0, x + body->dim);
}

/* ---- places ---- */
unsigned phx_body_location_sorts(const phx_body *body)
{
    return body->ops->locate ? body->ops->location_sorts : 0;
}

phx_status phx_body_locate(const phx_body *body, phx_context *context, const phx_location *location,
                           phx_body_port *port)
{
    if (!body || !location || !port)
        return phx_fail_null(context, __func__, "body, location or port");
    if (!(phx_body_location_sorts(body) & phx_location_bit(location->sort)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "its points are given by: %s; not by: %s",
                        phx_location_sorts_text(phx_body_location_sorts(body)).text,
                        phx_location_sorts_text(phx_location_bit(location->sort)).text);
    return body->ops->locate(body, context, location, port);
}

/* ---- inertia ---- */
void phx_body_momenta(const phx_body *body, const double *x, const double *v, double *p)
{
    body->ops->momenta(body, x, v, p);
}

void phx_body_put_mass(const phx_body *body, const double *x, bool all, const int *at, double *val)
{
    body->ops->put_mass(body, x, all, at, val);
}

void phx_body_moment(const phx_body *body, const double *x, double *moment)
{
    body->ops->moment(body, x, moment);
}

/* Mass, first moment and inertia from T^T M T = | m I  -[s]x ; [s]x  J |. */
void phx_body_sum_rest(phx_body *body, const double *x)
{
    phx_mass_properties *rest = &body->rest;
    const int dim = body->dim, r = body->n_rigid;
    double M[36];

    phx_body_rigid_mass(body, x, M);
    rest->mass = M[0];
    if (dim == 2) {
        rest->s0[0] = M[r + 2];
        rest->s0[1] = -M[2];
        rest->J0[0] = M[8];
        return;
    }
    rest->s0[0] = -M[6 * 2 + 4];
    rest->s0[1] = M[6 * 2 + 3];
    rest->s0[2] = -M[6 * 1 + 3];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            rest->J0[i == j ? i : i + j + 2] = M[6 * (3 + i) + 3 + j];
}

void phx_body_mass_matrix(const phx_body *body, const double *x, double *mass)
{
    body->ops->mass_matrix(body, x, mass);
}

/* T^T M T by unit twists; zero without memory, which is a singular mass. */
static void rigid_mass_of(const phx_body *body, const double *x, double *mass)
{
    const int r = body->n_rigid;
    double *v = phx_calloc(NULL, 2 * (size_t)body->n_v, sizeof *v), *p = v ? v + body->n_v : NULL, wrench[6];

    memset(mass, 0, (size_t)(r * r) * sizeof *mass);
    for (int c = 0; c < r && v; c++) {
        double unit[6] = {0.0};
        unit[c] = 1.0;
        phx_body_rigid_motion(body, x, unit, v);
        phx_body_momenta(body, x, v, p);
        phx_body_rigid_force(body, x, p, wrench);
        for (int i = 0; i < r; i++)
            mass[r * i + c] = wrench[i];
    }
    phx_free(v);
}

void phx_body_rigid_mass(const phx_body *body, const double *x, double *mass)
{
    if (body->ops->rigid_mass)
        body->ops->rigid_mass(body, x, mass);
    else
        rigid_mass_of(body, x, mass);
}

void phx_body_inertial_momentum(const phx_body *body, const double *x, const double *v, double *linear, double *angular)
{
    body->ops->inertial_momentum(body, x, v, linear, angular);
}

/* ---- equations of motion ---- */
void phx_body_residual(const phx_body *body, const double *gravity, const double *x, const double *v,
                       const double *v_dot, double *res)
{
    body->ops->residual(body, gravity, x, v, v_dot, res);
}

void phx_body_linearise(const phx_body *body, const double *gravity, const double *x, const double *v, double *M,
                        double *D, double *K)
{
    body->ops->linearise(body, gravity, x, v, M, D, K);
}

size_t phx_body_room(const phx_body *body)
{
    return body->ops->room(body);
}

phx_products *phx_body_products_create(phx_context *context, const phx_body *body, double *room)
{
    return body->ops->products_create(context, body, room);
}

void phx_body_products_share(const phx_body *body, phx_products *products, double *room)
{
    body->ops->products_share(body, products, room);
}

void phx_body_products_destroy(const phx_body *body, phx_products *products)
{
    if (body->ops->products_destroy)
        body->ops->products_destroy(body, products);
    else
        phx_free(products);
}

void phx_body_interval_begin(const phx_body *body, double h, const double *x0, const double *v0, phx_products *products)
{
    body->ops->interval_begin(body, h, x0, v0, products);
}

void phx_body_interval_residual(const phx_body *body, const double *gravity, const phx_body_view *view, double *res)
{
    body->ops->interval_residual(body, gravity, view, res);
}

void phx_body_interval_linearise(const phx_body *body, const double *gravity, const phx_body_view *view, double *room,
                                 double *A)
{
    body->ops->interval_linearise(body, gravity, view, room, A);
}

void phx_body_set_pivot(phx_body *body, bool pivots)
{
    ((phx_body *)phx_body_inside(body))->pivots = body->pivots = pivots;
}

void phx_body_interval_finish(const phx_body *body, double h, const double *v0, double *v1)
{
    if (body->ops->interval_finish)
        body->ops->interval_finish(body, h, v0, v1);
}

bool phx_body_finishes(const phx_body *body)
{
    double arm[3];

    return body->ops->interval_finish && (!body->ops->averages || body->ops->averages(body, 0, arm));
}

int phx_body_n_free_stress(const phx_body *body)
{
    return body->n_free_stress;
}

void phx_body_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma)
{
    if (body->n_free_stress > 0)
        body->ops->free_stress(body, x, xi, sigma);
}

void phx_body_free_linearise(const phx_body *body, const double *gravity, const double *x, const double *sigma,
                             double *K)
{
    body->ops->free_linearise(body, gravity, x, sigma, K);
}

/* ---- energies ---- */
double phx_body_kinetic(const phx_body *body, const double *x, const double *v)
{
    return body->ops->kinetic(body, x, v);
}

double phx_body_kinetic_undeformed(const phx_body *body, const double *v)
{
    return body->ops->kinetic_undeformed(body, v);
}

double phx_body_elastic(const phx_body *body, const double *x)
{
    return body->ops->elastic(body, x);
}

/* V = -g . (m r + R s(q)) */
double phx_body_potential(const phx_body *body, const double *gravity, const double *x)
{
    double moment[3], sum = 0.0;

    phx_body_moment(body, x, moment);
    for (int a = 0; a < body->dim; a++)
        sum += gravity[a] * moment[a];
    return -sum;
}

void phx_body_energies_of(const phx_body *body, const double *gravity, const double *x, const double *v,
                          phx_body_energies *energies)
{
    if (body->ops->energies) {
        body->ops->energies(body, gravity, x, v, energies);
        return;
    }
    *energies = (phx_body_energies){phx_body_kinetic(body, x, v), phx_body_elastic(body, x),
                                    phx_body_potential(body, gravity, x)};
}

double phx_body_dissipation(const phx_body *body, const double *v)
{
    return body->ops->dissipation ? body->ops->dissipation(body, v) : 0.0;
}

double phx_body_interval_dissipation(const phx_body *body, const phx_body_view *view)
{
    return body->ops->interval_dissipation ? body->ops->interval_dissipation(body, view)
                                           : phx_body_dissipation(body, view->vm);
}

/* ---- stresses ---- */
void phx_body_stress(const phx_body *body, const double *x, double *sigma)
{
    if (body->n_stress > 0)
        body->ops->stress(body, x, sigma);
}

void phx_body_stress_derivative(const phx_body *body, const double *x, const double *row, double *out)
{
    memset(out, 0, (size_t)body->n_v * sizeof *out);
    if (body->n_stress > 0)
        body->ops->stress_derivative(body, x, row, out);
}

int phx_body_elements(const phx_body *body)
{
    return body->ops->element_turn ? body->n_frames - 1 : 0;
}

double phx_body_element_turn(const phx_body *body, const double *x, int *element)
{
    return body->ops->element_turn ? body->ops->element_turn(body, x, element) : 0.0;
}

bool phx_body_has_sections(const phx_body *body)
{
    return body->ops->section_rows != NULL;
}

void phx_body_section_rows(const phx_body *body, const phx_location *location, phx_section_part part, double *row)
{
    memset(row, 0, (size_t)body->n_stress * sizeof *row);
    body->ops->section_rows(body, location, part, row);
}

int phx_body_length_points(const phx_body *body, const phx_length_point **points)
{
    return body->ops->length_points ? body->ops->length_points(body, points) : 0;
}

/* ---- structure ---- */
int phx_body_structure_size(const phx_body *body)
{
    return body->ops->structure_size ? body->ops->structure_size(body) : 0;
}

void phx_body_structure(const phx_body *body, phx_structure_form form, const double *x, const double *v, double *J)
{
    body->ops->structure(body, form, x, v, J);
}

void phx_body_efforts(const phx_body *body, phx_structure_form form, const double *gravity, const double *x,
                      const double *v, double *z)
{
    body->ops->efforts(body, form, gravity, x, v, z);
}

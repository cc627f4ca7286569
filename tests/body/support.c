#include "support.h"

#include "fe/fe.h"

const double test_gravity[3] = {0.7, -9.81, 2.3};

#define FULL       PHX_KINETICS_FULL
#define SIMPLIFIED PHX_KINETICS_SIMPLIFIED
#define CANTILEVER PHX_REFERENCE_CANTILEVER
#define SUPPORTED  PHX_REFERENCE_SIMPLY_SUPPORTED
#define FREE       PHX_REFERENCE_FREE
#define MIXED      PHX_ELEMENT_MIXED
#define PAPER      PHX_ELEMENT_PAPER
#define ASSUMED    PHX_ELEMENT_ASSUMED

const body_kind body_kinds[] = {
    /* name, dim, rigid, order, reference, element, stiffening, masses, kinetics, damping: mass, stiffness, modal;
     modes, modal data */
    {"plane rigid", 2, true, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"plane cantilever", 2, false, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"plane cantilever, stiffening, masses", 2, false, 3, CANTILEVER, MIXED, true, true, FULL, 0, 0, 0, 0, false},
    {"plane supported, stiffening", 2, false, 3, SUPPORTED, MIXED, true, false, FULL, 0, 0, 0, 0, false},
    {"plane supported, masses, Rayleigh", 2, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 0, false},
    {"plane free, stiffening, masses", 2, false, 3, FREE, MIXED, true, true, FULL, 0, 0, 0, 0, false},
    {"plane cantilever, order 5, modal", 2, false, 5, CANTILEVER, MIXED, true, false, FULL, 0, 0, 0.05, 0, false},
    {"plane paper", 2, false, 3, CANTILEVER, PAPER, false, true, FULL, 0, 0, 0, 0, false},
    {"plane simplified", 2, false, 3, SUPPORTED, MIXED, false, true, SIMPLIFIED, 0, 0, 0, 0, false},
    {"space rigid", 3, true, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"space cantilever", 3, false, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"space cantilever, stiffening, masses", 3, false, 3, CANTILEVER, MIXED, true, true, FULL, 0, 0, 0, 0, false},
    {"space supported, stiffening, Rayleigh", 3, false, 3, SUPPORTED, MIXED, true, false, FULL, 0.3, 0.02, 0, 0, false},
    {"space free, masses, modal", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 0, false},
    {"space supported, order 5", 3, false, 5, SUPPORTED, MIXED, true, true, FULL, 0, 0, 0, 0, false},
    {"space simplified, stiffening", 3, false, 3, CANTILEVER, MIXED, true, false, SIMPLIFIED, 0.1, 0.01, 0, 0, false},
    {"plane cantilever, 3 modes, masses", 2, false, 3, CANTILEVER, MIXED, false, true, FULL, 0, 0, 0, 3, false},
    {"plane free, 4 modes, modal", 2, false, 5, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 4, false},
    {"plane assumed, masses", 2, false, 3, CANTILEVER, ASSUMED, false, true, FULL, 0, 0, 0, 2, false},
    {"plane modal data, masses, Rayleigh", 2, false, 3, CANTILEVER, MIXED, false, true, FULL, 0.3, 0.02, 0, 3, true},
    {"space supported, 5 modes, masses, Rayleigh", 3, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 5,
     false},
    {"space assumed, masses, modal", 3, false, 3, CANTILEVER, ASSUMED, false, true, FULL, 0, 0, 0.05, 3, false},
    {"space modal data", 3, false, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 6, true},
    {"space modal data, stiffening, Rayleigh", 3, false, 3, SUPPORTED, MIXED, true, true, FULL, 0.3, 0.02, 0, 6, true},
    {"plane modal data, stiffening", 2, false, 3, CANTILEVER, MIXED, true, false, FULL, 0, 0, 0, 5, true},
    {"space modal data, masses", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0, 6, true},
    {"plane cantilever, 3 modes, stiffening, masses", 2, false, 3, CANTILEVER, MIXED, true, true, FULL, 0, 0, 0, 3,
     false},
    {"plane supported, 2 modes, stiffening, modal", 2, false, 3, SUPPORTED, MIXED, true, false, FULL, 0, 0, 0.05, 2,
     false},
    {"plane free, 2 modes, stiffening, masses", 2, false, 3, FREE, MIXED, true, true, FULL, 0, 0, 0, 2, false},
    {"space cantilever, 4 modes, stiffening", 3, false, 3, CANTILEVER, MIXED, true, false, FULL, 0, 0, 0, 4, false},
    {"space supported, 4 modes, stiffening, Rayleigh", 3, false, 3, SUPPORTED, MIXED, true, true, FULL, 0.3, 0.02, 0, 4,
     false},
    {"space simplified, 3 modes, stiffening", 3, false, 3, CANTILEVER, MIXED, true, false, SIMPLIFIED, 0.1, 0.01, 0, 3,
     false},
};
const int n_body_kinds = (int)(sizeof body_kinds / sizeof *body_kinds);

static void measure(subject *it)
{
    it->n_rot = it->dim == 2 ? 1 : 3;
    it->n_rigid = it->dim + it->n_rot;
    it->n_attitude = phx_attitude_size(it->dim);
    it->n_q = phx_body_n_q(it->body);
    it->n_v = phx_body_n_v(it->body);
    it->n_x = phx_body_n_x(it->body);
    assert_int_equal(it->n_v, it->n_rigid + it->n_q);
    assert_int_equal(it->n_x, at_q(it) + it->n_q);
}

static void add_masses(subject *it)
{
    for (int k = 0; k < 2; k++) {
        const double inertia[9] = {0.05, 0.01, -0.004, 0.01, 0.04, 0.006, -0.004, 0.006, 0.03 + 0.01 * k};
        it->masses[k] = (phx_beam_mass){.at = k ? 1.0 : 0.37, .mass = 0.2 + 0.1 * k};
        memcpy(it->masses[k].inertia, inertia, (it->beam_def.dim == 2 ? 1 : 9) * sizeof *inertia);
    }
    it->beam_def.n_masses = 2;
    it->beam_def.masses = it->masses;
}

/* A body by the modal data of a beam in modal coordinates, with all integrals: the same body. */
static phx_flex_source *modal_twin(phx_context *context, const phx_beam *beam)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    enum { MAX_MODES = 8 };
    double frequency[MAX_MODES], translation[3 * MAX_MODES], rotation[3 * MAX_MODES], first[6 * MAX_MODES];
    double gyroscopic[3 * MAX_MODES * MAX_MODES], second[6 * MAX_MODES * MAX_MODES];
    const int n = flex->n;
    phx_flex_source *source = NULL;

    assert_in_range(n, 1, MAX_MODES);
    for (int k = 0; k < n; k++) {
        frequency[k] = sqrt(flex->K[k * n + k]) / (2.0 * TEST_PI);
        for (int a = 0; a < flex->dim; a++)
            translation[k * flex->dim + a] = flex->S[a * n + k];
        for (int a = 0; a < flex->n_rot; a++)
            rotation[k * flex->n_rot + a] = flex->C[a * n + k];
        for (int p = 0; p < flex->n_pair; p++)
            first[k * flex->n_pair + p] = flex->j[p * n + k];
    }
    for (int a = 0; a < flex->n_rot; a++)
        memcpy(gyroscopic + a * n * n, flex->A[a], (size_t)(n * n) * sizeof *gyroscopic);
    for (int p = 0; p < flex->n_pair; p++)
        memcpy(second + p * n * n, flex->Q[p], (size_t)(n * n) * sizeof *second);
    const double x = flex->s0[0] / flex->mass, along = flex->mass * x * x; /* on the axis */
    phx_modal_data data = {.dim = flex->dim,
                           .mass = flex->mass,
                           .centre = {x},
                           .modes = n,
                           .frequency = frequency,
                           .translation = translation,
                           .rotation = rotation,
                           .inertia_first = first,
                           .gyroscopic = gyroscopic,
                           .inertia_second = second};
    const double *J = flex->J0;
    const double space[9] = {J[0], J[3], J[4], J[3], J[1] - along, J[5], J[4], J[5], J[2] - along};
    const double plane[9] = {J[0] - along};
    memcpy(data.inertia, flex->dim == 2 ? plane : space, sizeof data.inertia);
    CHECK_STATUS(context, phx_modal_source_create(context, &data, &source), PHX_OK);
    return source;
}

/* Three strains over three slopes of a body in a basis: all products, and linear parts over all coordinates. */
static void add_strains(phx_context *context, phx_flex *flex)
{
    enum { STRAINS = 3, SLOPES = 3, PRODUCTS = STRAINS * SLOPES * (SLOPES + 1) / 2, MAX_MODES = 8 };
    double lin[STRAINS * MAX_MODES];
    uint64_t seed = 77;

    phx_flex_stiffening *st = flex->stiffening = calloc(1, sizeof *st);
    assert_non_null(st);
    CHECK_STATUS(context, phx_stiffening_allocate(context, STRAINS, PRODUCTS, st), PHX_OK);
    random_vector(&seed, STRAINS * flex->n, 1.0, lin);
    CHECK_STATUS(context, phx_csr_from_dense(context, STRAINS, flex->n, lin, 0.0, &st->lin), PHX_OK);
    random_vector(&seed, PRODUCTS, 3.0, st->weight);
    for (int k = 0, p = 0; k < STRAINS; k++) {
        for (int a = 0; a < SLOPES; a++)
            for (int b = a; b < SLOPES; b++, p++) {
                st->first[p] = a;
                st->second[p] = b;
            }
        st->product_begin[k + 1] = p;
    }
    CHECK_STATUS(context, phx_stiffening_in_basis(context, flex->n, SLOPES, st), PHX_OK);
}

static void create_body(phx_context *context, phx_body_def *def, subject *it)
{
    def->dim = it->dim;
    def->flex = it->source ? phx_flex_source_flex(it->source) : NULL;
    def->rigid = it->beam ? NULL : &it->rigid_def;
    CHECK_STATUS(context, phx_body_create(context, def, &it->body), PHX_OK);
    assert_non_null(it->body);
    it->kinetics = def->kinetics;
    measure(it);
}

void subject_from_beam(phx_context *context, const phx_beam_def *beam_def, const phx_body_def *body_def, subject *it)
{
    phx_body_def def = *body_def;
    memset(it, 0, sizeof *it);
    it->name = body_def->name;
    it->beam_def = *beam_def;
    it->dim = beam_def->dim;
    CHECK_STATUS(context, phx_beam_create(context, beam_def, &it->beam), PHX_OK);
    it->source = phx_flex_source_share(it->beam);
    create_body(context, &def, it);
}

void subject_create(phx_context *context, const body_kind *kind, subject *it)
{
    const double inertia[9] = {1.1, 0.2, -0.1, 0.2, 1.3, 0.15, -0.1, 0.15, 0.9}, centre[3] = {0.4, -0.3, 0.2};
    phx_body_def def = phx_body_def_default();
    phx_beam_def beam = phx_beam_def_default();

    memset(it, 0, sizeof *it);
    def.name = it->name = kind->name;
    def.kinetics = kind->kinetics;
    def.damping_mass = kind->damping_mass;
    def.damping_stiffness = kind->damping_stiffness;
    def.damping_modal = kind->damping_modal;
    it->dim = kind->dim;
    if (kind->rigid) {
        it->rigid_def.mass = 1.7;
        memcpy(it->rigid_def.inertia, inertia, sizeof inertia);
        memcpy(it->rigid_def.centre, centre, sizeof centre);
    } else {
        beam.dim = kind->dim;
        beam.length = 1.3;
        beam.mass_per_length = 0.7;
        beam.axial_stiffness = 50.0;
        beam.bending_stiffness[0] = 3.0;
        beam.bending_stiffness[1] = 2.0;
        beam.torsion_stiffness = 1.7;
        beam.polar_inertia = 0.03;
        beam.elements = 2;
        beam.order = kind->order;
        beam.element = kind->element;
        beam.reference = kind->reference;
        beam.stiffening = kind->stiffening && !kind->modal_data;
        it->beam_def = beam;
        if (kind->masses)
            add_masses(it);
        it->beam_def.modes = kind->modes;
        CHECK_STATUS(context, phx_beam_create(context, &it->beam_def, &it->beam), PHX_OK);
        it->source = kind->modal_data ? modal_twin(context, it->beam) : phx_flex_source_share(it->beam);
        if (kind->modal_data && kind->stiffening)
            add_strains(context, &it->source->flex);
    }
    create_body(context, &def, it);
    assert_in_range(it->n_v, 1, MAX_V);
    assert_in_range(phx_body_flex(it->body)->n_stress, 0, MAX_STRESS);
}

void subject_destroy(subject *it)
{
    phx_body_destroy(it->body);
    phx_flex_source_destroy(it->source);
    phx_flex_source_destroy(it->beam);
}

void subject_port(phx_context *context, const subject *it, double s, phx_body_port *port)
{
    const double place[3] = {0.3 * s, -0.2 * s, 0.1 * s};
    memset(port, 0, sizeof *port);
    for (int a = 0; a < it->dim; a++)
        port->rotation[a * it->dim + a] = 1.0;
    if (it->beam)
        CHECK_STATUS(context, phx_beam_point(it->beam, context, s, &port->point), PHX_OK);
    else
        memcpy(port->point.x, place, sizeof place);
}

void random_configuration(uint64_t *seed, const subject *it, double *x)
{
    double zero[MAX_X] = {0}, turn[MAX_V] = {0}, attitude[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

    random_vector(seed, it->dim, 2.0, zero);
    phx_attitude_set(it->dim, attitude, 0.0, zero + it->dim);
    random_vector(seed, it->n_rot, 3.0, turn + it->dim);
    random_vector(seed, it->n_q, 0.1, turn + it->n_rigid);
    displaced(it, zero, 1.0, turn, x);
}

void random_velocity(uint64_t *seed, const subject *it, double *v)
{
    random_vector(seed, it->n_v, 1.0, v);
}

/* R exp([phi]x), row-major: R (I + sin/|phi| [phi]x + (1 - cos)/|phi|^2 [phi]x^2) */
static void turned(const double *R, const double *phi, double *out)
{
    const double angle = sqrt(dot_product(3, phi, phi));
    const double a = angle > 0.0 ? sin(angle) / angle : 1.0;
    const double half = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5, b = 2.0 * half * half;
    for (int i = 0; i < 3; i++) {
        double once[3], twice[3]; /* row [phi]x = row x phi */
        phx_vec_x_vec(3, R + 3 * i, phi, once);
        phx_vec_x_vec(3, once, phi, twice);
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = R[3 * i + k] + a * once[k] + b * twice[k];
    }
}

void displaced(const subject *it, const double *x, double step, const double *xi, double *x1)
{
    double R[9], turn[3], shift[3], after[9];

    phx_attitude_rotation(it->dim, x + it->dim, R);
    phx_rot_apply(it->dim, R, xi, shift);
    for (int a = 0; a < it->dim; a++)
        x1[a] = x[a] + step * shift[a];
    for (int k = 0; k < it->n_rot; k++)
        turn[k] = step * xi[it->dim + k];
    if (it->dim == 3)
        turned(R, turn, after);
    phx_attitude_set(it->dim, after, it->dim == 2 ? x[4] + turn[0] : 0.0, x1 + it->dim);
    for (int i = 0; i < it->n_q; i++)
        x1[at_q(it) + i] = x[at_q(it) + i] + step * xi[it->n_rigid + i];
}

void moved(const subject *it, double h, const double *x0, const double *vm, double *x1, double *xm)
{
    const double low0[MAX_X] = {0};
    double low1[MAX_X];
    phx_body_move(it->body, h, x0, low0, vm, x1, low1, xm);
}

phx_body_view instant(const double *x, const double *v)
{
    return (phx_body_view){.h = 0.0, .x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
}

void accelerations(phx_context *context, const subject *it, const double *gravity, const double *x, const double *v,
                   const double *force, double *v_dot)
{
    double M[MAX_V * MAX_V], zero[MAX_V] = {0};

    phx_body_mass_matrix(it->body, x, M);
    phx_body_residual(it->body, gravity, x, v, zero, v_dot);
    for (int i = 0; i < it->n_v; i++)
        v_dot[i] = (force ? force[i] : 0.0) - v_dot[i];
    CHECK_STATUS(context, phx_dense_solve(context, it->n_v, M, 1, v_dot), PHX_OK);
}

void spread(const phx_body *body, const double *val, double *dense)
{
    const int *ptr, *idx, n = phx_body_n_v(body);
    phx_body_pattern(body, &ptr, &idx);
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            dense[i * n + idx[k]] = val[k];
}

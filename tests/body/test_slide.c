/* Ports that slide along beams and rods: increments over any interval, also across nodes, the transpose of P, the
 * derivatives against differences, and the places of ports that stay. */
#include "body/sliding/curve.h"
#include "support.h"

enum { ELEMENTS = 3, ENTRIES = PHX_ROD_SECTION, SAMPLES = ELEMENTS * PHX_ROD_GAUSS, KINDS = 5, PORT = PHX_PORT_MAX };

/* ---- bodies ---- */
/* A rod that is bent and twisted at rest, its elements of different lengths. */
static phx_body *make_rod(phx_context *context, int dim)
{
    static const double stiff[6] = {900.0, 400.0, 500.0, 3.0, 2.0, 5.0}, heavy[6] = {2.0, 2.0, 2.0, 0.07, 0.03, 0.04};
    const double turn[3] = {dim == 3 ? 0.2 : 0.3, -0.15, 0.25};
    double place[3 * (ELEMENTS + 1)] = {0}, axes[9 * (ELEMENTS + 1)] = {0}, length[ELEMENTS];
    double compliance[SAMPLES * ENTRIES] = {0}, mass[SAMPLES * ENTRIES] = {0};
    const phx_rod_def def = {.name = "rod",
                             .dim = dim,
                             .elements = ELEMENTS,
                             .place = place,
                             .axes = axes,
                             .length = length,
                             .compliance = compliance,
                             .mass = mass};
    phx_body *body = NULL;

    for (int a = 0; a < dim; a++)
        axes[(dim + 1) * a] = 1.0;
    for (int k = 0; k < ELEMENTS; k++) {
        double *D = axes + dim * dim * k;
        length[k] = 0.4 + 0.1 * k;
        phx_rot_cayley(dim, D, turn, D + dim * dim);
        for (int a = 0; a < dim; a++)
            place[dim * (k + 1) + a] = place[dim * k + a] + 0.5 * length[k] * (D[dim * a] + D[dim * dim + dim * a]);
    }
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < 6; i++) {
            compliance[ENTRIES * k + 7 * i] = 1.0 / stiff[i];
            mass[ENTRIES * k + 7 * i] = heavy[i];
        }
    CHECK_OK(context, phx_rod_create(context, &def, &body));
    return body;
}

/* Kinds 0, 1: rods; 2, 3: beams with a mean frame and in normal modes; 4: of the plane, clamped. */
static phx_body *make_body(phx_context *context, int kind, phx_beam **beam)
{
    const phx_reference reference[] = {PHX_REFERENCE_FREE, PHX_REFERENCE_SIMPLY_SUPPORTED, PHX_REFERENCE_CANTILEVER};
    phx_beam_def def = phx_beam_def_default();
    phx_body_def body_def = phx_body_def_default();
    phx_body *body = NULL;

    *beam = NULL;
    if (kind < 2)
        return make_rod(context, 2 + kind);
    def.dim = kind == 4 ? 2 : 3;
    def.length = 1.5;
    def.mass_per_length = 0.7;
    def.axial_stiffness = 50.0;
    def.bending_stiffness[0] = 3.0;
    def.bending_stiffness[1] = 2.0;
    def.torsion_stiffness = 1.7;
    def.polar_inertia = 0.03;
    def.elements = ELEMENTS;
    def.modes = kind == 3 ? 5 : 0;
    def.reference = reference[kind - 2];
    CHECK_OK(context, phx_beam_create(context, &def, beam));
    body_def.dim = def.dim;
    body_def.flex = phx_flex_source_flex(*beam);
    CHECK_OK(context, phx_body_create(context, &body_def, &body));
    return body;
}

/* A body with two places, a port on the second; the first must not matter. */
typedef struct slide_case {
    phx_beam *beam;
    phx_body *body;
    phx_body_port port;
    int dim, size, n, n_v, place_x, place_v;
    double length;
} slide_case;

static void open_case(phx_context *context, int kind, slide_case *it)
{
    it->body = make_body(context, kind, &it->beam);
    for (int k = 0; k < 2; k++)
        CHECK_OK(context, phx_body_add_place(context, it->beam, &it->body));
    it->dim = phx_body_dim(it->body);
    it->size = phx_port_size(it->dim);
    it->n_v = phx_body_n_v(it->body);
    assert_in_range(it->n_v, 1, MAX_V);
    assert_in_range(phx_body_n_x(it->body), 1, MAX_X);
    assert_int_equal(phx_body_places(it->body, &it->place_x, &it->place_v), 2);
    it->place_x++;
    it->place_v++;
    it->port = (phx_body_port){.slides = 2};
    it->n = phx_body_port_columns(it->body, &it->port, NULL);
    it->length = phx_body_curve_length(it->body);
    CHECK_CLOSE(it->length, 1.5, 1e-15, "length of kind %d", kind);
}

static void close_case(slide_case *it)
{
    phx_body_destroy(it->body);
    phx_flex_source_destroy(it->beam);
}

static void random_place(uint64_t *seed, const slide_case *it, double *x)
{
    double xi[MAX_V], twist[6];

    phx_body_rest(it->body, x);
    random_vector(seed, it->n_v, 0.2, xi);
    phx_body_displace(it->body, 1.0, xi, x);
    random_vector(seed, 6, 2.0, twist);
    phx_body_displace_rigidly(it->body, 1.0, twist, x);
    x[it->place_x] = it->length * (0.5 + 0.4 * random_value(seed));
}

/* ---- intervals ---- */
typedef struct span {
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], vm[MAX_V];
    phx_body_view view;
    phx_port_view port;
} span;

/* With h = 0 the instant of x0. */
static void take(const slide_case *it, double h, span *at)
{
    double low[MAX_X] = {0}, lost[MAX_X];

    phx_body_move(it->body, h, at->x0, low, at->vm, at->x1, lost, at->xm);
    at->view =
        (phx_body_view){.h = h, .x0 = at->x0, .x1 = at->x1, .xm = at->xm, .v0 = at->vm, .v1 = at->vm, .vm = at->vm};
    phx_body_port_view(it->body, &it->port, &at->view, &at->port);
}

/* From a place to any other, across nodes where it lies so. */
static void random_span(uint64_t *seed, const slide_case *it, double h, span *at)
{
    random_place(seed, it, at->x0);
    random_vector(seed, it->n_v, 0.6, at->vm);
    if (h != 0.0)
        at->vm[it->place_v] = (it->length * (0.5 + 0.4 * random_value(seed)) - at->x0[it->place_x]) / h;
    take(it, h, at);
}

/* (u, d1, d2) at an end: the rates of a port that slides are theirs. */
static void axes_at(const slide_case *it, const phx_port_view *view, int end, double *y)
{
    const double *R = end ? view->R1 : view->R0, *u = end ? view->u1 : view->u0;

    memcpy(y, u, (size_t)it->dim * sizeof *y);
    for (int k = 0; k < it->dim - 1; k++)
        for (int a = 0; a < it->dim; a++)
            y[it->dim * (k + 1) + a] = R[a * it->dim + k];
}

/* y1 - y0 = h P nu, and P^T is the transpose. */
static void test_increments(void **state)
{
    static const double lengths[] = {1e-3, 0.1, 0.5, -0.2};
    uint64_t seed = 3;

    for (int kind = 0; kind < KINDS; kind++) {
        slide_case it;
        open_case(*state, kind, &it);
        for (int sample = 0; sample < 40; sample++) {
            const double h = lengths[sample % 4];
            double y0[PORT], y1[PORT], P[PORT * MAX_V], effort[PORT], force[MAX_V] = {0};
            int cols[MAX_V];
            span at;
            random_span(&seed, &it, h, &at);
            axes_at(&it, &at.port, 0, y0);
            axes_at(&it, &at.port, 1, y1);
            for (int i = 0; i < it.size; i++)
                CHECK_SMALL(y1[i] - y0[i] - h * at.port.rate[i], 2e-14, "kind %d: increment of component %d", kind, i);
            assert_int_equal(phx_body_port_jacobian(it.body, &it.port, &at.view, cols, P), it.n);
            random_vector(&seed, it.size, 1.0, effort);
            phx_body_port_apply(it.body, &it.port, &at.view, 1.0, effort, force);
            for (int i = 0; i < it.size; i++) {
                double sum = 0.0;
                for (int c = 0; c < it.n; c++)
                    sum += P[i * it.n + c] * at.vm[cols[c]];
                CHECK_SMALL(sum - at.port.rate[i], 1e-12 * (1.0 + fabs(sum)), "kind %d: rate %d", kind, i);
            }
            for (int c = 0; c < it.n; c++) {
                double sum = 0.0;
                for (int i = 0; i < it.size; i++)
                    sum += P[i * it.n + c] * effort[i];
                CHECK_SMALL(sum - force[cols[c]], 1e-13, "kind %d: transpose, column %d", kind, c);
            }
        }
        close_case(&it);
    }
}

/* P nu at fixed nu, means of (u, d1, d2) and P^T effort of the interval with the mean velocity moved by step along j;
 * of the instant with the configuration moved. */
static void evaluate(const slide_case *it, const span *from, double h, int j, double step, const double *effort,
                     double *rate, double *mean, double *force)
{
    double P[PORT * MAX_V], y0[PORT], y1[PORT], xi[MAX_V] = {0};
    int cols[MAX_V];
    span at = *from;

    xi[j] = h == 0.0 ? step : 0.0;
    at.vm[j] += h == 0.0 ? 0.0 : 2.0 * step / h;
    phx_body_displace(it->body, 1.0, xi, at.x0);
    take(it, h, &at);
    axes_at(it, &at.port, 0, y0);
    axes_at(it, &at.port, 1, y1);
    phx_body_port_jacobian(it->body, &it->port, &at.view, cols, P);
    memset(force, 0, MAX_V * sizeof *force);
    phx_body_port_apply(it->body, &it->port, &at.view, 1.0, effort, force);
    for (int i = 0; i < it->size; i++) {
        mean[i] = 0.5 * (y0[i] + y1[i]);
        rate[i] = 0.0;
        for (int c = 0; c < it->n; c++)
            rate[i] += P[i * it->n + c] * from->vm[cols[c]];
    }
}

static void check_tangents(const slide_case *it, const span *at, double h, const double *effort, int kind)
{
    const double step = 1e-6;
    double T[PORT * MAX_V], K[MAX_V * MAX_V], P[PORT * MAX_V], scale = 1.0;
    int cols[MAX_V];

    phx_body_port_jacobian(it->body, &it->port, &at->view, cols, P);
    phx_body_port_slide_tangents(it->body, &it->port, &at->view, 0, NULL, effort,
                                 &(phx_slide_derivatives){.T = T, .K = K});
    for (int e = 0; e < it->size * it->n; e++)
        scale = fmax(scale, fabs(T[e]));
    for (int c = 0; c < it->n; c++) {
        double rate[2][PORT], mean[2][PORT], force[2][MAX_V];
        for (int side = 0; side < 2; side++)
            evaluate(it, at, h, cols[c], side ? step : -step, effort, rate[side], mean[side], force[side]);
        for (int i = 0; i < it->size; i++) {
            const double by_rate = (rate[1][i] - rate[0][i]) / (2.0 * step);
            const double by_mean = (mean[1][i] - mean[0][i]) / (2.0 * step);
            const double W = P[i * it->n + c] + 0.5 * h * T[i * it->n + c];
            CHECK_CLOSE(T[i * it->n + c], by_rate, 2e-7 * scale, "kind %d, h %g: T %d %d", kind, h, i, c);
            CHECK_CLOSE(W, by_mean, 2e-7 * scale, "kind %d, h %g: W %d %d", kind, h, i, c);
        }
        for (int r = 0; r < it->n; r++)
            CHECK_CLOSE(K[r * it->n + c], (force[1][cols[r]] - force[0][cols[r]]) / (2.0 * step), 1e-6,
                        "kind %d, h %g: K %d %d", kind, h, r, c);
    }
}

/* Over the columns that the port depends on the same as over all, the others being zero. */
static void check_active(const slide_case *it, const span *at, const double *effort, int kind)
{
    double P[PORT * MAX_V], T[PORT * MAX_V], K[MAX_V * MAX_V], P_all[PORT * MAX_V], T_all[PORT * MAX_V];
    double K_all[MAX_V * MAX_V];
    int active[MAX_V];
    const int n = phx_body_port_active(it->body, &it->port, &at->view, active);

    assert_in_range(n, 2, it->n);
    phx_body_port_slide_tangents(it->body, &it->port, &at->view, n, active, effort,
                                 &(phx_slide_derivatives){.P = P, .T = T, .K = K});
    phx_body_port_slide_tangents(it->body, &it->port, &at->view, 0, NULL, effort,
                                 &(phx_slide_derivatives){.P = P_all, .T = T_all, .K = K_all});
    for (int c = 0, a = 0; c < it->n; c++) {
        const bool used = a < n && active[a] == c;
        for (int i = 0; i < it->size; i++) {
            assert_true(P_all[i * it->n + c] == (used ? P[i * n + a] : 0.0));
            assert_true(T_all[i * it->n + c] == (used ? T[i * n + a] : 0.0));
        }
        for (int r = 0, b = 0; r < it->n; r++) {
            const bool both = used && b < n && active[b] == r;
            const double value = K_all[r * it->n + c];
            assert_true(value == (both ? K[b * n + a] : 0.0));
            if (value != 0.0 && !phx_body_port_meets(it->body, &it->port, r, c))
                fail_msg("kind %d: columns %d and %d meet", kind, r, c);
            b += b < n && active[b] == r;
        }
        a += used;
    }
    assert_int_equal(active[n - 1], it->n - 1);
}

static void test_tangents(void **state)
{
    static const double lengths[] = {0.0, 0.1, 0.4};
    uint64_t seed = 5;

    for (int kind = 0; kind < KINDS; kind++) {
        slide_case it;
        open_case(*state, kind, &it);
        for (int sample = 0; sample < 9; sample++) {
            const double h = lengths[sample % 3];
            double effort[PORT];
            span at;
            random_span(&seed, &it, h, &at);
            random_vector(&seed, it.size, 1.0, effort);
            check_tangents(&it, &at, h, effort, kind);
            check_active(&it, &at, effort, kind);
        }
        close_case(&it);
    }
}

/* At a place that rests the port is where a port at that fraction is: of rods at nodes, of beams anywhere. */
static void test_places(void **state)
{
    static const double of_rod[] = {0.0, 0.4 / 1.5, 0.9 / 1.5, 1.0}, of_beam[] = {0.0, 0.21, 1.0 / 3.0, 0.8, 1.0};
    uint64_t seed = 7;

    for (int kind = 0; kind < KINDS; kind++) {
        slide_case it;
        open_case(*state, kind, &it);
        const int count = kind < 2 ? 4 : 5;
        for (int k = 0; k < count; k++) {
            const phx_location location = phx_location_at_fraction(kind < 2 ? of_rod[k] : of_beam[k]);
            phx_body_port fixed = {.rotation = {0}};
            phx_port_view view;
            span at;
            random_span(&seed, &it, 0.0, &at);
            at.x0[it.place_x] = location.fraction * it.length;
            at.vm[it.place_v] = 0.0;
            take(&it, 0.0, &at);
            if (kind < 2)
                CHECK_OK(*state, phx_body_locate(it.body, *state, &location, &fixed));
            else
                CHECK_OK(*state, phx_flex_source_point(it.beam, *state, &location, &fixed.point));
            phx_body_port_view(it.body, &fixed, &at.view, &view);
            CHECK_VECTOR(it.dim, at.port.u1, view.u1, 1e-14, "kind %d: place %d", kind, k);
            CHECK_VECTOR(it.dim, at.port.rate, view.rate, 1e-13, "kind %d: rate at place %d", kind, k);
            for (int axis = 0; axis < it.dim - 1; axis++) {
                double unit[3] = {0}, own[3], wanted[3];
                unit[axis] = 1.0;
                phx_port_direction(&at.port, 1, unit, own);
                phx_port_direction(&view, 1, unit, wanted);
                CHECK_VECTOR(it.dim, own, wanted, 1e-14, "kind %d: axis %d at place %d", kind, axis, k);
            }
            phx_body_port_free(&fixed);
        }
        close_case(&it);
    }
}

/* Places have no part in anything but ports: the rest of the body is what it was. */
static void test_rest_of_body(void **state)
{
    uint64_t seed = 9;

    for (int kind = 0; kind < KINDS; kind++) {
        phx_beam *beam = NULL;
        phx_body *plain = make_body(*state, kind, &beam);
        slide_case it;
        open_case(*state, kind, &it);
        const int n = phx_body_n_v(plain);
        double x[MAX_X], v[MAX_V], a[MAX_V], res[2][MAX_V], own[MAX_V * MAX_V], wanted[MAX_V * MAX_V];
        assert_int_equal(it.n_v, n + 2);
        random_place(&seed, &it, x);
        random_vector(&seed, it.n_v, 1.0, v);
        random_vector(&seed, it.n_v, 1.0, a);
        phx_body_residual(it.body, test_gravity, x, v, a, res[0]);
        phx_body_residual(plain, test_gravity, x, v, a, res[1]);
        CHECK_VECTOR(n, res[0], res[1], 0.0, "kind %d: residual", kind);
        CHECK_CLOSE(phx_body_kinetic(it.body, x, v), phx_body_kinetic(plain, x, v), 0.0, "kind %d: energy", kind);
        phx_body_mass_matrix(it.body, x, own);
        phx_body_mass_matrix(plain, x, wanted);
        for (int i = 0; i < it.n_v; i++)
            for (int j = 0; j < it.n_v; j++)
                CHECK_CLOSE(own[i * it.n_v + j], i < n && j < n ? wanted[i * n + j] : 0.0, 0.0, "kind %d: mass", kind);
        for (int k = n; k < it.n_v; k++)
            assert_true(res[0][k] == 0.0);
        phx_body_destroy(plain);
        phx_flex_source_destroy(beam);
        close_case(&it);
    }
}

static void refused(phx_context *context, phx_body *body, const phx_flex_source *source, const char *why)
{
    phx_body *same = body;

    CHECK_STATUS(context, phx_body_add_place(context, source, &same), PHX_ERR_UNSUPPORTED);
    assert_ptr_equal(same, body);
    CHECK_MESSAGE(context, why);
    phx_body_destroy(body);
}

/* A body without a cubic curve is refused and unchanged. */
static void test_refused(void **state)
{
    const phx_rigid_def rigid = {.mass = 1.0, .inertia = {1.0}};
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();
    phx_beam *beam = NULL;
    phx_body *body = NULL;

    def.rigid = &rigid;
    CHECK_OK(*state, phx_body_create(*state, &def, &body));
    refused(*state, body, NULL, "nothing can slide along");
    beam_def.length = beam_def.mass_per_length = beam_def.axial_stiffness = beam_def.bending_stiffness[0] = 1.0;
    def.rigid = NULL;
    for (int order = 5; order >= 3; order -= 2) {
        beam_def.order = order;
        def.kinetics = order == 3 ? PHX_KINETICS_SIMPLIFIED : PHX_KINETICS_FULL;
        CHECK_OK(*state, phx_beam_create(*state, &beam_def, &beam));
        def.flex = phx_flex_source_flex(beam);
        CHECK_OK(*state, phx_body_create(*state, &def, &body));
        refused(*state, body, beam, order == 3 ? "kinetics: simplified" : "order: 3");
        phx_flex_source_destroy(beam);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_increments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_tangents, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_places, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rest_of_body, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

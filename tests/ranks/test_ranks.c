/* Bodies whose matrices and bases are distributed over the processes of mpirun, beside those of one process: the same
 * frequencies, shapes at the interfaces, shapes of all unknowns and shape integrals to 1e-9. */
#include "continuum/basis.h"
#include "ranks/ranks.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static phx_ranks *ranks;
static phx_context *context;
static const double same = 1e-9;

enum { PORTS = 2 };
static const char *const ports[PORTS] = {"x0", "x1"};

/* ---- bodies ---- */
static phx_elastic_model *make_block(void)
{
    const phx_box_mesh box = {.size = {0.3, 0.05, 0.03}, .elements = {6, 2, 1}, .type = PHX_CELL_HEX20};
    phx_solid_region region = {.group = NULL};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    return model;
}

static phx_elastic_model *make_plate(void)
{
    const phx_rectangle_mesh rectangle = {.size = {1.0, 0.6}, .elements = {6, 4}, .grading = {1.0, 1.0}};
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {.order = 1, .membrane = true, .n_regions = 1, .regions = &region};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_section(7e10, 0.33, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    CHECK_OK(context, phx_plate_create(context, &mesh, &def, &model));
    return model;
}

/* The matrices of the block alone, as another program would give them, assembled by each process. */
static phx_elastic_model *make_imported(void)
{
    const phx_ranks *shared = phx_context_ranks(context);

    phx_context_set_ranks(context, NULL);
    phx_elastic_model *model = make_block();
    phx_context_set_ranks(context, shared);
    model->n_elements = 0;
    return model;
}

typedef phx_elastic_model *make_fn(void);

/* The source in a basis; its ports are rigid at x0 and a mean at x1, or rigid both. */
static phx_flex_source *make_source(make_fn *make, phx_continuum_def def, phx_interface_kind second)
{
    phx_elastic_model *model = make();
    phx_interface interfaces[PORTS];
    phx_flex_source *source = NULL;

    for (int p = 0; p < PORTS; p++) {
        int count, *unknown;
        CHECK_OK(context, phx_elastic_group_unknowns(context, model, ports[p], &count, &unknown));
        CHECK_OK(context, phx_interface_create(context, model, ports[p], p ? second : PHX_INTERFACE_RIGID, NULL, count,
                                               unknown, &interfaces[p]));
        phx_free(unknown);
    }
    double *load = phx_calloc(context, (size_t)model->n, sizeof *load);
    for (int j = 0; j < model->n; j += 7)
        load[j] = 1.0 + j % 5;
    def.loads = load;
    CHECK_OK(context, phx_continuum_source_create(context, &def, model, PORTS, interfaces, &source));
    phx_free(load);
    return source;
}

/* ---- comparison ---- */
/* b, with the signs of its rows and columns; relative to the largest entry, or to `scale` where all are smaller. */
static void compare(const char *what, double scale, int rows, int cols, const double *a, const double *b,
                    const double *row_sign, const double *col_sign)
{
    double most = scale, worst = 0.0;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            const double sign = (row_sign ? row_sign[i] : 1.0) * (col_sign ? col_sign[j] : 1.0);
            most = fmax(most, fabs(a[i * cols + j]));
            worst = fmax(worst, fabs(a[i * cols + j] - sign * b[i * cols + j]));
        }
    CHECK_CLOSE(worst, 0.0, same * most, "%s, largest %g", what, most);
}

static void compare_flex(const phx_flex *a, const phx_flex *b, const double *s)
{
    const int n = a->n; /* the mass of a coordinate is 1 */
    const double m = sqrt(a->mass), J = sqrt(a->J0[1]);

    compare("mass", 0.0, 1, 1, &a->mass, &b->mass, NULL, NULL);
    compare("s0", 0.0, 1, 3, a->s0, b->s0, NULL, NULL);
    compare("J0", 0.0, 1, PHX_MAX_PAIR, a->J0, b->J0, NULL, NULL);
    compare("S", m, 3, n, a->S, b->S, NULL, s);
    compare("C", J, 3, n, a->C, b->C, NULL, s);
    compare("j", J, PHX_MAX_PAIR, n, a->j, b->j, NULL, s);
    compare("M", 1.0, n, n, a->M, b->M, s, s);
    compare("K", 0.0, n, n, a->K, b->K, s, s);
    for (int k = 0; k < 3; k++)
        compare("A", 1.0, n, n, a->A[k], b->A[k], s, s);
    for (int k = 0; k < PHX_MAX_PAIR; k++)
        compare("Q", 1.0, n, n, a->Q[k], b->Q[k], s, s);
}

static void compare_points(const phx_flex_source *a, const phx_flex_source *b, const double *s)
{
    const phx_flex *flex = phx_flex_source_flex(a);

    for (int p = 0; p < PORTS; p++) {
        const phx_location at = {.sort = PHX_LOCATION_NAME, .name = (char *)ports[p]};
        phx_flex_point one = {.n = 0}, other = {.n = 0};
        CHECK_OK(context, phx_flex_source_point(a, context, &at, &one));
        CHECK_OK(context, phx_flex_source_point(b, context, &at, &other));
        assert_int_equal(one.n, other.n);
        compare("displacement of a port", 1.0 / sqrt(flex->mass), 3, one.n, one.phi, other.phi, NULL, s);
        compare("rotation of a port", 1.0 / sqrt(flex->J0[1]), 3, one.n, one.theta, other.theta, NULL, s);
        phx_flex_point_free(&one);
        phx_flex_point_free(&other);
    }
}

/* Signs of the coordinates, by the motion of a port, which all processes have. */
static void find_signs(const phx_flex_source *a, const phx_flex_source *b, double *s)
{
    const phx_location at = {.sort = PHX_LOCATION_NAME, .name = (char *)ports[1]};
    phx_flex_point one = {.n = 0}, other = {.n = 0};

    CHECK_OK(context, phx_flex_source_point(a, context, &at, &one));
    CHECK_OK(context, phx_flex_source_point(b, context, &at, &other));
    for (int k = 0; k < one.n; k++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++)
            sum += one.phi[c * one.n + k] * other.phi[c * one.n + k] +
                   1e-4 * one.theta[c * one.n + k] * other.theta[c * one.n + k];
        s[k] = sum < 0.0 ? -1.0 : 1.0;
    }
    phx_flex_point_free(&one);
    phx_flex_point_free(&other);
}

static void compare_with_one(const char *name, make_fn *make, phx_continuum_def def, phx_interface_kind second,
                             phx_ranks_method method)
{
    def.name = name;
    def.n_loads = 1;
    phx_context_set_ranks(context, NULL);
    phx_flex_source *alone = make_source(make, def, second);
    phx_ranks_set_method(ranks, method);
    phx_context_set_ranks(context, ranks);
    phx_flex_source *shared = make_source(make, def, second);
    phx_context_set_ranks(context, NULL);

    const phx_flex *a = phx_flex_source_flex(alone), *b = phx_flex_source_flex(shared);
    assert_int_equal(a->n, b->n);
    double *s = phx_calloc(context, (size_t)a->n, sizeof *s);
    find_signs(alone, shared, s);
    for (int k = 0; k < a->n; k++)
        CHECK_RELATIVE(phx_continuum_frequencies(shared)[k], phx_continuum_frequencies(alone)[k], same,
                       "frequency %d of the %s", k + 1, name);
    compare_flex(a, b, s);
    compare_points(alone, shared, s);
    if (phx_ranks_rank(ranks) == 0)
        compare("basis", 0.0, a->n, phx_continuum_model(alone)->n, phx_continuum_basis(alone),
                phx_continuum_basis(shared), s, NULL);
    else
        assert_null(phx_continuum_basis(shared));
    const phx_basis_quality *one = phx_continuum_quality(alone), *other = phx_continuum_quality(shared);
    CHECK_CLOSE(one->frequency, other->frequency, 1e-8, "error of the frequencies");
    CHECK_CLOSE(one->flexibility, other->flexibility, 1e-8, "error of the flexibility");
    phx_flex_source_destroy(alone);
    phx_flex_source_destroy(shared);
    phx_free(s);
}

static const phx_continuum_mass at_end = {.interface = 1, .mass = 0.1, .inertia = {1e-4, 0, 0, 0, 2e-4, 0, 0, 0, 3e-4}};
static const phx_continuum_def craig_bampton = {.basis = PHX_BASIS_CRAIG_BAMPTON,
                                                .modes = 6,
                                                .frame = PHX_FRAME_CHORD,
                                                .frame_at = {0, 1},
                                                .n_masses = 1,
                                                .masses = &at_end};
static const phx_continuum_def free_modes = {.basis = PHX_BASIS_FREE, .modes = 5, .statics = true};
static const phx_continuum_def held_modes = {
    .basis = PHX_BASIS_HELD, .modes = 4, .statics = true, .frame = PHX_FRAME_HELD};

static void solids_by_factors(void **state)
{
    (void)state;
    compare_with_one("block", make_block, craig_bampton, PHX_INTERFACE_RIGID, PHX_RANKS_MUMPS);
    compare_with_one("block", make_block, free_modes, PHX_INTERFACE_AVERAGE, PHX_RANKS_MUMPS);
    compare_with_one("block", make_block, held_modes, PHX_INTERFACE_AVERAGE, PHX_RANKS_MUMPS);
}

static void solids_by_multigrid(void **state)
{
    (void)state;
    compare_with_one("block", make_block, craig_bampton, PHX_INTERFACE_RIGID, PHX_RANKS_GAMG);
    compare_with_one("block", make_block, free_modes, PHX_INTERFACE_AVERAGE, PHX_RANKS_GAMG);
}

/* Steps of LOBPCG for ten modes of a block of cubes, k along its shortest side, free or held at x = 0. */
static int steps_for(int k, bool hold)
{
    const phx_box_mesh box = {.size = {0.3, 0.2, 0.1}, .elements = {3 * k, 2 * k, k}, .type = PHX_CELL_HEX20};
    enum { MODES = 10 };
    phx_solid_region region = {.group = NULL};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};
    elastic_space space;
    flexibility *with = NULL;
    double omega[MODES];

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    phx_ranks_set_method(ranks, PHX_RANKS_GAMG);
    phx_context_set_ranks(context, ranks);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    CHECK_OK(context, elastic_space_create(context, model, NULL, 0, NULL, &space));
    unsigned char *held = phx_calloc(context, (size_t)space.n_all, 1);
    for (int c = 0; c < space.n_all && hold; c++)
        held[c] = model->x[3 * model->node[space.unknown[c]]] < 1e-9;
    double *modes = phx_calloc(context, MODES * (size_t)space.n, sizeof *modes);
    CHECK_OK(context, flexibility_create(context, &space, held, &with));
    CHECK_OK(context, flexibility_modes(with, MODES, omega, modes));
    const int steps = flexibility_steps(with);
    flexibility_destroy(with);
    elastic_space_free(&space);
    phx_elastic_destroy(model);
    phx_free(held);
    phx_free(modes);
    phx_context_set_ranks(context, NULL);
    return steps;
}

static void steps_of_multigrid_do_not_grow(void **state)
{
    (void)state;
    const int coarse = steps_for(2, false), fine = steps_for(3, false);
    CHECK_BETWEEN(coarse, 1, 24, "steps of LOBPCG");
    CHECK_BETWEEN(fine, 1, coarse + 3, "steps of LOBPCG on the finer mesh");
    CHECK_BETWEEN(steps_for(2, true), 1, 24, "steps of LOBPCG, held");
}

static void plates_by_factors(void **state)
{
    (void)state;
    compare_with_one("plate", make_plate, craig_bampton, PHX_INTERFACE_RIGID, PHX_RANKS_MUMPS);
    compare_with_one("plate", make_plate, free_modes, PHX_INTERFACE_AVERAGE, PHX_RANKS_MUMPS);
}

static void matrices_by_factors(void **state)
{
    (void)state;
    compare_with_one("matrices", make_imported, craig_bampton, PHX_INTERFACE_RIGID, PHX_RANKS_MUMPS);
}

/* ---- what is refused ---- */
static void check_refused(make_fn *make, phx_ranks_method method, phx_continuum_def def, phx_status status,
                          const char *reason)
{
    phx_flex_source *source = NULL;

    phx_ranks_set_method(ranks, method);
    phx_context_set_ranks(context, ranks);
    def.name = "body";
    phx_elastic_model *model = make();
    CHECK_STATUS(context, phx_continuum_source_create(context, &def, model, 0, NULL, &source), status);
    CHECK_MESSAGE(context, reason);
    phx_elastic_destroy(model);
    phx_context_set_ranks(context, NULL);
}

static void what_one_process_makes_is_refused(void **state)
{
    (void)state;
    check_refused(make_block, PHX_RANKS_MUMPS,
                  (phx_continuum_def){.basis = PHX_BASIS_FREE, .modes = 2, .stiffening = true}, PHX_ERR_UNSUPPORTED,
                  "stiffening is made by one process");
    check_refused(make_block, PHX_RANKS_MUMPS, (phx_continuum_def){.basis = PHX_BASIS_ALL}, PHX_ERR_UNSUPPORTED,
                  "a basis of all unknowns");
    check_refused(make_block, PHX_RANKS_MUMPS, (phx_continuum_def){.basis = PHX_BASIS_FREE, .modes = 100000},
                  PHX_ERR_ARGUMENT, "modes is 100000, the body has");
    check_refused(make_plate, PHX_RANKS_GAMG, free_modes, PHX_ERR_UNSUPPORTED, "unknowns without mass");
}

static void a_failure_of_one_is_a_failure_of_all(void **state)
{
    const int last = phx_ranks_size(ranks) - 1;
    phx_status status = PHX_OK;

    (void)state;
    if (phx_ranks_rank(ranks) == last)
        status = phx_fail(context, PHX_ERR_MEMORY, "no room on the last");
    CHECK_STATUS(context, phx_ranks_agree(context, ranks, status), PHX_ERR_MEMORY);
    assert_string_equal(phx_context_message(context), "no room on the last");
    CHECK_OK(context, phx_ranks_agree(context, ranks, PHX_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_by_factors),
        cmocka_unit_test(solids_by_multigrid),
        cmocka_unit_test(steps_of_multigrid_do_not_grow),
        cmocka_unit_test(plates_by_factors),
        cmocka_unit_test(matrices_by_factors),
        cmocka_unit_test(what_one_process_makes_is_refused),
        cmocka_unit_test(a_failure_of_one_is_a_failure_of_all),
    };
    bool abort;

    if (phx_context_create(&context) || phx_ranks_open(context, &ranks)) {
        fprintf(stderr, "%s\n", phx_context_message(context));
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    (void)phx_ranks_reports(ranks, failures > 0, &abort);
    if (abort)
        phx_ranks_abort(ranks, 1);
    phx_ranks_close(ranks);
    phx_context_destroy(context);
    return failures;
}

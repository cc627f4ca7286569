/* Bases of elastic bodies: interfaces, frames, shape integrals, how well they hold a body. Plates, which know
 * translations, slopes without mass and unknowns that are held. */
#include "continuum/basis.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static phx_context *context;

static int set_up(void **state)
{
    (void)state;
    return phx_context_create(&context);
}

static int tear_down(void **state)
{
    (void)state;
    phx_context_destroy(context);
    return 0;
}

/* Square of side 1 m, D = 1 N m, 1 kg/m^2, with a membrane or not. */
static phx_elastic_model *square_plate(int n, bool membrane)
{
    phx_mesh mesh = {0};
    phx_elastic_model *model = NULL;
    const phx_rectangle_mesh rectangle = {.size = {1.0, 1.0}, .elements = {n, n}, .grading = {1.0, 1.0}};
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {.order = 1, .membrane = membrane, .n_regions = 1, .regions = &region};
    const double h = 0.01, nu = 0.3, young = 12.0 * (1.0 - nu * nu) / (h * h * h);

    phx_isotropic_section(young, nu, 1.0 / h, h, 5.0 / 6.0, &region.section);
    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    CHECK_OK(context, phx_plate_create(context, &mesh, &def, &model));
    return model;
}

static phx_interface edge(const phx_elastic_model *model, const char *group, phx_interface_kind kind)
{
    phx_interface interface;
    int count, *unknown;

    CHECK_OK(context, phx_elastic_group_unknowns(context, model, group, &count, &unknown));
    CHECK_OK(context, phx_interface_create(context, model, group, kind, NULL, count, unknown, &interface));
    phx_free(unknown);
    return interface;
}

/* Unknowns in the plane, which a plate without membrane holds. */
static unsigned char *plane_held(const phx_elastic_model *model)
{
    unsigned char *held = phx_calloc(context, (size_t)model->n, 1);

    for (int j = 0; j < model->n; j++)
        held[j] = model->component[j] == PHX_UNKNOWN_UX || model->component[j] == PHX_UNKNOWN_UY;
    return held;
}

/* ---- free modes ---- */
static void free_modes_of_a_square_plate(void **state)
{
    (void)state;
    static const double exact[] = {13.468197361255346, 19.596137357855536, 24.270200891782963,
                                   34.80089104929611,  34.80089104929879,  61.093234040723395};
    phx_elastic_model *model = square_plate(8, false);
    unsigned char *held = plane_held(model);
    const phx_continuum_def def = {.name = "plate", .basis = PHX_BASIS_FREE, .modes = 6, .held = held};
    phx_flex_source *source;

    CHECK_OK(context, phx_continuum_source_create(context, &def, model, 0, NULL, &source));
    const phx_flex *flex = phx_flex_source_flex(source);
    assert_int_equal(flex->n, 6);
    for (int k = 0; k < 6; k++)
        CHECK_CLOSE(phx_continuum_frequencies(source)[k], exact[k], 2e-3 * exact[k], "mode %d", k + 1);
    for (int k = 0; k < 3 * flex->n; k++) { /* mean axes */
        CHECK_CLOSE(flex->S[k], 0.0, 1e-11, "first moment %d", k);
        CHECK_CLOSE(flex->C[k], 0.0, 1e-11, "second moment %d", k);
    }
    CHECK_CLOSE(flex->mass, 1.0, 1e-13, "mass");
    CHECK_CLOSE(flex->s0[0], 0.5, 1e-13, "s0 x");
    CHECK_CLOSE(flex->s0[1], 0.5, 1e-13, "s0 y");
    CHECK_CLOSE(flex->J0[0], 1.0 / 3.0, 1e-12, "J xx"); /* about the corner */
    CHECK_CLOSE(flex->J0[2], 2.0 / 3.0, 1e-12, "J zz");
    CHECK_CLOSE(flex->J0[3], -0.25, 1e-12, "J xy");
    phx_flex_source_destroy(source);
    phx_free(held);
}

/* ---- kinetic energy of any motion ---- */
/* v + w x (x + u) + u_dot at every node, as unknowns. */
static void velocity_field(const phx_elastic_model *model, const double *v, const double *w, const double *u,
                           const double *u_dot, double *field)
{
    const size_t n = (size_t)model->n;

    for (size_t j = 0; j < n; j++) {
        field[j] = u_dot[j];
        for (size_t k = 0; k < 3; k++)
            field[j] += v[k] * model->rigid[k * n + j] + w[k] * model->rigid[(3 + k) * n + j];
    }
    for (int node = 0; node < model->n_nodes; node++) {
        double own[3] = {0}, turned[3];
        for (int j = 0; j < model->n; j++)
            if (model->node[j] == node)
                own[model->component[j]] = u[j];
        phx_rot_x_vec(3, w, own, turned);
        for (int j = 0; j < model->n; j++)
            if (model->node[j] == node)
                field[j] += turned[model->component[j]];
    }
}

static double kinetic_energy(const phx_flex *flex, const double *v, const double *w, const double *q,
                             const double *q_dot)
{
    static const int first[] = {0, 1, 2, 0, 0, 1}, second[] = {0, 1, 2, 1, 2, 2};
    const int n = flex->n;
    double s[3], J[6], turned[3], energy = 0.0;

    for (int a = 0; a < 3; a++) {
        s[a] = flex->s0[a];
        for (int i = 0; i < n; i++)
            s[a] += flex->S[a * n + i] * q[i];
        energy += 0.5 * flex->mass * v[a] * v[a];
    }
    phx_rot_x_vec(3, w, s, turned);
    for (int a = 0; a < 3; a++) {
        energy += v[a] * turned[a];
        for (int i = 0; i < n; i++)
            energy += (v[a] * flex->S[a * n + i] + w[a] * flex->C[a * n + i]) * q_dot[i];
    }
    for (int p = 0; p < 6; p++) {
        J[p] = flex->J0[p];
        for (int i = 0; i < n; i++) {
            J[p] += flex->j[p * n + i] * q[i];
            for (int k = 0; k < n; k++)
                J[p] += 0.5 * q[i] * flex->Q[p][i * n + k] * q[k];
        }
        energy += (first[p] == second[p] ? 0.5 : 1.0) * J[p] * w[first[p]] * w[second[p]];
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            energy += 0.5 * q_dot[i] * flex->M[i * n + k] * q_dot[k];
            for (int a = 0; a < 3; a++)
                energy += w[a] * q[i] * flex->A[a][i * n + k] * q_dot[k];
        }
    return energy;
}

/* T of the floating body is 1/2 u'^T M u' of the field, for any rigid motion and large deformation. */
static void check_energy(const phx_elastic_model *model, const phx_flex *flex, const double *Phi)
{
    const size_t n = (size_t)model->n;
    uint64_t seed = 7;
    double v[3], w[3], q[64], q_dot[64];
    double *u = phx_calloc(context, 3 * n, sizeof *u), *u_dot = u + n, *field = u + 2 * n;
    double *product = phx_calloc(context, n, sizeof *product), energy = 0.0;

    for (int a = 0; a < 3; a++) {
        v[a] = random_value(&seed);
        w[a] = random_value(&seed);
    }
    assert_true(flex->n <= 64);
    for (int i = 0; i < flex->n; i++) {
        q[i] = random_value(&seed);
        q_dot[i] = random_value(&seed);
        for (size_t j = 0; j < n; j++) {
            u[j] += q[i] * Phi[(size_t)i * n + j];
            u_dot[j] += q_dot[i] * Phi[(size_t)i * n + j];
        }
    }
    for (size_t j = 0; j < n; j++)
        if (model->component[j] == PHX_UNKNOWN_OTHER)
            u[j] = u_dot[j] = 0.0; /* without mass */
    velocity_field(model, v, w, u, u_dot, field);
    phx_csr_apply(&model->M, 1.0, field, product);
    for (size_t j = 0; j < n; j++)
        energy += 0.5 * field[j] * product[j];
    CHECK_CLOSE(kinetic_energy(flex, v, w, q, q_dot), energy, 1e-12 * energy, "kinetic energy");
    phx_free(u);
    phx_free(product);
}

/* ---- interfaces and frames ---- */
static bool moves(const phx_flex_point *point, int k)
{
    return point->phi[k] != 0.0 || point->phi[point->n + k] != 0.0 || point->phi[2 * point->n + k] != 0.0;
}

/* The first and the last columns that are said to be zero are all that are; `held`: so are the others. */
static void check_still(const phx_flex_point *point, bool held)
{
    const int first = point->zero_columns[0], end = point->n - point->zero_columns[1];

    assert_int_equal(first == point->n, held);
    for (int k = 0; k < point->n; k++)
        assert_false((k < first || k >= end) && moves(point, k));
    assert_true(held || (moves(point, first) && moves(point, end - 1)));
}

static void craig_bampton_between_two_edges(void **state)
{
    (void)state;
    static const phx_frame_kind frames[] = {PHX_FRAME_MEAN, PHX_FRAME_HELD, PHX_FRAME_CHORD};

    for (int f = 0; f < 3; f++) {
        phx_elastic_model *model = square_plate(4, true);
        phx_interface interfaces[2] = {edge(model, "x0", PHX_INTERFACE_RIGID), edge(model, "x1", PHX_INTERFACE_RIGID)};
        const phx_continuum_def def = {
            .name = "plate", .basis = PHX_BASIS_CRAIG_BAMPTON, .modes = 6, .frame = frames[f], .frame_at = {0, 1}};
        phx_flex_source *source;
        phx_flex_point ends[2];

        CHECK_OK(context, phx_continuum_source_create(context, &def, model, 2, interfaces, &source));
        const phx_flex *flex = phx_flex_source_flex(source);
        assert_int_equal(flex->n, 12);
        check_energy(model, flex, phx_continuum_basis(source));
        for (int i = 0; i < 2; i++) {
            const phx_location location = phx_location_of_name(i ? "x1" : "x0");
            CHECK_OK(context, phx_flex_source_point(source, context, &location, &ends[i]));
        }
        check_still(&ends[0], f > 0);
        check_still(&ends[1], false);
        for (int k = 0; k < flex->n; k++) {
            const double size = 1e-9;
            for (int a = 0; a < 3 && f > 0; a++)
                CHECK_CLOSE(ends[0].phi[a * 12 + k], 0.0, size, "shape %d, displacement %d of the first end", k, a);
            for (int a = 0; a < 3 && f == 1; a++)
                CHECK_CLOSE(ends[0].theta[a * 12 + k], 0.0, size, "shape %d, rotation %d of the first end", k, a);
            if (f == 2) {
                CHECK_CLOSE(ends[0].theta[k], 0.0, size, "twist, shape %d", k);
                CHECK_CLOSE(ends[1].phi[12 + k], 0.0, size, "second end across, shape %d", k);
                CHECK_CLOSE(ends[1].phi[24 + k], 0.0, size, "second end across, shape %d", k);
            }
        }
        phx_flex_point_free(&ends[0]);
        phx_flex_point_free(&ends[1]);
        phx_flex_source_destroy(source);
    }
}

/* Modes of a plate held at one edge hold the other one badly, free ones with statics well: the figure that warns. */
static void quality_tells_bases_apart(void **state)
{
    (void)state;
    double error[2];

    for (int good = 0; good < 2; good++) {
        phx_elastic_model *model = square_plate(4, true);
        phx_interface interfaces[2] = {edge(model, "x0", PHX_INTERFACE_RIGID), edge(model, "x1", PHX_INTERFACE_RIGID)};
        const phx_continuum_def def = {.name = "plate",
                                       .basis = good ? PHX_BASIS_FREE : PHX_BASIS_HELD,
                                       .modes = 8,
                                       .statics = good,
                                       .frame = PHX_FRAME_HELD};
        phx_flex_source *source;

        CHECK_OK(context, phx_continuum_source_create(context, &def, model, 2, interfaces, &source));
        error[good] = phx_continuum_quality(source)->frequency;
        if (good)
            assert_true(phx_continuum_quality(source)->flexibility < 1e-9);
        check_energy(model, phx_flex_source_flex(source), phx_continuum_basis(source));
        phx_flex_source_destroy(source);
    }
    assert_true(error[0] > 0.1);
    assert_true(error[1] < 0.02);
}

/* An average does not stiffen: free frequencies are those without it. A rigid one does. */
static void average_does_not_stiffen(void **state)
{
    (void)state;
    double first[3];

    for (int pass = 0; pass < 3; pass++) {
        phx_elastic_model *model = square_plate(4, true);
        phx_interface interface = edge(model, "x1", pass == 2 ? PHX_INTERFACE_RIGID : PHX_INTERFACE_AVERAGE);
        const phx_continuum_def def = {.name = "plate", .basis = PHX_BASIS_FREE, .modes = 4, .statics = true};
        phx_flex_source *source;

        if (pass == 0)
            phx_interface_free(&interface);
        CHECK_OK(context, phx_continuum_source_create(context, &def, model, pass > 0, &interface, &source));
        first[pass] = phx_continuum_frequencies(source)[0];
        phx_flex_source_destroy(source);
    }
    CHECK_CLOSE(first[1], first[0], 1e-9 * first[0], "first frequency");
    assert_true(first[2] > 1.01 * first[0]);
}

/* All unknowns: the frequencies of the plate, and its momentum. */
static void all_unknowns(void **state)
{
    (void)state;
    phx_elastic_model *model = square_plate(2, false);
    unsigned char *held = plane_held(model);
    const phx_continuum_def all = {.name = "plate", .basis = PHX_BASIS_ALL, .held = held};
    const phx_continuum_def modes = {.name = "plate", .basis = PHX_BASIS_FREE, .modes = 5, .held = held};
    phx_flex_source *sources[2];

    CHECK_OK(context, phx_continuum_source_create(context, &all, model, 0, NULL, &sources[0]));
    model = square_plate(2, false);
    CHECK_OK(context, phx_continuum_source_create(context, &modes, model, 0, NULL, &sources[1]));
    assert_int_equal(phx_flex_source_flex(sources[0])->n, 25 - 3); /* deflections without rigid motions; no slopes */
    for (int k = 0; k < 5; k++)
        CHECK_CLOSE(phx_continuum_frequencies(sources[0])[k], phx_continuum_frequencies(sources[1])[k],
                    1e-9 * phx_continuum_frequencies(sources[1])[k], "mode %d", k + 1);
    phx_flex_source_destroy(sources[0]);
    phx_flex_source_destroy(sources[1]);
    phx_free(held);
}

/* Three unit vectors across each other, e[2] in a random direction. */
static void random_frame(uint64_t *seed, double e[3][3])
{
    double size;
    random_vector(seed, 3, 1.0, e[2]);
    size = sqrt(e[2][0] * e[2][0] + e[2][1] * e[2][1] + e[2][2] * e[2][2]);
    for (int i = 0; i < 3; i++)
        e[2][i] /= size;
    size = hypot(e[2][1], e[2][2]);
    e[0][0] = 0.0;
    e[0][1] = -e[2][2] / size;
    e[0][2] = e[2][1] / size;
    for (int i = 0; i < 3; i++)
        e[1][i] = e[2][(i + 1) % 3] * e[0][(i + 2) % 3] - e[2][(i + 2) % 3] * e[0][(i + 1) % 3];
}

/* Nodes anywhere on a bore, of any direction, length and number, at both ends too: its middle. Nodes on a third of it,
 * on a ball, and off it by more than rounding have no such place. */
static void bores_have_their_middle(void **state)
{
    enum { NODES = 90 };
    static const double lengths[] = {0.0, 0.2, 1.0, 2.4494897427831781, 6.0}; /* of the radius; 0: a circle */
    uint64_t seed = 7;
    (void)state;
    for (int k = 0; k < 40; k++) {
        const double R = pow(10.0, random_value(&seed)), length = R * lengths[k % 5];
        double e[3][3], at[3], x[3 * NODES], middle[3];
        random_frame(&seed, e);
        random_vector(&seed, 3, 5.0 * R, at);
        for (int what = 0; what < 4; what++) { /* full, a third, a ball, off it */
            const int count = k % 2 ? NODES : 24;
            for (int i = 0; i < count; i++) {
                const double turn =
                    (i < 24 ? i / 12.0 - 1.0 : random_value(&seed)) * TEST_PI * (what == 1 ? 1.0 / 3.0 : 1.0);
                const double s = i < 2 ? i - 0.5 : 0.5 * random_value(&seed);
                const double r = what == 2   ? R * sqrt(1.0 - s * s)
                                 : what == 3 ? R * (1.0 + 0.01 * random_value(&seed))
                                             : R;
                for (int a = 0; a < 3; a++)
                    x[3 * i + a] = at[a] + r * (cos(turn) * e[0][a] + sin(turn) * e[1][a]) +
                                   s * (what == 2 ? 2.0 * R : length) * e[2][a];
            }
            assert_int_equal(bore_middle(context, count, x, middle), what == 0);
            for (int a = 0; a < 3 && what == 0; a++)
                CHECK_CLOSE(middle[a], at[a], 1e-9 * R, "bore %d of the length %g", k, length / R);
        }
    }
}

/* The nodes of a flat face, in rows of any distances, are on no bore, though two rows are always on a cylinder. */
static void flat_faces_are_no_bores(void **state)
{
    enum { ROWS = 6, EACH = 8 };
    static const double rows[][ROWS] = {{0, 1, 2, 4}, {0, 1, 2, 4.5}, {0, 1}, {0, 2, 3, 4, 5, 7}, {0, 1, 3, 3.5, 8, 9}};
    static const int counts[] = {4, 4, 2, 6, 6};

    for (int k = 0; k < 5; k++) {
        double x[3 * ROWS * EACH], middle[3];
        for (int r = 0; r < counts[k]; r++)
            for (int i = 0; i < EACH; i++) {
                double *at = x + 3 * (r * EACH + i);
                at[0] = 0.3 * i;
                at[1] = rows[k][r];
                at[2] = 1.0 + 0.2 * at[0] - 0.5 * at[1];
            }
        assert_false(bore_middle(*state, counts[k] * EACH, x, middle));
    }
}

/* A node of an unstructured mesh of a bore of the radius R and the length L about e[2], i of count: in the arc that is
 * meshed, on the edges of it, and between. A chamfer has rings outside of it, an inclined plane cuts the upper end. */
static void bore_node(uint64_t *seed, int i, int count, double R, double L, double arc, double chamfer, double slope,
                      double x[3])
{
    const int rings = chamfer > 0.0 ? 4 : 2, on_ring = count / 7;
    const int ring = i < rings * on_ring ? i / on_ring : -1;
    const double turn = arc * (ring < 0 ? 0.5 * random_value(seed) : (i % on_ring) / (on_ring - 1.0) - 0.5);
    const double top = L * (0.5 + slope * cos(turn)), r = ring >= 2 ? R + chamfer : R;
    const double z = ring < 0 ? 0.5 * random_value(seed) + 0.5 : ring % 2, out = ring == 2   ? -1.0
                                                                                 : ring == 3 ? 1.0
                                                                                             : 0.0;
    const double place[3] = {r * cos(turn), r * sin(turn), -0.5 * L + z * (top + 0.5 * L) + out * chamfer};
    memcpy(x, place, sizeof place);
}

/* The place of a port on a bore lies on its axis, to 1e-6 of the radius: bores of full and of half a turn, chamfered at
 * both ends, cut by an inclined plane. The mean of the nodes does not. */
static void ports_lie_on_the_axes_of_bores(void **state)
{
    enum { NODES = 420 };
    static const struct {
        int nodes;
        double length, arc, chamfer, slope; /* of the radius; of a turn */
    } bores[] = {{70, 1.0, 1.0, 0.0, 0.0},   {420, 3.0, 1.0, 0.0, 0.0},  {70, 0.5, 1.0, 0.1, 0.0},
                 {210, 2.0, 1.0, 0.2, 0.0},  {70, 2.0, 1.0, 0.0, 0.15},  {420, 1.0, 1.0, 0.05, 0.3},
                 {70, 1.5, 0.5, 0.0, 0.0},   {140, 0.3, 0.6, 0.0, 0.1},  {210, 1.0, 0.5, 0.1, 0.0},
                 {420, 4.0, 0.75, 0.1, 0.1}, {140, 0.05, 0.7, 0.0, 0.0}, {210, 8.0, 0.5, 0.0, 0.2}};
    uint64_t seed = 11;
    for (size_t k = 0; k < sizeof bores / sizeof *bores; k++)
        for (int trial = 0; trial < 20; trial++) {
            const int count = bores[k].nodes;
            double e[3][3], at[3], x[3 * NODES], middle[3], mean[3] = {0.0}, away = 0.0;
            random_frame(&seed, e);
            random_vector(&seed, 3, 10.0, at);
            for (int i = 0; i < count; i++) {
                double y[3];
                bore_node(&seed, i, count, 1.0, bores[k].length, 2.0 * TEST_PI * bores[k].arc, bores[k].chamfer,
                          bores[k].slope, y);
                for (int a = 0; a < 3; a++) {
                    x[3 * i + a] = at[a] + y[0] * e[0][a] + y[1] * e[1][a] + y[2] * e[2][a];
                    mean[a] += x[3 * i + a] / count;
                }
            }
            assert_true(bore_middle(*state, count, x, middle));
            for (int axis = 0; axis < 2; axis++) {
                double d[2] = {0.0};
                for (int a = 0; a < 3; a++) {
                    d[0] += (middle[a] - at[a]) * e[axis][a];
                    d[1] += (mean[a] - at[a]) * e[axis][a];
                }
                CHECK_CLOSE(d[0], 0.0, 1e-6, "bore %d, trial %d, from its axis", (int)k, trial);
                away = hypot(away, d[1]);
            }
            assert_true(away > 1e-4);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(free_modes_of_a_square_plate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(craig_bampton_between_two_edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quality_tells_bases_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(average_does_not_stiffen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_unknowns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bores_have_their_middle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ports_lie_on_the_axes_of_bores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(flat_faces_are_no_bores, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

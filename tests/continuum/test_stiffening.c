/* Geometric stiffening of plates and solids: strains of second order of all elements, and what a basis makes of them.
 */
#include "continuum/stiffening.h"
#include "plates.h"
#include "solids.h"

#include <math.h>
#include <string.h>

enum { SHAPES = 3, PAIRS = SHAPES * (SHAPES + 1) / 2 };

/* ---- models ---- */
typedef struct subject {
    char name[40];
    phx_elastic_model *model;
} subject;
enum { PLATES = 5, SUBJECTS = PLATES + SOLID_TYPES };

static phx_elastic_model *solid_of(phx_context *context, const solid_type *type, double young)
{
    const double size[3] = {1.0, 0.2, 0.1};
    phx_solid_material material = steel();
    phx_mesh mesh = box_mesh(context, size, 4, 2, 2, type->cell, BOX_DISTORTED);

    phx_isotropic_material(young, 0.3, 1000.0, &material);
    return solid_model(context, &mesh, &material, type->rule, false);
}

static subject make(phx_context *context, int which)
{
    subject it = {.model = NULL};

    if (which < PLATES) {
        plate_case def = unit_plate(3, 0.3);
        def.membrane = true;
        def.theory = which < 3 ? PHX_PLATE_KIRCHHOFF : PHX_PLATE_MINDLIN;
        def.order = which < 3 ? which : which - 2;
        def.distorted = 0.1;
        phx_isotropic_section(1e9, 0.3, 1000.0, 0.01, 5.0 / 6.0, &def.section);
        it.model = make_plate(context, &def);
        snprintf(it.name, sizeof it.name, "%s plate, order %d", which < 3 ? "Kirchhoff" : "Mindlin", def.order);
    } else {
        const solid_type *type = &solid_types[which - PLATES];
        it.model = solid_of(context, type, 1e9);
        snprintf(it.name, sizeof it.name, "%s", type->name);
    }
    return it;
}

/* ---- strains ---- */
/* L2^-1 (D u + 1/2 N(s, s)) of element e, and L2^-1 N(s, s) alone; false: no strains of second order. */
static bool strains(phx_context *context, const phx_elastic_model *model, int e, const double *u, const double *s,
                    phx_element_matrices *m, double *strain, double *second)
{
    const int *unknown = model->unknown + model->first_unknown[e];
    const bool any = model->ops->second_order(model, e, 1, s, second);

    CHECK_OK(context, phx_elastic_root(context, model, e, m));
    if (any)
        phx_elastic_root_rows(m, 1, second);
    for (int r = 0; r < m->n_stresses; r++) {
        strain[r] = any ? 0.5 * second[r] : 0.0;
        for (int j = 0; j < m->n_unknowns; j++)
            strain[r] += m->D[r * m->n_unknowns + j] * u[unknown[j]];
    }
    return any;
}

/* The energy of all strains, and that of the parts of second order alone, of the elements that have these. */
static double energy_of(phx_context *context, const phx_elastic_model *model, const double *u, const double *s,
                        double *second_alone)
{
    phx_element_matrices m;
    void *room = NULL;
    double *strain = calloc(2 * (size_t)model->most_stresses, sizeof *strain), *second, energy = 0.0;

    assert_non_null(strain);
    second = strain + model->most_stresses;
    CHECK_OK(context, phx_elastic_element_room(context, model, &m, &room));
    *second_alone = 0.0;
    for (int e = 0; e < model->n_elements; e++) {
        const bool any = strains(context, model, e, u, s, &m, strain, second);
        for (int r = 0; r < m.n_stresses; r++) {
            energy += 0.5 * strain[r] * strain[r];
            *second_alone += any ? 0.125 * second[r] * second[r] : 0.0;
        }
    }
    phx_free(room);
    free(strain);
    return energy;
}

/* Finite rotations have strains of fourth order: those of second order cancel what sym grad u has of that order. */
static void rotations_make_no_strain(void **state)
{
    phx_context *context = *state;

    for (int which = 0; which < SUBJECTS; which++) {
        subject it = make(context, which);
        const size_t n = (size_t)it.model->n;
        double *u = calloc(n, sizeof *u), share[2];
        for (int axis = 0; axis < 3; axis++) {
            for (int half = 0; half < 2; half++) {
                const double angle = half ? 0.05 : 0.1, c = cos(angle) - 1.0, s = sin(angle);
                const int a = (axis + 1) % 3, b = (axis + 2) % 3;
                for (size_t j = 0; j < n; j++) { /* R x - x: a turns to b */
                    const double *x = it.model->node[j] < 0 ? NULL : it.model->x + 3 * it.model->node[j];
                    const int k = it.model->component[j];
                    u[j] = k == a && x ? c * x[a] - s * x[b] : k == b && x ? s * x[a] + c * x[b] : 0.0;
                    if (which < PLATES && k == PHX_UNKNOWN_OTHER) /* slopes of edges, rotations: linear */
                        u[j] = s * it.model->rigid[(3 + (size_t)axis) * n + j];
                }
                double second;
                share[half] = energy_of(context, it.model, u, u, &second) / second;
            }
            /* about (angle^4/8)^2 over (angle^2/2)^2, each part of second order cancelling */
            CHECK_BELOW(share[0], 1e-4, "%s: energy of a turn by 0.1 about axis %d", it.name, axis);
            CHECK_CLOSE(log2(share[0] / share[1]), 4.0, 0.05, "%s: order of it, axis %d", it.name, axis);
        }
        free(u);
        phx_elastic_destroy(it.model);
    }
}

/* sigma^T N(v, u) by the force of a stress. */
static void stresses_do_the_work_of_their_strains(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;

    for (int which = 0; which < SUBJECTS; which++) {
        subject it = make(context, which);
        const phx_elastic_model *model = it.model;
        const size_t n = (size_t)model->n, stresses = (size_t)model->most_stresses;
        double *u = calloc(3 * n + 4 * stresses, sizeof *u), *force = u + 2 * n, *rows = force + n;
        double *sigma = rows + 3 * stresses;
        double work = 0.0, want = 0.0;
        random_vector(&seed, 2 * model->n, 1e-3, u);
        for (int e = 0; e < model->n_elements; e++) {
            random_vector(&seed, (int)stresses, 1.0, sigma);
            model->ops->second_order_force(model, e, sigma, u + n, force);
            const int count = model->first_stress[e + 1] - model->first_stress[e];
            if (model->ops->second_order(model, e, 2, u, rows)) /* 00 01 11 */
                for (int r = 0; r < count; r++)
                    want += sigma[r] * rows[3 * r + 1];
        }
        for (size_t j = 0; j < n; j++)
            work += u[j] * force[j];
        CHECK_RELATIVE(work, want, 1e-10, "%s: work of the stresses", it.name);
        free(u);
        phx_elastic_destroy(it.model);
    }
}

/* ---- in a basis ---- */
/* Beside 1/2 q^T K q. */
static double of_strains(const phx_flex_stiffening *st, const double *q)
{
    double energy = 0.0;

    for (int k = 0; k < st->n_strain; k++) {
        double lin = 0.0, quad = 0.0;
        for (int e = st->lin.ptr[k]; e < st->lin.ptr[k + 1]; e++)
            lin += st->lin.val[e] * q[st->lin.idx[e]];
        for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
            quad += 0.5 * st->weight[p] * q[st->first[p]] * q[st->second[p]];
        energy += st->stiffness[k] * quad * (lin + 0.5 * quad);
    }
    return energy;
}

static phx_flex_source *source_of(phx_context *context, const char *name, phx_elastic_model *model, const char *group,
                                  int modes)
{
    const phx_continuum_def def = {
        .name = name, .basis = PHX_BASIS_CRAIG_BAMPTON, .modes = modes, .frame = PHX_FRAME_HELD, .stiffening = true};
    phx_interface interface;
    phx_flex_source *source = NULL;
    int count, *unknown;

    CHECK_OK(context, phx_elastic_group_unknowns(context, model, group, &count, &unknown));
    CHECK_OK(context,
             phx_interface_create(context, model, group, PHX_INTERFACE_RIGID, NULL, count, unknown, &interface));
    phx_free(unknown);
    CHECK_OK(context, phx_continuum_source_create(context, &def, model, 1, &interface, &source));
    return source;
}

/* The energy of the strains of second order is in the basis that of the sum over all integration points. */
static void the_basis_has_the_energy_of_the_mesh(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 6;

    for (int which = 0; which < SUBJECTS; which++) {
        subject it = make(context, which);
        phx_flex_source *source = source_of(context, it.name, it.model, "x0", 5);
        const phx_flex *flex = phx_flex_source_flex(source);
        const double *Phi = phx_continuum_basis(source);
        const size_t n = (size_t)it.model->n;
        double *u = calloc(3 * n, sizeof *u), *s = u + n, *none = s + n, *q = calloc((size_t)flex->n, sizeof *q);
        assert_true(flex->stiffening && flex->stiffening->in_basis);
        for (int trial = 0; trial < 3; trial++) {
            double second, size = trial == 0 ? 0.3 : trial == 1 ? 3.0 : 30.0;
            random_vector(&seed, flex->n, size, q);
            memset(u, 0, 2 * n * sizeof *u);
            for (int k = 0; k < flex->n; k++) { /* some J each */
                q[k] /= phx_continuum_frequencies(source)[k];
                for (size_t j = 0; j < n; j++)
                    u[j] += q[k] * Phi[(size_t)k * n + j];
                for (size_t j = 0; k < flex->stiffening->n_slope && j < n; j++)
                    s[j] += q[k] * Phi[(size_t)k * n + j];
            }
            const double all = energy_of(context, it.model, u, s, &second);
            const double linear = energy_of(context, it.model, u, none, &second);
            CHECK_CLOSE(of_strains(flex->stiffening, q), all - linear, 1e-12 * all, "%s: %.2g of the energy", it.name,
                        1.0 - linear / all);
        }
        free(u);
        free(q);
        phx_flex_source_destroy(source);
    }
}

/* A deflection costs no membrane energy: with everything else free to follow, what is left of the energy of fourth
 * order that the deflection has by itself. */
static void a_deflection_does_not_lock(void **state)
{
    phx_context *context = *state;
    plate_case def = unit_plate(6, 0.0); /* it bends to a cylinder */
    def.membrane = true;
    def.size[1] = 0.25; /* longer than wide, so that its first mode bends */
    phx_isotropic_section(1e9, 0.0, 1000.0, 0.01, 5.0 / 6.0, &def.section);
    phx_flex_source *source = source_of(context, "plate", make_plate(context, &def), "x0", 10);
    const phx_flex *flex = phx_flex_source_flex(source);
    const phx_flex_stiffening *st = flex->stiffening;
    double *force = calloc((size_t)flex->n, sizeof *force), own = 0.0, followed = 0.0;

    for (int k = 0; k < st->n_strain; k++) { /* the first mode, of unit amplitude */
        double quad = 0.0;
        for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
            quad += st->first[p] == 0 && st->second[p] == 0 ? 0.5 * st->weight[p] : 0.0;
        own += 0.5 * quad * quad;
        for (int e = st->lin.ptr[k]; e < st->lin.ptr[k + 1]; e++)
            force[st->lin.idx[e]] += quad * st->lin.val[e];
    }
    for (int i = 0; i < flex->n; i++)
        followed += 0.5 * force[i] * force[i] / flex->K[i * flex->n + i];
    print_message("of the energy of fourth order %.3g stays, %d coordinates, %d strains\n", 1.0 - followed / own,
                  flex->n, st->n_strain);
    CHECK_BETWEEN(1.0 - followed / own, 0.0, 1e-4, "what a deflection keeps of its membrane energy");
    free(force);
    phx_flex_source_destroy(source);
}

/* Some shapes of plates of order 0 have no mass, those that turn a straight edge of a joined port about itself: they
 * are no modes that shapes follow. Two ports, on opposite edges of a coarse mesh. */
static void shapes_without_mass_are_not_followed(void **state)
{
    phx_context *context = *state;
    plate_case def = unit_plate(3, 0.3);
    const char *const groups[] = {"x0", "x1"};
    const phx_continuum_def basis = {.name = "plate",
                                     .basis = PHX_BASIS_CRAIG_BAMPTON,
                                     .modes = 4,
                                     .frame = PHX_FRAME_CHORD,
                                     .frame_at = {0, 1},
                                     .stiffening = true};
    phx_interface interfaces[2];
    phx_flex_source *source = NULL;

    def.size[0] = 0.2;
    def.size[1] = 0.1;
    def.elements[1] = 2;
    def.membrane = true;
    def.order = 0;
    phx_isotropic_section(2.1e11, 0.3, 7800.0, 0.01, 5.0 / 6.0, &def.section);
    phx_elastic_model *model = make_plate(context, &def);
    for (int i = 0; i < 2; i++) {
        int count, *unknown;
        CHECK_OK(context, phx_elastic_group_unknowns(context, model, groups[i], &count, &unknown));
        CHECK_OK(context, phx_interface_create(context, model, groups[i], PHX_INTERFACE_RIGID, NULL, count, unknown,
                                               &interfaces[i]));
        phx_free(unknown);
    }
    CHECK_OK(context, phx_continuum_source_create(context, &basis, model, 2, interfaces, &source));
    assert_true(phx_flex_source_flex(source)->stiffening->n_slope > 4);
    phx_flex_source_destroy(source);
}

static void what_it_refuses(void **state)
{
    phx_context *context = *state;
    static const phx_elastic_ops bare = {.kind = "imported body"};
    const phx_elastic_model model = {.ops = &bare};

    CHECK_STATUS(context, continuum_can_stiffen(context, "crank", &model), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "'crank'");
    CHECK_MESSAGE(context, "M and K say nothing of strains of second order");

    plate_case large = unit_plate(6, 0.3);
    large.membrane = true;
    phx_isotropic_section(1e9, 0.3, 1000.0, 0.01, 5.0 / 6.0, &large.section);
    phx_elastic_model *plate = make_plate(context, &large);
    const phx_continuum_def def = {
        .name = "many", .basis = PHX_BASIS_FREE, .modes = PHX_STRAIN_SLOPES + 1, .stiffening = true};
    phx_flex_source *source = NULL;
    CHECK_STATUS(context, phx_continuum_source_create(context, &def, plate, 0, NULL, &source), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "'many': stiffening of a body with ");
    phx_elastic_destroy(plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rotations_make_no_strain, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stresses_do_the_work_of_their_strains, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_basis_has_the_energy_of_the_mesh, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_deflection_does_not_lock, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(shapes_without_mass_are_not_followed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_it_refuses, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Beams in bases for their interfaces. A basis does not depend on the reference condition; Craig and Bampton's has the
 * static flexibility of the interfaces and the lowest frequencies with all of them held, as the full beam has them with
 * the coordinates there left out; Krylov's matches twice as many moments of the response as it has; effective masses
 * find axial modes. */
#include "fe/fe.h"
#include "fe/source.h"

#include "reduce/reduce.h"
#include "support.h"

enum { MOST = 200, RIGID = 6, PLACES = 3 };
static const double places[PLACES] = {0.0, 1.0, 0.375};

static phx_beam_def basis_def(int dim, phx_reference reference, phx_beam_basis basis, int modes, int moments, int n)
{
    phx_beam_def def = test_def(dim, 3, reference, 8);

    def.basis = basis;
    def.modes = modes;
    def.moments = moments;
    def.n_interfaces = n;
    def.interfaces = places;
    return def;
}

/* ---- the free body ---- */
/* Frequencies of the body whose frame is free, above those of its rigid motions, ascending. */
static int free_frequencies(phx_context *context, const phx_flex *flex, double *omega)
{
    const int r = flex->dim + flex->n_rot, n = r + flex->n;
    const size_t size = (size_t)n * (size_t)n;
    double *M = phx_calloc(context, 3 * size + (size_t)n, sizeof *M), *K = M + size, *values = M + 2 * size;
    double *modes = values + n;

    assert_non_null(M);
    phx_flex_mass_matrix(flex, M);
    for (int i = 0; i < flex->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            K[(r + i) * n + r + flex->idx[e]] = flex->K[e];
    CHECK_OK(context, phx_dense_eigen_symmetric(context, n, K, M, values, modes));
    for (int k = r; k < n; k++)
        omega[k - r] = sqrt(values[k]);
    phx_free(M);
    return flex->n;
}

static void a_basis_does_not_depend_on_the_reference(void **state)
{
    static const phx_reference references[3] = {PHX_REFERENCE_CANTILEVER, PHX_REFERENCE_SIMPLY_SUPPORTED,
                                                PHX_REFERENCE_FREE};
    phx_context *context = *state;

    for (int c = 0; c < 8; c++) {
        const int dim = 2 + c % 2, n = 2 + c / 4;
        const phx_beam_basis basis = c / 2 % 2 ? PHX_BEAM_BASIS_KRYLOV : PHX_BEAM_BASIS_CRAIG_BAMPTON;
        double omega[3][MOST];
        int count[3];
        for (int k = 0; k < 3; k++) {
            const phx_beam_def def = basis_def(dim, references[k], basis, 3, 2, n);
            phx_beam *beam = test_beam(context, &def);
            count[k] = free_frequencies(context, phx_flex_source_flex(beam), omega[k]);
            phx_flex_source_destroy(beam);
        }
        assert_true(count[0] > 3 && count[1] == count[0] && count[2] == count[0]);
        for (int k = 1; k < 3; k++)
            for (int i = 0; i < count[0]; i++)
                CHECK_RELATIVE(omega[k][i], omega[0][i], 1e-8, "case %d, %s, frequency %d", c,
                               reference_name(references[k]), i + 1);
    }
}

/* All modes, or as many moments as it takes: the beam itself. */
static void a_large_basis_is_the_beam(void **state)
{
    phx_context *context = *state;

    for (int c = 0; c < 4; c++) {
        const int dim = 2 + c % 2;
        phx_beam_def def = basis_def(dim, PHX_REFERENCE_CANTILEVER, PHX_BEAM_BASIS_CRAIG_BAMPTON, 0, 20, 2);
        double omega[2][MOST];
        phx_beam *full, *reduced;
        phx_beam_def plain = test_def(dim, 3, PHX_REFERENCE_CANTILEVER, 8);
        full = test_beam(context, &plain);
        def.modes = phx_flex_source_flex(full)->n - (dim == 2 ? 3 : 6);
        def.basis = c / 2 ? PHX_BEAM_BASIS_KRYLOV : PHX_BEAM_BASIS_CRAIG_BAMPTON;
        reduced = test_beam(context, &def);
        const int n = free_frequencies(context, phx_flex_source_flex(full), omega[0]);
        assert_int_equal(free_frequencies(context, phx_flex_source_flex(reduced), omega[1]), n);
        for (int k = 0; k < n; k++)
            CHECK_RELATIVE(omega[1][k], omega[0][k], 1e-9, "case %d, frequency %d", c, k + 1);
        phx_flex_source_destroy(full);
        phx_flex_source_destroy(reduced);
    }
}

/* ---- responses ---- */
/* The free body with forces at its interfaces: K, H and B of interface_basis.c, dense. */
typedef struct response {
    int n, m;
    double *K, *H, *B; /* n x n twice, n x m */
} response;

static void rigid_motion(int dim, double x, int c, double row[RIGID])
{
    memset(row, 0, RIGID * sizeof *row);
    row[c] = 1.0;
    if (c == 1)
        row[dim == 2 ? 2 : 5] = x;
    if (c == 2 && dim == 3)
        row[4] = -x;
}

static response make_response(phx_context *context, const phx_beam *beam, double length, int n_places)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    const int r = flex->dim + flex->n_rot, n = flex->n, m = r * n_places, all = r + n;
    response it = {.n = n, .m = m};
    double *M = phx_calloc(context, (size_t)(all * all), sizeof *M), M_rr[RIGID * RIGID];
    double *X = phx_calloc(context, (size_t)(r * (n + m)), sizeof *X); /* M_rr^-1 [M_rq G_r^T] */

    it.K = flex_dense(context, flex, flex->K);
    it.H = flex_dense(context, flex, flex->M);
    it.B = phx_calloc(context, (size_t)(n * m), sizeof *it.B);
    phx_flex_mass_matrix(flex, M);
    for (int i = 0; i < r; i++) {
        memcpy(M_rr + i * r, M + i * all, (size_t)r * sizeof *M);
        memcpy(X + i * (n + m), M + i * all + r, (size_t)n * sizeof *M);
    }
    for (int p = 0; p < n_places; p++) {
        phx_flex_point point;
        CHECK_OK(context, phx_beam_point(beam, context, places[p], &point));
        for (int c = 0; c < r; c++) {
            double row[RIGID];
            rigid_motion(flex->dim, places[p] * length, c, row);
            for (int i = 0; i < r; i++)
                X[i * (n + m) + n + p * r + c] = row[i];
            for (int k = 0; k < point.n; k++)
                it.B[point.dof[k] * m + p * r + c] =
                    c < flex->dim ? point.phi[c * point.n + k] : point.theta[(c - flex->dim) * point.n + k];
        }
        phx_flex_point_free(&point);
    }
    CHECK_OK(context, phx_dense_solve(context, r, M_rr, n + m, X));
    for (int i = 0; i < n; i++)
        for (int a = 0; a < r; a++) {
            const double M_qr = M[(r + i) * all + a];
            for (int j = 0; j < n; j++)
                it.H[i * n + j] -= M_qr * X[a * (n + m) + j];
            for (int j = 0; j < m; j++)
                it.B[i * m + j] -= M_qr * X[a * (n + m) + n + j];
        }
    phx_free(M);
    phx_free(X);
    return it;
}

static void response_free(response *it)
{
    phx_free(it->K);
    phx_free(it->H);
    phx_free(it->B);
}

/* moment (count x m x m): B^T (K^-1 H)^j K^-1 B. */
static void moments_of(phx_context *context, const response *it, int count, double *moment)
{
    const int n = it->n, m = it->m;
    double *X = phx_calloc(context, (size_t)(2 * n * m), sizeof *X), *Y = X + n * m;
    double *L = phx_calloc(context, (size_t)(n * n), sizeof *L);

    memcpy(L, it->K, (size_t)(n * n) * sizeof *L);
    CHECK_OK(context, phx_dense_cholesky(context, n, L));
    memcpy(X, it->B, (size_t)(n * m) * sizeof *X);
    for (int j = 0; j < count; j++) {
        if (j > 0) {
            memcpy(Y, X, (size_t)(n * m) * sizeof *X);
            phx_dense_multiply(false, false, n, m, n, 1.0, it->H, n, Y, m, 0.0, X, m);
        }
        phx_dense_triangle_solve(false, n, L, m, X);
        phx_dense_triangle_solve(true, n, L, m, X);
        phx_dense_multiply(true, false, m, m, n, 1.0, it->B, m, X, m, 0.0, moment + j * m * m, m);
    }
    phx_free(X);
    phx_free(L);
}

static void krylov_matches_twice_its_moments(void **state)
{
    enum { POWERS = 3, MOST_PORTS = RIGID * PLACES };
    static double moment[2][2 * POWERS * MOST_PORTS * MOST_PORTS];
    phx_context *context = *state;

    for (int c = 0; c < 4; c++) {
        const int dim = 2 + c % 2, powers = 1 + c;
        const phx_reference reference = c < 2 ? PHX_REFERENCE_FREE : PHX_REFERENCE_SIMPLY_SUPPORTED;
        const int used = powers < POWERS ? powers : POWERS;
        phx_beam_def def = basis_def(dim, reference, PHX_BEAM_BASIS_KRYLOV, 0, used, PLACES);
        phx_beam_def plain = test_def(dim, 3, reference, 8);
        phx_beam *beams[2] = {test_beam(context, &plain), test_beam(context, &def)};
        int m = 0;
        for (int k = 0; k < 2; k++) {
            response it = make_response(context, beams[k], def.length, PLACES);
            m = it.m;
            moments_of(context, &it, 2 * used, moment[k]);
            response_free(&it);
        }
        assert_true(phx_flex_source_flex(beams[1])->n <= used * m);
        for (int j = 0; j < 2 * used; j++) {
            const double *a = moment[0] + j * m * m, *b = moment[1] + j * m * m;
            for (int i = 0; i < m * m; i++) {
                const double scale = sqrt(a[(i / m) * (m + 1)] * a[(i % m) * (m + 1)]);
                CHECK_CLOSE(b[i], a[i], 1e-8 * scale + 1e-300, "case %d, moment %d, entry %d", c, j, i);
            }
        }
        phx_flex_source_destroy(beams[0]);
        phx_flex_source_destroy(beams[1]);
    }
}

/* Forces at C that P balances: the elastic energy of the full beam. */
static void craig_bampton_has_the_static_flexibility(void **state)
{
    phx_context *context = *state;

    for (int dim = 2; dim <= 3; dim++) {
        phx_beam_def def = basis_def(dim, PHX_REFERENCE_FREE, PHX_BEAM_BASIS_CRAIG_BAMPTON, 0, 0, 2);
        phx_beam_def plain = test_def(dim, 3, PHX_REFERENCE_FREE, 8);
        phx_beam *beams[2] = {test_beam(context, &plain), test_beam(context, &def)};
        const int r = dim == 2 ? 3 : 6;
        assert_int_equal(phx_flex_source_flex(beams[1])->n, r);
        for (int c = 0; c < r; c++) {
            double energy[2];
            for (int k = 0; k < 2; k++) {
                response it = make_response(context, beams[k], def.length, 2);
                double row[RIGID], *f = phx_calloc(context, (size_t)(2 * it.n), sizeof *f), *u = f + it.n;
                rigid_motion(dim, def.length, c, row);
                for (int i = 0; i < it.n; i++) {
                    f[i] = it.B[i * it.m + r + c];
                    for (int a = 0; a < r; a++)
                        f[i] -= row[a] * it.B[i * it.m + a];
                    u[i] = f[i];
                }
                CHECK_OK(context, phx_dense_solve(context, it.n, it.K, 1, u));
                energy[k] = dot_product(it.n, f, u);
                phx_free(f);
                response_free(&it);
            }
            CHECK_RELATIVE(energy[1], energy[0], 1e-9, "dimension %d, direction %d", dim, c);
        }
        phx_flex_source_destroy(beams[0]);
        phx_flex_source_destroy(beams[1]);
    }
}

/* ---- frequencies with the interfaces held ---- */
/* Of the full cantilever whose coordinates at C are left out. */
static int held_by_leaving_out(phx_context *context, const phx_beam *beam, double *omega)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    double *M = flex_dense(context, flex, flex->M), *K = flex_dense(context, flex, flex->K), values[MOST];
    bool left_out[MOST] = {false};
    phx_flex_point point;
    int n = 0;

    CHECK_OK(context, phx_beam_point(beam, context, 1.0, &point));
    for (int k = 0; k < point.n; k++)
        left_out[point.dof[k]] = true;
    phx_flex_point_free(&point);
    for (int i = 0; i < flex->n; i++)
        n += !left_out[i];
    double *kept = phx_calloc(context, (size_t)(3 * n * n), sizeof *kept);
    for (int i = 0, at = 0; i < flex->n; i++)
        for (int j = 0; j < flex->n; j++)
            if (!left_out[i] && !left_out[j]) {
                kept[at] = K[i * flex->n + j];
                kept[n * n + at++] = M[i * flex->n + j];
            }
    CHECK_OK(context, phx_dense_eigen_symmetric(context, n, kept, kept + n * n, values, kept + 2 * n * n));
    for (int k = 0; k < n; k++)
        omega[k] = sqrt(values[k]);
    phx_free(kept);
    phx_free(M);
    phx_free(K);
    return n;
}

/* Of any cantilever, by the constraint of the point C. */
static int held_by_constraint(phx_context *context, const phx_beam *beam, double *omega)
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    const int n = flex->n, r = flex->dim + flex->n_rot;
    double *L = flex_dense(context, flex, flex->M), *G = phx_calloc(context, (size_t)(r * n), sizeof *G);
    const phx_stiffness stiffness = {.root = &flex->root};
    phx_basis motions = {0};
    phx_flex_point point;

    CHECK_OK(context, phx_beam_point(beam, context, 1.0, &point));
    for (int c = 0; c < r; c++)
        for (int k = 0; k < point.n; k++)
            G[c * n + point.dof[k]] =
                c < flex->dim ? point.phi[c * point.n + k] : point.theta[(c - flex->dim) * point.n + k];
    phx_flex_point_free(&point);
    CHECK_OK(context, phx_dense_cholesky(context, n, L));
    CHECK_OK(context, phx_reduce_free_motions(context, n, L, r, G, 0.0, NULL, &motions));
    CHECK_OK(context, phx_reduce_normal_modes(context, &motions, &stiffness, omega, NULL, NULL, NULL));
    const int count = motions.count;
    phx_basis_free(&motions);
    phx_free(L);
    phx_free(G);
    return count;
}

static void craig_bampton_has_the_frequencies_held(void **state)
{
    phx_context *context = *state;

    for (int dim = 2; dim <= 3; dim++) {
        const int modes = 4;
        phx_beam_def def = basis_def(dim, PHX_REFERENCE_CANTILEVER, PHX_BEAM_BASIS_CRAIG_BAMPTON, modes, 0, 2);
        phx_beam_def plain = test_def(dim, 3, PHX_REFERENCE_CANTILEVER, 8);
        phx_beam *full = test_beam(context, &plain), *reduced = test_beam(context, &def);
        double exact[MOST], found[MOST];
        held_by_leaving_out(context, full, exact);
        assert_int_equal(held_by_constraint(context, reduced, found), modes);
        for (int k = 0; k < modes; k++)
            CHECK_RELATIVE(found[k], exact[k], 1e-9, "dimension %d, frequency %d", dim, k + 1);
        phx_flex_source_destroy(full);
        phx_flex_source_destroy(reduced);
    }
}

/* A slender beam of many elements has many modes of bending below the first along its axis, omega = pi c / L. */
static void effective_mass_finds_axial_modes(void **state)
{
    static const double pi = 3.14159265358979323846;
    phx_context *context = *state;
    phx_beam_def def = basis_def(2, PHX_REFERENCE_CANTILEVER, PHX_BEAM_BASIS_CRAIG_BAMPTON, 3, 0, 2);

    def.elements = 16;
    def.bending_stiffness[0] = 1e-5 * def.axial_stiffness * def.length * def.length;
    const double axial = pi / def.length * sqrt(def.axial_stiffness / def.mass_per_length);
    for (int chosen = 0; chosen < 2; chosen++) {
        double omega[MOST];
        phx_beam *beam;
        def.among = chosen ? 30 : 0;
        beam = test_beam(context, &def);
        const phx_effective_mass *effective = phx_beam_effective_mass(beam);
        assert_int_equal(held_by_constraint(context, beam, omega), def.modes);
        assert_non_null(effective);
        bool found = false;
        for (int k = 0; k < def.modes; k++)
            found = found || fabs(omega[k] / axial - 1.0) < 0.005;
        assert_int_equal(found, chosen);
        /* 8/pi^2 of the mass of a bar held at both ends, for which 2/3 of the bar move as one with its ends */
        CHECK_CLOSE(effective->mass[0], chosen ? 8.0 / (pi * pi) * def.mass_per_length * def.length : 0.0,
                    0.01 * def.mass_per_length * def.length, "effective mass along x");
        assert_true(effective->share >= 0.0 && effective->share <= 1.0);
        phx_flex_source_destroy(beam);
    }
}

/* ---- geometric stiffening, points, errors ---- */
/* The stretch of a bent beam in a basis: its strains of second order are taken up, as in normal modes. */
static void stiffening_is_followed(void **state)
{
    phx_context *context = *state;
    phx_beam_def def = basis_def(2, PHX_REFERENCE_CANTILEVER, PHX_BEAM_BASIS_CRAIG_BAMPTON, 2, 0, 2);
    phx_beam *beam, *plain;

    plain = test_beam(context, &def);
    def.stiffening = true;
    beam = test_beam(context, &def);
    assert_true(phx_flex_source_flex(beam)->n > phx_flex_source_flex(plain)->n);
    assert_non_null(phx_flex_source_flex(beam)->stiffening);
    assert_true(phx_flex_source_flex(beam)->stiffening->in_basis);
    assert_non_null(phx_flex_source_flex(beam)->stiffening->stressed);
    phx_flex_source_destroy(beam);
    phx_flex_source_destroy(plain);
}

static void refuse(phx_context *context, const phx_beam_def *def, phx_status status, const char *what)
{
    phx_beam *beam = NULL;

    CHECK_STATUS(context, phx_beam_create(context, def, &beam), status);
    CHECK_MESSAGE(context, what);
    assert_null(beam);
}

static void wrong_definitions_are_refused(void **state)
{
    static const double off[2] = {0.0, 1.5}, same[2] = {0.5, 0.5};
    phx_context *context = *state;
    phx_beam_def def = basis_def(2, PHX_REFERENCE_CANTILEVER, PHX_BEAM_BASIS_CRAIG_BAMPTON, 1000, 0, 2);

    refuse(context, &def, PHX_ERR_ARGUMENT, "modes is 1000, with all interfaces held the beam has 21");
    def.modes = 0;
    def.n_interfaces = 1;
    refuse(context, &def, PHX_ERR_ARGUMENT, "leave no deformation");
    def.n_interfaces = 0;
    refuse(context, &def, PHX_ERR_ARGUMENT, "n_interfaces is 0");
    def.n_interfaces = 2;
    def.modes = -1;
    refuse(context, &def, PHX_ERR_ARGUMENT, "modes is -1");
    def.modes = 3;
    def.among = 2;
    refuse(context, &def, PHX_ERR_ARGUMENT, "among is 2");
    def.among = 0;
    def.interfaces = off;
    refuse(context, &def, PHX_ERR_ARGUMENT, "interfaces[1] is 1.5");
    def.interfaces = same;
    refuse(context, &def, PHX_ERR_ARGUMENT, "interfaces[0] and interfaces[1]");
    def.interfaces = places;
    def.basis = PHX_BEAM_BASIS_KRYLOV;
    refuse(context, &def, PHX_ERR_ARGUMENT, "moments is 0");
    def.moments = 1;
    def.element = PHX_ELEMENT_ASSUMED;
    refuse(context, &def, PHX_ERR_UNSUPPORTED, "assumed");
}

static void failed_allocations_leave_nothing(void **state)
{
    phx_context *context = *state;

    for (int c = 0; c < 3; c++) {
        phx_beam_def def = basis_def(
            2, PHX_REFERENCE_FREE, c == 1 ? PHX_BEAM_BASIS_KRYLOV : PHX_BEAM_BASIS_CRAIG_BAMPTON, c == 1 ? 0 : 2, 2, 2);
        phx_status status = PHX_ERR_MEMORY;
        def.stiffening = c == 2;
        def.elements = 3;
        for (long n = 0; status; n++) {
            phx_beam *beam = NULL;
            phx_context_fail_allocation(context, n);
            status = phx_beam_create(context, &def, &beam);
            phx_context_fail_allocation(context, -1);
            if (status)
                CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            phx_flex_source_destroy(beam);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_basis_does_not_depend_on_the_reference, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_large_basis_is_the_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(krylov_matches_twice_its_moments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(craig_bampton_has_the_static_flexibility, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(craig_bampton_has_the_frequencies_held, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(effective_mass_finds_axial_modes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(stiffening_is_followed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_definitions_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(failed_allocations_leave_nothing, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

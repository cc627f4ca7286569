/* Elements of places and directors: against values of an independent program, exact increments, the tangent. */
#include "support/testing.h"
#include "support/vectors.h"

#include "body/vectors/element.h"

enum { MOST = 3 * PHX_VECTOR_CELL_VECTORS };

typedef struct sample {
    phx_vector_cell_table table;
    phx_vector_cell cell;
    double *room, section[64], Z[MOST], z0[MOST], z1[MOST], director; /* director: E h */
} sample;

static double area_of(const sample *s, int node)
{
    double mass[PHX_VECTOR_CELL_VECTORS * PHX_VECTOR_CELL_VECTORS], sum = 0.0;

    phx_vector_cell_mass(&s->table, s->Z, mass);
    for (int l = 0; l < s->table.n_nodes; l++)
        sum += fabs(mass[node * s->table.n_nodes + l]);
    return sum;
}

/* Stiffness of an isotropic section or material. */
static void put_section(double E, double nu, double h, bool shell, double *C)
{
    const double plane = E / (1.0 - nu * nu), G = 0.5 * E / (1.0 + nu), lame = E * nu / (1.0 + nu) / (1.0 - 2.0 * nu);
    const double in_plane[9] = {plane, nu * plane, 0, nu * plane, plane, 0, 0, 0, G};

    for (int i = 0; i < 3 && shell; i++)
        for (int j = 0; j < 3; j++) {
            C[8 * i + j] = h * in_plane[3 * i + j];
            C[8 * (3 + i) + 3 + j] = h * h * h / 12.0 * in_plane[3 * i + j];
        }
    if (shell) {
        C[8 * 6 + 6] = C[8 * 7 + 7] = 5.0 / 6.0 * G * h;
        return;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            C[6 * i + j] = (i < 3 && j < 3 ? lame : 0.0) + (i == j ? (i < 3 ? 2.0 * G : G) : 0.0);
}

static void make_cell(phx_context *context, phx_vector_element kind, sample *s)
{
    double N[PHX_VECTOR_NODES], dN[3 * PHX_VECTOR_NODES], axis[3] = {0};
    const double middle[3] = {kind == PHX_VECTOR_Q9 ? 0.0 : 1.0 / 3.0, kind == PHX_VECTOR_Q9 ? 0.0 : 1.0 / 3.0, 0.1};
    int point;

    phx_vector_cell_shape(kind, middle, N, dN);
    for (int k = 0; k < s->table.n_nodes; k++)
        for (int i = 0; i < 3; i++)
            axis[i] += dN[k] * s->Z[3 * k + i];
    s->room = test_calloc(phx_vector_cell_room(&s->table), sizeof *s->room);
    CHECK_OK(context, phx_vector_cell_fill(context, &s->table, axis, s->section, s->Z, s->room, &s->cell, &point));
}

static void read_sample(phx_context *context, const char *object, sample *s)
{
    const phx_vector_element kind = vectors_value_is(object, "kind", "Q9")   ? PHX_VECTOR_Q9
                                    : vectors_value_is(object, "kind", "T6") ? PHX_VECTOR_T6
                                                                             : PHX_VECTOR_TET10;
    memset(s, 0, sizeof *s);
    phx_vector_cell_table_fill(kind, &s->table);
    const double E = vectors_number(object, "E"), h = s->table.shell ? vectors_number(object, "h") : 0.0;
    put_section(E, vectors_number(object, "nu"), h, s->table.shell, s->section);
    s->director = E * h;
    vectors_numbers(object, "Z", 3 * s->table.n_vectors, s->Z);
    vectors_numbers(object, "z0", 3 * s->table.n_vectors, s->z0);
    vectors_numbers(object, "z1", 3 * s->table.n_vectors, s->z1);
    make_cell(context, kind, s);
}

/* What the lengths of the directors add: energy, and force at `at` by the stress of the mean of a and b. */
static double add_lengths(const sample *s, const double *a, const double *b, const double *at, double *f)
{
    double energy = 0.0;

    for (int k = s->table.n_nodes; k < s->table.n_vectors; k++) {
        const double *d0 = a + 3 * k, *d1 = b + 3 * k, stiffness = s->director * area_of(s, k - s->table.n_nodes);
        const double E0 = 0.5 * (dot_product(3, d0, d0) - 1.0), E1 = 0.5 * (dot_product(3, d1, d1) - 1.0);
        energy += 0.5 * stiffness * E0 * E0;
        for (int i = 0; i < 3 && f; i++)
            f[3 * k + i] += 0.5 * stiffness * (E0 + E1) * at[3 * k + i];
    }
    return energy;
}

static double energy_of(const sample *s, const double *z)
{
    double E[PHX_VECTOR_CELL_STRAINS], S[PHX_VECTOR_CELL_STRAINS];

    phx_vector_cell_strain(&s->cell, z, E);
    phx_vector_cell_stress(&s->cell, E, S);
    return 0.5 * phx_vector_cell_work(&s->cell, S, E) + add_lengths(s, z, z, z, NULL);
}

static void test_vectors(void **state)
{
    char *text = vectors_text("shell_element_vectors.json"), *rest = text, *object;
    int count = 0;

    for (; (object = vectors_next(&rest)); count++) {
        sample s;
        read_sample(*state, object, &s);
        const int n = 3 * s.table.n_vectors, strains = s.table.n_points * s.table.n_strains;
        double want[PHX_VECTOR_CELL_STRAINS], E0[PHX_VECTOR_CELL_STRAINS], E1[PHX_VECTOR_CELL_STRAINS],
            S[PHX_VECTOR_CELL_STRAINS], f[MOST] = {0}, zm[MOST];
        static double K[MOST * MOST], mass[PHX_VECTOR_CELL_VECTORS * PHX_VECTOR_CELL_VECTORS];

        vectors_numbers(object, "strain_z0", strains, want);
        phx_vector_cell_strain(&s.cell, s.z0, E0);
        CHECK_VECTOR(strains, E0, want, 1e-12, "strains of element %d", count);
        CHECK_RELATIVE(energy_of(&s, s.z0), vectors_number(object, "V0"), 1e-12, "energy of element %d", count);
        CHECK_RELATIVE(energy_of(&s, s.z1), vectors_number(object, "V1"), 1e-12, "energy of element %d", count);

        vectors_numbers(object, "force_z0", n, want);
        phx_vector_cell_stress(&s.cell, E0, S);
        phx_vector_cell_force(&s.cell, s.z0, S, f);
        (void)add_lengths(&s, s.z0, s.z0, s.z0, f);
        CHECK_VECTOR(n, f, want, 1e-12, "force of element %d", count);

        vectors_numbers(object, "interval_force", n, want);
        phx_vector_cell_strain(&s.cell, s.z1, E1);
        for (int i = 0; i < strains; i++)
            E1[i] = 0.5 * (E0[i] + E1[i]);
        for (int i = 0; i < n; i++) {
            zm[i] = 0.5 * (s.z0[i] + s.z1[i]);
            f[i] = 0.0;
        }
        phx_vector_cell_stress(&s.cell, E1, S);
        phx_vector_cell_force(&s.cell, zm, S, f);
        (void)add_lengths(&s, s.z0, s.z1, zm, f);
        CHECK_VECTOR(n, f, want, 1e-12, "force over an interval of element %d", count);

        vectors_numbers(object, "tangent_z0_times_dz", n, want);
        phx_vector_cell_stress(&s.cell, E0, S);
        phx_vector_cell_tangent(&s.cell, s.z0, s.z0, 1.0, S, 1.0, K);
        for (int i = 0; i < n; i++) {
            f[i] = 0.0;
            for (int j = 0; j < n; j++)
                f[i] += K[i * n + j] * (s.z1[j] - s.z0[j]);
        }
        for (int k = s.table.n_nodes; k < s.table.n_vectors; k++) {
            const double *d = s.z0 + 3 * k, stiffness = s.director * area_of(&s, k - s.table.n_nodes);
            const double E33 = 0.5 * (dot_product(3, d, d) - 1.0);
            double along = 0.0;
            for (int i = 0; i < 3; i++)
                along += d[i] * (s.z1[3 * k + i] - d[i]);
            for (int i = 0; i < 3; i++)
                f[3 * k + i] += stiffness * (d[i] * along + E33 * (s.z1[3 * k + i] - d[i]));
        }
        CHECK_VECTOR(n, f, want, 1e-12, "tangent of element %d", count);

        const double rho = vectors_number(object, "rho"), h = s.table.shell ? vectors_number(object, "h") : 1.0;
        vectors_numbers(object, "mass_diag", s.table.n_vectors, want);
        phx_vector_cell_mass(&s.table, s.Z, mass);
        for (int k = 0; k < s.table.n_vectors; k++)
            f[k] = rho * (k < s.table.n_nodes ? h : h * h * h / 12.0) *
                   mass[(k % s.table.n_nodes) * (s.table.n_nodes + 1)];
        CHECK_VECTOR(s.table.n_vectors, f, want, 1e-12, "mass of element %d", count);
        test_free(s.room);
    }
    assert_int_equal(count, 3);
    test_free(text);
}

/* E1 - E0 = D((z0 + z1)/2) (z1 - z0); rigid motions give none; the tangent is the derivative of the force. */
static void test_exact(void **state)
{
    char *text = vectors_text("shell_element_vectors.json"), *rest = text, *object;

    for (; (object = vectors_next(&rest));) {
        sample s;
        read_sample(*state, object, &s);
        const int n = 3 * s.table.n_vectors, strains = s.table.n_points * s.table.n_strains;
        double E0[PHX_VECTOR_CELL_STRAINS], E1[PHX_VECTOR_CELL_STRAINS], dE[PHX_VECTOR_CELL_STRAINS], zm[MOST],
            dz[MOST], R[9];
        const double turn[3] = {0.7, -1.1, 2.0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

        for (int i = 0; i < n; i++) {
            zm[i] = 0.5 * (s.z0[i] + s.z1[i]);
            dz[i] = s.z1[i] - s.z0[i];
        }
        phx_vector_cell_strain(&s.cell, s.z0, E0);
        phx_vector_cell_strain(&s.cell, s.z1, E1);
        phx_vector_cell_strain_rate(&s.cell, zm, dz, dE);
        for (int i = 0; i < strains; i++)
            E1[i] -= E0[i];
        CHECK_VECTOR(strains, dE, E1, 1e-14, "increment of the strains of %s", object);

        phx_rot_cayley(3, one, turn, R);
        for (int k = 0; k < s.table.n_vectors; k++) {
            phx_rot_apply(3, R, s.Z + 3 * k, zm + 3 * k);
            zm[3 * k] += k < s.table.n_nodes ? 1.5 : 0.0;
        }
        phx_vector_cell_strain(&s.cell, zm, E1);
        CHECK_SMALL(max_abs(strains, E1), 1e-14, "strains of a rigid motion");

        static double K[MOST * MOST];
        double S[PHX_VECTOR_CELL_STRAINS], f[2][MOST], column[MOST];
        phx_vector_cell_stress(&s.cell, E0, S);
        phx_vector_cell_tangent(&s.cell, s.z0, s.z0, 1.0, S, 1.0, K);
        for (int j = 0; j < n; j++) {
            for (int side = 0; side < 2; side++) {
                memcpy(zm, s.z0, sizeof zm);
                zm[j] += side ? 1e-5 : -1e-5;
                phx_vector_cell_strain(&s.cell, zm, E1);
                phx_vector_cell_stress(&s.cell, E1, S);
                memset(f[side], 0, sizeof f[side]);
                phx_vector_cell_force(&s.cell, zm, S, f[side]);
            }
            for (int i = 0; i < n; i++) {
                f[0][i] = (f[1][i] - f[0][i]) / 2e-5;
                column[i] = K[i * n + j];
            }
            CHECK_VECTOR(n, column, f[0], 1e-7, "column %d of the tangent", j);
        }
        test_free(s.room);
    }
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_exact, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("vector_cell", tests, NULL, NULL);
}

/* The hinged spatial beam of section 6.3 against an independent program, under both readings of its data. */
#include "mechanism.h"

enum { ROWS = 101, COLUMNS = 8 }; /* t, energy, place of the free end, angular momentum about the joint */

typedef struct reference {
    double rows[ROWS][COLUMNS];
    double peak;                            /* of the energy, J */
    double energy, tip, vertical, momentum; /* largest distances */
} reference;

static void read_reference(const char *name, reference *r)
{
    char path[1000], line[1000];
    int row = 0;
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/tests/data/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(r, 0, sizeof *r);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] < '0' || line[0] > '9')
            continue;
        assert_true(row < ROWS);
        for (int c = 0; c < COLUMNS; c++, at++)
            r->rows[row][c] = strtod(at, &at);
        r->peak = fmax(r->peak, r->rows[row++][1]);
    }
    fclose(file);
    assert_int_equal(row, ROWS);
}

static void compare(mechanism *m, double t, const double *x, const double *v)
{
    reference *r = m->looker;
    phx_energies e;
    double linear[3], angular[3];
    const double *row = r->rows[m->instants - 1];
    CHECK_CLOSE(t, row[0], 1e-12, "instant %ld", m->instants);
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    phx_system_energies(m->system, x, v, &e);
    phx_body_inertial_momentum(phx_system_body(m->system, 0), x, v, linear, angular);
    r->energy = fmax(r->energy, fabs(e.kinetic + e.elastic - row[1]));
    for (int i = 0; i < 3; i++) {
        r->tip = fmax(r->tip, fabs(m->columns[3 + i] - row[2 + i])); /* outputs: spin, tip, ... */
        r->momentum = fmax(r->momentum, fabs(angular[i] - row[5 + i]));
    }
    r->vertical = fmax(r->vertical, fabs(angular[2] - row[7]));
}

static void follow(const char *name, double blow)
{
    const phx_model_override set = {"blow", NULL, blow};
    phx_integrate_options options = phx_integrate_options_default();
    reference r;
    mechanism m;
    read_reference(name, &r);
    mechanism_open(&m, "hinged_beam.yaml", 1, &set);
    options.integrator = PHX_RADAU5;
    options.rtol = options.atol = 5e-6;
    options.end = 0.02;
    options.every = 2e-4;
    m.look = compare;
    m.looker = &r;
    mechanism_run(&m, &options);
    assert_int_equal(m.instants, ROWS);
    print_message("%s: energy %.2g of %.4g J, tip %.2g m, angular momentum about Z %.2g, all of it %.2g N m s\n", name,
                  r.energy, r.peak, r.tip, r.vertical, r.momentum);
    CHECK_SMALL(r.energy, 1e-5 * r.peak, "energy, %s", name);
    CHECK_SMALL(r.tip, 1e-5, "free end, %s", name);
    CHECK_SMALL(r.vertical, 1e-9, "angular momentum about Z, %s", name);
    CHECK_SMALL(r.momentum, 1e-7, "angular momentum, %s", name);
    mechanism_close(&m);
}

static void long_blow(void **state)
{
    (void)state;
    follow("hinged_beam.csv", 1e-3);
}

static void short_blow(void **state)
{
    (void)state;
    follow("hinged_beam_short.csv", 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_blow), cmocka_unit_test(short_blow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

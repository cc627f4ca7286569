/* Mechanisms made at random against another program: every kind of joint on rigid bodies and on deformed sections,
 * ports turned by odd angles, every reference, cubic and quintic beams, stiffening, dampings, point masses, drives,
 * actuators, springs, loads; every output in every frame, at the start and at two later instants.
 *
 * The other program writes Newton's and Euler's equations of mass points (Kane), sections of beams as points at Gauss
 * points, differentiates the joints' gaps by complex steps, solves the multipliers by least squares and integrates with
 * Dormand and Prince's method of order 8 at 1e-11. Its start: the velocities of the file changed least in kinetic
 * energy. tests/data/mixed has its values. */
#include "mechanism.h"

enum { INSTANTS = 3, MOST = 512, TEXT = 40000, NAME = 48 };

static const char *const names[] = {"plane_slider", "plane_loop",  "plane_beams",
                                    "space_rigid",  "space_beams", "space_loop"};

typedef struct reference {
    int columns; /* without the time */
    char names[MOST][NAME];
    double t[INSTANTS], rows[INSTANTS][MOST];
} reference;

static FILE *open_data(const char *name, const char *ending)
{
    char path[1000];
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/tests/data/mixed/%s.%s", name, ending);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void read_table(const char *name, reference *table)
{
    static char line[TEXT];
    FILE *file = open_data(name, "csv");
    int row = 0;

    table->columns = 0;
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] == '#')
            continue;
        if (table->columns == 0) {
            assert_string_equal(strtok(line, ",\n"), "t");
            for (char *word = strtok(NULL, ",\n"); word; word = strtok(NULL, ",\n")) {
                assert_true(table->columns < MOST);
                snprintf(table->names[table->columns++], NAME, "%s", word);
            }
            continue;
        }
        assert_true(row < INSTANTS);
        table->t[row] = strtod(line, &at);
        for (int c = 0; c < table->columns; c++)
            table->rows[row][c] = strtod(at + 1, &at);
        row++;
    }
    fclose(file);
    assert_int_equal(row, INSTANTS);
}

static bool begins(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

/* Components of one quantity share a scale: the largest of them, at least 1e-3. */
static double scale_of(const reference *table, int row, int column)
{
    const size_t stem = strcspn(table->names[column], ".");
    double scale = 1e-3;

    for (int c = 0; c < table->columns; c++)
        if (strcspn(table->names[c], ".") == stem && strncmp(table->names[c], table->names[column], stem) == 0)
            scale = fmax(scale, fabs(table->rows[row][c]));
    return scale;
}

static void compare(mechanism *m, const char *name, const reference *table, int row, double tolerance)
{
    double worst = 0.0, sign = 1.0;

    CHECK_OK(m->context, phx_system_outputs(m->dae, table->t[row], m->x, m->v, m->columns));
    assert_int_equal(phx_system_columns(m->system), table->columns);
    for (int c = 0; c < table->columns; c++) {
        char column[NAME];
        const double want = table->rows[row][c], tol = tolerance * scale_of(table, row, c);
        double got = m->columns[c];
        phx_system_column_name(m->system, c, column, sizeof column);
        assert_string_equal(column, table->names[c]);
        if (begins(column, "attitude")) { /* of a quaternion and its opposite, the nearer */
            const double *q = m->columns + c, *p = table->rows[row] + c;
            if (strstr(column, ".w"))
                sign = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0.0 ? -1.0 : 1.0;
            got *= sign;
        }
        if (begins(column, "angle") || begins(column, "coordinate")) /* no turns counted there */
            got = want + remainder(got - want, 2.0 * TEST_PI);
        CHECK_CLOSE(got, want, tol, "%s, t = %g: %s", name, table->t[row], column);
        worst = fmax(worst, fabs(got - want) / tol);
    }
    print_message("%s, t = %g: %.1e of the tolerance\n", name, table->t[row], worst);
}

static void mixed_mechanisms_move_alike(void **state)
{
    static char text[TEXT];
    static reference values;

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        mechanism m;
        FILE *file = open_data(names[k], "yaml");
        const size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        assert_true(length > 0 && length < sizeof text - 1);
        text[length] = '\0';
        read_table(names[k], &values);
        mechanism_open(&m, text, 0, NULL);
        compare(&m, names[k], &values, 0, 1e-8);
        for (int row = 1; row < INSTANTS; row++) {
            const phx_integrate_options options = {
                .integrator = PHX_GAUSS6, .end = values.t[row], .step = values.t[INSTANTS - 1] / 240.0};
            mechanism_run(&m, &options);
            compare(&m, names[k], &values, row, 1e-6);
        }
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixed_mechanisms_move_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

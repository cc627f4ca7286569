/* One of each joint of space in a chain of rigid bodies against another program: places, velocities, accelerations,
 * reactions, coordinates. */
#include "mechanism.h"

enum { ROWS = 61, MOST_COLUMNS = 64, TEXT = 16000 };

typedef struct reference {
    int columns; /* without the time */
    char names[MOST_COLUMNS][32];
    double rows[ROWS][MOST_COLUMNS], scale[MOST_COLUMNS], distance[MOST_COLUMNS];
} reference;

static FILE *open_data(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, PHX_SOURCE_DIR "/tests/data/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void read_names(char *line, reference *r)
{
    char *name = strtok(line, ",\n");
    assert_string_equal(name, "t");
    while ((name = strtok(NULL, ",\n"))) {
        assert_true(r->columns < MOST_COLUMNS);
        snprintf(r->names[r->columns++], sizeof r->names[0], "%s", name);
    }
}

static void read_reference(reference *r)
{
    static char line[8000];
    FILE *file = open_data("joint_chain.csv");
    int row = 0;
    memset(r, 0, sizeof *r);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] == '#')
            continue;
        if (line[0] == 't') {
            read_names(line, r);
            continue;
        }
        assert_true(row < ROWS);
        CHECK_CLOSE(strtod(at, &at), 0.05 * row, 1e-12, "row %d", row);
        for (int c = 0; c < r->columns; c++) {
            r->rows[row][c] = strtod(at + 1, &at);
            r->scale[c] = fmax(r->scale[c], fabs(r->rows[row][c]));
        }
        row++;
    }
    fclose(file);
    assert_int_equal(row, ROWS);
}

static void compare(mechanism *m, double t, const double *x, const double *v)
{
    reference *r = m->looker;
    const double *row = r->rows[m->instants - 1];
    CHECK_OK(m->context, phx_system_outputs(m->dae, t, x, v, m->columns));
    for (int c = 0; c < r->columns; c++)
        r->distance[c] = fmax(r->distance[c], fabs(m->columns[c] - row[c]));
}

/* Largest distance, relative to the largest value of its column, but not below 1 (the torques of the ball are zero);
 * all within `limit`. */
static double follow(phx_integrate_options options, double limit)
{
    double largest = 0.0;
    static char text[TEXT];
    static reference r;
    char name[64];
    mechanism m;
    FILE *file = open_data("joint_chain.yaml");
    const size_t length = fread(text, 1, TEXT - 1, file);
    assert_true(length > 0 && length < TEXT - 1);
    text[length] = '\0';
    fclose(file);
    read_reference(&r);
    mechanism_open(&m, text, 0, NULL);
    assert_int_equal(phx_system_columns(m.system), r.columns);
    options.end = 3.0;
    options.every = 0.05;
    m.look = compare;
    m.looker = &r;
    mechanism_run(&m, &options);
    assert_int_equal(m.instants, ROWS);
    for (int c = 0; c < r.columns; c++) {
        phx_system_column_name(m.system, c, name, sizeof name);
        assert_string_equal(name, r.names[c]);
        r.distance[c] /= fmax(r.scale[c], 1.0);
        CHECK_SMALL(r.distance[c], limit, "%s", name);
        largest = fmax(largest, r.distance[c]);
    }
    mechanism_close(&m);
    return largest;
}

static void with_chosen_steps(void **state)
{
    (void)state;
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = PHX_RADAU5;
    options.rtol = 1e-9;
    options.atol = 1e-11;
    follow(options, 1e-8);
}

static void with_the_midpoint_rule(void **state)
{
    (void)state;
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = PHX_MIDPOINT;
    options.step = 1e-3;
    const double coarse = follow(options, 4e-3);
    options.step = 5e-4;
    const double fine = follow(options, 4e-3);
    print_message("midpoint: %.3g at 1 ms, %.3g at 0.5 ms\n", coarse, fine);
    CHECK_CLOSE(log2(coarse / fine), 2.0, 0.1, "order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_chosen_steps), cmocka_unit_test(with_the_midpoint_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

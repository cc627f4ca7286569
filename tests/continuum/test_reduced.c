/* Reduced bodies: what is written is read again bit by bit, masses at ports, and files that are not what was written.
 */
#include "continuum/continuum.h"
#include "continuum/reduced/reduced.h"
#include "plates.h"

#include "file/file.h"
#include "support/testing.h"

static const char path[] = "reduced.h5";
enum { MODES = 4, PORTS = 2 };

static const phx_location places[PORTS] = {{.sort = PHX_LOCATION_NAME, .name = "x0"},
                                           {.sort = PHX_LOCATION_NAME, .name = "x1"}};
static const phx_reduced_port ports[PORTS] = {{"P", &places[0], {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}},
                                              {"C", &places[1], {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0}}};

static void add_interface(phx_context *context, const phx_elastic_model *model, const char *group,
                          phx_interface *interface)
{
    int count, *unknown;

    CHECK_OK(context, phx_elastic_group_unknowns(context, model, group, &count, &unknown));
    CHECK_OK(context,
             phx_interface_create(context, model, group, PHX_INTERFACE_RIGID, NULL, count, unknown, interface));
    phx_free(unknown);
}

/* A steel bar in a Craig-Bampton basis with its chord as frame; a mass of 0.1 kg at x1, or none. */
static phx_flex_source *make_bar(phx_context *context, double mass)
{
    const phx_box_mesh box = {.size = {0.3, 0.03, 0.02}, .elements = {3, 1, 1}, .type = PHX_CELL_HEX20};
    const phx_continuum_mass at_end = {.interface = 1, .mass = mass, .inertia = {1e-4, 0, 0, 0, 2e-4, 0, 0, 0, 2e-4}};
    const phx_continuum_def def = {.name = "bar",
                                   .basis = PHX_BASIS_CRAIG_BAMPTON,
                                   .modes = MODES,
                                   .frame = PHX_FRAME_CHORD,
                                   .frame_at = {0, 1},
                                   .stiffening = true,
                                   .n_masses = mass > 0.0,
                                   .masses = &at_end};
    phx_solid_region region = {.group = NULL};
    phx_interface interfaces[PORTS];
    phx_elastic_model *model = NULL;
    phx_flex_source *source = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    for (int p = 0; p < PORTS; p++)
        add_interface(context, model, places[p].name, &interfaces[p]);
    CHECK_OK(context, phx_continuum_source_create(context, &def, model, PORTS, interfaces, &source));
    return source;
}

static phx_flex_source *write_and_read(phx_context *context, const phx_flex_source *source)
{
    phx_flex_source *read = NULL;

    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", source, NULL, PORTS, ports));
    CHECK_OK(context, phx_reduced_read(context, path, &read));
    return read;
}

static void check_same_csr(const phx_csr *a, const phx_csr *b)
{
    double *dense[2];
    const size_t count = (size_t)a->rows * (size_t)a->cols;

    assert_true(a->rows == b->rows && a->cols == b->cols);
    for (int k = 0; k < 2; k++) {
        dense[k] = phx_calloc(NULL, count + 1, sizeof **dense);
        phx_csr_to_dense(k ? b : a, dense[k]);
    }
    assert_memory_equal(dense[0], dense[1], count * sizeof **dense);
    phx_free(dense[0]);
    phx_free(dense[1]);
}

static void check_values(int n, const double *a, const double *b, double tolerance, const char *what)
{
    const double most = max_abs(n, a);

    for (int k = 0; k < n; k++)
        CHECK_CLOSE(b[k], a[k], tolerance * most, "%s, entry %d", what, k);
}

static void check_same_strains(const phx_flex_stiffening *a, const phx_flex_stiffening *b)
{
    const size_t products = (size_t)a->product_begin[a->n_strain];

    assert_true(b && b->n_strain == a->n_strain && b->n_slope == a->n_slope && b->in_basis && a->in_basis);
    assert_memory_equal(a->product_begin, b->product_begin, (size_t)(a->n_strain + 1) * sizeof *a->product_begin);
    assert_memory_equal(a->first, b->first, products * sizeof *a->first);
    assert_memory_equal(a->second, b->second, products * sizeof *a->second);
    assert_memory_equal(a->weight, b->weight, products * sizeof *a->weight);
    assert_memory_equal(a->stiffness, b->stiffness, (size_t)a->n_strain * sizeof *a->stiffness);
    assert_memory_equal(a->slope_begin, b->slope_begin, (size_t)a->n_strain * sizeof *a->slope_begin);
    assert_memory_equal(a->slope_end, b->slope_end, (size_t)a->n_strain * sizeof *a->slope_end);
    check_same_csr(&a->lin, &b->lin);
    check_same_csr(&a->slope, &b->slope);
}

/* Of a tolerance 0: bit by bit. */
static void check_same_flex(const phx_flex *a, const phx_flex *b, double tolerance)
{
    const int n = a->n;

    assert_true(b->n == n && b->dim == 3 && b->n_rot == 3 && b->n_pair == PHX_MAX_PAIR);
    check_values(1, &a->mass, &b->mass, tolerance, "mass");
    check_values(3, a->s0, b->s0, tolerance, "s0");
    check_values(6, a->J0, b->J0, tolerance, "J0");
    check_values(3 * n, a->S, b->S, tolerance, "S");
    check_values(3 * n, a->C, b->C, tolerance, "C");
    check_values(6 * n, a->j, b->j, tolerance, "j");
    check_values(n * n, a->M, b->M, tolerance, "M");
    check_values(n * n, a->K, b->K, tolerance, "K");
    for (int k = 0; k < 3; k++)
        check_values(n * n, a->A[k], b->A[k], tolerance, "A");
    for (int k = 0; k < PHX_MAX_PAIR; k++)
        check_values(n * n, a->Q[k], b->Q[k], tolerance, "Q");
    assert_int_equal(a->n_stress, b->n_stress);
    check_same_csr(&a->root, &b->root);
    check_same_csr(&a->stress, &b->stress);
    assert_non_null(b->compact);
    check_same_strains(a->stiffening, b->stiffening);
}

static void check_same_point(phx_context *context, const phx_flex_source *a, const phx_location *at,
                             const phx_flex_source *b, const phx_location *there)
{
    phx_flex_point one = {.n = 0}, other = {.n = 0};

    CHECK_OK(context, phx_flex_source_point(a, context, at, &one));
    CHECK_OK(context, phx_flex_source_point(b, context, there, &other));
    assert_int_equal(one.n, other.n);
    assert_memory_equal(one.x, other.x, sizeof one.x);
    assert_memory_equal(one.dof, other.dof, (size_t)one.n * sizeof *one.dof);
    assert_memory_equal(one.phi, other.phi, 3 * (size_t)one.n * sizeof *one.phi);
    assert_memory_equal(one.theta, other.theta, 3 * (size_t)one.n * sizeof *one.theta);
    phx_flex_point_free(&one);
    phx_flex_point_free(&other);
}

static void what_is_written_is_read(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.1), *read = write_and_read(context, bar);
    const phx_elastic_model *model = phx_continuum_model(bar), *picture = phx_continuum_model(read);

    check_same_flex(phx_flex_source_flex(bar), phx_flex_source_flex(read), 0.0);
    assert_string_equal(phx_flex_source_kind(read), "reduced body");
    assert_int_equal(phx_reduced_ports(read), PORTS);
    for (int p = 0; p < PORTS; p++) {
        const phx_location location = phx_location_of_name(ports[p].name);
        assert_string_equal(phx_reduced_port_name(read, p), ports[p].name);
        assert_memory_equal(phx_reduced_port_rotation(read, p), ports[p].rotation, sizeof ports[p].rotation);
        CHECK_CLOSE(phx_reduced_port_position(read, p)[0], p ? 0.3 : 0.0, 1e-15, "place of port %d", p);
        check_same_point(context, bar, &places[p], read, &location);
    }
    for (int node = 1; node <= model->n_nodes; node++) {
        const phx_location location = {.sort = PHX_LOCATION_NODE, .node = node};
        check_same_point(context, bar, &location, read, &location);
    }
    assert_int_equal(picture->n, model->n);
    assert_int_equal(picture->mesh.n_cells, model->mesh.n_cells);
    assert_memory_equal(picture->x, model->x, 3 * (size_t)model->n_nodes * sizeof *model->x);
    assert_memory_equal(picture->mesh.node, model->mesh.node,
                        (size_t)model->mesh.first[model->mesh.n_cells] * sizeof *model->mesh.node);
    assert_memory_equal(phx_continuum_frequencies(read), phx_continuum_frequencies(bar),
                        (size_t)phx_flex_source_flex(bar)->n * sizeof(double));
    assert_true(phx_continuum_quality(read)->frequency == phx_continuum_quality(bar)->frequency);
    phx_flex_source_destroy(bar);
    phx_flex_source_destroy(read);
}

/* A reduced body written again gives the same file. */
static void a_reduced_body_is_written_again(void **state)
{
    phx_context *context = *state;
    static const phx_location names[PORTS] = {{.sort = PHX_LOCATION_NAME, .name = "P"},
                                              {.sort = PHX_LOCATION_NAME, .name = "C"}};
    phx_reduced_port again[PORTS] = {ports[0], ports[1]};
    phx_flex_source *bar = make_bar(context, 0.0), *read = write_and_read(context, bar), *second = NULL;

    for (int p = 0; p < PORTS; p++)
        again[p].location = &names[p];
    CHECK_OK(context, phx_reduced_write(context, "again.h5", "bar", "solid", read, NULL, PORTS, again));
    CHECK_OK(context, phx_reduced_read(context, "again.h5", &second));
    check_same_flex(phx_flex_source_flex(bar), phx_flex_source_flex(second), 0.0);
    phx_flex_source_destroy(bar);
    phx_flex_source_destroy(read);
    phx_flex_source_destroy(second);
    remove("again.h5");
}

/* With stiffening: by the coordinates and their products, at all nodes, at one and at a port. */
static void stresses_are_those_of_the_body(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0), *read = write_and_read(context, bar);
    const phx_location node = {.sort = PHX_LOCATION_NODE, .node = 9}, port = phx_location_of_name("C"),
                       place = phx_location_at_place(3, (double[]){0.11, 0.01, 0.003});
    const phx_location *const here[] = {NULL, &node, &place, &places[1]}, *const there[] = {NULL, &node, &place, &port};

    for (int k = 0; k < 4; k++) {
        phx_stress_map a, b;
        CHECK_OK(context, phx_flex_source_stress_map(bar, context, PHX_STRESSES_SOLID, here[k], &a));
        CHECK_OK(context, phx_flex_source_stress_map(read, context, PHX_STRESSES_SOLID, there[k], &b));
        assert_true(a.points == b.points && a.n == b.n && a.n_pairs == b.n_pairs && a.n_pairs > 0);
        assert_memory_equal(a.pair, b.pair, 2 * (size_t)a.n_pairs * sizeof *a.pair);
        assert_memory_equal(a.rows, b.rows, 6 * (size_t)a.points * (size_t)phx_stress_map_columns(&a) * sizeof *a.rows);
        phx_stress_map_free(&a);
        phx_stress_map_free(&b);
    }
    phx_stress_map map;
    CHECK_STATUS(context, phx_flex_source_stress_map(read, context, PHX_STRESSES_EDGE, &port, &map), PHX_ERR_ARGUMENT);
    phx_flex_source_destroy(bar);
    phx_flex_source_destroy(read);
}

/* A mass at a port of the reduced body makes the body that had it before. */
static void masses_at_ports(void **state)
{
    phx_context *context = *state;
    const phx_continuum_mass mass = {.interface = 1, .mass = 0.1, .inertia = {1e-4, 0, 0, 0, 2e-4, 0, 0, 0, 2e-4}};
    phx_flex_source *bar = make_bar(context, 0.0), *heavy = make_bar(context, 0.1),
                    *read = write_and_read(context, bar), *made = NULL;
    const phx_location location = phx_location_of_name("C");

    CHECK_OK(context, phx_reduced_with_masses(context, read, 1, &mass, &made));
    phx_flex_source_destroy(read); /* the other one keeps what it needs of it */
    check_same_flex(phx_flex_source_flex(heavy), phx_flex_source_flex(made), 1e-15);
    check_same_point(context, heavy, &places[1], made, &location);
    assert_ptr_not_equal(phx_continuum_model(made), NULL);
    phx_flex_source_destroy(bar);
    phx_flex_source_destroy(heavy);
    phx_flex_source_destroy(made);
}

/* ---- files that another program could write ---- */
static void refuse(phx_context *context, const char *what)
{
    phx_flex_source *read = NULL;
    const phx_status status = phx_reduced_read(context, path, &read);

    assert_null(read);
    if (status != PHX_ERR_FILE || !strstr(phx_context_message(context), what) ||
        !strstr(phx_context_message(context), path))
        fail_msg("expected '%s', found %s: %s", what, phx_status_text(status), phx_context_message(context));
}

static void write_wrong(phx_context *context, const phx_flex_source *bar, const char *what)
{
    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, ports));
    refuse(context, what);
}

static void wrong_numbers_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    phx_flex *flex = (phx_flex *)(uintptr_t)phx_flex_source_flex(bar);
    const int n = flex->n;
    const struct {
        double *value, wrong;
        const char *what;
    } cases[] = {{&flex->mass, -1.0, "/mass is -1 kg"},
                 {&flex->mass, NAN, "/mass is nan kg"},
                 {&flex->mass, 1e-3, "is no positive definite mass matrix"},
                 {&flex->J0[1], INFINITY, "/J0 has a number that is not finite in row 1, column 2"},
                 {&flex->S[n], NAN, "/S has a number that is not finite in row 2, column 1"},
                 {&flex->M[1], 0.5, "/M must be symmetric"},
                 {&flex->M[0], -1.0, "is no positive definite mass matrix"},
                 {&flex->A[2][0], 0.5, "/A3 must be antisymmetric"},
                 {&flex->Q[5][n], 0.5, "/Q23 must be symmetric"},
                 {&flex->K[0], 2.0 * flex->K[0], "/K is not B^T B"},
                 {&flex->root.val[0], 0.0, "/K is not B^T B"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double right = *cases[k].value;
        *cases[k].value = cases[k].wrong;
        write_wrong(context, bar, cases[k].what);
        *cases[k].value = right;
    }
    phx_flex_source_destroy(write_and_read(context, bar));
    phx_flex_source_destroy(bar);
}

static void wrong_strains_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    phx_flex_stiffening *st = phx_flex_source_flex(bar)->stiffening;
    const struct {
        int *value, wrong;
        const char *what;
    } cases[] = {{&st->n_slope, PHX_STRAIN_SLOPES + 1, "/stiffening has 49 slopes"},
                 {&st->n_slope, -1, "/stiffening has -1 slopes"},
                 {&st->first[2], st->n_slope, "/stiffening/first has"},
                 {&st->second[2], st->n_slope, "/stiffening/second has"},
                 {&st->product_begin[0], 1, "/stiffening/product_begin does not part"},
                 {&st->product_begin[2], 0, "/stiffening/product_begin descends at strain 2"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int right = *cases[k].value;
        *cases[k].value = cases[k].wrong;
        write_wrong(context, bar, cases[k].what);
        *cases[k].value = right;
    }
    st->weight[0] = NAN;
    write_wrong(context, bar, "/stiffening/weight has a number that is not finite");
    phx_flex_source_destroy(bar);
}

static void wrong_pictures_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    phx_elastic_model *model = (phx_elastic_model *)(uintptr_t)phx_continuum_model(bar);
    const struct {
        int *value, wrong;
        const char *what;
    } cases[] = {{&model->mesh.n_nodes, model->n_nodes + 1, "/picture says that"},
                 {&model->mesh.n_nodes, -1, "/picture says that"},
                 {&model->mesh.n_nodes, 1, "/picture/cell_node has"},
                 {&model->mesh.node[3], model->n_nodes, "/picture/cell_node has"},
                 {&model->mesh.first[1], 19, "/picture/cell_first gives cell 1, a hex20, 19 nodes"},
                 {&model->mesh.first[0], 1, "/picture/cell_first does not part"},
                 {&model->node[7], model->n_nodes, "/picture/unknown_node has"},
                 {(int *)&model->mesh.type[1], PHX_CELL_TYPES, "/picture/cell_type has"},
                 {(int *)&model->mesh.type[1], PHX_CELL_HEX8, "/picture/cell_first gives cell 2, a hex8, 20 nodes"}};
    const phx_elastic_ops *ops = model->ops; /* nobody asks the broken model for its stresses */
    phx_elastic_ops without = *ops;

    without.stresses = PHX_STRESSES_NONE;
    model->ops = &without;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int right = *cases[k].value;
        *cases[k].value = cases[k].wrong;
        write_wrong(context, bar, cases[k].what);
        *cases[k].value = right;
    }
    model->ops = ops;
    phx_flex_source_destroy(write_and_read(context, bar));
    phx_flex_source_destroy(bar);
}

static void wrong_ports_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    phx_reduced_port wrong[PORTS] = {ports[0], ports[1]};

    wrong[1].name = "P";
    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, wrong));
    refuse(context, "two ports 'P'");
    wrong[1].name = "";
    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, wrong));
    refuse(context, "a port without a name, 2");
    wrong[1] = ports[1];
    wrong[1].rotation[0] = -0.6;
    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, wrong));
    refuse(context, "of port 'C' is no rotation");
    wrong[1] = ports[1];
    wrong[1].rotation[8] = -1.0;
    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, wrong));
    refuse(context, "of port 'C' is no rotation");
    wrong[1] = ports[1];
    wrong[1].location = &(phx_location){.sort = PHX_LOCATION_NAME, .name = "x2"};
    CHECK_STATUS(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, wrong), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no point 'x2'");
    refuse(context, "of port 'C' is no rotation"); /* the older file is still there */
    phx_flex_source_destroy(bar);
}

/* ---- the boundary of a plate ---- */
static const phx_location read_names[PORTS] = {{.sort = PHX_LOCATION_NAME, .name = "P"},
                                               {.sort = PHX_LOCATION_NAME, .name = "C"}};

static phx_flex_source *make_reduced_plate(phx_context *context, phx_flex_source **whole)
{
    const phx_continuum_def def = {.name = "plate", .basis = PHX_BASIS_CRAIG_BAMPTON, .modes = MODES};
    plate_case plate = unit_plate(3, 0.3);
    phx_interface interfaces[PORTS];
    phx_flex_source *read = NULL;

    plate.order = 2;
    plate.membrane = true;
    plate.size[0] = 0.6;
    plate.size[1] = 0.4;
    plate.elements[1] = 2;
    phx_elastic_model *model = make_plate(context, &plate);
    for (int p = 0; p < PORTS; p++)
        add_interface(context, model, places[p].name, &interfaces[p]);
    CHECK_OK(context, phx_continuum_source_create(context, &def, model, PORTS, interfaces, whole));
    CHECK_OK(context, phx_reduced_write(context, path, "plate", "plate", *whole, NULL, PORTS, ports));
    CHECK_OK(context, phx_reduced_read(context, path, &read));
    return read;
}

/* A body that was read, to a file. */
static void write_again(phx_context *context, const char *name, const phx_flex_source *read)
{
    phx_reduced_port again[PORTS] = {ports[0], ports[1]};

    for (int p = 0; p < PORTS; p++)
        again[p].location = &read_names[p];
    CHECK_OK(context, phx_reduced_write(context, name, "plate", "plate", read, NULL, PORTS, again));
}

/* Of the body, of the file, and of a file that is made of the file: at a place, a node, a port and a corner. */
static void edges_are_those_of_the_body(void **state)
{
    phx_context *context = *state;
    phx_flex_source *whole = NULL, *read = make_reduced_plate(context, &whole), *again = NULL;
    const phx_location node = {.sort = PHX_LOCATION_NODE, .node = 2},
                       edge = phx_location_at_place(3, (double[]){0.47, 0.4, 0.0}),
                       corner = phx_location_at_place(3, (double[]){0.6, 0.4, 0.0}),
                       inside = phx_location_at_place(3, (double[]){0.3, 0.2, 0.0});
    const phx_location *const here[] = {&edge, &node, &places[0], &corner}, *const there[] = {&edge, &node,
                                                                                              &read_names[0], &corner};
    phx_stress_map map[3];

    write_again(context, "again.h5", read);
    CHECK_OK(context, phx_reduced_read(context, "again.h5", &again));
    for (int k = 0; k < 4; k++) {
        const phx_stress_set set = k < 3 ? PHX_STRESSES_EDGE : PHX_STRESSES_CORNER;
        double most = 0.0;
        CHECK_OK(context, phx_flex_source_stress_map(whole, context, set, here[k], &map[0]));
        CHECK_OK(context, phx_flex_source_stress_map(read, context, set, there[k], &map[1]));
        CHECK_OK(context, phx_flex_source_stress_map(again, context, set, there[k], &map[2]));
        const int values = phx_stress_components(set) * phx_stress_map_columns(&map[0]);
        for (int i = 0; i < values; i++)
            most = fmax(most, fabs(map[0].rows[i]));
        assert_true(most > 0.0);
        for (int i = 1; i < 3; i++)
            assert_memory_equal(map[0].rows, map[i].rows, (size_t)values * sizeof(double));
        for (int i = 0; i < 3; i++)
            phx_stress_map_free(&map[i]);
    }
    CHECK_STATUS(context, phx_flex_source_stress_map(read, context, PHX_STRESSES_EDGE, &inside, map), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "lies on no edge of the plate");
    CHECK_STATUS(context, phx_flex_source_stress_map(read, context, PHX_STRESSES_EDGE, &corner, map), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "is a corner of the plate");
    phx_flex_source_destroy(again);
    ((reduced_source *)read)->edges.n = 0; /* as of an earlier version */
    write_again(context, "again.h5", read);
    CHECK_OK(context, phx_reduced_read(context, "again.h5", &again));
    CHECK_STATUS(context, phx_flex_source_stress_map(again, context, PHX_STRESSES_EDGE, &edge, map), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "of an earlier version");
    phx_flex_source_destroy(again);
    phx_flex_source_destroy(read);
    phx_flex_source_destroy(whole);
    remove("again.h5");
}

static void wrong_edges_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *whole = NULL, *read = make_reduced_plate(context, &whole);
    phx_plate_edges *edges = &((reduced_source *)read)->edges;
    const struct {
        int *value, wrong;
        const char *what;
    } cases[] = {{&edges->end[3], edges->nodes, "/edges/end has"},
                 {&edges->end[0], edges->end[1], "/edges/end gives edge 1 no length"},
                 {&edges->end[1], edges->end[6], "without another one at an end"},
                 {&edges->begin[2], 3, "/edges/begin has"},
                 {&edges->n, edges->n - 1, "without another one at an end"},
                 {&edges->moment, -1, "has moment_degree -1"},
                 {&edges->shear, 0, "has shear_degree 0"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int right = *cases[k].value;
        *cases[k].value = cases[k].wrong;
        write_again(context, path, read);
        *cases[k].value = right;
        refuse(context, cases[k].what);
    }
    edges->V[0] = NAN;
    write_again(context, path, read);
    refuse(context, "/edges/shear has a number that is not finite");
    phx_flex_source_destroy(read);
    phx_flex_source_destroy(whole);
}

static void memory_for_edges(void **state)
{
    phx_context *context = *state;
    phx_flex_source *whole = NULL, *read = make_reduced_plate(context, &whole);
    const phx_location corner = phx_location_at_place(3, (double[]){0.6, 0.4, 0.0});

    for (int task = 0; task < 3; task++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long k = 0; status == PHX_ERR_MEMORY && k < 5000; k += 1 + k / 16) { /* not quite every one */
            phx_flex_source *made = NULL;
            phx_stress_map map = {.rows = NULL};
            phx_context_fail_allocation(context, k);
            status = task == 0   ? phx_reduced_write(context, path, "plate", "plate", whole, NULL, PORTS, ports)
                     : task == 1 ? phx_reduced_read(context, path, &made)
                                 : phx_flex_source_stress_map(read, context, PHX_STRESSES_CORNER, &corner, &map);
            phx_context_fail_allocation(context, -1);
            phx_flex_source_destroy(made);
            phx_stress_map_free(&map);
        }
        CHECK_OK(context, status);
    }
    phx_flex_source_destroy(read);
    phx_flex_source_destroy(whole);
}

/* ---- damage ---- */
enum { ROOM = 1 << 22 };
static unsigned char bytes[ROOM], damaged[ROOM];

static size_t load_bytes(void)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof bytes);
    return size;
}

static void save_bytes(const unsigned char *from, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(from, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void truncated_files_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    int whole = 0;

    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, ports));
    const size_t size = load_bytes(), step = size / (size_t)TEST_LONG(400) + 1;
    for (size_t length = 0; length < size; length += step) {
        save_bytes(bytes, length);
        refuse(context, "");
    }
    for (size_t left = 1; left <= 40; left++) {
        phx_flex_source *read = NULL;
        save_bytes(bytes, size - left);
        if (phx_reduced_read(context, path, &read)) {
            refuse(context, "");
            continue;
        }
        check_same_flex(phx_flex_source_flex(bar), phx_flex_source_flex(read), 0.0); /* without the checksum alone */
        whole++;
        phx_flex_source_destroy(read);
    }
    assert_int_equal(whole, 1);
    phx_flex_source_destroy(bar);
}

/* A changed byte is refused: the file has a checksum. */
static void changed_files_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *bar = make_bar(context, 0.0);
    uint64_t seed = 5;

    CHECK_OK(context, phx_reduced_write(context, path, "bar", "solid", bar, NULL, PORTS, ports));
    const size_t size = load_bytes();
    for (int k = 0; k < TEST_LONG(400); k++) {
        const size_t at = (size_t)((0.5 + 0.5 * random_value(&seed)) * (double)(size - 1));
        memcpy(damaged, bytes, size);
        damaged[at] ^= (unsigned char)(1u << (k % 8));
        save_bytes(damaged, size);
        refuse(context, "");
    }
    phx_flex_source_destroy(bar);
}

static void other_files_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *read = NULL;
    phx_h5 *file = NULL;

    save_bytes((const unsigned char *)"no body", 7);
    refuse(context, "not an HDF5 file");
    CHECK_OK(context, phx_h5_create(context, path, &file));
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_MODES);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    CHECK_OK(context, phx_h5_finish(file));
    refuse(context, "it is a \"phlexor modes\" file");
    CHECK_OK(context, phx_h5_create(context, path, &file));
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_BODY);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    CHECK_OK(context, phx_h5_finish(file));
    refuse(context, "/frequency_error is no number");
    remove(path);
    CHECK_STATUS(context, phx_reduced_read(context, path, &read), PHX_ERR_FILE);
    CHECK_STATUS(context, phx_reduced_read(context, NULL, &read), PHX_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(a_reduced_body_is_written_again),
                                       cmocka_unit_test(stresses_are_those_of_the_body),
                                       cmocka_unit_test(masses_at_ports),
                                       cmocka_unit_test(wrong_numbers_are_refused),
                                       cmocka_unit_test(wrong_strains_are_refused),
                                       cmocka_unit_test(wrong_pictures_are_refused),
                                       cmocka_unit_test(wrong_ports_are_refused),
                                       cmocka_unit_test(edges_are_those_of_the_body),
                                       cmocka_unit_test(wrong_edges_are_refused),
                                       cmocka_unit_test(memory_for_edges),
                                       cmocka_unit_test(truncated_files_are_refused),
                                       cmocka_unit_test(changed_files_are_refused),
                                       cmocka_unit_test(other_files_are_refused)};
    const int failed = cmocka_run_group_tests(tests, context_setup, context_teardown);

    remove(path);
    return failed;
}

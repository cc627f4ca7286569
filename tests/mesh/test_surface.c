/* Surfaces for pictures: skins are closed and seen from outside, finer and coarser ones stay so, files are read or
 * refused. */
#define _XOPEN_SOURCE 700 /* truncate */
#include "mesh_checks.h"

#include <stdlib.h>
#include <unistd.h>

/* Volume inside, by the divergence theorem: positive where the triangles are seen from outside. */
static double inside(const phx_surface *surface)
{
    double volume = 0.0;
    for (int t = 0; t < surface->n_triangles; t++) {
        const double *a = surface->x + 3 * surface->triangle[3 * t], *b = surface->x + 3 * surface->triangle[3 * t + 1],
                     *c = surface->x + 3 * surface->triangle[3 * t + 2];
        volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return volume / 6.0;
}

/* Every edge is run along once in each direction. */
static void check_closed(const phx_surface *surface)
{
    for (int t = 0; t < surface->n_triangles; t++)
        for (int k = 0; k < 3; k++) {
            const int a = surface->triangle[3 * t + k], b = surface->triangle[3 * t + (k + 1) % 3];
            int back = 0;
            for (int s = 0; s < surface->n_triangles; s++)
                for (int j = 0; j < 3; j++)
                    back += surface->triangle[3 * s + j] == b && surface->triangle[3 * s + (j + 1) % 3] == a;
            assert_int_equal(back, 1);
        }
}

/* An outline in the plane z = 0, extruded over a height of 2. */
static void extrude(phx_context *context, int n, const double (*corners)[2], phx_surface *surface)
{
    double rings[2 * 16 * 3] = {0};
    for (int k = 0; k < 2 * n; k++) {
        rings[3 * k] = corners[k % n][0];
        rings[3 * k + 1] = corners[k % n][1];
        rings[3 * k + 2] = k < n ? 0.0 : 2.0;
    }
    CHECK_OK(context, phx_surface_loft(context, n, 2, rings, false, surface));
}

/* An L and a U, whose lids cannot be fans. */
static const double angle_section[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 4}, {0, 4}};
static const double channel[8][2] = {{0, 0}, {4, 0}, {4, 3}, {3, 3}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};

static void skins_are_closed(void **state)
{
    phx_surface surface;
    extrude(*state, 6, angle_section, &surface);
    CHECK_CLOSE(inside(&surface), 2.0 * 6.0, 1e-13, "volume of the angle");
    check_closed(&surface);
    phx_surface_free(&surface);
    extrude(*state, 8, channel, &surface);
    CHECK_CLOSE(inside(&surface), 2.0 * 8.0, 1e-13, "volume of the channel");
    check_closed(&surface);
    phx_surface_free(&surface);
}

static void a_ring_has_a_hole(void **state)
{
    enum { AROUND = 40 };
    static const double radius[4] = {2, 2, 1, 1}, height[4] = {0, 3, 3, 0};
    const double pi = acos(-1.0), share = sin(2.0 * pi / AROUND) / (2.0 * pi / AROUND); /* of the circle's area */
    double rings[4 * AROUND * 3];
    phx_surface surface;
    for (int k = 0; k < 4 * AROUND; k++) {
        const double angle = 2.0 * pi * (k % AROUND) / AROUND;
        rings[3 * k] = radius[k / AROUND] * cos(angle);
        rings[3 * k + 1] = radius[k / AROUND] * sin(angle);
        rings[3 * k + 2] = height[k / AROUND];
    }
    CHECK_OK(*state, phx_surface_loft(*state, AROUND, 4, rings, true, &surface));
    CHECK_CLOSE(inside(&surface), share * pi * (4.0 - 1.0) * 3.0, 1e-12, "volume of the ring");
    check_closed(&surface);
    phx_surface_free(&surface);
}

static void finer_is_the_same_body(void **state)
{
    phx_surface surface;
    extrude(*state, 8, channel, &surface);
    const int before = surface.n_triangles;
    CHECK_OK(*state, phx_surface_refine(*state, 0.7, &surface));
    assert_true(surface.n_triangles > 4 * before);
    for (int t = 0; t < surface.n_triangles; t++)
        for (int k = 0; k < 3; k++) {
            const double *a = surface.x + 3 * surface.triangle[3 * t + k],
                         *b = surface.x + 3 * surface.triangle[3 * t + (k + 1) % 3];
            assert_true(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) <= 0.7);
        }
    CHECK_CLOSE(inside(&surface), 16.0, 1e-12, "volume");
    check_closed(&surface);
    const int fine = surface.n_triangles;
    CHECK_OK(*state, phx_surface_simplify(*state, fine / 4, &surface));
    assert_true(surface.n_triangles <= fine / 4 && surface.n_triangles > 0);
    CHECK_CLOSE(inside(&surface), 16.0, 0.1 * 16.0, "volume, coarse");
    phx_surface_free(&surface);
}

/* ---- files ---- */
static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* A binary STL of the surface, in millimetres; its size. */
static size_t write_stl(const char *path, const phx_surface *surface)
{
    FILE *file = fopen(path, "wb");
    const char head[80] = "made by a test";
    const uint32_t n = (uint32_t)surface->n_triangles;
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file);
    fwrite(&n, sizeof n, 1, file);
    for (int t = 0; t < surface->n_triangles; t++) {
        float numbers[12] = {0};
        const uint16_t none = 0;
        for (int k = 0; k < 9; k++)
            numbers[3 + k] = (float)(1000.0 * surface->x[3 * surface->triangle[3 * t + k / 3] + k % 3]);
        fwrite(numbers, sizeof numbers, 1, file);
        fwrite(&none, sizeof none, 1, file);
    }
    fclose(file);
    return 84 + 50 * (size_t)surface->n_triangles;
}

static void files_are_read(void **state)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 3\n"
                              "f 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    phx_surface made, read;
    extrude(*state, 6, angle_section, &made);
    write_stl("angle.stl", &made);
    CHECK_OK(*state, phx_surface_read(*state, "angle.stl", 0.001, &read));
    assert_int_equal(read.n_triangles, made.n_triangles);
    assert_int_equal(read.n_points, made.n_points); /* equal corners are one point */
    CHECK_CLOSE(inside(&read), 12.0, 1e-5, "volume");
    check_closed(&read);
    phx_surface_free(&read);
    write_bytes("pyramid.obj", obj, sizeof obj - 1);
    CHECK_OK(*state, phx_surface_read(*state, "pyramid.obj", 2.0, &read));
    CHECK_CLOSE(inside(&read), 8.0 * 1.0, 1e-6, "volume of the pyramid");
    phx_surface_free(&read);
    phx_surface_free(&made);
    remove("angle.stl");
    remove("pyramid.obj");
}

/* A pyramid over the unit square with its top over a corner: volume h/3, centre at a quarter of the height. Without a
 * side three edges are open. */
static void surfaces_have_moments(void **state)
{
    double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 3};
    int triangle[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    const phx_surface pyramid = {5, 6, x, triangle}, open = {5, 5, x, triangle};
    static const double h = 3.0, centre[3] = {0.375, 0.375, 0.75};
    phx_surface_moments moments;

    CHECK_OK(*state, phx_surface_integrate(*state, &pyramid, false, &moments));
    assert_int_equal(moments.open_edges, 0);
    CHECK_CLOSE(moments.volume, 1.0, 1e-15, "volume");
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(moments.centre[i], centre[i], 1e-15, "centre");
    /* int x^2 = int y^2 = h/15, int z^2 = h^3/30, int xy = h/20, int xz = h^2/40 over the volume h/3 */
    const double xx = 3.0 / 15.0 - 0.140625, zz = h * h * 3.0 / 30.0 - 0.5625, xy = 3.0 / 20.0 - 0.140625,
                 xz = 3.0 * h / 40.0 - 0.28125;
    CHECK_CLOSE(moments.inertia[0], xx + zz, 1e-14, "xx");
    CHECK_CLOSE(moments.inertia[8], 2.0 * xx, 1e-14, "zz");
    CHECK_CLOSE(moments.inertia[1], -xy, 1e-14, "xy");
    CHECK_CLOSE(moments.inertia[2], -xz, 1e-14, "xz");
    CHECK_OK(*state, phx_surface_integrate(*state, &open, false, &moments));
    assert_int_equal(moments.open_edges, 3);
}

/* A list of properties without an end, on which Assimp searches for ever: its process is ended. */
static void endless_reading_ends(void **state)
{
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                              "property float  eleme";
    phx_surface read;
    write_bytes("endless.ply", ply, sizeof ply - 1);
    assert_int_equal(phx_surface_read(*state, "endless.ply", 1.0, &read), PHX_ERR_FILE);
    CHECK_MESSAGE(*state, "endless.ply: Assimp cannot read it");
    remove("endless.ply");
}

/* Damaged and hostile files: a message that names the file, and nothing else happens. */
static void bad_files_are_refused(void **state)
{
    static const char cyclic[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                                 "\"nodes\":[{\"children\":[1]},{\"children\":[0]}]}";
    static const char outside[] = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"../../../etc/passwd\","
                                  "\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
                                  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":"
                                  "\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    static const struct {
        const char *name, *text;
    } files[] = {{"empty.stl", ""},
                 {"words.stl", "solid nothing\nfacet normal what\n"},
                 {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
                 {"not.obj", "v nan 0 0\nv 1 inf 0\nv 0 1 0\nf 1 2 3\n"},
                 {"cyclic.gltf", cyclic},
                 {"outside.gltf", outside},
                 {"binary.glb", "glTF\2\0\0\0"},
                 {"unknown.xyz", "1 2 3"}};
    phx_surface surface, read;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_bytes(files[k].name, files[k].text, strlen(files[k].text));
        assert_int_equal(phx_surface_read(*state, files[k].name, 1.0, &read), PHX_ERR_FILE);
        CHECK_MESSAGE(*state, files[k].name);
        assert_null(read.x);
        remove(files[k].name);
    }
    assert_int_equal(phx_surface_read(*state, "missing.stl", 1.0, &read), PHX_ERR_FILE);
    CHECK_MESSAGE(*state, "missing.stl: No such file");
    assert_int_equal(phx_surface_read(*state, ".", 1.0, &read), PHX_ERR_FILE);
    extrude(*state, 8, channel, &surface);
    const size_t bytes = write_stl("cut.stl", &surface);
    for (size_t length = bytes - 1; length > 84; length /= 2) {
        assert_int_equal(truncate("cut.stl", (off_t)length), 0);
        assert_int_equal(phx_surface_read(*state, "cut.stl", 1.0, &read), PHX_ERR_FILE);
    }
    surface.x[4] = NAN;
    write_stl("cut.stl", &surface);
    assert_int_equal(phx_surface_read(*state, "cut.stl", 1.0, &read), PHX_ERR_FILE);
    CHECK_MESSAGE(*state, "cut.stl: a coordinate of a point is not finite");
    remove("cut.stl");
    phx_surface_free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(skins_are_closed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_ring_has_a_hole, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(finer_is_the_same_body, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(surfaces_have_moments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(files_are_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(endless_reading_ends, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bad_files_are_refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("mesh_surface", tests, NULL, NULL);
}

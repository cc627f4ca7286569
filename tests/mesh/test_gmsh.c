/* Meshes through the program gmsh. A script on PATH stands in for it, which shows how it is called and what becomes of
 * what it writes and says; the program itself is run when it is installed. */
#define _XOPEN_SOURCE 700
#include "write_msh.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "test_gmsh_XXXXXX";
static char *old_path, *old_tmpdir;

static void name_in_folder(char *path, size_t size, const char *name)
{
    const int n = snprintf(path, size, "%s/%s", folder, name);
    assert_in_range(n, 1, size - 1);
}

static void write_file(const char *name, const void *data, size_t size, mode_t mode)
{
    char path[200];
    name_in_folder(path, sizeof path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* The stand-in: writes its arguments down, then does what it is told. "$last" is the file that it shall write. */
static void install(const char *what)
{
    char script[1000];
    const int n = snprintf(script, sizeof script, "#!/bin/sh\nfor last; do echo \"$last\"; done > '%s/arguments'\n%s\n",
                           folder, what);
    assert_in_range(n, 1, sizeof script - 1);
    write_file("gmsh", script, (size_t)n, 0755);
}

static bool was_argument(const char *argument)
{
    char path[200], line[400];
    bool found = false;
    name_in_folder(path, sizeof path, "arguments");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        found = found || !strcmp(line, argument);
    }
    fclose(file);
    return found;
}

static int files_in(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static char *kept(const char *variable)
{
    return getenv(variable) ? strdup(getenv(variable)) : NULL;
}

static void put_back(const char *variable, char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
    free(value);
}

/* A folder with the stand-in, a folder "tmp" for temporary files and a geometry. */
static int group_setup(void **state)
{
    char path[4000], here[3000];
    (void)state;
    old_path = kept("PATH");
    old_tmpdir = kept("TMPDIR");
    if (!mkdtemp(folder) || !getcwd(here, sizeof here))
        return -1;
    snprintf(path, sizeof path, "%s/%s/tmp", here, folder);
    if (mkdir(path, 0700) || setenv("TMPDIR", path, 1))
        return -1;
    snprintf(path, sizeof path, "/no/such/folder:%s/%s:/usr/bin:/bin", here, folder);
    write_file("a.geo", "// nothing\n", 11, 0644);
    write_file("a.unv", "nothing\n", 8, 0644);
    return setenv("PATH", path, 1);
}

static int group_teardown(void **state)
{
    static const char *const names[] = {"gmsh", "arguments", "a.geo", "a.unv", "box.msh", "tmp", "a.stp"};
    char path[200];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        name_in_folder(path, sizeof path, names[k]);
        remove(path);
    }
    put_back("PATH", old_path);
    put_back("TMPDIR", old_tmpdir);
    return rmdir(folder);
}

static phx_status read_in_folder(phx_context *context, const char *name, phx_mesh *mesh)
{
    char path[200];
    name_in_folder(path, sizeof path, name);
    const phx_status status = phx_mesh_read(context, path, 1.0, mesh);
    assert_int_equal(files_in(getenv("TMPDIR")), 0);
    return status;
}

static void test_meshed(void **state)
{
    phx_context *context = *state;
    const phx_box_mesh def = {{1.0, 1.0, 1.0}, {1, 1, 1}, PHX_CELL_HEX20};
    phx_mesh want, mesh;
    CHECK_OK(context, phx_mesh_box(context, &def, &want));
    bytes b = write_msh(&want, &msh_styles[6]);
    write_file("box.msh", b.data, b.size, 0644);
    char copy[400];
    snprintf(copy, sizeof copy, "echo Info; cp '%s/box.msh' \"$last\"", folder);
    install(copy);
    CHECK_OK(context, read_in_folder(context, "a.geo", &mesh));
    assert_int_equal(mesh.n_nodes, want.n_nodes);
    assert_int_equal(phx_mesh_count(&mesh, 3), 1);
    assert_true(was_argument("-3") && was_argument("msh41") && !was_argument("-save"));
    phx_mesh_free(&mesh);
    CHECK_OK(context, read_in_folder(context, "a.unv", &mesh));
    assert_true(was_argument("-save") && !was_argument("-3"));
    phx_mesh_free(&mesh);
    phx_mesh_free(&want);
    free(b.data);
}

static void test_failures(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    install("echo 'Info : begin'; echo 'Error   : no such volume' >&2; echo 'Info : end'; exit 1");
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "a.geo: gmsh made no mesh of it: no such volume");
    install("exit 0");
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "gmsh made no mesh of it: it says nothing");
    install("kill -9 $$");
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_ERR_FILE);
    CHECK_MESSAGE(context, "gmsh was ended by signal 9");
    install("echo '$MeshFormat' > \"$last\"");
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "a.geo: the mesh that gmsh made of it: ");
    CHECK_STATUS(context, phx_mesh_read(context, "none.geo", 1.0, &mesh), PHX_ERR_FILE);
    CHECK_MESSAGE(context, "none.geo: cannot be read");
}

static bool stop_at_once(void *user, const char *what, double done, double total)
{
    (void)what, (void)done, (void)total;
    ++*(int *)user;
    return false;
}

static void test_interrupted(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    int calls = 0;
    install("exec sleep 60");
    phx_context_set_progress(context, stop_at_once, &calls);
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_INTERRUPTED);
    assert_int_equal(calls, 1);
}

static void test_not_installed(void **state)
{
    phx_context *context = *state;
    phx_mesh mesh;
    char *path = kept("PATH");
    setenv("PATH", "/no/such/folder::/", 1);
    CHECK_STATUS(context, read_in_folder(context, "a.geo", &mesh), PHX_ERR_FILE);
    CHECK_MESSAGE(context, "apt-get install gmsh");
    put_back("PATH", path);
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_status status = PHX_ERR_MEMORY;
    install("printf '$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n1\\n1 0 0 0\\n$EndNodes\\n$Elements\\n0\\n"
            "$EndElements\\n' > \"$last\"");
    for (int n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_mesh mesh = {0};
        phx_context_fail_allocation(context, n);
        status = read_in_folder(context, "a.geo", &mesh);
        phx_mesh_free(&mesh);
    }
    phx_context_fail_allocation(context, -1);
    CHECK_OK(context, status);
}

/* The program itself: a box of tetrahedra of the second order, with a named side. */
static void test_program(void **state)
{
    phx_context *context = *state;
    static const char text[] =
        "SetFactory(\"Built-in\");\nPoint(1) = {0,0,0,0.5};\nl[] = Extrude {1,0,0} { Point{1}; Layers{2}; };\n"
        "s[] = Extrude {0,1,0} { Line{l[1]}; Layers{2}; };\nv[] = Extrude {0,0,1} { Surface{s[1]}; Layers{2}; };\n"
        "Physical Volume(\"body\") = {v[1]};\nPhysical Surface(\"top\") = {v[0]};\nMesh.ElementOrder = 2;\n";
    char *path = kept("PATH");
    setenv("PATH", old_path ? old_path : "", 1);
    phx_mesh mesh;
    write_file("a.geo", text, sizeof text - 1, 0644);
    const phx_status status = read_in_folder(context, "a.geo", &mesh);
    put_back("PATH", path);
    if (status == PHX_ERR_FILE && strstr(phx_context_message(context), "not installed"))
        skip();
    CHECK_OK(context, status);
    double volume = 0.0;
    for (int c = 0; c < mesh.n_cells; c++) {
        check_middles(&mesh, c, 1e-12);
        if (phx_cell_info_of(mesh.type[c])->dimension == 3)
            volume += volume_of_cell(&mesh, c);
    }
    CHECK_CLOSE(volume, 1.0, 1e-12, "volume");
    assert_int_equal(phx_mesh_group_named(&mesh, "body")->dimension, 3);
    assert_int_equal(phx_mesh_group_named(&mesh, "top")->dimension, 2);
    phx_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_meshed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_failures, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_interrupted, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_not_installed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_program, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}

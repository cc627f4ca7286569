/* The mesh of a file, by the ending of its name. */
#include "builder.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum file_format { FORMAT_MSH, FORMAT_INP, FORMAT_GEOMETRY, FORMAT_MESH, FORMATS } file_format;

static const struct {
    const char *ending;
    file_format format;
} endings[] = {
    {".msh", FORMAT_MSH},      {".inp", FORMAT_INP},       {".geo", FORMAT_GEOMETRY},  {".step", FORMAT_GEOMETRY},
    {".stp", FORMAT_GEOMETRY}, {".brep", FORMAT_GEOMETRY}, {".iges", FORMAT_GEOMETRY}, {".igs", FORMAT_GEOMETRY},
    {".med", FORMAT_MESH},     {".unv", FORMAT_MESH},      {".bdf", FORMAT_MESH},      {".nas", FORMAT_MESH},
    {".vtk", FORMAT_MESH},
};

static file_format format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (!strcasecmp(dot, endings[k].ending))
            return endings[k].format;
    return FORMATS;
}

/* The mesh of the input, which is freed. */
static phx_status read_input(phx_input *input, double unit, bool centres, file_format format, phx_deck *deck,
                             phx_mesh *mesh)
{
    phx_builder builder;
    phx_status status = phx_builder_init(&builder, input, unit);
    builder.centres = centres;
    if (!status)
        status = format == FORMAT_INP ? phx_read_inp(&builder, deck) : phx_read_msh(&builder);
    if (!status)
        status = phx_builder_finish(&builder, mesh);
    phx_builder_free(&builder);
    phx_input_free(input);
    return status;
}

static phx_status read_read_file(phx_context *context, const char *path, double unit, bool centres, file_format format,
                                 phx_deck *deck, phx_mesh *mesh)
{
    phx_input input = {.context = context};
    int file;
    const phx_status status = phx_input_load(&input, path, PHX_NO_PLACE, &file);
    if (!status)
        return read_input(&input, unit, centres, format, deck, mesh);
    phx_input_free(&input);
    return status;
}

static phx_status read_by_gmsh(phx_context *context, const char *path, double unit, bool centres, bool geometry,
                               phx_mesh *mesh)
{
    phx_gmsh_result result = {0};
    phx_status status = phx_files_read(context, path);
    if (!status)
        status = phx_gmsh_run(context, path, geometry, &result);
    if (!status) {
        status = read_read_file(context, result.mesh, unit, centres, FORMAT_MSH, NULL, mesh);
        if (status)
            phx_fail_prefix(context, status, "%s: the mesh that gmsh made of it: ", path);
    }
    phx_gmsh_remove(&result);
    return status;
}

static phx_status check_unit(phx_context *context, const char *path, double unit)
{
    if (unit > 0.0 && isfinite(unit))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: the unit of length is %g m; it must be above 0", path, unit);
}

static phx_status fail_format(phx_context *context, const char *path)
{
    return phx_fail(context, PHX_ERR_INPUT,
                    "%s: its ending tells no format of meshes; .msh and .inp are read, and through the program gmsh "
                    ".geo, .step, .stp, .brep, .iges, .igs, .med, .unv, .bdf, .nas and .vtk",
                    path);
}

/* `deck` may be NULL: materials are passed over. */
static phx_status read_any(phx_context *context, const char *path, double unit, bool centres, phx_mesh *mesh,
                           phx_deck *deck)
{
    const file_format f = format_of(path);
    const bool by_gmsh = f == FORMAT_GEOMETRY || f == FORMAT_MESH;
    *mesh = (phx_mesh){0};
    const phx_status status = check_unit(context, path, unit);
    if (status)
        return status;
    if (f == FORMATS)
        return fail_format(context, path);
    return phx_conclude(context, by_gmsh ? read_by_gmsh(context, path, unit, centres, f == FORMAT_GEOMETRY, mesh)
                                         : read_read_file(context, path, unit, centres, f, deck, mesh));
}

bool phx_mesh_reads(const char *path)
{
    return path && format_of(path) != FORMATS;
}

phx_status phx_mesh_read(phx_context *context, const char *path, double unit, phx_mesh *mesh)
{
    if (!path || !mesh)
        return phx_fail_null(context, __func__, "path or mesh");
    return read_any(context, path, unit, false, mesh, NULL);
}

phx_status phx_mesh_read_centres(phx_context *context, const char *path, double unit, phx_mesh *mesh)
{
    if (!path || !mesh)
        return phx_fail_null(context, __func__, "path or mesh");
    return read_any(context, path, unit, true, mesh, NULL);
}

phx_status phx_mesh_read_deck(phx_context *context, const char *path, double unit, phx_mesh *mesh, phx_deck *deck)
{
    if (!path || !mesh || !deck)
        return phx_fail_null(context, __func__, "path, mesh or deck");
    *deck = (phx_deck){0};
    const phx_status status = read_any(context, path, unit, false, mesh, deck);
    if (status)
        phx_deck_free(deck);
    return status;
}

/* Reads a mesh, and materials if deck is given, from text in memory; the name's ending gives the format. Lengths are
 * multiplied by unit. */
phx_status phx_mesh_read_bytes(phx_context *context, const char *path, const char *bytes, size_t size, double unit,
                               phx_mesh *mesh, phx_deck *deck)
{
    if (!path || (!bytes && size) || !mesh)
        return phx_fail_null(context, __func__, "path, bytes or mesh");
    *mesh = (phx_mesh){0};
    if (deck)
        *deck = (phx_deck){0};
    phx_status status = check_unit(context, path, unit);
    if (status)
        return status;
    const file_format f = format_of(path);
    if (f != FORMAT_MSH && f != FORMAT_INP)
        return fail_format(context, path);
    phx_input input = {.context = context};
    status = phx_input_copy(&input, path, bytes, size);
    if (!status)
        status = read_input(&input, unit, false, f, deck, mesh);
    else
        phx_input_free(&input);
    if (status)
        phx_deck_free(deck);
    return phx_conclude(context, status);
}

/* Report on the files of another finite-element program, and the body that they make. */
#include "import_report.h"

#include <math.h>
#include <string.h>

phx_study_import_options phx_study_import_options_default(void)
{
    return (phx_study_import_options){.length = 1.0, .mass = 1.0, .time = 1.0, .frequencies = 6};
}

/* Frees a report and everything in it; NULL is allowed. */
void phx_import_report_destroy(phx_import_report *report)
{
    if (!report)
        return;
    for (int k = 0; k < report->n_files; k++)
        phx_free(report->files[k].path);
    for (int k = 0; k < report->n_groups; k++) {
        phx_free(report->groups[k].name);
        phx_free(report->groups[k].port);
        phx_free(report->groups[k].refused);
    }
    for (int k = 0; k < report->n_materials; k++)
        phx_free(report->materials[k].name);
    for (int k = 0; k < report->n_regions; k++)
        phx_free(report->regions[k].group);
    phx_free(report->regions);
    phx_free(report->files);
    phx_free(report->groups);
    phx_free(report->materials);
    phx_free(report->name);
    phx_free(report->mass_matrix);
    phx_free(report->stiffness_matrix);
    phx_free(report->frequency);
    phx_free(report->no_frequencies);
    phx_free(report->no_model);
    phx_free(report);
}

static phx_status import_keep(phx_context *context, const char *text, char **copy)
{
    if (!text)
        return PHX_OK;
    *copy = phx_strdup(context, text);
    return *copy ? PHX_OK : PHX_ERR_MEMORY;
}

/* The message of the context, without "PATH:" of nothing. */
static phx_status keep_message(phx_context *context, char **copy)
{
    const phx_status status = import_keep(context, phx_context_message(context), copy);
    phx_context_clear(context);
    return status;
}

/* ---- the name of the body: that of a file without folder and ending, with signs that names have ---- */
static phx_status name_body(phx_context *context, const char *name, const char *path, phx_import_report *report)
{
    const char *slash = strrchr(path, '/'), *base = name ? name : slash ? slash + 1 : path;
    const char *dot = name ? NULL : strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    for (int k = 0; k < 2 && !name; k++) { /* as Abaqus calls its matrices */
        const char *ending = strstr(base, k ? "_MASS" : "_STIF");
        if (ending && ending > base && (size_t)(ending - base) < length)
            length = (size_t)(ending - base);
    }
    report->name = phx_calloc(context, length + 2, 1);
    if (!report->name)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < length && k < 100; k++)
        report->name[k] = (char)((unsigned char)base[k] < 0x20 || strchr(".@/,;\"'\\ ", base[k]) ? '_' : base[k]);
    if (!strcmp(report->name, "ground") || !report->name[0])
        strcpy(report->name, "b");
    return PHX_OK;
}

/* ---- what it is as a body ---- */
static phx_status find_frequencies(phx_context *context, int count, phx_elastic_model **model,
                                   phx_import_report *report)
{
    static const double two_pi = 6.28318530717958647693;
    phx_continuum_def def = {.name = report->name, .basis = PHX_BASIS_FREE, .frame = PHX_FRAME_MEAN};
    phx_flex_source *source = NULL;

    if ((*model)->modal_K)
        def.basis = PHX_BASIS_OWN;
    def.modes = count < (*model)->n - 6 ? count : (*model)->n - 6;
    if (def.modes < 1)
        return import_keep(context, "too few unknowns", &report->no_frequencies);
    const phx_status status = phx_continuum_source_create(context, &def, *model, 0, NULL, &source);
    if (status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED)
        return status;
    if (status)
        return keep_message(context, &report->no_frequencies);
    *model = NULL; /* the source has it */
    const int n = phx_flex_source_flex(source)->n;
    report->frequency = phx_calloc(context, (size_t)n + 1, sizeof *report->frequency);
    for (int k = 0; k < n && report->frequency; k++)
        report->frequency[k] = phx_continuum_frequencies(source)[k] / two_pi;
    report->n_frequencies = report->frequency ? n : 0;
    phx_flex_source_destroy(source);
    return report->frequency ? PHX_OK : PHX_ERR_MEMORY;
}

/* A body of a model must be free and have mass. */
static phx_status check_free(phx_context *context, phx_import_report *report)
{
    static const double most = 1e-6; /* as of bodies of kind `imported` */

    for (int k = 0; k < 6; k++)
        if (!(report->summary.rigid_force[k] < most))
            return import_keep(
                context,
                "the stiffness matrix resists rigid motions; export it without supports, and check that the "
                "nodes are those of the matrices",
                &report->no_model);
    if (!(report->summary.mass > 0.0))
        return import_keep(context, "the mass matrix has no mass", &report->no_model);
    return PHX_OK;
}

/* Adds mass properties, check of the free motions, ports and lowest frequencies to the report. A body that cannot be
 * used reports the reason instead of frequencies. */
static phx_status describe_model(phx_context *context, int frequencies, phx_elastic_model **model,
                                 phx_import_report *report)
{
    phx_status status = phx_elastic_summarise(context, *model, &report->summary);

    report->nodes = (*model)->n_nodes;
    report->unknowns = (*model)->n;
    if (!status)
        status = check_free(context, report);
    if (!status)
        status = phx_import_find_ports(context, *model, report);
    if (!status && report->no_model)
        return import_keep(context, report->no_model, &report->no_frequencies);
    return status ? status : find_frequencies(context, frequencies, model, report);
}

/* ---- matrices ---- */
static phx_status keep_files(phx_context *context, const phx_import_contents *contents, phx_import_report *report)
{
    phx_status status = PHX_OK;

    report->files = phx_calloc(context, (size_t)contents->n_files + 1, sizeof *report->files);
    if (!report->files)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < contents->n_files && !status; k++) {
        report->files[k].of = contents->files[k];
        status = import_keep(context, contents->files[k].path, &report->files[k].path);
        report->n_files++;
    }
    return status;
}

/* *model stays NULL where the files have no matrices. */
static phx_status import_matrices(phx_context *context, const phx_study_import_options *options,
                                  phx_import_report *report, phx_elastic_model **model)
{
    phx_import_def def = phx_import_def_default();
    phx_import_contents contents = {0};

    def.n_files = options->n_files;
    def.files = options->files;
    def.mass_file = options->mass_matrix;
    def.stiffness_file = options->stiffness_matrix;
    def.length = options->length;
    def.mass = options->mass;
    def.time = options->time;
    phx_status status = phx_import_describe(context, &def, &contents, model);
    if (!status && *model)
        status = keep_files(context, &contents, report);
    if (!status)
        status = import_keep(context, options->mass_matrix, &report->mass_matrix);
    if (!status)
        status = import_keep(context, options->stiffness_matrix, &report->stiffness_matrix);
    phx_import_contents_free(&contents);
    return status;
}

/* ---- meshes ---- */
static phx_status keep_materials(phx_context *context, const phx_study_import_options *options, const phx_deck *deck,
                                 phx_import_report *report)
{
    const double pressure = options->mass / (options->length * options->time * options->time);
    const double density = options->mass / (options->length * options->length * options->length);
    phx_status status = PHX_OK;

    report->materials = phx_calloc(context, (size_t)deck->n_materials + 1, sizeof *report->materials);
    if (!report->materials)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < deck->n_materials && !status; k++) {
        const phx_deck_material *from = &deck->materials[k];
        phx_import_material *to = &report->materials[report->n_materials++];
        to->isotropic = from->elastic == PHX_DECK_ELASTIC_ISOTROPIC;
        to->density = from->has_density ? density * from->density : 0.0;
        to->young = to->isotropic ? pressure * from->constants[0] : 0.0;
        to->poisson = to->isotropic ? from->constants[1] : 0.0;
        status = import_keep(context, from->name, &to->name);
    }
    return status;
}

static bool is_usable(const phx_import_report *report, int material)
{
    const phx_import_material *import_material =
        material >= 0 && material < report->n_materials ? &report->materials[material] : NULL;

    return import_material && import_material->isotropic && import_material->density > 0.0 &&
           import_material->young > 0.0 && import_material->poisson > -1.0 && import_material->poisson < 0.5;
}

/* The material of the first section, and regions for sections that have another one or another thickness; steel if one
 * of them is none that a body can have. */
static phx_status choose_materials(phx_context *context, const phx_deck *deck, const phx_mesh *mesh, int dimension,
                                   phx_import_report *report)
{
    static char steel[] = "steel";
    const int first = deck->n_sections > 0 ? deck->sections[0].material : 0;
    const bool given = report->thickness > 0.0; /* by the user, for all */
    phx_status status = PHX_OK;

    report->assumed = !is_usable(report, first);
    for (int k = 1; k < deck->n_sections; k++)
        report->assumed = report->assumed || !is_usable(report, deck->sections[k].material);
    report->used = report->assumed ? (phx_import_material){steel, true, 7850.0, 2.1e11, 0.3} : report->materials[first];
    for (int k = 0; k < deck->n_sections && report->thickness == 0.0; k++)
        if (deck->sections[k].shell)
            report->thickness = report->length * deck->sections[k].thickness;
    report->regions = phx_calloc(context, (size_t)deck->n_sections, sizeof *report->regions);
    if (!report->regions)
        return PHX_ERR_MEMORY;
    for (int k = 1; k < deck->n_sections && !status && !report->assumed; k++) {
        const phx_deck_section *section = &deck->sections[k];
        const double thickness = dimension == 2 && !given ? report->length * section->thickness : 0.0;
        const bool same = section->material == first && (!(thickness > 0.0) || thickness == report->thickness);
        if (same || !phx_mesh_group_in(mesh, section->group, dimension))
            continue;
        phx_import_region *region = &report->regions[report->n_regions++];
        *region = (phx_import_region){.material = section->material,
                                      .thickness = thickness == report->thickness ? 0.0 : thickness};
        status = import_keep(context, section->group, &region->group);
    }
    return status;
}

/* The regions of the sections, then the material of the rest. */
static phx_status make_solid(phx_context *context, phx_mesh *mesh, const phx_import_report *report,
                             phx_elastic_model **model)
{
    phx_solid_region *regions = phx_calloc(context, (size_t)report->n_regions + 1, sizeof *regions);
    phx_status status = regions ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k <= report->n_regions && !status; k++) { /* the last: what the others leave */
        const bool whole = k == report->n_regions;
        const phx_import_material *of = whole ? &report->used : &report->materials[report->regions[k].material];
        regions[k].group = whole ? NULL : report->regions[k].group;
        phx_isotropic_material(of->young, of->poisson, of->density, &regions[k].material);
    }
    if (!status)
        status = phx_solid_create(context, mesh, report->n_regions + 1, regions, model);
    phx_free(regions);
    return status;
}

/* The same of a plate, with the thickness of each region. */
static phx_status make_plate(phx_context *context, const char *path, phx_mesh *mesh, const phx_import_report *report,
                             phx_elastic_model **model)
{
    static const double shear_correction = 5.0 / 6.0;
    phx_plate_region *regions = phx_calloc(context, (size_t)report->n_regions + 1, sizeof *regions);
    const phx_plate_def def = {.theory = PHX_PLATE_KIRCHHOFF,
                               .order = 1,
                               .membrane = true,
                               .n_regions = report->n_regions + 1,
                               .regions = regions};
    phx_status status = regions ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && !(report->thickness > 0.0))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: the mesh has surfaces but no thickness; give the thickness of the plate", path);
    for (int k = 0; k <= report->n_regions && !status; k++) {
        const bool whole = k == report->n_regions;
        const phx_import_material *of = whole ? &report->used : &report->materials[report->regions[k].material];
        const double thickness =
            whole || !(report->regions[k].thickness > 0.0) ? report->thickness : report->regions[k].thickness;
        regions[k].group = whole ? NULL : report->regions[k].group;
        phx_isotropic_section(of->young, of->poisson, of->density, thickness, shear_correction, &regions[k].section);
    }
    if (!status)
        status = phx_plate_create(context, mesh, &def, model);
    phx_free(regions);
    return status;
}

static phx_status keep_mesh_file(phx_context *context, const char *path, const phx_mesh *mesh,
                                 phx_import_report *report)
{
    report->files = phx_calloc(context, 1, sizeof *report->files);
    if (!report->files)
        return PHX_ERR_MEMORY;
    report->n_files = 1;
    report->files[0].of = (phx_import_file){.format = "mesh", .nodes = mesh->n_nodes, .cells = mesh->n_cells};
    return import_keep(context, path, &report->files[0].path);
}

/* A body of a model does not take masses and springs from a deck. */
static phx_status check_elements(phx_context *context, const phx_mesh *mesh, phx_import_report *report)
{
    const char *left_out = phx_mesh_left_out(mesh);
    char why[120];

    if (!left_out)
        return PHX_OK;
    snprintf(why, sizeof why, "elements of type %s are not taken from a deck; take them out", left_out);
    return import_keep(context, why, &report->no_model);
}

/* Reads one mesh with materials and boundary groups and makes the finite-element model: a solid if it has cells of
 * dimension 3, else a plate of the given thickness. */
static phx_status import_mesh(phx_context *context, const phx_study_import_options *options, phx_import_report *report,
                              phx_elastic_model **model)
{
    const char *path = options->files[0];
    phx_mesh mesh = {0};
    phx_deck deck = {0};
    phx_status status = phx_mesh_read_deck(context, path, options->length, &mesh, &deck);
    const bool solid = phx_mesh_count(&mesh, 3) > 0;

    report->kind = solid ? PHX_IMPORT_SOLID : PHX_IMPORT_PLATE;
    report->thickness = options->thickness;
    if (!status && !solid && phx_mesh_count(&mesh, 2) == 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s: it has no cells of a surface or a solid, and no matrices", path);
    if (!status)
        status = keep_mesh_file(context, path, &mesh, report);
    if (!status)
        status = check_elements(context, &mesh, report);
    if (!status)
        status = keep_materials(context, options, &deck, report);
    if (!status)
        status = phx_mesh_judge(context, &mesh, path);
    if (!status)
        status = choose_materials(context, &deck, &mesh, solid ? 3 : 2, report);
    if (!status) {
        status = solid ? make_solid(context, &mesh, report, model) : make_plate(context, path, &mesh, report, model);
        if (status == PHX_ERR_ARGUMENT)
            status = phx_fail_prefix(context, PHX_ERR_INPUT, "%s: ", path);
    }
    phx_mesh_free(&mesh);
    phx_deck_free(&deck);
    return status;
}

/* ---- the whole ---- */
static phx_status import_check_options(phx_context *context, const phx_study_import_options *options)
{
    const double units[] = {options->length, options->mass, options->time};
    static const char *const names[] = {"length", "mass", "time"};

    for (int k = 0; k < 3; k++)
        if (!(units[k] > 0.0 && isfinite(units[k])))
            return phx_fail(context, PHX_ERR_INPUT, "the unit of %s is %g; it must be above 0", names[k], units[k]);
    if (options->n_files < 1 && !options->mass_matrix && !options->stiffness_matrix)
        return phx_fail(context, PHX_ERR_INPUT, "there are no files; name at least one");
    return PHX_OK;
}

/* Makes the model of the given files: matrices or modes if they hold any, else the one file must be a mesh. */
static phx_status import_files(phx_context *context, const phx_study_import_options *options, phx_import_report *report,
                               phx_elastic_model **model)
{
    const bool one = options->n_files == 1 && !options->mass_matrix && !options->stiffness_matrix;
    const char *dot = one ? strrchr(options->files[0], '.') : NULL;
    /* bulk data of Nastran are a mesh, or matrices */
    const bool bulk = dot && (!strcmp(dot, ".bdf") || !strcmp(dot, ".nas"));
    const bool mesh = one && !bulk && phx_mesh_reads(options->files[0]);
    phx_status status = mesh ? PHX_OK : import_matrices(context, options, report, model);

    if (status || *model)
        return status;
    if (!one)
        return phx_fail(
            context, PHX_ERR_INPUT,
            "no file has a mass matrix, a stiffness matrix or modes; add these files, or give one mesh alone");
    if (!phx_mesh_reads(options->files[0]))
        return phx_fail(context, PHX_ERR_INPUT, "%s: it has neither matrices nor a mesh", options->files[0]);
    return import_mesh(context, options, report, model);
}

/* Imports a finite-element body and describes it in a new report. The caller owns the report, which is NULL after a
 * failure. */
phx_status phx_study_import(phx_context *context, const phx_study_import_options *options, phx_import_report **report)
{
    if (!options || !report || (options->n_files > 0 && !options->files))
        return phx_fail_null(context, __func__, "options, its files or report");
    *report = NULL;
    phx_elastic_model *model = NULL;
    phx_import_report *made = phx_calloc(context, 1, sizeof *made);
    phx_status status = made ? import_check_options(context, options) : PHX_ERR_MEMORY;

    if (!status) {
        made->length = options->length;
        made->mass_unit = options->mass;
        made->time = options->time;
        status = name_body(context, options->name,
                           options->n_files > 0        ? options->files[0]
                           : options->stiffness_matrix ? options->stiffness_matrix
                                                       : options->mass_matrix,
                           made);
    }
    if (!status)
        status = import_files(context, options, made, &model);
    if (!status)
        status = describe_model(context, options->frequencies, &model, made);
    phx_elastic_destroy(model);
    if (status)
        phx_import_report_destroy(made);
    else
        *report = made;
    return phx_conclude(context, status);
}

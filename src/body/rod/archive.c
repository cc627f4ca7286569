/* Rods in an archive, as what they were made of: what is read is made anew and is the same bit by bit. */
#include "internal.h"

#include <string.h>

/* A new field changes the size: it is written here too. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_rod_def) == 80, "write the new field here");
_Static_assert(sizeof(phx_rod_mass) == 88, "write the new field here");

/* Sizes of the arrays of a definition, in the order of arrays_of. */
enum { N_ARRAYS = 5 };
static void sizes_of(const phx_rod_def *def, size_t size[N_ARRAYS])
{
    const size_t n = (size_t)def->elements, dim = (size_t)def->dim, points = (size_t)PHX_ROD_GAUSS * PHX_ROD_SECTION;

    size[0] = (n + 1) * dim;
    size[1] = (n + 1) * dim * dim;
    size[2] = n;
    size[3] = size[4] = n * points;
}

static void arrays_of(phx_rod_def *def, const double **array[N_ARRAYS])
{
    array[0] = &def->place;
    array[1] = &def->axes;
    array[2] = &def->length;
    array[3] = &def->compliance;
    array[4] = &def->mass;
}

void phx_rod_free_def(phx_rod_def *def)
{
    const double **array[N_ARRAYS];

    arrays_of(def, array);
    for (int k = 0; k < N_ARRAYS; k++)
        phx_free((double *)*array[k]);
    phx_free((phx_rod_mass *)def->masses);
    *def = (phx_rod_def){0};
}

/* Deep copy of a rod's definition without its name. After an error the arrays made so far stay in `copy` and are freed
 * with it. */
phx_status phx_rod_copy_def(phx_context *context, const phx_rod_def *def, phx_rod_def *copy)
{
    phx_rod_def from = *def;
    const double **given[N_ARRAYS], **made[N_ARRAYS];
    size_t size[N_ARRAYS];
    const size_t masses = (size_t)def->n_masses;

    *copy = *def;
    copy->name = NULL; /* the body has it */
    sizes_of(def, size);
    arrays_of(&from, given);
    arrays_of(copy, made);
    for (int k = 0; k < N_ARRAYS; k++)
        *made[k] = NULL;
    phx_rod_mass *at_nodes = phx_calloc(context, masses, sizeof *at_nodes);
    copy->masses = at_nodes;
    if (!at_nodes)
        return PHX_ERR_MEMORY;
    if (masses > 0)
        memcpy(at_nodes, def->masses, masses * sizeof *at_nodes);
    for (int k = 0; k < N_ARRAYS; k++) {
        double *array = phx_calloc(context, size[k], sizeof *array);
        *made[k] = array;
        if (!array)
            return PHX_ERR_MEMORY;
        memcpy(array, *given[k], size[k] * sizeof *array);
    }
    return PHX_OK;
}

/* Writes or reads the point masses of a rod; in reading the array is allocated. */
static void archive_masses(phx_archive *archive, phx_rod_def *def)
{
    phx_archive_count(archive, &def->n_masses);
    phx_rod_mass *masses = (phx_rod_mass *)def->masses;
    if (phx_archive_reads(archive)) {
        masses = phx_calloc(phx_archive_context(archive), (size_t)def->n_masses, sizeof *masses);
        def->masses = masses;
        phx_archive_fail(archive, masses ? PHX_OK : PHX_ERR_MEMORY);
    }
    for (int k = 0; k < def->n_masses && !phx_archive_status(archive); k++) {
        phx_archive_int(archive, &masses[k].node);
        phx_archive_double(archive, &masses[k].mass);
        phx_archive_doubles(archive, 9, masses[k].inertia);
    }
}

/* Writes or reads a rod's definition; in reading an absent array is an input error. */
static void archive_def(phx_archive *archive, phx_rod_def *def)
{
    const double **array[N_ARRAYS];
    size_t size[N_ARRAYS];

    phx_archive_choice(archive, 3, &def->dim);
    phx_archive_count(archive, &def->elements);
    sizes_of(def, size);
    arrays_of(def, array);
    for (int k = 0; k < N_ARRAYS && !phx_archive_status(archive); k++) {
        double *values = (double *)*array[k];
        phx_archive_double_array(archive, size[k], &values);
        *array[k] = values;
        if (!values && !phx_archive_status(archive))
            phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                               "the archive is damaged: a rod lacks an array"));
    }
    phx_archive_double(archive, &def->damping);
    if (!phx_archive_status(archive))
        archive_masses(archive, def);
}

/* Writes or reads a rod as its definition; in reading the rod is built from it again. */
void phx_rod_archive(phx_archive *archive, const phx_flex *flex, phx_body **body)
{
    const bool reads = phx_archive_reads(archive);
    phx_rod_def def = reads ? (phx_rod_def){0} : phx_rod_of(*body)->def;
    char *name = reads ? NULL : (*body)->name;

    (void)flex; /* its deformation is that of its nodes */
    phx_archive_text(archive, &name);
    archive_def(archive, &def);
    if (!reads)
        return;
    def.name = name ? name : "";
    if (!phx_archive_status(archive))
        phx_archive_fail(archive, phx_rod_create(phx_archive_context(archive), &def, body));
    phx_rod_free_def(&def);
    phx_free(name);
}

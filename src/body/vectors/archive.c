/* Bodies of vectors in an archive, by their definition; what is read is made again and is bitwise identical. */
#include "vectors.h"

#include <string.h>

_Static_assert(sizeof(void *) != 8 || sizeof(phx_vector_def) == 136, "write the new field here");
_Static_assert(sizeof(phx_vector_section) == 536, "write the new field here");

static size_t cell_nodes(const phx_vector_def *def)
{
    size_t sum = 0;

    for (int e = 0; e < def->n_elements && def->element; e++)
        sum += (size_t)phx_vector_nodes(def->element[e]);
    return sum;
}

void phx_vectors_free_def(phx_vector_def *def)
{
    const void *arrays[] = {def->place,         def->director, def->director_place, def->element,  def->cell_place,
                            def->cell_director, def->section,  def->axis,           def->sections, def->masses};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free((void *)arrays[k]);
    for (int f = 0; f < def->n_ties && def->ties; f++) {
        phx_free((char *)def->ties[f].name);
        phx_free((int *)def->ties[f].places);
        phx_free((int *)def->ties[f].directors);
    }
    phx_free((phx_vector_tie *)def->ties);
    *def = (phx_vector_def){0};
}

/* A copy of `count` things of that size; *ok false without memory. */
static void *copied(phx_context *context, const void *from, size_t count, size_t size, bool *ok)
{
    void *copy = phx_calloc(context, count + 1, size);

    if (copy && count > 0 && from)
        memcpy(copy, from, count * size);
    *ok = *ok && copy;
    return copy;
}

/* Deep copy without the name; after an error it is freed with the copy. */
phx_status phx_vectors_copy_def(phx_context *context, const phx_vector_def *def, phx_vector_def *copy)
{
    const size_t places = (size_t)def->n_places, directors = (size_t)def->n_directors, n = (size_t)def->n_elements;
    const size_t nodes = cell_nodes(def);
    bool ok = true;

    *copy = *def;
    copy->name = NULL;
    copy->n_ties = 0;
    copy->place = copied(context, def->place, 3 * places, sizeof(double), &ok);
    copy->director = copied(context, def->director, 3 * directors, sizeof(double), &ok);
    copy->director_place = copied(context, def->director_place, directors, sizeof(int), &ok);
    copy->element = copied(context, def->element, n, sizeof *def->element, &ok);
    copy->cell_place = copied(context, def->cell_place, nodes, sizeof(int), &ok);
    copy->cell_director = copied(context, def->cell_director, directors > 0 ? nodes : 0, sizeof(int), &ok);
    copy->section = copied(context, def->section, n, sizeof(int), &ok);
    copy->axis = copied(context, def->axis, directors > 0 ? 3 * n : 0, sizeof(double), &ok);
    copy->sections = copied(context, def->sections, (size_t)def->n_sections, sizeof *def->sections, &ok);
    copy->masses = copied(context, def->masses, (size_t)def->n_masses, sizeof *def->masses, &ok);
    phx_vector_tie *ties = copied(context, NULL, (size_t)def->n_ties, sizeof *ties, &ok);
    copy->ties = ties;
    for (int f = 0; f < def->n_ties && ok; f++) {
        ties[f] = def->ties[f];
        ties[f].name = phx_strdup(context, def->ties[f].name);
        ties[f].places = copied(context, def->ties[f].places, (size_t)ties[f].n_places, sizeof(int), &ok);
        ties[f].directors = copied(context, def->ties[f].directors, (size_t)ties[f].n_directors, sizeof(int), &ok);
        ok = ok && ties[f].name;
        copy->n_ties = f + 1;
    }
    return ok ? PHX_OK : PHX_ERR_MEMORY;
}

/* Arrays of a definition that are read are allocated. Enumerations are written as the numbers they are. */
static void archive_ints(phx_archive *archive, size_t count, const int **values)
{
    int *array = (int *)*values;

    phx_archive_int_array(archive, count, &array);
    *values = array;
}

static void archive_doubles(phx_archive *archive, size_t count, const double **values)
{
    double *array = (double *)*values;

    phx_archive_double_array(archive, count, &array);
    *values = array;
}

static void *archive_room(phx_archive *archive, const void *there, int count, size_t size)
{
    if (!phx_archive_reads(archive))
        return (void *)there;
    void *made = phx_calloc(phx_archive_context(archive), (size_t)count + 1, size);
    phx_archive_fail(archive, made ? PHX_OK : PHX_ERR_MEMORY);
    return made;
}

/* Sections, ties and point masses of a definition, written or read. */
static void archive_parts(phx_archive *archive, phx_vector_def *def)
{
    phx_vector_section *sections = archive_room(archive, def->sections, def->n_sections, sizeof *sections);
    phx_vector_tie *ties = archive_room(archive, def->ties, def->n_ties, sizeof *ties);
    phx_vector_mass *masses = archive_room(archive, def->masses, def->n_masses, sizeof *masses);

    def->sections = sections;
    def->ties = ties;
    def->masses = masses;
    for (int k = 0; k < def->n_sections && !phx_archive_status(archive); k++) {
        phx_archive_doubles(archive, 64, sections[k].stiffness);
        phx_archive_double(archive, &sections[k].mass);
        phx_archive_double(archive, &sections[k].inertia);
        phx_archive_double(archive, &sections[k].director);
    }
    for (int f = 0; f < def->n_ties && !phx_archive_status(archive); f++) {
        char *name = (char *)ties[f].name;
        phx_archive_text(archive, &name);
        ties[f].name = name;
        phx_archive_doubles(archive, 3, ties[f].origin);
        phx_archive_count(archive, &ties[f].n_places);
        phx_archive_count(archive, &ties[f].n_directors);
        archive_ints(archive, (size_t)ties[f].n_places, &ties[f].places);
        archive_ints(archive, (size_t)ties[f].n_directors, &ties[f].directors);
    }
    for (int m = 0; m < def->n_masses && !phx_archive_status(archive); m++) {
        phx_archive_int(archive, &masses[m].place);
        phx_archive_double(archive, &masses[m].mass);
        phx_archive_doubles(archive, 9, masses[m].inertia);
    }
}

/* Counts first, then the arrays that have these sizes; those of shells are empty for solids. */
static void archive_def(phx_archive *archive, phx_vector_def *def)
{
    int *counts[] = {&def->n_places,   &def->n_directors, &def->n_elements,
                     &def->n_sections, &def->n_ties,      &def->n_masses};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        phx_archive_count(archive, counts[k]);
    phx_archive_double(archive, &def->damping);
    phx_vector_element *element = archive_room(archive, def->element, def->n_elements, sizeof *element);
    def->element = element;
    for (int e = 0; e < def->n_elements && !phx_archive_status(archive); e++) {
        int kind = (int)element[e];
        phx_archive_choice(archive, PHX_VECTOR_HEX27, &kind);
        element[e] = (phx_vector_element)kind;
    }
    if (phx_archive_status(archive))
        return;
    const size_t nodes = cell_nodes(def), shells = def->n_directors > 0;
    archive_doubles(archive, 3 * (size_t)def->n_places, &def->place);
    archive_doubles(archive, 3 * (size_t)def->n_directors, &def->director);
    archive_ints(archive, (size_t)def->n_directors, &def->director_place);
    archive_ints(archive, nodes, &def->cell_place);
    archive_ints(archive, shells * nodes, &def->cell_director);
    archive_ints(archive, (size_t)def->n_elements, &def->section);
    archive_doubles(archive, shells * 3 * (size_t)def->n_elements, &def->axis);
    archive_parts(archive, def);
}

/* A body is written as its definition; in reading it is built from it again. */
void phx_vectors_archive(phx_archive *archive, const phx_flex *flex, phx_body **body)
{
    const bool reads = phx_archive_reads(archive);
    phx_vector_def def = reads ? (phx_vector_def){0} : phx_vectors_of(*body)->def;
    char *name = reads ? NULL : (*body)->name;

    (void)flex; /* its deformation is in its vectors */
    phx_archive_text(archive, &name);
    archive_def(archive, &def);
    if (!reads)
        return;
    def.name = name ? name : "";
    if (!phx_archive_status(archive))
        phx_archive_fail(archive, phx_vector_body_create(phx_archive_context(archive), &def, body));
    phx_vectors_free_def(&def);
    phx_free(name);
}

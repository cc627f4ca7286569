/* Deformations in an archive: what a body computes with, without where it came from. */
#include "source.h"

void phx_flex_point_archive(phx_archive *archive, int dim, phx_flex_point *point)
{
    phx_archive_doubles(archive, 3, point->x);
    phx_archive_count(archive, &point->n);
    const size_t n = (size_t)point->n;
    phx_archive_int_array(archive, n, &point->dof);
    phx_archive_double_array(archive, (size_t)dim * n, &point->phi);
    phx_archive_double_array(archive, (size_t)(dim == 2 ? 1 : 3) * n, &point->theta);
    phx_archive_bool(archive, &point->without_directions);
}

void phx_flex_load_archive(phx_archive *archive, phx_flex_load *load)
{
    phx_archive_count(archive, &load->n);
    phx_archive_doubles(archive, 3, load->force);
    phx_archive_doubles(archive, 3, load->moment);
    phx_archive_double_array(archive, 3 * (size_t)load->n, &load->turning);
    phx_archive_double_array(archive, (size_t)load->n, &load->modal);
}

static void archive_stiffening(phx_archive *archive, phx_flex_stiffening **stiffening)
{
    bool there = *stiffening != NULL;

    phx_archive_bool(archive, &there);
    if (!there)
        return;
    if (phx_archive_reads(archive)) {
        *stiffening = phx_calloc(phx_archive_context(archive), 1, sizeof **stiffening);
        phx_archive_fail(archive, *stiffening ? PHX_OK : PHX_ERR_MEMORY);
        if (!*stiffening)
            return;
    }
    phx_flex_stiffening *it = *stiffening;
    phx_archive_count(archive, &it->n_strain);
    const size_t n = (size_t)it->n_strain;
    phx_csr_archive(archive, &it->lin);
    phx_archive_double_array(archive, n, &it->stiffness);
    phx_archive_int(archive, &it->n_slope);
    phx_csr_archive(archive, &it->slope);
    phx_archive_bool(archive, &it->in_basis);
    phx_archive_int_array(archive, n, &it->slope_begin);
    phx_archive_int_array(archive, n, &it->slope_end);
    phx_archive_int_array(archive, n + 1, &it->product_begin);
    int products = it->product_begin ? it->product_begin[n] : 0;
    phx_archive_count(archive, &products);
    phx_archive_int_array(archive, (size_t)products, &it->first);
    phx_archive_int_array(archive, (size_t)products, &it->second);
    phx_archive_double_array(archive, (size_t)products, &it->weight);
    phx_archive_double_array(archive, n, &it->axial_stiffness);
    phx_archive_int_array(archive, n, &it->stress_row);
}

/* A new field changes the size: it is written here too. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_flex) == 376, "write the new field here");

void phx_flex_archive(phx_archive *archive, phx_flex *flex)
{
    int *const sizes[] = {&flex->dim, &flex->n_rot, &flex->n_pair};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        phx_archive_choice(archive, PHX_MAX_PAIR, sizes[k]);
    phx_archive_count(archive, &flex->n);
    const size_t n = (size_t)flex->n;
    phx_archive_double(archive, &flex->mass);
    phx_archive_doubles(archive, 3, flex->s0);
    phx_archive_doubles(archive, PHX_MAX_PAIR, flex->J0);
    phx_archive_double_array(archive, (size_t)flex->dim * n, &flex->S);
    phx_archive_double_array(archive, (size_t)flex->n_rot * n, &flex->C);
    phx_archive_double_array(archive, (size_t)flex->n_pair * n, &flex->j);
    phx_archive_int_array(archive, n + 1, &flex->ptr);
    int entries = flex->ptr ? flex->ptr[n] : 0;
    phx_archive_count(archive, &entries);
    phx_archive_int_array(archive, (size_t)entries, &flex->idx);
    phx_archive_double_array(archive, (size_t)entries, &flex->M);
    for (int k = 0; k < flex->n_rot && k < 3; k++)
        phx_archive_double_array(archive, (size_t)entries, &flex->A[k]);
    for (int p = 0; p < flex->n_pair; p++)
        phx_archive_double_array(archive, (size_t)entries, &flex->Q[p]);
    phx_archive_double_array(archive, (size_t)entries, &flex->K);
    phx_archive_int(archive, &flex->n_stress);
    phx_csr *const matrices[] = {&flex->stress, &flex->root, &flex->compliance, &flex->strain};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        phx_csr_archive(archive, matrices[k]);
    archive_stiffening(archive, &flex->stiffening);
    if (phx_archive_reads(archive) && !phx_archive_status(archive) && n > 0)
        phx_archive_fail(archive, phx_flex_make_compact(phx_archive_context(archive), flex));
}

/* ---- a source that has been read: it owns the deformation and answers for nothing else ---- */
static void destroy(phx_flex_source *source)
{
    phx_free(source);
}

static phx_status no_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                           phx_flex_point *point)
{
    (void)source, (void)location, (void)point;
    return phx_fail(context, PHX_ERR_UNSUPPORTED, "a stored deformation has no points but those of its ports");
}

void phx_flex_source_archive(phx_archive *archive, const phx_flex *written, phx_flex_source **read)
{
    static const phx_source_operations stored = {.name = "stored deformation", .destroy = destroy, .point = no_point};

    if (!phx_archive_reads(archive)) {
        phx_flex_archive(archive, (phx_flex *)written); /* is only read */
        return;
    }
    *read = phx_calloc(phx_archive_context(archive), 1, sizeof **read);
    phx_archive_fail(archive, *read ? PHX_OK : PHX_ERR_MEMORY);
    if (!*read)
        return;
    (*read)->operations = &stored;
    phx_flex_archive(archive, &(*read)->flex);
}

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

/* Writes or reads a generalised load on a body's deformation; in reading a stressed part larger than the body is an
 * input error. */
void phx_flex_load_archive(phx_archive *archive, phx_flex_load *load)
{
    phx_archive_count(archive, &load->n);
    phx_archive_doubles(archive, 3, load->force);
    phx_archive_doubles(archive, 3, load->moment);
    phx_archive_double_array(archive, 3 * (size_t)load->n, &load->turning);
    phx_archive_double_array(archive, (size_t)load->n, &load->modal);
    phx_archive_count(archive, &load->n_stressed);
    if (load->n_stressed > load->n)
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "a load over a body has a stiffness of more coordinates than the body"));
    else
        phx_archive_double_array(archive, (size_t)load->n_stressed * (size_t)load->n_stressed, &load->S);
    phx_archive_count(archive, &load->strain);
}

/* Writes or reads the strains of geometric stiffening, which may be absent; in reading the structure is allocated. */
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
    phx_flex_stiffening *flex_stiffening = *stiffening;
    phx_archive_count(archive, &flex_stiffening->n_strain);
    const size_t n = (size_t)flex_stiffening->n_strain;
    phx_csr_archive(archive, &flex_stiffening->lin);
    phx_archive_double_array(archive, n, &flex_stiffening->stiffness);
    phx_archive_int(archive, &flex_stiffening->n_slope);
    phx_csr_archive(archive, &flex_stiffening->slope);
    phx_archive_bool(archive, &flex_stiffening->in_basis);
    phx_archive_int_array(archive, n, &flex_stiffening->slope_begin);
    phx_archive_int_array(archive, n, &flex_stiffening->slope_end);
    phx_archive_int_array(archive, n + 1, &flex_stiffening->product_begin);
    int products = flex_stiffening->product_begin ? flex_stiffening->product_begin[n] : 0;
    phx_archive_count(archive, &products);
    phx_archive_int_array(archive, (size_t)products, &flex_stiffening->first);
    phx_archive_int_array(archive, (size_t)products, &flex_stiffening->second);
    phx_archive_double_array(archive, (size_t)products, &flex_stiffening->weight);
    phx_archive_double_array(archive, n, &flex_stiffening->axial_stiffness);
    phx_archive_int_array(archive, n, &flex_stiffening->stress_row);
}

/* Those that stand in the stress vector have none beside them. */
static void archive_stiffenings(phx_archive *archive, phx_flex_stiffening **stiffening)
{
    archive_stiffening(archive, stiffening);
    if (*stiffening && !phx_archive_status(archive))
        archive_stiffening(archive, &(*stiffening)->stressed);
}

/* The arrays that were read fit together: all are there, places are those of n coordinates. */
static bool archive_fits(const phx_flex *flex)
{
    const bool plane = flex->dim == 2;
    bool all = flex->S && flex->C && flex->j && flex->M && flex->K;

    if (flex->n == 0)
        return true;
    if ((!plane && flex->dim != 3) || flex->n_rot != (plane ? 1 : 3) || flex->n_pair != (plane ? 1 : PHX_MAX_PAIR) ||
        flex->n_stress < 0 || !flex->ptr ||
        !phx_csr_is_sound(flex->n, flex->n, flex->ptr, flex->idx, flex->ptr[flex->n]))
        return false;
    for (int k = 0; k < flex->n_rot; k++)
        all = all && flex->A[k];
    for (int p = 0; p < flex->n_pair; p++)
        all = all && flex->Q[p];
    const phx_csr *const over[] = {&flex->stress, &flex->root, &flex->strain};
    for (size_t k = 0; k < sizeof over / sizeof *over; k++)
        all = all && (over[k]->rows == 0 || over[k]->cols == flex->n);
    return all;
}

/* Returns true if the sizes and indices of archived stiffening fit the deformation; NULL fits. */
static bool stiffening_fits(const phx_flex *flex, const phx_flex_stiffening *stiffening)
{
    if (!stiffening)
        return true;
    const int slopes = stiffening->in_basis ? flex->n : stiffening->n_slope, strains = stiffening->n_strain;
    bool all = stiffening->lin.rows == strains && stiffening->lin.cols == flex->n && stiffening->stiffness &&
               !stiffening->axial_stiffness == !stiffening->stress_row && stiffening->slope_begin &&
               stiffening->slope_end && stiffening->product_begin && stiffening->product_begin[0] == 0 &&
               stiffening->n_slope >= 0 &&
               (stiffening->in_basis || (stiffening->slope.rows == slopes && stiffening->slope.cols == flex->n));
    for (int k = 0; k < strains && all; k++) {
        all = stiffening->slope_begin[k] >= 0 && stiffening->slope_begin[k] <= stiffening->slope_end[k] &&
              stiffening->slope_end[k] <= slopes &&
              (stiffening->in_basis || stiffening->slope_end[k] - stiffening->slope_begin[k] <= PHX_STRAIN_SLOPES) &&
              stiffening->product_begin[k] <= stiffening->product_begin[k + 1] &&
              (!stiffening->stress_row || stiffening->stress_row[k] < flex->n_stress);
        for (int p = stiffening->product_begin[k]; p < stiffening->product_begin[k + 1] && all; p++)
            all = stiffening->first && stiffening->second && stiffening->weight && stiffening->first[p] >= 0 &&
                  stiffening->first[p] < slopes && stiffening->second[p] >= 0 && stiffening->second[p] < slopes;
    }
    return all;
}

static bool all_fits(const phx_flex *flex)
{
    return archive_fits(flex) && stiffening_fits(flex, flex->stiffening) &&
           (!flex->stiffening || stiffening_fits(flex, flex->stiffening->stressed));
}

/* A new field changes the size: it is written here too. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_flex) == 376, "write the new field here");

/* Writes or reads a deformation with all its integrals. In reading the parts are checked against each other and the
 * compact matrices are made. */
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
    archive_stiffenings(archive, &flex->stiffening);
    if (phx_archive_reads(archive) && !phx_archive_status(archive) && !all_fits(flex))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "the archive is damaged: the parts of a deformation do not fit together"));
    if (phx_archive_reads(archive) && !phx_archive_status(archive) && n > 0)
        phx_archive_fail(archive, phx_flex_make_compact(phx_archive_context(archive), flex));
}

/* ---- a source that has been read: it owns the deformation and answers for nothing else ---- */
static void archive_destroy(phx_flex_source *source)
{
    phx_free(source);
}

static phx_status no_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                           phx_flex_point *point)
{
    (void)source, (void)location, (void)point;
    return phx_fail(context, PHX_ERR_UNSUPPORTED, "a stored deformation has no points but those of its ports");
}

/* Writes a deformation, or reads it as a source of its own that has no points beside those of the ports. */
void phx_flex_source_archive(phx_archive *archive, const phx_flex *written, phx_flex_source **read)
{
    static const phx_source_operations stored = {
        .name = "stored deformation", .destroy = archive_destroy, .point = no_point};

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

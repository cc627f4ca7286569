/* The matrices of a deformation without their zeros: on the common pattern most entries of most matrices vanish. */
#include <phlexor/fe.h>

#include <string.h>

static void free_matrix(phx_flex_matrix *it)
{
    phx_free(it->row);
    phx_free(it->ptr);
    phx_free(it->idx);
    phx_free(it->val);
}

void phx_flex_free_compact(phx_flex_compact *it)
{
    if (!it)
        return;
    free_matrix(&it->M);
    free_matrix(&it->K);
    for (int k = 0; k < 3; k++)
        free_matrix(&it->A[k]);
    for (int p = 0; p < PHX_MAX_PAIR; p++)
        free_matrix(&it->Q[p]);
    phx_free(it);
}

static phx_status make_matrix(phx_context *context, const phx_flex *flex, const double *val, phx_flex_matrix *out)
{
    int entries = 0, rows = 0;

    for (int i = 0; i < flex->n; i++) {
        const int before = entries;
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            entries += val[e] != 0.0;
        rows += entries > before;
    }
    out->row = phx_calloc(context, (size_t)rows, sizeof *out->row);
    out->ptr = phx_calloc(context, (size_t)rows + 1, sizeof *out->ptr);
    out->idx = phx_calloc(context, (size_t)entries, sizeof *out->idx);
    out->val = phx_calloc(context, (size_t)entries, sizeof *out->val);
    if (!out->row || !out->ptr || !out->idx || !out->val)
        return PHX_ERR_MEMORY;
    for (int i = 0, at = 0; i < flex->n; i++) {
        const int before = at;
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            if (val[e] != 0.0) {
                out->idx[at] = flex->idx[e];
                out->val[at++] = val[e];
            }
        if (at == before)
            continue;
        out->row[out->n_rows++] = i;
        out->ptr[out->n_rows] = at;
    }
    return PHX_OK;
}

phx_status phx_flex_make_compact(phx_context *context, phx_flex *flex)
{
    phx_flex_compact *it = phx_calloc(context, 1, sizeof *it);
    phx_status status = it ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && flex->n > 0)
        status = make_matrix(context, flex, flex->M, &it->M);
    if (!status && flex->n > 0)
        status = make_matrix(context, flex, flex->K, &it->K);
    for (int k = 0; k < flex->n_rot && flex->n > 0 && !status; k++)
        status = make_matrix(context, flex, flex->A[k], &it->A[k]);
    for (int p = 0; p < flex->n_pair && flex->n > 0 && !status; p++)
        status = make_matrix(context, flex, flex->Q[p], &it->Q[p]);
    if (status) {
        phx_flex_free_compact(it);
        return status;
    }
    phx_flex_free_compact(flex->compact);
    flex->compact = it;
    return PHX_OK;
}

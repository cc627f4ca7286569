/* The unknowns of a body distributed over processes. */
#include "part.h"
#include "basis.h"

#include <string.h>

/* ---- who has which unknown ---- */
/* The unknowns of a node stay together; one without a node stands alone. Nodes first. */
static int part_place_of(const phx_elastic_model *model, int unknown)
{
    return model->node[unknown] >= 0 ? model->node[unknown] : model->n_nodes + unknown;
}

/* The elements that an element shares places with, itself among them. (The membrane of a plate and its bending,
 * elements for themselves, share nodes and no unknowns.) */
static phx_status element_graph(phx_context *context, const phx_elastic_model *model, phx_csr *graph)
{
    const int n = model->n_elements, total = model->first_unknown[n], places = model->n_nodes + model->n;
    int *ptr = phx_calloc(context, (size_t)places + 2, sizeof *ptr);
    int *item = phx_calloc(context, (size_t)total + 1, sizeof *item);
    int *seen = phx_calloc(context, (size_t)n + 1, sizeof *seen);
    phx_status status = ptr && item && seen ? PHX_OK : PHX_ERR_MEMORY;

    graph->rows = graph->cols = n;
    graph->ptr = phx_calloc(context, (size_t)n + 1, sizeof *graph->ptr);
    if (!graph->ptr)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < total && !status; k++)
        ptr[part_place_of(model, model->unknown[k]) + 2]++;
    for (int i = 0; i < places && !status; i++)
        ptr[i + 2] += ptr[i + 1];
    for (int e = 0; e < n && !status; e++)
        for (int k = model->first_unknown[e]; k < model->first_unknown[e + 1]; k++)
            item[ptr[part_place_of(model, model->unknown[k]) + 1]++] = e;
    for (int pass = 0; pass < 2 && !status; pass++) { /* counted, then listed */
        for (int e = 0; e < n; e++) {
            int at = graph->ptr[e];
            for (int k = model->first_unknown[e]; k < model->first_unknown[e + 1]; k++) {
                const int place = part_place_of(model, model->unknown[k]);
                for (int p = ptr[place]; p < ptr[place + 1]; p++) {
                    const int other = item[p], mark = 2 * e + pass + 1;
                    if (seen[other] == mark)
                        continue;
                    seen[other] = mark;
                    if (pass)
                        graph->idx[at] = other;
                    at++;
                }
            }
            if (!pass)
                graph->ptr[e + 1] = at;
        }
        if (!pass && !(graph->idx = phx_calloc(context, (size_t)graph->ptr[n] + 1, sizeof *graph->idx)))
            status = PHX_ERR_MEMORY;
    }
    phx_free(ptr);
    phx_free(item);
    phx_free(seen);
    return status;
}

/* A node, and an unknown without one, goes with the first of its elements. */
static phx_status owners_by_elements(phx_context *context, const elastic_part *part, int *owner)
{
    const phx_elastic_model *model = part->model;
    phx_csr graph = {0};
    int *of_element = phx_calloc(context, (size_t)model->n_elements + 1, sizeof *of_element);
    int *of_place = phx_calloc(context, (size_t)(model->n_nodes + model->n) + 1, sizeof *of_place); /* part + 1 */
    phx_status status = of_element && of_place ? element_graph(context, model, &graph) : PHX_ERR_MEMORY;

    status = phx_ranks_agree(context, part->ranks, status);
    if (!status)
        status = phx_ranks_partition(context, part->ranks, &graph, of_element);
    for (int e = 0; e < model->n_elements && !status; e++)
        for (int k = model->first_unknown[e]; k < model->first_unknown[e + 1]; k++) {
            int *part_of = &of_place[part_place_of(model, model->unknown[k])];
            *part_of = *part_of ? *part_of : of_element[e] + 1;
        }
    for (int j = 0; j < model->n && !status; j++)
        owner[j] = of_place[part_place_of(model, j)] ? of_place[part_place_of(model, j)] - 1 : 0;
    phx_csr_free(&graph);
    phx_free(of_element);
    phx_free(of_place);
    return status;
}

/* Of matrices alone: the nodes in their order in equal shares. */
static phx_status owners_by_nodes(const elastic_part *part, int *owner)
{
    const phx_elastic_model *model = part->model;
    const long size = phx_ranks_size(part->ranks);

    for (int j = 0; j < model->n; j++)
        owner[j] = model->node[j] < 0 ? 0 : (int)(model->node[j] * size / model->n_nodes);
    return PHX_OK;
}

/* Numbers: process by process, in each as the model has them. */
static phx_status number_unknowns(phx_context *context, elastic_part *part, const int *owner)
{
    const int n = part->model->n, size = phx_ranks_size(part->ranks), rank = phx_ranks_rank(part->ranks);
    int *next = phx_calloc(context, (size_t)size + 1, sizeof *next);

    part->order = phx_calloc(context, (size_t)n + 1, sizeof *part->order);
    part->counts = phx_calloc(context, (size_t)size, sizeof *part->counts);
    if (!next || !part->order || !part->counts) {
        phx_free(next);
        return PHX_ERR_MEMORY;
    }
    for (int j = 0; j < n; j++)
        part->counts[owner[j]]++;
    for (int k = 0; k < size; k++)
        next[k + 1] = next[k] + part->counts[k];
    part->first = next[rank];
    part->end = next[rank + 1];
    for (int j = 0; j < n; j++)
        part->order[next[owner[j]]++] = j;
    phx_free(next);
    for (int k = 0; k < size; k++)
        if (part->counts[k] == 0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "%d processes for %d unknowns, and nothing is left for one of them: start fewer", size, n);
    return PHX_OK;
}

/* The model with these unknowns alone. */
static phx_status make_own(phx_context *context, elastic_part *part)
{
    const phx_elastic_model *model = part->model;
    phx_elastic_model *own = &part->own;
    const size_t n = (size_t)model->n, own_n = (size_t)(part->end - part->first);

    own->n = (int)own_n;
    own->node = phx_calloc(context, own_n + 1, sizeof *own->node);
    own->component = phx_calloc(context, own_n + 1, sizeof *own->component);
    own->rigid = phx_calloc(context, 6 * own_n + 1, sizeof *own->rigid);
    if (!own->node || !own->component || !own->rigid)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < own_n; i++) {
        const size_t j = (size_t)part->order[part->first + (int)i];
        own->node[i] = model->node[j];
        own->component[i] = model->component[j];
        for (size_t k = 0; k < 6; k++)
            own->rigid[k * own_n + i] = model->rigid[k * n + j];
    }
    return PHX_OK;
}

/* Divides the unknowns among the processes by elements or nodes; with one process everything is its own. */
phx_status elastic_part_create(phx_context *context, const phx_elastic_model *model, elastic_part *part)
{
    *part = (elastic_part){.model = model, .ranks = phx_context_ranks(context), .end = model->n, .own = *model};
    if (!part->ranks)
        return PHX_OK;
    part->own.node = part->own.component = NULL;
    part->own.rigid = NULL;
    int *owner = phx_calloc(context, (size_t)model->n + 1, sizeof *owner);
    phx_status status = phx_ranks_agree(context, part->ranks, owner ? PHX_OK : PHX_ERR_MEMORY);
    if (!status)
        status = model->n_elements > 0 ? owners_by_elements(context, part, owner) : owners_by_nodes(part, owner);
    if (!status)
        status = number_unknowns(context, part, owner);
    if (!status)
        status = make_own(context, part);
    phx_free(owner);
    return phx_ranks_agree(context, part->ranks, status);
}

void elastic_part_free(elastic_part *part)
{
    if (part->ranks) {
        phx_free(part->own.node);
        phx_free(part->own.component);
        phx_free(part->own.rigid);
    }
    phx_ranks_matrix_destroy(part->M);
    phx_free(part->order);
    phx_free(part->counts);
    memset(part, 0, sizeof *part);
}

/* ---- mass ---- */
/* u by the numbers of the unknowns, a permutation. */
static phx_status make_permutation(phx_context *context, const elastic_part *part, phx_csr *T)
{
    const int n = part->model->n;
    double *ones = phx_calloc(context, (size_t)n + 1, sizeof *ones);
    int *each = phx_calloc(context, (size_t)n + 1, sizeof *each);
    phx_status status = ones && each ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < n && !status; k++) {
        each[k] = k;
        ones[k] = 1.0;
    }
    if (!status)
        status = phx_csr_from_triplets(context, n, n, (size_t)n, part->order, each, ones, T);
    phx_free(ones);
    phx_free(each);
    return status;
}

/* Assembles this process's rows of the mass matrix as a distributed matrix; nothing with one process. */
phx_status elastic_part_assemble(phx_context *context, elastic_part *part)
{
    phx_csr T = {0}, M = {0}, rows;

    if (!part->ranks)
        return PHX_OK;
    phx_status status = make_permutation(context, part, &T);
    if (!status && part->model->n_elements > 0)
        status = elastic_assemble_rows(context, part->model, &T, part->first, part->end, &M, NULL);
    else if (!status)
        status = phx_csr_congruence(context, &T, &part->model->M, &T, &M);
    phx_csr_free(&T);
    status = phx_ranks_agree(context, part->ranks, status);
    rows = M;
    if (!status && M.rows > part->own.n) {
        rows.rows = part->own.n;
        rows.ptr = M.ptr + part->first;
    }
    if (!status)
        status = phx_ranks_matrix_create(context, part->ranks, &rows, 1, &part->M);
    phx_csr_free(&M);
    return status;
}

phx_status elastic_part_mass(const elastic_part *part, int rows, const double *x, double *y)
{
    const size_t n = (size_t)part->own.n;
    phx_status status = PHX_OK;

    if (!part->ranks)
        memset(y, 0, (size_t)rows * n * sizeof *y);
    for (size_t r = 0; r < (size_t)rows && !status; r++)
        if (part->ranks)
            status = phx_ranks_matrix_apply(part->M, x + r * n, y + r * n);
        else
            phx_csr_apply(&part->model->M, 1.0, x + r * n, y + r * n);
    return status;
}

/* ---- together ---- */
phx_status elastic_part_gather(phx_context *context, const elastic_part *part, int rows, double *x, double **all)
{
    const size_t n = (size_t)part->model->n, own = (size_t)part->own.n;
    const bool here = phx_ranks_rank(part->ranks) == 0;
    phx_status status = PHX_OK;

    if (!part->ranks) {
        *all = x;
        return PHX_OK;
    }
    double *numbers = here ? phx_calloc(context, n + 1, sizeof *numbers) : NULL;
    *all = here ? phx_calloc(context, (size_t)rows * n + 1, sizeof **all) : NULL;
    if (here && (!numbers || !*all))
        status = PHX_ERR_MEMORY;
    status = phx_ranks_agree(context, part->ranks, status);
    for (size_t r = 0; r < (size_t)rows && !status; r++) {
        phx_ranks_gather(part->ranks, part->own.n, x + r * own, part->counts, numbers);
        for (size_t k = 0; k < n && here; k++)
            (*all)[r * n + (size_t)part->order[k]] = numbers[k];
    }
    phx_free(numbers);
    phx_free(x);
    return status;
}

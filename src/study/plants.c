/* Linear models at the points of a sweep, in the coordinates of one of them. */
#include "plants.h"

#include <string.h>

phx_study_plants_options phx_study_plants_options_default(void)
{
    return (phx_study_plants_options){.linear = phx_study_linearize_options_default()};
}

/* Frees a family of plants and everything in it; NULL is allowed. */
void phx_plants_destroy(phx_plants *plants)
{
    if (!plants)
        return;
    for (int k = 0; k < plants->n_points; k++) {
        if (plants->plants)
            phx_plant_free(&plants->plants[k]);
        if (plants->descriptors)
            phx_descriptor_destroy(plants->descriptors[k]);
        if (plants->measured)
            phx_measured_free(&plants->measured[k]);
    }
    for (int k = 0; plants->parameters && k < plants->n_parameters; k++)
        phx_free(plants->parameters[k]);
    phx_free(plants->parameters);
    phx_free(plants->counts);
    phx_free(plants->values);
    phx_free(plants->plants);
    phx_free(plants->descriptors);
    phx_free(plants->measured);
    phx_free(plants->reductions);
    phx_free(plants->title);
    phx_lft_destroy(plants->lft);
    phx_bundle_destroy(plants->bundle);
    phx_free(plants);
}

/* ---- asking ---- */
phx_plants_info phx_plants_about(const phx_plants *plants)
{
    if (!plants)
        return (phx_plants_info){0};
    return (phx_plants_info){.n_points = plants->n_points,
                             .nominal = plants->nominal,
                             .n_parameters = plants->n_parameters,
                             .values = plants->values,
                             .lft = plants->lft,
                             .bundle = plants->bundle};
}

int phx_plants_count(const phx_plants *plants)
{
    return plants->n_points;
}

int phx_plants_nominal(const phx_plants *plants)
{
    return plants->nominal;
}

const phx_ss *phx_plants_system(const phx_plants *plants, int point)
{
    return plants->plants[point].system;
}

const double *phx_plants_values(const phx_plants *plants, int point)
{
    return plants->values + (size_t)point * (size_t)plants->n_parameters;
}

double phx_plants_least(const phx_plants *plants, int point)
{
    return plants->plants[point].least;
}

const phx_lft *phx_plants_lft(const phx_plants *plants)
{
    return plants->lft;
}

const phx_bundle *phx_plants_bundle(const phx_plants *plants)
{
    return plants->bundle;
}

/* ---- the work over the sweep ---- */
/* The data of one thread. */
typedef struct plants_worker {
    phx_model *model; /* a copy */
    phx_beam_cache *cache;
    phx_model_override *overrides; /* n_parameters */
} plants_worker;

typedef struct plants_work {
    phx_context *context;
    const phx_model *model;
    const phx_sweep *sweep;
    phx_study_linearize_options linear;
    phx_reduction_options reduction; /* of every plant, with the order of the nominal one */
    phx_nominal_plant nominal;
    phx_ordered_map *map;
    plants_worker *workers;
    phx_unrest *unrest; /* n_points */
    phx_plants *plants;
} plants_work;

static phx_status plants_reduce(phx_context *context, const plants_work *work, const phx_linear_point *point,
                                phx_reduction **reduction)
{
    return work->linear.reduction ? phx_reduce_linear(context, point->linearised, work->linear.reduction, reduction)
                                  : PHX_OK;
}

/* The descriptor form in the coordinates of the bodies. */
static phx_status keep_descriptor(phx_context *context, const plants_work *work, const phx_linear_point *point,
                                  const phx_reduction *reduction, int k)
{
    phx_plants *plants = work->plants;
    if (!plants->descriptors)
        return PHX_OK;
    return reduction
               ? phx_reduction_descriptor(context, reduction, &plants->descriptors[k], &plants->measured[k])
               : phx_linearised_descriptor(context, point->linearised, &plants->descriptors[k], &plants->measured[k]);
}

/* The motions of a plant in the coordinates of bodies on meshes that the nominal one has; NULL where there are none. */
static phx_status find_motions(phx_context *context, const plants_work *work, const phx_linear_point *point, double **B)
{
    const phx_mesh_bases *nominal = &work->nominal.point.bases;
    const int n = phx_linearised_matrices(point->linearised)->n;

    *B = NULL;
    if (nominal->n == 0)
        return PHX_OK;
    *B = phx_calloc(context, (size_t)n * (size_t)n, sizeof **B);
    return *B ? phx_mesh_bases_change(context, &point->bases, nominal, n, work->linear.form == PHX_FORM_DESCRIPTOR, *B)
              : PHX_ERR_MEMORY;
}

/* Plant k from the model with the parameters of its point. */
static phx_status make_plant(phx_context *context, plants_work *work, const plants_worker *worker, int k)
{
    const bool proper = work->linear.form == PHX_FORM_DESCRIPTOR; /* that form allows improper outputs */
    phx_linear_point point = {.cache = worker->cache, .takes_bases = true};
    phx_reduction *reduction = NULL;
    double *B = NULL;
    phx_status status = phx_linear_point_create(context, worker->model, &work->linear, &point);

    if (!status)
        status = plants_reduce(context, work, &point, &reduction);
    if (!status)
        status = find_motions(context, work, &point, &B);
    if (!status)
        status = phx_plant_create(context, work->nominal.coordinates, point.linearised, reduction, proper, B,
                                  &work->plants->plants[k]);
    if (!status)
        status = keep_descriptor(context, work, &point, reduction, k);
    if (!status && reduction)
        work->plants->reductions[k] = *phx_reduction_about(reduction);
    work->unrest[k] = point.unrest;
    phx_free(B);
    phx_mesh_bases_free(&point.bases);
    phx_reduction_destroy(reduction);
    phx_linearised_destroy(point.linearised);
    return status;
}

/* On any thread; every point has its own place. */
static phx_status compute_point(void *user, phx_context *context, int number, int k, int slot)
{
    (void)slot;
    plants_work *work = user;
    const plants_worker *worker = &work->workers[number];
    phx_status status = phx_sweep_apply(context, work->sweep, k, worker->model, worker->overrides);

    if (!status)
        status = make_plant(context, work, worker, k);
    return phx_sweep_name_point(context, work->sweep, k, status);
}

/* The coordinates of all plants, and where it is not given the order of their reduction. */
static phx_status make_nominal(plants_work *work)
{
    phx_context *context = work->context;
    const plants_worker *worker = &work->workers[0];
    phx_nominal_plant *nominal = &work->nominal;
    const int k = work->plants->nominal;
    phx_status status = phx_sweep_apply(context, work->sweep, k, worker->model, worker->overrides);

    nominal->point = (phx_linear_point){.warn = true, .takes_bases = true};
    if (!status)
        status = phx_linear_point_create(context, worker->model, &work->linear, &nominal->point);
    if (!status)
        status = plants_reduce(context, work, &nominal->point, &nominal->reduction);
    if (!status)
        status =
            phx_plant_coordinates_create(context, nominal->point.linearised, nominal->reduction, &nominal->coordinates);
    if (!status && nominal->reduction && work->reduction.order == 0)
        work->reduction.order = phx_reduction_about(nominal->reduction)->order;
    return phx_sweep_name_point(context, work->sweep, k, status);
}

/* ---- beginning and end ---- */
static phx_status name_parameters(phx_context *context, const phx_sweep *sweep, phx_plants *plants)
{
    plants->parameters = phx_calloc(context, (size_t)plants->n_parameters + 1, sizeof *plants->parameters);
    plants->counts = phx_calloc(context, (size_t)plants->n_parameters + 1, sizeof *plants->counts);
    if (!plants->parameters || !plants->counts)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < plants->n_parameters; k++) {
        plants->counts[k] = phx_sweep_count(sweep, k);
        plants->nominal = plants->nominal * plants->counts[k] + plants->counts[k] / 2;
        plants->parameters[k] = phx_strdup(context, phx_sweep_name(sweep, k));
        if (!plants->parameters[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Allocates the results of all points for the form and the reduction asked for, and stores parameter values, title and
 * names. */
static phx_status prepare_plants(plants_work *work)
{
    phx_context *context = work->context;
    phx_plants *plants = work->plants;
    const size_t points = (size_t)phx_sweep_points(work->sweep);
    phx_status status = PHX_OK;

    plants->form = work->linear.form;
    plants->n_parameters = phx_sweep_parameters(work->sweep);
    plants->values = phx_calloc(context, points * (size_t)plants->n_parameters + 1, sizeof *plants->values);
    plants->plants = phx_calloc(context, points, sizeof *plants->plants);
    work->unrest = phx_calloc(context, points, sizeof *work->unrest);
    if (!plants->values || !plants->plants || !work->unrest)
        return PHX_ERR_MEMORY;
    if (work->linear.form == PHX_FORM_DESCRIPTOR) {
        plants->descriptors = phx_calloc(context, points, sizeof *plants->descriptors);
        plants->measured = phx_calloc(context, points, sizeof *plants->measured);
        status = plants->descriptors && plants->measured ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status && work->linear.reduction) {
        plants->reductions = phx_calloc(context, points, sizeof *plants->reductions);
        status = plants->reductions ? PHX_OK : PHX_ERR_MEMORY;
    }
    plants->n_points = (int)points;
    for (int k = 0; k < plants->n_points && !status; k++)
        phx_sweep_at(work->sweep, k, NULL, plants->values + (size_t)k * (size_t)plants->n_parameters);
    if (!status)
        status = phx_study_title(context, "Linear models of ", work->model, &plants->title);
    return status ? status : name_parameters(context, work->sweep, plants);
}

static phx_status prepare_worker(plants_work *work, int number)
{
    phx_context *context = phx_ordered_map_context(work->map, number);
    plants_worker *worker = &work->workers[number];
    phx_status status = phx_model_copy(context, work->model, &worker->model);

    worker->overrides = phx_calloc(context, (size_t)work->plants->n_parameters + 1, sizeof *worker->overrides);
    if (!status && !worker->overrides)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = phx_beam_cache_create(context, &worker->cache);
    return status ? phx_fail(work->context, status, "%s", phx_context_message(context)) : PHX_OK;
}

static phx_status prepare_workers(plants_work *work, int threads)
{
    const int points = work->plants->n_points;
    phx_status status = phx_ordered_map_create(work->context, threads < points ? threads : points, &work->map);
    const int n = status ? 0 : phx_ordered_map_workers(work->map);

    work->workers = phx_calloc(work->context, (size_t)n + 1, sizeof *work->workers);
    if (!status && !work->workers)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++)
        status = prepare_worker(work, k);
    return status;
}

/* Frees workers, threads and the nominal plant of a family, but not its results. */
static void plants_finish(plants_work *work)
{
    for (int k = 0; work->workers && work->map && k < phx_ordered_map_workers(work->map); k++) {
        phx_beam_cache_destroy(work->workers[k].cache);
        phx_free(work->workers[k].overrides);
        phx_model_destroy(work->workers[k].model);
    }
    phx_free(work->workers);
    phx_ordered_map_destroy(work->map);
    phx_plant_coordinates_destroy(work->nominal.coordinates);
    phx_reduction_destroy(work->nominal.reduction);
    phx_linearised_destroy(work->nominal.point.linearised);
    phx_mesh_bases_free(&work->nominal.point.bases);
    phx_free(work->unrest);
}

/* A warning for the point that is farthest from equilibrium. */
static void warn_of_unrest(const plants_work *work)
{
    int worst = 0;
    for (int k = 1; k < work->plants->n_points; k++)
        if (work->unrest[k].held + work->unrest[k].loose > work->unrest[worst].held + work->unrest[worst].loose)
            worst = k;
    phx_unrest_warn(work->context, &work->unrest[worst]);
}

/* Linearises the model at all points of a sweep in common coordinates, those of the nominal point, and on request fits
 * an LFT. The caller owns the result, which is NULL after a failure. */
phx_status phx_study_plants(phx_context *context, const phx_model *model, const phx_study_plants_options *options,
                            phx_plants **plants)
{
    if (!model || !options || !options->sweep || !plants)
        return phx_fail_null(context, __func__, "model, options, their sweep or plants");
    plants_work work = {.context = context, .model = model, .sweep = options->sweep, .linear = options->linear};
    const phx_ordered_map_work points = {phx_sweep_points(options->sweep), "points of the sweep", &work, compute_point,
                                         NULL};

    if (options->linear.reduction) {
        work.reduction = *options->linear.reduction;
        work.linear.reduction = &work.reduction;
    }
    *plants = NULL;
    work.plants = phx_calloc(context, 1, sizeof *work.plants);
    phx_status status = work.plants ? prepare_plants(&work) : PHX_ERR_MEMORY;
    if (!status)
        status = prepare_workers(&work, options->threads > 0 ? options->threads : 1);
    if (!status)
        status = make_nominal(&work);
    if (!status)
        status = phx_ordered_map_run(work.map, &points);
    if (!status && options->lft)
        status = phx_plants_fit(context, options->lft, work.plants);
    if (!status)
        status = phx_plants_fill(context, model, &work.nominal, work.plants);
    if (!status)
        warn_of_unrest(&work);
    plants_finish(&work);
    if (status)
        phx_plants_destroy(work.plants);
    else
        *plants = work.plants;
    return phx_conclude(context, status);
}

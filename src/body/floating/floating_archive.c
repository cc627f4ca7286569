/* A floating body in an archive: damping as it was made, not as it was defined, so that no eigenproblem is solved
 * again. */
#include "floating.h"

/* A new field changes the size: it is written here, or follows from what is. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_floating) == 776, "write the new field here");

/* The matrix of the damping force besides its roots. */
enum { FRICTION_NONE, FRICTION_ALL, FRICTION_REST };

static void archive_damping(phx_archive *archive, phx_floating *body)
{
    int friction = !body->friction ? FRICTION_NONE : body->friction == &body->damping ? FRICTION_ALL : FRICTION_REST;

    phx_archive_bool(archive, &body->damped);
    phx_csr_archive(archive, &body->damping);
    phx_archive_double(archive, &body->strain_damping);
    phx_csr_archive(archive, &body->modal_root);
    phx_csr_archive(archive, &body->rest);
    phx_archive_choice(archive, FRICTION_REST, &friction);
    phx_archive_doubles(archive, 3, body->damping_def);
    body->friction = friction == FRICTION_NONE ? NULL : friction == FRICTION_ALL ? &body->damping : &body->rest;
}

/* The body that is read gets its tables from the creation as a body without damping. */
static void archive_create(phx_archive *archive, const char *name, int dim, int kinetics, const phx_flex *flex,
                           phx_floating *body)
{
    phx_context *context = phx_archive_context(archive);
    const phx_body_def def = {.name = name, .dim = dim, .kinetics = (phx_kinetics)kinetics};

    body->flex = flex ? flex : &body->own;
    if (body->flex->dim != dim)
        phx_archive_fail(archive, phx_fail(context, PHX_ERR_INPUT, "body '%s' is of another dimension", name));
    else
        phx_archive_fail(archive, phx_floating_complete(context, &def, body));
}

/* Writes or reads a floating body. `flex` is the deformation shared with other bodies, NULL if the body owns it;
 * damping is archived as matrices. */
void phx_floating_archive(phx_archive *archive, const phx_flex *flex, phx_body **made)
{
    const bool reads = phx_archive_reads(archive);
    phx_floating *body = reads ? phx_calloc(phx_archive_context(archive), 1, sizeof *body) : (phx_floating *)*made;

    if (!body) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    char *name = reads ? NULL : body->base.name;
    int dim = body->base.dim, kinetics = (int)body->base.kinetics;
    body->base.ops = &phx_floating_ops;
    phx_archive_text(archive, &name);
    phx_archive_choice(archive, 3, &dim);
    phx_archive_choice(archive, PHX_KINETICS_SIMPLIFIED, &kinetics);
    if (!flex)
        phx_flex_archive(archive, &body->own);
    archive_damping(archive, body);
    if (!reads)
        return;
    if (!phx_archive_status(archive))
        archive_create(archive, name, dim, kinetics, flex, body);
    phx_free(name);
    if (phx_archive_status(archive)) {
        phx_body_destroy(&body->base);
        return;
    }
    *made = &body->base;
}

/* The numbers that momenta and residual are linear in: a deformation and the damping matrix. */
static void archive_linear(phx_archive *archive, phx_floating *body, phx_flex *flex)
{
    phx_flex_archive(archive, flex);
    phx_csr_archive(archive, &body->damping);
}

/* The body whose deformation and damping matrix are read from the sum of `archives`, like `of` in everything else. The
 * elastic force is K q and the damping force R q_dot, which are linear in K and R, not through their roots. */
static phx_status read_sum(phx_archive *archive, const phx_floating *of, phx_floating *body)
{
    const phx_body_def def = {.name = of->base.name, .dim = of->base.dim, .kinetics = of->base.kinetics};

    archive_linear(archive, body, &body->own);
    if (phx_archive_status(archive))
        return phx_archive_status(archive);
    body->flex = &body->own;
    body->damped = of->damped;
    body->friction = of->damped ? &body->damping : NULL;
    const phx_status status = phx_floating_complete(phx_archive_context(archive), &def, body);
    body->root = NULL;
    body->base.pivots = of->base.pivots;
    return status;
}

/* By archives of all, read as a sum. */
phx_status phx_floating_sum(phx_context *context, int n, const phx_body *const *bodies, const double *weight,
                            phx_body **sum)
{
    phx_archive **archives = phx_calloc(context, (size_t)n, sizeof *archives), *all = NULL;
    const void **bytes = phx_calloc(context, (size_t)n, sizeof *bytes);
    phx_floating *body = phx_calloc(context, 1, sizeof *body);
    size_t size = 0, first = 0;
    phx_status status = archives && bytes && body ? PHX_OK : PHX_ERR_MEMORY;

    if (body)
        body->base.ops = &phx_floating_ops;
    for (int k = 0; k < n && !status; k++) {
        const phx_floating *one = phx_floating_of(bodies[k]);
        status = phx_archive_create(context, &archives[k]);
        if (!status) {
            archive_linear(archives[k], (phx_floating *)one, (phx_flex *)one->flex); /* are only read */
            bytes[k] = phx_archive_bytes(archives[k], &size);
            status = phx_archive_status(archives[k]);
        }
        if (k == 0)
            first = size;
        if (!status && size != first)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED, "bodies of different size have no sum");
    }
    if (!status)
        status = phx_archive_open_sum(context, n, size, bytes, weight, &all);
    if (!status)
        status = read_sum(all, phx_floating_of(bodies[0]), body);
    for (int k = 0; archives && k < n; k++)
        phx_archive_destroy(archives[k]);
    phx_archive_destroy(all);
    phx_free(archives);
    phx_free((void *)bytes);
    if (status && body)
        phx_body_destroy(&body->base);
    *sum = status ? NULL : &body->base;
    return status;
}

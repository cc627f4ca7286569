#include "reduced.h"

static char *name_of(phx_context *context, const char *letter, int k)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", letter, k + 1);
    char *copy = phx_strdup(context, name);
    assert_non_null(copy);
    return copy;
}

static void empty(phx_context *context, int rows, int cols, phx_csr *out)
{
    CHECK_OK(context, phx_csr_from_triplets(context, rows, cols, 0, NULL, NULL, NULL, out));
}

phx_linearised *model_of(phx_context *context, phx_linear *linear, int inputs, const double *F, int held,
                         const double *H)
{
    const int n = linear->n, m = inputs + held, first = 0, second = 1, last = n - 1;
    const double one = 1.0;
    double *wide = calloc((size_t)n * (size_t)m + 1, sizeof *wide);
    phx_channels ch = {.n = n, .m = linear->G.rows, .n_held = held, .n_inputs = m, .n_outputs = 2};
    phx_linearised *it = NULL;
    char **coordinates = phx_calloc(context, (size_t)n, sizeof *coordinates);

    ch.inputs = phx_calloc(context, (size_t)m, sizeof *ch.inputs);
    ch.outputs = phx_calloc(context, 2, sizeof *ch.outputs);
    ch.kind = phx_calloc(context, (size_t)m, sizeof *ch.kind);
    ch.held = phx_calloc(context, (size_t)m, sizeof *ch.held);
    ch.motion = phx_calloc(context, (size_t)held + 1, sizeof *ch.motion);
    ch.rate = phx_calloc(context, (size_t)held + 1, sizeof *ch.rate);
    for (int k = 0; k < n; k++)
        coordinates[k] = name_of(context, "x", k);
    for (int k = 0; k < m; k++) {
        ch.inputs[k] = k < inputs ? name_of(context, "u", k) : name_of(context, "w", k - inputs);
        ch.kind[k] = k < inputs ? PHX_CHANNEL_EFFORT : PHX_CHANNEL_RATE;
        ch.held[k] = k < inputs ? -1 : k - inputs;
        for (int i = 0; i < n && k < inputs; i++)
            wide[i * m + k] = F[i * inputs + k];
    }
    for (int k = 0; k < held; k++) {
        ch.motion[k] = name_of(context, "s", k);
        ch.rate[k] = name_of(context, "s_dot", k);
    }
    ch.outputs[0] = name_of(context, "place", 0);
    ch.outputs[1] = name_of(context, "speed", 0);
    CHECK_OK(context, phx_csr_copy(context, &linear->G, &ch.G));
    CHECK_OK(context, phx_csr_from_dense(context, held, n, H, 0.0, &ch.H));
    CHECK_OK(context, phx_csr_from_dense(context, n, m, wide, 0.0, &ch.F));
    CHECK_OK(context, phx_csr_from_triplets(context, 2, n, 1, &first, &last, &one, &ch.Y_q));
    CHECK_OK(context, phx_csr_from_triplets(context, 2, n, 1, &second, &last, &one, &ch.Y_v));
    empty(context, 2, n, &ch.Y_a);
    empty(context, 2, linear->G.rows, &ch.Y_l);
    empty(context, 2, held, &ch.Y_h);
    empty(context, 2, m, &ch.Y_u);
    CHECK_OK(context, phx_linearised_of(context, "model", linear, &ch, coordinates, 0.0, &it));
    free(wide);
    return it;
}

void damp(phx_context *context, double alpha, double beta, phx_linear *linear)
{
    phx_csr_free(&linear->D);
    CHECK_OK(context, phx_csr_add(context, alpha, &linear->M, beta, &linear->K, &linear->D));
    linear->damped = true;
}

phx_linearised *mass_spring_chain(phx_context *context)
{
    enum { MASSES = 50 };
    double F[2 * MASSES] = {[0] = 1.0, [3] = 1.0};
    mechanism mech;
    phx_linear linear;

    mechanism_begin(&mech, context);
    mech.n = MASSES;
    for (int k = 0; k < MASSES; k++) {
        put(&mech.M, k, k, 4.0);
        put(&mech.D, k, k, 1.0);
        put(&mech.root, mech.roots++, k, -2.0);
        if (k + 1 < MASSES)
            put(&mech.root, mech.roots - 1, k + 1, 2.0);
    }
    mechanism_end(&mech, &linear);
    return model_of(context, &linear, 2, F, 0, NULL);
}

phx_linearised *beam_chain(phx_context *context, int links, int elements, bool grounded, double alpha, double beta,
                           bool rate)
{
    const beam b = {.length = 0.5, .mass_per_length = 0.8, .axial = 5e6, .bending = 40.0, .elements = elements};
    mechanism mech;
    phx_linear linear;
    int before = 0;

    mechanism_begin(&mech, context);
    for (int k = 0; k < links; k++) {
        const int at = mechanism_add_beam(&mech, &b);
        for (int i = 0; i < 2 && (k > 0 || grounded); i++) {
            const int row = new_row(&mech);
            constrain(&mech, row, &b, at, 0, i == 0 ? ALONG_X : ALONG_Y, 0.1 * k, 1.0);
            if (k > 0)
                constrain(&mech, row, &b, before, elements, i == 0 ? ALONG_X : ALONG_Y, 0.1 * (k - 1), -1.0);
        }
        before = at;
    }
    mechanism_end(&mech, &linear);
    if (alpha > 0.0 || beta > 0.0)
        damp(context, alpha, beta, &linear);
    const int n = linear.n, inputs = rate ? 1 : 2;
    double *F = calloc((size_t)n * 2, sizeof *F), *H = calloc((size_t)n, sizeof *H);
    F[(n - 2) * inputs] = 1.0; /* with the force on the last node goes that on its frame */
    F[(before + 1) * inputs] = 1.0;
    F[(before + 2) * inputs] = b.length;
    if (!rate)
        F[2 * inputs + 1] = 1.0;
    H[2] = 1.0;
    phx_linearised *it = model_of(context, &linear, inputs, F, rate ? 1 : 0, H);
    free(F);
    free(H);
    return it;
}

phx_linearised *random_model(phx_context *context, uint64_t *seed, int rates)
{
    const int n = 6 + (int)(4.0 * (1.0 + random_value(seed)));
    mechanism mech;
    phx_linear linear;
    double F[2 * 16], H[2 * 16];

    mechanism_begin(&mech, context);
    mech.n = n;
    for (int k = 0; k < n; k++)
        put(&mech.M, k, k, 1.0 + 0.9 * random_value(seed));
    for (int k = 0; k < n + 3; k++) {
        const int i = k < n ? k : (int)(0.5 * (1.0 + random_value(seed)) * (n - 1));
        const int j = (i + 1 + (int)(0.5 * (1.0 + random_value(seed)) * (n - 2))) % n;
        const double root = 1.0 + 5.0 * (1.0 + random_value(seed));
        put(&mech.root, mech.roots, i, root);
        put(&mech.root, mech.roots++, j, -root * (k < n ? 0.5 : 1.0));
    }
    for (int k = 0; k < n; k++) { /* a damper between two, and a little everywhere */
        const double d = 0.3 * (1.0 + random_value(seed));
        put(&mech.D, k, k, d + 0.02);
        put(&mech.D, (k + 1) % n, (k + 1) % n, d);
        put(&mech.D, k, (k + 1) % n, -d);
        put(&mech.D, (k + 1) % n, k, -d);
    }
    mechanism_end(&mech, &linear);
    random_vector(seed, 2 * n, 1.0, F);
    random_vector(seed, 2 * n, 1.0, H);
    return model_of(context, &linear, 2, F, rates, H);
}

void whole(phx_context *context, const phx_linearised *model, phx_full *full, phx_projected *all, phx_ph *ph)
{
    CHECK_OK(context, phx_full_create(context, model, 0, full));
    CHECK_OK(context, phx_project(full, full->f - full->rigid, NULL, NULL, all));
    CHECK_OK(context, phx_ph_of(full, all, 0.0, NULL, ph));
}

phx_reduction *reduce(phx_context *context, const phx_linearised *model, phx_reduction_method method, int order)
{
    phx_reduction_options options = phx_reduction_options_default();
    phx_reduction *reduction = NULL;
    options.method = method;
    options.order = order;
    CHECK_OK(context, phx_reduce_linear(context, model, &options, &reduction));
    return reduction;
}

void forms(phx_context *context, const phx_linearised *model, const phx_reduction *reduction, phx_descriptor **full,
           phx_descriptor **small)
{
    CHECK_OK(context, phx_linearised_descriptor(context, model, full, NULL));
    CHECK_OK(context, phx_reduction_descriptor(context, reduction, small, NULL));
}

double complex transfer(phx_context *context, const phx_descriptor *system, double complex s, int i, int j)
{
    const int m = phx_descriptor_inputs(system);
    double complex H[64];
    assert_true(m <= 8);
    CHECK_OK(context, phx_descriptor_transfer(context, system, creal(s), cimag(s), (double *)H));
    return H[i * m + j];
}

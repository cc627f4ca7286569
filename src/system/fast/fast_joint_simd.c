/* Operations on joints that are alike, PHX_JOINT_SIMD_WIDTH of them at once; compiled for any processor, and again for
 * those with wider registers. The same of one joint after the other is in evaluate.c and couplings.c. */
#include "fast_dot_simd.h"

/* WORK(dim, n_a, n_b, dots, ...) for the kind of batch: what is constant there is so for the compiler. */
#define EACH_KIND(WORK, ...)                                                                                           \
    const int dim = ws->system->dim, n_a = batch->side[0].n_q, n_b = batch->side[1].n_q;                               \
    const bool rigid = n_a + n_b == 0, dots = batch->dots > 0;                                                         \
    if (dim == 2 && rigid)                                                                                             \
        WORK(2, 0, 0, false, __VA_ARGS__);                                                                             \
    else if (dim == 2)                                                                                                 \
        WORK(2, n_a, n_b, false, __VA_ARGS__);                                                                         \
    else if (rigid && !dots)                                                                                           \
        WORK(3, 0, 0, false, __VA_ARGS__);                                                                             \
    else if (rigid)                                                                                                    \
        WORK(3, 0, 0, true, __VA_ARGS__);                                                                              \
    else if (!dots)                                                                                                    \
        WORK(3, n_a, n_b, false, __VA_ARGS__);                                                                         \
    else                                                                                                               \
        WORK(3, n_a, n_b, true, __VA_ARGS__)

/* ---- residual ---- */
/* -P^T e of a side, e = (force, torque on w, torque on theta_dot), into the residual of the bodies. */
static inline void apply_effort(const int dim, const int n_q, const bool dots, const joint_batch *batch,
                                const joint_state *at, int which, const port_state *p, const real *e, double *res)
{
    const joint_side *side = &batch->side[which];
    const real *phi = (const real *)side->phi, *theta = (const real *)side->theta;
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    real out[6 + MOST_Q], torque[3];

    rot_apply_transposed(dim, p->R, e, out);
    vec_x_vec(dim, p->y, out, torque);
    for (int k = 0; k < n_rot; k++) {
        out[dim + k] = torque[k];
        if (dots)
            out[dim + k] += e[dim + k];
    }
    for (int j = 0; j < n_q; j++) {
        along_shape(dim, n_q, phi, j, out, &out[r + j]);
        for (int k = 0; k < n_rot && dots; k++)
            out[r + j] += theta[k * n_q + j] * e[r + k];
    }
    const unsigned bits = batch->adds[at->late][1 << which];

    subtract_run(r, bits, out, side->v, res);
    for (int j = 0; j < n_q; j++)
        subtract_run(1, bits, out + r + j, side->q_dot + j * SIMD_WIDTH, res);
}

static inline void keep_covectors(const int n_a, const int n_b, const workspace *ws, const joint_batch *batch, int k,
                                  const real *g)
{
    const double *in = (const double *)g;

    for (int l = 0; l < batch->count; l++) {
        double *to = ws->rows.covector + (size_t)(batch->first[l] + k) * PAIR_SIZE + 3;
        for (int i = 0; i < (n_a > 0 ? 6 : 3); i++)
            to[i] = in[i * SIMD_WIDTH + l];
        for (int i = 0; i < (n_b > 0 ? 6 : 3); i++)
            to[PHX_PORT_MAX + i] = in[(6 + i) * SIMD_WIDTH + l];
    }
}

/* A DOT row: its covectors, kept at an instant, and its rate. */
static inline void rate_of_dot(const int n_a, const int n_b, const workspace *ws, const joint_batch *batch, int k,
                               const section *s, real *g, real *rate)
{
    const real *alpha = (const real *)batch->alpha, *beta = (const real *)batch->beta;

    covectors(n_a, n_b, &s[0], &s[1], alpha + 3 * k, beta + 3 * k, g);
    *rate = (real){0.0};
    add_turn_rate(n_a, &s[0], g, rate);
    add_turn_rate(n_b, &s[1], g + 6, rate);
    if (ws->view.h == 0.0)
        keep_covectors(n_a, n_b, ws, batch, 3 + k, g);
}

/* The ports, and the rates of the POINT rows. */
static inline void rates_of_points(const int dim, const int n_a, const int n_b, const joint_batch *batch,
                                   const joint_state *at, port_state *p, real *rates)
{
    real place[2][3];

    find_port(dim, n_a, at, &batch->side[0], &p[0]);
    find_port(dim, n_b, at, &batch->side[1], &p[1]);
    for (int side = 0; side < 2; side++)
        rot_apply(dim, p[side].R, p[side].velocity, place[side]);
    for (int a = 0; a < dim; a++)
        rates[a] = place[1][a] - place[0][a];
}

/* Rates of the rows to their places over all. */
static inline void put_rates(const int dim, int dots, const real *rates, const joint_batch *batch, double *out)
{
    put_run(dim, rates, 1, batch->first, out);
    for (int k = dim; k < dim + dots; k++)
        put_run(1, rates + k, 1, batch->first, out + k);
}

/* DOT rows: covectors, rates, and efforts on rotations. */
static inline void residual_of_dots(const int n_a, const int n_b, const workspace *ws, const joint_batch *batch,
                                    const joint_state *at, const port_state *p, real *rates, real *e_a, real *e_b)
{
    section s[2];

    find_section(n_a, false, at, &batch->side[0], &p[0], &s[0]);
    find_section(n_b, false, at, &batch->side[1], &p[1], &s[1]);
    for (int i = 3; i < 9; i++)
        e_a[i] = e_b[i] = (real){0.0};
    for (int k = 0; k < batch->dots; k++) {
        real g[12], lambda;
        rate_of_dot(n_a, n_b, ws, batch, k, s, g, &rates[3 + k]);
        fetch(at->lambda, batch->first, 3 + k, 1, &lambda);
        for (int i = 0; i < (n_a > 0 ? 6 : 3); i++)
            e_a[3 + i] += lambda * g[i];
        for (int i = 0; i < (n_b > 0 ? 6 : 3); i++)
            e_b[3 + i] += lambda * g[6 + i];
    }
}

/* Residual of a batch of joints: row rates into the row part of res, efforts of their multipliers subtracted from the
 * bodies. */
static inline void residual_in(const int dim, const int n_a, const int n_b, const bool dots, const workspace *ws,
                               const joint_batch *batch, const joint_state *at, double *res)
{
    real rates[3 + MOST_DOTS], e[2][PHX_PORT_MAX];
    port_state p[2];

    rates_of_points(dim, n_a, n_b, batch, at, p, rates);
    fetch(at->lambda, batch->first, 0, dim, e[1]);
    negate(dim, e[1], e[0]);
    if (dots)
        residual_of_dots(n_a, n_b, ws, batch, at, p, rates, e[0], e[1]);
    put_rates(dim, dots ? batch->dots : 0, rates, batch, res + ws->system->n_v);
    apply_effort(dim, n_a, dots, batch, at, 0, &p[0], e[0], res);
    apply_effort(dim, n_b, dots, batch, at, 1, &p[1], e[1], res);
}

static void joint_simd_residual(const workspace *ws, const joint_batch *batch, const joint_state *at, double *res)
{
    EACH_KIND(residual_in, ws, batch, at, res);
}

/* ---- rates alone ---- */
static inline void rates_in(const int dim, const int n_a, const int n_b, const bool dots, const workspace *ws,
                            const joint_batch *batch, const joint_state *at, double *out)
{
    real rates[3 + MOST_DOTS], g[12];
    port_state p[2];
    section s[2];

    rates_of_points(dim, n_a, n_b, batch, at, p, rates);
    if (dots) {
        find_section(n_a, false, at, &batch->side[0], &p[0], &s[0]);
        find_section(n_b, false, at, &batch->side[1], &p[1], &s[1]);
        for (int k = 0; k < batch->dots; k++)
            rate_of_dot(n_a, n_b, ws, batch, k, s, g, &rates[3 + k]);
    }
    put_rates(dim, dots ? batch->dots : 0, rates, batch, out);
}

static void joint_simd_rates(const workspace *ws, const joint_batch *batch, const joint_state *at, double *out)
{
    EACH_KIND(rates_in, ws, batch, at, out);
}

/* ---- rows alone ---- */
static inline void put_in(const int dim, const int n_a, const int n_b, const bool dots, const workspace *ws,
                          const joint_batch *batch, const joint_state *at, double *val)
{
    const int n_rows = dots ? dim + batch->dots : dim, *all = places_in(ws, batch);
    real P[2][3 * (6 + MOST_Q)], minus[3 * (6 + MOST_Q)];
    port_state p[2];
    section s[2];
    dot_rows rows[2];

    find_port(dim, n_a, at, &batch->side[0], &p[0]);
    find_port(dim, n_b, at, &batch->side[1], &p[1]);
    place_jacobian(dim, n_a, (const real *)batch->side[0].phi, p[0].R, p[0].y, P[0]);
    place_jacobian(dim, n_b, (const real *)batch->side[1].phi, p[1].R, p[1].y, P[1]);
    if (dots) {
        find_section(n_a, false, at, &batch->side[0], &p[0], &s[0]);
        find_section(n_b, false, at, &batch->side[1], &p[1], &s[1]);
        find_covectors(n_a, n_b, batch, s, rows);
    }
    const places to = find_places(dim, n_a, n_b, n_rows, all);
    for (int side = 0; side < 2; side++) {
        const int n_q = side ? n_b : n_a;
        negate(dim * (dim + phx_rotations(dim) + n_q), P[side], minus);
        put_points(dim, n_q, side ? P[1] : minus, side ? minus : P[0], to.rows[side], to.per_row, to.above[side], val);
        if (dots)
            put_dots(n_q, batch->dots, rows[side].g, rows[side].g, &to, side, val);
    }
}

static void joint_simd_put(const workspace *ws, const joint_batch *batch, const joint_state *at, double *val)
{
    EACH_KIND(put_in, ws, batch, at, val);
}

/* ---- derivatives ---- */
/* A summed matrix has P in G; else G holds K_l alone. */
static inline void terms_of(const int dim, const int n_q, bool summed, const workspace *ws, const joint_side *side,
                            const joint_state *at, const real *force, port_state *p, side_terms *terms)
{
    const real *phi = (const real *)side->phi;

    find_port(dim, n_q, at, side, p);
    frame(dim, at->x1, side, terms->R1);
    frame_variation(dim, at->h, p->v + dim, terms->turn);
    place_jacobian(dim, n_q, phi, p->R, p->y, terms->P);
    for (int e = 0; e < dim * (dim + phx_rotations(dim) + n_q) && !summed; e++)
        terms->P[e] = (real){0.0};
    rate_tangent(dim, n_q, side, ws->values.weight_K, p, terms);
    geometric_terms(dim, n_q, phi, ws->values.weight_K, p->R, terms->R1, p->y, terms->turn, force, terms->turns,
                    terms->bends);
}

/* Adds the derivatives of a batch of joints: rows G, their transposes, and the geometric stiffness of points and DOT
 * rows at the multipliers. */
static inline void linearise_in(const int dim, const int n_a, const int n_b, const bool dots, const workspace *ws,
                                const joint_batch *batch, const joint_state *at)
{
    const int n_rows = dots ? dim + batch->dots : dim, *all = places_in(ws, batch);
    const bool summed = ws->values.into_D == ws->values.into_K;
    double *val = ws->values.into_K;
    real force[2][3];
    port_state p[2];
    side_terms terms[2];
    section s[2];
    dot_rows rows[2];

    fetch(at->lambda, batch->first, 0, dim, force[1]);
    for (int a = 0; a < dim; a++)
        force[0][a] = -force[1][a];
    terms_of(dim, n_a, summed, ws, &batch->side[0], at, force[0], &p[0], &terms[0]);
    terms_of(dim, n_b, summed, ws, &batch->side[1], at, force[1], &p[1], &terms[1]);
    if (dots) {
        find_section(n_a, true, at, &batch->side[0], &p[0], &s[0]);
        find_section(n_b, true, at, &batch->side[1], &p[1], &s[1]);
        curve(n_a, n_b, ws, batch, at, s, terms, rows);
        if (summed)
            find_covectors(n_a, n_b, batch, s, rows);
        sum_rows(n_a, batch->dots, summed, ws->values.weight_K, &rows[0]);
        sum_rows(n_b, batch->dots, summed, ws->values.weight_K, &rows[1]);
    }
    const places to = find_places(dim, n_a, n_b, n_rows, all);
    for (int side = 0; side < 2; side++) {
        const int n_q = side ? n_b : n_a, n = dim * (dim + phx_rotations(dim) + n_q);
        real *G = terms[side].G, *P = terms[side].P, *sign = side ? P : G; /* A: -G and P above, B: G and -P */
        add_geometric(dim, n_q, batch->adds[at->late][1 << side], &terms[side], to.turns[side], to.bends[side], val);
        if (at->late)
            continue;
        negate(n, sign, sign);
        put_points(dim, n_q, G, summed ? P : NULL, to.rows[side], to.per_row, to.above[side], val);
        if (dots)
            put_dots(n_q, batch->dots, rows[side].slope, summed ? rows[side].g : NULL, &to, side, val);
    }
}

static void joint_simd_linearise(const workspace *ws, const joint_batch *batch, const joint_state *at)
{
    if (ws->values.into_D != ws->values.into_K && !at->late)
        joint_simd_put(ws, batch, at, ws->values.into_D);
    EACH_KIND(linearise_in, ws, batch, at);
}

#ifdef PHX_FOR_AVX2
const joint_operations phx_joint_simd_avx2 = {joint_simd_residual, joint_simd_rates, joint_simd_linearise,
                                              joint_simd_put};
#else
const joint_operations phx_joint_simd = {joint_simd_residual, joint_simd_rates, joint_simd_linearise, joint_simd_put};
#endif

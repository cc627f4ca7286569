/* A bare block-tridiagonal solver in plain C: blocks of a link and its hinge towards the ground, from the free end on,
 *
 *     [ M  D  0  ]   M: 3 x 3, of link b,        D, G: link b and hinge b,
 *     [ G  0  G' ]   M': of link b - 1,          D', G': link b - 1 and hinge b,
 *     [ 0  D' M' ]
 *
 *     X = M^-1 D ,  S = -(G X)^-1 ,  Y = S G' ,  M' <- M' - D' Y . */
#include "tridiagonal.h"

#include <stdlib.h>
#include <string.h>

#include "bare.h"

typedef struct link {
    double M[9], D[6], G[6]; /* G: 2 x 3, D: 3 x 2 */
    double D_next[6], G_next[6];
} link;

typedef struct factors {
    double M[9], X[6], S[4], Y[6]; /* M and S inverted */
} factors;

typedef struct chain_matrix {
    int links;
    link *link; /* from the free end on */
    factors *factors;
    double *b, *x; /* 5 a link, in the same order */
} chain_matrix;

static void factor(const chain_matrix *chain)
{
    double update[9] = {0.0};

    for (int b = 0; b < chain->links; b++) {
        const link *l = &chain->link[b];
        factors *f = &chain->factors[b];
        double M[9], T[4];
        for (int k = 0; k < 9; k++)
            M[k] = l->M[k] - update[k];
        bare_invert3(M, f->M);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                f->X[2 * i + j] = f->M[3 * i] * l->D[j] + f->M[3 * i + 1] * l->D[2 + j] + f->M[3 * i + 2] * l->D[4 + j];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                T[2 * i + j] = l->G[3 * i] * f->X[j] + l->G[3 * i + 1] * f->X[2 + j] + l->G[3 * i + 2] * f->X[4 + j];
        const double over = -1.0 / (T[0] * T[3] - T[1] * T[2]);
        f->S[0] = T[3] * over;
        f->S[1] = -T[1] * over;
        f->S[2] = -T[2] * over;
        f->S[3] = T[0] * over;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                f->Y[3 * i + j] = f->S[2 * i] * l->G_next[j] + f->S[2 * i + 1] * l->G_next[3 + j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                update[3 * i + j] = l->D_next[2 * i] * f->Y[j] + l->D_next[2 * i + 1] * f->Y[3 + j];
    }
}

static void solve(const chain_matrix *chain)
{
    double carried[3] = {0.0};

    for (int b = 0; b < chain->links; b++) { /* z = M^-1 r_v ,  w = S (r_l - G z) ,  r_v' <- r_v' - D' w */
        const link *l = &chain->link[b];
        const factors *f = &chain->factors[b];
        const double *r = chain->b + 5 * b;
        double *x = chain->x + 5 * b, v[3], w[2];
        for (int i = 0; i < 3; i++)
            v[i] = r[i] - carried[i];
        for (int i = 0; i < 3; i++)
            x[i] = f->M[3 * i] * v[0] + f->M[3 * i + 1] * v[1] + f->M[3 * i + 2] * v[2];
        for (int i = 0; i < 2; i++)
            w[i] = r[3 + i] - (l->G[3 * i] * x[0] + l->G[3 * i + 1] * x[1] + l->G[3 * i + 2] * x[2]);
        for (int i = 0; i < 2; i++)
            x[3 + i] = f->S[2 * i] * w[0] + f->S[2 * i + 1] * w[1];
        for (int i = 0; i < 3; i++)
            carried[i] = l->D_next[2 * i] * x[3] + l->D_next[2 * i + 1] * x[4];
    }
    double next[3] = {0.0};
    for (int b = chain->links - 1; b >= 0; b--) { /* l = w - Y v' ,  v = z - X l */
        const factors *f = &chain->factors[b];
        double *x = chain->x + 5 * b;
        for (int i = 0; i < 2; i++)
            x[3 + i] -= f->Y[3 * i] * next[0] + f->Y[3 * i + 1] * next[1] + f->Y[3 * i + 2] * next[2];
        for (int i = 0; i < 3; i++)
            next[i] = x[i] -= f->X[2 * i] * x[3] + f->X[2 * i + 1] * x[4];
    }
}

static bool factor_and_solve(void *user)
{
    factor(user);
    solve(user);
    return true;
}

/* Place of entry (row, col), given by link and number within it, in the blocks; NULL when it has none there. */
static double *block_entry(const chain_matrix *chain, int row_link, int row, int col_link, int col)
{
    link *l = &chain->link[chain->links - 1 - (row_link > col_link ? row_link : col_link)];
    if (row_link == col_link && row < 3 && col < 3)
        return &l->M[3 * row + col];
    if (row_link == col_link && row < 3)
        return &l->D[2 * row + col - 3];
    if (row_link == col_link && col < 3)
        return &l->G[3 * (row - 3) + col];
    if (col_link == row_link + 1 && row < 3 && col >= 3)
        return &l->D_next[2 * row + col - 3];
    if (row_link == col_link + 1 && col < 3 && row >= 3)
        return &l->G_next[3 * (row - 3) + col];
    return NULL;
}

static void place_of(int links, int unknown, int *of_link, int *number)
{
    const bool is_velocity = unknown < 3 * links;
    *of_link = is_velocity ? unknown / 3 : (unknown - 3 * links) / 2;
    *number = is_velocity ? unknown % 3 : 3 + (unknown - 3 * links) % 2;
}

static bool fill(chain_matrix *chain, const int *ptr, const int *idx, const double *val)
{
    for (int i = 0; i < 5 * chain->links; i++) {
        int row_link, row, col_link, col;
        place_of(chain->links, i, &row_link, &row);
        for (int e = ptr[i]; e < ptr[i + 1]; e++) {
            place_of(chain->links, idx[e], &col_link, &col);
            double *place = block_entry(chain, row_link, row, col_link, col);
            if (place)
                *place = val[e];
            else if (val[e] != 0.0)
                return false;
        }
        chain->b[i] = 1.0;
    }
    return true;
}

static size_t place_in_x(int links, int unknown)
{
    int of_link, number;
    place_of(links, unknown, &of_link, &number);
    return (size_t)(5 * (links - 1 - of_link) + number);
}

bool tridiagonal_measure(int links, const int *ptr, const int *idx, const double *val, double *seconds,
                         double *residual)
{
    const size_t count = (size_t)links;
    chain_matrix chain = {.links = links,
                          .link = calloc(count, sizeof *chain.link),
                          .factors = calloc(count, sizeof *chain.factors),
                          .b = calloc(5 * count, sizeof *chain.b),
                          .x = calloc(5 * count, sizeof *chain.x)};
    const bool done = chain.link && chain.factors && chain.b && chain.x && fill(&chain, ptr, idx, val);

    const bare_matrix matrix = {links, 5 * links, ptr, idx, val};
    if (done)
        bare_measure(&matrix, factor_and_solve, &chain, chain.x, place_in_x, seconds, residual);
    free(chain.link);
    free(chain.factors);
    free(chain.b);
    free(chain.x);
    return done;
}

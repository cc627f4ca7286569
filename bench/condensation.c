/* A bare condensation in plain C. A link has deformations q, velocities v and the multipliers l of its joint on the
 * side of the ground. Index t: the joint at its tip, which sees one deformation, along the link (unit vector e), and
 * moves the link beyond, index +:
 *
 *     q:    S q   + R v                + e d^T l_t  = r_q       S: block-tridiagonal, node by node
 *     v:    L q   + M v   + D l        + D_t l_t    = r_v
 *     l_t:  g e^T q + G_t v + G_+ v_+               = r_t
 *
 * S is factored before, and so is y = S^-1 e. Three columns and one, together:
 *
 *     X = S^-1 R ,  x = S^-1 r_q
 *     M <- M - L X ,  D_t <- D_t - L y d^T ,  G_t <- G_t - g e^T X ,  C_t = -g e^T y d^T ,
 *     r_v <- r_v - L x ,  r_t <- r_t - g e^T x
 *
 * What is left is block-tridiagonal, C_t on its diagonal, and eliminated from the free end on:
 *
 *     Z = M^-1 D ,  z = M^-1 r_v ,  T = C - G Z ,  Y = T^-1 G_- ,  w = T^-1 (r - G z) ,
 *     M_- <- M_- - D_- Y ,  r_- <- r_- - D_- w
 *
 * with index -: of the link on the side of the ground, D_- and G_- its D_t and G_t; C and r are of the joint between.
 * Then l = w - Y v_- ,  v = z - Z l ,  q = x - X v - y d^T l_t. */
#include "condensation.h"

#include <stdlib.h>
#include <string.h>

#include "bare.h"

/* Deformations by nodes, three a node; the first node only turns, the last one moves along and turns. */
enum { LAST = CONDENSATION_ELEMENTS, N_Q = 3 * LAST, N_LINK = N_Q + 3, N_ALL = N_LINK + 2, TIP = N_Q - 2, COLUMNS = 4 };

typedef struct beam {
    double below[LAST + 1][9];   /* S_{n,n-1} E_{n-1} */
    double inverse[LAST + 1][9]; /* E_n = (S_nn - below_n S_{n-1,n})^-1 */
    double above[LAST + 1][9];   /* E_n S_{n,n+1} */
    double y[N_Q];
    double R[N_Q][COLUMNS];  /* the last column: r_q */
    double L[N_Q / 3][9];    /* by three columns */
    double M[9], D[6], G[6]; /* D: 3 x 2, G: 2 x 3 */
    double D_tip[6], G_tip[6], d[2], g[2];
    double r_v[3], r_l[2];
} beam;

typedef struct beam_factors {
    double X[N_Q][COLUMNS];       /* the last column: x */
    double LX[3][COLUMNS], Ly[3]; /* L X and L x, L y */
    double Z[6], z[3], Y[6], w[2];
} beam_factors;

typedef struct chain_matrix {
    int links;
    beam *link; /* from the free end on */
    beam_factors *factors;
    double *x; /* N_ALL a link, in the same order: q, v, l */
} chain_matrix;

static int first_of(int node)
{
    return node > 0 ? 3 * node - 2 : 0;
}

static int size_of(int node)
{
    return node == 0 ? 1 : node == LAST ? 2 : 3;
}

/* ---- timed ---- */
/* (A x)_c, one row of A with up to 3 columns. */
static inline double product(int cols, const double *a, const double (*x)[COLUMNS], int c)
{
    double sum = a[0] * x[0][c];
    if (cols > 1)
        sum += a[1] * x[1][c];
    if (cols > 2)
        sum += a[2] * x[2][c];
    return sum;
}

/* Z_n = R_n - below_n Z_{n-1} */
static inline void forward(int rows, int cols, const double *below, const double (*right)[COLUMNS],
                           const double (*before)[COLUMNS], double (*z)[COLUMNS])
{
    double all[3][COLUMNS];

    for (int i = 0; i < rows; i++)
        for (int c = 0; c < COLUMNS; c++)
            all[i][c] = right[i][c] - product(cols, below + 3 * i, before, c);
    memcpy(z, all, (size_t)rows * sizeof *all);
}

/* X_n = E_n Z_n - above_n X_{n+1} */
static inline void backward(int rows, int cols, const double *inverse, const double *above,
                            const double (*after)[COLUMNS], double (*x)[COLUMNS])
{
    const double(*const z)[COLUMNS] = (const double(*)[COLUMNS])x;
    double all[3][COLUMNS];

    for (int i = 0; i < rows; i++)
        for (int c = 0; c < COLUMNS; c++)
            all[i][c] = product(rows, inverse + 3 * i, z, c) - (cols ? product(cols, above + 3 * i, after, c) : 0.0);
    memcpy(x, all, (size_t)rows * sizeof *all);
}

static inline void solve_deformations(const beam *l, double (*x)[COLUMNS])
{
    const double(*const done)[COLUMNS] = (const double(*)[COLUMNS])x;

    memcpy(x[0], l->R[0], sizeof x[0]);
    forward(3, 1, l->below[1], l->R + 1, done, x + 1);
    for (int n = 2; n < LAST; n++)
        forward(3, 3, l->below[n], l->R + 3 * n - 2, done + 3 * n - 5, x + 3 * n - 2);
    forward(2, 3, l->below[LAST], l->R + TIP, done + TIP - 3, x + TIP);
    backward(2, 0, l->inverse[LAST], l->above[LAST], NULL, x + TIP);
    backward(3, 2, l->inverse[LAST - 1], l->above[LAST - 1], done + TIP, x + TIP - 3);
    for (int n = LAST - 2; n > 0; n--)
        backward(3, 3, l->inverse[n], l->above[n], done + 3 * n + 1, x + 3 * n - 2);
    backward(1, 3, l->inverse[0], l->above[0], done + 1, x);
}

/* L X, with L x in its last column, and L y; three deformations at a time. */
static inline void project(const beam *l, beam_factors *f)
{
    const double(*const x)[COLUMNS] = (const double(*)[COLUMNS])f->X;

    memset(f->LX, 0, sizeof f->LX);
    memset(f->Ly, 0, sizeof f->Ly);
    for (int n = 0; n < N_Q / 3; n++) {
        double all[3][COLUMNS], column[3];
        for (int i = 0; i < 3; i++) {
            for (int c = 0; c < COLUMNS; c++)
                all[i][c] = f->LX[i][c] + product(3, l->L[n] + 3 * i, x + 3 * n, c);
            column[i] = l->L[n][3 * i] * l->y[3 * n] + l->L[n][3 * i + 1] * l->y[3 * n + 1] +
                        l->L[n][3 * i + 2] * l->y[3 * n + 2];
        }
        memcpy(f->LX, all, sizeof all);
        for (int i = 0; i < 3; i++)
            f->Ly[i] += column[i];
    }
}

static void condense(const chain_matrix *chain)
{
    for (int b = 0; b < chain->links; b++) {
        solve_deformations(&chain->link[b], chain->factors[b].X);
        project(&chain->link[b], &chain->factors[b]);
    }
}

static inline void invert2(const double *a, double *c)
{
    const double over = 1.0 / (a[0] * a[3] - a[1] * a[2]);
    c[0] = a[3] * over;
    c[1] = -a[1] * over;
    c[2] = -a[2] * over;
    c[3] = a[0] * over;
}

/* The result of the elimination for the joint of the link that it leaves: T = -G Z, t = r - G z. */
typedef struct carried {
    double T[4], t[2];
} carried;

/* Y and w of the link beyond; M and r of this one. */
static inline void eliminate_joint(const beam *l, const beam_factors *f, const carried *from, beam_factors *beyond,
                                   double *M, double *r)
{
    double D[6], G[6], T[4], E[4], t[2];

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            D[2 * i + j] = l->D_tip[2 * i + j] - f->Ly[i] * l->d[j];
            G[3 * j + i] = l->G_tip[3 * j + i] - l->g[j] * f->X[TIP][i];
        }
    for (int i = 0; i < 2; i++) {
        t[i] = from->t[i] - l->g[i] * f->X[TIP][3];
        for (int j = 0; j < 2; j++)
            T[2 * i + j] = from->T[2 * i + j] - l->g[i] * l->y[TIP] * l->d[j];
    }
    invert2(T, E);
    for (int i = 0; i < 2; i++) {
        beyond->w[i] = E[2 * i] * t[0] + E[2 * i + 1] * t[1];
        for (int j = 0; j < 3; j++)
            beyond->Y[3 * i + j] = E[2 * i] * G[j] + E[2 * i + 1] * G[3 + j];
    }
    for (int i = 0; i < 3; i++) {
        r[i] -= D[2 * i] * beyond->w[0] + D[2 * i + 1] * beyond->w[1];
        for (int j = 0; j < 3; j++)
            M[3 * i + j] -= D[2 * i] * beyond->Y[j] + D[2 * i + 1] * beyond->Y[3 + j];
    }
}

static inline void eliminate_velocities(const beam *l, const double *M, const double *r, beam_factors *f, carried *to)
{
    double E[9];

    bare_invert3(M, E);
    for (int i = 0; i < 3; i++) {
        f->z[i] = E[3 * i] * r[0] + E[3 * i + 1] * r[1] + E[3 * i + 2] * r[2];
        for (int j = 0; j < 2; j++)
            f->Z[2 * i + j] = E[3 * i] * l->D[j] + E[3 * i + 1] * l->D[2 + j] + E[3 * i + 2] * l->D[4 + j];
    }
    for (int i = 0; i < 2; i++) {
        to->t[i] = l->r_l[i] - (l->G[3 * i] * f->z[0] + l->G[3 * i + 1] * f->z[1] + l->G[3 * i + 2] * f->z[2]);
        for (int j = 0; j < 2; j++)
            to->T[2 * i + j] = -(l->G[3 * i] * f->Z[j] + l->G[3 * i + 1] * f->Z[2 + j] + l->G[3 * i + 2] * f->Z[4 + j]);
    }
}

static void eliminate(const chain_matrix *chain)
{
    carried from = {{0.0}, {0.0}};

    for (int b = 0; b < chain->links; b++) {
        const beam *l = &chain->link[b];
        beam_factors *f = &chain->factors[b];
        double M[9], r[3];
        for (int i = 0; i < 3; i++) {
            r[i] = l->r_v[i] - f->LX[i][3];
            for (int j = 0; j < 3; j++)
                M[3 * i + j] = l->M[3 * i + j] - f->LX[i][j];
        }
        if (b > 0)
            eliminate_joint(l, f, &from, f - 1, M, r);
        eliminate_velocities(l, M, r, f, &from);
    }
    beam_factors *f = &chain->factors[chain->links - 1]; /* its joint is on the ground: Y = 0 */
    double E[4];
    invert2(from.T, E);
    for (int i = 0; i < 2; i++)
        f->w[i] = E[2 * i] * from.t[0] + E[2 * i + 1] * from.t[1];
}

/* l = w - Y v_- ,  v = z - Z l */
static void substitute(const chain_matrix *chain)
{
    double next[3] = {0.0};

    for (int b = chain->links - 1; b >= 0; b--) {
        const beam_factors *f = &chain->factors[b];
        double *v = chain->x + (size_t)N_ALL * (size_t)b + N_Q, *l = v + 3;
        for (int i = 0; i < 2; i++)
            l[i] = f->w[i] - (f->Y[3 * i] * next[0] + f->Y[3 * i + 1] * next[1] + f->Y[3 * i + 2] * next[2]);
        for (int i = 0; i < 3; i++)
            next[i] = v[i] = f->z[i] - (f->Z[2 * i] * l[0] + f->Z[2 * i + 1] * l[1]);
    }
}

/* q = x - X v - y d^T l_t */
static void substitute_deformations(const chain_matrix *chain)
{
    const double *tip = (const double[2]){0.0};

    for (int b = 0; b < chain->links; b++) {
        const beam *l = &chain->link[b];
        const double(*const x)[COLUMNS] = (const double(*)[COLUMNS])chain->factors[b].X;
        double *q = chain->x + (size_t)N_ALL * (size_t)b;
        const double *v = q + N_Q;
        const double v0 = v[0], v1 = v[1], v2 = v[2], s = l->d[0] * tip[0] + l->d[1] * tip[1];
        for (int i = 0; i < N_Q; i++)
            q[i] = x[i][3] - (x[i][0] * v0 + x[i][1] * v1) - (x[i][2] * v2 + l->y[i] * s);
        tip = v + 3;
    }
}

static bool condense_and_solve(void *user)
{
    condense(user);
    eliminate(user);
    substitute(user);
    substitute_deformations(user);
    return true;
}

/* ---- before ---- */
/* Where an unknown is: its link, counted from the ground, and its place among q (by nodes), v, l of it. */
static void place_of(int links, int unknown, int *link, int *place)
{
    if (unknown >= N_LINK * links) {
        *link = (unknown - N_LINK * links) / 2;
        *place = N_LINK + (unknown - N_LINK * links) % 2;
        return;
    }
    const int number = unknown % N_LINK, axial = number - 3, bending = number - 3 - LAST;
    *link = unknown / N_LINK;
    if (number < 3)
        *place = N_Q + number;
    else if (bending < 0)
        *place = 3 * axial + 1;
    else if (bending == 0 || bending == N_Q - LAST - 1)
        *place = bending == 0 ? 0 : N_Q - 1;
    else
        *place = 3 * ((bending - 1) / 2) + 2 + (bending - 1) % 2;
}

static int node_of(int place)
{
    return (place + 2) / 3;
}

/* Place of an entry between unknowns of one link; NULL when it has none. */
static double *own_entry(beam *l, double *S, int row, int col)
{
    if (row < N_Q && col < N_Q)
        return abs(node_of(row) - node_of(col)) <= 1 ? &S[N_Q * row + col] : NULL;
    if (row < N_LINK && col < N_LINK) {
        const int i = row - N_Q, j = col - N_Q;
        return i < 0 ? &l->R[row][j] : j < 0 ? &l->L[col / 3][3 * i + col % 3] : &l->M[3 * i + j];
    }
    if (row >= N_LINK && col >= N_LINK)
        return NULL;
    if (row >= N_LINK)
        return col >= N_Q ? &l->G[3 * (row - N_LINK) + col - N_Q] : NULL;
    return row >= N_Q ? &l->D[2 * (row - N_Q) + col - N_LINK] : NULL;
}

/* Place of an entry between a link and the joint at its tip, whose multipliers are numbered with the link beyond. */
static double *tip_entry(beam *l, int row, int col)
{
    if (col >= N_LINK && row < N_LINK)
        return row >= N_Q ? &l->D_tip[2 * (row - N_Q) + col - N_LINK] : row == TIP ? &l->d[col - N_LINK] : NULL;
    if (row >= N_LINK && col < N_LINK)
        return col >= N_Q ? &l->G_tip[3 * (row - N_LINK) + col - N_Q] : col == TIP ? &l->g[row - N_LINK] : NULL;
    return NULL;
}

static bool fill(chain_matrix *chain, double *S, const int *ptr, const int *idx, const double *val)
{
    const int links = chain->links;

    for (int i = 0; i < N_ALL * links; i++) {
        int row_link, row, col_link, col;
        place_of(links, i, &row_link, &row);
        for (int e = ptr[i]; e < ptr[i + 1]; e++) {
            place_of(links, idx[e], &col_link, &col);
            const int lower = row_link < col_link ? row_link : col_link;
            beam *l = &chain->link[links - 1 - lower];
            double *place = NULL;
            if (row_link == col_link)
                place = own_entry(l, S + (size_t)(N_Q * N_Q) * (size_t)lower, row, col);
            else if (row_link == col_link + 1 ? row >= N_LINK : col_link == row_link + 1 && col >= N_LINK)
                place = tip_entry(l, row, col);
            if (place)
                *place = val[e];
            else if (val[e] != 0.0)
                return false;
        }
    }
    for (int b = 0; b < links; b++) {
        beam *l = &chain->link[b];
        for (int i = 0; i < N_Q; i++)
            l->R[i][3] = 1.0;
        l->r_v[0] = l->r_v[1] = l->r_v[2] = l->r_l[0] = l->r_l[1] = 1.0;
    }
    return true;
}

/* c = A B, k x m and m x n inside blocks of 3 x 3. */
static void multiply(int k, int m, int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++) {
            c[3 * i + j] = 0.0;
            for (int s = 0; s < m; s++)
                c[3 * i + j] += a[3 * i + s] * b[3 * s + j];
        }
}

static void take_block(const double *S, int row_node, int col_node, double *block)
{
    for (int i = 0; i < size_of(row_node); i++)
        for (int j = 0; j < size_of(col_node); j++)
            block[3 * i + j] = S[N_Q * (first_of(row_node) + i) + first_of(col_node) + j];
}

/* below, inverse, above and y. */
static void factor_deformations(beam *l, const double *S)
{
    double unit[N_Q][COLUMNS] = {{0.0}}, right[N_Q][COLUMNS], y[N_Q][COLUMNS];

    for (int n = 0; n <= LAST; n++) {
        const int size = size_of(n);
        double E[9] = {[0] = 1.0, [4] = 1.0, [8] = 1.0}, coupling[9] = {0.0}, product[9] = {0.0};
        take_block(S, n, n, E);
        if (n > 0) {
            take_block(S, n, n - 1, coupling);
            multiply(size, size_of(n - 1), size_of(n - 1), coupling, l->inverse[n - 1], l->below[n]);
            take_block(S, n - 1, n, coupling);
            multiply(size, size_of(n - 1), size, l->below[n], coupling, product);
            for (int k = 0; k < 9; k++)
                E[k] -= product[k];
        }
        bare_invert3(E, l->inverse[n]);
        if (n < LAST) {
            take_block(S, n, n + 1, coupling);
            multiply(size, size, size_of(n + 1), l->inverse[n], coupling, l->above[n]);
        }
    }
    memcpy(right, l->R, sizeof right);
    unit[TIP][0] = 1.0;
    memcpy(l->R, unit, sizeof unit);
    solve_deformations(l, y);
    memcpy(l->R, right, sizeof right);
    for (int i = 0; i < N_Q; i++)
        l->y[i] = y[i][0];
}

static size_t place_in_x(int links, int unknown)
{
    int link, place;
    place_of(links, unknown, &link, &place);
    return (size_t)(N_ALL * (links - 1 - link) + place);
}

bool condensation_measure(int links, const int *ptr, const int *idx, const double *val, double *seconds,
                          double *residual)
{
    const size_t count = (size_t)links;
    chain_matrix chain = {.links = links,
                          .link = calloc(count, sizeof *chain.link),
                          .factors = calloc(count, sizeof *chain.factors),
                          .x = calloc(N_ALL * count, sizeof *chain.x)};
    double *S = calloc(count * N_Q * N_Q, sizeof *S);
    const bool done = chain.link && chain.factors && chain.x && S && fill(&chain, S, ptr, idx, val);

    for (int b = 0; done && b < links; b++)
        factor_deformations(&chain.link[links - 1 - b], S + (size_t)(N_Q * N_Q) * (size_t)b);
    const bare_matrix matrix = {links, N_ALL * links, ptr, idx, val};
    if (done)
        bare_measure(&matrix, condense_and_solve, &chain, chain.x, place_in_x, seconds, residual);
    free(chain.link);
    free(chain.factors);
    free(chain.x);
    free(S);
    return done;
}

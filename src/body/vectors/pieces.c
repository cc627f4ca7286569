/* Contributions of elements and bonds to the equations of a body of vectors (docs/theory-shells.md, eq. 5 and 6).
 *
 * Over an interval the work of S_m = C (E0 + E1)/2 + beta C (E1 - E0)/h at the mean vectors is the change of the
 * elastic energy and the dissipated energy,
 *
 *     f = -D(z_m)^T W S_m ,   E1 - E0 = D(z_m) (z1 - z0) ,
 *
 * and free vectors move by z1 - z0 = h v_m, tied ones with their frame by h R_m (v + w x X), R_m the mean of R. */
#include "vectors.h"

#include <string.h>

enum { COMPONENTS = 3 * PHX_VECTOR_CELL_VECTORS, UNIT = 6 };

/* ---- a piece ---- */
static const phx_vector_cell *cell_of(const phx_vectors *vectors, const vector_piece *piece)
{
    const int p = (int)(piece - vectors->pieces);
    return p < vectors->def.n_elements ? &vectors->cells[p] : NULL;
}

static const vector_bond *bond_of(const phx_vectors *vectors, const vector_piece *piece)
{
    return &vectors->bonds[piece - vectors->pieces - vectors->def.n_elements];
}

static void piece_strain(const phx_vectors *vectors, const vector_piece *piece, const double *z, double *E)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);
    const vector_bond *bond = bond_of(vectors, piece);

    if (cell)
        phx_vector_cell_strain(cell, z, E);
    else
        E[0] = bond->factor * phx_dot(3, z, z + 3 * (bond->n - 1)) - bond->rest;
}

static void piece_rate(const phx_vectors *vectors, const vector_piece *piece, const double *z, const double *dz,
                       double *dE)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);
    const vector_bond *bond = bond_of(vectors, piece);

    if (cell)
        phx_vector_cell_strain_rate(cell, z, dz, dE);
    else
        dE[0] = bond->factor * (phx_dot(3, z, dz + 3 * (bond->n - 1)) + phx_dot(3, dz, z + 3 * (bond->n - 1)));
}

static void piece_stress(const phx_vectors *vectors, const vector_piece *piece, const double *E, double *S)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);

    if (cell)
        phx_vector_cell_stress(cell, E, S);
    else
        S[0] = bond_of(vectors, piece)->stiffness * E[0];
}

static double piece_work(const phx_vectors *vectors, const vector_piece *piece, const double *S, const double *E)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);
    return cell ? phx_vector_cell_work(cell, S, E) : S[0] * E[0];
}

/* f = D(z)^T W S */
static void piece_force(const phx_vectors *vectors, const vector_piece *piece, const double *z, const double *S,
                        double *f)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);
    const vector_bond *bond = bond_of(vectors, piece);

    memset(f, 0, (size_t)(3 * piece->n) * sizeof *f);
    if (cell) {
        phx_vector_cell_force(cell, z, S, f);
        return;
    }
    for (int i = 0; i < 3; i++) {
        f[i] += bond->factor * S[0] * z[3 * (bond->n - 1) + i];
        f[3 * (bond->n - 1) + i] += bond->factor * S[0] * z[i];
    }
}

/* See phx_vector_cell_tangent. */
static void piece_tangent(const phx_vectors *vectors, const vector_piece *piece, const double *left,
                          const double *right, double c, const double *S, double g, double *K)
{
    const phx_vector_cell *cell = cell_of(vectors, piece);
    const vector_bond *bond = bond_of(vectors, piece);
    const int n = 3 * piece->n, last = 3 * (piece->n - 1);
    double D[2][UNIT] = {{0}};

    if (cell) {
        phx_vector_cell_tangent(cell, left, right, c, S, g, K);
        return;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++) {
            D[side][i] += bond->factor * (side ? right : left)[last + i];
            D[side][last + i] += bond->factor * (side ? right : left)[i];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[n * i + j] = c * bond->stiffness * D[0][i] * D[1][j];
    for (int i = 0; i < 3 && S; i++) {
        K[n * i + last + i] += g * bond->factor * S[0];
        K[n * (last + i) + i] += g * bond->factor * S[0];
    }
}

/* ---- vectors of a piece ---- */
/* At x; at the means of an interval, those of the vectors. */
static void gather(const phx_vectors *vectors, const vector_piece *piece, const double *x, double *z)
{
    for (int k = 0; k < piece->n; k++) {
        const vector_slot *slot = &vectors->slot[piece->vector[k]];
        const double *from = x + slot->x;
        if (slot->tie < 0) {
            memcpy(z + 3 * k, from, 3 * sizeof *z);
            continue;
        }
        phx_rot_apply(3, from + 3, slot->local, z + 3 * k);
        for (int i = 0; i < 3 && !slot->direction; i++)
            z[3 * k + i] += from[i];
    }
}

/* Their rates R (v + w x X) by the velocities v, or variations by xi. */
static void gather_rates(const phx_vectors *vectors, const vector_piece *piece, const double *x, const double *v,
                         double *dz)
{
    for (int k = 0; k < piece->n; k++) {
        const vector_slot *slot = &vectors->slot[piece->vector[k]];
        const double *own = v + slot->v;
        double local[3];
        if (slot->tie < 0) {
            memcpy(dz + 3 * k, own, 3 * sizeof *dz);
            continue;
        }
        phx_rot_x_rot(3, own + 3, slot->local, local);
        for (int i = 0; i < 3 && !slot->direction; i++)
            local[i] += own[i];
        phx_rot_apply(3, x + slot->x + 3, local, dz + 3 * k);
    }
}

/* res += f on the vectors: of a frame the force R^T f and the moment X x R^T f, x at the mean. */
static void scatter(const phx_vectors *vectors, const vector_piece *piece, const double *x, const double *f,
                    double *res)
{
    for (int k = 0; k < piece->n; k++) {
        const vector_slot *slot = &vectors->slot[piece->vector[k]];
        double *to = res + slot->v, force[3], moment[3];
        if (slot->tie < 0) {
            for (int i = 0; i < 3; i++)
                to[i] += f[3 * k + i];
            continue;
        }
        phx_rot_apply_transposed(3, x + slot->x + 3, f + 3 * k, force);
        phx_rot_x_rot(3, slot->local, force, moment);
        for (int i = 0; i < 3; i++) {
            to[i] += slot->direction ? 0.0 : force[i];
            to[3 + i] += moment[i];
        }
    }
}

/* ---- strains and energies ---- */
void phx_vectors_strains(const phx_vectors *vectors, const double *x, double *E)
{
    double z[COMPONENTS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        gather(vectors, &vectors->pieces[p], x, z);
        piece_strain(vectors, &vectors->pieces[p], z, E + vectors->pieces[p].strain);
    }
}

double phx_vectors_elastic(const phx_body *body, const double *x)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    double z[COMPONENTS], E[PHX_VECTOR_CELL_STRAINS], S[PHX_VECTOR_CELL_STRAINS], sum = 0.0;

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        piece_strain(vectors, piece, z, E);
        piece_stress(vectors, piece, E, S);
        sum += 0.5 * piece_work(vectors, piece, S, E);
    }
    return sum;
}

/* beta E' W C E' with E' the rate of strain at an instant, or its mean over an interval. */
double phx_vectors_interval_dissipation(const phx_body *body, const phx_body_view *view)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    const bool instant = view->x0 == view->x1;
    double z[COMPONENTS], dz[COMPONENTS], E0[PHX_VECTOR_CELL_STRAINS], rate[PHX_VECTOR_CELL_STRAINS],
        S[PHX_VECTOR_CELL_STRAINS];
    double sum = 0.0;

    for (int p = 0; p < vectors->n_pieces && vectors->def.damping > 0.0; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, view->x1, z);
        if (instant) {
            gather_rates(vectors, piece, view->x1, view->vm, dz);
            piece_rate(vectors, piece, z, dz, rate);
        } else {
            piece_strain(vectors, piece, z, rate);
            gather(vectors, piece, view->x0, z);
            piece_strain(vectors, piece, z, E0);
            for (int i = 0; i < piece->n_strains; i++)
                rate[i] = (rate[i] - E0[i]) / view->h;
        }
        piece_stress(vectors, piece, rate, S);
        sum += vectors->def.damping * piece_work(vectors, piece, S, rate);
    }
    return sum;
}

/* ---- forces ---- */
/* S = C (E + beta D v) at z */
static void stress_at(const phx_vectors *vectors, const vector_piece *piece, const double *x, const double *z,
                      const double *v, double *S)
{
    double E[PHX_VECTOR_CELL_STRAINS], rate[PHX_VECTOR_CELL_STRAINS], dz[COMPONENTS];

    piece_strain(vectors, piece, z, E);
    if (vectors->def.damping > 0.0 && v) {
        gather_rates(vectors, piece, x, v, dz);
        piece_rate(vectors, piece, z, dz, rate);
        for (int i = 0; i < piece->n_strains; i++)
            E[i] += vectors->def.damping * rate[i];
    }
    piece_stress(vectors, piece, E, S);
}

void phx_vectors_add_forces(const phx_vectors *vectors, const double *x, const double *v, double *res)
{
    double z[COMPONENTS], S[PHX_VECTOR_CELL_STRAINS], f[COMPONENTS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        stress_at(vectors, piece, x, z, v, S);
        piece_force(vectors, piece, z, S, f);
        scatter(vectors, piece, x, f, res);
    }
}

/* S_m of an interval from the strains at its ends. */
static void mean_stress(const phx_vectors *vectors, const vector_piece *piece, double h, const double *E0,
                        const double *E1, double *S)
{
    double E[PHX_VECTOR_CELL_STRAINS];

    for (int i = 0; i < piece->n_strains; i++)
        E[i] = 0.5 * (E0[i] + E1[i]) + vectors->def.damping / h * (E1[i] - E0[i]);
    piece_stress(vectors, piece, E, S);
}

/* D(z_m)^T W S_m of each piece; its mean stress is kept, theory of shells (5). */
void phx_vectors_add_interval_forces(const phx_vectors *vectors, const phx_body_view *view, const double *E0,
                                     double *mean, double *res)
{
    double z[COMPONENTS], E1[PHX_VECTOR_CELL_STRAINS], f[COMPONENTS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        double *S = mean + piece->strain;
        gather(vectors, piece, view->x1, z);
        piece_strain(vectors, piece, z, E1);
        mean_stress(vectors, piece, view->h, E0 + piece->strain, E1, S);
        gather(vectors, piece, view->xm, z);
        piece_force(vectors, piece, z, S, f);
        scatter(vectors, piece, view->xm, f, res);
    }
}

/* ---- tangents ---- */
/* A vector of a piece: the rows on which its force acts, L (columns x 3), and its variation Z (3 x columns) by the
 * variations of its unit, `columns` of them; of a tied one dR = [phi]x R. */
typedef struct vector_map {
    int columns;
    double L[UNIT * 3], Z[3 * UNIT], phi[9];
} vector_map;

/* Columns c of Z: dr by xi_v, dr + phi_c x (R1 X) by xi_w; rows of L: R_m^T, [X]x R_m^T. h = 0: an instant. */
static void map_tied(const vector_slot *slot, double h, const double *xm, const double *x1, const double *vm,
                     vector_map *map)
{
    static const double still[UNIT];
    one_node_variation vary = {{0}, {0}, {0}};
    const double *Rm = xm + slot->x + 3, *R1 = x1 + slot->x + 3, *X = slot->local;
    const double place = slot->direction ? 0.0 : 1.0;
    double arm[3];

    one_node_vary(3, h, Rm, R1, vm ? vm + slot->v : still, &vary);
    phx_rot_apply(3, R1, X, arm);
    map->columns = UNIT;
    memcpy(map->phi, vary.phi, sizeof map->phi);
    for (int c = 0; c < 3; c++) {
        const double phi[3] = {vary.phi[c], vary.phi[3 + c], vary.phi[6 + c]},
                     row[3] = {Rm[3 * c], Rm[3 * c + 1], Rm[3 * c + 2]};
        double turned[3], moment[3];
        phx_rot_x_rot(3, phi, arm, turned);
        phx_rot_x_rot(3, X, row, moment); /* column c of [X]x R_m^T */
        for (int i = 0; i < 3; i++) {
            map->Z[UNIT * i + c] = place * vary.v[3 * i + c];
            map->Z[UNIT * i + 3 + c] = place * vary.w[3 * i + c] + turned[i];
            map->L[3 * i + c] = place * Rm[3 * c + i];
            map->L[3 * (3 + i) + c] = moment[i];
        }
    }
}

/* vm NULL: an instant. */
static void fill_maps(const phx_vectors *vectors, const vector_piece *piece, double h, const double *xm,
                      const double *x1, const double *vm, vector_map *maps)
{
    memset(maps, 0, (size_t)piece->n * sizeof *maps);
    for (int k = 0; k < piece->n; k++) {
        const vector_slot *slot = &vectors->slot[piece->vector[k]];
        maps[k].columns = 3;
        for (int i = 0; i < 3 && slot->tie < 0; i++) {
            maps[k].L[3 * i + i] = 1.0;
            maps[k].Z[UNIT * i + i] = h == 0.0 ? 1.0 : h;
        }
        if (slot->tie >= 0)
            map_tied(slot, h, xm, x1, vm, &maps[k]);
    }
}

/* The block (k, l) of K to the rows of unit k and the columns of unit l: L_k K_kl Z_l. */
static void put_block(const vector_map *row, const vector_map *column, const double *K, int ld, double *block)
{
    double KZ[3 * UNIT];

    for (int i = 0; i < 3; i++)
        for (int c = 0; c < column->columns; c++) {
            double sum = 0.0;
            for (int j = 0; j < 3; j++)
                sum += K[ld * i + j] * column->Z[UNIT * j + c];
            KZ[UNIT * i + c] = sum;
        }
    for (int r = 0; r < row->columns; r++)
        for (int c = 0; c < column->columns; c++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++)
                sum += row->L[3 * r + i] * KZ[UNIT * i + c];
            block[UNIT * r + c] = sum;
        }
}

/* Into values on the body's pattern. */
static void put_piece(const phx_vectors *vectors, const vector_piece *piece, const vector_map *maps, const double *K,
                      double *A)
{
    const int *ptr = vectors->base.ptr, n = piece->n;
    double block[UNIT * UNIT];

    for (int k = 0; k < n; k++) {
        const int v = vectors->slot[piece->vector[k]].v;
        for (int l = 0; l < n; l++) {
            const double *own = K + 9 * n * k + 3 * l;
            const int at = piece->at[n * k + l];
            if (maps[k].columns == 3 && maps[l].columns == 3) {
                const double scale = maps[l].Z[0];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        A[ptr[v + i] + at + j] += scale * own[3 * n * i + j];
                continue;
            }
            put_block(&maps[k], &maps[l], own, 3 * n, block);
            for (int i = 0; i < maps[k].columns; i++)
                for (int j = 0; j < maps[l].columns; j++)
                    A[ptr[v + i] + at + j] += block[UNIT * i + j];
        }
    }
}

/* The change of R_m^T f with its frame at fixed f: factor R1^T (f x phi), and X x of it. */
static void put_turned(const phx_vectors *vectors, const vector_piece *piece, const vector_map *maps, double factor,
                       const double *x1, const double *f, double *A)
{
    for (int k = 0; k < piece->n; k++) {
        const vector_slot *slot = &vectors->slot[piece->vector[k]];
        const int at = piece->at[piece->n * k + k] + 3;
        for (int c = 0; c < 3 && slot->tie >= 0; c++) {
            const double phi[3] = {maps[k].phi[c], maps[k].phi[3 + c], maps[k].phi[6 + c]};
            double change[3], local[3], moment[3];
            phx_rot_x_rot(3, f + 3 * k, phi, change);
            phx_rot_apply_transposed(3, x1 + slot->x + 3, change, local);
            phx_rot_x_rot(3, slot->local, local, moment);
            for (int i = 0; i < 3; i++) {
                A[vectors->base.ptr[slot->v + i] + at + c] += slot->direction ? 0.0 : factor * local[i];
                A[vectors->base.ptr[slot->v + 3 + i] + at + c] += factor * moment[i];
            }
        }
    }
}

static bool has_tied(const phx_vectors *vectors, const vector_piece *piece)
{
    for (int k = 0; k < piece->n; k++)
        if (vectors->slot[piece->vector[k]].tie >= 0)
            return true;
    return false;
}

/* S becomes the stress that the last tangent predicted at z1 = told + d. E is quadratic, E(z + d) = E(z) + D d + T
 * m(d), so it is S - (1/2 + beta/h) C T m(d). S stays if its elastic energy is less: the iteration has begun again. */
static void predict_stress(const phx_vectors *vectors, const vector_piece *piece, double factor, const double *z1,
                           const double *told, double *S)
{
    double z0[COMPONENTS], d[COMPONENTS], rate[PHX_VECTOR_CELL_STRAINS], change[PHX_VECTOR_CELL_STRAINS];

    gather(vectors, piece, told, z0);
    for (int i = 0; i < 3 * piece->n; i++)
        d[i] = z1[i] - z0[i];
    piece_rate(vectors, piece, d, d, rate); /* 2 T m(d) */
    piece_stress(vectors, piece, rate, change);
    /* |S - f change|^2 < |S|^2 in the energy: f change . C^-1 change < 2 S . C^-1 change */
    if (0.25 * factor * piece_work(vectors, piece, change, rate) > piece_work(vectors, piece, S, rate))
        return;
    for (int i = 0; i < piece->n_strains; i++)
        S[i] -= 0.5 * factor * change[i];
}

/* Theory of shells (6) of each piece, and the turning of the forces on tied vectors with their frame. */
void phx_vectors_add_interval_tangents(const phx_vectors *vectors, const phx_body_view *view, const double *E0,
                                       const double *told, const double *first, double *A)
{
    const double factor = 0.5 + vectors->def.damping / view->h;
    double z1[COMPONENTS], zm[COMPONENTS], E1[PHX_VECTOR_CELL_STRAINS], S[PHX_VECTOR_CELL_STRAINS], f[COMPONENTS];
    double K[COMPONENTS * COMPONENTS];
    vector_map maps[PHX_VECTOR_CELL_VECTORS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, view->x1, z1);
        gather(vectors, piece, view->xm, zm);
        piece_strain(vectors, piece, z1, E1);
        mean_stress(vectors, piece, view->h, E0 + piece->strain, E1, S);
        fill_maps(vectors, piece, view->h, view->xm, view->x1, view->vm, maps);
        if (has_tied(vectors, piece)) {
            piece_force(vectors, piece, zm, S, f);
            put_turned(vectors, piece, maps, 0.5, view->x1, f, A);
        }
        if (told)
            predict_stress(vectors, piece, factor, z1, told, S);
        else if (first)
            memcpy(S, first + piece->strain, (size_t)piece->n_strains * sizeof *S);
        piece_tangent(vectors, piece, zm, z1, factor, S, 0.5, K);
        put_piece(vectors, piece, maps, K, A);
    }
}

/* Variations of the rates at fixed velocities: of a tied vector phi x its rate. */
static void turn_maps(const phx_vectors *vectors, const vector_piece *piece, const double *rates, vector_map *maps)
{
    for (int k = 0; k < piece->n; k++) {
        memset(maps[k].Z, 0, sizeof maps[k].Z);
        for (int c = 0; c < 3 && vectors->slot[piece->vector[k]].tie >= 0; c++) {
            const double phi[3] = {maps[k].phi[c], maps[k].phi[3 + c], maps[k].phi[6 + c]};
            double turned[3];
            phx_rot_x_rot(3, phi, rates + 3 * k, turned);
            for (int i = 0; i < 3; i++)
                maps[k].Z[UNIT * i + 3 + c] = turned[i];
        }
    }
}

/* Damping at an instant: D += beta D^T C D, and in K its change with D(z) v = D(v) z and with the rates. */
static void add_damping(const phx_vectors *vectors, const vector_piece *piece, const double *x, const double *z,
                        const double *v, vector_map *maps, double *K, double *D)
{
    const double beta = vectors->def.damping;
    double rates[COMPONENTS], matrix[COMPONENTS * COMPONENTS];

    gather_rates(vectors, piece, x, v, rates);
    if (K) {
        piece_tangent(vectors, piece, z, rates, beta, NULL, 0.0, matrix);
        put_piece(vectors, piece, maps, matrix, K);
    }
    piece_tangent(vectors, piece, z, z, beta, NULL, 0.0, matrix);
    if (D)
        put_piece(vectors, piece, maps, matrix, D);
    if (K && has_tied(vectors, piece)) {
        turn_maps(vectors, piece, rates, maps);
        put_piece(vectors, piece, maps, matrix, K);
    }
}

/* K at an instant with the stress S of a piece, and its force turned with the frames. */
static void add_stiffness(const phx_vectors *vectors, const vector_piece *piece, const double *x, const double *z,
                          const double *S, const vector_map *maps, double *K)
{
    double f[COMPONENTS], matrix[COMPONENTS * COMPONENTS];

    piece_tangent(vectors, piece, z, z, 1.0, S, 1.0, matrix);
    put_piece(vectors, piece, maps, matrix, K);
    if (!has_tied(vectors, piece))
        return;
    piece_force(vectors, piece, z, S, f);
    put_turned(vectors, piece, maps, 1.0, x, f, K);
}

/* D^T C D + G(S) of each piece at an instant, and its damping. */
void phx_vectors_add_tangents(const phx_vectors *vectors, const double *x, const double *v, double *K, double *D)
{
    double z[COMPONENTS], S[PHX_VECTOR_CELL_STRAINS];
    vector_map maps[PHX_VECTOR_CELL_VECTORS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        stress_at(vectors, piece, x, z, v, S);
        fill_maps(vectors, piece, 0.0, x, x, v, maps);
        if (K)
            add_stiffness(vectors, piece, x, z, S, maps, K);
        if (vectors->def.damping > 0.0)
            add_damping(vectors, piece, x, z, v, maps, K, D);
    }
}

void phx_vectors_add_mixed_tangents(const phx_vectors *vectors, const double *x, const double *sigma, double *K)
{
    double z[COMPONENTS];
    vector_map maps[PHX_VECTOR_CELL_VECTORS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        fill_maps(vectors, piece, 0.0, x, x, NULL, maps);
        add_stiffness(vectors, piece, x, z, sigma + piece->strain, maps, K);
    }
}

/* ---- stresses ---- */
/* C E(x), or C (E(x) + D(x) xi) */
void phx_vectors_free_stress(const phx_body *body, const double *x, const double *xi, double *sigma)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    double z[COMPONENTS], dz[COMPONENTS], E[PHX_VECTOR_CELL_STRAINS], change[PHX_VECTOR_CELL_STRAINS];

    for (int p = 0; p < vectors->n_pieces; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        piece_strain(vectors, piece, z, E);
        if (xi) {
            gather_rates(vectors, piece, x, xi, dz);
            piece_rate(vectors, piece, z, dz, change);
        }
        for (int i = 0; i < piece->n_strains && xi; i++)
            E[i] += change[i];
        piece_stress(vectors, piece, E, sigma + piece->strain);
    }
}

void phx_vectors_stress(const phx_body *body, const double *x, double *sigma)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    double z[COMPONENTS];

    for (int p = 0; p < vectors->def.n_elements; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        gather(vectors, piece, x, z);
        stress_at(vectors, piece, x, z, NULL, sigma + piece->strain);
    }
}

/* D^T C row of each element, as the force of a stress C row without weights. */
void phx_vectors_stress_derivative(const phx_body *body, const double *x, const double *row, double *out)
{
    const phx_vectors *vectors = phx_vectors_of(body);
    double z[COMPONENTS], S[PHX_VECTOR_CELL_STRAINS], f[COMPONENTS];

    for (int p = 0; p < vectors->def.n_elements; p++) {
        const vector_piece *piece = &vectors->pieces[p];
        const phx_vector_cell *cell = &vectors->cells[p];
        gather(vectors, piece, x, z);
        piece_stress(vectors, piece, row + piece->strain, S);
        for (int i = 0; i < piece->n_strains; i++)
            S[i] /= cell->weight[i / cell->table->n_strains];
        piece_force(vectors, piece, z, S, f);
        scatter(vectors, piece, x, f, out);
    }
}

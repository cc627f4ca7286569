/* The table of row kinds and the public functions that look into it. */
#include <math.h>
#include <string.h>

#include "row.h"

static const phx_row_operations *const kinds[] = {
    [PHX_ROW_POINT] = &phx_row_point,
    [PHX_ROW_NORMAL] = &phx_row_normal,
    [PHX_ROW_DOT] = &phx_row_dot,
    [PHX_ROW_DISPLACEMENT] = &phx_row_displacement,
    [PHX_ROW_ANGLE] = &phx_row_angle,
    [PHX_ROW_TURN] = &phx_row_turn,
    [PHX_ROW_TILT] = &phx_row_tilt,
    [PHX_ROW_AXIAL] = &phx_row_axial,
    [PHX_ROW_RADIAL] = &phx_row_radial,
    [PHX_ROW_ROLL] = &phx_row_roll,
    [PHX_ROW_SLIP] = &phx_row_slip,
    [PHX_ROW_ELLIPSOID] = &phx_row_ellipsoid,
    [PHX_ROW_ELLIPSOID_SLIP] = &phx_row_ellipsoid_slip,
    [PHX_ROW_WHEEL] = &phx_row_wheel,
};

/* Name of a row kind for messages; "unknown" outside the enumeration. */
const char *phx_row_kind_name(phx_row_kind kind)
{
    static const char *const names[] = {
        [PHX_ROW_POINT] = "point",
        [PHX_ROW_NORMAL] = "normal",
        [PHX_ROW_DOT] = "dot",
        [PHX_ROW_DISPLACEMENT] = "displacement",
        [PHX_ROW_ANGLE] = "angle",
        [PHX_ROW_TURN] = "turn",
        [PHX_ROW_TILT] = "tilt",
        [PHX_ROW_AXIAL] = "axial",
        [PHX_ROW_RADIAL] = "radial",
        [PHX_ROW_ROLL] = "roll",
        [PHX_ROW_SLIP] = "slip",
        [PHX_ROW_ELLIPSOID] = "ellipsoid",
        [PHX_ROW_ELLIPSOID_SLIP] = "ellipsoid slip",
        [PHX_ROW_WHEEL] = "wheel",
    };
    return (int)kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

double phx_row_value(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    return kinds[row->kind]->measure(row, a, b, end) - row->target;
}

bool phx_row_is_angular(const phx_row *row)
{
    return row->kind == PHX_ROW_DOT || row->kind == PHX_ROW_ANGLE || row->kind == PHX_ROW_TURN ||
           row->kind == PHX_ROW_TILT || row->kind == PHX_ROW_AXIAL;
}

/* Rows that measure the relative displacement along the axes in_a (columns, body axes of A) and the relative rotation
 * of two frames: 3 in the plane, 6 in space; returns their number. The bushing uses them. */
int phx_frame_rows(int dim, const double *in_a, const double *in_b, phx_row *rows)
{
    for (int k = 0; k < dim; k++) {
        rows[k] = (phx_row){.kind = PHX_ROW_NORMAL};
        for (int i = 0; i < dim; i++)
            rows[k].alpha[i] = in_a[i * dim + k];
    }
    if (dim == 2) {
        rows[2] = (phx_row){.kind = PHX_ROW_ANGLE, .angular = true};
        return 3;
    }
    for (int k = 0; k < 3; k++) {
        phx_row *row = &rows[3 + k];
        *row = (phx_row){.kind = PHX_ROW_AXIAL, .angular = true};
        for (int i = 0; i < 3; i++) {
            row->alpha[i] = in_a[i * 3 + (k + 2) % 3];
            row->beta[i] = in_b[i * 3 + (k + 1) % 3];
            row->alpha2[i] = in_a[i * 3 + (k + 1) % 3];
            row->beta2[i] = in_b[i * 3 + (k + 2) % 3];
        }
    }
    return 6;
}

/* Two unit vectors across the unit vector n (one in the plane), which form a right-handed set with n. The first is the
 * coordinate axis furthest from n, made orthogonal. */
void phx_row_across(int dim, const double *n, double across[2][3])
{
    int least = 0;

    memset(across, 0, 6 * sizeof(double));
    if (dim == 2) {
        across[0][0] = n[1];
        across[0][1] = -n[0];
        return;
    }
    for (int i = 1; i < 3; i++)
        least = fabs(n[i]) < fabs(n[least]) ? i : least;
    const double length = sqrt(1.0 - n[least] * n[least]);
    for (int i = 0; i < 3; i++)
        across[0][i] = ((i == least ? 1.0 : 0.0) - n[least] * n[i]) / length;
    phx_vec_x_vec(3, n, across[0], across[1]);
}

static double unwrapped(const phx_row *row, double value, double near)
{
    static const double turn = 6.28318530717958647692;
    return row->unwrapped ? value + turn * round((near - value) / turn) : value;
}

double phx_row_unwrapped(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, double near)
{
    return unwrapped(row, phx_row_value(row, a, b, end), near);
}

void phx_row_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    for (int i = 0; i < phx_port_size(2); i++)
        g_a[i] = g_b[i] = 0.0;
    for (int i = phx_port_size(2); i < phx_port_size(3) && a->dim == 3; i++)
        g_a[i] = g_b[i] = 0.0;
    kinds[row->kind]->covectors(row, a, b, g_a, g_b);
}

double phx_row_rate(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g)
{
    const int size = phx_port_size(a->dim);
    double of_a = 0.0, of_b = 0.0;

    phx_row_covectors(row, a, b, g, g + PHX_PORT_MAX);
    for (int i = 0; i < size; i++)
        of_a += g[i] * a->rate[i];
    for (int i = 0; i < size; i++)
        of_b += g[PHX_PORT_MAX + i] * b->rate[i];
    return of_a + of_b;
}

bool phx_row_spin(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g, double *H)
{
    if ((a->h == 0.0 && b->h == 0.0) || !kinds[row->kind]->spin)
        return false;
    phx_port_pair_clear(a->dim, H);
    for (int i = 0; i < PHX_PORT_PAIR; i++)
        g[i] = 0.0;
    return kinds[row->kind]->spin(row, a, b, g, g + PHX_PORT_MAX, H);
}

static bool all_dots(int count, const phx_row *const *rows)
{
    for (int k = 0; k < count; k++)
        if (rows[k]->kind != PHX_ROW_DOT)
            return false;
    return true;
}

/* DOT rows between straight ports in space: c = A . B, with f = R_a^T B, h = R_b^T A
 *     c_dot = w_a . (alpha x f) + w_b . (beta x h)
 * Rows with the directions of the one before have its products. */
static void dots_at(int count, const phx_row *const *rows, const phx_port_view *a, const phx_port_view *b,
                    double *values, double *rates)
{
    const double *alpha = NULL, *beta = NULL;
    double A[3], B[3], f[3], h[3], g_a[3], g_b[3];

    for (int r = 0; r < count; r++) {
        double of_a = 0.0, of_b = 0.0;
        if (!alpha || memcmp(alpha, rows[r]->alpha, sizeof A) != 0) {
            alpha = rows[r]->alpha;
            phx_rot_apply(3, a->R1, alpha, A);
            phx_rot_apply_transposed(3, b->R1, A, h);
        }
        if (!beta || memcmp(beta, rows[r]->beta, sizeof B) != 0) {
            beta = rows[r]->beta;
            phx_rot_apply(3, b->R1, beta, B);
            phx_rot_apply_transposed(3, a->R1, B, f);
        }
        phx_vec_x_vec(3, alpha, f, g_a);
        phx_vec_x_vec(3, beta, h, g_b);
        for (int k = 0; k < 3; k++) {
            of_a += g_a[k] * a->rate[3 + k];
            of_b += g_b[k] * b->rate[3 + k];
        }
        values[r] = phx_port_scalar_product(3, A, B) - rows[r]->target;
        rates[r] = of_a + of_b;
    }
}

/* Values of `count` rows at the end of the interval and their rates g . zeta between the same two ports. Rows of one
 * point component and sets of DOT rows take shorter ways with the same result. */
void phx_rows_at(int count, const phx_row *const *rows, const phx_port_view *a, const phx_port_view *b, double *values,
                 double *rates)
{
    const bool straight = a->straight && b->straight && !a->slides && !b->slides;
    double g[PHX_PORT_PAIR];

    if (a->dim == 3 && straight && all_dots(count, rows)) {
        dots_at(count, rows, a, b, values, rates);
        return;
    }
    for (int r = 0; r < count; r++) {
        const int unit = phx_row_unit(rows[r]);
        values[r] = phx_row_value(rows[r], a, b, 1);
        rates[r] = unit >= 0 ? b->rate[unit] - a->rate[unit] : phx_row_rate(rows[r], a, b, g);
    }
}

bool phx_row_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    return kinds[row->kind]->tangent(row, a, b, H);
}

/* H += weight H_k, slope += zeta^T H_k of a row by itself, without the ports that are fixed; false: zero. */
static bool add_tangent(const phx_row *row, double weight, const phx_port_view *a, const phx_port_view *b, double *H,
                        double *slope)
{
    const int size = phx_port_size(a->dim), first = phx_row_is_angular(row) ? a->dim : 0;
    const phx_port_view *const views[2] = {a, b};
    double own[PHX_PORT_PAIR * PHX_PORT_PAIR];
    if (!kinds[row->kind]->tangent(row, a, b, own))
        return false;
    for (int side = 0; side < 2; side++)
        for (int i = first; i < size && !views[side]->fixed; i++) {
            const double *from = own + (side * PHX_PORT_MAX + i) * PHX_PORT_PAIR;
            double *to = H + (side * PHX_PORT_MAX + i) * PHX_PORT_PAIR, rate = views[side]->rate[i];
            for (int right = 0; right < 2; right++)
                for (int m = right * PHX_PORT_MAX + first; m < right * PHX_PORT_MAX + size && !views[right]->fixed;
                     m++) {
                    to[m] += weight * from[m];
                    slope[m] += rate * from[m];
                }
        }
    return true;
}

/* H = sum_k weights[k] dg_k/dxi over the variations of both ports, and for each row slopes_k = dg_k/dxi applied to the
 * rates. The return value bounds the blocks of H that are nonzero and set. */
phx_row_reach phx_rows_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                               const phx_port_view *b, double *H, double *slopes)
{
    const bool space = a->dim == 3;
    bool dots = true, turns = true, curved = false;
    for (int k = 0; k < count; k++) {
        dots = dots && rows[k]->kind == PHX_ROW_DOT;
        turns = turns && phx_row_is_angular(rows[k]);
    }
    if (dots && space && a->straight && b->straight) {
        row_set_frames_tangent(count, rows, weights, a, b, H, slopes);
        return PHX_REACH_FRAMES;
    }
    if (!dots || !space) {
        phx_port_pair_clear(a->dim, H);
        memset(slopes, 0, (size_t)(count * PHX_PORT_PAIR) * sizeof *slopes);
    }
    if (space)
        row_set_dots_tangent(count, rows, weights, a, b, H, slopes);
    for (int k = 0; k < count; k++) {
        const bool single = !space || rows[k]->kind != PHX_ROW_DOT;
        const bool bends = single && add_tangent(rows[k], weights[k], a, b, H, slopes + k * PHX_PORT_PAIR);
        curved = curved || !single || bends;
    }
    return !curved ? PHX_REACH_NOTHING : turns ? PHX_REACH_SECTIONS : PHX_REACH_ALL;
}

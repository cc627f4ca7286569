/* Motions that nothing holds at an equilibrium: (K, W) has eigenvalues that are zero to rounding. */
#include "statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 12 }; /* free motions that are looked for by name */

/* ---- names ---- */
/* Names for free motions: coordinates of all joints, then the rigid velocities of the bodies' first frames. */
static int n_candidates(const statics *s)
{
    return phx_system_joints(s->system) * PHX_JOINT_MAX_COORDINATES +
           phx_system_bodies(s->system) * (s->dim + s->n_rot);
}

/* Name of candidate c of the free motions: a coordinate of a joint, or a translation or rotation of a body. */
static void name_candidate(const statics *s, int c, size_t size, char *name)
{
    static const char *const plane[] = {"along x", "along y", "turning"};
    static const char *const space[] = {"along x", "along y", "along z", "about x", "about y", "about z"};
    const phx_system *system = s->system;
    const int joints = phx_system_joints(system) * PHX_JOINT_MAX_COORDINATES, rigid = s->dim + s->n_rot;

    if (c >= joints) {
        snprintf(name, size, "body '%s' %s", phx_body_name(phx_system_body(system, (c - joints) / rigid)),
                 (s->dim == 2 ? plane : space)[(c - joints) % rigid]);
        return;
    }
    const int j = c / PHX_JOINT_MAX_COORDINATES;
    if (phx_system_joint(system, j).n_coordinates > 1)
        snprintf(name, size, "coordinate %d of joint '%s'", c % PHX_JOINT_MAX_COORDINATES + 1,
                 phx_system_joint_name(system, j));
    else
        snprintf(name, size, "joint '%s'", phx_system_joint_name(system, j));
}

/* How the candidates move in xi, rad or parts of the size; bodies count less, as joints say more, and small ones less
 * than large ones. */
static void free_rates(statics *s, const double *x, const double *xi, double *rate)
{
    const phx_system *system = s->system;
    const int rigid = s->dim + s->n_rot;
    double g[2 * PHX_PORT_MAX];

    phx_system_view(s->dae, x, xi);
    memset(rate, 0, (size_t)n_candidates(s) * sizeof *rate);
    for (int j = 0; j < phx_system_joints(system); j++)
        for (int c = 0; c < phx_system_joint(system, j).n_coordinates; c++) {
            const phx_coordinate_view own = phx_system_coordinate(system, j, c);
            rate[j * PHX_JOINT_MAX_COORDINATES + c] = phx_row_rate(own.row, &s->e.port[own.a], &s->e.port[own.b], g) /
                                                      (own.row->angular ? 1.0 : s->scale.size);
        }
    for (int b = 0; b < phx_system_bodies(system); b++) {
        double *to = rate + phx_system_joints(system) * PHX_JOINT_MAX_COORDINATES + b * rigid;
        const double share = sqrt(phx_body_at_rest(phx_system_body(system, b))->mass / s->scale.mass);
        for (int a = 0; a < rigid; a++)
            to[a] = 0.1 * share * xi[phx_system_placed(system, b).v + a] / (a < s->dim ? s->scale.size : 1.0);
    }
}

static int free_largest(int n, const double *values)
{
    int at = 0;

    for (int i = 1; i < n; i++)
        if (fabs(values[i]) > fabs(values[at]))
            at = i;
    return at;
}

void phx_statics_name_motion(statics *s, const double *x, const double *xi, size_t size, char *name)
{
    const int n = n_candidates(s);
    double *rate = phx_calloc(s->context, (size_t)n, sizeof *rate);

    snprintf(name, size, "the mechanism");
    if (rate) {
        free_rates(s, x, xi, rate);
        name_candidate(s, free_largest(n, rate), size, name);
    }
    phx_free(rate);
}

/* ---- motions ---- */
static double zero_of(const statics *s)
{
    return 10.0 * s->scale.rounding;
}

void phx_statics_guess_free(const statics *s, int count, double *Z)
{
    const int n = s->e.n, n_v = s->e.n_v;

    for (int c = 0; c < count; c++)
        for (int i = 0; i < n_v; i++)
            Z[(size_t)c * (size_t)n + (size_t)i] = sin(1.0 + 0.7 * i + 1.3 * c * i) / s->scale.force[i];
}

/* Improves `count` vectors Z, W-orthonormal, to the eigenvectors of (K, W) with the smallest eigenvalues by `passes`
 * inverse iterations with Gram-Schmidt. */
phx_status phx_statics_find_free(statics *s, int passes, int count, double *Z)
{
    const int n = s->e.n, n_v = s->e.n_v;
    phx_status status = phx_statics_factor(s, 0.1 * zero_of(s));

    for (int pass = 0; pass < passes && !status; pass++)
        for (int c = 0; c < count && !status; c++) {
            double *z = Z + (size_t)c * (size_t)n;
            memset(s->vectors.other, 0, (size_t)n * sizeof *s->vectors.other);
            s->dae->ops->mass_apply(s->dae, z, s->vectors.other);
            status = phx_statics_solve(s, s->vectors.other);
            memcpy(z, s->vectors.other, (size_t)n_v * sizeof *z);
            for (int e = 0; e < c; e++) {
                const double *y = Z + (size_t)e * (size_t)n, part = phx_statics_W_product(s, y, z);
                for (int i = 0; i < n_v; i++)
                    z[i] -= part * y[i];
            }
            const double length = sqrt(phx_statics_W_product(s, z, z));
            for (int i = 0; i < n_v && length > 0.0; i++)
                z[i] /= length;
        }
    return status;
}

/* One candidate for each motion, chosen like pivots; rows of R are the motions. */
static void name_all(const statics *s, int count, double *R, size_t size, char *names)
{
    const int n = n_candidates(s);
    size_t used = 0;

    names[0] = '\0';
    for (int c = 0; c < count; c++) {
        int row = 0, best = 0;
        double most = 0.0;
        for (int r = 0; r < count; r++) {
            const int at = free_largest(n, R + (size_t)r * (size_t)n);
            if (fabs(R[(size_t)r * (size_t)n + (size_t)at]) > most) {
                most = fabs(R[(size_t)r * (size_t)n + (size_t)at]);
                best = at;
                row = r;
            }
        }
        char name[160];
        name_candidate(s, best, sizeof name, name);
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", c ? ", " : "", name);
        double *pivot = R + (size_t)row * (size_t)n;
        for (int r = 0; r < count && most > 0.0; r++) {
            const double part = R[(size_t)r * (size_t)n + (size_t)best] / pivot[best];
            for (int i = 0; i < n && r != row; i++)
                R[(size_t)r * (size_t)n + (size_t)i] -= part * pivot[i];
        }
        memset(pivot, 0, (size_t)n * sizeof *pivot);
    }
}

phx_status phx_statics_count_free(statics *s, const double *x, const double *lambda, int *count)
{
    int below = 0, above = 0;
    phx_status status = phx_statics_linearise(s, x, lambda);

    if (!status)
        status = phx_statics_negative(s, zero_of(s), &below);
    if (!status)
        status = phx_statics_negative(s, -zero_of(s), &above);
    *count = !status && above > below ? above - below : 0;
    return status;
}

/* Counts the motions that nothing holds at an equilibrium and writes names of at most MOST of them to `names`. */
phx_status phx_statics_free_motions(statics *s, const double *x, const double *lambda, int *count, size_t size,
                                    char *names)
{
    const size_t n = (size_t)s->e.n;
    phx_status status = phx_statics_count_free(s, x, lambda, count);

    names[0] = '\0';
    if (status || *count == 0)
        return status;
    const int named = *count < MOST ? *count : MOST;
    double *Z = phx_calloc(s->context, (size_t)named * n, sizeof *Z);
    double *R = phx_calloc(s->context, (size_t)named * (size_t)n_candidates(s), sizeof *R);
    status = Z && R ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        phx_statics_guess_free(s, named, Z);
        status = phx_statics_find_free(s, 5, named, Z);
    }
    for (int c = 0; c < named && !status; c++)
        free_rates(s, x, Z + (size_t)c * n, R + (size_t)c * (size_t)n_candidates(s));
    if (!status)
        name_all(s, named, R, size, names);
    phx_free(Z);
    phx_free(R);
    return status;
}

/* Bushings: stiffness, damping and preload between two frames, 3 x 3 in the plane and 6 x 6 in space. */
#include "measures.h"

#include <math.h>
#include <string.h>

typedef struct bushing {
    int n;
    phx_row rows[MOST_MEASURES];
    double stiffness[36], damping[36], preload[MOST_MEASURES]; /* n x n, row-major */
} bushing;

/* sum_l A_kl x_l */
static double row_times(const double *A, int n, int k, const double *x)
{
    return phx_dot(n, A + k * n, x);
}

/* (F10)  f = f0 - K (x0 + x1)/2 - C x',   V = x^T K x/2 - f0 . x,   loss x'^T C x' */
static phx_status bushing_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const bushing *mount = force->own;
    const int n = mount->n;
    measure_forces f;
    measures m;
    double mean[MOST_MEASURES];

    (void)t, (void)res;
    phx_sys_measure_rows(ws, force, n, mount->rows, &m);
    for (int k = 0; k < n; k++)
        mean[k] = 0.5 * (m.x0[k] + m.x1[k]);
    for (int k = 0; k < n; k++) {
        const double lost = row_times(mount->damping, n, k, m.rate);
        f.f[k] = mount->preload[k] - row_times(mount->stiffness, n, k, mean) - lost;
        ws->forces.power.dissipated += lost * m.rate[k];
        for (int l = 0; l < n; l++) {
            f.by_end[k * n + l] = -0.5 * mount->stiffness[k * n + l];
            f.by_rate[k * n + l] = -mount->damping[k * n + l];
        }
    }
    phx_sys_push(ws, pair, force, &m, &f, linear);
    return PHX_OK;
}

static double bushing_energy(const phx_system *system, const force_slot *force, const phx_port_view *a,
                             const phx_port_view *b, const double *x, const double *v)
{
    const bushing *mount = force->own;
    double value[MOST_MEASURES], sum = 0.0;

    (void)system, (void)x, (void)v;
    for (int k = 0; k < mount->n; k++)
        value[k] = phx_row_value(&mount->rows[k], a, b, 1);
    for (int k = 0; k < mount->n; k++)
        sum += (0.5 * row_times(mount->stiffness, mount->n, k, value) - mount->preload[k]) * value[k];
    return sum;
}

static double bushing_energy_rate(const workspace *ws, const force_slot *force)
{
    const bushing *mount = force->own;
    measures m;
    double sum = 0.0;

    phx_sys_measure_rows(ws, force, mount->n, mount->rows, &m);
    for (int k = 0; k < mount->n; k++)
        sum += (row_times(mount->stiffness, mount->n, k, m.x1) - mount->preload[k]) * m.rate[k];
    return sum;
}

static bool bushing_dissipates(const phx_system *system, const force_slot *force)
{
    const bushing *mount = force->own;
    bool any = false;

    (void)system;
    for (int i = 0; i < mount->n * mount->n; i++)
        any = any || mount->damping[i] != 0.0;
    return any;
}

PHX_SYS_WRITTEN(bushing, 1448);
static void bushing_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
    bushing *mount = phx_sys_archive_own(archive, sizeof *mount, force);
    if (!mount)
        return;
    phx_archive_choice(archive, MOST_MEASURES, &mount->n);
    for (int k = 0; k < mount->n && !phx_archive_status(archive); k++)
        phx_sys_archive_row(archive, &mount->rows[k]);
    phx_archive_doubles(archive, 36, mount->stiffness);
    phx_archive_doubles(archive, 36, mount->damping);
    phx_archive_doubles(archive, MOST_MEASURES, mount->preload);
}

const force_operations phx_sys_force_bushing = {.noun = "force",
                                                .at_ports = true,
                                                .archive = bushing_archive,
                                                .evaluate = bushing_evaluate,
                                                .energy = bushing_energy,
                                                .energy_rate = bushing_energy_rate,
                                                .supplies = phx_sys_force_never,
                                                .dissipates = bushing_dissipates};

int phx_sys_bushing_dampers(const force_slot *force, const phx_row **rows, double damping[PHX_SYS_BUSHING_ROWS])
{
    const bushing *own = force->own;

    for (int k = 0; k < own->n; k++)
        damping[k] = own->damping[k * own->n + k];
    *rows = own->rows;
    return own->n;
}

/* ---- making ---- */
/* Whether a matrix is symmetric without negative eigenvalues: an LDL^T of it has no negative pivot. */
static bool is_semidefinite(int n, const double *given)
{
    static const double ROUNDING = 1e-12; /* of the largest entry, of the diagonal entry */
    static const double COUPLED = 1e-9;   /* entry beside a pivot of zero, relative to its diagonal */
    double A[36], size = 0.0;

    memcpy(A, given, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(A[i]))
            return false;
        size = fmax(size, fabs(A[i]));
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > ROUNDING * size)
                return false;
    for (int k = 0; k < n; k++) {
        const double pivot = A[k * n + k], rounding = ROUNDING * fabs(given[k * n + k]);
        if (pivot < -rounding)
            return false;
        for (int i = k + 1; i < n; i++) {
            if (pivot <= rounding && fabs(A[i * n + k]) > COUPLED * sqrt(fabs(given[k * n + k] * given[i * n + i])))
                return false;
            for (int j = k + 1; j < n && pivot > rounding; j++)
                A[i * n + j] -= A[i * n + k] * A[k * n + j] / pivot;
        }
    }
    return true;
}

/* Adds a bushing between the frames of two ports; stiffness and damping must be symmetric and positive semidefinite, 3
 * x 3 in the plane and 6 x 6 in space (translations first, along A's axes). */
phx_status phx_system_add_bushing(phx_system *system, const phx_bushing_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    const int n = system->dim == 2 ? 3 : 6;
    const phx_port_id ports[] = {def->a, def->b};
    force_slot *force = NULL;
    phx_status status = phx_sys_new_force(system, FORCE_BUSHING, def->name, 2, ports, sizeof(bushing), &force);

    if (!status && (!is_semidefinite(n, def->stiffness) || !is_semidefinite(n, def->damping)))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT,
                          "bushing '%s': stiffness and damping must be finite, symmetric and not negative", def->name);
    if (!status) {
        bushing *mount = force->own;
        mount->n = phx_frame_rows(system->dim, system->ports[def->a].port.rotation, system->ports[def->b].port.rotation,
                                  mount->rows);
        memcpy(mount->stiffness, def->stiffness, (size_t)(n * n) * sizeof *mount->stiffness);
        memcpy(mount->damping, def->damping, (size_t)(n * n) * sizeof *mount->damping);
        memcpy(mount->preload, def->preload, (size_t)n * sizeof *mount->preload);
        if (n == 3) /* the angle between the ports' directions, not between the bodies' */
            mount->rows[2].target = phx_sys_angle_between(system, def->a, def->b);
    }
    return phx_sys_keep_force(system, force, status);
}

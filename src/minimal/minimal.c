/* Minimal coordinates of a mechanism, for integrators that know ordinary differential equations only.
 *
 * With J the Jacobian of the joints' rows and C that of the coordinates y that are chosen, [J; C] is square and
 * regular:
 *
 *     [J; C] dxi = -[ g(x) ; c(x) - y ]      Newton's iteration for the configuration x of y
 *     [J; C] v   =  [ w(t) ; u ]             velocities of the rates u = C v
 *     u_dot      =  C v_dot + C_dot v        v_dot: accelerations of the mechanism
 *
 * Candidates are the coordinates of joints, places and turns of frames, deformations. Among them a QR with column
 * pivoting of the candidates' rows on the null space of J chooses, with velocities scaled by the masses, rows of length
 * one and a preference for what stays good when the mechanism moves far. Drives prescribe rates: their coordinates
 * belong to y, their rates not to u. Turns of frames in space are rotation vectors from the attitude at the choice,
 * which are good for half a turn; then, or when the chosen rates determine the others badly, another choice is made.
 *
 * Rows on the slip of contacts that stick hold rates, not places: a body that rolls goes anywhere (such rows are not
 * integrable). With J = [H; S], S these rows, as many more coordinates y_S are chosen, among the motions that [H; C]
 * leaves free, whose rates follow from u:
 *
 *     [H; C_S; C] dxi = -[ h ; c_S - y_S ; c - y ],      y_S_dot = C_S v */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- controllers, powers ---- */
phx_status phx_minimal_flow(phx_minimal *m, double t, const double *x, const double *v, const double *lambda,
                            double *z_dot, double *supplied, double *dissipated)
{
    const phx_status status = m->dae->ops->power(m->dae, t, x, v, lambda, supplied, dissipated);

    if (!status)
        phx_system_controllers_flow(m->dae, t, x, z_dot);
    return status;
}

phx_status phx_minimal_take_samples(phx_minimal *m, double t, double *x, const double *v)
{
    return phx_system_take_samples(m->dae, t, x, v);
}

phx_status phx_minimal_check_places(phx_minimal *m, double t, const double *x, const double *v)
{
    return phx_system_check_places(m->dae, t, 0.0, x, v);
}

/* ---- asking ---- */
int phx_minimal_coordinates(const phx_minimal *m)
{
    return all_chosen(m);
}

int phx_minimal_rates(const phx_minimal *m)
{
    return m->n_free;
}

int phx_minimal_first_rate(const phx_minimal *m)
{
    return first_free(m);
}

/* Nominal value of minimal coordinate k or its rate: 1 for angles, the size of the mechanism for lengths, 1/100 of
 * it for shapes. */
double phx_minimal_nominal(const phx_minimal *m, int k, bool rate)
{
    static const double BENT = 1e-2; /* deflection of nominal size, parts of the size of the mechanism */
    const choice *coordinate = chosen(m, k);
    double mass = 0.0;

    if (coordinate->kind == CHOICE_TURN ||
        (coordinate->kind == CHOICE_JOINT && coordinate_of(m, coordinate).row->angular))
        return 1.0;
    if (coordinate->kind != CHOICE_SHAPE)
        return m->size;
    for (int b = 0; b < phx_system_bodies(m->system); b++)
        mass += phx_body_at_rest(phx_system_body(m->system, b))->mass;
    const double moves =
        BENT * m->size * sqrt(mass) * m->unit[coordinate->v]; /* as the whole by a hundredth of its size */
    return rate ? moves : moves / fmax(1.0, m->omega[coordinate->v]);
}

/* Description of chosen coordinate k for messages, such as "coordinate 1 of joint 'hinge'". */
void phx_minimal_describe(const phx_minimal *m, int k, size_t size, char *text)
{
    const choice *coordinate = chosen(m, k);
    const phx_system *system = m->system;

    switch (coordinate->kind) {
    case CHOICE_JOINT:
        snprintf(text, size, "coordinate %d of joint '%s'", coordinate->number + 1,
                 phx_system_joint_name(system, coordinate->joint));
        break;
    case CHOICE_SHAPE:
        snprintf(text, size, "deformation %d of '%s'", coordinate->component + 1,
                 phx_body_name(phx_system_body(system, coordinate->body)));
        break;
    default:
        snprintf(text, size, "%s %d of '%s'", coordinate->kind == CHOICE_PLACE ? "place" : "turn",
                 coordinate->component + 1, phx_body_name(phx_system_body(system, coordinate->body)));
    }
}

/* ---- archives, creation ---- */
void phx_minimal_archive(phx_archive *archive, phx_minimal *m)
{
    for (int k = 0; k < all_chosen(m); k++)
        phx_archive_choice(archive, m->n_candidates - 1, &m->chosen[k]);
    phx_archive_doubles(archive, (size_t)m->dae->n_x, m->x0);
    phx_archive_double(archive, &m->size);
    phx_archive_doubles(archive, 2, m->stretch0);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        phx_minimal_list_solved(m);
    if (m->dae->ops->archive)
        m->dae->ops->archive(m->dae, archive);
}

static phx_status list_drives(phx_minimal *m)
{
    const int n = m->e.n_l;

    m->driven = phx_calloc(m->context, (size_t)n, sizeof *m->driven);
    for (int k = 0; k < n && m->driven; k++) {
        if (is_rolling(m, k))
            m->n_rolling++;
        else if (phx_system_row(m->dae, k).driven)
            m->driven[m->n_drives++] = k;
    }
    return m->driven ? PHX_OK : PHX_ERR_MEMORY;
}

/* The coordinates of the drives come first. */
static void take_drives(phx_minimal *m)
{
    for (int k = 0; k < m->n_drives; k++) {
        const phx_row_view row = phx_system_row(m->dae, m->driven[k]);
        for (int c = 0; c < m->n_candidates; c++)
            if (m->candidates[c].kind == CHOICE_JOINT && m->candidates[c].joint == row.joint &&
                m->candidates[c].number == row.coordinate)
                m->chosen[k] = c;
    }
}

static phx_status minimal_allocate(phx_minimal *m)
{
    const size_t n_v = (size_t)m->e.n_v, n_x = (size_t)m->dae->n_x;
    const phx_array arrays[] = {
        {&m->x0, n_x},      {&m->x_before, n_x},        {&m->unit, n_v}, {&m->omega, n_v}, {&m->J, n_v * n_v},
        {&m->A, n_v * n_v}, {&m->rhs, n_v * n_v + n_v}, {&m->v, n_v},    {&m->a, n_v}};
    phx_status status = phx_arrays_create(m->context, sizeof arrays / sizeof *arrays, arrays);

    m->candidates = phx_calloc(m->context, (size_t)phx_minimal_count_candidates(m->system), sizeof *m->candidates);
    m->chosen = phx_calloc(m->context, (size_t)all_chosen(m), sizeof *m->chosen);
    m->solved = phx_calloc(m->context, n_v, sizeof *m->solved);
    return !status && m->candidates && m->chosen && m->solved ? PHX_OK : PHX_ERR_MEMORY;
}

/* Creates the machinery of minimal coordinates for a system; nothing is chosen yet. *made is NULL after an error. */
phx_status phx_minimal_create(phx_context *context, phx_system *system, phx_minimal **made)
{
    phx_minimal *m = phx_calloc(context, 1, sizeof *m);

    *made = NULL;
    if (!m)
        return PHX_ERR_MEMORY;
    m->context = context;
    m->system = system;
    phx_status status = phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &m->dae);
    if (!status) {
        m->e = phx_system_equations(m->dae);
        m->dim = phx_system_dim(system);
        status = list_drives(m);
    }
    if (!status) {
        m->n_free = m->e.n_v - m->e.n_l;
        status = minimal_allocate(m);
    }
    if (!status) {
        phx_minimal_list_candidates(m);
        take_drives(m);
        status = phx_minimal_find_units(m);
    }
    if (status) {
        phx_minimal_destroy(m);
        return status;
    }
    *made = m;
    return PHX_OK;
}

void phx_minimal_destroy(phx_minimal *m)
{
    if (!m)
        return;
    double *const arrays[] = {m->x0, m->x_before, m->unit, m->omega, m->J, m->A, m->rhs, m->v, m->a};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(m->candidates);
    phx_free(m->chosen);
    phx_free(m->driven);
    phx_free(m->solved);
    phx_system_dae_destroy(m->dae);
    phx_free(m);
}

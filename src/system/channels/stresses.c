/* Stresses of bodies on a mesh as outputs: rows over what they depend on (phx_stress_map), made once. */
#include "channels.h"

#include <math.h>
#include <string.h>

/* Columns of a quantity by the set of stresses of its body; NULL: the body has no such quantity. */
static const struct {
    phx_quantity quantity;
    const char *names[PHX_STRESS_SETS];
    const char *unit;
    const char *field; /* the first of those that it shows, NULL: it follows from the stresses */
} quantities[] = {
    {PHX_QUANTITY_BENDING_MOMENT,
     {[PHX_STRESSES_PLATE] = "xx|yy|xy", [PHX_STRESSES_BENDING] = "xx|yy|xy"},
     "N m/m",
     "bending_moment"},
    {PHX_QUANTITY_MEMBRANE_FORCE, {[PHX_STRESSES_PLATE] = "xx|yy|xy"}, "N/m", "membrane_force"},
    {PHX_QUANTITY_SHEAR_FORCE, {[PHX_STRESSES_PLATE] = "x|y", [PHX_STRESSES_BENDING] = "x|y"}, "N/m", "shear_force"},
    {PHX_QUANTITY_STRESS,
     {[PHX_STRESSES_SOLID] = "xx|yy|zz|xy|yz|zx",
      [PHX_STRESSES_PLATE] = "top_xx|top_yy|top_xy|bottom_xx|bottom_yy|bottom_xy"},
     "Pa",
     "stress"},
    {PHX_QUANTITY_VON_MISES, {[PHX_STRESSES_SOLID] = "", [PHX_STRESSES_PLATE] = "top|bottom"}, "Pa", NULL},
    {PHX_QUANTITY_PRINCIPAL_STRESS,
     {[PHX_STRESSES_SOLID] = "max|min", [PHX_STRESSES_PLATE] = "top_max|top_min|bottom_max|bottom_min"},
     "Pa",
     NULL},
    {PHX_QUANTITY_EDGE_SHEAR, {[PHX_STRESSES_EDGE] = ""}, "N/m", "edge_shear"},
    {PHX_QUANTITY_EDGE_MOMENT, {[PHX_STRESSES_EDGE] = "nn|nt"}, "N m/m", "edge_moment"},
    {PHX_QUANTITY_CORNER_FORCE, {[PHX_STRESSES_CORNER] = ""}, "N", "corner_force"},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static int stresses_find(phx_quantity quantity)
{
    for (int k = 0; k < QUANTITIES; k++)
        if (quantities[k].quantity == quantity)
            return k;
    return -1;
}

const char *phx_sys_stresses_names(const output_slot *output)
{
    return quantities[stresses_find(output->def.quantity)].names[output->set];
}

const char *phx_sys_stresses_unit(const output_slot *output)
{
    return quantities[stresses_find(output->def.quantity)].unit;
}

/* The set of a quantity of a body that has `all`: that of its edges or corners, or all. */
static phx_stress_set set_of(phx_quantity quantity, phx_stress_set all)
{
    const int k = stresses_find(quantity);

    for (int set = PHX_STRESSES_EDGE; set <= PHX_STRESSES_CORNER && k >= 0 && all == PHX_STRESSES_PLATE; set++)
        if (quantities[k].names[set])
            return (phx_stress_set)set;
    return all;
}

/* Fails if a body has no such stresses, or the output asks for a field over the whole body. */
static phx_status stresses_check(const phx_system *system, const phx_output_def *def, phx_stress_set set)
{
    const int k = stresses_find(def->quantity);

    const char *body = phx_body_name(system->bodies[def->body].body);

    if ((set == PHX_STRESSES_NONE || set == PHX_STRESSES_BENDING) &&
        phx_body_flex(system->bodies[def->body].body)->stiffening && (k < 0 || !quantities[k].names[set]))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "output '%s': the file of '%s', which has stiffening, holds %s; other stresses are not linear "
                        "in its coordinates",
                        def->name, body, set ? "bending moments and shear forces" : "no stresses");
    if (set == PHX_STRESSES_NONE)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "output '%s': the stresses of '%s' are not known", def->name,
                        body);
    if (k < 0 || !quantities[k].names[set])
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "output '%s': '%s' has no such quantity; solids have stresses, plates forces and moments too",
                        def->name, body);
    if (def->whole && quantities[k].field)
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "output '%s': over a whole body there are the largest von_mises and principal_stress only",
                        def->name);
    return PHX_OK;
}

/* Finds the stress rows of an output on a mesh at its location, or at all points of the body. The output owns them. */
phx_status phx_sys_stresses_prepare(const phx_system *system, output_slot *output)
{
    const phx_output_def *def = &output->def;
    const phx_flex_source *source = phx_system_source(system, def->body);
    phx_context *context = system->context;

    phx_stress_map map = {.set = PHX_STRESSES_NONE};
    output->set = set_of(def->quantity, phx_flex_source_all_stresses(source));
    phx_status status = stresses_check(system, def, output->set);
    if (status)
        return status;
    status = phx_flex_source_stress_map(source, context, output->set, def->whole ? NULL : &def->location, &map);
    if (status)
        return status == PHX_ERR_MEMORY ? status : phx_fail_prefix(context, status, "output '%s': ", def->name);
    output->nodes = map.points;
    output->n_pairs = map.n_pairs;
    output->n_strains = map.n_strains;
    output->pair = map.pair;
    output->stress = map.rows;
    return PHX_OK;
}

/* The factor of an initial strain: that of the load that makes it, of which a part may act (ws->forces.load). */
static double strain_factor(const workspace *ws, int body, int strain, double t)
{
    const phx_system *system = ws->system;

    for (int f = 0; f < system->n_forces; f++) {
        const force_slot *force = &system->forces[f];
        if (force->kind == FORCE_DISTRIBUTED && force->body == body && force->n_fields > 0 &&
            force->fields[0].strain == strain + 1)
            return force->off ? 0.0 : ws->forces.load * phx_signal_value(force->signal[0], t);
    }
    return 0.0;
}

void phx_system_strain_factors(const phx_dae *dae, phx_body_id body, double t, int count, double *factors)
{
    for (int k = 0; k < count; k++)
        factors[k] = strain_factor((const workspace *)dae, body, k, t);
}

static int stresses_columns_of(const output_slot *output, int n)
{
    return n + output->n_pairs + output->n_strains;
}

/* Stresses at node k of those of the output. `factor`: of the initial strains. */
static void stresses_at(const output_slot *output, int k, int n, const double *q, const double *factor, double *stress)
{
    const int components = phx_stress_components(output->set), columns = stresses_columns_of(output, n);
    const double *rows = output->stress + (size_t)k * (size_t)components * (size_t)columns;

    for (int c = 0; c < components; c++) {
        const double *row = rows + (size_t)c * (size_t)columns;
        stress[c] = phx_dot(n, row, q) + phx_dot(output->n_strains, row + n + output->n_pairs, factor);
        for (int p = 0; p < output->n_pairs; p++)
            stress[c] += row[n + p] * q[output->pair[2 * p]] * q[output->pair[2 * p + 1]];
    }
}

/* The columns of an output from the stresses at a node; over several nodes the largest, of least principal stresses the
 * least. */
static void take_extremes(const output_slot *output, bool first, const double *stress, double *out)
{
    double state[2][6], principal[3];
    const int states = phx_stress_states(output->set, stress, state);

    for (int s = 0; s < states; s++) {
        if (output->def.quantity == PHX_QUANTITY_VON_MISES) {
            const double value = phx_von_mises(state[s]);
            out[s] = first ? value : fmax(out[s], value);
            continue;
        }
        phx_principal_stresses(state[s], principal);
        out[2 * s] = first ? principal[0] : fmax(out[2 * s], principal[0]);
        out[2 * s + 1] = first ? principal[2] : fmin(out[2 * s + 1], principal[2]);
    }
}

static int first_component(const output_slot *output)
{
    const int k = stresses_find(output->def.quantity);
    const phx_stress_field *field = phx_stress_field_named(output->set, quantities[k].field);

    return (field ? field : phx_stress_field_named(output->set, "stress_top"))->first;
}

/* Stresses of an output on a mesh, with the thermal strains at time t; over several points nonlinear quantities are
 * their extremes. */
void phx_sys_stresses_evaluate(const workspace *ws, const output_slot *output, double t, double *out)
{
    const body_slot *slot = &ws->system->bodies[output->def.body];
    const double *q = phx_sys_q(slot, ws->view.x1);
    const int n = phx_body_n_q(slot->body);
    double stress[PHX_STRESSES_MOST], factor[PHX_STRAIN_LOADS_MOST];

    for (int k = 0; k < output->n_strains; k++)
        factor[k] = strain_factor(ws, output->def.body, k, t);
    for (int k = 0; k < output->nodes; k++) {
        stresses_at(output, k, n, q, factor, stress);
        if (!phx_system_quantity_info(output->def.quantity)->instead)
            memcpy(out, stress + first_component(output), (size_t)output->count * sizeof *out);
        else
            take_extremes(output, k == 0, stress, out);
    }
}

/* Derivatives of stresses on a mesh by the deformations. */
void phx_sys_stresses_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const body_slot *slot = &rows->ws->system->bodies[output->def.body];
    const int n = phx_body_n_q(slot->body);
    int q_v = 0;

    (void)phx_body_coordinates(slot->body, NULL, &q_v);
    const double *q = phx_sys_q(slot, rows->ws->view.x1);
    for (int k = 0; k < output->count; k++) {
        const double *row =
            output->stress + (size_t)(first_component(output) + k) * (size_t)stresses_columns_of(output, n);
        for (int i = 0; i < n; i++)
            phx_sys_jacobian_add(rows, JACOBIAN_Q, rows->row[k], slot->v + q_v + i, row[i]);
        for (int p = 0; p < output->n_pairs; p++) {
            const int a = output->pair[2 * p], b = output->pair[2 * p + 1];
            phx_sys_jacobian_add(rows, JACOBIAN_Q, rows->row[k], slot->v + q_v + a, row[n + p] * q[b]);
            phx_sys_jacobian_add(rows, JACOBIAN_Q, rows->row[k], slot->v + q_v + b, row[n + p] * q[a]);
        }
    }
}

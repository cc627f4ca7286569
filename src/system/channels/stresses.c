/* Stresses of bodies on a mesh as outputs: rows over the deformation coordinates, made once. */
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
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static int find(phx_quantity quantity)
{
    for (int k = 0; k < QUANTITIES; k++)
        if (quantities[k].quantity == quantity)
            return k;
    return -1;
}

bool phx_sys_quantity_is_linear(phx_quantity quantity)
{
    const int k = find(quantity);
    return k < 0 || quantities[k].field;
}

const char *phx_sys_stresses_names(const output_slot *output)
{
    return quantities[find(output->def.quantity)].names[output->set];
}

const char *phx_sys_stresses_unit(const output_slot *output)
{
    return quantities[find(output->def.quantity)].unit;
}

static phx_status check(const phx_system *system, const phx_output_def *def, phx_stress_set set)
{
    const int k = find(def->quantity);

    const char *body = phx_body_name(system->bodies[def->body].body);

    if (phx_body_flex(system->bodies[def->body].body)->stiffening && (k < 0 || !quantities[k].names[set]))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "output '%s': with stiffening '%s' has %s; other stresses are not linear in its coordinates",
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

phx_status phx_sys_stresses_prepare(const phx_system *system, output_slot *output)
{
    const phx_output_def *def = &output->def;
    const phx_flex_source *source = phx_system_source(system, def->body);
    phx_context *context = system->context;

    output->set = phx_flex_source_stresses(source);
    output->nodes = 1;
    phx_status status = check(system, def, output->set);
    if (status)
        return status;
    if (def->whole)
        return phx_flex_source_nodal_stresses(source, context, &output->nodes, &output->stress);
    const size_t values = (size_t)phx_stress_components(output->set) * (size_t)phx_flex_source_flex(source)->n;
    output->stress = phx_calloc(context, values + 1, sizeof *output->stress);
    status =
        output->stress ? phx_flex_source_stress_rows(source, context, &def->location, output->stress) : PHX_ERR_MEMORY;
    return status && status != PHX_ERR_MEMORY ? phx_fail_prefix(context, status, "output '%s': ", def->name) : status;
}

/* Stresses at node k of those of the output. */
static void stresses_at(const output_slot *output, int k, int n, const double *q, double *stress)
{
    const int components = phx_stress_components(output->set);
    const double *rows = output->stress + (size_t)k * (size_t)components * (size_t)n;

    for (int c = 0; c < components; c++)
        stress[c] = phx_sys_dot(n, rows + (size_t)c * (size_t)n, q);
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
    const int k = find(output->def.quantity);
    const phx_stress_field *field = phx_stress_field_named(output->set, quantities[k].field);

    return (field ? field : phx_stress_field_named(output->set, "stress_top"))->first;
}

void phx_sys_stresses_evaluate(const workspace *ws, const output_slot *output, double *out)
{
    const body_slot *slot = &ws->system->bodies[output->def.body];
    const double *q = phx_sys_q(slot, ws->view.x1);
    const int n = phx_body_n_q(slot->body);
    double stress[PHX_STRESSES_MOST];

    for (int k = 0; k < output->nodes; k++) {
        stresses_at(output, k, n, q, stress);
        if (phx_sys_quantity_is_linear(output->def.quantity))
            memcpy(out, stress + first_component(output), (size_t)output->count * sizeof *out);
        else
            take_extremes(output, k == 0, stress, out);
    }
}

void phx_sys_stresses_jacobian(jacobian_rows *it, const output_slot *output)
{
    const body_slot *slot = &it->ws->system->bodies[output->def.body];
    const int n = phx_body_n_q(slot->body);
    int q_v = 0;

    if (!phx_sys_quantity_is_linear(output->def.quantity)) {
        it->status = phx_fail(it->ws->base.context, PHX_ERR_INPUT,
                              "the output '%s' is no linear function of the deformation and has no derivative at rest; "
                              "take 'stress'",
                              output->name);
        return;
    }
    (void)phx_body_coordinates(slot->body, NULL, &q_v);
    for (int k = 0; k < output->count; k++) {
        const double *row = output->stress + (size_t)(first_component(output) + k) * (size_t)n;
        for (int i = 0; i < n; i++)
            phx_sys_jacobian_add(it, JACOBIAN_Q, it->row[k], slot->v + q_v + i, row[i]);
    }
}

/* Bodies of the model: mass properties, beams, poses. */
#include "build.h"

#include <math.h>
#include <string.h>

/* Inertia of a mass about a point at distance d, added to an n_rot x n_rot matrix: m (d.d I - d d^T); plane m d.d. */
static void add_steiner(int dim, double mass, const double d[3], double *inertia)
{
    const double dd = d[0] * d[0] + d[1] * d[1] + (dim == 3 ? d[2] * d[2] : 0.0);
    const int n = dim == 2 ? 1 : 3;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inertia[i * n + j] += mass * ((i == j ? dd : 0.0) - (dim == 3 ? d[i] * d[j] : 0.0));
}

/* m = sum m_k,  c = sum m_k c_k / m,  I = sum I_k + m_k (|c_k - c|^2 - ...): the body and its point masses. */
static phx_rigid_def fold_point_masses(int dim, const phx_model_body *body)
{
    const int n = dim == 2 ? 1 : 3;
    phx_rigid_def rigid = {.mass = body->mass};
    double d[3] = {0};

    for (int a = 0; a < dim; a++)
        rigid.centre[a] = body->mass * body->centre_of_mass[a];
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *point = &body->point_masses[k];
        rigid.mass += point->mass;
        for (int a = 0; a < dim; a++)
            rigid.centre[a] += point->mass * body->ports[point->at.port].position[a];
    }
    for (int a = 0; a < dim; a++) {
        rigid.centre[a] = body->n_point_masses ? rigid.centre[a] / rigid.mass : body->centre_of_mass[a];
        d[a] = body->centre_of_mass[a] - rigid.centre[a];
    }
    memcpy(rigid.inertia, body->inertia, (size_t)(n * n) * sizeof *rigid.inertia);
    add_steiner(dim, body->mass, d, rigid.inertia);
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *point = &body->point_masses[k];
        for (int a = 0; a < dim; a++)
            d[a] = body->ports[point->at.port].position[a] - rigid.centre[a];
        for (int i = 0; i < n * n; i++)
            rigid.inertia[i] += point->inertia[i];
        add_steiner(dim, point->mass, d, rigid.inertia);
    }
    return rigid;
}

/* EA, EI, G J and masses per length from material and section. */
static phx_beam_def beam_def(const phx_model *model, const phx_model_body *body, const phx_beam_mass *masses)
{
    const phx_model_material *material = &model->materials[body->material];
    const phx_model_section *section = &body->section;
    phx_beam_def def = phx_beam_def_default();

    def.dim = model->dimension;
    def.length = body->length;
    def.mass_per_length = material->density * section->area;
    def.axial_stiffness = material->young * section->area;
    def.bending_stiffness[0] = material->young * section->inertia[model->dimension == 2 ? 1 : 0];
    if (model->dimension == 3) {
        def.bending_stiffness[1] = material->young * section->inertia[1];
        def.torsion_stiffness =
            body->twist ? material->young / (2.0 * (1.0 + material->poisson.value)) * section->torsion : HUGE_VAL;
        def.polar_inertia = material->density * (section->inertia[0] + section->inertia[1]);
    }
    def.elements = body->elements;
    def.order = body->order;
    def.element = body->element;
    def.modes = body->kept_modes;
    def.reference = body->reference;
    def.stiffening = body->stiffening;
    def.n_masses = body->n_point_masses;
    def.masses = masses;
    return def;
}

static phx_status make_beam(phx_builder *builder, const phx_model_body *body, phx_beam **beam)
{
    phx_beam_mass *masses = phx_calloc(builder->context, (size_t)body->n_point_masses, sizeof *masses);
    if (!masses)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < body->n_point_masses; k++) {
        const phx_model_point_mass *point = &body->point_masses[k];
        masses[k] = (phx_beam_mass){.at = point->at.location.fraction, .mass = point->mass};
        memcpy(masses[k].inertia, point->inertia, sizeof masses[k].inertia);
    }
    const phx_beam_def def = beam_def(builder->model, body, masses);
    phx_status status = phx_beam_cache_get(builder->cache, builder->context, &def, beam);
    phx_free(masses);
    if (status && status != PHX_ERR_MEMORY)
        phx_fail_prefix(builder->context, status, "body '%s': ", body->name);
    return status;
}

static phx_pose pose_of(int dim, const phx_model_body *body)
{
    phx_pose pose = phx_pose_default();

    memcpy(pose.position, body->pose.position, sizeof pose.position);
    memcpy(pose.linear, body->velocity.linear, sizeof pose.linear);
    memcpy(pose.angular, body->velocity.angular, sizeof pose.angular);
    memcpy(pose.rotation, body->pose.rotation.matrix, (size_t)(dim * dim) * sizeof *pose.rotation);
    pose.angle = body->pose.rotation.angle;
    return pose;
}

/* ---- which of its data a body that cannot be made may owe it to ---- */
typedef struct extreme {
    const char *key;
    double value, distance; /* decades from 1 */
} extreme;

static void offer(extreme *worst, const char *key, double value)
{
    const double distance = value != 0.0 ? fabs(log10(fabs(value))) : 0.0;
    if (distance > worst->distance)
        *worst = (extreme){key, value, distance};
}

/* The number farthest from 1 behind the message, when it is far. */
static phx_status blame_extreme(phx_builder *builder, const phx_model_body *body, phx_status status)
{
    enum { FAR = 20 };
    extreme worst = {.distance = FAR};

    if (status != PHX_ERR_ARGUMENT && status != PHX_ERR_INPUT)
        return status;
    if (body->kind == PHX_MODEL_BEAM) {
        const phx_model_material *material = &builder->model->materials[body->material];
        offer(&worst, "material.density", material->density);
        offer(&worst, "material.young", material->young);
        offer(&worst, "length", body->length);
        offer(&worst, "section (its area)", body->section.area);
    } else {
        offer(&worst, "mass", body->mass);
        for (int i = 0; i < 9; i++)
            offer(&worst, "inertia", body->inertia[i]);
        for (int a = 0; a < 3; a++)
            offer(&worst, "centre_of_mass", body->centre_of_mass[a]);
    }
    for (int k = 0; k < body->n_point_masses; k++)
        offer(&worst, "point_masses", body->point_masses[k].mass);
    if (!worst.key)
        return status;
    char *message = phx_strdup(NULL, phx_context_message(builder->context));
    if (message)
        phx_fail(builder->context, status, "%s; the key farthest from 1 is %s: %g", message, worst.key, worst.value);
    phx_free(message);
    return status;
}

phx_status phx_builder_body(phx_builder *builder, const phx_model_body *body)
{
    const int dim = builder->model->dimension;
    const phx_pose pose = pose_of(dim, body);
    phx_body_def def = phx_body_def_default();
    phx_rigid_def rigid;
    phx_flex_source *source = NULL;
    double *damping = NULL;
    phx_body *made = NULL;
    phx_body_id id;
    phx_status status = PHX_OK;

    def.name = body->name;
    def.dim = dim;
    if (body->kind == PHX_MODEL_RIGID) {
        rigid = fold_point_masses(dim, body);
        def.rigid = &rigid;
    } else if (body->kind == PHX_MODEL_MODAL) {
        status = phx_builder_modal(builder, body, &source, &damping);
    } else {
        status = make_beam(builder, body, &source);
        def.kinetics = body->kinetics == PHX_MODEL_KINETICS_SIMPLIFIED ? PHX_KINETICS_SIMPLIFIED : PHX_KINETICS_FULL;
        def.damping_mass = body->damping.mass;
        def.damping_stiffness = body->damping.stiffness;
        def.damping_modal = body->damping.modal.value;
    }
    if (!status) {
        def.flex = source ? phx_flex_source_flex(source) : NULL;
        def.damping_diagonal = damping;
        status = phx_body_create(builder->context, &def, &made);
    }
    phx_free(damping);
    if (status) {
        phx_flex_source_destroy(source);
        return blame_extreme(builder, body, status);
    }
    status = phx_system_add_body(builder->system, made, source, &pose, &id);
    for (int k = 0; k < body->n_ports && !status; k++)
        status = phx_system_add_point_at(builder->system, id, body->ports[k].name, &body->ports[k].location,
                                         body->ports[k].rotation.matrix);
    return status;
}

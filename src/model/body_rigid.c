/* The rigid body. */
#include "body_kinds.h"
#include "schema_parts.h"

#include <string.h>

static const phx_key keys[] = {
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = BIT(PHX_MODEL_RIGID), .object = &phx_schema_port,
     .fallback = "P", .count_offset = AT(phx_model_body, n_ports), .doc = "named ports besides P, the origin"},
};

/* ---- building ---- */
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

static phx_status body_rigid_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    const phx_rigid_def rigid = fold_point_masses(builder->model->dimension, body);
    phx_body_def def = phx_builder_body_def(builder, body);

    (void)source;
    def.rigid = &rigid;
    return phx_body_create(builder->context, &def, made);
}

static void body_rigid_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    (void)model;
    phx_offer_mass(body, worst);
}

const phx_body_row phx_body_row_rigid = {
    .info = {.name = "rigid",
             .noun = "rigid body",
             .is = "rigid",
             .doc = "a body that does not deform, by its mass, centre of mass and inertia",
             .plane = true,
             .space = true,
             .ports = {"P"}},
    .traits = PHX_BODY_MASS | PHX_BODY_DAMPING,
    .keys = KEYS(keys),
    .place_port = phx_place_port_by_position,
    .finish = phx_check_inertia_of,
    .build = body_rigid_build,
    .offer_numbers = body_rigid_offer_numbers};

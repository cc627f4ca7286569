/* Shared by the tests of layer body: bodies of every kind, random states. */
#ifndef PHLEXOR_TESTS_BODY_SUPPORT_H
#define PHLEXOR_TESTS_BODY_SUPPORT_H

#include "body/body.h"

#include "support/testing.h"

/* Room for every body of the table below. */
enum { MAX_V = 48, MAX_X = 64, MAX_STRESS = 40 };

/* A kind of body: a row of the table that most tests run through. */
typedef struct body_kind {
    const char *name;
    int dim;
    bool rigid;
    int order;
    phx_reference reference;
    phx_element_kind element;
    bool stiffening, masses; /* modal data: strains made at random */
    phx_kinetics kinetics;
    double damping_mass, damping_stiffness, damping_modal;
    int modes;       /* 0: elements; normal modes, or assumed ones */
    bool modal_data; /* a body given by the data of those modes */
} body_kind;
extern const body_kind body_kinds[];
extern const int n_body_kinds;

/* A body with the definitions it was made of. */
typedef struct subject {
    const char *name;
    phx_beam_def beam_def;
    phx_beam_mass masses[2];
    phx_rigid_def rigid_def;
    phx_beam *beam;          /* NULL: rigid; its points have the coordinates of the body */
    phx_flex_source *source; /* of the body: the beam, or modal data made from it */
    phx_body *body;
    phx_kinetics kinetics;
    int dim, n_rot, n_rigid, n_attitude, n_q, n_v, n_x;
} subject;
void subject_create(phx_context *context, const body_kind *kind, subject *it);
void subject_from_beam(phx_context *context, const phx_beam_def *beam_def, const phx_body_def *body_def, subject *it);
void subject_destroy(subject *it);
/* A port at a fraction of a beam, or at (0.3 s, -0.2 s, 0.1 s) of a rigid body. */
void subject_port(phx_context *context, const subject *it, double s, phx_body_port *port);

/* Configuration with any attitude and deformations of about 0.1 L, velocity of about 1. */
void random_configuration(uint64_t *seed, const subject *it, double *x);
void random_velocity(uint64_t *seed, const subject *it, double *v);
extern const double test_gravity[3];

/* x1 = x (+) step xi: r + R dr, R exp(dphi), q + dq, with xi on body axes like nu. */
void displaced(const subject *it, const double *x, double step, const double *xi, double *x1);
/* phx_body_move without compensated rounding. */
void moved(const subject *it, double h, const double *x0, const double *vm, double *x1, double *xm);
/* View of an instant. */
phx_body_view instant(const double *x, const double *v);
/* Accelerations for a generalised force: M v_dot = force - residual at rest acceleration. `force` may be NULL. */
void accelerations(phx_context *context, const subject *it, const double *gravity, const double *x, const double *v,
                   const double *force, double *v_dot);
/* Values on the body's pattern, which is ascending, as a dense matrix. */
void spread(const phx_body *body, const double *val, double *dense);
/* Offset of the deformation in x. */
static inline int at_q(const subject *it)
{
    return it->dim + it->n_attitude;
}

#endif

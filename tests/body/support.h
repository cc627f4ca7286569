/* What the tests of layer body share: checks that say by how much and where, bodies of every kind, random states. */
#ifndef PHLEXOR_TESTS_BODY_SUPPORT_H
#define PHLEXOR_TESTS_BODY_SUPPORT_H

#include <phlexor/body.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* Room for every body of the table below. */
enum { MAX_V = 48, MAX_X = 64, MAX_STRESS = 40 };

/* Fail with residual, tolerance and place unless |got - want| <= tol. NaN fails. */
#define CHECK_CLOSE(got, want, tol, ...) check_close(__FILE__, __LINE__, (got), (want), (tol), __VA_ARGS__)
void check_close(const char *file, int line, double got, double want, double tol, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Fail unless max |got_i - want_i| <= tol * max(1, max |want_i|). */
#define CHECK_VECTOR(n, got, want, tol, ...) check_vector(__FILE__, __LINE__, (n), (got), (want), (tol), __VA_ARGS__)
void check_vector(const char *file, int line, int n, const double *got, const double *want, double tol,
                  const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Fail, with the message of the context, unless the status is the expected one. */
#define CHECK_STATUS(context, status, expected) check_status(__FILE__, __LINE__, (context), (status), (expected))
void check_status(const char *file, int line, const phx_context *context, phx_status status, phx_status expected);

/* Setup and teardown of cmocka: *state is a phx_context. */
int context_setup(void **state);
int context_teardown(void **state);

/* Reproducible numbers in [-1, 1]. */
double random_value(uint64_t *seed);
void random_vector(uint64_t *seed, int n, double scale, double *x);
double max_abs(int n, const double *x);
double dot_product(int n, const double *a, const double *b);

/* A kind of body: a row of the table that most tests run through. */
typedef struct body_kind {
    const char *name;
    int dim;
    bool rigid;
    int order;
    phx_reference reference;
    phx_element_kind element;
    bool stiffening, masses;
    phx_kinetics kinetics;
    double damping_mass, damping_stiffness, damping_modal;
} body_kind;
extern const body_kind body_kinds[];
extern const int n_body_kinds;

/* A body with the definitions it was made of. */
typedef struct subject {
    const char *name;
    phx_beam_def beam_def;
    phx_beam_mass masses[2];
    phx_rigid_def rigid_def;
    phx_beam *beam; /* NULL: rigid */
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
/* Offset of the deformation in x. */
static inline int at_q(const subject *it)
{
    return it->dim + it->n_attitude;
}

#endif

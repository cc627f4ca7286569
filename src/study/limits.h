/* Checks whether a motion stays within the limits of validity of its model; private to the layer study. */
#ifndef PHX_STUDY_LIMITS_H
#define PHX_STUDY_LIMITS_H

#include "study/study.h"

/* The flexible bodies of a system and the findings about them so far. The system is borrowed; the findings remain when
 * it is destroyed. */
typedef struct phx_limits phx_limits;
phx_status phx_limits_create(phx_context *context, const phx_model *model, const phx_system *system,
                             phx_limits **limits);
void phx_limits_destroy(phx_limits *limits); /* NULL is allowed */
/* Check an instant; instants in order; v NULL: at rest. Allocates nothing; linear in the size of the bodies. Tells
 * whether a limit is exceeded for the first time. PHX_ERR_ANALYSIS for values that are not finite. */
bool phx_limits_look(phx_limits *limits, double t, const double *x, const double *v, const phx_energies *energies);
/* The limits exceeded so far, in the order of the bodies and kinds. The texts are owned by `limits` and valid until the
 * next check. */
int phx_limits_count(const phx_limits *limits); /* NULL: 0 */
phx_limit_finding phx_limits_finding(phx_limits *limits, int k);

enum { PHX_LIMIT_TEXT = 600 };
/* What a linear model about x, v (NULL: at rest) leaves out: the first of the kinds from PHX_LIMIT_TWIST on; empty:
 * nothing of weight. text: PHX_LIMIT_TEXT. */
phx_status phx_limits_left_out(phx_context *context, const phx_model *model, const phx_system *system, const double *x,
                               const double *v, char *text);

/* "rotation", "strain", "axial_force", "energy" */
const char *phx_limit_kind_name(phx_limit_kind kind);
double phx_limit_of(phx_limit_kind kind); /* the limit */

#endif

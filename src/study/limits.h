/* Private to layer study: watches whether a motion stays within what its model can say. */
#ifndef PHX_STUDY_LIMITS_H
#define PHX_STUDY_LIMITS_H

#include <phlexor/study.h>

/* The flexible bodies of a system and what has been found of them so far. The system is borrowed; what has been found
 * can still be asked when it is gone. */
typedef struct phx_limits phx_limits;
phx_status phx_limits_create(phx_context *context, const phx_model *model, const phx_system *system,
                             phx_limits **limits);
void phx_limits_destroy(phx_limits *limits); /* NULL is allowed */
/* Look at an instant; instants in order. Allocates nothing; linear in the size of the bodies. Returns whether there is
 * something beyond its limit that was not before. PHX_ERR_ANALYSIS is for numbers that are none. */
bool phx_limits_look(phx_limits *limits, double t, const double *x, const phx_energies *energies);
/* What lies, or lay, beyond its limit: findings in the order of the bodies and kinds. The texts are owned by `limits`
 * and hold until it looks again. */
int phx_limits_count(const phx_limits *limits); /* NULL: 0 */
phx_limit_finding phx_limits_finding(phx_limits *limits, int k);

#endif

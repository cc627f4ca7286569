/* A body of another kind than the floating one, to try the table of operations: a chain of rigid sections held together
 * by line springs. Its state is as many frames as it has sections, in an order of its own. */
#ifndef PHLEXOR_TESTS_SYSTEM_CHAIN_BODY_H
#define PHLEXOR_TESTS_SYSTEM_CHAIN_BODY_H

#include "body/body.h"
#include "load/load.h"

enum { CHAIN_MOST = 8, CHAIN_SPRINGS = 6 };

/* Sections of one shape one behind the other along x, `pitch` apart; the springs between a section and the next one run
 * from `from` on it to `to` on the next. */
typedef struct chain_def {
    const char *name;
    int dim, sections;
    double pitch;
    phx_rigid_def section;
    int springs;
    double from[CHAIN_SPRINGS][3], to[CHAIN_SPRINGS][3];
    double stiffness;
} chain_def;
chain_def chain_default(int dim, int sections);
/* Length at rest of spring s. */
double chain_length(const chain_def *def, int s);
phx_status chain_create(phx_context *context, const chain_def *def, phx_body **body);

#endif

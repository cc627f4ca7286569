/* Shared by the tests of rods in mechanisms: straight rods, ports on them. */
#ifndef PHLEXOR_TESTS_SYSTEM_RODS_H
#define PHLEXOR_TESTS_SYSTEM_RODS_H

#include "body/rod/rod.h"
#include "support.h"

typedef struct rod_kind {
    int dim, elements;
    double length, EA, GA, GJ, EI[2];
    double rhoA, rhoI[3];
    double damping;
} rod_kind;

rod_kind rod_default(int dim);
/* Straight along x of its frame; at most 32 elements. */
phx_body_id add_rod(model *m, const char *name, const rod_kind *kind, phx_pose pose);
phx_port_id port_on(model *m, phx_body_id body, double s);
phx_port_id ground_at(model *m, double x, double y, double z);

#endif

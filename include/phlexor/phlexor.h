/* Phlexor: port-Hamiltonian flexible multibody dynamics. Everything public, for programs that use the library.
 *
 * A layer includes the headers of the layers it needs, never this one. */
#ifndef PHLEXOR_PHLEXOR_H
#define PHLEXOR_PHLEXOR_H

#include <phlexor/algebra.h>
#include <phlexor/base.h>
#include <phlexor/body.h>
#include <phlexor/dae.h>
#include <phlexor/equilibrium.h>
#include <phlexor/fe.h>
#include <phlexor/fmu.h>
#include <phlexor/integrate.h>
#include <phlexor/joint.h>
#include <phlexor/linear.h>
#include <phlexor/load.h>
#include <phlexor/model.h>
#include <phlexor/ranks.h>
#include <phlexor/results.h>
#include <phlexor/sensitivity.h>
#include <phlexor/optimize.h>
#include <phlexor/statespace.h>
#include <phlexor/study.h>
#include <phlexor/system.h>

#endif

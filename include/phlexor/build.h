/* Phlexor, layer model: from the plain specification of a model file to a system.
 *
 * Body i of the model is body i of the system, joint j is joint j; the output columns are those of the model in file
 * order. The system owns everything it needs: the model may be changed or destroyed afterwards. */
#ifndef PHLEXOR_BUILD_H
#define PHLEXOR_BUILD_H

#include <phlexor/model.h>
#include <phlexor/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Beams by their definition, so that the matrices of a beam are made once, however many bodies and points of a sweep
 * have it. Forgets what was not used for long. One per thread; may go before the systems built with it. */
typedef struct phx_beam_cache phx_beam_cache;
phx_status phx_beam_cache_create(phx_context *context, phx_beam_cache **cache);
void phx_beam_cache_destroy(phx_beam_cache *cache); /* NULL is allowed */

typedef struct phx_beam_cache_stats {
    long made, reused; /* beams since the creation of the cache */
} phx_beam_cache_stats;
phx_beam_cache_stats phx_beam_cache_statistics(const phx_beam_cache *cache);

typedef struct phx_build_options {
    phx_beam_cache *cache; /* borrowed; NULL: beams are shared within this system only */
    bool without_outputs;  /* leave the model's outputs out */
} phx_build_options;
phx_build_options phx_build_options_default(void);

/* Build and freeze the system of a model (options NULL: the defaults); destroy with phx_system_destroy. Messages begin
 * with file:line:column of the body, joint, spring, load or output that is to blame. Errors: PHX_ERR_INPUT for values
 * that the reader could not know to be wrong, PHX_ERR_UNSUPPORTED for what the format has and this version has not,
 * PHX_ERR_ASSEMBLY when joints cannot close, PHX_ERR_MEMORY. */
phx_status phx_model_build(phx_context *context, const phx_model *model, const phx_build_options *options,
                           phx_system **system);

/* Put file:line:column of the joint or body that the recorded message names first in quotes in front of it, of the file
 * when it names none; nothing when the message has a position already. For errors of phx_system_start and the like.
 * Returns `status`. */
phx_status phx_model_blame(phx_context *context, const phx_model *model, phx_status status);

#ifdef __cplusplus
}
#endif
#endif

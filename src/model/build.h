/* Layer model, private: the builder at work. */
#ifndef PHLEXOR_MODEL_BUILD_H
#define PHLEXOR_MODEL_BUILD_H

#include "model/model.h"

typedef struct phx_builder {
    phx_context *context;
    const phx_model *model;
    phx_beam_cache *cache;
    phx_system *system;
    const phx_tunables *tunables; /* NULL: no parameter stays open */
} phx_builder;

/* The error of a lower layer with the position of the field in front, unless a part of the field has put its own
 * there; what is wrong with a value there is wrong with the model here. Returns the status to pass on; PHX_OK stays. */
phx_status phx_builder_at(const phx_builder *builder, const void *field, phx_status status);

phx_status phx_builder_body(phx_builder *builder, const phx_model_body *body);
/* Add the port a reference means. */
phx_status phx_builder_port(phx_builder *builder, const phx_model_point *point, phx_port_id *id);
/* The rotors of joint `id`, after all joints of the model, which have their numbers. */
phx_status phx_builder_rotors(phx_builder *builder, int id);
phx_status phx_builder_joint(phx_builder *builder, const phx_model_joint *joint);
phx_status phx_builder_force(phx_builder *builder, const phx_model_force *force);
phx_status phx_builder_law(phx_builder *builder, const phx_model_law *law, phx_law **made);
phx_status phx_builder_damper(phx_builder *builder, const phx_model_law *damper, phx_signal **made);
phx_friction phx_builder_friction(const phx_model_friction *friction);
phx_status phx_builder_spring(phx_builder *builder, const phx_model_spring *spring);
phx_status phx_builder_load(phx_builder *builder, const phx_model_load *load);
/* Takes the signals over, on failure too. */
phx_status phx_builder_surface_load(phx_builder *builder, const phx_model_load *load, phx_signal *component[3]);
phx_status phx_builder_controller(phx_builder *builder, const phx_model_controller *controller);
/* Compiled expressions of a controller, as phx_read_feedback has checked them. */
phx_status phx_builder_feedback(phx_builder *builder, const phx_model_controller *controller, int count,
                                struct phx_controller_programs **programs);
/* The definition of an fmu gets its functions and data (controller_fmu.c). */
phx_status phx_builder_fmu(phx_builder *builder, const phx_model_controller *controller, phx_controller_def *def);
phx_status phx_builder_output(phx_builder *builder, const phx_model_output *output);

/* A share of the beam of this definition. */
phx_status phx_beam_cache_get(phx_beam_cache *cache, phx_context *context, const phx_beam_def *def, phx_beam **beam);
/* A share of the source of an elastic body that was kept under this key, NULL: there is none; keeps one. Sources that
 * the last builds did not use are forgotten. */
phx_flex_source *phx_beam_cache_find_source(phx_beam_cache *cache, const char *key);
phx_status phx_beam_cache_keep_source(phx_beam_cache *cache, phx_context *context, const char *key,
                                      phx_flex_source *source);
/* Call before a build: forget beams that recent builds did not use once there are many. */
void phx_beam_cache_begin(phx_beam_cache *cache);

/* phx_model_copy_signal in which the builder's parameters stay open. */
phx_status phx_builder_signal(phx_builder *builder, const phx_signal *signal, phx_signal **copy);
/* An independent copy of one of the model's signals (NULL gives NULL), for what takes signals over: it may outlive the
 * model and be used by another thread. PHX_ERR_ARGUMENT when the signal is not the model's, PHX_ERR_MEMORY. */
phx_status phx_model_copy_signal(phx_context *context, const phx_model *model, const phx_signal *signal,
                                 phx_signal **copy);

#endif

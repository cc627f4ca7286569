/* Phlexor, layer model, private: what tables of keys are written with. */
#ifndef PHLEXOR_MODEL_SCHEMA_PARTS_H
#define PHLEXOR_MODEL_SCHEMA_PARTS_H

#include "reader.h"

#include <math.h>

/* ---- ranges ---- */
static const phx_range positive = {"a number greater than 0", 0.0, HUGE_VAL, .above_low = true};
static const phx_range count_range = {"an integer from 1 to 1000000", 1.0, PHX_MODEL_MAX_COUNT, .integer = true};
static const phx_range not_negative = {"a number not less than 0", .high = HUGE_VAL};

#define WORD(text, where)                                                                                              \
    {                                                                                                                  \
        .word = text, .dims = where                                                                                    \
    }
#define BIT(kind)                (1u << (kind))
#define AT                       offsetof
#define TABLE(type, table)       .size = sizeof(type), .keys = table, .n_keys = (int)(sizeof table / sizeof table[0])
#define KINDS(rule, words, type) .kind_rule = rule, .kinds = words, .kind_offset = AT(type, kind)
#define KEYS(table)                                                                                                    \
    {                                                                                                                  \
        table, (int)(sizeof table / sizeof table[0])                                                                   \
    }

/* Rows of the shapes of a section, `field` a phx_model_section in `type`; phx_finish_section makes the rest of them. */
#define PHX_SECTION_SHAPES(type, field)                                                                                \
    {"diameter",  &phx_type_number,   AT(type, field.diameter), .required = true, .kinds = BIT(PHX_MODEL_CIRCLE),      \
     .unit = "m", .range = &positive, .doc = "diameter"},                                                              \
        {"outer",     &phx_type_number,   AT(type, field.outer),  .required = true, .kinds = BIT(PHX_MODEL_TUBE),      \
         .unit = "m", .range = &positive, .doc = "outer diameter"},                                                    \
        {"inner",                                                                                                      \
         &phx_type_number,                                                                                             \
         AT(type, field.inner),                                                                                        \
         .required = true,                                                                                             \
         .kinds = BIT(PHX_MODEL_TUBE),                                                                                 \
         .unit = "m",                                                                                                  \
         .range = &not_negative,                                                                                       \
         .doc = "inner diameter, less than the outer"},                                                                \
        {"width",     &phx_type_number,   AT(type, field.width), .required = true, .kinds = BIT(PHX_MODEL_RECTANGLE),  \
         .unit = "m", .range = &positive, .doc = "along body z"},                                                      \
    {                                                                                                                  \
        "height", &phx_type_number, AT(type, field.height), .required = true, .kinds = BIT(PHX_MODEL_RECTANGLE),       \
                                                            .unit = "m", .range = &positive, .doc = "along body y"     \
    }

/* Rows of a station along a body, whose section is the object `schema`. */
#define PHX_STATION_KEYS(type, schema)                                                                                 \
    {"at", &phx_type_number, AT(type, at), .required = true, .range = &fraction, .doc = "fraction of the length"},     \
    {                                                                                                                  \
        "section", &phx_type_object, AT(type, section), .required = true, .object = &(schema), .doc = "there"          \
    }

/* Traits of the kinds of body: keys that kinds share. */
enum {
    PHX_BODY_MASS = 1,     /* mass, inertia, centre_of_mass */
    PHX_BODY_MATERIAL = 2, /* material */
    PHX_BODY_DAMPING = 4,  /* damping */
    PHX_BODY_HELD = 8      /* rigid: its deformation can be held */
};

#endif

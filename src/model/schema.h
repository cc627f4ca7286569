/* Phlexor, layer model, private: the vocabulary of the schema. The tables themselves are in schema.c; the reader
 * (reader.c), the documentation and the JSON Schema (schema_text.c) work from them. */
#ifndef PHLEXOR_MODEL_SCHEMA_H
#define PHLEXOR_MODEL_SCHEMA_H

#include "tree.h"

#include <stdint.h>

typedef struct phx_reader phx_reader;
typedef struct phx_key phx_key;
typedef struct phx_object phx_object;

/* The offset of a key whose value is not a field of its owner. */
#define PHX_NO_FIELD SIZE_MAX

/* Dimensions a key or word exists in. */
enum { PHX_PLANE = 1, PHX_SPACE = 2, PHX_BOTH = 3 };

/* A word of an enum; its place in the table is its value. */
typedef struct phx_word phx_word;
struct phx_word {
    const char *word; /* NULL ends the table */
    unsigned dims;
    unsigned traits;           /* of a kind: what keys may ask for */
    phx_word (*at)(int value); /* in the first row of a table that has no others: gives the words, then one of NULL */
};
/* Word `value` of a table, at most one beyond its last. */
static inline phx_word phx_word_at(const phx_word *words, int value)
{
    return words->at ? words->at(value) : words[value];
}

/* Traits of the kinds of joint (joints.c). */
enum {
    PHX_JOINT_TRANSLATION_AXIS = 1,   /* `axis` of a displacement */
    PHX_JOINT_ROTATION_AXIS = 2,      /* `axis` of a rotation */
    PHX_JOINT_TRANSLATION_AXIS_B = 4, /* `axis_b` of the one and of the other */
    PHX_JOINT_ROTATION_AXIS_B = 8,
    PHX_JOINT_NORMAL = 16,
    PHX_JOINT_AXES = 32,
    PHX_JOINT_RELATIVE = 64,           /* the relative rotation that is held */
    PHX_JOINT_FREE_ANGLES = 128,       /* free angles */
    PHX_JOINT_FREE_DISPLACEMENTS = 256 /* free displacements */
};

/* Range of a number. */
typedef struct phx_range {
    const char *text; /* "greater than 0" */
    double low, high; /* -HUGE_VAL, HUGE_VAL: open */
    bool above_low;   /* low itself is outside */
    bool integer;
    int only[2]; /* when not both 0, the only values */
} phx_range;

/* How a value is read. `field` is where it goes, `owner` the struct of the object that has the key. */
typedef phx_status phx_read_fn(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner);
/* The value of an absent key; NULL: zero bytes. */
typedef phx_status phx_preset_fn(phx_reader *reader, const phx_key *key, void *field, void *owner);

typedef struct phx_type {
    const char *name; /* for the documentation: "number" */
    const char *json; /* JSON Schema of a value; NULL: made from the key's object or words */
    phx_read_fn *read;
    phx_preset_fn *preset;
} phx_type;

struct phx_key {
    const char *name;
    const phx_type *type;
    size_t offset; /* in the owner's struct, or PHX_NO_FIELD */
    bool required;
    unsigned dims;            /* 0: both */
    unsigned kinds;           /* bit k: for kind k of the object; 0: all */
    unsigned traits;          /* for kinds with one of these traits; 0: all */
    const char *unit;         /* "" or NULL: none */
    const char *fallback;     /* default: a number or word that is read, or (where `preset` or zero makes it) a text */
    const phx_range *range;   /* numbers */
    const phx_word *words;    /* enums */
    const phx_object *object; /* of a nested object, or of the items of a map or list */
    size_t count_offset;      /* maps and lists: the number of items in the owner's struct */
    phx_status (*after)(phx_reader *reader, const phx_node *node); /* maps: when all items are read; NULL: nothing */
    bool own;        /* the owner is the struct of the kind, to which `own_offset` of the object leads */
    const char *doc; /* one line */
};

/* Keys of one kind of an object, in a table of their own. */
typedef struct phx_key_table {
    const phx_key *keys;
    int n_keys;
} phx_key_table;

/* How the kind of an object is known. */
typedef enum phx_kind_rule {
    PHX_KIND_NONE,
    PHX_KIND_KEY,    /* the key `kind` says it */
    PHX_KIND_PRESENT /* exactly one of the keys that belong to a single kind and bear its name is there */
} phx_kind_rule;

struct phx_object {
    const char *title; /* "body": for messages and headings */
    const char *doc;
    size_t size;         /* of its struct */
    const phx_key *keys; /* a row without a name stands for the tables of the kinds, in their order */
    int n_keys;
    phx_key_table (*of_kind)(int kind);
    phx_kind_rule kind_rule;
    const phx_word *kinds;
    size_t kind_offset; /* of the enum in the struct */
    bool of_entries;    /* a map of parameters, in which the name of a list makes one object for each entry */
    size_t own_offset;  /* of a pointer to what a kind has for itself, or to the coordinates; `begin` makes it */
    /* After the kind is known, before any key is read; NULL: nothing. */
    phx_status (*begin)(phx_reader *reader, const phx_node *node, void *object);
    /* After all keys are read: what they must be together, and what follows from them; NULL: nothing. */
    phx_status (*finish)(phx_reader *reader, const phx_node *node, void *object);
    /* Documentation that follows its keys, in Markdown; NULL: none. */
    phx_status (*tables)(phx_text *text);
};

/* All keys of an object: for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));) ... */
typedef struct phx_key_walk {
    const phx_object *object;
    int row, kind, own; /* the next: a row of `keys`; where that has no name, of a kind its own row */
} phx_key_walk;
const phx_key *phx_next_key(phx_key_walk *walk); /* NULL behind the last */
/* Whether a key of an object is for kind k, -1: for any. */
bool phx_key_fits(const phx_object *object, const phx_key *key, int kind);

extern const phx_object phx_schema_model;          /* the whole file */
extern const phx_object phx_schema_plane_rotation; /* {angle: a} */
extern const phx_object phx_schema_table;          /* a signal's table */
extern const phx_object phx_schema_parameter_list; /* parameters.c */
extern const phx_object phx_schema_equal_times;    /* signals.c */
/* Tables of keys that several kinds of body have. */
extern const phx_object phx_schema_rotation, phx_schema_port, phx_schema_section;
extern const phx_object phx_schema_visual;   /* visuals.c */
extern const phx_object phx_schema_optimize; /* optimize.c */
extern const phx_object phx_schema_sweep;
extern const phx_object phx_schema_identify; /* identify.c */
/* And several kinds of force element. */
extern const phx_object phx_schema_law, phx_schema_damper;

/* ---- the types (values.c, shapes.c, signals.c, references.c, joints.c, sweeps.c) ---- */
extern const phx_type phx_type_number;      /* double */
extern const phx_type phx_type_optional;    /* phx_model_optional */
extern const phx_type phx_type_integer;     /* int */
extern const phx_type phx_type_version;     /* checked, not kept */
extern const phx_type phx_type_boolean;     /* bool */
extern const phx_type phx_type_title;       /* const char * */
extern const phx_type phx_type_path;        /* const char *, relative to the model file */
extern const phx_type phx_type_word;        /* an enum */
extern const phx_type phx_type_kind;        /* the key `kind` itself, read before all others */
extern const phx_type phx_type_vector;      /* double[3], dim components */
extern const phx_type phx_type_turn;        /* double[3], 1 or 3 components */
extern const phx_type phx_type_direction;   /* double[3], dim components, made a unit vector */
extern const phx_type phx_type_direction_b; /* the same of a joint, sets axis_b_given */
extern const phx_type phx_type_directions;  /* of a joint: axis and axis_b */
extern const phx_type phx_type_pair;        /* double[2] */
extern const phx_type phx_type_place;       /* double[3], 2 or 3 given */
extern const phx_type phx_type_inertia;     /* double[9] */
extern const phx_type phx_type_pairs;       /* double[6], pairs of rotational axes */
extern const phx_type phx_type_gyroscopic;  /* double *, a matrix over the modes of the body for each rotational axis */
extern const phx_type phx_type_second;      /* double *, the same for each pair of axes */
extern const phx_type phx_type_angle;       /* phx_model_rotation from one number, plane */
extern const phx_type phx_type_rotation;    /* phx_model_rotation */
extern const phx_type phx_type_matrix;      /* double[9] */
extern const phx_type phx_type_quaternion;  /* double[4] */
extern const phx_type phx_type_object;      /* a struct */
extern const phx_type phx_type_three;       /* double[3] */
extern const phx_type phx_type_given;       /* a struct that begins with `bool given` */
extern const phx_type phx_type_ground;      /* the owner's own fields */
extern const phx_type phx_type_map;         /* pointer and count, items begin with their name */
extern const phx_type phx_type_list;        /* pointer and count */
extern const phx_type phx_type_some;        /* the same; one alone needs no list */
extern const phx_type phx_type_ports;       /* of a body or the ground: a map with the ports that always exist */
extern const phx_type phx_type_parameters;
extern const phx_type phx_type_signal;      /* phx_signal * */
extern const phx_type phx_type_force;       /* phx_signal *[3], dim components */
extern const phx_type phx_type_distributed; /* the same, of t and s */
extern const phx_type phx_type_torque;      /* phx_signal *[3], 1 or 3 components */
extern const phx_type phx_type_numbers;     /* pointer and count */
extern const phx_type phx_type_times;       /* of a table of a signal: the same, or `from` and `to` */
extern const phx_type phx_type_column;      /* const char * */
extern const phx_type phx_type_material;    /* int, index */
extern const phx_type phx_type_long_body;   /* int, index of a body with sections along a length */
extern const phx_type phx_type_meshed_body; /* int, index of a body with a mesh */
extern const phx_type phx_type_profile;     /* const char *, an expression of x, y, z */
extern const phx_type phx_type_joint;       /* int, index */
extern const phx_type phx_type_free_joint;  /* int, index of a joint with a free coordinate */
extern const phx_type phx_type_acting;      /* const char *, name of a spring or force that acts at ports */
extern const phx_type phx_type_port;        /* phx_model_point anywhere */
extern const phx_type phx_type_moving_port; /* phx_model_point on a body */
extern const phx_type phx_type_stressed;    /* phx_model_point on a body with stresses, or such a body */
extern const phx_type phx_type_section;     /* phx_model_point on a body with sections along a length */
extern const phx_type phx_type_own_port;    /* phx_model_point on the body being read */
extern const phx_type phx_type_port_pair;   /* phx_model_point[2] */
/* Of a controller (controllers.c). */
extern const phx_type phx_type_channel;  /* const char *, the name of a measurement or an actuation */
extern const phx_type phx_type_channels; /* pointer and count of them */
extern const phx_type phx_type_effort;   /* outputs of a pid: one of them */
extern const phx_type phx_type_efforts;  /* outputs and feedback of an expression */
extern const phx_type phx_type_fmu_inputs, phx_type_fmu_outputs, phx_type_fmu_starts; /* maps by an FMU's variables */
extern const phx_type phx_type_expressions; /* phx_model_expressions: rows of expressions, or one */
extern const phx_type phx_type_motions;     /* of `inverse`: outputs and their motions */
extern const phx_type phx_type_signals;     /* pointer and count: a signal, or a list */
extern const phx_type phx_type_limits;      /* pointer and count: a pair, or a list of pairs */
extern const phx_type phx_type_array;       /* phx_model_matrix: rows of numbers, or a number */
/* Of the free coordinates of a joint; the offset is that in phx_model_coordinate. */
extern const phx_type phx_type_start_angle;
extern const phx_type phx_type_start_position;
extern const phx_type phx_type_coordinate_rate;
extern const phx_type phx_type_coordinate_number;
extern const phx_type phx_type_coordinate_signal;
extern const phx_type phx_type_coordinate_object; /* a struct that begins with `bool given` */
/* Of a force element (forces.c): points, pointer and count; a square matrix, or its diagonal, over the components of a
 * bushing; one value for each. */
extern const phx_type phx_type_points, phx_type_square, phx_type_wrench;
/* Of a law (laws.c): phx_signal *, a function of x or of v. */
extern const phx_type phx_type_stroke_function;
extern const phx_type phx_type_rate_function;

/* Hooks of keys (segments.c) and objects (shapes.c, signals.c, joints.c, analyses.c). */
phx_status phx_finish_material(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_section(phx_reader *reader, const phx_node *node, void *object);
/* A body has either 'section' or 'sections': `count` stations of `size` bytes, each beginning with its place, a double;
 * ascending from 0 to 1. */
phx_status phx_check_stations(phx_reader *reader, const phx_node *node, int count, const void *stations, size_t size);
phx_status phx_finish_event(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_pose(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_rotation(phx_reader *reader, const phx_node *node, void *object);
phx_key_table phx_body_keys(int kind);
phx_status phx_body_tables(phx_text *text);
phx_status phx_finish_port(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_damping(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_begin_body(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_body(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_begin_joint(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_joint(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_joint_tables(phx_text *text); /* joint_table.c */
phx_key_table phx_force_keys(int kind);
phx_status phx_force_tables(phx_text *text);
phx_status phx_begin_force(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_force(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_law(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_damper(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_stops(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_friction(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_spring(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_load(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_initial(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_begin_output(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_output(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_controller(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_inverse(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_page(phx_reader *reader, const phx_node *node, void *object); /* visuals.c */
phx_status phx_finish_sweep(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_table(phx_reader *reader, const phx_node *node, void *object);
phx_status phx_finish_model(phx_reader *reader, const phx_node *node, void *object);

/* Structs that exist only while a value is read. */
typedef struct phx_rotation_form {
    int kind; /* axis and angle, quaternion, matrix */
    double axis[3], angle, quaternion[4], matrix[9];
    phx_model_rotation result;
} phx_rotation_form;

typedef enum phx_table_kind {
    PHX_TABLE_LISTED,
    PHX_TABLE_IN_FILE,
    PHX_TABLE_RAMP,
    PHX_TABLE_TRAPEZOIDAL
} phx_table_kind;
typedef struct phx_table_form {
    int kind;         /* phx_table_kind */
    int spline, rest; /* choices of `interpolation` and `ends` */
    int n_times, n_values;
    double *times, *values; /* of a profile: its begin and end; NULL */
    const char *file, *column;
    double from, to, rise; /* from, to: of a profile; of a table at equal steps, without times, its ends */
    phx_model_optional fall;
} phx_table_form;

#endif

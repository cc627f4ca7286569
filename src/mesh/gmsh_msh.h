/* Phlexor, layer mesh, private: a file .msh being read. */
#ifndef PHLEXOR_MESH_GMSH_MSH_H
#define PHLEXOR_MESH_GMSH_MSH_H

#include "builder.h"

typedef struct phx_msh_entity {
    int dimension, tag;
    size_t first; /* of its physical tags */
    size_t count;
} phx_msh_entity;

typedef struct phx_msh_name {
    int dimension, tag;
    char *name;
} phx_msh_name;

/* Cells first .. end-1 belong to a physical group, or to an entity; of dimension 0: points. */
typedef struct phx_msh_run {
    int dimension, tag;
    bool entity;
    size_t first, end;
} phx_msh_run;

typedef struct phx_msh_point {
    int node; /* label */
    size_t place;
} phx_msh_point;

/* The file, from `at` on, and how it is written (gmsh_words.c). */
typedef struct phx_msh_text {
    phx_input_file *file;
    const char *at, *end;
    const char *section; /* being read, for messages */
    int format;          /* 22, 40, 41 */
    bool binary, big_endian;
    int size_bytes; /* of counts and tags in format 4.1 */
} phx_msh_text;

/* Entities and their physical tags (gmsh_groups.c). */
typedef struct phx_msh_entity_list {
    size_t n, room, n_tags, tags_room;
    phx_msh_entity *entity;
    int *tags; /* physical tags of all entities */
    phx_table table;
} phx_msh_entity_list;

/* Physical groups: their names, the cells and points that belong to them (gmsh_groups.c). */
typedef struct phx_msh_physical {
    size_t n_names, names_room, n_runs, runs_room, n_points, points_room;
    phx_msh_name *names;
    phx_msh_run *runs;
    phx_msh_point *points;
} phx_msh_physical;

typedef struct phx_msh {
    phx_builder *b;
    phx_context *context;
    phx_msh_text text;
    phx_msh_entity_list entities;
    phx_msh_physical physical;
    phx_table cell_table;
} phx_msh;

/* ---- words and numbers (gmsh_words.c); `what` is named when something else is found ---- */
size_t phx_msh_place(const phx_msh *m);
#define MSH_FAIL(m, ...) phx_input_fail((m)->b->input, phx_msh_place(m), __VA_ARGS__)
phx_status phx_msh_fail_end(phx_msh *m); /* the file ends too early */
/* The next word; NULL at the end of the file. `at` stays in front of it. */
const char *phx_msh_word(phx_msh *m, size_t *length);
phx_status phx_msh_text_integer(phx_msh *m, const char *what, long long *value); /* text in binary files too */
phx_status phx_msh_text_real(phx_msh *m, const char *what, double *value);
phx_status phx_msh_int(phx_msh *m, const char *what, long long *value);  /* between -INT_MAX and INT_MAX */
phx_status phx_msh_size(phx_msh *m, const char *what, long long *value); /* a size_t of format 4 */
phx_status phx_msh_tag(phx_msh *m, const char *what, long long *value);  /* of a node or an element */
phx_status phx_msh_reals(phx_msh *m, const char *what, int count, double *values);
/* A size that what follows must make good: `least` bytes for each. */
phx_status phx_msh_count(phx_msh *m, const char *what, int least, long long *value);
phx_status phx_msh_byte_order(phx_msh *m);
phx_status phx_msh_end_line(phx_msh *m);
phx_status phx_msh_end_section(phx_msh *m);

/* ---- sections: names and entities (gmsh_groups.c), elements (gmsh_elements.c) ---- */
phx_status phx_msh_names(phx_msh *m);
phx_status phx_msh_entities(phx_msh *m);
phx_status phx_msh_partitioned(phx_msh *m);
phx_status phx_msh_elements(phx_msh *m);
/* Dimension and tag of the entity of a block; format 4.0 writes the tag first. */
phx_status phx_msh_block_entity(phx_msh *m, long long *dimension, long long *tag);
/* Blocks with the number of what they hold; format 4.1 adds the least and largest tags. */
phx_status phx_msh_blocks(phx_msh *m, const char *what, phx_status read_block(phx_msh *m, long long *n_read));

/* A cell or point belongs to a physical group or to an entity. */
phx_status phx_msh_add_run(phx_msh *m, int dimension, long long tag, bool is_of_entity, size_t item);
phx_status phx_msh_groups(phx_msh *m);

#endif

/* A box as a file .msh of any format. */
#ifndef TESTS_MESH_WRITE_MSH_H
#define TESTS_MESH_WRITE_MSH_H

#include "mesh_checks.h"

typedef struct bytes {
    char *data;
    size_t size, room;
} bytes;
void put_bytes(bytes *b, const void *data, size_t size);
void put_text(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct msh_style {
    const char *name;
    int format; /* 22, 40, 41 */
    bool binary, big_endian;
    int size_bytes; /* of counts in 4.1 */
    bool complete;  /* with nodes in faces and inside */
} msh_style;
enum { MSH_STYLES = 11 };
extern const msh_style msh_styles[MSH_STYLES];

/* Label of node i; they are written in descending order. */
int msh_node_label(int i);

/* The box with physical groups: volume "all", surfaces "x0" "x1" "y0" "y1" "z0" and, without a name, 15 (z1), the
 * surface "two faces" (x0 and y0), the point group "corners" of the first and the last node. */
bytes write_msh(const phx_mesh *mesh, const msh_style *style);

#endif

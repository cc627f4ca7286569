/* A box as a file .msh of any format. The order of Gmsh's nodes is told by the edges whose middles they are. */
#include "write_msh.h"

const msh_style msh_styles[MSH_STYLES] = {
    {"2.2 text", 22, false, false, 8, false},
    {"2.2 binary", 22, true, false, 8, false},
    {"2.2 binary, big-endian", 22, true, true, 8, false},
    {"4.0 text", 40, false, false, 8, false},
    {"4.0 binary", 40, true, false, 8, false},
    {"4.1 text", 41, false, false, 8, false},
    {"4.1 binary", 41, true, false, 8, false},
    {"4.1 binary, big-endian", 41, true, true, 8, false},
    {"4.1 binary of 32 bits", 41, true, false, 4, false},
    {"2.2 binary, complete", 22, true, false, 8, true},
    {"4.1 text, complete", 41, false, false, 8, true},
};

void put_bytes(bytes *b, const void *data, size_t size)
{
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void put_text(bytes *b, const char *format, ...)
{
    char line[400];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert_in_range(n, 0, sizeof line - 1);
    put_bytes(b, line, (size_t)n);
}

int msh_node_label(int i)
{
    return 5 + 3 * i;
}

/* ---- numbers of either sort ---- */
typedef struct writer {
    bytes out;
    const msh_style *style;
    const phx_mesh *mesh;
    int n_elements;
} writer;

static void put_word(writer *w, int size, uint64_t word)
{
    unsigned char byte[8];
    for (int k = 0; k < size; k++)
        byte[w->style->big_endian ? size - 1 - k : k] = (unsigned char)(word >> (8 * k));
    put_bytes(&w->out, byte, (size_t)size);
}

static void put_int(writer *w, int value)
{
    if (w->style->binary)
        put_word(w, 4, (uint32_t)value);
    else
        put_text(&w->out, "%d ", value);
}

static void put_size(writer *w, int value)
{
    if (w->style->binary)
        put_word(w, w->style->size_bytes, (uint64_t)value);
    else
        put_text(&w->out, "%d ", value);
}

static void put_tag(writer *w, int value)
{
    if (w->style->format == 41)
        put_size(w, value);
    else
        put_int(w, value);
}

static void put_real(writer *w, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    if (w->style->binary)
        put_word(w, 8, word);
    else
        put_text(&w->out, "%.17g ", value);
}

static void end_line(writer *w)
{
    if (!w->style->binary)
        put_text(&w->out, "\n");
}

/* ---- types ---- */
static const int gmsh_types[PHX_CELL_TYPES] = {
    [PHX_CELL_LINE2] = 1, [PHX_CELL_LINE3] = 8,  [PHX_CELL_TRI3] = 2,   [PHX_CELL_TRI6] = 9,
    [PHX_CELL_QUAD4] = 3, [PHX_CELL_QUAD8] = 16, [PHX_CELL_TET4] = 4,   [PHX_CELL_TET10] = 11,
    [PHX_CELL_HEX8] = 5,  [PHX_CELL_HEX20] = 17, [PHX_CELL_WEDGE6] = 6, [PHX_CELL_WEDGE15] = 18,
};

/* The types with nodes in faces and inside, and how many. */
static int complete_type(phx_cell_type type, int *beyond)
{
    *beyond = type == PHX_CELL_QUAD8 ? 1 : type == PHX_CELL_HEX20 ? 7 : type == PHX_CELL_WEDGE15 ? 3 : 0;
    return *beyond == 1 ? 10 : *beyond == 7 ? 12 : *beyond == 3 ? 13 : gmsh_types[type];
}

static int type_number(const writer *w, phx_cell_type type)
{
    int beyond;
    return w->style->complete ? complete_type(type, &beyond) : gmsh_types[type];
}

/* Edges in Gmsh's order; NULL: as in the table. */
static const int (*gmsh_edges(phx_cell_type type))[2]
{
    static const int tet[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
    static const int hex[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                   {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
    static const int wedge[9][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}};
    return type == PHX_CELL_TET10 ? tet : type == PHX_CELL_HEX20 ? hex : type == PHX_CELL_WEDGE15 ? wedge : NULL;
}

static int middle_of(const phx_cell_info *cell, const int ends[2])
{
    for (int k = 0; k < cell->edges; k++)
        if ((cell->edge[k][0] == ends[0] && cell->edge[k][1] == ends[1]) ||
            (cell->edge[k][0] == ends[1] && cell->edge[k][1] == ends[0]))
            return cell->corners + k;
    fail_msg("%s has no edge %d-%d", cell->name, ends[0], ends[1]);
    return -1;
}

static void put_nodes(writer *w, int c)
{
    const phx_cell_info *cell = phx_cell_info_of(w->mesh->type[c]);
    const int(*edges)[2] = gmsh_edges(w->mesh->type[c]);
    int beyond;
    for (int k = 0; k < cell->nodes; k++) {
        const int local = k < cell->corners || !edges ? k : middle_of(cell, edges[k - cell->corners]);
        put_tag(w, msh_node_label(w->mesh->node[w->mesh->first[c] + local]));
    }
    complete_type(w->mesh->type[c], &beyond);
    for (int k = 0; k < beyond && w->style->complete; k++)
        put_tag(w, msh_node_label(k));
    end_line(w);
}

/* ---- sections ---- */
static const phx_mesh_group *face(const phx_mesh *mesh, int b)
{
    const char name[3] = {"xyz"[b / 2], b % 2 ? '1' : '0', 0};
    return phx_mesh_group_named(mesh, name);
}

/* Physical tags of surface b. */
static int surface_tags(int b, int tags[2])
{
    tags[0] = 10 + b;
    tags[1] = 20;
    return b == 0 || b == 2 ? 2 : 1;
}

static void put_format(writer *w)
{
    const msh_style *s = w->style;
    put_text(&w->out, "$MeshFormat\n%s %d %d\n",
             s->format == 22   ? "2.2"
             : s->format == 40 ? "4"
                               : "4.1",
             s->binary, s->size_bytes);
    if (s->binary) {
        put_int(w, 1);
        put_text(&w->out, "\n");
    }
    put_text(&w->out, "$EndMeshFormat\n");
}

static void put_names(writer *w)
{
    put_text(&w->out, "$PhysicalNames\n8\n0 7 \"corners\"\n");
    for (int b = 0; b < 5; b++)
        put_text(&w->out, "2 %d \"%c%d\"\n", 10 + b, "xyz"[b / 2], b % 2);
    put_text(&w->out, "2 20 \"two faces\"\n3 1 \"all\"\n$EndPhysicalNames\n");
}

static void put_box(writer *w, int count)
{
    for (int k = 0; k < count; k++)
        put_real(w, k);
}

static void put_entities(writer *w)
{
    int tags[2];
    put_text(&w->out, "$Entities\n");
    put_size(w, 2), put_size(w, 0), put_size(w, 6), put_size(w, 1);
    end_line(w);
    for (int p = 1; p <= 2; p++) {
        put_int(w, p);
        put_box(w, w->style->format == 40 ? 6 : 3);
        put_size(w, 1), put_int(w, 7);
        end_line(w);
    }
    for (int b = 0; b < 6; b++) {
        const int n_tags = surface_tags(b, tags);
        put_int(w, b + 1);
        put_box(w, 6);
        put_size(w, n_tags);
        for (int t = 0; t < n_tags; t++)
            put_int(w, t ? -tags[t] : tags[t]);        /* negative: of reversed orientation */
        put_size(w, 2), put_int(w, 1), put_int(w, -2); /* bounding entities, which are not told of */
        end_line(w);
    }
    put_int(w, 1);
    put_box(w, 6);
    put_size(w, 1), put_int(w, 1), put_size(w, 0);
    put_text(&w->out, "\n$EndEntities\n");
}

static void put_place(writer *w, int i)
{
    for (int k = 0; k < 3; k++)
        put_real(w, w->mesh->x[3 * i + k]);
}

/* Dimension and tag of an entity. */
static void put_entity(writer *w, int dimension, int tag)
{
    put_int(w, w->style->format == 40 ? tag : dimension);
    put_int(w, w->style->format == 40 ? dimension : tag);
}

/* The first node in a parametric block on surface 1, the others on the volume. */
static void put_node_block(writer *w, int first, int end, bool parametric)
{
    put_entity(w, parametric ? 2 : 3, 1);
    put_int(w, parametric);
    put_size(w, end - first);
    end_line(w);
    for (int i = end - 1; i >= first && w->style->format == 41; i--) {
        put_tag(w, msh_node_label(i));
        end_line(w);
    }
    for (int i = end - 1; i >= first; i--) {
        if (w->style->format == 40)
            put_tag(w, msh_node_label(i));
        put_place(w, i);
        put_box(w, parametric ? 2 : 0);
        end_line(w);
    }
}

static void put_all_nodes(writer *w)
{
    const int n = w->mesh->n_nodes;
    put_text(&w->out, "$Nodes\n");
    if (w->style->format == 22) {
        put_text(&w->out, "%d\n", n);
        for (int i = n - 1; i >= 0; i--) {
            put_int(w, msh_node_label(i));
            put_place(w, i);
            end_line(w);
        }
    } else {
        put_size(w, 2), put_size(w, n);
        for (int k = 0; k < 2 && w->style->format == 41; k++)
            put_size(w, msh_node_label(k ? n - 1 : 0));
        end_line(w);
        put_node_block(w, 0, 1, true);
        put_node_block(w, 1, n, false);
    }
    put_text(&w->out, "\n$EndNodes\n");
}

/* Format 2: a cell of a physical group, or the point element of a node; in binary files a block of its own. */
static void put_element_2(writer *w, int physical, int entity, int type, int c, int node)
{
    if (w->style->binary)
        put_int(w, type), put_int(w, 1), put_int(w, 2), put_int(w, ++w->n_elements);
    else
        put_int(w, ++w->n_elements), put_int(w, type), put_int(w, 2);
    put_int(w, physical), put_int(w, entity);
    if (type != 15) {
        put_nodes(w, c);
        return;
    }
    put_int(w, msh_node_label(node));
    end_line(w);
}

static void put_solids_2(writer *w)
{
    const int n = phx_mesh_count(w->mesh, 3);
    if (w->style->binary)
        put_int(w, type_number(w, w->mesh->type[0])), put_int(w, n), put_int(w, 2);
    for (int c = 0; c < n; c++) {
        put_int(w, ++w->n_elements);
        if (!w->style->binary)
            put_int(w, type_number(w, w->mesh->type[c])), put_int(w, 2);
        put_int(w, 1), put_int(w, 1);
        put_nodes(w, c);
    }
}

static void put_elements_2(writer *w)
{
    int tags[2], count = phx_mesh_count(w->mesh, 3) + phx_mesh_count(w->mesh, 2) + 2;
    count += face(w->mesh, 0)->n_cells + face(w->mesh, 2)->n_cells; /* they are there twice */
    put_text(&w->out, "%d\n", count);
    put_solids_2(w);
    for (int b = 0; b < 6; b++)
        for (int t = 0; t < surface_tags(b, tags); t++)
            for (int i = 0; i < face(w->mesh, b)->n_cells; i++) {
                const int c = face(w->mesh, b)->cells[i];
                put_element_2(w, tags[t], b + 1, type_number(w, w->mesh->type[c]), c, 0);
            }
    put_element_2(w, 7, 1, 15, 0, 0);
    put_element_2(w, 7, 2, 15, 0, w->mesh->n_nodes - 1);
}

/* A block of the cells of one type. */
static void put_block(writer *w, int dimension, int tag, phx_cell_type type, int n_cells, const int *cells)
{
    int count = 0;
    for (int i = 0; i < n_cells; i++)
        count += w->mesh->type[cells[i]] == type;
    put_entity(w, dimension, tag);
    put_int(w, type_number(w, type)), put_size(w, count);
    end_line(w);
    for (int i = 0; i < n_cells; i++)
        if (w->mesh->type[cells[i]] == type) {
            put_tag(w, ++w->n_elements);
            put_nodes(w, cells[i]);
        }
}

static void put_elements_4(writer *w)
{
    const phx_mesh_group *all = phx_mesh_group_named(w->mesh, "all");
    const phx_cell_info *solid = phx_cell_info_of(w->mesh->type[0]);
    const phx_cell_type sides[2] = {solid->side_type[0], solid->side_type[solid->sides - 1]};
    const int n_sorts = sides[0] == sides[1] ? 1 : 2;
    put_size(w, 1 + 6 * n_sorts + 2);
    put_size(w, phx_mesh_count(w->mesh, 3) + phx_mesh_count(w->mesh, 2) + 2);
    for (int k = 0; k < 2 && w->style->format == 41; k++)
        put_size(w, 1);
    end_line(w);
    put_block(w, 3, 1, w->mesh->type[0], all->n_cells, all->cells);
    for (int b = 0; b < 6; b++)
        for (int k = 0; k < n_sorts; k++)
            put_block(w, 2, b + 1, sides[k], face(w->mesh, b)->n_cells, face(w->mesh, b)->cells);
    for (int p = 0; p < 2; p++) {
        put_entity(w, 0, p + 1);
        put_int(w, 15), put_size(w, 1);
        end_line(w);
        put_tag(w, ++w->n_elements);
        put_tag(w, msh_node_label(p ? w->mesh->n_nodes - 1 : 0));
        end_line(w);
    }
}

bytes write_msh(const phx_mesh *mesh, const msh_style *style)
{
    writer w = {.style = style, .mesh = mesh};
    put_format(&w);
    put_names(&w);
    if (style->format >= 40)
        put_entities(&w);
    put_all_nodes(&w);
    put_text(&w.out, "$Elements\n");
    if (style->format == 22)
        put_elements_2(&w);
    else
        put_elements_4(&w);
    put_text(&w.out, "\n$EndElements\n$Comments\nany $ text\n$EndComments\n");
    return w.out;
}

/* The shell: a surface of places and directors that bends as far as it likes, on quadrilaterals and triangles of order
 * two. */
#include "elastic.h"

#include "body/body.h"

#include <stdio.h>
#include <string.h>

static const double SHEAR_FACTOR = 5.0 / 6.0;
static const double SAME_PLACE = 1e-9;    /* of a mass and a node, relative to the size of the shell */
static const double ACROSS = 1e-3;        /* of the axis in the surface, relative to its length: else it is none */
static const char *const CLAMP = "clamp"; /* the port of the clamped sets */

/* ---- keys ---- */
typedef struct shell_segment {
    int kind; /* to, angle */
    double to[2], centre[2], angle;
    int elements;
    const char *name;
} shell_segment;

typedef struct shell_mesh {
    int kind, cells; /* places in words_mesh and words_cells */
    double size[2], counts[2], grading[2];
    double from[2];
    int n_line;
    shell_segment *line;
    double sweep, twist;
    int elements;
    bool slit;
    const char *file;
    double unit, fold;
} shell_mesh;

typedef struct shell_keys {
    shell_mesh mesh;
    phx_elastic_region whole; /* thickness, layers */
    int n_regions;
    phx_elastic_region *regions;
    double axis[3]; /* 0: from the mesh */
    int n_clamped;
    const char **clamped;
} shell_keys;

enum { MESH_SIZE, MESH_EXTRUDE, MESH_REVOLVE, MESH_FILE };
enum { SEGMENT_TO, SEGMENT_ANGLE };
enum { TIE_RIGID, TIE_PLACES };
#define SWEPT (BIT(MESH_EXTRUDE) | BIT(MESH_REVOLVE))
#define MADE  (SWEPT | BIT(MESH_SIZE))
static const phx_word words_mesh[] = {WORD("size", PHX_SPACE), WORD("extrude", PHX_SPACE), WORD("revolve", PHX_SPACE),
                                      WORD("file", PHX_SPACE), WORD(NULL, 0)};
static const phx_word words_segment[] = {WORD("to", PHX_SPACE), WORD("angle", PHX_SPACE), WORD(NULL, 0)};
static const phx_word words_cells[] = {WORD("quad9", PHX_SPACE), WORD("tri6", PHX_SPACE), WORD(NULL, 0)};
static const phx_cell_type cells[] = {PHX_CELL_QUAD9, PHX_CELL_TRI6};
static const phx_word words_tie[] = {WORD("rigid", PHX_SPACE), WORD("places", PHX_SPACE), WORD(NULL, 0)};
static const phx_range elements_range = {"an integer from 1 to 2000", 1.0, 2000.0, .integer = true};
static const phx_range grading_range = {.text = "a number from 1 to 10", .low = 1.0, .high = 10.0};
static const phx_range fold_range = {.text = "a number in (0, pi/2]", .high = 1.5708, .above_low = true};
static const phx_range label_range = {"an integer from 0 to 2147483647", 0.0, 2147483647.0, .integer = true};

static const phx_key segment_keys[] = {
    {"to", &phx_type_pair, AT(shell_segment, to), .required = true, .kinds = BIT(SEGMENT_TO), .unit = "m",
     .doc = "straight to this place [a, b]"},
    {"angle", &phx_type_number, AT(shell_segment, angle), .required = true, .kinds = BIT(SEGMENT_ANGLE), .unit = "rad",
     .doc = "an arc by this angle, counterclockwise from a to b"},
    {"centre", &phx_type_pair, AT(shell_segment, centre), .required = true, .kinds = BIT(SEGMENT_ANGLE), .unit = "m",
     .doc = "of the arc, [a, b]"},
    {"elements", &phx_type_integer, AT(shell_segment, elements), .required = true, .range = &elements_range,
     .doc = "along the segment"},
    {"name", &phx_type_column, AT(shell_segment, name), .fallback = "none",
     .doc = "group of the cells of the segment, for regions and ports"},
};
static const phx_object segment_object = {"segment of a line", "It begins where the one before it ends.",
                                          TABLE(shell_segment, segment_keys),
                                          KINDS(PHX_KIND_PRESENT, words_segment, shell_segment)};

static const phx_key mesh_keys[] = {
    {"size", &phx_type_pair, AT(shell_mesh, size), .required = true, .kinds = BIT(MESH_SIZE), .unit = "m",
     .range = &positive,
     .doc =
         "a rectangle from the origin along x and y; groups: its edges x0 x1 y0 y1, its corners x0y0 x1y0 x0y1 x1y1"},
    {"elements", &phx_type_pair, AT(shell_mesh, counts), .required = true, .kinds = BIT(MESH_SIZE),
     .range = &elements_range, .doc = "along x and y"},
    {"grading", &phx_type_pair, AT(shell_mesh, grading), .kinds = BIT(MESH_SIZE), .range = &grading_range,
     .fallback = "uniform", .doc = "the corner at the fraction s of a side lies at s^grading"},
    {"extrude", &phx_type_number, AT(shell_mesh, sweep), .required = true, .kinds = BIT(MESH_EXTRUDE), .unit = "m",
     .range = &positive, .doc = "the line is swept along z by this length: places (a, b, z)"},
    {"twist", &phx_type_number, AT(shell_mesh, twist), .kinds = BIT(MESH_EXTRUDE), .unit = "rad", .fallback = "0",
     .doc = "by which the line is turned about z at the end, linear between"},
    {"revolve", &phx_type_number, AT(shell_mesh, sweep), .required = true, .kinds = BIT(MESH_REVOLVE), .unit = "rad",
     .range = &positive,
     .doc = "the line is turned about z by this angle: places (a cos, a sin, b); a full turn is closed"},
    {"slit", &phx_type_boolean, AT(shell_mesh, slit), .kinds = BIT(MESH_REVOLVE), .fallback = "false",
     .doc = "a full turn is not closed"},
    {"from", &phx_type_pair, AT(shell_mesh, from), .required = true, .kinds = SWEPT, .unit = "m",
     .doc = "where the line begins, [a, b]; the upper side of the shell is on the right of the line"},
    {"line", &phx_type_list, AT(shell_mesh, line), .required = true, .kinds = SWEPT, .object = &segment_object,
     .count_offset = AT(shell_mesh, n_line),
     .doc = "segments; groups: edges start, end (of the line), first, last (of the sweep), corners start_first "
            "end_first start_last end_last; a line that comes back to its beginning is closed"},
    {"elements", &phx_type_integer, AT(shell_mesh, elements), .required = true, .kinds = SWEPT,
     .range = &elements_range, .doc = "along the sweep"},
    {"cells", &phx_type_word, AT(shell_mesh, cells), .kinds = MADE, .words = words_cells, .fallback = "quad9",
     .doc = "quadrilaterals of nine nodes, or each parted into two triangles of six"},
    {"file", &phx_type_path, AT(shell_mesh, file), .required = true, .kinds = BIT(MESH_FILE),
     .doc = "mesh file with triangles and quadrilaterals of order 2: .msh, .inp, or what gmsh reads when it is "
            "installed"},
    {"unit", &phx_type_number, AT(shell_mesh, unit), .kinds = BIT(MESH_FILE), .unit = "m", .range = &positive,
     .fallback = "1", .doc = "unit of length of the file"},
    {"fold", &phx_type_number, AT(shell_mesh, fold), .kinds = SWEPT | BIT(MESH_FILE), .unit = "rad",
     .range = &fold_range, .fallback = "0.5235987755982988",
     .doc = "neighbours whose normals differ by more than this angle meet in a fold, which keeps its angle"},
};
static const phx_object mesh_object = {"shell mesh", "Cells of order 2 on a surface.", TABLE(shell_mesh, mesh_keys),
                                       KINDS(PHX_KIND_PRESENT, words_mesh, shell_mesh)};

/* ---- ports ---- */
static const phx_key port_keys[] = {
    {"set", &phx_type_column, AT(phx_model_port, group), .fallback = "the port's own name",
     .doc = "group of the mesh whose nodes are tied: an edge, a patch of cells, a set of nodes"},
    {"tie", &phx_type_word, AT(phx_model_port, attach), .words = words_tie, .fallback = "rigid",
     .doc = "the set moves as a rigid body; places: its places do and its directors are free, a hinge along an edge"},
    {"node", &phx_type_integer, AT(phx_model_port, node), .range = &label_range, .fallback = "0",
     .doc = "number of a node instead, 0: none; it has a place and no rotation"},
    {"near", &phx_type_vector, AT(phx_model_port, near), .unit = "m", .fallback = "none",
     .doc = "the node nearest to this place instead, in body components"},
    {"position", &phx_type_vector, AT(phx_model_port, position), .unit = "m", .fallback = "mean place of the set",
     .doc = "place of a port on a set, in body components"},
    {"rotation", &phx_type_rotation, AT(phx_model_port, rotation), .fallback = "none", .object = &phx_schema_rotation,
     .doc = "takes port components to body components"},
};
static const phx_object shell_port = {"port on a shell", "A set of nodes that is tied, or one node.",
                                      TABLE(phx_model_port, port_keys), .finish = phx_finish_port};

#define SHELL BIT(PHX_MODEL_SHELL)
static const phx_key keys[] = {
    {"mesh", &phx_type_object, AT(shell_keys, mesh), .own = true, .required = true, .kinds = SHELL,
     .object = &mesh_object, .doc = "its surface"},
    {"thickness", &phx_type_number, AT(shell_keys, whole.thickness), .own = true, .kinds = SHELL, .unit = "m",
     .range = &positive, .fallback = "that of the layers", .doc = "half of it on each side of the surface"},
    {"layers", &phx_type_list, AT(shell_keys, whole.layers), .own = true, .kinds = SHELL, .object = &phx_schema_layer,
     .fallback = "one", .count_offset = AT(shell_keys, whole.n_layers),
     .doc = "instead of the thickness: a laminate, which need not be symmetric"},
    {"regions", &phx_type_map, AT(shell_keys, regions), .own = true, .kinds = SHELL, .object = &phx_schema_region,
     .fallback = "none", .count_offset = AT(shell_keys, n_regions),
     .doc = "groups of cells with another material, thickness or layers"},
    {"axis", &phx_type_direction, AT(shell_keys, axis), .own = true, .kinds = SHELL,
     .fallback = "x of a rectangle or a file, along the extrusion, along a line that is revolved",
     .doc = "its projection on the surface is axis 1 of layers and stress resultants"},
    {"ports", &phx_type_ports, AT(phx_model_body, ports), .kinds = SHELL, .object = &shell_port, .fallback = "none",
     .count_offset = AT(phx_model_body, n_ports), .doc = "named ports, on sets or at nodes of the mesh"},
    {"clamp", &phx_type_channels, AT(shell_keys, clamped), .own = true, .kinds = SHELL, .fallback = "none",
     .count_offset = AT(shell_keys, n_clamped),
     .doc = "groups of the mesh that are held to the ground, by the weld BODY/clamp"},
};

static const shell_keys *shell_of(const phx_model_body *body)
{
    return body->own;
}

/* ---- reading ---- */
/* Of a single node the number is known when there is a mesh. */
static void shell_place_port(const phx_model_body *body, phx_model_port *port)
{
    (void)body;
    port->location = phx_location_of_name(port->name);
}

/* A port is a set, or a single node by its number or a place near it, which has neither axes nor a tie. */
static phx_status shell_finish_port(phx_reader *reader, const phx_node *node, const phx_model_port *port)
{
    static const char *const of_sets[] = {"set", "tie", "position", "rotation"};
    phx_model_port *own = (phx_model_port *)(uintptr_t)port;
    const phx_node *near = phx_node_find(node, "near"), *single = port->node ? phx_node_find(node, "node") : near;

    if (port->node && near)
        return phx_reader_fail(reader, near, "'node' and 'near' both say where the port is; keep one");
    for (size_t k = 0; single && k < sizeof of_sets / sizeof *of_sets; k++)
        if (phx_node_find(node, of_sets[k]))
            return phx_reader_fail(reader, phx_node_find(node, of_sets[k]),
                                   "a single node has no '%s'; tie a set of nodes instead", of_sets[k]);
    own->placed = phx_node_find(node, "position") != NULL;
    own->nearest = near != NULL;
    return PHX_OK;
}

/* The clamped sets are one port more, which a weld holds. */
static phx_status add_clamp(phx_reader *reader, const phx_node *node, phx_model_body *body)
{
    phx_model_port *ports = phx_reader_calloc(reader, (size_t)body->n_ports + 1, sizeof *ports);
    if (!ports)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < body->n_ports; k++) {
        ports[k] = body->ports[k];
        if (!strcmp(ports[k].name, CLAMP))
            return phx_reader_fail(reader, phx_node_find(node, "clamp"),
                                   "the body has a port 'clamp' already; rename it");
        const phx_status status =
            phx_reader_place(reader, &ports[k], sizeof *ports, phx_content_where(reader->content, &body->ports[k]));
        if (status)
            return status;
    }
    phx_model_port *clamp = &ports[body->n_ports++];
    *clamp = (phx_model_port){.name = CLAMP, .held = true};
    for (int a = 0; a < 3; a++)
        clamp->rotation.matrix[4 * a] = 1.0;
    shell_place_port(body, clamp);
    body->ports = ports;
    return PHX_OK;
}

/* Checks a shell after reading: materials, thickness or layers, damping; adds the port of its clamped sets. */
static phx_status body_shell_finish(phx_reader *reader, const phx_node *node, const phx_model_body *body)
{
    const shell_keys *own = shell_of(body);
    const phx_node *regions = phx_node_find(node, "regions");
    phx_status status = phx_elastic_check_material(reader, node, body->material, false);

    if (!status)
        status = phx_elastic_check_layers(reader, node, own->whole.n_layers, own->whole.layers);
    for (int r = 0; r < own->n_regions && !status; r++) {
        const phx_node *region = regions->items[2 * r + 1];
        if (own->regions[r].own_material)
            status = phx_elastic_check_material(reader, region, own->regions[r].material, false);
        if (!status)
            status = phx_elastic_check_layers(reader, region, own->regions[r].n_layers, own->regions[r].layers);
    }
    if (!status)
        status = phx_elastic_check_thickness(reader, node, own->whole.thickness, own->whole.n_layers);
    if (status)
        return status;
    if (own->whole.n_layers == 0 && own->whole.thickness == 0.0)
        return phx_reader_fail(reader, node, "'thickness' is missing, or 'layers'");
    if (body->damping.mass != 0.0 || body->damping.modal.given)
        return phx_reader_fail(reader, phx_node_find(node, "damping"),
                               "the damping of a shell is that of its strains: 'stiffness' alone");
    return own->n_clamped > 0 ? add_clamp(reader, node, (phx_model_body *)(uintptr_t)body) : PHX_OK;
}

/* ---- mesh ---- */
static phx_status sweep_mesh(phx_context *context, const shell_mesh *from, phx_mesh *mesh, phx_directors *directors)
{
    phx_swept_segment *segments = phx_calloc(context, (size_t)from->n_line + 1, sizeof *segments);
    if (!segments)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < from->n_line; k++) {
        const shell_segment *s = &from->line[k];
        segments[k] = (phx_swept_segment){.name = s->name,
                                          .arc = s->kind == SEGMENT_ANGLE,
                                          .to = {s->to[0], s->to[1]},
                                          .centre = {s->centre[0], s->centre[1]},
                                          .angle = s->angle,
                                          .elements = s->elements};
    }
    const phx_swept_mesh def = {.from = {from->from[0], from->from[1]},
                                .n_segments = from->n_line,
                                .segments = segments,
                                .revolved = from->kind == MESH_REVOLVE,
                                .slit = from->slit,
                                .length = from->sweep,
                                .twist = from->twist,
                                .elements = from->elements,
                                .type = cells[from->cells],
                                .fold = from->fold};
    const phx_status status = phx_mesh_sweep(context, &def, mesh, directors);
    phx_free(segments);
    return status;
}

/* The mesh of a shell with its directors; both are the caller's, on failure too. */
static phx_status body_shell_make_mesh(phx_context *context, const shell_mesh *from, phx_mesh *mesh,
                                       phx_directors *directors)
{
    const phx_rectangle_mesh rectangle = {.size = {from->size[0], from->size[1]},
                                          .elements = {(int)from->counts[0], (int)from->counts[1]},
                                          .grading = {from->grading[0], from->grading[1]},
                                          .type = cells[from->cells]};
    const phx_builder reader = {.context = context};
    phx_status status;

    if (from->kind == MESH_EXTRUDE || from->kind == MESH_REVOLVE)
        return sweep_mesh(context, from, mesh, directors);
    if (from->kind == MESH_SIZE) {
        status = phx_mesh_rectangle(context, &rectangle, mesh);
        return status ? status : phx_mesh_directors(context, mesh, 1.0, directors);
    }
    status = phx_mesh_read_centres(context, from->file, from->unit, mesh);
    if (!status)
        status = phx_mesh_make_shell(context, mesh, from->file);
    if (!status)
        status = phx_elastic_check_mesh(&reader, mesh, from->file);
    return status ? status : phx_mesh_directors(context, mesh, from->fold, directors);
}

/* ---- building ---- */
/* A shell on its way from the mesh to the definition of a body. */
typedef struct shell_maker {
    phx_builder *builder;
    const phx_model_body *body;
    const shell_keys *own;
    phx_mesh mesh;
    phx_directors directors;
    int *place;    /* of each node of the mesh, -1: no cell has it */
    int *numbered; /* node of each place */
    phx_vector_def def;
    double *x, *axis;
    phx_vector_element *element;
    int *cell_place, *cell_director, *director_place, *section, *element_of; /* the last: of each cell, -1 */
    phx_vector_section *sections;
    phx_vector_tie *ties;
    int **tied, *tie_of; /* memory of each tie; tie of each place, -1 */
    phx_vector_mass *masses;
    double size; /* of the shell, m */
} shell_maker;

/* Nodes by lines of three, as the body has them, among those of a cell. */
static const int lines[9] = {0, 4, 1, 7, 8, 5, 3, 6, 2};

/* Arrays for all nodes, cells and ports of the mesh. */
static phx_status allocate_maker(shell_maker *m)
{
    phx_context *context = m->builder->context;
    const size_t nodes = (size_t)m->mesh.n_nodes + 1, n_cells = (size_t)m->mesh.n_cells + 1;
    const size_t entries = (size_t)m->mesh.first[m->mesh.n_cells] + 1, ports = (size_t)m->body->n_ports + 1;

    m->place = phx_calloc(context, nodes, sizeof *m->place);
    m->numbered = phx_calloc(context, nodes, sizeof *m->numbered);
    m->tie_of = phx_calloc(context, nodes, sizeof *m->tie_of);
    m->x = phx_calloc(context, 3 * nodes, sizeof *m->x);
    m->axis = phx_calloc(context, 3 * n_cells, sizeof *m->axis);
    m->element = phx_calloc(context, n_cells, sizeof *m->element);
    m->section = phx_calloc(context, n_cells, sizeof *m->section);
    m->element_of = phx_calloc(context, n_cells, sizeof *m->element_of);
    m->cell_place = phx_calloc(context, entries, sizeof *m->cell_place);
    m->cell_director = phx_calloc(context, entries, sizeof *m->cell_director);
    m->director_place = phx_calloc(context, entries, sizeof *m->director_place);
    m->sections = phx_calloc(context, (size_t)m->own->n_regions + 1, sizeof *m->sections);
    m->ties = phx_calloc(context, ports, sizeof *m->ties);
    m->tied = phx_calloc(context, ports, sizeof *m->tied);
    m->masses = phx_calloc(context, (size_t)m->body->n_point_masses + 1, sizeof *m->masses);
    return m->place && m->numbered && m->tie_of && m->x && m->axis && m->element && m->section && m->element_of &&
                   m->cell_place && m->cell_director && m->director_place && m->sections && m->ties && m->tied &&
                   m->masses
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

static void free_maker(shell_maker *m)
{
    for (int k = 0; k < m->body->n_ports && m->tied; k++)
        phx_free(m->tied[k]);
    void *const arrays[] = {m->place,         m->numbered,       m->tie_of,     m->x,        m->axis,
                            m->element,       m->section,        m->element_of, m->sections, m->cell_place,
                            m->cell_director, m->director_place, m->ties,       m->tied,     m->masses};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_mesh_free(&m->mesh);
    phx_directors_free(&m->directors);
}

static bool is_element(const shell_maker *m, int c)
{
    return phx_cell_info_of(m->mesh.type[c])->dimension == 2;
}

/* Numbers the nodes that cells have, in their order, and puts elements with their places and directors. */
static void put_elements(shell_maker *m)
{
    const phx_mesh *mesh = &m->mesh;
    int n = 0;

    for (int k = 0; k < mesh->first[mesh->n_cells]; k++)
        if (m->directors.of[k] >= 0)
            m->place[mesh->node[k]] = 1;
    for (int i = 0; i < mesh->n_nodes; i++) {
        m->tie_of[i] = -1;
        m->place[i] = m->place[i] ? m->def.n_places++ : -1;
        if (m->place[i] < 0)
            continue;
        m->numbered[m->place[i]] = i;
        memcpy(m->x + 3 * (size_t)m->place[i], mesh->x + 3 * (size_t)i, 3 * sizeof *m->x);
    }
    for (int c = 0; c < mesh->n_cells; c++) {
        const int count = mesh->first[c + 1] - mesh->first[c], e = m->def.n_elements;
        m->element_of[c] = is_element(m, c) ? e : -1;
        if (!is_element(m, c))
            continue;
        m->element[e] = mesh->type[c] == PHX_CELL_QUAD9 ? PHX_VECTOR_Q9 : PHX_VECTOR_T6;
        m->section[e] = -1;
        for (int k = 0; k < count; k++, n++) {
            const int from = mesh->first[c] + (count == 9 ? lines[k] : k);
            m->cell_place[n] = m->place[mesh->node[from]];
            m->cell_director[n] = m->directors.of[from];
        }
        m->def.n_elements++;
    }
    for (int d = 0; d < m->directors.n; d++)
        m->director_place[d] = m->place[m->directors.node[d]];
    m->def.n_directors = m->directors.n;
}

/* Axis 1 of each element: the one that is given, or a direction that the mesh has; of a surface across it y serves. */
static phx_status put_axes(shell_maker *m)
{
    const phx_mesh *mesh = &m->mesh;
    const double *given = m->own->axis;
    const int kind = m->own->mesh.kind;
    const bool has = given[0] != 0.0 || given[1] != 0.0 || given[2] != 0.0;

    for (int c = 0; c < mesh->n_cells; c++) {
        if (!is_element(m, c))
            continue;
        const int *node = mesh->node + mesh->first[c];
        const double *n = m->directors.d + 3 * (size_t)m->directors.of[mesh->first[c]];
        double *axis = m->axis + 3 * (size_t)m->element_of[c];
        for (int a = 0; a < 3; a++) /* a revolved line is the second direction of a quadrilateral */
            axis[a] = has                    ? given[a]
                      : kind == MESH_EXTRUDE ? (a == 2)
                      : kind == MESH_REVOLVE
                          ? mesh->x[3 * (size_t)node[phx_cell_info_of(mesh->type[c])->corners - 1] + (size_t)a] -
                                mesh->x[3 * (size_t)node[0] + (size_t)a]
                          : (a == 0);
        const double along = axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2];
        const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
        if (square - along * along > ACROSS * ACROSS * square)
            continue;
        if (has)
            return phx_builder_at(m->builder, m->own->axis,
                                  phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                                           "body '%s': the axis is normal to the surface at [%g, %g, %g]; expected a "
                                           "direction along it everywhere",
                                           m->body->name, mesh->x[3 * node[0]], mesh->x[3 * node[0] + 1],
                                           mesh->x[3 * node[0] + 2]));
        axis[0] = axis[2] = 0.0, axis[1] = 1.0;
    }
    return PHX_OK;
}

/* The section of a region, or of what the regions leave: | A B 0; B D 0; 0 0 kGh |. */
static phx_status make_section(const shell_maker *m, const phx_elastic_region *region, phx_vector_section *section)
{
    const phx_elastic_region *whole = &m->own->whole;
    const phx_model_material *materials = m->builder->model->materials;
    const phx_elastic_region *sized = region->thickness > 0.0 || region->n_layers > 0 ? region : whole;
    const phx_model_material *material =
        &materials[region != whole && region->own_material ? region->material : m->body->material];
    phx_plate_section plate;
    const phx_status status = phx_elastic_section(m->builder, material, sized->thickness, sized->n_layers,
                                                  sized->layers, SHEAR_FACTOR, true, &plate);

    *section = (phx_vector_section){.mass = plate.mass, .inertia = plate.rotary};
    for (int i = 0; i < 3 && !status; i++)
        for (int j = 0; j < 3; j++) {
            section->stiffness[8 * i + j] = plate.membrane[3 * i + j];
            section->stiffness[8 * i + 3 + j] = section->stiffness[8 * (3 + i) + j] = plate.coupling[3 * i + j];
            section->stiffness[8 * (3 + i) + 3 + j] = plate.bending[3 * i + j];
        }
    for (int k = 0; k < 4 && !status; k++)
        section->stiffness[8 * (6 + k / 2) + 6 + k % 2] = plate.shear[k];
    if (!status)
        section->director = plate.membrane[0] - plate.membrane[1] * plate.membrane[1] / plate.membrane[4];
    return status ? phx_builder_at(m->builder, region, status) : PHX_OK;
}

static phx_status fail_no_group(const shell_maker *m, const void *field, const char *what, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    for (int g = 0; g < m->mesh.n_groups; g++)
        phx_nearest_offer(&nearest, m->mesh.groups[g].name);
    return phx_builder_at(m->builder, field,
                          phx_fail(m->builder->context, PHX_ERR_ARGUMENT, "body '%s': %s: the mesh has no group %s%s",
                                   m->body->name, what, phx_shown_text(name).text, phx_nearest_hint(&nearest).text));
}

/* Sections of the named regions, then of what they leave. */
static phx_status put_sections(shell_maker *m)
{
    const shell_keys *own = m->own;
    phx_status status = PHX_OK;

    for (int r = 0; r < own->n_regions && !status; r++) {
        const phx_elastic_region *region = &own->regions[r];
        const phx_mesh_group *group = phx_mesh_group_in(&m->mesh, region->group, 2);
        if (!group)
            return fail_no_group(m, region, "region", region->group);
        for (int k = 0; k < group->n_cells && !status; k++) {
            int *section = &m->section[m->element_of[group->cells[k]]];
            if (*section >= 0)
                status = phx_builder_at(m->builder, region,
                                        phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                                                 "body '%s': a cell is in the regions '%s' and '%s'; leave it in one",
                                                 m->body->name, own->regions[*section].group, region->group));
            *section = r;
        }
        if (!status)
            status = make_section(m, region, &m->sections[r]);
    }
    for (int e = 0; e < m->def.n_elements; e++)
        m->section[e] = m->section[e] < 0 ? own->n_regions : m->section[e];
    m->def.n_sections = own->n_regions + 1;
    return status ? status : make_section(m, &own->whole, &m->sections[own->n_regions]);
}

/* ---- ports ---- */
/* The node of a port at a single one, by its number or the nearest to a place, which must lie near the surface. */
static phx_status port_place(const shell_maker *m, const phx_model_port *port, int *place)
{
    static const double NEAR = 0.1; /* of the size of the shell */
    phx_context *context = m->builder->context;
    const phx_mesh places = {.n_nodes = m->def.n_places, .x = m->x};
    const double *x;

    if (!port->nearest) {
        const int node = phx_mesh_node_labelled(&m->mesh, port->node);
        *place = node < 0 ? -1 : m->place[node];
        return *place >= 0
                   ? PHX_OK
                   : phx_fail(context, PHX_ERR_ARGUMENT, "port '%s': the shell has no node %d", port->name, port->node);
    }
    *place = phx_mesh_nearest_node(&places, port->near);
    x = m->x + 3 * (size_t)*place;
    const double away = hypot(hypot(x[0] - port->near[0], x[1] - port->near[1]), x[2] - port->near[2]);
    return away <= NEAR * m->size
               ? PHX_OK
               : phx_fail(context, PHX_ERR_ARGUMENT,
                          "port '%s': [%g, %g, %g] lies %.3g m off the nearest node, at [%g, %g, "
                          "%g]; expected a place on the shell, in its axes",
                          port->name, port->near[0], port->near[1], port->near[2], away, x[0], x[1], x[2]);
}

/* Marks the nodes of a set, by its cells where it has such, with the number of the tie; a node of another tie is
 * refused. */
static phx_status mark_set(shell_maker *m, const void *field, const char *port, const char *set, int tie)
{
    const phx_mesh *mesh = &m->mesh;
    const phx_mesh_group *group = phx_mesh_group_named(mesh, set);
    char what[120];

    snprintf(what, sizeof what, "port '%.80s'", port);
    if (!group)
        return fail_no_group(m, field, what, set);
    for (int k = 0; k < (group->dimension ? group->n_cells : group->n_nodes); k++) {
        const int begin = group->dimension ? mesh->first[group->cells[k]] : k;
        const int end = group->dimension ? mesh->first[group->cells[k] + 1] : k + 1;
        for (int i = begin; i < end; i++) {
            const int place = m->place[group->dimension ? mesh->node[i] : group->nodes[i]];
            if (place < 0)
                continue;
            if (m->tie_of[place] >= 0 && m->tie_of[place] != tie)
                return phx_builder_at(m->builder, field,
                                      phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                                               "body '%s': the node at [%g, %g, %g] is in the ports '%s' and '%s', "
                                               "which are both rigid; tie the sets as one port, or leave it out of one",
                                               m->body->name, m->x[3 * place], m->x[3 * place + 1], m->x[3 * place + 2],
                                               m->ties[m->tie_of[place]].name, port));
            m->tie_of[place] = tie;
        }
    }
    return PHX_OK;
}

/* Where the origin of the ground lies in the axes of the body as it is posed. */
static void ground_origin(const phx_model_body *body, double origin[3])
{
    for (int a = 0; a < 3; a++) {
        origin[a] = 0.0;
        for (int i = 0; i < 3; i++)
            origin[a] -= body->pose.rotation.matrix[3 * i + a] * body->pose.position[i];
    }
}

/* The tie of a port: its places, its directors unless it is a hinge, its origin. */
static phx_status make_tie(shell_maker *m, phx_model_port *port)
{
    phx_context *context = m->builder->context;
    const int tie = m->def.n_ties;
    phx_vector_tie *made = &m->ties[tie];
    phx_status status = PHX_OK;

    made->name = port->name;
    for (int k = 0; k < (port->held ? m->own->n_clamped : 1) && !status; k++)
        status = mark_set(m, port->held ? (const void *)&m->own->clamped : port, port->name,
                          port->held    ? m->own->clamped[k]
                          : port->group ? port->group
                                        : port->name,
                          tie);
    int *list = phx_calloc(context, (size_t)(m->def.n_places + m->def.n_directors) + 1, sizeof *list);
    if (!list)
        return PHX_ERR_MEMORY;
    m->tied[m->def.n_ties++] = list;
    for (int i = 0; i < m->def.n_places; i++)
        if (m->tie_of[i] == tie) {
            list[made->n_places++] = i;
            for (int a = 0; a < 3; a++)
                made->origin[a] += m->x[3 * (size_t)i + (size_t)a];
        }
    made->places = list;
    made->directors = list + made->n_places;
    for (int d = 0; d < m->def.n_directors && port->attach == TIE_RIGID; d++)
        if (m->tie_of[m->director_place[d]] == tie)
            list[made->n_places + made->n_directors++] = d;
    for (int a = 0; a < 3; a++)
        made->origin[a] = port->placed ? port->position[a] : made->origin[a] / (made->n_places ? made->n_places : 1);
    if (port->held)
        ground_origin(m->body, made->origin);
    memcpy(port->position, made->origin, sizeof made->origin);
    return status;
}

/* A rigid set needs vectors in two directions, else its rotation about the one is undefined. */
static phx_status check_tie(const shell_maker *m, const phx_model_port *port, const phx_vector_tie *tie)
{
    double first[3] = {0}, longest = 0.0, across = 0.0;

    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < tie->n_places + tie->n_directors; k++) {
            const bool place = k < tie->n_places;
            const double *v = place ? m->x + 3 * (size_t)tie->places[k]
                                    : m->directors.d + 3 * (size_t)tie->directors[k - tie->n_places];
            const double *origin = m->x + 3 * (size_t)tie->places[0];
            double a[3];
            for (int i = 0; i < 3; i++)
                a[i] = place ? (v[i] - origin[i]) / m->size : v[i];
            const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
            const double along = a[0] * first[0] + a[1] * first[1] + a[2] * first[2];
            if (pass == 0 && square > longest) {
                longest = square;
                memcpy(first, a, sizeof first);
            }
            across = fmax(across, pass == 1 ? square - along * along / longest : 0.0);
        }
    if (across > SAME_PLACE)
        return PHX_OK;
    return phx_fail(
        m->builder->context, PHX_ERR_ARGUMENT,
        port->attach == TIE_PLACES && tie->n_places > 1
            ? "port '%s': its places stand on a line, and a rigid set may not turn about itself; take 'tie: "
              "rigid' and a revolute joint"
            : "port '%s': its set is a single node, which has no rotation; take 'node', or more nodes",
        port->name);
}

/* Ports at one node get its place; each set becomes a tie. */
static phx_status shell_ports(shell_maker *m)
{
    phx_status status = PHX_OK;

    for (int k = 0; k < m->body->n_ports && !status; k++) {
        phx_model_port *port = &m->body->ports[k];
        if (port->node || port->nearest) {
            int place = -1;
            status = port_place(m, port, &place);
            if (status)
                return phx_builder_at(m->builder, port, status);
            port->location = (phx_location){.sort = PHX_LOCATION_NODE, .node = place + 1};
            memcpy(port->position, m->x + 3 * (size_t)place, sizeof port->position);
        } else {
            status = make_tie(m, port);
            if (!status)
                status = phx_builder_at(m->builder, port, check_tie(m, port, &m->ties[m->def.n_ties - 1]));
        }
    }
    return status;
}

/* Masses at ports: of a set at one of its nodes. */
static phx_status make_masses(shell_maker *m)
{
    const phx_mesh places = {.n_nodes = m->def.n_places, .x = m->x};

    for (int k = 0; k < m->body->n_point_masses; k++) {
        const phx_model_point_mass *mass = &m->body->point_masses[k];
        const phx_model_port *port = mass->at.port >= 0 ? &m->body->ports[mass->at.port] : NULL;
        const bool node = !port || port->node || port->nearest;
        const int place = !port  ? mass->at.location.node - 1
                          : node ? port->location.node - 1
                                 : phx_mesh_nearest_node(&places, port->position);
        const double *x = m->x + 3 * (size_t)(place >= 0 ? place : 0);
        phx_status status = PHX_OK;
        bool inertia = false;
        for (int i = 0; i < 9; i++)
            inertia = inertia || mass->inertia[i] != 0.0;
        if (place < 0 || place >= m->def.n_places)
            status = phx_fail(m->builder->context, PHX_ERR_ARGUMENT, "body '%s': the shell has no node %d",
                              m->body->name, place + 1);
        else if (node && inertia && m->tie_of[place] < 0)
            status = phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                              "body '%s': a mass with inertia at a single node, which does not turn; take a port on a "
                              "set of nodes",
                              m->body->name);
        else if (!node && hypot(hypot(x[0] - port->position[0], x[1] - port->position[1]), x[2] - port->position[2]) >
                              SAME_PLACE * m->size)
            status = phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                              "body '%s': the mass at '%s', [%g, %g, %g], is at no node; the nearest is at [%g, %g, "
                              "%g]: give the port its 'position', or weld a rigid body to it",
                              m->body->name, port->name, port->position[0], port->position[1], port->position[2], x[0],
                              x[1], x[2]);
        if (status)
            return phx_builder_at(m->builder, mass, status);
        m->masses[m->def.n_masses] = (phx_vector_mass){.place = place, .mass = mass->mass};
        memcpy(m->masses[m->def.n_masses++].inertia, mass->inertia, sizeof mass->inertia);
    }
    return PHX_OK;
}

/* NODE@17 counts nodes that cells have; a file with other numbers names them by ports. */
static phx_status check_labels(const shell_maker *m)
{
    const phx_model *model = m->builder->model;
    const int index = (int)(m->body - model->bodies);
    bool same = true;

    for (int i = 0; i < m->def.n_places; i++)
        same = same && m->numbered[i] == i && (!m->mesh.label || m->mesh.label[i] == i + 1);
    for (int k = 0, n = 0; !same; k++) {
        const phx_model_point *point = phx_model_reference(model, k);
        if (!point && n == model->n_outputs)
            break;
        if (!point)
            point = &model->outputs[n++].point;
        if (point->body == index && point->port < 0 && point->location.sort == PHX_LOCATION_NODE)
            return phx_builder_at(
                m->builder, point,
                phx_fail(m->builder->context, PHX_ERR_ARGUMENT,
                         "%s: the nodes of the file are not numbered from 1 on without gaps; give the "
                         "body a port with 'node' and name that",
                         point->text));
    }
    return PHX_OK;
}

/* Creates the body of vectors from mesh, sections, ties and masses. Its vectors move by themselves, so that there is no
 * source of shapes. */
static phx_status body_shell_build(phx_builder *builder, const phx_model_body *body, phx_flex_source **source,
                                   phx_body **made)
{
    shell_maker m = {.builder = builder, .body = body, .own = shell_of(body)};
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    phx_status status = body_shell_make_mesh(builder->context, &m.own->mesh, &m.mesh, &m.directors);

    (void)source;
    if (status)
        status = phx_builder_at(builder, &m.own->mesh, status);
    if (!status)
        status = allocate_maker(&m);
    if (!status)
        put_elements(&m);
    for (int k = 0; k < 3 * m.def.n_places && !status; k++) {
        low[k % 3] = fmin(low[k % 3], m.x[k]);
        high[k % 3] = fmax(high[k % 3], m.x[k]);
    }
    m.size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    if (!status)
        status = put_axes(&m);
    if (!status)
        status = put_sections(&m);
    if (!status)
        status = shell_ports(&m);
    if (!status)
        status = make_masses(&m);
    if (!status)
        status = check_labels(&m);
    m.def.name = body->name;
    m.def.place = m.x;
    m.def.director = m.directors.d;
    m.def.director_place = m.director_place;
    m.def.element = m.element;
    m.def.cell_place = m.cell_place;
    m.def.cell_director = m.cell_director;
    m.def.section = m.section;
    m.def.axis = m.axis;
    m.def.sections = m.sections;
    m.def.ties = m.ties;
    m.def.masses = m.masses;
    m.def.damping = body->damping.stiffness;
    if (!status)
        status = phx_vector_body_create(builder->context, &m.def, made);
    free_maker(&m);
    return status;
}

/* Places and, between the nodes of each cell, flat triangles. */
static phx_status body_shell_surface(phx_context *context, const phx_model_body *body, phx_surface *surface)
{
    static const int quad[8][3] = {{0, 4, 8}, {0, 8, 7}, {4, 1, 5}, {4, 5, 8},
                                   {8, 5, 2}, {8, 2, 6}, {7, 8, 6}, {7, 6, 3}},
                     tri[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    phx_mesh mesh = {0};
    phx_directors directors = {0};
    int *place = NULL;
    phx_status status = body_shell_make_mesh(context, &shell_of(body)->mesh, &mesh, &directors);

    if (!status) {
        place = phx_calloc(context, (size_t)mesh.n_nodes + 1, sizeof *place);
        surface->x = phx_calloc(context, 3 * (size_t)mesh.n_nodes + 1, sizeof *surface->x);
        surface->triangle = phx_calloc(context, 24 * (size_t)mesh.n_cells + 1, sizeof *surface->triangle);
        status = place && surface->x && surface->triangle ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int d = 0; d < directors.n && !status; d++)
        place[directors.node[d]] = 1;
    for (int i = 0; i < mesh.n_nodes && !status; i++)
        if (place[i]) {
            place[i] = surface->n_points;
            memcpy(surface->x + 3 * (size_t)surface->n_points++, mesh.x + 3 * (size_t)i, 3 * sizeof *mesh.x);
        }
    for (int c = 0; c < mesh.n_cells && !status; c++) {
        const bool q = mesh.type[c] == PHX_CELL_QUAD9;
        for (int t = 0; t < (q ? 8 : 4) && phx_cell_info_of(mesh.type[c])->dimension == 2; t++, surface->n_triangles++)
            for (int k = 0; k < 3; k++)
                surface->triangle[3 * surface->n_triangles + k] =
                    place[mesh.node[mesh.first[c] + (q ? quad[t][k] : tri[t][k])]];
    }
    phx_free(place);
    phx_mesh_free(&mesh);
    phx_directors_free(&directors);
    if (status)
        phx_surface_free(surface);
    return status;
}

static void body_shell_offer_numbers(const phx_model *model, const phx_model_body *body, phx_extreme *worst)
{
    const phx_model_material *material = &model->materials[body->material];

    phx_extreme_offer(worst, "material.density", material->density);
    phx_extreme_offer(worst, "material.young", material->young);
    phx_extreme_offer(worst, "thickness", shell_of(body)->whole.thickness);
    phx_extreme_offer(worst, "mesh.size", shell_of(body)->mesh.size[0]);
}

const phx_body_row phx_body_row_shell = {
    .info = {.name = "shell",
             .noun = "shell",
             .is = "a shell",
             .doc = "a thin surface, curved or folded, that bends as far as it likes",
             .space = true,
             .deforms = true,
             .locations = 1u << PHX_LOCATION_NODE},
    .traits = PHX_BODY_MATERIAL | PHX_BODY_DAMPING,
    .keys = KEYS(keys),
    .own_size = sizeof(shell_keys),
    .place_port = shell_place_port,
    .finish_port = shell_finish_port,
    .finish = body_shell_finish,
    .build = body_shell_build,
    .offer_numbers = body_shell_offer_numbers,
    .surface = body_shell_surface};

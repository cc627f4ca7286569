/* Files .msh of Gmsh, formats 2, 4.0 and 4.1, text and binary of either byte order.
 *
 * A file is a row of sections $Name ... $EndName. Format 2 gives every element the tag of a physical group; format 4
 * gives blocks of elements the tag of an entity, and entities the tags of their groups. Which cells belong to which tag
 * is kept in runs and made groups at the end; in a file without physical groups entities are groups. */
#include "gmsh_msh.h"

#include <string.h>

/* ---- blocks of format 4 ---- */
phx_status phx_msh_block_entity(phx_msh *m, long long *dimension, long long *tag)
{
    const bool tag_first = m->text.format == 40;
    phx_status status = phx_msh_int(m, "the entity of a block", tag_first ? tag : dimension);
    if (!status)
        status = phx_msh_int(m, "the entity of a block", tag_first ? dimension : tag);
    if (!status && (*dimension < 0 || *dimension > 3))
        return MSH_FAIL(m, "a block of an entity of dimension %lld and tag %lld", *dimension, *tag);
    return status;
}

phx_status phx_msh_blocks(phx_msh *m, const char *what, phx_status read_block(phx_msh *m, long long *n_read))
{
    long long n_blocks = 0, count = 0, tag = 0, n_read = 0;
    phx_status status = phx_msh_count(m, "the number of blocks", 2, &n_blocks);
    if (!status)
        status = phx_msh_size(m, what, &count);
    for (int k = 0; k < 2 && !status && m->text.format == 41; k++)
        status = phx_msh_size(m, "the range of the tags", &tag);
    for (long long k = 0; k < n_blocks && !status; k++)
        status = read_block(m, &n_read);
    if (!status && n_read != count)
        return MSH_FAIL(m, "%s is %lld, and the blocks have %lld", what, count, n_read);
    return status;
}

/* ---- nodes ---- */
static phx_status read_nodes_2(phx_msh *m)
{
    long long count = 0, label = 0;
    double x[3] = {0.0};
    phx_status status = phx_msh_text_integer(m, "the number of nodes", &count);
    if (!status && m->text.binary)
        status = phx_msh_end_line(m);
    for (long long k = 0; k < count && !status; k++) {
        const size_t place = phx_msh_place(m);
        status = phx_msh_int(m, "the number of a node", &label);
        if (!status)
            status = phx_msh_reals(m, "a coordinate", 3, x);
        if (!status)
            status = phx_builder_node(m->b, 0, label, m->text.binary ? place : phx_msh_place(m), x);
    }
    return status;
}

/* Format 4.1 writes the tags of all nodes of a block, then all coordinates; 4.0 node by node. */
static phx_status read_node_block(phx_msh *m, long long *n_read)
{
    long long dimension = 0, tag = 0, parametric = 0, count = 0, label = 0;
    phx_status status = phx_msh_block_entity(m, &dimension, &tag);
    if (!status)
        status = phx_msh_int(m, "the mark of parametric nodes", &parametric);
    if (!status)
        status = phx_msh_count(m, "the number of nodes of a block", 2, &count);
    if (status)
        return status;
    const int n_reals = parametric ? 3 + (int)dimension : 3;
    const size_t first = m->b->n_nodes;
    double x[6] = {0.0};
    for (long long k = 0; k < count && !status && m->text.format == 41; k++) {
        status = phx_msh_tag(m, "the tag of a node", &label);
        if (!status)
            status = phx_builder_node(m->b, 0, label, phx_msh_place(m), x);
    }
    for (long long k = 0; k < count && !status; k++) {
        if (m->text.format == 40)
            status = phx_msh_tag(m, "the tag of a node", &label);
        if (!status)
            status = phx_msh_reals(m, "a coordinate", n_reals, x);
        if (!status && m->text.format == 40)
            status = phx_builder_node(m->b, 0, label, phx_msh_place(m), x);
        else if (!status)
            status = phx_builder_place_node(m->b, first + (size_t)k, phx_msh_place(m), x);
    }
    *n_read += count;
    return status;
}

static phx_status read_nodes(phx_msh *m)
{
    return m->text.format < 40 ? read_nodes_2(m) : phx_msh_blocks(m, "the number of nodes", read_node_block);
}

/* ---- the file ---- */
static phx_status read_format(phx_msh *m)
{
    double version = 0.0;
    long long type = 0, size = 0;
    phx_status status = phx_msh_text_real(m, "the version of the format", &version);
    if (!status)
        status = phx_msh_text_integer(m, "the type of the file", &type);
    if (!status)
        status = phx_msh_text_integer(m, "the size of a number", &size);
    if (status)
        return status;
    m->text.format = version >= 2.0 && version < 2.3 ? 22 : version == 4.0 ? 40 : version == 4.1 ? 41 : 0;
    if (!m->text.format)
        return MSH_FAIL(
            m, "the format is %g; 2, 4.0 and 4.1 are read (gmsh FILE -save -format msh41 -o NEW.msh converts it)",
            version);
    if (type != 0 && type != 1)
        return MSH_FAIL(m, "the type of the file is %lld; 0 (text) or 1 (binary) is expected", type);
    if (size != 8 && (size != 4 || m->text.format != 41))
        return MSH_FAIL(m, "the size of a number is %lld bytes; 8 is expected", size);
    m->text.size_bytes = (int)size;
    m->text.binary = m->text.file->binary = type == 1;
    return m->text.binary ? phx_msh_byte_order(m) : PHX_OK;
}

typedef struct section {
    const char *name;
    bool binary; /* numbers of a binary file follow the end of the line */
    phx_status (*read)(phx_msh *m);
} section;

static const section sections[] = {
    {"$MeshFormat", false, read_format},   {"$PhysicalNames", false, phx_msh_names},
    {"$Entities", true, phx_msh_entities}, {"$PartitionedEntities", true, phx_msh_partitioned},
    {"$Nodes", true, read_nodes},          {"$Elements", true, phx_msh_elements},
};

/* Any other section, of which nothing is needed. */
static phx_status skip_section(phx_msh *m, const char *name, size_t length)
{
    for (const char *at = m->text.at; (at = memchr(at, '$', (size_t)(m->text.end - at))); at++)
        if ((size_t)(m->text.end - at) >= length + 3 && !memcmp(at, "$End", 4) &&
            !memcmp(at + 4, name + 1, length - 1)) {
            m->text.at = at + length + 3;
            return PHX_OK;
        }
    const phx_shown shown = phx_shown_part(name, length);
    m->text.at = m->text.end;
    return MSH_FAIL(m, "the file ends inside of %s", shown.text);
}

static const section *section_named(const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (strlen(sections[k].name) == length && !memcmp(sections[k].name, name, length))
            return &sections[k];
    return NULL;
}

static phx_status read_section(phx_msh *m, const char *name, size_t length)
{
    const section *s = section_named(name, length);
    if (m->text.format == 0 && (!s || s->read != read_format))
        return MSH_FAIL(m, "$MeshFormat is expected as the first section; found %s", phx_shown_part(name, length).text);
    m->text.at += length;
    if (!s)
        return skip_section(m, name, length);
    m->text.section = s->name;
    phx_status status = s->binary && m->text.binary && m->text.format >= 40 ? phx_msh_end_line(m) : PHX_OK;
    if (!status)
        status = s->read(m);
    return status ? status : phx_msh_end_section(m);
}

/* Reads all sections of a Gmsh file; nodes and elements are required, unknown sections are skipped. */
static phx_status read_sections(phx_msh *m)
{
    size_t length;
    const char *word;
    phx_status status = PHX_OK;
    bool nodes = false, elements = false;
    while (!status && (word = phx_msh_word(m, &length))) {
        if (*word != '$')
            return MSH_FAIL(m, "a section such as $Nodes is expected; found %s", phx_shown_part(word, length).text);
        const section *s = section_named(word, length);
        nodes = nodes || (s && s->read == read_nodes);
        elements = elements || (s && s->read == phx_msh_elements);
        status = read_section(m, word, length);
    }
    if (!status && (!nodes || !elements))
        return MSH_FAIL(m, "the file ends without a section %s", nodes ? "$Elements" : "$Nodes");
    return status;
}

static void free_entities(phx_msh_entity_list *entities)
{
    phx_free(entities->entity);
    phx_free(entities->tags);
    phx_table_free(&entities->table);
}

static void free_physical(phx_msh_physical *physical)
{
    for (size_t k = 0; k < physical->n_names; k++)
        phx_free(physical->names[k].name);
    phx_free(physical->names);
    phx_free(physical->runs);
    phx_free(physical->points);
}

/* Reads a Gmsh file of format 2 or 4 into the builder. */
phx_status phx_read_msh(phx_builder *builder)
{
    phx_input_file *file = &builder->input->files[0];
    phx_msh m = {.b = builder,
                 .context = builder->context,
                 .text.file = file,
                 .text.size_bytes = 8,
                 .text.section = "$MeshFormat"};
    m.text.at = file->bytes;
    m.text.end = file->bytes + file->size;
    phx_status status = read_sections(&m);
    if (!status)
        status = phx_builder_index(builder);
    if (!status)
        status = phx_msh_groups(&m);
    free_physical(&m.physical);
    free_entities(&m.entities);
    phx_table_free(&m.cell_table);
    return status;
}

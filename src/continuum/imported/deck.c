/* Decks of Abaqus and CalculiX, and meshes of Gmsh: nodes, and the cells for pictures and sets. Of a deck also the
 * rigid bodies of CalculiX: the ROT NODE of *RIGID BODY has rotations where the matrices say translations. */
#include "imported.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const suffixes[] = {"inp", "msh", NULL};

/* A keyword line in capitals and without blanks, with the lines that continue it (those before end with a comma). */
static int join_keyword(import_text *text, char *line, int room)
{
    int n = 0;
    bool more = true;
    while (more) {
        for (const char *c = text->begin; c < text->end && n < room - 1; c++)
            if (!isspace((unsigned char)*c))
                line[n++] = (char)toupper((unsigned char)*c);
        more = n > 0 && line[n - 1] == ',' && import_next_line(text);
    }
    line[n] = '\0';
    return n;
}

/* What stands behind ",NAME=" in a keyword line; empty: nothing. */
static import_word parameter(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    if (!at)
        return (import_word){line, 0};
    at += strlen(name);
    return (import_word){at, (int)strcspn(at, ",")};
}

/* 0: there is none, or a name. */
static int number_of(import_word word)
{
    int value = 0;
    return word.length > 0 && import_integer_of(word, &value) ? value : 0;
}

/* Finds the rigid bodies of a CalculiX deck with a reference and a rotation node. */
static phx_status find_rigid_bodies(phx_import *import, import_text *text)
{
    phx_status status = PHX_OK;
    while (!status && import_next_line(text)) {
        char line[512];
        if (!import_word_begins(import_column(text, 0, 2), "*") || import_word_begins(import_column(text, 0, 2), "**"))
            continue;
        join_keyword(text, line, sizeof line);
        if (strncmp(line, "*RIGIDBODY,", 11) != 0)
            continue;
        const int reference = number_of(parameter(line, ",REFNODE=")),
                  rotation = number_of(parameter(line, ",ROTNODE="));
        const import_word nodes = parameter(line, ",NSET="), cells = parameter(line, ",ELSET=");
        char set[IMPORT_SET_NAME];
        snprintf(set, sizeof set, "%.*s", nodes.length ? nodes.length : cells.length,
                 nodes.length ? nodes.text : cells.text);
        if (reference > 0 && rotation > 0)
            status = import_add_rigid(import, reference, rotation, set);
    }
    return status;
}

/* The mesh with the materials of its deck. These serve for stresses alone: a part of a deck may lack them. */
static phx_status read_mesh(phx_import *import, const char *path)
{
    const double unit = import->def->length;
    phx_status status = phx_mesh_read_deck(import->context, path, unit, &import->mesh, &import->deck);
    if (status != PHX_ERR_INPUT)
        return status;
    snprintf(import->no_materials, sizeof import->no_materials, "%s", phx_context_message(import->context));
    phx_context_clear(import->context);
    return phx_mesh_read(import->context, path, unit, &import->mesh);
}

static phx_status deck_read(phx_import *import, import_text *text)
{
    phx_status status = import_begin_nodes(import, text->path);
    if (!status)
        status = read_mesh(import, text->path);
    for (int i = 0; i < import->mesh.n_nodes && !status; i++)
        status = import_add_node(import, text, import->mesh.label ? import->mesh.label[i] : i + 1,
                                 import->mesh.x + 3 * (size_t)i);
    const char *suffix = strrchr(text->path, '.');
    if (!status && suffix && import_word_is((import_word){suffix, (int)strlen(suffix)}, ".inp"))
        status = find_rigid_bodies(import, text);
    return status;
}

const import_format import_mesh = {"mesh", suffixes, NULL, deck_read};

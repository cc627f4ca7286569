/* Making a body of vectors: checks, elements, bonds, ties, the pattern. */
#include "vectors.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */
static phx_status make_fail(phx_context *context, const phx_vector_def *def, const char *what, int number)
{
    return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': %s %d", def->name, what, number);
}

static int nodes_before(const phx_vector_def *def, int element)
{
    int sum = 0;
    for (int e = 0; e < element; e++)
        sum += phx_vector_nodes(def->element[e]);
    return sum;
}

/* Sizes, and every number that refers to something. */
static phx_status check_numbers(phx_context *context, const phx_vector_def *def)
{
    const bool shell = def->n_directors > 0;
    const int n_cell = nodes_before(def, def->n_elements);

    if (def->n_places < 1 || def->n_elements < 1 || def->n_sections < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': it has %d places, %d elements and %d sections",
                        def->name, def->n_places, def->n_elements, def->n_sections);
    if (!(def->damping >= 0.0 && def->damping < HUGE_VAL))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': damping is %g s, expected 0 or more", def->name,
                        def->damping);
    for (int e = 0; e < def->n_elements; e++) {
        if ((phx_vector_strains(def->element[e]) == PHX_SHELL_STRAINS) != shell)
            return make_fail(context, def, "shells and solids are separate bodies; see element", e + 1);
        if (def->section[e] < 0 || def->section[e] >= def->n_sections)
            return make_fail(context, def, "there is no such section of element", e + 1);
    }
    for (int k = 0; k < n_cell; k++) {
        if (def->cell_place[k] < 0 || def->cell_place[k] >= def->n_places)
            return make_fail(context, def, "an element has no place", def->cell_place[k]);
        if (shell && (def->cell_director[k] < 0 || def->cell_director[k] >= def->n_directors))
            return make_fail(context, def, "an element has no director", def->cell_director[k]);
    }
    for (int d = 0; d < def->n_directors; d++)
        if (def->director_place[d] < 0 || def->director_place[d] >= def->n_places)
            return make_fail(context, def, "there is no place of director", d + 1);
    for (int m = 0; m < def->n_masses; m++)
        if (def->masses[m].place < 0 || def->masses[m].place >= def->n_places)
            return make_fail(context, def, "there is no place of the point mass", m + 1);
    return PHX_OK;
}

/* ---- units and vectors ---- */
/* Marks the vectors of each tie. */
static phx_status mark_ties(phx_context *context, const phx_vector_def *def, phx_vectors *vectors)
{
    for (int k = 0; k < vectors->n; k++)
        vectors->slot[k] = (vector_slot){.tie = -1, .unit = -1, .direction = k >= def->n_places};
    for (int f = 0; f < def->n_ties; f++) {
        const phx_vector_tie *tie = &def->ties[f];
        for (int k = 0; k < tie->n_places + tie->n_directors; k++) {
            const bool place = k < tie->n_places;
            const int number = place ? tie->places[k] : tie->directors[k - tie->n_places];
            if (number < 0 || number >= (place ? def->n_places : def->n_directors))
                return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': the tied set '%s' has no %s %d", def->name,
                                tie->name, place ? "place" : "director", number);
            vector_slot *slot = &vectors->slot[place ? number : def->n_places + number];
            if (slot->tie >= 0)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "body '%s': the sets '%s' and '%s' share a node; tie one set", def->name,
                                def->ties[slot->tie].name, tie->name);
            slot->tie = slot->unit = f;
        }
    }
    return PHX_OK;
}

static void number_unit(vector_slot *slot, int *next)
{
    if (slot->tie < 0 && slot->unit < 0)
        slot->unit = (*next)++;
}

/* Free places, each before its directors; the numbers of the free vectors. */
static int number_units(const phx_vector_def *def, phx_vectors *vectors, int *first_director, int *next_director)
{
    int next = def->n_ties;

    for (int i = 0; i < def->n_places; i++)
        first_director[i] = -1;
    for (int d = def->n_directors - 1; d >= 0; d--) { /* lists of the directors at each place */
        next_director[d] = first_director[def->director_place[d]];
        first_director[def->director_place[d]] = d;
    }
    for (int i = 0; i < def->n_places; i++) {
        number_unit(&vectors->slot[i], &next);
        for (int d = first_director[i]; d >= 0; d = next_director[d])
            number_unit(&vectors->slot[def->n_places + d], &next);
    }
    return next - def->n_ties;
}

/* Where each vector is in x and v; the state at rest, its first frame or place at the origin. */
static void place_vectors(const phx_vector_def *def, phx_vectors *vectors)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double *origin = def->n_ties > 0 ? def->ties[0].origin : def->place;

    for (int f = 0; f < def->n_ties; f++) {
        for (int i = 0; i < 3; i++)
            vectors->rest[vectors->frames[f].x + i] = def->ties[f].origin[i] - origin[i];
        phx_attitude_set(3, identity, 0.0, vectors->rest + vectors->frames[f].x + 3);
    }
    for (int k = 0; k < vectors->n; k++) {
        vector_slot *slot = &vectors->slot[k];
        const double *Z = slot->direction ? def->director + 3 * (k - def->n_places) : def->place + 3 * k;
        const double *from = slot->tie < 0 ? origin : def->ties[slot->tie].origin;
        const int free = slot->unit - def->n_ties;
        slot->x = slot->tie < 0 ? vectors->base.q_x + 3 * free : vectors->frames[slot->tie].x;
        slot->v = slot->tie < 0 ? vectors->base.q_v + 3 * free : vectors->frames[slot->tie].v;
        for (int i = 0; i < 3; i++) {
            slot->local[i] = Z[i] - (slot->direction ? 0.0 : from[i]);
            if (slot->tie < 0)
                vectors->rest[slot->x + i] = slot->local[i];
        }
        if (slot->tie < 0)
            vectors->directions[free] = slot->direction;
    }
}

/* ---- pieces ---- */
static int vectors_in(const phx_vector_def *def, int e)
{
    return phx_vector_nodes(def->element[e]) * (def->n_directors > 0 ? 2 : 1);
}

static int fold_count(const phx_vector_def *def, const int *first_director, const int *next_director)
{
    int count = 0;

    for (int i = 0; i < def->n_places; i++)
        for (int a = first_director[i]; a >= 0; a = next_director[a])
            for (int b = next_director[a]; b >= 0; b = next_director[b])
                count++;
    return count;
}

/* Room for all pieces and their indices: vectors, then places in the pattern. */
static phx_status allocate_pieces(phx_context *context, const phx_vector_def *def, int n_folds, phx_vectors *vectors)
{
    size_t count = 5 * (size_t)def->n_directors + 6 * (size_t)n_folds;

    vectors->n_bonds = def->n_directors + n_folds;
    vectors->n_pieces = def->n_elements + vectors->n_bonds;
    for (int e = 0; e < def->n_elements; e++)
        count += (size_t)vectors_in(def, e) * (size_t)(vectors_in(def, e) + 1);
    vectors->pieces = phx_calloc(context, (size_t)vectors->n_pieces, sizeof *vectors->pieces);
    vectors->bonds = phx_calloc(context, (size_t)vectors->n_bonds, sizeof *vectors->bonds);
    vectors->indices = phx_calloc(context, count, sizeof *vectors->indices);
    return vectors->pieces && vectors->bonds && vectors->indices ? PHX_OK : PHX_ERR_MEMORY;
}

static int *begin_piece(phx_vectors *vectors, int p, int n, int n_strains, int *next)
{
    vectors->pieces[p] =
        (vector_piece){.n = n, .n_strains = n_strains, .vector = next, .at = next + n, .strain = vectors->n_strains};
    vectors->n_strains += n_strains;
    return next + n + n * n;
}

/* The vectors of every piece. */
static void fill_pieces(const phx_vector_def *def, const int *first_director, const int *next_director,
                        phx_vectors *vectors)
{
    int *next = vectors->indices, at = 0, p = 0;

    for (; p < def->n_elements; p++) {
        const int nodes = phx_vector_nodes(def->element[p]), n = vectors_in(def, p);
        next =
            begin_piece(vectors, p, n, phx_vector_points(def->element[p]) * phx_vector_strains(def->element[p]), next);
        for (int k = 0; k < n; k++)
            vectors->pieces[p].vector[k] =
                k < nodes ? def->cell_place[at + k] : def->n_places + def->cell_director[at + k - nodes];
        at += nodes;
    }
    for (int d = 0; d < def->n_directors; d++, p++) {
        next = begin_piece(vectors, p, 1, 1, next);
        vectors->pieces[p].vector[0] = def->n_places + d;
    }
    for (int i = 0; i < def->n_places; i++)
        for (int a = first_director[i]; a >= 0; a = next_director[a])
            for (int b = next_director[a]; b >= 0; b = next_director[b], p++) {
                next = begin_piece(vectors, p, 2, 1, next);
                vectors->pieces[p].vector[0] = def->n_places + a;
                vectors->pieces[p].vector[1] = def->n_places + b;
            }
}

/* Rest of vector k in body axes, from the origin of the first frame or place. */
static const double *rest_of(const phx_vectors *vectors, int k, double *room)
{
    const vector_slot *slot = &vectors->slot[k];

    for (int i = 0; i < 3; i++)
        room[i] = slot->local[i] + (slot->tie >= 0 && !slot->direction ? vectors->rest[slot->x + i] : 0.0);
    return room;
}

/* Tables of the elements. */
static phx_status make_cells(phx_context *context, const phx_vector_def *def, phx_vectors *vectors)
{
    size_t room = 0;

    vectors->cells = phx_calloc(context, (size_t)def->n_elements, sizeof *vectors->cells);
    for (int e = 0; e < def->n_elements; e++) {
        phx_vector_cell_table **table = &vectors->table[def->element[e]];
        if (!*table && (*table = phx_calloc(context, 1, sizeof **table)) != NULL)
            phx_vector_cell_table_fill(def->element[e], *table);
        if (!*table)
            return PHX_ERR_MEMORY;
        room += phx_vector_cell_room(*table);
    }
    vectors->cell_room = phx_calloc(context, room, sizeof *vectors->cell_room);
    if (!vectors->cells || !vectors->cell_room)
        return PHX_ERR_MEMORY;
    double *next = vectors->cell_room, Z[3 * PHX_VECTOR_CELL_VECTORS];
    for (int e = 0; e < def->n_elements; e++) {
        const phx_vector_cell_table *table = vectors->table[def->element[e]];
        int point = 0;
        for (int k = 0; k < table->n_vectors; k++)
            (void)rest_of(vectors, vectors->pieces[e].vector[k], Z + 3 * k);
        const phx_status status =
            phx_vector_cell_fill(context, table, table->shell ? def->axis + 3 * e : NULL,
                                 vectors->def.sections[def->section[e]].stiffness, Z, next, &vectors->cells[e], &point);
        if (status == PHX_ERR_MEMORY)
            return status;
        if (status)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "body '%s': element %d is too distorted at its integration point %d: its area or volume "
                            "is not positive there, or its axis 1 is normal to it",
                            def->name, e + 1, point + 1);
        next += phx_vector_cell_room(table);
    }
    return PHX_OK;
}

/* ---- mass ---- */
typedef struct mass_sums {
    double *own;   /* of each vector, on the diagonal */
    double *share; /* of each director: E h times its area */
    int *row, *col;
    double *val;
    size_t count;
} mass_sums;

static void mass_free(mass_sums *sums)
{
    phx_free(sums->own);
    phx_free(sums->share);
    phx_free(sums->row);
    phx_free(sums->col);
    phx_free(sums->val);
}

static bool piece_is_tied(const phx_vectors *vectors, const vector_piece *piece)
{
    for (int k = 0; k < piece->n; k++)
        if (vectors->slot[piece->vector[k]].tie >= 0)
            return true;
    return false;
}

/* The masses of an element at a tie on its diagonal, in the ratio of the consistent ones there. */
static void lump(int n, double *mass)
{
    double whole = 0.0, trace = 0.0;

    for (int i = 0; i < n * n; i++)
        whole += mass[i];
    for (int i = 0; i < n; i++)
        trace += mass[i * n + i];
    for (int i = 0; i < n * n; i++)
        mass[i] *= i % (n + 1) == 0 ? whole / trace : 0.0;
}

static void add_entry(const phx_vectors *vectors, int k, int l, double value, mass_sums *sums)
{
    const vector_slot *a = &vectors->slot[k], *b = &vectors->slot[l];

    sums->row[sums->count] = a->unit;
    sums->col[sums->count] = b->unit;
    sums->val[sums->count++] = a->tie < 0 && b->tie < 0 ? value : 0.0;
}

/* Masses of an element, and its pairs of units. */
static void add_cell_mass(const phx_vectors *vectors, int e, mass_sums *sums)
{
    const vector_piece *piece = &vectors->pieces[e];
    const phx_vector_section *section = &vectors->def.sections[vectors->def.section[e]];
    const int nodes = vectors->cells[e].table->n_nodes;
    double Z[3 * PHX_VECTOR_CELL_VECTORS], mass[PHX_VECTOR_CELL_VECTORS * PHX_VECTOR_CELL_VECTORS];

    for (int k = 0; k < piece->n; k++)
        (void)rest_of(vectors, piece->vector[k], Z + 3 * k);
    phx_vector_cell_mass(vectors->cells[e].table, Z, mass);
    for (int k = nodes; k < piece->n; k++)
        for (int l = 0; l < nodes; l++)
            sums->share[piece->vector[k] - vectors->def.n_places] +=
                section->director * fabs(mass[(k - nodes) * nodes + l]);
    if (piece_is_tied(vectors, piece))
        lump(nodes, mass);
    for (int k = 0; k < piece->n; k++)
        for (int l = 0; l < piece->n; l++) {
            const bool same = (k < nodes) == (l < nodes);
            const double value =
                same ? (k < nodes ? section->mass : section->inertia) * mass[(k % nodes) * nodes + l % nodes] : 0.0;
            add_entry(vectors, piece->vector[k], piece->vector[l], value, sums);
            if (k == l)
                sums->own[piece->vector[k]] += value;
        }
}

/* The matrix between units: masses of the elements, point masses, and every pair of the pattern. */
static phx_status sum_masses(phx_context *context, const phx_vector_def *def, phx_vectors *vectors, mass_sums *sums)
{
    const int units = def->n_ties + vectors->base.n_q / 3;
    size_t room = (size_t)units + 2 + (size_t)def->n_masses;

    for (int p = 0; p < vectors->n_pieces; p++)
        room += (size_t)(vectors->pieces[p].n * vectors->pieces[p].n);
    sums->own = phx_calloc(context, (size_t)vectors->n, sizeof *sums->own);
    sums->share = phx_calloc(context, (size_t)def->n_directors + 1, sizeof *sums->share);
    sums->row = phx_calloc(context, room, sizeof *sums->row);
    sums->col = phx_calloc(context, room, sizeof *sums->col);
    sums->val = phx_calloc(context, room, sizeof *sums->val);
    if (!sums->own || !sums->share || !sums->row || !sums->col || !sums->val)
        return PHX_ERR_MEMORY;
    for (int u = 0; u < units; u++) /* the diagonal */
        sums->row[sums->count] = sums->col[sums->count] = u, sums->count++;
    for (int side = 0; side < 2 && units > 1 && def->n_ties == 0; side++) { /* a rigid motion takes the first two */
        sums->row[sums->count] = side;
        sums->col[sums->count++] = 1 - side;
    }
    for (int e = 0; e < def->n_elements; e++)
        add_cell_mass(vectors, e, sums);
    for (int p = def->n_elements; p < vectors->n_pieces; p++)
        for (int k = 0; k < vectors->pieces[p].n; k++)
            for (int l = 0; l < vectors->pieces[p].n; l++)
                add_entry(vectors, vectors->pieces[p].vector[k], vectors->pieces[p].vector[l], 0.0, sums);
    for (int m = 0; m < def->n_masses; m++)
        add_entry(vectors, def->masses[m].place, def->masses[m].place, def->masses[m].mass, sums);
    for (int m = 0; m < def->n_masses; m++)
        sums->own[def->masses[m].place] += def->masses[m].mass;
    return phx_csr_from_triplets(context, units, units, sums->count, sums->row, sums->col, sums->val, &vectors->mass);
}

/* The mass matrix, what gravity acts on, and that every vector has a mass. */
static phx_status make_mass(phx_context *context, const phx_vector_def *def, phx_vectors *vectors, mass_sums *sums)
{
    phx_status status = sum_masses(context, def, vectors, sums);

    if (status)
        return status;
    vectors->load = phx_calloc(context, (size_t)vectors->mass.rows, sizeof *vectors->load);
    if (!vectors->load)
        return PHX_ERR_MEMORY;
    for (int u = def->n_ties; u < vectors->mass.rows; u++)
        for (int e = vectors->mass.ptr[u]; e < vectors->mass.ptr[u + 1]; e++)
            vectors->load[u] += vectors->directions[u - def->n_ties] ? 0.0 : vectors->mass.val[e];
    for (int k = 0; k < vectors->n; k++)
        if (!(sums->own[k] > 0.0))
            return make_fail(context, def,
                             k < def->n_places ? "there is no mass, of an element or a point, at place"
                                               : "there is no element, or no inertia, of director",
                             k < def->n_places ? k + 1 : k - def->n_places + 1);
    return PHX_OK;
}

/* The rigid body of tie f: its places about their centre of mass, its directors, the inertia of point masses. */
static phx_status make_tie(phx_context *context, const phx_vector_def *def, int f, const double *own,
                           phx_vectors *vectors)
{
    phx_rigid_def rigid = {.mass = 0.0};
    phx_body_def body = phx_body_def_default();

    for (int k = 0; k < def->n_places; k++)
        for (int i = 0; i < 3 && vectors->slot[k].tie == f; i++) {
            rigid.mass += i == 0 ? own[k] : 0.0;
            rigid.centre[i] += own[k] * vectors->slot[k].local[i];
        }
    for (int i = 0; i < 3; i++)
        rigid.centre[i] /= rigid.mass;
    for (int k = 0; k < vectors->n; k++) {
        const vector_slot *slot = &vectors->slot[k];
        double X[3], square = 0.0;
        for (int i = 0; i < 3; i++) {
            X[i] = slot->local[i] - (slot->direction ? 0.0 : rigid.centre[i]);
            square += X[i] * X[i];
        }
        for (int i = 0; i < 9 && slot->tie == f; i++)
            rigid.inertia[i] += own[k] * ((i % 4 == 0 ? square : 0.0) - X[i / 3] * X[i % 3]);
    }
    for (int m = 0; m < def->n_masses; m++)
        for (int i = 0; i < 9 && vectors->slot[def->masses[m].place].tie == f; i++)
            rigid.inertia[i] += def->masses[m].inertia[i];
    body.name = def->name;
    body.dim = 3;
    body.rigid = &rigid;
    const phx_status status = phx_body_create(context, &body, &vectors->base.nodes[f]);
    return status ? phx_fail_prefix(context, status, "tied set '%s': ", def->ties[f].name) : status;
}

/* Lengths of directors and angles of folds. */
static void fill_bonds(const phx_vector_def *def, const double *share, phx_vectors *vectors)
{
    for (int b = 0; b < vectors->n_bonds; b++) {
        const vector_piece *piece = &vectors->pieces[def->n_elements + b];
        const int first = piece->vector[0] - def->n_places, last = piece->vector[piece->n - 1] - def->n_places;
        const double factor = piece->n == 1 ? 0.5 : 1.0;
        vectors->bonds[b] =
            (vector_bond){.n = piece->n,
                          .stiffness = 0.5 * (share[first] + share[last]),
                          .factor = factor,
                          .rest = factor * phx_dot(3, def->director + 3 * first, def->director + 3 * last)};
    }
}

/* ---- the pattern ---- */
static int unit_columns(const phx_vectors *vectors, int u)
{
    return u < vectors->base.n_frames ? 6 : 3;
}

static int unit_first(const phx_vectors *vectors, int u)
{
    const int frames = vectors->base.n_frames;
    return u < frames ? 6 * u : 6 * frames + 3 * (u - frames);
}

/* Rows of velocities from the pairs of units, and where each pair of a piece begins in them. */
static phx_status make_pattern(phx_context *context, phx_vectors *vectors)
{
    const phx_csr *graph = &vectors->mass;
    phx_body *body = &vectors->base;
    size_t count = 0;

    for (int u = 0; u < graph->rows; u++)
        for (int e = graph->ptr[u]; e < graph->ptr[u + 1]; e++)
            count += (size_t)(unit_columns(vectors, u) * unit_columns(vectors, graph->idx[e]));
    body->ptr = phx_calloc(context, (size_t)body->n_v + 1, sizeof *body->ptr);
    body->idx = phx_calloc(context, count, sizeof *body->idx);
    int *offset = phx_calloc(context, (size_t)graph->ptr[graph->rows], sizeof *offset), at = 0;
    if (!body->ptr || !body->idx || !offset) {
        phx_free(offset);
        return PHX_ERR_MEMORY;
    }
    for (int u = 0; u < graph->rows; u++)
        for (int i = 0; i < unit_columns(vectors, u); i++) {
            const int row = unit_first(vectors, u) + i;
            body->ptr[row] = at;
            for (int e = graph->ptr[u]; e < graph->ptr[u + 1]; e++) {
                offset[e] = at - body->ptr[row];
                for (int j = 0; j < unit_columns(vectors, graph->idx[e]); j++)
                    body->idx[at++] = unit_first(vectors, graph->idx[e]) + j;
            }
        }
    body->ptr[body->n_v] = at;
    for (int p = 0; p < vectors->n_pieces; p++) {
        vector_piece *piece = &vectors->pieces[p];
        for (int k = 0; k < piece->n; k++)
            for (int l = 0; l < piece->n; l++)
                piece->at[piece->n * k + l] = offset[phx_csr_find(graph, vectors->slot[piece->vector[k]].unit,
                                                                  vectors->slot[piece->vector[l]].unit)];
    }
    phx_free(offset);
    return PHX_OK;
}

/* ---- making ---- */
/* Vectors, pieces and the layout; lists: room for the directors at each place. */
static phx_status make_layout(phx_context *context, const phx_vector_def *def, int *first_director, int *next_director,
                              phx_vectors *vectors)
{
    phx_status status = mark_ties(context, def, vectors);

    if (status)
        return status;
    const int free = number_units(def, vectors, first_director, next_director);
    status = phx_body_lay_out(context, &phx_vector_ops, def->name, 3, def->n_ties, vectors->frames, 3 * free,
                              &vectors->base);
    vectors->directions = phx_calloc(context, (size_t)free + 1, sizeof *vectors->directions);
    vectors->rest = phx_calloc(context, (size_t)vectors->base.n_x, sizeof *vectors->rest);
    if (!status && (!vectors->directions || !vectors->rest))
        status = PHX_ERR_MEMORY;
    if (status)
        return status;
    vectors->base.directions = vectors->directions;
    place_vectors(def, vectors);
    status = allocate_pieces(context, def, fold_count(def, first_director, next_director), vectors);
    if (!status)
        fill_pieces(def, first_director, next_director, vectors);
    return status;
}

/* Layout, elements, masses, ties, bonds and the pattern, in this order. */
static phx_status make_all(phx_context *context, const phx_vector_def *def, phx_vectors *vectors)
{
    int *lists = phx_calloc(context, (size_t)(def->n_places + def->n_directors), sizeof *lists);
    static const int corners[][3] = {{0, 2, 6}, {0, 1, 2}, {0, 1, 2}, {0, 2, 6}};
    mass_sums sums = {0};

    vectors->n = def->n_places + def->n_directors;
    vectors->slot = phx_calloc(context, (size_t)vectors->n, sizeof *vectors->slot);
    vectors->frames = phx_calloc(context, (size_t)def->n_ties + 1, sizeof *vectors->frames);
    vectors->base.nodes = phx_calloc(context, (size_t)def->n_ties + 1, sizeof(phx_body *));
    phx_status status = lists && vectors->slot && vectors->frames && vectors->base.nodes ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = make_layout(context, def, lists, lists + def->n_places, vectors);
    if (!status)
        status = make_cells(context, def, vectors);
    for (int k = 0; k < 3 && !status; k++)
        vectors->reference[k] = def->cell_place[corners[def->element[0]][k]];
    if (!status)
        status = make_mass(context, def, vectors, &sums);
    for (int f = 0; f < def->n_ties && !status; f++)
        status = make_tie(context, def, f, sums.own, vectors);
    if (!status) {
        fill_bonds(def, sums.share, vectors);
        status = make_pattern(context, vectors);
    }
    phx_free(lists);
    mass_free(&sums);
    return status;
}

/* A body of vectors from its definition, which is checked and copied. */
phx_status phx_vector_body_create(phx_context *context, const phx_vector_def *def, phx_body **body)
{
    if (!def || !body || !def->name)
        return phx_fail_null(context, __func__, "def, its name or body");
    *body = NULL;
    phx_status status = check_numbers(context, def);
    if (status)
        return status;
    phx_vectors *vectors = phx_calloc(context, 1, sizeof *vectors);
    if (!vectors)
        return PHX_ERR_MEMORY;
    vectors->base.ops = &phx_vector_ops;
    status = phx_vectors_copy_def(context, def, &vectors->def);
    if (!status)
        status = make_all(context, def, vectors);
    if (status) {
        phx_body_destroy(&vectors->base);
        return status;
    }
    vectors->base.lossless = def->damping == 0.0;
    vectors->base.n_stress = vectors->n_strains - vectors->n_bonds;
    vectors->base.n_free_stress = vectors->n_strains;
    phx_body_sum_rest(&vectors->base, vectors->rest);
    *body = &vectors->base;
    return phx_conclude(context, PHX_OK);
}

int phx_vector_stress_at(const phx_body *body, int element, int point, int component)
{
    const phx_vectors *vectors = body->ops == &phx_vector_ops ? phx_vectors_of(body) : NULL;

    if (!vectors || element < 0 || element >= vectors->def.n_elements || point < 0 ||
        point >= phx_vector_points(vectors->def.element[element]) || component < 0 ||
        component >= phx_vector_strains(vectors->def.element[element]))
        return -1;
    return vectors->pieces[element].strain + point * phx_vector_strains(vectors->def.element[element]) + component;
}

/* Models that use every key, mutilated one place at a time: each required key removed, each key misspelt, each value
 * replaced by what it must not be. The schema decides what must be refused; whatever is refused has a place and a
 * reason, and nothing crashes. */
#include "model/reader.h"
#include "arm.h"

/* ---- writing a tree with one change ---- */
typedef enum change_kind { REMOVE, MISSPELL, REPLACE } change_kind;

/* Of item `item` of the map or list `parent`. */
typedef struct change {
    const phx_node *parent;
    int item;
    change_kind kind;
    const char *text;
} change;

static void write_scalar(phx_text *out, const phx_node *node)
{
    if (node->plain) {
        phx_text_add(out, "%s", node->text);
        return;
    }
    phx_text_add(out, "'");
    for (const char *c = node->text; *c; c++)
        phx_text_add(out, *c == '\'' ? "''" : "%c", *c);
    phx_text_add(out, "'");
}

/* "lenght" for "length"; one letter is doubled. */
static void write_misspelt(phx_text *out, const char *key)
{
    size_t n = strlen(key);
    if (n > 2)
        phx_text_add(out, "%.*s%c%c", (int)n - 2, key, key[n - 1], key[n - 2] == key[n - 1] ? '_' : key[n - 2]);
    else
        phx_text_add(out, "%s%c", key, key[n - 1]);
}

static void write_node(phx_text *out, const phx_node *node, const change *c)
{
    if (node->kind == PHX_NODE_SCALAR) {
        write_scalar(out, node);
        return;
    }
    bool map = node->kind == PHX_NODE_MAP;
    phx_text_add(out, map ? "{" : "[");
    for (int i = 0; i < node->count; i++) {
        bool here = c->parent == node && c->item == i;
        if (here && c->kind == REMOVE)
            continue;
        phx_text_add(out, "\n");
        if (map) {
            if (here && c->kind == MISSPELL)
                write_misspelt(out, node->items[2 * i]->text);
            else
                write_scalar(out, node->items[2 * i]);
            phx_text_add(out, ": ");
        }
        if (here && c->kind == REPLACE)
            phx_text_add(out, "%s", c->text);
        else
            write_node(out, node->items[map ? 2 * i + 1 : i], c);
        phx_text_add(out, ",");
    }
    phx_text_add(out, map ? "}" : "]");
}

/* ---- what must be refused ---- */
typedef struct replacement {
    const char *text;
    phx_node_kind kind;
    bool null, word; /* nothing; no number */
    double value;
} replacement;

static const replacement replacements[] = {
    {"[]", PHX_NODE_LIST, false, false, 0.0},     {"[1, 2, 3, 4, 5, 6, 7]", PHX_NODE_LIST, false, false, 0.0},
    {"{}", PHX_NODE_MAP, false, false, 0.0},      {"{zzz: 1}", PHX_NODE_MAP, false, false, 0.0},
    {"~", PHX_NODE_SCALAR, true, true, 0.0},      {".nan", PHX_NODE_SCALAR, false, true, NAN},
    {"-.inf", PHX_NODE_SCALAR, false, true, NAN}, {"1e999", PHX_NODE_SCALAR, false, true, NAN},
    {"1/0", PHX_NODE_SCALAR, false, true, NAN},   {"zzz", PHX_NODE_SCALAR, false, true, 0.0},
    {"'a b'", PHX_NODE_SCALAR, false, true, 0.0}, {"true_", PHX_NODE_SCALAR, false, true, 0.0},
    {"-1", PHX_NODE_SCALAR, false, false, -1.0},  {"0", PHX_NODE_SCALAR, false, false, 0.0},
    {"2.5", PHX_NODE_SCALAR, false, false, 2.5},  {"1e9", PHX_NODE_SCALAR, false, false, 1e9},
};
enum { N_REPLACEMENTS = sizeof replacements / sizeof replacements[0] };

static bool outside(const phx_range *range, double value)
{
    if (!range)
        return false;
    if (range->only[0] || range->only[1])
        return value != range->only[0] && value != range->only[1];
    return (range->integer && value != floor(value)) || value > range->high ||
           (range->above_low ? value <= range->low : value < range->low);
}

static bool is_one_of(const phx_type *type, const phx_type *const *types)
{
    for (; *types; types++)
        if (type == *types)
            return true;
    return false;
}

static bool is_number(const phx_reader *reader, const phx_type *type)
{
    static const phx_type *const always[] = {&phx_type_number,
                                             &phx_type_optional,
                                             &phx_type_integer,
                                             &phx_type_version,
                                             &phx_type_start_angle,
                                             &phx_type_angle,
                                             &phx_type_start_position,
                                             &phx_type_coordinate_rate,
                                             &phx_type_coordinate_number,
                                             NULL};
    static const phx_type *const in_plane[] = {&phx_type_turn, &phx_type_inertia, &phx_type_pairs, &phx_type_rotation,
                                               NULL};
    return is_one_of(type, always) || !strcmp(type->name, "number or list") ||
           (reader->model->dimension == 2 && is_one_of(type, in_plane));
}

/* Files, names of channels: any texts. */
static bool is_texts(const phx_type *type)
{
    return !strcmp(type->name, "file or list of files") || type == &phx_type_channels;
}

/* Must the reader refuse this value of a key? What it need not refuse for itself may still clash with the rest. */
static bool must_refuse(const phx_reader *reader, const phx_key *key, const replacement *r)
{
    static const phx_type *const signals[] = {&phx_type_signal, &phx_type_torque, &phx_type_coordinate_signal, NULL};
    static const phx_type *const texts[] = {&phx_type_title, &phx_type_path, &phx_type_column, NULL};
    static const phx_type *const objects[] = {&phx_type_object, &phx_type_given, &phx_type_ground, &phx_type_rotation,
                                              NULL};
    static const phx_type *const maps[] = {&phx_type_map, &phx_type_ports, &phx_type_parameters, NULL};
    const phx_type *type = key->type;
    bool scalar = r->kind == PHX_NODE_SCALAR;
    if (is_number(reader, type))
        return !scalar || r->word || outside(key->range, r->value);
    if (is_one_of(type, signals))
        return !scalar || r->word;
    if (type == &phx_type_coordinate_object)
        return r->kind != PHX_NODE_MAP || !strcmp(r->text, "{zzz: 1}");
    if (type == &phx_type_stroke_function || type == &phx_type_rate_function)
        return !scalar || r->word || r->null;
    if (is_one_of(type, texts))
        return !scalar || r->null;
    if (type == &phx_type_profile) /* evaluated on the surface, not when it is read */
        return !scalar || (r->word && strcmp(r->text, "1/0") != 0);
    if (type == &phx_type_expressions) /* evaluated at places */
        return !scalar || r->null || (r->word && strcmp(r->text, "1/0") != 0);
    if (type == &phx_type_channel || type == &phx_type_effort)
        return !scalar || r->null;
    if (type == &phx_type_efforts)
        return r->kind != PHX_NODE_MAP || !strcmp(r->text, "{}");
    if (type == &phx_type_signals || type == &phx_type_array)
        return r->kind == PHX_NODE_MAP || r->word || r->null || !strcmp(r->text, "[]");
    if (is_texts(type))
        return r->kind == PHX_NODE_MAP || r->null || !strcmp(r->text, "[]");
    if (is_one_of(type, objects))
        return r->kind != PHX_NODE_MAP || !strcmp(r->text, "{zzz: 1}");
    if (is_one_of(type, maps))
        return r->null || !strcmp(r->text, "{}") ? key->required
                                                 : r->kind != PHX_NODE_MAP || type != &phx_type_parameters;
    if (type == &phx_type_some)
        return !r->null && strcmp(r->text, "[]") != 0;
    if (type == &phx_type_list)
        return !r->null && strcmp(r->text, "[]") != 0;
    if (type == &phx_type_numbers)
        return r->kind != PHX_NODE_LIST || !strcmp(r->text, "[]");
    return true; /* vectors, words, references: none of these is one */
}

/* ---- the attempts ---- */
typedef struct tester {
    phx_context *context;
    phx_reader reader; /* only its model's dimension is used */
    const phx_node *root;
    const char *name;
    int replaced, tried, refused, wrong;
} tester;

static void try_change(tester *t, const change *c, bool must_fail, const char *what)
{
    phx_text text = {.context = t->context};
    phx_model *model = NULL;
    /* Every third value, which are others at every key: a number of values that 3 does not divide. */
    if (c->kind == REPLACE && t->replaced++ % TEST_SHORTER(3, 11) != 0)
        return;
    write_node(&text, t->root, c);
    assert_false(text.failed);
    phx_status status = phx_model_read_text(t->context, t->name, text.text, text.length, 0, NULL, &model);
    const char *message = status ? phx_context_message(t->context) : "it was read";
    int line = 0, column = 0;
    size_t n = strlen(t->name);
    bool placed = !strncmp(message, t->name, n) && sscanf(message + n, ":%d:%d: ", &line, &column) == 2 && line >= 1 &&
                  column >= 1;
    bool good = status == PHX_OK ? !must_fail : status == PHX_ERR_INPUT && placed;
    if (!good) {
        print_error("%s -> %d %s\n", what, status, message);
        t->wrong++;
    }
    t->tried++;
    t->refused += status != PHX_OK;
    phx_model_destroy(model);
    phx_free(text.text);
}

/* Values inside a list or map that no key names: each leaf becomes what is never valid there. */
static void try_leaves(tester *t, const phx_node *node, const char *what, bool null_allowed)
{
    static const char *const never[] = {".nan", "{}", "zzz zzz", "~"};
    char text[300];
    bool map = node->kind == PHX_NODE_MAP;
    for (int i = 0; node->kind != PHX_NODE_SCALAR && !map && i < node->count; i++) {
        for (int k = 0; k < 4; k++) {
            snprintf(text, sizeof text, "%s[%d] = %s", what, i + 1, never[k]);
            try_change(t, &(change){node, i, REPLACE, never[k]}, !(k == 3 && null_allowed), text);
        }
        try_leaves(t, node->items[i], what, null_allowed);
    }
}

static void try_object(tester *t, const phx_object *object, const phx_node *node, const char *what);

static void try_items(tester *t, const phx_object *object, const phx_node *node, const char *what)
{
    char text[300];
    bool map = node->kind == PHX_NODE_MAP;
    for (int i = 0; i < node->count; i++) {
        snprintf(text, sizeof text, "%.150s.%.100s", what, map ? node->items[2 * i]->text : "");
        try_change(t, &(change){node, i, REMOVE, NULL}, false, text); /* something else may need it */
        if (map)
            try_change(t, &(change){node, i, MISSPELL, NULL}, false, text);
        for (int k = 0; k < N_REPLACEMENTS; k++)
            try_change(t, &(change){node, i, REPLACE, replacements[k].text},
                       replacements[k].kind != PHX_NODE_MAP || !strcmp(replacements[k].text, "{zzz: 1}"), text);
        if (object)
            try_object(t, object, node->items[map ? 2 * i + 1 : i], text);
    }
}

/* The lines below the value of a key. */
static void try_below(tester *t, const phx_key *key, const phx_node *value, const char *what)
{
    static const phx_type *const signals[] = {&phx_type_signal, &phx_type_torque, &phx_type_coordinate_signal, NULL};
    static const phx_type *const collections[] = {&phx_type_map, &phx_type_ports, &phx_type_list, NULL};
    static const phx_type *const coordinates[] = {&phx_type_start_angle,
                                                  &phx_type_start_position,
                                                  &phx_type_coordinate_rate,
                                                  &phx_type_coordinate_number,
                                                  &phx_type_coordinate_signal,
                                                  &phx_type_coordinate_object,
                                                  NULL};
    const phx_type *type = key->type;
    if (is_one_of(type, collections) || (type == &phx_type_some && value->kind == PHX_NODE_LIST))
        try_items(t, key->object, value, what);
    else if (value->kind == PHX_NODE_MAP && is_one_of(type, signals))
        try_object(t, &phx_schema_table, value, what);
    else if (value->kind == PHX_NODE_MAP && type == &phx_type_rotation && t->reader.model->dimension == 2)
        try_object(t, &phx_schema_plane_rotation, value, what);
    else if (value->kind == PHX_NODE_MAP && key->object)
        try_object(t, key->object, value, what);
    else if (value->kind == PHX_NODE_LIST && !is_texts(type))
        try_leaves(t, value, what, is_one_of(type, coordinates));
}

static int kind_of(const phx_object *object, const phx_node *node)
{
    const phx_node *named = phx_node_find(node, "kind");
    for (int k = 0; object->kind_rule != PHX_KIND_NONE && phx_word_at(object->kinds, k).word; k++)
        if (object->kind_rule == PHX_KIND_KEY ? named && !strcmp(named->text, phx_word_at(object->kinds, k).word)
                                              : phx_node_find(node, phx_word_at(object->kinds, k).word) != NULL)
            return k;
    return -1;
}

static void try_object(tester *t, const phx_object *object, const phx_node *node, const char *what)
{
    if (node->kind != PHX_NODE_MAP)
        return;
    int kind = kind_of(object, node);
    for (int i = 0; i < node->count; i++) {
        char text[300];
        const char *name = node->items[2 * i]->text;
        const phx_key *key = phx_object_key(object, name, kind, phx_reader_dims(&t->reader));
        if (!key)
            fail_msg("%s.%s is not in the schema", what, name);
        snprintf(text, sizeof text, "%.150s.%.100s removed", what, name);
        try_change(t, &(change){node, i, REMOVE, NULL}, key->required, text);
        snprintf(text, sizeof text, "%.150s.%.100s misspelt", what, name);
        try_change(t, &(change){node, i, MISSPELL, NULL}, true, text);
        for (int k = 0; k < N_REPLACEMENTS; k++) {
            snprintf(text, sizeof text, "%.150s.%.100s = %s", what, name, replacements[k].text);
            try_change(t, &(change){node, i, REPLACE, replacements[k].text},
                       must_refuse(&t->reader, key, &replacements[k]), text);
        }
        snprintf(text, sizeof text, "%.150s.%.100s", what, name);
        try_below(t, key, node->items[2 * i + 1], text);
    }
}

static void mutilate(phx_context *context, const char *file, int dimension)
{
    phx_model plain = {.dimension = dimension};
    phx_arena arena = {NULL};
    char path[1200];
    const bool elastic = strstr(file, "elastic") != NULL; /* its file is in the working directory, tables lie beside */
    snprintf(path, sizeof path, "%s/%s", elastic ? "." : PHX_SOURCE_DIR, elastic ? "elastic.yaml" : file);
    tester t = {.context = context, .reader = {.context = context, .model = &plain}, .name = path};
    char *text = load_text(context, file);
    CHECK_OK(context, phx_yaml_parse(context, &arena, &arena, path, text, strlen(text), &t.root));
    try_change(&t, &(change){NULL, 0, REMOVE, NULL}, false, "unchanged");
    assert_int_equal(t.refused, 0); /* the writer keeps the model as it is */
    try_object(&t, &phx_schema_model, t.root, "");
    print_message("%s: %d changes, %d refused\n", file, t.tried, t.refused);
    assert_int_equal(t.wrong, 0);
    assert_true(t.tried > 500 && 4 * t.refused > 3 * t.tried);
    phx_free(text);
    phx_arena_free(&arena);
}

static void plane_is_mutilated(void **state)
{
    mutilate(*state, "tests/model/data/plane.yaml", 2);
}

static void space_is_mutilated(void **state)
{
    mutilate(*state, "tests/model/data/space.yaml", 3);
}

/* Bodies on meshes; the file of the reduced one is made here. */
static int make_arm(void **state)
{
    const int failed = context_setup(state);
    if (!failed)
        write_reduced_arm(*state);
    return failed;
}

static int remove_arm(void **state)
{
    remove("arm.h5");
    return context_teardown(state);
}

static void elastic_is_mutilated(void **state)
{
    mutilate(*state, "tests/model/data/elastic.yaml", 3);
}

static void shapes_are_mutilated(void **state)
{
    mutilate(*state, "tests/model/data/shapes.yaml", 3);
}

/* ---- do the models really use every key? ---- */
typedef struct usage {
    const phx_key *keys[1200];
    int count;
} usage;

/* Maps of values by names that are not in the schema. */
static bool has_free_names(const phx_type *type)
{
    static const phx_type *const types[] = {&phx_type_parameters,
                                            &phx_type_efforts,
                                            &phx_type_fmu_inputs,
                                            &phx_type_fmu_outputs,
                                            &phx_type_fmu_starts,
                                            &phx_type_motions,
                                            NULL};
    return is_one_of(type, types);
}

static void note_object(usage *u, const phx_object *object, const phx_node *node, unsigned dims)
{
    int kind = kind_of(object, node);
    for (int i = 0; node->kind == PHX_NODE_MAP && i < node->count; i++) {
        const phx_node *value = node->items[2 * i + 1];
        const phx_key *key = phx_object_key(object, node->items[2 * i]->text, kind, dims);
        assert_non_null(key);
        assert_true(u->count < 1200);
        u->keys[u->count++] = key;
        bool many = key->type == &phx_type_map || key->type == &phx_type_ports || key->type == &phx_type_list ||
                    (key->type == &phx_type_some && value->kind == PHX_NODE_LIST);
        const phx_object *below = key->type == &phx_type_rotation && dims == PHX_PLANE ? &phx_schema_plane_rotation
                                  : key->object                                        ? key->object
                                                                                       : &phx_schema_table;
        for (int k = 0; many && k < value->count; k++)
            note_object(u, below, value->items[value->kind == PHX_NODE_MAP ? 2 * k + 1 : k], dims);
        if (!many && value->kind == PHX_NODE_MAP && !has_free_names(key->type))
            note_object(u, below, value, dims);
    }
}

static void check_used(const usage *u, const phx_object *object, int depth)
{
    const phx_key *key;
    for (phx_key_walk walk = {.object = object}; (key = phx_next_key(&walk));) {
        bool used = false;
        for (int i = 0; i < u->count; i++)
            used = used || u->keys[i] == key;
        /* `from` of the start state excludes `deformation`, which is used */
        if (!used && strcmp(key->name, "from") != 0)
            fail_msg("no model uses the key '%s' of a %s", key->name, object->title);
        if (key->object && depth < 8)
            check_used(u, key->object, depth + 1);
    }
}

static void every_key_is_used(void **state)
{
    static const struct {
        const char *file;
        unsigned dims;
    } models[] = {{"tests/model/data/plane.yaml", PHX_PLANE},
                  {"tests/model/data/space.yaml", PHX_SPACE},
                  {"tests/model/data/elastic.yaml", PHX_SPACE},
                  {"tests/model/data/shapes.yaml", PHX_SPACE}};
    usage *u = calloc(1, sizeof *u);
    phx_arena arena = {NULL};
    assert_non_null(u);
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        const phx_node *root = NULL;
        char *text = load_text(*state, models[k].file);
        CHECK_OK(*state, phx_yaml_parse(*state, &arena, &arena, "x", text, strlen(text), &root));
        phx_free(text);
        note_object(u, &phx_schema_model, root, models[k].dims);
    }
    check_used(u, &phx_schema_model, 0);
    check_used(u, &phx_schema_plane_rotation, 0);
    check_used(u, &phx_schema_table, 0);
    free(u);
    phx_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_key_is_used, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(plane_is_mutilated, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(space_is_mutilated, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(elastic_is_mutilated, make_arm, remove_arm),
        cmocka_unit_test_setup_teardown(shapes_are_mutilated, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_mutilate", tests, NULL, NULL);
}

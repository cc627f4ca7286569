/* The kinds of joint in model files are those of phx_joint_kind_info, with their keys: the reader, its messages, the
 * JSON Schema and the key tables know each of them in each dimension, and no other. */
#include "support.h"
#include "joint/joint.h"

enum { TEXT = 4000, KEYS = 1000 };

static const phx_joint_info *info_of(int kind)
{
    return phx_joint_kind_info((phx_joint_kind)kind);
}

static bool exists(const phx_joint_info *info, int dim)
{
    return dim == 2 ? info->plane : info->space;
}

/* The key that gives the axis of a kind, "" when it has none in this dimension. */
static const char *axis_key(const phx_joint_info *info, int dim)
{
    static const char *const of_space[] = {[PHX_AXIS_NONE] = "",
                                           [PHX_AXIS_LINE] = ", axis: [1, 2, 2]",
                                           [PHX_AXIS_ROTATION] = ", axis: [1, 2, 2]",
                                           [PHX_AXIS_NORMAL] = ", normal: [1, 2, 2]",
                                           [PHX_AXIS_PAIR] = ", axes: [[1, 0, 0], [0, 1, 0]]"};
    return dim == 3 ? of_space[info->axis] : info->axis == PHX_AXIS_LINE ? ", axis: [3, 4]" : "";
}

/* A body on a joint of a kind to the ground, or to a beam that it slides along, with further keys. */
static void write_model(char *text, const char *kind, int dim, const char *keys)
{
    const phx_joint_kind known = phx_joint_kind_from_name(kind);
    const bool slides = known < PHX_JOINT_KINDS && info_of(known)->slides;

    snprintf(text, TEXT,
             "phlexor: 1\ndimension: %d\nmaterials: {m: {density: 1000, young: 1e9, poisson: 0.3}}\n"
             "bodies:\n  a: {kind: rigid, mass: 1, inertia: %s}\n%s"
             "joints: {j: {kind: %s, ports: [%s, a.P]%s}}\n",
             dim, dim == 2 ? "1" : "[1, 1, 1]",
             !slides
                 ? ""
                 : "  b: {kind: beam, material: m, length: 2, elements: 2, reference: free, section: {kind: circle, "
                   "diameter: 0.1}}\n",
             kind, slides ? "b.P" : "ground.O", keys);
}

/* ", KEY: [0.1, 0.2, ...]" for so many coordinates */
static void add_list(char *keys, const char *key, int count)
{
    size_t n = strlen(keys);
    n += (size_t)snprintf(keys + n, KEYS - n, ", %s: [", key);
    for (int c = 0; c < count; c++)
        n += (size_t)snprintf(keys + n, KEYS - n, "%s0.%d", c ? ", " : "", c + 1);
    snprintf(keys + n, KEYS - n, "]");
}

static void kinds_are_read_and_built(void **state)
{
    phx_context *context = *state;
    for (int kind = 0; kind < PHX_JOINT_KINDS; kind++)
        for (int dim = 2; dim <= 3; dim++) {
            char text[TEXT], keys[KEYS];
            const phx_joint_info *info = info_of(kind);
            const int n = info->n_coordinates[dim - 2];
            int turns = 0;
            if (!exists(info, dim))
                continue;
            for (int c = 0; c < n; c++)
                turns += phx_joint_kind_coordinates(info, dim)[c].angular;
            snprintf(keys, KEYS, "%s%s", axis_key(info, dim),
                     !info->relative ? ""
                     : dim == 2      ? ", angle: 0.5"
                                     : ", rotation: {axis: [1, 0, 0], angle: 0.5}");
            if (n) {
                add_list(keys, "rate", n);
                add_list(keys, "stiffness", n);
            }
            if (turns)
                add_list(keys, "angle", turns);
            if (n > turns)
                add_list(keys, "position", n - turns);
            write_model(text, info->name, dim, keys);
            phx_model *model = read_text(context, text);
            phx_system *system = NULL;
            assert_int_equal(model->joints[0].kind, kind);
            assert_int_equal(model->joints[0].n_coordinates, n);
            for (int c = 0, count[2] = {0, 0}; c < n; c++) {
                const phx_model_coordinate *coordinate = &model->joints[0].coordinates[c];
                assert_int_equal(coordinate->angular, phx_joint_kind_coordinates(info, dim)[c].angular);
                CHECK_NEAR(coordinate->start.value, 0.1 * ++count[coordinate->angular], 1e-15);
                CHECK_NEAR(coordinate->rate.value, 0.1 * (c + 1), 1e-15);
            }
            assert_int_equal(model->joints[0].relative.given, info->relative);
            CHECK_OK(context, phx_model_build(context, model, NULL, &system));
            phx_system_destroy(system);
            phx_model_destroy(model);
        }
}

static void refuse(phx_context *context, const char *kind, int dim, const char *keys, const char *why)
{
    char text[TEXT];
    phx_model *model = NULL;
    write_model(text, kind, dim, keys);
    assert_int_equal(phx_model_read_text(context, "joint.yaml", text, strlen(text), 0, NULL, &model), PHX_ERR_INPUT);
    if (!strstr(phx_context_message(context), why))
        fail_msg("%s in dimension %d: message '%s' lacks '%s'", kind, dim, phx_context_message(context), why);
}

/* Keys that a kind does not have are refused, and so are kinds that the dimension does not have. */
static void keys_follow_the_kind(void **state)
{
    phx_context *context = *state;
    for (int kind = 0; kind < PHX_JOINT_KINDS; kind++)
        for (int dim = 2; dim <= 3; dim++) {
            const phx_joint_info *info = info_of(kind);
            const char *axis = axis_key(info, dim);
            char missing[40];
            if (!exists(info, dim)) {
                refuse(context, info->name, dim, "", info->name);
                continue;
            }
            snprintf(missing, sizeof missing, "key '%.*s'", (int)strcspn(axis, ":") - (*axis ? 2 : 0),
                     *axis ? axis + 2 : "");
            if (*axis)
                refuse(context, info->name, dim, "", missing);
            if (!strstr(axis, "axis:"))
                refuse(context, info->name, dim, ", axis: [1, 0]", "key 'axis'");
            if (!strstr(axis, "axes:"))
                refuse(context, info->name, dim, ", axes: [[1, 0], [0, 1]]", "key 'axes'");
            if (!strstr(axis, "normal:"))
                refuse(context, info->name, dim, ", normal: [1, 0]", "key 'normal'");
            if (!info->n_coordinates[dim - 2])
                refuse(context, info->name, dim, ", rate: 1", "key 'rate'");
        }
}

static void unknown_kinds_are_told_the_known(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < PHX_JOINT_KINDS; kind++)
            if (exists(info_of(kind), dim))
                refuse(*state, "glue", dim, "", info_of(kind)->name);
}

/* The forms of `joint` in the JSON Schema: one for each kind, in their order. */
static void schema_has_the_kinds(void **state)
{
    static const char mark[] = "\"kind\": {\"description\": \"what it leaves free\", \"anyOf\": [{\"enum\": [\"";
    phx_context *context = *state;
    char *json = NULL;
    int kind = 0;
    CHECK_OK(context, phx_model_schema_json(context, &json));
    for (const char *at = strstr(json, mark); at; at = strstr(at + 1, mark), kind++) {
        const char *name = at + strlen(mark);
        assert_true(kind < PHX_JOINT_KINDS);
        assert_int_equal(strncmp(name, info_of(kind)->name, strlen(info_of(kind)->name)), 0);
        assert_int_equal(strncmp(name + strlen(info_of(kind)->name), "\"]}", 3), 0);
    }
    assert_int_equal(kind, PHX_JOINT_KINDS);
    phx_free(json);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* docs/keys.md (which docs_keys holds against the schema): a row of kinds, one of rows, one for each coordinate. */
static void documentation_has_the_kinds(void **state)
{
    char *keys = load_text(*state, "docs/keys.md");
    for (int kind = 0; kind < PHX_JOINT_KINDS; kind++) {
        char row[100];
        int n = 0;
        while (n < PHX_JOINT_MAX_COORDINATES && info_of(kind)->coordinates[n].name)
            n++;
        snprintf(row, sizeof row, "\n| `%s` | ", info_of(kind)->name);
        assert_int_equal(count_of(keys, row), 2 + n);
    }
    phx_free(keys);
}

static int set_up(void **state)
{
    return phx_context_create((phx_context **)state) == PHX_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    phx_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_read_and_built),         cmocka_unit_test(keys_follow_the_kind),
        cmocka_unit_test(unknown_kinds_are_told_the_known), cmocka_unit_test(schema_has_the_kinds),
        cmocka_unit_test(documentation_has_the_kinds),
    };
    return cmocka_run_group_tests_name("joints of model files", tests, set_up, tear_down);
}

/* Attributes of MJCF: defaults, numbers and words; frames and names. */
#include "mjcf.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const MJCF_BOOLEAN[] = {"false", "true", NULL};
const char *const MJCF_AUTO[] = {"false", "auto", "true", NULL};
static const double SAME = 1e-9; /* of directions: printed digits */

/* ---- defaults and attributes ---- */
int mjcf_class_of(const mjcf_reader *reader, const char *name)
{
    for (int c = 0; name && c < reader->n_classes; c++)
        if (reader->classes[c].name && !strcmp(reader->classes[c].name, name))
            return c;
    return -1;
}

static const char *mjcf_default(const mjcf_class *class, const mjcf_item *item, const char *key)
{
    return robot_attribute(robot_child(class->element, item->tag ? item->tag : item->element->name), key);
}

/* The value of an attribute: its own, that of its class or of the nearest class around it. */
const char *mjcf_text(const mjcf_item *item, const char *key)
{
    const mjcf_reader *reader = item->reader;
    const char *text = robot_attribute(item->element, key), *class = robot_attribute(item->element, "class");

    if (item->plain)
        return text;
    for (int c = mjcf_class_of(reader, class ? class : item->childclass); c >= 0 && !text;
         c = reader->classes[c].parent)
        text = mjcf_default(&reader->classes[c], item, key);
    for (int c = reader->n_classes - 1; c >= 0 && !text; c--)
        if (reader->classes[c].parent < 0)
            text = mjcf_default(&reader->classes[c], item, key);
    return text;
}

/* Refuses an element; its line goes ahead of the text. */
phx_status mjcf_refuse(const mjcf_item *item, const char *text, const char *value)
{
    return phx_fail(item->reader->context, PHX_ERR_INPUT, "%s:%d: <%s>: %s%s", item->element->path, item->element->line,
                    item->element->name, text, value ? phx_shown_text(value).text : "");
}

void mjcf_warn(const mjcf_item *item, const char *name, const char *text)
{
    phx_log(item->reader->context, PHX_LOG_WARNING, "%s:%d: <%s> '%s': %s", item->element->path, item->element->line,
            item->element->name, name ? name : "", text);
}

phx_status mjcf_drop(const mjcf_item *item, const char *name, const char *reason)
{
    enum { SIZE = 400 };
    const bool lossy = item->reader->options->lossy;
    char text[SIZE];

    snprintf(text, SIZE, "%s%s", reason, lossy ? ": left out" : "; leave it out by --lossy");
    if (!lossy)
        return mjcf_refuse(item, text, NULL);
    mjcf_warn(item, name, text);
    return PHX_OK;
}

int mjcf_word(const char *const *words, const char *text)
{
    int k = 0;

    while (words[k] && (!text || strcmp(words[k], text) != 0))
        k++;
    return k;
}

const phx_xml *mjcf_entry(const mjcf_reader *reader, const char *section, int n)
{
    for (int k = 0; k < reader->root->n_children; k++) {
        const phx_xml *element = &reader->root->children[k];
        if (strcmp(element->name, section) != 0)
            continue;
        if (n < element->n_children)
            return &element->children[n];
        n -= element->n_children;
    }
    return NULL;
}

phx_status mjcf_numbers(const mjcf_item *item, const char *key, int least, int most, double *values)
{
    return robot_numbers(item->reader->context, item->element, key, mjcf_text(item, key), least, most, values);
}

/* The number of an attribute's word in a list that ends with NULL; absent: `value` stays. */
phx_status mjcf_choice(const mjcf_item *item, const char *key, const char *const *words, int *value)
{
    const char *text = mjcf_text(item, key);
    char list[256] = "";

    for (int k = 0; text && words[k]; k++) {
        if (!strcmp(text, words[k])) {
            *value = k;
            return PHX_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", words[k]);
    }
    return text ? phx_fail(item->reader->context, PHX_ERR_INPUT, "%s:%d: %s of <%s>: expected one of %s, found %s",
                           item->element->path, item->element->line, key, item->element->name, list,
                           phx_shown_text(text).text)
                : PHX_OK;
}

/* Reads attributes up to the one without key; what is absent stays. */
phx_status mjcf_values(const mjcf_item *item, const mjcf_value *value)
{
    phx_status status = PHX_OK;

    for (; value->key && !status; value++)
        status = value->words ? mjcf_choice(item, value->key, value->words, value->value)
                              : mjcf_numbers(item, value->key, value->count, value->count, value->value);
    return status;
}

/* Enters <default> elements, which are classes, and those in them. */
phx_status mjcf_classes(mjcf_reader *reader, const phx_xml *element, int parent, bool top)
{
    const mjcf_item item = {.reader = reader, .element = element};
    const char *name = robot_attribute(element, "class");
    const int own = reader->n_classes;
    phx_status status = PHX_OK;

    if (!top && !name)
        return mjcf_refuse(&item, "a default in another one needs a class", NULL);
    if (name && mjcf_class_of(reader, name) >= 0 && !top)
        return mjcf_refuse(&item, "there is already the class ", name);
    mjcf_class *classes = phx_realloc(reader->context, reader->classes, (size_t)own + 1, sizeof *classes);
    if (!classes)
        return PHX_ERR_MEMORY;
    reader->classes = classes;
    reader->classes[reader->n_classes++] = (mjcf_class){name ? name : "main", parent, element};
    for (int k = 0; k < element->n_children && !status; k++)
        if (!strcmp(element->children[k].name, "default"))
            status = mjcf_classes(reader, &element->children[k], own, false);
    return status;
}

/* Every class that an element names is there. */
phx_status mjcf_check_classes(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const keys[] = {"class", "childclass"};
    const mjcf_item item = {.reader = reader, .element = element};
    phx_status status = PHX_OK;

    for (int k = 0; k < 2; k++) {
        const char *name = robot_attribute(element, keys[k]);
        if (name && strcmp(name, "main") != 0 && mjcf_class_of(reader, name) < 0)
            return mjcf_refuse(&item, "there is no default class ", name);
    }
    for (int k = 0; k < element->n_children && !status; k++)
        status = mjcf_check_classes(reader, &element->children[k]);
    return status;
}

/* ---- frames ---- */
/* R with the columns x, y, x cross y; y need not be perpendicular to x. Returns false if they have one direction. */
bool mjcf_axes(const double x[3], const double y[3], double R[9])
{
    const double length = sqrt(phx_dot(3, x, x));
    double e[3], f[3], square = 0.0;

    if (length <= 0.0)
        return false;
    for (int a = 0; a < 3; a++)
        e[a] = x[a] / length;
    for (int a = 0; a < 3; a++) {
        f[a] = y[a] - phx_dot(3, e, y) * e[a];
        square += f[a] * f[a];
    }
    if (square <= SAME * SAME * phx_dot(3, y, y))
        return false;
    for (int a = 0; a < 3; a++)
        f[a] /= sqrt(square);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        R[3 * a] = e[a];
        R[3 * a + 1] = f[a];
        R[3 * a + 2] = e[b] * f[c] - e[c] * f[b];
    }
    return true;
}

/* Successive rotations: letters in lower case about the axes that move, in upper case about the fixed ones. */
static void mjcf_euler(const mjcf_reader *reader, const double angles[3], double R[9])
{
    memcpy(R, robot_pose_identity().R, 9 * sizeof *R);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0}, turn[9], product[9];
        const bool fixed = isupper((unsigned char)reader->sequence[k]);
        axis[tolower((unsigned char)reader->sequence[k]) - 'x'] = 1.0;
        robot_turn(axis, angles[k] * reader->degree, turn);
        phx_dense_multiply(false, false, 3, 3, 3, 1.0, fixed ? turn : R, 3, fixed ? R : turn, 3, 0.0, product, 3);
        memcpy(R, product, sizeof product);
    }
}

/* The rotation of an element, in one of its five forms; absent: R stays. */
static phx_status mjcf_rotation(const mjcf_item *item, double R[9])
{
    static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    static const double z[3] = {0.0, 0.0, 1.0};
    double v[6] = {0};
    int form = -1;
    bool ok = true;

    for (int k = 0; k < 5; k++)
        if (robot_attribute(item->element, keys[k]))
            form = k;
    for (int k = 0; k < 5 && form < 0; k++)
        if (mjcf_text(item, keys[k]))
            form = k;
    const phx_status status = form < 0 ? PHX_OK : mjcf_numbers(item, keys[form], counts[form], counts[form], v);
    if (status || form < 0)
        return status;
    const double square = phx_dot(form == 0 ? 4 : 3, v, v);
    ok = square > 0.0 || form == 4;
    if (ok && form == 0)
        phx_rot_from_quaternion(v, R);
    else if (ok && form == 1)
        robot_turn(v, v[3] * item->reader->degree, R);
    else if (ok && form == 2)
        ok = mjcf_axes(v, v + 3, R);
    else if (ok && form == 3)
        phx_rot_shortest(z, (const double[]){v[0] / sqrt(square), v[1] / sqrt(square), v[2] / sqrt(square)}, R);
    else if (ok)
        mjcf_euler(item->reader, v, R);
    return ok ? PHX_OK : mjcf_refuse(item, "no rotation has the values ", mjcf_text(item, keys[form]));
}

/* The pose of an element in its link. */
phx_status mjcf_pose(const mjcf_item *item, robot_pose *pose)
{
    robot_pose local = robot_pose_identity();
    phx_status status = mjcf_numbers(item, "pos", 3, 3, local.x);

    if (!status)
        status = mjcf_rotation(item, local.R);
    *pose = robot_pose_product(&item->frame, &local);
    return status;
}

/* ---- names ---- */
/* A name that a model can have and that is not taken: NAME, NAME_2, ... Of motors if neither links nor joints count. */
phx_status mjcf_name(const mjcf_item *item, const char *text, bool in_links, bool in_joints, char **name)
{
    const phx_robot *robot = item->reader->robot;
    enum { LONGEST = 200 };
    char plain[LONGEST + 20];
    bool taken = true;

    if (strlen(text) > LONGEST - 1)
        return mjcf_refuse(item, "a name may have 199 signs", NULL);
    snprintf(plain, sizeof plain, "%s%s", isalpha((unsigned char)text[0]) || text[0] == '_' ? "" : "_", text);
    for (char *sign = plain; *sign; sign++)
        *sign = isalnum((unsigned char)*sign) || *sign == '-' || *sign == '_' ? *sign : '_';
    const size_t length = strlen(plain);
    for (int n = 2; taken; n++) {
        taken = !strcmp(plain, "ground") || !strcmp(plain, "P");
        for (int k = 0; in_links && k < robot->n_links && !taken; k++)
            taken = robot->links[k].name && !strcmp(robot->links[k].name, plain);
        for (int k = 0; in_joints && k < robot->n_joints && !taken; k++)
            taken = robot->joints[k].name && !strcmp(robot->joints[k].name, plain);
        for (int k = 0; in_joints && k < robot->n_loops && !taken; k++)
            taken = !strcmp(robot->loops[k].name, plain);
        for (int k = 0; !in_links && !in_joints && k < robot->n_motors && !taken; k++)
            taken = !strcmp(robot->motors[k].name, plain);
        if (taken)
            snprintf(plain + length, sizeof plain - length, "_%d", n);
    }
    if (robot_attribute(item->element, "name") == text && strcmp(text, plain) != 0)
        phx_log(item->reader->context, PHX_LOG_WARNING, "%s:%d: <%s> %s becomes '%s'", item->element->path,
                item->element->line, item->element->name, phx_shown_text(text).text, plain);
    *name = phx_strdup(item->reader->context, plain);
    return *name ? PHX_OK : PHX_ERR_MEMORY;
}

/* A name that another element of the same kind has is an error. */
phx_status mjcf_twice(const mjcf_item *item, const char *named)
{
    const phx_robot *robot = item->reader->robot;
    const bool body = !strcmp(item->element->name, "body");

    for (int k = 0; named && k < (body ? robot->n_links : robot->n_joints); k++) {
        const char *other = body ? robot->links[k].name : robot->joints[k].name;
        if (other && !strcmp(other, named) && (body || robot->joints[k].kind != ROBOT_FIXED))
            return mjcf_refuse(item, "there is already one of the name ", named);
    }
    return PHX_OK;
}

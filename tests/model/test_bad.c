/* Wrong files: each gives PHX_ERR_INPUT with its line, its column and a message that says what is wrong. */
#include "support.h"

typedef struct bad_model {
    int line, column;
    const char *fragment;
    const char *text;
} bad_model;

/* Most begin with two good lines. RIGID and BEAM are lines 3 and 3-4 of a good model. */
#define HEAD  "phlexor: 1\ndimension: 2\n"
#define SPACE "phlexor: 1\ndimension: 3\n"
#define RIGID HEAD "bodies: {a: {kind: rigid, mass: 1, inertia: 1}, b: {kind: rigid, mass: 1, inertia: 1}}\n"
#define BEAM                                                                                                           \
    HEAD "materials: {m: {density: 1, young: 1}}\n"                                                                    \
         "bodies: {a: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 1}, reference: free},"    \
         " r: {kind: rigid, mass: 1, inertia: 1}}\n"
#define BODY(keys) HEAD "bodies:\n  a: {" keys "}\n"
#define BEAM_WITH(keys)                                                                                                \
    HEAD "materials: {m: {density: 1, young: 1}}\nbodies:\n  a: {kind: beam, material: m, " keys "}\n"
#define JOINT(keys) RIGID "joints:\n  j: {" keys "}\n"

static void check_all(void **state, const bad_model *models, size_t count)
{
    int wrong = 0;
    for (size_t k = 0; k < count; k++) {
        char place[80];
        phx_model *model = NULL;
        phx_status status =
            phx_model_read_text(*state, "bad.yaml", models[k].text, strlen(models[k].text), 0, NULL, &model);
        const char *message = status ? phx_context_message(*state) : "it was read";
        snprintf(place, sizeof place, "bad.yaml:%d:%d: ", models[k].line, models[k].column);
        if (status == PHX_ERR_INPUT && !strncmp(message, place, strlen(place)) && strstr(message, models[k].fragment))
            continue;
        print_error("model %zu:\n%s-> %d %s\nexpected %s...%s...\n", k, models[k].text, status, message, place,
                    models[k].fragment);
        wrong++;
        phx_model_destroy(model);
    }
    assert_int_equal(wrong, 0);
}
#define CHECK_ALL(state, models) check_all(state, models, sizeof models / sizeof models[0])

static void yaml_is_wrong(void **state)
{
    static const bad_model models[] = {
        {1, 1, "expected a map", ""},
        {1, 1, "expected a map", "# nothing\n"},
        {1, 1, "expected a map", "- 1\n- 2\n"},
        {1, 1, "expected a map", "text\n"},
        {4, 1, "flow sequence without a closing bracket", HEAD "title: [1, 2\n"},
        {2, 12, "not valid YAML", HEAD " x: 1\n"},
        {4, 1, "tab character", HEAD "bodies:\n\ta: 1\n"},
        {4, 1, "expected a line of text, found ''", HEAD "title: >\n"},
        {3, 9, "invalid escape", HEAD "title: \"\\q\"\n"},
        {3, 8, "without an anchor", HEAD "title: *x\n"},
        {3, 12, "inside what it repeats", HEAD "title: &x [*x]\n"},
        {4, 1, "written twice, first at 3:1", HEAD "title: a\ntitle: b\n"},
        {3, 20, "written twice, first at 3:14", HEAD "parameters: {a: 1, a: 2}\n"},
        {3, 1, "second document", HEAD "---\nx: 1\n"},
        {3, 8, "YAML tag", HEAD "title: !!str 1\n"},
        {3, 1, "a key must be a plain word, found a list", HEAD "[1]: 2\n"},
        {3, 3, "a key must be a plain word, found a map", HEAD "? {a: 1}\n: 2\n"},
        {3, 9, "control character, byte 0x01", HEAD "title: a\001\n"},
        {3, 10, "not UTF-8 text, byte 0xff",
         HEAD "title: \xC3\xA9"
              "a\xFF\n"},
        {3, 8, "not UTF-8 text, byte 0xc0", HEAD "title: \xC0\x80\n"},
        {3, 8, "not UTF-8 text, byte 0xed", HEAD "title: \xED\xA0\x80\n"},
        {3, 8, "character 0", HEAD "title: \"\\0\"\n"},
        {3, 39, "nested too deeply",
         HEAD "title: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n"},
    };
    CHECK_ALL(state, models);
}

#define SPRING(keys) RIGID "springs: {s: {ports: [a.P, b.P], " keys "}}\n"
#define SLIDE(keys)  RIGID "joints: {j: {kind: prismatic, ports: [a.P, b.P], axis: [1, 0], " keys "}}\n"
static void laws_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 39, "key 'range' of a law is missing", SPRING("law: {expression: x}")},
        {4, 52, "unknown name 'y'; expected x, pi", SPRING("law: {expression: y, range: [0, 1]}")},
        {4, 52, "'t' stands for time; this is a function of x alone", SPRING("law: {expression: t, range: [0, 1]}")},
        {4, 62, "expected an ascending range, found [1, 0]", SPRING("law: {expression: x, range: [1, 0]}")},
        {4, 54, "expected as many values as x, 2, found 1", SPRING("law: {x: [0, 1], f: [0]}")},
        {4, 47, "expected a value after the one before it, 1, found 1", SPRING("law: {x: [1, 1], f: [0, 1]}")},
        {4, 45, "greater than 0", SPRING("law: {gas: -1, length: 1}")},
        {4, 55, "unknown name 'x'; expected v, pi", SPRING("damper: {expression: x}")},
        {4, 71, "stops without 'lower' and 'upper'", SLIDE("stops: {stiffness: 1}")},
        {4, 89, "expected a value above lower, 1, found 0", SLIDE("stops: {lower: 1, upper: 0, stiffness: 1}")},
        {4, 106, "expected 1 or 1.5, found 2", SLIDE("stops: {lower: 1, stiffness: 1, exponent: 2}")},
        {4, 93, "expected at least the kinetic friction, 2, found 1",
         SLIDE("friction: {force: 2, static: 1, regularised: 1}")},
        {4, 74, "needs 'stribeck'", SLIDE("friction: {force: 2, static: 3, regularised: 1}")},
        {4, 103, "given by 'static' already", SLIDE("friction: {force: 2, static: 3, ratio: 2}")},
        {4, 99, "give 'ratio'", SLIDE("friction: {coefficient: 2, static: 3}")},
        {4, 98, "at least 1, found 0.5", SLIDE("friction: {coefficient: 2, ratio: 0.5}")},
    };
    CHECK_ALL(state, models);
}

#define FORCE(keys) RIGID "forces: {f: {" keys "}}\n"
#define CONTACT     "kind: contact, ports: [a.P, b.P], stiffness: 1, "
#define GEAR                                                                                                           \
    RIGID "joints: {j: {kind: revolute, ports: [a.P, b.P]}, w: {kind: weld, ports: [ground.O, b.P]}}\n"                \
          "forces: {f: {kind: coupling, terms: "
#define WINCH                                                                                                          \
    RIGID "joints: {j: {kind: revolute, ports: [a.P, b.P]}}\n"                                                         \
          "forces: {f: {kind: cable, ports: [a.P, b.P], length: 1, stiffness: 1, terms: "
static void forces_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 20, "expected one of", FORCE("kind: glue")},
        {4, 36, "expected 2 to 2 ports, found 1", FORCE("kind: bushing, ports: [a.P], stiffness: [1, 1, 1]")},
        {4, 36, "all ports belong to 'a'", FORCE("kind: bushing, ports: [a.P, a.P], stiffness: [1, 1, 1]")},
        {4, 59, "3 numbers, or 3 rows", FORCE("kind: bushing, ports: [a.P, b.P], stiffness: [1, 1]")},
        {4, 13, "needs 'normal'", FORCE(CONTACT "against: plane")},
        {4, 13, "needs 'radius_a'", FORCE(CONTACT "against: sphere")},
        {4, 104, "expected 1 or 1.5, found 2", FORCE(CONTACT "against: plane, normal: [0, 1], exponent: 2")},
        {4, 13, "does not fit", FORCE(CONTACT "against: sphere, radius_a: 1, radius: 1, inside: true")},
        {4, 103, "an ellipsoid touches planes only, not a sphere",
         FORCE(CONTACT "against: sphere, radius_a: 1, semi_axes: [1, 2]")},
        {4, 116, "has 'semi_axes' and no 'radius'",
         FORCE(CONTACT "against: plane, normal: [0, 1], radius: 1, semi_axes: [1, 2]")},
        {4, 109, "a number greater than 0", FORCE(CONTACT "against: plane, normal: [0, 1], semi_axes: [1, -2]")},
        {4, 13, "needs 'stiffness', or 'restitution'",
         FORCE("kind: contact, ports: [a.P, b.P], against: plane, normal: [0, 1]")},
        {4, 93, "expected 0 to 1, found 2",
         FORCE("kind: contact, ports: [a.P, b.P], against: plane, normal: [0, 1], restitution: 2")},
        {4, 59, "a rigid contact, with 'restitution', has no 'stiffness'",
         FORCE(CONTACT "against: plane, normal: [0, 1], restitution: 0")},
        {4, 104, "needs 'regularised'", FORCE(CONTACT "against: plane, normal: [0, 1], friction: {coefficient: 1}")},
        {4, 106, "set-valued, without 'regularised'",
         FORCE("kind: contact, ports: [a.P, b.P], against: plane, normal: [0, 1], restitution: 1,"
               " friction: {coefficient: 1, regularised: 1}")},
        {4, 129, "expected at least the coefficient",
         FORCE(CONTACT "against: plane, normal: [0, 1], friction: {coefficient: 1, static: 0.5, regularised: 1}")},
        {4, 13, "key 'length' of a force element is missing", FORCE("kind: cable, ports: [a.P, b.P], stiffness: 1")},
        {4, 34, "expected a list of ports", FORCE("kind: cable, ports: a.P, length: 1, stiffness: 1")},
        {5, 79, "a weight of 0", WINCH "[{joint: j, weight: 0}]}}\n"},
        {5, 79, "has 1 free coordinate", WINCH "[{joint: j, coordinate: 2, weight: 1}]}}\n"},
        {5, 78, "expected 1 to 8 terms, found 0", WINCH "[]}}\n"},
        {5, 37, "expected 1 to 8 terms, found 0", GEAR "[]}}\n"},
        {5, 38, "leave the term out", GEAR "[{joint: j, weight: 0}]}}\n"},
        {5, 38, "has 1 free coordinate, expected one of them", GEAR "[{joint: j, coordinate: 2, weight: 1}]}}\n"},
        {4, 33, "all ports belong to 'ground'", FORCE("kind: drag, ports: [ground.O], area: 1")},
    };
    CHECK_ALL(state, models);
}

static void top_level_is_wrong(void **state)
{
    static const bad_model models[] = {
        {1, 1, "key 'phlexor' of a model is missing", "dimension: 2\n"},
        {1, 10, "expected 1, the version of this format, found '2'", "phlexor: 2\n"},
        {1, 10, "expected 1, the version of this format, found '1.0000001'", "phlexor: 1.0000001\n"},
        {1, 1, "key 'dimension' of a model is missing", "phlexor: 1\n"},
        {2, 12, "expected 2 (plane) or 3 (space), found '4'", "phlexor: 1\ndimension: 4\n"},
        {2, 12, "expected 2 (plane) or 3 (space), found '2.5'", "phlexor: 1\ndimension: 2.5\n"},
        {2, 12, "found a list of 1", "phlexor: 1\ndimension: [2]\n"},
        {1, 1, "key 'bodies' of a model is missing", HEAD},
        {3, 9, "at least one name", HEAD "bodies: {}\n"},
        {3, 1, "at least one name, found nothing", HEAD "bodies:\n"},
        {3, 9, "expected a map of names, found a list of 1", HEAD "bodies: [a]\n"},
        {3, 9, "expected a map of names, found 'a'", HEAD "bodies: a\n"},
        {3, 1, "unknown key 'bodys' in a model; did you mean 'bodies'?", HEAD "bodys: {}\n"},
        {3, 1, "unknown key 'Joints' in a model; did you mean 'joints'?", HEAD "Joints: {}\n"},
        {3, 1, "unknown key '<<'", HEAD "<<: {}\n"},
        {3, 1, "found nothing", HEAD "title:\n"},
        {3, 8, "found a list of 0", HEAD "title: []\n"},
        {3, 8, "a single line of text", HEAD "title: \"a\\nb\"\n"},
        {3, 10, "expected a list of 2 numbers, found a list of 3", HEAD "gravity: [0, 0, -9.81]\n"},
        {3, 10, "expected a list of 3 numbers, found a list of 2", SPACE "gravity: [0, -9.81]\n"},
        {3, 10, "expected a list of 2 numbers, found '9.81'", HEAD "gravity: 9.81\n"},
        {3, 14, "expected a number, found a list of 1", HEAD "gravity: [0, [1]]\n"},
        {3, 14, "expected a number, found nothing", HEAD "gravity: [0, ~]\n"},
        {3, 16, "unknown name 'y'", HEAD "gravity: [0, 2*y]\n"},
        {3, 10, "unknown key 'port' in a ground; did you mean 'ports'?", HEAD "ground: {port: {}}\n"},
        {3, 18, "contains '.'", HEAD "ground: {ports: {a.b: {}}}\n"},
        {3, 18, "contains '@'", HEAD "ground: {ports: {a@b: {}}}\n"},
        {3, 18, "found nothing", HEAD "ground: {ports: {'': {}}}\n"},
        {3, 32, "'angle' and 'rotation' of a port say the same",
         HEAD "ground: {ports: {A: {rotation: 1, angle: 1}}}\n"},
        {3, 22, "unknown key 'pos'", HEAD "ground: {ports: {A: {pos: [1, 2]}}}\n"},
    };
    CHECK_ALL(state, models);
}

static void parameters_are_wrong(void **state)
{
    static const bad_model models[] = {
        {3, 13, "expected a map of names and numbers, found a list", HEAD "parameters: [1]\n"},
        {3, 14, "the name 't' is reserved", HEAD "parameters: {t: 1}\n"},
        {3, 14, "the name 'deg' is reserved", HEAD "parameters: {deg: 1}\n"},
        {3, 14, "expected a name of letters, digits and underscores", HEAD "parameters: {1a: 1}\n"},
        {3, 14, "expected a name of letters, digits and underscores", HEAD "parameters: {\xC3\xA4: 1}\n"},
        {3, 17, "in a circle: a -> a", HEAD "parameters: {a: a}\n"},
        {4, 6, "in a circle: a -> b -> c -> a", HEAD "parameters:\n  a: b\n  b: 2*c\n  c: sqrt(a)\n"},
        {3, 31, "in a circle: b -> c -> b", HEAD "parameters: {x: 2*b, a: b, b: c, c: b}\n"},
        {3, 19, "unknown name 'bb'; expected pi, deg or a name under 'parameters'",
         HEAD "parameters: {a: 1+bb, b: 1}\n"},
        {3, 17, "not finite", HEAD "parameters: {a: 1/0}\n"},
        {3, 17, "'t' stands for time", HEAD "parameters: {a: t}\n"},
        {3, 14, "expected a number, found nothing", HEAD "parameters: {a: }\n"},
        {3, 18, "unknown key 'b' in a list of parameters (keys: count, value)", HEAD "parameters: {a: {b: 1}}\n"},
    };
    CHECK_ALL(state, models);
}

#define SMALL                 "bodies: {c: {kind: rigid, mass: 1, inertia: 1}}\n"
#define LIST_VARIABLES(names) HEAD LISTS "1}\n" SMALL "optimize: {minimize: modes.omega.1, " names "}\n"
#define LIST_SPEED(table)                                                                                              \
    HEAD LISTS "1}\n" SMALL "joints: {j: {kind: revolute, ports: [ground.O, c.P], speed: {" table "}}}\n"
#define LISTS "parameters: {h: {count: 3, value: 0.1}, u: [1, 2], a: 1, b: "
static void lists_of_parameters_are_wrong(void **state)
{
    static const bad_model models[] = {
        {3, 14, "the name 't' is reserved", HEAD "parameters: {t: [1, 2]}\n"},
        {3, 14, "expected a name of letters, digits and underscores", HEAD "parameters: {'h[1]': 2, h: [1]}\n"},
        {3, 17, "expected at least one number in a list of parameters, found none", HEAD "parameters: {h: []}\n"},
        {3, 17, "key 'value' of a list of parameters is missing", HEAD "parameters: {h: {count: 3}}\n"},
        {3, 25, "expected a whole number from 1 to 100000, found '0'", HEAD "parameters: {h: {count: 0, value: 1}}\n"},
        {3, 25, "expected a whole number from 1 to 100000, found '-2'",
         HEAD "parameters: {h: {count: -2, value: 1}}\n"},
        {3, 25, "expected a whole number from 1 to 100000, found '2.5'",
         HEAD "parameters: {h: {count: 2.5, value: 1}}\n"},
        {3, 25, "expected a whole number from 1 to 100000, found '1e9'",
         HEAD "parameters: {h: {count: 1e9, value: 1}}\n"},
        {3, 31, "expected a whole number from 1 to 100000, found 'n'",
         HEAD "parameters: {n: 3, h: {count: n, value: 1}}\n"},
        {3, 44, "with 'u' the model has 100001 parameters, more than 100000; take shorter lists",
         HEAD "parameters: {h: {count: 100000, value: 1}, u: [1]}\n"},
        {3, 28, "quote an expression with brackets here, as \"h[1]\"): missing comma",
         HEAD "parameters: {h: [1], a: 2*h[1]}\n"},
        {3, 21, "parameters.h[2]: expected a number, found a list of 1", HEAD "parameters: {h: [1, [2]]}\n"},
        {3, 18, "in a circle: h[1] -> h[2] -> h[1]", HEAD "parameters: {h: ['h[2]', 'h[1]']}\n"},
        {3, 35, "in a circle: h[1] -> h[1]", HEAD "parameters: {h: {count: 3, value: 'h[1]'}}\n"},
        {3, 35, "in a circle: h[1] -> a -> h[1]", HEAD "parameters: {h: {count: 3, value: a}, a: 'h[1]'}\n"},
        {3, 63, "'h' is a list, not a number; write an entry, as h[1]; the indices of the list 'h' are 1 to 3",
         HEAD LISTS "2*h}\n"},
        {3, 64, "there is no 'h[4]'; the indices of the list 'h' are 1 to 3", HEAD LISTS "'1*h[4]'}\n"},
        {3, 62, "there is no 'a[1]'; 'a' is not a list, leave out the index", HEAD LISTS "'a[1]'}\n"},
        {3, 63, "found '[0]' where an index is expected: a whole number from 1, as in h[3]", HEAD LISTS "'h[0]'}\n"},
        {3, 63, "found '[-1]' where an index is expected", HEAD LISTS "'h[-1]'}\n"},
        {3, 63, "found '[1.5]' where an index is expected", HEAD LISTS "'h[1.5]'}\n"},
        {3, 63, "found '[a]' where an index is expected", HEAD LISTS "'h[a]'}\n"},
        {3, 63, "found '[1' where an index is expected", HEAD LISTS "'h[1'}\n"},
        {5, 24, "velocity.linear: expected a list of 2 numbers, found a list of 3",
         HEAD LISTS "1}\nbodies: {c: {kind: rigid, mass: 1, inertia: 1,\n    velocity: {linear: h}}}\n"},
        {4, 33, "'u' is a list, not a number", HEAD LISTS "1}\nbodies: {c: {kind: rigid, mass: u, inertia: 1}}\n"},
        {5, 75, "'h[2]' is given twice, by itself and by its list",
         LIST_VARIABLES("variables: {'h[2]': {min: 0, max: 1}, h: {min: 0, max: 1}}")},
        {5, 83, "'h[1]' is one of the variables",
         LIST_VARIABLES("variables: {'h[1]': {min: 0, max: 1}}, cases: {h: {values: [1]}}")},
        {5, 9, "expected a name under 'parameters', found 'h[4]'; the indices of the list 'h' are 1 to 3",
         HEAD LISTS "1}\n" SMALL "sweep: {'h[4]': {values: [1]}}\n"},
        {5, 83, "speed: expected a time after 'from', 1, found 1", LIST_SPEED("times: {from: 1, to: 1}, values: u")},
        {5, 69, "times at equal steps need at least two values, found 1",
         LIST_SPEED("times: {from: 1, to: 2}, values: [1]")},
        {5, 69, "expected a time after the one before it, 0.1, found 'h'", LIST_SPEED("times: h, values: h")},
    };
    CHECK_ALL(state, models);
}

static void bodies_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 6, "expected a map with the keys of a body, found '1'", HEAD "bodies:\n  a: 1\n"},
        {4, 6, "key 'kind' of a body is missing", BODY("mass: 1, inertia: 1")},
        {4, 7, "unknown key 'knid' in a body; did you mean 'kind'?", BODY("knid: rigid")},
        {4, 13, "expected one of rigid, beam, modal, reduced, rod, found 'rigit'; did you mean 'rigid'?",
         BODY("kind: rigit")},
        {4, 13, "expected one of rigid, beam, modal, reduced, rod, found a list of 1", BODY("kind: [rigid]")},
        {3, 10, "the name 'ground' stands for what does not move",
         HEAD "bodies: {ground: {kind: rigid, mass: 1, inertia: 1}}\n"},
        {4, 6, "key 'mass' of a body is missing: mass (kg)", BODY("kind: rigid, inertia: 1")},
        {4, 6, "key 'inertia' of a body is missing", BODY("kind: rigid, mass: 1")},
        {4, 26, "expected a number greater than 0, found '0'", BODY("kind: rigid, mass: 0, inertia: 1")},
        {4, 26, "expected a number greater than 0, found '-1'", BODY("kind: rigid, mass: -1, inertia: 1")},
        {4, 26, "'.nan' is not finite", BODY("kind: rigid, mass: .nan, inertia: 1")},
        {4, 26, "'1e999' is not finite", BODY("kind: rigid, mass: 1e999, inertia: 1")},
        {4, 30, "unknown name 'm'", BODY("kind: rigid, mass: 2 * m, inertia: 1")},
        {4, 32, "unknown name 'm'", BODY("kind: rigid, mass: \"(1 + m)\", inertia: 1")},
        {4, 38, "expected a number not less than 0, found '-1'", BODY("kind: rigid, mass: 1, inertia: -1")},
        {4, 38, "greater than 0", BODY("kind: rigid, mass: 1, inertia: 0")},
        {4, 38, "expected a number not less than 0, found a list of 3",
         BODY("kind: rigid, mass: 1, inertia: [1, 1, 1]")},
        {4, 41, "key 'length' does not apply to a body with 'rigid', only with: beam",
         BODY("kind: rigid, mass: 1, inertia: 1, length: 1")},
        {4, 48, "key 'rotation' of a pose exists only with dimension 3",
         BODY("kind: rigid, mass: 1, inertia: 1, pose: {rotation: 1}")},
        {4, 60, "expected a list of 2 numbers", BODY("kind: rigid, mass: 1, inertia: 1, velocity: {linear: 1}")},
        {4, 49, "port 'P' of a rigid body always exists", BODY("kind: rigid, mass: 1, inertia: 1, ports: {P: {}}")},
        {4, 61, "a has no port 'Q'", BODY("kind: rigid, mass: 1, inertia: 1, point_masses: [{at: Q, mass: 1}]")},
        {4, 61, "expected a port of 'a' itself, found 'b.P'",
         BODY("kind: rigid, mass: 1, inertia: 1, point_masses: [{at: b.P, mass: 1}]")},
        {4, 70, "not less than 0", BODY("kind: rigid, mass: 1, inertia: 1, point_masses: [{at: P, mass: -1}]")},
        {4, 56, "key 'mass' of a point mass is missing",
         BODY("kind: rigid, mass: 1, inertia: 1, point_masses: [{at: P}]")},
        {4, 55, "expected a list, found a map", BODY("kind: rigid, mass: 1, inertia: 1, point_masses: {at: P}")},
    };
    CHECK_ALL(state, models);
}

static void beams_are_wrong(void **state)
{
#define SECTION "section: {kind: circle, diameter: 1}, "
    static const bad_model models[] = {
        {3, 16, "key 'young' of a material is missing", HEAD "materials: {m: {density: 1}}\n"},
        {3, 36, "greater than 0", HEAD "materials: {m: {density: 1, young: -1}}\n"},
        {3, 48, "greater than -1 and at most 0.5, found '0.6'",
         HEAD "materials: {m: {density: 1, young: 1, poisson: 0.6}}\n"},
        {5, 34, "expected the name of a material, found 'n'",
         HEAD "materials: {m: {density: 1, young: 1}}\nbodies:\n  a: {kind: beam,      material: n, length: 1}\n"},
        {5, 6, "key 'length' of a body is missing", BEAM_WITH(SECTION "reference: free")},
        {5, 40, "greater than 0, found '0'", BEAM_WITH("length: 0, " SECTION "reference: free")},
        {5, 6, "a beam has either 'section' or 'sections'", BEAM_WITH("length: 1, reference: free")},
        {5, 6, "key 'reference' of a body is missing", BEAM_WITH("length: 1, " SECTION)},
        {5, 92, "expected one of cantilever, simply_supported, free, found 'clamped'",
         BEAM_WITH("length: 1, " SECTION "reference: clamped")},
        {5, 108, "an integer from 1 to 100000, found '0'",
         BEAM_WITH("length: 1, " SECTION "reference: free, elements: 0")},
    };
    CHECK_ALL(state, models);
}

#define ROD_WITH(keys)                                                                                                 \
    HEAD "materials: {m: {density: 1, young: 1, poisson: 0.3}, n: {density: 1, young: 1}}\nbodies:\n  a: {kind: "      \
         "rod, " keys "}\n"
#define MATRICES(C, M) "length: 1, section: {kind: general, stiffness: " C ", mass: " M "}"
#define UNIT           "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
static void rods_are_wrong(void **state)
{
    static const bad_model models[] = {
        {5, 6, "a rod has one of 'length' (straight), 'arc' and 'points', found 0 of them",
         ROD_WITH("material: m, section: {kind: circle, diameter: 1}")},
        {5, 6, "found 2 of them",
         ROD_WITH("material: m, length: 1, arc: {radius: 1, angle: 1}, section: {kind: circle, diameter: 1}")},
        {5, 6, "a rod has either 'section' or 'sections'", ROD_WITH("material: m, length: 1")},
        {5, 6, "key 'material' of a rod is missing", ROD_WITH(SECTION "length: 1")},
        {5, 28, "material 'n' has no 'poisson', which the shear of a rod needs; or say shear: rigid",
         ROD_WITH("material: n, length: 1, " SECTION "elements: 2")},
        {5, 28, "'material' does not apply to sections by their matrices",
         ROD_WITH("material: m, " MATRICES(UNIT, UNIT))},
        {5, 65, "expected a positive definite matrix", ROD_WITH(MATRICES("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]", UNIT))},
        {5, 65, "expected a symmetric matrix, found 0 and 0.5 in rows 2 and 1",
         ROD_WITH(MATRICES("[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]", UNIT))},
        {5, 65, "expected 3 rows of 3 numbers, found 1 of 2", ROD_WITH(MATRICES("[[1, 2]]", UNIT))},
        {5, 106, "expected the mass matrix of a section",
         ROD_WITH(MATRICES(UNIT, "[[1, 0, 0], [0, 2, 0], [0, 0, 1]]"))},
        {5, 26, "expected the origin as the first point",
         ROD_WITH("points: [[1, 0], [2, 0]], material: m, section: {kind: circle, diameter: 1}")},
        {6, 19, "column 'energy' always exists",
         ROD_WITH(SECTION "length: 1, material: m") "outputs: {energy: {shear_force: a@0.5}}\n"},
        {5, 89, "the damping of a rod is that of its strains",
         ROD_WITH(SECTION "length: 1, material: m, damping: {mass: 1}")},
    };
    CHECK_ALL(state, models);
}

/* Other bases of a beam. */
static void beams_in_modes_are_wrong(void **state)
{
#define CLAMPED "length: 1, " SECTION "reference: cantilever, "
    static const bad_model models[] = {
        {5, 111, "an integer from 1 to 4000, found '0'", BEAM_WITH(CLAMPED "modes: 0")},
        {5, 111, "an integer from 1 to 4000, found '2.5'", BEAM_WITH(CLAMPED "modes: 2.5")},
        {5, 111, "found a list of 1", BEAM_WITH(CLAMPED "modes: [{frequency: 1}]")},
        {5, 104, "did you mean 'modes'?", BEAM_WITH(CLAMPED "mode: 2")},
        {5, 113, "expected one of mixed, paper, assumed, found 'assume'; did you mean 'assumed'?",
         BEAM_WITH(CLAMPED "element: assume")},
        {5, 113, "'element: assumed' needs 'modes'", BEAM_WITH(CLAMPED "element: assumed")},
        {5, 142, "'elements' does not apply to 'element: assumed'",
         BEAM_WITH(CLAMPED "element: assumed, modes: 2, elements: 3")},
        {5, 139, "'order' does not apply to 'element: assumed'",
         BEAM_WITH(CLAMPED "element: assumed, modes: 2, order: 3")},
        {5, 120, "expected 'reference: cantilever'",
         BEAM_WITH("length: 1, " SECTION "element: assumed, modes: 2, reference: free")},
        {5, 144, "'stiffening' does not go together with 'element: assumed'",
         BEAM_WITH(CLAMPED "element: assumed, modes: 2, stiffening: true")},
        {5, 111, "expected at most 48 'modes' with 'stiffening', found 49; or leave",
         BEAM_WITH(CLAMPED "modes: 49, stiffening: true")},
    };
    CHECK_ALL(state, models);
}

static void modal_bodies_are_wrong(void **state)
{
#define MODAL(keys) BODY("kind: modal, mass: 1, inertia: 1, " keys)
#define MODES       "modes: [{frequency: 1}, {frequency: 2}]"
    static const bad_model models[] = {
        {4, 6, "key 'modes' of a body is missing", MODAL("ports: {}")},
        {4, 6, "key 'inertia' of a body is missing", BODY("kind: modal, mass: 1, " MODES)},
        {4, 48, "expected at least one mode; a body without modes is 'rigid'", MODAL("modes: []")},
        {4, 48, "expected a list, found '3'", MODAL("modes: 3")},
        {4, 49, "key 'frequency' of a mode is missing: natural frequency of the body held by its frame (Hz)",
         MODAL("modes: [{damping: 0.1}]")},
        {4, 61, "expected a number greater than 0, found '0'", MODAL("modes: [{frequency: 0}]")},
        {4, 73, "not less than 0, found '-1'", MODAL("modes: [{frequency: 1, damping: -1}]")},
        {4, 50, "unknown key 'freqency' in a mode; did you mean 'frequency'?", MODAL("modes: [{freqency: 1}]")},
        {4, 77, "expected a list of 2 numbers, found a list of 3",
         MODAL("modes: [{frequency: 1, translation: [1, 2, 3]}]")},
        {4, 74, "expected a number, found a list of 1", MODAL("modes: [{frequency: 1, rotation: [1]}]")},
        {4, 102, "expected one shape for each of the 2 modes of the body, found 1",
         MODAL(MODES ", ports: {A: {shapes: [{}]}}")},
        {4, 104, "unknown key 'translatoin' in a shape at a port; did you mean 'translation'?",
         MODAL(MODES ", ports: {A: {shapes: [{translatoin: [0, 1]}, {}]}}")},
        {4, 104, "port P is the origin of the body", MODAL(MODES ", ports: {P: {position: [1, 0]}}")},
        {4, 114, "'angle' and 'rotation' of a port say the same", MODAL(MODES ", ports: {A: {angle: 1, rotation: 1}}")},
        {4, 106, "expected a list of 1 matrix of 2 x 2 numbers, one row for each mode, found a list of 2",
         MODAL(MODES ", second_order: {inertia: [1, 2]}")},
        {4, 110, "of 2 x 2 numbers, one row for each mode, found a list of 1",
         MODAL(MODES ", second_order: {gyroscopic: [[1]]}")},
        {4, 119, "expected a list of 2 numbers, found a list of 1",
         MODAL(MODES ", second_order: {gyroscopic: [[[0, 1], [1]]]}")},
        {4, 82, "key 'damping' does not apply to a body with 'modal', only with: rigid, beam",
         MODAL(MODES ", damping: {modal: 0.1}")},
        {4, 41, "key 'second_order' does not apply to a body with 'rigid', only with: modal",
         BODY("kind: rigid, mass: 1, inertia: 1, second_order: {}")},
        {4, 102, "a has no port 'C'", MODAL(MODES ", point_masses: [{at: C, mass: 1}]")},
        {5, 48,
         "'@' names a point of a beam, plate, solid, imported body, reduced body, rod or shell, a is given by its "
         "modes; use "
         "one "
         "of its ports, 'a.P'",
         MODAL(MODES) "joints: {j: {kind: revolute, ports: [ground.O, a@1]}}\n"},
        {5, 38, "expected the name of a beam or rod, body 'a' is given by its modes",
         MODAL(MODES) "loads: {l: {distributed: [0, 1], on: a}}\n"},
        {5, 31, "expected a point of a beam or a plate like body@0.5 or body@12, a is given by its modes",
         MODAL(MODES) "outputs: {o: {bending_moment: a.P}}\n"},
    };
    CHECK_ALL(state, models);
    static const bad_model in_space[] = {
        {3, 88, "expected a list of 6 numbers, found '1'",
         SPACE "bodies: {a: {kind: modal, mass: 1, inertia: [1, 1, 1], modes: [{frequency: 1, inertia: 1}]}}\n"},
        {3, 108, "expected a list of 3 matrices of 1 x 1 numbers, one row for each mode, found a list of 1",
         SPACE "bodies: {a: {kind: modal, mass: 1, inertia: [1, 1, 1], modes: [{frequency: 1}], second_order: "
               "{gyroscopic: [[[1]]]}}}\n"},
    };
    CHECK_ALL(state, in_space);
}

static void sections_are_wrong(void **state)
{
#define WITH_SECTION(keys)         BEAM_WITH("length: 1, reference: free, section: {" keys "}")
#define STATION(at)                "{at: " at ", section: {kind: circle, diameter: 0.1}}"
#define WITH_STATIONS(keys, where) BEAM_WITH("length: 1, sections: [" where "], " keys)
    static const bad_model models[] = {
        {5, 69, "key 'kind' of a section is missing", WITH_SECTION("diameter: 1")},
        {5, 76, "expected one of circle, tube, rectangle, general, found 'disc'", WITH_SECTION("kind: disc")},
        {5, 69, "key 'diameter' of a section is missing", WITH_SECTION("kind: circle")},
        {5, 84, "key 'width' does not apply to a section with 'circle', only with: rectangle",
         WITH_SECTION("kind: circle, width: 1, diameter: 1")},
        {5, 99, "inner diameter less than the outer one", WITH_SECTION("kind: tube, outer: 1, inner: 1     ")},
        {5, 99, "not less than 0", WITH_SECTION("kind: tube, outer: 1, inner: -1")},
        {5, 95, "greater than 0", WITH_SECTION("kind: rectangle, height: -1, width: 1")},
        {5, 85, "key 'torsion' of a section exists only with dimension 3",
         WITH_SECTION("kind: general, torsion: 1, area: 1, inertia: 1")},
        {5, 103, "expected a number greater than 0, found a list of 2",
         WITH_SECTION("kind: general, area: 1, inertia: [1, 1]")},
        {5, 69, "the section has area", WITH_SECTION("kind: circle, diameter: 1e-200")},
        {5, 91, "a beam has either 'section' or 'sections'", BEAM_WITH("length: 1, " SECTION "sections: []")},
        {5, 53, "expected a first station at 0 and a last one at 1",
         WITH_STATIONS("reference: free", STATION("0") ", " STATION("0.5"))},
        {5, 53, "expected stations with ascending 'at', found 0.25 behind 0.5",
         WITH_STATIONS("reference: free", STATION("0") ", " STATION("0.5") ", " STATION("0.25") ", " STATION("1"))},
        {5, 53, "'sections' does not go with 'segments'; take a rod",
         WITH_STATIONS("segments: 2", STATION("0") ", " STATION("1"))},
        {5, 53, "'sections' does not go with 'element: assumed'",
         WITH_STATIONS("element: assumed, modes: 2, reference: cantilever", STATION("0") ", " STATION("1"))},
    };
    CHECK_ALL(state, models);
}

static void joints_are_wrong(void **state)
{
    static const bad_model models[] = {
        {5, 13, "found 'revolut'; did you mean 'revolute'?", JOINT("kind: revolut")},
        {5, 13, "kind 'spherical' exists only with dimension 3, this model has 2", JOINT("kind: spherical")},
        {5, 6, "key 'ports' of a joint is missing", JOINT("kind: revolute")},
        {5, 30, "expected two ports [A, B], found a list of 1", JOINT("kind: revolute, ports: [a.P]")},
        {5, 30, "expected two ports [A, B], found 'a.P'", JOINT("kind: revolute, ports: a.P")},
        {5, 36, "did you mean 'b.P'?", JOINT("kind: revolute, ports: [a.P, b]")},
        {5, 31, "did you mean 'ground.O'?", JOINT("kind: revolute, ports: [ground, b.P]")},
        {5, 31, "expected the name of a body or ground before the port, found 'grund'; did you mean 'ground'?",
         JOINT("kind: revolute, ports: [grund.O, b.P]")},
        {5, 31, "the ground has no port 'Q'", JOINT("kind: revolute, ports: [ground.Q, b.P]")},
        {5, 36, "b has no port 'C'", JOINT("kind: revolute, ports: [a.P, b.C]")},
        {5, 36, "'@' names a point of a beam, plate, solid, imported body, reduced body, rod or shell, b is rigid",
         JOINT("kind: revolute, ports: [a.P, b@0.5]")},
        {5, 30, "both ports belong to 'a'", JOINT("kind: revolute, ports: [a.P, a.P]")},
        {5, 30, "both ports belong to 'ground'", JOINT("kind: revolute, ports: [ground.O, ground.O]")},
        {5, 6, "key 'axis' of a joint is missing", JOINT("kind: prismatic, ports: [a.P, b.P]")},
        {5, 49, "a direction must not be zero", JOINT("kind: prismatic, ports: [a.P, b.P], axis: [0, 0]")},
        {5, 49, "a list of 2 numbers, found a list of 3", JOINT("kind: prismatic, ports: [a.P, b.P], axis: [1, 0, 0]")},
        {5, 42, "key 'axis' does not apply to a joint with 'revolute', only with: prismatic, slider",
         JOINT("kind: revolute, ports: [a.P, b.P], axis: [0, 1]")},
        {5, 54, "key 'axis_b' does not apply to a joint with 'slider'",
         JOINT("kind: slider, ports: [a.P, b.P], axis: [0, 1], axis_b: [1, 0]")},
        {5, 42, "key 'position' does not apply to a joint with 'revolute'",
         JOINT("kind: revolute, ports: [a.P, b.P], position: 1")},
        {5, 43, "key 'angle' does not apply to a joint with 'prismatic'",
         JOINT("kind: prismatic, ports: [a.P, b.P], angle: 1, axis: [1, 0]")},
        {5, 38, "key 'speed' does not apply to a joint with 'weld'", JOINT("kind: weld, ports: [a.P, b.P], speed: 1")},
        {5, 38, "key 'rotation' of a joint exists only with dimension 3",
         JOINT("kind: weld, ports: [a.P, b.P], rotation: 1")},
        {5, 48, "expected one value, found a list of 2", JOINT("kind: revolute, ports: [a.P, b.P], rate: [1, 2]")},
        {5, 53, "not less than 0", JOINT("kind: revolute, ports: [a.P, b.P], stiffness: -1")},
        {5, 49, "'t' stands for time", JOINT("kind: revolute, ports: [a.P, b.P], angle: t")},
        {5, 51, "'s' stands for the place", JOINT("kind: revolute, ports: [a.P, b.P], speed: 2*s")},
        {5, 50, "expected a signal", JOINT("kind: revolute, ports: [a.P, b.P], speed: [[1]]")},
    };
    static const bad_model commas[] = {
        {5, 57, "unknown key 't)' in a joint; inside [...]",
         JOINT("kind: revolute, ports: [a.P, b.P], effort: min(1, t)")},
        {5, 57, "an expression that contains a comma must be quoted",
         JOINT("kind: revolute, ports: [a.P, b.P], effort: min(1, t)")},
        {4, 20, "found a list of 4; inside [...] and {...} an expression that contains a comma must be quoted",
         RIGID "loads: {l: {force: [ramp(t, 0, 1), 0], at: a.P}}\n"},
    };
    CHECK_ALL(state, commas);
    static const bad_model tables[] = {
        {5, 49, "'motion' prescribes this coordinate, its start and its rate; leave out 'speed'",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: 2, motion: t")},
        {5, 49, "leave out 'angle'", JOINT("kind: revolute, ports: [a.P, b.P], angle: 2, motion: t")},
        {5, 57, "expected the times [begin, end]",
         JOINT("kind: revolute, ports: [a.P, b.P], motion: {ramp: [1, 1], to: 1}")},
        {5, 85, "cannot rise for 1 s and fall for 0.5 s",
         JOINT("kind: revolute, ports: [a.P, b.P], motion: {trapezoidal: [0, 1], to: 1, rise: 1, fall: 0.5}")},
        {5, 88, "'ends' belongs to 'interpolation: spline'",
         JOINT("kind: revolute, ports: [a.P, b.P], motion: {times: [0, 1], values: [0, 1], ends: rest}")},
        {5, 50, "a spline needs at least two points, found 1",
         JOINT("kind: revolute, ports: [a.P, b.P], motion: {times: [0], values: [1], interpolation: spline}")},
        {5, 49, "a table of a signal needs one of the keys times, file, ramp, trapezoidal",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {}")},
        {5, 50, "unknown key 'time' in a table of a signal; did you mean 'times'?",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {time: [0], values: [1]}")},
        {5, 49, "key 'values' of a table of a signal is missing",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {times: [0]}")},
        {5, 76, "expected as many values as times, 2, found 1",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {times: [0, 1],    values: [1]}")},
        {5, 61, "expected a time after the one before it, 1, found '1'",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {times: [1, 1], values: [1, 2]}")},
        {5, 56, "cannot read 'none.csv': No such file",
         JOINT("kind: revolute, ports: [a.P, b.P], speed: {file: none.csv, column: x}")},
        {5, 56, "a regular file", JOINT("kind: revolute, ports: [a.P, b.P], speed: {file: /dev/zero, column: x}")},
    };
    CHECK_ALL(state, tables);
    CHECK_ALL(state, models);
}

static void springs_and_loads_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 24, "never changes", RIGID "springs: {s: {  ports: [a.P, a.P]}}\n"},
        {5, 24, "the distance of 'a.P' and 'a.Q' never changes",
         BODY("kind: rigid, mass: 1, inertia: 1, ports: {Q: {position: [1, 0]}}") "springs: {s: {  ports: [a.P, "
                                                                                  "a.Q]}}\n"},
        {5, 24, "the distance of 'a@1' and 'a.C' never changes", BEAM "springs: {s: {  ports: [a@1, a.C]}}\n"},
        {4, 42, "not less than 0", RIGID "springs: {s: {ports: [a.P, b.P], length: -1}}\n"},
        {4, 12, "a load needs one of the keys force, torque, distributed", RIGID "loads: {l: {at: a.P}}\n"},
        {4, 28, "'torque' and 'force' do not go together in a load",
         RIGID "loads: {l: {force: [0, 1], torque: 1, at: a.P}}\n"},
        {4, 20, "expected a list of 2 signals", RIGID "loads: {l: {force: 1, at: a.P}}\n"},
        {4, 20, "expected a list of 2 signals, one for each component, found a list of 3",
         RIGID "loads: {l: {force: [0, 0, 1], at: a.P}}\n"},
        {4, 12, "key 'at' of a load is missing", RIGID "loads: {l: {force: [0, 1]}}\n"},
        {4, 32, "the ground does not move", RIGID "loads: {l: {force: [0, 1], at: ground.O}}\n"},
        {4, 44, "found 'world'", RIGID "loads: {l: {force: [0, 1], at: a.P, frame: world}}\n"},
        {4, 38, "expected the name of a beam or rod, body 'a' is rigid",
         RIGID "loads: {l: {distributed: [0, 1], on: a}}\n"},
        {4, 38, "expected the name of a beam or rod, found 'c'", RIGID "loads: {l: {distributed: [0, 1], on: c}}\n"},
        {4, 34, "key 'at' does not apply to a load with 'distributed'",
         RIGID "loads: {l: {distributed: [0, 1], at: a}}\n"},
        {5, 32, "expected a fraction of the length in [0, 1] after '@', found '1.5'",
         BEAM "loads: {l: {force: [0, 1], at: a@1.5}}\n"},
        {5, 36, "unknown name 'x'", BEAM "loads: {l: {force: [0, 1], at: a@1*x}}\n"},
        {5, 34, "an empty expression", BEAM "loads: {l: {force: [0, 1], at: a@}}\n"},
    };
    CHECK_ALL(state, models);
}

static void outputs_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 15, "unknown key 'positions' in an output; did you mean 'position'?",
         RIGID "outputs: {o: {positions: a.P}}\n"},
        {4, 14, "an output needs one of the keys position", RIGID "outputs: {o: {frame: body}}\n"},
        {4, 30, "do not go together", RIGID "outputs: {o: {position: a.P, velocity: a.P}}\n"},
        {4, 25, "expected a port like body.PORT", RIGID "outputs: {o: {position: a}}\n"},
        {4, 37, "expected one of inertial, body, found 'bod'", RIGID "outputs: {o: {position: a.P, frame: bod}}\n"},
        {4, 27, "key 'frame' does not apply to an output with 'angle'",
         RIGID "outputs: {o: {angle: a.P, frame: body}}\n"},
        {4, 15, "'torsion' exists only with dimension 3", RIGID "outputs: {o: {torsion: a.P}}\n"},
        {4, 23, "expected a point of a beam, a plate or a solid like body@0.5 or body@12, a is rigid",
         RIGID "outputs: {o: {stress: a.P}}\n"},
        {4, 28, "expected a point of a beam or rod like body@0.5, ground is no body",
         RIGID "outputs: {o: {axial_force: ground.O}}\n"},
        {4, 23, "expected the name of a joint, found 'j'", RIGID "outputs: {o: {effort: j}}\n"},
        {5, 27, "joint 'j' is a weld and has no free coordinate",
         RIGID "joints: {j: {kind: weld, ports: [a.P, b.P]}}\noutputs: {o: {coordinate: j}}\n"},
        {4, 19, "column 'energy' always exists", RIGID "outputs: {energy: {angle: a.P}}\n"},
        {6, 23, "needs the distance of the extreme fibres",
         HEAD
         "materials: {m: {density: 1, young: 1}}\nbodies:\n  a: {kind: beam, material: m, length: 1, reference: free, "
         "section: {kind: general, area: 1, inertia: 1}}\noutputs: {o: {stress: a@0.5}}\n"},
    };
    CHECK_ALL(state, models);
}

static void analyses_are_wrong(void **state)
{
    static const bad_model models[] = {
        {4, 24, "expected one of zero, quasi_static, found 'static'", RIGID "initial: {deformation: static}\n"},
        {4, 36, "'from' and 'deformation' do not go together", RIGID "initial: {deformation: zero, from: x.h5}\n"},
        {4, 20, "unknown key 'stpe' in a simulate; did you mean 'step'?", RIGID "simulate: {end: 1, stpe: 1}\n"},
        {4, 17, "greater than 0, found '0'", RIGID "simulate: {end: 0}\n"},
        {4, 24, "found 'radau'; did you mean 'radau5'?", RIGID "simulate: {integrator: radau}\n"},
        {4, 16, "an integer from 1 to 1000000, found '2.5'", RIGID "modes: {count: 2.5}\n"},
        {4, 13, "found 'begin'", RIGID "modes: {at: begin}\n"},
        {4, 9, "expected a name under 'parameters', found 'q'", RIGID "sweep: {q: {from: 0, to: 1, count: 3}}\n"},
        {4, 12, "a sweep needs one of the keys from, values", RIGID "sweep: {q: {to: 1, count: 3}}\n"},
        {5, 9, "expected a name under 'parameters', found 'qq'; did you mean 'pq'?",
         RIGID "parameters: {pq: 1}\nsweep: {qq: {values: [1]}}\n"},
        {5, 38, "at least 2", RIGID "parameters: {q: 1}\nsweep: {q: {from: 0, to: 1, count:   1}}\n"},
        {5, 12, "key 'to' of a sweep is missing", RIGID "parameters: {q: 1}\nsweep: {q: {from: 0, count: 2}}\n"},
        {5, 58, "more than 1e7",
         RIGID "parameters: {p: 1, q: 1}\nsweep: {p: {from: 0, to: 1, count: 1000000},          q: {from: 0, to: 1, "
               "count: 11}}\n"},
    };
    CHECK_ALL(state, models);
}

static void space_is_wrong(void **state)
{
#define SPACE_BODY(keys)  SPACE "bodies:\n  a: {kind: rigid, mass: 1, " keys "}\n"
#define SPACE_JOINT(keys) SPACE_BODY("inertia: [1, 1, 1]") "joints:\n  j: {ports: [ground.O, a.P], " keys "}\n"
    static const bad_model models[] = {
        {4, 38, "principal moments [Ixx, Iyy, Izz] or 3 rows", SPACE_BODY("inertia: 1")},
        {4, 38, "no body has this inertia", SPACE_BODY("inertia: [1, 1, 3]")},
        {4, 38, "no body has this inertia", SPACE_BODY("inertia: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]")},
        {4, 38, "must be symmetric; entries 1,2 and 2,1 differ",
         SPACE_BODY("inertia: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]")},
        {4, 42, "not less than 0", SPACE_BODY("inertia: [1, -1, 1]")},
        {4, 56, "key 'angle' of a pose exists only with dimension 2",
         SPACE_BODY("inertia: [1, 1, 1], pose: {angle: 1}")},
        {4, 66, "a rotation needs one of the keys axis, quaternion, matrix",
         SPACE_BODY("inertia: [1, 1, 1], pose: {rotation: {angle: 1}}")},
        {4, 66, "expected a map with the keys of a rotation, found '1'",
         SPACE_BODY("inertia: [1, 1, 1], pose: {rotation: 1}")},
        {4, 79, "other than zero", SPACE_BODY("inertia: [1, 1, 1], pose: {rotation: {quaternion: [0, 0, 0, 0]}}")},
        {4, 75, "the matrix is no rotation",
         SPACE_BODY("inertia: [1, 1, 1], pose: {rotation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}")},
        {4, 66, "key 'angle' of a rotation is missing",
         SPACE_BODY("inertia: [1, 1, 1], pose: {rotation: {axis: [1, 0, 0]}}")},
        {6, 6, "key 'axis' of a joint is missing", SPACE_JOINT("kind: revolute")},
        {6, 54, "expected a list of 3 values, one for each free coordinate, found '1'",
         SPACE_JOINT("kind: spherical, rate: 1")},
        {6, 54, "two directions [a, b]", SPACE_JOINT("kind: universal, axes: [1, 0, 0]")},
        {6, 84, "a list of 2 values, one for each free coordinate",
         SPACE_JOINT("kind: universal, axes: [[1, 0, 0], [0, 1, 0]], rate: [1, 2, 3]")},
        {6, 31, "key 'normal' does not apply to a joint with 'weld', only with: planar",
         SPACE_JOINT("normal: [0, 0, 1], kind: weld")},
        {4, 36, "has no 'poisson', which the torsion of a beam in space needs",
         SPACE
         "materials: {m: {density: 1, young: 1}}\nbodies: {a: {kind: beam, material: m, length: 1, reference: free, "
         "section: {kind: circle, diameter: 1}}}\n"},
        {7, 15, "'angle' exists only with dimension 2",
         SPACE_BODY("inertia: [1, 1, 1]") "# \n# \noutputs: {o: {angle: a.P}}\n"},
    };
    CHECK_ALL(state, models);
}

/* Aliases may repeat, but not until memory is full. */
static void alias_bombs_are_refused(void **state)
{
    static char text[4000];
    size_t n = (size_t)snprintf(text, sizeof text, HEAD "title: [&a0 [x, x, x, x, x, x, x, x, x, x]");
    for (int k = 1; k < 12; k++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, ", &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]",
                             k, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
    snprintf(text + n, sizeof text - n, "]\n");
    phx_model *model = NULL;
    assert_int_equal(phx_model_read_text(*state, "bomb", text, strlen(text), 0, NULL, &model), PHX_ERR_INPUT);
    assert_memory_equal(phx_context_message(*state), "bomb:3:", 7);
    assert_non_null(strstr(phx_context_message(*state), "aliases expand to more than 500000 entries"));
}

/* CSV tables: the file of the test data is written here, wrong in turn. */
static void tables_in_files_are_wrong(void **state)
{
    static const struct {
        const char *csv, *fragment;
    } cases[] = {
        {"", "bad.csv:1: no column 'x'"},
        {"t,y\n0,1\n", "bad.csv:1: no column 'x'"},
        {"t,x\n", "no line of numbers"},
        {"t,x\n0\n", "bad.csv:2: expected 2 columns, as there are names, found 1"},
        {"t,x\n0,0,5\n", "bad.csv:2: expected 2 columns, as there are names, found 3"},
        {"t,x\n0,1,\n", "bad.csv:2: expected 2 columns, as there are names, found 3"},
        {"t,x,\n0,0,5\n", "bad.csv:2: found '5' in column 3, which has no name"},
        {"t,x\n0,\"1,5\"\n",
         "bad.csv:2: expected a finite number in column 2, found '1,5'; the decimal sign is a point"},
        {"t,x\n0;1,5\n", "bad.csv:2: expected a finite number in column 1, found '0;1'"},
        {"t;x\n0,1\n", "bad.csv:2: expected 2 columns, as there are names, found 1"},
        {"t;x\n0;1,5\n1;2.5\n", "bad.csv:2: column 2: found '1,5', but '2.5' in line 3 has another decimal sign"},
        {"t;x\n0;1,500\n1;2,250\n", "bad.csv:2: column 2: the comma of '1,500' may be a decimal sign"},
        {"t;x\n0;1.234,5\n", "bad.csv:2: expected a finite number in column 2, found '1.234,5'"},
        {"t;x\n0;1,234,567\n", "bad.csv:2: expected a finite number in column 2, found '1,234,567'"},
        {"t;x,y\n0;1\n", "bad.csv:1: both ',' and ';' stand between the names"},
        {"t,x,x\n0,1,2\n", "bad.csv:1: the columns 2 and 3 have the same name 'x'"},
        {"t,y,x,y\n0,1,2,3\n", "bad.csv:1: the columns 2 and 4 have the same name 'y'"},
        {"t,x\n0,\"1\n", "bad.csv:2: column 2: the quote that ends the cell is missing"},
        {"t,x\n0,\"1\"2\n", "bad.csv:2: column 2: letters behind the quote"},
        {"t,x\n0,\n", "bad.csv:2: expected a finite number in column 2, found ''"},
        {"\xFF\xFEt", "it is UTF-16; save it as UTF-8"},
        {"t,x\r\n0,1\r\n0,1\r\n", "bad.csv:3: time 0 is not after"},
        {"t,x\n0,a\n", "bad.csv:2: expected a finite number in column 2, found 'a'"},
        {"t,x\n0,nan\n", "bad.csv:2: expected a finite number"},
        {"t,x\n0,1\n\n0,1\n", "bad.csv:4: time 0 is not after the one before it, 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FILE *file = fopen("bad.csv", "wb");
        assert_non_null(file);
        fputs(cases[k].csv, file);
        fclose(file);
        phx_model *model = NULL;
        const char text[] = JOINT("kind: revolute, ports: [a.P, b.P], speed: {file: bad.csv, column: x}");
        assert_int_equal(phx_model_read_text(*state, "bad.yaml", text, strlen(text), 0, NULL, &model), PHX_ERR_INPUT);
        const char *message = phx_context_message(*state);
        if (strncmp(message, "bad.yaml:5:56: ", 15) != 0 || !strstr(message, cases[k].fragment))
            fail_msg("table %zu: %s; expected ...%s...", k, message, cases[k].fragment);
    }
    remove("bad.csv");
}

/* strtod would end at the zero, and find 1. */
static void a_zero_in_a_table_is_refused(void **state)
{
    static const char bytes[] = "t,x\n0,1\0002\n1,3\n";
    FILE *file = fopen("zero.csv", "wb");
    assert_non_null(file);
    fwrite(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    phx_model *model = NULL;
    const char text[] = JOINT("kind: revolute, ports: [a.P, b.P], speed: {file: zero.csv, column: x}");
    assert_int_equal(phx_model_read_text(*state, "bad.yaml", text, strlen(text), 0, NULL, &model), PHX_ERR_INPUT);
    if (!strstr(phx_context_message(*state), "zero.csv:2:4: a byte that is zero"))
        fail_msg("%s", phx_context_message(*state));
    remove("zero.csv");
}

static void files_are_missing(void **state)
{
    phx_model *model = NULL;
    assert_int_equal(phx_model_read(*state, "no/such/model.yaml", 0, NULL, &model), PHX_ERR_FILE);
    assert_non_null(strstr(phx_context_message(*state), "no/such/model.yaml"));
    assert_int_equal(phx_model_read(*state, "/", 0, NULL, &model), PHX_ERR_FILE);
    assert_int_equal(phx_model_read(*state, NULL, 0, NULL, &model), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_model_read_text(*state, "x", NULL, 0, 0, NULL, &model), PHX_ERR_ARGUMENT);
    assert_null(model);
    phx_model_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(yaml_is_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(forces_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(laws_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(top_level_is_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(parameters_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(lists_of_parameters_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bodies_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rods_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beams_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(beams_in_modes_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(modal_bodies_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sections_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(joints_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(springs_and_loads_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(outputs_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(analyses_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(space_is_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(alias_bombs_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(tables_in_files_are_wrong, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_zero_in_a_table_is_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(files_are_missing, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_bad", tests, NULL, NULL);
}

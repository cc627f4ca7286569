/* Integration rules of cells as products of rules on simplices.
 *
 * Triangles: orbits of Strang and Fix, Dunavant; tetrahedra: Keast (4 points), Walkington (14 points). An orbit is a
 * point with barycentric coordinates that are permuted in all ways. */
#include "shape.h"

#include "fe/fe.h"
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 14 };

/* A rule on one simplex, weights with the sum of its volume. */
typedef struct simplex_rule {
    int n;
    double xi[MOST_POINTS][3], w[MOST_POINTS];
} simplex_rule;

static void add_point(simplex_rule *rule, double w, double r, double s, double t)
{
    rule->xi[rule->n][0] = r;
    rule->xi[rule->n][1] = s;
    rule->xi[rule->n][2] = t;
    rule->w[rule->n++] = w;
}

static void line_rule(int degree, simplex_rule *rule)
{
    double point[PHX_GAUSS_MAX], weight[PHX_GAUSS_MAX];

    rule->n = phx_gauss_count(degree);
    phx_gauss(rule->n, point, weight);
    for (int k = 0; k < rule->n; k++) {
        rule->xi[k][0] = 2.0 * point[k] - 1.0;
        rule->w[k] = 2.0 * weight[k];
    }
}

/* (1 - 2a, a, a) in its three orders; w for each, relative to the area. */
static void triangle_orbit(simplex_rule *rule, double w, double a)
{
    add_point(rule, 0.5 * w, a, a, 0.0);
    add_point(rule, 0.5 * w, 1.0 - 2.0 * a, a, 0.0);
    add_point(rule, 0.5 * w, a, 1.0 - 2.0 * a, 0.0);
}

/* Rule on the triangle that is exact for polynomials of the given degree, at most 5. */
static void triangle_rule(int degree, simplex_rule *rule)
{
    if (degree <= 1) {
        add_point(rule, 0.5, 1.0 / 3.0, 1.0 / 3.0, 0.0);
    } else if (degree == 2) {
        triangle_orbit(rule, 1.0 / 3.0, 1.0 / 6.0);
    } else if (degree <= 4) {
        triangle_orbit(rule, 0.223381589678011465695, 0.445948490915964886319);
        triangle_orbit(rule, 0.109951743655321867638, 0.091576213509770743460);
    } else {
        const double root = sqrt(15.0);
        add_point(rule, 0.5 * 9.0 / 40.0, 1.0 / 3.0, 1.0 / 3.0, 0.0);
        triangle_orbit(rule, (155.0 + root) / 1200.0, (6.0 + root) / 21.0);
        triangle_orbit(rule, (155.0 - root) / 1200.0, (6.0 - root) / 21.0);
    }
}

/* (1 - 3a, a, a, a) in its four orders; w for each, relative to the volume. */
static void corner_orbit(simplex_rule *rule, double w, double a)
{
    const double b = 1.0 - 3.0 * a;

    add_point(rule, w / 6.0, a, a, a);
    add_point(rule, w / 6.0, b, a, a);
    add_point(rule, w / 6.0, a, b, a);
    add_point(rule, w / 6.0, a, a, b);
}

/* (1/2 - a, 1/2 - a, a, a) in its six orders */
static void edge_orbit(simplex_rule *rule, double w, double a)
{
    const double b = 0.5 - a;

    add_point(rule, w / 6.0, a, a, b);
    add_point(rule, w / 6.0, a, b, a);
    add_point(rule, w / 6.0, b, a, a);
    add_point(rule, w / 6.0, b, b, a);
    add_point(rule, w / 6.0, b, a, b);
    add_point(rule, w / 6.0, a, b, b);
}

static void tetrahedron_rule(int degree, simplex_rule *rule)
{
    if (degree <= 1) {
        add_point(rule, 1.0 / 6.0, 0.25, 0.25, 0.25);
    } else if (degree == 2) {
        corner_orbit(rule, 0.25, (5.0 - sqrt(5.0)) / 20.0);
    } else {
        corner_orbit(rule, 0.11268792571801585080, 0.31088591926330060980);
        corner_orbit(rule, 0.073493043116361949544, 0.092735250310891226402);
        edge_orbit(rule, 0.042546020777081466438, 0.045503704125649649492);
    }
}

/* Integration rule of a cell as the product of rules on its simplices and lines, with exactness of the given
 * degrees. */
void phx_cell_rule(phx_cell_type type, int simplex_degree, int line_degree, phx_rule *rule)
{
    int size[3], dimension = 0;
    const int factors = phx_cell_factors(type, size);

    rule->n = 1;
    rule->w[0] = 1.0;
    for (int f = 0; f < factors; f++) {
        simplex_rule part = {0};
        if (size[f] == 1)
            line_rule(line_degree, &part);
        else if (size[f] == 2)
            triangle_rule(simplex_degree, &part);
        else
            tetrahedron_rule(simplex_degree, &part);
        /* from the last copy of the points so far to the first, which the copies are made of */
        for (int k = part.n - 1; k >= 0; k--)
            for (int g = 0; g < rule->n; g++) {
                const int at = k * rule->n + g;
                memmove(rule->xi[at], rule->xi[g], (size_t)dimension * sizeof(double));
                memcpy(rule->xi[at] + dimension, part.xi[k], (size_t)size[f] * sizeof(double));
                rule->w[at] = rule->w[g] * part.w[k];
            }
        rule->n *= part.n;
        dimension += size[f];
    }
}

/* Strains, forces and tangents of an element, from its tables (element.h). */
#include "element.h"

#include <string.h>

enum { COMPONENTS = 3 * PHX_VECTOR_CELL_VECTORS, MEASURES = 162 };

/* Rows at z, from which the place of the first node is subtracted. */
static void cell_rows(const phx_vector_cell_table *table, const double *z, double rows[PHX_VECTOR_CELL_ROWS][3])
{
    double own[COMPONENTS];

    for (int k = 0; k < 3 * table->n_vectors; k++)
        own[k] = k < 3 * table->n_nodes ? z[k] - z[k % 3] : z[k];
    for (int i = 0; i < table->n_rows; i++) {
        const phx_vector_cell_row *row = &table->row[i];
        const double *from = own + 3 * row->first;
        double x = 0.0, y = 0.0, w = 0.0;
        for (int k = 0; k < table->n_nodes; k++) {
            x += row->factor[k] * from[3 * k];
            y += row->factor[k] * from[3 * k + 1];
            w += row->factor[k] * from[3 * k + 2];
        }
        rows[i][0] = x;
        rows[i][1] = y;
        rows[i][2] = w;
    }
}

/* Strains of the measures m. */
static void strains_of(const phx_vector_cell *of, const double *m, double *E)
{
    const phx_vector_cell_table *table = of->table;
    int offset = 0;

    for (int p = 0; p < table->n_parts; p++) {
        const phx_vector_cell_part *part = &table->part[p];
        const double *T = of->T[p];
        for (int g = 0; g < table->n_points; g++) {
            const double *from = m + part->first_measure + (part->own ? part->n_measures * g : 0);
            for (int i = 0; i < part->strains; i++, T += part->n_measures) {
                double sum = 0.0;
                for (int k = 0; k < part->n_measures; k++)
                    sum += T[k] * from[k];
                E[g * table->n_strains + offset + i] = sum;
            }
        }
        offset += part->strains;
    }
}

/* sigma = T^T W S over the measures. */
static void measure_forces(const phx_vector_cell *of, const double *S, double *sigma)
{
    const phx_vector_cell_table *table = of->table;
    int offset = 0;

    memset(sigma, 0, (size_t)table->n_measures * sizeof *sigma);
    for (int p = 0; p < table->n_parts; p++) {
        const phx_vector_cell_part *part = &table->part[p];
        const double *T = of->T[p];
        for (int g = 0; g < table->n_points; g++) {
            double *to = sigma + part->first_measure + (part->own ? part->n_measures * g : 0);
            for (int i = 0; i < part->strains; i++, T += part->n_measures) {
                const double force = of->weight[g] * S[g * table->n_strains + offset + i];
                for (int k = 0; k < part->n_measures; k++)
                    to[k] += T[k] * force;
            }
        }
        offset += part->strains;
    }
}

void phx_vector_cell_strain(const phx_vector_cell *of, const double *z, double *E)
{
    const phx_vector_cell_table *table = of->table;
    double rows[PHX_VECTOR_CELL_ROWS][3], m[MEASURES] = {0};

    cell_rows(table, z, rows);
    for (int p = 0; p < table->n_products; p++) {
        const phx_vector_cell_product *product = &table->product[p];
        const double *a = rows[product->a], *b = rows[product->b];
        m[product->measure] += product->factor * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    strains_of(of, m, E);
    for (int i = 0; i < table->n_points * table->n_strains; i++)
        E[i] -= of->rest[i];
}

void phx_vector_cell_strain_rate(const phx_vector_cell *of, const double *z, const double *dz, double *dE)
{
    const phx_vector_cell_table *table = of->table;
    double rows[PHX_VECTOR_CELL_ROWS][3], rate[PHX_VECTOR_CELL_ROWS][3], m[MEASURES] = {0};

    cell_rows(table, z, rows);
    cell_rows(table, dz, rate);
    for (int p = 0; p < table->n_products; p++) {
        const phx_vector_cell_product *product = &table->product[p];
        const double *a = rows[product->a], *b = rows[product->b], *da = rate[product->a], *db = rate[product->b];
        m[product->measure] +=
            product->factor * (a[0] * db[0] + a[1] * db[1] + a[2] * db[2] + da[0] * b[0] + da[1] * b[1] + da[2] * b[2]);
    }
    strains_of(of, m, dE);
}

void phx_vector_cell_stress(const phx_vector_cell *of, const double *E, double *S)
{
    const int n = of->table->n_strains;

    for (int g = 0; g < of->table->n_points; g++)
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += of->section[n * i + j] * E[g * n + j];
            S[g * n + i] = sum;
        }
}

double phx_vector_cell_work(const phx_vector_cell *of, const double *S, const double *E)
{
    const int n = of->table->n_strains;
    double sum = 0.0;

    for (int g = 0; g < of->table->n_points; g++)
        for (int i = 0; i < n; i++)
            sum += of->weight[g] * S[g * n + i] * E[g * n + i];
    return sum;
}

/* By rows: a product f a.b with the force sigma on its measure puts f sigma b on row a and f sigma a on row b. */
void phx_vector_cell_force(const phx_vector_cell *of, const double *z, const double *S, double *f)
{
    const phx_vector_cell_table *table = of->table;
    double rows[PHX_VECTOR_CELL_ROWS][3], on[PHX_VECTOR_CELL_ROWS][3], sigma[MEASURES];

    cell_rows(table, z, rows);
    measure_forces(of, S, sigma);
    memset(on, 0, (size_t)table->n_rows * sizeof *on);
    for (int p = 0; p < table->n_products; p++) {
        const phx_vector_cell_product *product = &table->product[p];
        const double force = product->factor * sigma[product->measure];
        for (int i = 0; i < 3; i++) {
            on[product->a][i] += force * rows[product->b][i];
            on[product->b][i] += force * rows[product->a][i];
        }
    }
    for (int i = 0; i < table->n_rows; i++) {
        const phx_vector_cell_row *row = &table->row[i];
        double *to = f + 3 * row->first;
        for (int k = 0; k < table->n_nodes; k++)
            for (int a = 0; a < 3; a++)
                to[3 * k + a] += row->factor[k] * on[i][a];
    }
}

/* ---- tangent ---- */
/* Derivatives of the measures of a part (own: of point g) by the vectors, measures x 3 n_vectors. */
static void measure_slopes(const phx_vector_cell_table *table, const phx_vector_cell_part *part, int g,
                           double rows[PHX_VECTOR_CELL_ROWS][3], double slope[][COMPONENTS])
{
    const int count = part->own ? part->n_products / table->n_points : part->n_products;
    const int first = part->first_product + (part->own ? count * g : 0);
    const int base = part->first_measure + (part->own ? part->n_measures * g : 0);

    for (int m = 0; m < part->n_measures; m++)
        memset(slope[m], 0, (size_t)(3 * part->n_vectors) * sizeof(double));
    for (int p = first; p < first + count; p++) {
        const phx_vector_cell_product *product = &table->product[p];
        const int ends[2] = {product->a, product->b};
        double *to = slope[product->measure - base];
        for (int side = 0; side < 2; side++) {
            const phx_vector_cell_row *row = &table->row[ends[side]];
            const double *other = rows[ends[1 - side]];
            const double x = product->factor * other[0], y = product->factor * other[1], w = product->factor * other[2];
            double *out = to + 3 * row->first;
            for (int k = 0; k < table->n_nodes; k++) {
                out[3 * k] += row->factor[k] * x;
                out[3 * k + 1] += row->factor[k] * y;
                out[3 * k + 2] += row->factor[k] * w;
            }
        }
    }
}

/* Rows `offset` on of D at point g: T_g slope. */
static void strain_slopes(const phx_vector_cell_part *part, const double *T, double slope[][COMPONENTS],
                          double D[][COMPONENTS])
{
    const int n = 3 * part->n_vectors;

    for (int i = 0; i < part->strains; i++, T += part->n_measures)
        for (int m = 0; m < part->n_measures; m++) {
            const double factor = T[m], *from = slope[m];
            double *to = D[i];
            for (int c = 0; c < n && factor != 0.0; c++)
                to[c] += factor * from[c];
        }
}

/* D at point g, strains x 3 n_vectors; slopes: of all measures, those of the point where the part is `own`. */
static void point_slopes(const phx_vector_cell *of, int g, double rows[PHX_VECTOR_CELL_ROWS][3],
                         double slope[][COMPONENTS], double D[PHX_VECTOR_CELL_SECTION][COMPONENTS])
{
    const phx_vector_cell_table *table = of->table;
    int offset = 0, at = 0;

    for (int i = 0; i < table->n_strains; i++)
        memset(D[i], 0, (size_t)(3 * table->n_vectors) * sizeof(double));
    for (int p = 0; p < table->n_parts; p++) {
        const phx_vector_cell_part *part = &table->part[p];
        if (part->own)
            measure_slopes(table, part, g, rows, slope + at);
        strain_slopes(part, of->T[p] + g * part->strains * part->n_measures, slope + at, D + offset);
        offset += part->strains;
        at += part->n_measures;
    }
}

/* K += factor D^T C R, at a point. */
static void add_material(const phx_vector_cell *of, double factor, double D[PHX_VECTOR_CELL_SECTION][COMPONENTS],
                         double R[PHX_VECTOR_CELL_SECTION][COMPONENTS], double *K)
{
    const int s = of->table->n_strains, n = 3 * of->table->n_vectors;
    double CR[PHX_VECTOR_CELL_SECTION][COMPONENTS];

    for (int i = 0; i < s; i++) {
        memset(CR[i], 0, (size_t)n * sizeof(double));
        for (int j = 0; j < s; j++) {
            const double c = factor * of->section[s * i + j];
            for (int k = 0; k < n && c != 0.0; k++)
                CR[i][k] += c * R[j][k];
        }
    }
    for (int r = 0; r < n; r++) {
        double *row = K + r * n;
        for (int i = 0; i < s; i++) {
            const double d = D[i][r];
            for (int k = 0; k < n; k++)
                row[k] += d * CR[i][k];
        }
    }
}

/* K += factor sum sigma (alpha beta^T + beta alpha^T) x I3 */
static void add_geometric(const phx_vector_cell *of, double factor, const double *S, double *K)
{
    const phx_vector_cell_table *table = of->table;
    const int n = table->n_vectors;
    double sigma[MEASURES], G[PHX_VECTOR_CELL_VECTORS][PHX_VECTOR_CELL_VECTORS] = {{0}};

    measure_forces(of, S, sigma);
    for (int p = 0; p < table->n_products; p++) {
        const phx_vector_cell_product *product = &table->product[p];
        const phx_vector_cell_row *a = &table->row[product->a], *b = &table->row[product->b];
        const double force = factor * product->factor * sigma[product->measure];
        for (int k = 0; k < table->n_nodes; k++)
            for (int l = 0; l < table->n_nodes; l++)
                G[a->first + k][b->first + l] += force * a->factor[k] * b->factor[l];
    }
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            for (int i = 0; i < 3; i++)
                K[(3 * k + i) * 3 * n + 3 * l + i] += G[k][l] + G[l][k];
}

/* Point by point D^T C D, theory of shells (6); slopes of measures that all points use are made once. */
void phx_vector_cell_tangent(const phx_vector_cell *of, const double *left, const double *right, double c,
                             const double *S, double g, double *K)
{
    const phx_vector_cell_table *table = of->table;
    const bool same = left == right;
    double rows[2][PHX_VECTOR_CELL_ROWS][3], slope[2][96][COMPONENTS], D[2][PHX_VECTOR_CELL_SECTION][COMPONENTS];
    int at = 0;

    memset(K, 0, (size_t)(9 * table->n_vectors * table->n_vectors) * sizeof *K);
    cell_rows(table, left, rows[0]);
    if (!same)
        cell_rows(table, right, rows[1]);
    for (int p = 0; p < table->n_parts && !table->part[p].own; p++) {
        measure_slopes(table, &table->part[p], 0, rows[0], slope[0] + at);
        if (!same)
            measure_slopes(table, &table->part[p], 0, rows[1], slope[1] + at);
        at += table->part[p].n_measures;
    }
    for (int point = 0; point < table->n_points; point++) {
        point_slopes(of, point, rows[0], slope[0], D[0]);
        if (!same)
            point_slopes(of, point, rows[1], slope[1], D[1]);
        add_material(of, c * of->weight[point], D[0], D[same ? 0 : 1], K);
    }
    if (S)
        add_geometric(of, g, S, K);
}

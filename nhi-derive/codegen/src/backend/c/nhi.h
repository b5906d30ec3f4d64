/* nhi.h: what generated steps call. Header only, C99 and C++, no allocation, no globals, no recursion, bounded loops.
 *
 * NHI_REAL_FLOAT   numbers are float instead of double; the generated header defines it.
 * NHI_OWN_MATH     no function of math.h: all elementary functions are those below, good to two units in the last
 *                  place; square roots are rounded correctly, and sines and cosines of angles below 2^20 have the
 *                  same bits as without it.
 * NHI_LARGEST_GROWTH
 *                  the largest factor by which a step may multiply the kinetic energy, 10 unless defined, at least 2.
 *                  What potential, forces and driven constraints explain does not count.
 *
 * Every operation must round by itself, as IEEE 754 says: compile with -ffp-contract=off for the same bits on every
 * machine, and never with -ffast-math.
 */
#ifndef NHI_H
#define NHI_H

#include <stdint.h>
#ifndef NHI_OWN_MATH
#include <math.h>
#endif

/* Why a function could not do what it was asked for. */
typedef enum {
    NHI_OK = 0,                   /* it could */
    NHI_NOT_CONVERGED = 1,        /* neither Newton's method nor its safeguard converged; another step size may help */
    NHI_SINGULAR_CONSTRAINTS = 2, /* the constraint one-forms are linearly dependent here, or a mass is negative */
    NHI_SINGULAR_MASS = 3,        /* the mass matrix is not positive definite here */
    NHI_NON_FINITE = 4,           /* a value became infinite or not a number */
    NHI_INVALID_STEP_SIZE = 5,    /* the step size is zero, infinite or not a number */
    NHI_INVALID_ARGUMENT = 6,     /* a parameter, coordinate, velocity or input is infinite or not a number */
    NHI_INVALID_POSE = 7,         /* the matrix of the initial pose is not a rotation */
    NHI_INADMISSIBLE_VELOCITY = 8, /* the initial velocity violates a constraint by more than rounding */
    NHI_INADMISSIBLE_CONFIGURATION = 9, /* the initial configuration violates a position constraint by more than rounding */
    NHI_ENERGY_JUMP = 10          /* a step ends with more kinetic energy than it can explain, as near a singularity */
} nhi_status;

#ifdef NHI_REAL_FLOAT
typedef float nhi_real;
#define NHI_EPSILON 1.1920928955078125e-07
#else
typedef double nhi_real;
#define NHI_EPSILON 2.220446049250313e-16
#endif

#ifndef NHI_LARGEST_GROWTH
#define NHI_LARGEST_GROWTH 10.0
#endif

#define NHI_FN static inline
/* Loops that are written out with the sizes of their only call would be long. */
#ifdef __GNUC__
#define NHI_LOOP static __attribute__((noinline, unused))
#else
#define NHI_LOOP NHI_FN
#endif
#define NHI_R(x) ((nhi_real)(x))

/* Sine and cosine of one angle. */
typedef struct {
    nhi_real sin, cos;
} nhi_sines;

/* ------------------------------------------------------------------------------------------------------------------
 * Numbers.
 */

NHI_FN double nhi_nan(void)
{
    const double zero = 0.0;
    return zero / zero;
}

NHI_FN double nhi_infinity(void)
{
    const double zero = 0.0;
    return 1.0 / zero;
}

NHI_FN double nhi_abs(double x)
{
    return x < 0.0 ? -x : x + 0.0;
}

NHI_FN double nhi_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Zero if x is finite, else not a number: a sum of these tells of many numbers whether all are finite. */
NHI_FN double nhi_zero_if_finite(double x)
{
    return x * 0.0;
}

NHI_FN int nhi_is_finite(double x)
{
    return nhi_zero_if_finite(x) == 0.0;
}

/* All numbers are finite. Sums in turn do not wait for each other. */
NHI_FN int nhi_all_finite(const nhi_real *x, int n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0, s5 = 0.0, s6 = 0.0, s7 = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        s0 += nhi_zero_if_finite((double)x[i]);
        s1 += nhi_zero_if_finite((double)x[i + 1]);
        s2 += nhi_zero_if_finite((double)x[i + 2]);
        s3 += nhi_zero_if_finite((double)x[i + 3]);
        s4 += nhi_zero_if_finite((double)x[i + 4]);
        s5 += nhi_zero_if_finite((double)x[i + 5]);
        s6 += nhi_zero_if_finite((double)x[i + 6]);
        s7 += nhi_zero_if_finite((double)x[i + 7]);
    }
    for (; i < n; ++i) {
        s0 += nhi_zero_if_finite((double)x[i]);
    }
    return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 == 0.0;
}

/* x, or zero where it is a subnormal double: operations with those are slow, and what has died out stays one for ever. */
NHI_FN nhi_real nhi_flushed(nhi_real x)
{
    /* Zeros keep their signs. */
    return x != 0 && nhi_abs((double)x) < 2.2250738585072014e-308 ? x - x : x;
}

NHI_FN void nhi_flush(nhi_real *x, int n)
{
    for (int i = 0; i < n; ++i) {
        x[i] = nhi_flushed(x[i]);
    }
}

/* A pivot of a symmetric positive definite elimination is positive by more than the rounding of the diagonal entry that
 * it was; not a number is not. */
NHI_FN int nhi_is_regular(nhi_real pivot, nhi_real diagonal)
{
    return (double)pivot > 16.0 * NHI_EPSILON * (double)diagonal && (double)pivot > 0.0;
}

/* The status of a pivot that is not: `singular`, unless one of the numbers is not finite. */
NHI_FN nhi_status nhi_pivot_status(nhi_real pivot, nhi_real diagonal, nhi_status singular)
{
    return (double)pivot * 0.0 + (double)diagonal * 0.0 == 0.0 ? singular : NHI_NON_FINITE;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Linear equations M x = f + mu^T lambda, mu x = r of a mass matrix and constraints of any scale.
 */

/* Pivots above this part of their diagonal entry leave the equations as they are solved by formulas: these lose at most six
 * bits. */
#define NHI_REGULAR (1.0 / 64.0)

/* Entries and pivots below this many roundings of the terms that they are the sum of are zero. */
#define NHI_ROUNDINGS (16.0 * NHI_EPSILON)

NHI_FN int nhi_is_large(nhi_real pivot, nhi_real diagonal)
{
    return (double)pivot > NHI_REGULAR * (double)diagonal;
}

NHI_FN void nhi_swap(nhi_real *x, int i, int j)
{
    const nhi_real kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

NHI_FN void nhi_swap_double(double *x, int i, int j)
{
    const double kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

NHI_FN void nhi_swap_int(int *x, int i, int j)
{
    const int kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

/* Sizes of entries of mu, weights of velocities 1/M_ii, and the order as it is. */
NHI_LOOP void nhi_saddle_measure(int n, int m, const nhi_real *mass, const nhi_real *mu, double *sizes, double *scales, int *order)
{
    double lightest = nhi_infinity();
    for (int j = 0; j < n; ++j) {
        const double size = nhi_abs((double)mass[n * j + j]);
        if (size > 0.0 && size < lightest) {
            lightest = size;
        }
        order[j] = j;
    }
    for (int j = 0; j < n; ++j) {
        const double size = nhi_abs((double)mass[n * j + j]);
        scales[j] = lightest == nhi_infinity() ? 1.0 : size > 0.0 ? lightest / size : 1267650600228229401496703205376.0;
    }
    for (int i = 0; i < m; ++i) {
        order[n + i] = i;
    }
    for (int k = 0; k < n * m; ++k) {
        sizes[k] = nhi_abs((double)mu[k]);
    }
}

/* The largest entry of mu from row and column k on, relative to the others of its row, becomes the k-th pivot, and rows below lose their part along its row. Zero if
 * all are rounding. */
NHI_LOOP int nhi_saddle_eliminate(int n, int m, int k, nhi_real *mass, nhi_real *mu, nhi_real *rhs, double *sizes, double *scales,
                                  int *order)
{
    int row = -1, column = -1;
    double largest = 0.0;
    for (int i = k; i < m; ++i) {
        /* The two largest entries of the row, before they cancelled. */
        double first = 0.0, second = 0.0;
        int place = k;
        for (int j = k; j < n; ++j) {
            const double terms = sizes[n * i + j];
            const double score = terms * terms * scales[j];
            if (score > first) {
                second = first;
                first = score;
                place = j;
            } else if (score > second) {
                second = score;
            }
        }
        for (int j = k; j < n; ++j) {
            const double entry = nhi_abs((double)mu[n * i + j]);
            const double score = entry * entry * scales[j] / (j == place ? second : first);
            if (entry > NHI_ROUNDINGS * sizes[n * i + j] && score > largest) {
                row = i;
                column = j;
                largest = score;
            }
        }
    }
    if (row < 0) {
        return 0;
    }
    for (int j = 0; j < n; ++j) {
        nhi_swap(mu, n * k + j, n * row + j);
        nhi_swap_double(sizes, n * k + j, n * row + j);
    }
    nhi_swap(rhs, n + k, n + row);
    nhi_swap_int(order, n + k, n + row);
    for (int i = 0; i < m; ++i) {
        nhi_swap(mu, n * i + k, n * i + column);
        nhi_swap_double(sizes, n * i + k, n * i + column);
    }
    for (int i = 0; i < n; ++i) {
        nhi_swap(mass, n * i + k, n * i + column);
    }
    for (int j = 0; j < n; ++j) {
        nhi_swap(mass, n * k + j, n * column + j);
    }
    nhi_swap(rhs, k, column);
    nhi_swap_double(scales, k, column);
    nhi_swap_int(order, k, column);
    for (int i = k + 1; i < m; ++i) {
        const nhi_real factor = mu[n * i + k] / mu[n * k + k];
        mu[n * i + k] = factor;
        for (int j = k + 1; j < n; ++j) {
            const nhi_real product = factor * mu[n * k + j];
            mu[n * i + j] = mu[n * i + j] - product;
            sizes[n * i + j] = sizes[n * i + j] + nhi_abs((double)factor) * sizes[n * k + j];
        }
        rhs[n + i] = rhs[n + i] - factor * rhs[n + k];
    }
    return 1;
}

/* Replaces the columns of mu after the pivots by those of Y, and r by y: the first m velocities are y - Y u. */
NHI_LOOP void nhi_saddle_basis(int n, int m, nhi_real *mu, nhi_real *rhs)
{
    for (int i = m - 1; i >= 0; --i) {
        const nhi_real pivot = mu[n * i + i];
        for (int j = m; j < n; ++j) {
            nhi_real x = mu[n * i + j];
            for (int k = i + 1; k < m; ++k) {
                x = x - mu[n * i + k] * mu[n * k + j];
            }
            mu[n * i + j] = x / pivot;
        }
        nhi_real x = rhs[n + i];
        for (int k = i + 1; k < m; ++k) {
            x = x - mu[n * i + k] * rhs[n + k];
        }
        rhs[n + i] = x / pivot;
    }
}

/* M X in the last columns of M, with X^T M X in the last rows, on and above the diagonal, f - M x_0 in place of f, with
 * X^T (f - M x_0) in the last places, and the sizes of the diagonal of X^T M X. */
NHI_LOOP void nhi_saddle_project(int n, int m, nhi_real *mass, const nhi_real *mu, nhi_real *rhs, double *scales)
{
    for (int i = 0; i < n; ++i) {
        for (int b = m; b < n; ++b) {
            nhi_real x = mass[n * i + b];
            double sizes = nhi_abs((double)x);
            for (int j = 0; j < m; ++j) {
                const nhi_real product = mass[n * i + j] * mu[n * j + b];
                x = x - product;
                sizes += nhi_abs((double)product);
            }
            mass[n * i + b] = x;
            if (i == b) {
                scales[b] = sizes;
            }
        }
        nhi_real x = rhs[i];
        for (int j = 0; j < m; ++j) {
            x = x - mass[n * i + j] * rhs[n + j];
        }
        rhs[i] = x;
    }
    for (int a = m; a < n; ++a) {
        for (int b = a; b < n; ++b) {
            nhi_real x = mass[n * a + b];
            double sizes = scales[b];
            for (int i = 0; i < m; ++i) {
                const nhi_real product = mu[n * i + a] * mass[n * i + b];
                x = x - product;
                sizes += nhi_abs((double)product);
            }
            mass[n * a + b] = x;
            if (a == b) {
                scales[b] = sizes;
            }
        }
        nhi_real x = rhs[a];
        for (int i = 0; i < m; ++i) {
            x = x - mu[n * i + a] * rhs[i];
        }
        rhs[a] = x;
    }
}

/* u in the last places of f, and, for the velocities that were pivots, M x - f in the other places and x in those of r; then x in
 * the places of f and lambda in those of r. */
NHI_LOOP void nhi_saddle_substitute(int n, int m, const nhi_real *mass, const nhi_real *mu, nhi_real *rhs)
{
    for (int i = n - 1; i >= m; --i) {
        nhi_real x = rhs[i];
        for (int j = i + 1; j < n; ++j) {
            x = x - mass[n * i + j] * rhs[j];
        }
        rhs[i] = x / mass[n * i + i];
    }
    for (int i = 0; i < m; ++i) {
        nhi_real missing = -rhs[i], x = rhs[n + i];
        for (int b = m; b < n; ++b) {
            missing = missing + mass[n * i + b] * rhs[b];
            x = x - mu[n * i + b] * rhs[b];
        }
        rhs[i] = missing;
        rhs[n + i] = x;
    }
    for (int i = 0; i < m; ++i) {
        nhi_real x = rhs[i];
        for (int k = 0; k < i; ++k) {
            x = x - mu[n * k + i] * rhs[k];
        }
        rhs[i] = x / mu[n * i + i];
    }
    for (int i = m - 1; i >= 0; --i) {
        nhi_real x = rhs[i];
        for (int k = i + 1; k < m; ++k) {
            x = x - mu[n * k + i] * rhs[k];
        }
        rhs[i] = x;
    }
    for (int i = 0; i < m; ++i) {
        nhi_swap(rhs, i, n + i);
    }
}

/* The solution is x = x_0 + X u with a basis X of what mu annihilates, from an elimination of mu with complete pivoting in which
 * velocities are measured by their masses, and X^T M X u = X^T (f - M x_0). `mass` (n x n), `mu` (m x n) and `rhs` (f and r) are
 * overwritten, `rhs` by x and lambda; `sizes` has room for m x n numbers, `scales` for n, and `order` for n + m. It fails where the
 * constraints are dependent, or M is not positive definite on what they admit. */
NHI_LOOP nhi_status nhi_saddle_point(int n, int m, nhi_real *mass, nhi_real *mu, nhi_real *rhs, double *sizes, double *scales,
                                     int *order)
{
    nhi_saddle_measure(n, m, mass, mu, sizes, scales, order);
    for (int k = 0; k < m; ++k) {
        if (!nhi_saddle_eliminate(n, m, k, mass, mu, rhs, sizes, scales, order)) {
            return nhi_all_finite(mu, m * n) ? NHI_SINGULAR_CONSTRAINTS : NHI_NON_FINITE;
        }
    }
    nhi_saddle_basis(n, m, mu, rhs);
    nhi_saddle_project(n, m, mass, mu, rhs, scales);
    for (int k = m; k < n; ++k) {
        const double pivot = (double)mass[n * k + k];
        if (!(pivot > NHI_ROUNDINGS * scales[k] && pivot > 0.0)) {
            return nhi_is_finite(pivot) && nhi_is_finite(scales[k]) ? NHI_SINGULAR_MASS : NHI_NON_FINITE;
        }
        for (int i = k + 1; i < n; ++i) {
            const nhi_real factor = mass[n * k + i] / mass[n * k + k];
            for (int j = i; j < n; ++j) {
                mass[n * i + j] = mass[n * i + j] - factor * mass[n * k + j];
            }
            rhs[i] = rhs[i] - factor * rhs[k];
        }
    }
    nhi_saddle_substitute(n, m, mass, mu, rhs);
    /* Back to the order of the velocities and constraints. */
    for (int k = 0; k < n + m; ++k) {
        const int first = k < n ? 0 : n;
        while (first + order[k] != k) {
            const int to = first + order[k];
            nhi_swap(rhs, k, to);
            nhi_swap_int(order, k, to);
        }
    }
    return NHI_OK;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Tests of starts and steps.
 */

/* How far entries of q0 and v0 may be off: relative to the entry, and, for zeros that are computed by cancellation, to the
 * largest entry. */
#ifdef NHI_REAL_FLOAT
#define NHI_RELATIVE (16.0 * NHI_EPSILON)
#define NHI_CANCELLED (4.0 * NHI_EPSILON)
#else
#define NHI_RELATIVE 1e-10
#define NHI_CANCELLED 1e-15
#endif

/* The largest defect of a pose; see nhi_so3_defect. */
#define NHI_LARGEST_DEFECT (4.0 * NHI_RELATIVE)

NHI_FN nhi_real nhi_size(nhi_real x)
{
    return x < 0 ? -x : x;
}

/* out = x with its i-th entry off by as much as it may be. */
NHI_FN void nhi_perturbed(int n, const nhi_real *x, int i, nhi_real *out)
{
    nhi_real largest = 0;
    for (int j = 0; j < n; ++j) {
        const nhi_real size = nhi_size(x[j]);
        largest = size > largest ? size : largest;
        out[j] = x[j];
    }
    out[i] = out[i] + (NHI_R(NHI_RELATIVE) * nhi_size(x[i]) + NHI_R(NHI_CANCELLED) * largest);
}

/* Adds to the tolerances of residuals what an error of one entry changes, where the residuals with the error exist. */
NHI_FN void nhi_tolerate(int n, const nhi_real *residual, const nhi_real *moved, nhi_real *tolerance)
{
    for (int i = 0; i < n; ++i) {
        const nhi_real change = nhi_size(moved[i] - residual[i]);
        tolerance[i] = tolerance[i] + (nhi_is_finite((double)change) ? change : 0);
    }
}

/* All residuals are within their tolerances. */
NHI_FN int nhi_all_within(int n, const nhi_real *residual, const nhi_real *tolerance)
{
    for (int i = 0; i < n; ++i) {
        if (!(nhi_size(residual[i]) <= tolerance[i])) {
            return 0;
        }
    }
    return 1;
}

/* The largest size of a number. */
NHI_FN double nhi_largest(int n, const nhi_real *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        const double size = (double)nhi_size(x[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* out = x */
NHI_FN void nhi_copy(int n, const nhi_real *x, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = x[i];
    }
}

/* Copies x to out if all numbers are finite; whether they are. */
NHI_FN int nhi_replace(int n, const nhi_real *x, nhi_real *out)
{
    const int are_finite = nhi_all_finite(x, n);
    if (are_finite) {
        nhi_copy(n, x, out);
    }
    return are_finite;
}

/* out = 0 */
NHI_FN void nhi_zero(int n, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = 0;
    }
}

/* out = 1, n x n */
NHI_FN void nhi_identity(int n, nhi_real *out)
{
    nhi_zero(n * n, out);
    for (int i = 0; i < n; ++i) {
        out[(n + 1) * i] = 1;
    }
}

/* Entries below the diagonal become those above. */
NHI_FN void nhi_mirror(int n, nhi_real *x)
{
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            x[n * i + j] = x[n * j + i];
        }
    }
}

/* out += x y, where x has rows x inner and y inner x columns numbers. */
NHI_LOOP void nhi_add_matrix_product(int rows, int inner, int columns, const nhi_real *x, const nhi_real *y,
                                     nhi_real *out)
{
    for (int i = 0; i < rows; ++i) {
        for (int r = 0; r < inner; ++r) {
            for (int j = 0; j < columns; ++j) {
                out[columns * i + j] = out[columns * i + j] + x[inner * i + r] * y[columns * r + j];
            }
        }
    }
}

/* out += x^T y, where x and y have rank rows. Four sums at a time, which compilers pack. */
NHI_LOOP void nhi_add_product(int rank, int rows, int columns, const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    for (int i = 0; i < rows; ++i) {
        nhi_real *row = out + columns * i;
        int j = 0;
        for (; j + 4 <= columns; j += 4) {
            nhi_real s0 = row[j], s1 = row[j + 1], s2 = row[j + 2], s3 = row[j + 3];
            for (int r = 0; r < rank; ++r) {
                const nhi_real a = x[rows * r + i], *b = y + columns * r + j;
                s0 = s0 + a * b[0];
                s1 = s1 + a * b[1];
                s2 = s2 + a * b[2];
                s3 = s3 + a * b[3];
            }
            row[j] = s0;
            row[j + 1] = s1;
            row[j + 2] = s2;
            row[j + 3] = s3;
        }
        for (; j < columns; ++j) {
            nhi_real s = row[j];
            for (int r = 0; r < rank; ++r) {
                s = s + x[rows * r + i] * y[columns * r + j];
            }
            row[j] = s;
        }
    }
}

/* out += x^T y + y^T x, of which entries below the diagonal are copies of those above. */
NHI_LOOP void nhi_add_symmetric_product(int rank, int n, const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        nhi_real *row = out + n * i;
        int j = i;
        for (; j + 4 <= n; j += 4) {
            nhi_real s0 = row[j], s1 = row[j + 1], s2 = row[j + 2], s3 = row[j + 3];
            for (int r = 0; r < rank; ++r) {
                const nhi_real a = x[n * r + i], *b = y + n * r + j;
                const nhi_real c = y[n * r + i], *d = x + n * r + j;
                s0 = s0 + (a * b[0] + c * d[0]);
                s1 = s1 + (a * b[1] + c * d[1]);
                s2 = s2 + (a * b[2] + c * d[2]);
                s3 = s3 + (a * b[3] + c * d[3]);
            }
            row[j] = s0;
            row[j + 1] = s1;
            row[j + 2] = s2;
            row[j + 3] = s3;
        }
        for (; j < n; ++j) {
            nhi_real s = row[j];
            for (int r = 0; r < rank; ++r) {
                s = s + (x[n * r + i] * y[n * r + j] + y[n * r + i] * x[n * r + j]);
            }
            row[j] = s;
        }
        for (j = 0; j < i; ++j) {
            row[j] = out[n * j + i];
        }
    }
}

/* out = (x + y)/2 */
NHI_FN void nhi_mean(int n, const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = NHI_R(0.5) * (x[i] + y[i]);
    }
}

/* x.y/2, as a double. */
NHI_FN double nhi_half_product(int n, const nhi_real *x, const nhi_real *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum = sum + (double)x[i] * (double)y[i];
    }
    return 0.5 * sum;
}

/* The kinetic energy that a step can own: what it began with, and what the potential energy has fallen by. The potential
 * energies are those of the configurations before and after the step, each with the times and states before and after. */
NHI_FN double nhi_owned(double before, const double *potential0, const double *potential1)
{
    const double noise = 16.0 * NHI_EPSILON * (nhi_abs(potential0[0]) + nhi_abs(potential1[1]));
    const double fallen = nhi_larger(potential0[0] - potential1[0], potential0[1] - potential1[1]);
    return before + nhi_larger(fallen, 0.0) + noise;
}

/* v = the velocity in each direction that moves q by its rounding in a step of size h. */
NHI_FN void nhi_unresolved(int entries, const nhi_real *q, nhi_real h, int n, nhi_real *v)
{
    double size = 0.0;
    for (int i = 0; i < entries; ++i) {
        size = nhi_larger(size, nhi_abs((double)q[i]));
    }
    for (int i = 0; i < n; ++i) {
        v[i] = NHI_R(16.0 * NHI_EPSILON * size / (double)h);
    }
}

/* The kinetic energy after a step of size h is explained by what the step owns and by the energy of the acceleration. */
NHI_FN int nhi_explains(double owned, nhi_real h, double pushed, double after)
{
    return after <= NHI_LARGEST_GROWTH * owned + 2.0 * (double)h * (double)h * pushed;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Sine and cosine of doubles, without tables and calls:
 *
 * (1)  x = n pi/2 + (r + e), |r| <= pi/4, by Cody and Waite's method: pi/2 = P1 + P2 + P3 + P4, of which the first three
 *      have 33 bits, so that n Pi is exact for |n| < 2^20,
 * (2)  sin r = r + r^3 S(r^2),   cos r = 1 - r^2/2 + r^4 C(r^2),
 * (3)  sin (r + e) = sin r + e cos r,   cos (r + e) = cos r - e sin r.
 *
 * Of an angle x + d that is close to one whose sine and cosine are known:
 *
 * (4)  sin (x + d) = sin x + (cos x sin d - sin x vers d),   cos (x + d) = cos x - (sin x sin d + cos x vers d),
 *      vers d = 1 - cos d,
 * (6)  sin (x + d) = sin x + d cos x,   cos (x + d) = cos x - d sin x,
 * (7)  sin (x + d) = sin x + d (cos x - d/2 sin x),   cos (x + d) = cos x - d (sin x + d/2 cos x).
 */

typedef struct {
    double sin, cos;
} nhi_double_sines;

/* Above this |x|, n could have more than 20 bits. */
#define NHI_LARGEST_ANGLE 1048576.0
/* Up to this |x|, short polynomials are accurate. */
#define NHI_SMALL_ANGLE 0.1875
/* Up to this |d|, (6) is accurate, and up to this one (7). */
#define NHI_TINY_ANGLE 3.0e-9
#define NHI_CLOSE_ANGLE 4.0e-6

/* a + b z. */
NHI_FN double nhi_pair(double a, double b, double z)
{
    return a + b * z;
}

/* Sine and cosine of n pi/2 + r + e by (2) and (3). */
NHI_FN nhi_double_sines nhi_double_sin_cos_reduced(double r, double e, int quadrant)
{
    const double z = r * r;
    const double z2 = z * z;
    const double s = (nhi_pair(-0.1666666666666663, 0.008333333333321891, z)
                      + z2 * nhi_pair(-0.0001984126982942827, 2.7557313570650295e-06, z))
                     + z2 * z2 * nhi_pair(-2.505074043151949e-08, 1.5895832772601328e-10, z);
    const double c = (nhi_pair(0.041666666666666595, -0.0013888888888873333, z)
                      + z2 * nhi_pair(2.4801587288992918e-05, -2.755731421358857e-07, z))
                     + z2 * z2 * nhi_pair(2.0875704841166667e-09, -1.1358716859076373e-11, z);
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    const double sine = r + (r * z * s + e * w);
    const double cosine = w + ((((1.0 - w) - half) - r * e) + z * z * c);
    nhi_double_sines result;
    result.sin = (quadrant & 1) == 0 ? sine : cosine;
    result.cos = (quadrant & 1) == 0 ? cosine : sine;
    if ((quadrant & 2) != 0) {
        result.sin = -result.sin;
    }
    if (((quadrant + 1) & 2) != 0) {
        result.cos = -result.cos;
    }
    return result;
}

#ifdef NHI_OWN_MATH
NHI_FN nhi_double_sines nhi_far_sin_cos(double x);
#else
NHI_FN nhi_double_sines nhi_far_sin_cos(double x)
{
    nhi_double_sines result;
    result.sin = sin(x);
    result.cos = cos(x);
    return result;
}
#endif

NHI_FN nhi_double_sines nhi_double_sin_cos(double x)
{
    if (!(nhi_abs(x) < NHI_LARGEST_ANGLE)) {
        return nhi_far_sin_cos(x);
    }
    /* Rounds to a whole number when it is added: 1.5 * 2^52. */
    const double whole = 6755399441055744.0;
    const double n = (x * 0.6366197723675814 + whole) - whole;
    /* (1): every difference is exact together with the rounding that it is followed by. */
    const double a = x - n * 1.5707963267341256;
    const double b = n * 6.077100506303966e-11;
    const double c = n * 2.0222662487111665e-21;
    const double ab = a - b;
    const double r = ab - c;
    const double e = (((a - ab) - b) + ((ab - r) - c)) - n * 8.4784276603689e-32;
    return nhi_double_sin_cos_reduced(r, e, (int)((uint32_t)(int32_t)n & 3U));
}

#ifdef NHI_REAL_FLOAT

NHI_FN nhi_sines nhi_sin_cos(float x)
{
    nhi_sines result;
#ifdef NHI_OWN_MATH
    const nhi_double_sines sines = nhi_double_sin_cos((double)x);
    result.sin = (float)sines.sin;
    result.cos = (float)sines.cos;
#else
    result.sin = sinf(x);
    result.cos = cosf(x);
#endif
    return result;
}

NHI_FN nhi_sines nhi_small_sin_cos(float x)
{
    return nhi_sin_cos(x);
}

NHI_FN nhi_sines nhi_rotated_sin_cos(float x, float from, float sine, float cosine)
{
    (void)from;
    (void)sine;
    (void)cosine;
    return nhi_sin_cos(x);
}

NHI_FN nhi_sines nhi_corrected_sin_cos(float x, float from, float by, float sine, float cosine)
{
    (void)from;
    (void)by;
    (void)sine;
    (void)cosine;
    return nhi_sin_cos(x);
}

#else

NHI_FN nhi_sines nhi_sin_cos(double x)
{
    const nhi_double_sines sines = nhi_double_sin_cos(x);
    nhi_sines result;
    result.sin = sines.sin;
    result.cos = sines.cos;
    return result;
}

/* sin x for z = x^2, |x| <= NHI_SMALL_ANGLE. */
NHI_FN double nhi_short_sine(double x, double z)
{
    return x
           + x * z
                 * (nhi_pair(-0.166666666666664, 0.008333333332594832, z)
                    + z * z * nhi_pair(-0.0001984126349982494, 2.753585510907706e-06, z));
}

/* 1 - cos x for z = x^2, |x| <= NHI_SMALL_ANGLE. */
NHI_FN double nhi_short_versine(double z)
{
    const double z2 = z * z;
    return 0.5 * z
           - z2
                 * (nhi_pair(0.0416666666666662, -0.001388888888792925, z)
                    + z2 * nhi_pair(2.4801580531812247e-05, -2.75374203132241e-07, z));
}

/* Sine and cosine of an angle that is usually small. */
NHI_FN nhi_sines nhi_small_sin_cos(double x)
{
    if (nhi_abs(x) <= NHI_SMALL_ANGLE) {
        const double z = x * x;
        nhi_sines result;
        result.sin = nhi_short_sine(x, z);
        result.cos = 1.0 - nhi_short_versine(z);
        return result;
    }
    return nhi_sin_cos(x);
}

/* (4), for |by| <= NHI_SMALL_ANGLE. */
NHI_FN nhi_sines nhi_turn(double by, double sine, double cosine)
{
    const double z = by * by;
    const double s = nhi_short_sine(by, z);
    const double v = nhi_short_versine(z);
    nhi_sines result;
    result.sin = sine + (cosine * s - sine * v);
    result.cos = cosine - (sine * s + cosine * v);
    return result;
}

/* Sine and cosine of x from those of an angle that is usually close. */
NHI_FN nhi_sines nhi_rotated_sin_cos(double x, double from, double sine, double cosine)
{
    const double by = x - from;
    if (nhi_abs(by) <= NHI_SMALL_ANGLE) {
        return nhi_turn(by, sine, cosine);
    }
    return nhi_sin_cos(x);
}

/* Sine and cosine of x from those of the predicted angle from + by. */
NHI_FN nhi_sines nhi_corrected_sin_cos(double x, double from, double by, double sine, double cosine)
{
    const double off = (x - from) - by;
    const double size = nhi_abs(off);
    if (size <= NHI_TINY_ANGLE) {
        nhi_sines result;
        result.sin = sine + cosine * off;
        result.cos = cosine - sine * off;
        return result;
    }
    if (size <= NHI_CLOSE_ANGLE) {
        const double half = 0.5 * off;
        nhi_sines result;
        result.sin = sine + (cosine - sine * half) * off;
        result.cos = cosine - (sine + cosine * half) * off;
        return result;
    }
    if (size <= NHI_SMALL_ANGLE) {
        return nhi_turn(off, sine, cosine);
    }
    return nhi_sin_cos(x);
}

#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Elementary functions.
 */

#ifdef NHI_OWN_MATH

#define NHI_LN2_HIGH 0.6931471803691238
#define NHI_LN2_LOW 1.9082149292705877e-10
#define NHI_PI_HIGH 3.141592653589793
#define NHI_PI_LOW 1.2246467991473532e-16
#define NHI_PI_HALF_HIGH 1.5707963267948966
#define NHI_PI_HALF_LOW 6.123233995736766e-17

/* The sum of two numbers. */
typedef struct {
    double high, low;
} nhi_double2;

NHI_FN uint64_t nhi_bits(double x)
{
    uint64_t bits = 0;
#ifdef __GNUC__
    __builtin_memcpy(&bits, &x, sizeof bits);
#else
    for (unsigned i = 0; i < sizeof bits; ++i) {
        ((unsigned char *)&bits)[i] = ((const unsigned char *)&x)[i];
    }
#endif
    return bits;
}

NHI_FN double nhi_from_bits(uint64_t bits)
{
    double x = 0.0;
#ifdef __GNUC__
    __builtin_memcpy(&x, &bits, sizeof bits);
#else
    for (unsigned i = 0; i < sizeof bits; ++i) {
        ((unsigned char *)&x)[i] = ((const unsigned char *)&bits)[i];
    }
#endif
    return x;
}

/* 2^k for -1022 <= k <= 1023. */
NHI_FN double nhi_two_to(int k)
{
    return nhi_from_bits((uint64_t)(k + 1023) << 52);
}

/* x 2^k for 1/2 <= |x| < 2 and |k| < 2000, rounded once. */
NHI_FN double nhi_scaled(double x, int k)
{
    return x * nhi_two_to(k / 2) * nhi_two_to(k - k / 2);
}

/* The exponent e of x = 2^e m, 1 <= m < 2, and m. Of a positive, finite number. */
NHI_FN int nhi_exponent(double x, double *m)
{
    int e = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        e = -54;
    }
    const uint64_t bits = nhi_bits(x);
    *m = nhi_from_bits((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    return e + (int)(bits >> 52) - 1023;
}

/* Sum with what rounding takes from it, for |a| >= |b|. */
NHI_FN nhi_double2 nhi_quick_sum(double a, double b)
{
    nhi_double2 sum;
    sum.high = a + b;
    sum.low = b - (sum.high - a);
    return sum;
}

/* Product with what rounding takes from it (Veltkamp and Dekker). */
NHI_FN nhi_double2 nhi_product(double a, double b)
{
    const double splitter = 134217729.0;
    const double ca = splitter * a;
    const double a1 = ca - (ca - a);
    const double a2 = a - a1;
    const double cb = splitter * b;
    const double b1 = cb - (cb - b);
    const double b2 = b - b1;
    nhi_double2 product;
    product.high = a * b;
    product.low = ((a1 * b1 - product.high) + a1 * b2 + a2 * b1) + a2 * b2;
    return product;
}

/* Square root, correctly rounded. */
NHI_FN double nhi_double_sqrt(double x)
{
    if (!(x > 0.0)) {
        return x == 0.0 ? x : nhi_nan();
    }
    if (!nhi_is_finite(x)) {
        return x;
    }
    double m = 1.0;
    int e = nhi_exponent(x, &m);
    if ((e & 1) != 0) {
        m *= 2.0;
        e -= 1;
    }
    /* Newton's method for 1 <= m < 4 from a line, off by 0.04 at most. */
    double y = 0.68 + 0.35 * m;
    for (int i = 0; i < 5; ++i) {
        y = 0.5 * (y + m / y);
    }
    /* y and m as integers Y 2^-52 and M 2^-52: what is left of M 2^52 - Y^2 is less than 2^63 and decides. */
    uint64_t integer = (uint64_t)(y * 4503599627370496.0);
    const uint64_t square = (uint64_t)(m * 4503599627370496.0) << 52;
    int64_t left = (int64_t)(square - integer * integer);
    for (int i = 0; i < 2; ++i) {
        if (left > (int64_t)integer) {
            integer += 1;
        } else if (left <= -(int64_t)integer) {
            integer -= 1;
        }
        left = (int64_t)(square - integer * integer);
    }
    return nhi_scaled((double)integer * 2.220446049250313e-16, e / 2);
}

/* 2^shift exp(x + low) for a low that is rounding of x. */
NHI_FN double nhi_exp_of(double x, double low, int shift)
{
    if (!(x == x)) {
        return x;
    }
    if (x > 800.0) {
        return nhi_infinity();
    }
    if (x < -800.0) {
        return 0.0;
    }
    const double whole = 6755399441055744.0;
    const double n = (x * 1.4426950408889634 + whole) - whole;
    const double high = x - n * NHI_LN2_HIGH;
    const double rest = n * NHI_LN2_LOW - low;
    const double r = high - rest;
    const double e = (high - r) - rest;
    const double series = 1.0 / 720.0
                          + r
                                * (1.0 / 5040.0
                                   + r
                                         * (1.0 / 40320.0
                                            + r
                                                  * (1.0 / 362880.0
                                                     + r
                                                           * (1.0 / 3628800.0
                                                              + r
                                                                    * (1.0 / 39916800.0
                                                                       + r
                                                                             * (1.0 / 479001600.0
                                                                                + r / 6227020800.0))))));
    const double more = r * r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * series))));
    return nhi_scaled(1.0 + (r + (more + (e + e * r))), (int)n + shift);
}

NHI_FN double nhi_double_exp(double x)
{
    return nhi_exp_of(x, 0.0, 0);
}

NHI_FN double nhi_double_ln(double x)
{
    if (!(x > 0.0)) {
        return x == 0.0 ? -nhi_infinity() : nhi_nan();
    }
    if (!nhi_is_finite(x)) {
        return x;
    }
    double m = 1.0;
    double e = (double)nhi_exponent(x, &m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e += 1.0;
    }
    /* ln(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f/(2 + f), R = 2 s^2/3 + 2 s^4/5 + ... */
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double series = 0.08;
    for (int k = 11; k > 0; --k) {
        series = 2.0 / (double)(2 * k + 1) + z * series;
    }
    const double half = 0.5 * f * f;
    return e * NHI_LN2_HIGH - ((half - (s * (half + z * series) + e * NHI_LN2_LOW)) - f);
}

NHI_FN double nhi_double_tan(double x)
{
    const nhi_double_sines sines = nhi_double_sin_cos(x);
    return sines.sin / sines.cos;
}

/* atan(x + low) for x >= 0 and a low that is rounding of x. */
NHI_FN double nhi_atan_of(double x, double low)
{
    /* atan(j/8) */
    static const double high[9] = {0.0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225,
                                   0.4636476090008061, 0.5585993153435624, 0.6435011087932844,
                                   0.7188299996216245, 0.7853981633974483};
    static const double rest[9] = {0.0, -3.1253241424539383e-18, 1.0698755618734451e-17,
                                   -2.4623815582638635e-17, 2.2698777452961687e-17, -5.4556305485916264e-18,
                                   1.5834785051444286e-17, -2.1478388444456983e-17, 3.061616997868383e-17};
    const int is_inverse = x > 1.0;
    if (x > 1.0e18) {
        return NHI_PI_HALF_HIGH;
    }
    double q = x;
    double q_low = low;
    if (is_inverse) {
        q = 1.0 / x;
        const nhi_double2 one = nhi_product(q, x);
        q_low = (((1.0 - one.high) - one.low) - q * low) / x;
    }
    const int j = (int)(8.0 * q + 0.5);
    const double c = 0.125 * (double)j;
    const double t = (q - c) / (1.0 + q * c);
    const double z = t * t;
    const double series =
        z * (-1.0 / 3.0 + z * (1.0 / 5.0 + z * (-1.0 / 7.0 + z * (1.0 / 9.0 + z * (-1.0 / 11.0 + z / 13.0)))));
    const double more = t * series + rest[j] + q_low / (1.0 + q * q);
    if (is_inverse) {
        return (NHI_PI_HALF_HIGH - high[j]) - (t + (more - NHI_PI_HALF_LOW));
    }
    return high[j] + (t + more);
}

NHI_FN double nhi_double_atan(double x)
{
    if (!(x == x)) {
        return x;
    }
    return x < 0.0 ? -nhi_atan_of(-x, 0.0) : (x == 0.0 ? x : nhi_atan_of(x, 0.0));
}

NHI_FN int nhi_is_negative(double x)
{
    return (nhi_bits(x) >> 63) != 0;
}

NHI_FN double nhi_double_atan2(double y, double x)
{
    if (!(x == x) || !(y == y)) {
        return x + y;
    }
    const double a = nhi_abs(y);
    const double b = nhi_abs(x);
    double angle = 0.0;
    if (a == 0.0) {
        angle = 0.0;
    } else if (!nhi_is_finite(a) && !nhi_is_finite(b)) {
        angle = 0.7853981633974483;
    } else {
        const double q = a / b;
        angle = nhi_is_finite(q) ? nhi_atan_of(q, 0.0) : NHI_PI_HALF_HIGH;
    }
    if (nhi_is_negative(x)) {
        angle = NHI_PI_HIGH - (angle - NHI_PI_LOW);
    }
    return nhi_is_negative(y) ? -angle : angle;
}

/* sqrt(1 - x^2) with its rounding, for |x| < 1. */
NHI_FN nhi_double2 nhi_cosine_of_sine(double x)
{
    const nhi_double2 square = nhi_product(x, x);
    const double w = 1.0 - square.high;
    const double w_low = ((1.0 - w) - square.high) - square.low;
    nhi_double2 root;
    root.high = nhi_double_sqrt(w);
    const nhi_double2 back = nhi_product(root.high, root.high);
    root.low = (((w - back.high) - back.low) + w_low) / (root.high + root.high);
    return root;
}

/* atan((a + a_low)/(b + b_low)) for positive a and b. */
NHI_FN double nhi_atan_of_ratio(double a, double a_low, double b, double b_low)
{
    const double q = a / b;
    const nhi_double2 back = nhi_product(q, b);
    return nhi_atan_of(q, ((((a - back.high) - back.low) + a_low) - q * b_low) / b);
}

NHI_FN double nhi_double_asin(double x)
{
    const double a = nhi_abs(x);
    if (!(a <= 1.0)) {
        return nhi_nan();
    }
    if (a < 1.0e-8) {
        return x;
    }
    double angle = NHI_PI_HALF_HIGH;
    if (a < 1.0) {
        const nhi_double2 root = nhi_cosine_of_sine(a);
        angle = nhi_atan_of_ratio(a, 0.0, root.high, root.low);
    }
    return x < 0.0 ? -angle : angle;
}

NHI_FN double nhi_double_acos(double x)
{
    const double a = nhi_abs(x);
    if (!(a <= 1.0)) {
        return nhi_nan();
    }
    if (a < 1.0e-17) {
        return NHI_PI_HALF_HIGH;
    }
    double angle = 0.0;
    if (a < 1.0) {
        const nhi_double2 root = nhi_cosine_of_sine(a);
        angle = nhi_atan_of_ratio(root.high, root.low, a, 0.0);
    }
    return x < 0.0 ? NHI_PI_HIGH - (angle - NHI_PI_LOW) : angle;
}

/* sinh x - x and cosh x - 1 for |x| <= 1. */
NHI_FN nhi_double_sines nhi_short_sinh_cosh(double x)
{
    const double z = x * x;
    double sinh_series = 1.0;
    double cosh_series = 1.0;
    for (int k = 10; k > 1; --k) {
        sinh_series = 1.0 + z * sinh_series / (double)(2 * k * (2 * k + 1));
        cosh_series = 1.0 + z * cosh_series / (double)(2 * k * (2 * k - 1));
    }
    nhi_double_sines result;
    result.sin = x * z * sinh_series / 6.0;
    result.cos = 0.5 * z * cosh_series;
    return result;
}

NHI_FN double nhi_double_sinh(double x)
{
    const double a = nhi_abs(x);
    if (a <= 1.0) {
        return x + nhi_short_sinh_cosh(x).sin;
    }
    const double half = nhi_exp_of(a, 0.0, -1);
    const double result = half - 0.25 / half;
    return x < 0.0 ? -result : result;
}

NHI_FN double nhi_double_cosh(double x)
{
    const double half = nhi_exp_of(nhi_abs(x), 0.0, -1);
    return half + 0.25 / half;
}

NHI_FN double nhi_double_tanh(double x)
{
    const double a = nhi_abs(x);
    if (a <= 1.0) {
        const nhi_double_sines more = nhi_short_sinh_cosh(x);
        return x + (more.sin - x * more.cos) / (1.0 + more.cos);
    }
    if (!(x == x)) {
        return x;
    }
    const double result = a > 20.0 ? 1.0 : 1.0 - 2.0 / (nhi_double_exp(2.0 * a) + 1.0);
    return x < 0.0 ? -result : result;
}

/* ln x as a sum of two numbers with about 65 bits, for positive, finite x. */
NHI_FN nhi_double2 nhi_ln2_of(double x)
{
    /* Of m near j/32 a number c near 32/j, and -ln c = high + low where high has 41 bits. */
    static const double table[25][3] = {
        {1.45458984375, -0.3747239665540292, 1.4529532763564835e-13},
        {1.391357421875, -0.33027983311558273, -7.311533218756948e-14},
        {1.333251953125, -0.2876210354329487, 1.3871826865419313e-13},
        {1.280029296875, -0.24688296585327407, 8.500177928536635e-14},
        {1.230712890625, -0.20759358736313516, -1.5197273194388283e-13},
        {1.185302734375, -0.1699982140062275, 1.4592648614232445e-13},
        {1.142822265625, -0.13350087458093185, 2.049880590833503e-13},
        {1.103515625, -0.09850110610705087, 1.177146785438006e-13},
        {1.066650390625, -0.0645232622318872, -2.0496381595279596e-13},
        {1.0322265625, -0.03171818027067275, -1.117930281017946e-13},
        {1.0, 0.0, 0.0},
        {0.9697265625, 0.030741141554244678, 3.582445626958196e-14},
        {0.941162109375, 0.06063988072173743, 1.764217204974931e-13},
        {0.914306640625, 0.08958927076810141, -7.755443647458838e-14},
        {0.888916015625, 0.11775251854396629, -5.6020983784311775e-14},
        {0.86474609375, 0.14531934837668814, -1.2327636329206085e-13},
        {0.842041015625, 0.17192655378266863, -1.6582786405217192e-13},
        {0.820556640625, 0.1977723389941275, 1.1055606065210447e-13},
        {0.800048828125, 0.22308251802041923, 1.0988795372777006e-13},
        {0.780517578125, 0.2477980176595338, -3.153298487095793e-14},
        {0.761962890625, 0.27185742444862626, -6.197819907608269e-14},
        {0.744140625, 0.29552524991277096, 3.586053092023274e-14},
        {0.727294921875, 0.31842321400608853, -2.709911762049999e-14},
        {0.711181640625, 0.3408274097600952, -1.860687290362615e-13},
        {0.695556640625, 0.3630428322212538, 1.816444112166157e-13},
    };
    double m = 1.0;
    double e = (double)nhi_exponent(x, &m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e += 1.0;
    }
    const double *const row = table[(int)(32.0 * m + 0.5) - 22];
    /* m c = 1 + r + r_low */
    const nhi_double2 product = nhi_product(m, row[0]);
    const double r = product.high - 1.0;
    const double r_low = product.low;
    const nhi_double2 square = nhi_product(r, r);
    const double series =
        1.0 / 3.0
        - r
              * (0.25
                 - r
                       * (0.2
                          - r
                                * (1.0 / 6.0
                                   - r * (1.0 / 7.0 - r * (0.125 - r * (1.0 / 9.0 - r * (0.1 - r / 11.0)))))));
    /* e ln 2 has 43 bits at most, of units of 2^-32, and the table's number is in units of 2^-41. */
    nhi_double2 sum = nhi_quick_sum(e * NHI_LN2_HIGH + row[1], r);
    if (nhi_abs(e * NHI_LN2_HIGH + row[1]) < nhi_abs(r)) {
        sum = nhi_quick_sum(r, e * NHI_LN2_HIGH + row[1]);
    }
    const nhi_double2 bent = nhi_quick_sum(sum.high, -0.5 * square.high);
    const double low = (sum.low + bent.low)
                       + ((e * NHI_LN2_LOW + row[2])
                          + (r_low / product.high - 0.5 * square.low + r * square.high * series));
    return nhi_quick_sum(bent.high, low);
}

NHI_FN int nhi_is_whole(double y)
{
    const double a = nhi_abs(y);
    if (a >= 4503599627370496.0) {
        return 1;
    }
    return (a + 4503599627370496.0) - 4503599627370496.0 == a;
}

NHI_FN int nhi_is_odd(double y)
{
    const double a = nhi_abs(y);
    return nhi_is_whole(y) && a < 9007199254740992.0 && ((uint64_t)a & 1U) != 0;
}

NHI_FN double nhi_double_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (!(x == x) || !(y == y)) {
        return x + y;
    }
    const double a = nhi_abs(x);
    const int is_odd = nhi_is_odd(y);
    if (!nhi_is_finite(y)) {
        return a == 1.0 ? 1.0 : ((a > 1.0) == (y > 0.0) ? nhi_infinity() : 0.0);
    }
    double power = 0.0;
    if (a == 0.0 || !nhi_is_finite(a)) {
        power = (a > 0.0) == (y > 0.0) ? nhi_infinity() : 0.0;
    } else if (x < 0.0 && !nhi_is_whole(y)) {
        return nhi_nan();
    } else if (nhi_abs(y) > 1.0e20) {
        power = a == 1.0 ? 1.0 : ((a > 1.0) == (y > 0.0) ? nhi_infinity() : 0.0);
    } else {
        const nhi_double2 ln = nhi_ln2_of(a);
        const nhi_double2 product = nhi_product(y, ln.high);
        power = nhi_exp_of(product.high, product.low + y * ln.low, 0);
    }
    return nhi_is_negative(x) && is_odd ? -power : power;
}

/* Sine and cosine of angles from 2^20 on, by as many bits of 2/pi as are needed (Payne and Hanek). */
NHI_FN nhi_double_sines nhi_far_sin_cos(double x)
{
    /* The bits of 2/pi. */
    static const uint32_t words[40] = {
        0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U, 0x3c439041U, 0xfe5163abU, 0xdebbc561U,
        0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU, 0xfe1deb1cU, 0xb129a73eU, 0xe88235f5U, 0x2ebb4484U,
        0xe99c7026U, 0xb45f7e41U, 0x3991d639U, 0x835339f4U, 0x9c845f8bU, 0xbdf9283bU, 0x1ff897ffU, 0xde05980fU,
        0xef2f118bU, 0x5a0a6d1fU, 0x6d367ecfU, 0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU, 0x7527bac7U, 0xebe5f17bU,
        0x3d0739f7U, 0x8a5292eaU, 0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U, 0xfc7b6babU, 0xf0cfbc20U, 0x9af4361dU};
    if (!nhi_is_finite(x)) {
        nhi_double_sines nothing;
        nothing.sin = x - x;
        nothing.cos = x - x;
        return nothing;
    }
    /* |x| = M 2^e. */
    double m = 1.0;
    const int e = nhi_exponent(nhi_abs(x), &m) - 52;
    const uint64_t integer = (uint64_t)(m * 4503599627370496.0);
    /* Words before the first one contribute whole turns. Seven words times M, in limbs of 32 bits, lowest first. */
    const int first = e > 2 ? (e - 2) / 32 : 0;
    uint32_t limbs[10] = {0};
    for (int half = 0; half < 2; ++half) {
        const uint64_t factor = half == 0 ? integer & 0xFFFFFFFFU : integer >> 32;
        uint64_t carry = 0;
        for (int i = 0; i < 7; ++i) {
            const uint64_t sum = factor * words[first + 6 - i] + limbs[i + half] + carry;
            limbs[i + half] = (uint32_t)(sum & 0xFFFFFFFFU);
            carry = sum >> 32;
        }
        limbs[7 + half] = (uint32_t)carry;
    }
    /* In units of 2^-shift quarter turns: two bits above the point are the quadrant, those below the fraction. */
    const int shift = 32 * (first + 7) - e;
    uint32_t top[6];
    for (int i = 0; i < 6; ++i) {
        /* Bits from shift + 2 - 32 (i + 1) on. */
        const int from = shift + 2 - 32 * (i + 1);
        const int limb = from / 32;
        const int bit = from % 32;
        const uint64_t both = (uint64_t)limbs[limb] | ((uint64_t)limbs[limb + 1] << 32);
        top[i] = (uint32_t)((both >> bit) & 0xFFFFFFFFU);
    }
    int quadrant = (int)(top[0] >> 30);
    /* The fraction; from one half on what is missing to one. */
    uint32_t fraction[6];
    for (int i = 0; i < 6; ++i) {
        fraction[i] = (top[i] << 2) | (i < 5 ? top[i + 1] >> 30 : 0U);
    }
    const int is_upper = (fraction[0] >> 31) != 0;
    if (is_upper) {
        quadrant = (quadrant + 1) & 3;
        for (int i = 0; i < 6; ++i) {
            fraction[i] = ~fraction[i];
        }
    }
    /* As a sum of doubles, each of exactly represented parts. */
    double high = 0.0;
    double low = 0.0;
    double unit = 2.3283064365386963e-10;
    for (int i = 0; i < 6; ++i) {
        const double part = (double)fraction[i] * unit;
        unit *= 2.3283064365386963e-10;
        if (high == 0.0) {
            high = part;
        } else {
            const nhi_double2 sum = nhi_quick_sum(high, part);
            high = sum.high;
            low += sum.low;
        }
    }
    const double sign = is_upper ? -1.0 : 1.0;
    const nhi_double2 turned = nhi_product(high, NHI_PI_HALF_HIGH);
    const double rest = turned.low + (high * NHI_PI_HALF_LOW + low * NHI_PI_HALF_HIGH);
    const nhi_double2 r = nhi_quick_sum(turned.high, rest);
    nhi_double_sines result = nhi_double_sin_cos_reduced(sign * r.high, sign * r.low, quadrant);
    if (x < 0.0) {
        result.sin = -result.sin;
    }
    return result;
}

#define NHI_UNARY(name, own, libm, libmf)                                                                              \
    NHI_FN nhi_real nhi_##name(nhi_real x)                                                                             \
    {                                                                                                                  \
        return (nhi_real)own((double)x);                                                                               \
    }
#define NHI_BINARY(name, own, libm, libmf)                                                                             \
    NHI_FN nhi_real nhi_##name(nhi_real x, nhi_real y)                                                                 \
    {                                                                                                                  \
        return (nhi_real)own((double)x, (double)y);                                                                    \
    }
#elif defined(NHI_REAL_FLOAT)
#define NHI_UNARY(name, own, libm, libmf)                                                                              \
    NHI_FN nhi_real nhi_##name(nhi_real x)                                                                             \
    {                                                                                                                  \
        return libmf(x);                                                                                               \
    }
#define NHI_BINARY(name, own, libm, libmf)                                                                             \
    NHI_FN nhi_real nhi_##name(nhi_real x, nhi_real y)                                                                 \
    {                                                                                                                  \
        return libmf(x, y);                                                                                            \
    }
#else
#define NHI_UNARY(name, own, libm, libmf)                                                                              \
    NHI_FN nhi_real nhi_##name(nhi_real x)                                                                             \
    {                                                                                                                  \
        return libm(x);                                                                                                \
    }
#define NHI_BINARY(name, own, libm, libmf)                                                                             \
    NHI_FN nhi_real nhi_##name(nhi_real x, nhi_real y)                                                                 \
    {                                                                                                                  \
        return libm(x, y);                                                                                             \
    }
#endif

NHI_UNARY(sqrt, nhi_double_sqrt, sqrt, sqrtf)
NHI_UNARY(tan, nhi_double_tan, tan, tanf)
NHI_UNARY(asin, nhi_double_asin, asin, asinf)
NHI_UNARY(acos, nhi_double_acos, acos, acosf)
NHI_UNARY(atan, nhi_double_atan, atan, atanf)
NHI_UNARY(sinh, nhi_double_sinh, sinh, sinhf)
NHI_UNARY(cosh, nhi_double_cosh, cosh, coshf)
NHI_UNARY(tanh, nhi_double_tanh, tanh, tanhf)
NHI_UNARY(exp, nhi_double_exp, exp, expf)
NHI_UNARY(ln, nhi_double_ln, log, logf)
NHI_BINARY(atan2, nhi_double_atan2, atan2, atan2f)
NHI_BINARY(powf, nhi_double_pow, pow, powf)

#undef NHI_UNARY
#undef NHI_BINARY

NHI_FN nhi_real nhi_sin(nhi_real x)
{
    return nhi_sin_cos(x).sin;
}

NHI_FN nhi_real nhi_cos(nhi_real x)
{
    return nhi_sin_cos(x).cos;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Newton's method.
 *
 * Updates are measured in the norm ||x||^2 = sum w_i x_i^2. An update is small if it is small relative to
 * scale2 + ||x||^2.
 */

/* More updates mean that the iteration does not converge. */
#define NHI_MOST_UPDATES 50
/* More evaluations mean that the iteration with a safeguard does not converge. */
#define NHI_MOST_EVALUATIONS 500
/* Updates from a guess, if these fail from a fallback, and if these fail with a safeguard. */
#define NHI_MOST_ITERATIONS (2 * NHI_MOST_UPDATES + NHI_MOST_EVALUATIONS + 1)

typedef struct {
    double scale2;       /* what updates are relative to, with the unknowns */
    double last;         /* squared norm of the last update */
    double delta2;       /* of this one */
    double size2;        /* scale2 + squared norm of the unknowns after it */
    int updates;         /* how many have been counted */
    int has_fallback;    /* whether the iteration can start again */
    int is_sharp;        /* whether derivatives and earlier updates do not tell the next update */
    int is_careful;      /* whether the iteration has a safeguard */
    int is_solved;       /* whether it has converged */
    nhi_status status;   /* why it failed */
    nhi_status failure;  /* why the iteration without a safeguard failed */
    double *safeguard;   /* 2 n numbers: point and update that the iteration with a safeguard proceeds from */
    double base2;        /* squared norm of the update there */
    double lambda;       /* part of the update that has been made */
    double low, high;    /* where the update of one unknown is positive and negative */
    double older;        /* size of the update before the last one; that of the last one is `last` */
    int evaluations;
} nhi_newton;

/* `safeguard` has room for 2 n numbers. */
NHI_FN nhi_newton nhi_newton_start(double scale2, int has_fallback, int is_sharp, double *safeguard)
{
    nhi_newton newton;
    newton.scale2 = scale2;
    newton.is_sharp = is_sharp;
    newton.is_careful = 0;
    newton.failure = NHI_OK;
    newton.safeguard = safeguard;
    newton.base2 = nhi_infinity();
    newton.lambda = 1.0;
    newton.low = -nhi_infinity();
    newton.high = nhi_infinity();
    newton.older = nhi_infinity();
    newton.evaluations = 0;
    newton.last = nhi_infinity();
    newton.delta2 = 0.0;
    newton.size2 = 0.0;
    newton.updates = 0;
    newton.has_fallback = has_fallback;
    newton.is_solved = 0;
    newton.status = NHI_OK;
    return newton;
}

/* The iteration with a safeguard has failed. */
NHI_FN int nhi_newton_give_up(nhi_newton *newton)
{
    newton->status = newton->failure;
    return 0;
}

/* The point after the update delta of one unknown. Where positive and negative updates enclose a root, updates that leave
 * the interval, or that do not halve the update before the last one, are replaced by bisection. */
NHI_FN int nhi_newton_enclose(nhi_newton *newton, nhi_real *x, nhi_real delta, double delta2, int is_finite)
{
    const double at = (double)*x;
    const double d = (double)delta;
    if (!is_finite) {
        const double base = newton->safeguard[0];
        const double middle = base + 0.5 * (at - base);
        if (newton->base2 == nhi_infinity() || middle == base || middle == at) {
            return nhi_newton_give_up(newton);
        }
        *x = NHI_R(middle);
        return 0;
    }
    newton->safeguard[0] = at;
    newton->base2 = delta2;
    if (d > 0.0) {
        newton->low = at;
        newton->high = newton->high > at ? newton->high : nhi_infinity();
    } else {
        newton->high = at;
        newton->low = newton->low < at ? newton->low : -nhi_infinity();
    }
    const double next = at + d;
    const double size = d > 0.0 ? d : -d;
    const int is_slow = 2.0 * size > newton->older;
    newton->older = newton->last;
    newton->last = size;
    if (!nhi_is_finite(newton->high - newton->low) || (newton->low < next && next < newton->high && !is_slow)) {
        *x = *x + delta;
        return 0;
    }
    const double middle = newton->low + 0.5 * (newton->high - newton->low);
    if (!(newton->low < middle && middle < newton->high)) {
        return nhi_newton_give_up(newton);
    }
    newton->last = middle > at ? middle - at : at - middle;
    *x = NHI_R(middle);
    return 0;
}

/* The point after the update delta with a safeguard; whether it is the solution. Of several unknowns, the update is halved
 * until the norm of the next one decreases, or until the next one has the same direction and is not much larger. */
NHI_LOOP int nhi_newton_carefully(nhi_newton *newton, int n, nhi_real *x, const nhi_real *delta, const double *weights)
{
    double *base = newton->safeguard;
    double *direction = newton->safeguard + n;
    const double rounding = 64.0 * NHI_EPSILON;
    const double noise = 65536.0 * NHI_EPSILON;
    double delta2 = 0.0;
    double size2 = newton->scale2;
    newton->evaluations += 1;
    if (newton->evaluations > NHI_MOST_EVALUATIONS) {
        return nhi_newton_give_up(newton);
    }
    for (int i = 0; i < n; ++i) {
        const double next = (double)x[i] + (double)delta[i];
        delta2 += weights[i] * (double)delta[i] * (double)delta[i];
        size2 += weights[i] * next * next;
    }
    const int is_finite = nhi_is_finite(delta2 + size2);
    const int is_noise = delta2 >= newton->base2 && delta2 <= noise * noise * size2;
    if (is_finite && (delta2 <= rounding * rounding * size2 || is_noise)) {
        for (int i = 0; i < n; ++i) {
            x[i] = x[i] + delta[i];
        }
        newton->is_solved = 1;
        return 1;
    }
    if (n == 1) {
        return nhi_newton_enclose(newton, x, delta[0], delta2, is_finite);
    }
    double along = 0.0;
    if (newton->base2 != nhi_infinity()) {
        for (int i = 0; i < n; ++i) {
            along += weights[i] * (double)delta[i] * direction[i];
        }
    }
    const int is_ahead = along >= 0.0 && delta2 <= 4.0 * newton->base2;
    if (is_finite && (is_ahead || delta2 <= (1.0 - 0.5 * newton->lambda) * newton->base2)) {
        for (int i = 0; i < n; ++i) {
            base[i] = (double)x[i];
            direction[i] = (double)delta[i];
        }
        newton->base2 = delta2;
        newton->lambda = newton->lambda < 0.25 ? 4.0 * newton->lambda : 1.0;
        if (newton->lambda == 1.0) {
            for (int i = 0; i < n; ++i) {
                x[i] = x[i] + delta[i];
            }
            return 0;
        }
    } else {
        newton->lambda *= 0.5;
        if (newton->base2 == nhi_infinity() || newton->lambda < 9.094947017729282e-13) {
            return nhi_newton_give_up(newton);
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] = NHI_R(base[i] + newton->lambda * direction[i]);
    }
    return 0;
}

/* Adds delta to the n unknowns x; whether they are solved for. Updates that are bent are followed by
 * nhi_newton_bend. */
NHI_FN int nhi_newton_update(nhi_newton *newton, int n, nhi_real *x, const nhi_real *delta, const double *weights,
                             int are_bent)
{
    double delta2 = 0.0;
    double size2 = newton->scale2;
    if (newton->is_careful) {
        return nhi_newton_carefully(newton, n, x, delta, weights);
    }
    for (int i = 0; i < n; ++i) {
        x[i] = x[i] + delta[i];
        delta2 += weights[i] * (double)delta[i] * (double)delta[i];
        size2 += weights[i] * (double)x[i] * (double)x[i];
    }
    newton->delta2 = delta2;
    newton->size2 = size2;
    /* Neither is negative. */
    if (!nhi_is_finite(delta2 + size2)) {
        newton->status = NHI_NON_FINITE;
        return 0;
    }
    const double rounding = 64.0 * NHI_EPSILON;
    const double noise = 65536.0 * NHI_EPSILON;
    if (newton->updates == 0 && !newton->is_sharp) {
        /* The update after this one is rounding: its norm is that of this one squared, times a factor of order one. */
        newton->is_solved = delta2 <= NHI_EPSILON / 64.0 * size2;
    } else {
        /* After d0 and d1 the next update is about d1 (d1/d0)^2, unless updates are bent; updates that have stopped
         * shrinking are noise. */
        const double shrunk = delta2 / newton->last;
        const double predicted = delta2 * shrunk * shrunk;
        newton->is_solved = delta2 <= rounding * rounding * size2
                            || (!are_bent && !newton->is_sharp && delta2 <= rounding * size2
                                && predicted <= NHI_EPSILON * NHI_EPSILON * size2)
                            || (delta2 >= newton->last && delta2 <= noise * noise * size2);
    }
    return newton->is_solved;
}

/* Makes the update delta of the one unknown x from before one of third order (Chebyshev's method) by F', F'' and F''';
 * whether it is solved for. */
NHI_FN int nhi_newton_bend(nhi_newton *newton, nhi_real *x, nhi_real before, nhi_real delta, nhi_real first,
                           nhi_real second, nhi_real third)
{
    if (newton->status != NHI_OK || newton->is_careful) {
        return 0;
    }
    /* With a = F''/(2F') and b = F'''/(6F') -a d^2 + (2a^2 - b)d^3 + ... is missing at x + d. */
    const nhi_real inverse = NHI_R(1.0) / first;
    const nhi_real a = NHI_R(0.5) * second * inverse;
    const nhi_real b = NHI_R(0.16666666666666666) * third * inverse;
    const double bend = (double)a;
    const double twist = (double)b;
    const double square = (double)delta * (double)delta;
    const double missing = square * (2.0 * bend * bend + (twist > -twist ? twist : -twist));
    if (missing <= 0.0625) {
        *x = before + (delta - a * delta * delta);
        newton->is_solved = !newton->is_sharp
                            && missing * missing * newton->delta2 <= NHI_EPSILON * NHI_EPSILON / 256.0 * newton->size2;
    }
    return newton->is_solved;
}

/* Counts an update after which the unknowns are not solved for; whether to go on. After a failure, or where the first
 * update led nearer to the fallback than to the guess, the iteration starts again from the fallback, and after another
 * failure with a safeguard, if the equations are sharp. Where there is no fallback, `fallback` is the guess. */
NHI_FN int nhi_newton_go_on(nhi_newton *newton, int n, nhi_real *x, const nhi_real *fallback, const double *weights)
{
    if (newton->is_careful) {
        return newton->status == NHI_OK;
    }
    if (newton->status == NHI_OK) {
        newton->last = newton->delta2;
        newton->updates += 1;
        if (newton->updates >= NHI_MOST_UPDATES) {
            newton->status = NHI_NOT_CONVERGED;
        } else if (newton->updates == 1 && newton->has_fallback) {
            double distance2 = 0.0;
            double size2 = newton->scale2;
            for (int i = 0; i < n; ++i) {
                const double off = (double)x[i] - (double)fallback[i];
                distance2 += weights[i] * off * off;
                size2 += weights[i] * (double)x[i] * (double)x[i];
            }
            if (distance2 < newton->last && 1e-6 * size2 < newton->last) {
                newton->status = NHI_NOT_CONVERGED;
            }
        }
    }
    if (newton->status == NHI_OK) {
        return 1;
    }
    const int is_careful = !newton->has_fallback;
    if (is_careful && !newton->is_sharp) {
        return 0;
    }
    const nhi_status failure = newton->status;
    for (int i = 0; i < n; ++i) {
        x[i] = fallback[i];
    }
    *newton = nhi_newton_start(newton->scale2, 0, newton->is_sharp, newton->safeguard);
    newton->is_careful = is_careful;
    newton->failure = failure;
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Columns and square matrices, by rows.
 */

/* out = x + y */
NHI_FN void nhi_add(int n, const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = x[i] + y[i];
    }
}

/* out = factor x */
NHI_FN void nhi_times(int n, const nhi_real *x, nhi_real factor, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = factor * x[i];
    }
}

/* out = -x */
NHI_FN void nhi_negated(int n, const nhi_real *x, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = -x[i];
    }
}

NHI_FN nhi_real nhi_dot(int n, const nhi_real *x, const nhi_real *y)
{
    nhi_real sum = x[0] * y[0];
    for (int i = 1; i < n; ++i) {
        sum = sum + x[i] * y[i];
    }
    return sum;
}

/* out = M x */
NHI_FN void nhi_apply(int n, const nhi_real *m, const nhi_real *x, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = nhi_dot(n, m + i * n, x);
    }
}

/* out = M^T x */
NHI_FN void nhi_apply_star(int n, const nhi_real *m, const nhi_real *x, nhi_real *out)
{
    for (int j = 0; j < n; ++j) {
        nhi_real sum = m[j] * x[0];
        for (int i = 1; i < n; ++i) {
            sum = sum + m[i * n + j] * x[i];
        }
        out[j] = sum;
    }
}

/* out = A B */
NHI_FN void nhi_matrix_product(int n, const nhi_real *a, const nhi_real *b, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        nhi_apply_star(n, b, a + i * n, out + i * n);
    }
}

/* Sum of M and c times the identity, whose zeros have the sign of c. */
NHI_FN void nhi_add_identity(int n, const nhi_real *m, nhi_real c, nhi_real *out)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            out[i * n + j] = m[i * n + j] + c * NHI_R(i == j ? 1.0 : 0.0);
        }
    }
}

/* right = left^-1, by elimination with the largest pivot of each column; left is lost. */
NHI_FN void nhi_matrix_inverse(int n, nhi_real *left, nhi_real *right)
{
    for (int i = 0; i < n * n; ++i) {
        right[i] = NHI_R(i % (n + 1) == 0 ? 1.0 : 0.0);
    }
    for (int k = 0; k < n; ++k) {
        nhi_real *const l = left + k * n;
        nhi_real *const r = right + k * n;
        for (int i = k + 1; i < n; ++i) {
            if (nhi_abs((double)left[i * n + k]) > nhi_abs((double)l[k])) {
                for (int j = 0; j < n; ++j) {
                    const nhi_real a = l[j];
                    l[j] = left[i * n + j];
                    left[i * n + j] = a;
                    const nhi_real b = r[j];
                    r[j] = right[i * n + j];
                    right[i * n + j] = b;
                }
            }
        }
        const nhi_real scale = NHI_R(1.0) / l[k];
        nhi_times(n, l, scale, l);
        nhi_times(n, r, scale, r);
        for (int i = 0; i < n; ++i) {
            if (i != k) {
                const nhi_real factor = -left[i * n + k];
                for (int j = 0; j < n; ++j) {
                    left[i * n + j] = left[i * n + j] + factor * l[j];
                    right[i * n + j] = right[i * n + j] + factor * r[j];
                }
            }
        }
    }
}

/* out = x cross y */
NHI_FN void nhi_cross(const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    const nhi_real a = x[1] * y[2] - x[2] * y[1];
    const nhi_real b = x[2] * y[0] - x[0] * y[2];
    const nhi_real c = x[0] * y[1] - x[1] * y[0];
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

/* out = d + the matrix of y -> x cross y */
NHI_FN void nhi_with_hat(nhi_real d, const nhi_real *x, nhi_real *out)
{
    out[0] = d;
    out[1] = -x[2];
    out[2] = x[1];
    out[3] = x[2];
    out[4] = d;
    out[5] = -x[0];
    out[6] = -x[1];
    out[7] = x[0];
    out[8] = d;
}

NHI_FN void nhi_hat(const nhi_real *x, nhi_real *out)
{
    nhi_with_hat(NHI_R(0.0), x, out);
}

/* out = out + x y^T */
NHI_FN void nhi_add_outer(const nhi_real *x, const nhi_real *y, nhi_real *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = out[3 * i + j] + x[i] * y[j];
        }
    }
}

/* out = x hat M */
NHI_FN void nhi_hat_after(const nhi_real *x, const nhi_real *m, nhi_real *out)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            out[3 * k + c] = x[i] * m[3 * j + c] + -x[j] * m[3 * i + c];
        }
    }
}

/* The 6 x 6 matrix of four blocks; a block that is null is zero. */
NHI_FN void nhi_blocks(const nhi_real *a, const nhi_real *b, const nhi_real *c, const nhi_real *d, nhi_real *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[6 * i + j] = a != 0 ? a[3 * i + j] : NHI_R(0.0);
            out[6 * i + 3 + j] = b != 0 ? b[3 * i + j] : NHI_R(0.0);
            out[6 * i + 18 + j] = c != 0 ? c[3 * i + j] : NHI_R(0.0);
            out[6 * i + 21 + j] = d != 0 ? d[3 * i + j] : NHI_R(0.0);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------------
 * The functions of s = theta^2 in the exponential maps of rotations:
 *
 * A = sin theta/theta,  B = (1 - cos theta)/theta^2,  C = (theta - sin theta)/theta^3,
 * D = (1 - (theta/2) cot(theta/2))/theta^2,
 *
 * near zero by their series; derivatives are with respect to s.
 */

/* Below this s the series of A, B and C are summed, and below this one that of D. */
#define NHI_SERIES 4.0
#define NHI_NEAR 0.25
/* s of a full turn. */
#define NHI_FULL_TURN 39.47841760435743

/* The coefficients of D and its derivatives near zero, and of what the poles leave of them elsewhere. */
#define NHI_SERIES_OF_D                                                                                                \
    {0.08333333333333333, 0.001388888888888889, 3.306878306878307e-05, 8.267195767195768e-07, 2.08767569878681e-08,    \
     5.284190138687493e-10, 1.3382536530684679e-11, 3.3896802963225827e-13, 8.586062056277845e-15,                     \
     2.174868698558062e-16, 5.5090028283602295e-18, 1.3954464685812525e-19}
#define NHI_SERIES_OF_D_PRIME                                                                                          \
    {0.001388888888888889, 6.613756613756614e-05, 2.48015873015873e-06, 8.35070279514724e-08,                          \
     2.6420950693437467e-09, 8.029521918410808e-11, 2.3727762074258077e-12, 6.868849645022276e-14,                     \
     1.957381828702256e-15, 5.5090028283602297e-17, 1.5349911154393777e-18, 0.0}
#define NHI_SERIES_OF_D_SECOND                                                                                         \
    {6.613756613756614e-05, 4.96031746031746e-06, 2.505210838544172e-07, 1.0568380277374987e-08,                       \
     4.0147609592054037e-10, 1.4236657244554846e-11, 4.808194751515593e-13, 1.5659054629618047e-14,                    \
     4.958102545524207e-16, 1.5349911154393777e-17, 0.0, 0.0}
#define NHI_TAIL_OF_D                                                                                                  \
    {0.39493406684822646, 0.01982323371113819, 0.0017180619844491397, 0.00017110619794433933,                          \
     1.8012627818080536e-05, 1.9459283080482987e-06, 2.1297880870482925e-07, 2.3470346151871732e-08,                   \
     2.5959993748398565e-09, 2.8771746654611316e-10, 3.1923626170490006e-11, 3.5442758688546123e-12,                   \
     3.9363451738498467e-13, 4.372632654299232e-14, 4.857804189667247e-15, 5.39713780920294e-16,                       \
     5.996555960166587e-17, 6.662675132429289e-18, 7.40286938238577e-19, 8.225346069033828e-20}
#define NHI_TAIL_OF_D_PRIME                                                                                            \
    {0.01982323371113819, 0.0034361239688982794, 0.0005133185938330179, 7.205051127232214e-05,                         \
     9.729641540241494e-06, 1.2778728522289755e-06, 1.6429242306310213e-07, 2.0767994998718852e-08,                    \
     2.5894571989150184e-09, 3.1923626170490006e-10, 3.8987034557400735e-11, 4.7236142086198164e-12,                   \
     5.684422450589002e-13, 6.800925865534145e-14, 8.09570671380441e-15, 9.59448953626654e-16,                         \
     1.132654772512979e-16, 1.3325164888294386e-17, 1.5628157531164273e-18, 0.0}
#define NHI_TAIL_OF_D_SECOND                                                                                           \
    {0.0034361239688982794, 0.0010266371876660359, 0.00021615153381696642, 3.891856616096598e-05,                      \
     6.389364261144877e-06, 9.857545383786127e-07, 1.4537596499103196e-07, 2.0715657591320147e-08,                     \
     2.8731263553441005e-09, 3.8987034557400736e-10, 5.1959756294817984e-11, 6.821306940706802e-12,                    \
     8.841203625194388e-13, 1.1333989399326173e-13, 1.4391734304399808e-14, 1.8122476360207665e-15,                    \
     2.265278031010046e-16, 2.813068355609569e-17, 0.0, 0.0}

/* A polynomial of 4 rows terms by its coefficients, lowest first, in four independent sums. */
NHI_FN nhi_real nhi_series(nhi_real of, const double *c, int rows)
{
    const nhi_real x = of + NHI_R(1e-20);
    const nhi_real x2 = x * x;
    const nhi_real x4 = x2 * x2;
    nhi_real sums[4];
    for (int j = 0; j < 4; ++j) {
        sums[j] = NHI_R(c[4 * (rows - 1) + j]);
        for (int i = rows - 2; i >= 0; --i) {
            sums[j] = sums[j] * x4 + NHI_R(c[4 * i + j]);
        }
    }
    return (sums[0] + sums[1] * x) + (sums[2] + sums[3] * x) * x2;
}

/* (sin(theta/2)/(theta/2), cos(theta/2)) */
NHI_FN nhi_sines nhi_half_angle(nhi_real s)
{
    const nhi_real half = NHI_R(0.5) * nhi_sqrt(s);
    nhi_sines sines = nhi_sin_cos(half);
    sines.sin = sines.sin / half;
    return sines;
}

NHI_FN nhi_real nhi_far_a(nhi_real s)
{
    const nhi_sines half = nhi_half_angle(s);
    return half.sin * half.cos;
}

NHI_FN nhi_real nhi_far_b(nhi_real s)
{
    const nhi_sines half = nhi_half_angle(s);
    return NHI_R(0.5) * half.sin * half.sin;
}

NHI_FN nhi_real nhi_far_c(nhi_real s)
{
    return (NHI_R(1.0) - nhi_far_a(s)) / s;
}

NHI_FN nhi_real nhi_a(nhi_real s)
{
    static const double c[12] = {0.16666666666666666, -0.008333333333333333, 0.0001984126984126984,
                                 -2.7557319223985893e-06, 2.505210838544172e-08, -1.6059043836821613e-10,
                                 7.647163731819816e-13, -2.8114572543455206e-15, 8.22063524662433e-18,
                                 -1.9572941063391263e-20, 3.8681701706306835e-23, -6.446950284384474e-26};
    return (double)s < NHI_SERIES ? NHI_R(1.0) - s * nhi_series(s, c, 3) : nhi_far_a(s);
}

NHI_FN nhi_real nhi_b(nhi_real s)
{
    static const double c[12] = {0.5, -0.041666666666666664, 0.001388888888888889, -2.48015873015873e-05,
                                 2.755731922398589e-07, -2.08767569878681e-09, 1.1470745597729725e-11,
                                 -4.779477332387385e-14, 1.5619206968586225e-16, -4.110317623312165e-19,
                                 8.896791392450574e-22, -1.6117375710961184e-24};
    return (double)s < NHI_SERIES ? nhi_series(s, c, 3) : nhi_far_b(s);
}

NHI_FN nhi_real nhi_c(nhi_real s)
{
    static const double c[12] = {0.16666666666666666, -0.008333333333333333, 0.0001984126984126984,
                                 -2.7557319223985893e-06, 2.505210838544172e-08, -1.6059043836821613e-10,
                                 7.647163731819816e-13, -2.8114572543455206e-15, 8.22063524662433e-18,
                                 -1.9572941063391263e-20, 3.8681701706306835e-23, -6.446950284384474e-26};
    return (double)s < NHI_SERIES ? nhi_series(s, c, 3) : nhi_far_c(s);
}

NHI_FN nhi_real nhi_b_prime(nhi_real s)
{
    static const double c[12] = {-0.041666666666666664, 0.002777777777777778, -7.440476190476191e-05,
                                 1.1022927689594355e-06, -1.043837849393405e-08, 6.882447358637835e-11,
                                 -3.3456341326711696e-13, 1.249536557486898e-15, -3.6992858609809485e-18,
                                 8.896791392450574e-21, -1.77291132820573e-23, 0.0};
    return (double)s < NHI_SERIES ? nhi_series(s, c, 3) : (NHI_R(0.5) * nhi_far_a(s) - nhi_far_b(s)) / s;
}

NHI_FN nhi_real nhi_c_prime(nhi_real s)
{
    static const double c[12] = {-0.008333333333333333, 0.0003968253968253968, -8.267195767195768e-06,
                                 1.0020843354176688e-07, -8.029521918410806e-10, 4.58829823909189e-12,
                                 -1.9680200780418645e-14, 6.576508197299464e-17, -1.7615646957052136e-19,
                                 3.8681701706306834e-22, -7.091645312822921e-25, 0.0};
    return (double)s < NHI_SERIES ? nhi_series(s, c, 3) : (nhi_far_b(s) - NHI_R(3.0) * nhi_far_c(s)) / (s + s);
}

/* z = s/4 pi^2 and the poles 1/(1 - z), 1/(4 - z); not numbers from a full turn on. */
NHI_FN void nhi_poles(nhi_real s, nhi_real *out)
{
    const nhi_real z = s * NHI_R((double)s < NHI_FULL_TURN ? 0.025330295910584444 : nhi_nan());
    out[0] = z;
    out[1] = NHI_R(1.0) / (NHI_R(1.0) - z);
    out[2] = NHI_R(1.0) / (NHI_R(4.0) - z);
}

NHI_FN nhi_real nhi_far_d(nhi_real s)
{
    static const double c[20] = NHI_TAIL_OF_D;
    nhi_real poles[3];
    nhi_poles(s, poles);
    return NHI_R(0.05066059182116889) * (poles[1] + poles[2] + nhi_series(poles[0], c, 5));
}

NHI_FN nhi_real nhi_far_d_prime(nhi_real s)
{
    static const double c[20] = NHI_TAIL_OF_D_PRIME;
    nhi_real poles[3];
    nhi_poles(s, poles);
    const nhi_real sum = poles[1] * poles[1] + poles[2] * poles[2] + nhi_series(poles[0], c, 5);
    return NHI_R(0.001283247781835542) * sum;
}

NHI_FN nhi_real nhi_far_d_second(nhi_real s)
{
    static const double c[20] = NHI_TAIL_OF_D_SECOND;
    nhi_real poles[3];
    nhi_poles(s, poles);
    const nhi_real cubes = poles[1] * poles[1] * poles[1] + poles[2] * poles[2] * poles[2];
    return NHI_R(3.250504604049539e-05) * (cubes + cubes + nhi_series(poles[0], c, 5));
}

NHI_FN nhi_real nhi_d(nhi_real s)
{
    static const double c[12] = NHI_SERIES_OF_D;
    return (double)s < NHI_NEAR ? nhi_series(s, c, 3) : nhi_far_d(s);
}

NHI_FN nhi_real nhi_d_prime(nhi_real s)
{
    static const double c[12] = NHI_SERIES_OF_D_PRIME;
    return (double)s < NHI_NEAR ? nhi_series(s, c, 3) : nhi_far_d_prime(s);
}

NHI_FN nhi_real nhi_d_second(nhi_real s)
{
    static const double c[12] = NHI_SERIES_OF_D_SECOND;
    return (double)s < NHI_NEAR ? nhi_series(s, c, 3) : nhi_far_d_second(s);
}

/* ------------------------------------------------------------------------------------------------------------------
 * SE(2): a pose is (theta, x, y), a velocity of the body (omega, v1, v2). For every retraction tau:
 *
 * tau                 tau(x)
 * moved               g tau(x)
 * dtau_left           d tau^L_x, by rows: D tau(x) d = tau(x) (d tau^L_x d)^
 * dtau_inv            d tau^-1_x, by rows: D tau(x) d = (d tau_x d)^ tau(x)
 * dtau_inv_star       (d tau^-1_x)* mu
 * dtau_left_inv_star  ((d tau^L_x)^-1)* mu
 * k                   d/dx (d tau^-1_x)* mu, by rows
 */

/* 1 + a ad_x + b ad_x^2 */
NHI_FN void nhi_se2_quadratic(const nhi_real *x, nhi_real a, nhi_real b, nhi_real *out)
{
    const nhi_real a_omega = a * x[0];
    const nhi_real b_omega = b * x[0];
    const nhi_real diagonal = NHI_R(1.0) - b_omega * x[0];
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = a * x[2] + b_omega * x[1];
    out[4] = diagonal;
    out[5] = -a_omega;
    out[6] = b_omega * x[2] - a * x[1];
    out[7] = a_omega;
    out[8] = diagonal;
}

/* g h */
NHI_FN void nhi_se2_product(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    const nhi_sines sines = nhi_sin_cos(g[0]);
    const nhi_real x = sines.cos * h[1] - sines.sin * h[2];
    const nhi_real y = sines.sin * h[1] + sines.cos * h[2];
    out[0] = g[0] + h[0];
    out[1] = g[1] + x;
    out[2] = g[2] + y;
}

NHI_FN void nhi_se2_ad(const nhi_real *x, nhi_real *out)
{
    out[0] = NHI_R(0.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = x[2];
    out[4] = NHI_R(0.0);
    out[5] = -x[0];
    out[6] = -x[1];
    out[7] = x[0];
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_se2_ad_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real a = x[2] * mu[1] - x[1] * mu[2];
    const nhi_real b = x[0] * mu[2];
    const nhi_real c = -(x[0] * mu[1]);
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

NHI_FN void nhi_se2_ad_star_on(const nhi_real *mu, nhi_real *out)
{
    out[0] = NHI_R(0.0);
    out[1] = -mu[2];
    out[2] = mu[1];
    out[3] = mu[2];
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = -mu[1];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

/* Exponential map. */

NHI_FN void nhi_se2_exp_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_real omega = x[0];
    const nhi_real s = omega * omega;
    const nhi_real a = nhi_a(s);
    const nhi_real b = omega * nhi_b(s);
    out[0] = omega;
    out[1] = a * x[1] - b * x[2];
    out[2] = b * x[1] + a * x[2];
}

NHI_FN void nhi_se2_exp_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_real s = x[0] * x[0];
    nhi_se2_quadratic(x, nhi_b(s), nhi_c(s), out);
}

NHI_FN void nhi_se2_exp_dtau_inv(const nhi_real *x, nhi_real *out)
{
    nhi_se2_quadratic(x, NHI_R(-0.5), nhi_d(x[0] * x[0]), out);
}

NHI_FN void nhi_se2_exp_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real omega = x[0];
    const nhi_real w = omega * nhi_d(omega * omega);
    const nhi_real q = NHI_R(1.0) - omega * w;
    const nhi_real m2 = NHI_R(0.5) * mu[1];
    const nhi_real m3 = NHI_R(0.5) * mu[2];
    const nhi_real first = mu[0] + (x[1] * m3 - x[2] * m2) + w * (x[1] * mu[1] + x[2] * mu[2]);
    const nhi_real second = q * mu[1] - omega * m3;
    const nhi_real third = q * mu[2] + omega * m2;
    out[0] = first;
    out[1] = second;
    out[2] = third;
}

/* (d exp^L_x)^-1 xi */
NHI_FN void nhi_se2_dexp_left_inv(const nhi_real *x, const nhi_real *xi, nhi_real *out)
{
    const nhi_real half = NHI_R(0.5);
    const nhi_real omega = x[0];
    const nhi_real w = omega * nhi_d(omega * omega);
    const nhi_real q = NHI_R(1.0) - omega * w;
    const nhi_real turn = half * xi[0];
    const nhi_real o = half * omega;
    const nhi_real y1 = x[2] * turn + w * x[1] * xi[0] + q * xi[1] - o * xi[2];
    const nhi_real y2 = w * x[2] * xi[0] - x[1] * turn + o * xi[1] + q * xi[2];
    out[0] = xi[0];
    out[1] = y1;
    out[2] = y2;
}

NHI_FN void nhi_se2_exp_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real omega = x[0];
    const nhi_real s = omega * omega;
    const nhi_real d = nhi_d(s);
    const nhi_real sd = s * nhi_d_prime(s);
    const nhi_real w = omega * d;
    const nhi_real dw = d + sd + sd;
    const nhi_real dww = (omega + omega) * (d + sd);
    const nhi_real m2 = NHI_R(0.5) * mu[1];
    const nhi_real m3 = NHI_R(0.5) * mu[2];
    out[0] = dw * (x[1] * mu[1] + x[2] * mu[2]);
    out[1] = w * mu[1] + m3;
    out[2] = w * mu[2] - m2;
    out[3] = -(dww * mu[1]) - m3;
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = m2 - dww * mu[2];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

/* Cayley map. */

NHI_FN void nhi_se2_cay_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_real half = NHI_R(0.5) * x[0];
    const nhi_real factor = NHI_R(1.0) / (NHI_R(1.0) + half * half);
    const nhi_real a = factor * (x[1] - half * x[2]);
    const nhi_real b = factor * (x[2] + half * x[1]);
    out[0] = NHI_R(2.0) * nhi_atan(half);
    out[1] = a;
    out[2] = b;
}

NHI_FN void nhi_se2_cay_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_real f = NHI_R(2.0) / (NHI_R(4.0) + x[0] * x[0]);
    const nhi_real two = f + f;
    out[0] = two;
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = f * x[2];
    out[4] = two;
    out[5] = -(f * x[0]);
    out[6] = -(f * x[1]);
    out[7] = f * x[0];
    out[8] = two;
}

NHI_FN void nhi_se2_cay_dtau_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_real half = NHI_R(0.5) * x[0];
    const nhi_real v1 = NHI_R(0.5) * x[1];
    const nhi_real v2 = NHI_R(0.5) * x[2];
    out[0] = NHI_R(1.0) + half * half;
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = half * v1 - v2;
    out[4] = NHI_R(1.0);
    out[5] = half;
    out[6] = half * v2 + v1;
    out[7] = -half;
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_se2_cay_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real omega = NHI_R(0.5) * x[0];
    const nhi_real v1 = NHI_R(0.5) * x[1];
    const nhi_real v2 = NHI_R(0.5) * x[2];
    const nhi_real first =
        mu[0] + (v1 * mu[2] - v2 * mu[1]) + omega * (omega * mu[0] + v1 * mu[1] + v2 * mu[2]);
    const nhi_real second = mu[1] - omega * mu[2];
    const nhi_real third = mu[2] + omega * mu[1];
    out[0] = first;
    out[1] = second;
    out[2] = third;
}

NHI_FN void nhi_se2_cay_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real omega = NHI_R(0.25) * x[0];
    const nhi_real v1 = NHI_R(0.25) * x[1];
    const nhi_real v2 = NHI_R(0.25) * x[2];
    const nhi_real m2 = NHI_R(0.5) * mu[1];
    const nhi_real m3 = NHI_R(0.5) * mu[2];
    out[0] = (omega + omega) * mu[0] + v1 * mu[1] + v2 * mu[2];
    out[1] = omega * mu[1] + m3;
    out[2] = omega * mu[2] - m2;
    out[3] = -m3;
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = m2;
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

/* Canonical coordinates of the second kind. */

NHI_FN void nhi_se2_ccsk_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_sines sines = nhi_sin_cos(x[0]);
    const nhi_real a = sines.cos * x[1] - sines.sin * x[2];
    const nhi_real b = sines.sin * x[1] + sines.cos * x[2];
    out[0] = x[0];
    out[1] = a;
    out[2] = b;
}

NHI_FN void nhi_se2_ccsk_dtau_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_sines sines = nhi_sin_cos(x[0]);
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = NHI_R(0.0);
    out[4] = sines.cos;
    out[5] = sines.sin;
    out[6] = NHI_R(0.0);
    out[7] = -sines.sin;
    out[8] = sines.cos;
}

NHI_FN void nhi_se2_ccsk_dtau_left(const nhi_real *x, nhi_real *out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = -x[2];
    out[4] = NHI_R(1.0);
    out[5] = NHI_R(0.0);
    out[6] = x[1];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_se2_ccsk_dtau_left_inv(const nhi_real *x, nhi_real *out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = x[2];
    out[4] = NHI_R(1.0);
    out[5] = NHI_R(0.0);
    out[6] = -x[1];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_se2_ccsk_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_sines sines = nhi_sin_cos(x[0]);
    for (int i = 0; i < 9; ++i) {
        out[i] = NHI_R(0.0);
    }
    out[3] = -(sines.sin * mu[1] + sines.cos * mu[2]);
    out[6] = sines.cos * mu[1] - sines.sin * mu[2];
}

/* ------------------------------------------------------------------------------------------------------------------
 * SO(3): a pose is a rotation matrix R by rows, a velocity of the body omega.
 */

/* 1 + a omega^ + b omega^^2 */
NHI_FN void nhi_so3_quadratic(const nhi_real *omega, nhi_real a, nhi_real b, nhi_real *out)
{
    const nhi_real one = NHI_R(1.0);
    const nhi_real xx = b * omega[0] * omega[0];
    const nhi_real yy = b * omega[1] * omega[1];
    const nhi_real zz = b * omega[2] * omega[2];
    const nhi_real xy = b * omega[0] * omega[1];
    const nhi_real yz = b * omega[1] * omega[2];
    const nhi_real zx = b * omega[2] * omega[0];
    const nhi_real x = a * omega[0];
    const nhi_real y = a * omega[1];
    const nhi_real z = a * omega[2];
    out[0] = one - (yy + zz);
    out[1] = xy - z;
    out[2] = zx + y;
    out[3] = xy + z;
    out[4] = one - (zz + xx);
    out[5] = yz - x;
    out[6] = zx - y;
    out[7] = yz + x;
    out[8] = one - (xx + yy);
}

/* R^T R - 1 */
NHI_FN void nhi_so3_excess(const nhi_real *r, nhi_real *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const nhi_real product = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
            out[3 * i + j] = i == j ? product - NHI_R(1.0) : product;
        }
    }
}

/* How far R is from a rotation: the largest entry of |R^T R - 1| or, for reflections, of r1 cross r2 - r3. */
NHI_FN double nhi_so3_defect(const nhi_real *r)
{
    nhi_real off[12];
    nhi_so3_excess(r, off);
    nhi_cross(r, r + 3, off + 9);
    double most = 0.0;
    for (int i = 0; i < 12; ++i) {
        const double entry = nhi_abs((double)(i < 9 ? off[i] : off[i] - r[i - 3]));
        most = most <= entry || !(entry == entry) ? entry : most;
    }
    return most;
}

/* R(3 - R^T R)/2, a rotation to rounding if R is one to first order. */
NHI_FN void nhi_so3_normalized(const nhi_real *r, nhi_real *out)
{
    nhi_real excess[9];
    nhi_real change[9];
    nhi_so3_excess(r, excess);
    nhi_times(9, excess, NHI_R(-0.5), excess);
    nhi_matrix_product(3, r, excess, change);
    nhi_add(9, r, change, out);
}

/* g h, normalized. */
NHI_FN void nhi_so3_product(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    nhi_real product[9];
    nhi_matrix_product(3, g, h, product);
    nhi_so3_normalized(product, out);
}

NHI_FN void nhi_so3_ad(const nhi_real *x, nhi_real *out)
{
    nhi_hat(x, out);
}

NHI_FN void nhi_so3_ad_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_cross(mu, x, out);
}

NHI_FN void nhi_so3_ad_star_on(const nhi_real *mu, nhi_real *out)
{
    nhi_hat(mu, out);
}

/* y + omega cross y/2 + d omega cross (omega cross y) */
NHI_FN void nhi_so3_turned_back(const nhi_real *omega, const nhi_real *y, nhi_real d, nhi_real *out)
{
    nhi_real once[3];
    nhi_real twice[3];
    nhi_cross(omega, y, once);
    nhi_cross(omega, once, twice);
    for (int i = 0; i < 3; ++i) {
        out[i] = (y[i] + NHI_R(0.5) * once[i]) + d * twice[i];
    }
}

/* K of the exponential map by D and its derivative. */
NHI_FN void nhi_so3_exp_k_of(const nhi_real *x, const nhi_real *mu, nhi_real d, nhi_real d_prime, nhi_real *out)
{
    const nhi_real along = nhi_dot(3, x, mu);
    const nhi_real twice = d_prime + d_prime;
    const nhi_real by = twice * along;
    const nhi_real factor = -(d + d + twice * nhi_dot(3, x, x));
    nhi_real by_x[3];
    nhi_real half[3];
    nhi_real times_d[3];
    for (int i = 0; i < 3; ++i) {
        by_x[i] = by * x[i] + factor * mu[i];
        half[i] = NHI_R(-0.5) * mu[i];
        times_d[i] = d * x[i];
    }
    nhi_with_hat(d * along, half, out);
    nhi_add_outer(times_d, mu, out);
    nhi_add_outer(by_x, x, out);
}

/* Exponential map. */

NHI_FN void nhi_so3_exp_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_real s = nhi_dot(3, x, x);
    nhi_so3_quadratic(x, nhi_a(s), nhi_b(s), out);
}

NHI_FN void nhi_so3_exp_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_real s = nhi_dot(3, x, x);
    nhi_so3_quadratic(x, nhi_b(s), nhi_c(s), out);
}

NHI_FN void nhi_so3_exp_dtau_inv(const nhi_real *x, nhi_real *out)
{
    nhi_so3_quadratic(x, NHI_R(-0.5), nhi_d(nhi_dot(3, x, x)), out);
}

NHI_FN void nhi_so3_exp_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_so3_turned_back(x, mu, nhi_d(nhi_dot(3, x, x)), out);
}

/* (d exp^L_x)^-1 xi */
NHI_FN void nhi_so3_dexp_left_inv(const nhi_real *x, const nhi_real *xi, nhi_real *out)
{
    nhi_so3_turned_back(x, xi, nhi_d(nhi_dot(3, x, x)), out);
}

NHI_FN void nhi_so3_exp_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real s = nhi_dot(3, x, x);
    nhi_so3_exp_k_of(x, mu, nhi_d(s), nhi_d_prime(s), out);
}

/* Cayley map. */

NHI_FN void nhi_so3_cay_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_real a = NHI_R(4.0) / (NHI_R(4.0) + nhi_dot(3, x, x));
    nhi_so3_quadratic(x, a, NHI_R(0.5) * a, out);
}

NHI_FN void nhi_so3_cay_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_real factor = NHI_R(2.0) / (NHI_R(4.0) + nhi_dot(3, x, x));
    nhi_real scaled[3];
    nhi_times(3, x, factor, scaled);
    nhi_with_hat(factor + factor, scaled, out);
}

NHI_FN void nhi_so3_cay_dtau_inv(const nhi_real *x, nhi_real *out)
{
    nhi_real half[3];
    nhi_real quarter[3];
    nhi_times(3, x, NHI_R(-0.5), half);
    nhi_times(3, x, NHI_R(0.25), quarter);
    nhi_with_hat(NHI_R(1.0), half, out);
    nhi_add_outer(quarter, x, out);
}

NHI_FN void nhi_so3_cay_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_real half[3];
    nhi_real once[3];
    nhi_times(3, x, NHI_R(0.5), half);
    nhi_cross(half, mu, once);
    const nhi_real along = nhi_dot(3, half, mu);
    for (int i = 0; i < 3; ++i) {
        out[i] = (mu[i] + once[i]) + along * half[i];
    }
}

NHI_FN void nhi_so3_cay_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_real half[3];
    nhi_real quarter[3];
    nhi_times(3, mu, NHI_R(-0.5), half);
    nhi_times(3, x, NHI_R(0.25), quarter);
    nhi_with_hat(NHI_R(0.25) * nhi_dot(3, x, mu), half, out);
    nhi_add_outer(quarter, mu, out);
}

/* Canonical coordinates of the second kind. */

NHI_FN void nhi_so3_ccsk_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_sines a = nhi_sin_cos(x[0]);
    const nhi_sines b = nhi_sin_cos(x[1]);
    const nhi_sines c = nhi_sin_cos(x[2]);
    out[0] = b.cos * c.cos;
    out[1] = -(b.cos * c.sin);
    out[2] = b.sin;
    out[3] = a.cos * c.sin + a.sin * b.sin * c.cos;
    out[4] = a.cos * c.cos - a.sin * b.sin * c.sin;
    out[5] = -(a.sin * b.cos);
    out[6] = a.sin * c.sin - a.cos * b.sin * c.cos;
    out[7] = a.sin * c.cos + a.cos * b.sin * c.sin;
    out[8] = a.cos * b.cos;
}

NHI_FN void nhi_so3_ccsk_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_sines a = nhi_sin_cos(x[0]);
    const nhi_sines b = nhi_sin_cos(x[1]);
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = b.sin;
    out[3] = NHI_R(0.0);
    out[4] = a.cos;
    out[5] = -(a.sin * b.cos);
    out[6] = NHI_R(0.0);
    out[7] = a.sin;
    out[8] = a.cos * b.cos;
}

NHI_FN void nhi_so3_ccsk_dtau_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_sines a = nhi_sin_cos(x[0]);
    const nhi_sines b = nhi_sin_cos(x[1]);
    const nhi_real s = a.sin / b.cos;
    const nhi_real c = a.cos / b.cos;
    out[0] = NHI_R(1.0);
    out[1] = b.sin * s;
    out[2] = -(b.sin * c);
    out[3] = NHI_R(0.0);
    out[4] = a.cos;
    out[5] = a.sin;
    out[6] = NHI_R(0.0);
    out[7] = -s;
    out[8] = c;
}

NHI_FN void nhi_so3_ccsk_dtau_left(const nhi_real *x, nhi_real *out)
{
    const nhi_sines b = nhi_sin_cos(x[1]);
    const nhi_sines c = nhi_sin_cos(x[2]);
    out[0] = b.cos * c.cos;
    out[1] = c.sin;
    out[2] = NHI_R(0.0);
    out[3] = -(b.cos * c.sin);
    out[4] = c.cos;
    out[5] = NHI_R(0.0);
    out[6] = b.sin;
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_so3_ccsk_dtau_left_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_sines b = nhi_sin_cos(x[1]);
    const nhi_sines third = nhi_sin_cos(x[2]);
    const nhi_real s = third.sin / b.cos;
    const nhi_real c = third.cos / b.cos;
    out[0] = c;
    out[1] = -s;
    out[2] = NHI_R(0.0);
    out[3] = third.sin;
    out[4] = third.cos;
    out[5] = NHI_R(0.0);
    out[6] = -(b.sin * c);
    out[7] = b.sin * s;
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_so3_ccsk_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_sines first = nhi_sin_cos(x[0]);
    const nhi_sines b = nhi_sin_cos(x[1]);
    const nhi_real a = (b.sin * mu[0] - mu[2]) / b.cos;
    const nhi_real da = (mu[0] - b.sin * mu[2]) / (b.cos * b.cos);
    for (int i = 0; i < 9; ++i) {
        out[i] = NHI_R(0.0);
    }
    out[3] = first.cos * a - first.sin * mu[1];
    out[4] = first.sin * da;
    out[6] = first.sin * a + first.cos * mu[1];
    out[7] = -(first.cos * da);
}

/* ------------------------------------------------------------------------------------------------------------------
 * SE(3): a pose is a rotation matrix R by rows and a position p, a velocity of the body (omega, v).
 */

/* g h, the rotation normalized. */
NHI_FN void nhi_se3_product(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    nhi_real moved[3];
    nhi_apply(3, g, h + 9, moved);
    nhi_add(3, g + 9, moved, moved);
    nhi_so3_product(g, h, out);
    for (int i = 0; i < 3; ++i) {
        out[9 + i] = moved[i];
    }
}

NHI_FN void nhi_se3_ad(const nhi_real *x, nhi_real *out)
{
    nhi_real omega[9];
    nhi_real v[9];
    nhi_hat(x, omega);
    nhi_hat(x + 3, v);
    nhi_blocks(omega, 0, v, omega, out);
}

NHI_FN void nhi_se3_ad_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_real a[3];
    nhi_real b[3];
    nhi_real c[3];
    nhi_cross(mu, x, a);
    nhi_cross(mu + 3, x + 3, b);
    nhi_cross(mu + 3, x, c);
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] + b[i];
        out[3 + i] = c[i];
    }
}

NHI_FN void nhi_se3_ad_star_on(const nhi_real *mu, nhi_real *out)
{
    nhi_real m[9];
    nhi_real f[9];
    nhi_hat(mu, m);
    nhi_hat(mu + 3, f);
    nhi_blocks(m, f, f, 0, out);
}

/* The derivative of b omega^^2 along v, where b is a function of |omega|^2 with the derivative b_prime; and y^. */
NHI_FN void nhi_se3_square_along(const nhi_real *omega, const nhi_real *v, nhi_real b, nhi_real b_prime,
                                 const nhi_real *y, nhi_real *out)
{
    const nhi_real rate = NHI_R(2.0) * nhi_dot(3, omega, v);
    const nhi_real slope = rate * b_prime;
    nhi_real scaled[3];
    nhi_real sum[3];
    for (int i = 0; i < 3; ++i) {
        scaled[i] = b * omega[i];
        sum[i] = b * v[i] + slope * omega[i];
    }
    nhi_with_hat(-(rate * b + slope * nhi_dot(3, omega, omega)), y, out);
    nhi_add_outer(scaled, v, out);
    nhi_add_outer(sum, omega, out);
}

/* What turned_back makes of first, and of second with the derivative of that of first along v. */
NHI_FN void nhi_se3_turned_back_along(const nhi_real *x, const nhi_real *first, const nhi_real *second,
                                      nhi_real *out_first, nhi_real *out_second)
{
    const nhi_real *const omega = x;
    const nhi_real *const v = x + 3;
    const nhi_real s = nhi_dot(3, omega, omega);
    const nhi_real d = nhi_d(s);
    const nhi_real slope = NHI_R(2.0) * nhi_dot(3, omega, v) * nhi_d_prime(s);
    nhi_real once[3];
    nhi_real derivative[3];
    nhi_real twice[3];
    nhi_real more[3];
    nhi_real last[3];
    nhi_real back[3];
    nhi_cross(omega, first, once);
    nhi_cross(v, first, derivative);
    nhi_cross(omega, derivative, twice);
    nhi_cross(v, once, more);
    nhi_add(3, twice, more, twice);
    nhi_cross(omega, once, last);
    nhi_so3_turned_back(omega, second, d, back);
    nhi_so3_turned_back(omega, first, d, out_first);
    for (int i = 0; i < 3; ++i) {
        const nhi_real along = (NHI_R(0.5) * derivative[i] + d * twice[i]) + slope * last[i];
        out_second[i] = back[i] + along;
    }
}

/* Exponential map. */

NHI_FN void nhi_se3_exp_tau(const nhi_real *x, nhi_real *out)
{
    nhi_real dexp[9];
    nhi_so3_exp_dtau(x, dexp);
    nhi_so3_exp_tau(x, out);
    nhi_apply(3, dexp, x + 3, out + 9);
}

NHI_FN void nhi_se3_exp_dtau(const nhi_real *x, nhi_real *out)
{
    const nhi_real *const v = x + 3;
    const nhi_real s = nhi_dot(3, x, x);
    const nhi_real rate = NHI_R(2.0) * nhi_dot(3, x, v);
    const nhi_real by = rate * nhi_b_prime(s);
    const nhi_real b = nhi_b(s);
    nhi_real linear[3];
    nhi_real derivative[9];
    nhi_real dexp[9];
    for (int i = 0; i < 3; ++i) {
        linear[i] = b * v[i] + by * x[i];
    }
    nhi_se3_square_along(x, v, nhi_c(s), nhi_c_prime(s), linear, derivative);
    nhi_so3_exp_dtau(x, dexp);
    nhi_blocks(dexp, 0, derivative, dexp, out);
}

NHI_FN void nhi_se3_exp_dtau_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_real *const v = x + 3;
    const nhi_real s = nhi_dot(3, x, x);
    nhi_real linear[3];
    nhi_real derivative[9];
    nhi_real dexp_inv[9];
    nhi_times(3, v, NHI_R(-0.5), linear);
    nhi_se3_square_along(x, v, nhi_d(s), nhi_d_prime(s), linear, derivative);
    nhi_so3_exp_dtau_inv(x, dexp_inv);
    nhi_blocks(dexp_inv, 0, derivative, dexp_inv, out);
}

NHI_FN void nhi_se3_exp_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_real f[3];
    nhi_real m[3];
    nhi_se3_turned_back_along(x, mu + 3, mu, f, m);
    for (int i = 0; i < 3; ++i) {
        out[i] = m[i];
        out[3 + i] = f[i];
    }
}

/* (d exp^L_x)^-1 xi */
NHI_FN void nhi_se3_dexp_left_inv(const nhi_real *x, const nhi_real *xi, nhi_real *out)
{
    nhi_real omega[3];
    nhi_real v[3];
    nhi_se3_turned_back_along(x, xi, xi + 3, omega, v);
    for (int i = 0; i < 3; ++i) {
        out[i] = omega[i];
        out[3 + i] = v[i];
    }
}

NHI_FN void nhi_se3_exp_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real *const sigma = x;
    const nhi_real *const v = x + 3;
    const nhi_real *const f = mu + 3;
    const nhi_real two = NHI_R(2.0);
    const nhi_real s = nhi_dot(3, sigma, sigma);
    const nhi_real d = nhi_d(s);
    const nhi_real d_prime = nhi_d_prime(s);
    const nhi_real d_second = nhi_d_second(s);
    nhi_real by_m[9];
    nhi_real by_f[9];
    nhi_real along[9];
    nhi_so3_exp_k_of(sigma, mu, d, d_prime, by_m);
    nhi_so3_exp_k_of(sigma, f, d, d_prime, by_f);
    const nhi_real sm = nhi_dot(3, sigma, f);
    const nhi_real vm = nhi_dot(3, v, f);
    const nhi_real ds = two * nhi_dot(3, sigma, v);
    const nhi_real d_along = ds * d_prime;
    nhi_real by_sigma[3];
    nhi_real by_v[3];
    nhi_real by[3];
    for (int i = 0; i < 3; ++i) {
        const nhi_real chi = sm * sigma[i] + -s * f[i];
        const nhi_real d_chi = (sm * v[i] + vm * sigma[i]) + -ds * f[i];
        by_sigma[i] = (-two * d_along * f[i] + two * d_prime * d_chi) + two * ds * d_second * chi;
        by_v[i] = -two * d * f[i] + two * d_prime * chi;
        by[i] = d * v[i] + d_along * sigma[i];
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            along[3 * i + j] = (by[i] * f[j] + by_sigma[i] * sigma[j]) + by_v[i] * v[j];
        }
        along[4 * i] = along[4 * i] + (d * vm + d_along * sm);
    }
    nhi_add(9, by_m, along, by_m);
    nhi_blocks(by_m, by_f, by_f, 0, out);
}

/* Cayley map. */

NHI_FN void nhi_se3_cay_tau(const nhi_real *x, nhi_real *out)
{
    const nhi_real *const v = x + 3;
    nhi_real turned[3];
    nhi_so3_cay_tau(x, out);
    nhi_apply(3, out, v, turned);
    for (int i = 0; i < 3; ++i) {
        out[9 + i] = NHI_R(0.5) * (v[i] + turned[i]);
    }
}

NHI_FN void nhi_se3_cay_dtau(const nhi_real *x, nhi_real *out)
{
    nhi_real dcay[9];
    nhi_real rotation[9];
    nhi_real half[3];
    nhi_real mixed[9];
    nhi_so3_cay_dtau(x, dcay);
    nhi_so3_cay_tau(x, rotation);
    nhi_add_identity(3, rotation, NHI_R(1.0), rotation);
    nhi_times(9, rotation, NHI_R(0.5), rotation);
    nhi_times(3, x + 3, NHI_R(0.5), half);
    nhi_hat_after(half, dcay, mixed);
    nhi_blocks(dcay, 0, mixed, rotation, out);
}

NHI_FN void nhi_se3_cay_dtau_inv(const nhi_real *x, nhi_real *out)
{
    const nhi_real *const v = x + 3;
    nhi_real dcay_inv[9];
    nhi_real half[3];
    nhi_real n[9];
    nhi_real mixed[9];
    nhi_so3_cay_dtau_inv(x, dcay_inv);
    nhi_times(3, x, NHI_R(-0.5), half);
    nhi_with_hat(NHI_R(1.0), half, n);
    nhi_times(3, v, NHI_R(-0.5), half);
    nhi_with_hat(NHI_R(-0.25) * nhi_dot(3, x, v), half, mixed);
    nhi_times(3, v, NHI_R(0.25), half);
    nhi_add_outer(half, x, mixed);
    nhi_blocks(dcay_inv, 0, mixed, n, out);
}

NHI_FN void nhi_se3_cay_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real *const f = mu + 3;
    nhi_real end[3];
    nhi_real by_m[3];
    nhi_real once[3];
    nhi_cross(x, f, once);
    for (int i = 0; i < 3; ++i) {
        end[i] = f[i] + NHI_R(0.5) * once[i];
    }
    nhi_so3_cay_dtau_inv_star(x, mu, by_m);
    nhi_cross(x + 3, end, once);
    for (int i = 0; i < 3; ++i) {
        out[i] = by_m[i] + NHI_R(0.5) * once[i];
        out[3 + i] = end[i];
    }
}

NHI_FN void nhi_se3_cay_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real *const v = x + 3;
    const nhi_real *const f = mu + 3;
    nhi_real end[3];
    nhi_real once[3];
    nhi_real column[3];
    nhi_real by_omega[9];
    nhi_real right[9];
    nhi_real left[9];
    nhi_cross(x, f, once);
    for (int i = 0; i < 3; ++i) {
        end[i] = f[i] + NHI_R(0.5) * once[i];
    }
    nhi_times(3, mu, NHI_R(-0.5), column);
    nhi_with_hat(NHI_R(0.25) * (nhi_dot(3, x, mu) + nhi_dot(3, v, f)), column, by_omega);
    nhi_times(3, x, NHI_R(0.25), column);
    nhi_add_outer(column, mu, by_omega);
    nhi_times(3, f, NHI_R(-0.25), column);
    nhi_add_outer(column, v, by_omega);
    nhi_times(3, end, NHI_R(-0.5), column);
    nhi_hat(column, right);
    nhi_times(3, f, NHI_R(-0.5), column);
    nhi_hat(column, left);
    nhi_blocks(by_omega, right, left, 0, out);
}

/* Canonical coordinates of the second kind. */

NHI_FN void nhi_se3_ccsk_tau(const nhi_real *x, nhi_real *out)
{
    nhi_so3_ccsk_tau(x, out);
    nhi_apply(3, out, x + 3, out + 9);
}

NHI_FN void nhi_se3_ccsk_dtau_inv(const nhi_real *x, nhi_real *out)
{
    nhi_real rotation[9];
    nhi_real back[9];
    nhi_real so3[9];
    nhi_so3_ccsk_tau(x, rotation);
    nhi_so3_ccsk_dtau_inv(x, so3);
    for (int i = 0; i < 9; ++i) {
        back[i] = rotation[3 * (i % 3) + i / 3];
    }
    nhi_blocks(so3, 0, 0, back, out);
}

NHI_FN void nhi_se3_ccsk_dtau_left(const nhi_real *x, nhi_real *out)
{
    static const nhi_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    nhi_real so3[9];
    nhi_real back[3];
    nhi_real mixed[9];
    nhi_so3_ccsk_dtau_left(x, so3);
    nhi_negated(3, x + 3, back);
    nhi_hat_after(back, so3, mixed);
    nhi_blocks(so3, 0, mixed, one, out);
}

NHI_FN void nhi_se3_ccsk_dtau_left_inv(const nhi_real *x, nhi_real *out)
{
    static const nhi_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    nhi_real so3[9];
    nhi_real v[9];
    nhi_so3_ccsk_dtau_left_inv(x, so3);
    nhi_hat(x + 3, v);
    nhi_blocks(so3, 0, v, one, out);
}

NHI_FN void nhi_se3_ccsk_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    nhi_real rotation[9];
    nhi_real so3[9];
    nhi_real turned[3];
    nhi_real turning[9];
    nhi_so3_ccsk_tau(x, rotation);
    nhi_apply(3, rotation, mu + 3, turned);
    nhi_negated(3, turned, turned);
    nhi_so3_ccsk_dtau(x, so3);
    nhi_hat_after(turned, so3, turning);
    nhi_so3_ccsk_k(x, mu, so3);
    nhi_blocks(so3, 0, turning, 0, out);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Derivatives of k along x, of the exponential and the Cayley map:
 *
 * k_tangent           d k/dx, the derivatives of each entry of k one after the other
 *
 * by dual numbers, x + eps x' with eps^2 = 0, through the operations of k, along one component of x after the other; for
 * the exponential map on SO(3) and SE(3) in closed form.
 */

typedef struct {
    nhi_real re, eps;
} nhi_dual;

NHI_FN nhi_dual nhi_dual_of(nhi_real re, nhi_real eps)
{
    nhi_dual result;
    result.re = re;
    result.eps = eps;
    return result;
}

NHI_FN nhi_dual nhi_dual_constant(double c)
{
    return nhi_dual_of(NHI_R(c), NHI_R(0.0));
}

NHI_FN nhi_dual nhi_dual_neg(nhi_dual x)
{
    return nhi_dual_of(-x.re, -x.eps);
}

NHI_FN nhi_dual nhi_dual_add(nhi_dual x, nhi_dual y)
{
    return nhi_dual_of(x.re + y.re, x.eps + y.eps);
}

NHI_FN nhi_dual nhi_dual_sub(nhi_dual x, nhi_dual y)
{
    return nhi_dual_of(x.re - y.re, x.eps - y.eps);
}

NHI_FN nhi_dual nhi_dual_mul(nhi_dual x, nhi_dual y)
{
    return nhi_dual_of(x.re * y.re, y.re * x.eps + x.re * y.eps);
}

NHI_FN nhi_dual nhi_dual_div(nhi_dual x, nhi_dual y)
{
    const nhi_real quotient = x.re / y.re;
    const nhi_real inverse = NHI_R(1.0) / y.re;
    return nhi_dual_of(quotient, inverse * x.eps + -(quotient * inverse) * y.eps);
}

/* z + x y */
NHI_FN nhi_dual nhi_dual_add_product(nhi_dual z, nhi_dual x, nhi_dual y)
{
    return nhi_dual_add(z, nhi_dual_mul(x, y));
}

NHI_FN nhi_dual nhi_dual_dot(const nhi_dual *x, const nhi_dual *y)
{
    return nhi_dual_add_product(nhi_dual_add_product(nhi_dual_mul(x[0], y[0]), x[1], y[1]), x[2], y[2]);
}

/* out = factor x */
NHI_FN void nhi_dual_times(const nhi_dual *x, nhi_dual factor, nhi_dual *out)
{
    for (int i = 0; i < 3; ++i) {
        out[i] = nhi_dual_mul(factor, x[i]);
    }
}

/* out = d + the matrix of y -> x cross y */
NHI_FN void nhi_dual_with_hat(nhi_dual d, const nhi_dual *x, nhi_dual *out)
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        out[4 * i] = d;
        out[3 * k + j] = x[i];
        out[3 * j + k] = nhi_dual_neg(x[i]);
    }
}

/* out = out + x y^T */
NHI_FN void nhi_dual_add_outer(const nhi_dual *x, const nhi_dual *y, nhi_dual *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = nhi_dual_add_product(out[3 * i + j], x[i], y[j]);
        }
    }
}

/* The 6 x 6 matrix (a, b; c, 0). */
NHI_FN void nhi_dual_blocks(const nhi_dual *a, const nhi_dual *b, const nhi_dual *c, nhi_dual *out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[6 * i + j] = a[3 * i + j];
            out[6 * i + 3 + j] = b[3 * i + j];
            out[6 * i + 18 + j] = c[3 * i + j];
            out[6 * i + 21 + j] = nhi_dual_constant(0.0);
        }
    }
}

NHI_FN nhi_dual nhi_dual_series(nhi_dual of, const double *c, int rows)
{
    const nhi_dual x = nhi_dual_add(of, nhi_dual_constant(1e-20));
    const nhi_dual x2 = nhi_dual_mul(x, x);
    const nhi_dual x4 = nhi_dual_mul(x2, x2);
    nhi_dual sums[4];
    for (int j = 0; j < 4; ++j) {
        sums[j] = nhi_dual_constant(c[4 * (rows - 1) + j]);
        for (int i = rows - 2; i >= 0; --i) {
            sums[j] = nhi_dual_add(nhi_dual_mul(sums[j], x4), nhi_dual_constant(c[4 * i + j]));
        }
    }
    return nhi_dual_add_product(nhi_dual_add_product(sums[0], sums[1], x),
                                nhi_dual_add_product(sums[2], sums[3], x), x2);
}

NHI_FN void nhi_dual_poles(nhi_dual s, nhi_dual *out)
{
    const nhi_dual one = nhi_dual_constant(1.0);
    const double scale = (double)s.re < NHI_FULL_TURN ? 0.025330295910584444 : nhi_nan();
    out[0] = nhi_dual_mul(s, nhi_dual_constant(scale));
    out[1] = nhi_dual_div(one, nhi_dual_sub(one, out[0]));
    out[2] = nhi_dual_div(one, nhi_dual_sub(nhi_dual_constant(4.0), out[0]));
}

NHI_FN nhi_dual nhi_dual_d(nhi_dual s)
{
    static const double series[12] = NHI_SERIES_OF_D;
    static const double tail[20] = NHI_TAIL_OF_D;
    nhi_dual poles[3];
    if ((double)s.re < NHI_NEAR) {
        return nhi_dual_series(s, series, 3);
    }
    nhi_dual_poles(s, poles);
    const nhi_dual sum = nhi_dual_add(nhi_dual_add(poles[1], poles[2]), nhi_dual_series(poles[0], tail, 5));
    return nhi_dual_mul(nhi_dual_constant(0.05066059182116889), sum);
}

NHI_FN nhi_dual nhi_dual_d_prime(nhi_dual s)
{
    static const double series[12] = NHI_SERIES_OF_D_PRIME;
    static const double tail[20] = NHI_TAIL_OF_D_PRIME;
    nhi_dual poles[3];
    if ((double)s.re < NHI_NEAR) {
        return nhi_dual_series(s, series, 3);
    }
    nhi_dual_poles(s, poles);
    const nhi_dual squares = nhi_dual_add_product(nhi_dual_mul(poles[1], poles[1]), poles[2], poles[2]);
    const nhi_dual sum = nhi_dual_add(squares, nhi_dual_series(poles[0], tail, 5));
    return nhi_dual_mul(nhi_dual_constant(0.001283247781835542), sum);
}

NHI_FN nhi_dual nhi_dual_d_second(nhi_dual s)
{
    static const double series[12] = NHI_SERIES_OF_D_SECOND;
    static const double tail[20] = NHI_TAIL_OF_D_SECOND;
    nhi_dual poles[3];
    if ((double)s.re < NHI_NEAR) {
        return nhi_dual_series(s, series, 3);
    }
    nhi_dual_poles(s, poles);
    const nhi_dual first = nhi_dual_mul(nhi_dual_mul(poles[1], poles[1]), poles[1]);
    const nhi_dual second = nhi_dual_mul(nhi_dual_mul(poles[2], poles[2]), poles[2]);
    const nhi_dual cubes = nhi_dual_add(first, second);
    const nhi_dual sum = nhi_dual_add(nhi_dual_add(cubes, cubes), nhi_dual_series(poles[0], tail, 5));
    return nhi_dual_mul(nhi_dual_constant(3.250504604049539e-05), sum);
}

/* k of SE(2) from its first entry, and from what else its first row and column hold. */
NHI_FN void nhi_dual_se2_k(nhi_dual first, const nhi_dual *row, const nhi_dual *column, nhi_dual *out)
{
    for (int i = 0; i < 9; ++i) {
        out[i] = nhi_dual_constant(0.0);
    }
    out[0] = first;
    for (int i = 0; i < 2; ++i) {
        out[1 + i] = row[i];
        out[3 * (1 + i)] = column[i];
    }
}

NHI_FN void nhi_dual_se2_exp_k(const nhi_dual *x, const nhi_dual *mu, nhi_dual *out)
{
    const nhi_dual omega = x[0];
    const nhi_dual half = nhi_dual_constant(0.5);
    const nhi_dual s = nhi_dual_mul(omega, omega);
    const nhi_dual d = nhi_dual_d(s);
    const nhi_dual sd = nhi_dual_mul(s, nhi_dual_d_prime(s));
    const nhi_dual w = nhi_dual_mul(omega, d);
    const nhi_dual dw = nhi_dual_add(nhi_dual_add(d, sd), sd);
    const nhi_dual dww = nhi_dual_mul(nhi_dual_add(omega, omega), nhi_dual_add(d, sd));
    const nhi_dual m2 = nhi_dual_mul(half, mu[1]);
    const nhi_dual m3 = nhi_dual_mul(half, mu[2]);
    const nhi_dual along = nhi_dual_add_product(nhi_dual_mul(x[1], mu[1]), x[2], mu[2]);
    nhi_dual row[2];
    nhi_dual column[2];
    row[0] = nhi_dual_add(nhi_dual_mul(w, mu[1]), m3);
    row[1] = nhi_dual_sub(nhi_dual_mul(w, mu[2]), m2);
    column[0] = nhi_dual_sub(nhi_dual_neg(nhi_dual_mul(dww, mu[1])), m3);
    column[1] = nhi_dual_sub(m2, nhi_dual_mul(dww, mu[2]));
    nhi_dual_se2_k(nhi_dual_mul(dw, along), row, column, out);
}

NHI_FN void nhi_dual_se2_cay_k(const nhi_dual *x, const nhi_dual *mu, nhi_dual *out)
{
    const nhi_dual half = nhi_dual_constant(0.5);
    const nhi_dual m2 = nhi_dual_mul(half, mu[1]);
    const nhi_dual m3 = nhi_dual_mul(half, mu[2]);
    nhi_dual quarter[3];
    nhi_dual row[2];
    nhi_dual column[2];
    nhi_dual_times(x, nhi_dual_constant(0.25), quarter);
    const nhi_dual twice = nhi_dual_mul(nhi_dual_add(quarter[0], quarter[0]), mu[0]);
    const nhi_dual first =
        nhi_dual_add_product(nhi_dual_add_product(twice, quarter[1], mu[1]), quarter[2], mu[2]);
    row[0] = nhi_dual_add(nhi_dual_mul(quarter[0], mu[1]), m3);
    row[1] = nhi_dual_sub(nhi_dual_mul(quarter[0], mu[2]), m2);
    column[0] = nhi_dual_neg(m3);
    column[1] = m2;
    nhi_dual_se2_k(first, row, column, out);
}

NHI_FN void nhi_dual_so3_cay_k(const nhi_dual *x, const nhi_dual *mu, nhi_dual *out)
{
    const nhi_dual quarter = nhi_dual_constant(0.25);
    nhi_dual part[3];
    nhi_dual_times(mu, nhi_dual_constant(-0.5), part);
    nhi_dual_with_hat(nhi_dual_mul(quarter, nhi_dual_dot(x, mu)), part, out);
    nhi_dual_times(x, quarter, part);
    nhi_dual_add_outer(part, mu, out);
}

NHI_FN void nhi_dual_se3_cay_k(const nhi_dual *x, const nhi_dual *mu, nhi_dual *out)
{
    const nhi_dual *const v = x + 3;
    const nhi_dual *const f = mu + 3;
    const nhi_dual half = nhi_dual_constant(0.5);
    const nhi_dual quarter = nhi_dual_constant(0.25);
    const nhi_dual minus_half = nhi_dual_neg(half);
    const nhi_dual zero = nhi_dual_constant(0.0);
    nhi_dual end[3];
    nhi_dual part[3];
    nhi_dual by_omega[9];
    nhi_dual right[9];
    nhi_dual left[9];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const nhi_dual once = nhi_dual_sub(nhi_dual_mul(x[j], f[k]), nhi_dual_mul(x[k], f[j]));
        end[i] = nhi_dual_add_product(f[i], half, once);
    }
    nhi_dual_times(mu, minus_half, part);
    const nhi_dual along = nhi_dual_add(nhi_dual_dot(x, mu), nhi_dual_dot(v, f));
    nhi_dual_with_hat(nhi_dual_mul(quarter, along), part, by_omega);
    nhi_dual_times(x, quarter, part);
    nhi_dual_add_outer(part, mu, by_omega);
    nhi_dual_times(f, nhi_dual_neg(quarter), part);
    nhi_dual_add_outer(part, v, by_omega);
    nhi_dual_times(end, minus_half, part);
    nhi_dual_with_hat(zero, part, right);
    nhi_dual_times(f, minus_half, part);
    nhi_dual_with_hat(zero, part, left);
    nhi_dual_blocks(by_omega, right, left, out);
}

#define NHI_K_TANGENT(group, tau, n)                                                                                   \
    NHI_FN void nhi_##group##_##tau##_k_tangent(const nhi_real *x, const nhi_real *mu, nhi_real *out)                  \
    {                                                                                                                  \
        nhi_dual sigma[n];                                                                                             \
        nhi_dual nu[n];                                                                                                \
        nhi_dual k[(n) * (n)];                                                                                         \
        for (int along = 0; along < (n); ++along) {                                                                    \
            for (int i = 0; i < (n); ++i) {                                                                            \
                sigma[i] = nhi_dual_of(x[i], NHI_R(i == along ? 1.0 : 0.0));                                           \
                nu[i] = nhi_dual_of(mu[i], NHI_R(0.0));                                                                \
            }                                                                                                          \
            nhi_dual_##group##_##tau##_k(sigma, nu, k);                                                                \
            for (int i = 0; i < (n) * (n); ++i) {                                                                      \
                out[(n) * i + along] = k[i].eps;                                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }

NHI_K_TANGENT(se2, exp, 3)
NHI_K_TANGENT(se2, cay, 3)
NHI_K_TANGENT(so3, cay, 3)
NHI_K_TANGENT(se3, cay, 6)

#undef NHI_K_TANGENT

/* With u = d x.mu, w = d x.x and their derivatives along x_j, x_k:
 * d k_ij/dx_k = x_i u_jk - mu_i w_jk + delta_ij u_k + delta_ik u_j. */
NHI_FN void nhi_so3_exp_k_tangent(const nhi_real *x, const nhi_real *mu, nhi_real *out)
{
    const nhi_real s = nhi_dot(3, x, x);
    const nhi_real along = nhi_dot(3, x, mu);
    const nhi_real d = nhi_d(s);
    const nhi_real d_prime = nhi_d_prime(s);
    const nhi_real d_second = nhi_d_second(s);
    const nhi_real first = d_prime + d_prime;
    const nhi_real second = d_second + d_second;
    const nhi_real u_by_one = first * along;
    const nhi_real w_by_one = d + d + first * s;
    const nhi_real by_x = second * along;
    const nhi_real half_w = first + first + second * s;
    nhi_real half_u[3];
    nhi_real gradient[3];
    for (int i = 0; i < 3; ++i) {
        half_u[i] = by_x * x[i] + first * mu[i];
        gradient[i] = u_by_one * x[i] + d * mu[i];
    }
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k <= j; ++k) {
            nhi_real u = x[j] * half_u[k] + x[k] * half_u[j];
            nhi_real w = (half_w + half_w) * (x[j] * x[k]);
            if (j == k) {
                u = u + u_by_one;
                w = w + w_by_one;
            }
            for (int i = 0; i < 3; ++i) {
                nhi_real sum = x[i] * u - mu[i] * w;
                if (i == j) {
                    sum = sum + gradient[k];
                }
                if (i == k) {
                    sum = sum + gradient[j];
                }
                out[9 * i + 3 * j + k] = sum;
                out[9 * i + 3 * k + j] = sum;
            }
        }
    }
}

/* An entry for SO(3) to where it belongs for SE(3). */
NHI_FN void nhi_se3_exp_k_tangent_entry(nhi_dual entry, nhi_real *out)
{
    out[0] = entry.eps;
    out[3] = entry.re;
    out[6 * 3] = entry.re;
    out[36 * 3] = entry.re;
}

/* The same at omega + eps v for f + eps m, where k of SO(3), which is linear in mu, has the upper right and the lower left
 * block of k of SE(3) as its value and the upper left block as its derivative. */
NHI_FN void nhi_se3_exp_k_tangent(const nhi_real *sigma, const nhi_real *nu, nhi_real *out)
{
    nhi_dual x[3];
    nhi_dual mu[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = nhi_dual_of(sigma[i], sigma[3 + i]);
        mu[i] = nhi_dual_of(nu[3 + i], nu[i]);
    }
    const nhi_dual s = nhi_dual_dot(x, x);
    const nhi_dual along = nhi_dual_dot(x, mu);
    const nhi_dual d = nhi_dual_d(s);
    const nhi_dual d_prime = nhi_dual_d_prime(s);
    const nhi_dual d_second = nhi_dual_d_second(s);
    const nhi_dual first = nhi_dual_add(d_prime, d_prime);
    const nhi_dual second = nhi_dual_add(d_second, d_second);
    const nhi_dual u_by_one = nhi_dual_mul(first, along);
    const nhi_dual w_by_one = nhi_dual_add_product(nhi_dual_add(d, d), first, s);
    const nhi_dual by_x = nhi_dual_mul(second, along);
    const nhi_dual half_w = nhi_dual_add_product(nhi_dual_add(first, first), second, s);
    nhi_dual half_u[3];
    nhi_dual gradient[3];
    for (int i = 0; i < 3; ++i) {
        half_u[i] = nhi_dual_add_product(nhi_dual_mul(by_x, x[i]), first, mu[i]);
        gradient[i] = nhi_dual_add_product(nhi_dual_mul(u_by_one, x[i]), d, mu[i]);
    }
    for (int i = 0; i < 216; ++i) {
        out[i] = NHI_R(0.0);
    }
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k <= j; ++k) {
            nhi_dual u = nhi_dual_add_product(nhi_dual_mul(x[j], half_u[k]), x[k], half_u[j]);
            nhi_dual w = nhi_dual_mul(nhi_dual_add(half_w, half_w), nhi_dual_mul(x[j], x[k]));
            if (j == k) {
                u = nhi_dual_add(u, u_by_one);
                w = nhi_dual_add(w, w_by_one);
            }
            for (int i = 0; i < 3; ++i) {
                nhi_dual sum = nhi_dual_sub(nhi_dual_mul(x[i], u), nhi_dual_mul(mu[i], w));
                if (i == j) {
                    sum = nhi_dual_add(sum, gradient[k]);
                }
                if (i == k) {
                    sum = nhi_dual_add(sum, gradient[j]);
                }
                nhi_se3_exp_k_tangent_entry(sum, out + 36 * i + 6 * j + k);
                nhi_se3_exp_k_tangent_entry(sum, out + 36 * i + 6 * k + j);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Maps that are made of others, for groups of dimension n with poses of p numbers.
 */

#define NHI_MOVED(group, tau, n, p)                                                                                    \
    NHI_FN void nhi_##group##_##tau##_moved(const nhi_real *g, const nhi_real *x, nhi_real *out)                       \
    {                                                                                                                  \
        nhi_real motion[p];                                                                                            \
        nhi_##group##_##tau##_tau(x, motion);                                                                          \
        nhi_##group##_product(g, motion, out);                                                                         \
    }

/* tau(-x) = tau(x)^-1 */
#define NHI_SYMMETRIC(group, tau, n)                                                                                   \
    NHI_FN void nhi_##group##_##tau##_dtau_left(const nhi_real *x, nhi_real *out)                                      \
    {                                                                                                                  \
        nhi_real back[n];                                                                                              \
        nhi_negated(n, x, back);                                                                                       \
        nhi_##group##_##tau##_dtau(back, out);                                                                         \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_dtau_left_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)         \
    {                                                                                                                  \
        nhi_real back[n];                                                                                              \
        nhi_negated(n, x, back);                                                                                       \
        nhi_##group##_##tau##_dtau_inv_star(back, mu, out);                                                            \
    }

#define NHI_BY_MATRICES(group, tau, n)                                                                                 \
    NHI_FN void nhi_##group##_##tau##_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)              \
    {                                                                                                                  \
        nhi_real matrix[(n) * (n)];                                                                                    \
        nhi_##group##_##tau##_dtau_inv(x, matrix);                                                                     \
        nhi_apply_star(n, matrix, mu, out);                                                                            \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_dtau_left_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)         \
    {                                                                                                                  \
        nhi_real matrix[(n) * (n)];                                                                                    \
        nhi_##group##_##tau##_dtau_left_inv(x, matrix);                                                                \
        nhi_apply_star(n, matrix, mu, out);                                                                            \
    }

/* The exponential map with d tau^-1 cut off: a polynomial sum c_j ad^j by `count` + 2 coefficients, highest power first,
 * by Horner's rule. */
#define NHI_TRUNCATED(group, tau, n, p, count, ...)                                                                    \
    NHI_FN void nhi_##group##_##tau##_moved(const nhi_real *g, const nhi_real *x, nhi_real *out)                       \
    {                                                                                                                  \
        nhi_##group##_exp_moved(g, x, out);                                                                            \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_dtau_inv(const nhi_real *x, nhi_real *out)                                       \
    {                                                                                                                  \
        static const double c[(count) + 2] = {__VA_ARGS__};                                                            \
        nhi_real ad[(n) * (n)];                                                                                        \
        nhi_real product[(n) * (n)];                                                                                   \
        nhi_##group##_ad(x, ad);                                                                                       \
        nhi_times((n) * (n), ad, NHI_R(c[0]), product);                                                                \
        nhi_add_identity(n, product, NHI_R(c[1]), out);                                                                \
        for (int i = 2; i < (count) + 2; ++i) {                                                                        \
            nhi_matrix_product(n, out, ad, product);                                                                   \
            nhi_add_identity(n, product, NHI_R(c[i]), out);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_dtau(const nhi_real *x, nhi_real *out)                                           \
    {                                                                                                                  \
        nhi_real inverse[(n) * (n)];                                                                                   \
        nhi_##group##_##tau##_dtau_inv(x, inverse);                                                                    \
        nhi_matrix_inverse(n, inverse, out);                                                                           \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_dtau_inv_star(const nhi_real *x, const nhi_real *mu, nhi_real *out)              \
    {                                                                                                                  \
        static const double c[(count) + 2] = {__VA_ARGS__};                                                            \
        nhi_real part[n];                                                                                              \
        nhi_real next[n];                                                                                              \
        nhi_times(n, mu, NHI_R(c[0]), out);                                                                            \
        for (int i = 1; i < (count) + 2; ++i) {                                                                        \
            nhi_##group##_ad_star(x, out, next);                                                                       \
            nhi_times(n, mu, NHI_R(c[i]), part);                                                                       \
            nhi_add(n, next, part, out);                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    NHI_FN void nhi_##group##_##tau##_k(const nhi_real *x, const nhi_real *mu, nhi_real *out)                          \
    {                                                                                                                  \
        static const double c[(count) + 2] = {__VA_ARGS__};                                                            \
        nhi_real ad[(n) * (n)];                                                                                        \
        nhi_real ad_star[(n) * (n)];                                                                                   \
        nhi_real w[n];                                                                                                 \
        nhi_real part[n];                                                                                              \
        nhi_real next[n];                                                                                              \
        nhi_real on[(n) * (n)];                                                                                        \
        nhi_real product[(n) * (n)];                                                                                   \
        nhi_##group##_ad(x, ad);                                                                                       \
        for (int i = 0; i < (n) * (n); ++i) {                                                                          \
            ad_star[i] = ad[(n) * (i % (n)) + i / (n)];                                                                \
        }                                                                                                              \
        nhi_times(n, mu, NHI_R(c[0]), w);                                                                              \
        nhi_##group##_ad_star_on(w, out);                                                                              \
        nhi_##group##_ad_star(x, w, next);                                                                             \
        nhi_times(n, mu, NHI_R(c[1]), part);                                                                           \
        nhi_add(n, next, part, w);                                                                                     \
        for (int i = 2; i < (count) + 2; ++i) {                                                                        \
            nhi_##group##_ad_star_on(w, on);                                                                           \
            nhi_matrix_product(n, ad_star, out, product);                                                              \
            nhi_add((n) * (n), on, product, out);                                                                      \
            nhi_##group##_ad_star(x, w, next);                                                                         \
            nhi_times(n, mu, NHI_R(c[i]), part);                                                                       \
            nhi_add(n, next, part, w);                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    NHI_SYMMETRIC(group, tau, n)

#define NHI_GROUP(group, n, p)                                                                                         \
    NHI_MOVED(group, exp, n, p)                                                                                        \
    NHI_MOVED(group, cay, n, p)                                                                                        \
    NHI_MOVED(group, ccsk, n, p)                                                                                       \
    NHI_SYMMETRIC(group, exp, n)                                                                                       \
    NHI_SYMMETRIC(group, cay, n)                                                                                       \
    NHI_BY_MATRICES(group, ccsk, n)                                                                                    \
    NHI_TRUNCATED(group, exp1, n, p, 0, -1.0 / 2.0, 1.0)                                                               \
    NHI_TRUNCATED(group, exp2, n, p, 1, 1.0 / 12.0, -1.0 / 2.0, 1.0)                                                   \
    NHI_TRUNCATED(group, exp4, n, p, 3, -1.0 / 720.0, 0.0, 1.0 / 12.0, -1.0 / 2.0, 1.0)                                \
    /* g exp(x) */                                                                                                     \
    NHI_FN void nhi_##group##_displaced(const nhi_real *g, const nhi_real *x, nhi_real *out)                           \
    {                                                                                                                  \
        nhi_##group##_exp_moved(g, x, out);                                                                            \
    }

NHI_GROUP(se2, 3, 3)
NHI_GROUP(so3, 3, 9)
NHI_GROUP(se3, 6, 12)

/* ------------------------------------------------------------------------------------------------------------------
 * Displacements, the inverses of displaced: log(g^-1 h), with the smallest rotation.
 */

/* The nearest integer, halves away from zero; a zero has the sign of x. */
NHI_FN double nhi_nearest(double x)
{
    if (!(nhi_abs(x) < 4503599627370496.0)) {
        return x;
    }
    const double whole = nhi_abs(x) < 1.0 ? x * 0.0 : (double)(int64_t)x;
    const double rest = x - whole;
    return rest >= 0.5 ? whole + 1.0 : (rest <= -0.5 ? whole - 1.0 : whole);
}

NHI_FN void nhi_se2_displacement(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    nhi_real inverse[3];
    nhi_real by[3];
    inverse[0] = -g[0];
    const nhi_sines sines = nhi_sin_cos(inverse[0]);
    inverse[1] = sines.cos * -g[1] - sines.sin * -g[2];
    inverse[2] = sines.sin * -g[1] + sines.cos * -g[2];
    nhi_se2_product(inverse, h, by);
    const double turns = nhi_nearest((double)by[0] / 6.283185307179586);
    const nhi_real omega = by[0] - NHI_R(6.283185307179586 * turns);
    const nhi_real s = omega * omega;
    const nhi_real q = NHI_R(1.0) - s * nhi_d(s);
    const nhi_real half = NHI_R(0.5) * omega;
    out[0] = omega;
    out[1] = q * by[1] + half * by[2];
    out[2] = q * by[2] - half * by[1];
}

/* omega = 2 atan2(|u|, w) u/|u| with the quaternion (w, u) of R, which is computed from its largest component. */
NHI_FN void nhi_so3_logarithm(const nhi_real *r, nhi_real *out)
{
    static const double c[8] = {1.0, 0.16666666666666666, 0.075, 0.044642857142857144,
                                0.030381944444444444, 0.022372159090909092, 0.017352764423076924, 0.01396484375};
    const nhi_real one = NHI_R(1.0);
    const nhi_real trace = r[0] + r[4] + r[8];
    nhi_real w;
    nhi_real u[3];
    if ((double)trace > 0.0) {
        const nhi_real w2 = nhi_sqrt(one + trace);
        const nhi_real f = NHI_R(0.5) / w2;
        w = NHI_R(0.5) * w2;
        u[0] = f * (r[7] - r[5]);
        u[1] = f * (r[2] - r[6]);
        u[2] = f * (r[3] - r[1]);
    } else {
        int i = (double)r[4] > (double)r[0] ? 1 : 0;
        i = (double)r[8] > (double)r[4 * i] ? 2 : i;
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const nhi_real u2 = nhi_sqrt(one + r[4 * i] - r[4 * j] - r[4 * k]);
        const nhi_real f = NHI_R(0.5) / u2;
        w = (r[3 * k + j] - r[3 * j + k]) * f;
        u[i] = NHI_R(0.5) * u2;
        u[j] = (r[3 * i + j] + r[3 * j + i]) * f;
        u[k] = (r[3 * i + k] + r[3 * k + i]) * f;
        if ((double)w < 0.0) {
            w = -w;
            nhi_negated(3, u, u);
        }
    }
    const nhi_real z = nhi_dot(3, u, u);
    nhi_real half;
    if ((double)z < 0.01) {
        half = nhi_series(z, c, 2);
    } else {
        const nhi_real length = nhi_sqrt(z);
        half = nhi_atan2(length, w) / length;
    }
    nhi_times(3, u, half + half, out);
}

/* The inverse of R. */
NHI_FN void nhi_so3_inverse(const nhi_real *r, nhi_real *out)
{
    for (int i = 0; i < 9; ++i) {
        out[i] = r[3 * (i % 3) + i / 3];
    }
}

NHI_FN void nhi_so3_displacement(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    nhi_real inverse[9];
    nhi_real by[9];
    nhi_so3_inverse(g, inverse);
    nhi_matrix_product(3, inverse, h, by);
    nhi_so3_logarithm(by, out);
}

NHI_FN void nhi_se3_displacement(const nhi_real *g, const nhi_real *h, nhi_real *out)
{
    nhi_real inverse[9];
    nhi_real by[9];
    nhi_real back[3];
    nhi_real position[3];
    nhi_real dexp_inv[9];
    nhi_so3_inverse(g, inverse);
    nhi_matrix_product(3, inverse, h, by);
    nhi_apply(3, inverse, g + 9, back);
    nhi_negated(3, back, back);
    nhi_apply(3, inverse, h + 9, position);
    nhi_add(3, back, position, position);
    nhi_so3_logarithm(by, out);
    nhi_so3_exp_dtau_inv(out, dexp_inv);
    nhi_apply(3, dexp_inv, position, out + 3);
}

#undef NHI_MOVED
#undef NHI_SYMMETRIC
#undef NHI_BY_MATRICES
#undef NHI_TRUNCATED
#undef NHI_GROUP

#endif

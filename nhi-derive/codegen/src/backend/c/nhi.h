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
    NHI_INVALID_ARGUMENT = 6,     /* a parameter, coordinate, velocity or input is infinite or not a number, or nodes of a table do
                                     not increase */
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
/* What is written through one of these pointers is not read through another one. */
#ifdef __cplusplus
#define NHI_RESTRICT __restrict
#else
#define NHI_RESTRICT restrict
#endif

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

/* Which matrix of constraints: mu, along which reactions act too, mu of other reactions, which orders the velocities, or nu of these
 * reactions, which orders the equations of M. */
#define NHI_BOTH 0
#define NHI_CONSTRAINTS 1
#define NHI_REACTIONS 2

/* Scores are squares: a pivot of the same column, or of the same velocity, is preferred to one whose score is less than this times as
 * large. */
#define NHI_PREFERENCE 64.0

/* The largest entry of mu from row and column k on, relative to the others of its row, becomes the k-th pivot, and rows below lose their
 * part along its row. Of reactions `pivots` are the velocities that are preferred. Zero if all are rounding. */
NHI_LOOP int nhi_saddle_eliminate(int n, int m, int k, int forms, nhi_real *mass, nhi_real *mu, nhi_real *rhs, double *sizes,
                                  double *scales, int *order, const int *pivots)
{
    int row = -1, column = -1, same_row = -1, same_column = -1;
    double largest = 0.0, largest_same = 0.0;
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
            if (entry > NHI_ROUNDINGS * sizes[n * i + j]) {
                if (score > largest) {
                    row = i;
                    column = j;
                    largest = score;
                }
                if (forms == NHI_REACTIONS && score > largest_same) {
                    int is_pivot = 0;
                    for (int l = 0; l < m; ++l) {
                        is_pivot = is_pivot || pivots[l] == order[j];
                    }
                    if (is_pivot) {
                        same_row = i;
                        same_column = j;
                        largest_same = score;
                    }
                }
            }
        }
    }
    if (same_row >= 0 && NHI_PREFERENCE * largest_same >= largest) {
        row = same_row;
        column = same_column;
    }
    if (row < 0) {
        return 0;
    }
    for (int j = 0; j < n; ++j) {
        nhi_swap(mu, n * k + j, n * row + j);
        nhi_swap_double(sizes, n * k + j, n * row + j);
    }
    nhi_swap_int(order, n + k, n + row);
    for (int i = 0; i < m; ++i) {
        nhi_swap(mu, n * i + k, n * i + column);
        nhi_swap_double(sizes, n * i + k, n * i + column);
    }
    if (forms != NHI_REACTIONS) {
        nhi_swap(rhs, n + k, n + row);
        for (int i = 0; i < n; ++i) {
            nhi_swap(mass, n * i + k, n * i + column);
        }
    }
    if (forms != NHI_CONSTRAINTS) {
        for (int j = 0; j < n; ++j) {
            nhi_swap(mass, n * k + j, n * column + j);
        }
        nhi_swap(rhs, k, column);
    }
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
        if (forms != NHI_REACTIONS) {
            rhs[n + i] = rhs[n + i] - factor * rhs[n + k];
        }
    }
    return 1;
}

/* Replaces the columns of mu after the pivots by those of B, and r by y: the first m velocities are y - B u. Of reactions the first m
 * components of the basis are -B. */
NHI_LOOP void nhi_saddle_basis(int n, int m, int forms, nhi_real *mu, nhi_real *rhs)
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
        if (forms == NHI_REACTIONS) {
            continue;
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

/* The same with Y^T M X and Y^T (f - M x_0) for a basis Y of what nu annihilates, all of the first, and the squares of the sizes of its
 * rows in `sizes`. */
NHI_LOOP void nhi_saddle_project_apart(int n, int m, nhi_real *mass, const nhi_real *mu, const nhi_real *nu, nhi_real *rhs,
                                       const double *scales, double *sizes)
{
    for (int i = 0; i < n; ++i) {
        double largest = 0.0;
        for (int b = m; b < n; ++b) {
            nhi_real x = mass[n * i + b];
            double size = nhi_abs((double)x);
            for (int j = 0; j < m; ++j) {
                const nhi_real product = mass[n * i + j] * mu[n * j + b];
                x = x - product;
                size += nhi_abs((double)product);
            }
            if (i >= m) {
                for (int k = 0; k < m; ++k) {
                    const nhi_real product = nu[n * k + i] * mass[n * k + b];
                    x = x - product;
                    size += nhi_abs((double)product);
                }
            }
            mass[n * i + b] = x;
            const double square = size * size * scales[b];
            if (square > largest) {
                largest = square;
            }
        }
        sizes[i] = largest;
        nhi_real x = rhs[i];
        for (int j = 0; j < m; ++j) {
            x = x - mass[n * i + j] * rhs[n + j];
        }
        if (i >= m) {
            for (int k = 0; k < m; ++k) {
                x = x - nu[n * k + i] * rhs[k];
            }
        }
        rhs[i] = x;
    }
}

/* Exchanges an equation of Y^T M X with the k-th one: that of the k-th velocity itself, or another one in which this is much larger, and
 * eliminates it from those below. Zero if it is rounding. */
NHI_LOOP int nhi_saddle_reduce_apart(int n, int m, int k, nhi_real *mass, nhi_real *rhs, const double *scales, double *sizes,
                                     const int *velocities, int *equations)
{
    int row = k, own = -1;
    double largest = 0.0;
    for (int i = k; i < n; ++i) {
        const double entry = nhi_abs((double)mass[n * i + k]);
        const double score = entry * entry / sizes[i];
        if (score > largest) {
            row = i;
            largest = score;
        }
        if (equations[i] == velocities[k]) {
            own = i;
        }
    }
    if (own >= 0) {
        const double entry = nhi_abs((double)mass[n * own + k]);
        if (NHI_PREFERENCE * (entry * entry / sizes[own]) >= largest) {
            row = own;
        }
    }
    const double size = (double)mass[n * row + k];
    if (!(size * size * scales[k] > NHI_ROUNDINGS * NHI_ROUNDINGS * sizes[row])) {
        return 0;
    }
    for (int j = m; j < n; ++j) {
        nhi_swap(mass, n * k + j, n * row + j);
    }
    nhi_swap(rhs, k, row);
    nhi_swap_double(sizes, k, row);
    nhi_swap_int(equations, k, row);
    const nhi_real pivot = mass[n * k + k];
    for (int i = k + 1; i < n; ++i) {
        const nhi_real factor = mass[n * i + k] / pivot;
        for (int j = k + 1; j < n; ++j) {
            mass[n * i + j] = mass[n * i + j] - factor * mass[n * k + j];
        }
        rhs[i] = rhs[i] - factor * rhs[k];
    }
    return 1;
}

/* u in the last places of f, and, for the velocities that were pivots, M x - f in the other places and x in those of r; then x in
 * the places of f and lambda in those of r. */
NHI_LOOP void nhi_saddle_substitute(int n, int m, const nhi_real *mass, const nhi_real *mu, const nhi_real *nu, nhi_real *rhs)
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
            x = x - nu[n * k + i] * rhs[k];
        }
        rhs[i] = x / nu[n * i + i];
    }
    for (int i = m - 1; i >= 0; --i) {
        nhi_real x = rhs[i];
        for (int k = i + 1; k < m; ++k) {
            x = x - nu[n * k + i] * rhs[k];
        }
        rhs[i] = x;
    }
    for (int i = 0; i < m; ++i) {
        nhi_swap(rhs, i, n + i);
    }
}

/* Back to the order of the velocities and constraints. */
NHI_LOOP void nhi_saddle_restore(int count, int *order, nhi_real *x)
{
    for (int k = 0; k < count; ++k) {
        while (order[k] != k) {
            const int to = order[k];
            nhi_swap(x, k, to);
            nhi_swap_int(order, k, to);
        }
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
        if (!nhi_saddle_eliminate(n, m, k, NHI_BOTH, mass, mu, rhs, sizes, scales, order, order)) {
            return nhi_all_finite(mu, m * n) ? NHI_SINGULAR_CONSTRAINTS : NHI_NON_FINITE;
        }
    }
    nhi_saddle_basis(n, m, NHI_BOTH, mu, rhs);
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
    nhi_saddle_substitute(n, m, mass, mu, mu, rhs);
    nhi_saddle_restore(n, order, rhs);
    nhi_saddle_restore(m, order + n, rhs + n);
    return NHI_OK;
}

/* The same for M x = f + nu^T lambda, mu x = r, where nu follows mu: Y^T M X u = Y^T (f - M x_0) with a basis Y of what nu annihilates.
 * `sizes` has room for 2 m x n numbers, `scales` for 2 n, and `order` for 2 (n + m). */
NHI_LOOP nhi_status nhi_saddle_point_apart(int n, int m, nhi_real *mass, nhi_real *mu, nhi_real *rhs, double *sizes, double *scales,
                                           int *order)
{
    nhi_real *nu = mu + n * m;
    double *nu_sizes = sizes + n * m, *nu_scales = scales + n;
    int *nu_order = order + n + m;
    nhi_saddle_measure(n, m, mass, mu, sizes, scales, order);
    nhi_saddle_measure(n, m, mass, nu, nu_sizes, nu_scales, nu_order);
    for (int k = 0; k < m; ++k) {
        if (!nhi_saddle_eliminate(n, m, k, NHI_CONSTRAINTS, mass, mu, rhs, sizes, scales, order, order)) {
            return nhi_all_finite(mu, 2 * m * n) ? NHI_SINGULAR_CONSTRAINTS : NHI_NON_FINITE;
        }
    }
    nhi_saddle_basis(n, m, NHI_CONSTRAINTS, mu, rhs);
    for (int k = 0; k < m; ++k) {
        if (!nhi_saddle_eliminate(n, m, k, NHI_REACTIONS, mass, nu, rhs, nu_sizes, nu_scales, nu_order, order)) {
            return nhi_all_finite(mu, 2 * m * n) ? NHI_SINGULAR_CONSTRAINTS : NHI_NON_FINITE;
        }
    }
    nhi_saddle_basis(n, m, NHI_REACTIONS, nu, rhs);
    nhi_saddle_project_apart(n, m, mass, mu, nu, rhs, scales, nu_scales);
    for (int k = m; k < n; ++k) {
        if (!nhi_saddle_reduce_apart(n, m, k, mass, rhs, scales, nu_scales, order, nu_order)) {
            return nhi_all_finite(mass, n * n) ? NHI_SINGULAR_CONSTRAINTS : NHI_NON_FINITE;
        }
    }
    nhi_saddle_substitute(n, m, mass, mu, nu, rhs);
    nhi_saddle_restore(n, order, rhs);
    nhi_saddle_restore(m, nu_order + n, rhs + n);
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

/* By how much the energy at rest rises. */
NHI_FN double nhi_risen(const double *potential0, const double *potential1)
{
    return nhi_larger(nhi_larger(potential1[0] - potential0[0], potential1[1] - potential0[1]), 0.0);
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
NHI_FN int nhi_explains(double owned, nhi_real h, double pushed, double risen, double after)
{
    const double explained = 2.0 * (double)h * (double)h * pushed;
    const double most = NHI_LARGEST_GROWTH * owned + explained;
    return after <= most && after + risen <= most + explained;
}

/* Whether the velocities before and after a reflection are far from their mean. */
NHI_FN int nhi_are_far(int n, const nhi_real *before, const nhi_real *after)
{
    double jump = 0.0;
    double motion = 0.0;
    for (int i = 0; i < n; ++i) {
        jump = nhi_larger(jump, nhi_abs((double)after[i] - (double)before[i]));
        motion = nhi_larger(motion, nhi_abs((double)after[i] + (double)before[i]));
    }
    return jump > 64.0 * motion;
}

/* Whether rounding is a small part of a velocity that follows from M (v + w), as nhi_runtime::balance says: of_motion and
 * of_jump are sums of M_ii v_i^2 and M_ii w_i^2, and product is w M w. */
NHI_FN int nhi_is_resolved(double of_motion, double of_jump, double product)
{
    const double lost = NHI_EPSILON * of_jump;
    const double distance2 = of_jump / (of_motion + 1e-8 * of_jump);
    return product > 0.0 && lost * lost * distance2 <= 1e-8 * product * product;
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

/* x where the condition is not negative, otherwise y. */
NHI_FN nhi_real nhi_select(nhi_real condition, nhi_real x, nhi_real y)
{
    return condition >= NHI_R(0.0) ? x : y;
}

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
    int is_sharp;        /* 1 if derivatives and earlier updates do not tell the next update, 2 if the equations jump */
    int is_careful;      /* whether the iteration has a safeguard */
    int is_solved;       /* whether it has converged */
    nhi_status status;   /* why it failed */
    nhi_status failure;  /* why the iteration without a safeguard failed */
    double *safeguard;   /* 2 n numbers: point and update that the iteration with a safeguard proceeds from */
    double base2;        /* squared norm of the update there */
    double lambda;       /* part of the update that has been made */
    double low, high;    /* where the update of one unknown is positive and negative */
    double older;        /* size of the update before the last one; that of the last one is `last` */
    int evaluations;     /* with a safeguard */
} nhi_newton;

/* Counts of the steps of a simulation. */
typedef struct {
    uint64_t safeguarded; /* steps whose equations were solved by Newton's method with a safeguard only */
    uint64_t evaluations; /* how often this has evaluated equations, also those that it did not solve */
} nhi_statistics;

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
 * the interval, or that do not halve the update before the last one, are replaced by bisection, where the equation jumps
 * until the interval is rounding. Whether it is solved. */
NHI_FN int nhi_newton_enclose(nhi_newton *newton, nhi_real *x, nhi_real delta, double delta2, int is_finite, double weight,
                              double size2)
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
    const double width = newton->high - newton->low;
    const double rounding = 64.0 * NHI_EPSILON;
    const int is_narrow = weight * width * width <= rounding * rounding * size2;
    if (newton->is_sharp == 2 && (is_narrow || !(newton->low < middle && middle < newton->high))) {
        *x = NHI_R(middle);
        newton->is_solved = 1;
        return 1;
    }
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
        return nhi_newton_enclose(newton, x, delta[0], delta2, is_finite, weights[0], size2);
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

/* ------------------------------------------------------------------------------------------------------------------
 * What the maps of groups call.
 */

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

/* In a call, for formulas that few motions reach. */
NHI_LOOP nhi_sines nhi_called_sin_cos(nhi_real x)
{
    return nhi_sin_cos(x);
}

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

/* The nearest multiple of 2 pi. */
NHI_FN nhi_real nhi_full_turns(nhi_real x)
{
    return NHI_R(6.283185307179586 * nhi_nearest((double)x / 6.283185307179586));
}

/* Sum of c_j M^j by Horner's rule, the highest power first. `product` has room for a matrix. */
NHI_LOOP void nhi_polynomial(int n, const nhi_real *m, const double *c, int terms, nhi_real *product, nhi_real *out)
{
    nhi_times(n * n, m, NHI_R(c[0]), product);
    nhi_add_identity(n, product, NHI_R(c[1]), out);
    for (int i = 2; i < terms; ++i) {
        nhi_matrix_product(n, out, m, product);
        nhi_add_identity(n, product, NHI_R(c[i]), out);
    }
}

/* (ad_x)* mu, and the matrix of x -> (ad_x)* mu. */
typedef void (*nhi_ad_star)(const nhi_real *x, const nhi_real *mu, nhi_real *out);
typedef void (*nhi_ad_star_on)(const nhi_real *mu, nhi_real *out);

/* The derivative along x of the sum of c_j (ad_x*)^j mu: Horner's rule w <- c_j mu + ad_x* w, differentiated. `room` is for
 * three matrices and three columns. */
NHI_LOOP void nhi_polynomial_k(int n, const nhi_real *ad, nhi_ad_star ad_star, nhi_ad_star_on ad_star_on,
                               const nhi_real *x, const nhi_real *mu, const double *c, int terms, nhi_real *room,
                               nhi_real *out)
{
    nhi_real *const transposed = room;
    nhi_real *const on = transposed + n * n;
    nhi_real *const product = on + n * n;
    nhi_real *const w = product + n * n;
    nhi_real *const part = w + n;
    nhi_real *const next = part + n;
    for (int i = 0; i < n * n; ++i) {
        transposed[i] = ad[n * (i % n) + i / n];
    }
    nhi_times(n, mu, NHI_R(c[0]), w);
    ad_star_on(w, out);
    for (int i = 1; i < terms; ++i) {
        if (i > 1) {
            ad_star_on(w, on);
            nhi_matrix_product(n, transposed, out, product);
            nhi_add(n * n, on, product, out);
        }
        ad_star(x, w, next);
        nhi_times(n, mu, NHI_R(c[i]), part);
        nhi_add(n, next, part, w);
    }
}

/* BEGIN OF THE MAPS OF GROUPS */
/* ------------------------------------------------------------------------------------------------------------------
 * The maps of groups. They are printed from what the runtime's functions do; do not edit.
 *
 * A pose of SE(2) is (theta, x, y), one of SO(3) a rotation matrix R by rows, one of SE(3) R and a position. A velocity of the
 * body is (omega, v1, v2), omega, or (omega, v). For every retraction tau:
 *
 * moved               g tau(x)
 * dtau_inv            d tau^-1_x, by rows: D tau(x) d = (d tau_x d)^ tau(x)
 * dtau_left           d tau^L_x, by rows: D tau(x) d = tau(x) (d tau^L_x d)^
 * dtau_inv_star       (d tau^-1_x)* mu
 * dtau_left_inv_star  ((d tau^L_x)^-1)* mu
 * k                   d/dx (d tau^-1_x)* mu, by rows
 * k_tangent           d k/dx, the derivatives of each entry of k one after the other
 *
 * and
 *
 * displaced           g exp(x)
 * displacement        log(g^-1 h), with the smallest rotation
 * dexp_left_inv       (d exp^L_x)^-1 xi
 *
 * The functions of s = theta^2 in the exponential maps of rotations, near zero by their series, and their derivatives:
 *
 * a = sin theta/theta, b = (1 - cos theta)/theta^2, c = (theta - sin theta)/theta^3, d = (1 - (theta/2) cot(theta/2))/theta^2
 */

NHI_FN nhi_real nhi_a(nhi_real s)
{
    if ((double)s < 4.0) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = (NHI_R(8.22063524662433e-18) * t2 + NHI_R(2.505210838544172e-8)) * t2;
        const nhi_real t4 = NHI_R(-1.9572941063391263e-20) * t2 + NHI_R(-1.6059043836821613e-10);
        const nhi_real t5 = t3 + NHI_R(0.16666666666666666) + (t4 * t2 + NHI_R(-0.008333333333333333)) * t0;
        const nhi_real t6 = NHI_R(3.8681701706306835e-23) * t2 + NHI_R(7.647163731819816e-13);
        const nhi_real t7 = NHI_R(-6.446950284384474e-26) * t2 + NHI_R(-2.8114572543455206e-15);
        const nhi_real t8 = t6 * t2 + NHI_R(0.0001984126984126984) + (t7 * t2 + NHI_R(-2.7557319223985893e-6)) * t0;
        return NHI_R(1.0) - s * (t5 + t8 * t1);
    }
    const nhi_real t0 = NHI_R(0.5) * nhi_sqrt(s);
    const nhi_sines s0 = nhi_called_sin_cos(t0);
    return s0.sin / t0 * s0.cos;
}

NHI_FN nhi_real nhi_b(nhi_real s)
{
    if ((double)s < 4.0) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(1.5619206968586225e-16) * t2 + NHI_R(2.755731922398589e-7);
        const nhi_real t4 = NHI_R(-4.110317623312165e-19) * t2 + NHI_R(-2.08767569878681e-9);
        const nhi_real t5 = t3 * t2 + NHI_R(0.5) + (t4 * t2 + NHI_R(-0.041666666666666664)) * t0;
        const nhi_real t6 = NHI_R(8.896791392450574e-22) * t2 + NHI_R(1.1470745597729725e-11);
        const nhi_real t7 = NHI_R(-1.6117375710961184e-24) * t2 + NHI_R(-4.779477332387385e-14);
        const nhi_real t8 = t6 * t2 + NHI_R(0.001388888888888889) + (t7 * t2 + NHI_R(-2.48015873015873e-5)) * t0;
        return t5 + t8 * t1;
    }
    const nhi_real t0 = NHI_R(0.5) * nhi_sqrt(s);
    const nhi_sines s0 = nhi_called_sin_cos(t0);
    const nhi_real t1 = s0.sin / t0;
    return NHI_R(0.5) * t1 * t1;
}

NHI_FN nhi_real nhi_c(nhi_real s)
{
    if ((double)s < 4.0) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = (NHI_R(8.22063524662433e-18) * t2 + NHI_R(2.505210838544172e-8)) * t2;
        const nhi_real t4 = NHI_R(-1.9572941063391263e-20) * t2 + NHI_R(-1.6059043836821613e-10);
        const nhi_real t5 = t3 + NHI_R(0.16666666666666666) + (t4 * t2 + NHI_R(-0.008333333333333333)) * t0;
        const nhi_real t6 = NHI_R(3.8681701706306835e-23) * t2 + NHI_R(7.647163731819816e-13);
        const nhi_real t7 = NHI_R(-6.446950284384474e-26) * t2 + NHI_R(-2.8114572543455206e-15);
        const nhi_real t8 = t6 * t2 + NHI_R(0.0001984126984126984) + (t7 * t2 + NHI_R(-2.7557319223985893e-6)) * t0;
        return t5 + t8 * t1;
    }
    const nhi_real t0 = NHI_R(0.5) * nhi_sqrt(s);
    const nhi_sines s0 = nhi_called_sin_cos(t0);
    return (NHI_R(1.0) - s0.sin / t0 * s0.cos) / s;
}

NHI_FN nhi_real nhi_b_prime(nhi_real s)
{
    if ((double)s < 4.0) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(-3.6992858609809485e-18) * t2 + NHI_R(-1.043837849393405e-8);
        const nhi_real t4 = NHI_R(8.896791392450574e-21) * t2 + NHI_R(6.882447358637835e-11);
        const nhi_real t5 = t3 * t2 + NHI_R(-0.041666666666666664) + (t4 * t2 + NHI_R(0.002777777777777778)) * t0;
        const nhi_real t6 = NHI_R(-1.77291132820573e-23) * t2 + NHI_R(-3.3456341326711696e-13);
        const nhi_real t7 = (NHI_R(0.0) * t2 + NHI_R(1.249536557486898e-15)) * t2 + NHI_R(1.1022927689594355e-6);
        return t5 + (t6 * t2 + NHI_R(-7.440476190476191e-5) + t7 * t0) * t1;
    }
    const nhi_real t0 = NHI_R(0.5) * nhi_sqrt(s);
    const nhi_sines s0 = nhi_called_sin_cos(t0);
    const nhi_real t1 = s0.sin / t0;
    return (NHI_R(0.5) * (t1 * s0.cos) - NHI_R(0.5) * t1 * t1) / s;
}

NHI_FN nhi_real nhi_c_prime(nhi_real s)
{
    if ((double)s < 4.0) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(-1.7615646957052136e-19) * t2 + NHI_R(-8.029521918410806e-10);
        const nhi_real t4 = NHI_R(3.8681701706306834e-22) * t2 + NHI_R(4.58829823909189e-12);
        const nhi_real t5 = t3 * t2 + NHI_R(-0.008333333333333333) + (t4 * t2 + NHI_R(0.0003968253968253968)) * t0;
        const nhi_real t6 = NHI_R(-7.091645312822921e-25) * t2 + NHI_R(-1.9680200780418645e-14);
        const nhi_real t7 = (NHI_R(0.0) * t2 + NHI_R(6.576508197299464e-17)) * t2 + NHI_R(1.0020843354176688e-7);
        return t5 + (t6 * t2 + NHI_R(-8.267195767195768e-6) + t7 * t0) * t1;
    }
    const nhi_real t0 = NHI_R(0.5) * nhi_sqrt(s);
    const nhi_sines s0 = nhi_called_sin_cos(t0);
    const nhi_real t1 = s0.sin / t0;
    const nhi_real t2 = NHI_R(0.5) * t1 * t1 - NHI_R(3.0) * ((NHI_R(1.0) - t1 * s0.cos) / s);
    return t2 / (s + s);
}

NHI_FN nhi_real nhi_d(nhi_real s)
{
    if ((double)s < 0.25) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = (NHI_R(8.586062056277845e-15) * t2 + NHI_R(2.08767569878681e-8)) * t2;
        const nhi_real t4 = NHI_R(2.174868698558062e-16) * t2 + NHI_R(5.284190138687493e-10);
        const nhi_real t5 = t3 + NHI_R(0.08333333333333333) + (t4 * t2 + NHI_R(0.001388888888888889)) * t0;
        const nhi_real t6 = NHI_R(5.5090028283602295e-18) * t2 + NHI_R(1.3382536530684679e-11);
        const nhi_real t7 = NHI_R(1.3954464685812525e-19) * t2 + NHI_R(3.3896802963225827e-13);
        const nhi_real t8 = t6 * t2 + NHI_R(3.306878306878307e-5) + (t7 * t2 + NHI_R(8.267195767195768e-7)) * t0;
        return t5 + t8 * t1;
    }
    const nhi_real t0 = ((double)s < 39.47841760435743 ? NHI_R(0.025330295910584444) : NHI_R(nhi_nan()));
    const nhi_real t1 = s * t0;
    static const double c0[20] = {
        0.39493406684822646, 0.01982323371113819, 0.0017180619844491397, 0.00017110619794433933,
        1.8012627818080536e-5, 1.9459283080482987e-6, 2.1297880870482925e-7, 2.3470346151871732e-8,
        2.5959993748398565e-9, 2.8771746654611316e-10, 3.1923626170490006e-11, 3.5442758688546123e-12,
        3.9363451738498467e-13, 4.372632654299232e-14, 4.857804189667247e-15, 5.39713780920294e-16,
        5.996555960166587e-17, 6.662675132429289e-18, 7.40286938238577e-19, 8.225346069033828e-20,
    };
    const nhi_real t2 = NHI_R(1.0) / (NHI_R(1.0) - t1) + NHI_R(1.0) / (NHI_R(4.0) - t1) + nhi_series(t1, c0, 5);
    return NHI_R(0.05066059182116889) * t2;
}

NHI_FN nhi_real nhi_d_prime(nhi_real s)
{
    if ((double)s < 0.25) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(1.957381828702256e-15) * t2 + NHI_R(2.6420950693437467e-9);
        const nhi_real t4 = NHI_R(5.5090028283602297e-17) * t2 + NHI_R(8.029521918410808e-11);
        const nhi_real t5 = t3 * t2 + NHI_R(0.001388888888888889) + (t4 * t2 + NHI_R(6.613756613756614e-5)) * t0;
        const nhi_real t6 = NHI_R(1.5349911154393777e-18) * t2 + NHI_R(2.3727762074258077e-12);
        const nhi_real t7 = (NHI_R(0.0) * t2 + NHI_R(6.868849645022276e-14)) * t2 + NHI_R(8.35070279514724e-8);
        return t5 + (t6 * t2 + NHI_R(2.48015873015873e-6) + t7 * t0) * t1;
    }
    const nhi_real t0 = ((double)s < 39.47841760435743 ? NHI_R(0.025330295910584444) : NHI_R(nhi_nan()));
    const nhi_real t1 = s * t0;
    const nhi_real t2 = NHI_R(1.0) / (NHI_R(1.0) - t1);
    const nhi_real t3 = NHI_R(1.0) / (NHI_R(4.0) - t1);
    static const double c0[20] = {
        0.01982323371113819, 0.0034361239688982794, 0.0005133185938330179, 7.205051127232214e-5,
        9.729641540241494e-6, 1.2778728522289755e-6, 1.6429242306310213e-7, 2.0767994998718852e-8,
        2.5894571989150184e-9, 3.1923626170490006e-10, 3.8987034557400735e-11, 4.7236142086198164e-12,
        5.684422450589002e-13, 6.800925865534145e-14, 8.09570671380441e-15, 9.59448953626654e-16,
        1.132654772512979e-16, 1.3325164888294386e-17, 1.5628157531164273e-18, 0.0,
    };
    const nhi_real t4 = NHI_R(0.001283247781835542) * (t2 * t2 + t3 * t3 + nhi_series(t1, c0, 5));
    return t4;
}

NHI_FN nhi_real nhi_d_second(nhi_real s)
{
    if ((double)s < 0.25) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(4.958102545524207e-16) * t2 + NHI_R(4.0147609592054037e-10);
        const nhi_real t4 = NHI_R(1.5349911154393777e-17) * t2 + NHI_R(1.4236657244554846e-11);
        const nhi_real t5 = t3 * t2 + NHI_R(6.613756613756614e-5) + (t4 * t2 + NHI_R(4.96031746031746e-6)) * t0;
        const nhi_real t6 = NHI_R(0.0) * t2;
        const nhi_real t7 = (t6 + NHI_R(4.808194751515593e-13)) * t2 + NHI_R(2.505210838544172e-7);
        const nhi_real t8 = (t6 + NHI_R(1.5659054629618047e-14)) * t2 + NHI_R(1.0568380277374987e-8);
        return t5 + (t7 + t8 * t0) * t1;
    }
    const nhi_real t0 = ((double)s < 39.47841760435743 ? NHI_R(0.025330295910584444) : NHI_R(nhi_nan()));
    const nhi_real t1 = s * t0;
    const nhi_real t2 = NHI_R(1.0) / (NHI_R(1.0) - t1);
    const nhi_real t3 = NHI_R(1.0) / (NHI_R(4.0) - t1);
    const nhi_real t4 = t2 * t2 * t2 + t3 * t3 * t3;
    static const double c0[20] = {
        0.0034361239688982794, 0.0010266371876660359, 0.00021615153381696642, 3.891856616096598e-5,
        6.389364261144877e-6, 9.857545383786127e-7, 1.4537596499103196e-7, 2.0715657591320147e-8,
        2.8731263553441005e-9, 3.8987034557400736e-10, 5.1959756294817984e-11, 6.821306940706802e-12,
        8.841203625194388e-13, 1.1333989399326173e-13, 1.4391734304399808e-14, 1.8122476360207665e-15,
        2.265278031010046e-16, 2.813068355609569e-17, 0.0, 0.0,
    };
    return NHI_R(3.250504604049539e-5) * (t4 + t4 + nhi_series(t1, c0, 5));
}

NHI_FN nhi_real nhi_d_third(nhi_real s)
{
    if ((double)s < 0.25) {
        const nhi_real t0 = s + NHI_R(1e-20);
        const nhi_real t1 = t0 * t0;
        const nhi_real t2 = t1 * t1;
        const nhi_real t3 = NHI_R(1.3814920038954398e-16) * t2 + NHI_R(7.118328622277423e-11);
        const nhi_real t4 = NHI_R(0.0) * t2;
        const nhi_real t5 = (t4 + NHI_R(2.884916850909356e-12)) * t2 + NHI_R(5.010421677088344e-7);
        const nhi_real t6 = (t4 + NHI_R(1.0961338240732633e-13)) * t2 + NHI_R(3.170514083212496e-8);
        const nhi_real t7 = (t4 + NHI_R(3.966482036419365e-15)) * t2 + NHI_R(1.6059043836821615e-9);
        const nhi_real t8 = t3 * t2 + NHI_R(4.96031746031746e-6) + t5 * t0 + (t6 + t7 * t0) * t1;
        return t8;
    }
    const nhi_real t0 = ((double)s < 39.47841760435743 ? NHI_R(0.025330295910584444) : NHI_R(nhi_nan()));
    const nhi_real t1 = s * t0;
    const nhi_real t2 = NHI_R(1.0) / (NHI_R(1.0) - t1);
    const nhi_real t3 = t2 * t2;
    const nhi_real t4 = NHI_R(1.0) / (NHI_R(4.0) - t1);
    const nhi_real t5 = t4 * t4;
    static const double c0[20] = {
        0.0010266371876660359, 0.00043230306763393284, 0.00011675569848289793, 2.555745704457951e-5,
        4.9287726918930635e-6, 8.722557899461917e-7, 1.4500960313924104e-7, 2.2985010842752804e-8,
        3.508833110166066e-9, 5.195975629481799e-10, 7.503437634777482e-11, 1.0609444350233265e-11,
        1.4734186219124026e-12, 2.014842802615973e-13, 2.7183714540311497e-14, 3.624444849616073e-15,
        4.782216204536268e-16, 0.0, 0.0, 0.0,
    };
    const nhi_real t6 = NHI_R(8.233624347929194e-7) * (NHI_R(6.0) * (t3 * t3 + t5 * t5) + nhi_series(t1, c0, 5));
    return t6;
}

NHI_FN void nhi_se2_ad(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
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

NHI_FN void nhi_se2_ad_star(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    out[0] = x[2] * mu[1] - x[1] * mu[2];
    out[1] = x[0] * mu[2];
    out[2] = -(x[0] * mu[1]);
}

NHI_FN void nhi_se2_ad_star_on(const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
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

NHI_FN void nhi_se2_exp_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    out[0] = g[0] + x[0];
    const nhi_sines s0 = nhi_sin_cos(g[0]);
    const nhi_real t0 = x[0] * x[0];
    const nhi_real t1 = nhi_a(t0);
    const nhi_real t2 = x[0] * nhi_b(t0);
    const nhi_real t3 = t1 * x[1] - t2 * x[2];
    const nhi_real t4 = t2 * x[1] + t1 * x[2];
    out[1] = g[1] + (s0.cos * t3 - s0.sin * t4);
    out[2] = g[2] + (s0.sin * t3 + s0.cos * t4);
}

NHI_FN void nhi_se2_exp_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    const nhi_real t0 = nhi_d(x[0] * x[0]) * x[0];
    out[3] = NHI_R(-0.5) * x[2] + t0 * x[1];
    const nhi_real t1 = NHI_R(1.0) - t0 * x[0];
    out[4] = t1;
    const nhi_real t2 = NHI_R(-0.5) * x[0];
    out[5] = -t2;
    out[6] = t0 * x[2] - NHI_R(-0.5) * x[1];
    out[7] = t2;
    out[8] = t1;
}

NHI_FN void nhi_se2_exp_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    const nhi_real t0 = x[0] * x[0];
    const nhi_real t1 = x[0] * nhi_c(t0);
    const nhi_real t2 = nhi_b(t0);
    out[3] = x[1] * t1 - x[2] * t2;
    const nhi_real t3 = NHI_R(1.0) - x[0] * t1;
    out[4] = t3;
    const nhi_real t4 = x[0] * t2;
    out[5] = t4;
    out[6] = x[2] * t1 + x[1] * t2;
    out[7] = -t4;
    out[8] = t3;
}

NHI_FN void nhi_se2_exp_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * mu[2];
    const nhi_real t1 = NHI_R(0.5) * mu[1];
    const nhi_real t2 = x[0] * nhi_d(x[0] * x[0]);
    const nhi_real t3 = mu[0] + (x[1] * t0 - x[2] * t1) + t2 * (x[1] * mu[1] + x[2] * mu[2]);
    out[0] = t3;
    const nhi_real t4 = NHI_R(1.0) - x[0] * t2;
    out[1] = t4 * mu[1] - x[0] * t0;
    out[2] = t4 * mu[2] + x[0] * t1;
}

NHI_FN void nhi_se2_exp_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_se2_exp_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se2_exp_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0];
    const nhi_real t1 = nhi_d(t0);
    const nhi_real t2 = t0 * nhi_d_prime(t0);
    const nhi_real t3 = t1 + t2;
    out[0] = (t3 + t2) * (x[1] * mu[1] + x[2] * mu[2]);
    const nhi_real t4 = x[0] * t1;
    const nhi_real t5 = NHI_R(0.5) * mu[2];
    out[1] = t4 * mu[1] + t5;
    const nhi_real t6 = NHI_R(0.5) * mu[1];
    out[2] = t4 * mu[2] - t6;
    const nhi_real t7 = (x[0] + x[0]) * t3;
    out[3] = -(t7 * mu[1]) - t5;
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = t6 - t7 * mu[2];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_se2_exp_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    nhi_zero(27, out);
    const nhi_real t0 = x[1] * mu[1] + x[2] * mu[2];
    const nhi_real t1 = x[0] * x[0];
    const nhi_real t2 = nhi_d_prime(t1);
    const nhi_real t3 = x[0] + x[0];
    const nhi_real t4 = t2 * t3;
    const nhi_real t5 = nhi_d_second(t1);
    const nhi_real t6 = t4 + t1 * (t5 * t3);
    const nhi_real t7 = t4 + t6;
    const nhi_real t8 = nhi_d(t1);
    const nhi_real t9 = t1 * t2;
    const nhi_real t10 = t8 + t9;
    const nhi_real t11 = t10 + t9;
    const nhi_real t12 = mu[1] * NHI_R(0.0);
    const nhi_real t13 = x[1] * NHI_R(0.0);
    const nhi_real t14 = t12 + t13;
    const nhi_real t15 = mu[2] * NHI_R(0.0);
    const nhi_real t16 = x[2] * NHI_R(0.0);
    const nhi_real t17 = t15 + t16;
    out[0] = t0 * (t7 + t6) + t11 * (t14 + t17);
    const nhi_real t18 = x[0] * NHI_R(0.0);
    const nhi_real t19 = t18 + t18;
    const nhi_real t20 = t2 * t19;
    const nhi_real t21 = t20 + t1 * (t5 * t19);
    const nhi_real t22 = t20 + t21;
    const nhi_real t23 = t0 * (t22 + t21);
    out[1] = t23 + t11 * (mu[1] + t13 + t17);
    out[2] = t23 + t11 * (t14 + (mu[2] + t16));
    const nhi_real t24 = t8 + x[0] * t4;
    const nhi_real t25 = x[0] * t8 * NHI_R(0.0);
    const nhi_real t26 = t15 + NHI_R(0.0);
    out[3] = mu[1] * t24 + t25 + t26;
    const nhi_real t27 = t8 * NHI_R(0.0) + x[0] * t20;
    const nhi_real t28 = mu[1] * t27 + t25 + t26;
    out[4] = t28;
    out[5] = t28;
    const nhi_real t29 = t12 + NHI_R(0.0);
    out[6] = mu[2] * t24 + t25 - t29;
    const nhi_real t30 = mu[2] * t27 + t25 - t29;
    out[7] = t30;
    out[8] = t30;
    const nhi_real t31 = t10 * NHI_R(2.0) + t3 * t7;
    const nhi_real t32 = t3 * t10 * NHI_R(0.0);
    out[9] = -(mu[1] * t31 + t32) - t26;
    const nhi_real t33 = t10 * NHI_R(0.0) + t3 * t22;
    const nhi_real t34 = -(mu[1] * t33 + t32) - t26;
    out[10] = t34;
    out[11] = t34;
    out[18] = t29 - (mu[2] * t31 + t32);
    const nhi_real t35 = t29 - (mu[2] * t33 + t32);
    out[19] = t35;
    out[20] = t35;
}

NHI_FN void nhi_se2_cay_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * x[0];
    out[0] = g[0] + NHI_R(2.0) * nhi_atan(t0);
    const nhi_sines s0 = nhi_sin_cos(g[0]);
    const nhi_real t1 = NHI_R(1.0) / (NHI_R(1.0) + t0 * t0);
    const nhi_real t2 = t1 * (x[1] - t0 * x[2]);
    const nhi_real t3 = t1 * (x[2] + t0 * x[1]);
    out[1] = g[1] + (s0.cos * t2 - s0.sin * t3);
    out[2] = g[2] + (s0.sin * t2 + s0.cos * t3);
}

NHI_FN void nhi_se2_cay_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * x[0];
    out[0] = NHI_R(1.0) + t0 * t0;
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    const nhi_real t1 = NHI_R(0.5) * x[1];
    const nhi_real t2 = NHI_R(0.5) * x[2];
    out[3] = t0 * t1 - t2;
    out[4] = NHI_R(1.0);
    out[5] = t0;
    out[6] = t0 * t2 + t1;
    out[7] = -t0;
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_se2_cay_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(2.0) / (NHI_R(4.0) + x[0] * x[0]);
    const nhi_real t1 = t0 + t0;
    out[0] = t1;
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = -(x[2] * t0);
    out[4] = t1;
    const nhi_real t2 = x[0] * t0;
    out[5] = t2;
    out[6] = x[1] * t0;
    out[7] = -t2;
    out[8] = t1;
}

NHI_FN void nhi_se2_cay_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * x[1];
    const nhi_real t1 = NHI_R(0.5) * x[2];
    const nhi_real t2 = NHI_R(0.5) * x[0];
    const nhi_real t3 = mu[0] + (t0 * mu[2] - t1 * mu[1]) + t2 * (t2 * mu[0] + t0 * mu[1] + t1 * mu[2]);
    out[0] = t3;
    out[1] = mu[1] - t2 * mu[2];
    out[2] = mu[2] + t2 * mu[1];
}

NHI_FN void nhi_se2_cay_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_se2_cay_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se2_cay_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.25) * x[0];
    const nhi_real t1 = (t0 + t0) * mu[0] + NHI_R(0.25) * x[1] * mu[1] + NHI_R(0.25) * x[2] * mu[2];
    out[0] = t1;
    const nhi_real t2 = NHI_R(0.5) * mu[2];
    out[1] = t0 * mu[1] + t2;
    const nhi_real t3 = NHI_R(0.5) * mu[1];
    out[2] = t0 * mu[2] - t3;
    out[3] = -t2;
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = t3;
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_se2_cay_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    (void)x;
    nhi_zero(27, out);
    const nhi_real t0 = NHI_R(0.25) * mu[0];
    out[0] = t0 + t0;
    const nhi_real t1 = NHI_R(0.25) * mu[1];
    out[1] = t1;
    const nhi_real t2 = NHI_R(0.25) * mu[2];
    out[2] = t2;
    out[3] = t1;
    out[6] = t2;
}

NHI_FN void nhi_se2_ccsk_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    out[0] = g[0] + x[0];
    const nhi_sines s0 = nhi_sin_cos(g[0]);
    const nhi_sines s1 = nhi_sin_cos(x[0]);
    const nhi_real t0 = s1.cos * x[1] - s1.sin * x[2];
    const nhi_real t1 = s1.sin * x[1] + s1.cos * x[2];
    out[1] = g[1] + (s0.cos * t0 - s0.sin * t1);
    out[2] = g[2] + (s0.sin * t0 + s0.cos * t1);
}

NHI_FN void nhi_se2_ccsk_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = NHI_R(0.0);
    const nhi_sines s0 = nhi_sin_cos(x[0]);
    out[4] = s0.cos;
    out[5] = s0.sin;
    out[6] = NHI_R(0.0);
    out[7] = -s0.sin;
    out[8] = s0.cos;
}

NHI_FN void nhi_se2_ccsk_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
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

NHI_FN void nhi_se2_ccsk_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    out[0] = mu[0] + NHI_R(0.0) * mu[1] + NHI_R(0.0) * mu[2];
    const nhi_real t0 = NHI_R(0.0) * mu[0];
    const nhi_sines s0 = nhi_sin_cos(x[0]);
    out[1] = t0 + s0.cos * mu[1] - s0.sin * mu[2];
    out[2] = t0 + s0.sin * mu[1] + s0.cos * mu[2];
}

NHI_FN void nhi_se2_ccsk_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    out[0] = mu[0] + x[2] * mu[1] - x[1] * mu[2];
    const nhi_real t0 = NHI_R(0.0) * mu[0];
    out[1] = t0 + mu[1] + NHI_R(0.0) * mu[2];
    out[2] = t0 + NHI_R(0.0) * mu[1] + mu[2];
}

NHI_FN void nhi_se2_ccsk_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(0.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    const nhi_sines s0 = nhi_sin_cos(x[0]);
    out[3] = -(s0.sin * mu[1] + s0.cos * mu[2]);
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = s0.cos * mu[1] - s0.sin * mu[2];
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_se2_exp1_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se2_exp_moved(g, x, out);
}

NHI_FN void nhi_se2_exp1_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    out[3] = NHI_R(-0.5) * x[2] + NHI_R(0.0);
    out[4] = NHI_R(1.0);
    const nhi_real t0 = x[0] * NHI_R(-0.5);
    out[5] = NHI_R(0.0) - t0;
    out[6] = NHI_R(0.0) - x[1] * NHI_R(-0.5);
    out[7] = t0 + NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_se2_exp1_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_se2_exp1_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_se2_exp1_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.5) * mu[1];
    const nhi_real t1 = NHI_R(-0.5) * mu[2];
    out[0] = x[2] * t0 - x[1] * t1 + mu[0];
    out[1] = x[0] * t1 + mu[1];
    out[2] = mu[2] - x[0] * t0;
}

NHI_FN void nhi_se2_exp1_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.5) * mu[2];
    const nhi_real t1 = NHI_R(-0.5) * mu[1];
    out[0] = x[1] * t0 - x[2] * t1 + mu[0];
    out[1] = mu[1] - x[0] * t0;
    out[2] = x[0] * t1 + mu[2];
}

NHI_FN void nhi_se2_exp1_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    (void)x;
    out[0] = NHI_R(0.0);
    const nhi_real t0 = NHI_R(-0.5) * mu[2];
    out[1] = -t0;
    const nhi_real t1 = NHI_R(-0.5) * mu[1];
    out[2] = t1;
    out[3] = t0;
    out[4] = NHI_R(0.0);
    out[5] = NHI_R(0.0);
    out[6] = -t1;
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_se2_exp2_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se2_exp_moved(g, x, out);
}

NHI_FN void nhi_se2_exp2_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = x[2] * NHI_R(0.0) - x[1] * NHI_R(0.0) + NHI_R(1.0);
    const nhi_real t0 = x[0] * NHI_R(0.0);
    out[1] = NHI_R(0.0) + t0 + NHI_R(0.0);
    out[2] = NHI_R(-0.0) - t0 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t1 = NHI_R(0.0) * (NHI_R(0.08333333333333333) * x[2]);
    const nhi_real t2 = x[0] * NHI_R(0.08333333333333333);
    const nhi_real t3 = NHI_R(-0.0) - t2;
    out[3] = t1 + x[2] * NHI_R(-0.5) - x[1] * t3 + NHI_R(0.0);
    out[4] = t1 + x[0] * t3 + NHI_R(1.0);
    const nhi_real t4 = x[0] * NHI_R(-0.5);
    out[5] = t1 - t4 + NHI_R(0.0) * t3 + NHI_R(0.0);
    const nhi_real t5 = NHI_R(0.0) * (NHI_R(-0.0) - x[1] * NHI_R(0.08333333333333333));
    out[6] = t5 + x[2] * t2 - x[1] * NHI_R(-0.5) + NHI_R(0.0);
    out[7] = t5 + NHI_R(0.0) * t2 + t4 + NHI_R(0.0);
    out[8] = t5 - x[0] * t2 + NHI_R(1.0);
}

NHI_FN void nhi_se2_exp2_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_se2_exp2_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_se2_exp2_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * (NHI_R(0.08333333333333333) * mu[2]) + NHI_R(-0.5) * mu[1];
    const nhi_real t1 = NHI_R(-0.5) * mu[2] - x[0] * (NHI_R(0.08333333333333333) * mu[1]);
    out[0] = x[2] * t0 - x[1] * t1 + mu[0];
    out[1] = x[0] * t1 + mu[1];
    out[2] = mu[2] - x[0] * t0;
}

NHI_FN void nhi_se2_exp2_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * (NHI_R(0.08333333333333333) * mu[1]) + NHI_R(-0.5) * mu[2];
    const nhi_real t1 = NHI_R(-0.5) * mu[1] - x[0] * (NHI_R(0.08333333333333333) * mu[2]);
    out[0] = x[1] * t0 - x[2] * t1 + mu[0];
    out[1] = mu[1] - x[0] * t0;
    out[2] = x[0] * t1 + mu[2];
}

NHI_FN void nhi_se2_exp2_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t1 = NHI_R(0.08333333333333333) * mu[1];
    out[0] = NHI_R(0.0) + (NHI_R(0.0) + t0 * x[2] + x[1] * t1);
    const nhi_real t2 = NHI_R(0.0) * x[2];
    const nhi_real t3 = t0 * NHI_R(0.0);
    const nhi_real t4 = x[1] * NHI_R(0.0);
    const nhi_real t5 = x[0] * t1;
    const nhi_real t6 = NHI_R(-0.5) * mu[2] - t5;
    out[1] = t2 - t3 - t4 - t6;
    const nhi_real t7 = x[0] * t0;
    const nhi_real t8 = t7 + NHI_R(-0.5) * mu[1];
    const nhi_real t9 = t1 * NHI_R(0.0);
    out[2] = t8 + (t9 + t2 - t4);
    out[3] = t6 + (NHI_R(0.0) + t3 - t5);
    const nhi_real t10 = NHI_R(0.0) * x[0];
    out[4] = NHI_R(0.0) + (NHI_R(0.0) - t3 + t10);
    out[5] = NHI_R(0.0) + (t9 + NHI_R(0.0) + t10);
    out[6] = NHI_R(0.0) - t7 - t9 - t8;
    out[7] = NHI_R(0.0) + (-t3 - t10 + NHI_R(0.0));
    out[8] = NHI_R(0.0) + (t9 - t10 + NHI_R(0.0));
}

NHI_FN void nhi_se2_exp4_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se2_exp_moved(g, x, out);
}

NHI_FN void nhi_se2_exp4_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[2] * NHI_R(0.0);
    const nhi_real t1 = x[1] * NHI_R(0.0);
    const nhi_real t2 = NHI_R(0.0) * (NHI_R(0.0) + t0 - t1 + NHI_R(0.08333333333333333));
    const nhi_real t3 = x[0] * NHI_R(0.0);
    const nhi_real t4 = NHI_R(0.0) + t3 + NHI_R(0.0);
    const nhi_real t5 = NHI_R(0.0) - t3 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t6 = NHI_R(0.0) * (t2 + x[2] * t4 - x[1] * t5 + NHI_R(-0.5));
    const nhi_real t7 = t2 + NHI_R(0.0) * t4 + x[0] * t5;
    const nhi_real t8 = t2 - x[0] * t4 + NHI_R(0.0) * t5;
    out[0] = t6 + x[2] * t7 - x[1] * t8 + NHI_R(1.0);
    out[1] = t6 + NHI_R(0.0) * t7 + x[0] * t8 + NHI_R(0.0);
    out[2] = t6 - x[0] * t7 + NHI_R(0.0) * t8 + NHI_R(0.0);
    const nhi_real t9 = NHI_R(0.0) * (NHI_R(-0.001388888888888889) * x[2] + NHI_R(0.0));
    const nhi_real t10 = x[0] * NHI_R(-0.001388888888888889);
    const nhi_real t11 = NHI_R(0.0) - t10;
    const nhi_real t12 = NHI_R(0.0) * (t9 + t0 - x[1] * t11 + NHI_R(0.0));
    const nhi_real t13 = t9 + NHI_R(0.0) + x[0] * t11 + NHI_R(0.08333333333333333);
    const nhi_real t14 = t9 - t3 + NHI_R(0.0) * t11 + NHI_R(0.0);
    const nhi_real t15 = NHI_R(0.0) * (t12 + x[2] * t13 - x[1] * t14);
    const nhi_real t16 = t12 + NHI_R(0.0) * t13 + x[0] * t14 + NHI_R(-0.5);
    const nhi_real t17 = t12 - x[0] * t13 + NHI_R(0.0) * t14;
    out[3] = t15 + x[2] * t16 - x[1] * t17 + NHI_R(0.0);
    out[4] = t15 + NHI_R(0.0) * t16 + x[0] * t17 + NHI_R(1.0);
    out[5] = t15 - x[0] * t16 + NHI_R(0.0) * t17 + NHI_R(0.0);
    const nhi_real t18 = NHI_R(0.0) * (NHI_R(0.0) - x[1] * NHI_R(-0.001388888888888889));
    const nhi_real t19 = t10 + NHI_R(0.0);
    const nhi_real t20 = NHI_R(0.0) * (t18 + x[2] * t19 - t1 + NHI_R(0.0));
    const nhi_real t21 = t18 + NHI_R(0.0) * t19 + t3 + NHI_R(0.0);
    const nhi_real t22 = t18 - x[0] * t19 + NHI_R(0.0) + NHI_R(0.08333333333333333);
    const nhi_real t23 = NHI_R(0.0) * (t20 + x[2] * t21 - x[1] * t22);
    const nhi_real t24 = t20 + NHI_R(0.0) * t21 + x[0] * t22;
    const nhi_real t25 = t20 - x[0] * t21 + NHI_R(0.0) * t22 + NHI_R(-0.5);
    out[6] = t23 + x[2] * t24 - x[1] * t25 + NHI_R(0.0);
    out[7] = t23 + NHI_R(0.0) * t24 + x[0] * t25 + NHI_R(0.0);
    out[8] = t23 - x[0] * t24 + NHI_R(0.0) * t25 + NHI_R(1.0);
}

NHI_FN void nhi_se2_exp4_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_se2_exp4_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_se2_exp4_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * (NHI_R(-0.001388888888888889) * mu[2]) + NHI_R(0.0) * mu[1];
    const nhi_real t1 = x[0] * (NHI_R(0.08333333333333333) * mu[2] - x[0] * t0) + NHI_R(-0.5) * mu[1];
    const nhi_real t2 = NHI_R(0.0) * mu[2] - x[0] * (NHI_R(-0.001388888888888889) * mu[1]);
    const nhi_real t3 = NHI_R(-0.5) * mu[2] - x[0] * (x[0] * t2 + NHI_R(0.08333333333333333) * mu[1]);
    out[0] = x[2] * t1 - x[1] * t3 + mu[0];
    out[1] = x[0] * t3 + mu[1];
    out[2] = mu[2] - x[0] * t1;
}

NHI_FN void nhi_se2_exp4_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * (NHI_R(-0.001388888888888889) * mu[1]) + NHI_R(0.0) * mu[2];
    const nhi_real t1 = x[0] * (NHI_R(0.08333333333333333) * mu[1] - x[0] * t0) + NHI_R(-0.5) * mu[2];
    const nhi_real t2 = NHI_R(0.0) * mu[1] - x[0] * (NHI_R(-0.001388888888888889) * mu[2]);
    const nhi_real t3 = NHI_R(-0.5) * mu[1] - x[0] * (x[0] * t2 + NHI_R(0.08333333333333333) * mu[2]);
    out[0] = x[1] * t1 - x[2] * t3 + mu[0];
    out[1] = mu[1] - x[0] * t1;
    out[2] = x[0] * t3 + mu[2];
}

NHI_FN void nhi_se2_exp4_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.001388888888888889) * mu[2];
    const nhi_real t1 = NHI_R(-0.001388888888888889) * mu[1];
    const nhi_real t2 = (NHI_R(0.0) + (NHI_R(0.0) + t0 * x[2] + x[1] * t1)) * NHI_R(0.0);
    const nhi_real t3 = x[0] * t1;
    const nhi_real t4 = NHI_R(0.0) * mu[2] - t3;
    const nhi_real t5 = t0 * NHI_R(0.0);
    const nhi_real t6 = t4 + (NHI_R(0.0) + t5 - t3);
    const nhi_real t7 = x[0] * t0;
    const nhi_real t8 = t1 * NHI_R(0.0);
    const nhi_real t9 = t7 + NHI_R(0.0) * mu[1];
    const nhi_real t10 = NHI_R(0.0) - t7 - t8 - t9;
    const nhi_real t11 = (NHI_R(0.0) + (t2 + t6 * x[2] - x[1] * t10)) * NHI_R(0.0);
    const nhi_real t12 = NHI_R(0.08333333333333333) * mu[2] - x[0] * t9;
    const nhi_real t13 = t12 + (t2 + t6 * NHI_R(0.0) + t10 * x[0]);
    const nhi_real t14 = x[0] * t4 + NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t15 = t2 - x[0] * t6 + t10 * NHI_R(0.0) - t14;
    out[0] = NHI_R(0.0) + (t11 + t13 * x[2] - x[1] * t15);
    const nhi_real t16 = NHI_R(0.0) * x[2];
    const nhi_real t17 = x[1] * NHI_R(0.0);
    const nhi_real t18 = (t16 - t5 - t17 - t4) * NHI_R(0.0);
    const nhi_real t19 = NHI_R(0.0) * x[0];
    const nhi_real t20 = NHI_R(0.0) + (NHI_R(0.0) - t5 + t19);
    const nhi_real t21 = NHI_R(0.0) + (-t5 - t19 + NHI_R(0.0));
    const nhi_real t22 = (t18 + t20 * x[2] - x[1] * t21 - t12) * NHI_R(0.0);
    const nhi_real t23 = NHI_R(0.0) + (t18 + t20 * NHI_R(0.0) + t21 * x[0]);
    const nhi_real t24 = NHI_R(0.0) + (t18 - x[0] * t20 + t21 * NHI_R(0.0));
    const nhi_real t25 = NHI_R(-0.5) * mu[2] - x[0] * t14;
    out[1] = t22 + t23 * x[2] - x[1] * t24 - t25;
    const nhi_real t26 = x[0] * t12 + NHI_R(-0.5) * mu[1];
    const nhi_real t27 = (t9 + (t8 + t16 - t17)) * NHI_R(0.0);
    const nhi_real t28 = NHI_R(0.0) + (t8 + NHI_R(0.0) + t19);
    const nhi_real t29 = NHI_R(0.0) + (t8 - t19 + NHI_R(0.0));
    const nhi_real t30 = (t14 + (t27 + t28 * x[2] - x[1] * t29)) * NHI_R(0.0);
    const nhi_real t31 = NHI_R(0.0) + (t27 + t28 * NHI_R(0.0) + t29 * x[0]);
    const nhi_real t32 = NHI_R(0.0) + (t27 - x[0] * t28 + t29 * NHI_R(0.0));
    out[2] = t26 + (t30 + t31 * x[2] - x[1] * t32);
    out[3] = t25 + (t11 + t13 * NHI_R(0.0) + t15 * x[0]);
    out[4] = NHI_R(0.0) + (t22 + t23 * NHI_R(0.0) + t24 * x[0]);
    out[5] = NHI_R(0.0) + (t30 + t31 * NHI_R(0.0) + t32 * x[0]);
    out[6] = t11 - x[0] * t13 + t15 * NHI_R(0.0) - t26;
    out[7] = NHI_R(0.0) + (t22 - x[0] * t23 + t24 * NHI_R(0.0));
    out[8] = NHI_R(0.0) + (t30 - x[0] * t31 + t32 * NHI_R(0.0));
}

NHI_FN void nhi_se2_displaced(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    nhi_se2_exp_moved(g, x, out);
}

NHI_FN void nhi_se2_dexp_left_inv(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT xi,
                                  nhi_real *NHI_RESTRICT out)
{
    out[0] = xi[0];
    const nhi_real t0 = NHI_R(0.5) * xi[0];
    const nhi_real t1 = x[0] * nhi_d(x[0] * x[0]);
    const nhi_real t2 = NHI_R(1.0) - x[0] * t1;
    const nhi_real t3 = NHI_R(0.5) * x[0];
    out[1] = x[2] * t0 + t1 * x[1] * xi[0] + t2 * xi[1] - t3 * xi[2];
    out[2] = t1 * x[2] * xi[0] - x[1] * t0 + t3 * xi[1] + t2 * xi[2];
}

NHI_FN void nhi_se2_displacement(const nhi_real *NHI_RESTRICT g,
                                 const nhi_real *NHI_RESTRICT h,
                                 nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = h[0] - g[0];
    const nhi_real t1 = t0 - nhi_full_turns(t0);
    out[0] = t1;
    const nhi_real t2 = t1 * t1;
    const nhi_real t3 = NHI_R(1.0) - t2 * nhi_d(t2);
    const nhi_sines s0 = nhi_sin_cos(-g[0]);
    const nhi_real t4 = g[2] * s0.sin - g[1] * s0.cos + (s0.cos * h[1] - s0.sin * h[2]);
    const nhi_real t5 = NHI_R(0.5) * t1;
    const nhi_real t6 = -(g[1] * s0.sin) - g[2] * s0.cos + (s0.sin * h[1] + s0.cos * h[2]);
    out[1] = t3 * t4 + t5 * t6;
    out[2] = t3 * t6 - t5 * t4;
}

NHI_FN void nhi_so3_ad(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(0.0);
    out[1] = -x[2];
    out[2] = x[1];
    out[3] = x[2];
    out[4] = NHI_R(0.0);
    out[5] = -x[0];
    out[6] = -x[1];
    out[7] = x[0];
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_so3_ad_star(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    out[0] = mu[1] * x[2] - mu[2] * x[1];
    out[1] = mu[2] * x[0] - mu[0] * x[2];
    out[2] = mu[0] * x[1] - mu[1] * x[0];
}

NHI_FN void nhi_so3_ad_star_on(const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    nhi_so3_ad(mu, out);
}

NHI_FN void nhi_so3_exp_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_b(t0);
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t2 * x[1];
    const nhi_real t4 = t1 * x[2];
    const nhi_real t5 = t4 * x[2];
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    const nhi_real t7 = t1 * x[0];
    const nhi_real t8 = t7 * x[1];
    const nhi_real t9 = nhi_a(t0);
    const nhi_real t10 = t9 * x[2];
    const nhi_real t11 = t8 + t10;
    const nhi_real t12 = t4 * x[0];
    const nhi_real t13 = t9 * x[1];
    const nhi_real t14 = t12 - t13;
    const nhi_real t15 = t6 * g[0] + t11 * g[1] + t14 * g[2];
    const nhi_real t16 = t6 * g[3] + t11 * g[4] + t14 * g[5];
    const nhi_real t17 = t6 * g[6] + t11 * g[7] + t14 * g[8];
    const nhi_real t18 = NHI_R(-0.5) * (t15 * t15 + t16 * t16 + t17 * t17 - NHI_R(1.0));
    const nhi_real t19 = t8 - t10;
    const nhi_real t20 = t7 * x[0];
    const nhi_real t21 = NHI_R(1.0) - (t5 + t20);
    const nhi_real t22 = t2 * x[2];
    const nhi_real t23 = t9 * x[0];
    const nhi_real t24 = t22 + t23;
    const nhi_real t25 = t19 * g[0] + t21 * g[1] + t24 * g[2];
    const nhi_real t26 = t19 * g[3] + t21 * g[4] + t24 * g[5];
    const nhi_real t27 = t19 * g[6] + t21 * g[7] + t24 * g[8];
    const nhi_real t28 = NHI_R(-0.5) * (t15 * t25 + t16 * t26 + t17 * t27);
    const nhi_real t29 = t12 + t13;
    const nhi_real t30 = t22 - t23;
    const nhi_real t31 = NHI_R(1.0) - (t20 + t3);
    const nhi_real t32 = t29 * g[0] + t30 * g[1] + t31 * g[2];
    const nhi_real t33 = t29 * g[3] + t30 * g[4] + t31 * g[5];
    const nhi_real t34 = t29 * g[6] + t30 * g[7] + t31 * g[8];
    const nhi_real t35 = NHI_R(-0.5) * (t32 * t15 + t33 * t16 + t34 * t17);
    out[0] = t15 + (t18 * t15 + t28 * t25 + t35 * t32);
    const nhi_real t36 = NHI_R(-0.5) * (t25 * t25 + t26 * t26 + t27 * t27 - NHI_R(1.0));
    const nhi_real t37 = NHI_R(-0.5) * (t25 * t32 + t26 * t33 + t27 * t34);
    out[1] = t25 + (t28 * t15 + t36 * t25 + t37 * t32);
    const nhi_real t38 = NHI_R(-0.5) * (t32 * t32 + t33 * t33 + t34 * t34 - NHI_R(1.0));
    out[2] = t32 + (t35 * t15 + t37 * t25 + t38 * t32);
    out[3] = t16 + (t18 * t16 + t28 * t26 + t35 * t33);
    out[4] = t26 + (t28 * t16 + t36 * t26 + t37 * t33);
    out[5] = t33 + (t35 * t16 + t37 * t26 + t38 * t33);
    out[6] = t17 + (t18 * t17 + t28 * t27 + t35 * t34);
    out[7] = t27 + (t28 * t17 + t36 * t27 + t37 * t34);
    out[8] = t34 + (t35 * t17 + t37 * t27 + t38 * t34);
}

NHI_FN void nhi_so3_exp_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = nhi_d(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const nhi_real t1 = t0 * x[1];
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t0 * x[2];
    const nhi_real t4 = t3 * x[2];
    out[0] = NHI_R(1.0) - (t2 + t4);
    const nhi_real t5 = t0 * x[0];
    const nhi_real t6 = t5 * x[1];
    const nhi_real t7 = NHI_R(-0.5) * x[2];
    out[1] = t6 - t7;
    const nhi_real t8 = t3 * x[0];
    const nhi_real t9 = NHI_R(-0.5) * x[1];
    out[2] = t8 + t9;
    out[3] = t6 + t7;
    const nhi_real t10 = t5 * x[0];
    out[4] = NHI_R(1.0) - (t4 + t10);
    const nhi_real t11 = t1 * x[2];
    const nhi_real t12 = NHI_R(-0.5) * x[0];
    out[5] = t11 - t12;
    out[6] = t8 - t9;
    out[7] = t11 + t12;
    out[8] = NHI_R(1.0) - (t10 + t2);
}

NHI_FN void nhi_so3_exp_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_c(t0);
    const nhi_real t2 = x[1] * t1;
    const nhi_real t3 = x[1] * t2;
    const nhi_real t4 = x[2] * t1;
    const nhi_real t5 = x[2] * t4;
    out[0] = NHI_R(1.0) - (t3 + t5);
    const nhi_real t6 = x[0] * t1;
    const nhi_real t7 = x[1] * t6;
    const nhi_real t8 = nhi_b(t0);
    const nhi_real t9 = x[2] * t8;
    out[1] = t7 + t9;
    const nhi_real t10 = x[0] * t4;
    const nhi_real t11 = x[1] * t8;
    out[2] = t10 - t11;
    out[3] = t7 - t9;
    const nhi_real t12 = x[0] * t6;
    out[4] = NHI_R(1.0) - (t5 + t12);
    const nhi_real t13 = x[2] * t2;
    const nhi_real t14 = x[0] * t8;
    out[5] = t13 + t14;
    out[6] = t10 + t11;
    out[7] = t13 - t14;
    out[8] = NHI_R(1.0) - (t12 + t3);
}

NHI_FN void nhi_so3_exp_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[1] * mu[2] - x[2] * mu[1];
    const nhi_real t1 = nhi_d(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const nhi_real t2 = x[0] * mu[1] - x[1] * mu[0];
    const nhi_real t3 = x[2] * mu[0] - x[0] * mu[2];
    out[0] = mu[0] + NHI_R(0.5) * t0 + t1 * (x[1] * t2 - x[2] * t3);
    out[1] = mu[1] + NHI_R(0.5) * t3 + t1 * (x[2] * t0 - x[0] * t2);
    out[2] = mu[2] + NHI_R(0.5) * t2 + t1 * (x[0] * t3 - x[1] * t0);
}

NHI_FN void nhi_so3_exp_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_so3_exp_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_so3_exp_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_d(t0);
    const nhi_real t2 = x[0] * mu[0] + x[1] * mu[1] + x[2] * mu[2];
    const nhi_real t3 = t1 * t2;
    const nhi_real t4 = t1 * x[0];
    const nhi_real t5 = nhi_d_prime(t0);
    const nhi_real t6 = t5 + t5;
    const nhi_real t7 = t6 * t2;
    const nhi_real t8 = t1 + t1 + t6 * t0;
    const nhi_real t9 = t7 * x[0] - t8 * mu[0];
    out[0] = t3 + t4 * mu[0] + t9 * x[0];
    const nhi_real t10 = NHI_R(-0.5) * mu[2];
    out[1] = t4 * mu[1] - t10 + t9 * x[1];
    const nhi_real t11 = NHI_R(-0.5) * mu[1];
    out[2] = t11 + t4 * mu[2] + t9 * x[2];
    const nhi_real t12 = t1 * x[1];
    const nhi_real t13 = t7 * x[1] - t8 * mu[1];
    out[3] = t10 + t12 * mu[0] + t13 * x[0];
    out[4] = t3 + t12 * mu[1] + t13 * x[1];
    const nhi_real t14 = NHI_R(-0.5) * mu[0];
    out[5] = t12 * mu[2] - t14 + t13 * x[2];
    const nhi_real t15 = t1 * x[2];
    const nhi_real t16 = t7 * x[2] - t8 * mu[2];
    out[6] = t15 * mu[0] - t11 + t16 * x[0];
    out[7] = t14 + t15 * mu[1] + t16 * x[1];
    out[8] = t3 + t15 * mu[2] + t16 * x[2];
}

NHI_FN void nhi_so3_exp_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0];
    const nhi_real t1 = x[1] * x[1];
    const nhi_real t2 = x[2] * x[2];
    const nhi_real t3 = t0 + t1 + t2;
    const nhi_real t4 = nhi_d_second(t3);
    const nhi_real t5 = t4 + t4;
    const nhi_real t6 = x[0] * mu[0] + x[1] * mu[1] + x[2] * mu[2];
    const nhi_real t7 = t5 * t6;
    const nhi_real t8 = nhi_d_prime(t3);
    const nhi_real t9 = t8 + t8;
    const nhi_real t10 = t7 * x[0] + t9 * mu[0];
    const nhi_real t11 = x[0] * t10;
    const nhi_real t12 = t9 * t6;
    const nhi_real t13 = t11 + t11 + t12;
    const nhi_real t14 = t9 + t9 + t5 * t3;
    const nhi_real t15 = t14 + t14;
    const nhi_real t16 = nhi_d(t3);
    const nhi_real t17 = t16 + t16 + t9 * t3;
    const nhi_real t18 = t15 * t0 + t17;
    const nhi_real t19 = t12 * x[0] + t16 * mu[0];
    out[0] = x[0] * t13 - mu[0] * t18 + t19 + t19;
    const nhi_real t20 = t7 * x[1] + t9 * mu[1];
    const nhi_real t21 = x[0] * t20 + x[1] * t10;
    const nhi_real t22 = t15 * (x[0] * x[1]);
    const nhi_real t23 = t12 * x[1] + t16 * mu[1];
    const nhi_real t24 = x[0] * t21 - mu[0] * t22 + t23;
    out[1] = t24;
    const nhi_real t25 = t7 * x[2] + t9 * mu[2];
    const nhi_real t26 = x[0] * t25 + x[2] * t10;
    const nhi_real t27 = t15 * (x[0] * x[2]);
    const nhi_real t28 = t12 * x[2] + t16 * mu[2];
    const nhi_real t29 = x[0] * t26 - mu[0] * t27 + t28;
    out[2] = t29;
    out[3] = t24;
    const nhi_real t30 = x[1] * t20;
    const nhi_real t31 = t30 + t30 + t12;
    const nhi_real t32 = t15 * t1 + t17;
    out[4] = x[0] * t31 - mu[0] * t32;
    const nhi_real t33 = x[1] * t25 + x[2] * t20;
    const nhi_real t34 = t15 * (x[1] * x[2]);
    const nhi_real t35 = x[0] * t33 - mu[0] * t34;
    out[5] = t35;
    out[6] = t29;
    out[7] = t35;
    const nhi_real t36 = x[2] * t25;
    const nhi_real t37 = t36 + t36 + t12;
    const nhi_real t38 = t15 * t2 + t17;
    out[8] = x[0] * t37 - mu[0] * t38;
    out[9] = x[1] * t13 - mu[1] * t18;
    const nhi_real t39 = x[1] * t21 - mu[1] * t22 + t19;
    out[10] = t39;
    const nhi_real t40 = x[1] * t26 - mu[1] * t27;
    out[11] = t40;
    out[12] = t39;
    out[13] = x[1] * t31 - mu[1] * t32 + t23 + t23;
    const nhi_real t41 = x[1] * t33 - mu[1] * t34 + t28;
    out[14] = t41;
    out[15] = t40;
    out[16] = t41;
    out[17] = x[1] * t37 - mu[1] * t38;
    out[18] = x[2] * t13 - mu[2] * t18;
    const nhi_real t42 = x[2] * t21 - mu[2] * t22;
    out[19] = t42;
    const nhi_real t43 = x[2] * t26 - mu[2] * t27 + t19;
    out[20] = t43;
    out[21] = t42;
    out[22] = x[2] * t31 - mu[2] * t32;
    const nhi_real t44 = x[2] * t33 - mu[2] * t34 + t23;
    out[23] = t44;
    out[24] = t43;
    out[25] = t44;
    out[26] = x[2] * t37 - mu[2] * t38 + t28 + t28;
}

NHI_FN void nhi_so3_cay_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(4.0) / (NHI_R(4.0) + (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    const nhi_real t1 = NHI_R(0.5) * t0;
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t2 * x[1];
    const nhi_real t4 = t1 * x[2];
    const nhi_real t5 = t4 * x[2];
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    const nhi_real t7 = t1 * x[0];
    const nhi_real t8 = t7 * x[1];
    const nhi_real t9 = t0 * x[2];
    const nhi_real t10 = t8 + t9;
    const nhi_real t11 = t4 * x[0];
    const nhi_real t12 = t0 * x[1];
    const nhi_real t13 = t11 - t12;
    const nhi_real t14 = t6 * g[0] + t10 * g[1] + t13 * g[2];
    const nhi_real t15 = t6 * g[3] + t10 * g[4] + t13 * g[5];
    const nhi_real t16 = t6 * g[6] + t10 * g[7] + t13 * g[8];
    const nhi_real t17 = NHI_R(-0.5) * (t14 * t14 + t15 * t15 + t16 * t16 - NHI_R(1.0));
    const nhi_real t18 = t8 - t9;
    const nhi_real t19 = t7 * x[0];
    const nhi_real t20 = NHI_R(1.0) - (t5 + t19);
    const nhi_real t21 = t2 * x[2];
    const nhi_real t22 = t0 * x[0];
    const nhi_real t23 = t21 + t22;
    const nhi_real t24 = t18 * g[0] + t20 * g[1] + t23 * g[2];
    const nhi_real t25 = t18 * g[3] + t20 * g[4] + t23 * g[5];
    const nhi_real t26 = t18 * g[6] + t20 * g[7] + t23 * g[8];
    const nhi_real t27 = NHI_R(-0.5) * (t14 * t24 + t15 * t25 + t16 * t26);
    const nhi_real t28 = t11 + t12;
    const nhi_real t29 = t21 - t22;
    const nhi_real t30 = NHI_R(1.0) - (t19 + t3);
    const nhi_real t31 = t28 * g[0] + t29 * g[1] + t30 * g[2];
    const nhi_real t32 = t28 * g[3] + t29 * g[4] + t30 * g[5];
    const nhi_real t33 = t28 * g[6] + t29 * g[7] + t30 * g[8];
    const nhi_real t34 = NHI_R(-0.5) * (t31 * t14 + t32 * t15 + t33 * t16);
    out[0] = t14 + (t17 * t14 + t27 * t24 + t34 * t31);
    const nhi_real t35 = NHI_R(-0.5) * (t24 * t24 + t25 * t25 + t26 * t26 - NHI_R(1.0));
    const nhi_real t36 = NHI_R(-0.5) * (t24 * t31 + t25 * t32 + t26 * t33);
    out[1] = t24 + (t27 * t14 + t35 * t24 + t36 * t31);
    const nhi_real t37 = NHI_R(-0.5) * (t31 * t31 + t32 * t32 + t33 * t33 - NHI_R(1.0));
    out[2] = t31 + (t34 * t14 + t36 * t24 + t37 * t31);
    out[3] = t15 + (t17 * t15 + t27 * t25 + t34 * t32);
    out[4] = t25 + (t27 * t15 + t35 * t25 + t36 * t32);
    out[5] = t32 + (t34 * t15 + t36 * t25 + t37 * t32);
    out[6] = t16 + (t17 * t16 + t27 * t26 + t34 * t33);
    out[7] = t26 + (t27 * t16 + t35 * t26 + t36 * t33);
    out[8] = t33 + (t34 * t16 + t36 * t26 + t37 * t33);
}

NHI_FN void nhi_so3_cay_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.25) * x[0];
    out[0] = NHI_R(1.0) + t0 * x[0];
    const nhi_real t1 = NHI_R(-0.5) * x[2];
    out[1] = t0 * x[1] - t1;
    const nhi_real t2 = NHI_R(-0.5) * x[1];
    out[2] = t2 + t0 * x[2];
    const nhi_real t3 = NHI_R(0.25) * x[1];
    out[3] = t1 + t3 * x[0];
    out[4] = NHI_R(1.0) + t3 * x[1];
    const nhi_real t4 = NHI_R(-0.5) * x[0];
    out[5] = t3 * x[2] - t4;
    const nhi_real t5 = NHI_R(0.25) * x[2];
    out[6] = t5 * x[0] - t2;
    out[7] = t4 + t5 * x[1];
    out[8] = NHI_R(1.0) + t5 * x[2];
}

NHI_FN void nhi_so3_cay_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(2.0) / (NHI_R(4.0) + (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    const nhi_real t1 = t0 + t0;
    out[0] = t1;
    const nhi_real t2 = x[2] * t0;
    out[1] = t2;
    const nhi_real t3 = x[1] * t0;
    out[2] = -t3;
    out[3] = -t2;
    out[4] = t1;
    const nhi_real t4 = x[0] * t0;
    out[5] = t4;
    out[6] = t3;
    out[7] = -t4;
    out[8] = t1;
}

NHI_FN void nhi_so3_cay_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * x[1];
    const nhi_real t1 = NHI_R(0.5) * x[2];
    const nhi_real t2 = NHI_R(0.5) * x[0];
    const nhi_real t3 = t2 * mu[0] + t0 * mu[1] + t1 * mu[2];
    out[0] = mu[0] + (t0 * mu[2] - t1 * mu[1]) + t3 * t2;
    out[1] = mu[1] + (t1 * mu[0] - t2 * mu[2]) + t3 * t0;
    out[2] = mu[2] + (t2 * mu[1] - t0 * mu[0]) + t3 * t1;
}

NHI_FN void nhi_so3_cay_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_so3_cay_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_so3_cay_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.25) * (x[0] * mu[0] + x[1] * mu[1] + x[2] * mu[2]);
    const nhi_real t1 = NHI_R(0.25) * x[0];
    out[0] = t0 + t1 * mu[0];
    const nhi_real t2 = NHI_R(-0.5) * mu[2];
    out[1] = t1 * mu[1] - t2;
    const nhi_real t3 = NHI_R(-0.5) * mu[1];
    out[2] = t3 + t1 * mu[2];
    const nhi_real t4 = NHI_R(0.25) * x[1];
    out[3] = t2 + t4 * mu[0];
    out[4] = t0 + t4 * mu[1];
    const nhi_real t5 = NHI_R(-0.5) * mu[0];
    out[5] = t4 * mu[2] - t5;
    const nhi_real t6 = NHI_R(0.25) * x[2];
    out[6] = t6 * mu[0] - t3;
    out[7] = t5 + t6 * mu[1];
    out[8] = t0 + t6 * mu[2];
}

NHI_FN void nhi_so3_cay_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    (void)x;
    nhi_zero(27, out);
    const nhi_real t0 = NHI_R(0.25) * mu[0];
    out[0] = t0 + t0;
    const nhi_real t1 = NHI_R(0.25) * mu[1];
    out[1] = t1;
    const nhi_real t2 = NHI_R(0.25) * mu[2];
    out[2] = t2;
    out[3] = t1;
    out[6] = t2;
    out[10] = t0;
    out[12] = t0;
    out[13] = t1 + t1;
    out[14] = t2;
    out[16] = t2;
    out[20] = t0;
    out[23] = t1;
    out[24] = t0;
    out[25] = t1;
    out[26] = t2 + t2;
}

NHI_FN void nhi_so3_ccsk_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[2]);
    const nhi_real t0 = s0.cos * s1.cos;
    const nhi_sines s2 = nhi_sin_cos(x[0]);
    const nhi_real t1 = s2.sin * s0.sin;
    const nhi_real t2 = s2.cos * s1.sin + t1 * s1.cos;
    const nhi_real t3 = s2.cos * s0.sin;
    const nhi_real t4 = s2.sin * s1.sin - t3 * s1.cos;
    const nhi_real t5 = t0 * g[0] + t2 * g[1] + t4 * g[2];
    const nhi_real t6 = t0 * g[3] + t2 * g[4] + t4 * g[5];
    const nhi_real t7 = t0 * g[6] + t2 * g[7] + t4 * g[8];
    const nhi_real t8 = NHI_R(-0.5) * (t5 * t5 + t6 * t6 + t7 * t7 - NHI_R(1.0));
    const nhi_real t9 = s2.cos * s1.cos - t1 * s1.sin;
    const nhi_real t10 = s0.cos * s1.sin;
    const nhi_real t11 = s2.sin * s1.cos + t3 * s1.sin;
    const nhi_real t12 = t9 * g[1] - t10 * g[0] + t11 * g[2];
    const nhi_real t13 = t9 * g[4] - t10 * g[3] + t11 * g[5];
    const nhi_real t14 = t9 * g[7] - t10 * g[6] + t11 * g[8];
    const nhi_real t15 = NHI_R(-0.5) * (t5 * t12 + t6 * t13 + t7 * t14);
    const nhi_real t16 = s2.sin * s0.cos;
    const nhi_real t17 = s2.cos * s0.cos;
    const nhi_real t18 = s0.sin * g[0] - t16 * g[1] + t17 * g[2];
    const nhi_real t19 = s0.sin * g[3] - t16 * g[4] + t17 * g[5];
    const nhi_real t20 = s0.sin * g[6] - t16 * g[7] + t17 * g[8];
    const nhi_real t21 = NHI_R(-0.5) * (t18 * t5 + t19 * t6 + t20 * t7);
    out[0] = t5 + (t8 * t5 + t15 * t12 + t21 * t18);
    const nhi_real t22 = NHI_R(-0.5) * (t12 * t12 + t13 * t13 + t14 * t14 - NHI_R(1.0));
    const nhi_real t23 = NHI_R(-0.5) * (t12 * t18 + t13 * t19 + t14 * t20);
    out[1] = t12 + (t15 * t5 + t22 * t12 + t23 * t18);
    const nhi_real t24 = NHI_R(-0.5) * (t18 * t18 + t19 * t19 + t20 * t20 - NHI_R(1.0));
    out[2] = t18 + (t21 * t5 + t23 * t12 + t24 * t18);
    out[3] = t6 + (t8 * t6 + t15 * t13 + t21 * t19);
    out[4] = t13 + (t15 * t6 + t22 * t13 + t23 * t19);
    out[5] = t19 + (t21 * t6 + t23 * t13 + t24 * t19);
    out[6] = t7 + (t8 * t7 + t15 * t14 + t21 * t20);
    out[7] = t14 + (t15 * t7 + t22 * t14 + t23 * t20);
    out[8] = t20 + (t21 * t7 + t23 * t14 + t24 * t20);
}

NHI_FN void nhi_so3_ccsk_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[0]);
    const nhi_real t0 = s1.sin / s0.cos;
    out[1] = s0.sin * t0;
    const nhi_real t1 = s1.cos / s0.cos;
    out[2] = -(s0.sin * t1);
    out[3] = NHI_R(0.0);
    out[4] = s1.cos;
    out[5] = s1.sin;
    out[6] = NHI_R(0.0);
    out[7] = -t0;
    out[8] = t1;
}

NHI_FN void nhi_so3_ccsk_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[2]);
    out[0] = s0.cos * s1.cos;
    out[1] = s1.sin;
    out[2] = NHI_R(0.0);
    out[3] = -(s0.cos * s1.sin);
    out[4] = s1.cos;
    out[5] = NHI_R(0.0);
    out[6] = s0.sin;
    out[7] = NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_so3_ccsk_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    out[0] = mu[0] + NHI_R(0.0) * mu[1] + NHI_R(0.0) * mu[2];
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[0]);
    const nhi_real t0 = s1.sin / s0.cos;
    out[1] = s0.sin * t0 * mu[0] + s1.cos * mu[1] - t0 * mu[2];
    const nhi_real t1 = s1.cos / s0.cos;
    out[2] = s1.sin * mu[1] - s0.sin * t1 * mu[0] + t1 * mu[2];
}

NHI_FN void nhi_so3_ccsk_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_sines s0 = nhi_sin_cos(x[2]);
    const nhi_sines s1 = nhi_sin_cos(x[1]);
    const nhi_real t0 = s0.cos / s1.cos;
    out[0] = t0 * mu[0] + s0.sin * mu[1] - s1.sin * t0 * mu[2];
    const nhi_real t1 = s0.sin / s1.cos;
    out[1] = s0.cos * mu[1] - t1 * mu[0] + s1.sin * t1 * mu[2];
    out[2] = NHI_R(0.0) * mu[0] + NHI_R(0.0) * mu[1] + mu[2];
}

NHI_FN void nhi_so3_ccsk_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(0.0);
    out[1] = NHI_R(0.0);
    out[2] = NHI_R(0.0);
    const nhi_sines s0 = nhi_sin_cos(x[0]);
    const nhi_sines s1 = nhi_sin_cos(x[1]);
    const nhi_real t0 = (s1.sin * mu[0] - mu[2]) / s1.cos;
    out[3] = s0.cos * t0 - s0.sin * mu[1];
    const nhi_real t1 = (mu[0] - s1.sin * mu[2]) / (s1.cos * s1.cos);
    out[4] = s0.sin * t1;
    out[5] = NHI_R(0.0);
    out[6] = s0.sin * t0 + s0.cos * mu[1];
    out[7] = -(s0.cos * t1);
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_so3_exp1_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_so3_exp_moved(g, x, out);
}

NHI_FN void nhi_so3_exp1_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    out[0] = NHI_R(1.0);
    const nhi_real t0 = x[2] * NHI_R(-0.5);
    out[1] = NHI_R(0.0) - t0;
    const nhi_real t1 = NHI_R(-0.5) * x[1];
    out[2] = t1 + NHI_R(0.0);
    out[3] = t0 + NHI_R(0.0);
    out[4] = NHI_R(1.0);
    const nhi_real t2 = x[0] * NHI_R(-0.5);
    out[5] = NHI_R(0.0) - t2;
    out[6] = NHI_R(0.0) - t1;
    out[7] = t2 + NHI_R(0.0);
    out[8] = NHI_R(1.0);
}

NHI_FN void nhi_so3_exp1_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_so3_exp1_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_so3_exp1_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.5) * mu[1];
    const nhi_real t1 = NHI_R(-0.5) * mu[2];
    out[0] = t0 * x[2] - t1 * x[1] + mu[0];
    const nhi_real t2 = NHI_R(-0.5) * mu[0];
    out[1] = t1 * x[0] - t2 * x[2] + mu[1];
    out[2] = t2 * x[1] - t0 * x[0] + mu[2];
}

NHI_FN void nhi_so3_exp1_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_so3_exp1_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_so3_exp1_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    (void)x;
    out[0] = NHI_R(0.0);
    const nhi_real t0 = NHI_R(-0.5) * mu[2];
    out[1] = -t0;
    const nhi_real t1 = NHI_R(-0.5) * mu[1];
    out[2] = t1;
    out[3] = t0;
    out[4] = NHI_R(0.0);
    const nhi_real t2 = NHI_R(-0.5) * mu[0];
    out[5] = -t2;
    out[6] = -t1;
    out[7] = t2;
    out[8] = NHI_R(0.0);
}

NHI_FN void nhi_so3_exp2_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_so3_exp_moved(g, x, out);
}

NHI_FN void nhi_so3_exp2_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[2] * NHI_R(0.08333333333333333);
    const nhi_real t1 = NHI_R(-0.0) - t0;
    const nhi_real t2 = NHI_R(0.08333333333333333) * x[1];
    out[0] = x[2] * t1 - x[1] * t2 + NHI_R(1.0);
    const nhi_real t3 = x[2] * NHI_R(-0.5);
    out[1] = NHI_R(0.0) * t1 - t3 + x[0] * t2 + NHI_R(0.0);
    const nhi_real t4 = x[1] * NHI_R(-0.5);
    out[2] = t4 - x[0] * t1 + NHI_R(0.0) * t2 + NHI_R(0.0);
    const nhi_real t5 = x[0] * NHI_R(0.08333333333333333);
    const nhi_real t6 = NHI_R(-0.0) - t5;
    out[3] = NHI_R(0.0) * t0 + t3 - x[1] * t6 + NHI_R(0.0);
    out[4] = NHI_R(-0.0) - x[2] * t0 + x[0] * t6 + NHI_R(1.0);
    const nhi_real t7 = x[0] * NHI_R(-0.5);
    out[5] = x[1] * t0 - t7 + NHI_R(0.0) * t6 + NHI_R(0.0);
    const nhi_real t8 = NHI_R(-0.0) - t2;
    out[6] = NHI_R(0.0) * t8 + x[2] * t5 - t4 + NHI_R(0.0);
    out[7] = NHI_R(0.0) * t5 - x[2] * t8 + t7 + NHI_R(0.0);
    out[8] = x[1] * t8 - x[0] * t5 + NHI_R(1.0);
}

NHI_FN void nhi_so3_exp2_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_so3_exp2_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_so3_exp2_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t1 = NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t2 = t0 * x[0] - t1 * x[2] + NHI_R(-0.5) * mu[1];
    const nhi_real t3 = NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t4 = t1 * x[1] - t3 * x[0] + NHI_R(-0.5) * mu[2];
    out[0] = t2 * x[2] - t4 * x[1] + mu[0];
    const nhi_real t5 = t3 * x[2] - t0 * x[1] + NHI_R(-0.5) * mu[0];
    out[1] = t4 * x[0] - t5 * x[2] + mu[1];
    out[2] = t5 * x[1] - t2 * x[0] + mu[2];
}

NHI_FN void nhi_so3_exp2_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_so3_exp2_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_so3_exp2_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t1 = NHI_R(0.0) + t0 * x[2];
    const nhi_real t2 = NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t3 = x[1] * t2;
    out[0] = NHI_R(0.0) + (t1 + t3);
    const nhi_real t4 = NHI_R(0.0) * x[2];
    const nhi_real t5 = t0 * NHI_R(0.0);
    const nhi_real t6 = NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t7 = t6 * x[1];
    const nhi_real t8 = t2 * x[0];
    const nhi_real t9 = t7 - t8 + NHI_R(-0.5) * mu[2];
    out[1] = t4 - t5 - t7 - t9;
    const nhi_real t10 = t0 * x[0];
    const nhi_real t11 = t6 * x[2];
    const nhi_real t12 = t10 - t11 + NHI_R(-0.5) * mu[1];
    const nhi_real t13 = t2 * NHI_R(0.0);
    const nhi_real t14 = x[1] * NHI_R(0.0);
    out[2] = t12 + (t13 - t11 - t14);
    out[3] = t9 + (t5 - t4 - t8);
    const nhi_real t15 = t6 * x[0];
    out[4] = NHI_R(0.0) + (t1 + t15);
    const nhi_real t16 = t2 * x[2];
    const nhi_real t17 = t6 * NHI_R(0.0);
    const nhi_real t18 = NHI_R(0.0) * x[0];
    const nhi_real t19 = t0 * x[1];
    const nhi_real t20 = t16 - t19 + NHI_R(-0.5) * mu[0];
    out[5] = -t16 - t17 + t18 - t20;
    out[6] = t14 - t10 - t13 - t12;
    out[7] = t20 + (-t19 - t18 + t17);
    out[8] = NHI_R(0.0) + (t3 + t15 + NHI_R(0.0));
}

NHI_FN void nhi_so3_exp4_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_so3_exp_moved(g, x, out);
}

NHI_FN void nhi_so3_exp4_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[2] * NHI_R(-0.001388888888888889);
    const nhi_real t1 = NHI_R(0.0) - t0;
    const nhi_real t2 = NHI_R(-0.001388888888888889) * x[1];
    const nhi_real t3 = t2 + NHI_R(0.0);
    const nhi_real t4 = NHI_R(0.0) + x[2] * t1 - x[1] * t3 + NHI_R(0.08333333333333333);
    const nhi_real t5 = x[2] * NHI_R(0.0);
    const nhi_real t6 = NHI_R(0.0) * t1 - t5 + x[0] * t3 + NHI_R(0.0);
    const nhi_real t7 = x[1] * NHI_R(0.0);
    const nhi_real t8 = t7 - x[0] * t1 + NHI_R(0.0) * t3 + NHI_R(0.0);
    const nhi_real t9 = NHI_R(0.0) * t4 + x[2] * t6 - x[1] * t8 + NHI_R(-0.5);
    const nhi_real t10 = NHI_R(0.0) * t6 - x[2] * t4 + x[0] * t8;
    const nhi_real t11 = x[1] * t4 - x[0] * t6 + NHI_R(0.0) * t8;
    out[0] = NHI_R(0.0) * t9 + x[2] * t10 - x[1] * t11 + NHI_R(1.0);
    out[1] = NHI_R(0.0) * t10 - x[2] * t9 + x[0] * t11 + NHI_R(0.0);
    out[2] = x[1] * t9 - x[0] * t10 + NHI_R(0.0) * t11 + NHI_R(0.0);
    const nhi_real t12 = t0 + NHI_R(0.0);
    const nhi_real t13 = x[0] * NHI_R(-0.001388888888888889);
    const nhi_real t14 = NHI_R(0.0) - t13;
    const nhi_real t15 = NHI_R(0.0) * t12 + t5 - x[1] * t14 + NHI_R(0.0);
    const nhi_real t16 = NHI_R(0.0) - x[2] * t12 + x[0] * t14 + NHI_R(0.08333333333333333);
    const nhi_real t17 = x[0] * NHI_R(0.0);
    const nhi_real t18 = x[1] * t12 - t17 + NHI_R(0.0) * t14 + NHI_R(0.0);
    const nhi_real t19 = NHI_R(0.0) * t15 + x[2] * t16 - x[1] * t18;
    const nhi_real t20 = NHI_R(0.0) * t16 - x[2] * t15 + x[0] * t18 + NHI_R(-0.5);
    const nhi_real t21 = x[1] * t15 - x[0] * t16 + NHI_R(0.0) * t18;
    out[3] = NHI_R(0.0) * t19 + x[2] * t20 - x[1] * t21 + NHI_R(0.0);
    out[4] = NHI_R(0.0) * t20 - x[2] * t19 + x[0] * t21 + NHI_R(1.0);
    out[5] = x[1] * t19 - x[0] * t20 + NHI_R(0.0) * t21 + NHI_R(0.0);
    const nhi_real t22 = NHI_R(0.0) - t2;
    const nhi_real t23 = t13 + NHI_R(0.0);
    const nhi_real t24 = NHI_R(0.0) * t22 + x[2] * t23 - t7 + NHI_R(0.0);
    const nhi_real t25 = NHI_R(0.0) * t23 - x[2] * t22 + t17 + NHI_R(0.0);
    const nhi_real t26 = x[1] * t22 - x[0] * t23 + NHI_R(0.0) + NHI_R(0.08333333333333333);
    const nhi_real t27 = NHI_R(0.0) * t24 + x[2] * t25 - x[1] * t26;
    const nhi_real t28 = NHI_R(0.0) * t25 - x[2] * t24 + x[0] * t26;
    const nhi_real t29 = x[1] * t24 - x[0] * t25 + NHI_R(0.0) * t26 + NHI_R(-0.5);
    out[6] = NHI_R(0.0) * t27 + x[2] * t28 - x[1] * t29 + NHI_R(0.0);
    out[7] = NHI_R(0.0) * t28 - x[2] * t27 + x[0] * t29 + NHI_R(0.0);
    out[8] = x[1] * t27 - x[0] * t28 + NHI_R(0.0) * t29 + NHI_R(1.0);
}

NHI_FN void nhi_so3_exp4_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_real inverse[9];
    nhi_so3_exp4_dtau_inv(back, inverse);
    nhi_matrix_inverse(3, inverse, out);
}

NHI_FN void nhi_so3_exp4_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.001388888888888889) * mu[1];
    const nhi_real t1 = NHI_R(-0.001388888888888889) * mu[2];
    const nhi_real t2 = t0 * x[2] - t1 * x[1] + NHI_R(0.0) * mu[0];
    const nhi_real t3 = NHI_R(-0.001388888888888889) * mu[0];
    const nhi_real t4 = t1 * x[0] - t3 * x[2] + NHI_R(0.0) * mu[1];
    const nhi_real t5 = t2 * x[1] - t4 * x[0] + NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t6 = t3 * x[1] - t0 * x[0] + NHI_R(0.0) * mu[2];
    const nhi_real t7 = t4 * x[2] - t6 * x[1] + NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t8 = t5 * x[0] - t7 * x[2] + NHI_R(-0.5) * mu[1];
    const nhi_real t9 = t6 * x[0] - t2 * x[2] + NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t10 = t7 * x[1] - t9 * x[0] + NHI_R(-0.5) * mu[2];
    out[0] = t8 * x[2] - t10 * x[1] + mu[0];
    const nhi_real t11 = t9 * x[2] - t5 * x[1] + NHI_R(-0.5) * mu[0];
    out[1] = t10 * x[0] - t11 * x[2] + mu[1];
    out[2] = t11 * x[1] - t8 * x[0] + mu[2];
}

NHI_FN void nhi_so3_exp4_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[3] = {-x[0], -x[1], -x[2]};
    nhi_so3_exp4_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_so3_exp4_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.001388888888888889) * mu[2];
    const nhi_real t1 = NHI_R(0.0) + t0 * x[2];
    const nhi_real t2 = NHI_R(-0.001388888888888889) * mu[1];
    const nhi_real t3 = x[1] * t2;
    const nhi_real t4 = NHI_R(0.0) + (t1 + t3);
    const nhi_real t5 = NHI_R(-0.001388888888888889) * mu[0];
    const nhi_real t6 = t5 * x[1];
    const nhi_real t7 = t2 * x[0];
    const nhi_real t8 = t6 - t7 + NHI_R(0.0) * mu[2];
    const nhi_real t9 = t0 * NHI_R(0.0);
    const nhi_real t10 = NHI_R(0.0) * x[2];
    const nhi_real t11 = t8 + (t9 - t10 - t7);
    const nhi_real t12 = x[1] * NHI_R(0.0);
    const nhi_real t13 = t0 * x[0];
    const nhi_real t14 = t2 * NHI_R(0.0);
    const nhi_real t15 = t5 * x[2];
    const nhi_real t16 = t13 - t15 + NHI_R(0.0) * mu[1];
    const nhi_real t17 = t12 - t13 - t14 - t16;
    const nhi_real t18 = NHI_R(0.0) + (t4 * NHI_R(0.0) + t11 * x[2] - x[1] * t17);
    const nhi_real t19 = t2 * x[2];
    const nhi_real t20 = t0 * x[1];
    const nhi_real t21 = t19 - t20 + NHI_R(0.0) * mu[0];
    const nhi_real t22 = t21 * x[1] - t16 * x[0] + NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t23 = t22 + (t11 * NHI_R(0.0) - x[2] * t4 + t17 * x[0]);
    const nhi_real t24 = t8 * x[0] - t21 * x[2] + NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t25 = t4 * x[1] - x[0] * t11 + t17 * NHI_R(0.0) - t24;
    out[0] = NHI_R(0.0) + (t18 * NHI_R(0.0) + t23 * x[2] - x[1] * t25);
    const nhi_real t26 = t10 - t9 - t6 - t8;
    const nhi_real t27 = t5 * x[0];
    const nhi_real t28 = NHI_R(0.0) + (t1 + t27);
    const nhi_real t29 = NHI_R(0.0) * x[0];
    const nhi_real t30 = t5 * NHI_R(0.0);
    const nhi_real t31 = t21 + (-t20 - t29 + t30);
    const nhi_real t32 = t26 * NHI_R(0.0) + t28 * x[2] - x[1] * t31 - t22;
    const nhi_real t33 = NHI_R(0.0) + (t28 * NHI_R(0.0) - x[2] * t26 + t31 * x[0]);
    const nhi_real t34 = t16 * x[2] - t8 * x[1] + NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t35 = t34 + (t26 * x[1] - x[0] * t28 + t31 * NHI_R(0.0));
    const nhi_real t36 = t34 * x[1] - t24 * x[0] + NHI_R(-0.5) * mu[2];
    out[1] = t32 * NHI_R(0.0) + t33 * x[2] - x[1] * t35 - t36;
    const nhi_real t37 = t22 * x[0] - t34 * x[2] + NHI_R(-0.5) * mu[1];
    const nhi_real t38 = t16 + (t14 - t15 - t12);
    const nhi_real t39 = -t19 - t30 + t29 - t21;
    const nhi_real t40 = NHI_R(0.0) + (t3 + t27 + NHI_R(0.0));
    const nhi_real t41 = t24 + (t38 * NHI_R(0.0) + t39 * x[2] - x[1] * t40);
    const nhi_real t42 = t39 * NHI_R(0.0) - x[2] * t38 + t40 * x[0] - t34;
    const nhi_real t43 = NHI_R(0.0) + (t38 * x[1] - x[0] * t39 + t40 * NHI_R(0.0));
    out[2] = t37 + (t41 * NHI_R(0.0) + t42 * x[2] - x[1] * t43);
    out[3] = t36 + (t23 * NHI_R(0.0) - x[2] * t18 + t25 * x[0]);
    out[4] = NHI_R(0.0) + (t33 * NHI_R(0.0) - x[2] * t32 + t35 * x[0]);
    const nhi_real t44 = t24 * x[2] - t22 * x[1] + NHI_R(-0.5) * mu[0];
    out[5] = t42 * NHI_R(0.0) - x[2] * t41 + t43 * x[0] - t44;
    out[6] = t18 * x[1] - x[0] * t23 + t25 * NHI_R(0.0) - t37;
    out[7] = t44 + (t32 * x[1] - x[0] * t33 + t35 * NHI_R(0.0));
    out[8] = NHI_R(0.0) + (t41 * x[1] - x[0] * t42 + t43 * NHI_R(0.0));
}

NHI_FN void nhi_so3_displaced(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    nhi_so3_exp_moved(g, x, out);
}

NHI_FN void nhi_so3_dexp_left_inv(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT xi,
                                  nhi_real *NHI_RESTRICT out)
{
    nhi_so3_exp_dtau_inv_star(x, xi, out);
}

NHI_FN void nhi_so3_displacement(const nhi_real *NHI_RESTRICT g,
                                 const nhi_real *NHI_RESTRICT h,
                                 nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = h[0] * g[0] + h[3] * g[3] + h[6] * g[6];
    const nhi_real t1 = h[1] * g[1] + h[4] * g[4] + h[7] * g[7];
    const nhi_real t2 = h[2] * g[2] + h[5] * g[5] + h[8] * g[8];
    const nhi_real t3 = t0 + t1 + t2;
    const nhi_real t4 = NHI_R(0.0) - t3;
    const nhi_real t5 = nhi_sqrt(NHI_R(1.0) + t3);
    const nhi_real t6 = NHI_R(0.5) / t5;
    const nhi_real t7 = h[1] * g[2] + h[4] * g[5] + h[7] * g[8];
    const nhi_real t8 = h[2] * g[1] + h[5] * g[4] + h[8] * g[7];
    const nhi_real t9 = t7 - t8;
    const nhi_real t10 = t0 - t1;
    const nhi_real t11 = t1 - t2;
    const nhi_real t12 = h[0] * g[1] + h[3] * g[4] + h[6] * g[7];
    const nhi_real t13 = h[1] * g[0] + h[4] * g[3] + h[7] * g[6];
    const nhi_real t14 = t12 - t13;
    const nhi_real t15 = nhi_sqrt(NHI_R(1.0) + t2 - t0 - t1);
    const nhi_real t16 = NHI_R(0.5) / t15;
    const nhi_real t17 = t14 * t16;
    const nhi_real t18 = h[0] * g[2] + h[3] * g[5] + h[6] * g[8];
    const nhi_real t19 = h[2] * g[0] + h[5] * g[3] + h[8] * g[6];
    const nhi_real t20 = t18 + t19;
    const nhi_real t21 = t20 * t16;
    const nhi_real t22 = ((double)t17 < 0.0 ? -t21 : t21);
    const nhi_real t23 = t19 - t18;
    const nhi_real t24 = nhi_sqrt(NHI_R(1.0) + t1 - t2 - t0);
    const nhi_real t25 = NHI_R(0.5) / t24;
    const nhi_real t26 = t23 * t25;
    const nhi_real t27 = t12 + t13;
    const nhi_real t28 = t27 * t25;
    const nhi_real t29 = t0 - t2;
    const nhi_real t30 = nhi_sqrt(NHI_R(1.0) + t0 - t1 - t2);
    const nhi_real t31 = NHI_R(0.5) / t30;
    const nhi_real t32 = t9 * t31;
    const nhi_real t33 = NHI_R(0.5) * t30;
    const nhi_real t34 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t22 : ((double)t26 < 0.0 ? -t28 : t28)) : ((double)t29 < 0.0 ? t22 : ((double)t32 < 0.0 ? -t33 : t33)));
    const nhi_real t35 = ((double)t4 < 0.0 ? t6 * t9 : t34);
    const nhi_real t36 = t7 + t8;
    const nhi_real t37 = t36 * t16;
    const nhi_real t38 = ((double)t17 < 0.0 ? -t37 : t37);
    const nhi_real t39 = NHI_R(0.5) * t24;
    const nhi_real t40 = t27 * t31;
    const nhi_real t41 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t38 : ((double)t26 < 0.0 ? -t39 : t39)) : ((double)t29 < 0.0 ? t38 : ((double)t32 < 0.0 ? -t40 : t40)));
    const nhi_real t42 = ((double)t4 < 0.0 ? t6 * t23 : t41);
    const nhi_real t43 = NHI_R(0.5) * t15;
    const nhi_real t44 = ((double)t17 < 0.0 ? -t43 : t43);
    const nhi_real t45 = t36 * t25;
    const nhi_real t46 = t20 * t31;
    const nhi_real t47 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t44 : ((double)t26 < 0.0 ? -t45 : t45)) : ((double)t29 < 0.0 ? t44 : ((double)t32 < 0.0 ? -t46 : t46)));
    const nhi_real t48 = ((double)t4 < 0.0 ? t6 * t14 : t47);
    const nhi_real t49 = t35 * t35 + t42 * t42 + t48 * t48;
    const nhi_real t50 = t49 + NHI_R(1e-20);
    const nhi_real t51 = t50 * t50;
    const nhi_real t52 = t51 * t51;
    const nhi_real t53 = (NHI_R(0.022372159090909092) * t52 + NHI_R(0.16666666666666666)) * t50;
    const nhi_real t54 = (NHI_R(0.01396484375) * t52 + NHI_R(0.044642857142857144)) * t50;
    const nhi_real t55 = NHI_R(0.030381944444444444) * t52 + NHI_R(1.0) + t53 + (NHI_R(0.017352764423076924) * t52 + NHI_R(0.075) + t54) * t51;
    const nhi_real t56 = nhi_sqrt(t49);
    const nhi_real t57 = ((double)t17 < 0.0 ? -t17 : t17);
    const nhi_real t58 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t57 : ((double)t26 < 0.0 ? -t26 : t26)) : ((double)t29 < 0.0 ? t57 : ((double)t32 < 0.0 ? -t32 : t32)));
    const nhi_real t59 = nhi_atan2(t56, ((double)t4 < 0.0 ? NHI_R(0.5) * t5 : t58)) / t56;
    const nhi_real t60 = ((double)t49 < 0.01 ? t55 : t59);
    const nhi_real t61 = t60 + t60;
    out[0] = t61 * t35;
    out[1] = t61 * t42;
    out[2] = t61 * t48;
}

NHI_FN void nhi_se3_ad(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    out[1] = -x[2];
    out[2] = x[1];
    out[6] = x[2];
    out[8] = -x[0];
    out[12] = -x[1];
    out[13] = x[0];
    out[19] = -x[5];
    out[20] = x[4];
    out[22] = -x[2];
    out[23] = x[1];
    out[24] = x[5];
    out[26] = -x[3];
    out[27] = x[2];
    out[29] = -x[0];
    out[30] = -x[4];
    out[31] = x[3];
    out[33] = -x[1];
    out[34] = x[0];
}

NHI_FN void nhi_se3_ad_star(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    out[0] = mu[1] * x[2] - mu[2] * x[1] + (mu[4] * x[5] - mu[5] * x[4]);
    out[1] = mu[2] * x[0] - mu[0] * x[2] + (mu[5] * x[3] - mu[3] * x[5]);
    out[2] = mu[0] * x[1] - mu[1] * x[0] + (mu[3] * x[4] - mu[4] * x[3]);
    out[3] = mu[4] * x[2] - mu[5] * x[1];
    out[4] = mu[5] * x[0] - mu[3] * x[2];
    out[5] = mu[3] * x[1] - mu[4] * x[0];
}

NHI_FN void nhi_se3_ad_star_on(const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    out[1] = -mu[2];
    out[2] = mu[1];
    out[4] = -mu[5];
    out[5] = mu[4];
    out[6] = mu[2];
    out[8] = -mu[0];
    out[9] = mu[5];
    out[11] = -mu[3];
    out[12] = -mu[1];
    out[13] = mu[0];
    out[15] = -mu[4];
    out[16] = mu[3];
    out[19] = -mu[5];
    out[20] = mu[4];
    out[24] = mu[5];
    out[26] = -mu[3];
    out[30] = -mu[4];
    out[31] = mu[3];
}

NHI_FN void nhi_se3_exp_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_b(t0);
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t2 * x[1];
    const nhi_real t4 = t1 * x[2];
    const nhi_real t5 = t4 * x[2];
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    const nhi_real t7 = t1 * x[0];
    const nhi_real t8 = t7 * x[1];
    const nhi_real t9 = nhi_a(t0);
    const nhi_real t10 = t9 * x[2];
    const nhi_real t11 = t8 + t10;
    const nhi_real t12 = t4 * x[0];
    const nhi_real t13 = t9 * x[1];
    const nhi_real t14 = t12 - t13;
    const nhi_real t15 = t6 * g[0] + t11 * g[1] + t14 * g[2];
    const nhi_real t16 = t6 * g[3] + t11 * g[4] + t14 * g[5];
    const nhi_real t17 = t6 * g[6] + t11 * g[7] + t14 * g[8];
    const nhi_real t18 = NHI_R(-0.5) * (t15 * t15 + t16 * t16 + t17 * t17 - NHI_R(1.0));
    const nhi_real t19 = t8 - t10;
    const nhi_real t20 = t7 * x[0];
    const nhi_real t21 = NHI_R(1.0) - (t5 + t20);
    const nhi_real t22 = t2 * x[2];
    const nhi_real t23 = t9 * x[0];
    const nhi_real t24 = t22 + t23;
    const nhi_real t25 = t19 * g[0] + t21 * g[1] + t24 * g[2];
    const nhi_real t26 = t19 * g[3] + t21 * g[4] + t24 * g[5];
    const nhi_real t27 = t19 * g[6] + t21 * g[7] + t24 * g[8];
    const nhi_real t28 = NHI_R(-0.5) * (t15 * t25 + t16 * t26 + t17 * t27);
    const nhi_real t29 = t12 + t13;
    const nhi_real t30 = t22 - t23;
    const nhi_real t31 = NHI_R(1.0) - (t20 + t3);
    const nhi_real t32 = t29 * g[0] + t30 * g[1] + t31 * g[2];
    const nhi_real t33 = t29 * g[3] + t30 * g[4] + t31 * g[5];
    const nhi_real t34 = t29 * g[6] + t30 * g[7] + t31 * g[8];
    const nhi_real t35 = NHI_R(-0.5) * (t32 * t15 + t33 * t16 + t34 * t17);
    out[0] = t15 + (t18 * t15 + t28 * t25 + t35 * t32);
    const nhi_real t36 = NHI_R(-0.5) * (t25 * t25 + t26 * t26 + t27 * t27 - NHI_R(1.0));
    const nhi_real t37 = NHI_R(-0.5) * (t25 * t32 + t26 * t33 + t27 * t34);
    out[1] = t25 + (t28 * t15 + t36 * t25 + t37 * t32);
    const nhi_real t38 = NHI_R(-0.5) * (t32 * t32 + t33 * t33 + t34 * t34 - NHI_R(1.0));
    out[2] = t32 + (t35 * t15 + t37 * t25 + t38 * t32);
    out[3] = t16 + (t18 * t16 + t28 * t26 + t35 * t33);
    out[4] = t26 + (t28 * t16 + t36 * t26 + t37 * t33);
    out[5] = t33 + (t35 * t16 + t37 * t26 + t38 * t33);
    out[6] = t17 + (t18 * t17 + t28 * t27 + t35 * t34);
    out[7] = t27 + (t28 * t17 + t36 * t27 + t37 * t34);
    out[8] = t34 + (t35 * t17 + t37 * t27 + t38 * t34);
    const nhi_real t39 = nhi_c(t0);
    const nhi_real t40 = t39 * x[1];
    const nhi_real t41 = t40 * x[1];
    const nhi_real t42 = t39 * x[2];
    const nhi_real t43 = t42 * x[2];
    const nhi_real t44 = t39 * x[0];
    const nhi_real t45 = t44 * x[1];
    const nhi_real t46 = t42 * x[0];
    const nhi_real t47 = (NHI_R(1.0) - (t41 + t43)) * x[3] + (t45 - t4) * x[4] + (t46 + t2) * x[5];
    const nhi_real t48 = t44 * x[0];
    const nhi_real t49 = t40 * x[2];
    const nhi_real t50 = (t45 + t4) * x[3] + (NHI_R(1.0) - (t43 + t48)) * x[4] + (t49 - t7) * x[5];
    const nhi_real t51 = (t46 - t2) * x[3] + (t49 + t7) * x[4] + (NHI_R(1.0) - (t48 + t41)) * x[5];
    out[9] = g[9] + (g[0] * t47 + g[1] * t50 + g[2] * t51);
    out[10] = g[10] + (g[3] * t47 + g[4] * t50 + g[5] * t51);
    out[11] = g[11] + (g[6] * t47 + g[7] * t50 + g[8] * t51);
}

NHI_FN void nhi_se3_exp_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_d(t0);
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t2 * x[1];
    const nhi_real t4 = t1 * x[2];
    const nhi_real t5 = t4 * x[2];
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    out[0] = t6;
    const nhi_real t7 = t1 * x[0];
    const nhi_real t8 = t7 * x[1];
    const nhi_real t9 = NHI_R(-0.5) * x[2];
    const nhi_real t10 = t8 - t9;
    out[1] = t10;
    const nhi_real t11 = t4 * x[0];
    const nhi_real t12 = NHI_R(-0.5) * x[1];
    const nhi_real t13 = t11 + t12;
    out[2] = t13;
    const nhi_real t14 = t8 + t9;
    out[6] = t14;
    const nhi_real t15 = t7 * x[0];
    const nhi_real t16 = NHI_R(1.0) - (t5 + t15);
    out[7] = t16;
    const nhi_real t17 = t2 * x[2];
    const nhi_real t18 = NHI_R(-0.5) * x[0];
    const nhi_real t19 = t17 - t18;
    out[8] = t19;
    const nhi_real t20 = t11 - t12;
    out[12] = t20;
    const nhi_real t21 = t17 + t18;
    out[13] = t21;
    const nhi_real t22 = NHI_R(1.0) - (t15 + t3);
    out[14] = t22;
    const nhi_real t23 = NHI_R(2.0) * (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]);
    const nhi_real t24 = t23 * nhi_d_prime(t0);
    const nhi_real t25 = t23 * t1 + t24 * t0;
    const nhi_real t26 = t1 * x[3] + t24 * x[0];
    out[18] = t7 * x[3] - t25 + t26 * x[0];
    const nhi_real t27 = NHI_R(-0.5) * x[5];
    out[19] = t7 * x[4] - t27 + t26 * x[1];
    const nhi_real t28 = NHI_R(-0.5) * x[4];
    out[20] = t28 + t7 * x[5] + t26 * x[2];
    out[21] = t6;
    out[22] = t10;
    out[23] = t13;
    const nhi_real t29 = t1 * x[4] + t24 * x[1];
    out[24] = t27 + t2 * x[3] + t29 * x[0];
    out[25] = t2 * x[4] - t25 + t29 * x[1];
    const nhi_real t30 = NHI_R(-0.5) * x[3];
    out[26] = t2 * x[5] - t30 + t29 * x[2];
    out[27] = t14;
    out[28] = t16;
    out[29] = t19;
    const nhi_real t31 = t1 * x[5] + t24 * x[2];
    out[30] = t4 * x[3] - t28 + t31 * x[0];
    out[31] = t30 + t4 * x[4] + t31 * x[1];
    out[32] = t4 * x[5] - t25 + t31 * x[2];
    out[33] = t20;
    out[34] = t21;
    out[35] = t22;
}

NHI_FN void nhi_se3_exp_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_c(t0);
    const nhi_real t2 = x[1] * t1;
    const nhi_real t3 = x[1] * t2;
    const nhi_real t4 = x[2] * t1;
    const nhi_real t5 = x[2] * t4;
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    out[0] = t6;
    const nhi_real t7 = x[0] * t1;
    const nhi_real t8 = x[1] * t7;
    const nhi_real t9 = nhi_b(t0);
    const nhi_real t10 = x[2] * t9;
    const nhi_real t11 = t8 + t10;
    out[1] = t11;
    const nhi_real t12 = x[0] * t4;
    const nhi_real t13 = x[1] * t9;
    const nhi_real t14 = t12 - t13;
    out[2] = t14;
    const nhi_real t15 = t8 - t10;
    out[6] = t15;
    const nhi_real t16 = x[0] * t7;
    const nhi_real t17 = NHI_R(1.0) - (t5 + t16);
    out[7] = t17;
    const nhi_real t18 = x[2] * t2;
    const nhi_real t19 = x[0] * t9;
    const nhi_real t20 = t18 + t19;
    out[8] = t20;
    const nhi_real t21 = t12 + t13;
    out[12] = t21;
    const nhi_real t22 = t18 - t19;
    out[13] = t22;
    const nhi_real t23 = NHI_R(1.0) - (t16 + t3);
    out[14] = t23;
    const nhi_real t24 = NHI_R(2.0) * (x[3] * x[0] + x[4] * x[1] + x[5] * x[2]);
    const nhi_real t25 = t24 * nhi_c_prime(t0);
    const nhi_real t26 = t24 * t1 + t25 * t0;
    const nhi_real t27 = -(x[3] * t1) - x[0] * t25;
    out[18] = x[3] * t7 - t26 - x[0] * t27;
    const nhi_real t28 = t24 * nhi_b_prime(t0);
    const nhi_real t29 = -(x[5] * t9) - x[2] * t28;
    out[19] = x[4] * t7 - t29 - x[1] * t27;
    const nhi_real t30 = -(x[4] * t9) - x[1] * t28;
    out[20] = t30 + x[5] * t7 - x[2] * t27;
    out[21] = t6;
    out[22] = t11;
    out[23] = t14;
    const nhi_real t31 = -(x[4] * t1) - x[1] * t25;
    out[24] = t29 + x[3] * t2 - x[0] * t31;
    out[25] = x[4] * t2 - t26 - x[1] * t31;
    const nhi_real t32 = -(x[3] * t9) - x[0] * t28;
    out[26] = x[5] * t2 - t32 - x[2] * t31;
    out[27] = t15;
    out[28] = t17;
    out[29] = t20;
    const nhi_real t33 = -(x[5] * t1) - x[2] * t25;
    out[30] = x[3] * t4 - t30 - x[0] * t33;
    out[31] = t32 + x[4] * t4 - x[1] * t33;
    out[32] = x[5] * t4 - t26 - x[2] * t33;
    out[33] = t21;
    out[34] = t22;
    out[35] = t23;
}

NHI_FN void nhi_se3_exp_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[1] * mu[2] - x[2] * mu[1];
    const nhi_real t1 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t2 = nhi_d(t1);
    const nhi_real t3 = x[0] * mu[1] - x[1] * mu[0];
    const nhi_real t4 = x[2] * mu[0] - x[0] * mu[2];
    const nhi_real t5 = x[4] * mu[5] - x[5] * mu[4];
    const nhi_real t6 = x[3] * mu[4] - x[4] * mu[3];
    const nhi_real t7 = x[5] * mu[3] - x[3] * mu[5];
    const nhi_real t8 = x[0] * mu[4] - x[1] * mu[3];
    const nhi_real t9 = x[2] * mu[3] - x[0] * mu[5];
    const nhi_real t10 = NHI_R(0.5) * t5 + t2 * (x[1] * t6 - x[2] * t7 + (x[4] * t8 - x[5] * t9));
    const nhi_real t11 = NHI_R(2.0) * (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]) * nhi_d_prime(t1);
    const nhi_real t12 = x[1] * t8 - x[2] * t9;
    const nhi_real t13 = mu[0] + NHI_R(0.5) * t0 + t2 * (x[1] * t3 - x[2] * t4) + (t10 + t11 * t12);
    out[0] = t13;
    const nhi_real t14 = x[1] * mu[5] - x[2] * mu[4];
    const nhi_real t15 = NHI_R(0.5) * t7 + t2 * (x[2] * t5 - x[0] * t6 + (x[5] * t14 - x[3] * t8));
    const nhi_real t16 = x[2] * t14 - x[0] * t8;
    const nhi_real t17 = mu[1] + NHI_R(0.5) * t4 + t2 * (x[2] * t0 - x[0] * t3) + (t15 + t11 * t16);
    out[1] = t17;
    const nhi_real t18 = NHI_R(0.5) * t6 + t2 * (x[0] * t7 - x[1] * t5 + (x[3] * t9 - x[4] * t14));
    const nhi_real t19 = x[0] * t9 - x[1] * t14;
    const nhi_real t20 = mu[2] + NHI_R(0.5) * t3 + t2 * (x[0] * t4 - x[1] * t0) + (t18 + t11 * t19);
    out[2] = t20;
    out[3] = mu[3] + NHI_R(0.5) * t14 + t2 * t12;
    out[4] = mu[4] + NHI_R(0.5) * t9 + t2 * t16;
    out[5] = mu[5] + NHI_R(0.5) * t8 + t2 * t19;
}

NHI_FN void nhi_se3_exp_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_se3_exp_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se3_exp_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t1 = nhi_d(t0);
    const nhi_real t2 = x[0] * mu[0] + x[1] * mu[1] + x[2] * mu[2];
    const nhi_real t3 = t1 * t2;
    const nhi_real t4 = t1 * x[0];
    const nhi_real t5 = nhi_d_prime(t0);
    const nhi_real t6 = t5 + t5;
    const nhi_real t7 = t6 * t2;
    const nhi_real t8 = t1 + t1 + t6 * t0;
    const nhi_real t9 = t7 * x[0] - t8 * mu[0];
    const nhi_real t10 = NHI_R(2.0) * (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]);
    const nhi_real t11 = t10 * t5;
    const nhi_real t12 = t1 * x[3] + t11 * x[0];
    const nhi_real t13 = NHI_R(-2.0) * t11;
    const nhi_real t14 = NHI_R(2.0) * t5;
    const nhi_real t15 = x[0] * mu[3] + x[1] * mu[4] + x[2] * mu[5];
    const nhi_real t16 = x[3] * mu[3] + x[4] * mu[4] + x[5] * mu[5];
    const nhi_real t17 = NHI_R(2.0) * t10 * nhi_d_second(t0);
    const nhi_real t18 = t15 * x[0] - t0 * mu[3];
    const nhi_real t19 = t13 * mu[3] + t14 * (t15 * x[3] + t16 * x[0] - t10 * mu[3]) + t17 * t18;
    const nhi_real t20 = NHI_R(-2.0) * t1;
    const nhi_real t21 = t20 * mu[3] + t14 * t18;
    const nhi_real t22 = t1 * t16 + t11 * t15;
    const nhi_real t23 = t3 + t4 * mu[0] + t9 * x[0] + (t12 * mu[3] + t19 * x[0] + t21 * x[3] + t22);
    out[0] = t23;
    const nhi_real t24 = NHI_R(-0.5) * mu[2];
    const nhi_real t25 = t4 * mu[1] - t24 + t9 * x[1] + (t12 * mu[4] + t19 * x[1] + t21 * x[4]);
    out[1] = t25;
    const nhi_real t26 = NHI_R(-0.5) * mu[1];
    const nhi_real t27 = t26 + t4 * mu[2] + t9 * x[2] + (t12 * mu[5] + t19 * x[2] + t21 * x[5]);
    out[2] = t27;
    const nhi_real t28 = t1 * t15;
    const nhi_real t29 = t6 * t15;
    const nhi_real t30 = t29 * x[0] - t8 * mu[3];
    const nhi_real t31 = t28 + t4 * mu[3] + t30 * x[0];
    out[3] = t31;
    const nhi_real t32 = NHI_R(-0.5) * mu[5];
    const nhi_real t33 = t4 * mu[4] - t32 + t30 * x[1];
    out[4] = t33;
    const nhi_real t34 = NHI_R(-0.5) * mu[4];
    const nhi_real t35 = t34 + t4 * mu[5] + t30 * x[2];
    out[5] = t35;
    const nhi_real t36 = t1 * x[1];
    const nhi_real t37 = t7 * x[1] - t8 * mu[1];
    const nhi_real t38 = t1 * x[4] + t11 * x[1];
    const nhi_real t39 = t15 * x[1] - t0 * mu[4];
    const nhi_real t40 = t13 * mu[4] + t14 * (t15 * x[4] + t16 * x[1] - t10 * mu[4]) + t17 * t39;
    const nhi_real t41 = t20 * mu[4] + t14 * t39;
    const nhi_real t42 = t24 + t36 * mu[0] + t37 * x[0] + (t38 * mu[3] + t40 * x[0] + t41 * x[3]);
    out[6] = t42;
    const nhi_real t43 = t3 + t36 * mu[1] + t37 * x[1] + (t38 * mu[4] + t40 * x[1] + t41 * x[4] + t22);
    out[7] = t43;
    const nhi_real t44 = NHI_R(-0.5) * mu[0];
    const nhi_real t45 = t36 * mu[2] - t44 + t37 * x[2] + (t38 * mu[5] + t40 * x[2] + t41 * x[5]);
    out[8] = t45;
    const nhi_real t46 = t29 * x[1] - t8 * mu[4];
    const nhi_real t47 = t32 + t36 * mu[3] + t46 * x[0];
    out[9] = t47;
    const nhi_real t48 = t28 + t36 * mu[4] + t46 * x[1];
    out[10] = t48;
    const nhi_real t49 = NHI_R(-0.5) * mu[3];
    const nhi_real t50 = t36 * mu[5] - t49 + t46 * x[2];
    out[11] = t50;
    const nhi_real t51 = t1 * x[2];
    const nhi_real t52 = t7 * x[2] - t8 * mu[2];
    const nhi_real t53 = t1 * x[5] + t11 * x[2];
    const nhi_real t54 = t15 * x[2] - t0 * mu[5];
    const nhi_real t55 = t13 * mu[5] + t14 * (t15 * x[5] + t16 * x[2] - t10 * mu[5]) + t17 * t54;
    const nhi_real t56 = t20 * mu[5] + t14 * t54;
    const nhi_real t57 = t51 * mu[0] - t26 + t52 * x[0] + (t53 * mu[3] + t55 * x[0] + t56 * x[3]);
    out[12] = t57;
    const nhi_real t58 = t44 + t51 * mu[1] + t52 * x[1] + (t53 * mu[4] + t55 * x[1] + t56 * x[4]);
    out[13] = t58;
    const nhi_real t59 = t3 + t51 * mu[2] + t52 * x[2] + (t53 * mu[5] + t55 * x[2] + t56 * x[5] + t22);
    out[14] = t59;
    const nhi_real t60 = t29 * x[2] - t8 * mu[5];
    const nhi_real t61 = t51 * mu[3] - t34 + t60 * x[0];
    out[15] = t61;
    const nhi_real t62 = t49 + t51 * mu[4] + t60 * x[1];
    out[16] = t62;
    const nhi_real t63 = t28 + t51 * mu[5] + t60 * x[2];
    out[17] = t63;
    out[18] = t31;
    out[19] = t33;
    out[20] = t35;
    out[24] = t47;
    out[25] = t48;
    out[26] = t50;
    out[30] = t61;
    out[31] = t62;
    out[32] = t63;
}

NHI_FN void nhi_se3_exp_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    nhi_zero(216, out);
    const nhi_real t0 = x[0] * x[0];
    const nhi_real t1 = x[1] * x[1];
    const nhi_real t2 = x[2] * x[2];
    const nhi_real t3 = t0 + t1 + t2;
    const nhi_real t4 = nhi_d_second(t3);
    const nhi_real t5 = t4 + t4;
    const nhi_real t6 = x[0] * mu[3] + x[1] * mu[4] + x[2] * mu[5];
    const nhi_real t7 = t5 * t6;
    const nhi_real t8 = nhi_d_prime(t3);
    const nhi_real t9 = t8 + t8;
    const nhi_real t10 = t7 * x[0] + t9 * mu[3];
    const nhi_real t11 = x[0] * t10;
    const nhi_real t12 = t9 * t6;
    const nhi_real t13 = t11 + t11 + t12;
    const nhi_real t14 = x[0] * x[3];
    const nhi_real t15 = t14 + t14;
    const nhi_real t16 = x[1] * x[4];
    const nhi_real t17 = t16 + t16;
    const nhi_real t18 = x[2] * x[5];
    const nhi_real t19 = t18 + t18;
    const nhi_real t20 = t15 + t17 + t19;
    const nhi_real t21 = nhi_d_third(t3) * t20;
    const nhi_real t22 = t21 + t21;
    const nhi_real t23 = mu[3] * x[3] + x[0] * mu[0] + (mu[4] * x[4] + x[1] * mu[1]) + (mu[5] * x[5] + x[2] * mu[2]);
    const nhi_real t24 = t6 * t22 + t5 * t23;
    const nhi_real t25 = t4 * t20;
    const nhi_real t26 = t25 + t25;
    const nhi_real t27 = x[0] * t24 + t7 * x[3] + (mu[3] * t26 + t9 * mu[0]);
    const nhi_real t28 = t10 * x[3] + x[0] * t27;
    const nhi_real t29 = t6 * t26 + t9 * t23;
    const nhi_real t30 = t28 + t28 + t29;
    const nhi_real t31 = t9 + t9 + t5 * t3;
    const nhi_real t32 = t31 + t31;
    const nhi_real t33 = nhi_d(t3);
    const nhi_real t34 = t33 + t33 + t9 * t3;
    const nhi_real t35 = t32 * t0 + t34;
    const nhi_real t36 = t26 + t26 + (t3 * t22 + t5 * t20);
    const nhi_real t37 = t36 + t36;
    const nhi_real t38 = t8 * t20;
    const nhi_real t39 = t38 + t38 + (t3 * t26 + t9 * t20);
    const nhi_real t40 = t0 * t37 + t32 * t15 + t39;
    const nhi_real t41 = x[0] * t29 + t12 * x[3] + (mu[3] * t38 + t33 * mu[0]);
    const nhi_real t42 = t13 * x[3] + x[0] * t30 - (t35 * mu[0] + mu[3] * t40) + t41 + t41;
    out[0] = t42;
    const nhi_real t43 = t7 * x[1] + t9 * mu[4];
    const nhi_real t44 = x[0] * t43 + x[1] * t10;
    const nhi_real t45 = x[1] * t24 + t7 * x[4] + (mu[4] * t26 + t9 * mu[1]);
    const nhi_real t46 = t43 * x[3] + x[0] * t45 + (t10 * x[4] + x[1] * t27);
    const nhi_real t47 = x[0] * x[1];
    const nhi_real t48 = t32 * t47;
    const nhi_real t49 = t47 * t37 + t32 * (x[1] * x[3] + x[0] * x[4]);
    const nhi_real t50 = x[1] * t29 + t12 * x[4] + (mu[4] * t38 + t33 * mu[1]);
    const nhi_real t51 = t44 * x[3] + x[0] * t46 - (t48 * mu[0] + mu[3] * t49) + t50;
    out[1] = t51;
    const nhi_real t52 = t7 * x[2] + t9 * mu[5];
    const nhi_real t53 = x[0] * t52 + x[2] * t10;
    const nhi_real t54 = x[2] * t24 + t7 * x[5] + (mu[5] * t26 + t9 * mu[2]);
    const nhi_real t55 = t52 * x[3] + x[0] * t54 + (t10 * x[5] + x[2] * t27);
    const nhi_real t56 = x[0] * x[2];
    const nhi_real t57 = t32 * t56;
    const nhi_real t58 = t56 * t37 + t32 * (x[2] * x[3] + x[0] * x[5]);
    const nhi_real t59 = x[2] * t29 + t12 * x[5] + (mu[5] * t38 + t33 * mu[2]);
    const nhi_real t60 = t53 * x[3] + x[0] * t55 - (t57 * mu[0] + mu[3] * t58) + t59;
    out[2] = t60;
    const nhi_real t61 = t12 * x[0] + t33 * mu[3];
    const nhi_real t62 = x[0] * t13 - mu[3] * t35 + t61 + t61;
    out[3] = t62;
    const nhi_real t63 = t12 * x[1] + t33 * mu[4];
    const nhi_real t64 = x[0] * t44 - mu[3] * t48 + t63;
    out[4] = t64;
    const nhi_real t65 = t12 * x[2] + t33 * mu[5];
    const nhi_real t66 = x[0] * t53 - mu[3] * t57 + t65;
    out[5] = t66;
    out[6] = t51;
    const nhi_real t67 = x[1] * t43;
    const nhi_real t68 = t67 + t67 + t12;
    const nhi_real t69 = t43 * x[4] + x[1] * t45;
    const nhi_real t70 = t69 + t69 + t29;
    const nhi_real t71 = t32 * t1 + t34;
    const nhi_real t72 = t1 * t37 + t32 * t17 + t39;
    out[7] = t68 * x[3] + x[0] * t70 - (t71 * mu[0] + mu[3] * t72);
    const nhi_real t73 = x[1] * t52 + x[2] * t43;
    const nhi_real t74 = t52 * x[4] + x[1] * t54 + (t43 * x[5] + x[2] * t45);
    const nhi_real t75 = x[1] * x[2];
    const nhi_real t76 = t32 * t75;
    const nhi_real t77 = t75 * t37 + t32 * (x[2] * x[4] + x[1] * x[5]);
    const nhi_real t78 = t73 * x[3] + x[0] * t74 - (t76 * mu[0] + mu[3] * t77);
    out[8] = t78;
    out[9] = t64;
    const nhi_real t79 = x[0] * t68 - mu[3] * t71;
    out[10] = t79;
    const nhi_real t80 = x[0] * t73 - mu[3] * t76;
    out[11] = t80;
    out[12] = t60;
    out[13] = t78;
    const nhi_real t81 = x[2] * t52;
    const nhi_real t82 = t81 + t81 + t12;
    const nhi_real t83 = t52 * x[5] + x[2] * t54;
    const nhi_real t84 = t83 + t83 + t29;
    const nhi_real t85 = t32 * t2 + t34;
    const nhi_real t86 = t2 * t37 + t32 * t19 + t39;
    out[14] = t82 * x[3] + x[0] * t84 - (t85 * mu[0] + mu[3] * t86);
    out[15] = t66;
    out[16] = t80;
    const nhi_real t87 = x[0] * t82 - mu[3] * t85;
    out[17] = t87;
    out[18] = t62;
    out[19] = t64;
    out[20] = t66;
    out[24] = t64;
    out[25] = t79;
    out[26] = t80;
    out[30] = t66;
    out[31] = t80;
    out[32] = t87;
    out[36] = t13 * x[4] + x[1] * t30 - (t35 * mu[1] + mu[4] * t40);
    const nhi_real t88 = t44 * x[4] + x[1] * t46 - (t48 * mu[1] + mu[4] * t49) + t41;
    out[37] = t88;
    const nhi_real t89 = t53 * x[4] + x[1] * t55 - (t57 * mu[1] + mu[4] * t58);
    out[38] = t89;
    const nhi_real t90 = x[1] * t13 - mu[4] * t35;
    out[39] = t90;
    const nhi_real t91 = x[1] * t44 - mu[4] * t48 + t61;
    out[40] = t91;
    const nhi_real t92 = x[1] * t53 - mu[4] * t57;
    out[41] = t92;
    out[42] = t88;
    const nhi_real t93 = t68 * x[4] + x[1] * t70 - (t71 * mu[1] + mu[4] * t72) + t50 + t50;
    out[43] = t93;
    const nhi_real t94 = t73 * x[4] + x[1] * t74 - (t76 * mu[1] + mu[4] * t77) + t59;
    out[44] = t94;
    out[45] = t91;
    const nhi_real t95 = x[1] * t68 - mu[4] * t71 + t63 + t63;
    out[46] = t95;
    const nhi_real t96 = x[1] * t73 - mu[4] * t76 + t65;
    out[47] = t96;
    out[48] = t89;
    out[49] = t94;
    out[50] = t82 * x[4] + x[1] * t84 - (t85 * mu[1] + mu[4] * t86);
    out[51] = t92;
    out[52] = t96;
    const nhi_real t97 = x[1] * t82 - mu[4] * t85;
    out[53] = t97;
    out[54] = t90;
    out[55] = t91;
    out[56] = t92;
    out[60] = t91;
    out[61] = t95;
    out[62] = t96;
    out[66] = t92;
    out[67] = t96;
    out[68] = t97;
    out[72] = t13 * x[5] + x[2] * t30 - (t35 * mu[2] + mu[5] * t40);
    const nhi_real t98 = t44 * x[5] + x[2] * t46 - (t48 * mu[2] + mu[5] * t49);
    out[73] = t98;
    const nhi_real t99 = t53 * x[5] + x[2] * t55 - (t57 * mu[2] + mu[5] * t58) + t41;
    out[74] = t99;
    const nhi_real t100 = x[2] * t13 - mu[5] * t35;
    out[75] = t100;
    const nhi_real t101 = x[2] * t44 - mu[5] * t48;
    out[76] = t101;
    const nhi_real t102 = x[2] * t53 - mu[5] * t57 + t61;
    out[77] = t102;
    out[78] = t98;
    out[79] = t68 * x[5] + x[2] * t70 - (t71 * mu[2] + mu[5] * t72);
    const nhi_real t103 = t73 * x[5] + x[2] * t74 - (t76 * mu[2] + mu[5] * t77) + t50;
    out[80] = t103;
    out[81] = t101;
    const nhi_real t104 = x[2] * t68 - mu[5] * t71;
    out[82] = t104;
    const nhi_real t105 = x[2] * t73 - mu[5] * t76 + t63;
    out[83] = t105;
    out[84] = t99;
    out[85] = t103;
    const nhi_real t106 = t82 * x[5] + x[2] * t84 - (t85 * mu[2] + mu[5] * t86) + t59 + t59;
    out[86] = t106;
    out[87] = t102;
    out[88] = t105;
    const nhi_real t107 = x[2] * t82 - mu[5] * t85 + t65 + t65;
    out[89] = t107;
    out[90] = t100;
    out[91] = t101;
    out[92] = t102;
    out[96] = t101;
    out[97] = t104;
    out[98] = t105;
    out[102] = t102;
    out[103] = t105;
    out[104] = t107;
    out[108] = t62;
    out[109] = t64;
    out[110] = t66;
    out[114] = t64;
    out[115] = t79;
    out[116] = t80;
    out[120] = t66;
    out[121] = t80;
    out[122] = t87;
    out[144] = t90;
    out[145] = t91;
    out[146] = t92;
    out[150] = t91;
    out[151] = t95;
    out[152] = t96;
    out[156] = t92;
    out[157] = t96;
    out[158] = t97;
    out[180] = t100;
    out[181] = t101;
    out[182] = t102;
    out[186] = t101;
    out[187] = t104;
    out[188] = t105;
    out[192] = t102;
    out[193] = t105;
    out[194] = t107;
}

NHI_FN void nhi_se3_cay_moved(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(4.0) / (NHI_R(4.0) + (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    const nhi_real t1 = NHI_R(0.5) * t0;
    const nhi_real t2 = t1 * x[1];
    const nhi_real t3 = t2 * x[1];
    const nhi_real t4 = t1 * x[2];
    const nhi_real t5 = t4 * x[2];
    const nhi_real t6 = NHI_R(1.0) - (t3 + t5);
    const nhi_real t7 = t1 * x[0];
    const nhi_real t8 = t7 * x[1];
    const nhi_real t9 = t0 * x[2];
    const nhi_real t10 = t8 + t9;
    const nhi_real t11 = t4 * x[0];
    const nhi_real t12 = t0 * x[1];
    const nhi_real t13 = t11 - t12;
    const nhi_real t14 = t6 * g[0] + t10 * g[1] + t13 * g[2];
    const nhi_real t15 = t6 * g[3] + t10 * g[4] + t13 * g[5];
    const nhi_real t16 = t6 * g[6] + t10 * g[7] + t13 * g[8];
    const nhi_real t17 = NHI_R(-0.5) * (t14 * t14 + t15 * t15 + t16 * t16 - NHI_R(1.0));
    const nhi_real t18 = t8 - t9;
    const nhi_real t19 = t7 * x[0];
    const nhi_real t20 = NHI_R(1.0) - (t5 + t19);
    const nhi_real t21 = t2 * x[2];
    const nhi_real t22 = t0 * x[0];
    const nhi_real t23 = t21 + t22;
    const nhi_real t24 = t18 * g[0] + t20 * g[1] + t23 * g[2];
    const nhi_real t25 = t18 * g[3] + t20 * g[4] + t23 * g[5];
    const nhi_real t26 = t18 * g[6] + t20 * g[7] + t23 * g[8];
    const nhi_real t27 = NHI_R(-0.5) * (t14 * t24 + t15 * t25 + t16 * t26);
    const nhi_real t28 = t11 + t12;
    const nhi_real t29 = t21 - t22;
    const nhi_real t30 = NHI_R(1.0) - (t19 + t3);
    const nhi_real t31 = t28 * g[0] + t29 * g[1] + t30 * g[2];
    const nhi_real t32 = t28 * g[3] + t29 * g[4] + t30 * g[5];
    const nhi_real t33 = t28 * g[6] + t29 * g[7] + t30 * g[8];
    const nhi_real t34 = NHI_R(-0.5) * (t31 * t14 + t32 * t15 + t33 * t16);
    out[0] = t14 + (t17 * t14 + t27 * t24 + t34 * t31);
    const nhi_real t35 = NHI_R(-0.5) * (t24 * t24 + t25 * t25 + t26 * t26 - NHI_R(1.0));
    const nhi_real t36 = NHI_R(-0.5) * (t24 * t31 + t25 * t32 + t26 * t33);
    out[1] = t24 + (t27 * t14 + t35 * t24 + t36 * t31);
    const nhi_real t37 = NHI_R(-0.5) * (t31 * t31 + t32 * t32 + t33 * t33 - NHI_R(1.0));
    out[2] = t31 + (t34 * t14 + t36 * t24 + t37 * t31);
    out[3] = t15 + (t17 * t15 + t27 * t25 + t34 * t32);
    out[4] = t25 + (t27 * t15 + t35 * t25 + t36 * t32);
    out[5] = t32 + (t34 * t15 + t36 * t25 + t37 * t32);
    out[6] = t16 + (t17 * t16 + t27 * t26 + t34 * t33);
    out[7] = t26 + (t27 * t16 + t35 * t26 + t36 * t33);
    out[8] = t33 + (t34 * t16 + t36 * t26 + t37 * t33);
    const nhi_real t38 = NHI_R(0.5) * (x[3] + (t6 * x[3] + t18 * x[4] + t28 * x[5]));
    const nhi_real t39 = NHI_R(0.5) * (x[4] + (t10 * x[3] + t20 * x[4] + t29 * x[5]));
    const nhi_real t40 = NHI_R(0.5) * (x[5] + (t13 * x[3] + t23 * x[4] + t30 * x[5]));
    out[9] = g[9] + (g[0] * t38 + g[1] * t39 + g[2] * t40);
    out[10] = g[10] + (g[3] * t38 + g[4] * t39 + g[5] * t40);
    out[11] = g[11] + (g[6] * t38 + g[7] * t39 + g[8] * t40);
}

NHI_FN void nhi_se3_cay_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = NHI_R(0.25) * x[0];
    out[0] = NHI_R(1.0) + t0 * x[0];
    const nhi_real t1 = NHI_R(-0.5) * x[2];
    out[1] = t0 * x[1] - t1;
    const nhi_real t2 = NHI_R(-0.5) * x[1];
    out[2] = t2 + t0 * x[2];
    const nhi_real t3 = NHI_R(0.25) * x[1];
    out[6] = t1 + t3 * x[0];
    out[7] = NHI_R(1.0) + t3 * x[1];
    const nhi_real t4 = NHI_R(-0.5) * x[0];
    out[8] = t3 * x[2] - t4;
    const nhi_real t5 = NHI_R(0.25) * x[2];
    out[12] = t5 * x[0] - t2;
    out[13] = t4 + t5 * x[1];
    out[14] = NHI_R(1.0) + t5 * x[2];
    const nhi_real t6 = NHI_R(-0.25) * (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]);
    const nhi_real t7 = NHI_R(0.25) * x[3];
    out[18] = t6 + t7 * x[0];
    const nhi_real t8 = NHI_R(-0.5) * x[5];
    out[19] = t7 * x[1] - t8;
    const nhi_real t9 = NHI_R(-0.5) * x[4];
    out[20] = t9 + t7 * x[2];
    out[21] = NHI_R(1.0);
    out[22] = -t1;
    out[23] = t2;
    const nhi_real t10 = NHI_R(0.25) * x[4];
    out[24] = t8 + t10 * x[0];
    out[25] = t6 + t10 * x[1];
    const nhi_real t11 = NHI_R(-0.5) * x[3];
    out[26] = t10 * x[2] - t11;
    out[27] = t1;
    out[28] = NHI_R(1.0);
    out[29] = -t4;
    const nhi_real t12 = NHI_R(0.25) * x[5];
    out[30] = t12 * x[0] - t9;
    out[31] = t11 + t12 * x[1];
    out[32] = t6 + t12 * x[2];
    out[33] = -t2;
    out[34] = t4;
    out[35] = NHI_R(1.0);
}

NHI_FN void nhi_se3_cay_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = NHI_R(4.0) + (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const nhi_real t1 = NHI_R(2.0) / t0;
    const nhi_real t2 = t1 + t1;
    out[0] = t2;
    const nhi_real t3 = x[2] * t1;
    out[1] = t3;
    const nhi_real t4 = x[1] * t1;
    out[2] = -t4;
    out[6] = -t3;
    out[7] = t2;
    const nhi_real t5 = x[0] * t1;
    out[8] = t5;
    out[12] = t4;
    out[13] = -t5;
    out[14] = t2;
    const nhi_real t6 = x[4] * NHI_R(0.5);
    const nhi_real t7 = t6 * t4;
    const nhi_real t8 = x[5] * NHI_R(0.5);
    const nhi_real t9 = t3 * t8;
    out[18] = -t7 - t9;
    const nhi_real t10 = t8 * t2;
    out[19] = t5 * t6 + t10;
    const nhi_real t11 = t6 * t2;
    out[20] = t8 * t5 - t11;
    const nhi_real t12 = NHI_R(4.0) / t0;
    const nhi_real t13 = NHI_R(0.5) * t12;
    const nhi_real t14 = x[1] * t13;
    const nhi_real t15 = x[1] * t14;
    const nhi_real t16 = x[2] * t13;
    const nhi_real t17 = x[2] * t16;
    out[21] = NHI_R(0.5) * (NHI_R(1.0) + (NHI_R(1.0) - (t15 + t17)));
    const nhi_real t18 = x[0] * t13;
    const nhi_real t19 = x[1] * t18;
    const nhi_real t20 = x[2] * t12;
    out[22] = NHI_R(0.5) * (NHI_R(0.0) + (t19 + t20));
    const nhi_real t21 = x[0] * t16;
    const nhi_real t22 = x[1] * t12;
    out[23] = NHI_R(0.5) * (NHI_R(0.0) + (t21 - t22));
    const nhi_real t23 = x[3] * NHI_R(0.5);
    out[24] = t23 * t4 - t10;
    const nhi_real t24 = t5 * t23;
    out[25] = -t9 - t24;
    const nhi_real t25 = t23 * t2;
    out[26] = t4 * t8 + t25;
    out[27] = NHI_R(0.5) * (NHI_R(0.0) + (t19 - t20));
    const nhi_real t26 = x[0] * t18;
    out[28] = NHI_R(0.5) * (NHI_R(1.0) + (NHI_R(1.0) - (t17 + t26)));
    const nhi_real t27 = x[2] * t14;
    const nhi_real t28 = x[0] * t12;
    out[29] = NHI_R(0.5) * (NHI_R(0.0) + (t27 + t28));
    out[30] = t3 * t23 + t11;
    out[31] = t6 * t3 - t25;
    out[32] = -t24 - t7;
    out[33] = NHI_R(0.5) * (NHI_R(0.0) + (t21 + t22));
    out[34] = NHI_R(0.5) * (NHI_R(0.0) + (t27 - t28));
    out[35] = NHI_R(0.5) * (NHI_R(1.0) + (NHI_R(1.0) - (t26 + t15)));
}

NHI_FN void nhi_se3_cay_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                      const nhi_real *NHI_RESTRICT mu,
                                      nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.5) * x[1];
    const nhi_real t1 = NHI_R(0.5) * x[2];
    const nhi_real t2 = NHI_R(0.5) * x[0];
    const nhi_real t3 = t2 * mu[0] + t0 * mu[1] + t1 * mu[2];
    const nhi_real t4 = mu[5] + NHI_R(0.5) * (x[0] * mu[4] - x[1] * mu[3]);
    const nhi_real t5 = mu[4] + NHI_R(0.5) * (x[2] * mu[3] - x[0] * mu[5]);
    const nhi_real t6 = mu[0] + (t0 * mu[2] - t1 * mu[1]) + t3 * t2 + NHI_R(0.5) * (x[4] * t4 - x[5] * t5);
    out[0] = t6;
    const nhi_real t7 = mu[3] + NHI_R(0.5) * (x[1] * mu[5] - x[2] * mu[4]);
    const nhi_real t8 = mu[1] + (t1 * mu[0] - t2 * mu[2]) + t3 * t0 + NHI_R(0.5) * (x[5] * t7 - x[3] * t4);
    out[1] = t8;
    const nhi_real t9 = mu[2] + (t2 * mu[1] - t0 * mu[0]) + t3 * t1 + NHI_R(0.5) * (x[3] * t5 - x[4] * t7);
    out[2] = t9;
    out[3] = t7;
    out[4] = t5;
    out[5] = t4;
}

NHI_FN void nhi_se3_cay_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                           const nhi_real *NHI_RESTRICT mu,
                                           nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_se3_cay_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se3_cay_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_real t0 = x[0] * mu[0] + x[1] * mu[1] + x[2] * mu[2] + (x[3] * mu[3] + x[4] * mu[4] + x[5] * mu[5]);
    const nhi_real t1 = NHI_R(0.25) * t0;
    const nhi_real t2 = NHI_R(0.25) * x[0];
    const nhi_real t3 = NHI_R(-0.25) * mu[3];
    out[0] = t1 + t2 * mu[0] + t3 * x[3];
    const nhi_real t4 = NHI_R(-0.5) * mu[2];
    out[1] = t2 * mu[1] - t4 + t3 * x[4];
    const nhi_real t5 = NHI_R(-0.5) * mu[1];
    out[2] = t5 + t2 * mu[2] + t3 * x[5];
    const nhi_real t6 = NHI_R(-0.5) * (mu[5] + NHI_R(0.5) * (x[0] * mu[4] - x[1] * mu[3]));
    out[4] = -t6;
    const nhi_real t7 = NHI_R(-0.5) * (mu[4] + NHI_R(0.5) * (x[2] * mu[3] - x[0] * mu[5]));
    out[5] = t7;
    const nhi_real t8 = NHI_R(0.25) * x[1];
    const nhi_real t9 = NHI_R(-0.25) * mu[4];
    out[6] = t4 + t8 * mu[0] + t9 * x[3];
    out[7] = t1 + t8 * mu[1] + t9 * x[4];
    const nhi_real t10 = NHI_R(-0.5) * mu[0];
    out[8] = t8 * mu[2] - t10 + t9 * x[5];
    out[9] = t6;
    const nhi_real t11 = NHI_R(-0.5) * (mu[3] + NHI_R(0.5) * (x[1] * mu[5] - x[2] * mu[4]));
    out[11] = -t11;
    const nhi_real t12 = NHI_R(0.25) * x[2];
    const nhi_real t13 = NHI_R(-0.25) * mu[5];
    out[12] = t12 * mu[0] - t5 + t13 * x[3];
    out[13] = t10 + t12 * mu[1] + t13 * x[4];
    out[14] = t1 + t12 * mu[2] + t13 * x[5];
    out[15] = -t7;
    out[16] = t11;
    const nhi_real t14 = NHI_R(-0.5) * mu[5];
    out[19] = -t14;
    const nhi_real t15 = NHI_R(-0.5) * mu[4];
    out[20] = t15;
    out[24] = t14;
    const nhi_real t16 = NHI_R(-0.5) * mu[3];
    out[26] = -t16;
    out[30] = -t15;
    out[31] = t16;
}

NHI_FN void nhi_se3_cay_k_tangent(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT mu,
                                  nhi_real *NHI_RESTRICT out)
{
    (void)x;
    nhi_zero(216, out);
    const nhi_real t0 = NHI_R(0.25) * mu[0];
    out[0] = t0 + t0;
    const nhi_real t1 = NHI_R(0.25) * mu[1];
    out[1] = t1;
    const nhi_real t2 = NHI_R(0.25) * mu[2];
    out[2] = t2;
    const nhi_real t3 = NHI_R(0.25) * mu[4];
    out[4] = t3;
    const nhi_real t4 = NHI_R(0.25) * mu[5];
    out[5] = t4;
    out[6] = t1;
    const nhi_real t5 = NHI_R(0.25) * mu[3];
    out[10] = -t5;
    out[12] = t2;
    out[17] = -t5;
    out[24] = t3;
    out[25] = -t5;
    out[30] = t4;
    out[32] = -t5;
    out[37] = t0;
    out[39] = -t3;
    out[42] = t0;
    out[43] = t1 + t1;
    out[44] = t2;
    out[45] = t5;
    out[47] = t4;
    out[49] = t2;
    out[53] = -t3;
    out[54] = -t3;
    out[55] = t5;
    out[67] = t4;
    out[68] = -t3;
    out[74] = t0;
    out[75] = -t4;
    out[80] = t1;
    out[82] = -t4;
    out[84] = t0;
    out[85] = t1;
    out[86] = t2 + t2;
    out[87] = t5;
    out[88] = t3;
    out[90] = -t4;
    out[92] = t5;
    out[97] = -t4;
    out[98] = t3;
}

NHI_FN void nhi_se3_ccsk_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[2]);
    const nhi_real t0 = s0.cos * s1.cos;
    const nhi_sines s2 = nhi_sin_cos(x[0]);
    const nhi_real t1 = s2.sin * s0.sin;
    const nhi_real t2 = s2.cos * s1.sin + t1 * s1.cos;
    const nhi_real t3 = s2.cos * s0.sin;
    const nhi_real t4 = s2.sin * s1.sin - t3 * s1.cos;
    const nhi_real t5 = t0 * g[0] + t2 * g[1] + t4 * g[2];
    const nhi_real t6 = t0 * g[3] + t2 * g[4] + t4 * g[5];
    const nhi_real t7 = t0 * g[6] + t2 * g[7] + t4 * g[8];
    const nhi_real t8 = NHI_R(-0.5) * (t5 * t5 + t6 * t6 + t7 * t7 - NHI_R(1.0));
    const nhi_real t9 = s2.cos * s1.cos - t1 * s1.sin;
    const nhi_real t10 = s0.cos * s1.sin;
    const nhi_real t11 = s2.sin * s1.cos + t3 * s1.sin;
    const nhi_real t12 = t9 * g[1] - t10 * g[0] + t11 * g[2];
    const nhi_real t13 = t9 * g[4] - t10 * g[3] + t11 * g[5];
    const nhi_real t14 = t9 * g[7] - t10 * g[6] + t11 * g[8];
    const nhi_real t15 = NHI_R(-0.5) * (t5 * t12 + t6 * t13 + t7 * t14);
    const nhi_real t16 = s2.sin * s0.cos;
    const nhi_real t17 = s2.cos * s0.cos;
    const nhi_real t18 = s0.sin * g[0] - t16 * g[1] + t17 * g[2];
    const nhi_real t19 = s0.sin * g[3] - t16 * g[4] + t17 * g[5];
    const nhi_real t20 = s0.sin * g[6] - t16 * g[7] + t17 * g[8];
    const nhi_real t21 = NHI_R(-0.5) * (t18 * t5 + t19 * t6 + t20 * t7);
    out[0] = t5 + (t8 * t5 + t15 * t12 + t21 * t18);
    const nhi_real t22 = NHI_R(-0.5) * (t12 * t12 + t13 * t13 + t14 * t14 - NHI_R(1.0));
    const nhi_real t23 = NHI_R(-0.5) * (t12 * t18 + t13 * t19 + t14 * t20);
    out[1] = t12 + (t15 * t5 + t22 * t12 + t23 * t18);
    const nhi_real t24 = NHI_R(-0.5) * (t18 * t18 + t19 * t19 + t20 * t20 - NHI_R(1.0));
    out[2] = t18 + (t21 * t5 + t23 * t12 + t24 * t18);
    out[3] = t6 + (t8 * t6 + t15 * t13 + t21 * t19);
    out[4] = t13 + (t15 * t6 + t22 * t13 + t23 * t19);
    out[5] = t19 + (t21 * t6 + t23 * t13 + t24 * t19);
    out[6] = t7 + (t8 * t7 + t15 * t14 + t21 * t20);
    out[7] = t14 + (t15 * t7 + t22 * t14 + t23 * t20);
    out[8] = t20 + (t21 * t7 + t23 * t14 + t24 * t20);
    const nhi_real t25 = t0 * x[3] - t10 * x[4] + s0.sin * x[5];
    const nhi_real t26 = t2 * x[3] + t9 * x[4] - t16 * x[5];
    const nhi_real t27 = t4 * x[3] + t11 * x[4] + t17 * x[5];
    out[9] = g[9] + (g[0] * t25 + g[1] * t26 + g[2] * t27);
    out[10] = g[10] + (g[3] * t25 + g[4] * t26 + g[5] * t27);
    out[11] = g[11] + (g[6] * t25 + g[7] * t26 + g[8] * t27);
}

NHI_FN void nhi_se3_ccsk_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    out[0] = NHI_R(1.0);
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[0]);
    const nhi_real t0 = s1.sin / s0.cos;
    out[1] = s0.sin * t0;
    const nhi_real t1 = s1.cos / s0.cos;
    out[2] = -(s0.sin * t1);
    out[7] = s1.cos;
    out[8] = s1.sin;
    out[13] = -t0;
    out[14] = t1;
    const nhi_sines s2 = nhi_sin_cos(x[2]);
    out[21] = s0.cos * s2.cos;
    const nhi_real t2 = s1.sin * s0.sin;
    out[22] = s1.cos * s2.sin + t2 * s2.cos;
    const nhi_real t3 = s1.cos * s0.sin;
    out[23] = s1.sin * s2.sin - t3 * s2.cos;
    out[27] = -(s0.cos * s2.sin);
    out[28] = s1.cos * s2.cos - t2 * s2.sin;
    out[29] = s1.sin * s2.cos + t3 * s2.sin;
    out[33] = s0.sin;
    out[34] = -(s1.sin * s0.cos);
    out[35] = s1.cos * s0.cos;
}

NHI_FN void nhi_se3_ccsk_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[2]);
    const nhi_real t0 = s0.cos * s1.cos;
    out[0] = t0;
    out[1] = s1.sin;
    const nhi_real t1 = s0.cos * s1.sin;
    out[6] = -t1;
    out[7] = s1.cos;
    out[12] = s0.sin;
    out[14] = NHI_R(1.0);
    out[18] = -(x[4] * s0.sin) - t1 * x[5];
    const nhi_real t2 = x[4] * NHI_R(0.0);
    out[19] = x[5] * s1.cos - t2;
    const nhi_real t3 = x[5] * NHI_R(0.0);
    out[20] = t3 - x[4];
    out[21] = NHI_R(1.0);
    out[24] = x[3] * s0.sin - x[5] * t0;
    const nhi_real t4 = x[3] * NHI_R(0.0);
    out[25] = t4 - x[5] * s1.sin;
    out[26] = x[3] - t3;
    out[28] = NHI_R(1.0);
    out[30] = t1 * x[3] + x[4] * t0;
    out[31] = x[4] * s1.sin - x[3] * s1.cos;
    out[32] = t2 - t4;
    out[35] = NHI_R(1.0);
}

NHI_FN void nhi_se3_ccsk_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.0) * mu[1];
    const nhi_real t1 = NHI_R(0.0) * mu[2];
    const nhi_real t2 = NHI_R(0.0) * mu[3];
    const nhi_real t3 = NHI_R(0.0) * mu[4];
    const nhi_real t4 = NHI_R(0.0) * mu[5];
    out[0] = mu[0] + t0 + t1 + t2 + t3 + t4;
    const nhi_sines s0 = nhi_sin_cos(x[1]);
    const nhi_sines s1 = nhi_sin_cos(x[0]);
    const nhi_real t5 = s1.sin / s0.cos;
    const nhi_real t6 = s0.sin * t5 * mu[0] + s1.cos * mu[1] - t5 * mu[2] + t2 + t3 + t4;
    out[1] = t6;
    const nhi_real t7 = s1.cos / s0.cos;
    const nhi_real t8 = s1.sin * mu[1] - s0.sin * t7 * mu[0] + t7 * mu[2] + t2 + t3 + t4;
    out[2] = t8;
    const nhi_real t9 = NHI_R(0.0) * mu[0] + t0 + t1;
    const nhi_sines s2 = nhi_sin_cos(x[2]);
    const nhi_real t10 = t9 + s0.cos * s2.cos * mu[3] - s0.cos * s2.sin * mu[4] + s0.sin * mu[5];
    out[3] = t10;
    const nhi_real t11 = s1.sin * s0.sin;
    const nhi_real t12 = t9 + (s1.cos * s2.sin + t11 * s2.cos) * mu[3] + (s1.cos * s2.cos - t11 * s2.sin) * mu[4];
    out[4] = t12 - s1.sin * s0.cos * mu[5];
    const nhi_real t13 = s1.cos * s0.sin;
    const nhi_real t14 = t9 + (s1.sin * s2.sin - t13 * s2.cos) * mu[3] + (s1.sin * s2.cos + t13 * s2.sin) * mu[4];
    out[5] = t14 + s1.cos * s0.cos * mu[5];
}

NHI_FN void nhi_se3_ccsk_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_sines s0 = nhi_sin_cos(x[2]);
    const nhi_sines s1 = nhi_sin_cos(x[1]);
    const nhi_real t0 = s0.cos / s1.cos;
    const nhi_real t1 = NHI_R(0.0) * mu[3];
    const nhi_real t2 = t0 * mu[0] + s0.sin * mu[1] - s1.sin * t0 * mu[2] + t1 + x[5] * mu[4];
    out[0] = t2 - x[4] * mu[5];
    const nhi_real t3 = s0.sin / s1.cos;
    const nhi_real t4 = s0.cos * mu[1] - t3 * mu[0] + s1.sin * t3 * mu[2] - x[5] * mu[3];
    const nhi_real t5 = NHI_R(0.0) * mu[4];
    out[1] = t4 + t5 + x[3] * mu[5];
    const nhi_real t6 = NHI_R(0.0) * mu[0] + NHI_R(0.0) * mu[1];
    const nhi_real t7 = NHI_R(0.0) * mu[5];
    out[2] = t6 + mu[2] + x[4] * mu[3] - x[3] * mu[4] + t7;
    const nhi_real t8 = t6 + NHI_R(0.0) * mu[2];
    out[3] = t8 + mu[3] + t5 + t7;
    const nhi_real t9 = t8 + t1;
    out[4] = t9 + mu[4] + t7;
    out[5] = t9 + t5 + mu[5];
}

NHI_FN void nhi_se3_ccsk_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    const nhi_sines s0 = nhi_sin_cos(x[0]);
    const nhi_sines s1 = nhi_sin_cos(x[1]);
    const nhi_real t0 = (s1.sin * mu[0] - mu[2]) / s1.cos;
    out[6] = s0.cos * t0 - s0.sin * mu[1];
    const nhi_real t1 = (mu[0] - s1.sin * mu[2]) / (s1.cos * s1.cos);
    out[7] = s0.sin * t1;
    out[12] = s0.sin * t0 + s0.cos * mu[1];
    out[13] = -(s0.cos * t1);
    const nhi_sines s2 = nhi_sin_cos(x[2]);
    const nhi_real t2 = s0.cos * s1.sin;
    const nhi_real t3 = (s0.sin * s2.sin - t2 * s2.cos) * mu[3] + (s0.sin * s2.cos + t2 * s2.sin) * mu[4];
    const nhi_real t4 = s0.cos * s1.cos;
    const nhi_real t5 = t3 + t4 * mu[5];
    const nhi_real t6 = t5 * NHI_R(0.0);
    const nhi_real t7 = s0.sin * s1.sin;
    const nhi_real t8 = (s0.cos * s2.sin + t7 * s2.cos) * mu[3] + (s0.cos * s2.cos - t7 * s2.sin) * mu[4];
    const nhi_real t9 = s0.sin * s1.cos;
    const nhi_real t10 = t8 - t9 * mu[5];
    const nhi_real t11 = t10 * NHI_R(0.0);
    out[18] = t6 - t11;
    out[19] = t5 * s0.cos - t10 * s0.sin;
    out[20] = -(t10 * t4) - t9 * t5;
    const nhi_real t12 = s1.cos * s2.cos * mu[3] - s1.cos * s2.sin * mu[4] + s1.sin * mu[5];
    const nhi_real t13 = t12 * NHI_R(0.0);
    out[24] = t13 - t5;
    out[25] = t12 * s0.sin - t6;
    out[26] = t12 * t4 - t5 * s1.sin;
    out[30] = t10 - t13;
    out[31] = t11 - t12 * s0.cos;
    out[32] = t9 * t12 + t10 * s1.sin;
}

NHI_FN void nhi_se3_exp1_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se3_exp_moved(g, x, out);
}

NHI_FN void nhi_se3_exp1_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    nhi_zero(36, out);
    out[0] = NHI_R(1.0);
    const nhi_real t0 = x[2] * NHI_R(-0.5);
    const nhi_real t1 = NHI_R(0.0) - t0;
    out[1] = t1;
    const nhi_real t2 = NHI_R(-0.5) * x[1];
    const nhi_real t3 = t2 + NHI_R(0.0);
    out[2] = t3;
    const nhi_real t4 = t0 + NHI_R(0.0);
    out[6] = t4;
    out[7] = NHI_R(1.0);
    const nhi_real t5 = x[0] * NHI_R(-0.5);
    const nhi_real t6 = NHI_R(0.0) - t5;
    out[8] = t6;
    const nhi_real t7 = NHI_R(0.0) - t2;
    out[12] = t7;
    const nhi_real t8 = t5 + NHI_R(0.0);
    out[13] = t8;
    out[14] = NHI_R(1.0);
    const nhi_real t9 = x[5] * NHI_R(-0.5);
    out[19] = NHI_R(0.0) - t9;
    const nhi_real t10 = NHI_R(-0.5) * x[4];
    out[20] = t10 + NHI_R(0.0);
    out[21] = NHI_R(1.0);
    out[22] = t1;
    out[23] = t3;
    out[24] = t9 + NHI_R(0.0);
    const nhi_real t11 = x[3] * NHI_R(-0.5);
    out[26] = NHI_R(0.0) - t11;
    out[27] = t4;
    out[28] = NHI_R(1.0);
    out[29] = t6;
    out[30] = NHI_R(0.0) - t10;
    out[31] = t11 + NHI_R(0.0);
    out[33] = t7;
    out[34] = t8;
    out[35] = NHI_R(1.0);
}

NHI_FN void nhi_se3_exp1_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_real inverse[36];
    nhi_se3_exp1_dtau_inv(back, inverse);
    nhi_matrix_inverse(6, inverse, out);
}

NHI_FN void nhi_se3_exp1_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.5) * mu[1];
    const nhi_real t1 = NHI_R(-0.5) * mu[2];
    const nhi_real t2 = NHI_R(-0.5) * mu[4];
    const nhi_real t3 = NHI_R(-0.5) * mu[5];
    out[0] = t0 * x[2] - t1 * x[1] + (t2 * x[5] - t3 * x[4]) + mu[0];
    const nhi_real t4 = NHI_R(-0.5) * mu[0];
    const nhi_real t5 = NHI_R(-0.5) * mu[3];
    out[1] = t1 * x[0] - t4 * x[2] + (t3 * x[3] - t5 * x[5]) + mu[1];
    out[2] = t4 * x[1] - t0 * x[0] + (t5 * x[4] - t2 * x[3]) + mu[2];
    out[3] = t2 * x[2] - t3 * x[1] + mu[3];
    out[4] = t3 * x[0] - t5 * x[2] + mu[4];
    out[5] = t5 * x[1] - t2 * x[0] + mu[5];
}

NHI_FN void nhi_se3_exp1_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_se3_exp1_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se3_exp1_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    (void)x;
    nhi_zero(36, out);
    const nhi_real t0 = NHI_R(-0.5) * mu[2];
    out[1] = -t0;
    const nhi_real t1 = NHI_R(-0.5) * mu[1];
    out[2] = t1;
    const nhi_real t2 = NHI_R(-0.5) * mu[5];
    out[4] = -t2;
    const nhi_real t3 = NHI_R(-0.5) * mu[4];
    out[5] = t3;
    out[6] = t0;
    const nhi_real t4 = NHI_R(-0.5) * mu[0];
    out[8] = -t4;
    out[9] = t2;
    const nhi_real t5 = NHI_R(-0.5) * mu[3];
    out[11] = -t5;
    out[12] = -t1;
    out[13] = t4;
    out[15] = -t3;
    out[16] = t5;
    out[19] = -t2;
    out[20] = t3;
    out[24] = t2;
    out[26] = -t5;
    out[30] = -t3;
    out[31] = t5;
}

NHI_FN void nhi_se3_exp2_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se3_exp_moved(g, x, out);
}

NHI_FN void nhi_se3_exp2_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[2] * NHI_R(0.08333333333333333);
    const nhi_real t1 = NHI_R(-0.0) - t0;
    const nhi_real t2 = x[2] * t1;
    const nhi_real t3 = NHI_R(0.08333333333333333) * x[1];
    const nhi_real t4 = x[1] * t3;
    const nhi_real t5 = x[5] * NHI_R(0.0);
    const nhi_real t6 = x[4] * NHI_R(0.0);
    out[0] = t2 - t4 + NHI_R(0.0) + t5 - t6 + NHI_R(1.0);
    const nhi_real t7 = NHI_R(0.0) * t1;
    const nhi_real t8 = x[2] * NHI_R(-0.5);
    const nhi_real t9 = x[0] * t3;
    const nhi_real t10 = x[3] * NHI_R(0.0);
    out[1] = t7 - t8 + t9 - t5 + NHI_R(0.0) + t10 + NHI_R(0.0);
    const nhi_real t11 = x[1] * NHI_R(-0.5);
    const nhi_real t12 = x[0] * t1;
    const nhi_real t13 = NHI_R(0.0) * t3;
    out[2] = t11 - t12 + t13 + t6 - t10 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t14 = t7 + t13;
    const nhi_real t15 = x[2] * NHI_R(0.0);
    const nhi_real t16 = x[1] * NHI_R(0.0);
    out[3] = t14 + NHI_R(0.0) + t15 - t16 + NHI_R(0.0);
    const nhi_real t17 = x[0] * NHI_R(0.0);
    out[4] = t14 - t15 + NHI_R(0.0) + t17 + NHI_R(0.0);
    out[5] = t14 + t16 - t17 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t18 = NHI_R(0.0) * t0;
    const nhi_real t19 = x[0] * NHI_R(0.08333333333333333);
    const nhi_real t20 = NHI_R(-0.0) - t19;
    const nhi_real t21 = x[1] * t20;
    out[6] = t18 + t8 - t21 + NHI_R(0.0) + t5 - t6 + NHI_R(0.0);
    const nhi_real t22 = x[2] * t0;
    const nhi_real t23 = x[0] * t20;
    out[7] = NHI_R(-0.0) - t22 + t23 - t5 + NHI_R(0.0) + t10 + NHI_R(1.0);
    const nhi_real t24 = x[1] * t0;
    const nhi_real t25 = x[0] * NHI_R(-0.5);
    const nhi_real t26 = NHI_R(0.0) * t20;
    out[8] = t24 - t25 + t26 + t6 - t10 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t27 = t18 + t26;
    out[9] = t27 + NHI_R(0.0) + t15 - t16 + NHI_R(0.0);
    out[10] = t27 - t15 + NHI_R(0.0) + t17 + NHI_R(0.0);
    out[11] = t27 + t16 - t17 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t28 = NHI_R(-0.0) - t3;
    const nhi_real t29 = NHI_R(0.0) * t28;
    const nhi_real t30 = x[2] * t19;
    out[12] = t29 + t30 - t11 + NHI_R(0.0) + t5 - t6 + NHI_R(0.0);
    const nhi_real t31 = NHI_R(0.0) * t19;
    const nhi_real t32 = x[2] * t28;
    out[13] = t31 - t32 + t25 - t5 + NHI_R(0.0) + t10 + NHI_R(0.0);
    const nhi_real t33 = x[1] * t28;
    const nhi_real t34 = x[0] * t19;
    out[14] = t33 - t34 + t6 - t10 + NHI_R(0.0) + NHI_R(1.0);
    const nhi_real t35 = t29 + t31;
    out[15] = t35 + NHI_R(0.0) + t15 - t16 + NHI_R(0.0);
    out[16] = t35 - t15 + NHI_R(0.0) + t17 + NHI_R(0.0);
    out[17] = t35 + t16 - t17 + NHI_R(0.0) + NHI_R(0.0);
    const nhi_real t36 = x[5] * NHI_R(0.08333333333333333);
    const nhi_real t37 = NHI_R(-0.0) - t36;
    const nhi_real t38 = NHI_R(0.08333333333333333) * x[4];
    const nhi_real t39 = NHI_R(0.0) + x[2] * t37 - x[1] * t38 + x[5] * t1 - x[4] * t3 + NHI_R(0.0);
    out[18] = t39;
    const nhi_real t40 = NHI_R(0.0) * t37;
    const nhi_real t41 = x[5] * NHI_R(-0.5);
    out[19] = t40 - t15 + x[0] * t38 - t41 + t7 + x[3] * t3 + NHI_R(0.0);
    const nhi_real t42 = NHI_R(0.0) * t38;
    const nhi_real t43 = x[4] * NHI_R(-0.5);
    out[20] = t16 - x[0] * t37 + t42 + t43 - x[3] * t1 + t13 + NHI_R(0.0);
    const nhi_real t44 = NHI_R(0.0) + t40 + t42;
    out[21] = t44 + t2 - t4 + NHI_R(1.0);
    out[22] = t44 - t8 + t7 + t9 + NHI_R(0.0);
    out[23] = t44 + t11 - t12 + t13 + NHI_R(0.0);
    const nhi_real t45 = NHI_R(0.0) * t36;
    const nhi_real t46 = x[3] * NHI_R(0.08333333333333333);
    const nhi_real t47 = NHI_R(-0.0) - t46;
    out[24] = t45 + t15 - x[1] * t47 + t18 + t41 - x[4] * t20 + NHI_R(0.0);
    const nhi_real t48 = NHI_R(0.0) - x[2] * t36 + x[0] * t47 - x[5] * t0 + x[3] * t20 + NHI_R(0.0);
    out[25] = t48;
    const nhi_real t49 = NHI_R(0.0) * t47;
    const nhi_real t50 = x[3] * NHI_R(-0.5);
    out[26] = x[1] * t36 - t17 + t49 + x[4] * t0 - t50 + t26 + NHI_R(0.0);
    const nhi_real t51 = t45 + NHI_R(0.0) + t49;
    out[27] = t51 + t18 + t8 - t21 + NHI_R(0.0);
    out[28] = t51 - t22 + t23 + NHI_R(1.0);
    out[29] = t51 + t24 - t25 + t26 + NHI_R(0.0);
    const nhi_real t52 = NHI_R(-0.0) - t38;
    const nhi_real t53 = NHI_R(0.0) * t52;
    out[30] = t53 + x[2] * t46 - t16 + t29 + x[5] * t19 - t43 + NHI_R(0.0);
    const nhi_real t54 = NHI_R(0.0) * t46;
    out[31] = t54 - x[2] * t52 + t17 - x[5] * t28 + t31 + t50 + NHI_R(0.0);
    const nhi_real t55 = x[1] * t52 - x[0] * t46 + NHI_R(0.0) + x[4] * t28 - x[3] * t19 + NHI_R(0.0);
    out[32] = t55;
    const nhi_real t56 = t53 + t54 + NHI_R(0.0);
    out[33] = t56 + t29 + t30 - t11 + NHI_R(0.0);
    out[34] = t56 - t32 + t31 + t25 + NHI_R(0.0);
    out[35] = t56 + t33 - t34 + NHI_R(1.0);
}

NHI_FN void nhi_se3_exp2_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_real inverse[36];
    nhi_se3_exp2_dtau_inv(back, inverse);
    nhi_matrix_inverse(6, inverse, out);
}

NHI_FN void nhi_se3_exp2_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t1 = NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t2 = NHI_R(0.08333333333333333) * mu[5];
    const nhi_real t3 = NHI_R(0.08333333333333333) * mu[3];
    const nhi_real t4 = t0 * x[0] - t1 * x[2] + (t2 * x[3] - t3 * x[5]) + NHI_R(-0.5) * mu[1];
    const nhi_real t5 = NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t6 = NHI_R(0.08333333333333333) * mu[4];
    const nhi_real t7 = t1 * x[1] - t5 * x[0] + (t3 * x[4] - t6 * x[3]) + NHI_R(-0.5) * mu[2];
    const nhi_real t8 = t2 * x[0] - t3 * x[2] + NHI_R(-0.5) * mu[4];
    const nhi_real t9 = t3 * x[1] - t6 * x[0] + NHI_R(-0.5) * mu[5];
    out[0] = t4 * x[2] - t7 * x[1] + (t8 * x[5] - t9 * x[4]) + mu[0];
    const nhi_real t10 = t5 * x[2] - t0 * x[1] + (t6 * x[5] - t2 * x[4]) + NHI_R(-0.5) * mu[0];
    const nhi_real t11 = t6 * x[2] - t2 * x[1] + NHI_R(-0.5) * mu[3];
    out[1] = t7 * x[0] - t10 * x[2] + (t9 * x[3] - t11 * x[5]) + mu[1];
    out[2] = t10 * x[1] - t4 * x[0] + (t11 * x[4] - t8 * x[3]) + mu[2];
    out[3] = t8 * x[2] - t9 * x[1] + mu[3];
    out[4] = t9 * x[0] - t11 * x[2] + mu[4];
    out[5] = t11 * x[1] - t8 * x[0] + mu[5];
}

NHI_FN void nhi_se3_exp2_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_se3_exp2_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se3_exp2_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t1 = NHI_R(0.0) + t0 * x[2];
    const nhi_real t2 = NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t3 = x[1] * t2;
    const nhi_real t4 = NHI_R(0.08333333333333333) * mu[5];
    const nhi_real t5 = t4 * x[5];
    const nhi_real t6 = NHI_R(0.08333333333333333) * mu[4];
    const nhi_real t7 = x[4] * t6;
    out[0] = NHI_R(0.0) + (t1 + t3 + NHI_R(0.0) + t5 + t7);
    const nhi_real t8 = NHI_R(0.0) * x[2];
    const nhi_real t9 = t0 * NHI_R(0.0);
    const nhi_real t10 = NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t11 = t10 * x[1];
    const nhi_real t12 = t4 * NHI_R(0.0);
    const nhi_real t13 = NHI_R(0.0) * x[5];
    const nhi_real t14 = NHI_R(0.08333333333333333) * mu[3];
    const nhi_real t15 = t14 * x[4];
    const nhi_real t16 = t2 * x[0];
    const nhi_real t17 = t6 * x[3];
    const nhi_real t18 = t11 - t16 + (t15 - t17) + NHI_R(-0.5) * mu[2];
    out[1] = t8 - t9 - t11 - t12 + t13 - t15 - t18;
    const nhi_real t19 = t0 * x[0];
    const nhi_real t20 = t10 * x[2];
    const nhi_real t21 = t4 * x[3];
    const nhi_real t22 = t14 * x[5];
    const nhi_real t23 = t19 - t20 + (t21 - t22) + NHI_R(-0.5) * mu[1];
    const nhi_real t24 = t2 * NHI_R(0.0);
    const nhi_real t25 = x[1] * NHI_R(0.0);
    const nhi_real t26 = t6 * NHI_R(0.0);
    const nhi_real t27 = x[4] * NHI_R(0.0);
    out[2] = t23 + (t24 - t20 - t25 + t26 - t22 - t27);
    const nhi_real t28 = t4 * x[2];
    const nhi_real t29 = NHI_R(0.0) + t28;
    const nhi_real t30 = x[1] * t6;
    out[3] = NHI_R(0.0) + (t29 + t30 + NHI_R(0.0) + t13 - t27);
    const nhi_real t31 = t14 * x[1];
    const nhi_real t32 = t6 * x[0];
    const nhi_real t33 = t31 - t32 + NHI_R(-0.5) * mu[5];
    out[4] = t8 - t12 - t31 + NHI_R(0.0) + t13 - t27 - t33;
    const nhi_real t34 = t4 * x[0];
    const nhi_real t35 = t14 * x[2];
    const nhi_real t36 = t34 - t35 + NHI_R(-0.5) * mu[4];
    out[5] = t36 + (t26 - t35 - t25 + NHI_R(0.0) + t13 - t27);
    out[6] = t18 + (t9 - t8 - t16 - t13 + t12 - t17);
    const nhi_real t37 = t10 * x[0];
    const nhi_real t38 = t14 * x[3];
    out[7] = NHI_R(0.0) + (t1 + t37 + t5 + NHI_R(0.0) + t38);
    const nhi_real t39 = t2 * x[2];
    const nhi_real t40 = t10 * NHI_R(0.0);
    const nhi_real t41 = NHI_R(0.0) * x[0];
    const nhi_real t42 = t6 * x[5];
    const nhi_real t43 = t14 * NHI_R(0.0);
    const nhi_real t44 = NHI_R(0.0) * x[3];
    const nhi_real t45 = t0 * x[1];
    const nhi_real t46 = t4 * x[4];
    const nhi_real t47 = t39 - t45 + (t42 - t46) + NHI_R(-0.5) * mu[0];
    out[8] = -t39 - t40 + t41 - t42 - t43 + t44 - t47;
    out[9] = t33 + (t12 - t8 - t32 - t13 + NHI_R(0.0) + t44);
    const nhi_real t48 = t14 * x[0];
    out[10] = NHI_R(0.0) + (t29 + t48 - t13 + NHI_R(0.0) + t44);
    const nhi_real t49 = t6 * x[2];
    const nhi_real t50 = t4 * x[1];
    const nhi_real t51 = t49 - t50 + NHI_R(-0.5) * mu[3];
    out[11] = -t49 - t43 + t41 - t13 + NHI_R(0.0) + t44 - t51;
    out[12] = t25 - t19 - t24 + t27 - t21 - t26 - t23;
    out[13] = t47 + (-t45 - t41 + t40 - t46 - t44 + t43);
    out[14] = NHI_R(0.0) + (t3 + t37 + NHI_R(0.0) + t7 + t38 + NHI_R(0.0));
    out[15] = t25 - t34 - t26 + t27 - t44 + NHI_R(0.0) - t36;
    out[16] = t51 + (-t50 - t41 + t43 + t27 - t44 + NHI_R(0.0));
    out[17] = NHI_R(0.0) + (t30 + t48 + NHI_R(0.0) + t27 - t44 + NHI_R(0.0));
    const nhi_real t52 = NHI_R(0.0) + t9 - t24;
    out[18] = NHI_R(0.0) + (t52 + NHI_R(0.0) + t28 + t30);
    const nhi_real t53 = NHI_R(0.0) - t9 + t40;
    out[19] = t53 - t12 + t8 - t31 - t33;
    const nhi_real t54 = t24 - t40 + NHI_R(0.0);
    out[20] = t36 + (t54 + t26 - t35 - t25);
    const nhi_real t55 = NHI_R(0.0) + t12 - t26;
    out[21] = NHI_R(0.0) + (t55 + NHI_R(0.0) + t8 - t25);
    const nhi_real t56 = NHI_R(0.0) - t12 + t43;
    out[22] = NHI_R(0.0) + (t56 + NHI_R(0.0) + t8 - t25);
    const nhi_real t57 = t26 - t43 + NHI_R(0.0);
    out[23] = NHI_R(0.0) + (t57 + NHI_R(0.0) + t8 - t25);
    out[24] = t33 + (t52 - t8 + t12 - t32);
    out[25] = NHI_R(0.0) + (t53 + t28 + NHI_R(0.0) + t48);
    out[26] = t54 - t49 - t43 + t41 - t51;
    out[27] = NHI_R(0.0) + (t55 - t8 + NHI_R(0.0) + t41);
    out[28] = NHI_R(0.0) + (t56 - t8 + NHI_R(0.0) + t41);
    out[29] = NHI_R(0.0) + (t57 - t8 + NHI_R(0.0) + t41);
    out[30] = t52 + t25 - t34 - t26 - t36;
    out[31] = t51 + (t53 - t50 - t41 + t43);
    out[32] = NHI_R(0.0) + (t54 + t30 + t48 + NHI_R(0.0));
    out[33] = NHI_R(0.0) + (t55 + t25 - t41 + NHI_R(0.0));
    out[34] = NHI_R(0.0) + (t56 + t25 - t41 + NHI_R(0.0));
    out[35] = NHI_R(0.0) + (t57 + t25 - t41 + NHI_R(0.0));
}

NHI_FN void nhi_se3_exp4_moved(const nhi_real *NHI_RESTRICT g,
                               const nhi_real *NHI_RESTRICT x,
                               nhi_real *NHI_RESTRICT out)
{
    nhi_se3_exp_moved(g, x, out);
}

NHI_FN void nhi_se3_exp4_dtau_inv(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    static const double c[5] = {-0.001388888888888889, 0.0, 0.08333333333333333, -0.5, 1.0};
    nhi_real ad[36];
    nhi_real room[36];
    nhi_se3_ad(x, ad);
    nhi_polynomial(6, ad, c, 5, room, out);
}

NHI_FN void nhi_se3_exp4_dtau_left(const nhi_real *NHI_RESTRICT x, nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_real inverse[36];
    nhi_se3_exp4_dtau_inv(back, inverse);
    nhi_matrix_inverse(6, inverse, out);
}

NHI_FN void nhi_se3_exp4_dtau_inv_star(const nhi_real *NHI_RESTRICT x,
                                       const nhi_real *NHI_RESTRICT mu,
                                       nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = NHI_R(-0.001388888888888889) * mu[1];
    const nhi_real t1 = NHI_R(-0.001388888888888889) * mu[2];
    const nhi_real t2 = NHI_R(-0.001388888888888889) * mu[4];
    const nhi_real t3 = NHI_R(-0.001388888888888889) * mu[5];
    const nhi_real t4 = t0 * x[2] - t1 * x[1] + (t2 * x[5] - t3 * x[4]) + NHI_R(0.0) * mu[0];
    const nhi_real t5 = NHI_R(-0.001388888888888889) * mu[0];
    const nhi_real t6 = NHI_R(-0.001388888888888889) * mu[3];
    const nhi_real t7 = t1 * x[0] - t5 * x[2] + (t3 * x[3] - t6 * x[5]) + NHI_R(0.0) * mu[1];
    const nhi_real t8 = t2 * x[2] - t3 * x[1] + NHI_R(0.0) * mu[3];
    const nhi_real t9 = t3 * x[0] - t6 * x[2] + NHI_R(0.0) * mu[4];
    const nhi_real t10 = t4 * x[1] - t7 * x[0] + (t8 * x[4] - t9 * x[3]) + NHI_R(0.08333333333333333) * mu[2];
    const nhi_real t11 = t5 * x[1] - t0 * x[0] + (t6 * x[4] - t2 * x[3]) + NHI_R(0.0) * mu[2];
    const nhi_real t12 = t6 * x[1] - t2 * x[0] + NHI_R(0.0) * mu[5];
    const nhi_real t13 = t7 * x[2] - t11 * x[1] + (t9 * x[5] - t12 * x[4]) + NHI_R(0.08333333333333333) * mu[0];
    const nhi_real t14 = t8 * x[1] - t9 * x[0] + NHI_R(0.08333333333333333) * mu[5];
    const nhi_real t15 = t9 * x[2] - t12 * x[1] + NHI_R(0.08333333333333333) * mu[3];
    const nhi_real t16 = t10 * x[0] - t13 * x[2] + (t14 * x[3] - t15 * x[5]) + NHI_R(-0.5) * mu[1];
    const nhi_real t17 = t11 * x[0] - t4 * x[2] + (t12 * x[3] - t8 * x[5]) + NHI_R(0.08333333333333333) * mu[1];
    const nhi_real t18 = t12 * x[0] - t8 * x[2] + NHI_R(0.08333333333333333) * mu[4];
    const nhi_real t19 = t13 * x[1] - t17 * x[0] + (t15 * x[4] - t18 * x[3]) + NHI_R(-0.5) * mu[2];
    const nhi_real t20 = t14 * x[0] - t15 * x[2] + NHI_R(-0.5) * mu[4];
    const nhi_real t21 = t15 * x[1] - t18 * x[0] + NHI_R(-0.5) * mu[5];
    out[0] = t16 * x[2] - t19 * x[1] + (t20 * x[5] - t21 * x[4]) + mu[0];
    const nhi_real t22 = t17 * x[2] - t10 * x[1] + (t18 * x[5] - t14 * x[4]) + NHI_R(-0.5) * mu[0];
    const nhi_real t23 = t18 * x[2] - t14 * x[1] + NHI_R(-0.5) * mu[3];
    out[1] = t19 * x[0] - t22 * x[2] + (t21 * x[3] - t23 * x[5]) + mu[1];
    out[2] = t22 * x[1] - t16 * x[0] + (t23 * x[4] - t20 * x[3]) + mu[2];
    out[3] = t20 * x[2] - t21 * x[1] + mu[3];
    out[4] = t21 * x[0] - t23 * x[2] + mu[4];
    out[5] = t23 * x[1] - t20 * x[0] + mu[5];
}

NHI_FN void nhi_se3_exp4_dtau_left_inv_star(const nhi_real *NHI_RESTRICT x,
                                            const nhi_real *NHI_RESTRICT mu,
                                            nhi_real *NHI_RESTRICT out)
{
    const nhi_real back[6] = {-x[0], -x[1], -x[2], -x[3], -x[4], -x[5]};
    nhi_se3_exp4_dtau_inv_star(back, mu, out);
}

NHI_FN void nhi_se3_exp4_k(const nhi_real *NHI_RESTRICT x, const nhi_real *NHI_RESTRICT mu, nhi_real *NHI_RESTRICT out)
{
    static const double c[5] = {-0.001388888888888889, 0.0, 0.08333333333333333, -0.5, 1.0};
    nhi_real ad[36];
    nhi_real room[126];
    nhi_se3_ad(x, ad);
    nhi_polynomial_k(6, ad, nhi_se3_ad_star, nhi_se3_ad_star_on, x, mu, c, 5, room, out);
}

NHI_FN void nhi_se3_displaced(const nhi_real *NHI_RESTRICT g,
                              const nhi_real *NHI_RESTRICT x,
                              nhi_real *NHI_RESTRICT out)
{
    nhi_se3_exp_moved(g, x, out);
}

NHI_FN void nhi_se3_dexp_left_inv(const nhi_real *NHI_RESTRICT x,
                                  const nhi_real *NHI_RESTRICT xi,
                                  nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = x[1] * xi[2] - x[2] * xi[1];
    const nhi_real t1 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const nhi_real t2 = nhi_d(t1);
    const nhi_real t3 = x[0] * xi[1] - x[1] * xi[0];
    const nhi_real t4 = x[2] * xi[0] - x[0] * xi[2];
    const nhi_real t5 = x[1] * t3 - x[2] * t4;
    out[0] = xi[0] + NHI_R(0.5) * t0 + t2 * t5;
    const nhi_real t6 = x[2] * t0 - x[0] * t3;
    out[1] = xi[1] + NHI_R(0.5) * t4 + t2 * t6;
    const nhi_real t7 = x[0] * t4 - x[1] * t0;
    out[2] = xi[2] + NHI_R(0.5) * t3 + t2 * t7;
    const nhi_real t8 = x[1] * xi[5] - x[2] * xi[4];
    const nhi_real t9 = x[0] * xi[4] - x[1] * xi[3];
    const nhi_real t10 = x[2] * xi[3] - x[0] * xi[5];
    const nhi_real t11 = x[4] * xi[2] - x[5] * xi[1];
    const nhi_real t12 = x[3] * xi[1] - x[4] * xi[0];
    const nhi_real t13 = x[5] * xi[0] - x[3] * xi[2];
    const nhi_real t14 = NHI_R(0.5) * t11 + t2 * (x[1] * t12 - x[2] * t13 + (x[4] * t3 - x[5] * t4));
    const nhi_real t15 = NHI_R(2.0) * (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]) * nhi_d_prime(t1);
    const nhi_real t16 = xi[3] + NHI_R(0.5) * t8 + t2 * (x[1] * t9 - x[2] * t10) + (t14 + t15 * t5);
    out[3] = t16;
    const nhi_real t17 = NHI_R(0.5) * t13 + t2 * (x[2] * t11 - x[0] * t12 + (x[5] * t0 - x[3] * t3));
    const nhi_real t18 = xi[4] + NHI_R(0.5) * t10 + t2 * (x[2] * t8 - x[0] * t9) + (t17 + t15 * t6);
    out[4] = t18;
    const nhi_real t19 = NHI_R(0.5) * t12 + t2 * (x[0] * t13 - x[1] * t11 + (x[3] * t4 - x[4] * t0));
    const nhi_real t20 = xi[5] + NHI_R(0.5) * t9 + t2 * (x[0] * t10 - x[1] * t8) + (t19 + t15 * t7);
    out[5] = t20;
}

NHI_FN void nhi_se3_displacement(const nhi_real *NHI_RESTRICT g,
                                 const nhi_real *NHI_RESTRICT h,
                                 nhi_real *NHI_RESTRICT out)
{
    const nhi_real t0 = h[0] * g[0] + h[3] * g[3] + h[6] * g[6];
    const nhi_real t1 = h[1] * g[1] + h[4] * g[4] + h[7] * g[7];
    const nhi_real t2 = h[2] * g[2] + h[5] * g[5] + h[8] * g[8];
    const nhi_real t3 = t0 + t1 + t2;
    const nhi_real t4 = NHI_R(0.0) - t3;
    const nhi_real t5 = nhi_sqrt(NHI_R(1.0) + t3);
    const nhi_real t6 = NHI_R(0.5) / t5;
    const nhi_real t7 = h[1] * g[2] + h[4] * g[5] + h[7] * g[8];
    const nhi_real t8 = h[2] * g[1] + h[5] * g[4] + h[8] * g[7];
    const nhi_real t9 = t7 - t8;
    const nhi_real t10 = t0 - t1;
    const nhi_real t11 = t1 - t2;
    const nhi_real t12 = h[0] * g[1] + h[3] * g[4] + h[6] * g[7];
    const nhi_real t13 = h[1] * g[0] + h[4] * g[3] + h[7] * g[6];
    const nhi_real t14 = t12 - t13;
    const nhi_real t15 = nhi_sqrt(NHI_R(1.0) + t2 - t0 - t1);
    const nhi_real t16 = NHI_R(0.5) / t15;
    const nhi_real t17 = t14 * t16;
    const nhi_real t18 = h[0] * g[2] + h[3] * g[5] + h[6] * g[8];
    const nhi_real t19 = h[2] * g[0] + h[5] * g[3] + h[8] * g[6];
    const nhi_real t20 = t18 + t19;
    const nhi_real t21 = t20 * t16;
    const nhi_real t22 = ((double)t17 < 0.0 ? -t21 : t21);
    const nhi_real t23 = t19 - t18;
    const nhi_real t24 = nhi_sqrt(NHI_R(1.0) + t1 - t2 - t0);
    const nhi_real t25 = NHI_R(0.5) / t24;
    const nhi_real t26 = t23 * t25;
    const nhi_real t27 = t12 + t13;
    const nhi_real t28 = t27 * t25;
    const nhi_real t29 = t0 - t2;
    const nhi_real t30 = nhi_sqrt(NHI_R(1.0) + t0 - t1 - t2);
    const nhi_real t31 = NHI_R(0.5) / t30;
    const nhi_real t32 = t9 * t31;
    const nhi_real t33 = NHI_R(0.5) * t30;
    const nhi_real t34 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t22 : ((double)t26 < 0.0 ? -t28 : t28)) : ((double)t29 < 0.0 ? t22 : ((double)t32 < 0.0 ? -t33 : t33)));
    const nhi_real t35 = ((double)t4 < 0.0 ? t6 * t9 : t34);
    const nhi_real t36 = t7 + t8;
    const nhi_real t37 = t36 * t16;
    const nhi_real t38 = ((double)t17 < 0.0 ? -t37 : t37);
    const nhi_real t39 = NHI_R(0.5) * t24;
    const nhi_real t40 = t27 * t31;
    const nhi_real t41 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t38 : ((double)t26 < 0.0 ? -t39 : t39)) : ((double)t29 < 0.0 ? t38 : ((double)t32 < 0.0 ? -t40 : t40)));
    const nhi_real t42 = ((double)t4 < 0.0 ? t6 * t23 : t41);
    const nhi_real t43 = NHI_R(0.5) * t15;
    const nhi_real t44 = ((double)t17 < 0.0 ? -t43 : t43);
    const nhi_real t45 = t36 * t25;
    const nhi_real t46 = t20 * t31;
    const nhi_real t47 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t44 : ((double)t26 < 0.0 ? -t45 : t45)) : ((double)t29 < 0.0 ? t44 : ((double)t32 < 0.0 ? -t46 : t46)));
    const nhi_real t48 = ((double)t4 < 0.0 ? t6 * t14 : t47);
    const nhi_real t49 = t35 * t35 + t42 * t42 + t48 * t48;
    const nhi_real t50 = t49 + NHI_R(1e-20);
    const nhi_real t51 = t50 * t50;
    const nhi_real t52 = t51 * t51;
    const nhi_real t53 = (NHI_R(0.022372159090909092) * t52 + NHI_R(0.16666666666666666)) * t50;
    const nhi_real t54 = (NHI_R(0.01396484375) * t52 + NHI_R(0.044642857142857144)) * t50;
    const nhi_real t55 = NHI_R(0.030381944444444444) * t52 + NHI_R(1.0) + t53 + (NHI_R(0.017352764423076924) * t52 + NHI_R(0.075) + t54) * t51;
    const nhi_real t56 = nhi_sqrt(t49);
    const nhi_real t57 = ((double)t17 < 0.0 ? -t17 : t17);
    const nhi_real t58 = ((double)t10 < 0.0 ? ((double)t11 < 0.0 ? t57 : ((double)t26 < 0.0 ? -t26 : t26)) : ((double)t29 < 0.0 ? t57 : ((double)t32 < 0.0 ? -t32 : t32)));
    const nhi_real t59 = nhi_atan2(t56, ((double)t4 < 0.0 ? NHI_R(0.5) * t5 : t58)) / t56;
    const nhi_real t60 = ((double)t49 < 0.01 ? t55 : t59);
    const nhi_real t61 = t60 + t60;
    const nhi_real t62 = t61 * t35;
    out[0] = t62;
    const nhi_real t63 = t61 * t42;
    out[1] = t63;
    const nhi_real t64 = t61 * t48;
    out[2] = t64;
    const nhi_real t65 = nhi_d(t62 * t62 + t63 * t63 + t64 * t64);
    const nhi_real t66 = t65 * t63;
    const nhi_real t67 = t66 * t63;
    const nhi_real t68 = t65 * t64;
    const nhi_real t69 = t68 * t64;
    const nhi_real t70 = g[0] * h[9] + g[3] * h[10] + g[6] * h[11] - (g[0] * g[9] + g[3] * g[10] + g[6] * g[11]);
    const nhi_real t71 = t65 * t62;
    const nhi_real t72 = t71 * t63;
    const nhi_real t73 = NHI_R(-0.5) * t64;
    const nhi_real t74 = g[1] * h[9] + g[4] * h[10] + g[7] * h[11] - (g[1] * g[9] + g[4] * g[10] + g[7] * g[11]);
    const nhi_real t75 = t68 * t62;
    const nhi_real t76 = NHI_R(-0.5) * t63;
    const nhi_real t77 = g[2] * h[9] + g[5] * h[10] + g[8] * h[11] - (g[2] * g[9] + g[5] * g[10] + g[8] * g[11]);
    const nhi_real t78 = (NHI_R(1.0) - (t67 + t69)) * t70 + (t72 - t73) * t74 + (t75 + t76) * t77;
    out[3] = t78;
    const nhi_real t79 = t71 * t62;
    const nhi_real t80 = t66 * t64;
    const nhi_real t81 = NHI_R(-0.5) * t62;
    const nhi_real t82 = (t72 + t73) * t70 + (NHI_R(1.0) - (t69 + t79)) * t74 + (t80 - t81) * t77;
    out[4] = t82;
    const nhi_real t83 = (t75 - t76) * t70 + (t80 + t81) * t74 + (NHI_R(1.0) - (t79 + t67)) * t77;
    out[5] = t83;
}

/* END OF THE MAPS OF GROUPS */

#endif

//! Derivatives of a step by dual numbers, which go through the iterations of Newton's method.

use nhi_runtime::{
    CurvatureOf, DepartureOf, Differentiable, Dual, LinearizationOf, ParameterLinearizationOf, PulledBackOf,
    Reduced, ReducedOf, Simulation, State, Tangential, Vector,
};

type Number = Dual<f64>;

/// Where a step begins.
pub(crate) struct Departure<S: Tangential> {
    pub x: ReducedOf<S>,
    pub v: S::Velocity<f64>,
    pub lambda: S::Multipliers<f64>,
    /// Those that were held before the step.
    pub before: S::Inputs<f64>,
    pub inputs: S::Inputs<f64>,
    pub t: f64,
    pub h: f64,
}

impl<S: Tangential> Departure<S> {
    /// The present state of a simulation, before a step with these inputs.
    pub(crate) fn of<M: Differentiable<S>>(sim: &Simulation<S, M>, inputs: S::Inputs<f64>) -> Self {
        Departure {
            x: sim.reduced(),
            v: sim.v(),
            lambda: sim.multipliers(),
            before: sim.inputs(),
            inputs,
            t: sim.time(),
            h: sim.h(),
        }
    }
}

/// Constants, and the same with a derivative of one entry.
fn duals<V: Vector<Number>>(x: &[f64], seed: Option<usize>) -> V {
    let mut duals = V::splat(Dual::constant(0.0));
    for (i, (dual, &x)) in duals.as_mut().iter_mut().zip(x).enumerate() {
        *dual = if seed == Some(i) { Dual::variable(x, 0) } else { Dual::constant(x) };
    }
    duals
}

/// Where a step begins, with the derivatives along the entry `index` of (x, u, p, h); and the parameters.
fn moved<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    index: usize,
) -> (S::Parameters<Number>, DepartureOf<S, M, Number>) {
    let nx = S::Tangent::<f64>::splat(0.0).as_ref().len();
    let (k, np) = (S::INPUTS.len(), S::PARAMETERS.len());
    let seed = |first: usize, length: usize| index.checked_sub(first).filter(|&i| i < length);
    let Departure { x, v, lambda, before, inputs, t, h } = from;
    let delta: S::Tangent<Number> = duals(&vec![0.0; nx], seed(0, nx));
    let x = Reduced {
        q: duals(x.q.as_ref(), None),
        nu: duals(x.nu.as_ref(), None),
        z: duals(x.z.as_ref(), None),
    };
    let x = S::retract::<Number>(&x, &delta);
    let parameters: S::Parameters<Number> = duals(parameters.as_ref(), seed(nx + k, np));
    let h = if index == nx + k + np { Dual::variable(*h, 0) } else { Dual::constant(*h) };
    let t = Dual::constant(*t);
    // The velocity before the step does not change with its inputs.
    let before: S::Inputs<Number> = duals(before.as_ref(), None);
    let inputs: S::Inputs<Number> = duals(inputs.as_ref(), seed(nx, k));
    let mut moved = S::velocity(&parameters, &x.q, &x.nu, t, &before);
    // Runge–Kutta methods leave the constraints.
    moved.as_mut().iter_mut().zip(v.as_ref()).for_each(|(moved, &v)| moved.re = v);
    let v = moved;
    let lambda = duals(lambda.as_ref(), None);
    let state = method.state(&parameters, h, &x.q, (&v, &v), &lambda, &x.z, t).expect("a state");
    (parameters, nhi_runtime::Departure { state, inputs, t, h })
}

/// The derivatives of (x', λ') along the entry `index` of (x, u, p, h).
pub(crate) fn column<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    index: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (parameters, from) = moved(method, parameters, from, index);
    let nhi_runtime::Departure { state, inputs, t, h } = from;
    let prepared = method.prepare(&parameters, h).expect("prepared");
    let after = method.step(&prepared, &state, t, &inputs).expect("a step");
    let nu = S::quasi_velocity(&parameters, &after.q(), &after.v(), t + h, &inputs);
    let after_x = Reduced { q: after.q(), nu, z: after.z() };
    let value = |x: &[Number]| x.iter().map(|x| x.re).collect::<Vec<f64>>();
    let constant = Reduced {
        q: duals(&value(after_x.q.as_ref()), None),
        nu: duals(&value(after_x.nu.as_ref()), None),
        z: duals(&value(after_x.z.as_ref()), None),
    };
    let moved = S::difference::<Number>(&constant, &after_x);
    let derivatives = |x: &[Number]| x.iter().map(|x| x.eps[0]).collect::<Vec<f64>>();
    (derivatives(moved.as_ref()), derivatives(after.lambda().as_ref()))
}

/// The derivatives of wᵀA and wᵀB along all of (x, u), by columns.
fn columns_of_products<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
) -> Vec<Vec<f64>> {
    let w: S::Tangent<Number> = duals(w.as_ref(), None);
    let column = |index| {
        let (parameters, from) = moved(method, parameters, from, index);
        let pulled = method.pull_back(&parameters, &from, &w).expect("products");
        pulled.a.as_ref().iter().chain(pulled.b.as_ref()).map(|x| x.eps[0]).collect()
    };
    (0..w.as_ref().len() + S::INPUTS.len()).map(column).collect()
}

/// The second derivatives of w·x' for the step from there.
pub(crate) fn curvature<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
) -> CurvatureOf<S> {
    let Departure { x, v, lambda, inputs, t, h, .. } = from;
    let state = method.state(parameters, *h, &x.q, (v, v), lambda, &x.z, *t).expect("a state");
    let from = nhi_runtime::Departure { state, inputs: *inputs, t: *t, h: *h };
    method.curvature(parameters, &from, w).expect("second derivatives")
}

/// The largest error of the blocks of second derivatives relative to these, against those of `pull_back` in dual numbers.
/// Its products are in the frames of the poses: only the symmetric part of their derivatives does not depend on how these move.
pub(crate) fn error_of_curvature<S: Tangential, M: Differentiable<S>>(
    name: &str,
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
    found: &CurvatureOf<S>,
) -> f64 {
    let (nx, k) = (w.as_ref().len(), S::INPUTS.len());
    let columns = columns_of_products(method, parameters, from, w);
    let mut others = from.inputs;
    others.as_mut().iter_mut().for_each(|u| *u += 1.0);
    let drift = |inputs| S::basis(parameters, &from.x.q, from.t, inputs).v0;
    let is_driven = drift(&from.inputs) != drift(&others);
    let expected = |i: usize, j: usize| {
        // wᵀA contains ∂v₀/∂q of the inputs of the step, which moves with them here; wᵀB does not.
        if is_driven && i < nx && j >= nx { columns[i][j] } else { (columns[i][j] + columns[j][i]) / 2.0 }
    };
    let whole = columns.iter().flatten().fold(0.0, |norm: f64, x| norm.max(x.abs()));
    // What rounding of the arguments does.
    let mut last_bits = *parameters;
    last_bits.as_mut().iter_mut().for_each(|p| *p *= 1.0 + f64::EPSILON);
    let near = curvature(method, &last_bits, from, w);
    let mut worst = 0.0_f64;
    let mut compare = |what: &str, found: &[Vec<f64>], near: &[Vec<f64>], (row, column): (usize, usize)| {
        // A block that vanishes has the rounding errors of the others.
        let (mut norm, mut error, mut rounding) = (1e-3 * whole, 0.0_f64, 0.0_f64);
        for (i, (found, near)) in found.iter().zip(near).enumerate() {
            for (j, (found, near)) in found.iter().zip(near).enumerate() {
                let expected = expected(row + i, column + j);
                norm = norm.max(expected.abs());
                error = error.max((found - expected).abs());
                rounding = rounding.max((found - near).abs());
            }
        }
        assert!(error <= 1e-12 * norm + 10.0 * rounding, "{name}: {what} differs by {error:e} of {norm:e}");
        let relative = if error == 0.0 { 0.0 } else { error / norm };
        worst = worst.max(relative);
    };
    let (xx, xu, uu) = (rows(found.xx), rows(found.xu), rows(found.uu));
    assert_eq!((xx.len(), xu.len(), uu.len()), (nx, nx, k), "{name}");
    for (i, j) in (0..nx).flat_map(|i| (0..i).map(move |j| (i, j))) {
        assert_eq!(xx[i][j], xx[j][i], "{name}");
        assert!(i >= k || uu[i][j] == uu[j][i], "{name}");
    }
    compare("∂²/∂x²", &xx, &rows(near.xx), (0, 0));
    compare("∂²/∂x∂u", &xu, &rows(near.xu), (0, nx));
    compare("∂²/∂u²", &uu, &rows(near.uu), (nx, nx));
    worst
}

/// The entries of a matrix, row by row.
pub(crate) fn rows<R: AsRef<[f64]>>(matrix: impl AsRef<[R]>) -> Vec<Vec<f64>> {
    matrix.as_ref().iter().map(|row| row.as_ref().to_vec()).collect()
}

/// The largest relative error of the blocks, and of the products.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    pub blocks: f64,
    pub products: f64,
}

/// The derivatives of a step against dual numbers, block by block, and the products against the derivatives.
#[expect(clippy::too_many_arguments, reason = "everything that is compared")]
pub(crate) fn errors<S: Tangential, M: Differentiable<S>>(
    name: &str,
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    linear: &LinearizationOf<S>,
    by_parameters: &ParameterLinearizationOf<S>,
    w: &S::Tangent<f64>,
    pulled: &PulledBackOf<S>,
) -> Errors {
    let (nx, k, np) = (w.as_ref().len(), S::INPUTS.len(), S::PARAMETERS.len());
    let (a, b, c) = (rows(linear.a), rows(linear.b), rows(by_parameters.c));
    let (lambda_x, lambda_u) = (rows(linear.lambda_x), rows(linear.lambda_u));
    let h: Vec<Vec<f64>> = by_parameters.h.as_ref().iter().map(|&x| vec![x]).collect();
    assert_eq!((a.len(), b.len(), c.len(), lambda_x.len()), (nx, nx, nx, S::CONSTRAINTS.len()), "{name}");
    let columns = |first: usize, count: usize| -> Vec<(Vec<f64>, Vec<f64>)> {
        (first..first + count).map(|index| column(method, parameters, from, index)).collect()
    };
    let (of_x, of_u) = (columns(0, nx), columns(nx, k));
    let (of_p, of_h) = (columns(nx + k, np), columns(nx + k + np, 1));
    let mut errors = Errors::default();
    let mut compare = |what: &str, found: &[Vec<f64>], expected: Vec<&Vec<f64>>| {
        let mut norm = 0.0_f64;
        let mut error = 0.0_f64;
        for (i, row) in found.iter().enumerate() {
            assert_eq!(row.len(), expected.len(), "{name}: {what}");
            for (found, column) in row.iter().zip(&expected) {
                norm = norm.max(column[i].abs());
                error = error.max((found - column[i]).abs());
            }
        }
        let relative = if error == 0.0 { 0.0 } else { error / norm };
        assert!(relative <= 1e-12, "{name}: {what} differs by {error:e} of {norm:e}");
        errors.blocks = errors.blocks.max(relative);
    };
    let x = |all: &'_ [(Vec<f64>, Vec<f64>)]| all.iter().map(|(x, _)| x.clone()).collect::<Vec<_>>();
    let lambda = |all: &'_ [(Vec<f64>, Vec<f64>)]| all.iter().map(|(_, l)| l.clone()).collect::<Vec<_>>();
    compare("A", &a, x(&of_x).iter().collect());
    compare("B", &b, x(&of_u).iter().collect());
    compare("C", &c, x(&of_p).iter().collect());
    compare("∂x'/∂h", &h, x(&of_h).iter().collect());
    compare("∂λ'/∂x", &lambda_x, lambda(&of_x).iter().collect());
    compare("∂λ'/∂u", &lambda_u, lambda(&of_u).iter().collect());
    let products =
        [(&a, pulled.a.as_ref()), (&b, pulled.b.as_ref()), (&c, pulled.c.as_ref()), (&h, &[pulled.h])];
    for (matrix, products) in products {
        let terms = |j: usize| matrix.iter().zip(w.as_ref()).map(move |(row, w)| row[j] * w);
        let size = (0..products.len()).map(|j| terms(j).map(f64::abs).sum()).fold(0.0, f64::max);
        for (j, product) in products.iter().enumerate() {
            let error: f64 = terms(j).sum::<f64>() - product;
            let relative = if error == 0.0 { 0.0 } else { error.abs() / size };
            assert!(relative <= 1e-13, "{name}: a product differs by {error:e} of {size:e}");
            errors.products = errors.products.max(relative);
        }
    }
    errors
}

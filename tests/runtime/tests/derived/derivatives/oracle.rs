//! Derivatives of a step by dual numbers, which go through the iterations of Newton's method.

use nhi_runtime::{
    CurvatureOf, DepartureOf, Differentiable, Dual, LinearizationOf, ParameterLinearizationOf, PulledBack,
    PulledBackOf, Reduced, ReducedOf, Simulation, State, Tangential, Vector,
};

type Number = Dual<f64>;

/// A number in [−1, 1) from a linear congruence.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector<V: Vector<f64>>(&mut self, radius: f64) -> V {
        let mut vector = V::splat(0.0);
        vector.as_mut().iter_mut().for_each(|x| *x = radius * self.number());
        vector
    }
}

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

/// The first derivatives of a step, and their products with w.
pub(crate) struct First<S: Tangential> {
    pub linear: LinearizationOf<S>,
    pub by_parameters: ParameterLinearizationOf<S>,
    pub pulled: PulledBackOf<S>,
}

impl<S: Tangential> First<S> {
    /// Those of the step just taken.
    pub(crate) fn of<M: Differentiable<S>>(sim: &Simulation<S, M>, w: &S::Tangent<f64>) -> Self {
        First {
            linear: sim.linearize().expect("derivatives"),
            by_parameters: sim.linearize_parameters().expect("derivatives"),
            pulled: sim.pull_back(w).expect("products"),
        }
    }

    fn at<M: Differentiable<S>>(
        method: &M,
        parameters: &S::Parameters<f64>,
        from: &Departure<S>,
        w: &S::Tangent<f64>,
    ) -> Self {
        let from = begun(method, parameters, from);
        First {
            linear: method.linearize(parameters, &from).expect("derivatives"),
            by_parameters: method.linearize_parameters(parameters, &from).expect("derivatives"),
            pulled: method.pull_back(parameters, &from, w).expect("products"),
        }
    }
}

/// The second derivatives of w·x' for the step from there.
pub(crate) fn curvature<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
) -> CurvatureOf<S> {
    method.curvature(parameters, &begun(method, parameters, from), w).expect("second derivatives")
}

fn begun<S: Tangential, M: Differentiable<S>>(
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
) -> DepartureOf<S, M> {
    let Departure { x, v, lambda, inputs, t, h, .. } = from;
    let state = method.state(parameters, *h, &x.q, (v, v), lambda, &x.z, *t).expect("a state");
    nhi_runtime::Departure { state, inputs: *inputs, t: *t, h: *h }
}

/// The parameters with other last bits.
fn last_bits<S: Tangential>(parameters: &S::Parameters<f64>) -> S::Parameters<f64> {
    let mut others = *parameters;
    others.as_mut().iter_mut().for_each(|p| *p *= 1.0 + f64::EPSILON);
    others
}

/// The errors of the blocks of second derivatives against those of `pull_back` in dual numbers.
/// Its products are in the frames of the poses: only the symmetric part of their derivatives does not depend on how these move.
pub(crate) fn errors_of_curvature<S: Tangential, M: Differentiable<S>>(
    name: &str,
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
    found: &CurvatureOf<S>,
) -> [Block; 3] {
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
    let near = curvature(method, &last_bits::<S>(parameters), from, w);
    let compare = |what, found: &[Vec<f64>], near: &[Vec<f64>], (row, column): (usize, usize)| {
        // A block that vanishes has the rounding errors of the others.
        let mut block = Errors { norm: 1e-3 * whole, ..Errors::default() };
        for (i, (found, near)) in found.iter().zip(near).enumerate() {
            for (j, (&found, near)) in found.iter().zip(near).enumerate() {
                block.compare(found, expected(row + i, column + j), found - near);
            }
        }
        block.of(what)
    };
    let (xx, xu, uu) = (rows(found.xx), rows(found.xu), rows(found.uu));
    assert_eq!((xx.len(), xu.len(), uu.len()), (nx, nx, k), "{name}");
    for (i, j) in (0..nx).flat_map(|i| (0..i).map(move |j| (i, j))) {
        assert_eq!(xx[i][j], xx[j][i], "{name}");
        assert!(i >= k || uu[i][j] == uu[j][i], "{name}");
    }
    [
        compare("∂²/∂x²", &xx, &rows(near.xx), (0, 0)),
        compare("∂²/∂x∂u", &xu, &rows(near.xu), (0, nx)),
        compare("∂²/∂u²", &uu, &rows(near.uu), (nx, nx)),
    ]
}

/// The entries of a matrix, row by row.
pub(crate) fn rows<R: AsRef<[f64]>>(matrix: impl AsRef<[R]>) -> Vec<Vec<f64>> {
    matrix.as_ref().iter().map(|row| row.as_ref().to_vec()).collect()
}

/// What is compared.
pub(crate) struct Block {
    pub what: &'static str,
    /// The largest error, relative to the largest entry.
    pub error: f64,
    /// The largest change by the last bits of the parameters, relative to the same.
    pub rounding: f64,
}

#[derive(Default)]
struct Errors {
    norm: f64,
    error: f64,
    rounding: f64,
}

impl Errors {
    fn compare(&mut self, found: f64, expected: f64, change: f64) {
        self.norm = self.norm.max(expected.abs());
        self.error = self.error.max((found - expected).abs());
        self.rounding = self.rounding.max(change.abs());
    }

    fn of(self, what: &'static str) -> Block {
        let relative = |error: f64| if error == 0.0 { 0.0 } else { error / self.norm };
        Block { what, error: relative(self.error), rounding: relative(self.rounding) }
    }
}

/// The errors of the derivatives of a step: of the matrices by x and u, of those by p and h, both against dual numbers, and of the
/// products against the matrices, relative to the sum of the moduli of their terms.
pub(crate) fn errors<S: Tangential, M: Differentiable<S>>(
    name: &str,
    method: &M,
    parameters: &S::Parameters<f64>,
    from: &Departure<S>,
    w: &S::Tangent<f64>,
    found: &First<S>,
) -> ([Block; 4], [Block; 2], [Block; 4]) {
    let (nx, k, np) = (w.as_ref().len(), S::INPUTS.len(), S::PARAMETERS.len());
    let [here, near] =
        [*parameters, last_bits::<S>(parameters)].map(|parameters| First::at(method, &parameters, from, w));
    let matrices = |first: &First<S>| {
        let First { linear, by_parameters, .. } = first;
        let (a, b, c) = (rows(linear.a), rows(linear.b), rows(by_parameters.c));
        [a, b, rows(linear.lambda_x), rows(linear.lambda_u), c, as_column(by_parameters.h)]
    };
    let [found_matrices, here_matrices, near_matrices] = [found, &here, &near].map(matrices);
    let columns = |first: usize, count: usize| -> Vec<(Vec<f64>, Vec<f64>)> {
        (first..first + count).map(|index| column(method, parameters, from, index)).collect()
    };
    let (of_x, of_u) = (columns(0, nx), columns(nx, k));
    let (of_p, of_h) = (columns(nx + k, np), columns(nx + k + np, 1));
    let compare = |what, at: usize, expected: &[(Vec<f64>, Vec<f64>)], is_lambda: bool| {
        let (found, here, near) = (&found_matrices[at], &here_matrices[at], &near_matrices[at]);
        assert_eq!(found.len(), if is_lambda { S::CONSTRAINTS.len() } else { nx }, "{name}: {what}");
        let mut block = Errors::default();
        for (i, row) in found.iter().enumerate() {
            assert_eq!(row.len(), expected.len(), "{name}: {what}");
            for (j, (x, lambda)) in expected.iter().enumerate() {
                let expected = if is_lambda { lambda[i] } else { x[i] };
                block.compare(row[j], expected, here[i][j] - near[i][j]);
            }
        }
        block.of(what)
    };
    let products = |first: &First<S>| {
        let PulledBack { a, b, c, h } = &first.pulled;
        [a.as_ref().to_vec(), b.as_ref().to_vec(), c.as_ref().to_vec(), vec![*h]]
    };
    let [found_products, here_products, near_products] = [found, &here, &near].map(products);
    let compare_products = |(i, what, at): (usize, &'static str, usize)| {
        let matrix = &found_matrices[at];
        let mut block = Errors::default();
        for (j, product) in found_products[i].iter().enumerate() {
            let terms = || matrix.iter().zip(w.as_ref()).map(|(row, w)| row[j] * w);
            block.compare(*product, terms().sum(), here_products[i][j] - near_products[i][j]);
            block.norm = block.norm.max(terms().map(f64::abs).sum());
        }
        block.of(what)
    };
    (
        [
            compare("A", 0, &of_x, false),
            compare("B", 1, &of_u, false),
            compare("∂λ'/∂x", 2, &of_x, true),
            compare("∂λ'/∂u", 3, &of_u, true),
        ],
        [compare("C", 4, &of_p, false), compare("∂x'/∂h", 5, &of_h, false)],
        [(0, "wᵀA", 0), (1, "wᵀB", 1), (2, "wᵀC", 4), (3, "wᵀ∂x'/∂h", 5)].map(compare_products),
    )
}

/// A matrix of one column.
fn as_column(x: impl AsRef<[f64]>) -> Vec<Vec<f64>> {
    x.as_ref().iter().map(|&x| vec![x]).collect()
}

//! Random systems whose mass matrix is positive definite and whose one-forms are independent.

use super::recipe::{Random, Recipe};
use nhi_codegen::expr::group::Product;
use nhi_codegen::expr::{Expr, Function, Pool};
use nhi_codegen::system::{Constraint, Quantity, Source, System};
use nhi_tests::oracle::{Equations, Number};

/// What kind of mass matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mass {
    /// Diagonal, of numbers and parameters.
    Constant,
    /// Constant, with couplings.
    Coupled,
    /// Diagonal, of functions of q.
    Diagonal,
    /// Functions of q everywhere.
    Full,
}

/// What the work one-form depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Force {
    None,
    /// q, t and inputs.
    Held,
    /// Also v.
    Damped,
}

/// L = ½ Σ dᵢ vᵢ² + ½ Σ (rₖ·v)² + a·v − V, forms μ and μ₀, force f. Functions are of
/// q, v, parameters, t and inputs, in this order.
#[derive(Clone, Debug)]
pub(crate) struct RandomSystem {
    pub(crate) n: usize,
    pub(crate) m: usize,
    pub(crate) mass: Mass,
    pub(crate) force_kind: Force,
    pub(crate) gyroscopic: bool,
    pub(crate) parameters: Vec<f64>,
    diagonal: Vec<Recipe>,
    couplings: Vec<Vec<Recipe>>,
    a: Vec<Recipe>,
    potential: Recipe,
    mu: Vec<Vec<Recipe>>,
    mu_t: Vec<Recipe>,
    force: Vec<Recipe>,
}

const PARAMETERS: usize = 2;
pub(crate) const INPUTS: usize = 1;

impl RandomSystem {
    /// The larger the seed, the more coordinates.
    pub(crate) fn new(seed: u64) -> RandomSystem {
        let random = &mut Random(seed);
        let n = 2 + random.below(2 + (seed as usize / 16).min(2));
        let m = if random.one_in(6) { 0 } else { 1 + random.below(n - 1) };
        let q: Vec<usize> = (0..n).collect();
        let parameters: Vec<usize> = (2 * n..2 * n + PARAMETERS).collect();
        let both = [q.clone(), parameters.clone()].concat();
        let mass = [Mass::Constant, Mass::Coupled, Mass::Diagonal, Mass::Full][random.below(4)];
        let of = match mass {
            Mass::Constant | Mass::Coupled => Vec::new(),
            Mass::Diagonal | Mass::Full => both.clone(),
        };
        let diagonal = (0..n)
            .map(|_| {
                if random.one_in(3) {
                    Recipe::Variable(parameters[random.below(PARAMETERS)])
                } else {
                    Recipe::positive(random, &of)
                }
            })
            .collect();
        let couplings = match mass {
            Mass::Constant | Mass::Diagonal => Vec::new(),
            Mass::Coupled | Mass::Full => (0..1 + random.below(2))
                .map(|_| sparse(random, n, |random| Recipe::random(random, &of, 1)))
                .collect(),
        };
        let gyroscopic = random.one_in(3);
        let a = if gyroscopic {
            sparse(random, n, |random| Recipe::random(random, &both, 2))
        } else {
            vec![Recipe::zero(); n]
        };
        let affine = random.one_in(2);
        let force_kind = [Force::None, Force::Held, Force::Damped][random.below(3)];
        let held = [both.clone(), (2 * n + PARAMETERS..2 * n + PARAMETERS + 1 + INPUTS).collect()].concat();
        let damped = [held.clone(), (n..2 * n).collect()].concat();
        let force = match force_kind {
            Force::None => vec![Recipe::zero(); n],
            Force::Held => sparse(random, n, |random| Recipe::random(random, &held, 2)),
            Force::Damped => sparse(random, n, |random| Recipe::random(random, &damped, 2)),
        };
        let potential = Recipe::random(random, &both, 3);
        let (mu, mu_t) = forms(random, n, m, &both, affine);
        let parameters = (0..PARAMETERS).map(|_| 1.0 + 0.5 * random.number()).collect();
        RandomSystem {
            n,
            m,
            mass,
            force_kind,
            gyroscopic,
            parameters,
            diagonal,
            couplings,
            a,
            potential,
            mu,
            mu_t,
            force,
        }
    }

    /// A system with two one-forms or more, of which the first two are dependent where the returned coordinate is zero.
    pub(crate) fn nearly_dependent(seed: u64) -> (RandomSystem, usize) {
        let mut seed = 1000 * seed;
        let mut system = RandomSystem::new(seed);
        while system.m < 2 {
            seed += 1;
            system = RandomSystem::new(seed);
        }
        let k = Random(seed).below(system.n);
        let [first, second, ..] = &mut system.mu[..] else { unreachable!("two one-forms or more") };
        for (a, b) in first.iter().zip(second) {
            let sine = Recipe::Call(Function::Sin, Box::new(Recipe::Variable(k)));
            *b = Recipe::Sum(vec![a.clone(), Recipe::Product(vec![sine, b.clone()])]);
        }
        (system, k)
    }

    /// The declaration.
    pub(crate) fn declare(&self) -> System {
        let mut pool = Pool::new();
        let quantities = |pool: &mut Pool, name: &str, count: usize| -> Vec<Quantity> {
            (0..count)
                .map(|i| {
                    let name = format!("{name}{i}");
                    Quantity { symbol: pool.symbol(&name), name }
                })
                .collect()
        };
        let parameters = quantities(&mut pool, "c", PARAMETERS);
        let q = quantities(&mut pool, "q", self.n);
        let v: Vec<Expr> = q.iter().map(|q| pool.symbol(&format!("dot({})", q.name))).collect();
        let inputs = quantities(&mut pool, "u", INPUTS);
        let t = pool.symbol("t");
        let symbols: Vec<Expr> = q
            .iter()
            .map(|q| q.symbol)
            .chain(v.iter().copied())
            .chain(parameters.iter().map(|p| p.symbol))
            .chain([t])
            .chain(inputs.iter().map(|u| u.symbol))
            .collect();

        let mut terms = Vec::new();
        let half = pool.ratio(1, 2);
        for (d, &v) in self.diagonal.iter().zip(&v) {
            let (d, square) = (d.build(&mut pool, &symbols), pool.powi(v, 2));
            terms.push(pool.product(&[half, d, square]));
        }
        for row in &self.couplings {
            let along = contract(&mut pool, row, &v, &symbols);
            let square = pool.powi(along, 2);
            terms.push(pool.mul(half, square));
        }
        terms.push(contract(&mut pool, &self.a, &v, &symbols));
        let potential = self.potential.build(&mut pool, &symbols);
        terms.push(pool.neg(potential));
        let lagrangian = pool.sum(&terms);
        let constraints = (0..self.m)
            .map(|a| Constraint {
                position: None,
                label: format!("form {a}"),
                form: self.mu[a].iter().map(|r| r.build(&mut pool, &symbols)).collect(),
                dt: self.mu_t[a].build(&mut pool, &symbols),
            })
            .collect();
        let force = self.force.iter().map(|r| r.build(&mut pool, &symbols)).collect();
        System {
            has_singular_mass: false,
            name: "Random".into(),
            velocities: q
                .iter()
                .zip(v)
                .map(|(q, symbol)| Quantity { name: format!("dot({})", q.name), symbol })
                .collect(),
            coordinates: q,
            group: Product::default(),
            fields: parameters.iter().map(|parameter| (parameter.name.clone(), None)).collect(),
            parameters,
            inputs,
            states: Vec::new(),
            t,
            lagrangian,
            constraints,
            force,
            multipliers: Vec::new(),
            tables: Vec::new(),
            dynamics: Vec::new(),
            definitions: Vec::new(),
            methods: Vec::new(),
            bodies: Vec::new(),
            differentiated: Vec::new(),
            source: Source::default(),
            pool,
        }
    }

    fn variables<D: Number>(&self, q: &[D], v: &[D], rest: impl IntoIterator<Item = f64>) -> Vec<D> {
        let numbers = self.parameters.iter().copied().chain(rest).map(D::from);
        q.iter().chain(v).copied().chain(numbers).collect()
    }
}

impl Equations for RandomSystem {
    fn lagrangian<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let x = self.variables(q, v, []);
        let mut l = -self.potential.evaluate(&x);
        for (d, &v) in self.diagonal.iter().zip(v) {
            l += d.evaluate(&x) * v * v * 0.5;
        }
        for row in &self.couplings {
            let along = along(row, v, &x);
            l += along * along * 0.5;
        }
        l + along(&self.a, v, &x)
    }

    fn constraints<D: Number>(&self, q: &[D], v: &[D]) -> Vec<D> {
        let x = self.variables(q, v, []);
        self.mu.iter().zip(&self.mu_t).map(|(row, dt)| along(row, v, &x) + dt.evaluate(&x)).collect()
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, inputs: &[f64]) -> Vec<f64> {
        let x = self.variables(q, v, [t].into_iter().chain(inputs.iter().copied()));
        self.force.iter().map(|r| r.evaluate(&x)).collect()
    }
}

/// Σ rᵢ vᵢ.
fn along<D: Number>(row: &[Recipe], v: &[D], x: &[D]) -> D {
    row.iter().zip(v).fold(D::from(0.0), |sum, (r, &v)| sum + r.evaluate(x) * v)
}

fn contract(pool: &mut Pool, row: &[Recipe], v: &[Expr], symbols: &[Expr]) -> Expr {
    let terms: Vec<Expr> = row
        .iter()
        .zip(v)
        .map(|(r, &v)| {
            let r = r.build(pool, symbols);
            pool.mul(r, v)
        })
        .collect();
    pool.sum(&terms)
}

/// `n` functions, some of them zero.
fn sparse(random: &mut Random, n: usize, entry: impl Fn(&mut Random) -> Recipe) -> Vec<Recipe> {
    (0..n).map(|_| if random.one_in(3) { Recipe::zero() } else { entry(random) }).collect()
}

/// Forms that are triangular in some of the coordinates, with a positive diagonal.
fn forms(
    random: &mut Random,
    n: usize,
    m: usize,
    variables: &[usize],
    affine: bool,
) -> (Vec<Vec<Recipe>>, Vec<Recipe>) {
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..n {
        order.swap(i, i + random.below(n - i));
    }
    let mut mu = Vec::new();
    let mut mu_t = Vec::new();
    for a in 0..m {
        let mut row = sparse(random, n, |random| Recipe::random(random, variables, 2));
        for &pivot in &order[..a] {
            row[pivot] = Recipe::zero();
        }
        row[order[a]] =
            if random.one_in(2) { Recipe::Number(1, 1) } else { Recipe::positive(random, variables) };
        mu.push(row);
        let dt = affine && random.one_in(2);
        mu_t.push(if dt { Recipe::random(random, variables, 2) } else { Recipe::zero() });
    }
    (mu, mu_t)
}

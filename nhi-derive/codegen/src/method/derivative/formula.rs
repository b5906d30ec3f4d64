//! Functions of a state, with their derivatives in its tangent coordinates: what is measured of a motion, and costs.
//!
//! A function y(q, v, z, t, u; p) is one of x = (q, ν, z) by v = X(q) ν + v₀(q, t). With this inserted, its derivatives are those
//! of an expression. Along a pose, which moves by g exp(η), entries have the derivatives of the anchor, and the second
//! derivatives along (ηᵢ, ηⱼ) are those of both orders, halved.

use super::coordinates::Coordinates;
use super::{array, output, system_programs};
use crate::expr::linear::Matrix;
use crate::expr::{Expr, Pool};
use crate::functions::OfState;
use crate::mechanics::Mechanics;
use crate::method::builder::Builder;
use crate::program::{Binding, Derivative, Program, Role, lets};
use std::collections::HashMap;

/// Functions of a state, in a pool of their own.
#[derive(Clone, Debug)]
pub struct FormulaPrograms {
    /// Owner of the expressions.
    pub pool: Pool,
    /// The functions with their derivatives.
    pub programs: OfState<Program>,
}

/// Directions along which expressions are differentiated.
struct Directions {
    /// Entries of q.
    q: Vec<Expr>,
    /// Their derivatives along the directions of q.
    anchor: Matrix,
    /// The other variables.
    others: Vec<Expr>,
}

impl Directions {
    fn along(&self, pool: &mut Pool, e: Expr) -> Vec<Expr> {
        let variables = [&self.q[..], &self.others].concat();
        let gradient = pool.gradient(e, &variables);
        let (by_q, others) = gradient.split_at(self.q.len());
        let directions = self.anchor.first().map_or(0, Vec::len);
        let mut along = Vec::with_capacity(directions + others.len());
        for i in 0..directions {
            let rows = by_q.iter().zip(&self.anchor);
            let terms: Vec<Expr> = rows.map(|(&by, row)| pool.mul(by, row[i])).collect();
            along.push(pool.sum(&terms));
        }
        along.extend(others);
        along
    }
}

/// The `values`, expressions of another pool whose symbols have the names of those of the system.
pub fn formula_programs(x: &Mechanics, from: &Pool, values: &[Expr]) -> FormulaPrograms {
    let mut x = x.clone();
    let values = x.system.pool.adopted(from, values);
    let (q, v, z, t) = (x.q.clone(), x.v.clone(), x.z.clone(), x.system.t);
    let (inputs, parameters, anchor) = (x.system.input_symbols(), x.parameters(), x.anchor.clone());
    let arguments = [Role::Configuration, Role::States, Role::Time, Role::Inputs];
    let mut arguments = arguments.map(|role| system_programs::named_input(&x, role)).to_vec();
    let mut b = Builder::new(&mut x);
    let frame = Coordinates::of(&mut b).at(&mut b, &q, t);
    let nu = b.locals("nu", frame.basis.len());
    let w = b.locals("w", values.len());
    let velocity = frame.velocity(&mut b, &nu);
    let statements = b.finish();
    arguments.insert(0, array(Role::Parameters, parameters.clone(), Binding::Step));
    arguments.insert(2, array(Role::QuasiVelocity, nu.clone(), Binding::Step));

    let pool = &mut x.system.pool;
    let mut known: HashMap<Expr, Expr> = HashMap::new();
    for (symbol, value) in lets(&statements) {
        let value = pool.substitute(&[value], &known)[0];
        known.insert(symbol, value);
    }
    let velocity = pool.substitute(&velocity, &known);
    let values = pool.substitute(&values, &v.into_iter().zip(velocity).collect());

    let moving = [&nu[..], &z, &inputs].concat();
    let of = |others: Vec<Expr>| Directions { q: q.clone(), anchor: anchor.clone(), others };
    let all = of([&moving[..], &parameters].concat());
    let rows: Matrix = values.iter().map(|&value| all.along(pool, value)).collect();
    let size = rows.first().map_or(0, Vec::len) - inputs.len() - parameters.len();
    let columns = |from: usize, to: usize| rows.iter().flat_map(|row| row[from..to].to_vec()).collect();
    let (with_inputs, end) = (size + inputs.len(), size + inputs.len() + parameters.len());
    let linear = vec![
        output(Derivative::X, columns(0, size)),
        output(Derivative::U, columns(size, with_inputs)),
        output(Derivative::P, columns(with_inputs, end)),
    ];

    let weighted: Vec<Expr> = values.iter().zip(&w).map(|(&value, &w)| pool.mul(w, value)).collect();
    let sum = pool.sum(&weighted);
    let state = of(moving);
    let first = state.along(pool, sum);
    let second: Matrix = first.iter().map(|&slope| state.along(pool, slope)).collect();
    let half = pool.ratio(1, 2);
    let mut matrix = Vec::with_capacity(first.len() * first.len());
    for (i, row) in second.iter().enumerate() {
        for (&entry, mirrored) in row.iter().zip(&second) {
            let both = pool.add(entry, mirrored[i]);
            matrix.push(pool.mul(half, both));
        }
    }

    let program = |name: &str, outputs| Program {
        name: name.into(),
        doc: Vec::new(),
        inputs: arguments.clone(),
        body: Vec::new(),
        outputs,
    };
    let mut curvature = program("curvature", vec![output(Derivative::Xu, matrix)]);
    curvature.inputs.push(array(Role::Covector, w, Binding::Step));
    let value = program("value", vec![output(Derivative::Value, values)]);
    let programs = OfState { value, linearize: program("linearize", linear), curvature };
    FormulaPrograms { pool: x.system.pool, programs }
}

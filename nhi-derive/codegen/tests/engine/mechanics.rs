//! What the engines make of the matrices that mechanics asks them to simplify.

use crate::engines;
use nhi_codegen::expr::{Expr, Function, Pool};

/// Builds matrices of expressions.
struct Matrices {
    pool: Pool,
}

type Matrix = Vec<Vec<Expr>>;

impl Matrices {
    fn new() -> Self {
        Matrices { pool: Pool::new() }
    }

    fn symbols<const N: usize>(&mut self, names: [&str; N]) -> [Expr; N] {
        names.map(|n| self.pool.symbol(n))
    }

    fn sin(&mut self, x: Expr) -> Expr {
        self.pool.call(Function::Sin, x)
    }

    fn cos(&mut self, x: Expr) -> Expr {
        self.pool.call(Function::Cos, x)
    }

    fn multiply(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let row = |pool: &mut Pool, r: &Vec<Expr>| -> Vec<Expr> {
            (0..b[0].len())
                .map(|j| {
                    let terms: Vec<Expr> = r.iter().zip(b).map(|(&x, row)| pool.mul(x, row[j])).collect();
                    pool.sum(&terms)
                })
                .collect()
        };
        a.iter().map(|r| row(&mut self.pool, r)).collect()
    }

    fn transpose(a: &Matrix) -> Matrix {
        (0..a[0].len()).map(|j| a.iter().map(|r| r[j]).collect()).collect()
    }

    fn determinant2(&mut self, a: &Matrix) -> Expr {
        let main = self.pool.mul(a[0][0], a[1][1]);
        let side = self.pool.mul(a[0][1], a[1][0]);
        self.pool.sub(main, side)
    }

    fn show(&self, e: Expr) -> String {
        self.pool.show(e).to_string()
    }
}

/// Snakeboard: C = μ M⁻¹ μᵀ with both constraint forms, from the inertia tensor of the literature.
fn snakeboard(m: &mut Matrices) -> Matrix {
    let [phi, theta, mass, l, inertia, j] = m.symbols(["phi", "theta", "m", "l", "I", "J"]);
    let pool = &mut m.pool;
    let zero = pool.zero();
    // Inverse of [[I, I], [I, m l²]] in (ψ, θ), 1/(2 J) in φ and 1/m in (x, y).
    let l2 = pool.powi(l, 2);
    let ml2 = pool.mul(mass, l2);
    let difference = pool.sub(ml2, inertia);
    let i_det = pool.mul(inertia, difference);
    let m00 = pool.div(ml2, i_det);
    let m02 = pool.recip(difference);
    let m02_neg = pool.neg(m02);
    let two_j = pool.scale(num_rational::BigRational::from_integer(2.into()), j);
    let m11 = pool.recip(two_j);
    let m33 = pool.recip(mass);
    let inverse = vec![
        vec![m00, zero, m02_neg, zero, zero],
        vec![zero, m11, zero, zero, zero],
        vec![m02_neg, zero, m02, zero, zero],
        vec![zero, zero, zero, m33, zero],
        vec![zero, zero, zero, zero, m33],
    ];
    let plus = m.pool.add(theta, phi);
    let minus = m.pool.sub(theta, phi);
    let c = m.cos(phi);
    let lc = m.pool.mul(l, c);
    let mut mu = Vec::new();
    for (angle, sign) in [(plus, -1), (minus, 1)] {
        let (s, c) = (m.sin(angle), m.cos(angle));
        let s = m.pool.neg(s);
        let lc = if sign < 0 { m.pool.neg(lc) } else { lc };
        mu.push(vec![zero, zero, lc, s, c]);
    }
    let half = m.multiply(&mu, &inverse);
    m.multiply(&half, &Matrices::transpose(&mu))
}

#[test]
fn try_it() {
    for mut engine in engines() {
        let mut m = Matrices::new();
        let c = snakeboard(&mut m);
        let det = m.determinant2(&c);
        for e in [c[0][0], c[0][1], c[1][0], c[1][1], det] {
            let start = std::time::Instant::now();
            let s = engine.simplify(&mut m.pool, &[e]).unwrap();
            println!("{} -> {}   {:?}", m.show(e), m.show(s[0]), start.elapsed());
        }
        let all = [c[0][0], c[0][1], c[1][0], c[1][1], det];
        let s = engine.simplify(&mut m.pool, &all).unwrap();
        println!("batch {:?}", s.iter().map(|&e| m.show(e)).collect::<Vec<_>>());
    }
}

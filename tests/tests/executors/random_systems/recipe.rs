//! Random smooth functions, as expressions of a pool and as Rust functions of any numbers.

use nhi_codegen::expr::{Expr, Function, Pool};
use nhi_tests::oracle::Number;

/// A function of the variables of a system.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    Number(i64, i64),
    Variable(usize),
    Sum(Vec<Recipe>),
    Product(Vec<Recipe>),
    Call(Function, Box<Recipe>),
    /// sqrt(1 + x²)
    Hypotenuse(Box<Recipe>),
    /// 1/(2 + x²)
    Bell(Box<Recipe>),
    Square(Box<Recipe>),
    /// A positive base and any exponent.
    Power(Box<Recipe>, Box<Recipe>),
    Atan2(Box<Recipe>, Box<Recipe>),
}

/// Functions of all numbers.
const ENTIRE: [Function; 7] = [
    Function::Sin,
    Function::Cos,
    Function::Sinh,
    Function::Cosh,
    Function::Tanh,
    Function::Atan,
    Function::Exp,
];

impl Recipe {
    pub(crate) fn zero() -> Recipe {
        Recipe::Number(0, 1)
    }

    /// Products of sines and cosines of angles, as rigid bodies have them.
    fn trigonometric(random: &mut Random, variables: &[usize]) -> Recipe {
        let wave = |random: &mut Random| {
            let mut angle = vec![Recipe::Variable(variables[random.below(variables.len())])];
            if random.one_in(3) {
                let other = Recipe::Variable(variables[random.below(variables.len())]);
                let factor = Recipe::Number([-1, 1, 2][random.below(3)], 1);
                angle.push(Recipe::Product(vec![factor, other]));
            }
            let function = [Function::Sin, Function::Cos][random.below(2)];
            Recipe::Call(function, Box::new(Recipe::Sum(angle)))
        };
        let mut factors = vec![Recipe::Number([-1, 1, 2][random.below(3)], 1 + random.below(2) as i64)];
        for _ in 0..1 + random.below(2) {
            factors.push(wave(random));
        }
        Recipe::Product(factors)
    }

    /// A function of some of `variables`.
    pub(crate) fn random(random: &mut Random, variables: &[usize], depth: usize) -> Recipe {
        let part = |random: &mut Random| Box::new(Recipe::random(random, variables, depth.saturating_sub(1)));
        if depth == 0 || variables.is_empty() {
            return if variables.is_empty() || random.one_in(5) {
                Recipe::Number(random.below(7) as i64 - 3, 2 + random.below(3) as i64)
            } else {
                Recipe::Variable(variables[random.below(variables.len())])
            };
        }
        match random.below(16) {
            0 | 1 => Recipe::Sum(vec![*part(random), *part(random)]),
            2 | 3 => Recipe::Product(vec![*part(random), *part(random)]),
            4 => Recipe::Hypotenuse(part(random)),
            5 => Recipe::Bell(part(random)),
            6 => Recipe::Square(part(random)),
            7 => Recipe::Atan2(part(random), Box::new(Recipe::positive(random, variables))),
            8 => {
                let exponent = Recipe::Number(2 * random.below(4) as i64 - 3, 2);
                Recipe::Power(Box::new(Recipe::positive(random, variables)), Box::new(exponent))
            }
            9 => Recipe::Call(Function::Ln, Box::new(Recipe::positive(random, variables))),
            10 => Recipe::Call(ENTIRE[random.below(ENTIRE.len())], part(random)),
            _ => Recipe::trigonometric(random, variables),
        }
    }

    /// A function that is positive everywhere.
    pub(crate) fn positive(random: &mut Random, variables: &[usize]) -> Recipe {
        let inner = Recipe::random(random, variables, 1);
        match random.below(5) {
            _ if variables.is_empty() => Recipe::Number(2 + random.below(5) as i64, 3),
            4 => {
                let base = Recipe::Sum(vec![Recipe::Number(3, 2), Recipe::Square(Box::new(inner))]);
                Recipe::Power(
                    Box::new(base),
                    Box::new(Recipe::Variable(variables[random.below(variables.len())])),
                )
            }
            0 => Recipe::Sum(vec![Recipe::Number(2, 1), Recipe::Call(Function::Sin, Box::new(inner))]),
            1 => Recipe::Hypotenuse(Box::new(inner)),
            2 => Recipe::Sum(vec![Recipe::Number(3, 2), Recipe::Square(Box::new(inner))]),
            _ => Recipe::Sum(vec![Recipe::Number(1, 1), Recipe::Bell(Box::new(inner))]),
        }
    }

    pub(crate) fn evaluate<D: Number>(&self, x: &[D]) -> D {
        match self {
            Recipe::Number(n, d) => D::from(*n as f64 / *d as f64),
            Recipe::Variable(i) => x[*i],
            Recipe::Sum(r) => r.iter().fold(D::from(0.0), |sum, r| sum + r.evaluate(x)),
            Recipe::Product(r) => r.iter().fold(D::from(1.0), |product, r| product * r.evaluate(x)),
            Recipe::Call(f, r) => {
                let y = r.evaluate(x);
                match f {
                    Function::Sin => y.sin(),
                    Function::Cos => y.cos(),
                    Function::Sinh => y.sinh(),
                    Function::Cosh => y.cosh(),
                    Function::Ln => y.ln(),
                    Function::Tanh => y.tanh(),
                    Function::Atan => y.atan(),
                    Function::Exp => y.exp(),
                    other => unreachable!("{other:?} is not among the functions"),
                }
            }
            Recipe::Hypotenuse(r) => {
                let y = r.evaluate(x);
                (y * y + 1.0).sqrt()
            }
            Recipe::Bell(r) => {
                let y = r.evaluate(x);
                (y * y + 2.0).recip()
            }
            Recipe::Square(r) => {
                let y = r.evaluate(x);
                y * y
            }
            Recipe::Power(b, e) => (b.evaluate(x).ln() * e.evaluate(x)).exp(),
            // Of a positive second argument.
            Recipe::Atan2(a, b) => (a.evaluate(x) / b.evaluate(x)).atan(),
        }
    }

    pub(crate) fn build(&self, pool: &mut Pool, x: &[Expr]) -> Expr {
        let all =
            |pool: &mut Pool, r: &[Recipe]| -> Vec<Expr> { r.iter().map(|r| r.build(pool, x)).collect() };
        match self {
            Recipe::Number(n, d) => pool.ratio(*n, *d),
            Recipe::Variable(i) => x[*i],
            Recipe::Sum(r) => {
                let terms = all(pool, r);
                pool.sum(&terms)
            }
            Recipe::Product(r) => {
                let factors = all(pool, r);
                pool.product(&factors)
            }
            Recipe::Call(f, r) => {
                let y = r.build(pool, x);
                pool.call(*f, y)
            }
            Recipe::Hypotenuse(r) => {
                let (y, one) = (r.build(pool, x), pool.one());
                let square = pool.powi(y, 2);
                let sum = pool.add(square, one);
                pool.sqrt(sum)
            }
            Recipe::Bell(r) => {
                let (y, two) = (r.build(pool, x), pool.int(2));
                let square = pool.powi(y, 2);
                let sum = pool.add(square, two);
                pool.recip(sum)
            }
            Recipe::Square(r) => {
                let y = r.build(pool, x);
                pool.powi(y, 2)
            }
            Recipe::Power(b, e) => {
                let (b, e) = (b.build(pool, x), e.build(pool, x));
                pool.pow(b, e)
            }
            Recipe::Atan2(a, b) => {
                let (a, b) = (a.build(pool, x), b.build(pool, x));
                pool.atan2(a, b)
            }
        }
    }
}

/// Random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// In (-1, 1).
    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

//! Which expressions are numbers and which are vectors, and where each may stand.

use super::ast::{Ast, Kind, Name};
use super::error::Error;
use super::functions;
use super::names::{ENERGY, Meaning, Resolver};

/// The shape of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Number,
    /// Three components.
    Vector,
    /// The rotation matrix of a pose or its transpose.
    Matrix,
}

impl Shape {
    /// "this is a vector"
    pub(crate) fn article(self) -> &'static str {
        match self {
            Shape::Number => "a number",
            Shape::Vector => "a vector",
            Shape::Matrix => "a matrix",
        }
    }

    pub(crate) fn plural(self) -> &'static str {
        match self {
            Shape::Number => "numbers",
            Shape::Vector => "vectors",
            Shape::Matrix => "matrices",
        }
    }
}

/// Help where a matrix stands in the wrong place.
const MATRIX: &str = "a matrix stands before a vector, as in `R*w` or `transpose(R)*w`";
/// Help where a vector is needed.
const VECTOR: &str = "vectors are written `[a, b, c]`";

impl Resolver<'_> {
    /// The shape of an expression. Vectors in the wrong places are reported; after these and other mistakes there is
    /// none.
    pub(crate) fn shape(&mut self, ast: &Ast) -> Option<Shape> {
        match &ast.kind {
            Kind::Number { .. } => Some(Shape::Number),
            Kind::Name(name) => self.shape_of_name(name, 0),
            Kind::Indexed(name, indices) => self.shape_of_name(&name.text, indices.len()),
            Kind::Paren(inner) | Kind::Neg(inner) => self.shape(inner),
            Kind::Sum(terms) => self.shape_of_sum(terms),
            Kind::Product(factors) => self.shape_of_product(factors),
            Kind::Power(base, exponent) => {
                let base = self.numbers_with(base, |shape, error| match shape {
                    Shape::Vector => error.help("the square of its length is `norm2(v)`"),
                    _ => error,
                });
                let exponent = self.number(exponent);
                (base && exponent).then_some(Shape::Number)
            }
            Kind::Call(function, arguments) => self.shape_of_call(function, arguments),
            Kind::Loop(_, body) => {
                let shape = self.number_or_vector(body)?;
                if shape == Shape::Vector {
                    self.vector_sums.insert(ast);
                }
                Some(shape)
            }
            Kind::Choice(all) => self.all_numbers(&**all).then_some(Shape::Number),
            Kind::Vector(components) => self.all_numbers(components).then_some(Shape::Vector),
        }
    }

    /// Whether an expression is a number; otherwise that is reported.
    pub(crate) fn number(&mut self, ast: &Ast) -> bool {
        self.numbers_with(ast, |_, error| error)
    }

    /// Whether an expression is a number or a vector, and which.
    pub(crate) fn number_or_vector(&mut self, ast: &Ast) -> Option<Shape> {
        let shape = self.shape(ast)?;
        if shape == Shape::Matrix {
            return self.mismatch(not_a_number(ast, shape));
        }
        Some(shape)
    }

    fn numbers_with(&mut self, ast: &Ast, help: impl FnOnce(Shape, Error) -> Error) -> bool {
        match self.shape(ast) {
            None => false,
            Some(Shape::Number) => true,
            Some(shape) => {
                let error = help(shape, not_a_number(ast, shape));
                self.mismatch(error).is_some()
            }
        }
    }

    fn all_numbers(&mut self, list: &[Ast]) -> bool {
        let mut all = true;
        for ast in list {
            all &= self.number(ast);
        }
        all
    }

    fn mismatch(&mut self, error: Error) -> Option<Shape> {
        self.error(error);
        None
    }

    /// The shape of a name with so many indices; none if it cannot have them.
    fn shape_of_name(&self, name: &str, indices: usize) -> Option<Shape> {
        if self.is_loop_variable(name) || matches!(name, "pi" | "t" | "dt") {
            return Some(Shape::Number);
        }
        if let Some(Meaning::Let(i)) = self.scope.meaning(name) {
            let shape = self.lets[i]?.shape?;
            let definition = self.scope.definition(i);
            return match (shape, indices) {
                (shape, given) if given == definition.indices => Some(shape),
                (Shape::Vector, given) if given == definition.indices + 1 => Some(Shape::Number),
                (Shape::Number, 0) if definition.has_three_entries() => Some(Shape::Vector),
                _ => None,
            };
        }
        if name == ENERGY && self.scope.lengths(name).is_none() {
            return Some(Shape::Number);
        }
        match (self.scope.lengths(name)?.as_slice(), indices) {
            ([], 0) | ([_], 1) | ([_, _], 2) => Some(Shape::Number),
            ([3], 0) => Some(Shape::Vector),
            ([3, 3], 0) => Some(Shape::Matrix),
            _ => None,
        }
    }

    fn shape_of_sum(&mut self, terms: &[(bool, Ast)]) -> Option<Shape> {
        let mut first: Option<Shape> = None;
        let mut sound = true;
        for (_, term) in terms {
            let Some(shape) = self.number_or_vector(term) else {
                sound = false;
                continue;
            };
            match first {
                None => first = Some(shape),
                Some(first) if first == shape => {}
                Some(Shape::Number) => {
                    self.error(not_a_number(term, shape));
                    sound = false;
                }
                Some(_) => {
                    self.error(
                        Error::new(term.at, "this is a number, but the terms before it are vectors")
                            .help(VECTOR),
                    );
                    sound = false;
                }
            }
        }
        first.filter(|_| sound)
    }

    fn shape_of_product(&mut self, factors: &[(bool, Ast)]) -> Option<Shape> {
        let mut product = Some(Shape::Number);
        for (divide, factor) in factors {
            let Some(shape) = self.shape(factor) else {
                product = None;
                continue;
            };
            let Some(before) = product else { continue };
            product = match (before, shape) {
                (before, Shape::Number) => Some(before),
                _ if *divide => {
                    let message = format!("this is {}, and only numbers can divide", shape.article());
                    self.mismatch(Error::new(factor.at, message))
                }
                (Shape::Number, shape) => Some(shape),
                (Shape::Matrix, Shape::Vector) => Some(Shape::Vector),
                (Shape::Vector, Shape::Vector) => self.mismatch(
                    Error::new(factor.at, "a vector cannot be multiplied by a vector with `*`")
                        .help("products of vectors are `dot(a, b)` and `cross(a, b)`"),
                ),
                (_, Shape::Matrix) => self.mismatch(
                    Error::new(factor.at, format!("{} cannot be multiplied by a matrix", before.article()))
                        .help(MATRIX),
                ),
            };
        }
        product
    }

    fn shape_of_call(&mut self, function: &Name, arguments: &[Ast]) -> Option<Shape> {
        match (function.text.as_str(), arguments) {
            ("dot" | "d", [argument]) => self.number_or_vector(argument),
            ("dot", [_, _]) => self.all_vectors(function, arguments).then_some(Shape::Number),
            ("table", [x, _, _]) => self.number(x).then_some(Shape::Number),
            ("lambda", [_]) => Some(Shape::Number),
            ("cross", [_, _]) => self.all_vectors(function, arguments).then_some(Shape::Vector),
            ("norm2", [_]) => self.all_vectors(function, arguments).then_some(Shape::Number),
            ("transpose", [argument]) => match self.shape(argument)? {
                Shape::Matrix => Some(Shape::Matrix),
                shape => {
                    let message = format!("this is {}, and `transpose` takes a matrix", shape.article());
                    self.mismatch(
                        Error::new(argument.at, message)
                            .help("the matrix is the `R` of a pose: `transpose(R)*w`"),
                    )
                }
            },
            // Not a function, or one with too few or too many arguments, which is reported.
            (name, _) if !functions::names().contains(&name) => None,
            ("dot" | "d" | "cross" | "norm2" | "transpose" | "lambda", _) => None,
            _ => self.all_numbers(arguments).then_some(Shape::Number),
        }
    }

    /// Whether the arguments of a function of vectors are vectors.
    fn all_vectors(&mut self, function: &Name, arguments: &[Ast]) -> bool {
        let mut sound = true;
        for argument in arguments {
            match self.shape(argument) {
                Some(Shape::Vector) => {}
                None => sound = false,
                Some(shape) => {
                    sound = false;
                    let takes = if function.text == "norm2" { "a vector" } else { "two vectors" };
                    let message =
                        format!("this is {}, and `{}` takes {takes}", shape.article(), function.text);
                    self.error(Error::new(argument.at, message).help(match shape {
                        Shape::Matrix => MATRIX,
                        _ => VECTOR,
                    }));
                }
            }
        }
        sound
    }
}

/// The name that an expression consists of.
fn name_of(ast: &Ast) -> Option<&str> {
    match &ast.kind {
        Kind::Name(name) => Some(name),
        Kind::Paren(inner) => name_of(inner),
        _ => None,
    }
}

/// An error about a vector or matrix where a number is needed.
fn not_a_number(ast: &Ast, shape: Shape) -> Error {
    match (shape, name_of(ast)) {
        (Shape::Matrix, Some(name)) => Error::new(ast.at, format!("`{name}` is a matrix, 3 by 3"))
            .help(format!("write `{name}[0][0]` for an entry; {MATRIX}")),
        (Shape::Matrix, None) => Error::new(ast.at, "this is a matrix").help(MATRIX),
        (_, Some(name)) => Error::new(ast.at, format!("`{name}` is a vector, and a number is needed here"))
            .help(format!("write `{name}[0]` for a component")),
        (_, None) => Error::new(ast.at, "this is a vector, and a number is needed here"),
    }
}

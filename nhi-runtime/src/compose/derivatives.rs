//! Derivatives of composed steps, by the chain rule over the parts.

use super::Compose;
use crate::derivatives::no_curvature;
use crate::system::Rows;
use crate::{
    Curvature, CurvatureOf, Departure, DepartureOf, Differentiable, Failure, Linearization, LinearizationOf,
    Method, ParameterLinearization, ParameterLinearizationOf, PulledBack, PulledBackOf, Scalar, Steady,
    Symmetric, Vector,
};

/// Adds the product of the matrices `a` and `b`, given by rows.
fn add_product<T: Scalar, C: Vector<T>>(to: &mut [C], a: &[impl AsRef<[T]>], b: &[C]) {
    for (to, row) in to.iter_mut().zip(a) {
        for (&a, b) in row.as_ref().iter().zip(b) {
            add(to, a, b);
        }
    }
}

/// Adds the product of the transpose of `a` and `b`.
fn add_transposed_product<T: Scalar, C: Vector<T>>(to: &mut [C], a: &[impl AsRef<[T]>], b: &[C]) {
    for (row, b) in a.iter().zip(b) {
        for (to, &a) in to.iter_mut().zip(row.as_ref()) {
            add(to, a, b);
        }
    }
}

/// Makes a matrix that is symmetric but for rounding symmetric.
fn mirror<T: Scalar>(matrix: &mut [impl AsMut<[T]> + AsRef<[T]>]) {
    for i in 1..matrix.len() {
        let (above, below) = matrix.split_at_mut(i);
        for (above, entry) in above.iter().zip(below[0].as_mut()) {
            *entry = above.as_ref()[i];
        }
    }
}

/// Adds the product of a matrix and a vector.
fn add_applied<T: Scalar, C: Vector<T>>(to: &mut C, a: &[C], x: &C) {
    for (to, row) in to.as_mut().iter_mut().zip(a) {
        for (&a, &x) in row.as_ref().iter().zip(x.as_ref()) {
            *to = *to + a * x;
        }
    }
}

/// Adds a multiple of a vector.
fn add<T: Scalar, C: Vector<T>>(to: &mut C, factor: T, x: &C) {
    for (to, &x) in to.as_mut().iter_mut().zip(x.as_ref()) {
        *to = *to + factor * x;
    }
}

/// Derivatives of the first substeps, followed by one that has the derivatives `next`.
fn chained<S: Steady, T: Scalar>(
    first: &LinearizationOf<S, T>,
    next: &LinearizationOf<S, T>,
) -> LinearizationOf<S, T> {
    let none = S::Tangent::splat(T::from_f64(0.0));
    let (mut a, mut b) = (<S::Tangent<T> as Rows>::rows(none), next.b);
    add_product(a.as_mut(), next.a.as_ref(), first.a.as_ref());
    add_product(b.as_mut(), next.a.as_ref(), first.b.as_ref());
    let (mut lambda_x, mut lambda_u) = (<S::Multipliers<T> as Rows>::rows(none), next.lambda_u);
    add_product(lambda_x.as_mut(), next.lambda_x.as_ref(), first.a.as_ref());
    add_product(lambda_u.as_mut(), next.lambda_x.as_ref(), first.b.as_ref());
    Linearization { a, b, lambda_x, lambda_u }
}

/// Where a substep begins, and its coefficient.
type Substep<S, M, T> = (DepartureOf<S, M, T>, T);

impl<M, const N: usize> Compose<M, N> {
    /// Where the substeps of a step begin.
    fn substeps<S: Steady, T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, M, T>,
    ) -> Result<[Substep<S, M, T>; N], Failure>
    where
        M: Method<S>,
    {
        let zero = T::from_f64(0.0);
        let mut state = self.base.resync(&from.state);
        let mut substeps = [(*from, zero); N];
        let mut before = zero;
        for (i, (substep, gamma)) in substeps.iter_mut().zip(self.coefficients_in::<T>()).enumerate() {
            let (t, h) = (from.t + from.h * before, from.h * gamma);
            // As the step itself, of which the first substep is as large as the last.
            if i > 0 {
                state = self.base.rescale(parameters, h, &state, t)?;
            }
            *substep = (Departure { state, t, h, ..*from }, gamma);
            let next = self.base.step(&self.base.prepare(parameters, h)?, &state, t, &from.inputs)?;
            state = self.base.update_velocity(h, &state, &next);
            before = before + gamma;
        }
        Ok(substeps)
    }
}

/// x' = Φ_N(… Φ₁(x, u) …, u) with A = A_N … A₁, and so on. For systems that are [`Steady`]: otherwise the derivatives of the
/// parts do not determine those of their composition.
impl<S: Steady, M: Differentiable<S> + Symmetric, const N: usize> Differentiable<S> for Compose<M, N> {
    fn linearize_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        to: &mut LinearizationOf<S, T>,
    ) -> Result<(), Failure> {
        for (i, (from, _)) in self.substeps::<S, T>(parameters, from)?.iter().enumerate() {
            if i == 0 {
                self.base.linearize_to(parameters, from, to)?;
            } else {
                *to = chained::<S, T>(to, &self.base.linearize(parameters, from)?);
            }
        }
        Ok(())
    }

    fn linearize_parameters_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        to: &mut ParameterLinearizationOf<S, T>,
    ) -> Result<(), Failure> {
        let zero = T::from_f64(0.0);
        let (mut c, mut by_h) =
            (<S::Tangent<T> as Rows>::rows(S::Parameters::splat(zero)), S::Tangent::splat(zero));
        for (from, gamma) in &self.substeps::<S, T>(parameters, from)? {
            let Linearization { a, .. } = self.base.linearize(parameters, from)?;
            let next = self.base.linearize_parameters(parameters, from)?;
            let (first, first_by_h) = (c, by_h);
            (c, by_h) = (next.c, S::Tangent::splat(zero));
            add_product(c.as_mut(), a.as_ref(), first.as_ref());
            add(&mut by_h, *gamma, &next.h);
            add_applied(&mut by_h, a.as_ref(), &first_by_h);
        }
        *to = ParameterLinearization { c, h: by_h };
        Ok(())
    }

    fn pull_back_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
        all: &mut PulledBackOf<S, T>,
    ) -> Result<(), Failure> {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        *all = PulledBack { a: *w, b: S::Inputs::splat(zero), c: S::Parameters::splat(zero), h: zero };
        for (from, gamma) in self.substeps::<S, T>(parameters, from)?.iter().rev() {
            let part = self.base.pull_back(parameters, from, &all.a)?;
            all.a = part.a;
            add(&mut all.b, one, &part.b);
            add(&mut all.c, one, &part.c);
            all.h = all.h + *gamma * part.h;
        }
        Ok(())
    }

    /// Backwards: the second derivatives of a substep and those after it are those of the latter, taken along A and B of the
    /// substep, and its own with the covector that the latter pull back.
    fn curvature_to<T: Scalar>(
        &self,
        parameters: &S::Parameters<T>,
        from: &DepartureOf<S, Self, T>,
        w: &S::Tangent<T>,
        all: &mut CurvatureOf<S, T>,
    ) -> Result<(), Failure> {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let no_x = S::Tangent::splat(zero);
        *all = no_curvature::<S, T>();
        all.a.as_mut().iter_mut().enumerate().for_each(|(i, row)| row.as_mut()[i] = one);
        let mut w = *w;
        for (from, _) in self.substeps::<S, T>(parameters, from)?.iter().rev() {
            let Curvature { mut xx, mut xu, mut uu, a, b } = self.base.curvature(parameters, from, &w)?;
            let mut before = no_x;
            a.as_ref().iter().zip(w.as_ref()).for_each(|(row, &w)| add(&mut before, w, row));
            w = before;
            let (mut xx_a, mut xx_b) = (<S::Tangent<T> as Rows>::rows(no_x), all.xu);
            add_product(xx_a.as_mut(), all.xx.as_ref(), a.as_ref());
            add_product(xx_b.as_mut(), all.xx.as_ref(), b.as_ref());
            add_transposed_product(xx.as_mut(), a.as_ref(), xx_a.as_ref());
            add_transposed_product(xu.as_mut(), a.as_ref(), xx_b.as_ref());
            add_transposed_product(uu.as_mut(), b.as_ref(), xx_b.as_ref());
            add_transposed_product(uu.as_mut(), all.xu.as_ref(), b.as_ref());
            uu.as_mut().iter_mut().zip(all.uu.as_ref()).for_each(|(to, row)| add(to, one, row));
            let (mut a_all, mut b_all) = (<S::Tangent<T> as Rows>::rows(no_x), all.b);
            add_product(a_all.as_mut(), all.a.as_ref(), a.as_ref());
            add_product(b_all.as_mut(), all.a.as_ref(), b.as_ref());
            *all = Curvature { xx, xu, uu, a: a_all, b: b_all };
        }
        mirror(all.xx.as_mut());
        mirror(all.uu.as_mut());
        Ok(())
    }
}

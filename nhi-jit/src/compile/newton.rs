//! Newton's method as blocks: `nhi_runtime::emitted::Newton`, operation by operation.
//!
//! ```text
//! iterate(x…, last, updates, restarted):
//!     body → δ;  x' = x + δ;  ‖δ‖², ‖x'‖²
//!     not finite → fail(non-finite), without checks failed(non-finite)
//!     converged  → done(x')
//!     F', F″, F‴ → x″, converged → done(x″)
//!     too many   → fail(unsolved), without checks fail(not converged)
//!     nearer to the fallback → fail(not converged)
//!     → iterate(x″, ‖δ‖², updates + 1, restarted)
//! fail(status): restarted → careful, or failed(status) if it is that, else iterate(fallback, ∞, 0, true)
//! done(x…)
//! ```
//!
//! After the last failure the iteration of sharp equations starts again with a safeguard, where the runtime says what follows an
//! update. Loops whose steps are repeated with checks if they fail leave it to these.

use super::status;
use super::translate::{Huge, Translator, block_arguments, offset, trusted};
use crate::native::{self, numbers_of_failure, numbers_of_safeguard};
use crate::passage::interned;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use nhi_codegen::lower::{self, Operand};
use nhi_runtime::Failure;

/// After so many updates the iteration counts as divergent.
const MAX_UPDATES: i64 = 50;

/// Largest (aδ)² for an update of third order.
const CHEBYSHEV: f64 = 1.0 / 16.0;

/// How often an iteration has been restarted when it has a safeguard.
const CAREFUL: i64 = 2;

/// Relative sizes of an update that is rounding, and of one that no longer shrinks.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
const NOISE: f64 = 65536.0 * f64::EPSILON;

/// Values and blocks of one iteration.
struct Iteration {
    weights: Vec<Value>,
    scale2: Value,
    /// Where the iteration can start again; empty if nowhere.
    fallback: Vec<Value>,
    iterate: Block,
    /// With the status as its parameter.
    fail: Block,
    /// With the solution as its parameters.
    done: Block,
    last: Value,
    updates: Value,
    restarted: Value,
    /// Of an iteration with a safeguard: its numbers in memory, and the status with which the plain iteration failed.
    careful: Option<[Value; 2]>,
}

impl Translator<'_> {
    pub(super) fn newton(&mut self, newton: &lower::Newton) {
        let n = newton.unknowns.len();
        let [guess, fallback, weights] =
            [&newton.guess, &newton.fallback, &newton.weights].map(|all| self.all(all));
        let scale2 = self.get(newton.scale2);
        let start = if fallback.is_empty() { guess.clone() } else { fallback.clone() };
        let has_safeguard = self.huge == Huge::Called && newton.is_sharp;
        let careful = has_safeguard.then(|| [self.room(numbers_of_safeguard(n)), self.room(1)]);
        let [iterate, fail, done] = [(); 3].map(|()| self.builder.create_block());
        let unknowns = self.parameters(iterate, n);
        let last = self.builder.append_block_param(iterate, types::F64);
        let updates = self.builder.append_block_param(iterate, types::I32);
        let restarted = self.builder.append_block_param(iterate, types::I32);
        let solution = self.parameters(done, n);
        let status = self.builder.append_block_param(fail, types::I32);
        self.builder.set_cold_block(fail);
        let infinite = self.number(f64::INFINITY);
        let [zero, one] = [0, 1].map(|i| self.builder.ins().iconst(types::I32, i));
        self.jump(iterate, guess.into_iter().chain([infinite, zero, zero]));

        self.builder.switch_to_block(iterate);
        let iteration =
            Iteration { weights, scale2, fallback, iterate, fail, done, last, updates, restarted, careful };
        newton.unknowns.iter().zip(&unknowns).for_each(|(&value, &x)| self.set(value, x));
        // With checks the iteration may go on elsewhere.
        let failed = if self.huge == Huge::Called { fail } else { self.failed };
        let outside = std::mem::replace(&mut self.failed, failed);
        self.statements(&newton.body);
        self.failed = outside;
        let delta = self.all(&newton.delta);
        let kept =
            newton.last_iterate.iter().map(|&(inside, after)| (after, self.get(Operand::Value(inside))));
        let kept: Vec<(lower::Value, Value)> = kept.collect();
        self.update(newton, &iteration, &unknowns, &delta);

        self.builder.switch_to_block(fail);
        if !iteration.fallback.is_empty() {
            let again = iteration.fallback.iter().copied().chain([infinite, zero, one]);
            let last = self.builder.create_block();
            self.builder.set_cold_block(last);
            self.builder.ins().brif(restarted, last, &[], iterate, &block_arguments(again));
            self.builder.switch_to_block(last);
        }
        match careful {
            None => self.jump(self.failed, [status]),
            Some([numbers, failure]) => {
                // With the safeguard only what is solved without formulas fails so.
                let first = self.builder.create_block();
                self.builder.set_cold_block(first);
                let is_careful = self.builder.ins().icmp_imm_s(IntCC::Equal, restarted, CAREFUL);
                let failed = block_arguments([status]);
                self.builder.ins().brif(is_careful, self.failed, &failed, first, &[]);
                self.builder.switch_to_block(first);
                self.builder.ins().store(trusted(), status, failure, 0);
                let count = self.count(n);
                let pointer = self.pointer();
                let begin =
                    self.declared("start_carefully", &[types::F64, pointer, pointer, types::I32], &[]);
                let jumps = self.builder.ins().iconst(types::I32, i64::from(newton.jumps));
                self.builder.ins().call(begin, &[scale2, count, numbers, jumps]);
                let careful = self.builder.ins().iconst(types::I32, CAREFUL);
                self.jump(iterate, start.into_iter().chain([infinite, zero, careful]));
            }
        }

        self.builder.switch_to_block(done);
        newton.solution.iter().zip(solution).for_each(|(&value, x)| self.set(value, x));
        kept.into_iter().for_each(|(value, x)| self.set(value, x));
    }

    /// Adds `delta` to the unknowns, and goes on as the sizes of both demand.
    fn update(&mut self, newton: &lower::Newton, iteration: &Iteration, unknowns: &[Value], delta: &[Value]) {
        if iteration.careful.is_some() {
            let [careful, plain] = [(); 2].map(|()| self.builder.create_block());
            self.builder.set_cold_block(careful);
            let is_careful = self.builder.ins().icmp_imm_s(IntCC::Equal, iteration.restarted, CAREFUL);
            self.builder.ins().brif(is_careful, careful, &[], plain, &[]);
            self.builder.switch_to_block(careful);
            self.update_carefully(newton, iteration, unknowns, delta);
            self.builder.switch_to_block(plain);
        }
        let Iteration { weights, scale2, fail, done, last, updates, .. } = iteration;
        let next: Vec<Value> = unknowns.iter().zip(delta).map(|(&x, &d)| self.add(x, d)).collect();
        let delta2 = self.norm2(None, weights, delta);
        let size2 = self.norm2(Some(*scale2), weights, &next);
        let both = self.add(delta2, size2);
        let both = self.builder.ins().fabs(both);
        let infinite = self.number(f64::INFINITY);
        let is_finite = self.compare(both, FloatCC::LessThan, infinite);
        let [compare, first, later, unsolved] = [(); 4].map(|()| self.builder.create_block());
        let status = self.builder.ins().iconst(types::I32, i64::from(status::of(Failure::NonFinite)));
        // Without checks, sines of large angles are not numbers. With checks the iteration may go on, and must not end elsewhere.
        let infinite = if self.huge == Huge::Called { *fail } else { self.failed };
        self.builder.ins().brif(is_finite, compare, &[], infinite, &block_arguments([status]));
        let done_at = |this: &mut Self, solved: Value, next: &[Value], otherwise: Block| {
            this.builder.ins().brif(solved, *done, &block_arguments(next.iter().copied()), otherwise, &[]);
        };

        self.builder.switch_to_block(compare);
        self.builder.ins().brif(*updates, later, &[], first, &[]);

        // The update after the first one would be rounding.
        self.builder.switch_to_block(first);
        let small = if newton.is_sharp { ROUNDING * ROUNDING } else { f64::EPSILON / 64.0 };
        let solved = self.is_at_most(delta2, small, size2);
        done_at(self, solved, &next, unsolved);

        self.builder.switch_to_block(later);
        let solved = self.is_at_most(delta2, ROUNDING * ROUNDING, size2);
        let shrinking = self.builder.create_block();
        done_at(self, solved, &next, shrinking);
        self.builder.switch_to_block(shrinking);
        if newton.derivatives.is_none() && !newton.is_sharp {
            // After δ₀ and δ₁ the next update is about ‖δ₁‖ (‖δ₁‖/‖δ₀‖)².
            let shrunk = self.builder.ins().fdiv(delta2, *last);
            let predicted = self.mul(delta2, shrunk);
            let predicted = self.mul(predicted, shrunk);
            let is_small = self.is_at_most(delta2, ROUNDING, size2);
            let is_last = self.is_at_most(predicted, f64::EPSILON * f64::EPSILON, size2);
            let solved = self.builder.ins().band(is_small, is_last);
            let noisy = self.builder.create_block();
            done_at(self, solved, &next, noisy);
            self.builder.switch_to_block(noisy);
        }
        let grows = self.compare(delta2, FloatCC::GreaterThanOrEqual, *last);
        let is_noise = self.is_at_most(delta2, NOISE * NOISE, size2);
        let solved = self.builder.ins().band(grows, is_noise);
        done_at(self, solved, &next, unsolved);

        self.builder.switch_to_block(unsolved);
        match (&newton.derivatives, unknowns, delta) {
            (Some((statements, derivatives)), &[from], &[d]) => {
                self.statements(statements);
                let derivatives = derivatives.map(|x| self.get(x));
                self.bend((newton, iteration), derivatives, (from, d, next[0]), (delta2, size2));
            }
            _ => self.go_on((newton, iteration), next, (delta, delta2, size2)),
        }
    }

    /// An update of third order (Chebyshev's method) from F′, F″ and F‴, with a = F″/(2F′) and b = F‴/(6F′).
    fn bend(
        &mut self,
        (newton, iteration): (&lower::Newton, &Iteration),
        [first, second, third]: [Value; 3],
        (from, d, next): (Value, Value, Value),
        (delta2, size2): (Value, Value),
    ) {
        let one = self.number(1.0);
        let inverse = self.builder.ins().fdiv(one, first);
        let a = self.times(0.5, second);
        let a = self.mul(a, inverse);
        let b = self.times(1.0 / 6.0, third);
        let b = self.mul(b, inverse);
        let square = self.mul(d, d);
        let bend = self.times(2.0, a);
        let bend = self.mul(bend, a);
        let twist = self.builder.ins().fabs(b);
        let sum = self.add(bend, twist);
        let remainder = self.mul(square, sum);
        let bound = self.number(CHEBYSHEV);
        let is_bent = self.compare(remainder, FloatCC::LessThanOrEqual, bound);
        let [bent, unsolved] = [(); 2].map(|()| self.builder.create_block());
        let x = self.parameters(unsolved, 1)[0];
        self.builder.ins().brif(is_bent, bent, &[], unsolved, &block_arguments([next]));

        self.builder.switch_to_block(bent);
        let change = self.mul(a, d);
        let change = self.mul(change, d);
        let change = self.sub(d, change);
        let next = self.add(from, change);
        if newton.is_sharp {
            self.jump(unsolved, [next]);
        } else {
            self.done_unless_left(iteration, (next, unsolved), remainder, (delta2, size2));
        }

        self.builder.switch_to_block(unsolved);
        self.go_on((newton, iteration), vec![x], (&[d], delta2, size2));
    }

    /// Done at `next` if the remainder of an update of third order is rounding.
    fn done_unless_left(
        &mut self,
        iteration: &Iteration,
        (next, unsolved): (Value, Block),
        remainder: Value,
        (delta2, size2): (Value, Value),
    ) {
        let left = self.mul(remainder, remainder);
        let left = self.mul(left, delta2);
        let solved = self.is_at_most(left, f64::EPSILON * f64::EPSILON / 256.0, size2);
        let next = block_arguments([next]);
        self.builder.ins().brif(solved, iteration.done, &next, unsolved, &next);
    }

    /// Goes on after an update with a safeguard.
    fn update_carefully(
        &mut self,
        newton: &lower::Newton,
        iteration: &Iteration,
        unknowns: &[Value],
        delta: &[Value],
    ) {
        let Some([numbers, failure]) = iteration.careful else { return };
        let n = unknowns.len();
        for (i, &x) in unknowns.iter().chain(delta).chain(&iteration.weights).enumerate() {
            self.builder.ins().store(trusted(), x, numbers, offset(i));
        }
        let (count, pointer) = (self.count(n), self.pointer());
        let names = self.names(newton);
        let carefully = self.declared("carefully", &[pointer; 3], &[types::I32]);
        let call = self.builder.ins().call(carefully, &[count, numbers, names]);
        let next = self.builder.inst_results(call)[0];
        let x: Vec<Value> =
            (0..n).map(|i| self.builder.ins().load(types::F64, trusted(), numbers, offset(i))).collect();
        let [over, failed] = [(); 2].map(|()| self.builder.create_block());
        let again = x.iter().copied().chain([iteration.last, iteration.updates, iteration.restarted]);
        self.builder.ins().brif(next, over, &[], iteration.iterate, &block_arguments(again));
        self.builder.switch_to_block(over);
        let is_solved = self.builder.ins().icmp_imm_s(IntCC::Equal, next, i64::from(native::SOLVED));
        self.builder.ins().brif(is_solved, iteration.done, &block_arguments(x), failed, &[]);
        self.builder.switch_to_block(failed);
        let status = self.builder.ins().load(types::I32, trusted(), failure, 0);
        let not_converged = i64::from(status::of(Failure::NotConverged));
        let is_unsolved = self.builder.ins().icmp_imm_s(IntCC::Equal, status, not_converged);
        let unsolved = self.builder.ins().iconst(types::I32, i64::from(status::UNSOLVED));
        let status = self.builder.ins().select(is_unsolved, unsolved, status);
        self.jump(self.failed, [status]);
    }

    /// The names of the equations, which are never released.
    fn names(&mut self, newton: &lower::Newton) -> Value {
        let names = interned(&newton.equations).as_ptr().expose_provenance();
        let pointer = self.pointer();
        self.builder.ins().iconst(pointer, names.cast_signed() as i64)
    }

    fn count(&mut self, n: usize) -> Value {
        let pointer = self.pointer();
        self.builder.ins().iconst(pointer, i64::try_from(n).expect("few unknowns"))
    }

    /// The next iteration, unless there have been too many, or the fallback is closer than the guess was.
    fn go_on(
        &mut self,
        (newton, iteration): (&lower::Newton, &Iteration),
        next: Vec<Value>,
        (delta, delta2, size2): (&[Value], Value, Value),
    ) {
        let Iteration { weights, scale2, fallback, iterate, fail, updates, restarted, .. } = iteration;
        let status = self.builder.ins().iconst(types::I32, i64::from(status::of(Failure::NotConverged)));
        let lost = self.builder.create_block();
        self.builder.set_cold_block(lost);
        let updates = self.builder.ins().iadd_imm_s(*updates, 1);
        let too_many = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, updates, MAX_UPDATES);
        let again = next.iter().copied().chain([delta2, updates, *restarted]);
        let again = block_arguments(again);
        let failure = block_arguments([status]);
        if fallback.is_empty() {
            self.builder.ins().brif(too_many, lost, &[], *iterate, &again);
            return self.give_up((newton, iteration), lost, (delta, delta2, size2));
        }
        let [rest, first, distant] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(too_many, lost, &[], rest, &[]);
        self.give_up((newton, iteration), lost, (delta, delta2, size2));
        self.builder.switch_to_block(rest);
        // One update, and no restart yet.
        let once = self.builder.ins().iadd(updates, *restarted);
        let is_first = self.builder.ins().icmp_imm_s(IntCC::Equal, once, 1);
        self.builder.ins().brif(is_first, first, &[], *iterate, &again);
        self.builder.switch_to_block(first);
        let off: Vec<Value> = next.iter().zip(fallback).map(|(&x, &y)| self.sub(x, y)).collect();
        let distance2 = self.norm2(None, weights, &off);
        let is_closer = self.compare(distance2, FloatCC::LessThan, delta2);
        self.builder.ins().brif(is_closer, distant, &[], *iterate, &again);
        self.builder.switch_to_block(distant);
        let size2 = self.norm2(Some(*scale2), weights, &next);
        let size2 = self.times(1e-6, size2);
        let was_far = self.compare(size2, FloatCC::LessThan, delta2);
        self.builder.ins().brif(was_far, *fail, &failure, *iterate, &again);
    }

    /// In the block `lost`: ends an iteration that has taken too many updates. In loops with checks the runtime is told the last one,
    /// unless an iteration with a safeguard follows.
    fn give_up(
        &mut self,
        (newton, iteration): (&lower::Newton, &Iteration),
        lost: Block,
        (delta, delta2, size2): (&[Value], Value, Value),
    ) {
        self.builder.switch_to_block(lost);
        let status = if self.huge == Huge::Called && iteration.careful.is_none() {
            let n = delta.len();
            let numbers = self.room(numbers_of_failure(n));
            for (i, &x) in delta.iter().chain(&iteration.weights).chain(&[delta2, size2]).enumerate() {
                self.builder.ins().store(trusted(), x, numbers, offset(i));
            }
            let (count, pointer, names) = (self.count(n), self.pointer(), self.names(newton));
            let told = self.declared("not_converged", &[pointer; 3], &[]);
            self.builder.ins().call(told, &[count, numbers, names]);
            status::UNSOLVED
        } else {
            status::of(Failure::NotConverged)
        };
        let status = self.builder.ins().iconst(types::I32, i64::from(status));
        self.jump(iteration.fail, [status]);
    }

    /// `start` + Σ wᵢ xᵢ².
    fn norm2(&mut self, start: Option<Value>, weights: &[Value], x: &[Value]) -> Value {
        let mut sum = start;
        for (&w, &x) in weights.iter().zip(x) {
            let wx = self.mul(w, x);
            let wxx = self.mul(wx, x);
            sum = Some(match sum {
                None => wxx,
                Some(sum) => self.add(sum, wxx),
            });
        }
        sum.unwrap_or_else(|| self.number(0.0))
    }

    /// x ≤ c y
    fn is_at_most(&mut self, x: Value, c: f64, y: Value) -> Value {
        let bound = self.times(c, y);
        self.compare(x, FloatCC::LessThanOrEqual, bound)
    }
}

//! Sines and cosines as operations: the formulas of `nhi_runtime::trigonometry`, operation by operation.

use super::translate::{Huge, Translator, block_arguments};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use nhi_codegen::lower::SinCos;
use nhi_runtime::emitted::sines::{
    ARE_POLYNOMIALS, C, CLOSE, LARGEST, OVERFLOWING, PI_HALVES, S, SHORT_C, SHORT_S, SMALL, TINY, WHOLE,
};
use std::f64::consts::FRAC_2_PI;

/// [sine, cosine]
type Pair = [Value; 2];

impl Translator<'_> {
    /// Sine and cosine of `x`, computed in the given way.
    pub(super) fn sin_cos_by(&mut self, x: Value, by: &SinCos) -> Pair {
        match by {
            SinCos::Any => self.sin_cos(x),
            SinCos::Small => self.small_sin_cos(x),
            SinCos::Rotated { from, sines } => {
                let (from, sines) = (self.get(*from), sines.map(|sine| self.get(sine)));
                let by = self.sub(x, from);
                self.rotated_sin_cos(x, by, sines)
            }
            SinCos::Corrected { from, by, sines } => {
                let [from, by] = [*from, *by].map(|operand| self.get(operand));
                let sines = sines.map(|sine| self.get(sine));
                let off = self.sub(x, from);
                let off = self.sub(off, by);
                self.corrected_sin_cos(x, off, sines)
            }
            SinCos::Exact { sines } => sines.map(|sine| self.get(sine)),
        }
    }

    /// Sine and cosine of any angle.
    pub(super) fn sin_cos(&mut self, x: Value) -> Pair {
        if !ARE_POLYNOMIALS {
            return self.called_sin_cos(x);
        }
        match self.huge {
            Huge::Nan => self.near(x),
            Huge::Called => {
                let size = self.builder.ins().fabs(x);
                let bound = self.number(LARGEST);
                let is_near = self.compare(size, FloatCC::LessThan, bound);
                self.either(is_near, |this| this.near(x), |this| this.called_sin_cos(x))
            }
        }
    }

    /// Sine and cosine of an angle that is usually small.
    pub(super) fn small_sin_cos(&mut self, x: Value) -> Pair {
        if !ARE_POLYNOMIALS {
            return self.called_sin_cos(x);
        }
        let size = self.builder.ins().fabs(x);
        let is_small = self.at_most(size, SMALL);
        self.either(is_small, |this| this.small(x), |this| this.sin_cos(x))
    }

    /// Sine and cosine of an angle that is usually close, by `by`, to one whose pair is `sines`.
    fn rotated_sin_cos(&mut self, x: Value, by: Value, sines: Pair) -> Pair {
        if !ARE_POLYNOMIALS {
            return self.called_sin_cos(x);
        }
        let size = self.builder.ins().fabs(by);
        let is_small = self.at_most(size, SMALL);
        self.either(is_small, |this| this.rotated(by, sines), |this| this.sin_cos(x))
    }

    /// Sine and cosine of an angle that is usually off by a tiny error from one whose pair is `sines`.
    fn corrected_sin_cos(&mut self, x: Value, off: Value, sines: Pair) -> Pair {
        if !ARE_POLYNOMIALS {
            return self.called_sin_cos(x);
        }
        let size = self.builder.ins().fabs(off);
        let is_tiny = self.at_most(size, TINY);
        let further = |this: &mut Self| {
            let is_close = this.at_most(size, CLOSE);
            let furthest = |this: &mut Self| this.rotated_sin_cos(x, off, sines);
            this.either(is_close, |this| this.rotated_to_second_order(off, sines), furthest)
        };
        self.either(is_tiny, |this| this.rotated_to_first_order(off, sines), further)
    }

    /// The pair that `usual` computes if a condition holds, else that of `rare`. The usual pair is computed before the branch:
    /// Cranelift would move computations that only the two arms read into both, and repeat them after the arms.
    fn either(
        &mut self,
        condition: Value,
        usual: impl FnOnce(&mut Self) -> Pair,
        rare: impl FnOnce(&mut Self) -> Pair,
    ) -> Pair {
        let [otherwise, after] = [(); 2].map(|()| self.builder.create_block());
        let results = self.parameters(after, 2);
        self.builder.set_cold_block(otherwise);
        let pair = usual(self);
        self.builder.ins().brif(condition, after, &block_arguments(pair), otherwise, &[]);
        self.builder.switch_to_block(otherwise);
        let pair = rare(self);
        self.jump(after, pair);
        self.builder.switch_to_block(after);
        [results[0], results[1]]
    }

    fn at_most(&mut self, x: Value, bound: f64) -> Value {
        let bound = self.number(bound);
        self.compare(x, FloatCC::LessThanOrEqual, bound)
    }

    /// Sine and cosine of x = n π/2 + (r + e) with |r| ≤ π/4; without [`Huge::Called`] NaN for huge angles.
    fn near(&mut self, x: Value) -> Pair {
        let [p1, p2, p3, p4] = PI_HALVES;
        let [one, whole] = [1.0, WHOLE].map(|c| self.number(c));
        let shifted = self.times(FRAC_2_PI, x);
        let shifted = self.add(shifted, whole);
        let quadrant = self.bits(shifted);
        let n = self.sub(shifted, whole);
        let [np1, b, c, np4] = [p1, p2, p3, p4].map(|p| self.times(p, n));
        let a = self.sub(x, np1);
        let ab = self.sub(a, b);
        let r = self.sub(ab, c);
        // e = (((a - ab) - b) + ((ab - r) - c)) - n p4
        let first = self.sub(a, ab);
        let first = self.sub(first, b);
        let second = self.sub(ab, r);
        let second = self.sub(second, c);
        let e = self.add(first, second);
        let mut e = self.sub(e, np4);
        if self.huge == Huge::Nan {
            let x = self.times(OVERFLOWING, x);
            let nan = self.times(0.0, x);
            e = self.add(e, nan);
        }
        let z = self.mul(r, r);
        let half = self.times(0.5, z);
        let w = self.sub(one, half);
        // sin = r + (r z S(z) + e w)
        let rz = self.mul(r, z);
        let s = self.polynomial(&S, z);
        let rzs = self.mul(rz, s);
        let ew = self.mul(e, w);
        let sum = self.add(rzs, ew);
        let sin = self.add(r, sum);
        // cos = w + ((((1 - w) - half) - r e) + z z C(z))
        let rest = self.sub(one, w);
        let rest = self.sub(rest, half);
        let re = self.mul(r, e);
        let rest = self.sub(rest, re);
        let z2 = self.mul(z, z);
        let c = self.polynomial(&C, z);
        let zzc = self.mul(z2, c);
        let rest = self.add(rest, zzc);
        let cos = self.add(w, rest);
        let parity = self.builder.ins().band_imm_s(quadrant, 1);
        let is_even = self.builder.ins().icmp_imm_s(IntCC::Equal, parity, 0);
        let next = self.builder.ins().iadd_imm_s(quadrant, 1);
        let sine = self.builder.ins().select(is_even, sin, cos);
        let cosine = self.builder.ins().select(is_even, cos, sin);
        [self.negated(sine, quadrant), self.negated(cosine, next)]
    }

    fn bits(&mut self, x: Value) -> Value {
        self.builder.ins().bitcast(types::I64, MemFlagsData::new(), x)
    }

    /// −x in the third and fourth quadrant.
    fn negated(&mut self, x: Value, quadrant: Value) -> Value {
        let sign = self.builder.ins().band_imm_s(quadrant, 2);
        let sign = self.builder.ins().ishl_imm_u(sign, 62);
        let sign = self.builder.ins().bitcast(types::F64, MemFlagsData::new(), sign);
        self.builder.ins().bxor(x, sign)
    }

    /// (c₀ + c₁ z + z² (c₂ + c₃ z)) + z⁴ (c₄ + c₅ z)
    fn polynomial(&mut self, c: &[f64; 6], z: Value) -> Value {
        let z2 = self.mul(z, z);
        let low = self.linear(c[0], c[1], z);
        let middle = self.linear(c[2], c[3], z);
        let middle = self.mul(z2, middle);
        let low = self.add(low, middle);
        let z4 = self.mul(z2, z2);
        let high = self.linear(c[4], c[5], z);
        let high = self.mul(z4, high);
        self.add(low, high)
    }

    /// a + b z
    fn linear(&mut self, a: f64, b: f64, z: Value) -> Value {
        let a = self.number(a);
        let bz = self.times(b, z);
        self.add(a, bz)
    }

    fn small(&mut self, x: Value) -> Pair {
        let z = self.mul(x, x);
        let sin = self.short_sine(x, z);
        let one = self.number(1.0);
        let versine = self.short_versine(z);
        [sin, self.sub(one, versine)]
    }

    /// x + x z ((c₀ + c₁ z) + z z (c₂ + c₃ z))
    fn short_sine(&mut self, x: Value, z: Value) -> Value {
        let [c0, c1, c2, c3] = SHORT_S;
        let low = self.linear(c0, c1, z);
        let high = self.linear(c2, c3, z);
        let z2 = self.mul(z, z);
        let high = self.mul(z2, high);
        let sum = self.add(low, high);
        let xz = self.mul(x, z);
        let product = self.mul(xz, sum);
        self.add(x, product)
    }

    /// z/2 − z² ((c₀ + c₁ z) + z² (c₂ + c₃ z))
    fn short_versine(&mut self, z: Value) -> Value {
        let [c0, c1, c2, c3] = SHORT_C;
        let low = self.linear(c0, c1, z);
        let high = self.linear(c2, c3, z);
        let z2 = self.mul(z, z);
        let high = self.mul(z2, high);
        let sum = self.add(low, high);
        let product = self.mul(z2, sum);
        let half = self.times(0.5, z);
        self.sub(half, product)
    }

    /// The pair rotated by a small angle.
    fn rotated(&mut self, by: Value, [sin, cos]: Pair) -> Pair {
        let z = self.mul(by, by);
        let [sine, versine] = [self.short_sine(by, z), self.short_versine(z)];
        let along = self.mul(cos, sine);
        let less = self.mul(sin, versine);
        let change = self.sub(along, less);
        let along = self.mul(sin, sine);
        let less = self.mul(cos, versine);
        let change_2 = self.add(along, less);
        [self.add(sin, change), self.sub(cos, change_2)]
    }

    /// The pair rotated by a tiny angle: sin + cos δ, cos − sin δ.
    fn rotated_to_first_order(&mut self, by: Value, [sin, cos]: Pair) -> Pair {
        self.moved(by, [sin, cos], [cos, sin])
    }

    /// sin + (cos − sin δ/2) δ, cos − (sin + cos δ/2) δ.
    fn rotated_to_second_order(&mut self, by: Value, [sin, cos]: Pair) -> Pair {
        let half = self.times(0.5, by);
        let rate = self.mul(sin, half);
        let rate = self.sub(cos, rate);
        let rate_2 = self.mul(cos, half);
        let rate_2 = self.add(sin, rate_2);
        self.moved(by, [sin, cos], [rate, rate_2])
    }

    /// sin + rate δ, cos − rate₂ δ.
    fn moved(&mut self, by: Value, [sin, cos]: Pair, rates: Pair) -> Pair {
        let [change, change_2] = rates.map(|rate| self.mul(rate, by));
        [self.add(sin, change), self.sub(cos, change_2)]
    }
}

//! Loops compiled for several instruction sets, of which the best that the processor has is taken.
//!
//! None contracts a multiplication and an addition, unless they are `Fused`, so that all of them give the
//! same numbers, bit for bit.

use crate::{Arithmetic, Scalar};
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether only what the program is compiled for is used.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// From now on, loops of the whole program use the instructions that it is compiled for and no others: for
/// tools that do not know all of a processor's, such as valgrind.
pub fn use_plain_instructions() {
    PLAIN.store(true, Ordering::Relaxed);
}

/// A loop. Its body has to be inlined into `run`, or it is not compiled for the instruction set.
pub(crate) trait Work {
    type Output;
    /// Whether it has more numbers at a time than AVX2 has registers, so that it gains from AVX-512's even where it
    /// computes with one at a time.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "there is no AVX-512")
    )]
    const MANY: bool = false;
    /// With numbers that nobody looks at.
    fn run<T: Scalar>(self) -> Self::Output;
}

/// An instruction set that the processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isa(Level);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// What the program is compiled for.
    Plain,
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Avx512,
}

impl Isa {
    /// The best one.
    #[inline]
    pub(crate) fn best() -> Isa {
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        if !PLAIN.load(Ordering::Relaxed) {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
            if avx2 && has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw") {
                return Isa(Level::Avx512);
            }
            if avx2 {
                return Isa(Level::Avx2);
            }
        }
        Isa(Level::Plain)
    }

    /// All of them.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Isa> {
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        let levels = [Level::Plain, Level::Avx2, Level::Avx512];
        #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
        let levels = [Level::Plain];
        levels.into_iter().filter(|level| *level <= Isa::best().0).map(Isa)
    }

    /// Runs a loop over one trajectory, which gains nothing from registers wider than those of AVX2, but from more of them
    /// if it has [`MANY`](Work::MANY) numbers. Unless it is compiled `EVERYWHERE`, there is `None` for processors without
    /// AVX2 where programs are compiled for those too.
    #[inline]
    #[allow(unsafe_code, reason = "instructions that a processor need not have")]
    pub(crate) fn run_scalar<W: Work, T: Arithmetic, const EVERYWHERE: bool>(
        self,
        work: W,
    ) -> Option<W::Output> {
        match self.0 {
            Level::Plain => {
                if const { EVERYWHERE || cfg!(not(all(target_arch = "x86_64", feature = "std"))) } {
                    return Some(work.run::<T::Everywhere>());
                }
                None
            }
            // SAFETY: the processor has the instructions, or there would be no such `Isa`.
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Level::Avx2 | Level::Avx512 => Some(unsafe {
                if const { W::MANY } && self.0 == Level::Avx512 {
                    avx512::<W, T>(work)
                } else {
                    avx2::<W, T>(work)
                }
            }),
        }
    }

    /// Runs a loop that was compiled for this instruction set.
    #[cfg(feature = "std")]
    #[inline]
    #[allow(unsafe_code, reason = "instructions that a processor need not have")]
    pub(crate) fn run<W: Work, T: Arithmetic>(self, work: W) -> W::Output {
        match self.0 {
            Level::Plain => work.run::<T::Everywhere>(),
            // SAFETY: the processor has the instructions, or there would be no such `Isa`.
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Level::Avx2 => unsafe { avx2::<W, T>(work) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Level::Avx512 => unsafe { avx512::<W, T>(work) },
        }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn avx2<W: Work, T: Scalar>(work: W) -> W::Output {
    work.run::<T>()
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512<W: Work, T: Scalar>(work: W) -> W::Output {
    work.run::<T>()
}

/// The same number, of which the optimiser does not know what it is made of; no instruction. Where numbers are stored
/// side by side it packs them, and what they are made of, into vectors, which takes fewer instructions and more time.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code, reason = "a register by name")]
pub(crate) fn apart(x: f64) -> f64 {
    let same;
    // SAFETY: no instruction does nothing.
    unsafe {
        core::arch::asm!("/* {0} */", inlateout(xmm_reg) x => same, options(pure, nomem, nostack, preserves_flags));
    }
    same
}

/// Elsewhere numbers are left as they are.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) fn apart(x: f64) -> f64 {
    x
}

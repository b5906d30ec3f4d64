//! Loops compiled for several instruction sets; the best one that the processor supports is chosen at run time.
//!
//! No version contracts a multiplication and an addition unless the numbers are `Fused`, so the results of all versions
//! agree bit for bit.

use crate::{Arithmetic, Scalar};
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether only the instructions of the program's target are used.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// From now on, all loops of the program use only the instructions of its compilation target. This is for tools that do
/// not support all instructions of the processor, such as valgrind.
pub fn use_plain_instructions() {
    PLAIN.store(true, Ordering::Relaxed);
}

/// Number of vector registers without AVX-512.
pub(crate) const REGISTERS: usize = 16;

/// A loop. Its body has to be inlined into `run`; otherwise it is not compiled for the instruction set.
pub(crate) trait Work {
    type Output;
    /// Whether more values are live than AVX2 has registers, so that the loop gains from the registers of AVX-512 even
    /// if it is scalar.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std", not(debug_assertions))),
        expect(dead_code, reason = "there is no AVX-512")
    )]
    const MANY: bool = false;
    /// Runs the loop in numbers with deferred finiteness checks.
    fn run<T: Scalar>(self) -> Self::Output;
}

/// An instruction set that the processor supports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isa(Level);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// The program's target.
    Plain,
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Avx512,
}

impl Isa {
    /// The best instruction set.
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

    /// All supported instruction sets.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Isa> {
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        let levels = [Level::Plain, Level::Avx2, Level::Avx512];
        #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
        let levels = [Level::Plain];
        levels.into_iter().filter(|level| *level <= Isa::best().0).map(Isa)
    }

    /// Runs a loop over one trajectory. Such a loop does not gain from wider registers than those of AVX2, but it gains
    /// from more registers if it has [`MANY`](Work::MANY) live values. Unless the loop is compiled `EVERYWHERE`, the result
    /// is `None` if the program runs without AVX2 on a target for which AVX2 is optional.
    #[inline]
    pub(crate) fn run_scalar<W: Work, T: Arithmetic, const EVERYWHERE: bool>(
        self,
        work: W,
    ) -> Option<W::Output> {
        match self.0 {
            Level::Plain => {
                if const { EVERYWHERE || cfg!(not(all(target_arch = "x86_64", feature = "std"))) } {
                    return Some(plain::<W, T::Everywhere>(work));
                }
                None
            }
            #[cfg(all(target_arch = "x86_64", feature = "std", debug_assertions))]
            Level::Avx2 | Level::Avx512 => Some(plain::<W, T>(work)),
            // SAFETY: the processor supports the instructions, otherwise this `Isa` would not exist.
            #[cfg(all(target_arch = "x86_64", feature = "std", not(debug_assertions)))]
            #[allow(unsafe_code, reason = "calls with target features")]
            Level::Avx2 | Level::Avx512 => Some(unsafe {
                if const { W::MANY } && self.0 == Level::Avx512 {
                    avx512::<W, T>(work)
                } else {
                    avx2::<W, T>(work)
                }
            }),
        }
    }

    /// Runs the version of a loop that is compiled for this instruction set.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn run<W: Work, T: Arithmetic>(self, work: W) -> W::Output {
        match self.0 {
            Level::Plain => plain::<W, T::Everywhere>(work),
            #[cfg(all(target_arch = "x86_64", feature = "std", debug_assertions))]
            Level::Avx2 | Level::Avx512 => plain::<W, T>(work),
            // SAFETY: the processor supports the instructions, otherwise this `Isa` would not exist.
            #[cfg(all(target_arch = "x86_64", feature = "std", not(debug_assertions)))]
            #[allow(unsafe_code, reason = "a call with target features")]
            Level::Avx2 => unsafe { avx2::<W, T>(work) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "x86_64", feature = "std", not(debug_assertions)))]
            #[allow(unsafe_code, reason = "a call with target features")]
            Level::Avx512 => unsafe { avx512::<W, T>(work) },
        }
    }
}

/// The version for the program's target. Programs with debug assertions have no other: without optimisation, further versions
/// take as long as this one, and double or triple the memory and the time of the build.
#[cfg_attr(not(debug_assertions), inline(always))]
fn plain<W: Work, T: Scalar>(work: W) -> W::Output {
    work.run::<T>()
}

#[cfg(all(target_arch = "x86_64", feature = "std", not(debug_assertions)))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn avx2<W: Work, T: Scalar>(work: W) -> W::Output {
    work.run::<T>()
}

#[cfg(all(target_arch = "x86_64", feature = "std", not(debug_assertions)))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512<W: Work, T: Scalar>(work: W) -> W::Output {
    work.run::<T>()
}

/// Identity that is opaque to the optimiser. It costs no instruction if the number is in a register. It prevents SLP
/// vectorisation: LLVM packs numbers that are stored next to each other, and the operations that compute them, into
/// vectors, which takes fewer instructions but often more time.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code, reason = "a register by name")]
pub(crate) fn opaque(x: f64) -> f64 {
    let same;
    // SAFETY: the template is a comment; no instruction is executed.
    unsafe {
        core::arch::asm!("/* {0} */", inlateout(xmm_reg) x => same, options(pure, nomem, nostack, preserves_flags));
    }
    same
}

/// Identity; on other targets the vectoriser is not steered.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) fn opaque(x: f64) -> f64 {
    x
}

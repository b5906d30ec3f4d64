//! Constants that are tuned to a machine, in one place.

/// What passes and emission assume of the machine that runs a step, and of what is worth its while.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Cycles until the result of an addition or a multiplication arrives.
    pub flat_latency: u32,
    /// Cycles until the result of a division or a square root arrives.
    pub division_latency: u32,
    /// Cycles until the result of an elementary function or a map of a group arrives.
    pub call_latency: u32,
    /// Newton iterations that a step is expected to take.
    pub iterations: u32,
    /// Operations that a further number in the state has to save.
    pub state_entry: usize,
    /// The same in a step with Newton's method, of which [`Target::iterations`] are counted and fewer are taken as a rule.
    pub state_entry_with_newton: usize,
    /// Operations of a step, maps of groups as one call each, from which on the passes that regroup alone run a second time.
    pub long: usize,
    /// Operations of a program, before the passes, from which on only the last order of passes is tried.
    pub very_long: usize,
    /// Operations of a program, as it is written, from which on it would take too long to compare its forms after a round of passes.
    pub most_compared: usize,
    /// Terms of products of matrices that are computed at once, in loops.
    pub terms_at_once: usize,
    /// Largest number of operations of a step that is compiled wherever it is taken. Above, that saves little of the time
    /// of single steps and takes a good part of a build.
    pub inline_step: usize,
    /// The same of a step that is compiled into the loop around it (`benches/README.md`).
    pub inline_loop: usize,
    /// Operations of derivatives, with those of the maps of groups, above which these are called instead of inlined: the first cache
    /// of instructions does not hold more.
    pub called_maps: usize,
}

/// An AMD Zen 5 core; the latencies hold for current x86-64 and AArch64 cores within a factor of two.
pub const TARGET: Target = Target {
    flat_latency: 4,
    division_latency: 13,
    call_latency: 50,
    iterations: 3,
    state_entry: 2,
    state_entry_with_newton: 8,
    long: 800,
    very_long: 4000,
    most_compared: 40_000,
    terms_at_once: 2,
    inline_step: 500,
    inline_loop: 1200,
    called_maps: 12_000,
};

//! The loop over the steps of a method.
//!
//! ```text
//! steps(state, data, first, count, taken):
//!     load the state
//!     step(k, state):     resync if that is due; the step, or the substeps of a composition; not finite → failed
//!                         → step(k + 1, next), or store the state after the last one
//!     failed(status):     store the state before the step; taken = k − first
//! ```
//!
//! A loop without checks computes the same, but neither checks that results are finite nor stores anything if a step fails:
//! then its steps have to be repeated with checks. It leaves out numbers of the state that no step reads, if it is partial.

use super::Layout;
use super::status::Status;
use super::translate::{Huge, Numbers, Translator, block_arguments, constant, offset, trusted};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use nhi_codegen::lower::{self, Operand};
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::program::Role;
use nhi_runtime::emitted::RESYNC_EVERY;
use std::ops::Range;

/// The fields of a state: the numbers of each role, one field after the other.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    fields: Vec<(Role, Range<usize>)>,
}

impl Fields {
    /// Fields of these lengths.
    pub(crate) fn new(lengths: impl IntoIterator<Item = (Role, usize)>) -> Fields {
        let mut start = 0;
        let fields = lengths.into_iter().map(|(role, length)| {
            let field = start..start + length;
            start = field.end;
            (role, field)
        });
        Fields { fields: fields.collect() }
    }

    /// How many numbers a state has.
    pub(crate) fn len(&self) -> usize {
        self.fields.last().map_or(0, |(_, field)| field.end)
    }

    /// Where the numbers of that role are; nowhere if there are none.
    pub(crate) fn of(&self, role: &Role) -> Range<usize> {
        let field = self.fields.iter().find(|(field, _)| field == role);
        field.map_or(0..0, |(_, field)| field.clone())
    }
}

/// A state in registers; `None` of numbers that the loop leaves out.
type State = Vec<Option<Value>>;

/// What the functions of a step read besides states.
struct Surroundings {
    data: Value,
    /// Index of the numbers of the substep in `substep`.
    substep: Value,
    first: usize,
    t: Value,
}

impl Translator<'_> {
    /// Writes the loop. Its parameters are those of the first block.
    pub(super) fn steps(&mut self, method: &MethodFunctions, layout: &Layout, is_partial: bool) {
        let is_checked = self.huge == Huge::Called;
        let entry = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.builder.switch_to_block(entry);
        let &[memory, data, first, count, taken] = self.builder.block_params(entry) else {
            unreachable!("the signature has five parameters")
        };
        let length = layout.state.len();
        let is_kept = |i: &usize| !(is_partial && method.unread.contains(i));
        let kept: Vec<usize> = (0..length).filter(is_kept).collect();
        let state_of = |values: &[Value]| {
            let mut state = vec![None; length];
            kept.iter().zip(values).for_each(|(&i, &x)| state[i] = Some(x));
            state
        };

        let initial: Vec<Value> =
            kept.iter().map(|&i| self.builder.ins().load(types::F64, trusted(), memory, offset(i))).collect();
        let end = self.builder.ins().iadd(first, count);
        let [step, after] = [(); 2].map(|()| self.builder.create_block());
        let k = self.builder.append_block_param(step, types::I64);
        let numbers = self.parameters(step, kept.len());
        let results = self.parameters(after, kept.len());
        self.jump(step, [first].into_iter().chain(initial));

        self.builder.switch_to_block(step);
        let before = state_of(&numbers);
        let time = self.builder.ins().fcvt_from_sint(types::F64, k);
        let [h, t0] =
            [layout.h, layout.t0].map(|i| self.builder.ins().load(types::F64, constant(), data, offset(i)));
        let t = self.mul(time, h);
        let t = self.add(t0, t);
        let around = Surroundings { data, substep: data, first: layout.substeps.start, t };
        let state = self.resynchronised(method, layout, &around, &before, k);
        let next = match layout.substeps.count {
            1 => self.step(method, layout, &around, &state, is_checked),
            _ => self.composed(method, layout, &around, &state, is_checked),
        };
        let next: Vec<Value> = kept.iter().filter_map(|&i| next[i]).collect();
        let following = self.builder.ins().iadd_imm_s(k, 1);
        let is_last = self.builder.ins().icmp(IntCC::Equal, following, end);
        let again = [following].into_iter().chain(next.iter().copied());
        self.builder.ins().brif(
            is_last,
            after,
            &block_arguments(next.iter().copied()),
            step,
            &block_arguments(again),
        );

        self.builder.switch_to_block(after);
        self.store(memory, &state_of(&results));
        self.builder.ins().store(trusted(), count, taken, 0);
        let success = self.builder.ins().iconst(types::I32, i64::from(0 as Status));
        self.builder.ins().return_(&[success]);

        self.builder.switch_to_block(self.failed);
        let status = self.builder.block_params(self.failed)[0];
        if is_checked {
            self.store(memory, &before);
            let done = self.builder.ins().isub(k, first);
            self.builder.ins().store(trusted(), done, taken, 0);
        }
        self.builder.ins().return_(&[status]);
    }

    fn store(&mut self, memory: Value, state: &State) {
        for (i, x) in state.iter().enumerate() {
            if let &Some(x) = x {
                self.builder.ins().store(trusted(), x, memory, offset(i));
            }
        }
    }

    /// The state with sines and cosines computed from their angles if that is due before step k + 1: before every step of
    /// a composition, which rotates them as often as it has substeps.
    fn resynchronised(
        &mut self,
        method: &MethodFunctions,
        layout: &Layout,
        around: &Surroundings,
        state: &State,
        k: Value,
    ) -> State {
        let Some(resync) = &method.resync else { return state.clone() };
        if layout.substeps.count > 1 {
            return self.updated(resync, layout, around, state, None);
        }
        let [due, after] = [(); 2].map(|()| self.builder.create_block());
        self.builder.set_cold_block(due);
        let part = self.builder.ins().band_imm_s(k, i64::from(RESYNC_EVERY as u32 - 1));
        let is_due = self.builder.ins().icmp_imm_s(IntCC::Equal, part, 0);
        // Other numbers stay where they are.
        let changed = changed(resync, layout).into_iter().filter(|&i| state[i].is_some());
        let changed: Vec<usize> = changed.collect();
        let of = |state: &State| -> Vec<Value> { changed.iter().filter_map(|&i| state[i]).collect() };
        let parameters = self.parameters(after, changed.len());
        self.builder.ins().brif(is_due, due, &[], after, &block_arguments(of(state)));
        self.builder.switch_to_block(due);
        let renewed = self.updated(resync, layout, around, state, None);
        self.jump(after, of(&renewed));
        self.builder.switch_to_block(after);
        let mut merged = state.clone();
        changed.iter().zip(parameters).for_each(|(&i, x)| merged[i] = Some(x));
        merged
    }

    /// The state after the step of a method that is not composed, or after a substep.
    fn step(
        &mut self,
        method: &MethodFunctions,
        layout: &Layout,
        around: &Surroundings,
        state: &State,
        is_checked: bool,
    ) -> State {
        let next = self.updated(&method.step, layout, around, state, None);
        if is_checked {
            let carried = layout.state.of(&Role::Carried);
            let of_motion = (0..next.len()).filter(|i| !carried.contains(i));
            let of_motion: Vec<Value> = of_motion.filter_map(|i| next[i]).collect();
            self.require_finite(&of_motion);
        }
        next
    }

    /// The state after the substeps of a composition.
    fn composed(
        &mut self,
        method: &MethodFunctions,
        layout: &Layout,
        around: &Surroundings,
        state: &State,
        is_checked: bool,
    ) -> State {
        let substeps = &layout.substeps;
        let pointer = self.pointer();
        let [substep, after, rescaled] = [(); 3].map(|()| self.builder.create_block());
        let table = self.builder.append_block_param(substep, pointer);
        let numbers = self.parameters(substep, state.len());
        let of = |state: &[Option<Value>]| -> Vec<Value> { state.iter().copied().flatten().collect() };
        let begin = self.builder.ins().iadd_imm_s(around.data, i64::from(offset(substeps.start)));
        let last = offset(substeps.start + substeps.length * (substeps.count - 1));
        let last = self.builder.ins().iadd_imm_s(around.data, i64::from(last));
        self.jump(substep, [begin].into_iter().chain(of(state)));

        self.builder.switch_to_block(substep);
        let now: State = numbers.into_iter().map(Some).collect();
        let at = |this: &mut Self, table: Value| {
            let since = this.builder.ins().load(types::F64, constant(), table, 0);
            Surroundings { data: around.data, substep: table, first: 0, t: this.add(around.t, since) }
        };
        let here = at(self, table);
        let mut next = self.step(method, layout, &here, &now, is_checked);
        if let Some(update_velocity) = &method.update_velocity {
            next = self.updated(update_velocity, layout, &here, &next, Some(&now));
        }
        let is_last = self.builder.ins().icmp(IntCC::Equal, table, last);
        let results = of(&next);
        let after_parameters = self.parameters(after, results.len());
        self.builder.ins().brif(is_last, after, &block_arguments(results.iter().copied()), rescaled, &[]);

        self.builder.switch_to_block(rescaled);
        let table = self.builder.ins().iadd_imm_s(table, i64::from(offset(substeps.length)));
        if let Some(rescale) = &method.rescale {
            let there = at(self, table);
            next = self.updated(rescale, layout, &there, &next, None);
            if is_checked {
                let carried = layout.state.of(&Role::Carried);
                self.require_finite(&of(&next[carried]));
            }
        }
        self.jump(substep, [table].into_iter().chain(of(&next)));

        self.builder.switch_to_block(after);
        after_parameters.into_iter().map(Some).collect()
    }

    /// The state with the fields that `function` computes from it, and from the one before.
    fn updated(
        &mut self,
        function: &lower::Function,
        layout: &Layout,
        around: &Surroundings,
        state: &State,
        before: Option<&State>,
    ) -> State {
        let field = |state: &State, role: &Role| Numbers::Computed(state[layout.state.of(role)].to_vec());
        let before = before.unwrap_or(state);
        let outputs = self.function(function, |role| match role {
            Role::Parameters => Numbers::Stored(around.data, layout.parameters),
            Role::Inputs => Numbers::Stored(around.data, layout.inputs),
            Role::StepSize => Numbers::Stored(around.substep, around.first + 1),
            Role::Prepared => Numbers::Stored(around.substep, around.first + 2),
            Role::Time => Numbers::Computed(vec![Some(around.t)]),
            Role::PreviousVelocity => field(before, &Role::Velocity),
            Role::PreviousCarried => field(before, &Role::Carried),
            role => field(state, role),
        });
        let mut next = state.clone();
        for (output, numbers) in function.outputs.iter().zip(outputs) {
            for (i, x) in layout.state.of(&output.role).zip(numbers) {
                next[i] = x;
            }
        }
        next
    }
}

/// The numbers of the state that `function` changes; it returns the others as they are.
fn changed(function: &lower::Function, layout: &Layout) -> Vec<usize> {
    let mut changed = Vec::new();
    for output in &function.outputs {
        let argument = function.arguments.iter().find(|argument| argument.role == output.role);
        for (i, (place, &value)) in layout.state.of(&output.role).zip(&output.values).enumerate() {
            if !argument.is_some_and(|argument| value == Operand::Value(argument.values[i])) {
                changed.push(place);
            }
        }
    }
    changed
}

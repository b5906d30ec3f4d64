//! Statements of lowered functions as Cranelift's intermediate representation: one instruction for each operation, in
//! their order. Cranelift neither reassociates nor contracts floating-point operations.

use super::status::{self, Status};
use crate::native::{map_symbol, numbers_of_saddle_point};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, Opcode, Signature, StackSlot,
    StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;
use cranelift_module::{Linkage, Module};
use nhi_codegen::expr::group::{Group, Map};
use nhi_codegen::expr::{Function as Elementary, Saddle};
use nhi_codegen::lower::{self, Known, Operand, Operation, Statement, ZEROS};
use nhi_codegen::program::{Role, Singular};
use nhi_interpreter::trace::{Node, Trace, trace};
use nhi_methods::Retraction;
use nhi_runtime::{Failure, emitted};
use std::collections::HashMap;
use std::slice;

/// Where the numbers of an argument are.
#[derive(Clone)]
pub(super) enum Numbers {
    /// In registers; `None` of those that are not computed, because nothing depends on them.
    Computed(Vec<Option<Value>>),
    /// In an array in memory that does not change during the call: its address, and the index of the first number.
    Stored(Value, usize),
}

/// What compiled code may assume of its arrays: aligned, and accessible.
pub(super) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// The same of arrays that do not change during the call: Cranelift may move and merge loads.
pub(super) fn constant() -> MemFlagsData {
    trusted().with_readonly().with_can_move()
}

/// The offset of a number of an array.
pub(super) fn offset(index: usize) -> i32 {
    i32::try_from(8 * index).expect("arrays of numbers are short")
}

/// Block arguments.
pub(super) fn block_arguments(values: impl IntoIterator<Item = Value>) -> Vec<BlockArg> {
    values.into_iter().map(BlockArg::from).collect()
}

/// How sines and cosines of huge angles are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Huge {
    /// By the platform's library.
    Called,
    /// They are NaN, in a loop that is repeated if a result is not finite.
    Nan,
}

/// Writes one compiled function.
pub(super) struct Translator<'a> {
    pub(super) builder: FunctionBuilder<'a>,
    module: &'a mut JITModule,
    /// Functions of the runtime that have been declared.
    called: HashMap<String, FuncRef>,
    retraction: Retraction,
    pub(super) huge: Huge,
    /// Where failures lead: a block with the status as its parameter.
    pub(super) failed: Block,
    /// The values of the lowered function that is being written.
    values: Vec<Place>,
    /// The pairs of a pivot and its diagonal entry that this function has compared.
    regular: Vec<[Operand; 2]>,
}

/// Where a value of a lowered function is.
#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Computed(Value),
    Stored(Value, usize),
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        mut builder: FunctionBuilder<'a>,
        module: &'a mut JITModule,
        retraction: Retraction,
        huge: Huge,
    ) -> Translator<'a> {
        let failed = builder.create_block();
        builder.append_block_param(failed, types::I32);
        builder.set_cold_block(failed);
        Translator {
            builder,
            module,
            called: HashMap::new(),
            retraction,
            huge,
            failed,
            values: Vec::new(),
            regular: Vec::new(),
        }
    }

    /// Writes `function` for the given arguments: the numbers of its outputs, in their order. Those that it passes on and that
    /// are not computed remain so.
    pub(super) fn function(
        &mut self,
        function: &lower::Function,
        argument: impl FnMut(&Role) -> Numbers,
    ) -> Vec<Vec<Option<Value>>> {
        self.arguments(function, argument);
        self.statements(&function.body);
        let mut number = |operand: &Operand| match operand {
            Operand::Value(value) if matches!(self.values[value.index()], Place::Nowhere) => None,
            &operand => Some(self.get(operand)),
        };
        let outputs = function.outputs.iter();
        outputs.map(|output| output.values.iter().map(&mut number).collect()).collect()
    }

    /// Writes `function` for the given arguments, and stores the numbers of its outputs, one after the other, as soon as they are
    /// known. If they have to be finite, it fails unless all of them are: x·0 is zero only for finite x.
    pub(super) fn function_to(
        &mut self,
        results: Value,
        function: &lower::Function,
        argument: impl FnMut(&Role) -> Numbers,
    ) {
        let checks = function.is_tested();
        self.arguments(function, argument);
        let mut first = 0;
        let firsts = function.outputs.iter().map(|output| {
            first += output.values.len();
            first - output.values.len()
        });
        let firsts: Vec<usize> = firsts.collect();
        let zero = self.number(0.0);
        let mut sums = [zero; ZEROS];
        let mut statements = function.body.iter();
        for outputs in function.known_outputs() {
            for Known { output: i, place: j, zero: test } in outputs {
                let x = self.get(function.outputs[i].values[j]);
                self.builder.ins().store(trusted(), x, results, offset(firsts[i] + j));
                if let Some(test) = test.filter(|_| checks) {
                    let x = self.mul(x, zero);
                    sums[test] = self.add(sums[test], x);
                }
            }
            self.statements(statements.next().map_or(&[], slice::from_ref));
        }
        if checks {
            let sum = sums.into_iter().reduce(|x, y| self.add(x, y)).unwrap_or(zero);
            self.require_zero(sum);
        }
    }

    fn arguments(&mut self, function: &lower::Function, mut argument: impl FnMut(&Role) -> Numbers) {
        self.values = vec![Place::Nowhere; function.names.len()];
        self.regular.clear();
        for lower::Argument { role, values, .. } in &function.arguments {
            let numbers = argument(role);
            for (i, value) in values.iter().enumerate() {
                self.values[value.index()] = match &numbers {
                    Numbers::Computed(all) => all[i].map_or(Place::Nowhere, Place::Computed),
                    Numbers::Stored(array, first) => Place::Stored(*array, first + i),
                };
            }
        }
    }

    pub(super) fn set(&mut self, value: lower::Value, x: Value) {
        self.values[value.index()] = Place::Computed(x);
    }

    /// A number. Cranelift merges loads of the same one.
    pub(super) fn get(&mut self, operand: Operand) -> Value {
        let index = match operand {
            Operand::Constant(c) => return self.number(c),
            Operand::Value(value) => value.index(),
        };
        match self.values[index] {
            Place::Computed(x) => x,
            Place::Stored(array, i) => self.builder.ins().load(types::F64, constant(), array, offset(i)),
            Place::Nowhere => unreachable!("values are computed before they are used"),
        }
    }

    pub(super) fn all(&mut self, operands: &[Operand]) -> Vec<Value> {
        operands.iter().map(|&operand| self.get(operand)).collect()
    }

    pub(super) fn number(&mut self, c: f64) -> Value {
        self.builder.ins().f64const(c)
    }

    /// Constants second: instructions read their second operand from memory.
    fn constant_second(&self, x: Value, y: Value) -> [Value; 2] {
        let dfg = &self.builder.func.dfg;
        let definition = dfg.value_def(x).inst();
        let is_constant = definition.is_some_and(|inst| dfg.insts[inst].opcode() == Opcode::F64const);
        if is_constant { [y, x] } else { [x, y] }
    }

    pub(super) fn add(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = self.constant_second(x, y);
        self.builder.ins().fadd(x, y)
    }

    pub(super) fn sub(&mut self, x: Value, y: Value) -> Value {
        self.builder.ins().fsub(x, y)
    }

    pub(super) fn mul(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = self.constant_second(x, y);
        self.builder.ins().fmul(x, y)
    }

    /// c x
    pub(super) fn times(&mut self, c: f64, x: Value) -> Value {
        let c = self.number(c);
        self.mul(c, x)
    }

    pub(super) fn compare(&mut self, x: Value, by: FloatCC, y: Value) -> Value {
        self.builder.ins().fcmp(by, x, y)
    }

    /// Appends `count` numbers to the parameters of a block.
    pub(super) fn parameters(&mut self, block: Block, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.builder.append_block_param(block, types::F64)).collect()
    }

    pub(super) fn jump(&mut self, to: Block, values: impl IntoIterator<Item = Value>) {
        self.builder.ins().jump(to, &block_arguments(values));
    }

    /// Goes on in a new block if a condition holds, and fails with `status` otherwise.
    pub(super) fn require(&mut self, condition: Value, status: Status) {
        let next = self.builder.create_block();
        let status = self.builder.ins().iconst(types::I32, i64::from(status));
        self.builder.ins().brif(condition, next, &[], self.failed, &block_arguments([status]));
        self.builder.switch_to_block(next);
    }

    /// Fails with the status that is computed then, unless the condition holds.
    fn require_or(&mut self, condition: Value, status: impl FnOnce(&mut Self) -> Value) {
        let [next, otherwise] = [(); 2].map(|()| self.builder.create_block());
        self.builder.set_cold_block(otherwise);
        self.builder.ins().brif(condition, next, &[], otherwise, &[]);
        self.builder.switch_to_block(otherwise);
        let status = status(self);
        self.builder.ins().jump(self.failed, &block_arguments([status]));
        self.builder.switch_to_block(next);
    }

    /// Fails unless all numbers are finite: x·0 is zero only for finite x.
    pub(super) fn require_finite(&mut self, numbers: &[Value]) {
        let zero = self.number(0.0);
        let mut sum = None;
        for &x in numbers {
            let x = self.mul(x, zero);
            sum = Some(match sum {
                None => x,
                Some(sum) => self.add(sum, x),
            });
        }
        if let Some(sum) = sum {
            self.require_zero(sum);
        }
    }

    /// Fails unless a sum of numbers that are zero if others are finite is zero.
    fn require_zero(&mut self, sum: Value) {
        let zero = self.number(0.0);
        let is_finite = self.compare(sum, FloatCC::Equal, zero);
        self.require(is_finite, status::of(Failure::NonFinite));
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Equation(_) => {}
            Statement::Let { to, operation } => {
                let x = self.operation(operation);
                self.set(*to, x);
            }
            Statement::SinCos { to, angle, by } => {
                let angle = self.get(*angle);
                let both = self.sin_cos_by(angle, by);
                to.iter().zip(both).for_each(|(to, x)| to.iter().for_each(|&to| self.set(to, x)));
            }
            Statement::Map { to, map, group, arguments } => {
                let wanted: Vec<usize> = (0..to.len()).filter(|&i| to[i].is_some()).collect();
                let numbers = self.map(*map, group, arguments, &wanted);
                to.iter().flatten().zip(numbers).for_each(|(&to, x)| self.set(to, x));
            }
            Statement::Saddle { to, saddle, known, pivots, body, equations } => {
                self.saddle_point((to, known), *saddle, pivots, (body, equations));
            }
            Statement::Pivot { pivot, diagonal, what } => {
                let [pivot, diagonal] = [*pivot, *diagonal].map(|x| self.get(x));
                let rounding = self.times(16.0 * f64::EPSILON, diagonal);
                let zero = self.number(0.0);
                let singular = status::of(match what {
                    Singular::Mass => Failure::SingularMass,
                    Singular::Constraints => Failure::SingularConstraints,
                });
                let not_finite = status::of(Failure::NonFinite);
                for bound in [rounding, zero] {
                    let is_larger = self.compare(pivot, FloatCC::GreaterThan, bound);
                    self.require_or(is_larger, |this| {
                        // x·0 is zero only for finite x.
                        let [x, y] = [pivot, diagonal].map(|x| this.mul(x, zero));
                        let sum = this.add(x, y);
                        let is_finite = this.compare(sum, FloatCC::Equal, zero);
                        let [singular, not_finite] = [singular, not_finite]
                            .map(|status| this.builder.ins().iconst(types::I32, i64::from(status)));
                        this.builder.ins().select(is_finite, singular, not_finite)
                    });
                }
            }
            Statement::Newton(newton) => self.newton(newton),
        }
    }

    /// The solution that is known, or that of the runtime if a pivot is small. Loops whose steps are repeated with checks if they fail
    /// leave it to these.
    fn saddle_point(
        &mut self,
        (to, known): (&[(usize, lower::Value)], &[Operand]),
        saddle: Saddle,
        pivots: &[[Operand; 2]],
        (body, equations): (&[Statement], &[Operand]),
    ) {
        let mut is_regular = Vec::new();
        for pair in pivots {
            // Where it is known already, the loop has failed or goes on.
            if self.huge == Huge::Nan && self.regular.contains(pair) {
                continue;
            }
            self.regular.push(*pair);
            let [pivot, diagonal] = pair.map(|x| self.get(x));
            let bound = self.times(emitted::REGULAR, diagonal);
            is_regular.push(self.compare(pivot, FloatCC::GreaterThan, bound));
        }
        let known = self.all(known);
        if self.huge == Huge::Nan {
            is_regular.into_iter().for_each(|x| self.require(x, status::of(Failure::NonFinite)));
            to.iter().zip(known).for_each(|(&(_, to), x)| self.set(to, x));
            return;
        }
        let [solved, careful] = [(); 2].map(|()| self.builder.create_block());
        self.builder.set_cold_block(careful);
        let results = self.parameters(solved, to.len());
        for is_large in is_regular {
            let next = self.builder.create_block();
            self.builder.ins().brif(is_large, next, &[], careful, &[]);
            self.builder.switch_to_block(next);
        }
        self.jump(solved, known);

        self.builder.switch_to_block(careful);
        self.statements(body);
        let (n, m, forms) = (saddle.velocities, saddle.constraints, saddle.forms());
        let numbers = self.room(numbers_of_saddle_point(n, m, forms));
        for (i, &x) in equations.iter().enumerate() {
            let x = self.get(x);
            self.builder.ins().store(trusted(), x, numbers, offset(i));
        }
        let pointer = self.pointer();
        let [velocities, constraints, rows] = [n, m, forms]
            .map(|x| self.builder.ins().iconst(pointer, i64::try_from(x).expect("dimensions are small")));
        let function = self.declared("saddle_point", &[pointer; 4], &[types::I32]);
        let call = self.builder.ins().call(function, &[velocities, constraints, rows, numbers]);
        let status = self.builder.inst_results(call)[0];
        let succeeds = self.builder.create_block();
        self.builder.ins().brif(status, self.failed, &block_arguments([status]), succeeds, &[]);
        self.builder.switch_to_block(succeeds);
        let first = n * n + n * forms;
        let result = |&(place, _): &(usize, lower::Value)| {
            self.builder.ins().load(types::F64, trusted(), numbers, offset(first + place))
        };
        let computed: Vec<Value> = to.iter().map(result).collect();
        self.jump(solved, computed);

        self.builder.switch_to_block(solved);
        to.iter().zip(results).for_each(|(&(_, to), x)| self.set(to, x));
    }

    fn operation(&mut self, operation: &Operation) -> Value {
        match *operation {
            Operation::Copy(x) => self.get(x),
            Operation::Neg(x) => {
                let x = self.get(x);
                self.builder.ins().fneg(x)
            }
            Operation::Add(x, y) => {
                let [x, y] = [x, y].map(|x| self.get(x));
                self.add(x, y)
            }
            Operation::Sub(x, y) => {
                let [x, y] = [x, y].map(|x| self.get(x));
                self.sub(x, y)
            }
            Operation::Mul(x, y) => {
                let [x, y] = [x, y].map(|x| self.get(x));
                self.mul(x, y)
            }
            Operation::Div(x, y) => {
                let [x, y] = [x, y].map(|x| self.get(x));
                self.builder.ins().fdiv(x, y)
            }
            Operation::Sqrt(x) => {
                let x = self.get(x);
                self.builder.ins().sqrt(x)
            }
            Operation::Call(function, x) => {
                let x = self.get(x);
                match function {
                    Elementary::Sin => self.sin_cos(x)[0],
                    Elementary::Cos => self.sin_cos(x)[1],
                    Elementary::SmallSin => self.small_sin_cos(x)[0],
                    Elementary::SmallCos => self.small_sin_cos(x)[1],
                    function => self.call(function.name(), &[x]),
                }
            }
            Operation::Atan2(y, x) => {
                let both = [y, x].map(|x| self.get(x));
                self.call("atan2", &both)
            }
            Operation::Powf(x, y) => {
                let both = [x, y].map(|x| self.get(x));
                self.call("powf", &both)
            }
            Operation::Select(c, x, y) => {
                let [c, x, y] = [c, x, y].map(|x| self.get(x));
                let zero = self.builder.ins().f64const(0.0);
                let is_positive = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, c, zero);
                self.builder.ins().select(is_positive, x, y)
            }
        }
    }

    /// Calls an elementary function.
    fn call(&mut self, name: &str, numbers: &[Value]) -> Value {
        let function = self.declared(name, &vec![types::F64; numbers.len()], &[types::F64]);
        let call = self.builder.ins().call(function, numbers);
        self.builder.inst_results(call)[0]
    }

    /// Calls the runtime's `sin_cos`.
    pub(super) fn called_sin_cos(&mut self, x: Value) -> [Value; 2] {
        let pointer = self.pointer();
        let function = self.declared("sin_cos", &[types::F64, pointer], &[]);
        let results = self.room(2);
        self.builder.ins().call(function, &[x, results]);
        [0, 1].map(|i| self.builder.ins().load(types::F64, trusted(), results, offset(i)))
    }

    /// The `wanted` results of a map of a group. Its operations for small motions are executed in any case, so that Cranelift
    /// shares them between the maps of a motion; for other motions the runtime is called, or the steps are repeated with
    /// checks.
    fn map(&mut self, map: Map, group: &Group, arguments: &[Vec<Operand>], wanted: &[usize]) -> Vec<Value> {
        let arguments: Vec<Vec<Value>> = arguments.iter().map(|numbers| self.all(numbers)).collect();
        let Some(trace) = trace(map, group, self.retraction) else {
            return self.called_map(map, group, &arguments, wanted);
        };
        let (trace, conditions) = trace.near();
        let numbers = self.traced(&trace, &conditions, &arguments.concat(), wanted);
        let results: Vec<Value> = wanted.iter().filter_map(|&i| numbers[trace.results[i]]).collect();
        let mut holds = None;
        for (x, bound) in conditions {
            let Some(x) = numbers[x] else { continue };
            let bound = self.number(bound);
            let is_below = self.compare(x, FloatCC::LessThan, bound);
            holds = Some(holds.map_or(is_below, |holds| self.builder.ins().band(holds, is_below)));
        }
        let Some(holds) = holds else { return results };
        if self.huge == Huge::Nan {
            self.require(holds, status::of(Failure::NonFinite));
            return results;
        }
        let [otherwise, after] = [(); 2].map(|()| self.builder.create_block());
        let merged = self.parameters(after, wanted.len());
        self.builder.set_cold_block(otherwise);
        self.builder.ins().brif(holds, after, &block_arguments(results), otherwise, &[]);
        self.builder.switch_to_block(otherwise);
        let called = self.called_map(map, group, &arguments, wanted);
        self.jump(after, called);
        self.builder.switch_to_block(after);
        merged
    }

    /// The operations that the `wanted` results, and the conditions, depend on.
    fn traced(
        &mut self,
        trace: &Trace,
        conditions: &[(usize, f64)],
        arguments: &[Value],
        wanted: &[usize],
    ) -> Vec<Option<Value>> {
        let nodes = trace.nodes.list();
        let mut is_needed = vec![false; nodes.len()];
        wanted.iter().for_each(|&i| is_needed[trace.results[i]] = true);
        conditions.iter().for_each(|&(x, _)| is_needed[x] = true);
        for (i, node) in nodes.iter().enumerate().rev() {
            if is_needed[i] {
                node.operands().into_iter().for_each(|x| is_needed[x] = true);
            }
        }
        let mut numbers = vec![None; nodes.len()];
        let mut sines: HashMap<usize, [Value; 2]> = HashMap::new();
        for (i, node) in nodes.iter().enumerate().filter(|&(i, _)| is_needed[i]) {
            let of = |x: usize| numbers[x].expect("operands come first");
            numbers[i] = Some(match *node {
                Node::Argument(place) => arguments[place],
                Node::Constant(bits) => self.number(f64::from_bits(bits)),
                Node::Neg(x) => self.builder.ins().fneg(of(x)),
                Node::Add(x, y) => self.add(of(x), of(y)),
                Node::Sub(x, y) => self.sub(of(x), of(y)),
                Node::Mul(x, y) => self.mul(of(x), of(y)),
                Node::Div(x, y) => self.builder.ins().fdiv(of(x), of(y)),
                Node::Sqrt(x) => self.builder.ins().sqrt(of(x)),
                Node::Sin(x) => sines.entry(x).or_insert_with(|| self.sin_cos(of(x)))[0],
                Node::Call(function, x) => self.call(function, &[of(x)]),
                Node::Cos(x) => sines.entry(x).or_insert_with(|| self.sin_cos(of(x)))[1],
                Node::Atan2(y, x) => self.call("atan2", &[of(y), of(x)]),
                Node::Choice { .. } => unreachable!("for small motions nothing is chosen"),
            });
        }
        numbers
    }

    /// Calls a map of a group.
    fn called_map(
        &mut self,
        map: Map,
        group: &Group,
        arguments: &[Vec<Value>],
        wanted: &[usize],
    ) -> Vec<Value> {
        let mut addresses = Vec::new();
        for numbers in arguments {
            let room = self.room(numbers.len());
            for (i, &x) in numbers.iter().enumerate() {
                self.builder.ins().store(trusted(), x, room, offset(i));
            }
            addresses.push(room);
        }
        let results = self.room(map.results(group));
        let (Some(&first), Some(&second)) = (addresses.first(), addresses.last()) else {
            unreachable!("maps have one argument or two")
        };
        let pointer = self.pointer();
        let symbol = map_symbol(map, group.runtime, self.retraction);
        let function = self.declared(&symbol, &[pointer; 3], &[]);
        self.builder.ins().call(function, &[first, second, results]);
        let result = |&i: &usize| self.builder.ins().load(types::F64, trusted(), results, offset(i));
        wanted.iter().map(result).collect()
    }

    /// The address of room on the stack for `count` numbers.
    pub(super) fn room(&mut self, count: usize) -> Value {
        let (slot, pointer) = (self.slot(count), self.pointer());
        self.builder.ins().stack_addr(pointer, slot, 0)
    }

    /// Room on the stack for `count` numbers.
    fn slot(&mut self, count: usize) -> StackSlot {
        let size = u32::try_from(8 * count).expect("arrays of numbers are short");
        self.builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3))
    }

    pub(super) fn pointer(&self) -> Type {
        self.module.target_config().pointer_type()
    }

    /// A function of the runtime.
    pub(super) fn declared(&mut self, name: &str, parameters: &[Type], results: &[Type]) -> FuncRef {
        if let Some(&function) = self.called.get(name) {
            return function;
        }
        let signature = signature(self.module.target_config().default_call_conv, parameters, results);
        let id = self
            .module
            .declare_function(name, Linkage::Import, &signature)
            .expect("a symbol has one signature");
        let function = self.module.declare_func_in_func(id, self.builder.func);
        self.called.insert(name.to_owned(), function);
        function
    }

    /// Closes the function.
    pub(super) fn finish(self) {
        let Translator { mut builder, module, .. } = self;
        builder.seal_all_blocks();
        builder.finalize(module.target_config());
    }
}

/// A signature of the platform's C compiler.
pub(super) fn signature(convention: CallConv, parameters: &[Type], results: &[Type]) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend(parameters.iter().map(|&ty| AbiParam::new(ty)));
    signature.returns.extend(results.iter().map(|&ty| AbiParam::new(ty)));
    signature
}

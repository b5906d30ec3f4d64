//! Compilation by Cranelift: everything that depends on it.

mod newton;
mod sines;
pub(crate) mod status;
mod steps;
mod translate;

pub(crate) use status::failure;

use crate::Error;
use crate::native::{Code, LoopId, Memory, PlainId, symbols};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{self, InstBuilder, Type, UserFuncName, types};
use cranelift_codegen::isa::{self, CallConv};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITMemoryProvider, JITModule, SystemMemoryProvider};
use cranelift_module::{FuncId, Module, ModuleError, ModuleReloc, default_libcall_names};
use nhi_codegen::lower;
use nhi_codegen::optimised::MethodFunctions;
use nhi_codegen::parallel::in_parallel;
use nhi_codegen::program::Role;
use nhi_methods::{Retraction, Variant};
use std::fmt;
use steps::Fields;
use translate::{Huge, Numbers, Translator, signature};

/// Longest step, in statements, that is compiled twice: in a loop with checks, and in one without. For longer steps the
/// checks cost little, and the second compilation takes long.
const SHORT: usize = 600;

/// Where the numbers are that the loop over steps reads.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) state: Fields,
    /// Index of the first parameter in the data, of the first input, of the step size, and of the time of the start.
    pub(crate) parameters: usize,
    pub(crate) inputs: usize,
    pub(crate) h: usize,
    pub(crate) t0: usize,
    pub(crate) substeps: Substeps,
}

/// A table in the data, with a row for each substep: the time since the beginning of the step, the size of the substep, and
/// what is prepared for it.
#[derive(Clone, Debug)]
pub(crate) struct Substeps {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) length: usize,
}

impl Layout {
    /// That of a method with `start`, for these numbers of parameters and of inputs.
    pub(crate) fn new(
        functions: &MethodFunctions,
        start: &lower::Function,
        variant: Variant,
        [parameters, inputs]: [usize; 2],
    ) -> Layout {
        let fields = start.outputs.iter().map(|output| (output.role.clone(), output.values.len()));
        let fields = fields.chain([(Role::Carried, functions.carried.len())]);
        let h = parameters + inputs;
        let t0 = h + 1;
        let substeps = Substeps {
            start: t0 + 1,
            count: variant.substeps().count(),
            length: 2 + functions.prepared.len(),
        };
        Layout { state: Fields::new(fields), parameters: 0, inputs: parameters, h, t0, substeps }
    }

    /// The length of the data.
    pub(crate) fn data_len(&self) -> usize {
        self.substeps.start + self.substeps.count * self.substeps.length
    }
}

/// The loops over the steps of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loops {
    /// With checks after every step.
    pub(crate) checked: LoopId,
    /// Without checks, for short steps.
    pub(crate) unchecked: Option<UncheckedLoop>,
}

/// A loop without checks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UncheckedLoop {
    pub(crate) id: LoopId,
    /// Whether it leaves out numbers that no step reads.
    pub(crate) is_partial: bool,
}

/// Functions that are being compiled.
pub(crate) struct Unit {
    memory: Memory,
    pointer: Type,
    convention: CallConv,
    builder: FunctionBuilderContext,
    /// Functions that have been written.
    written: Vec<(FuncId, ir::Function)>,
    plain: Vec<(FuncId, [usize; 2])>,
    loops: Vec<(FuncId, [usize; 2])>,
}

/// Machine instructions of the loop over steps of a method, without checks if there is one without, for x86-64 with AVX.
/// An iteration of Newton's method counts once.
///
/// # Errors
/// [`Error::Unavailable`] on other processors.
pub fn instructions(functions: &MethodFunctions) -> Result<usize, Error> {
    let mut isa = isa::lookup_by_name("x86_64").map_err(unavailable)?;
    isa.enable("has_avx").map_err(unavailable)?;
    let mut unit = Unit::on(isa, Box::new(SystemMemoryProvider::new()))?;
    let variant = Variant::from(functions.method);
    let lengths = [Role::Parameters, Role::Inputs].map(|role| {
        let argument = functions.step.arguments.iter().find(|argument| argument.role == role);
        argument.map_or(0, |argument| argument.values.len())
    });
    for (_, start) in functions.starts.iter().take(1) {
        unit.steps(functions, variant.retraction, &Layout::new(functions, start, variant, lengths))?;
    }
    let Some((_, step)) = unit.written.pop() else { return Ok(0) };
    let mut context = Context::for_function(step);
    context.set_disasm(true);
    let code = context.compile(unit.memory.module().isa(), &mut ControlPlane::default());
    let listing = code.map_err(|error| refused(error.into()))?.vcode.as_deref();
    // Those of a block are indented.
    Ok(listing.map_or(0, |text| text.lines().filter(|line| line.starts_with("  ")).count()))
}

fn unavailable(reason: impl fmt::Display) -> Error {
    Error::Unavailable { reason: reason.to_string() }
}

fn refused(error: ModuleError) -> Error {
    match error {
        ModuleError::Allocation { err } => unavailable(format!("no executable memory: {err}")),
        ModuleError::Backend(error) => unavailable(format!("{error:#}")),
        error => unavailable(error),
    }
}

impl Unit {
    /// # Errors
    /// If Cranelift has no back end for this processor.
    pub(crate) fn new() -> Result<Unit, Error> {
        let isa = cranelift_native::builder().map_err(unavailable)?;
        Unit::on(isa, Box::new(SystemMemoryProvider::new()))
    }

    /// For a processor, with memory from `provider`.
    fn on(isa: isa::Builder, provider: Box<dyn JITMemoryProvider + Send>) -> Result<Unit, Error> {
        let mut flags = settings::builder();
        let verifies = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            ("opt_level", "speed"),
            ("enable_verifier", verifies),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("unwind_info", "false"),
            // Steps with many values touch every page of a large frame.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ] {
            flags.set(name, value).map_err(unavailable)?;
        }
        let isa = isa.finish(settings::Flags::new(flags)).map_err(unavailable)?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.symbols(symbols());
        builder.memory_provider(provider);
        let module = JITModule::new(builder);
        let config = module.target_config();
        Ok(Unit {
            pointer: config.pointer_type(),
            convention: config.default_call_conv,
            memory: Memory::new(module),
            builder: FunctionBuilderContext::new(),
            written: Vec::new(),
            plain: Vec::new(),
            loops: Vec::new(),
        })
    }

    /// Compiles a function of numbers, its arguments one after the other, and so its results. It fails where a result that has
    /// to be finite is not.
    ///
    /// # Errors
    /// If Cranelift cannot compile it.
    pub(crate) fn plain(
        &mut self,
        function: &lower::Function,
        retraction: Retraction,
    ) -> Result<PlainId, Error> {
        let fields = function.arguments.iter().map(|argument| (argument.role.clone(), argument.values.len()));
        let fields = Fields::new(fields);
        let lengths = [fields.len(), function.outputs.iter().map(|output| output.values.len()).sum()];
        let id = self.define(&[self.pointer; 2], retraction, Huge::Called, |translator| {
            let entry = translator.builder.create_block();
            translator.builder.append_block_params_for_function_params(entry);
            translator.builder.switch_to_block(entry);
            let [arguments, results] = [0, 1].map(|i| translator.builder.block_params(entry)[i]);
            let argument = |role: &Role| Numbers::Stored(arguments, fields.of(role).start);
            translator.function_to(results, function, argument);
            let success = translator.builder.ins().iconst(types::I32, 0);
            translator.builder.ins().return_(&[success]);
            translator.builder.switch_to_block(translator.failed);
            let status = translator.builder.block_params(translator.failed)[0];
            translator.builder.ins().return_(&[status]);
        })?;
        self.plain.push((id, lengths));
        Ok(PlainId(self.plain.len() - 1))
    }

    /// Compiles the loops over the steps of a method: the one with checks, and perhaps one without, which may be partial.
    ///
    /// # Errors
    /// If Cranelift cannot compile them.
    pub(crate) fn steps(
        &mut self,
        method: &MethodFunctions,
        retraction: Retraction,
        layout: &Layout,
    ) -> Result<Loops, Error> {
        let checked = self.steps_with(method, retraction, layout, Huge::Called, false)?;
        let mut length = 0;
        method.step.for_each_statement(&mut |_| length += 1);
        if length > SHORT {
            return Ok(Loops { checked, unchecked: None });
        }
        // Where nothing but multipliers is left out, the additional step with checks costs more.
        let is_partial =
            layout.substeps.count == 1 && method.unread.len() > layout.state.of(&Role::Multipliers).len();
        let id = self.steps_with(method, retraction, layout, Huge::Nan, is_partial)?;
        Ok(Loops { checked, unchecked: Some(UncheckedLoop { id, is_partial }) })
    }

    fn steps_with(
        &mut self,
        method: &MethodFunctions,
        retraction: Retraction,
        layout: &Layout,
        huge: Huge,
        is_partial: bool,
    ) -> Result<LoopId, Error> {
        let pointer = self.pointer;
        let parameters = [pointer, pointer, types::I64, types::I64, pointer];
        let id = self.define(&parameters, retraction, huge, |translator| {
            translator.steps(method, layout, is_partial);
        })?;
        self.loops.push((id, [layout.state.len(), layout.data_len()]));
        Ok(LoopId(self.loops.len() - 1))
    }

    /// Compiles a function with these parameters that returns a status.
    fn define(
        &mut self,
        parameters: &[Type],
        retraction: Retraction,
        huge: Huge,
        write: impl FnOnce(&mut Translator<'_>),
    ) -> Result<FuncId, Error> {
        let signature = signature(self.convention, parameters, &[types::I32]);
        let module = self.memory.module();
        let id = module.declare_anonymous_function(&signature).map_err(refused)?;
        let mut function = ir::Function::with_name_signature(UserFuncName::default(), signature);
        let builder = FunctionBuilder::new(&mut function, &mut self.builder);
        let mut translator = Translator::new(builder, module, retraction, huge);
        write(&mut translator);
        translator.finish();
        self.written.push((id, function));
        Ok(id)
    }

    /// Compiles the functions, on all processors, and makes them executable.
    ///
    /// # Errors
    /// If Cranelift cannot compile one, or the system refuses executable memory.
    pub(crate) fn finish(mut self) -> Result<Code, Error> {
        let module = self.memory.module();
        let isa = module.isa();
        let compiled = in_parallel(
            &self.written,
            |_| "compilation",
            |(id, function)| {
                let mut context = Context::for_function(function.clone());
                context.compile(isa, &mut ControlPlane::default()).map_err(|error| refused(error.into()))?;
                let code = context.compiled_code().expect("it has been compiled");
                let (alignment, bytes) = (u64::from(code.buffer.alignment), code.code_buffer().to_vec());
                let relocations = code.buffer.relocs().iter();
                let relocations: Vec<ModuleReloc> = relocations
                    .map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, *id))
                    .collect();
                Ok((alignment, bytes, relocations))
            },
        );
        for ((id, _), compiled) in self.written.iter().zip(compiled) {
            let (alignment, bytes, relocations) = compiled?;
            module.define_function_bytes(*id, alignment, &bytes, &relocations).map_err(refused)?;
        }
        module.finalize_definitions().map_err(refused)?;
        Ok(Code::new(self.memory, &self.plain, &self.loops))
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;
    use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider};
    use cranelift_module::ModuleResult;
    use nhi_codegen::lower::Function;
    use nhi_codegen::program::Operations;
    use nhi_methods::Retraction;
    use std::io;

    /// A system that gives no memory for code.
    struct Refuses;

    #[allow(unsafe_code, reason = "a trait of Cranelift; nothing is freed")]
    impl JITMemoryProvider for Refuses {
        fn allocate(&mut self, _size: usize, _align: u64, _kind: JITMemoryKind) -> io::Result<*mut u8> {
            Err(io::ErrorKind::PermissionDenied.into())
        }

        unsafe fn free_memory(&mut self) {}

        fn finalize(&mut self, _branch_protection: BranchProtection) -> ModuleResult<()> {
            Ok(())
        }
    }

    #[test]
    fn a_system_without_executable_memory_is_an_error() {
        let function = Function {
            name: "nothing".to_owned(),
            doc: Vec::new(),
            arguments: Vec::new(),
            body: Vec::new(),
            outputs: Vec::new(),
            names: Vec::new(),
            operations: Operations::default(),
        };
        let isa = cranelift_native::builder().expect("a back end");
        let mut unit = Unit::on(isa, Box::new(Refuses)).expect("a back end");
        unit.plain(&function, Retraction::Exp).expect("a function");
        let error = unit.finish().err().expect("no memory");
        let message = error.to_string();
        let expected =
            "no machine code can be generated and executed here: no executable memory: permission denied";
        assert_eq!(message, expected);
    }
}

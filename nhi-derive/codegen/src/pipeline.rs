//! The stages in order.

use crate::caught::caught;
use crate::declaration::{self, Declaration, Error, Rejected};
use crate::emit::{self, Unit};
use crate::engine::{Engine, EngineError, default_engine};
use crate::forms::{curvature_program, derivative_programs, method_programs, readable_programs};
use crate::lower::Function;
use crate::mechanics::Mechanics;
use crate::method::{Method, MethodPrograms, SystemPrograms, derivatives_refusal, refusal, system_programs};
use crate::optimise::{Cost, Options, passes};
use crate::optimised::{MethodFunctions, Optimised, unoptimised_functions};
use crate::parallel::in_parallel;
use proc_macro2::TokenStream;

/// The expansion of `#[derive(Nonholonomic)]`: the implementation, or every error and a stub. A panic, which is a bug of
/// this crate, is one such error.
pub fn derive(input: TokenStream) -> TokenStream {
    let input = match declaration::shallow(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    implementation(&input).unwrap_or_else(|rejected| {
        let mut tokens = declaration::stub(&input, &rejected);
        tokens.extend(emit::stand_in(&input, &rejected));
        tokens
    })
}

fn implementation(input: &syn::DeriveInput) -> Result<TokenStream, Box<Rejected>> {
    let declaration = stage("declaration", input, Rejected::unread, || Declaration::parse(input))?;
    let known = declaration.reject(Vec::new());
    let known = || known.clone();
    let derived = stage("derivation", input, known, || Derived::new(declaration, default_engine().as_mut()))?;
    stage("code generation", input, known, || derived.implementation())
}

/// The result of one stage. A panic in it is an error at the name of the struct, with what is `known` of the declaration.
fn stage<T>(
    name: &str,
    input: &syn::DeriveInput,
    known: impl FnOnce() -> Box<Rejected>,
    run: impl FnOnce() -> Result<T, Box<Rejected>>,
) -> Result<T, Box<Rejected>> {
    caught(name, run).unwrap_or_else(|message| {
        let mut rejected = known();
        let message = format!("a bug of nhi, please report it: {message}");
        rejected.errors.push(Error::new(input.ident.span(), message));
        Err(rejected)
    })
}

/// Everything that follows from one declaration.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The declaration; its system has moved to `mechanics`.
    pub declaration: Declaration,
    /// The geometry.
    pub mechanics: Mechanics,
    /// Functions of the system itself.
    pub system: SystemPrograms,
    /// Functions of each method, in the declared order.
    pub methods: Vec<MethodPrograms>,
}

impl Derived {
    /// Derives the system's mechanics and writes the programs of its methods.
    ///
    /// # Errors
    /// Methods that do not apply, or an engine that cannot answer.
    pub fn new(mut declaration: Declaration, engine: &mut dyn Engine) -> Result<Derived, Box<Rejected>> {
        let mut mechanics = Mechanics::derive(declaration.system.clone(), engine)
            .map_err(|e| unanswered(&declaration, &e))?;
        if !mechanics.has_finite_constants() {
            return Err(infinite(&declaration));
        }
        let refusals: Vec<Option<String>> =
            declaration.system.methods.iter().map(|&method| refusal(method, &mechanics)).collect();
        if declaration.all_methods {
            let methods = declaration.system.methods.iter().zip(&refusals);
            let applicable =
                methods.filter(|(_, reason)| reason.is_none()).map(|(method, _)| *method).collect();
            declaration = declaration.with_methods(applicable);
        } else {
            let errors: Vec<Error> = (refusals.iter().enumerate())
                .filter_map(|(i, reason)| Some(declaration.method_error(i, reason.as_deref()?)))
                .collect();
            if !errors.is_empty() {
                return Err(declaration.reject(errors));
            }
        }
        let system = system_programs(&mut mechanics);
        let methods = &declaration.system.methods;
        let methods =
            in_parallel(methods, |method| method.facts().id, |&method| method_programs(&mechanics, method));
        let has_derivatives = |method| methods.iter().any(|m| m.method == method && m.derivatives.is_some());
        let asked = declaration.system.differentiated.iter().enumerate();
        let missing = asked.filter(|(_, method)| !has_derivatives(**method));
        let errors: Vec<Error> = missing
            .map(|(i, &method)| declaration.derivatives_error(i, derivatives_refusal(method)))
            .collect();
        if !errors.is_empty() {
            return Err(declaration.reject(errors));
        }
        Ok(Derived { declaration, mechanics, system, methods })
    }

    /// The functions of the system and its methods after the passes.
    ///
    /// # Errors
    /// A constant of the functions that is not finite, although those of the declaration are.
    pub fn optimised(&self) -> Result<Optimised, Box<Rejected>> {
        let optimised = Optimised::of(&self.mechanics, &self.system, &self.methods);
        if !optimised.has_finite_constants() {
            return Err(infinite(&self.declaration));
        }
        Ok(optimised)
    }

    /// The implementation of the runtime's traits.
    ///
    /// # Errors
    /// As [`Derived::optimised`], and several group factors.
    pub fn implementation(&self) -> Result<TokenStream, Box<Rejected>> {
        Ok(emit::implementation(&self.unit(&self.optimised()?, None)?))
    }

    /// The same for people: formatted, with the equations that the code implements as comments.
    ///
    /// # Errors
    /// An engine that cannot answer, and those of [`Derived::implementation`].
    pub fn pretty(&self, engine: &mut dyn Engine) -> Result<String, Box<Rejected>> {
        let mut mechanics = self.mechanics.clone();
        let connection = mechanics.connection(engine).map_err(|e| unanswered(&self.declaration, &e))?;
        let geometry = connection.map(|connection| connection.text(&mechanics));
        Ok(emit::pretty(&self.unit(&self.optimised()?, geometry)?))
    }

    /// The methods' schemes as they are derived, before the passes: formatted, with the equations that the code
    /// implements as comments.
    pub fn plain(&self) -> String {
        let methods = self.declaration.system.methods.iter();
        let methods: Vec<(Method, Vec<Function>)> = methods
            .map(|&method| (method, unoptimised_functions(&readable_programs(&self.mechanics, method))))
            .collect();
        emit::unoptimised(&self.declaration, &self.mechanics.system.group, &methods)
    }

    /// The derivatives of the steps of all methods that have them, whether or not the declaration asks for them, and the basis
    /// that they refer to: formatted, with their operations. A comment says which methods have none.
    ///
    /// # Errors
    /// As [`Derived::implementation`].
    pub fn derivatives(&self) -> Result<String, Box<Rejected>> {
        let mut derived = self.clone();
        let mut out = String::new();
        for method in &mut derived.methods {
            let first = derivative_programs(&self.mechanics, method.method);
            method.derivatives = first.zip(curvature_program(&self.mechanics, method.method));
            if method.derivatives.is_none() {
                let reason = derivatives_refusal(method.method);
                out.push_str(&format!("// `{}` has no derivatives: {reason}.\n", method.id()));
            }
        }
        let optimised = derived.optimised()?;
        out.push_str(&emit::derivatives(&derived.unit(&optimised, None)?));
        Ok(out)
    }

    /// What each pass of the optimiser did to the step of each method, or why it does not apply.
    pub fn explain(&self) -> String {
        let options = Options { explains: true, ..Options::default() };
        let mut out = format!("{}\n", self.declaration.ident);
        for method in &self.methods {
            let MethodFunctions { step, cost, decisions, .. } = MethodFunctions::of(method, options);
            let Cost { recurrence, in_loop, .. } = cost;
            out.push_str(&format!(
                "\n{}: {}; in a loop {in_loop} operations, {recurrence} cycles from step to step\n",
                method.id(),
                step.operations
            ));
            for decision in decisions {
                let does = passes().into_iter().find(|(pass, _)| *pass == decision.pass);
                let does = does.map_or("", |(_, does)| does);
                out.push_str(&format!("    {decision} ({does})\n"));
            }
        }
        out
    }

    /// What is emitted as Rust. The runtime has a type of configurations with one pose alone.
    fn unit<'a>(
        &'a self,
        optimised: &'a Optimised,
        geometry: Option<String>,
    ) -> Result<Unit<'a>, Box<Rejected>> {
        if optimised.facts.group.has_several() {
            let declaration = &self.declaration;
            let error = Error::new(
                declaration.extents.group.unwrap_or_else(|| declaration.ident.span().into()),
                "Rust code is generated for systems with one group factor at most",
            );
            let help = "compile the system at run time, by `nhi run` or the crate `nhi-jit`";
            return Err(declaration.reject(vec![error.help(help)]));
        }
        Ok(Unit { declaration: &self.declaration, optimised, geometry })
    }
}

fn infinite(declaration: &Declaration) -> Box<Rejected> {
    let error = Error::new(
        declaration.extents.lagrangian,
        "a constant in the equations of motion of this Lagrangian is not finite as f64",
    );
    declaration.reject(vec![error.help("choose units in which its constants are of moderate size")])
}

pub(crate) fn unanswered(declaration: &Declaration, error: &EngineError) -> Box<Rejected> {
    declaration.reject(vec![Error::new(declaration.ident.span(), error.to_string())])
}

#[cfg(test)]
mod tests {
    use super::{Derived, stage};
    use crate::declaration::{self, Declaration, Rejected};
    use crate::engine::BuiltIn;
    use crate::program::Program;
    use proc_macro2::TokenStream;

    fn input() -> syn::DeriveInput {
        syn::parse_quote! {
            #[nonholonomic(
                crate = super::runtime,
                coordinates(x, y),
                lagrangian = m/2*(dot(x)^2 + dot(y)^2),
                constraints(dx - x*dy),
                methods(Dla2, Rk4)
            )]
            struct Broken { m: f64 }
        }
    }

    /// The error where `run` panics: one, together with the impls that keep others from following.
    fn message(run: impl FnOnce() -> TokenStream) -> String {
        let (input, declared) = (input(), Declaration::parse(&input()).unwrap());
        let rejected = stage("test", &input, || declared.reject(Vec::new()), || Ok(run())).unwrap_err();
        let stub = declaration::stub(&input, &rejected).to_string().replace(' ', "");
        assert!(stub.starts_with("::core::compile_error!{\"abugofnhi,"), "{stub}");
        assert_eq!(stub.matches("compile_error!").count(), 1, "{stub}");
        assert!(stub.contains("super::runtime::SystemforBroken"), "{stub}");
        assert!(stub.contains("super::runtime::Method<Broken>forsuper::runtime::Dla2"), "{stub}");
        let message = rejected.errors[0].to_string();
        message.split_once("a bug of nhi, please report it: ").unwrap().1.to_owned()
    }

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        assert_eq!(message(|| panic!("a message of {}", 7)), "test: a message of 7");
        assert_eq!(message(|| panic!("a message")), "test: a message");
        assert_eq!(message(|| std::panic::panic_any(7)), "test: panic without a message");
    }

    /// Whichever thread takes that program through the passes.
    #[test]
    fn a_panic_in_a_pass_is_an_error_with_its_message() {
        let broken = |breaks: fn(&mut Derived) -> &mut Program| {
            let mut derived = Derived::new(Declaration::parse(&input()).unwrap(), &mut BuiltIn).unwrap();
            breaks(&mut derived).body.clear();
            message(|| derived.implementation().expect("finite constants"))
        };
        for (message, of) in [
            (broken(|derived| &mut derived.methods[0].step), "test: dla2: "),
            (broken(|derived| &mut derived.methods[1].step), "test: rk4: "),
            (broken(|derived| &mut derived.system.acceleration), "test: acceleration: "),
        ] {
            assert!(message.starts_with(of) && message.ends_with(" is bound nowhere"), "{message}");
        }
    }

    #[test]
    fn a_panic_before_anything_is_known_is_an_error() {
        let input = input();
        let rejected =
            stage("declaration", &input, Rejected::unread, || -> Result<(), _> { panic!("early") });
        let rejected = rejected.unwrap_err();
        assert!(rejected.errors[0].to_string().ends_with("please report it: declaration: early"));
        assert!(!declaration::stub(&input, &rejected).is_empty());
    }
}

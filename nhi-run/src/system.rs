//! A declared system, derived and compiled at run time.

use crate::apart::{Phase, apart};
use crate::bodies::Body;
use crate::cache::{Cache, Part, Parts};
use crate::error::{DeclarationError, Error, Mistake};
use crate::expressions::{ExtendedDeclaration, evaluate, extended, functions};
use nhi_codegen::declaration::{Declaration, Rejected, Unused};
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::Pool;
use nhi_codegen::expr::group::Product;
use nhi_codegen::facts::SystemFacts;
use nhi_codegen::forms::method_programs;
use nhi_codegen::generate::fingerprint;
use nhi_codegen::mechanics::Mechanics;
use nhi_codegen::method::{MethodPrograms, SystemPrograms, refusal};
use nhi_codegen::optimise::Options;
use nhi_codegen::optimised::{
    MOST_STATEMENTS, MethodFunctions, Optimised, SystemFunctions, basis_derivative_function, basis_function,
    curvature_function, derivative_functions, formula_functions,
};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::program::Program;
use nhi_codegen::report::Report;
use nhi_codegen::source::{ExpandError, structs, tokens};
use nhi_codegen::system::{self, Definition};
use nhi_jit::{Basis, BasisDerivative, Compiled, Derivatives, Formulas, Manifold, Point, SecondDerivatives};
use nhi_methods::{Method, Variant};
use quote::ToTokens;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// A declared system. Clones share what has been derived and compiled; each method is compiled once, when it is first used. What
/// takes long to derive can be shared with other processes ([`crate::use_cache`]).
#[derive(Clone)]
pub struct System {
    shared: Arc<SystemData>,
}

struct SystemData {
    source: String,
    fingerprint: String,
    facts: SystemFacts,
    /// What all functions are derived from, once a function is needed that is not in the cache.
    equations: Once<Equations>,
    /// What is in the cache of this system, if there is one.
    parts: Option<Parts>,
    outputs: Vec<Definition>,
    /// The names and expressions of the outputs.
    further: Vec<(String, Option<String>)>,
    /// The bodies of the declaration.
    bodies: Vec<Body>,
    /// The system with the outputs among its definitions.
    recorded: system::System,
    /// The parameters and inputs that neither formulas nor outputs use, and whether each is an input.
    unused: Vec<(String, bool)>,
    declared: Vec<Method>,
    /// Why methods do not apply, in the order of all methods.
    refusals: Vec<Option<String>>,
    functions: Once<SystemFunctions>,
    /// Programs that the passes have not run over.
    written: Kept<Method, Arc<MethodPrograms>>,
    methods: Kept<Method, MethodFunctions>,
    compiled: Kept<Option<Variant>, Compiled>,
    derivatives: Kept<Variant, Derivatives>,
    second_derivatives: Kept<Variant, SecondDerivatives>,
    basis: Once<Basis>,
    basis_derivative: Once<BasisDerivative>,
}

/// The part of a system that its facts are, with the methods that do not apply.
const FACTS: &str = "facts";

/// The equations of a system.
struct Equations {
    mechanics: Mechanics,
    programs: SystemPrograms,
}

/// Made when it is first needed.
type Once<T> = OnceLock<Result<T, Error>>;

/// Values by their keys, each made once; while one is made, others can be.
struct Kept<K, T>(Mutex<HashMap<K, Arc<Once<T>>>>);

impl<K: Eq + Hash, T: Clone> Kept<K, T> {
    fn new() -> Self {
        Kept(Mutex::new(HashMap::new()))
    }

    fn get(&self, key: K, make: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        // The map is only looked into while it is locked.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = Arc::clone(all.entry(key).or_default());
        drop(all);
        one.get_or_init(make).clone()
    }

    /// A value that has been made, if there is one.
    fn any(&self) -> Option<T> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().find_map(|one| one.get()?.as_ref().ok().cloned())
    }

    /// Releases a value that is not needed again.
    fn forget(&self, key: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

impl System {
    /// Reads the declaration of a struct in `source`, the text of the file `file`, and derives its equations. `name` chooses
    /// among several structs.
    ///
    /// # Errors
    /// All mistakes at once, as the derive finds them.
    pub fn parse(source: &str, file: &str, name: Option<&str>) -> Result<System, DeclarationError> {
        System::with_outputs(source, file, name, &[])
    }

    /// The same with outputs, which are recorded with every sample: names of the declaration, such as those of `let`, or
    /// names with expressions in the grammar of `let`.
    ///
    /// # Errors
    /// As [`System::parse`]; the mistakes of an expression are in a text with the name of the output.
    pub fn with_outputs(
        source: &str,
        file: &str,
        name: Option<&str>,
        outputs: &[(&str, Option<&str>)],
    ) -> Result<System, DeclarationError> {
        System::cached(source, file, name, outputs, Cache::used())
    }

    /// The same with a cache.
    pub(crate) fn cached(
        source: &str,
        file: &str,
        name: Option<&str>,
        outputs: &[(&str, Option<&str>)],
        cache: Option<Cache>,
    ) -> Result<System, DeclarationError> {
        let read = apart(Phase::Derivation, || SystemData::read(source, file, name, outputs, cache));
        let shared = read.unwrap_or_else(|bug| Err(DeclarationError::one(Mistake::new(bug))))?;
        Ok(System { shared: Arc::new(shared) })
    }

    /// Name of the declared struct.
    pub fn name(&self) -> &str {
        &self.shared.facts.name
    }

    /// The text that the declaration was read from.
    pub fn source(&self) -> &str {
        &self.shared.source
    }

    /// Hash of the declaration, 16 hexadecimal digits, as in generated files.
    pub fn fingerprint(&self) -> &str {
        &self.shared.fingerprint
    }

    /// Names of the parameters, flattened.
    pub fn parameters(&self) -> &[String] {
        &self.shared.facts.parameters
    }

    /// Names of the entries of a configuration.
    pub fn coordinates(&self) -> &[String] {
        &self.shared.facts.coordinates
    }

    /// Names of the entries of a velocity. Those of coordinates have the names of the coordinates.
    pub fn velocities(&self) -> &[String] {
        &self.shared.facts.velocities
    }

    /// Names of the auxiliary states.
    pub fn states(&self) -> &[String] {
        &self.shared.facts.states
    }

    /// Names of the control inputs.
    pub fn inputs(&self) -> &[String] {
        &self.shared.facts.inputs
    }

    /// Labels of the constraints; without a label, their text. Position constraints come last.
    pub fn constraints(&self) -> &[String] {
        &self.shared.facts.constraints
    }

    /// How many of the constraints are position constraints.
    pub fn positions(&self) -> usize {
        self.shared.facts.positions
    }

    /// The group factors, whose poses and velocities come last.
    pub fn group(&self) -> &Product {
        &self.shared.facts.group
    }

    /// Number of coordinates that are no entries of a pose.
    pub fn shape(&self) -> usize {
        self.shared.facts.shape
    }

    /// What the i-th velocity is called among columns: `dot_x` of a coordinate, `omega` of a group factor.
    pub fn velocity_column(&self, i: usize) -> String {
        let name = &self.velocities()[i];
        if i < self.shape() { format!("dot_{name}") } else { name.clone() }
    }

    /// The i-th velocity in the grammar of expressions: `dot(x)`, `omega`.
    pub(crate) fn velocity_text(&self, i: usize) -> String {
        let name = &self.velocities()[i];
        if i < self.shape() { format!("dot({name})") } else { name.clone() }
    }

    /// Whether its motions conserve the energy: without inputs, forces, dependence on time and affine constraints.
    pub fn is_conservative(&self) -> bool {
        let facts = &self.shared.facts;
        let is_changed = facts.forced || facts.affine || facts.time_dependent || facts.driven;
        !is_changed && facts.inputs.is_empty()
    }

    /// Whether the Lagrangian, or a constraint, depends on time, or a constraint on an input.
    pub(crate) fn changes_with_time(&self) -> bool {
        self.shared.facts.time_dependent || self.shared.facts.driven
    }

    /// Whether an input drives a constraint.
    pub(crate) fn is_driven_by_inputs(&self) -> bool {
        self.shared.facts.driven
    }

    /// What to say about parameters and inputs that no formula uses, neither one of the declaration nor an output nor one of these
    /// texts, if there are any. A name is mostly mistaken for another one there.
    pub fn unused<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let texts: Vec<&str> = texts.into_iter().collect();
        let is_used =
            |name: &str| texts.iter().any(|text| text.split(|c| !is_name(c)).any(|word| word == name));
        let of_kind = |is_input: bool, kind: &str| {
            let unused =
                self.shared.unused.iter().filter(|(name, of_input)| *of_input == is_input && !is_used(name));
            let names: Vec<String> = unused.map(|(name, _)| format!("`{name}`")).collect();
            match names.as_slice() {
                [] => None,
                [name] => Some(format!("the {kind} {name}")),
                _ => Some(format!("the {kind}s {}", names.join(", "))),
            }
        };
        let all: Vec<String> =
            [of_kind(false, "parameter"), of_kind(true, "input")].into_iter().flatten().collect();
        (!all.is_empty()).then(|| format!("no formula uses {}", all.join(", nor ")))
    }

    /// Names of the momenta of the symmetries that were found in the declaration.
    pub fn symmetries(&self) -> impl Iterator<Item = &str> {
        self.shared.facts.symmetries.iter().map(|(name, _)| name.as_str())
    }

    /// Names of the outputs; those of vectors entry by entry.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.shared.outputs.iter().map(|output| output.name.as_str())
    }

    /// The names and expressions of the outputs, as they were given.
    pub(crate) fn further_outputs(&self) -> &[(String, Option<String>)] {
        &self.shared.further
    }

    /// The bodies that the declaration names for pictures.
    pub fn bodies(&self) -> &[Body] {
        &self.shared.bodies
    }

    /// The methods of `methods(...)`, at least one of which is the default.
    pub fn declared(&self) -> &[Method] {
        &self.shared.declared
    }

    /// All methods that apply to the system.
    pub fn methods(&self) -> impl Iterator<Item = Method> {
        let all = Method::ALL.iter().zip(&self.shared.refusals);
        all.filter(|(_, refusal)| refusal.is_none()).map(|(method, _)| *method)
    }

    /// The method of this id, such as `dla2`, or with its choices, such as `dla2_suzuki4`.
    ///
    /// # Errors
    /// [`Error::Method`] for an unknown id, and with the reason for a method that does not apply.
    pub fn variant(&self, id: &str) -> Result<Variant, Error> {
        let wrong = |reason: String| Error::Method { id: id.to_owned(), reason };
        let variant = Variant::with_id(id).or_else(|| Method::named(id).map(Variant::from));
        let Some(variant) = variant else {
            let ids: Vec<&str> = self.methods().map(|method| method.facts().id).collect();
            let written = id.to_lowercase();
            let near = ids.iter().map(|known| (strsim::damerau_levenshtein(&written, known), known)).min();
            return Err(wrong(match near {
                Some((0..=2, near)) => format!("unknown method, did you mean `{near}`?"),
                _ => format!("unknown method, expected one of {}", ids.join(", ")),
            }));
        };
        let all = Method::ALL.iter().zip(&self.shared.refusals);
        let refused =
            all.filter(|(method, _)| **method == variant.method).find_map(|(_, refusal)| refusal.as_ref());
        match refused {
            Some(reason) => Err(wrong(format!("does not apply to this system: {reason}"))),
            None => Ok(variant),
        }
    }

    /// The functions of the system, compiled.
    ///
    /// # Errors
    /// [`Error::Derivation`] and [`nhi_jit::Error::Unavailable`].
    pub fn functions(&self) -> Result<Compiled, Error> {
        let compiled = &self.shared.compiled;
        // Those of a method contain them.
        compiled.any().map_or_else(|| compiled.get(None, || self.compile(&[])), Ok)
    }

    /// The steps of a method and the functions of the system, compiled: by the first call in this process.
    ///
    /// # Errors
    /// As [`System::functions`].
    pub fn compiled(&self, variant: Variant) -> Result<Compiled, Error> {
        self.shared.compiled.get(Some(variant), || self.compile(&[variant]))
    }

    /// The derivatives of the step of a method, compiled: by the first call in this process.
    ///
    /// # Errors
    /// [`nhi_jit::Error::NoDerivatives`], [`Error::Derivation`] and [`nhi_jit::Error::Unavailable`].
    pub fn derivatives(&self, variant: Variant) -> Result<Derivatives, Error> {
        let shared = &*self.shared;
        let make = || {
            Derivatives::refusal(&shared.facts, variant).map_or(Ok(()), Err)?;
            let functions = shared.part("first derivatives", Some(variant.method), || {
                let mechanics = &shared.equations()?.mechanics;
                let derive = || derivative_functions(mechanics, variant.method);
                apart(Phase::FirstDerivatives, derive).map_err(Error::Derivation)
            })?;
            let optimised = self.substeps(variant)?;
            Ok(apart(Phase::FirstDerivatives, || Derivatives::new(&optimised, variant, || functions))
                .map_err(Error::Derivation)??)
        };
        shared.derivatives.get(variant, make)
    }

    /// The second derivatives of the step of a method, compiled: by the first call in this process.
    ///
    /// # Errors
    /// As [`System::derivatives`].
    pub fn second_derivatives(&self, variant: Variant) -> Result<SecondDerivatives, Error> {
        let shared = &*self.shared;
        let make = || {
            Derivatives::refusal(&shared.facts, variant).map_or(Ok(()), Err)?;
            let function = shared.part("second derivatives", Some(variant.method), || {
                let mechanics = &shared.equations()?.mechanics;
                let derive = || curvature_function(mechanics, variant.method);
                apart(Phase::SecondDerivatives, derive).map_err(Error::Derivation)
            })?;
            let optimised = self.substeps(variant)?;
            Ok(apart(Phase::SecondDerivatives, || SecondDerivatives::new(&optimised, variant, || function))
                .map_err(Error::Derivation)??)
        };
        shared.second_derivatives.get(variant, make)
    }

    /// The basis of the admissible velocities, compiled: by the first call in this process.
    ///
    /// # Errors
    /// [`Error::Derivation`] and [`nhi_jit::Error::Unavailable`].
    pub fn basis(&self) -> Result<Basis, Error> {
        let shared = &*self.shared;
        let make = || {
            let function = shared.part("basis", None, || {
                let mechanics = &shared.equations()?.mechanics;
                apart(Phase::Derivation, || basis_function(mechanics)).map_err(Error::Derivation)
            })?;
            Ok(apart(Phase::Compilation, || Basis::new(&shared.facts, &function))
                .map_err(Error::Derivation)??)
        };
        shared.basis.get_or_init(make).clone()
    }

    /// The derivatives of admissible velocities by the configuration, compiled: by the first call in this process.
    ///
    /// # Errors
    /// As [`System::basis`].
    pub fn basis_derivative(&self) -> Result<BasisDerivative, Error> {
        let shared = &*self.shared;
        let make = || {
            let function = shared.part("derivative of the basis", None, || {
                let mechanics = &shared.equations()?.mechanics;
                apart(Phase::Derivation, || basis_derivative_function(mechanics)).map_err(Error::Derivation)
            })?;
            Ok(apart(Phase::Compilation, || BasisDerivative::new(&function)).map_err(Error::Derivation)??)
        };
        shared.basis_derivative.get_or_init(make).clone()
    }

    /// Displacements and differences of states.
    pub fn manifold(&self) -> Manifold {
        Manifold::new(&self.shared.facts)
    }

    /// Functions of a state, with their derivatives, compiled: texts in the grammar of `let`, with what errors call them.
    ///
    /// # Errors
    /// [`Error::Declaration`] for mistakes in a text, [`Error::Derivation`] and [`nhi_jit::Error::Unavailable`].
    pub fn formulas(&self, texts: &[(&str, &str)]) -> Result<Formulas, Error> {
        let shared = &*self.shared;
        let read = || functions(&shared.source, self.name(), texts);
        let (pool, values) = apart(Phase::Derivation, read).map_err(Error::Derivation)??;
        let formulas: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        let functions = shared.part(&format!("{formulas:?}"), None, || {
            let mechanics = &shared.equations()?.mechanics;
            let derive = || formula_functions(mechanics, &pool, &values);
            apart(Phase::Derivation, derive).map_err(Error::Derivation)
        })?;
        Ok(apart(Phase::Compilation, || Formulas::new(&shared.facts, &functions))
            .map_err(Error::Derivation)??)
    }

    /// What to do about the size of a method's steps and the functions of the system, if that makes compilation take long.
    ///
    /// # Errors
    /// [`Error::Derivation`].
    pub fn warning(&self, variant: Variant) -> Result<Option<String>, Error> {
        Ok(self.optimised(&[variant])?.warning(true))
    }

    /// What to do about the size of a method's equations and those of the system, if it takes long to simplify and to compile them:
    /// before that is done, by their operations.
    ///
    /// # Errors
    /// [`Error::Derivation`].
    pub fn forewarning(&self, variant: Variant) -> Result<Option<String>, Error> {
        let operations = self.shared.operations(variant.method)?;
        Ok((operations > MOST_STATEMENTS).then(|| {
            format!(
                "the equations have {operations} operations before they are simplified, more than {MOST_STATEMENTS}, which takes \
                 long: choose coordinates in which mass matrix and constraints have more zeros, or shorter formulas"
            )
        }))
    }

    fn optimised(&self, variants: &[Variant]) -> Result<Optimised, Error> {
        let methods = variants.iter().map(|variant| self.shared.method(variant.method));
        Ok(Optimised {
            facts: self.shared.facts.clone(),
            basis: None,
            basis_derivative: None,
            system: self.shared.system()?,
            methods: methods.collect::<Result<_, _>>()?,
        })
    }

    /// With the step that a composition is composed of.
    fn substeps(&self, variant: Variant) -> Result<Optimised, Error> {
        if variant.composition.is_some() { self.optimised(&[variant]) } else { self.optimised(&[]) }
    }

    fn compile(&self, variants: &[Variant]) -> Result<Compiled, Error> {
        let optimised = self.optimised(variants)?;
        if !optimised.has_finite_constants() {
            let message = "a constant in the step functions is not finite as f64; choose other units";
            return Err(Error::Derivation(message.to_owned()));
        }
        let compile = || match self.shared.compiled.any() {
            Some(compiled) => compiled.with_methods(&optimised, variants),
            None => Compiled::new(&optimised, variants),
        };
        Ok(apart(Phase::Compilation, compile).map_err(Error::Derivation)??)
    }

    /// The derivation for people, with the methods of the declaration. It can take seconds.
    ///
    /// # Errors
    /// [`Error::Derivation`].
    pub fn report(&self) -> Result<Report, Error> {
        self.write_report(|declaration| Report::of(&Derived::new(declaration, &mut BuiltIn)?, &mut BuiltIn))
    }

    /// The Lagrangian and the constraints, typeset.
    ///
    /// # Errors
    /// [`Error::Derivation`].
    pub fn summary(&self) -> Result<Report, Error> {
        self.write_report(|declaration| {
            let derived = Derived::new(declaration.with_methods(Vec::new()), &mut BuiltIn)?;
            Report::of_sections(&derived, &mut BuiltIn, &["lagrangian", "constraints"])
        })
    }

    fn write_report(
        &self,
        write: impl FnOnce(Declaration) -> Result<Report, Box<Rejected>> + Send,
    ) -> Result<Report, Error> {
        let source = self.source();
        let written = apart(Phase::Derivation, || {
            let input = choose(source, "", Some(self.name())).map_err(|error| error.to_string())?;
            let written = Declaration::parse(&input).and_then(write);
            written.map_err(|rejected| ExpandError::from(rejected).to_string())
        });
        written.and_then(|written| written).map_err(Error::Derivation)
    }

    /// Whether the equations have been derived in this process.
    #[cfg(test)]
    pub(crate) fn is_derived(&self) -> bool {
        self.shared.equations.get().is_some()
    }

    /// The mechanics.
    ///
    /// # Errors
    /// [`Error::Derivation`].
    #[cfg(test)]
    pub(crate) fn mechanics(&self) -> Result<&Mechanics, Error> {
        Ok(&self.shared.equations()?.mechanics)
    }

    /// The values of the outputs, with the multipliers λ of the constraints.
    pub fn evaluate_outputs(&self, at: &Point<'_>, lambda: &[f64]) -> Vec<f64> {
        evaluate(&self.shared.recorded, &self.shared.outputs, at, lambda)
    }
}

/// The name and the coordinates.
impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("System")
            .field("name", &self.name())
            .field("coordinates", &self.coordinates())
            .finish_non_exhaustive()
    }
}

impl SystemData {
    fn read(
        source: &str,
        file: &str,
        name: Option<&str>,
        outputs: &[(&str, Option<&str>)],
        cache: Option<Cache>,
    ) -> Result<SystemData, DeclarationError> {
        let further = outputs.iter().map(|(name, text)| ((*name).to_owned(), text.map(str::to_owned)));
        let further = further.collect();
        let input = choose(source, file, name)?;
        let fingerprint = fingerprint(&input);
        let parts = cache.map(|cache| cache.parts_of(&input.to_token_stream().to_string()));
        let (ExtendedDeclaration { declaration: recorded, outputs }, rejected) =
            extended(input.clone(), (file, source), outputs)?;
        // Without the outputs, on which no bit of the motion depends.
        let declaration = match outputs.is_empty() {
            true => recorded.clone(),
            false => Declaration::parse(&input).map_err(|all| rejected(&all))?,
        };
        let declared = declaration.system.methods.clone();
        let wants_all = declaration.all_methods;
        let (facts, refusals, equations) = match parts.as_ref().and_then(|parts| parts.read(FACTS)) {
            Some((facts, refusals)) => (facts, refusals, OnceLock::new()),
            None => {
                let begun = Instant::now();
                let equations = Equations::of(declaration.clone()).map_err(|all| rejected(&all))?;
                let refusals = Method::ALL.iter().map(|&method| refusal(method, &equations.mechanics));
                let known = (SystemFacts::of(&equations.mechanics), refusals.collect());
                if let Some(parts) = &parts {
                    parts.keep(FACTS, &known, begun.elapsed());
                }
                (known.0, known.1, OnceLock::from(Ok(equations)))
            }
        };
        let refused = |method: &Method| {
            let place = Method::ALL.iter().position(|known| known == method)?;
            refusals[place].as_deref()
        };
        let declared: Vec<Method> = if wants_all {
            declared.into_iter().filter(|method| refused(method).is_none()).collect()
        } else {
            let errors = declared.iter().enumerate();
            let errors: Vec<_> = errors
                .filter_map(|(i, method)| Some(declaration.method_error(i, refused(method)?)))
                .collect();
            if !errors.is_empty() {
                return Err(rejected(&declaration.reject(errors)));
            }
            declared
        };
        Ok(SystemData {
            source: source.to_owned(),
            fingerprint,
            facts,
            equations,
            parts,
            outputs,
            further,
            bodies: declaration.system.bodies.iter().map(drawn).collect(),
            recorded: recorded.system,
            unused: recorded
                .unused
                .into_iter()
                .map(|Unused { name, is_input, .. }| (name, is_input))
                .collect(),
            declared,
            refusals,
            functions: OnceLock::new(),
            written: Kept::new(),
            methods: Kept::new(),
            compiled: Kept::new(),
            derivatives: Kept::new(),
            second_derivatives: Kept::new(),
            basis: Once::new(),
            basis_derivative: Once::new(),
        })
    }

    /// The equations, which are derived if that has not been done.
    fn equations(&self) -> Result<&Equations, Error> {
        let derive = || {
            let input =
                choose(&self.source, "", Some(&self.facts.name)).map_err(|error| error.to_string())?;
            let equations = Declaration::parse(&input).and_then(Equations::of);
            equations.map_err(|rejected| ExpandError::from(rejected).to_string())
        };
        let equations = self.equations.get_or_init(|| {
            apart(Phase::Derivation, derive).and_then(|derived| derived).map_err(Error::Derivation)
        });
        equations.as_ref().map_err(Error::clone)
    }

    /// A part of the system, or of a method, from the cache if it is there.
    fn part<T: Part>(
        &self,
        name: &str,
        method: Option<Method>,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let of = method.map(|method| format!(" of {}", method.facts().id)).unwrap_or_default();
        match &self.parts {
            Some(parts) => parts.get(&format!("{name}{of}"), make),
            None => make(),
        }
    }

    /// The functions of the system after the passes.
    fn system(&self) -> Result<SystemFunctions, Error> {
        let make = || {
            self.part("functions", None, || {
                let Equations { mechanics, programs } = self.equations()?;
                apart(Phase::Derivation, || Optimised::of(mechanics, programs, &[]).system)
                    .map_err(Error::Derivation)
            })
        };
        self.functions.get_or_init(make).clone()
    }

    /// The functions of a method after the passes.
    fn method(&self, method: Method) -> Result<MethodFunctions, Error> {
        let make = || {
            let functions = self.part("functions", Some(method), || {
                let programs = self.written(method)?;
                apart(Phase::Derivation, || MethodFunctions::of(&programs, Options::default()))
                    .map_err(Error::Derivation)
            });
            self.written.forget(&method);
            functions
        };
        self.methods.get(method, make)
    }

    /// The programs of a method before the passes, which are kept until these run.
    fn written(&self, method: Method) -> Result<Arc<MethodPrograms>, Error> {
        let make = || {
            let mechanics = &self.equations()?.mechanics;
            apart(Phase::Derivation, || Arc::new(method_programs(mechanics, method)))
                .map_err(Error::Derivation)
        };
        self.written.get(method, make)
    }

    /// How many operations the programs of the system and of a method have before the passes.
    fn operations(&self, method: Method) -> Result<usize, Error> {
        let of = |pool: &Pool, program: &Program| {
            let count = pool.cost(&program.values()).total();
            count.adds + count.muls + count.divs + count.calls.values().sum::<usize>()
        };
        self.part("operations", Some(method), || {
            let Equations { mechanics, programs } = self.equations()?;
            let pool = &mechanics.system.pool;
            let system: usize = programs.iter().map(|(_, program)| of(pool, program)).sum();
            let written = self.written(method)?;
            let starts: usize = written.distinct_starts().map(|start| of(&written.pool, start)).sum();
            Ok(system + starts + of(&written.pool, &written.step))
        })
    }
}

impl Equations {
    /// Those of a declaration.
    fn of(declaration: Declaration) -> Result<Equations, Box<Rejected>> {
        let derived = Derived::new(declaration.with_methods(Vec::new()), &mut BuiltIn)?;
        Ok(Equations { mechanics: derived.mechanics, programs: derived.system })
    }
}

/// A body of a declaration, whose size a picture chooses.
fn drawn(body: &system::Body) -> Body {
    Body { name: body.name.clone(), shape: body.shape, place: body.place.clone(), size: None }
}

/// The struct that is asked for.
pub(crate) fn choose(
    source: &str,
    file: &str,
    name: Option<&str>,
) -> Result<syn::DeriveInput, DeclarationError> {
    let wrong = |message: String| DeclarationError::one(Mistake::new(format!("{file}: {message}")));
    tokens(source).map_err(|error| DeclarationError::one(Mistake::in_text(&error, file, source)))?;
    let mut found = structs(source).map_err(|error| match error {
        ExpandError::Syntax(message) => DeclarationError::one(Mistake::new(format!("{file}:{message}"))),
        other => wrong(other.to_string()),
    })?;
    let names: Vec<String> = found.iter().map(|input| format!("`{}`", input.ident)).collect();
    let place = match name {
        Some(name) => found.iter().position(|input| input.ident == name),
        None if found.len() > 1 => {
            return Err(wrong(format!(
                "{} structs here derive `Nonholonomic`: name one of {}",
                found.len(),
                names.join(", ")
            )));
        }
        None => (!found.is_empty()).then_some(0),
    };
    match (place, name) {
        (Some(place), _) => Ok(found.swap_remove(place)),
        (None, Some(name)) if !names.is_empty() => {
            Err(wrong(format!("no struct `{name}` here derives `Nonholonomic`, only {}", names.join(", "))))
        }
        (None, _) => Err(wrong("no struct here derives `Nonholonomic`".to_owned())),
    }
}

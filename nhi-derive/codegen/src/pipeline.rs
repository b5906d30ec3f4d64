//! The stages in order.

use crate::declaration::{self, Declaration, Error};
use crate::emit::{self, Unit};
use crate::engine::{Engine, EngineError, default_engine};
use crate::mechanics::{Connection, Mechanics};
use crate::method::{MethodPrograms, SystemPrograms, method, method_programs, system_programs};
use proc_macro2::TokenStream;

/// The expansion of `#[derive(Nonholonomic)]`: the implementation, or every error and a stub.
pub fn derive(input: TokenStream) -> TokenStream {
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let declaration = match Declaration::parse(&input) {
        Ok(declaration) => declaration,
        Err(rejected) => return declaration::stub(&input, &rejected),
    };
    match Derived::new(declaration, default_engine().as_mut()) {
        Ok(derived) => derived.implementation(),
        Err(rejected) => declaration::stub(&input, &rejected),
    }
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
    pub fn new(
        declaration: Declaration,
        engine: &mut dyn Engine,
    ) -> Result<Derived, Box<declaration::Rejected>> {
        let mut mechanics = Mechanics::derive(declaration.system.clone(), engine)
            .map_err(|e| unanswered(&declaration, &e))?;
        let refusals: Vec<Error> = declaration
            .system
            .methods
            .iter()
            .enumerate()
            .filter_map(|(i, marker)| {
                let reason = method(marker)?.refusal(&mechanics)?;
                Some(declaration.method_error(i, &reason))
            })
            .collect();
        if !refusals.is_empty() {
            return Err(declaration.reject(refusals));
        }
        let system = system_programs(&mut mechanics);
        let methods = declaration
            .system
            .methods
            .iter()
            .filter_map(|marker| method(marker))
            .map(|row| method_programs(&mut mechanics, row))
            .collect();
        Ok(Derived { declaration, mechanics, system, methods })
    }

    /// The implementation of the runtime's traits.
    pub fn implementation(&self) -> TokenStream {
        emit::implementation(&self.unit(&self.mechanics, None))
    }

    /// The same for people: formatted, with the equations that the code implements as comments.
    ///
    /// # Errors
    /// An engine that cannot answer.
    pub fn pretty(&self, engine: &mut dyn Engine) -> Result<String, Box<declaration::Rejected>> {
        let mut mechanics = self.mechanics.clone();
        let connection = mechanics.connection(engine).map_err(|e| unanswered(&self.declaration, &e))?;
        Ok(emit::pretty(&self.unit(&mechanics, connection.as_ref())))
    }

    fn unit<'a>(&'a self, mechanics: &'a Mechanics, connection: Option<&'a Connection>) -> Unit<'a> {
        Unit {
            ident: &self.declaration.ident,
            generics: &self.declaration.generics,
            fields: &self.declaration.fields,
            runtime: &self.declaration.runtime,
            mechanics,
            system: &self.system,
            methods: &self.methods,
            connection,
        }
    }
}

fn unanswered(declaration: &Declaration, error: &EngineError) -> Box<declaration::Rejected> {
    declaration.reject(vec![Error::new(declaration.ident.span(), error.to_string())])
}

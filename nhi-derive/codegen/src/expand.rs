//! The code that the derive generates for the structs of a source file, for people.

use crate::declaration::Rejected;
use crate::engine::Engine;
use crate::generate::Request;
use crate::pipeline::Derived;
use nhi_methods::Method;
use std::fmt;

/// Why a source file could not be expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpandError {
    /// The file is not Rust: line, column and what was expected.
    Syntax(String),
    /// No struct derives `Nonholonomic`, or none of the wanted name; the names of those that do.
    NoStruct {
        /// The name asked for.
        wanted: Option<String>,
        /// The existing names.
        found: Vec<String>,
    },
    /// Unknown method; the ids of the known ones.
    NoMethod(String),
    /// The declaration has errors, one line or more each.
    Declaration(Vec<String>),
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpandError::Syntax(message) => f.write_str(message),
            ExpandError::NoStruct { wanted: None, .. } => {
                f.write_str("no struct here derives `Nonholonomic`")
            }
            ExpandError::NoStruct { wanted: Some(name), found } => {
                write!(f, "no struct `{name}` here derives `Nonholonomic`")?;
                if found.is_empty() { Ok(()) } else { write!(f, ", only {}", quoted(found)) }
            }
            ExpandError::NoMethod(name) => {
                let ids: Vec<String> =
                    Method::ALL.iter().map(|method| method.facts().id.to_owned()).collect();
                write!(f, "unknown method `{name}`, expected one of {}", quoted(&ids))
            }
            ExpandError::Declaration(errors) => f.write_str(&errors.join("\n")),
        }
    }
}

impl std::error::Error for ExpandError {}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The generated code of the structs in `source` that derive `Nonholonomic`, formatted, with the
/// equations it implements as comments. `struct_name` selects one struct, `method_name` (an id such
/// as `dla2` or a type such as `Dla2`, declared or not) one method.
///
/// # Errors
/// See [`ExpandError`].
pub fn expand(
    source: &str,
    struct_name: Option<&str>,
    method_name: Option<&str>,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    print(source, struct_name, method_name, engine, Derived::pretty)
}

/// The schemes of the same structs and methods as they are derived, before the optimiser.
///
/// # Errors
/// See [`ExpandError`].
pub fn expand_plain(
    source: &str,
    struct_name: Option<&str>,
    method_name: Option<&str>,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    print(source, struct_name, method_name, engine, |derived, _| Ok(derived.plain()))
}

/// What each pass of the optimiser did to the steps of the same structs and methods, or why it does not apply.
///
/// # Errors
/// See [`ExpandError`].
pub fn explain(
    source: &str,
    struct_name: Option<&str>,
    method_name: Option<&str>,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    print(source, struct_name, method_name, engine, |derived, _| Ok(derived.explain()))
}

/// What `print` prints of the selected structs.
fn print(
    source: &str,
    struct_name: Option<&str>,
    method_name: Option<&str>,
    engine: &mut dyn Engine,
    print: fn(&Derived, &mut dyn Engine) -> Result<String, Box<Rejected>>,
) -> Result<String, ExpandError> {
    let methods = method_name.map(str::to_owned).into_iter().collect();
    let request = Request { name: struct_name.map(str::to_owned), methods };
    let mut out = String::new();
    for (_, derived) in request.derive(source, engine)? {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&print(&derived, engine)?);
    }
    Ok(out)
}

/// The structs in `source` that derive `Nonholonomic`, in order, also those in modules and functions.
///
/// # Errors
/// [`ExpandError::Syntax`].
pub fn structs(source: &str) -> Result<Vec<syn::DeriveInput>, ExpandError> {
    let file = syn::parse_file(source).map_err(|e| {
        let at = e.span().start();
        ExpandError::Syntax(format!("{}:{}: {e}", at.line, at.column + 1))
    })?;
    let mut structs = Vec::new();
    collect(file.items, &mut structs);
    Ok(structs)
}

fn collect(items: Vec<syn::Item>, structs: &mut Vec<syn::DeriveInput>) {
    for item in items {
        match item {
            syn::Item::Struct(s) if derives(&s.attrs) => structs.push(s.into()),
            syn::Item::Mod(m) => collect(m.content.map(|c| c.1).unwrap_or_default(), structs),
            syn::Item::Fn(f) => {
                let items = f.block.stmts.into_iter().filter_map(|s| match s {
                    syn::Stmt::Item(item) => Some(item),
                    _ => None,
                });
                collect(items.collect(), structs);
            }
            _ => {}
        }
    }
}

fn derives(attributes: &[syn::Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("derive")) {
        // A malformed derive is rustc's to report.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|s| s.ident == "Nonholonomic");
            Ok(())
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{ExpandError, expand};
    use crate::engine::BuiltIn;

    const SOURCE: &str = "
        mod inner {
            #[derive(Clone, nhi_runtime::Nonholonomic)]
            #[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(dx - x*dy))]
            pub struct Inner { m: f64 }
        }
        #[derive(Clone)]
        struct Other;
        fn main() {
            #[derive(Nonholonomic)]
            #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints())]
            struct Local;
        }
    ";

    #[test]
    fn finds_structs_in_modules_and_functions() {
        let all = expand(SOURCE, None, None, &mut BuiltIn).unwrap();
        assert!(all.contains("System for Inner") && all.contains("System for Local"));
        let one = expand(SOURCE, Some("Inner"), Some("rk4"), &mut BuiltIn).unwrap();
        assert!(one.contains("Rk4") && !one.contains("Dla2") && !one.contains("Local"));
        assert!(syn::parse_file(&one).is_ok());
        assert_eq!(one, expand(SOURCE, Some("Inner"), Some("Rk4"), &mut BuiltIn).unwrap());
    }

    #[test]
    fn says_what_is_missing() {
        let error = |source, name, method| expand(source, name, method, &mut BuiltIn).unwrap_err();
        assert_eq!(
            error(SOURCE, Some("Other"), None).to_string(),
            "no struct `Other` here derives `Nonholonomic`, only `Inner`, `Local`"
        );
        assert!(matches!(error(SOURCE, None, Some("rk5")), ExpandError::NoMethod(_)));
        assert!(error("struct ;", None, None).to_string().starts_with("1:8: "));
        let wrong = SOURCE.replace("x*dy", "z*dy");
        assert!(error(&wrong, None, None).to_string().contains("`z`"));
    }
}

//! The code that the derive generates for the structs of a source file, for people.

use crate::declaration::Rejected;
use crate::engine::Engine;
use crate::generate::Request;
use crate::pipeline::Derived;
use crate::source::ExpandError;

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

/// The derivatives of the steps of the same structs and methods, with their operations.
///
/// # Errors
/// See [`ExpandError`].
pub fn expand_derivatives(
    source: &str,
    struct_name: Option<&str>,
    method_name: Option<&str>,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    print(source, struct_name, method_name, engine, |derived, _| derived.derivatives())
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
        macro_rules! systems { () => { #[derive(Nonholonomic)] struct $name; } }
        fn main() {
            if unfinished(
            ) -> -> ;
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
        assert!(error("#[derive(Nonholonomic)] struct ;", None, None).to_string().starts_with("1:32: "));
        assert!(error("fn main() {", None, None).to_string().starts_with("1:11: "));
        let wrong = SOURCE.replace("x*dy", "z*dy");
        assert!(error(&wrong, None, None).to_string().contains("`z`"));
    }
}

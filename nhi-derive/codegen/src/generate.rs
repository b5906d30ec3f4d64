//! Source files to check in: the implementation of a declaration's structs in Rust, with a comment that says what it was
//! generated from, or their functions in C.

#[cfg(feature = "c")]
use crate::backend::c;
use crate::declaration::Declaration;
use crate::engine::Engine;
use crate::pipeline::Derived;
use crate::source::{ExpandError, structs};
use nhi_methods::{Method, Variant};
use quote::ToTokens;
use std::fmt::Write as _;

/// What to generate.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Request {
    /// One struct; all that derive `Nonholonomic` if none.
    pub name: Option<String>,
    /// Methods, by their ids (`dla2`) or types (`Dla2`), declared or not; those of the declaration if empty. C takes
    /// compositions, other starts and other retractions too (`dla2_suzuki4`, `rattle_projected`, `rdp_cay`).
    pub methods: Vec<String>,
}

impl Request {
    /// The structs of a source file that are asked for.
    ///
    /// # Errors
    /// Text that is not made of Rust's tokens, and names that are not there.
    fn structs(&self, source: &str) -> Result<Vec<syn::DeriveInput>, ExpandError> {
        let mut structs = structs(source)?;
        let found = structs.iter().map(|s| s.ident.to_string()).collect();
        structs.retain(|s| self.name.as_ref().is_none_or(|name| s.ident == name));
        if structs.is_empty() {
            return Err(ExpandError::NoStruct { wanted: self.name.clone(), found });
        }
        Ok(structs)
    }

    /// The methods that are asked for, with their choices.
    ///
    /// # Errors
    /// Unknown names.
    fn variants(&self) -> Result<Vec<Variant>, ExpandError> {
        let mut variants = Vec::new();
        for name in &self.methods {
            let variant = Variant::with_id(name).or_else(|| Method::named(name).map(Variant::from));
            let variant = variant.ok_or_else(|| ExpandError::NoMethod(name.clone()))?;
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        Ok(variants)
    }

    /// Their methods.
    fn methods(&self) -> Result<Vec<Method>, ExpandError> {
        let mut methods = Vec::new();
        for Variant { method, .. } in self.variants()? {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        Ok(methods)
    }

    /// What follows from each of the structs that are asked for.
    ///
    /// # Errors
    /// See [`ExpandError`].
    pub fn derive(
        &self,
        source: &str,
        engine: &mut dyn Engine,
    ) -> Result<Vec<(syn::DeriveInput, Derived)>, ExpandError> {
        let methods = self.methods()?;
        let derive = |input: syn::DeriveInput| {
            let mut declaration = Declaration::parse(&input)?;
            if !methods.is_empty() {
                declaration = declaration.with_methods(methods.clone());
            }
            let derived = Derived::new(declaration, engine)?;
            Ok((input, derived))
        };
        self.structs(source)?.into_iter().map(derive).collect()
    }

    /// The structs with the implementation of the runtime's traits, as a source file that depends on the runtime alone.
    ///
    /// # Errors
    /// See [`ExpandError`].
    pub fn rust(&self, source: &str, engine: &mut dyn Engine) -> Result<String, ExpandError> {
        let mut text = self.header(source)?;
        for (input, derived) in self.derive(source, engine)? {
            let _ = write!(text, "\n{}", with_code(input, &derived, engine)?);
        }
        Ok(text)
    }

    /// The functions of the structs in C.
    ///
    /// # Errors
    /// See [`ExpandError`].
    #[cfg(feature = "c")]
    pub fn c(&self, source: &str, float: bool, engine: &mut dyn Engine) -> Result<Vec<c::File>, ExpandError> {
        let mut files: Vec<c::File> = Vec::new();
        let options = c::Options { float, variants: self.variants()? };
        for (_, derived) in self.derive(source, engine)? {
            let system = &derived.mechanics.system;
            if system.group.has_several() {
                let name = &system.name;
                let message = format!(
                    "C code is generated for systems with one group factor at most, and `{name}` has several: compile it at run \
                     time, by `nhi run` or the crate `nhi-jit`"
                );
                return Err(ExpandError::Declaration(vec![message]));
            }
            for file in c::files(&derived.optimised()?, &options) {
                match files.iter().find(|other| other.name == file.name) {
                    None => files.push(file),
                    Some(same) if *same == file => {}
                    Some(_) => {
                        let message = format!("two structs have the same name in C, `{}`", file.name);
                        return Err(ExpandError::Declaration(vec![message]));
                    }
                }
            }
        }
        Ok(files)
    }

    /// Whether `generated` is what [`Request::rust`] makes of the same declarations in this version. The header decides.
    ///
    /// # Errors
    /// Text that is not Rust, and names that are not there.
    pub fn is_current(&self, source: &str, generated: &str) -> Result<bool, ExpandError> {
        let header = self.header(source)?;
        let lines = |text: &str| text.lines().take(header.lines().count()).map(str::to_owned).collect();
        let (expected, found): (Vec<String>, Vec<String>) = (lines(&header), lines(generated));
        Ok(expected == found)
    }

    /// The comment at the head of the file.
    fn header(&self, source: &str) -> Result<String, ExpandError> {
        let mut text = format!("// Generated by nhi {}. Do not edit.\n", env!("CARGO_PKG_VERSION"));
        for input in self.structs(source)? {
            let _ = writeln!(text, "// Declaration of {}: {}", input.ident, fingerprint(&input));
        }
        let methods: Vec<&str> = self.methods()?.iter().map(|method| method.facts().id).collect();
        let methods =
            if methods.is_empty() { "those of the declaration".to_owned() } else { methods.join(", ") };
        let _ = writeln!(text, "// Methods: {methods}");
        Ok(text)
    }
}

/// A struct and the implementation of the runtime's traits for it.
///
/// # Errors
/// See [`ExpandError`].
pub fn with_code(
    input: syn::DeriveInput,
    derived: &Derived,
    engine: &mut dyn Engine,
) -> Result<String, ExpandError> {
    let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![plain(input)] };
    Ok(format!("{}\n{}", prettyplease::unparse(&file), derived.pretty(engine)?))
}

/// The struct without what the derive reads.
fn plain(mut input: syn::DeriveInput) -> syn::Item {
    input.attrs.retain_mut(|attribute| {
        if attribute.path().is_ident("derive") {
            return without_derive(attribute);
        }
        !attribute.path().is_ident("nonholonomic")
    });
    let syn::Data::Struct(mut data) = input.data else { unreachable!("only structs are found") };
    for field in &mut data.fields {
        field.attrs.retain(|attribute| !attribute.path().is_ident("nonholonomic"));
    }
    syn::Item::Struct(syn::ItemStruct {
        attrs: input.attrs,
        vis: input.vis,
        struct_token: data.struct_token,
        ident: input.ident,
        generics: input.generics,
        fields: data.fields,
        semi_token: data.semi_token,
    })
}

/// Takes `Nonholonomic` out of a list of derives; whether others are left.
fn without_derive(attribute: &mut syn::Attribute) -> bool {
    type Paths = syn::punctuated::Punctuated<syn::Path, syn::Token![,]>;
    // A malformed derive is rustc's to report.
    let Ok(paths) = attribute.parse_args_with(Paths::parse_terminated) else { return true };
    let is_other =
        |path: &syn::Path| path.segments.last().is_none_or(|segment| segment.ident != "Nonholonomic");
    let others: Paths = paths.into_iter().filter(is_other).collect();
    if let syn::Meta::List(list) = &mut attribute.meta {
        list.tokens = others.to_token_stream();
    }
    !others.is_empty()
}

/// The hash of a declaration's tokens, 16 hexadecimal digits.
pub fn fingerprint(input: &syn::DeriveInput) -> String {
    format!("{:016x}", hash(&input.to_token_stream().to_string()))
}

/// FNV-1a, 64 bits.
pub fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{ExpandError, Request, hash};
    use crate::engine::BuiltIn;

    const SOURCE: &str = "
        /// A sleigh.
        #[derive(Nonholonomic, Clone)]
        #[nonholonomic(coordinates(x, y), lagrangian = m/2*(dot(x)^2 + dot(y)^2), constraints(dx - x*dy))]
        pub struct First { /** Mass. */ pub m: f64, #[nonholonomic(skip)] pub label: u8 }
        #[derive(nhi_runtime::Nonholonomic)]
        #[nonholonomic(coordinates(x), lagrangian = dot(x)^2/2, constraints())]
        struct Second;
    ";

    fn request(name: Option<&str>, methods: &[&str]) -> Request {
        Request {
            name: name.map(str::to_owned),
            methods: methods.iter().map(|method| (*method).to_owned()).collect(),
        }
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn structs_are_generated_without_what_the_derive_reads() {
        let text = request(None, &[]).rust(SOURCE, &mut BuiltIn).unwrap();
        let file = syn::parse_file(&text).unwrap();
        assert_eq!(file.items.len(), 4);
        assert!(!text.contains("Nonholonomic") && !text.contains("nonholonomic("), "{text}");
        assert!(text.contains("/// A sleigh.\n#[derive(Clone)]\npub struct First {"), "{text}");
        assert!(text.contains("\nstruct Second;"), "{text}");
        let one = request(Some("Second"), &["rk4", "Dla2", "Rk4"]).rust(SOURCE, &mut BuiltIn).unwrap();
        assert!(one.contains("\n// Methods: rk4, dla2\n") && !one.contains("First"), "{one}");
    }

    #[test]
    fn c_has_two_files_for_each_struct_and_a_common_one() {
        let names = |source: &str| {
            let files = request(None, &[]).c(source, false, &mut BuiltIn);
            files.map(|files| files.into_iter().map(|file| file.name).collect::<Vec<_>>())
        };
        assert_eq!(names(SOURCE).unwrap(), ["first.h", "first.c", "nhi.h", "second.h", "second.c"]);
        let clash = names(&SOURCE.replace("struct Second", "struct FIRST")).unwrap_err();
        assert_eq!(clash.to_string(), "two structs have the same name in C, `first.h`");
    }

    #[test]
    fn the_header_tells_what_is_stale() {
        let all = request(None, &[]);
        let text = all.rust(SOURCE, &mut BuiltIn).unwrap();
        let current = |request: &Request, source: &str, text: &str| request.is_current(source, text).unwrap();
        assert!(current(&all, SOURCE, &text));
        // Spaces, comments and other items are not part of a declaration.
        let same = format!("// A comment.\n{}\nfn other() {{}}", SOURCE.replace("dx - x*dy", "dx - x * dy"));
        assert!(current(&all, &same, &text));
        assert!(!current(&all, &SOURCE.replace("dx - x*dy", "dx - 2*x*dy"), &text));
        assert!(!current(&all, SOURCE, &text.replacen("nhi ", "nhi 0.0.0-", 1)));
        assert!(!current(&all, SOURCE, ""));
        assert!(!current(&request(None, &["rk4"]), SOURCE, &text));
        assert!(!current(&request(Some("First"), &[]), SOURCE, &text));
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = |request: Request| request.rust(SOURCE, &mut BuiltIn).unwrap_err();
        assert!(matches!(error(request(None, &["rk5"])), ExpandError::NoMethod(name) if name == "rk5"));
        assert!(
            matches!(error(request(Some("Third"), &[])), ExpandError::NoStruct { found, .. } if found.len() == 2)
        );
    }
}

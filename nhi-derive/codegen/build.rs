//! Build script and symbolic engine in one.
//!
//! A build script is an ordinary executable that stays in the target directory. With the feature
//! `symbolica` this one links Symbolica, tells the library its own path, and serves the library
//! when started with the argument `engine`; `rustc` and tests stay free of it.

#[cfg(feature = "symbolica")]
#[path = "engine/mod.rs"]
mod engine;

fn main() {
    #[cfg(feature = "symbolica")]
    {
        if std::env::args().nth(1).as_deref() == Some("engine") {
            return engine::serve();
        }
        let path = std::env::current_exe().expect("the path of this build script");
        println!("cargo::rustc-env=NHI_SYMBOLICA_ENGINE={}", path.display());
        println!("cargo::rerun-if-changed=engine");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

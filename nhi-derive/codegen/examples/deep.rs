use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::mechanics::Mechanics;
use nhi_codegen::pipeline::Derived;
use std::time::Instant;
fn main() {
    let kind = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let e = match kind.as_str() {
        "sin" => format!("dot({}x{})^2/2", "sin(".repeat(n), ")".repeat(n)),
        "exp" => format!("dot({}x{})^2/2", "exp(".repeat(n), ")".repeat(n)),
        _ => format!(
            "dot(x)^2/2 + dot({})^2/2",
            (0..n).map(|i| format!("(x + {})", i + 1)).collect::<Vec<_>>().join("*")
        ),
    };
    let s = format!("#[nonholonomic(coordinates(x), lagrangian = {e}, constraints())] struct S;");
    let t = Instant::now();
    let d = Declaration::parse(&syn::parse_str(&s).unwrap());
    println!("declaration {:?}", t.elapsed());
    let d = match d {
        Ok(d) => d,
        Err(r) => {
            println!("{}", r.errors[0]);
            return;
        }
    };
    let t = Instant::now();
    Mechanics::derive(d.system.clone(), &mut BuiltIn).unwrap();
    println!("mechanics {:?}", t.elapsed());
    let t = Instant::now();
    let d = Derived::new(d, &mut BuiltIn).unwrap();
    println!("derived {:?}", t.elapsed());
    let t = Instant::now();
    let o = d.optimised();
    println!("optimised {:?}", t.elapsed());
    drop(o);
}

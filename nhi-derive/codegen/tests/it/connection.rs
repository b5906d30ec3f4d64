//! The geometry of constraints on R^k × G: E, A, D, the projectors and invariance, for the group models
//! and for random systems (Kobilarov, Martín de Diego and Ferraro,
//! *Simulating Nonholonomic Dynamics*, sections 6 and 7).

use crate::support::{Random, expression};
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::BuiltIn;
use nhi_codegen::expr::linear::Matrix;
use nhi_codegen::expr::{Expr, Symbol};
use nhi_codegen::mechanics::{Connection, Mechanics, Projectors};
use nhi_codegen::pipeline::Derived;
use nhi_codegen::source::structs;
use std::collections::HashMap;
use std::path::Path;

/// Rounding of some hundred operations on numbers of order one.
const ROUNDING: f64 = 1e-12;

fn declaration(file: &str) -> Declaration {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/src/lie").join(file);
    let text = std::fs::read_to_string(path.with_extension("rs")).expect("a model");
    let declaration = Declaration::parse(&structs(&text).expect("Rust")[0]);
    declaration.unwrap_or_else(|rejected| panic!("{file}: {:#?}", rejected.errors))
}

fn model(file: &str) -> Mechanics {
    Mechanics::derive(declaration(file).system, &mut BuiltIn).expect("an engine that never fails")
}

/// A struct with the parameters m and c.
fn declared(keys: &str) -> Mechanics {
    let text = format!("#[nonholonomic({keys})] struct S {{ m: f64, c: f64 }}");
    let input = syn::parse_str(&text).expect("a struct");
    let declaration = Declaration::parse(&input);
    let declaration = declaration.unwrap_or_else(|rejected| panic!("{keys}: {:#?}", rejected.errors));
    Mechanics::derive(declaration.system, &mut BuiltIn).expect("an engine that never fails")
}

fn connection(x: &mut Mechanics) -> Connection {
    x.connection(&mut BuiltIn).expect("an engine that never fails").expect("a group factor")
}

/// Numbers for everything that geometry depends on.
fn point(x: &Mechanics, random: &mut Random) -> HashMap<Symbol, f64> {
    let system = &x.system;
    let mut values = HashMap::new();
    let mut set = |e: Expr, value: f64| values.insert(system.pool.as_symbol(e).expect("a symbol"), value);
    for parameter in &system.parameters {
        set(parameter.symbol, 1.0 + 0.5 * random.number());
    }
    for &e in x.q.iter().chain(&x.v) {
        set(e, random.number());
    }
    if system.group.only().is_some_and(|group| group.name != "SE2") {
        let k = system.shape();
        for (&e, entry) in x.q[k..k + 9].iter().zip(rotation([(); 3].map(|()| 3.0 * random.number()))) {
            set(e, entry);
        }
    }
    values
}

/// R_x(a) R_y(b) R_z(c), by rows.
fn rotation([a, b, c]: [f64; 3]) -> [f64; 9] {
    let ((sa, ca), (sb, cb), (sc, cc)) = (a.sin_cos(), b.sin_cos(), c.sin_cos());
    let x = vec![vec![1.0, 0.0, 0.0], vec![0.0, ca, -sa], vec![0.0, sa, ca]];
    let y = vec![vec![cb, 0.0, sb], vec![0.0, 1.0, 0.0], vec![-sb, 0.0, cb]];
    let z = vec![vec![cc, -sc, 0.0], vec![sc, cc, 0.0], vec![0.0, 0.0, 1.0]];
    times(&times(&x, &y), &z).concat().try_into().expect("nine entries")
}

type Numbers = Vec<Vec<f64>>;

fn evaluate(x: &Mechanics, a: &Matrix, at: &HashMap<Symbol, f64>) -> Numbers {
    a.iter().map(|row| x.system.pool.evaluate(row, at)).collect()
}

fn times(a: &Numbers, b: &Numbers) -> Numbers {
    let columns = b.first().map_or(0, Vec::len);
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, y)| x * y[j]).sum();
    a.iter().map(|row| (0..columns).map(|j| entry(row, j)).collect()).collect()
}

fn transposed(a: &Numbers) -> Numbers {
    let columns = a.first().map_or(0, Vec::len);
    (0..columns).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn block(a: &Numbers, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Numbers {
    a[rows].iter().map(|row| row[columns.clone()].to_vec()).collect()
}

fn size(a: &Numbers) -> f64 {
    a.iter().flatten().fold(0.0, |worst: f64, x| if x.is_nan() { f64::NAN } else { worst.max(x.abs()) })
}

fn rank(a: &Numbers) -> usize {
    let mut rows = a.clone();
    let mut rank = 0;
    for column in 0..a.first().map_or(0, Vec::len) {
        let largest =
            (rank..rows.len()).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()));
        let Some(pivot) = largest.filter(|&i| rows[i][column].abs() > 1e-9) else { continue };
        rows.swap(rank, pivot);
        let lead = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column] / lead[column];
            for (x, y) in row.iter_mut().zip(&lead) {
                *x -= factor * y;
            }
        }
        rank += 1;
    }
    rank
}

#[track_caller]
fn assert_zero(what: &str, a: &Numbers, scale: f64) {
    assert!(size(a) <= ROUNDING * scale.max(1.0), "{what}: {a:?} beside {scale:e}");
}

#[track_caller]
fn assert_equal(what: &str, a: &Numbers, b: &Numbers, scale: f64) {
    assert_eq!((a.len(), a.first().map(Vec::len)), (b.len(), b.first().map(Vec::len)), "{what}");
    let pairs = a.iter().zip(b);
    let difference = pairs.map(|(a, b)| a.iter().zip(b).map(|(x, y)| x - y).collect()).collect();
    assert_zero(what, &difference, scale);
}

/// All that defines the matrices, at one point; false at one where they are badly conditioned.
fn check(
    name: &str,
    x: &Mechanics,
    (connection, projectors): (&Connection, &Projectors),
    at: &HashMap<Symbol, f64>,
) -> bool {
    let (n, m, k) = (x.n(), x.m(), x.system.shape());
    let of = |a: &Matrix| evaluate(x, a, at);
    let (mu, mass, e, d) = (of(&x.mu), of(&x.mass), of(&connection.e), of(&connection.d));
    let (q, p) = (of(&projectors.q), of(&projectors.p));
    let scale = [&mu, &mass, &e, &d, &q, &p].map(size).into_iter().fold(1.0, f64::max).powi(3);
    if scale > 1e4 {
        return false;
    }
    let f = e.first().map_or(0, Vec::len);
    assert_eq!((e.len(), f), (n - k, n - k - connection.rank), "{name}: E");
    assert_eq!((d.len(), d[0].len()), (n, n - m), "{name}: D");
    let what = |equation: &str| format!("{name}: {equation}");
    if f > 0 {
        let b = block(&mu, 0..m, k..n);
        assert_zero(&what("b E = 0"), &times(&b, &e), scale);
        assert_eq!(rank(&e), f, "{name}: columns of E are independent");
    }
    assert_zero(&what("mu D = 0"), &times(&mu, &d), scale);
    assert_eq!(rank(&d), n - m, "{name}: columns of D are independent");

    if let Some(a) = connection.a.as_ref().filter(|_| k > 0) {
        let a = of(a);
        if m > 0 {
            let b_a = times(&block(&mu, 0..m, k..n), &a);
            assert_equal(&what("b A = a"), &b_a, &block(&mu, 0..m, 0..k), scale);
        }
        if f > 0 {
            let e_m = |columns| times(&transposed(&e), &block(&mass, k..n, columns));
            assert_equal(&what("E' M A"), &times(&e_m(k..n), &a), &e_m(0..k), scale);
        }
    }
    if m > 0 {
        assert_equal(&what("Q² = Q"), &times(&q, &q), &q, scale);
        assert_zero(&what("P Q = 0"), &times(&p, &q), scale);
        assert_equal(&what("Q mu' = mu'"), &times(&q, &transposed(&mu)), &transposed(&mu), scale);
    }
    assert_zero(&what("D' Q = 0"), &times(&transposed(&d), &q), scale);
    let p_m_d = times(&times(&p, &mass), &d);
    assert_equal(&what("P M D = M D"), &p_m_d, &times(&mass, &d), scale);
    true
}

const MODELS: [(&str, bool); 10] = [
    ("ball_as_printed", true),
    ("chaplygin_ball", false),
    ("chaplygin_sleigh", true),
    ("rattleback", false),
    ("roller_racer", true),
    ("se3_body", true),
    ("snakeboard", true),
    ("suslov", true),
    ("two_wheeled_robot", true),
    ("vertical_disk", true),
];

#[test]
fn group_models() {
    for (name, invariant) in MODELS {
        let mut x = model(name);
        let projectors = x.projectors(&mut BuiltIn).expect("an engine that never fails");
        assert_eq!(x.structure.invariant, invariant, "{name}");
        let connection = connection(&mut x);
        assert_eq!(connection.rank, x.m(), "{name}");
        let mut random = Random(11);
        let found = (&connection, &projectors);
        let checked = (0..40).filter(|_| check(name, &x, found, &point(&x, &mut random))).count();
        assert!(checked >= 20, "{name}: {checked}");
    }
    let mut particle = model("nonholonomic_particle");
    assert_eq!(particle.connection(&mut BuiltIn).expect("an engine that never fails"), None);
}

/// An expression in the names of the declaration.
fn read(x: &mut Mechanics, text: &str) -> Expr {
    expression(&mut x.system.pool, text)
}

/// Entries are equal to formulas by the zero test, and to rounding at points.
fn assert_formulas(x: &mut Mechanics, found: &Matrix, expected: &[&[&str]]) {
    let expected: Matrix =
        expected.iter().map(|row| row.iter().map(|text| read(x, text)).collect()).collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        let difference = x.system.pool.sub(*found, *expected);
        let show = |e| x.system.pool.show(e).to_string();
        let shown = format!("{} instead of {}", show(*found), show(*expected));
        assert!(x.system.pool.vanishes(difference), "{shown}");
    }
    let mut random = Random(3);
    for _ in 0..20 {
        let at = point(x, &mut random);
        let (a, b) = (evaluate(x, found, &at), evaluate(x, &expected, &at));
        for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((x - y).abs() <= 1e-13 * (1.0 + y.abs()), "{x} instead of {y}");
        }
    }
}

/// e₁, A and Ω of Kobilarov, Martín de Diego and Ferraro, section 7, from the declaration alone.
#[test]
fn snakeboard() {
    let mut x = model("snakeboard");
    let Connection { rank, e, a, .. } = connection(&mut x);
    assert_eq!(rank, 2);
    assert_formulas(&mut x, &e, &[&["sin(2*phi)"], &["-2*l*cos(phi)^2"], &["0"]]);
    let printed: &[&[&str]] = &[&["I/(m*l^2)*sin(phi)^2", "0"], &["-I/(2*m*l)*sin(2*phi)", "0"], &["0", "0"]];
    assert_formulas(&mut x, &a.expect("a connection"), printed);
    // On D the momentum p₁ gives Ω = p₁/(4 m l² cos²φ): with ξ = e₁ Ω − A u.
    let (k, n) = (2, 5);
    let omega = read(&mut x, "Omega");
    let d = connection(&mut x).d;
    let columns: Vec<Expr> = x.v[..k].iter().copied().chain([omega]).collect();
    let pool = &mut x.system.pool;
    let velocity: Vec<Expr> = d.iter().map(|row| sum_of_products(pool, row, &columns)).collect();
    let admissible: HashMap<Expr, Expr> = x.v.iter().copied().zip(velocity).collect();
    let momentum = pool.substitute(&x.momentum, &admissible);
    let e1: Vec<Expr> = e.iter().map(|row| row[0]).collect();
    let p1 = sum_of_products(pool, &momentum[k..n], &e1);
    let inertia = expression(pool, "4*m*l^2*cos(phi)^2");
    let quotient = pool.div(p1, inertia);
    let difference = pool.sub(quotient, omega);
    assert!(pool.vanishes(difference), "{}", pool.show(quotient));
}

fn sum_of_products(pool: &mut nhi_codegen::expr::Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let terms: Vec<Expr> = a.iter().zip(b).map(|(&a, &b)| pool.mul(a, b)).collect();
    pool.sum(&terms)
}

/// e₁ = (1, 0, a), e₂ = (0, 1, 0); on v⊥ = aω the momenta are p₁ = (I + ma²)ω and p₂ = mv.
#[test]
fn sleigh() {
    let mut x = model("chaplygin_sleigh");
    let Connection { e, a, d, .. } = connection(&mut x);
    assert_formulas(&mut x, &e, &[&["1", "0"], &["0", "1"], &["a", "0"]]);
    assert_eq!(a, Some(vec![Vec::new(); 3]));
    assert_eq!(d, e);
    let momenta = |pool: &mut nhi_codegen::expr::Pool, p: &[Expr]| -> Vec<Expr> {
        (0..2)
            .map(|b| {
                let column: Vec<Expr> = e.iter().map(|row| row[b]).collect();
                sum_of_products(pool, p, &column)
            })
            .collect()
    };
    let across = read(&mut x, "a*omega");
    let p = x.momentum.clone();
    let j = momenta(&mut x.system.pool, &p);
    let j = x.system.pool.substitute(&j, &HashMap::from([(x.v[2], across)]));
    assert_formulas(&mut x, &vec![j], &[&["(I + m*a^2)*omega", "m*v"]]);
}

#[test]
fn two_wheeled_robot() {
    let mut x = model("two_wheeled_robot");
    let Connection { e, a, .. } = connection(&mut x);
    assert_eq!(e, vec![Vec::new(); 3]);
    let printed: &[&[&str]] = &[&["rho/(2*w)", "-rho/(2*w)"], &["-rho/2", "-rho/2"], &["0", "0"]];
    assert_formulas(&mut x, &a.expect("a connection"), printed);
}

/// Other bases that can be read off: the vertical in the body of balls, axes of bodies.
#[test]
fn bases() {
    let expected: [(&str, &[&[&str]]); 5] = [
        ("ball_as_printed", &[&["0"], &["0"], &["1"]]),
        ("suslov", &[&["1", "0"], &["0", "1"], &["0", "0"]]),
        ("roller_racer", &[&["sin(phi)"], &["d1*cos(phi) + d2"], &["0"]]),
        ("vertical_disk", &[&["1"], &["0"], &["0"]]),
        (
            "se3_body",
            &[
                &["1", "0", "0", "0"],
                &["0", "1", "0", "0"],
                &["0", "0", "1", "0"],
                &["0", "0", "0", "1"],
                &["0", "0", "0", "0"],
                &["0", "c", "0", "0"],
            ],
        ),
    ];
    for (name, basis) in expected {
        let mut x = model(name);
        let e = connection(&mut x).e;
        assert_formulas(&mut x, &e, basis);
    }
    let mut x = model("chaplygin_ball");
    let vertical: Matrix = x.q[8..11].iter().map(|&e| vec![e]).collect();
    assert_eq!(connection(&mut x).e, vertical);
}

/// Without constraints E is everything and A the mechanical connection M_gg⁻¹ M_gr.
#[test]
fn mechanical_connection() {
    let mut x = declared(
        "coordinates(r), group = SE2(theta, x, y; omega, v, w),
         lagrangian = m/2*(v^2 + w^2 + dot(r)^2) + c*omega^2 + m*cos(r)*dot(r)*v + m*omega*dot(r),
         constraints()",
    );
    let Connection { rank, e, a, .. } = connection(&mut x);
    assert_eq!(rank, 0);
    assert_formulas(&mut x, &e, &[&["1", "0", "0"], &["0", "1", "0"], &["0", "0", "1"]]);
    assert_formulas(&mut x, &a.expect("a connection"), &[&["m/(2*c)"], &["cos(r)"], &["0"]]);
}

/// A form of the coordinates alone leaves no connection, but all momenta; with as many forms as the group
/// has dimensions the pose has no motion of its own.
#[test]
fn forms_of_the_coordinates_alone() {
    let mut x = declared(
        "coordinates(r, s), group = SE2(theta, x, y; omega, v, w),
         lagrangian = m/2*(v^2 + w^2 + dot(r)^2 + dot(s)^2) + c*omega^2 + m*dot(r)*v/2,
         constraints(dot(r) - s*dot(s), w - c*omega)",
    );
    let found = connection(&mut x);
    assert_eq!((found.rank, &found.a), (1, &None));
    assert_formulas(&mut x, &found.e, &[&["1", "0"], &["0", "1"], &["c", "0"]]);
    let projectors = x.projectors(&mut BuiltIn).expect("an engine that never fails");
    let mut random = Random(2);
    let found = (&found, &projectors);
    let checked = (0..20).filter(|_| check("alone", &x, found, &point(&x, &mut random))).count();
    assert!(checked >= 10, "{checked}");
}

/// What looks as if it depended on the pose may not: |R ω|² = |ω|².
#[test]
fn invariance_is_that_of_the_group() {
    let spatial = "let(a1 = R[0][0]*w1 + R[0][1]*w2 + R[0][2]*w3,
                       a2 = R[1][0]*w1 + R[1][1]*w2 + R[1][2]*w3,
                       a3 = R[2][0]*w1 + R[2][1]*w2 + R[2][2]*w3),
                   group = SO3(R; w1, w2, w3)";
    let with = |rest: &str| declared(&format!("{spatial}, {rest}"));
    let round = "lagrangian = m/2*(a1^2 + a2^2 + a3^2) + c*w3^2";
    assert!(with(&format!("{round}, constraints(w1)")).structure.invariant);
    assert!(!with(&format!("{round}, constraints(a1)")).structure.invariant);
    assert!(!with(&format!("{round} - c*R[2][2], constraints(w1)")).structure.invariant);
    assert!(!with(&format!("{round}, constraints(w1), force = R[2][2]*w2*dt")).structure.invariant);
    assert!(
        with(
            "lagrangian = m/2*(a1^2 + a2^2 + a3^2) + c*w3^2*(R[0][0]^2 + R[1][0]^2 + R[2][0]^2),
                  constraints(w1)"
        )
        .structure
        .invariant
    );
    let plane = |l: &str| {
        declared(&format!(
            "group = SE2(theta, x, y; omega, v, w), lagrangian = m/2*(omega^2 + v^2 + w^2){l}, constraints(w)"
        ))
    };
    assert!(plane("").structure.invariant && !plane(" - c*y").structure.invariant);
}

/// A declaration of random forms and masses, mostly with few non-zero entries.
fn random_declaration(random: &mut Random) -> String {
    let (group, velocities, pose): (&str, &[&str], &[&str]) = [
        ("SE2(theta, x, y; omega, v, w)", &["omega", "v", "w"] as &[&str], &["cos(theta)", "x"] as &[&str]),
        ("SO3(R; w1, w2, w3)", &["w1", "w2", "w3"], &["R[2][0]", "R[0][1]"]),
        ("SE3(R, p; w1, w2, w3, v1, v2, v3)", &["w1", "w2", "w3", "v1", "v2", "v3"], &["R[1][1]", "p[2]"]),
    ][random.below(3)];
    let k = random.below(4);
    let mut v: Vec<String> = (0..k).map(|i| format!("dot(r[{i}])")).collect();
    v.extend(velocities.iter().map(|&name| name.to_owned()));
    let n = v.len();
    let coefficient = |random: &mut Random| -> String {
        let mut choices = vec!["1", "-2", "c", "m*c"];
        if k > 0 {
            choices.extend(["sin(r[0])", "(1 + r[0]^2)", "c*cos(r[0])"]);
        }
        choices.extend(pose);
        choices[random.below(choices.len())].to_owned()
    };
    let mut terms: Vec<String> = v.iter().map(|v| format!("m*{}*{v}^2", 2 + random.below(3))).collect();
    for _ in 0..random.below(n + 1) {
        let (i, j) = (random.below(n), random.below(n));
        terms.push(format!("{}*{}*{}/8", coefficient(random), v[i], v[j]));
    }
    let m = random.below(n);
    let forms: Vec<String> = (0..m)
        .map(|a| {
            let mut form = vec![format!("{}*{}", coefficient(random), v[(a + random.below(2)) % n])];
            for _ in 0..random.below(4) {
                form.push(format!("{}*{}", coefficient(random), v[random.below(n)]));
            }
            form.join(" + ")
        })
        .collect();
    let coordinates = if k > 0 { format!("coordinates(r[{k}]), ") } else { String::new() };
    format!(
        "{coordinates}group = {group}, lagrangian = {}, constraints({})",
        terms.join(" + "),
        forms.join(", ")
    )
}

#[test]
fn random_systems() {
    let (mut checked, mut systems, mut without) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let keys = random_declaration(&mut random);
        let text = format!("#[nonholonomic({keys})] struct S {{ m: f64, c: f64 }}");
        // Forms that are dependent everywhere are refused.
        let Ok(declaration) = Declaration::parse(&syn::parse_str(&text).expect("a struct")) else { continue };
        let mut x = Mechanics::derive(declaration.system, &mut BuiltIn).expect("an engine that never fails");
        let projectors = x.projectors(&mut BuiltIn).expect("an engine that never fails");
        systems += 1;
        let connection = connection(&mut x);
        without += usize::from(connection.a.is_none());
        checked += (0..5)
            .filter(|_| {
                let at = point(&x, &mut random);
                check(&keys, &x, (&connection, &projectors), &at)
            })
            .count();
    }
    assert!(systems > 30 && without > 3 && checked > 2 * systems, "{systems}, {without}, {checked}");
}

/// People read the geometry in front of the functions; on R^n there is nothing to read.
#[test]
fn the_geometry_is_printed() {
    let header = |file: &str| -> Vec<String> {
        let derived = Derived::new(declaration(file), &mut BuiltIn).expect("derivable");
        let code = derived.pretty(&mut BuiltIn).expect("an engine that never fails");
        let lines = code.lines().map(str::trim).skip_while(|line| !line.starts_with("// Q = "));
        lines.take_while(|line| line.starts_with("// ")).map(str::to_owned).collect()
    };
    assert_eq!(
        header("chaplygin_sleigh"),
        [
            "// Q = SE2, velocities xi = (omega, v, v_perp).",
            "// Invariant under SE2: L, the one-forms and the force are the same at every pose.",
            "// One-forms mu = (b), rank b = 1 of 1 almost everywhere.",
            "// Momentum basis E, b E = 0:",
            "//   e_1 = (1, 0, a)",
            "//   e_2 = (0, 1, 0)",
            "// Nonholonomic momentum J_b = <p, (0, e_b)>.",
            "// Basis of the constraint distribution: D = E.",
        ]
    );
    assert_eq!(
        header("snakeboard"),
        [
            "// Q = R^2 × SE2, velocities u = (dot(psi), dot(phi)) and xi = (omega, v, v_perp).",
            "// Invariant under SE2: L, the one-forms and the force are the same at every pose.",
            "// One-forms mu = (a | b), rank b = 2 of 2 almost everywhere.",
            "// Momentum basis E, b E = 0:",
            "//   e_1 = (2*cos(phi)*sin(phi), -2*l*cos(phi)^2, 0)",
            "// Nonholonomic momentum J_b = <p, (0, e_b)>.",
            "// Nonholonomic connection A, b A = a and Eᵀ M_gg A = Eᵀ M_gr:",
            "//   A_psi = (I*sin(phi)^2/(m*l^2), -I*cos(phi)*sin(phi)/(m*l), 0)",
            "//   A_phi = (0, 0, 0)",
            "// Basis of the constraint distribution: D = (1 0; −A E), xi = E Omega − A u.",
            "// Singular where det(b; Eᵀ M_gg) = -4*m*l^2*cos(phi)^2 is zero.",
        ]
    );
    assert!(header("nonholonomic_particle").is_empty());
}

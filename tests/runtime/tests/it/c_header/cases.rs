//! Functions of the runtime and what calls the same ones in C.

use super::driver::Real;
use nhi_runtime::emitted::{
    Newton, Saddle, corrected_sin_cos, finite, pivot, rotated_sin_cos, small_sin_cos,
};
use nhi_runtime::group::{Cayley, Ccsk, Exp, Exp1, Exp2, Exp4};
use nhi_runtime::{Factor, Failure, Retracts};

/// A function of the runtime, from its arguments to its results.
type Function<T> = Box<dyn Fn(&[T]) -> Vec<T>>;

/// One function.
pub(crate) struct Case<T> {
    /// Its name.
    pub(crate) name: String,
    /// How many numbers it takes.
    pub(crate) inputs: usize,
    /// How many it gives.
    pub(crate) outputs: usize,
    /// Into its domain.
    pub(crate) shape: fn(f64) -> f64,
    /// The runtime's.
    pub(crate) here: Function<T>,
    /// Statements that set `y[i]` for `x[i]`.
    pub(crate) there: String,
    /// How far results may be apart.
    pub(crate) ulps: u64,
}

fn case<T: Real>(
    name: &str,
    inputs: usize,
    outputs: usize,
    there: &str,
    here: impl Fn(&[T]) -> Vec<T> + 'static,
) -> Case<T> {
    let (name, there) = (name.to_owned(), there.to_owned());
    Case { name, inputs, outputs, shape: |x| x, here: Box::new(here), there, ulps: 0 }
}

fn pair<T>((sin, cos): (T, T)) -> Vec<T> {
    vec![sin, cos]
}

const SINES: &str = "y[0] = s.sin; y[1] = s.cos;";

/// All functions whose results must be the same.
pub(crate) fn cases<T: Real>() -> Vec<Case<T>> {
    let mut all = vec![
        case("sin_cos", 1, 2, &format!("const nhi_sines s = nhi_sin_cos(x[0]); {SINES}"), |x: &[T]| {
            pair(x[0].sin_cos())
        }),
        case("sin and cos", 1, 2, "y[0] = nhi_sin(x[0]); y[1] = nhi_cos(x[0]);", |x: &[T]| {
            vec![x[0].sin(), x[0].cos()]
        }),
        case(
            "small_sin_cos",
            1,
            2,
            &format!("const nhi_sines s = nhi_small_sin_cos(x[0]); {SINES}"),
            |x: &[T]| pair(small_sin_cos(x[0])),
        ),
        // The angle is close to the other one in most cases.
        case(
            "rotated_sin_cos",
            4,
            2,
            &format!(
                "const nhi_sines s = nhi_rotated_sin_cos(x[0] + NHI_R(0.1) * x[1], x[0], x[2], x[3]); {SINES}"
            ),
            |x: &[T]| pair(rotated_sin_cos(x[0] + T::from_f64(0.1) * x[1], x[0], (x[2], x[3]))),
        ),
        case("finite", 3, 1, "y[0] = NHI_R(nhi_all_finite(x, 3));", |x: &[T]| {
            vec![T::from_f64(f64::from(u8::from(finite(&[x[0], x[1], x[2]]))))]
        }),
        case(
            "pivot",
            2,
            1,
            "y[0] = NHI_R(nhi_is_regular(x[0], x[1]) ? NHI_OK : nhi_pivot_status(x[0], x[1], NHI_SINGULAR_MASS));",
            |x: &[T]| {
                let status = match pivot(x[0], x[1], Failure::SingularMass) {
                    Ok(()) => 0.0,
                    Err(Failure::SingularMass) => 3.0,
                    Err(_) => 4.0,
                };
                vec![T::from_f64(status)]
            },
        ),
        saddle_point::<T, 3, 5, 9, 6>(false),
        saddle_point::<T, 2, 3, 4, 2>(false),
        saddle_point::<T, 3, 5, 9, 12>(true),
        saddle_point::<T, 4, 6, 16, 16>(true),
        saddle_point::<T, 2, 3, 4, 4>(true),
        newton_of_one(false, false),
        newton_of_one(true, false),
        newton_of_one(false, true),
        newton_of_one(true, true),
        newton_of_two(),
    ];
    for (name, size) in [("tiny", "1e-9"), ("close", "1e-6"), ("small", "0.1"), ("any", "1.0")] {
        let by = size.parse().expect("a number");
        all.push(case(
            &format!("corrected_sin_cos, {name}"),
            5,
            2,
            &format!(
                "const nhi_sines s = nhi_corrected_sin_cos((x[0] + x[1]) + NHI_R({size}) * x[2], x[0], x[1], x[3], x[4]); {SINES}"
            ),
            move |x: &[T]| {
                let angle = (x[0] + x[1]) + T::from_f64(by) * x[2];
                pair(corrected_sin_cos(angle, x[0], x[1], (x[3], x[4])))
            },
        ));
    }
    all.extend(elementary());
    groups(&mut all);
    all
}

/// Elementary functions, in their domains and out of them.
fn elementary<T: Real>() -> Vec<Case<T>> {
    macro_rules! unary {
        ($($name:ident)*) => {
            vec![$(case(
                stringify!($name),
                1,
                1,
                concat!("y[0] = nhi_", stringify!($name), "(x[0]);"),
                |x: &[T]| vec![x[0].$name()],
            ),)*]
        };
    }
    let mut all: Vec<Case<T>> = unary!(sqrt tan asin acos atan sinh cosh tanh exp ln);
    all.push(case("atan2", 2, 1, "y[0] = nhi_atan2(x[0], x[1]);", |x: &[T]| vec![x[0].atan2(x[1])]));
    all.push(case("powf", 2, 1, "y[0] = nhi_powf(x[0], x[1]);", |x: &[T]| vec![x[0].powf(x[1])]));
    all
}

/// Elementary functions for a header without math.h.
pub(crate) fn own_math() -> Vec<Case<f64>> {
    let mut all = elementary::<f64>();
    for case in &mut all {
        case.ulps = if case.name == "sqrt" { 0 } else { 2 };
        if case.name == "exp" {
            case.shape = |x| if x.abs() > 750.0 { x % 750.0 } else { x };
        }
        if case.name == "ln" || case.name == "sqrt" {
            case.shape = f64::abs;
        }
    }
    let positive = |x: &[f64]| vec![x[0].abs().powf(x[1])];
    let mut power =
        case("powf of positive numbers", 2, 1, "y[0] = nhi_powf(NHI_R(nhi_abs(x[0])), x[1]);", positive);
    power.ulps = 2;
    all.push(power);
    let near = |x: f64| if x.abs() < 1_048_576.0 || x.is_nan() { x } else { 0.5 };
    for mut case in cases::<f64>().into_iter().filter(|case| case.name.contains("sin_cos")) {
        case.shape = near;
        all.push(case);
    }
    // Beyond, where this runtime calls the platform's.
    let far = format!("const nhi_sines s = nhi_sin_cos(NHI_R(1e6) * x[0]); {SINES}");
    let mut far = case("sin_cos of large angles", 1, 2, &far, |x: &[f64]| pair((1e6 * x[0]).sin_cos()));
    far.ulps = 1;
    all.push(far);
    all
}

fn status<T: Real, const N: usize>(found: Result<([T; N], [T; 1]), Failure>) -> Vec<T> {
    let (code, numbers) = match found {
        Ok((x, [kept])) => (0.0, [&x[..], &[kept]].concat()),
        Err(failure) => {
            let code = match failure {
                Failure::NotConverged | Failure::Unsolved { .. } => 1.0,
                Failure::SingularConstraints => 2.0,
                Failure::SingularMass => 3.0,
                Failure::NonFinite => 4.0,
                other => panic!("not of Newton's method: {other}"),
            };
            (code, vec![T::from_f64(0.0); N + 1])
        }
    };
    [&[T::from_f64(code)], &numbers[..]].concat()
}

/// Linear equations for N velocities, R − N constraints: the arguments are M, of which the part above the diagonal counts, μ, and the
/// right sides. Where reactions act along other one-forms, these follow μ.
fn saddle_point<T: Real, const N: usize, const R: usize, const A: usize, const B: usize>(
    is_separate: bool,
) -> Case<T> {
    let (n, m) = (N, R - N);
    let name = if is_separate { "saddle_point_apart" } else { "saddle_point" };
    let there = format!(
        "nhi_real mass[{A}], mu[{B}], rhs[{R}];
         double sizes[{B}], scales[2 * {N}];
         int order[2 * {R}];
         for (int i = 0; i < {n}; ++i) {{
             for (int j = 0; j < {n}; ++j) {{ mass[{n} * i + j] = x[i < j ? {n} * i + j : {n} * j + i]; }}
         }}
         for (int i = 0; i < {B}; ++i) {{ mu[i] = x[{A} + i]; }}
         for (int i = 0; i < {R}; ++i) {{ rhs[i] = x[{A} + {B} + i]; }}
         const int status = nhi_{name}({n}, {m}, mass, mu, rhs, sizes, scales, order);
         y[{R}] = NHI_R(status);
         for (int i = 0; i < {R}; ++i) {{ y[i] = status == NHI_OK ? rhs[i] : NHI_R(0.0); }}"
    );
    case(&format!("{name} of {m} constraints"), A + B + R, R + 1, &there, move |x: &[T]| {
        let (given, rest) = x.split_at(A);
        let (mu, rhs) = rest.split_at(B);
        let mut mass: Vec<T> = (0..A).map(|k| given[N * (k / N).min(k % N) + (k / N).max(k % N)]).collect();
        let (mut mu, mut rhs) = (mu.to_vec(), rhs.to_vec());
        let (mut scales, mut order) = ([[0.0; N]; 2], [[0; R]; 2]);
        let mut equations = Saddle {
            n: N,
            mass: &mut mass,
            mu: &mut mu,
            rhs: &mut rhs,
            sizes: &mut [0.0; B],
            scales: scales.as_flattened_mut(),
            order: order.as_flattened_mut(),
        };
        let status = match equations.solve() {
            Ok(()) => 0.0,
            Err(Failure::SingularConstraints) => 2.0,
            Err(Failure::SingularMass) => 3.0,
            Err(_) => 4.0,
        };
        let zero = T::from_f64(0.0);
        rhs.iter().map(|&x| if status == 0.0 { x } else { zero }).chain([T::from_f64(status)]).collect()
    })
}

/// F(x) = x + a x² + b x³ − y of one unknown, with a fallback, with updates of third order if they are `bent`, and
/// without predictions if they are `sharp`.
fn newton_of_one<T: Real>(bent: bool, sharp: bool) -> Case<T> {
    let there = format!(
        "const double weights[1] = {{(double)(x[5] * x[5])}};
         const nhi_real fallback[1] = {{x[4]}};
         nhi_real u[1] = {{x[3]}};
         nhi_real kept = NHI_R(0.0);
         y[1] = NHI_R(0.0); y[2] = NHI_R(0.0);
         double safeguard[2];
         nhi_newton newton = nhi_newton_start((double)(x[6] * x[6]), 1, {sharp}, safeguard);
         for (int i = 0; i < NHI_MOST_ITERATIONS; ++i) {{
             const nhi_real z = u[0];
             const nhi_real f = z + x[0] * z * z + x[1] * z * z * z - x[2];
             const nhi_real slope = NHI_R(1.0) + NHI_R(2.0) * x[0] * z + NHI_R(3.0) * x[1] * z * z;
             const nhi_real delta[1] = {{-f / slope}};
             kept = f;
             if (nhi_newton_update(&newton, 1, u, delta, weights, {bent})) {{ break; }}
             if ({bent} && nhi_newton_bend(&newton, u, z, delta[0], slope, NHI_R(2.0) * x[0] + NHI_R(6.0) * x[1] * z, NHI_R(6.0) * x[1])) {{ break; }}
             if (!nhi_newton_go_on(&newton, 1, u, fallback, weights)) {{ y[0] = NHI_R(newton.status); return; }}
         }}
         y[0] = NHI_R(newton.status); y[1] = u[0]; y[2] = kept;",
        bent = u8::from(bent),
        sharp = u8::from(sharp),
    );
    let name = match (bent, sharp) {
        (false, false) => "Newton's method",
        (false, true) => "Newton's method, sharp equations",
        (true, false) => "Newton's method, updates of third order",
        (true, true) => "Newton's method, updates of third order, sharp equations",
    };
    case(name, 7, 3, &there, move |x: &[T]| {
        let number = T::from_f64;
        let of = |z: T| {
            let f = z + x[0] * z * z + x[1] * z * z * z - x[2];
            let slope = number(1.0) + number(2.0) * x[0] * z + number(3.0) * x[1] * z * z;
            (f, slope)
        };
        let newton = Newton::weighted([x[5] * x[5]], x[6] * x[6]);
        let newton = if sharp { newton.sharp() } else { newton };
        status(if bent {
            newton.solve_or([x[3]], [x[4]], |[z]| {
                let (f, slope) = of(z);
                let second = number(2.0) * x[0] + number(6.0) * x[1] * z;
                Ok(([-f / slope], move || [slope, second, number(6.0) * x[1]], [f]))
            })
        } else {
            newton.solve_or([x[3]], [x[4]], |[z]| {
                let (f, slope) = of(z);
                Ok(([-f / slope], || [], [f]))
            })
        })
    })
}

/// Two unknowns with a diagonal Jacobian that is frozen, which converges linearly.
fn newton_of_two<T: Real>() -> Case<T> {
    let there = "const double weights[2] = {(double)(x[4] * x[4]), 1.0};
         nhi_real u[2] = {x[0], x[1]};
         nhi_real kept = NHI_R(0.0);
         y[1] = NHI_R(0.0); y[2] = NHI_R(0.0); y[3] = NHI_R(0.0);
         const nhi_real guess[2] = {x[0], x[1]};
         double safeguard[4];
         nhi_newton newton = nhi_newton_start(1.0, 0, 0, safeguard);
         for (int i = 0; i < NHI_MOST_ITERATIONS; ++i) {
             const nhi_real a = u[0];
             const nhi_real b = u[1];
             const nhi_real delta[2] = {x[2] - a - NHI_R(0.25) * a * b, x[3] - b + NHI_R(0.25) * a * a};
             kept = a * b;
             if (nhi_newton_update(&newton, 2, u, delta, weights, 0)) { break; }
             if (!nhi_newton_go_on(&newton, 2, u, guess, weights)) { y[0] = NHI_R(newton.status); return; }
         }
         y[0] = NHI_R(newton.status); y[1] = u[0]; y[2] = u[1]; y[3] = kept;";
    case("Newton's method for two unknowns", 5, 4, there, |x: &[T]| {
        let number = T::from_f64;
        status(Newton::weighted([x[4] * x[4], number(1.0)], number(1.0)).solve([x[0], x[1]], |[a, b]| {
            let delta = [x[2] - a - number(0.25) * a * b, x[3] - b + number(0.25) * a * a];
            Ok((delta, || [], [a * b]))
        }))
    })
}

macro_rules! define_groups {
    ($($group:ident $name:literal { entries: $entries:literal, dimension: $dimension:literal, $($facts:tt)* })*) => {
        /// The maps of all groups.
        fn groups<T: Real>(all: &mut Vec<Case<T>>) {
            $(
                let name = stringify!($group).to_lowercase();
                group::<T, nhi_runtime::group::$group<f64>, $entries, $dimension>(&name, all);
            )*
        }
    };
}

nhi_runtime::for_each_group!(define_groups);

/// The maps of a group with poses of `P` numbers and dimension `N`.
fn group<T: Real, G, const P: usize, const N: usize>(name: &str, all: &mut Vec<Case<T>>)
where
    G: Factor<Entries<T> = [T; P], Algebra<T> = [T; N]> + 'static,
    Exp: Retracts<G>,
    Cayley: Retracts<G>,
    Ccsk: Retracts<G>,
    Exp1: Retracts<G>,
    Exp2: Retracts<G>,
    Exp4: Retracts<G>,
{
    let there = |map: &str, first: usize| {
        let second = if first > 0 { format!("x + {first}, ") } else { String::new() };
        format!("nhi_{name}_{map}(x, {second}y);")
    };
    all.push(case(&format!("{name} displaced"), P + N, P, &there("displaced", P), |x: &[T]| {
        let (g, sigma) = split::<T, P, N>(x);
        G::displaced::<T>(&g, &sigma).to_vec()
    }));
    all.push(case(&format!("{name} displacement"), 2 * P, N, &there("displacement", P), |x: &[T]| {
        let (g, h) = split::<T, P, P>(x);
        G::displacement::<T>(&g, &h).to_vec()
    }));
    all.push(case(&format!("{name} dexp_left_inv"), 2 * N, N, &there("dexp_left_inv", N), |x: &[T]| {
        let (sigma, xi) = split::<T, N, N>(x);
        G::dexp_left_inv::<T>(&sigma, &xi).to_vec()
    }));
    macro_rules! retraction {
        ($($type:ident)*) => {$({
            let tau = <$type as Retracts<G>>::NAME;
            let mut add = |map: &str, first: usize, inputs: usize, outputs: usize, here: Function<T>| {
                let map = format!("{tau}_{map}");
                all.push(case(&format!("{name} {map}"), inputs, outputs, &there(&map, first), here));
            };
            add("moved", P, P + N, P, Box::new(|x| {
                let (g, sigma) = split::<T, P, N>(x);
                <$type as Retracts<G>>::moved::<T>(&g, &sigma).to_vec()
            }));
            add("dtau_left", 0, N, N * N, Box::new(|x| <$type as Retracts<G>>::dtau_left::<T>(&array(x)).as_ref().to_vec()));
            add("dtau_inv", 0, N, N * N, Box::new(|x| <$type as Retracts<G>>::dtau_inv::<T>(&array(x)).as_ref().to_vec()));
            add("dtau_inv_star", N, 2 * N, N, Box::new(|x| {
                let (sigma, nu) = split::<T, N, N>(x);
                <$type as Retracts<G>>::dtau_inv_star::<T>(&sigma, &nu).to_vec()
            }));
            add("dtau_left_inv_star", N, 2 * N, N, Box::new(|x| {
                let (sigma, nu) = split::<T, N, N>(x);
                <$type as Retracts<G>>::dtau_left_inv_star::<T>(&sigma, &nu).to_vec()
            }));
            add("k", N, 2 * N, N * N, Box::new(|x| {
                let (sigma, nu) = split::<T, N, N>(x);
                <$type as Retracts<G>>::k::<T>(&sigma, &nu).as_ref().to_vec()
            }));
        })*};
    }
    retraction!(Exp Cayley Ccsk Exp1 Exp2 Exp4);
    macro_rules! curvature {
        ($($type:ident)*) => {$(
            let map = format!("{}_k_tangent", <$type as Retracts<G>>::NAME);
            all.push(case(&format!("{name} {map}"), 2 * N, N * N * N, &there(&map, N), |x: &[T]| {
                let (sigma, nu) = split::<T, N, N>(x);
                <$type as Retracts<G>>::k_tangent::<T>(&sigma, &nu).as_ref().to_vec()
            }));
        )*};
    }
    curvature!(Exp Cayley);
}

fn array<T: Real, const N: usize>(x: &[T]) -> [T; N] {
    x.try_into().expect("as many arguments as the case says")
}

fn split<T: Real, const A: usize, const B: usize>(x: &[T]) -> ([T; A], [T; B]) {
    let (a, b) = x.split_at(A);
    (array(a), array(b))
}

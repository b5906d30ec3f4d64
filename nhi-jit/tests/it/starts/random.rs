//! Random declarations and starts.

use nhi_methods::Method;

/// Numbers by splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1).
    pub(crate) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Zeros now and then, of any order of magnitude between 10⁻⁶ and 10⁶ or about one.
    pub(crate) fn entry(&mut self) -> f64 {
        match self.below(6) {
            0 => 0.0,
            1 => self.number() * 10.0_f64.powi(self.below(13) as i32 - 6),
            _ => self.number(),
        }
    }
}

/// The source of a system of this attribute, with the parameters of [`parameters`].
pub(crate) fn source(attribute: &str, method: Method) -> String {
    let fields = "m: f64, j: f64, k: f64, r: f64";
    format!(
        "#[derive(Nonholonomic)] #[nonholonomic({attribute}, methods({}))] struct Random {{ {fields} }}",
        method.facts().marker
    )
}

/// m, j, k and r, of which k has any order of magnitude between 10⁻⁴ and 10⁴.
pub(crate) fn parameters(random: &mut Random) -> [f64; 4] {
    [1.7, 0.3, 10.0_f64.powi(random.below(9) as i32 - 4), 0.7 + 0.1 * random.number()]
}

/// A random declaration with n coordinates.
pub(crate) fn declaration(random: &mut Random) -> String {
    let n = 2 + random.below(4);
    let coordinates: Vec<String> = (0..n).map(|i| format!("q{i}")).collect();
    let mut lagrangian: Vec<String> = (0..n)
        .map(|i| format!("{}/2*dot(q{i})^2", ["m", "j", "m*(1 + q0^2)", "1"][random.below(4)]))
        .collect();
    if random.below(2) == 0 {
        lagrangian.push(format!("m/5*dot(q0)*dot(q{})", n - 1));
    }
    let coefficient = |random: &mut Random| {
        let i = random.below(n);
        match random.below(7) {
            0 => "1".to_owned(),
            1 => "k".to_owned(),
            2 => "-r".to_owned(),
            3 => format!("q{i}"),
            4 => format!("sin(q{i})"),
            5 => format!("cos(q{i})"),
            _ => format!("k*cos(q{i})"),
        }
    };
    let mut forms = Vec::new();
    for _ in 0..1 + random.below(n - 1) {
        let first = random.below(n);
        let mut terms = vec![format!("{}*dq{first}", coefficient(random))];
        for _ in 0..random.below(3) {
            let (c, i) = (coefficient(random), random.below(n));
            terms.push(format!("{c}*dq{i}"));
        }
        match random.below(8) {
            0 | 1 => terms.push("u*dt".to_owned()),
            2 => terms.push("r*cos(t)*dt".to_owned()),
            _ => {}
        }
        forms.push(terms.join(" + "));
    }
    let positions = match random.below(4) {
        0 if forms.len() < n - 1 => ", holonomic(q0 - k*sin(q1) - r*q0*q1 = 0)",
        1 if forms.len() < n - 1 => ", holonomic(q0*cos(t) - r*q1 - k = 0)",
        _ => "",
    };
    format!(
        "coordinates({}), inputs(u), lagrangian = {}, constraints({}){positions}",
        coordinates.join(", "),
        lagrangian.join(" + "),
        forms.join(", ")
    )
}

/// Systems whose projections may leave nothing but rounding, with driven constraints and position constraints.
pub(crate) const KNOWN: [&str; 6] = [
    "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) + m/3*dot(x)*dot(z),
     constraints(a: dz = 0, b: dx + x*dy = 0)",
    "coordinates(x, y, z), lagrangian = m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2), constraints(a: dx + k*dy, b: dy)",
    // A car whose steering is driven.
    "coordinates(x, y, th, phi), inputs(u), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*(dot(th)^2 + dot(phi)^2),
     constraints(rear: sin(th)*dx - cos(th)*dy, front: sin(th + phi)*dx - cos(th + phi)*dy - r*cos(phi)*dth, dphi - u*dt)",
    // A snake of three links on wheels.
    "coordinates(x, y, a, b, c), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*(dot(a)^2 + dot(b)^2 + dot(c)^2),
     constraints(
         first: sin(a)*dx - cos(a)*dy,
         second: sin(b)*dx - cos(b)*dy + r*cos(a - b)*da + r*db,
         third: sin(c)*dx - cos(c)*dy + r*cos(a - c)*da + 2*r*cos(b - c)*db + r*dc,
     )",
    // A rod on a pivot.
    "coordinates(x, y, th), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(th)^2 - 10*m*y,
     constraints(), holonomic(a: x - r*cos(th) = 0, b: y - r*sin(th) = 0)",
    // A carriage on a curve that moves.
    "coordinates(x, y, th), inputs(u), lagrangian = m/2*(dot(x)^2 + dot(y)^2) + j/2*dot(th)^2,
     constraints(turn: dth - u*dt), holonomic(y - r*sin(x) - r*sin(t) = 0)",
];

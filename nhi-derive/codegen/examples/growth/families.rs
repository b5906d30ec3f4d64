//! Systems of any size: the attribute of the struct, whose parameters are `m`, `inertia`, `l` and `k`.

/// A family of systems: its name, and the attribute of the system with N bodies.
pub(crate) type Family = (&'static str, fn(usize) -> String);

/// Every family; those in the plane come first.
pub(crate) const FAMILIES: [Family; 4] = [
    ("car with N trailers", trailers),
    ("snake of N links", snake),
    ("N oscillators", oscillators),
    ("base with an arm of N joints", arm),
];

/// A car that pulls trailers. Every axle rolls without slipping sideways.
fn trailers(n: usize) -> String {
    format!(
        "coordinates(x, y, theta[{n} + 1]),
         let(
             px[0] = x,
             py[0] = y,
             for i in 1..{n} + 1 {{
                 px[i] = px[i - 1] - l*cos(theta[i]),
                 py[i] = py[i - 1] - l*sin(theta[i]),
             }},
         ),
         lagrangian = sum(i in 0..{n} + 1, m/2*(dot(px[i])^2 + dot(py[i])^2) + inertia/2*dot(theta[i])^2),
         constraints(for i in 0..{n} + 1 {{ axle[i]: sin(theta[i])*d(px[i]) - cos(theta[i])*d(py[i]) }}),
         methods(Dla2)"
    )
}

/// Links in the plane, joined end to end, each on wheels at its middle, with springs in the joints.
fn snake(n: usize) -> String {
    format!(
        "coordinates(x, y, phi[{n}]),
         let(
             cx[0] = x,
             cy[0] = y,
             for i in 1..{n} {{
                 cx[i] = cx[i - 1] - l/2*(cos(phi[i - 1]) + cos(phi[i])),
                 cy[i] = cy[i - 1] - l/2*(sin(phi[i - 1]) + sin(phi[i])),
             }},
         ),
         lagrangian = sum(i in 0..{n}, m/2*(dot(cx[i])^2 + dot(cy[i])^2) + inertia/2*dot(phi[i])^2)
             - k/2*sum(i in 1..{n}, (phi[i] - phi[i - 1])^2),
         constraints(for i in 0..{n} {{ wheels[i]: cos(phi[i])*d(cy[i]) - sin(phi[i])*d(cx[i]) }}),
         methods(Dla2)"
    )
}

/// Oscillators in pairs with one constraint (McLachlan and Perlmutter 2006, section 5.3).
fn oscillators(n: usize) -> String {
    format!(
        "coordinates(x, y[{n}], z[{n}]),
         lagrangian = (dot(x)^2 + sum(i in 0..{n}, dot(y[i])^2 + dot(z[i])^2))/2
             - (x^2 + sum(i in 0..{n}, y[i]^2 + z[i]^2 + y[i]^2*z[i]^2))/2,
         constraints(dx + sum(i in 0..{n}, y[i]*dz[i])),
         methods(Dla2)"
    )
}

/// A base on two wheels with an arm of rods. Its joints turn in turn about the last rod, the first of them about the vertical
/// axis, and about an axis across it.
fn arm(n: usize) -> String {
    let mut frames = String::new();
    for i in 0..n {
        let j = i + 1;
        for a in 0..3 {
            // The axes that a joint turns, and the one that it leaves as it is.
            let (from, to, axis) = if i % 2 == 0 { ("ex", "ey", "ez") } else { ("ez", "ex", "ey") };
            frames.push_str(&format!(
                "{from}[{j}][{a}] = cos(q[{i}])*{from}[{i}][{a}] + sin(q[{i}])*{to}[{i}][{a}],
                 {to}[{j}][{a}] = cos(q[{i}])*{to}[{i}][{a}] - sin(q[{i}])*{from}[{i}][{a}],
                 {axis}[{j}][{a}] = {axis}[{i}][{a}],"
            ));
        }
        for a in 0..3 {
            frames.push_str(&format!(
                "centre[{i}][{a}] = end[{i}][{a}] + l/2*ez[{j}][{a}], end[{j}][{a}] = end[{i}][{a}] + l*ez[{j}][{a}],"
            ));
        }
    }
    let axis = |name: &str, [x, y, z]: [&str; 3]| {
        format!("{name}[0][0] = {x}, {name}[0][1] = {y}, {name}[0][2] = {z},")
    };
    let base = [
        axis("ex", ["cos(theta)", "sin(theta)", "0"]),
        axis("ey", ["-sin(theta)", "cos(theta)", "0"]),
        axis("ez", ["0", "0", "1"]),
        axis("end", ["x", "y", "0"]),
    ];
    format!(
        "coordinates(x, y, theta, q[{n}]),
         let({} {frames}),
         lagrangian = k/2*(dot(x)^2 + dot(y)^2) + inertia/2*dot(theta)^2
             + sum(i in 0..{n}, inertia/2*dot(q[i])^2 - 9.81*m*centre[i][2])
             + sum(i in 0..{n}, sum(a in 0..3, m/2*dot(centre[i][a])^2 + m*l^2/24*dot(ez[i + 1][a])^2)),
         constraints(wheels: sin(theta)*dx - cos(theta)*dy),
         methods(Dla2)",
        base.concat()
    )
}

//! Whole systems derived with every engine: what their matrices come to.

use super::engines;
use nhi_codegen::declaration::Declaration;
use nhi_codegen::engine::Engine;
use nhi_codegen::expr::{Expr, Node, Pool};
use nhi_codegen::mechanics::{Mechanics, Reaction};
use quote::quote;

fn derive(declaration: proc_macro2::TokenStream, engine: &mut dyn Engine) -> Mechanics {
    let input = syn::parse2(declaration).expect("a struct");
    let declaration = Declaration::parse(&input).unwrap_or_else(|_| panic!("a valid declaration"));
    Mechanics::derive(declaration.system, engine).expect("mechanics")
}

/// The reaction in closed form, and the pool.
fn reaction(mechanics: &Mechanics) -> (&Reaction, &Pool) {
    (mechanics.reaction.as_ref().expect("closed form"), &mechanics.system.pool)
}

fn weight(pool: &Pool, exprs: &[Expr]) -> usize {
    pool.cost(exprs).weight()
}

#[test]
fn sleigh_c_is_constant() {
    for mut engine in engines() {
        let m = derive(
            quote! {
                #[nonholonomic(
                    coordinates(theta, x, y),
                    lagrangian = J/2*dot(theta)^2 + m/2*(dot(x)^2 + dot(y)^2),
                    constraints(a*dtheta + sin(theta)*dx - cos(theta)*dy = 0),
                )]
                struct Sleigh { J: f64, m: f64, a: f64 }
            },
            engine.as_mut(),
        );
        let (reaction, pool) = reaction(&m);
        assert_eq!(pool.show(reaction.c[0][0]).to_string(), "(J + m*a^2)/(J*m)", "{}", engine.name());
    }
}

#[test]
fn snakeboard_determinant_is_one_product() {
    for mut engine in engines() {
        let mut m = derive(
            quote! {
                #[nonholonomic(
                    coordinates(psi, phi, theta, x, y),
                    lagrangian = m/2*(dot(x)^2 + dot(y)^2) + m*l^2/2*dot(theta)^2
                        + I/2*dot(psi)^2 + I*dot(psi)*dot(theta) + J*dot(phi)^2,
                    constraints(
                        -l*cos(phi)*dtheta - sin(theta + phi)*dx + cos(theta + phi)*dy,
                        l*cos(phi)*dtheta - sin(theta - phi)*dx + cos(theta - phi)*dy,
                    ),
                )]
                struct Snakeboard { m: f64, l: f64, I: f64, J: f64 }
            },
            engine.as_mut(),
        );
        let theta = m.q[2];
        let (reaction, pool) = reaction(&m);
        let (c, det) = (reaction.c.clone(), reaction.det.expect("two one-forms"));
        assert_eq!(c[0][0], c[1][1]);
        assert_eq!(c[0][1], c[1][0]);
        for e in [c[0][0], c[0][1], det] {
            assert!(!pool.depends_on(e, &[theta]), "{}", pool.show(e));
        }
        assert!(matches!(pool.node(det), Node::Product(_)), "{}", pool.show(det));
        // 4 cos²φ (m l² − I sin²φ) / (m² (m l² − I)): two sums of two, one division.
        let operations = pool.cost(&[det]);
        assert_eq!((operations.adds, operations.divs), (2, 1), "{}", pool.show(det));

        let pool = &mut m.system.pool;
        let main = pool.powi(c[0][0], 2);
        let side = pool.powi(c[0][1], 2);
        let expected = pool.sub(main, side);
        let difference = pool.sub(det, expected);
        assert!(pool.vanishes(difference));
    }
}

#[test]
fn euler_disk_mass_is_short() {
    for mut engine in engines() {
        let m = derive(
            quote! {
                #[nonholonomic(
                    coordinates(x, y, phi, theta, psi),
                    let(
                        cx = dot(x) + R*(dot(theta)*sin(phi)*sin(theta) - dot(phi)*cos(theta)*cos(phi)),
                        cy = dot(y) - R*(dot(theta)*cos(phi)*sin(theta) + dot(phi)*cos(theta)*sin(phi)),
                        cz = R*dot(theta)*cos(theta),
                    ),
                    lagrangian = m/2*(cx^2 + cy^2 + cz^2) - m*g*R*sin(theta)
                        + I1/2*(dot(theta)^2 + dot(phi)^2*sin(theta)^2) + I3/2*(dot(psi) + dot(phi)*cos(theta))^2,
                    constraints(dx + R*cos(phi)*dpsi, dy + R*sin(phi)*dpsi),
                )]
                struct EulerDisk { m: f64, R: f64, I1: f64, I3: f64, g: f64 }
            },
            engine.as_mut(),
        );
        let pool = &m.system.pool;
        assert_eq!(pool.show(m.mass[3][3]).to_string(), "I1 + m*R^2");
        // (I₃ + m R²) cos²θ + I₁ sin²θ, or with one of the squares eliminated.
        assert!(!pool.depends_on(m.mass[2][2], &[m.q[2]]), "{}", pool.show(m.mass[2][2]));
        assert!(weight(pool, &[m.mass[2][2]]) <= 15 + 8, "{}", pool.show(m.mass[2][2]));
        // m R (θ̇² cos θ sin φ + ...) and its like for y; the reaction of ψ is one product.
        assert_eq!(pool.cost(&[m.bias[4]]).adds, 0, "{}", pool.show(m.bias[4]));
    }
}

#[test]
fn moving_mass_is_isotropic() {
    for mut engine in engines() {
        let m = derive(
            quote! {
                #[nonholonomic(
                    coordinates(theta, x, y, s),
                    lagrangian = I/2*dot(theta)^2 - k/2*(s - s0)^2
                        + m/2*(dot(x + a*cos(theta))^2 + dot(y + a*sin(theta))^2)
                        + m2/2*(dot(x + s*cos(theta))^2 + dot(y + s*sin(theta))^2),
                    constraints(sin(theta)*dx - cos(theta)*dy),
                )]
                struct MovingMass { I: f64, m: f64, a: f64, m2: f64, k: f64, s0: f64 }
            },
            engine.as_mut(),
        );
        let pool = &m.system.pool;
        assert_eq!(pool.show(m.mass[0][0]).to_string(), "I + m*a^2 + m2*s^2");
        assert_eq!(pool.show(m.mass[0][1]).to_string(), "-sin(theta)*(m*a + m2*s)");
        assert_eq!(pool.show(m.mass[0][2]).to_string(), "cos(theta)*(m*a + m2*s)");
    }
}

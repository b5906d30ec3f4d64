#[allow(
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    missing_docs,
    non_ascii_idents,
    non_snake_case,
    non_upper_case_globals,
    refining_impl_trait,
    uncommon_codepoints,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_qualifications,
    unused_results
)]
const _: () = {
    mod kernel {
        use ::core::convert::From;
        use ::core::result::Result::{self, Err, Ok};
        use runtime::{Failure, Scalar, emitted, Factor, Posed, Retracts, group::SE2};

        mod runtime {
            pub(super) use ::nhi_runtime::{
                Failure, Scalar, emitted, NodeState, Factor, Posed, Retracts, group,
            };
        }

        /// Step functions of `rdp`.
        pub mod rdp {
            use ::core::convert::From;
            use ::core::result::Result::{self, Err, Ok};
            use super::runtime::{
                Failure, Scalar, emitted, NodeState, Factor, Posed, Retracts, group::SE2,
            };

            /// One step of `rdp`: Kobilarov, Martín de Diego and Ferraro, (27)–(28) corrected, trapezoidal rule.
            ///
            /// ```text
            /// (1)  p⁻(q, q') = L_v(q, v) + μ(q)ᵀ ℓ,  q' = q + h d
            /// (2)  ½ (μ(q) d + μ₀(q)) + ½ (μ(q') d + μ₀(q')) = 0
            /// (3)  v' = u − B σ,  u = M⁻¹(p⁺(q, q') − a),  σ = C⁻¹(μ u + μ₀) at q'
            ///
            /// p⁻(x, y) = (T⁻)* (½ L_v(x, d) + ½ L_v(y, d)) − h/2 (L_q + f)(x, d)
            /// p⁺(x, y) = (T⁺)* (½ L_v(x, d) + ½ L_v(y, d)) + h/2 (L_q + f)(y, d)
            /// for y = x + h d
            /// T⁻ = (1, dτ⁻¹_{hξ}),  T⁺ = (1, (dτᴸ_{hξ})⁻¹)
            /// ```
            ///
            /// ℓ: impulse at q, guessed by h/2 λ;
            /// λ' = −2σ/h;
            /// L_v = M v + a; B = M⁻¹ μᵀ; C = μ B;
            /// on R^k × SE2 q + h d is (r + h u, g τ(h ξ)) for q = (r, g) and d = (u, ξ).
            ///
            /// Operations: 67 add, 86 mul, 1 sin_cos with those of 1 moved, 1 dtau_left_inv_star; per Newton iteration 75 add, 106 mul, 1 div with those of 1 dtau_inv_star, 1 dtau_inv, 1 k.
            #[inline(always)]
            pub fn step<T: Scalar, R: Retracts<SE2<f64>>>(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                match quick_or_careful_step::<T, R, false>(prepared, state, _t, inputs) {
                    Err(_) if const { emitted::repeats_carefully::<T>() } => {
                        careful_step::<T, R>(prepared, state, _t, inputs)
                    }
                    next => next,
                }
            }

            /// The same where linear equations are solved without formulas.
            #[cold]
            fn careful_step<T: Scalar, R: Retracts<SE2<f64>>>(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                quick_or_careful_step::<T, R, true>(prepared, state, _t, inputs)
            }

            /// The same, which fails where linear equations should be solved without formulas unless it `SOLVES` them so.
            #[inline(always)]
            fn quick_or_careful_step<
                T: Scalar,
                R: Retracts<SE2<f64>>,
                const SOLVES: bool,
            >(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                let Prepared {
                    m,
                    I,
                    J,
                    r,
                    h,
                    m_r,
                    m_r_sq,
                    mass_phi,
                    r_h,
                    half_h,
                    inv_J,
                    inv_I,
                    inv_m,
                    r_over_J,
                    inv_pivot,
                    masses,
                    masses_2,
                    masses_3,
                    two_over_h,
                } = *prepared;
                let [phi, theta, x, y] = *state.q.entries();
                let [dot_phi, omega, v_, _] = state.v;
                let Carried {
                    error_d_phi,
                    error_2_d_phi,
                    older_errors_d_phi,
                    error_d_omega,
                    error_2_d_omega,
                    older_errors_d_omega,
                    carried,
                } = state.carried;
                let [torque] = *inputs;

                // (1) momentum at the node
                let p_phi = J * dot_phi;
                let p_omega = I * omega;
                let p_v = m * v_;

                // norm of Newton's updates
                let scale2 = carried + omega * p_omega + dot_phi * p_phi + v_ * p_v;

                // constants of the iteration
                let t0 = half_h * torque;
                let t1 = p_phi + t0;
                let three_error_d_phi = T::from_f64(3.0) * error_d_phi;
                let three_error_d_omega = T::from_f64(3.0) * error_d_omega;

                // initial guess: g + 3 e₁ + (e₃ − 3 e₂); u₁, …: last solutions, e₁, …: their differences from g
                let newton = emitted::Newton::weighted([mass_phi, I], scale2)
                    .named(&["phi", "omega"]);
                let ([d_phi, d_omega], []) = emitted::Newton::solve_or(
                    newton,
                    [
                        older_errors_d_phi + three_error_d_phi + dot_phi,
                        older_errors_d_omega + three_error_d_omega + omega,
                    ],
                    [dot_phi, omega],
                    #[inline(always)]
                    |[d_phi, d_omega]| {
                        // elimination: Jacobian · delta = −residual
                        let t2 = h * d_omega;
                        let t3 = r_h * d_phi;
                        let [dtau_inv_0, _, _, dtau_inv_3, dtau_inv_4, _, _, _, _] = R::dtau_inv(
                            &[t2, t3, T::from_f64(0.0)],
                        );
                        let jac_11 = J + m_r_sq * dtau_inv_4;
                        let t4 = I * d_omega;
                        let t5 = m_r * d_phi;
                        let [k_0, k_1, _, k_3, _, _, _, _, _] = R::k(
                            &[t2, t3, T::from_f64(0.0)],
                            &[t4, t5, T::from_f64(0.0)],
                        );
                        let jac_12 = r_h * k_3;
                        let [dtau_inv_star_0, dtau_inv_star_1, _] = R::dtau_inv_star(
                            &[t2, t3, T::from_f64(0.0)],
                            &[t4, t5, T::from_f64(0.0)],
                        );
                        let rhs_1 = t1 + r * (p_v - dtau_inv_star_1) - J * d_phi;
                        let jac_21 = r * (m * dtau_inv_3 + h * k_1);
                        let jac_22 = I * dtau_inv_0 + h * k_0;
                        let rhs_2 = p_omega - dtau_inv_star_0;
                        let det = jac_11 * jac_22 - jac_12 * jac_21;
                        let inv_det = T::from_f64(1.0) / det;
                        Ok((
                            [
                                (rhs_1 * jac_22 - jac_12 * rhs_2) * inv_det,
                                (jac_11 * rhs_2 - rhs_1 * jac_21) * inv_det,
                            ],
                            move || [],
                            [],
                        ))
                    },
                )?;

                // errors for the next initial guess
                let next_error_d_phi = d_phi - dot_phi;
                let next_error_d_omega = d_omega - omega;

                // (1) impulses ℓ of the constraints that were eliminated
                let phi_1 = phi + h * d_phi;
                let t6 = h * d_omega;
                let t7 = r_h * d_phi;
                let [theta_1, x_1, y_1] = R::moved(
                    &[theta, x, y],
                    &[t6, t7, T::from_f64(0.0)],
                );

                // (3) u = M⁻¹(p⁺ − a) at q', and σ = C⁻¹(μ u + μ₀)
                let t8 = t0 + J * d_phi;
                let u_phi = inv_J * t8;
                let t9 = I * d_omega;
                let t10 = m_r * d_phi;
                let [dtau_left_inv_star_0, dtau_left_inv_star_1, sigma_1] = R::dtau_left_inv_star(
                    &[t6, t7, T::from_f64(0.0)],
                    &[t9, t10, T::from_f64(0.0)],
                );
                let u_omega = inv_I * dtau_left_inv_star_0;
                let u_v = inv_m * dtau_left_inv_star_1;
                let defect_0 = u_v - r * u_phi;
                let sigma_0 = inv_pivot * defect_0;

                // (3) v' = u − B σ
                let t11 = u_v - inv_m * sigma_0;
                let t12 = u_phi + r_over_J * sigma_0;
                let [dot_phi_1, v_1, t13] = emitted::saddle_point::<
                    T,
                    SOLVES,
                    2,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [0, 1, 2],
                    [t12, t11, sigma_0],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [J, T::from_f64(0.0), T::from_f64(0.0), m],
                            [r, T::from_f64(-1.0)],
                            [t8, dtau_left_inv_star_1, T::from_f64(0.0)],
                        ))
                    },
                )?;
                let [solution_0] = emitted::saddle_point::<
                    T,
                    SOLVES,
                    1,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [1],
                    [sigma_1],
                    [[masses_3, masses_3]],
                    #[inline(always)]
                    || { Ok(([m], [T::from_f64(-1.0)], [sigma_1, T::from_f64(0.0)])) },
                )?;
                let next = NodeState {
                    q: Posed::from([phi_1, theta_1, x_1, y_1]),
                    v: [dot_phi_1, u_omega, v_1, T::from_f64(0.0)],
                    lambda: [-two_over_h * t13, -two_over_h * solution_0],
                    states: [],
                    carried: Carried {
                        error_d_phi: next_error_d_phi,
                        error_2_d_phi: error_d_phi,
                        older_errors_d_phi: error_2_d_phi - three_error_d_phi,
                        error_d_omega: next_error_d_omega,
                        error_2_d_omega: error_d_omega,
                        older_errors_d_omega: error_2_d_omega - three_error_d_omega,
                        carried: T::from_f64(0.0),
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `m`
                pub m: T,
                /// `I`
                pub I: T,
                /// `J`
                pub J: T,
                /// `r`
                pub r: T,
                /// `h`
                pub h: T,
                /// `m*r`
                pub m_r: T,
                /// `m*r^2`
                pub m_r_sq: T,
                /// `J + m*r^2`
                pub mass_phi: T,
                /// `r*h`
                pub r_h: T,
                /// `h/2`
                pub half_h: T,
                /// `1/J`
                pub inv_J: T,
                /// `1/I`
                pub inv_I: T,
                /// `1/m`
                pub inv_m: T,
                /// `r/J`
                pub r_over_J: T,
                /// `1/(1/m + r^2/J)`
                pub inv_pivot: T,
                /// `sqrt(m)*sqrt(J)*sqrt(1/m + r^2/J)`
                pub masses: T,
                /// `masses*(J*inv_m/r^2 + m_r*r_over_J + 1024)/128`
                pub masses_2: T,
                /// `sqrt(m)*sqrt(1/m)`
                pub masses_3: T,
                /// `2/h`
                pub two_over_h: T,
            }
            emitted::fields!(
                Prepared { m, I, J, r, h, m_r, m_r_sq, mass_phi, r_h, half_h, inv_J,
                inv_I, inv_m, r_over_J, inv_pivot, masses, masses_2, masses_3, two_over_h
                }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Error of the scheme's last initial guess.
                pub error_d_phi: T,
                /// Error of the scheme's initial guess 1 steps before the last one.
                pub error_2_d_phi: T,
                /// Part of the next initial guess that was known a step before.
                pub older_errors_d_phi: T,
                /// Error of the scheme's last initial guess.
                pub error_d_omega: T,
                /// Error of the scheme's initial guess 1 steps before the last one.
                pub error_2_d_omega: T,
                /// Part of the next initial guess that was known a step before.
                pub older_errors_d_omega: T,
                /// Value that this step has computed for the next one: `m*v_perp^2` at a start.
                pub carried: T,
            }
            emitted::fields!(
                Carried { error_d_phi, error_2_d_phi, older_errors_d_phi, error_d_omega,
                error_2_d_omega, older_errors_d_omega, carried }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 4],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, I, J, r] = *parameters;
                let m_r = m * r;
                let m_r_sq = r * m_r;
                let mass_phi = J + m_r_sq;
                let r_h = r * h;
                let half_h = T::from_f64(0.5) * h;
                let inv_J = T::from_f64(1.0) / J;
                let inv_I = T::from_f64(1.0) / I;
                let inv_m = T::from_f64(1.0) / m;
                let r_over_J = r * inv_J;
                let pivot = inv_m + r * r_over_J;
                let inv_pivot = T::from_f64(1.0) / pivot;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let k0 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * k0;
                let masses_2 = T::from_f64(0.0078125)
                    * (T::from_f64(1024.0) + m_r * r_over_J + J * inv_m / (r * r))
                    * masses;
                emitted::pivot(I, I, Failure::SingularMass)?;
                let sqrt_inv_m = inv_m.sqrt();
                let masses_3 = sqrt_m * sqrt_inv_m;
                let two_over_h = T::from_f64(2.0) / h;
                Ok(Prepared {
                    m,
                    I,
                    J,
                    r,
                    h,
                    m_r,
                    m_r_sq,
                    mass_phi,
                    r_h,
                    half_h,
                    inv_J,
                    inv_I,
                    inv_m,
                    r_over_J,
                    inv_pivot,
                    masses,
                    masses_2,
                    masses_3,
                    two_over_h,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 4 add, 15 mul, 5 div, 4 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 4],
                _h: T,
                q: &[T; 4],
                v: &[T; 4],
                _states: &[T; 0],
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0]>,
                Failure,
            > {
                let [m, _, J, r] = *parameters;
                let [phi, theta, x, y] = *q;
                let [dot_phi, omega, v_, v_perp] = *v;
                let [torque] = *inputs;

                // multipliers Λ of the continuous equations
                let inv_J = T::from_f64(1.0) / J;
                let free_phi = torque * inv_J;
                let free_v = omega * v_perp;
                let t0 = omega * v_;
                let inv_m = T::from_f64(1.0) / m;
                let r_sq = r * r;
                let t1 = inv_J * r_sq;
                let pivot = inv_m + t1;
                let minus_lambda_0 = (free_v - r * free_phi) / pivot;
                let lambda_1 = t0 / inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let t2 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * t2;
                let masses_2 = T::from_f64(8.0)
                    * (T::from_f64(1.0)
                        + T::from_f64(0.0009765625) * (J * inv_m / (r * r) + m * t1))
                    * masses;
                let sqrt_inv_m = inv_m.sqrt();
                let masses_3 = sqrt_m * sqrt_inv_m;
                let [solution_0] = emitted::saddle_point::<
                    T,
                    true,
                    1,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [1],
                    [lambda_1],
                    [[masses_3, masses_3]],
                    #[inline(always)]
                    || { Ok(([m], [T::from_f64(1.0)], [-m * t0, T::from_f64(0.0)])) },
                )?;
                let [t3] = emitted::saddle_point::<
                    T,
                    true,
                    2,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [2],
                    [-minus_lambda_0],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [J, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-r, T::from_f64(1.0)],
                            [torque, m * free_v, T::from_f64(0.0)],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: Posed::from([phi, theta, x, y]),
                    v: [dot_phi, omega, v_, v_perp],
                    lambda: [t3, solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 2 mul.
            pub fn initial<T: Scalar>(
                parameters: &[T; 4],
                _h: T,
                state: &NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [m, _, _, _] = *parameters;
                let [_, _, _, v_perp] = state.v;
                let carried = Carried {
                    error_d_phi: T::from_f64(0.0),
                    error_2_d_phi: T::from_f64(0.0),
                    older_errors_d_phi: T::from_f64(0.0),
                    error_d_omega: T::from_f64(0.0),
                    error_2_d_omega: T::from_f64(0.0),
                    older_errors_d_omega: T::from_f64(0.0),
                    carried: m * v_perp * v_perp,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state for another step size `h`.
            ///
            /// Operations: 0.
            #[inline(always)]
            pub fn rescale<T: Scalar>(
                _parameters: &[T; 4],
                _h: T,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let Carried { carried: old_carried, .. } = state.carried;
                let carried = Carried {
                    error_d_phi: T::from_f64(0.0),
                    error_2_d_phi: T::from_f64(0.0),
                    older_errors_d_phi: T::from_f64(0.0),
                    error_d_omega: T::from_f64(0.0),
                    error_2_d_omega: T::from_f64(0.0),
                    older_errors_d_omega: T::from_f64(0.0),
                    carried: old_carried,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }
        }

        /// Step functions of `rkmk2`.
        pub mod rkmk2 {
            use ::core::convert::From;
            use ::core::result::Result::{self, Err, Ok};
            use super::runtime::{
                Failure, Scalar, emitted, NodeState, Factor, Posed, Retracts, group::SE2,
            };

            /// One step of `rkmk2`: Munthe-Kaas' form of the explicit mid-point rule.
            ///
            /// ```text
            /// (1)  q₁ = q,  v₁ = v,  a₁ = F(q₁, v₁, t)
            /// (2)  q₂ = q + h/2 r₁,  v₂ = v + h/2 a₁,  a₂ = F(q₂, v₂, t + h/2)
            /// (3)  q' = q + h r₂,  v' = v + h a₂
            ///
            /// F(q, v, t) = M⁻¹(b + μᵀ Λ),  Λ = −C⁻¹(μ M⁻¹ b + γ)
            /// ```
            ///
            /// b = L_q + f − dL_v/dt at constant v + (0, ad*_ξ L_ξ);
            /// γ = d(μ v + μ₀)/dt at constant v;
            /// C = μ M⁻¹ μᵀ;
            /// λ': mean of Λ with the weights of the last equation;
            /// on R^k × SE2 q + s is (r + ρ, g exp(σ)) for s = (ρ, σ), and r₁ = (u₁, (dexpᴸ_σ)⁻¹ ξ₁) for v₁ = (u₁, ξ₁).
            ///
            /// Operations: 58 add, 84 mul, 1 sin_cos with those of 1 displaced, 1 dexp_left_inv.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                match quick_or_careful_step::<T, false>(prepared, state, _t, inputs) {
                    Err(_) if const { emitted::repeats_carefully::<T>() } => {
                        careful_step::<T>(prepared, state, _t, inputs)
                    }
                    next => next,
                }
            }

            /// The same where linear equations are solved without formulas.
            #[cold]
            fn careful_step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                quick_or_careful_step::<T, true>(prepared, state, _t, inputs)
            }

            /// The same, which fails where linear equations should be solved without formulas unless it `SOLVES` them so.
            #[inline(always)]
            fn quick_or_careful_step<T: Scalar, const SOLVES: bool>(
                prepared: &Prepared<T>,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0], Carried<T>>,
                Failure,
            > {
                let Prepared {
                    m,
                    J,
                    r,
                    h,
                    inv_m,
                    r_over_J,
                    quarter_h_sq,
                    k0,
                    inv_pivot,
                    masses,
                    masses_2,
                    masses_3,
                    quarter_h_sq_over_J,
                    inv_inv_m,
                    two_over_h,
                    four_over_h_sq,
                } = *prepared;
                let [phi, theta, x, y] = *state.q.entries();
                let Carried { half_h_dot_phi, half_h_omega, half_h_v, half_h_v_perp } = state
                    .carried;
                let [torque] = *inputs;

                // (1) stage 1
                let quarter_h_sq_free_v = half_h_omega * half_h_v_perp;
                let quarter_h_sq_lambda_0_2 = -inv_pivot
                    * (quarter_h_sq_free_v - k0 * torque);
                let t0 = quarter_h_sq_free_v + inv_m * quarter_h_sq_lambda_0_2;
                let t2 = quarter_h_sq_over_J * torque
                    - r_over_J * quarter_h_sq_lambda_0_2;
                let [quarter_h_sq_a_phi_s1, quarter_h_sq_a_v_s1, t11] = emitted::saddle_point::<
                    T,
                    SOLVES,
                    2,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [0, 1, 2],
                    [t2, t0, quarter_h_sq_lambda_0_2],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [J, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-r, T::from_f64(1.0)],
                            [
                                quarter_h_sq * torque,
                                m * quarter_h_sq_free_v,
                                T::from_f64(0.0),
                            ],
                        ))
                    },
                )?;

                // (2) stage 2
                let half_h_dot_phi_s2 = half_h_dot_phi + quarter_h_sq_a_phi_s1;
                let half_h_v_s2 = half_h_v + quarter_h_sq_a_v_s1;
                let t4 = half_h_omega * half_h_v_s2;
                let quarter_h_sq_lambda_1_3 = inv_inv_m * t4;

                // (3) weighted mean of the stages
                let phi_1 = phi + T::from_f64(2.0) * half_h_dot_phi_s2;
                let t5 = two_over_h * half_h_omega;
                let t6 = two_over_h * half_h_v_s2;
                let t7 = two_over_h * half_h_v_perp;
                let [dexp_left_inv_0, dexp_left_inv_1, dexp_left_inv_2] = SE2::<
                    f64,
                >::dexp_left_inv(
                    &[half_h_omega, half_h_v, half_h_v_perp],
                    &[t5, t6, t7],
                );
                let t8 = h * dexp_left_inv_0;
                let t9 = h * dexp_left_inv_1;
                let t10 = h * dexp_left_inv_2;
                let [theta_1, x_1, y_1] = SE2::<
                    f64,
                >::displaced(&[theta, x, y], &[t8, t9, t10]);
                let half_h_dot_phi_1 = half_h_dot_phi
                    + T::from_f64(2.0) * quarter_h_sq_a_phi_s1;
                let half_h_v_1 = half_h_v + T::from_f64(2.0) * quarter_h_sq_a_v_s1;
                let [solution_0] = emitted::saddle_point::<
                    T,
                    SOLVES,
                    1,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [1],
                    [quarter_h_sq_lambda_1_3],
                    [[masses_3, masses_3]],
                    #[inline(always)]
                    || { Ok(([m], [T::from_f64(1.0)], [-m * t4, T::from_f64(0.0)])) },
                )?;
                let next = NodeState {
                    q: Posed::from([phi_1, theta_1, x_1, y_1]),
                    v: [two_over_h * half_h_dot_phi_1, t5, two_over_h * half_h_v_1, t7],
                    lambda: [four_over_h_sq * t11, four_over_h_sq * solution_0],
                    states: [],
                    carried: Carried {
                        half_h_dot_phi: half_h_dot_phi_1,
                        half_h_omega,
                        half_h_v: half_h_v_1,
                        half_h_v_perp,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `m`
                pub m: T,
                /// `J`
                pub J: T,
                /// `r`
                pub r: T,
                /// `h`
                pub h: T,
                /// `1/m`
                pub inv_m: T,
                /// `r/J`
                pub r_over_J: T,
                /// `h^2/4`
                pub quarter_h_sq: T,
                /// `r*h^2/(4*J)`
                pub k0: T,
                /// `1/(1/m + r^2/J)`
                pub inv_pivot: T,
                /// `sqrt(m)*sqrt(J)*sqrt(1/m + r^2/J)`
                pub masses: T,
                /// `masses*(J*inv_m/r^2 + m*r_sq_over_J + 1024)/128`
                pub masses_2: T,
                /// `sqrt(m)*sqrt(1/m)`
                pub masses_3: T,
                /// `h^2/(4*J)`
                pub quarter_h_sq_over_J: T,
                /// `m`
                pub inv_inv_m: T,
                /// `2/h`
                pub two_over_h: T,
                /// `4/h^2`
                pub four_over_h_sq: T,
            }
            emitted::fields!(
                Prepared { m, J, r, h, inv_m, r_over_J, quarter_h_sq, k0, inv_pivot,
                masses, masses_2, masses_3, quarter_h_sq_over_J, inv_inv_m, two_over_h,
                four_over_h_sq }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Velocity `dot(phi)`, times `h/2`.
                pub half_h_dot_phi: T,
                /// Velocity `omega`, times `h/2`.
                pub half_h_omega: T,
                /// Velocity `v`, times `h/2`.
                pub half_h_v: T,
                /// Velocity `v_perp`, times `h/2`.
                pub half_h_v_perp: T,
            }
            emitted::fields!(
                Carried { half_h_dot_phi, half_h_omega, half_h_v, half_h_v_perp }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 4],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, _, J, r] = *parameters;
                let inv_m = T::from_f64(1.0) / m;
                let inv_J = T::from_f64(1.0) / J;
                let r_over_J = r * inv_J;
                let r_sq_over_J = r * r_over_J;
                let pivot = inv_m + r_sq_over_J;
                let h_sq = h * h;
                let quarter_h_sq = T::from_f64(0.25) * h_sq;
                let k0 = r_over_J * quarter_h_sq;
                let inv_pivot = T::from_f64(1.0) / pivot;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let k1 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * k1;
                let masses_2 = T::from_f64(0.0078125)
                    * (T::from_f64(1024.0) + m * r_sq_over_J + J * inv_m / (r * r))
                    * masses;
                let sqrt_inv_m = inv_m.sqrt();
                let masses_3 = sqrt_m * sqrt_inv_m;
                let quarter_h_sq_over_J = inv_J * quarter_h_sq;
                let inv_inv_m = T::from_f64(1.0) / inv_m;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h = T::from_f64(2.0) * inv_h;
                let four_over_h_sq = T::from_f64(4.0) * inv_h * inv_h;
                Ok(Prepared {
                    m,
                    J,
                    r,
                    h,
                    inv_m,
                    r_over_J,
                    quarter_h_sq,
                    k0,
                    inv_pivot,
                    masses,
                    masses_2,
                    masses_3,
                    quarter_h_sq_over_J,
                    inv_inv_m,
                    two_over_h,
                    four_over_h_sq,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 4 add, 15 mul, 5 div, 4 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 4],
                _h: T,
                q: &[T; 4],
                v: &[T; 4],
                _states: &[T; 0],
                _t: T,
                inputs: &[T; 1],
            ) -> Result<
                NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0]>,
                Failure,
            > {
                let [m, _, J, r] = *parameters;
                let [phi, theta, x, y] = *q;
                let [dot_phi, omega, v_, v_perp] = *v;
                let [torque] = *inputs;

                // multipliers Λ of the continuous equations
                let inv_J = T::from_f64(1.0) / J;
                let free_phi = torque * inv_J;
                let free_v = omega * v_perp;
                let t0 = omega * v_;
                let inv_m = T::from_f64(1.0) / m;
                let r_sq = r * r;
                let t1 = inv_J * r_sq;
                let pivot = inv_m + t1;
                let minus_lambda_0 = (free_v - r * free_phi) / pivot;
                let lambda_1 = t0 / inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let t2 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * t2;
                let masses_2 = T::from_f64(8.0)
                    * (T::from_f64(1.0)
                        + T::from_f64(0.0009765625) * (J * inv_m / (r * r) + m * t1))
                    * masses;
                let sqrt_inv_m = inv_m.sqrt();
                let masses_3 = sqrt_m * sqrt_inv_m;
                let [solution_0] = emitted::saddle_point::<
                    T,
                    true,
                    1,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [1],
                    [lambda_1],
                    [[masses_3, masses_3]],
                    #[inline(always)]
                    || { Ok(([m], [T::from_f64(1.0)], [-m * t0, T::from_f64(0.0)])) },
                )?;
                let [t3] = emitted::saddle_point::<
                    T,
                    true,
                    2,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [2],
                    [-minus_lambda_0],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [J, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-r, T::from_f64(1.0)],
                            [torque, m * free_v, T::from_f64(0.0)],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: Posed::from([phi, theta, x, y]),
                    v: [dot_phi, omega, v_, v_perp],
                    lambda: [t3, solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 5 mul.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 4],
                h: T,
                state: &NodeState<Posed<SE2<f64>, T, 1, 4>, [T; 4], [T; 2], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_phi, omega, v_, v_perp] = state.v;
                let half_h = T::from_f64(0.5) * h;
                let carried = Carried {
                    half_h_dot_phi: dot_phi * half_h,
                    half_h_omega: omega * half_h,
                    half_h_v: v_ * half_h,
                    half_h_v_perp: v_perp * half_h,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state for another step size `h`.
            ///
            /// Operations: 5 mul.
            #[inline(always)]
            pub fn rescale<T: Scalar>(
                _parameters: &[T; 4],
                h: T,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_phi, omega, v_, v_perp] = state.v;
                let half_h = T::from_f64(0.5) * h;
                let carried = Carried {
                    half_h_dot_phi: dot_phi * half_h,
                    half_h_omega: omega * half_h,
                    half_h_v: v_ * half_h,
                    half_h_v_perp: v_perp * half_h,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// Velocities from their last values and the change of their increments.
            ///
            /// Operations: 8 add, 4 mul, 1 div.
            #[inline(always)]
            pub fn update_velocity<T: Scalar>(
                h: T,
                before: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
                state: &NodeState<
                    Posed<SE2<f64>, T, 1, 4>,
                    [T; 4],
                    [T; 2],
                    [T; 0],
                    Carried<T>,
                >,
            ) -> [T; 4] {
                let [old_dot_phi, old_omega, old_v, old_v_perp] = before.v;
                let Carried {
                    half_h_dot_phi: old_half_h_dot_phi_2,
                    half_h_omega: old_half_h_omega_2,
                    half_h_v: old_half_h_v_2,
                    half_h_v_perp: old_half_h_v_perp_2,
                } = before.carried;
                let Carried { half_h_dot_phi, half_h_omega, half_h_v, half_h_v_perp } = state
                    .carried;
                let rate = T::from_f64(2.0) / h;
                [
                    old_dot_phi + (half_h_dot_phi - old_half_h_dot_phi_2) * rate,
                    old_omega + (half_h_omega - old_half_h_omega_2) * rate,
                    old_v + (half_h_v - old_half_h_v_2) * rate,
                    old_v_perp + (half_h_v_perp - old_half_h_v_perp_2) * rate,
                ]
            }
        }

        // Q = R^1 × SE2, velocities u = (dot(phi)) and xi = (omega, v, v_perp).
        // Invariant under SE2: L, the one-forms and the force are the same at every pose.
        // One-forms mu = (a | b), rank b = 2 of 2 almost everywhere.
        // Momentum basis E, b E = 0:
        //   e_1 = (1, 0, 0)
        // Nonholonomic momentum J_b = <p, (0, e_b)>.
        // Nonholonomic connection A, b A = a and Eᵀ M_gg A = Eᵀ M_gr:
        //   A_phi = (0, -r, 0)
        // Basis of the constraint distribution: D = (1 0; −A E), xi = E Omega − A u.
        /// Energy E = L_v·v − L, a number.
        /// Without forces it is constant in time if L does not depend on t and the constraints are linear in v.
        ///
        /// Operations: 3 add, 8 mul.
        #[inline]
        pub fn energy<T: Scalar>(parameters: &[T; 4], _q: &[T; 4], v: &[T; 4]) -> T {
            let [m, I, J, _] = *parameters;
            let [dot_phi, omega, v_, v_perp] = *v;
            T::from_f64(0.5)
                * (J * dot_phi * dot_phi + I * omega * omega
                    + m * (v_ * v_ + v_perp * v_perp))
        }

        /// Momentum p = L_v = M v + a, one component per velocity.
        ///
        /// Operations: 4 mul.
        #[inline]
        pub fn momentum<T: Scalar>(
            parameters: &[T; 4],
            _q: &[T; 4],
            v: &[T; 4],
        ) -> [T; 4] {
            let [m, I, J, _] = *parameters;
            let [dot_phi, omega, v_, v_perp] = *v;
            [J * dot_phi, I * omega, m * v_, m * v_perp]
        }

        /// Constraint residual μ v + μ₀, one component per constraint.
        /// It is zero for admissible velocities.
        ///
        /// Operations: 1 add, 1 mul.
        #[inline]
        pub fn residual<T: Scalar>(
            parameters: &[T; 4],
            _q: &[T; 4],
            v: &[T; 4],
        ) -> [T; 2] {
            let [_, _, _, r] = *parameters;
            let [dot_phi, _, v_, v_perp] = *v;
            [v_ - r * dot_phi, v_perp]
        }

        /// Scale of the constraint residual, Σᵢ |μᵢ vᵢ| + |μ₀|, one component per constraint.
        /// A residual that is small compared with it is rounding.
        ///
        /// Operations: 1 add, 4 mul, 3 sqrt.
        #[inline]
        pub fn residual_scale<T: Scalar>(
            parameters: &[T; 4],
            _q: &[T; 4],
            v: &[T; 4],
        ) -> [T; 2] {
            let [_, _, _, r] = *parameters;
            let [dot_phi, _, v_, v_perp] = *v;
            let t0 = r * dot_phi;
            [(v_ * v_).sqrt() + (t0 * t0).sqrt(), (v_perp * v_perp).sqrt()]
        }

        /// Nearest admissible velocity in the kinetic-energy metric, v − B σ, one component per velocity.
        /// σ = C⁻¹(μ v + μ₀); B = M⁻¹ μᵀ; C = μ B. Where a pivot of M or C is small: M v' = M v + μᵀλ, μ v' + μ₀ = 0.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 6 add, 12 mul, 4 div, 3 sqrt.
        #[inline]
        pub fn project<T: Scalar>(
            parameters: &[T; 4],
            _q: &[T; 4],
            v: &[T; 4],
        ) -> Result<[T; 4], Failure> {
            let [m, _, J, r] = *parameters;
            let [dot_phi, omega, v_, _] = *v;
            let defect_0 = v_ - r * dot_phi;
            let inv_m = T::from_f64(1.0) / m;
            let t0 = r / J;
            let t1 = r * t0;
            let pivot = inv_m + t1;
            let sigma_0 = defect_0 / pivot;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_J = J.sqrt();
            let sqrt_m = m.sqrt();
            let t2 = sqrt_pivot * sqrt_J;
            let masses = sqrt_m * t2;
            let masses_2 = T::from_f64(8.0)
                * (T::from_f64(1.0)
                    + T::from_f64(0.0009765625) * (J * inv_m / (r * r) + m * t1))
                * masses;
            let t5 = v_ - inv_m * sigma_0;
            let t6 = dot_phi + t0 * sigma_0;
            let [solution_0, solution_1] = emitted::saddle_point::<
                T,
                true,
                2,
                _,
                _,
                _,
                _,
                _,
            >(
                [0, 1],
                [t6, t5],
                [[masses, masses_2]],
                #[inline(always)]
                || {
                    Ok((
                        [J, T::from_f64(0.0), T::from_f64(0.0), m],
                        [-r, T::from_f64(1.0)],
                        [J * dot_phi, m * v_, T::from_f64(0.0)],
                    ))
                },
            )?;
            let v__2 = [solution_0, omega, solution_1, T::from_f64(0.0)];
            if emitted::finite(&v__2) { Ok(v__2) } else { Err(Failure::NonFinite) }
        }

        /// Accelerations dv/dt = M⁻¹(b + μᵀ λ), one per velocity, and multipliers λ = −C⁻¹(μ M⁻¹ b + γ), one per constraint.
        /// b = L_q + f − dL_v/dt at constant v; γ = d(μ v + μ₀)/dt at constant v; C = μ M⁻¹ μᵀ; μᵀ λ is the reaction.
        /// Where a pivot of M or C is small: M dv/dt = b + μᵀλ and μ dv/dt + γ = 0 without M⁻¹ and C.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 6 add, 22 mul, 4 div, 4 sqrt.
        #[inline]
        pub fn acceleration<T: Scalar>(
            parameters: &[T; 4],
            _q: &[T; 4],
            v: &[T; 4],
            inputs: &[T; 1],
        ) -> Result<([T; 4], [T; 2]), Failure> {
            let [m, _, J, r] = *parameters;
            let [_, omega, v_, v_perp] = *v;
            let [torque] = *inputs;
            let inv_J = T::from_f64(1.0) / J;
            let free_phi = torque * inv_J;
            let free_v = omega * v_perp;
            let minus_free_v_perp = omega * v_;
            let inv_m = T::from_f64(1.0) / m;
            let t0 = r * inv_J;
            let pivot = inv_m + r * t0;
            let minus_lambda_0 = (free_v - r * free_phi) / pivot;
            let lambda_1 = minus_free_v_perp / inv_m;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_J = J.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_J * sqrt_m * sqrt_pivot;
            let sqrt_inv_m = inv_m.sqrt();
            let masses_2 = sqrt_m * sqrt_inv_m;
            let t1 = m * omega;
            let t2 = v_perp * t1;
            let t3 = v_ * t1;
            let t4 = free_v - inv_m * minus_lambda_0;
            let t5 = free_phi + t0 * minus_lambda_0;
            let t6 = T::from_f64(64.0) * (m * t4 * t4 + J * t5 * t5);
            let t7 = torque * free_phi + free_v * t2;
            let [solution_0, solution_1, t8] = emitted::saddle_point::<
                T,
                true,
                2,
                _,
                _,
                _,
                _,
                _,
            >(
                [0, 1, 2],
                [t5, t4, -minus_lambda_0],
                [[masses, masses], [t6, t7]],
                #[inline(always)]
                || {
                    Ok((
                        [J, T::from_f64(0.0), T::from_f64(0.0), m],
                        [-r, T::from_f64(1.0)],
                        [torque, t2, T::from_f64(0.0)],
                    ))
                },
            )?;
            let [t9] = emitted::saddle_point::<
                T,
                true,
                1,
                _,
                _,
                _,
                _,
                _,
            >(
                [1],
                [lambda_1],
                [[masses_2, masses_2], [T::from_f64(0.0), minus_free_v_perp * t3]],
                #[inline(always)]
                || { Ok(([m], [T::from_f64(1.0)], [-t3, T::from_f64(0.0)])) },
            )?;
            let (a, lambda) = (
                [solution_0, T::from_f64(0.0), solution_1, T::from_f64(0.0)],
                [t8, t9],
            );
            if emitted::finite(&a) && emitted::finite(&lambda) {
                Ok((a, lambda))
            } else {
                Err(Failure::NonFinite)
            }
        }

        /// Basis (0, e_b) of the admissible motions along the group factor, each with one component per velocity.
        /// J_b = ⟨p, (0, e_b)⟩ are the components of the nonholonomic momentum.
        ///
        /// Operations: 0.
        #[inline]
        pub fn momentum_basis<T: Scalar>(_parameters: &[T; 4], _q: &[T; 4]) -> [T; 4] {
            [T::from_f64(0.0), T::from_f64(1.0), T::from_f64(0.0), T::from_f64(0.0)]
        }

        /// Rates ∂J_b/∂q · dq/dt + ∂J_b/∂t of the nonholonomic momentum at constant velocity.
        ///
        /// Operations: 0.
        #[inline]
        pub fn momentum_drift<T: Scalar>(
            _parameters: &[T; 4],
            _q: &[T; 4],
            _v: &[T; 4],
        ) -> [T; 1] {
            [T::from_f64(0.0)]
        }

        /// The numbers of a state by name.
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq
        )]
        pub struct Named<T> {
            /// Coordinate `phi`.
            pub phi: T,
            /// Pose `theta`.
            pub theta: T,
            /// Pose `x`.
            pub x: T,
            /// Pose `y`.
            pub y: T,
            /// Velocity of `phi`.
            pub dot_phi: T,
            /// Body velocity `omega`.
            pub omega: T,
            /// Body velocity `v`.
            pub v: T,
            /// Body velocity `v_perp`.
            pub v_perp: T,
            /// Multiplier of `rolling`.
            pub lambda_rolling: T,
            /// Multiplier of `v_perp`.
            pub lambda_v_perp: T,
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::System for Coin {
        const NAME: &'static ::core::primitive::str = "Coin";
        const COORDINATES: &'static [&'static ::core::primitive::str] = &[
            "phi",
            "theta",
            "x",
            "y",
        ];
        const VELOCITIES: &'static [&'static ::core::primitive::str] = &[
            "phi",
            "omega",
            "v",
            "v_perp",
        ];
        const PARAMETERS: &'static [&'static ::core::primitive::str] = &[
            "m",
            "I",
            "J",
            "r",
        ];
        const INPUTS: &'static [&'static ::core::primitive::str] = &["torque"];
        const STATES: &'static [&'static ::core::primitive::str] = &[];
        const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &[
            "rolling",
            "v_perp",
        ];
        const GYROSCOPIC: ::core::primitive::bool = false;
        const FORCED: ::core::primitive::bool = true;
        const SYMMETRIES: &'static [::nhi_runtime::Symmetry] = &[];
        type Configuration<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::Posed<
            ::nhi_runtime::group::SE2<::core::primitive::f64>,
            __T,
            1,
            4,
        >;
        type Velocity<__T: ::nhi_runtime::Scalar> = [__T; 4];
        type Multipliers<__T: ::nhi_runtime::Scalar> = [__T; 2];
        type Inputs<__T: ::nhi_runtime::Scalar> = [__T; 1];
        type States<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type Parameters<__T: ::nhi_runtime::Scalar> = [__T; 4];
        fn parameters(&self) -> [::core::primitive::f64; 4] {
            [self.m, self.I, self.J, self.r]
        }

        #[inline]
        fn energy<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
        ) -> __T {
            kernel::energy(__parameters, __q.entries(), __v)
        }

        #[inline]
        fn momentum<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
        ) -> [__T; 4] {
            kernel::momentum(__parameters, __q.entries(), __v)
        }

        #[inline]
        fn residual<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> [__T; 2] {
            kernel::residual(__parameters, __q.entries(), __v)
        }

        #[inline]
        fn residual_scale<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> [__T; 2] {
            kernel::residual_scale(__parameters, __q.entries(), __v)
        }

        #[inline]
        fn project_once<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<[__T; 4], ::nhi_runtime::Failure> {
            kernel::project(__parameters, __q.entries(), __v)
        }

        #[inline]
        fn acceleration_of<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<([__T; 4], [__T; 2]), ::nhi_runtime::Failure> {
            kernel::acceleration(__parameters, __q.entries(), __v, __inputs)
        }

        #[inline]
        fn momentum_basis<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __t: __T,
        ) -> [[__T; 4]; 1] {
            let __e_1 = kernel::momentum_basis(__parameters, __q.entries());
            [__e_1]
        }

        #[inline]
        fn momentum_drift<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __t: __T,
        ) -> [__T; 1] {
            kernel::momentum_drift(__parameters, __q.entries(), __v)
        }
    }

    #[automatically_derived]
    impl Coin {
        /// Index of `phi` in configurations and velocities.
        pub const PHI: ::core::primitive::usize = 0;
        /// Index of `theta` in configurations.
        pub const THETA: ::core::primitive::usize = 1;
        /// Index of `x` in configurations.
        pub const X: ::core::primitive::usize = 2;
        /// Index of `y` in configurations.
        pub const Y: ::core::primitive::usize = 3;
        /// Index of `omega` in velocities.
        pub const OMEGA: ::core::primitive::usize = 1;
        /// Index of `v` in velocities.
        pub const V: ::core::primitive::usize = 2;
        /// Index of `v_perp` in velocities.
        pub const V_PERP: ::core::primitive::usize = 3;
    }

    #[automatically_derived]
    impl ::nhi_runtime::Named for Coin {
        type View<__T: ::nhi_runtime::Scalar> = kernel::Named<__T>;
        #[inline]
        fn named<__T: ::nhi_runtime::Scalar>(
            __q: &<Self as ::nhi_runtime::System>::Configuration<__T>,
            __v: &<Self as ::nhi_runtime::System>::Velocity<__T>,
            __lambda: &<Self as ::nhi_runtime::System>::Multipliers<__T>,
            __states: &<Self as ::nhi_runtime::System>::States<__T>,
        ) -> kernel::Named<__T> {
            kernel::Named {
                phi: __q[0],
                theta: __q[1],
                x: __q[2],
                y: __q[3],
                dot_phi: __v[0],
                omega: __v[1],
                v: __v[2],
                v_perp: __v[3],
                lambda_rolling: __lambda[0],
                lambda_v_perp: __lambda[1],
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Coin> for ::nhi_runtime::Rdp {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rdp::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            ::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            [__T; 4],
            [__T; 2],
            [__T; 0],
            kernel::rdp::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[7, 8, 9],
            has_newton: true,
            has_maps: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "rdp"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rdp::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::rdp::start_consistent(
                __parameters,
                __h,
                __q.entries(),
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::rdp::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __jump: (&[__T; 4], &[__T; 4]),
            __lambda: &[__T; 2],
            __states: &[__T; 0],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::NodeState::at(
                *__q,
                __jump,
                *__lambda,
                *__states,
            );
            let __carried = kernel::rdp::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rdp::step::<
                __T,
                ::nhi_runtime::group::Exp,
            >(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn rescale<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __state: &Self::State<__T>,
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __carried = kernel::rdp::rescale(__parameters, __h, __state, __t)?;
            ::core::result::Result::Ok(::nhi_runtime::NodeState {
                carried: __carried,
                ..*__state
            })
        }
    }

    #[automatically_derived]
    impl<
        __R: ::nhi_runtime::Retracts<::nhi_runtime::group::SE2<::core::primitive::f64>>,
    > ::nhi_runtime::Method<Coin> for ::nhi_runtime::Retracted<::nhi_runtime::Rdp, __R> {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rdp::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            ::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            [__T; 4],
            [__T; 2],
            [__T; 0],
            kernel::rdp::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[7, 8, 9],
            has_newton: true,
            has_maps: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            const {
                &::nhi_runtime::Id::of(
                    "rdp",
                    <__R as ::nhi_runtime::Retracts<
                        ::nhi_runtime::group::SE2<::core::primitive::f64>,
                    >>::NAME,
                )
            }
                .as_str()
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rdp::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::rdp::start_consistent(
                __parameters,
                __h,
                __q.entries(),
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::rdp::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __jump: (&[__T; 4], &[__T; 4]),
            __lambda: &[__T; 2],
            __states: &[__T; 0],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::NodeState::at(
                *__q,
                __jump,
                *__lambda,
                *__states,
            );
            let __carried = kernel::rdp::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rdp::step::<__T, __R>(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn rescale<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __state: &Self::State<__T>,
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __carried = kernel::rdp::rescale(__parameters, __h, __state, __t)?;
            ::core::result::Result::Ok(::nhi_runtime::NodeState {
                carried: __carried,
                ..*__state
            })
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Coin> for ::nhi_runtime::Rkmk2 {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rkmk2::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            ::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            [__T; 4],
            [__T; 2],
            [__T; 0],
            kernel::rkmk2::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[4, 5, 6, 7, 8, 9],
            has_maps: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "rkmk2"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rkmk2::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __v: &[__T; 4],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::rkmk2::start_consistent(
                __parameters,
                __h,
                __q.entries(),
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::rkmk2::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &::nhi_runtime::Posed<
                ::nhi_runtime::group::SE2<::core::primitive::f64>,
                __T,
                1,
                4,
            >,
            __jump: (&[__T; 4], &[__T; 4]),
            __lambda: &[__T; 2],
            __states: &[__T; 0],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::NodeState::at(
                *__q,
                __jump,
                *__lambda,
                *__states,
            );
            let __carried = kernel::rkmk2::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 1],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rkmk2::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn rescale<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __state: &Self::State<__T>,
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __carried = kernel::rkmk2::rescale(__parameters, __h, __state, __t)?;
            ::core::result::Result::Ok(::nhi_runtime::NodeState {
                carried: __carried,
                ..*__state
            })
        }

        #[inline(always)]
        fn update_velocity<__T: ::nhi_runtime::Scalar>(
            &self,
            __h: __T,
            __before: &Self::State<__T>,
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            ::nhi_runtime::NodeState {
                v: kernel::rkmk2::update_velocity(__h, __before, __state),
                ..*__state
            }
        }
    }
};

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
        use ::core::result::Result::{self, Err, Ok};
        use runtime::{Failure, Scalar, emitted};

        mod runtime {
            pub(super) use ::nhi_runtime::{
                Failure, Scalar, emitted, JumpState, NodeState,
            };
        }

        /// Step functions of `dla2`.
        pub mod dla2 {
            use ::core::result::Result::{self, Err, Ok};
            use super::runtime::{Failure, Scalar, emitted, NodeState};

            /// One step of `dla2`: McLachlan and Perlmutter 2006, (4.18), for any quadratic Lagrangian.
            ///
            /// ```text
            /// (1)  p⁻(q_h, q_h + h v') = p⁺(q_h − h v, q_h) + μ(q_h)ᵀ ℓ
            /// (2)  μ(q') v' + μ₀(q') = 0,  q' = q_h + h/2 v'
            ///
            /// p⁻(x, y) = ½ L_v(x, d) + ½ L_v(y, d) − h/2 (L_q + f)(x, d)
            /// p⁺(x, y) = ½ L_v(x, d) + ½ L_v(y, d) + h/2 (L_q + f)(y, d)
            /// for y = x + h d
            /// ```
            ///
            /// q_h = q + h/2 v: node between two steps;
            /// ℓ = h λ': its impulse.
            ///
            /// Operations: 28 add, 28 mul; per Newton iteration 17 add, 29 mul, 1 div.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared {
                    m,
                    s,
                    quarter_k_h_sq,
                    half_m,
                    k0,
                    two_m,
                    two_over_h,
                    two_over_h_sq,
                } = *prepared;
                let [r, phi, z] = state.q;
                let Carried {
                    half_h_error_dot_r_1,
                    half_h_error_2_dot_r_1,
                    half_h_older_errors_dot_r_1,
                    half_h_error_dot_phi_1,
                    half_h_error_2_dot_phi_1,
                    half_h_older_errors_dot_phi_1,
                    half_h_error_dot_z_1,
                    half_h_error_2_dot_z_1,
                    half_h_older_errors_dot_z_1,
                    half_h_dot_r,
                    half_h_dot_phi,
                    half_h_dot_z,
                } = state.carried;

                // node: q_h = q + h/2 v
                let r_h = r + half_h_dot_r;
                let phi_h = phi + half_h_dot_phi;
                let z_h = z + half_h_dot_z;

                // (1) momentum p⁺(q_h − h v, q_h)
                let r_before = r_h - T::from_f64(2.0) * half_h_dot_r;

                // (1) velocities that the constraint admits at the node
                let factor = -s * r_h;

                // (1) momentum at the node
                let t0 = m * r_h;
                let half_h_dot_phi_sq = half_h_dot_phi * half_h_dot_phi;
                let t1 = quarter_k_h_sq * r_h;
                let half_h_p_r = m * half_h_dot_r - t1 + t0 * half_h_dot_phi_sq;
                let r_h_sq = r_h * r_h;
                let half_h_p_phi = half_m * half_h_dot_phi
                    * (r_before * r_before + r_h_sq);
                let half_h_p_z = m * half_h_dot_z - k0;

                // norm of Newton's updates
                let quarter_h_sq_scale2 = m
                    * (half_h_dot_r * half_h_dot_r + half_h_dot_z * half_h_dot_z
                        + half_h_dot_phi_sq * r_h_sq);
                let mass_phi = m * r_h_sq;

                // constants of the iteration
                let projected_4 = -m * factor;
                let t2 = two_m * r_h;
                let t3 = half_m * r_h_sq;
                let t4 = half_h_p_z - k0;
                let t5 = half_h_p_r - t1;
                let t6 = T::from_f64(3.0) * half_h_error_dot_r_1;
                let t7 = T::from_f64(3.0) * half_h_error_dot_phi_1;
                let t8 = T::from_f64(3.0) * half_h_error_dot_z_1;

                // initial guess: g + 3 e₁ + (e₃ − 3 e₂); u₁, …: last solutions, e₁, …: their differences from g
                let newton = emitted::Newton::weighted(
                        [m, mass_phi, m],
                        quarter_h_sq_scale2,
                    )
                    .named(&["r", "phi", "z"]);
                let ([half_h_dot_r_1, half_h_dot_phi_1, half_h_dot_z_1], []) = emitted::Newton::solve_or(
                    newton,
                    [
                        half_h_older_errors_dot_r_1 + half_h_dot_r + t6,
                        half_h_older_errors_dot_phi_1 + half_h_dot_phi + t7,
                        half_h_older_errors_dot_z_1 + half_h_dot_z + t8,
                    ],
                    [half_h_dot_r, half_h_dot_phi, half_h_dot_z],
                    #[inline(always)]
                    |[half_h_dot_r_1, half_h_dot_phi_1, half_h_dot_z_1]| {
                        // Newton residual of (1) and (2)
                        let r_try = r_h + half_h_dot_r_1;
                        let r_end = r_h + T::from_f64(2.0) * half_h_dot_r_1;

                        // elimination: Jacobian · delta = −residual
                        let factor_2 = -s * half_h_dot_phi_1;
                        let t9 = s * r_try;
                        let half_h_factor_4 = half_h_dot_z_1 - half_h_dot_phi_1 * t9;
                        let minus_projected = t2 * half_h_dot_phi_1;
                        let projected_2 = two_m * r_end * half_h_dot_phi_1;
                        let projected_3 = t3 + half_m * r_end * r_end;
                        let half_h_rhs_1 = t5 - m * half_h_dot_r_1
                            + t0 * half_h_dot_phi_1 * half_h_dot_phi_1;
                        let jac_21 = projected_2 - projected_4 * factor_2;
                        let jac_22 = projected_4 * t9 + projected_3;
                        let half_h_rhs_2 = half_h_p_phi + projected_4 * half_h_factor_4
                            - half_h_dot_phi_1 * projected_3
                            + factor * (m * half_h_dot_z_1 - t4);
                        let det = minus_projected * jac_21 + m * jac_22;
                        let inv_det = T::from_f64(1.0) / det;
                        let t10 = half_h_rhs_1 * jac_22 + minus_projected * half_h_rhs_2;
                        let half_h_delta_dot_r_1 = inv_det * t10;
                        let t11 = m * half_h_rhs_2 - half_h_rhs_1 * jac_21;
                        let half_h_delta_dot_phi_1 = inv_det * t11;
                        let minus_half_h_delta_dot_z_1 = half_h_factor_4
                            + inv_det * (factor_2 * t10 - t9 * t11);
                        Ok((
                            [
                                half_h_delta_dot_r_1,
                                half_h_delta_dot_phi_1,
                                -minus_half_h_delta_dot_z_1,
                            ],
                            move || [],
                            [],
                        ))
                    },
                )?;

                // errors for the next initial guess
                let half_h_next_error_dot_r_1 = half_h_dot_r_1 - half_h_dot_r;
                let half_h_next_error_dot_phi_1 = half_h_dot_phi_1 - half_h_dot_phi;
                let half_h_next_error_dot_z_1 = half_h_dot_z_1 - half_h_dot_z;

                // (1) impulses ℓ of the constraints that were eliminated
                let half_h_reaction_z = m * half_h_dot_z_1 - t4;

                // (2) q' = q_h + h/2 v'
                let r_1_2 = r_h + half_h_dot_r_1;
                let phi_1_2 = phi_h + half_h_dot_phi_1;
                let z_1_2 = z_h + half_h_dot_z_1;
                let next = NodeState {
                    q: [r_1_2, phi_1_2, z_1_2],
                    v: [
                        two_over_h * half_h_dot_r_1,
                        two_over_h * half_h_dot_phi_1,
                        two_over_h * half_h_dot_z_1,
                    ],
                    lambda: [two_over_h_sq * half_h_reaction_z],
                    states: [],
                    carried: Carried {
                        half_h_error_dot_r_1: half_h_next_error_dot_r_1,
                        half_h_error_2_dot_r_1: half_h_error_dot_r_1,
                        half_h_older_errors_dot_r_1: half_h_error_2_dot_r_1 - t6,
                        half_h_error_dot_phi_1: half_h_next_error_dot_phi_1,
                        half_h_error_2_dot_phi_1: half_h_error_dot_phi_1,
                        half_h_older_errors_dot_phi_1: half_h_error_2_dot_phi_1 - t7,
                        half_h_error_dot_z_1: half_h_next_error_dot_z_1,
                        half_h_error_2_dot_z_1: half_h_error_dot_z_1,
                        half_h_older_errors_dot_z_1: half_h_error_2_dot_z_1 - t8,
                        half_h_dot_r: half_h_dot_r_1,
                        half_h_dot_phi: half_h_dot_phi_1,
                        half_h_dot_z: half_h_dot_z_1,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `m`
                pub m: T,
                /// `s`
                pub s: T,
                /// `k*h^2/4`
                pub quarter_k_h_sq: T,
                /// `m/2`
                pub half_m: T,
                /// `m*g*h^2/4`
                pub k0: T,
                /// `2*m`
                pub two_m: T,
                /// `2/h`
                pub two_over_h: T,
                /// `2/h^2`
                pub two_over_h_sq: T,
            }
            emitted::fields!(
                Prepared { m, s, quarter_k_h_sq, half_m, k0, two_m, two_over_h,
                two_over_h_sq }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Error of the scheme's last initial guess, times `h/2`.
                pub half_h_error_dot_r_1: T,
                /// Error of the scheme's initial guess 1 steps before the last one, times `h/2`.
                pub half_h_error_2_dot_r_1: T,
                /// Part of the next initial guess that was known a step before, times `h/2`.
                pub half_h_older_errors_dot_r_1: T,
                /// Error of the scheme's last initial guess, times `h/2`.
                pub half_h_error_dot_phi_1: T,
                /// Error of the scheme's initial guess 1 steps before the last one, times `h/2`.
                pub half_h_error_2_dot_phi_1: T,
                /// Part of the next initial guess that was known a step before, times `h/2`.
                pub half_h_older_errors_dot_phi_1: T,
                /// Error of the scheme's last initial guess, times `h/2`.
                pub half_h_error_dot_z_1: T,
                /// Error of the scheme's initial guess 1 steps before the last one, times `h/2`.
                pub half_h_error_2_dot_z_1: T,
                /// Part of the next initial guess that was known a step before, times `h/2`.
                pub half_h_older_errors_dot_z_1: T,
                /// Velocity `dot(r)`, times `h/2`.
                pub half_h_dot_r: T,
                /// Velocity `dot(phi)`, times `h/2`.
                pub half_h_dot_phi: T,
                /// Velocity `dot(z)`, times `h/2`.
                pub half_h_dot_z: T,
            }
            emitted::fields!(
                Carried { half_h_error_dot_r_1, half_h_error_2_dot_r_1,
                half_h_older_errors_dot_r_1, half_h_error_dot_phi_1,
                half_h_error_2_dot_phi_1, half_h_older_errors_dot_phi_1,
                half_h_error_dot_z_1, half_h_error_2_dot_z_1,
                half_h_older_errors_dot_z_1, half_h_dot_r, half_h_dot_phi, half_h_dot_z }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 4],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, k, g, s] = *parameters;
                let h_sq = h * h;
                let quarter_h_sq = T::from_f64(0.25) * h_sq;
                let quarter_k_h_sq = k * quarter_h_sq;
                let half_m = T::from_f64(0.5) * m;
                let m_g = m * g;
                let k0 = quarter_h_sq * m_g;
                let two_m = T::from_f64(2.0) * m;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h = T::from_f64(2.0) * inv_h;
                let two_over_h_sq = inv_h * two_over_h;
                Ok(Prepared {
                    m,
                    s,
                    quarter_k_h_sq,
                    half_m,
                    k0,
                    two_m,
                    two_over_h,
                    two_over_h_sq,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 3 add, 10 mul, 3 div, 2 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 4],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, _, g, s] = *parameters;
                let [r, phi, z] = *q;
                let [dot_r, dot_phi, dot_z] = *v;

                // multipliers Λ of the continuous equations
                let t0 = m * r;
                let m_r_sq = r * t0;
                let t1 = dot_r * dot_phi;
                let two_t0 = T::from_f64(2.0) * t0;
                let t2 = t1 * two_t0;
                let minus_free_phi = t2 / m_r_sq;
                let pivot = (T::from_f64(1.0) + s * s) / m;
                emitted::pivot(m, m, Failure::SingularMass)?;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_pivot * sqrt_m;
                let t3 = s * r;
                let t4 = s * t1;
                let [solution_0] = emitted::saddle_point::<
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
                    [(g + t4 - minus_free_phi * t3) / pivot],
                    [[masses, masses], [m_r_sq, m_r_sq]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m_r_sq, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-t3, T::from_f64(1.0)],
                            [-t2, -m * g, t4],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: [r, phi, z],
                    v: [dot_r, dot_phi, dot_z],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 4 mul.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 4],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_r, dot_phi, dot_z] = state.v;
                let half_h = T::from_f64(0.5) * h;
                let carried = Carried {
                    half_h_error_dot_r_1: T::from_f64(0.0),
                    half_h_error_2_dot_r_1: T::from_f64(0.0),
                    half_h_older_errors_dot_r_1: T::from_f64(0.0),
                    half_h_error_dot_phi_1: T::from_f64(0.0),
                    half_h_error_2_dot_phi_1: T::from_f64(0.0),
                    half_h_older_errors_dot_phi_1: T::from_f64(0.0),
                    half_h_error_dot_z_1: T::from_f64(0.0),
                    half_h_error_2_dot_z_1: T::from_f64(0.0),
                    half_h_older_errors_dot_z_1: T::from_f64(0.0),
                    half_h_dot_r: dot_r * half_h,
                    half_h_dot_phi: dot_phi * half_h,
                    half_h_dot_z: dot_z * half_h,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state for another step size `h`.
            ///
            /// Operations: 4 mul.
            #[inline(always)]
            pub fn rescale<T: Scalar>(
                _parameters: &[T; 4],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_r, dot_phi, dot_z] = state.v;
                let half_h = T::from_f64(0.5) * h;
                let carried = Carried {
                    half_h_error_dot_r_1: T::from_f64(0.0),
                    half_h_error_2_dot_r_1: T::from_f64(0.0),
                    half_h_older_errors_dot_r_1: T::from_f64(0.0),
                    half_h_error_dot_phi_1: T::from_f64(0.0),
                    half_h_error_2_dot_phi_1: T::from_f64(0.0),
                    half_h_older_errors_dot_phi_1: T::from_f64(0.0),
                    half_h_error_dot_z_1: T::from_f64(0.0),
                    half_h_error_2_dot_z_1: T::from_f64(0.0),
                    half_h_older_errors_dot_z_1: T::from_f64(0.0),
                    half_h_dot_r: dot_r * half_h,
                    half_h_dot_phi: dot_phi * half_h,
                    half_h_dot_z: dot_z * half_h,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// Velocities from their last values and the change of their increments.
            ///
            /// Operations: 6 add, 3 mul, 1 div.
            #[inline(always)]
            pub fn update_velocity<T: Scalar>(
                h: T,
                before: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
            ) -> [T; 3] {
                let [old_dot_r, old_dot_phi, old_dot_z] = before.v;
                let Carried {
                    half_h_dot_r: old_half_h_dot_r_2,
                    half_h_dot_phi: old_half_h_dot_phi_2,
                    half_h_dot_z: old_half_h_dot_z_2,
                    ..
                } = before.carried;
                let Carried { half_h_dot_r, half_h_dot_phi, half_h_dot_z, .. } = state
                    .carried;
                let rate = T::from_f64(2.0) / h;
                [
                    old_dot_r + (half_h_dot_r - old_half_h_dot_r_2) * rate,
                    old_dot_phi + (half_h_dot_phi - old_half_h_dot_phi_2) * rate,
                    old_dot_z + (half_h_dot_z - old_half_h_dot_z_2) * rate,
                ]
            }
        }

        /// Step functions of `rattle`.
        pub mod rattle {
            use ::core::result::Result::{self, Err, Ok};
            use super::runtime::{Failure, Scalar, emitted, JumpState};

            /// One step of `rattle`: nonholonomic RATTLE: Kobilarov, Martín de Diego and Ferraro, (10).
            ///
            /// ```text
            /// (1)  p⁻(q, q') = L_v(q, v_post),  q' = q + h d
            /// (2)  v_pre' = M⁻¹(p⁺(q, q') − a) at q'
            /// (3)  v_post' = v_pre' − 2 B σ,  σ = C⁻¹(μ v_pre' + μ₀) at q'
            ///
            /// p⁻(x, y) = ½ L_v(x, d) + ½ L_v(y, d) − h/2 (L_q + f)(x, d)
            /// p⁺(x, y) = ½ L_v(x, d) + ½ L_v(y, d) + h/2 (L_q + f)(y, d)
            /// for y = x + h d
            /// ```
            ///
            /// λ' = −2σ/h;
            /// L_v = M v + a; B = M⁻¹ μᵀ; C = μ B.
            ///
            /// Operations: 29 add, 34 mul, 2 div; per Newton iteration 10 add, 21 mul, 1 div.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared {
                    m,
                    k,
                    s,
                    h,
                    m_h,
                    half_h,
                    half_m,
                    half_g_h,
                    k0,
                    inv_m,
                    half_h_over_m,
                    two_over_m_pivot,
                    k1,
                    two_over_h_pivot,
                } = *prepared;
                let [r, phi, z] = state.q;
                let [dot_r_pre, dot_phi_pre, dot_z_pre] = state.v_pre;
                let [dot_r_post, dot_phi_post, dot_z_post] = state.v_post;
                let Carried {
                    error_d_r,
                    error_2_d_r,
                    older_errors_d_r,
                    error_d_phi,
                    error_2_d_phi,
                    older_errors_d_phi,
                    error_d_z,
                    error_2_d_z,
                    older_errors_d_z,
                } = state.carried;
                let dot_r_mean = T::from_f64(0.5) * (dot_r_pre + dot_r_post);
                let dot_phi_mean = T::from_f64(0.5) * (dot_phi_pre + dot_phi_post);
                let dot_z_mean = T::from_f64(0.5) * (dot_z_pre + dot_z_post);

                // (1) momentum at the node
                let p_r = m * dot_r_post;
                let r_sq = r * r;
                let mass_phi = m * r_sq;
                let p_phi = dot_phi_post * mass_phi;
                let p_z = m * dot_z_post;

                // norm of Newton's updates
                let scale2 = m
                    * (dot_r_mean * dot_r_mean + dot_z_mean * dot_z_mean
                        + dot_phi_mean * r_sq * dot_phi_mean);

                // constants of the iteration
                let t0 = m_h * r;
                let t1 = m * r;
                let t2 = k * r;
                let t3 = half_m * r_sq;
                let t4 = k0 - p_z;

                // initial guess: g + e₁ + (e₂ − e₃); u₁, …: last solutions, e₁, …: their differences from g
                let newton = emitted::Newton::weighted([m, mass_phi, m], scale2)
                    .named(&["r", "phi", "z"]);
                let ([d_r, d_phi, d_z], []) = emitted::Newton::solve_or(
                    newton,
                    [
                        error_d_r + older_errors_d_r + dot_r_mean,
                        error_d_phi + older_errors_d_phi + dot_phi_mean,
                        error_d_z + older_errors_d_z + dot_z_mean,
                    ],
                    [dot_r_mean, dot_phi_mean, dot_z_mean],
                    #[inline(always)]
                    |[d_r, d_phi, d_z]| {
                        // Newton residual of (1)
                        let r_end = r + h * d_r;

                        // elimination: Jacobian · delta = −residual
                        let minus_jac_12 = t0 * d_phi;
                        let rhs_1 = p_r - m * d_r - half_h * (t2 - t1 * d_phi * d_phi);
                        let jac_21 = m_h * r_end * d_phi;
                        let jac_22 = t3 + half_m * r_end * r_end;
                        let rhs_2 = p_phi - d_phi * jac_22;
                        let det = minus_jac_12 * jac_21 + m * jac_22;
                        let inv_det = T::from_f64(1.0) / det;
                        let delta_d_r = (rhs_1 * jac_22 + minus_jac_12 * rhs_2)
                            * inv_det;
                        let delta_d_phi = (m * rhs_2 - rhs_1 * jac_21) * inv_det;
                        let delta_d_z = -inv_m * (t4 + m * d_z);
                        Ok(([delta_d_r, delta_d_phi, delta_d_z], move || [], []))
                    },
                )?;

                // errors for the next initial guess
                let next_error_d_r = d_r - dot_r_mean;
                let next_error_d_phi = d_phi - dot_phi_mean;
                let next_error_d_z = d_z - dot_z_mean;

                // configuration q' = q + h d
                let r_1 = r + h * d_r;
                let phi_1 = phi + h * d_phi;
                let z_1 = z + h * d_z;

                // (2) v_pre' = M⁻¹(p⁺ − a) at q', and 2 σ = 2 C⁻¹(μ v_pre' + μ₀)
                let r_1_sq = r_1 * r_1;
                let m_r_1_sq = m * r_1_sq;
                emitted::pivot(m_r_1_sq, m_r_1_sq, Failure::SingularMass)?;
                let dot_r_pre_1 = d_r - half_h_over_m * r_1 * (k - m * d_phi * d_phi);
                let dot_phi_pre_1 = d_phi + half_m * d_phi * (r_sq - r_1_sq) / m_r_1_sq;
                let dot_z_pre_1 = d_z - half_g_h;
                let defect = dot_z_pre_1 - s * r_1 * dot_phi_pre_1;

                // (3) v_post' = v_pre' − 2 B σ
                let inv_r_1 = T::from_f64(1.0) / r_1;
                let dot_phi_post_1 = dot_phi_pre_1 + k1 * inv_r_1 * defect;
                let dot_z_post_1 = dot_z_pre_1 - two_over_m_pivot * defect;
                let next = JumpState {
                    q: [r_1, phi_1, z_1],
                    v_pre: [dot_r_pre_1, dot_phi_pre_1, dot_z_pre_1],
                    v_post: [dot_r_pre_1, dot_phi_post_1, dot_z_post_1],
                    lambda: [-two_over_h_pivot * defect],
                    states: [],
                    carried: Carried {
                        error_d_r: next_error_d_r,
                        error_2_d_r: error_d_r,
                        older_errors_d_r: error_d_r - error_2_d_r,
                        error_d_phi: next_error_d_phi,
                        error_2_d_phi: error_d_phi,
                        older_errors_d_phi: error_d_phi - error_2_d_phi,
                        error_d_z: next_error_d_z,
                        error_2_d_z: error_d_z,
                        older_errors_d_z: error_d_z - error_2_d_z,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `m`
                pub m: T,
                /// `k`
                pub k: T,
                /// `s`
                pub s: T,
                /// `h`
                pub h: T,
                /// `m*h`
                pub m_h: T,
                /// `h/2`
                pub half_h: T,
                /// `m/2`
                pub half_m: T,
                /// `g*h/2`
                pub half_g_h: T,
                /// `m*g*h/2`
                pub k0: T,
                /// `1/m`
                pub inv_m: T,
                /// `h/(2*m)`
                pub half_h_over_m: T,
                /// `2/(s^2 + 1)`
                pub two_over_m_pivot: T,
                /// `2*s/(s^2 + 1)`
                pub k1: T,
                /// `2*m/((s^2 + 1)*h)`
                pub two_over_h_pivot: T,
            }
            emitted::fields!(
                Prepared { m, k, s, h, m_h, half_h, half_m, half_g_h, k0, inv_m,
                half_h_over_m, two_over_m_pivot, k1, two_over_h_pivot }
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
                pub error_d_r: T,
                /// Error of the scheme's initial guess 1 steps before the last one.
                pub error_2_d_r: T,
                /// Part of the next initial guess that was known a step before.
                pub older_errors_d_r: T,
                /// Error of the scheme's last initial guess.
                pub error_d_phi: T,
                /// Error of the scheme's initial guess 1 steps before the last one.
                pub error_2_d_phi: T,
                /// Part of the next initial guess that was known a step before.
                pub older_errors_d_phi: T,
                /// Error of the scheme's last initial guess.
                pub error_d_z: T,
                /// Error of the scheme's initial guess 1 steps before the last one.
                pub error_2_d_z: T,
                /// Part of the next initial guess that was known a step before.
                pub older_errors_d_z: T,
            }
            emitted::fields!(
                Carried { error_d_r, error_2_d_r, older_errors_d_r, error_d_phi,
                error_2_d_phi, older_errors_d_phi, error_d_z, error_2_d_z,
                older_errors_d_z }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 4],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, k, g, s] = *parameters;
                let m_h = m * h;
                let half_h = T::from_f64(0.5) * h;
                let half_m = T::from_f64(0.5) * m;
                let half_g_h = g * half_h;
                let k0 = m * half_g_h;
                let inv_m = T::from_f64(1.0) / m;
                emitted::pivot(m, m, Failure::SingularMass)?;
                let half_h_over_m = half_h * inv_m;
                let pivot = (T::from_f64(1.0) + s * s) * inv_m;
                emitted::pivot(pivot, pivot, Failure::SingularConstraints)?;
                let two_over_pivot = T::from_f64(2.0) / pivot;
                let two_over_m_pivot = inv_m * two_over_pivot;
                let k1 = s * two_over_m_pivot;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h_pivot = two_over_pivot * inv_h;
                Ok(Prepared {
                    m,
                    k,
                    s,
                    h,
                    m_h,
                    half_h,
                    half_m,
                    half_g_h,
                    k0,
                    inv_m,
                    half_h_over_m,
                    two_over_m_pivot,
                    k1,
                    two_over_h_pivot,
                })
            }

            /// The state at (q, v), with the multipliers λ = −C⁻¹(μ M⁻¹ b + γ) of the continuous equations:
            /// v_pre = v − h/2 B λ, v_post = v + h/2 B λ; b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 7 add, 15 mul, 4 div, 2 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 4],
                h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, _, g, s] = *parameters;
                let [r, phi, z] = *q;
                let [dot_r, dot_phi, dot_z] = *v;

                // multipliers Λ of the continuous equations
                let t0 = m * r;
                let m_r_sq = r * t0;
                let t1 = dot_r * dot_phi;
                let two_t0 = T::from_f64(2.0) * t0;
                let t2 = t1 * two_t0;
                let minus_free_phi = t2 / m_r_sq;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (T::from_f64(1.0) + s * s) * inv_m;
                emitted::pivot(m, m, Failure::SingularMass)?;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_pivot * sqrt_m;
                let t3 = s * r;
                let t4 = s * t1;
                let [lambda] = emitted::saddle_point::<
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
                    [(g + t4 - minus_free_phi * t3) / pivot],
                    [[masses, masses], [m_r_sq, m_r_sq]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m_r_sq, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-t3, T::from_f64(1.0)],
                            [-t2, -m * g, t4],
                        ))
                    },
                )?;

                // velocities at the reflection: v∓ = v ∓ h/2 B λ
                let half_inv_m = T::from_f64(0.5) * inv_m;
                let t5 = h * lambda;
                let t6 = half_inv_m * t5;
                let t7 = s * t6 / r;
                let dot_phi_pre = dot_phi + t7;
                let dot_z_pre = dot_z - t6;
                let dot_phi_post = dot_phi - t7;
                let dot_z_post = dot_z + t6;
                let next = JumpState {
                    q: [r, phi, z],
                    v_pre: [dot_r, dot_phi_pre, dot_z_pre],
                    v_post: [dot_r, dot_phi_post, dot_z_post],
                    lambda: [lambda],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v), with the reaction to the projected force, λ = −C⁻¹ μ M⁻¹(L_q + f):
            /// v_pre = v − h/2 B λ, v_post = v + h/2 B λ.
            ///
            /// Operations: 5 add, 6 mul, 3 div.
            pub fn start_projected<T: Scalar>(
                parameters: &[T; 4],
                h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, _, g, s] = *parameters;
                let [r, phi, z] = *q;
                let [dot_r, dot_phi, dot_z] = *v;

                // multipliers λ = −C⁻¹ μ M⁻¹ (L_q + f)
                emitted::pivot(m, m, Failure::SingularMass)?;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (T::from_f64(1.0) + s * s) * inv_m;
                emitted::pivot(pivot, pivot, Failure::SingularConstraints)?;
                let lambda = g / pivot;

                // velocities at the reflection: v∓ = v ∓ h/2 B λ
                let half_inv_m = T::from_f64(0.5) * inv_m;
                let t0 = h * lambda;
                let t1 = half_inv_m * t0;
                let t2 = s * t1 / r;
                let dot_phi_pre = dot_phi + t2;
                let dot_z_pre = dot_z - t1;
                let dot_phi_post = dot_phi - t2;
                let dot_z_post = dot_z + t1;
                let next = JumpState {
                    q: [r, phi, z],
                    v_pre: [dot_r, dot_phi_pre, dot_z_pre],
                    v_post: [dot_r, dot_phi_post, dot_z_post],
                    lambda: [lambda],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v), without any reaction:
            /// v_pre = v_post = v, λ = 0.
            ///
            /// Operations: 0.
            pub fn start_plain<T: Scalar>(
                _parameters: &[T; 4],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [r, phi, z] = *q;
                let [dot_r, dot_phi, dot_z] = *v;
                let next = JumpState {
                    q: [r, phi, z],
                    v_pre: [dot_r, dot_phi, dot_z],
                    v_post: [dot_r, dot_phi, dot_z],
                    lambda: [T::from_f64(0.0)],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v) from which the first step has the velocity v:
            /// v_post = M⁻¹(p⁻(q, q + h v) − a), v_pre = 2 v − v_post; λ of the continuous equations.
            ///
            /// Operations: 12 add, 26 mul, 3 div, 2 sqrt.
            pub fn start_stepped<T: Scalar>(
                parameters: &[T; 4],
                h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, k, g, s] = *parameters;
                let [r, phi, z] = *q;
                let [dot_r, dot_phi, dot_z] = *v;

                // velocity v_post = M⁻¹(p⁻(q, q + h v) − a)
                let r_1 = r + h * dot_r;
                emitted::pivot(m, m, Failure::SingularMass)?;
                let t0 = m * r;
                let m_r_sq = r * t0;
                emitted::pivot(m_r_sq, m_r_sq, Failure::SingularMass)?;
                let half_h = T::from_f64(0.5) * h;
                let inv_m = T::from_f64(1.0) / m;
                let dot_r_post = dot_r - r * half_h * (dot_phi * dot_phi - k * inv_m);
                let t1 = dot_phi / m_r_sq;
                let dot_phi_post = dot_phi
                    - T::from_f64(0.5) * m * (r * r - r_1 * r_1) * t1;
                let dot_z_post = dot_z + g * half_h;

                // velocity v_pre = 2 v − v_post
                let two_dot_r = T::from_f64(2.0) * dot_r;
                let dot_r_pre = two_dot_r - dot_r_post;
                let dot_phi_pre = T::from_f64(2.0) * dot_phi - dot_phi_post;
                let dot_z_pre = T::from_f64(2.0) * dot_z - dot_z_post;

                // multipliers Λ of the continuous equations
                let t2 = t0 * two_dot_r;
                let minus_free_phi = t1 * t2;
                let pivot = (T::from_f64(1.0) + s * s) * inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_pivot * sqrt_m;
                let t3 = s * r;
                let t4 = s * dot_r * dot_phi;
                let [solution_0] = emitted::saddle_point::<
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
                    [(g + t4 - minus_free_phi * t3) / pivot],
                    [[masses, masses], [m_r_sq, m_r_sq]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m_r_sq, T::from_f64(0.0), T::from_f64(0.0), m],
                            [-t3, T::from_f64(1.0)],
                            [-dot_phi * t2, -m * g, t4],
                        ))
                    },
                )?;
                let next = JumpState {
                    q: [r, phi, z],
                    v_pre: [dot_r_pre, dot_phi_pre, dot_z_pre],
                    v_post: [dot_r_post, dot_phi_post, dot_z_post],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 0.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 4],
                _h: T,
                _state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let carried = Carried {
                    error_d_r: T::from_f64(0.0),
                    error_2_d_r: T::from_f64(0.0),
                    older_errors_d_r: T::from_f64(0.0),
                    error_d_phi: T::from_f64(0.0),
                    error_2_d_phi: T::from_f64(0.0),
                    older_errors_d_phi: T::from_f64(0.0),
                    error_d_z: T::from_f64(0.0),
                    error_2_d_z: T::from_f64(0.0),
                    older_errors_d_z: T::from_f64(0.0),
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }
        }

        /// Energy E = L_v·v − L, a number.
        /// Without forces it is constant in time if L does not depend on t and the constraints are linear in v.
        ///
        /// Operations: 4 add, 10 mul.
        #[inline]
        pub fn energy<T: Scalar>(parameters: &[T; 4], q: &[T; 3], v: &[T; 3]) -> T {
            let [m, k, g, _] = *parameters;
            let [r, _, z] = *q;
            let [dot_r, dot_phi, dot_z] = *v;
            let r_sq = r * r;
            T::from_f64(0.5)
                * (k * r_sq
                    + m
                        * (dot_r * dot_r + dot_z * dot_z + T::from_f64(2.0) * g * z
                            + dot_phi * dot_phi * r_sq))
        }

        /// Momentum p = L_v = M v + a, one component per velocity.
        ///
        /// Operations: 5 mul.
        #[inline]
        pub fn momentum<T: Scalar>(
            parameters: &[T; 4],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 3] {
            let [m, _, _, _] = *parameters;
            let [r, _, _] = *q;
            let [dot_r, dot_phi, dot_z] = *v;
            [m * dot_r, m * r * (r * dot_phi), m * dot_z]
        }

        /// Constraint residual μ v + μ₀, one component per constraint.
        /// It is zero for admissible velocities.
        ///
        /// Operations: 1 add, 2 mul.
        #[inline]
        pub fn residual<T: Scalar>(
            parameters: &[T; 4],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, _, s] = *parameters;
            let [r, _, _] = *q;
            let [_, dot_phi, dot_z] = *v;
            [dot_z - s * r * dot_phi]
        }

        /// Scale of the constraint residual, Σᵢ |μᵢ vᵢ| + |μ₀|, one component per constraint.
        /// A residual that is small compared with it is rounding.
        ///
        /// Operations: 1 add, 4 mul, 2 sqrt.
        #[inline]
        pub fn residual_scale<T: Scalar>(
            parameters: &[T; 4],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, _, s] = *parameters;
            let [r, _, _] = *q;
            let [_, dot_phi, dot_z] = *v;
            let t0 = s * r;
            let t1 = dot_phi * t0;
            [(dot_z * dot_z).sqrt() + (t1 * t1).sqrt()]
        }

        /// Nearest admissible velocity in the kinetic-energy metric, v − B σ, one component per velocity.
        /// σ = C⁻¹(μ v + μ₀); B = M⁻¹ μᵀ; C = μ B. Where a pivot of M or C is small: M v' = M v + μᵀλ, μ v' + μ₀ = 0.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 4 add, 9 mul, 3 div, 2 sqrt.
        #[inline]
        pub fn project<T: Scalar>(
            parameters: &[T; 4],
            q: &[T; 3],
            v: &[T; 3],
        ) -> Result<[T; 3], Failure> {
            let [m, _, _, s] = *parameters;
            let [r, _, _] = *q;
            let [dot_r, dot_phi, dot_z] = *v;
            let t0 = s * r;
            let defect = dot_z - dot_phi * t0;
            let inv_m = T::from_f64(1.0) / m;
            let pivot = (T::from_f64(1.0) + s * s) * inv_m;
            let sigma = defect / pivot;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_pivot * sqrt_m;
            let t1 = inv_m * sigma;
            let t2 = m * r;
            let t3 = r * t2;
            let t5 = dot_phi + s * t1 / r;
            let t6 = dot_z - t1;
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
                [t5, t6],
                [[masses, masses], [t3, t3]],
                #[inline(always)]
                || {
                    Ok((
                        [t3, T::from_f64(0.0), T::from_f64(0.0), m],
                        [-t0, T::from_f64(1.0)],
                        [dot_phi * t3, m * dot_z, T::from_f64(0.0)],
                    ))
                },
            )?;
            let v_ = [dot_r, solution_0, solution_1];
            if emitted::finite(&v_) { Ok(v_) } else { Err(Failure::NonFinite) }
        }

        /// Accelerations dv/dt = M⁻¹(b + μᵀ λ), one per velocity, and multipliers λ = −C⁻¹(μ M⁻¹ b + γ), one per constraint.
        /// b = L_q + f − dL_v/dt at constant v; γ = d(μ v + μ₀)/dt at constant v; C = μ M⁻¹ μᵀ; μᵀ λ is the reaction.
        /// Where a pivot of M or C is small: M dv/dt = b + μᵀλ and μ dv/dt + γ = 0 without M⁻¹ and C.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 8 add, 26 mul, 4 div, 2 sqrt.
        #[inline]
        pub fn acceleration<T: Scalar>(
            parameters: &[T; 4],
            q: &[T; 3],
            v: &[T; 3],
        ) -> Result<([T; 3], [T; 1]), Failure> {
            let [m, k, g, s] = *parameters;
            let [r, _, _] = *q;
            let [dot_r, dot_phi, _] = *v;
            let r_sq = r * r;
            let m_r_sq = m * r_sq;
            let inv_m = T::from_f64(1.0) / m;
            let minus_free_r = r * (k - m * dot_phi * dot_phi) * inv_m;
            let t0 = dot_r * dot_phi;
            let two_r = T::from_f64(2.0) * r;
            let t1 = t0 * two_r;
            let t2 = m * t1;
            let minus_free_phi = t2 / m_r_sq;
            let pivot = (T::from_f64(1.0) + s * s) * inv_m;
            emitted::pivot(m, m, Failure::SingularMass)?;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_pivot * sqrt_m;
            let t3 = s * r;
            let t4 = s * t0;
            let t5 = (g + t4 - minus_free_phi * t3) / pivot;
            let t6 = inv_m * t5;
            let t7 = g - t6;
            let t9 = minus_free_phi + s * t6 / r;
            let t10 = m * (g * g + t1 * minus_free_phi);
            let t11 = T::from_f64(64.0) * m * (t7 * t7 + r_sq * t9 * t9);
            let [solution_0, solution_1, t12] = emitted::saddle_point::<
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
                [-t9, -t7, t5],
                [[masses, masses], [m_r_sq, m_r_sq], [t11, t10]],
                #[inline(always)]
                || {
                    Ok((
                        [m_r_sq, T::from_f64(0.0), T::from_f64(0.0), m],
                        [-t3, T::from_f64(1.0)],
                        [-t2, -m * g, t4],
                    ))
                },
            )?;
            let (a, lambda) = ([-minus_free_r, solution_0, solution_1], [t12]);
            if emitted::finite(&a) && emitted::finite(&lambda) {
                Ok((a, lambda))
            } else {
                Err(Failure::NonFinite)
            }
        }

        /// The numbers of a state by name.
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq
        )]
        pub struct Named<T> {
            /// Coordinate `r`.
            pub r: T,
            /// Coordinate `phi`.
            pub phi: T,
            /// Coordinate `z`.
            pub z: T,
            /// Velocity of `r`.
            pub dot_r: T,
            /// Velocity of `phi`.
            pub dot_phi: T,
            /// Velocity of `z`.
            pub dot_z: T,
            /// Multiplier of `climbing`.
            pub lambda_climbing: T,
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::System for Climber {
        const NAME: &'static ::core::primitive::str = "Climber";
        const COORDINATES: &'static [&'static ::core::primitive::str] = &[
            "r",
            "phi",
            "z",
        ];
        const PARAMETERS: &'static [&'static ::core::primitive::str] = &[
            "m",
            "k",
            "g",
            "s",
        ];
        const INPUTS: &'static [&'static ::core::primitive::str] = &[];
        const STATES: &'static [&'static ::core::primitive::str] = &[];
        const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &["climbing"];
        const GYROSCOPIC: ::core::primitive::bool = false;
        const FORCED: ::core::primitive::bool = false;
        const SYMMETRIES: &'static [::nhi_runtime::Symmetry] = &[];
        const INVARIANCES: &'static [::nhi_runtime::Symmetry] = &[
            ::nhi_runtime::Symmetry {
                momentum: "p_phi",
                direction: &[0.0, 1.0, 0.0],
            },
        ];
        type Configuration<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Velocity<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Multipliers<__T: ::nhi_runtime::Scalar> = [__T; 1];
        type Inputs<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type States<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type Parameters<__T: ::nhi_runtime::Scalar> = [__T; 4];
        fn parameters(&self) -> [::core::primitive::f64; 4] {
            [self.m, self.k, self.g, self.s]
        }

        #[inline]
        fn energy<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> __T {
            kernel::energy(__parameters, __q, __v)
        }

        #[inline]
        fn momentum<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> [__T; 3] {
            kernel::momentum(__parameters, __q, __v)
        }

        #[inline]
        fn residual<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> [__T; 1] {
            kernel::residual(__parameters, __q, __v)
        }

        #[inline]
        fn residual_scale<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> [__T; 1] {
            kernel::residual_scale(__parameters, __q, __v)
        }

        #[inline]
        fn project_once<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<[__T; 3], ::nhi_runtime::Failure> {
            kernel::project(__parameters, __q, __v)
        }

        #[inline]
        fn acceleration_of<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 4],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<([__T; 3], [__T; 1]), ::nhi_runtime::Failure> {
            kernel::acceleration(__parameters, __q, __v)
        }
    }

    #[automatically_derived]
    impl Climber {
        /// Index of `r` in configurations and velocities.
        pub const R: ::core::primitive::usize = 0;
        /// Index of `phi` in configurations and velocities.
        pub const PHI: ::core::primitive::usize = 1;
        /// Index of `z` in configurations and velocities.
        pub const Z: ::core::primitive::usize = 2;
    }

    #[automatically_derived]
    impl ::nhi_runtime::Named for Climber {
        type View<__T: ::nhi_runtime::Scalar> = kernel::Named<__T>;
        #[inline]
        fn named<__T: ::nhi_runtime::Scalar>(
            __q: &<Self as ::nhi_runtime::System>::Configuration<__T>,
            __v: &<Self as ::nhi_runtime::System>::Velocity<__T>,
            __lambda: &<Self as ::nhi_runtime::System>::Multipliers<__T>,
            __states: &<Self as ::nhi_runtime::System>::States<__T>,
        ) -> kernel::Named<__T> {
            kernel::Named {
                r: __q[0],
                phi: __q[1],
                z: __q[2],
                dot_r: __v[0],
                dot_phi: __v[1],
                dot_z: __v[2],
                lambda_climbing: __lambda[0],
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Climber> for ::nhi_runtime::Dla2 {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::dla2::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            [__T; 3],
            [__T; 3],
            [__T; 1],
            [__T; 0],
            kernel::dla2::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[3, 4, 5, 6],
            has_newton: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "dla2"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::dla2::start_consistent(
                __parameters,
                __h,
                __q,
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::dla2::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &[__T; 3],
            __jump: (&[__T; 3], &[__T; 3]),
            __lambda: &[__T; 1],
            __states: &[__T; 0],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::NodeState::at(
                *__q,
                __jump,
                *__lambda,
                *__states,
            );
            let __carried = kernel::dla2::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn rescale<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __state: &Self::State<__T>,
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __carried = kernel::dla2::rescale(__parameters, __h, __state, __t)?;
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
                v: kernel::dla2::update_velocity(__h, __before, __state),
                ..*__state
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Climber> for ::nhi_runtime::Rattle {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rattle::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::JumpState<
            [__T; 3],
            [__T; 3],
            [__T; 1],
            [__T; 0],
            kernel::rattle::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[9],
            has_newton: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "rattle"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rattle::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::rattle::start_consistent(
                __parameters,
                __h,
                __q,
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::rattle::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        fn start_as<__T: ::nhi_runtime::Scalar>(
            &self,
            __start: ::nhi_runtime::Start,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = match __start {
                ::nhi_runtime::Start::Consistent => {
                    kernel::rattle::start_consistent(
                        __parameters,
                        __h,
                        __q,
                        __v,
                        __states,
                        __t,
                        __inputs,
                    )
                }
                ::nhi_runtime::Start::Projected => {
                    kernel::rattle::start_projected(
                        __parameters,
                        __h,
                        __q,
                        __v,
                        __states,
                        __t,
                        __inputs,
                    )
                }
                ::nhi_runtime::Start::Plain => {
                    kernel::rattle::start_plain(
                        __parameters,
                        __h,
                        __q,
                        __v,
                        __states,
                        __t,
                        __inputs,
                    )
                }
                ::nhi_runtime::Start::Stepped => {
                    kernel::rattle::start_stepped(
                        __parameters,
                        __h,
                        __q,
                        __v,
                        __states,
                        __t,
                        __inputs,
                    )
                }
            }?;
            let __carried = kernel::rattle::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 4],
            __h: __T,
            __q: &[__T; 3],
            __jump: (&[__T; 3], &[__T; 3]),
            __lambda: &[__T; 1],
            __states: &[__T; 0],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::JumpState::at(
                *__q,
                __jump,
                *__lambda,
                *__states,
            );
            let __carried = kernel::rattle::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rattle::step(__prepared, __state, __t, __inputs)
        }
    }
};

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
            /// Operations: 22 add, 29 mul, 1 corrected_sin_cos; per Newton iteration 8 add, 8 mul, 1 div, 1 small_sin_cos; for one of second order 7 add, 12 mul.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared {
                    J,
                    m,
                    a,
                    b_theta,
                    inv_m,
                    weight,
                    k0,
                    b_theta_sq,
                    two_b_theta_over_m,
                    a_b_theta,
                    b_theta_over_m,
                    b_theta_sq_over_m,
                    two_over_h,
                    two_over_h_sq,
                } = *prepared;
                let [theta, x, y] = state.q;
                let Carried {
                    half_h_last_impulse,
                    half_h_error_impulse,
                    half_h_error_2_impulse,
                    half_h_older_errors_impulse,
                    half_h_dot_theta,
                    half_h_dot_x,
                    half_h_dot_y,
                    last_theta,
                    turn_theta,
                    sin_near_theta,
                    cos_near_theta,
                } = state.carried;

                // node: q_h = q + h/2 v
                let theta_h = theta + half_h_dot_theta;
                let x_h = x + half_h_dot_x;
                let y_h = y + half_h_dot_y;

                // (1) velocity w without reaction, and B = M⁻¹ μᵀ
                let (sin_theta_h, cos_theta_h) = emitted::corrected_sin_cos(
                    theta_h,
                    last_theta,
                    turn_theta,
                    (sin_near_theta, cos_near_theta),
                );
                let b_x = inv_m * sin_theta_h;
                let b_y = -inv_m * cos_theta_h;

                // norm of Newton's updates of the impulse ℓ
                let quarter_h_sq_scale2 = J * half_h_dot_theta * half_h_dot_theta
                    + m * (half_h_dot_x * half_h_dot_x + half_h_dot_y * half_h_dot_y);

                // constants of the iteration
                let t0 = half_h_dot_y * sin_theta_h + half_h_dot_x * cos_theta_h;
                let t1 = half_h_dot_x * sin_theta_h - half_h_dot_y * cos_theta_h;
                let t2 = inv_m + k0 * t0;

                // initial guess: 4 u₁ + (e₃ − 3 e₂ − 3 u₂); u₁, …: last solutions, e₁, …: their differences from g
                let newton = emitted::Newton::weighted([weight], quarter_h_sq_scale2)
                    .named(&["a*dtheta + sin(theta)*dx - cos(theta)*dy"]);
                let ([half_h_impulse], [t8, small_sin_t8, small_cos_t8]) = emitted::Newton::solve_or(
                    newton,
                    [
                        T::from_f64(4.0) * half_h_last_impulse
                            + half_h_older_errors_impulse,
                    ],
                    [half_h_last_impulse],
                    #[inline(always)]
                    |[half_h_impulse]| {
                        // Newton residual of (2)
                        let half_h_dot_theta_try = half_h_dot_theta
                            + b_theta * half_h_impulse;
                        let theta_try = theta_h + half_h_dot_theta_try;

                        // elimination: Jacobian · delta = −residual
                        let t8 = theta_h - theta_try;
                        let (small_sin_t8, small_cos_t8) = emitted::small_sin_cos(t8);
                        let t9 = -k0 * small_sin_t8;
                        let t10 = t1 + inv_m * half_h_impulse;
                        let jac = a_b_theta + t2 * small_cos_t8 - t9 * t10;
                        Ok((
                            [
                                -(a * half_h_dot_theta_try - t0 * small_sin_t8
                                    + small_cos_t8 * t10) / jac,
                            ],
                            move || {
                                // derivatives F′, F″ and F‴ of the residual F
                                let t3 = -k0 * t1;
                                let t4 = -b_theta_sq * t1;
                                let t5 = two_b_theta_over_m + b_theta_sq * t0;
                                let t6 = b_theta_over_m + k0 * t2;
                                let t7 = b_theta_sq_over_m + k0 * t5;
                                [
                                    jac,
                                    k0 * small_cos_t8 * (t3 - b_theta_over_m * half_h_impulse)
                                        + small_sin_t8 * t6,
                                    -(t9 * (t4 - b_theta_sq_over_m * half_h_impulse)
                                        + small_cos_t8 * t7),
                                ]
                            },
                            [t8, small_sin_t8, small_cos_t8],
                        ))
                    },
                )?;

                // prediction of the sine and cosine at the next node
                let twice = T::from_f64(2.0) * small_sin_t8;
                let turn = small_cos_t8 * twice;
                let turn_2 = small_sin_t8 * twice;
                let change = cos_theta_h * turn + sin_theta_h * turn_2;
                let change_2 = cos_theta_h * turn_2 - sin_theta_h * turn;
                let sin_near_theta_h = sin_theta_h - change;
                let cos_near_theta_h = cos_theta_h - change_2;

                // errors for the next initial guess
                let half_h_next_error_impulse = half_h_impulse - half_h_last_impulse;

                // (1) velocity of the step: w + B ℓ
                let half_h_dot_theta_1 = half_h_dot_theta + b_theta * half_h_impulse;
                let half_h_dot_x_1 = half_h_dot_x + b_x * half_h_impulse;
                let half_h_dot_y_1 = half_h_dot_y + b_y * half_h_impulse;

                // (2) q' = q_h + h/2 v'
                let theta_1 = theta_h + half_h_dot_theta_1;
                let x_1 = x_h + half_h_dot_x_1;
                let y_1 = y_h + half_h_dot_y_1;
                let next = NodeState {
                    q: [theta_1, x_1, y_1],
                    v: [
                        two_over_h * half_h_dot_theta_1,
                        two_over_h * half_h_dot_x_1,
                        two_over_h * half_h_dot_y_1,
                    ],
                    lambda: [two_over_h_sq * half_h_impulse],
                    states: [],
                    carried: Carried {
                        half_h_last_impulse: half_h_impulse,
                        half_h_error_impulse: half_h_next_error_impulse,
                        half_h_error_2_impulse: half_h_error_impulse,
                        half_h_older_errors_impulse: half_h_error_2_impulse
                            - T::from_f64(3.0)
                                * (half_h_last_impulse + half_h_error_impulse),
                        half_h_dot_theta: half_h_dot_theta_1,
                        half_h_dot_x: half_h_dot_x_1,
                        half_h_dot_y: half_h_dot_y_1,
                        last_theta: theta_h,
                        turn_theta: -T::from_f64(2.0) * t8,
                        sin_near_theta: sin_near_theta_h,
                        cos_near_theta: cos_near_theta_h,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `J`
                pub J: T,
                /// `m`
                pub m: T,
                /// `a`
                pub a: T,
                /// `a/J`
                pub b_theta: T,
                /// `1/m`
                pub inv_m: T,
                /// `(J + m*a^2)/(J*m)`
                pub weight: T,
                /// `a/J`
                pub k0: T,
                /// `a^2/J^2`
                pub b_theta_sq: T,
                /// `2*a/(J*m)`
                pub two_b_theta_over_m: T,
                /// `a^2/J`
                pub a_b_theta: T,
                /// `a/(J*m)`
                pub b_theta_over_m: T,
                /// `a^2/(J^2*m)`
                pub b_theta_sq_over_m: T,
                /// `2/h`
                pub two_over_h: T,
                /// `2/h^2`
                pub two_over_h_sq: T,
            }
            emitted::fields!(
                Prepared { J, m, a, b_theta, inv_m, weight, k0, b_theta_sq,
                two_b_theta_over_m, a_b_theta, b_theta_over_m, b_theta_sq_over_m,
                two_over_h, two_over_h_sq }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Solution of the last step, times `h/2`.
                pub half_h_last_impulse: T,
                /// Error of the scheme's last initial guess, times `h/2`.
                pub half_h_error_impulse: T,
                /// Error of the scheme's initial guess 1 steps before the last one, times `h/2`.
                pub half_h_error_2_impulse: T,
                /// Part of the next initial guess that was known a step before, times `h/2`.
                pub half_h_older_errors_impulse: T,
                /// Velocity `dot(theta)`, times `h/2`.
                pub half_h_dot_theta: T,
                /// Velocity `dot(x)`, times `h/2`.
                pub half_h_dot_x: T,
                /// Velocity `dot(y)`, times `h/2`.
                pub half_h_dot_y: T,
                /// Angle before the predicted rotation `turn_theta`.
                pub last_theta: T,
                /// Predicted rotation of an angle in the next step.
                pub turn_theta: T,
                /// Sine of `last_theta + turn_theta`.
                pub sin_near_theta: T,
                /// Cosine of `last_theta + turn_theta`.
                pub cos_near_theta: T,
            }
            emitted::fields!(
                Carried { half_h_last_impulse, half_h_error_impulse,
                half_h_error_2_impulse, half_h_older_errors_impulse, half_h_dot_theta,
                half_h_dot_x, half_h_dot_y, last_theta, turn_theta, sin_near_theta,
                cos_near_theta }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 3],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [J, m, a] = *parameters;
                let inv_J = T::from_f64(1.0) / J;
                let b_theta = a * inv_J;
                let inv_m = T::from_f64(1.0) / m;
                let weight = (J + m * a * a) * inv_J * inv_m;
                let two_b_theta = T::from_f64(2.0) * b_theta;
                let k0 = T::from_f64(0.5) * two_b_theta;
                let half_b_theta = T::from_f64(0.25) * two_b_theta;
                let b_theta_sq = two_b_theta * half_b_theta;
                let two_b_theta_over_m = inv_m * two_b_theta;
                let a_b_theta = a * b_theta;
                let b_theta_over_m = T::from_f64(0.5) * two_b_theta_over_m;
                let b_theta_sq_over_m = half_b_theta * two_b_theta_over_m;
                emitted::pivot(J, J, Failure::SingularMass)?;
                emitted::pivot(m, m, Failure::SingularMass)?;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h = T::from_f64(2.0) * inv_h;
                let two_over_h_sq = inv_h * two_over_h;
                Ok(Prepared {
                    J,
                    m,
                    a,
                    b_theta,
                    inv_m,
                    weight,
                    k0,
                    b_theta_sq,
                    two_b_theta_over_m,
                    a_b_theta,
                    b_theta_over_m,
                    b_theta_sq_over_m,
                    two_over_h,
                    two_over_h_sq,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 5 add, 15 mul, 4 div, 1 sin_cos, 3 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // multipliers Λ of the continuous equations
                let a_sq = a * a;
                let t0 = m * a_sq;
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + t0) * inv_J * inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let t1 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * t1;
                let masses_2 = T::from_f64(8.0)
                    * (T::from_f64(1.0) + T::from_f64(0.00048828125) * t0 * inv_J
                        + T::from_f64(0.001953125) * inv_m / (a_sq * inv_J + inv_m))
                    * masses;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t2 = dot_theta * (dot_y * sin_theta + dot_x * cos_theta);
                let [solution_0] = emitted::saddle_point::<
                    T,
                    true,
                    3,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [3],
                    [-t2 / pivot],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [
                                J,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                            ],
                            [a, sin_theta, -cos_theta],
                            [T::from_f64(0.0), T::from_f64(0.0), T::from_f64(0.0), -t2],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: [theta, x, y],
                    v: [dot_theta, dot_x, dot_y],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 1 add, 8 mul, 1 sin_cos.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [theta, _, _] = state.q;
                let [dot_theta, dot_x, dot_y] = state.v;
                let [lambda] = state.lambda;
                let half_h = T::from_f64(0.5) * h;
                let t0 = h * lambda;
                let t1 = dot_theta * half_h;
                let t2 = theta + t1;
                let (sin_t2, cos_t2) = t2.sin_cos();
                let carried = Carried {
                    half_h_last_impulse: half_h * t0,
                    half_h_error_impulse: T::from_f64(0.0),
                    half_h_error_2_impulse: T::from_f64(0.0),
                    half_h_older_errors_impulse: -T::from_f64(1.5) * h * t0,
                    half_h_dot_theta: t1,
                    half_h_dot_x: dot_x * half_h,
                    half_h_dot_y: dot_y * half_h,
                    last_theta: t2,
                    turn_theta: T::from_f64(0.0),
                    sin_near_theta: sin_t2,
                    cos_near_theta: cos_t2,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state for another step size `h`.
            ///
            /// Operations: 8 mul.
            #[inline(always)]
            pub fn rescale<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_theta, dot_x, dot_y] = state.v;
                let [lambda] = state.lambda;
                let Carried {
                    last_theta: old_last_theta,
                    turn_theta: old_turn_theta,
                    sin_near_theta: old_sin_near_theta,
                    cos_near_theta: old_cos_near_theta,
                    ..
                } = state.carried;
                let half_h = T::from_f64(0.5) * h;
                let t0 = h * lambda;
                let carried = Carried {
                    half_h_last_impulse: half_h * t0,
                    half_h_error_impulse: T::from_f64(0.0),
                    half_h_error_2_impulse: T::from_f64(0.0),
                    half_h_older_errors_impulse: -T::from_f64(1.5) * h * t0,
                    half_h_dot_theta: dot_theta * half_h,
                    half_h_dot_x: dot_x * half_h,
                    half_h_dot_y: dot_y * half_h,
                    last_theta: old_last_theta,
                    turn_theta: old_turn_theta,
                    sin_near_theta: old_sin_near_theta,
                    cos_near_theta: old_cos_near_theta,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state with sines and cosines computed from their angles.
            ///
            /// Operations: 1 add, 1 sin_cos.
            #[inline(always)]
            pub fn resync<T: Scalar>(
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
            ) -> Carried<T> {
                let Carried {
                    half_h_last_impulse,
                    half_h_error_impulse,
                    half_h_error_2_impulse,
                    half_h_older_errors_impulse,
                    half_h_dot_theta,
                    half_h_dot_x,
                    half_h_dot_y,
                    last_theta,
                    turn_theta,
                    ..
                } = state.carried;
                let angle = last_theta + turn_theta;
                let (sin, cos) = angle.sin_cos();
                Carried {
                    half_h_last_impulse,
                    half_h_error_impulse,
                    half_h_error_2_impulse,
                    half_h_older_errors_impulse,
                    half_h_dot_theta,
                    half_h_dot_x,
                    half_h_dot_y,
                    last_theta: angle,
                    turn_theta: T::from_f64(0.0),
                    sin_near_theta: sin,
                    cos_near_theta: cos,
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
                let [old_dot_theta, old_dot_x, old_dot_y] = before.v;
                let Carried {
                    half_h_dot_theta: old_half_h_dot_theta_2,
                    half_h_dot_x: old_half_h_dot_x_2,
                    half_h_dot_y: old_half_h_dot_y_2,
                    ..
                } = before.carried;
                let Carried { half_h_dot_theta, half_h_dot_x, half_h_dot_y, .. } = state
                    .carried;
                let rate = T::from_f64(2.0) / h;
                [
                    old_dot_theta + (half_h_dot_theta - old_half_h_dot_theta_2) * rate,
                    old_dot_x + (half_h_dot_x - old_half_h_dot_x_2) * rate,
                    old_dot_y + (half_h_dot_y - old_half_h_dot_y_2) * rate,
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
            /// Operations: 8 add, 14 mul, 1 rotated_sin_cos.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared { a, k0, two_over_m_pivot, inv_h, two_over_h_sq_pivot } = *prepared;
                let [theta, x, y] = state.q;
                let Carried {
                    h_dot_theta_post,
                    h_dot_x_post,
                    h_dot_y_post,
                    sin_theta,
                    cos_theta,
                } = state.carried;

                // configuration q' = q + h d
                let theta_1 = theta + h_dot_theta_post;
                let x_1 = x + h_dot_x_post;
                let y_1 = y + h_dot_y_post;

                // (2) v_pre' = M⁻¹(p⁺ − a) at q', and 2 σ = 2 C⁻¹(μ v_pre' + μ₀)
                let (sin_theta_1, cos_theta_1) = emitted::rotated_sin_cos(
                    theta_1,
                    theta,
                    (sin_theta, cos_theta),
                );
                let h_defect = a * h_dot_theta_post + h_dot_x_post * sin_theta_1
                    - h_dot_y_post * cos_theta_1;

                // (3) v_post' = v_pre' − 2 B σ
                let h_dot_theta_post_1 = h_dot_theta_post - k0 * h_defect;
                let t0 = two_over_m_pivot * h_defect;
                let h_dot_x_post_1 = h_dot_x_post - sin_theta_1 * t0;
                let h_dot_y_post_1 = h_dot_y_post + cos_theta_1 * t0;
                let next = JumpState {
                    q: [theta_1, x_1, y_1],
                    v_pre: [
                        inv_h * h_dot_theta_post,
                        inv_h * h_dot_x_post,
                        inv_h * h_dot_y_post,
                    ],
                    v_post: [
                        inv_h * h_dot_theta_post_1,
                        inv_h * h_dot_x_post_1,
                        inv_h * h_dot_y_post_1,
                    ],
                    lambda: [-two_over_h_sq_pivot * h_defect],
                    states: [],
                    carried: Carried {
                        h_dot_theta_post: h_dot_theta_post_1,
                        h_dot_x_post: h_dot_x_post_1,
                        h_dot_y_post: h_dot_y_post_1,
                        sin_theta: sin_theta_1,
                        cos_theta: cos_theta_1,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `a`
                pub a: T,
                /// `2*m*a/(J + m*a^2)`
                pub k0: T,
                /// `2*J/(J + m*a^2)`
                pub two_over_m_pivot: T,
                /// `1/h`
                pub inv_h: T,
                /// `2*J*m/((J + m*a^2)*h^2)`
                pub two_over_h_sq_pivot: T,
            }
            emitted::fields!(
                Prepared { a, k0, two_over_m_pivot, inv_h, two_over_h_sq_pivot }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Velocity `dot_theta_post`, times `h`.
                pub h_dot_theta_post: T,
                /// Velocity `dot_x_post`, times `h`.
                pub h_dot_x_post: T,
                /// Velocity `dot_y_post`, times `h`.
                pub h_dot_y_post: T,
                /// Sine of `theta`.
                pub sin_theta: T,
                /// Cosine of `theta`.
                pub cos_theta: T,
            }
            emitted::fields!(
                Carried { h_dot_theta_post, h_dot_x_post, h_dot_y_post, sin_theta,
                cos_theta }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 3],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [J, m, a] = *parameters;
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + m * a * a) * inv_J * inv_m;
                emitted::pivot(pivot, pivot, Failure::SingularConstraints)?;
                let two_over_pivot = T::from_f64(2.0) / pivot;
                let k0 = a * inv_J * two_over_pivot;
                let two_over_m_pivot = inv_m * two_over_pivot;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h_sq_pivot = inv_h * inv_h * two_over_pivot;
                Ok(Prepared {
                    a,
                    k0,
                    two_over_m_pivot,
                    inv_h,
                    two_over_h_sq_pivot,
                })
            }

            /// The state at (q, v), with the multipliers λ = −C⁻¹(μ M⁻¹ b + γ) of the continuous equations:
            /// v_pre = v − h/2 B λ, v_post = v + h/2 B λ; b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 11 add, 22 mul, 4 div, 1 sin_cos, 3 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 3],
                h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // multipliers Λ of the continuous equations
                let a_sq = a * a;
                let t0 = m * a_sq;
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + t0) * inv_J * inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let t1 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * t1;
                let masses_2 = T::from_f64(8.0)
                    * (T::from_f64(1.0) + T::from_f64(0.00048828125) * t0 * inv_J
                        + T::from_f64(0.001953125) * inv_m / (a_sq * inv_J + inv_m))
                    * masses;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t2 = dot_theta * (dot_y * sin_theta + dot_x * cos_theta);
                let [lambda] = emitted::saddle_point::<
                    T,
                    true,
                    3,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [3],
                    [-t2 / pivot],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [
                                J,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                            ],
                            [a, sin_theta, -cos_theta],
                            [T::from_f64(0.0), T::from_f64(0.0), T::from_f64(0.0), -t2],
                        ))
                    },
                )?;

                // velocities at the reflection: v∓ = v ∓ h/2 B λ
                let half_h = T::from_f64(0.5) * h;
                let t3 = lambda * half_h;
                let t4 = a * inv_J * t3;
                let dot_theta_pre = dot_theta - t4;
                let t5 = inv_m * t3;
                let t6 = sin_theta * t5;
                let dot_x_pre = dot_x - t6;
                let t7 = cos_theta * t5;
                let dot_y_pre = dot_y + t7;
                let dot_theta_post = dot_theta + t4;
                let dot_x_post = dot_x + t6;
                let dot_y_post = dot_y - t7;
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta_pre, dot_x_pre, dot_y_pre],
                    v_post: [dot_theta_post, dot_x_post, dot_y_post],
                    lambda: [lambda],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v), with the reaction to the projected force, λ = −C⁻¹ μ M⁻¹(L_q + f):
            /// v_pre = v − h/2 B λ, v_post = v + h/2 B λ.
            /// For this system it is also `start_plain`.
            ///
            /// Operations: 0.
            pub fn start_projected<T: Scalar>(
                _parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta, dot_x, dot_y],
                    v_post: [dot_theta, dot_x, dot_y],
                    lambda: [T::from_f64(0.0)],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v) from which the first step has the velocity v:
            /// v_post = M⁻¹(p⁻(q, q + h v) − a), v_pre = 2 v − v_post; λ of the continuous equations.
            ///
            /// Operations: 5 add, 15 mul, 4 div, 1 sin_cos, 3 sqrt.
            pub fn start_stepped<T: Scalar>(
                parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // multipliers Λ of the continuous equations
                let a_sq = a * a;
                let t0 = m * a_sq;
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + t0) * inv_J * inv_m;
                let sqrt_pivot = pivot.sqrt();
                let sqrt_J = J.sqrt();
                let sqrt_m = m.sqrt();
                let t1 = sqrt_pivot * sqrt_J;
                let masses = sqrt_m * t1;
                let masses_2 = T::from_f64(8.0)
                    * (T::from_f64(1.0) + T::from_f64(0.00048828125) * t0 * inv_J
                        + T::from_f64(0.001953125) * inv_m / (a_sq * inv_J + inv_m))
                    * masses;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t2 = dot_theta * (dot_y * sin_theta + dot_x * cos_theta);
                let [solution_0] = emitted::saddle_point::<
                    T,
                    true,
                    3,
                    _,
                    _,
                    _,
                    _,
                    _,
                >(
                    [3],
                    [-t2 / pivot],
                    [[masses, masses_2]],
                    #[inline(always)]
                    || {
                        Ok((
                            [
                                J,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                T::from_f64(0.0),
                                m,
                            ],
                            [a, sin_theta, -cos_theta],
                            [T::from_f64(0.0), T::from_f64(0.0), T::from_f64(0.0), -t2],
                        ))
                    },
                )?;
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta, dot_x, dot_y],
                    v_post: [dot_theta, dot_x, dot_y],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 3 mul, 1 sin_cos.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [theta, _, _] = state.q;
                let [dot_theta_post, dot_x_post, dot_y_post] = state.v_post;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let carried = Carried {
                    h_dot_theta_post: h * dot_theta_post,
                    h_dot_x_post: h * dot_x_post,
                    h_dot_y_post: h * dot_y_post,
                    sin_theta,
                    cos_theta,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state with sines and cosines computed from their angles.
            ///
            /// Operations: 1 sin_cos.
            #[inline(always)]
            pub fn resync<T: Scalar>(
                state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
            ) -> Carried<T> {
                let [theta, _, _] = state.q;
                let Carried { h_dot_theta_post, h_dot_x_post, h_dot_y_post, .. } = state
                    .carried;
                let (sin, cos) = theta.sin_cos();
                Carried {
                    h_dot_theta_post,
                    h_dot_x_post,
                    h_dot_y_post,
                    sin_theta: sin,
                    cos_theta: cos,
                }
            }
        }

        /// Energy E = L_v·v − L, a number.
        /// Without forces it is constant in time if L does not depend on t and the constraints are linear in v.
        ///
        /// Operations: 2 add, 6 mul.
        #[inline]
        pub fn energy<T: Scalar>(parameters: &[T; 3], _q: &[T; 3], v: &[T; 3]) -> T {
            let [J, m, _] = *parameters;
            let [dot_theta, dot_x, dot_y] = *v;
            T::from_f64(0.5)
                * (J * dot_theta * dot_theta + m * (dot_x * dot_x + dot_y * dot_y))
        }

        /// Momentum p = L_v = M v + a, one component per velocity.
        ///
        /// Operations: 3 mul.
        #[inline]
        pub fn momentum<T: Scalar>(
            parameters: &[T; 3],
            _q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 3] {
            let [J, m, _] = *parameters;
            let [dot_theta, dot_x, dot_y] = *v;
            [J * dot_theta, m * dot_x, m * dot_y]
        }

        /// Constraint residual μ v + μ₀, one component per constraint.
        /// It is zero for admissible velocities.
        ///
        /// Operations: 2 add, 3 mul, 1 sin_cos.
        #[inline]
        pub fn residual<T: Scalar>(
            parameters: &[T; 3],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, a] = *parameters;
            let [theta, _, _] = *q;
            let [dot_theta, dot_x, dot_y] = *v;
            let (sin_theta, cos_theta) = theta.sin_cos();
            [a * dot_theta + dot_x * sin_theta - dot_y * cos_theta]
        }

        /// Scale of the constraint residual, Σᵢ |μᵢ vᵢ| + |μ₀|, one component per constraint.
        /// A residual that is small compared with it is rounding.
        ///
        /// Operations: 2 add, 6 mul, 1 sin_cos, 3 sqrt.
        #[inline]
        pub fn residual_scale<T: Scalar>(
            parameters: &[T; 3],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, a] = *parameters;
            let [theta, _, _] = *q;
            let [dot_theta, dot_x, dot_y] = *v;
            let t0 = a * dot_theta;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let t1 = dot_x * sin_theta;
            let t2 = dot_y * cos_theta;
            [(t0 * t0).sqrt() + (t1 * t1).sqrt() + (t2 * t2).sqrt()]
        }

        /// Nearest admissible velocity in the kinetic-energy metric, v − B σ, one component per velocity.
        /// σ = C⁻¹(μ v + μ₀); B = M⁻¹ μᵀ; C = μ B. Where a pivot of M or C is small: M v' = M v + μᵀλ, μ v' + μ₀ = 0.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 9 add, 20 mul, 4 div, 1 sin_cos, 3 sqrt.
        #[inline]
        pub fn project<T: Scalar>(
            parameters: &[T; 3],
            q: &[T; 3],
            v: &[T; 3],
        ) -> Result<[T; 3], Failure> {
            let [J, m, a] = *parameters;
            let [theta, _, _] = *q;
            let [dot_theta, dot_x, dot_y] = *v;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let defect = a * dot_theta + dot_x * sin_theta - dot_y * cos_theta;
            let a_sq = a * a;
            let t0 = m * a_sq;
            let inv_J = T::from_f64(1.0) / J;
            let inv_m = T::from_f64(1.0) / m;
            let pivot = (J + t0) * inv_J * inv_m;
            let sigma = defect / pivot;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_J = J.sqrt();
            let sqrt_m = m.sqrt();
            let t1 = sqrt_pivot * sqrt_J;
            let masses = sqrt_m * t1;
            let masses_2 = T::from_f64(8.0)
                * (T::from_f64(1.0) + T::from_f64(0.00048828125) * t0 * inv_J
                    + T::from_f64(0.001953125) * inv_m / (a_sq * inv_J + inv_m))
                * masses;
            let t2 = inv_m * sigma;
            let t6 = dot_x - sin_theta * t2;
            let t7 = dot_y + cos_theta * t2;
            let t8 = dot_theta - a * inv_J * sigma;
            let [solution_0, solution_1, solution_2] = emitted::saddle_point::<
                T,
                true,
                3,
                _,
                _,
                _,
                _,
                _,
            >(
                [0, 1, 2],
                [t8, t6, t7],
                [[masses, masses_2]],
                #[inline(always)]
                || {
                    Ok((
                        [
                            J,
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            m,
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            m,
                        ],
                        [a, sin_theta, -cos_theta],
                        [J * dot_theta, m * dot_x, m * dot_y, T::from_f64(0.0)],
                    ))
                },
            )?;
            let v_ = [solution_0, solution_1, solution_2];
            if emitted::finite(&v_) { Ok(v_) } else { Err(Failure::NonFinite) }
        }

        /// Accelerations dv/dt = M⁻¹(b + μᵀ λ), one per velocity, and multipliers λ = −C⁻¹(μ M⁻¹ b + γ), one per constraint.
        /// b = L_q + f − dL_v/dt at constant v; γ = d(μ v + μ₀)/dt at constant v; C = μ M⁻¹ μᵀ; μᵀ λ is the reaction.
        /// Where a pivot of M or C is small: M dv/dt = b + μᵀλ and μ dv/dt + γ = 0 without M⁻¹ and C.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 2 add, 14 mul, 3 div, 1 sin_cos, 3 sqrt.
        #[inline]
        pub fn acceleration<T: Scalar>(
            parameters: &[T; 3],
            q: &[T; 3],
            v: &[T; 3],
        ) -> Result<([T; 3], [T; 1]), Failure> {
            let [J, m, a] = *parameters;
            let [theta, _, _] = *q;
            let [dot_theta, dot_x, dot_y] = *v;
            let inv_J = T::from_f64(1.0) / J;
            let inv_m = T::from_f64(1.0) / m;
            let pivot = (J + m * a * a) * inv_J * inv_m;
            let sqrt_pivot = pivot.sqrt();
            let sqrt_J = J.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_J * sqrt_m * sqrt_pivot;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let t0 = dot_theta * (dot_y * sin_theta + dot_x * cos_theta);
            let t1 = t0 / pivot;
            let t2 = inv_m * t1;
            let t3 = sin_theta * t2;
            let t4 = cos_theta * t2;
            let t5 = a * inv_J * t1;
            let [solution_0, solution_1, solution_2, t6] = emitted::saddle_point::<
                T,
                true,
                3,
                _,
                _,
                _,
                _,
                _,
            >(
                [0, 1, 2, 3],
                [-t5, -t3, t4, -t1],
                [[masses, masses]],
                #[inline(always)]
                || {
                    Ok((
                        [
                            J,
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            m,
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            T::from_f64(0.0),
                            m,
                        ],
                        [a, sin_theta, -cos_theta],
                        [T::from_f64(0.0), T::from_f64(0.0), T::from_f64(0.0), -t0],
                    ))
                },
            )?;
            let (a_2, lambda) = ([solution_0, solution_1, solution_2], [t6]);
            if emitted::finite(&a_2) && emitted::finite(&lambda) {
                Ok((a_2, lambda))
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
            /// Coordinate `theta`.
            pub theta: T,
            /// Coordinate `x`.
            pub x: T,
            /// Coordinate `y`.
            pub y: T,
            /// Velocity of `theta`.
            pub dot_theta: T,
            /// Velocity of `x`.
            pub dot_x: T,
            /// Velocity of `y`.
            pub dot_y: T,
            /// Multiplier of `a*dtheta + sin(theta)*dx - cos(theta)*dy`.
            pub lambda_0: T,
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::System for Sleigh {
        const NAME: &'static ::core::primitive::str = "Sleigh";
        const COORDINATES: &'static [&'static ::core::primitive::str] = &[
            "theta",
            "x",
            "y",
        ];
        const PARAMETERS: &'static [&'static ::core::primitive::str] = &["J", "m", "a"];
        const INPUTS: &'static [&'static ::core::primitive::str] = &[];
        const STATES: &'static [&'static ::core::primitive::str] = &[];
        const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &[
            "a*dtheta + sin(theta)*dx - cos(theta)*dy",
        ];
        const GYROSCOPIC: ::core::primitive::bool = false;
        const FORCED: ::core::primitive::bool = false;
        const SYMMETRIES: &'static [::nhi_runtime::Symmetry] = &[];
        const INVARIANCES: &'static [::nhi_runtime::Symmetry] = &[
            ::nhi_runtime::Symmetry {
                momentum: "p_theta",
                direction: &[1.0, 0.0, 0.0],
            },
            ::nhi_runtime::Symmetry {
                momentum: "p_x",
                direction: &[0.0, 1.0, 0.0],
            },
            ::nhi_runtime::Symmetry {
                momentum: "p_y",
                direction: &[0.0, 0.0, 1.0],
            },
        ];
        type Configuration<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Velocity<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Multipliers<__T: ::nhi_runtime::Scalar> = [__T; 1];
        type Inputs<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type States<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type Parameters<__T: ::nhi_runtime::Scalar> = [__T; 3];
        fn parameters(&self) -> [::core::primitive::f64; 3] {
            [self.J, self.m, self.a]
        }

        #[inline]
        fn energy<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> __T {
            kernel::energy(__parameters, __q, __v)
        }

        #[inline]
        fn momentum<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> [__T; 3] {
            kernel::momentum(__parameters, __q, __v)
        }

        #[inline]
        fn residual<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> [__T; 1] {
            kernel::residual(__parameters, __q, __v)
        }

        #[inline]
        fn residual_scale<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> [__T; 1] {
            kernel::residual_scale(__parameters, __q, __v)
        }

        #[inline]
        fn project_once<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<[__T; 3], ::nhi_runtime::Failure> {
            kernel::project(__parameters, __q, __v)
        }

        #[inline]
        fn acceleration_of<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
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
    impl Sleigh {
        /// Index of `theta` in configurations and velocities.
        pub const THETA: ::core::primitive::usize = 0;
        /// Index of `x` in configurations and velocities.
        pub const X: ::core::primitive::usize = 1;
        /// Index of `y` in configurations and velocities.
        pub const Y: ::core::primitive::usize = 2;
    }

    #[automatically_derived]
    impl ::nhi_runtime::Named for Sleigh {
        type View<__T: ::nhi_runtime::Scalar> = kernel::Named<__T>;
        #[inline]
        fn named<__T: ::nhi_runtime::Scalar>(
            __q: &<Self as ::nhi_runtime::System>::Configuration<__T>,
            __v: &<Self as ::nhi_runtime::System>::Velocity<__T>,
            __lambda: &<Self as ::nhi_runtime::System>::Multipliers<__T>,
            __states: &<Self as ::nhi_runtime::System>::States<__T>,
        ) -> kernel::Named<__T> {
            kernel::Named {
                theta: __q[0],
                x: __q[1],
                y: __q[2],
                dot_theta: __v[0],
                dot_x: __v[1],
                dot_y: __v[2],
                lambda_0: __lambda[0],
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Sleigh> for ::nhi_runtime::Dla2 {
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
            has_derivatives: true,
            has_recurrence: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "dla2"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 3],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 3],
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
            __parameters: &[__T; 3],
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
            __parameters: &[__T; 3],
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

        #[inline(always)]
        fn resync<__T: ::nhi_runtime::Scalar>(
            &self,
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            ::nhi_runtime::NodeState {
                carried: kernel::dla2::resync(__state),
                ..*__state
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Sleigh> for ::nhi_runtime::Rattle {
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
            dead: &[3, 4, 5, 6, 7, 8, 9],
            has_recurrence: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "rattle"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 3],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rattle::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 3],
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
            __parameters: &[__T; 3],
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
            __parameters: &[__T; 3],
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

        #[inline(always)]
        fn resync<__T: ::nhi_runtime::Scalar>(
            &self,
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            ::nhi_runtime::JumpState {
                carried: kernel::rattle::resync(__state),
                ..*__state
            }
        }
    }
};

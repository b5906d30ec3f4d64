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
            pub(super) use ::nhi_runtime::{Failure, Scalar, emitted, NodeState};
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
            /// Operations: 19 add, 23 mul, 1 div, 1 corrected_sin_cos, 2 rotated_sin_cos.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared {
                    turn_of_phase_0,
                    sin_turn_of_phase_0,
                    cos_turn_of_phase_0,
                    half_h,
                    inv_m,
                    half_h_sq_over_m,
                    half_c_1_h,
                    h_over_pivot,
                    k0,
                    half_belt_h,
                    two_over_h,
                    two_over_h_sq,
                } = *prepared;
                let [x, y, theta] = state.q;
                let Carried {
                    half_h_dot_x,
                    half_h_dot_y,
                    half_h_dot_theta,
                    last_theta,
                    sin_theta,
                    cos_theta,
                    near_phase_0,
                    sin_near_phase_0,
                    cos_near_phase_0,
                } = state.carried;
                let [push, turn] = *inputs;

                // node: q_h = q + h/2 v
                let x_h = x + half_h_dot_x;
                let y_h = y + half_h_dot_y;
                let theta_h = theta + half_h_dot_theta;

                // (1) velocity w without reaction, and B = M⁻¹ μᵀ
                let (sin_theta_h, cos_theta_h) = emitted::rotated_sin_cos(
                    theta_h,
                    last_theta,
                    (sin_theta, cos_theta),
                );
                let b_y = -inv_m * cos_theta_h;
                let b_x = inv_m * sin_theta_h;
                let t0 = half_h_sq_over_m * push;
                let half_h_w_x = half_h_dot_x + cos_theta_h * t0;
                let half_h_w_y = half_h_dot_y + sin_theta_h * t0;
                let phase_0 = half_h + t;
                let (sin_phase_0, cos_phase_0) = emitted::corrected_sin_cos(
                    phase_0,
                    near_phase_0,
                    T::from_f64(0.0),
                    (sin_near_phase_0, cos_near_phase_0),
                );
                let half_h_w_theta = k0 * half_h_dot_theta
                    + h_over_pivot * (half_h * turn - half_c_1_h * sin_phase_0);

                // (2) impulse ℓ: the constraint is affine in it
                let theta_1 = theta_h + half_h_w_theta;
                let (sin_theta_1, cos_theta_1) = emitted::rotated_sin_cos(
                    theta_1,
                    theta_h,
                    (sin_theta_h, cos_theta_h),
                );
                let pivot_2 = b_x * sin_theta_1 - b_y * cos_theta_1;
                let half_h_impulse = (half_h_w_y * cos_theta_1
                    - (half_h_w_x - half_belt_h) * sin_theta_1) / pivot_2;

                // (1) velocity of the step: w + B ℓ
                let half_h_dot_x_1 = half_h_w_x + b_x * half_h_impulse;
                let half_h_dot_y_1 = half_h_w_y + b_y * half_h_impulse;

                // (2) q' = q_h + h/2 v'
                let x_1 = x_h + half_h_dot_x_1;
                let y_1 = y_h + half_h_dot_y_1;
                let next = NodeState {
                    q: [x_1, y_1, theta_1],
                    v: [
                        two_over_h * half_h_dot_x_1,
                        two_over_h * half_h_dot_y_1,
                        two_over_h * half_h_w_theta,
                    ],
                    lambda: [two_over_h_sq * half_h_impulse],
                    states: [],
                    carried: Carried {
                        half_h_dot_x: half_h_dot_x_1,
                        half_h_dot_y: half_h_dot_y_1,
                        half_h_dot_theta: half_h_w_theta,
                        last_theta: theta_h,
                        sin_theta: sin_theta_h,
                        cos_theta: cos_theta_h,
                        near_phase_0: turn_of_phase_0 + phase_0,
                        sin_near_phase_0: cos_turn_of_phase_0 * sin_phase_0
                            + sin_turn_of_phase_0 * cos_phase_0,
                        cos_near_phase_0: cos_turn_of_phase_0 * cos_phase_0
                            - sin_turn_of_phase_0 * sin_phase_0,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `h`
                pub turn_of_phase_0: T,
                /// `sin(h)`
                pub sin_turn_of_phase_0: T,
                /// `cos(h)`
                pub cos_turn_of_phase_0: T,
                /// `h/2`
                pub half_h: T,
                /// `1/m`
                pub inv_m: T,
                /// `h^2/(2*m)`
                pub half_h_sq_over_m: T,
                /// `c[1]*h/2`
                pub half_c_1_h: T,
                /// `h/(J + c[0]*h/2)`
                pub h_over_pivot: T,
                /// `1 - c[0]*h/(J + c[0]*h/2)`
                pub k0: T,
                /// `belt*h/2`
                pub half_belt_h: T,
                /// `2/h`
                pub two_over_h: T,
                /// `2/h^2`
                pub two_over_h_sq: T,
            }
            emitted::fields!(
                Prepared { turn_of_phase_0, sin_turn_of_phase_0, cos_turn_of_phase_0,
                half_h, inv_m, half_h_sq_over_m, half_c_1_h, h_over_pivot, k0,
                half_belt_h, two_over_h, two_over_h_sq }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Velocity `dot(x)`, times `h/2`.
                pub half_h_dot_x: T,
                /// Velocity `dot(y)`, times `h/2`.
                pub half_h_dot_y: T,
                /// Velocity `dot(theta)`, times `h/2`.
                pub half_h_dot_theta: T,
                /// Angle of the carried sine and cosine.
                pub last_theta: T,
                /// Sine of `last_theta`.
                pub sin_theta: T,
                /// Cosine of `last_theta`.
                pub cos_theta: T,
                /// Angle of the carried sine and cosine.
                pub near_phase_0: T,
                /// Sine of `near_phase_0`.
                pub sin_near_phase_0: T,
                /// Cosine of `near_phase_0`.
                pub cos_near_phase_0: T,
            }
            emitted::fields!(
                Carried { half_h_dot_x, half_h_dot_y, half_h_dot_theta, last_theta,
                sin_theta, cos_theta, near_phase_0, sin_near_phase_0, cos_near_phase_0 }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 5],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, J, belt, c_0, c_1] = *parameters;
                let turn_of_phase_0 = h;
                let (sin_turn_of_phase_0, cos_turn_of_phase_0) = h.sin_cos();
                let half_h = T::from_f64(0.5) * h;
                let pivot = J + c_0 * half_h;
                let inv_m = T::from_f64(1.0) / m;
                let half_h_sq_over_m = h * half_h * inv_m;
                let half_c_1_h = c_1 * half_h;
                let h_over_pivot = h / pivot;
                let k0 = T::from_f64(1.0) - c_0 * h_over_pivot;
                let half_belt_h = belt * half_h;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h = T::from_f64(2.0) * inv_h;
                let two_over_h_sq = inv_h * two_over_h;
                Ok(Prepared {
                    turn_of_phase_0,
                    sin_turn_of_phase_0,
                    cos_turn_of_phase_0,
                    half_h,
                    inv_m,
                    half_h_sq_over_m,
                    half_c_1_h,
                    h_over_pivot,
                    k0,
                    half_belt_h,
                    two_over_h,
                    two_over_h_sq,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 4 add, 10 mul, 2 div, 1 sin_cos, 2 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 5],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, J, belt, _, _] = *parameters;
                let [x, y, theta] = *q;
                let [dot_x, dot_y, dot_theta] = *v;
                let [push, _] = *inputs;

                // multipliers Λ of the continuous equations
                let inv_m = T::from_f64(1.0) / m;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t0 = push * cos_theta;
                let free_x = inv_m * t0;
                let t1 = push * sin_theta;
                let free_y = inv_m * t1;
                let sqrt_inv_m = inv_m.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_inv_m * sqrt_m;
                emitted::pivot(J, J, Failure::SingularMass)?;
                let t2 = dot_theta * (dot_y * sin_theta - (belt - dot_x) * cos_theta);
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
                    [-(sin_theta * free_x - cos_theta * free_y + t2) / inv_m],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta, -cos_theta],
                            [t0, t1, -t2],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: [x, y, theta],
                    v: [dot_x, dot_y, dot_theta],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 1 add, 4 mul, 2 sin_cos.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 5],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                t: T,
            ) -> Result<Carried<T>, Failure> {
                let [_, _, theta] = state.q;
                let [dot_x, dot_y, dot_theta] = state.v;
                let half_h = T::from_f64(0.5) * h;
                let t0 = t + half_h;
                let (sin_t0, cos_t0) = t0.sin_cos();
                let (sin_theta, cos_theta) = theta.sin_cos();
                let carried = Carried {
                    half_h_dot_x: dot_x * half_h,
                    half_h_dot_y: dot_y * half_h,
                    half_h_dot_theta: dot_theta * half_h,
                    last_theta: theta,
                    sin_theta,
                    cos_theta,
                    near_phase_0: t0,
                    sin_near_phase_0: sin_t0,
                    cos_near_phase_0: cos_t0,
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
                _parameters: &[T; 5],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                _t: T,
            ) -> Result<Carried<T>, Failure> {
                let [dot_x, dot_y, dot_theta] = state.v;
                let Carried {
                    last_theta: old_last_theta,
                    sin_theta: old_sin_theta,
                    cos_theta: old_cos_theta,
                    near_phase_0: old_near_phase_0,
                    sin_near_phase_0: old_sin_near_phase_0,
                    cos_near_phase_0: old_cos_near_phase_0,
                    ..
                } = state.carried;
                let half_h = T::from_f64(0.5) * h;
                let carried = Carried {
                    half_h_dot_x: dot_x * half_h,
                    half_h_dot_y: dot_y * half_h,
                    half_h_dot_theta: dot_theta * half_h,
                    last_theta: old_last_theta,
                    sin_theta: old_sin_theta,
                    cos_theta: old_cos_theta,
                    near_phase_0: old_near_phase_0,
                    sin_near_phase_0: old_sin_near_phase_0,
                    cos_near_phase_0: old_cos_near_phase_0,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state with sines and cosines computed from their angles.
            ///
            /// Operations: 2 sin_cos.
            #[inline(always)]
            pub fn resync<T: Scalar>(
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
            ) -> Carried<T> {
                let Carried {
                    half_h_dot_x,
                    half_h_dot_y,
                    half_h_dot_theta,
                    last_theta,
                    near_phase_0,
                    ..
                } = state.carried;
                let (sin, cos) = last_theta.sin_cos();
                let (sin_2, cos_2) = near_phase_0.sin_cos();
                Carried {
                    half_h_dot_x,
                    half_h_dot_y,
                    half_h_dot_theta,
                    last_theta,
                    sin_theta: sin,
                    cos_theta: cos,
                    near_phase_0,
                    sin_near_phase_0: sin_2,
                    cos_near_phase_0: cos_2,
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
                let [old_dot_x, old_dot_y, old_dot_theta] = before.v;
                let Carried {
                    half_h_dot_x: old_half_h_dot_x_2,
                    half_h_dot_y: old_half_h_dot_y_2,
                    half_h_dot_theta: old_half_h_dot_theta_2,
                    ..
                } = before.carried;
                let Carried { half_h_dot_x, half_h_dot_y, half_h_dot_theta, .. } = state
                    .carried;
                let rate = T::from_f64(2.0) / h;
                [
                    old_dot_x + (half_h_dot_x - old_half_h_dot_x_2) * rate,
                    old_dot_y + (half_h_dot_y - old_half_h_dot_y_2) * rate,
                    old_dot_theta + (half_h_dot_theta - old_half_h_dot_theta_2) * rate,
                ]
            }
        }

        /// Step functions of `rk4`.
        pub mod rk4 {
            use ::core::result::Result::{self, Err, Ok};
            use super::runtime::{Failure, Scalar, emitted, NodeState};

            /// One step of `rk4`: the classical Runge–Kutta method on the index-reduced equations.
            ///
            /// ```text
            /// (1)  q₁ = q,  v₁ = v,  a₁ = F(q₁, v₁, t)
            /// (2)  q₂ = q + h/2 v₁,  v₂ = v + h/2 a₁,  a₂ = F(q₂, v₂, t + h/2)
            /// (3)  q₃ = q + h/2 v₂,  v₃ = v + h/2 a₂,  a₃ = F(q₃, v₃, t + h/2)
            /// (4)  q₄ = q + h v₃,  v₄ = v + h a₃,  a₄ = F(q₄, v₄, t + h)
            /// (5)  q' = q + h/6 v₁ + h/3 v₂ + h/3 v₃ + h/6 v₄,  v' = v + h/6 a₁ + h/3 a₂ + h/3 a₃ + h/6 a₄
            ///
            /// F(q, v, t) = M⁻¹(b + μᵀ Λ),  Λ = −C⁻¹(μ M⁻¹ b + γ)
            /// ```
            ///
            /// b = L_q + f − dL_v/dt at constant v;
            /// γ = d(μ v + μ₀)/dt at constant v;
            /// C = μ M⁻¹ μᵀ;
            /// λ': mean of Λ with the weights of the last equation.
            ///
            /// Operations: 75 add, 82 mul, 1 corrected_sin_cos, 4 rotated_sin_cos.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                match quick_or_careful_step::<T, false>(prepared, state, t, inputs) {
                    Err(_) if const { emitted::repeats_carefully::<T>() } => {
                        careful_step::<T>(prepared, state, t, inputs)
                    }
                    next => next,
                }
            }

            /// The same where linear equations are solved without formulas.
            #[cold]
            fn careful_step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                quick_or_careful_step::<T, true>(prepared, state, t, inputs)
            }

            /// The same, which fails where linear equations should be solved without formulas unless it `SOLVES` them so.
            #[inline(always)]
            fn quick_or_careful_step<T: Scalar, const SOLVES: bool>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
                t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>, Failure> {
                let Prepared {
                    m,
                    belt,
                    c_0,
                    c_1,
                    h,
                    turn_of_phase_0,
                    sin_turn_of_phase_0,
                    cos_turn_of_phase_0,
                    inv_m,
                    inv_J,
                    masses,
                    half_h,
                    half_h_over_J,
                    h_over_J,
                    sin_half_h,
                    cos_half_h,
                    k0,
                    two_over_J,
                    inv_inv_m,
                } = *prepared;
                let [x, y, theta] = state.q;
                let [dot_x, dot_y, dot_theta] = state.v;
                let Carried {
                    sin_t,
                    last_theta,
                    sin_theta_2,
                    cos_theta_2,
                    near_phase_0,
                    sin_near_phase_0,
                    cos_near_phase_0,
                } = state.carried;
                let [push, turn] = *inputs;

                // (1) stage 1
                let t0 = inv_m * push;
                let (sin_theta, cos_theta) = emitted::rotated_sin_cos(
                    theta,
                    last_theta,
                    (sin_theta_2, cos_theta_2),
                );
                let free_x = t0 * cos_theta;
                let free_y = t0 * sin_theta;
                let free_theta = inv_J * (turn - c_1 * sin_t - c_0 * dot_theta);
                let t3 = dot_theta * (dot_y * sin_theta - (belt - dot_x) * cos_theta);
                let t4 = sin_theta * free_x - cos_theta * free_y + t3;
                let t5 = free_x - sin_theta * t4;
                let t6 = free_y + cos_theta * t4;
                let [a_x_s1, a_y_s1, solution_0] = emitted::saddle_point::<
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
                    [t5, t6, -inv_inv_m * t4],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta, -cos_theta],
                            [push * cos_theta, push * sin_theta, -t3],
                        ))
                    },
                )?;

                // (2) stage 2
                let theta_s2 = theta + half_h * dot_theta;
                let dot_x_s2 = dot_x + half_h * a_x_s1;
                let dot_y_s2 = dot_y + half_h * a_y_s1;
                let dot_theta_s2 = dot_theta + half_h * free_theta;
                let (sin_theta_s2, cos_theta_s2) = emitted::rotated_sin_cos(
                    theta_s2,
                    theta,
                    (sin_theta, cos_theta),
                );
                let free_x_2 = t0 * cos_theta_s2;
                let free_y_2 = t0 * sin_theta_s2;
                let t9 = dot_theta_s2
                    * (dot_y_s2 * sin_theta_s2 - (belt - dot_x_s2) * cos_theta_s2);
                let t10 = sin_theta_s2 * free_x_2 - cos_theta_s2 * free_y_2 + t9;
                let t11 = free_x_2 - sin_theta_s2 * t10;
                let t12 = free_y_2 + cos_theta_s2 * t10;
                let [a_x_s2, a_y_s2, t30] = emitted::saddle_point::<
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
                    [t11, t12, -inv_inv_m * t10],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta_s2, -cos_theta_s2],
                            [push * cos_theta_s2, push * sin_theta_s2, -t9],
                        ))
                    },
                )?;

                // (3) stage 3
                let theta_s3 = theta + half_h * dot_theta_s2;
                let dot_x_s3 = dot_x + half_h * a_x_s2;
                let dot_y_s3 = dot_y + half_h * a_y_s2;
                let t13 = half_h + t;
                let phase_0 = t13;
                let (sin_phase_0, cos_phase_0) = emitted::corrected_sin_cos(
                    phase_0,
                    near_phase_0,
                    T::from_f64(0.0),
                    (sin_near_phase_0, cos_near_phase_0),
                );
                let t14 = turn - c_1 * sin_phase_0;
                let t15 = t14 - c_0 * dot_theta_s2;
                let dot_theta_s3 = dot_theta + half_h_over_J * t15;
                let (sin_theta_s3, cos_theta_s3) = emitted::rotated_sin_cos(
                    theta_s3,
                    theta,
                    (sin_theta, cos_theta),
                );
                let free_x_3 = t0 * cos_theta_s3;
                let free_y_3 = t0 * sin_theta_s3;
                let t18 = dot_theta_s3
                    * (dot_y_s3 * sin_theta_s3 - (belt - dot_x_s3) * cos_theta_s3);
                let t19 = sin_theta_s3 * free_x_3 - cos_theta_s3 * free_y_3 + t18;
                let t20 = free_x_3 - sin_theta_s3 * t19;
                let t21 = free_y_3 + cos_theta_s3 * t19;
                let [a_x_s3, a_y_s3, t31] = emitted::saddle_point::<
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
                    [t20, t21, -inv_inv_m * t19],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta_s3, -cos_theta_s3],
                            [push * cos_theta_s3, push * sin_theta_s3, -t18],
                        ))
                    },
                )?;

                // (4) stage 4
                let theta_s4 = theta + h * dot_theta_s3;
                let dot_x_s4 = dot_x + h * a_x_s3;
                let dot_y_s4 = dot_y + h * a_y_s3;
                let t22 = t14 - c_0 * dot_theta_s3;
                let dot_theta_s4 = dot_theta + h_over_J * t22;
                let (sin_theta_s4, cos_theta_s4) = emitted::rotated_sin_cos(
                    theta_s4,
                    theta,
                    (sin_theta, cos_theta),
                );
                let free_x_4 = t0 * cos_theta_s4;
                let free_y_4 = t0 * sin_theta_s4;
                let t23 = cos_half_h * sin_phase_0 + sin_half_h * cos_phase_0;
                let free_theta_4 = inv_J * (turn - c_1 * t23 - c_0 * dot_theta_s4);
                let t26 = dot_theta_s4
                    * (dot_y_s4 * sin_theta_s4 - (belt - dot_x_s4) * cos_theta_s4);
                let t27 = sin_theta_s4 * free_x_4 - cos_theta_s4 * free_y_4 + t26;
                let t28 = free_x_4 - sin_theta_s4 * t27;
                let t29 = free_y_4 + cos_theta_s4 * t27;
                let [a_x_s4, a_y_s4, t32] = emitted::saddle_point::<
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
                    [t28, t29, -inv_inv_m * t27],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta_s4, -cos_theta_s4],
                            [push * cos_theta_s4, push * sin_theta_s4, -t26],
                        ))
                    },
                )?;

                // (5) weighted mean of the stages
                let x_1 = x
                    + k0 * (dot_x + T::from_f64(2.0) * (dot_x_s2 + dot_x_s3) + dot_x_s4);
                let y_1 = y
                    + k0 * (dot_y + T::from_f64(2.0) * (dot_y_s2 + dot_y_s3) + dot_y_s4);
                let theta_1 = theta
                    + k0
                        * (dot_theta + T::from_f64(2.0) * (dot_theta_s2 + dot_theta_s3)
                            + dot_theta_s4);
                let dot_x_1 = dot_x
                    + k0 * (a_x_s1 + T::from_f64(2.0) * (a_x_s2 + a_x_s3) + a_x_s4);
                let dot_y_1 = dot_y
                    + k0 * (a_y_s1 + T::from_f64(2.0) * (a_y_s2 + a_y_s3) + a_y_s4);
                let dot_theta_1 = dot_theta
                    + k0 * (free_theta + two_over_J * (t15 + t22) + free_theta_4);
                let next = NodeState {
                    q: [x_1, y_1, theta_1],
                    v: [dot_x_1, dot_y_1, dot_theta_1],
                    lambda: [
                        T::from_f64(0.3333333333333333) * (t30 + t31)
                            + T::from_f64(0.16666666666666666) * (solution_0 + t32),
                    ],
                    states: [],
                    carried: Carried {
                        sin_t: t23,
                        last_theta: theta,
                        sin_theta_2: sin_theta,
                        cos_theta_2: cos_theta,
                        near_phase_0: turn_of_phase_0 + phase_0,
                        sin_near_phase_0: cos_turn_of_phase_0 * sin_phase_0
                            + sin_turn_of_phase_0 * cos_phase_0,
                        cos_near_phase_0: cos_turn_of_phase_0 * cos_phase_0
                            - sin_turn_of_phase_0 * sin_phase_0,
                    },
                };
                next.checked::<T>()
            }

            /// What depends on the parameters and the step size alone.
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
            pub struct Prepared<T> {
                /// `m`
                pub m: T,
                /// `belt`
                pub belt: T,
                /// `c[0]`
                pub c_0: T,
                /// `c[1]`
                pub c_1: T,
                /// `h`
                pub h: T,
                /// `h`
                pub turn_of_phase_0: T,
                /// `sin(h)`
                pub sin_turn_of_phase_0: T,
                /// `cos(h)`
                pub cos_turn_of_phase_0: T,
                /// `1/m`
                pub inv_m: T,
                /// `1/J`
                pub inv_J: T,
                /// `sqrt(m)*sqrt(1/m)`
                pub masses: T,
                /// `h/2`
                pub half_h: T,
                /// `h/(2*J)`
                pub half_h_over_J: T,
                /// `h/J`
                pub h_over_J: T,
                /// `sin(h/2)`
                pub sin_half_h: T,
                /// `cos(h/2)`
                pub cos_half_h: T,
                /// `h/6`
                pub k0: T,
                /// `2/J`
                pub two_over_J: T,
                /// `m`
                pub inv_inv_m: T,
            }
            emitted::fields!(
                Prepared { m, belt, c_0, c_1, h, turn_of_phase_0, sin_turn_of_phase_0,
                cos_turn_of_phase_0, inv_m, inv_J, masses, half_h, half_h_over_J,
                h_over_J, sin_half_h, cos_half_h, k0, two_over_J, inv_inv_m }
            );
            /// What a step computes for the next one.
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::cmp::PartialEq
            )]
            pub struct Carried<T> {
                /// Value that this step has computed for the next one: `sin(t)` at a start.
                pub sin_t: T,
                /// Angle of the carried sine and cosine.
                pub last_theta: T,
                /// Sine of `last_theta`.
                pub sin_theta_2: T,
                /// Cosine of `last_theta`.
                pub cos_theta_2: T,
                /// Angle of the carried sine and cosine.
                pub near_phase_0: T,
                /// Sine of `near_phase_0`.
                pub sin_near_phase_0: T,
                /// Cosine of `near_phase_0`.
                pub cos_near_phase_0: T,
            }
            emitted::fields!(
                Carried { sin_t, last_theta, sin_theta_2, cos_theta_2, near_phase_0,
                sin_near_phase_0, cos_near_phase_0 }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 5],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [m, J, belt, c_0, c_1] = *parameters;
                let turn_of_phase_0 = h;
                let (sin_turn_of_phase_0, cos_turn_of_phase_0) = h.sin_cos();
                let inv_m = T::from_f64(1.0) / m;
                let inv_J = T::from_f64(1.0) / J;
                let sqrt_inv_m = inv_m.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_inv_m * sqrt_m;
                emitted::pivot(J, J, Failure::SingularMass)?;
                let half_h = T::from_f64(0.5) * h;
                let half_h_over_J = inv_J * half_h;
                let h_over_J = h * inv_J;
                let (sin_half_h, cos_half_h) = half_h.sin_cos();
                let k0 = T::from_f64(0.16666666666666666) * h;
                let two_over_J = T::from_f64(2.0) * inv_J;
                let inv_inv_m = T::from_f64(1.0) / inv_m;
                Ok(Prepared {
                    m,
                    belt,
                    c_0,
                    c_1,
                    h,
                    turn_of_phase_0,
                    sin_turn_of_phase_0,
                    cos_turn_of_phase_0,
                    inv_m,
                    inv_J,
                    masses,
                    half_h,
                    half_h_over_J,
                    h_over_J,
                    sin_half_h,
                    cos_half_h,
                    k0,
                    two_over_J,
                    inv_inv_m,
                })
            }

            /// The state at (q, v), with the multipliers of the continuous equations:
            /// λ = −C⁻¹(μ M⁻¹ b + γ), b = L_q + f − dL_v/dt and γ = d(μ v + μ₀)/dt at constant v.
            ///
            /// Operations: 4 add, 10 mul, 2 div, 1 sin_cos, 2 sqrt.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 5],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _states: &[T; 0],
                _t: T,
                inputs: &[T; 2],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>, Failure> {
                let [m, J, belt, _, _] = *parameters;
                let [x, y, theta] = *q;
                let [dot_x, dot_y, dot_theta] = *v;
                let [push, _] = *inputs;

                // multipliers Λ of the continuous equations
                let inv_m = T::from_f64(1.0) / m;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t0 = push * cos_theta;
                let free_x = inv_m * t0;
                let t1 = push * sin_theta;
                let free_y = inv_m * t1;
                let sqrt_inv_m = inv_m.sqrt();
                let sqrt_m = m.sqrt();
                let masses = sqrt_inv_m * sqrt_m;
                emitted::pivot(J, J, Failure::SingularMass)?;
                let t2 = dot_theta * (dot_y * sin_theta - (belt - dot_x) * cos_theta);
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
                    [-(sin_theta * free_x - cos_theta * free_y + t2) / inv_m],
                    [[masses, masses]],
                    #[inline(always)]
                    || {
                        Ok((
                            [m, T::from_f64(0.0), T::from_f64(0.0), m],
                            [sin_theta, -cos_theta],
                            [t0, t1, -t2],
                        ))
                    },
                )?;
                let next = NodeState {
                    q: [x, y, theta],
                    v: [dot_x, dot_y, dot_theta],
                    lambda: [solution_0],
                    states: [],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The carried numbers of a state at a start.
            ///
            /// Operations: 1 add, 1 mul, 1 sin, 2 sin_cos.
            pub fn initial<T: Scalar>(
                _parameters: &[T; 5],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0]>,
                t: T,
            ) -> Result<Carried<T>, Failure> {
                let [_, _, theta] = state.q;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let t0 = T::from_f64(0.5) * h + t;
                let (sin_t0, cos_t0) = t0.sin_cos();
                let carried = Carried {
                    sin_t: t.sin(),
                    last_theta: theta,
                    sin_theta_2: sin_theta,
                    cos_theta_2: cos_theta,
                    near_phase_0: t0,
                    sin_near_phase_0: sin_t0,
                    cos_near_phase_0: cos_t0,
                };
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// The carried numbers of a state with sines and cosines computed from their angles.
            ///
            /// Operations: 2 sin_cos.
            #[inline(always)]
            pub fn resync<T: Scalar>(
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 0], Carried<T>>,
            ) -> Carried<T> {
                let Carried { sin_t, last_theta, near_phase_0, .. } = state.carried;
                let (sin, cos) = last_theta.sin_cos();
                let (sin_2, cos_2) = near_phase_0.sin_cos();
                Carried {
                    sin_t,
                    last_theta,
                    sin_theta_2: sin,
                    cos_theta_2: cos,
                    near_phase_0,
                    sin_near_phase_0: sin_2,
                    cos_near_phase_0: cos_2,
                }
            }
        }

        /// Energy E = L_v·v − L, a number.
        /// Without forces it is constant in time if L does not depend on t and the constraints are linear in v.
        ///
        /// Operations: 2 add, 6 mul.
        #[inline]
        pub fn energy<T: Scalar>(parameters: &[T; 5], _q: &[T; 3], v: &[T; 3]) -> T {
            let [m, J, _, _, _] = *parameters;
            let [dot_x, dot_y, dot_theta] = *v;
            T::from_f64(0.5)
                * (m * (dot_x * dot_x + dot_y * dot_y) + J * dot_theta * dot_theta)
        }

        /// Momentum p = L_v = M v + a, one component per velocity.
        ///
        /// Operations: 3 mul.
        #[inline]
        pub fn momentum<T: Scalar>(
            parameters: &[T; 5],
            _q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 3] {
            let [m, J, _, _, _] = *parameters;
            let [dot_x, dot_y, dot_theta] = *v;
            [m * dot_x, m * dot_y, J * dot_theta]
        }

        /// Constraint residual μ v + μ₀, one component per constraint.
        /// It is zero for admissible velocities.
        ///
        /// Operations: 2 add, 2 mul, 1 sin_cos.
        #[inline]
        pub fn residual<T: Scalar>(
            parameters: &[T; 5],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, belt, _, _] = *parameters;
            let [_, _, theta] = *q;
            let [dot_x, dot_y, _] = *v;
            let (sin_theta, cos_theta) = theta.sin_cos();
            [-((belt - dot_x) * sin_theta + dot_y * cos_theta)]
        }

        /// Scale of the constraint residual, Σᵢ |μᵢ vᵢ| + |μ₀|, one component per constraint.
        /// A residual that is small compared with it is rounding.
        ///
        /// Operations: 2 add, 6 mul, 1 sin_cos, 3 sqrt.
        #[inline]
        pub fn residual_scale<T: Scalar>(
            parameters: &[T; 5],
            q: &[T; 3],
            v: &[T; 3],
        ) -> [T; 1] {
            let [_, _, belt, _, _] = *parameters;
            let [_, _, theta] = *q;
            let [dot_x, dot_y, _] = *v;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let t0 = belt * sin_theta;
            let t1 = dot_x * sin_theta;
            let t2 = dot_y * cos_theta;
            [(t0 * t0).sqrt() + (t1 * t1).sqrt() + (t2 * t2).sqrt()]
        }

        /// Nearest admissible velocity in the kinetic-energy metric, v − B σ, one component per velocity.
        /// σ = C⁻¹(μ v + μ₀); B = M⁻¹ μᵀ; C = μ B. Where a pivot of M or C is small: M v' = M v + μᵀλ, μ v' + μ₀ = 0.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 4 add, 7 mul, 2 div, 1 sin_cos, 2 sqrt.
        #[inline]
        pub fn project<T: Scalar>(
            parameters: &[T; 5],
            q: &[T; 3],
            v: &[T; 3],
        ) -> Result<[T; 3], Failure> {
            let [m, _, belt, _, _] = *parameters;
            let [_, _, theta] = *q;
            let [dot_x, dot_y, dot_theta] = *v;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let t0 = belt * sin_theta;
            let defect = dot_x * sin_theta - t0 - dot_y * cos_theta;
            let inv_m = T::from_f64(1.0) / m;
            let sigma = defect / inv_m;
            let sqrt_inv_m = inv_m.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_inv_m * sqrt_m;
            let t1 = inv_m * sigma;
            let t4 = dot_x - sin_theta * t1;
            let t5 = dot_y + cos_theta * t1;
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
                [t4, t5],
                [[masses, masses]],
                #[inline(always)]
                || {
                    Ok((
                        [m, T::from_f64(0.0), T::from_f64(0.0), m],
                        [sin_theta, -cos_theta],
                        [m * dot_x, m * dot_y, t0],
                    ))
                },
            )?;
            let v_ = [solution_0, solution_1, dot_theta];
            if emitted::finite(&v_) { Ok(v_) } else { Err(Failure::NonFinite) }
        }

        /// Accelerations dv/dt = M⁻¹(b + μᵀ λ), one per velocity, and multipliers λ = −C⁻¹(μ M⁻¹ b + γ), one per constraint.
        /// b = L_q + f − dL_v/dt at constant v; γ = d(μ v + μ₀)/dt at constant v; C = μ M⁻¹ μᵀ; μᵀ λ is the reaction.
        /// Where a pivot of M or C is small: M dv/dt = b + μᵀλ and μ dv/dt + γ = 0 without M⁻¹ and C.
        /// Fails where the one-forms are dependent, or M is not positive definite on what they admit.
        ///
        /// Operations: 10 add, 21 mul, 3 div, 1 sin, 1 sin_cos, 2 sqrt.
        #[inline]
        pub fn acceleration<T: Scalar>(
            parameters: &[T; 5],
            q: &[T; 3],
            v: &[T; 3],
            t: T,
            inputs: &[T; 2],
        ) -> Result<([T; 3], [T; 1]), Failure> {
            let [m, J, belt, c_0, c_1] = *parameters;
            let [_, _, theta] = *q;
            let [dot_x, dot_y, dot_theta] = *v;
            let [push, turn] = *inputs;
            let inv_m = T::from_f64(1.0) / m;
            let (sin_theta, cos_theta) = theta.sin_cos();
            let t0 = push * cos_theta;
            let free_x = inv_m * t0;
            let t1 = push * sin_theta;
            let free_y = inv_m * t1;
            let free_theta = (turn - c_0 * dot_theta - c_1 * t.sin()) / J;
            let sqrt_inv_m = inv_m.sqrt();
            let sqrt_m = m.sqrt();
            let masses = sqrt_inv_m * sqrt_m;
            emitted::pivot(J, J, Failure::SingularMass)?;
            let t2 = dot_theta * (dot_y * sin_theta - (belt - dot_x) * cos_theta);
            let t3 = sin_theta * free_x - cos_theta * free_y + t2;
            let t4 = free_x - sin_theta * t3;
            let t5 = free_y + cos_theta * t3;
            let t6 = push * (cos_theta * free_x + sin_theta * free_y);
            let t7 = T::from_f64(64.0) * m * (t4 * t4 + t5 * t5);
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
                [t4, t5, -t3 / inv_m],
                [[masses, masses], [t7, t6]],
                #[inline(always)]
                || {
                    Ok((
                        [m, T::from_f64(0.0), T::from_f64(0.0), m],
                        [sin_theta, -cos_theta],
                        [t0, t1, -t2],
                    ))
                },
            )?;
            let (a, lambda) = ([solution_0, solution_1, free_theta], [t8]);
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
            /// Coordinate `x`.
            pub x: T,
            /// Coordinate `y`.
            pub y: T,
            /// Coordinate `theta`.
            pub theta: T,
            /// Velocity of `x`.
            pub dot_x: T,
            /// Velocity of `y`.
            pub dot_y: T,
            /// Velocity of `theta`.
            pub dot_theta: T,
            /// Multiplier of `sin(theta)*(dx - belt*dt) - cos(theta)*dy`.
            pub lambda_0: T,
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::System for Cart {
        const NAME: &'static ::core::primitive::str = "Cart";
        const COORDINATES: &'static [&'static ::core::primitive::str] = &[
            "x",
            "y",
            "theta",
        ];
        const PARAMETERS: &'static [&'static ::core::primitive::str] = &[
            "m",
            "J",
            "belt",
            "c[0]",
            "c[1]",
        ];
        const INPUTS: &'static [&'static ::core::primitive::str] = &["push", "turn"];
        const STATES: &'static [&'static ::core::primitive::str] = &[];
        const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &[
            "sin(theta)*(dx - belt*dt) - cos(theta)*dy",
        ];
        const GYROSCOPIC: ::core::primitive::bool = false;
        const FORCED: ::core::primitive::bool = true;
        const SYMMETRIES: &'static [::nhi_runtime::Symmetry] = &[];
        type Configuration<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Velocity<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Multipliers<__T: ::nhi_runtime::Scalar> = [__T; 1];
        type Inputs<__T: ::nhi_runtime::Scalar> = [__T; 2];
        type States<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type Parameters<__T: ::nhi_runtime::Scalar> = [__T; 5];
        fn parameters(&self) -> [::core::primitive::f64; 5] {
            [self.m, self.J, self.belt, self.c[0], self.c[1]]
        }

        #[inline]
        fn energy<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> __T {
            kernel::energy(__parameters, __q, __v)
        }

        #[inline]
        fn momentum<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
        ) -> [__T; 3] {
            kernel::momentum(__parameters, __q, __v)
        }

        #[inline]
        fn residual<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 2],
        ) -> [__T; 1] {
            kernel::residual(__parameters, __q, __v)
        }

        #[inline]
        fn residual_scale<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 2],
        ) -> [__T; 1] {
            kernel::residual_scale(__parameters, __q, __v)
        }

        #[inline]
        fn project_once<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 2],
        ) -> ::core::result::Result<[__T; 3], ::nhi_runtime::Failure> {
            kernel::project(__parameters, __q, __v)
        }

        #[inline]
        fn acceleration_of<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 5],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 2],
        ) -> ::core::result::Result<([__T; 3], [__T; 1]), ::nhi_runtime::Failure> {
            kernel::acceleration(__parameters, __q, __v, __t, __inputs)
        }
    }

    #[automatically_derived]
    impl Cart {
        /// Index of `x` in configurations and velocities.
        pub const X: ::core::primitive::usize = 0;
        /// Index of `y` in configurations and velocities.
        pub const Y: ::core::primitive::usize = 1;
        /// Index of `theta` in configurations and velocities.
        pub const THETA: ::core::primitive::usize = 2;
    }

    #[automatically_derived]
    impl ::nhi_runtime::Named for Cart {
        type View<__T: ::nhi_runtime::Scalar> = kernel::Named<__T>;
        #[inline]
        fn named<__T: ::nhi_runtime::Scalar>(
            __q: &<Self as ::nhi_runtime::System>::Configuration<__T>,
            __v: &<Self as ::nhi_runtime::System>::Velocity<__T>,
            __lambda: &<Self as ::nhi_runtime::System>::Multipliers<__T>,
            __states: &<Self as ::nhi_runtime::System>::States<__T>,
        ) -> kernel::Named<__T> {
            kernel::Named {
                x: __q[0],
                y: __q[1],
                theta: __q[2],
                dot_x: __v[0],
                dot_y: __v[1],
                dot_theta: __v[2],
                lambda_0: __lambda[0],
            }
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Method<Cart> for ::nhi_runtime::Dla2 {
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
            has_recurrence: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "dla2"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 2],
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
            __parameters: &[__T; 5],
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
            __inputs: &[__T; 2],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn rescale<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
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
    impl ::nhi_runtime::Method<Cart> for ::nhi_runtime::Rk4 {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rk4::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            [__T; 3],
            [__T; 3],
            [__T; 1],
            [__T; 0],
            kernel::rk4::Carried<__T>,
        >;
        type Memory = ::nhi_runtime::Forgets;
        const TRAITS: ::nhi_runtime::StepTraits = ::nhi_runtime::StepTraits {
            dead: &[6],
            has_recurrence: true,
            ..::nhi_runtime::StepTraits::PLAIN
        };

        fn id(&self) -> &'static ::core::primitive::str {
            "rk4"
        }

        fn prepare<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rk4::prepare(__parameters, __h)
        }

        fn start<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __states: &[__T; 0],
            __t: __T,
            __inputs: &[__T; 2],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = kernel::rk4::start_consistent(
                __parameters,
                __h,
                __q,
                __v,
                __states,
                __t,
                __inputs,
            )?;
            let __carried = kernel::rk4::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            &self,
            __parameters: &[__T; 5],
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
            let __carried = kernel::rk4::initial(__parameters, __h, &__state, __t)?;
            ::core::result::Result::Ok(__state.carrying(__carried))
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            &self,
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 2],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rk4::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn resync<__T: ::nhi_runtime::Scalar>(
            &self,
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            ::nhi_runtime::NodeState {
                carried: kernel::rk4::resync(__state),
                ..*__state
            }
        }
    }
};

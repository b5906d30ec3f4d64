#[allow(
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    missing_docs,
    non_ascii_idents,
    non_snake_case,
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
        use ::nhi_runtime::{Failure, Scalar, emitted};

        /// Energy E = ∂L/∂v·v − L.
        ///
        /// Operations: 2 add, 6 mul.
        #[inline]
        pub fn energy<T: Scalar>(parameters: &[T; 3], _q: &[T; 3], v: &[T; 3]) -> T {
            let [J, m, _] = *parameters;
            let [dot_theta, dot_x, dot_y] = *v;
            T::from_f64(0.5)
                * (J * dot_theta * dot_theta + m * (dot_x * dot_x + dot_y * dot_y))
        }

        /// Momentum p = ∂L/∂v.
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

        /// Constraint residual mu·v + mu_t.
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

        /// Sums of absolute values of the terms of the constraint residual.
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

        /// Nearest admissible velocity in the kinetic-energy metric, v − B·C⁻¹(mu·v + mu_t).
        ///
        /// Operations: 6 add, 12 mul, 3 div, 1 sin_cos.
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
            let inv_J = T::from_f64(1.0) / J;
            let inv_m = T::from_f64(1.0) / m;
            let pivot = (J + m * a * a) * inv_J * inv_m;
            if !emitted::regular(pivot, pivot) {
                return Err(Failure::SingularConstraints);
            }
            let sigma = defect / pivot;
            let t0 = inv_m * sigma;
            let v = [
                dot_theta - a * inv_J * sigma,
                dot_x - sin_theta * t0,
                dot_y + cos_theta * t0,
            ];
            if emitted::finite(&v) { Ok(v) } else { Err(Failure::NonFinite) }
        }

        /// dv/dt and multipliers lambda = −C⁻¹(mu·M⁻¹b + gamma) of the continuous equations.
        ///
        /// Operations: 2 add, 12 mul, 3 div, 1 sin_cos.
        #[inline]
        pub fn acceleration<T: Scalar>(
            parameters: &[T; 3],
            q: &[T; 3],
            v: &[T; 3],
            _t: T,
            _inputs: &[T; 0],
        ) -> Result<([T; 3], [T; 1]), Failure> {
            let [J, m, a] = *parameters;
            let [theta, _, _] = *q;
            let [dot_theta, dot_x, dot_y] = *v;
            let inv_J = T::from_f64(1.0) / J;
            let inv_m = T::from_f64(1.0) / m;
            let pivot = (J + m * a * a) * inv_J * inv_m;
            if !emitted::regular(pivot, pivot) {
                return Err(Failure::SingularConstraints);
            }
            let (sin_theta, cos_theta) = theta.sin_cos();
            let minus_lambda = dot_theta * (dot_y * sin_theta + dot_x * cos_theta)
                / pivot;
            let t0 = inv_m * minus_lambda;
            let (a, lambda) = (
                [-a * inv_J * minus_lambda, -sin_theta * t0, cos_theta * t0],
                [-minus_lambda],
            );
            if emitted::finite(&a) && emitted::finite(&lambda) {
                Ok((a, lambda))
            } else {
                Err(Failure::NonFinite)
            }
        }

        /// Step functions of `dla2`.
        pub mod dla2 {
            use ::core::result::Result::{self, Err, Ok};
            use ::nhi_runtime::{Failure, Scalar, emitted, NodeState};

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
                pub effect: T,
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
                Prepared { J, m, a, b_theta, inv_m, effect, b_theta_sq,
                two_b_theta_over_m, a_b_theta, b_theta_over_m, b_theta_sq_over_m,
                two_over_h, two_over_h_sq }
            );
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 3],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [J, m, a] = *parameters;
                if !emitted::regular(J, J) {
                    return Err(Failure::SingularMass);
                }
                if !emitted::regular(m, m) {
                    return Err(Failure::SingularMass);
                }
                let inv_J = T::from_f64(1.0) / J;
                let b_theta = a * inv_J;
                let inv_m = T::from_f64(1.0) / m;
                let effect = (J + m * a * a) * inv_J * inv_m;
                let two_b_theta = T::from_f64(2.0) * b_theta;
                let half_b_theta = T::from_f64(0.5) * b_theta;
                let b_theta_sq = two_b_theta * half_b_theta;
                let two_b_theta_over_m = inv_m * two_b_theta;
                let a_b_theta = a * b_theta;
                let b_theta_over_m = T::from_f64(0.5) * two_b_theta_over_m;
                let b_theta_sq_over_m = half_b_theta * two_b_theta_over_m;
                let inv_h = T::from_f64(1.0) / h;
                let two_over_h = T::from_f64(2.0) * inv_h;
                let two_over_h_sq = inv_h * two_over_h;
                Ok(Prepared {
                    J,
                    m,
                    a,
                    b_theta,
                    inv_m,
                    effect,
                    b_theta_sq,
                    two_b_theta_over_m,
                    a_b_theta,
                    b_theta_over_m,
                    b_theta_sq_over_m,
                    two_over_h,
                    two_over_h_sq,
                })
            }

            /// The state at (q, v), with the continuous multiplier.
            ///
            /// Operations: 2 add, 6 mul, 2 div, 1 sin_cos.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;
                let pivot = (J + m * a * a) / (J * m);
                if !emitted::regular(pivot, pivot) {
                    return Err(Failure::SingularConstraints);
                }
                let (sin_theta, cos_theta) = theta.sin_cos();
                let minus_lambda = dot_theta * (dot_y * sin_theta + dot_x * cos_theta)
                    / pivot;
                let next = NodeState {
                    q: [theta, x, y],
                    v: [dot_theta, dot_x, dot_y],
                    lambda: [-minus_lambda],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// What the first step finds computed.
            ///
            /// Operations: 1 add, 8 mul, 1 sin_cos.
            pub fn carry<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1]>,
                _t: T,
            ) -> Result<[T; 11], Failure> {
                let [theta, _, _] = state.q;
                let [dot_theta, dot_x, dot_y] = state.v;
                let [lambda] = state.lambda;
                let half_h = T::from_f64(0.5) * h;
                let t0 = h * lambda;
                let t1 = half_h * t0;
                let t2 = dot_theta * half_h;
                let t3 = theta + t2;
                let (sin_t3, cos_t3) = t3.sin_cos();
                let carried = [
                    t1,
                    t1,
                    t1,
                    -T::from_f64(1.5) * h * t0,
                    t2,
                    dot_x * half_h,
                    dot_y * half_h,
                    t3,
                    T::from_f64(0.0),
                    sin_t3,
                    cos_t3,
                ];
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// What of that depends on the step size.
            ///
            /// Operations: 8 mul.
            pub fn resize<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &NodeState<[T; 3], [T; 3], [T; 1]>,
                _t: T,
            ) -> Result<[T; 7], Failure> {
                let [dot_theta, dot_x, dot_y] = state.v;
                let [lambda] = state.lambda;
                let half_h = T::from_f64(0.5) * h;
                let t0 = h * lambda;
                let t1 = half_h * t0;
                let carried = [
                    t1,
                    t1,
                    t1,
                    -T::from_f64(1.5) * h * t0,
                    dot_theta * half_h,
                    dot_x * half_h,
                    dot_y * half_h,
                ];
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// One step of `dla2`: McLachlan and Perlmutter 2006, (4.18), for any quadratic Lagrangian.
            ///
            /// Operations: 21 add, 30 mul, 1 corrected_sin_cos; per Newton iteration 8 add, 8 mul, 1 div, 1 small_sin_cos; for one of second order 7 add, 12 mul.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &NodeState<[T; 3], [T; 3], [T; 1], [T; 11]>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<NodeState<[T; 3], [T; 3], [T; 1], [T; 11]>, Failure> {
                let Prepared {
                    J,
                    m,
                    a,
                    b_theta,
                    inv_m,
                    effect,
                    b_theta_sq,
                    two_b_theta_over_m,
                    a_b_theta,
                    b_theta_over_m,
                    b_theta_sq_over_m,
                    two_over_h,
                    two_over_h_sq,
                } = *prepared;
                let [theta, x, y] = state.q;
                let [half_h_last_ell, half_h_last_2_ell, half_h_last_3_ell,
                half_h_back_ell, half_h_dot_theta, half_h_dot_x, half_h_dot_y,
                last_theta, turn_theta, sin_near_theta, cos_near_theta] = state.carried;

                // q_h = q + h/2·v, the node between the two steps
                let theta_h = theta + half_h_dot_theta;
                let x_h = x + half_h_dot_x;
                let y_h = y + half_h_dot_y;

                // w: the velocity without reaction; B = M⁻¹muᵀ
                let (sin_theta_h, cos_theta_h) = emitted::corrected_sin_cos(
                    theta_h,
                    last_theta,
                    turn_theta,
                    (sin_near_theta, cos_near_theta),
                );
                let b_x = inv_m * sin_theta_h;
                let b_y = -inv_m * cos_theta_h;

                // impulse ell from the discrete constraint mu·w + mu_t = 0, by Newton
                let quarter_h_sq_beside = J * half_h_dot_theta * half_h_dot_theta
                    + m * (half_h_dot_x * half_h_dot_x + half_h_dot_y * half_h_dot_y);

                // guess by the last four solutions
                let t0 = half_h_dot_y * sin_theta_h + half_h_dot_x * cos_theta_h;
                let t1 = half_h_dot_x * sin_theta_h - half_h_dot_y * cos_theta_h;
                let t2 = inv_m + b_theta * t0;
                let newton = emitted::Newton::weighted([effect], quarter_h_sq_beside);
                let ([half_h_ell], [t8, small_sin_t8, small_cos_t8]) = emitted::Newton::solve_or(
                    newton,
                    [T::from_f64(4.0) * half_h_last_ell + half_h_back_ell],
                    [half_h_last_ell],
                    #[inline(always)]
                    |[half_h_ell]| {
                        let half_h_dot_theta_try = half_h_dot_theta
                            + b_theta * half_h_ell;
                        let theta_try = theta_h + half_h_dot_theta_try;

                        // Newton update: J·delta = −residual
                        let t8 = theta_h - theta_try;
                        let (small_sin_t8, small_cos_t8) = emitted::small_sin_cos(t8);
                        let t9 = -b_theta * small_sin_t8;
                        let t10 = t1 + inv_m * half_h_ell;
                        let pivot = a_b_theta + t2 * small_cos_t8 - t9 * t10;
                        Ok((
                            [
                                -(a * half_h_dot_theta_try - t0 * small_sin_t8
                                    + small_cos_t8 * t10) / pivot,
                            ],
                            move || {
                                let t3 = -b_theta * t1;
                                let t4 = -b_theta_sq * t1;
                                let t5 = two_b_theta_over_m + b_theta_sq * t0;
                                let t6 = b_theta_over_m + b_theta * t2;
                                let t7 = b_theta_sq_over_m + b_theta * t5;
                                [
                                    pivot,
                                    b_theta * small_cos_t8 * (t3 - b_theta_over_m * half_h_ell)
                                        + small_sin_t8 * t6,
                                    -(t9 * (t4 - b_theta_sq_over_m * half_h_ell)
                                        + small_cos_t8 * t7),
                                ]
                            },
                            [t8, small_sin_t8, small_cos_t8],
                        ))
                    },
                )?;

                // sine and cosine of the angle to come
                let twice = T::from_f64(2.0) * small_sin_t8;
                let turn = small_cos_t8 * twice;
                let turn_2 = small_sin_t8 * twice;
                let change = cos_theta_h * turn + sin_theta_h * turn_2;
                let change_2 = cos_theta_h * turn_2 - sin_theta_h * turn;
                let sin_near_theta_h = sin_theta_h - change;
                let cos_near_theta_h = cos_theta_h - change_2;

                // velocity after the reaction: w + B·ell
                let half_h_dot_theta_1 = half_h_dot_theta + b_theta * half_h_ell;
                let half_h_dot_x_1 = half_h_dot_x + b_x * half_h_ell;
                let half_h_dot_y_1 = half_h_dot_y + b_y * half_h_ell;

                // (2) q' where mu(q')·v' + mu_t(q') = 0
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
                    lambda: [two_over_h_sq * half_h_ell],
                    carried: [
                        half_h_ell,
                        half_h_last_ell,
                        half_h_last_2_ell,
                        T::from_f64(4.0) * half_h_last_2_ell - half_h_last_3_ell
                            - T::from_f64(6.0) * half_h_last_ell,
                        half_h_dot_theta_1,
                        half_h_dot_x_1,
                        half_h_dot_y_1,
                        theta_h,
                        -T::from_f64(2.0) * t8,
                        sin_near_theta_h,
                        cos_near_theta_h,
                    ],
                };
                next.checked::<T>()
            }
        }

        /// Step functions of `rattle`.
        pub mod rattle {
            use ::core::result::Result::{self, Err, Ok};
            use ::nhi_runtime::{Failure, Scalar, emitted, JumpState};

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
            /// Computes what depends on the parameters and the step size alone.
            pub fn prepare<T: Scalar>(
                parameters: &[T; 3],
                h: T,
            ) -> Result<Prepared<T>, Failure> {
                let [J, m, a] = *parameters;
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + m * a * a) * inv_J * inv_m;
                if !emitted::regular(pivot, pivot) {
                    return Err(Failure::SingularConstraints);
                }
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

            /// The state at (q, v), with the continuous multiplier.
            ///
            /// Operations: 8 add, 14 mul, 3 div, 1 sin_cos.
            pub fn start_consistent<T: Scalar>(
                parameters: &[T; 3],
                h: T,
                q: &[T; 3],
                v: &[T; 3],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // the continuous multiplier
                let inv_J = T::from_f64(1.0) / J;
                let inv_m = T::from_f64(1.0) / m;
                let pivot = (J + m * a * a) * inv_J * inv_m;
                if !emitted::regular(pivot, pivot) {
                    return Err(Failure::SingularConstraints);
                }
                let (sin_theta, cos_theta) = theta.sin_cos();
                let minus_lambda = dot_theta * (dot_y * sin_theta + dot_x * cos_theta)
                    / pivot;

                // v∓ = v ∓ h/2·B·lambda
                let half_h = T::from_f64(0.5) * h;
                let t0 = minus_lambda * half_h;
                let t1 = inv_m * t0;
                let t2 = sin_theta * t1;
                let t3 = cos_theta * t1;
                let t4 = a * inv_J * t0;
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta + t4, dot_x + t2, dot_y - t3],
                    v_post: [dot_theta - t4, dot_x - t2, dot_y + t3],
                    lambda: [-minus_lambda],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v), with the projected force.
            ///
            /// Operations: 0.
            pub fn start_projected<T: Scalar>(
                _parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1]>, Failure> {
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // v∓ = v ∓ h/2·B·lambda
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta, dot_x, dot_y],
                    v_post: [dot_theta, dot_x, dot_y],
                    lambda: [T::from_f64(0.0)],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v), without any reaction.
            ///
            /// Operations: 0.
            pub fn start_plain<T: Scalar>(
                _parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1]>, Failure> {
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // v∓ = v ∓ h/2·B·lambda
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta, dot_x, dot_y],
                    v_post: [dot_theta, dot_x, dot_y],
                    lambda: [T::from_f64(0.0)],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// The state at (q, v) from which the first step has the velocity v.
            ///
            /// Operations: 2 add, 6 mul, 2 div, 1 sin_cos.
            pub fn start_stepped<T: Scalar>(
                parameters: &[T; 3],
                _h: T,
                q: &[T; 3],
                v: &[T; 3],
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1]>, Failure> {
                let [J, m, a] = *parameters;
                let [theta, x, y] = *q;
                let [dot_theta, dot_x, dot_y] = *v;

                // v_pre = 2·v − v_post
                let pivot = (J + m * a * a) / (J * m);
                if !emitted::regular(pivot, pivot) {
                    return Err(Failure::SingularConstraints);
                }
                let (sin_theta, cos_theta) = theta.sin_cos();
                let minus_lambda = dot_theta * (dot_y * sin_theta + dot_x * cos_theta)
                    / pivot;
                let next = JumpState {
                    q: [theta, x, y],
                    v_pre: [dot_theta, dot_x, dot_y],
                    v_post: [dot_theta, dot_x, dot_y],
                    lambda: [-minus_lambda],
                    carried: (),
                };
                next.checked::<T>()
            }

            /// What the first step finds computed.
            ///
            /// Operations: 3 mul, 1 sin_cos.
            pub fn carry<T: Scalar>(
                _parameters: &[T; 3],
                h: T,
                state: &JumpState<[T; 3], [T; 3], [T; 1]>,
                _t: T,
            ) -> Result<[T; 5], Failure> {
                let [theta, _, _] = state.q;
                let [dot_theta_post, dot_x_post, dot_y_post] = state.v_post;
                let (sin_theta, cos_theta) = theta.sin_cos();
                let carried = [
                    h * dot_theta_post,
                    h * dot_x_post,
                    h * dot_y_post,
                    sin_theta,
                    cos_theta,
                ];
                if emitted::finite(&carried) {
                    Ok(carried)
                } else {
                    Err(Failure::NonFinite)
                }
            }

            /// One step of `rattle`: nonholonomic RATTLE: Kobilarov, Martín de Diego and Ferraro, (10).
            ///
            /// Operations: 8 add, 14 mul, 1 rotated_sin_cos.
            #[inline(always)]
            pub fn step<T: Scalar>(
                prepared: &Prepared<T>,
                state: &JumpState<[T; 3], [T; 3], [T; 1], [T; 5]>,
                _t: T,
                _inputs: &[T; 0],
            ) -> Result<JumpState<[T; 3], [T; 3], [T; 1], [T; 5]>, Failure> {
                let Prepared { a, k0, two_over_m_pivot, inv_h, two_over_h_sq_pivot } = *prepared;
                let [theta, x, y] = state.q;
                let [h_dot_theta_post, h_dot_x_post, h_dot_y_post, sin_theta, cos_theta,
                ] = state.carried;

                // q' = q + h·d
                let theta_1 = theta + h_dot_theta_post;
                let x_1 = x + h_dot_x_post;
                let y_1 = y + h_dot_y_post;

                // velocity M⁻¹(p⁺ − a) at q' and twice its normal part B·sigma, sigma = C⁻¹(mu·u + mu_t)
                let (sin_theta_1, cos_theta_1) = emitted::rotated_sin_cos(
                    theta_1,
                    theta,
                    (sin_theta, cos_theta),
                );
                let h_defect = a * h_dot_theta_post + h_dot_x_post * sin_theta_1
                    - h_dot_y_post * cos_theta_1;

                // (3) v_post' = v_pre' − 2·B·sigma
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
                    carried: [
                        h_dot_theta_post_1,
                        h_dot_x_post_1,
                        h_dot_y_post_1,
                        sin_theta_1,
                        cos_theta_1,
                    ],
                };
                next.checked::<T>()
            }
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
        const CONSTRAINTS: &'static [&'static ::core::primitive::str] = &[
            "a*dtheta + sin(theta)*dx - cos(theta)*dy",
        ];
        const SYMMETRIES: &'static [::nhi_runtime::Symmetry] = &[];
        type Configuration<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Velocity<__T: ::nhi_runtime::Scalar> = [__T; 3];
        type Multipliers<__T: ::nhi_runtime::Scalar> = [__T; 1];
        type Inputs<__T: ::nhi_runtime::Scalar> = [__T; 0];
        type Parameters<__T: ::nhi_runtime::Scalar> = [__T; 3];
        fn parameters(&self) -> [::core::primitive::f64; 3] {
            [self.J, self.m, self.a]
        }

        #[inline]
        fn energy<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
        ) -> __T {
            kernel::energy(__parameters, __q, __v)
        }

        #[inline]
        fn momentum<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
        ) -> [__T; 3] {
            kernel::momentum(__parameters, __q, __v)
        }

        #[inline]
        fn residual<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
        ) -> [__T; 1] {
            kernel::residual(__parameters, __q, __v)
        }

        #[inline]
        fn residual_scale<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
        ) -> [__T; 1] {
            kernel::residual_scale(__parameters, __q, __v)
        }

        #[inline]
        fn project<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
        ) -> ::core::result::Result<[__T; 3], ::nhi_runtime::Failure> {
            kernel::project(__parameters, __q, __v)
        }

        #[inline]
        fn acceleration_of<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<([__T; 3], [__T; 1]), ::nhi_runtime::Failure> {
            kernel::acceleration(__parameters, __q, __v, __t, __inputs)
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Emits<::nhi_runtime::Dla2> for Sleigh {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::dla2::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::NodeState<
            [__T; 3],
            [__T; 3],
            [__T; 1],
            [__T; 11],
        >;
        const UNREAD: &'static [::core::primitive::usize] = &[3, 4, 5, 6];
        const ITERATES: ::core::primitive::bool = true;
        const BENDS: ::core::primitive::bool = true;
        const TURNS: ::core::primitive::bool = true;
        fn prepare<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::prepare(__parameters, __h)
        }

        fn start<const __START: ::core::primitive::u8, __T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            {
                let __state = (kernel::dla2::start_consistent(
                    __parameters,
                    __h,
                    __q,
                    __v,
                    __t,
                    __inputs,
                ))?;
                ::core::result::Result::Ok(
                    __state
                        .carrying(kernel::dla2::carry(__parameters, __h, &__state, __t)?),
                )
            }
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
            __q: &[__T; 3],
            __jump: (&[__T; 3], &[__T; 3]),
            __lambda: &[__T; 1],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::NodeState::at(*__q, __jump, *__lambda);
            ::core::result::Result::Ok(
                __state.carrying(kernel::dla2::carry(__parameters, __h, &__state, __t)?),
            )
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::dla2::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn resized<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
            __state: &Self::State<__T>,
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let mut __state = *__state;
            let __resized = &__state.with_nothing_carried();
            [
                __state.carried[0],
                __state.carried[1],
                __state.carried[2],
                __state.carried[3],
                __state.carried[4],
                __state.carried[5],
                __state.carried[6],
            ] = kernel::dla2::resize(__parameters, __h, __resized, __t)?;
            ::core::result::Result::Ok(__state)
        }

        #[inline(always)]
        fn tracked<__T: ::nhi_runtime::Scalar>(
            __h: __T,
            __before: &Self::State<__T>,
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            let mut __state = *__state;
            let __inverse = <__T as ::nhi_runtime::Scalar>::from_f64(2.0) / __h;
            __state.v[0] = __before.v[0]
                + __inverse * (__state.carried[4] - __before.carried[4]);
            __state.v[1] = __before.v[1]
                + __inverse * (__state.carried[5] - __before.carried[5]);
            __state.v[2] = __before.v[2]
                + __inverse * (__state.carried[6] - __before.carried[6]);
            __state
        }

        #[inline(always)]
        fn renewed<__T: ::nhi_runtime::Scalar>(
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            let mut __state = *__state;
            __state.carried[7] = __state.carried[7] + __state.carried[8];
            __state.carried[8] = ::nhi_runtime::Scalar::from_f64(0.0);
            (__state.carried[9], __state.carried[10]) = ::nhi_runtime::Scalar::sin_cos(
                __state.carried[7],
            );
            __state
        }
    }

    #[automatically_derived]
    impl ::nhi_runtime::Emits<::nhi_runtime::Rattle> for Sleigh {
        type Prepared<__T: ::nhi_runtime::Scalar> = kernel::rattle::Prepared<__T>;
        type State<__T: ::nhi_runtime::Scalar> = ::nhi_runtime::JumpState<
            [__T; 3],
            [__T; 3],
            [__T; 1],
            [__T; 5],
        >;
        const UNREAD: &'static [::core::primitive::usize] = &[3, 4, 5, 6, 7, 8, 9];
        const TURNS: ::core::primitive::bool = true;
        fn prepare<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
        ) -> ::core::result::Result<Self::Prepared<__T>, ::nhi_runtime::Failure> {
            kernel::rattle::prepare(__parameters, __h)
        }

        fn start<const __START: ::core::primitive::u8, __T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
            __q: &[__T; 3],
            __v: &[__T; 3],
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            {
                let __state = (match __START {
                    ::nhi_runtime::Start::CONSISTENT => {
                        kernel::rattle::start_consistent(
                            __parameters,
                            __h,
                            __q,
                            __v,
                            __t,
                            __inputs,
                        )
                    }
                    ::nhi_runtime::Start::PROJECTED => {
                        kernel::rattle::start_projected(
                            __parameters,
                            __h,
                            __q,
                            __v,
                            __t,
                            __inputs,
                        )
                    }
                    ::nhi_runtime::Start::PLAIN => {
                        kernel::rattle::start_plain(
                            __parameters,
                            __h,
                            __q,
                            __v,
                            __t,
                            __inputs,
                        )
                    }
                    _ => {
                        kernel::rattle::start_stepped(
                            __parameters,
                            __h,
                            __q,
                            __v,
                            __t,
                            __inputs,
                        )
                    }
                })?;
                ::core::result::Result::Ok(
                    __state
                        .carrying(
                            kernel::rattle::carry(__parameters, __h, &__state, __t)?,
                        ),
                )
            }
        }

        #[inline]
        fn state<__T: ::nhi_runtime::Scalar>(
            __parameters: &[__T; 3],
            __h: __T,
            __q: &[__T; 3],
            __jump: (&[__T; 3], &[__T; 3]),
            __lambda: &[__T; 1],
            __t: __T,
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            let __state = ::nhi_runtime::JumpState::at(*__q, __jump, *__lambda);
            ::core::result::Result::Ok(
                __state
                    .carrying(kernel::rattle::carry(__parameters, __h, &__state, __t)?),
            )
        }

        #[inline(always)]
        fn step<__T: ::nhi_runtime::Scalar>(
            __prepared: &Self::Prepared<__T>,
            __state: &Self::State<__T>,
            __t: __T,
            __inputs: &[__T; 0],
        ) -> ::core::result::Result<Self::State<__T>, ::nhi_runtime::Failure> {
            kernel::rattle::step(__prepared, __state, __t, __inputs)
        }

        #[inline(always)]
        fn renewed<__T: ::nhi_runtime::Scalar>(
            __state: &Self::State<__T>,
        ) -> Self::State<__T> {
            let mut __state = *__state;
            (__state.carried[3], __state.carried[4]) = ::nhi_runtime::Scalar::sin_cos(
                __state.q[0],
            );
            __state
        }
    }
};

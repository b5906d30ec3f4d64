//! Steps of real methods, written as a scheme builder writes them.

/// `dla2` of the Chaplygin sleigh in the coordinates of its centre of mass: Newton in one unknown.
pub(crate) const SLEIGH_DLA2: &str = "
step(parameters: prepared [J, m, a], h: prepared, q: [theta, x, y], v: [dot(theta), dot(x), dot(y)], lambda: [lambda_0], t, inputs: [])
    # q_mid = q + h/2 v
    let q_mid_theta = theta + h/2*dot(theta)
    let q_mid_x = x + h/2*dot(x)
    let q_mid_y = y + h/2*dot(y)
    # b = M^-1 mu(q_mid)^T
    let b_theta = a/J
    let b_x = sin(q_mid_theta)/m
    let b_y = -cos(q_mid_theta)/m
    let c = a*b_theta + sin(q_mid_theta)*b_x - cos(q_mid_theta)*b_y
    pivot c > eps * c else constraints
    newton l from 0 weights c beside J*dot(theta)^2 + m*(dot(x)^2 + dot(y)^2)
        # v1 = v + b l, q1 = q_mid + h/2 v1
        let v_theta = dot(theta) + b_theta*l
        let v_x = dot(x) + b_x*l
        let v_y = dot(y) + b_y*l
        let q_theta = q_mid_theta + h/2*v_theta
        # g = mu(q1) v1
        let g = a*v_theta + sin(q_theta)*v_x - cos(q_theta)*v_y
        let dg = a*b_theta + sin(q_theta)*b_x - cos(q_theta)*b_y + h/2*(cos(q_theta)*v_x + sin(q_theta)*v_y)*b_theta
        l += -g/dg
    let v1_theta = dot(theta) + b_theta*l
    let v1_x = dot(x) + b_x*l
    let v1_y = dot(y) + b_y*l
    let q1_theta = q_mid_theta + h/2*v1_theta
    let q1_x = q_mid_x + h/2*v1_x
    let q1_y = q_mid_y + h/2*v1_y
    return q = [q1_theta, q1_x, q1_y], v = [v1_theta, v1_x, v1_y], lambda = [l/h]
";

/// `dla2` of the contact oscillator: the constraint is affine in the multiplier.
pub(crate) const CONTACT_DLA2: &str = "
step(parameters: prepared [], h: prepared, q: [x, y, z], v: [dot(x), dot(y), dot(z)], lambda: [lambda_0], t, inputs: [])
    # q_mid = q + h/2 v
    let q_mid_x = x + h/2*dot(x)
    let q_mid_y = y + h/2*dot(y)
    let q_mid_z = z + h/2*dot(z)
    # w = v + h M^-1 (f - dV/dq)(q_mid)
    let w_x = dot(x) + h*(-q_mid_x)
    let w_y = dot(y) + h*(-q_mid_y)
    let w_z = dot(z) + h*(-q_mid_z)
    let b_x = 1
    let b_z = q_mid_y
    # mu(q1) (w + b l) = 0 is affine in l
    let q1_y = q_mid_y + h/2*w_y
    let l = -(w_x + q1_y*w_z)/(b_x + q1_y*b_z)
    let v1_x = w_x + b_x*l
    let v1_z = w_z + b_z*l
    return q = [q_mid_x + h/2*v1_x, q1_y, q_mid_z + h/2*v1_z], v = [v1_x, w_y, v1_z], lambda = [l/h]
";

//! Numbers as text for people.

/// Six significant digits, without trailing zeros, with a power of ten where it is shorter: `9.81`, `−1.5·10⁻⁷`.
pub(crate) fn number(x: f64) -> String {
    if x.is_nan() {
        return "not a number".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    // Rust rounds to digits after the point of a mantissa: the exponent is that of the rounded number.
    let scientific = format!("{x:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = if x == 0.0 {
        "0".to_owned()
    } else if (-4..6).contains(&exponent) {
        trimmed(&format!("{x:.*}", (5 - exponent).max(0) as usize)).to_owned()
    } else {
        format!("{}·{}", trimmed(mantissa), power(exponent))
    };
    text.replace('-', "−")
}

/// 10 to `exponent`, with a raised exponent.
pub(crate) fn power(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

/// Without zeros at the end of a fraction.
fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

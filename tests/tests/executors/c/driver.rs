//! A C program that does what it is told on standard input, with the functions of one declaration.

use nhi_codegen::backend::c::File;
use nhi_codegen::pipeline::Derived;
use nhi_methods::Variant;
use std::fmt::Write as _;

/// The generated header and the lengths of what its functions take.
pub(crate) struct Header {
    /// Prefix of all names.
    pub(crate) name: String,
    /// Members of the parameters with the lengths of arrays, in order.
    members: Vec<(String, Option<usize>)>,
    /// Numbers of entries of q, velocities, constraints, inputs and auxiliary states.
    pub(crate) lengths: [usize; 5],
    /// What functions of the system take beside the parameters and the state, such as `, t, u`, by their names.
    outside: Vec<(&'static str, String)>,
    /// Ids of the methods.
    methods: Vec<String>,
    /// Ids of those that count safeguarded steps.
    counting: Vec<String>,
    /// The derivatives of steps.
    derivatives: Vec<Derivative>,
}

/// A function of derivatives.
struct Derivative {
    /// The id of the method, and what is computed.
    of: [String; 2],
    /// Names and lengths of the arrays that it takes after simulation and parameters.
    arrays: Vec<(String, usize)>,
}

impl Derivative {
    /// That of a method of `name`, if the header declares it.
    fn of(header: &str, name: &str, id: &str, function: &str) -> Option<Derivative> {
        let (_, list) = header.split_once(&format!("nhi_status {name}_{id}_{function}("))?;
        let (list, _) = list.split_once(')')?;
        let arrays = list.split(',').filter_map(|parameter| {
            let (array, length) = parameter.trim().strip_suffix(']')?.split_once('[')?;
            Some((array.split_whitespace().last()?.to_owned(), length.parse().expect("a length")))
        });
        Some(Derivative { of: [id.to_owned(), function.to_owned()], arrays: arrays.collect() })
    }

    /// How many numbers it computes.
    fn results(&self) -> usize {
        self.arrays
            .iter()
            .filter(|(array, _)| !["u", "w"].contains(&&**array))
            .map(|(_, length)| length)
            .sum()
    }
}

impl Header {
    /// That of `files`, which were printed for `derived`.
    pub(crate) fn of(derived: &Derived, files: &[File], variants: &[Variant]) -> Header {
        let header = &files[0];
        let name = header.name.strip_suffix(".h").expect("the header first").to_owned();
        let system = &derived.mechanics.system;
        let lengths = [
            system.coordinates.len(),
            system.velocities.len(),
            system.constraints.len(),
            system.inputs.len(),
            system.states.len(),
        ];
        let (before, _) = header.text.split_once(&format!("}} {name}_parameters;")).expect("parameters");
        let (_, body) = before.rsplit_once("typedef struct {").expect("a struct");
        let members = body.lines().filter_map(|line| {
            let (member, _) = line.trim().strip_prefix("double ")?.split_once(';')?;
            Some(match member.split_once('[') {
                None => (member.to_owned(), None),
                Some((member, length)) => {
                    let length = length.trim_end_matches(']').parse().expect("a length");
                    (member.to_owned(), Some(length))
                }
            })
        });
        let outside = |function: &'static str| {
            let list = header.text.split_once(&format!("{name}_{function}(")).map_or("", |(_, rest)| rest);
            let list = list.split(')').next().unwrap_or_default();
            let arguments = [("double t", ", t"), ("const double u[", ", u")];
            let taken = arguments.iter().filter(|(declared, _)| list.contains(declared));
            (function, taken.map(|(_, passed)| *passed).collect::<String>())
        };
        let outside =
            ["energy", "momentum", "residual", "project", "acceleration", "basis", "basis_derivative"]
                .map(outside)
                .to_vec();
        let methods: Vec<String> = variants.iter().map(Variant::to_string).collect();
        let functions = ["linearize", "linearize_parameters", "pull_back", "curvature"];
        let derivatives = methods.iter().flat_map(|id| {
            functions.iter().filter_map(|function| Derivative::of(&header.text, &name, id, function))
        });
        let derivatives = derivatives.collect();
        let counts = |id: &&String| header.text.contains(&format!("nhi_statistics {name}_{id}_statistics("));
        let counting = methods.iter().filter(counts).cloned().collect();
        Header { members: members.collect(), lengths, outside, methods, counting, derivatives, name }
    }

    /// The place of a method among those of the program.
    pub(crate) fn method(&self, id: &str) -> Option<usize> {
        self.methods.iter().position(|method| *method == id)
    }

    /// Whether a method counts safeguarded steps.
    pub(crate) fn counts(&self, id: &str) -> bool {
        self.counting.iter().any(|counting| counting == id)
    }

    /// The place of a function of derivatives among those of the program, if it has that.
    pub(crate) fn derivative(&self, id: &str, function: &str) -> Option<usize> {
        self.derivatives.iter().position(|derivative| derivative.of == [id, function])
    }

    /// The longest covector that these functions take.
    fn covector(&self) -> usize {
        let arrays = self.derivatives.iter().flat_map(|derivative| &derivative.arrays);
        arrays.filter(|(array, _)| array == "w").map(|(_, length)| *length).max().unwrap_or(0)
    }

    /// What answers to a request for derivatives.
    fn derivatives(&self) -> [String; 2] {
        let (name, w) = (&self.name, self.covector());
        if w == 0 {
            return [String::new(), String::new()];
        }
        let most = self.derivatives.iter().map(Derivative::results).max().unwrap_or(0);
        let [entries, n, _, _, s] = self.lengths;
        let d = w - n - s;
        let sizes = [2 * n * d + n, entries + d + s];
        let most = most.max(sizes[0]).max(sizes[1]).max(n * n);
        let mut cases = String::new();
        for (i, derivative) in self.derivatives.iter().enumerate() {
            let [id, function] = &derivative.of;
            let mut at = 0;
            let mut arguments = String::new();
            for (array, length) in &derivative.arrays {
                if ["u", "w"].contains(&&**array) {
                    arguments.push_str(&format!(", {array}"));
                } else {
                    arguments.push_str(&format!(", derivatives + {at}"));
                    at += length;
                }
            }
            let call = format!("{name}_{id}_{function}(&sim.of_{id}, &p{arguments})");
            cases.push_str(&format!("            case {i}: status = {call}; size = {at}; break;\n"));
        }
        let u = if self.lengths[3] > 0 { "take(u, K);" } else { "" };
        let [take_z, with_z, to_z, take_z1, with_z1] = match s {
            0 => [""; 5],
            _ => ["take(z, S);", ", z", ", derivatives + N + D", "take(z1, S);", ", z1"],
        };
        let outside = |function: &str| {
            let outside = self.outside.iter().find(|(name, _)| *name == function);
            outside.map_or("", |(_, passed)| passed)
        };
        let [of_basis, of_derivative] = ["basis", "basis_derivative"].map(outside);
        let take = format!(
            "        case 'D':
            derivative = (int)integer(); {u} take(w, {w});
            switch (derivative) {{
{cases}            default: return 3;
            }}
            break;
        case 'B':
            take(q, N); t = number(); {u}
            {name}_basis(&p, q{of_basis}, derivatives, derivatives + V * D, derivatives + V * D + V);
            size = {size_of_basis};
            break;
        case 'X':
            take(q, N); take(nu, D); t = number(); {u}
            status = {name}_basis_derivative(&p, q, nu{of_derivative}, derivatives);
            size = V * V;
            break;
        case '+':
            take(q, N); take(nu, D); {take_z} take(w, {w});
            {name}_retract(q, nu{with_z}, w, derivatives, derivatives + N{to_z});
            size = {of_state};
            break;
        case '-':
            take(q, N); take(nu, D); {take_z} take(q1, N); take(nu1, D); {take_z1}
            {name}_difference(q, nu{with_z}, q1, nu1{with_z1}, derivatives);
            size = {w};
            break;
",
            size_of_basis = sizes[0],
            of_state = sizes[1],
        );
        let z1 = if s > 0 { format!(", z1[{s}]") } else { String::new() };
        let declared = format!(
            " enum {{ D = {d} }}; double w[{w}], derivatives[{most}], nu[D], q1[{entries}], nu1[D]{z1}; \
             int derivative, size = 0;"
        );
        [declared, take]
    }

    /// The source text. Commands are a letter and numbers, which are the bits of doubles in hexadecimal digits:
    ///
    /// ```text
    /// P parameters             sets the parameters
    /// S method q v z u h       starts          → status q v lambda z time
    /// T u                      takes a step    → the same
    /// N count u                takes steps     → the same
    /// C                        counts          → 0 safeguarded evaluations
    /// E q v                    energy          → 0 energy, at the last time and with the last inputs, as the next ones
    /// M q v                    momentum        → 0 p
    /// R q v                    residual        → 0 residual
    /// A q v z t u              acceleration    → status dv lambda
    /// J q v                    projection      → status v
    /// D place u w              derivatives of the next step → status and all results
    /// B q t u                  basis           → 0 basis drift dual
    /// X q nu t u               its derivative  → status ∂(X ν + v₀)/∂q
    /// + q nu z delta           x ⊕ δ           → 0 q nu z
    /// - q nu z q nu z          the δ between   → 0 delta
    /// ```
    pub(crate) fn program(&self) -> String {
        let Header { name, members, lengths: [entries, n, m, k, s], outside, methods, .. } = self;
        let [of_derivatives, take_derivatives] = self.derivatives();
        let put_derivatives = match &*take_derivatives {
            "" => "",
            _ => {
                "case 'D': case 'B': case 'X': case '+': case '-': answer((int)status); if (status == NHI_OK) { put(derivatives, size); } break;"
            }
        };
        let mut text = format!("#include \"{name}.h\"\n{COMMON}");
        let members: String = members.iter().fold(String::new(), |mut text, (member, length)| {
            let _ = match length {
                None => writeln!(text, "            p.{member} = number();"),
                Some(length) => writeln!(text, "            take(p.{member}, {length});"),
            };
            text
        });
        let (u, with_u) = if *k > 0 { ("take(u, K);", ", u") } else { ("", "") };
        let (lambda, with_lambda) = if *m > 0 { ("put(lambda, M);", ", lambda") } else { ("", "") };
        let [take_z, put_z, with_z] = match *s {
            0 => [""; 3],
            _ => ["take(z, S);", "put(z, S);", ", z"],
        };
        let outside = |function: &str| -> &str {
            outside.iter().find(|(name, _)| *name == function).map_or("", |(_, passed)| passed)
        };
        let [of_energy, of_momentum, of_residual, of_project, of_acceleration] =
            ["energy", "momentum", "residual", "project", "acceleration"].map(outside);
        let cases = |call: &dyn Fn(&str) -> String| -> String {
            let case = |(i, id): (usize, &String)| format!("            case {i}: {}; break;\n", call(id));
            methods.iter().enumerate().map(case).collect()
        };
        let simulations: String =
            methods.iter().map(|id| format!("        {name}_{id} of_{id};\n")).collect();
        let [start, step, steps, state, statistics] = [
            cases(&|id| {
                format!("status = {name}_{id}_start(&sim.of_{id}, &p, q, v{with_z}{with_u}, number())")
            }),
            cases(&|id| format!("status = {name}_{id}_step(&sim.of_{id}{with_u})")),
            cases(&|id| format!("status = {name}_{id}_steps(&sim.of_{id}{with_u}, count)")),
            cases(&|id| {
                format!(
                    "{name}_{id}_state(&sim.of_{id}, q, v{with_lambda}{with_z}); t = {name}_{id}_time(&sim.of_{id})"
                )
            }),
            cases(&|id| match self.counts(id) {
                true => format!("counts = {name}_{id}_statistics(&sim.of_{id})"),
                false => "return 3".to_owned(),
            }),
        ];
        let residual = if *m > 0 {
            format!("case 'R': {name}_residual(&p, q, v{of_residual}, lambda); answer(0); {lambda} break;")
        } else {
            String::new()
        };
        let (arrays, more) = (
            format!("double q[{entries}], v[{n}], out[{n}], t = 0.0;"),
            [("lambda", *m), ("u", *k), ("z", *s)],
        );
        let more: String = more
            .iter()
            .filter(|(_, length)| *length > 0)
            .map(|(array, length)| format!(" double {array}[{length}] = {{ 0.0 }};"))
            .collect();
        let _ = write!(
            text,
            "
enum {{ N = {entries}, V = {n}, M = {m}, K = {k}, S = {s} }};

int main(void)
{{
    {name}_parameters p;
    union {{
{simulations}        char none;
    }} sim;
    int method = -1;
    {arrays}{more}{of_derivatives}
    char command[2];
    memset(&p, 0, sizeof p);
    memset(&sim, 0, sizeof sim);
    while (scanf(\"%1s\", command) == 1) {{
        nhi_status status = NHI_OK;
        nhi_statistics counts = {{ 0, 0 }};
        uint64_t count;
        switch (command[0]) {{
        case 'P':
{members}            break;
        case 'S':
            method = (int)integer();
            take(q, N); take(v, V); {take_z} {u}
            switch (method) {{
{start}            default: return 3;
            }}
            break;
        case 'T':
            {u}
            switch (method) {{
{step}            default: return 3;
            }}
            break;
        case 'N':
            count = integer(); {u}
            switch (method) {{
{steps}            default: return 3;
            }}
            break;
        case 'C':
            switch (method) {{
{statistics}            default: return 3;
            }}
            break;
{take_derivatives}        default:
            take(q, N); take(v, V);
            break;
        }}
        switch (command[0]) {{
        case 'P': break;
        case 'C':
            answer(0);
            out[0] = (double)counts.safeguarded;
            put(out, 1);
            out[0] = (double)counts.evaluations;
            put(out, 1);
            break;
        {put_derivatives}
        case 'E': answer(0); out[0] = {name}_energy(&p, q, v{of_energy}); put(out, 1); break;
        case 'M': {name}_momentum(&p, q, v{of_momentum}, out); answer(0); put(out, V); break;
        {residual}
        case 'A':
            {take_z} t = number(); {u}
            status = {name}_acceleration(&p, q, v{with_z}{of_acceleration}, out{with_lambda});
            answer((int)status);
            if (status == NHI_OK) {{ put(out, V); {lambda} }}
            break;
        case 'J':
            status = {name}_project(&p, q, v{of_project});
            answer((int)status);
            if (status == NHI_OK) {{ put(v, V); }}
            break;
        default:
            answer((int)status);
            if (command[0] == 'S' && status != NHI_OK) {{ break; }}
            switch (method) {{
{state}            default: return 3;
            }}
            put(q, N); put(v, V); {lambda} {put_z} put(&t, 1);
            break;
        }}
        if (command[0] != 'P') {{ printf(\"\\n\"); fflush(stdout); }}
    }}
    return 0;
}}
",
        );
        text
    }
}

/// Reading and writing of numbers.
const COMMON: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t integer(void)
{
    char text[32];
    if (scanf("%31s", text) != 1) {
        exit(3);
    }
    return (uint64_t)strtoull(text, NULL, 16);
}

static double number(void)
{
    const uint64_t bits = integer();
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void take(double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        x[i] = number();
    }
}

static void put(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        printf(" %08lx%08lx", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
}

static void answer(int status)
{
    printf("%d", status);
}
"#;

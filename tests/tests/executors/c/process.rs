//! A running C program.

use super::driver::Header;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

/// A compiled program and what it takes.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its path.
    pub(crate) path: PathBuf,
    /// The header that it was compiled with.
    pub(crate) header: Arc<Header>,
}

/// A program that waits for commands.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    header: Arc<Header>,
}

/// What a simulation is at.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct State {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) t: f64,
}

impl State {
    /// All numbers.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        [&self.q[..], &self.v, &self.lambda, &self.z, &[self.t]].concat()
    }
}

impl Program {
    /// Runs it with these parameters.
    pub(crate) fn run(&self, parameters: &[f64]) -> Process {
        Process::start(&self.path, self.header.clone(), parameters)
    }
}

impl Process {
    fn start(path: &Path, header: Arc<Header>, parameters: &[f64]) -> Process {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("a pipe"));
        let mut process = Process { child, input, output: BufReader::new(output), header };
        process.tell("P", &[parameters]);
        process
    }

    fn tell(&mut self, command: &str, numbers: &[&[f64]]) {
        let mut line = command.to_owned();
        for x in numbers.iter().copied().flatten() {
            let _ = write!(line, " {:016x}", x.to_bits());
        }
        line.push('\n');
        let input = self.input.as_mut().expect("it waits for commands");
        input.write_all(line.as_bytes()).expect("the program reads");
    }

    /// Status and numbers.
    pub(crate) fn ask(&mut self, command: &str, numbers: &[&[f64]]) -> (u32, Vec<f64>) {
        self.tell(command, numbers);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("text");
        let mut words = line.split_whitespace();
        let status = words.next().unwrap_or_else(|| panic!("no answer to {command}")).parse();
        let bits = words.map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("hexadecimal")));
        (status.expect("a status"), bits.collect())
    }

    fn state(&self, numbers: &[f64]) -> State {
        let [entries, n, m, _, s] = self.header.lengths;
        assert_eq!(numbers.len(), entries + n + m + s + 1);
        let (q, rest) = numbers.split_at(entries);
        let (v, rest) = rest.split_at(n);
        let (lambda, rest) = rest.split_at(m);
        let (z, t) = rest.split_at(s);
        State { q: q.to_vec(), v: v.to_vec(), lambda: lambda.to_vec(), z: z.to_vec(), t: t[0] }
    }

    /// Starts a simulation at (q, v, z) with inputs u; the status if that fails.
    pub(crate) fn begin(&mut self, method: &str, at: [&[f64]; 4], h: f64) -> Result<State, u32> {
        let [q, v, z, u] = at;
        let Some(place) = self.header.method(method) else { panic!("{} has no {method}", self.header.name) };
        match self.ask(&format!("S {place:x}"), &[q, v, z, u, &[h]]) {
            (0, numbers) => Ok(self.state(&numbers)),
            (status, _) => Err(status),
        }
    }

    /// Takes a step: the status, and the state before the step if that is a failure.
    pub(crate) fn step(&mut self, u: &[f64]) -> (u32, State) {
        let (status, numbers) = self.ask("T", &[u]);
        (status, self.state(&numbers))
    }

    /// How many steps were safeguarded, and how many evaluations these took.
    pub(crate) fn counts(&mut self) -> [u64; 2] {
        let (_, counts) = self.ask("C", &[]);
        [counts[0] as u64, counts[1] as u64]
    }

    /// The derivatives of the step with these inputs that would come next: the status and all numbers; none if the program
    /// has no such function.
    pub(crate) fn derivative(
        &mut self,
        (method, function): (&str, &str),
        u: &[f64],
        w: &[f64],
    ) -> Option<(u32, Vec<f64>)> {
        let place = self.header.derivative(method, function)?;
        Some(self.ask(&format!("D {place:x}"), &[u, w]))
    }

    /// Takes several.
    pub(crate) fn steps(&mut self, count: u64, u: &[f64]) -> (u32, State) {
        let (status, numbers) = self.ask(&format!("N {count:x}"), &[u]);
        (status, self.state(&numbers))
    }
}

/// A program that ends in another way than by the end of its input has found undefined behaviour.
impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success() || std::thread::panicking(), "{status}");
    }
}

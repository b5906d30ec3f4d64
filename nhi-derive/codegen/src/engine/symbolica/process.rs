//! Starting the engine: one at a time per machine, waiting for bounded times only.

use crate::engine::EngineError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The remedy suggested by every error.
const ADVICE: &str = "build with `default-features = false` to use the built-in engine instead";

/// Symbolica's message before it aborts because another instance is running.
const OTHER_INSTANCE: &str = "already another one running";

/// Where the engine is and how long to wait for it.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// The executable.
    pub(super) program: PathBuf,
    /// The environment variable that makes the program an engine.
    pub(super) arguments: Vec<String>,
    /// The file whose lock keeps engines apart.
    pub(super) lock: PathBuf,
    /// How long other builds may keep the lock.
    pub(super) lock_patience: Duration,
    /// How long another Symbolica program may run.
    pub(super) instance_patience: Duration,
    /// How long one batch may take.
    pub(super) limit: Duration,
}

impl Launch {
    /// The engine built with this library.
    pub(super) fn of(program: &Path) -> Self {
        Launch {
            program: program.to_owned(),
            arguments: vec!["engine".to_owned()],
            lock: std::env::temp_dir().join("nhi-symbolica.lock"),
            lock_patience: Duration::from_secs(600),
            instance_patience: Duration::from_secs(30),
            limit: Duration::from_secs(120),
        }
    }

    /// Sends `request` to an engine and returns its answer.
    pub(super) fn answer(&self, request: &str) -> Result<String, EngineError> {
        let _lock = self.acquire()?;
        let start = Instant::now();
        loop {
            let run = self.run(request)?;
            if run.status.success() {
                return Ok(run.output);
            }
            let said = format!("{}\n{}", run.output.trim(), run.errors.trim());
            if !said.contains(OTHER_INSTANCE) {
                return Err(error(format!("the Symbolica engine failed ({}): {}", run.status, said.trim())));
            }
            if start.elapsed() > self.instance_patience {
                return Err(error(format!(
                    "another program on this machine is using Symbolica, which without a licence key runs only \
                     once per machine (waited {} s); close it, or set a key in SYMBOLICA_LICENSE",
                    self.instance_patience.as_secs()
                )));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The lock, once no other engine has it; released when the file is closed. None where another
    /// user keeps the file to themselves: then Symbolica itself tells whether it is running.
    fn acquire(&self) -> Result<Option<File>, EngineError> {
        let file = match open(&self.lock) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(e) => return Err(error(format!("cannot open the lock file {}: {e}", self.lock.display()))),
        };
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if start.elapsed() < self.lock_patience => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(error(format!(
                        "another build has been using the Symbolica engine for {} s: it holds the lock on {}; \
                         wait for it or end it",
                        self.lock_patience.as_secs(),
                        self.lock.display()
                    )));
                }
                Err(TryLockError::Error(e)) => {
                    return Err(error(format!("cannot lock {}: {e}", self.lock.display())));
                }
            }
        }
    }

    fn run(&self, request: &str) -> Result<Run, EngineError> {
        let mut child = Running(self.command().spawn().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => error(format!(
                "the Symbolica engine {} is gone, because the build directory was moved or cleaned; \
                 `cargo clean -p nhi-codegen` makes the next build restore it",
                self.program.display()
            )),
            _ => error(format!("cannot start the Symbolica engine {}: {e}", self.program.display())),
        })?);
        // Pipes are served by threads, so that a hung engine cannot hang the macro.
        let output = read(child.0.stdout.take());
        let errors = read(child.0.stderr.take());
        if let Some(mut stdin) = child.0.stdin.take() {
            let request = request.to_owned();
            // An engine that dies early closes the pipe; its exit status shows this.
            thread::spawn(move || stdin.write_all(request.as_bytes()));
        }
        let deadline = Instant::now() + self.limit;
        let late = || {
            error(format!(
                "the Symbolica engine has not answered within {} s; simplify the declaration",
                self.limit.as_secs()
            ))
        };
        let output = wait(&output, deadline).ok_or_else(late)?;
        let errors = wait(&errors, deadline).ok_or_else(late)?;
        loop {
            match child.0.try_wait() {
                Ok(Some(status)) => return Ok(Run { status, output, errors }),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                Ok(None) => return Err(late()),
                Err(e) => return Err(error(format!("lost the Symbolica engine: {e}"))),
            }
        }
    }

    /// The engine without anything in its environment that could change an answer.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().env("SYMBOLICA_HIDE_BANNER", "1");
        for name in ["SYMBOLICA_LICENSE", "HOME", "USERPROFILE", "SystemRoot"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn error(message: String) -> EngineError {
    EngineError(format!("{message}; or {ADVICE}"))
}

/// Opens the lock file, which may belong to another user; made on first use, for everybody to read,
/// which is all that locking takes.
fn open(path: &Path) -> io::Result<File> {
    match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => {
            #[cfg(unix)]
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
            Ok(file)
        }
        // Somebody else made it just now.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => File::open(path),
        Err(e) => Err(e),
    }
}

/// The output and exit status of an engine.
struct Run {
    status: ExitStatus,
    output: String,
    errors: String,
}

/// A child that does not outlive its owner's interest in it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail where it has ended already, which is the usual case.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads a pipe to its end on a thread.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // After an error only the output before it is available.
            let _ = pipe.read_to_end(&mut bytes);
        }
        sender.send(String::from_utf8_lossy(&bytes).into_owned())
    });
    receiver
}

/// The output that was read, unless the deadline passes first.
fn wait(receiver: &Receiver<String>, deadline: Instant) -> Option<String> {
    match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(text) => Some(text),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(String::new()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A directory that goes away.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("nhi-engine-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a directory");
            Place(path)
        }

        /// A shell script for an engine.
        fn launch(&self, script: &str) -> Launch {
            Launch {
                program: PathBuf::from("/bin/sh"),
                arguments: ["-c", script].map(str::to_owned).to_vec(),
                lock: self.0.join("lock"),
                lock_patience: Duration::from_millis(200),
                instance_patience: Duration::from_millis(200),
                limit: Duration::from_secs(10),
            }
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn message(launch: &Launch) -> String {
        launch.answer("").expect_err("no answer").to_string()
    }

    #[test]
    fn an_answer_is_what_the_engine_prints() {
        let place = Place::new("answer");
        let launch = place.launch("read line; echo \"got $line $SYMBOLICA_HIDE_BANNER ${CARGO-clean}\"");
        assert_eq!(launch.answer("question\n"), Ok("got question 1 clean\n".to_owned()));
    }

    #[test]
    fn a_hung_engine_is_ended() {
        let place = Place::new("hung");
        let launch = Launch { limit: Duration::from_millis(300), ..place.launch("exec sleep 60") };
        let start = Instant::now();
        assert!(message(&launch).contains("has not answered within"));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_failure_is_reported_with_what_was_said() {
        let place = Place::new("failure");
        let said = message(&place.launch("echo some trouble; echo more trouble >&2; exit 3"));
        assert!(
            said.contains("some trouble") && said.contains("more trouble") && said.contains('3'),
            "{said}"
        );
    }

    #[test]
    fn another_instance_is_waited_for() {
        let place = Place::new("instance");
        let busy = format!("echo 'there is {OTHER_INSTANCE} on the machine'; exit 134");
        let said = message(&place.launch(&busy));
        assert!(said.contains("another program") && said.contains("SYMBOLICA_LICENSE"), "{said}");
        assert!(said.contains("default-features = false"), "{said}");

        let file = place.0.join("was-busy");
        let once = format!("[ -e {0} ] && echo done && exit; : > {0}; {busy}", file.display());
        let patient = Launch { instance_patience: Duration::from_secs(10), ..place.launch(&once) };
        assert_eq!(patient.answer(""), Ok("done\n".to_owned()));
    }

    #[test]
    fn the_lock_keeps_engines_apart() {
        let place = Place::new("lock");
        let launch = place.launch("echo done");
        let held = open(&launch.lock).expect("a lock file");
        held.lock().expect("the lock");
        let said = message(&launch);
        assert!(said.contains("another build") && said.contains("lock"), "{said}");
        drop(held);
        assert_eq!(launch.answer(""), Ok("done\n".to_owned()));
    }
}

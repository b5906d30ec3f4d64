//! Failures of commands.

use std::io;

/// The reason for the failure of a command.
pub(crate) enum Failed {
    /// The request is invalid; exit code 2.
    Wrong(String),
    /// The declaration has mistakes; exit code 2. The text is that of all of them.
    Rejected(String),
    /// The command failed, or the result is not as expected; exit code 1.
    Stopped(String),
    /// The reader of the output has closed it: no report.
    Unread,
}

impl Failed {
    /// Reports the failure on standard error and returns the exit code.
    pub(crate) fn report(&self) -> u8 {
        let (code, message) = match self {
            Failed::Wrong(message) => (2, message),
            Failed::Rejected(mistakes) => {
                eprintln!("{mistakes}");
                return 2;
            }
            Failed::Stopped(message) => (1, message),
            Failed::Unread => return 0,
        };
        eprintln!("error: {message}");
        code
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failed::Unread,
            _ => Failed::Stopped(error.to_string()),
        }
    }
}

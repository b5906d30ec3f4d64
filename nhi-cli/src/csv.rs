//! Tables of numbers in CSV files.

use crate::failed::Failed;
use crate::files::read;
use std::path::{Path, PathBuf};

/// A table with a header. Lines that begin with `#` are comments.
pub(crate) struct Csv {
    file: PathBuf,
    pub(crate) header: Vec<String>,
    /// The line of the header, from 1.
    pub(crate) first: usize,
    /// The cells of each row, with its line.
    rows: Vec<(usize, Vec<String>)>,
}

impl Csv {
    /// The table in a file; `kind` says what its columns are.
    pub(crate) fn read(file: &Path, kind: &str) -> Result<Csv, Failed> {
        let text = read(file)?;
        let lines = text.lines().enumerate();
        let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
        let mut csv = Csv { file: file.to_path_buf(), header: Vec::new(), first: 1, rows: Vec::new() };
        let (first, header) = lines
            .next()
            .ok_or_else(|| csv.wrong(1, format!("expected a header with the names of {kind}")))?;
        (csv.first, csv.header) = (first + 1, cells(header));
        csv.rows = lines.map(|(i, line)| (i + 1, cells(line))).collect();
        let width = csv.header.len();
        match csv.rows.iter().find(|(_, cells)| cells.len() != width) {
            Some((line, cells)) => {
                Err(csv.wrong(*line, format!("expected {width} numbers, found {}", cells.len())))
            }
            None => Ok(csv),
        }
    }

    /// A mistake in a line.
    pub(crate) fn wrong(&self, line: usize, problem: impl std::fmt::Display) -> Failed {
        Failed::Wrong(format!("{}:{line}: {problem}", self.file.display()))
    }

    /// The place of a column.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|known| known == name)
    }

    /// The place of a column that is needed.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failed> {
        self.find(name).ok_or_else(|| self.wrong(self.first, format!("no column `{name}`")))
    }

    /// The numbers of some columns, row by row.
    pub(crate) fn numbers(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>, Failed> {
        let number = |line: usize, text: &str| {
            let number = text.parse().ok().filter(|x: &f64| x.is_finite());
            number.ok_or_else(|| self.wrong(line, not_a_number(text)))
        };
        let row = |(line, cells): &(usize, Vec<String>)| {
            columns.iter().map(|&column| number(*line, &cells[column])).collect()
        };
        self.rows.iter().map(row).collect()
    }
}

pub(crate) fn not_a_number(text: &str) -> String {
    format!("expected a number, a fraction or a multiple of pi, found `{text}`")
}

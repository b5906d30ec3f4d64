//! The file from which an interrupted run goes on.
//!
//! It is a sequence of words of eight bytes, the lowest byte first: a mark, the numbers that say which run it
//! is, how many samples were taken, the numbers of the ensemble with their count, the samples with theirs,
//! and a checksum. It is replaced as a whole, so that whenever a run ends there is an old one or a new one.

use std::error::Error;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

const MARK: u64 = u64::from_le_bytes(*b"nhi fig6");

/// Where a run stands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Progress {
    /// Of how many steps, trajectories and so on the run is.
    pub(crate) run: [u64; 4],
    /// Samples taken.
    pub(crate) taken: u64,
    /// The numbers of the ensemble.
    pub(crate) numbers: Vec<f64>,
    /// Energy errors, those of all trajectories one sample after the other.
    pub(crate) errors: Vec<f64>,
}

impl Progress {
    fn words(&self) -> Vec<u64> {
        let mut words = vec![MARK];
        words.extend(self.run);
        words.push(self.taken);
        for numbers in [&self.numbers, &self.errors] {
            words.push(numbers.len() as u64);
            words.extend(numbers.iter().map(|x| x.to_bits()));
        }
        words.push(checksum(&words));
        words
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let (&sum, words) = words.split_last()?;
        let (&[mark, a, b, c, d, taken], rest) = words.split_first_chunk()?;
        let (numbers, rest) = list(rest)?;
        let (errors, rest) = list(rest)?;
        let whole = mark == MARK && rest.is_empty() && sum == checksum(words);
        whole.then_some(Progress { run: [a, b, c, d], taken, numbers, errors })
    }

    /// Replaces the file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let bytes: Vec<u8> = self.words().into_iter().flat_map(u64::to_le_bytes).collect();
        let unfinished = path.with_extension("unfinished");
        let mut file = File::create(&unfinished)?;
        file.write_all(&bytes)?;
        // Before the name is given, the contents are on the disk.
        file.sync_all()?;
        Ok(fs::rename(&unfinished, path)?)
    }

    /// What the file says; nothing if there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        let bytes = match fs::read(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let (words, rest) = bytes.as_chunks();
        let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
        match Self::from_words(&words) {
            Some(progress) if rest.is_empty() => Ok(Some(progress)),
            _ => Err(format!("{} is not a checkpoint of this example", path.display()).into()),
        }
    }
}

/// Numbers, preceded by how many they are.
fn list(words: &[u64]) -> Option<(Vec<f64>, &[u64])> {
    let (&length, rest) = words.split_first()?;
    let (numbers, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((numbers.iter().map(|&bits| f64::from_bits(bits)).collect(), rest))
}

/// Fowler, Noll and Vo's hash, word by word.
fn checksum(words: &[u64]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}

//! NPZ: a zip archive, without compression, of arrays in numpy's format NPY, version 1.0.

use super::facts;
use crate::recording::Recording;
use serde_json::Value;
use std::io::{self, Write};

/// One array of numbers for each column, and `about`, what was run, as a string of JSON. `numpy.load` reads them by name.
///
/// # Errors
/// Those of `out`.
pub fn npz(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    let mut archive = Archive { out, length: 0, directory: Vec::new(), files: 0 };
    for column in &recording.columns {
        let bytes: Vec<u8> = column.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let shape = format!("({},)", column.values.len());
        archive.file(&format!("{}.npy", column.name), &array("<f8", &shape, &bytes))?;
    }
    let about: Vec<u32> = Value::Object(facts(&recording.about)).to_string().chars().map(u32::from).collect();
    let bytes: Vec<u8> = about.iter().flat_map(|c| c.to_le_bytes()).collect();
    archive.file("about.npy", &array(&format!("<U{}", about.len()), "()", &bytes))?;
    archive.finish()
}

/// A zip archive as it is written: files one after the other, and a directory of them at the end (PKWARE, *.ZIP File
/// Format Specification*, version 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
struct Archive<'a> {
    out: &'a mut dyn Write,
    /// Bytes written.
    length: u64,
    directory: Vec<u8>,
    files: u16,
}

/// Version 2.0 of the format, which any reader knows.
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// 1 January 1980, which is none.
const DATE: u16 = 0x21;

impl Archive<'_> {
    fn file(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (crc, size): (u32, u32) = (crc32fast::hash(bytes), short(bytes.len())?);
        let offset: u32 = short(self.length)?;
        // Version, flags, no compression, time, date, checksum, both sizes, and lengths of the name and of nothing else.
        let mut facts = Vec::new();
        for number in [VERSION, FLAGS, 0, 0, DATE] {
            facts.extend(number.to_le_bytes());
        }
        for number in [crc, size, size] {
            facts.extend(number.to_le_bytes());
        }
        let length: u16 = short(name.len())?;
        facts.extend(length.to_le_bytes());
        facts.extend(0_u16.to_le_bytes());
        self.write(&[b"PK\x03\x04", &facts[..], name.as_bytes(), bytes])?;
        self.directory.extend([b"PK\x01\x02", &VERSION.to_le_bytes()[..], &facts].concat());
        // No comment, the first disk, and no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.files = self.files.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        let (offset, size): (u32, u32) = (short(self.length)?, short(self.directory.len())?);
        let [files, offset, size] =
            [&self.files.to_le_bytes()[..], &offset.to_le_bytes(), &size.to_le_bytes()].map(<[u8]>::to_vec);
        let directory = std::mem::take(&mut self.directory);
        self.write(&[&directory, b"PK\x05\x06\0\0\0\0", &files, &files, &size, &offset, b"\0\0"])
    }

    fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts {
            self.out.write_all(part)?;
            self.length += part.len() as u64;
        }
        Ok(())
    }
}

/// A number that fits in a field of the archive.
fn short<T: TryFrom<U>, U>(number: U) -> io::Result<T> {
    T::try_from(number).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the recording is too large for an NPZ file, which holds 4 GiB and 65 535 columns",
    )
}

/// An array with a header, which is padded such that the numbers begin at a multiple of 64 bytes.
fn array(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let start = MAGIC.len() + 2;
    let length = (start + header.len() + 1).next_multiple_of(64) - start;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    [MAGIC, &(length as u16).to_le_bytes(), header.as_bytes(), bytes].concat()
}

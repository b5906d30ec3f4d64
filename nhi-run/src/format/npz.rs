//! NPZ: a zip archive of arrays in numpy's format NPY, version 1.0.

use super::facts;
use crate::recording::Recording;
use serde_json::Value;
use std::io::{self, Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// One array of numbers for each column, and `about`, what was run, as a string of JSON. `numpy.load` reads them by name.
///
/// # Errors
/// Those of `out`.
pub fn npz(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    for column in &recording.columns {
        archive.start_file(format!("{}.npy", column.name), stored)?;
        let bytes: Vec<u8> = column.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        archive.write_all(&array("<f8", &format!("({},)", column.values.len()), &bytes))?;
    }
    let about: Vec<u32> = Value::Object(facts(&recording.about)).to_string().chars().map(u32::from).collect();
    archive.start_file("about.npy", stored)?;
    let bytes: Vec<u8> = about.iter().flat_map(|c| c.to_le_bytes()).collect();
    archive.write_all(&array(&format!("<U{}", about.len()), "()", &bytes))?;
    out.write_all(archive.finish()?.get_ref())
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

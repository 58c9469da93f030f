//! Lines of a client, bounded: a line that is too long is read to its end and never held.

use std::io::{self, BufRead};

/// Most bytes of a line, its end left out: 1 MiB (`robustness.md` S17).
pub(crate) const LONGEST: usize = 1 << 20;

/// What of a line that is too long is looked at, piece by piece, while it goes by.
pub(crate) trait Passing: Default {
    /// Looks at the next piece.
    fn pass(&mut self, piece: &[u8]);
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<P> {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long: how many bytes it had, and what was seen of it.
    Long(u64, P),
    /// Nothing comes any more. What stood behind the last line end is no message: this many bytes.
    End(u64),
}

/// Reads the next line.
///
/// # Errors
/// The stream cannot be read.
pub(crate) fn next<P: Passing>(input: &mut impl BufRead, longest: usize) -> io::Result<Line<P>> {
    let mut held = Vec::new();
    let mut long: Option<(u64, P)> = None;
    loop {
        let piece = input.fill_buf()?;
        if piece.is_empty() {
            let cut = long.map_or(held.len() as u64, |(bytes, _)| bytes);
            return Ok(Line::End(cut));
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = &piece[..end.unwrap_or(piece.len())];
        match &mut long {
            Some((bytes, passing)) => {
                *bytes += taken.len() as u64;
                passing.pass(taken);
            }
            // One byte more than may be: a carriage return at the end is none of the line.
            None if held.len() + taken.len() > longest + 1 => {
                let mut passing = P::default();
                passing.pass(&held);
                passing.pass(taken);
                long = Some(((held.len() + taken.len()) as u64, passing));
                held = Vec::new();
            }
            None => held.extend_from_slice(taken),
        }
        let consumed = end.map_or(piece.len(), |end| end + 1);
        input.consume(consumed);
        if end.is_some() {
            return Ok(whole(held, long, longest));
        }
    }
}

fn whole<P: Passing>(mut held: Vec<u8>, long: Option<(u64, P)>, longest: usize) -> Line<P> {
    if let Some((bytes, passing)) = long {
        return Line::Long(bytes, passing);
    }
    if held.last() == Some(&b'\r') {
        held.pop();
    }
    if held.len() > longest {
        let mut passing = P::default();
        passing.pass(&held);
        return Line::Long(held.len() as u64, passing);
    }
    Line::Whole(held)
}

#[cfg(test)]
mod tests;

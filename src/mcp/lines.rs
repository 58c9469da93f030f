//! Bounded lines of a client: a line that is too long is read to its end but never buffered.

use std::io::{self, BufRead};

/// Maximum number of bytes of a line without its end: 1 MiB (`docs/promises.md`, S17).
pub(crate) const LONGEST: usize = 1 << 20;

/// An observer of a line that is too long, fed piece by piece as it goes by.
pub(crate) trait LongLine: Default {
    fn pass(&mut self, piece: &[u8]);
}

/// The next item of a client's stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<P> {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long: its length in bytes, and its observer.
    Long(u64, P),
    /// The end of the stream. The bytes after the last line end, counted here, are not a message.
    End(u64),
}

/// Reads the next line.
///
/// # Errors
/// The stream cannot be read.
pub(crate) fn next<P: LongLine>(input: &mut impl BufRead, longest: usize) -> io::Result<Line<P>> {
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
            // One byte above the limit is allowed: a carriage return at the end does not count.
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

fn whole<P: LongLine>(mut held: Vec<u8>, long: Option<(u64, P)>, longest: usize) -> Line<P> {
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
mod tests {
    //! Tests of lines against a plain splitter, at every size of pieces.

    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    /// An observer that keeps everything.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct All(Vec<u8>);

    impl LongLine for All {
        fn pass(&mut self, piece: &[u8]) {
            self.0.extend_from_slice(piece);
        }
    }

    fn all(input: impl Read, piece: usize, longest: usize) -> Vec<Line<All>> {
        let mut input = BufReader::with_capacity(piece, input);
        let mut lines = Vec::new();
        loop {
            let line = next::<All>(&mut input, longest).unwrap();
            let end = matches!(line, Line::End(_));
            lines.push(line);
            if end {
                return lines;
            }
        }
    }

    fn whole(text: &str) -> Line<All> {
        Line::Whole(text.into())
    }

    fn long(text: &str) -> Line<All> {
        Line::Long(text.len() as u64, All(text.into()))
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_not_a_byte_longer() {
        for piece in 1..9 {
            assert_eq!(
                all(&b"abcd\nabcde\n\nabcd\r\nabcde\r\nab\r\n\rc\nx"[..], piece, 4),
                [
                    whole("abcd"),
                    long("abcde"),
                    whole(""),
                    whole("abcd"),
                    // A line that is too long in any case is counted with its carriage return.
                    long("abcde\r"),
                    whole("ab"),
                    whole("\rc"),
                    Line::End(1),
                ],
                "{piece}"
            );
        }
    }

    #[test]
    fn what_stands_behind_the_last_line_end_is_no_line() {
        assert_eq!(all(&b""[..], 8, 4), [Line::End(0)]);
        assert_eq!(all(&b"ab\n"[..], 8, 4), [whole("ab"), Line::End(0)]);
        assert_eq!(all(&b"ab\ncd"[..], 8, 4), [whole("ab"), Line::End(2)]);
        assert_eq!(all(&b"abcdefgh"[..], 3, 4), [Line::End(8)]);
    }

    #[test]
    fn a_stream_that_breaks_is_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let error = next::<All>(&mut BufReader::new(Broken), 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    proptest! {
        #[test]
        fn lines_are_what_a_splitter_finds(
            input in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            piece in 1_usize..40,
            longest in 0_usize..20,
        ) {
            let mut expected: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
            let rest = expected.pop().unwrap_or_default();
            let found = all(input.as_slice(), piece, longest);
            prop_assert_eq!(found.len(), expected.len() + 1);
            prop_assert_eq!(found.last(), Some(&Line::End(rest.len() as u64)));
            for (found, expected) in found.iter().zip(&expected) {
                let trimmed = expected.strip_suffix(b"\r").unwrap_or(expected);
                match found {
                    Line::Whole(line) => {
                        prop_assert!(trimmed.len() <= longest);
                        prop_assert_eq!(line.as_slice(), trimmed);
                    }
                    Line::Long(bytes, seen) => {
                        prop_assert!(trimmed.len() > longest);
                        prop_assert_eq!(*bytes, seen.0.len() as u64);
                        let seen = seen.0.strip_suffix(b"\r").unwrap_or(&seen.0);
                        prop_assert_eq!(seen, trimmed);
                    }
                    Line::End(_) => prop_assert!(false, "an end in the middle"),
                }
            }
        }
    }
}

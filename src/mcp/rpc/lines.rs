//! Bounded lines of a client: a line that is too long is read to its end but never buffered.

use std::io::{self, BufRead, BufReader, Read};

use super::head::Head;

/// Maximum number of bytes of a line without its end: 1 MiB (`docs/promises.md`, S17).
pub(super) const LONGEST: usize = 1 << 20;

/// Maximum number of bytes of a line that is too long in which its id is looked for: keys and nesting are held meanwhile.
const HEAD: u64 = 64 << 20;

/// The next item of a client's stream.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long: its length in bytes, and what was found in it.
    Long(u64, Head),
    /// The end of the stream. The bytes after the last line end, counted here, are not a message.
    End(u64),
}

/// Reads the next line.
///
/// # Errors
/// The stream cannot be read.
pub(super) fn next(input: &mut impl BufRead, longest: usize) -> io::Result<Line> {
    let mut held = Vec::new();
    // A line's end, two bytes at most, does not count.
    input.by_ref().take(longest as u64 + 2).read_until(b'\n', &mut held)?;
    let over = held.pop_if(|last| *last == b'\n').is_some();
    if over {
        held.pop_if(|last| *last == b'\r');
        if held.len() <= longest {
            return Ok(Line::Whole(held));
        }
    }
    // A terminal's end is read once: another read would wait for another one.
    let ended = !over && held.len() < longest + 2;
    let mut rest = Rest { input, bytes: held.len() as u64, over, ended };
    let mut found = Head::default();
    // What cannot be read further is too long all the same.
    found.read(BufReader::new(held.as_slice().chain(&mut rest)).take(HEAD)).ok();
    io::copy(&mut rest, &mut io::sink())?;
    Ok(if rest.over { Line::Long(rest.bytes, found) } else { Line::End(rest.bytes) })
}

/// The rest of a line.
struct Rest<'i, I> {
    input: &'i mut I,
    /// The number of the line's bytes so far.
    bytes: u64,
    over: bool,
    ended: bool,
}

impl<I: BufRead> Read for Rest<'_, I> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.over || self.ended {
            return Ok(0);
        }
        let piece = self.input.fill_buf()?;
        self.ended = piece.is_empty();
        let most = piece.len().min(into.len());
        let end = piece[..most].iter().position(|byte| *byte == b'\n');
        let count = end.unwrap_or(most);
        into[..count].copy_from_slice(&piece[..count]);
        self.over = end.is_some();
        self.input.consume(count + usize::from(self.over));
        self.bytes += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    //! Tests of lines against a plain splitter, at every size of pieces.

    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    fn all(input: impl Read, piece: usize, longest: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(piece, input);
        let mut lines = Vec::new();
        loop {
            let line = next(&mut input, longest).unwrap();
            let end = matches!(line, Line::End(_));
            lines.push(line);
            if end {
                return lines;
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    fn long(text: &str) -> Line {
        Line::Long(text.len() as u64, Head::default())
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
    fn an_id_behind_too_much_is_not_looked_for() {
        let line =
            [br#"{"x":""#, &vec![b'x'; usize::try_from(HEAD).unwrap()][..], b"\",\"id\":7}\n"];
        let lines = all(line.concat().as_slice(), 1 << 16, 4);
        assert!(matches!(&lines[0], Line::Long(_, found) if found.id.is_none()), "{lines:?}");
    }

    #[test]
    fn the_end_of_a_terminal_is_read_once() {
        struct Once<'a>(&'a [u8], bool);
        impl Read for Once<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let count = self.0.read(into)?;
                assert!(count > 0 || !std::mem::replace(&mut self.1, true), "read again");
                Ok(count)
            }
        }
        for (text, bytes) in [("", 0), ("ab", 2), ("abcdefghij", 10)] {
            let mut input = BufReader::with_capacity(3, Once(text.as_bytes(), false));
            assert_eq!(next(&mut input, 4).unwrap(), Line::End(bytes), "{text}");
        }
    }

    #[test]
    fn a_stream_that_breaks_is_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let error = next(&mut BufReader::new(Broken), 4).unwrap_err();
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
                    Line::Long(bytes, _) => {
                        prop_assert!(trimmed.len() > longest);
                        let lengths = trimmed.len() as u64..=expected.len() as u64;
                        prop_assert!(lengths.contains(bytes));
                    }
                    Line::End(_) => prop_assert!(false, "an end in the middle"),
                }
            }
        }
    }
}

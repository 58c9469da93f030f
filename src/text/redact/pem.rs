//! Private keys in PEM: the one kind of secret that goes over lines, of any number, so no rule of a window holds it.

/// What a private key begins with; its name follows.
pub(super) const BEGIN: &[u8] = b"-----BEGIN ";

/// Bytes of a private key that are left out if its END never comes.
const LONGEST: usize = 64 << 10;

/// Bytes of the key's name and of the line breaks behind it that are looked at.
const NAME: usize = 64;

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What stands at a place that begins like a PEM.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The bytes at hand do not decide it.
    More,
    /// No private key.
    Harmless,
    /// A private key: what of it was looked at, and what takes the rest.
    Key(usize, Rest),
}

/// `[A-Z0-9 ]… PRIVATE KEY-----`, a line break, and the start of a key or of its headers.
pub(super) fn judge(rest: &[u8], ended: bool) -> Verdict {
    let Some(rest) = rest.strip_prefix(BEGIN) else {
        return Verdict::Harmless;
    };
    let more = if ended {
        Verdict::Harmless
    } else {
        Verdict::More
    };
    let other = |byte: &u8| !(upper(*byte) || *byte == b' ');
    let Some(dash) = rest.iter().take(NAME).position(other) else {
        return if rest.len() >= NAME {
            Verdict::Harmless
        } else {
            more
        };
    };
    let private =
        rest[..dash].ends_with(b"PRIVATE KEY") || rest[..dash].ends_with(b"PRIVATE KEY BLOCK");
    let tail = &rest[dash..rest.len().min(dash + 5)];
    if !private || !b"-----".starts_with(tail) {
        return Verdict::Harmless;
    }
    let mut at = dash + 5;
    if rest.len() < at {
        return more;
    }
    let body = at;
    loop {
        match line_break(&rest[at..], ended) {
            Break::Of(len) => at += len,
            Break::None => break,
            Break::Open => return more,
        }
        if at > body + NAME {
            return Verdict::Harmless;
        }
    }
    if at == body {
        return Verdict::Harmless;
    }
    let headers: [&[u8]; 4] = [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:"];
    let start = &rest[at..];
    let key = |headers| {
        let left = LONGEST;
        Verdict::Key(BEGIN.len() + at, Rest { headers, left })
    };
    if headers.iter().any(|header| start.starts_with(header)) {
        return key(true);
    }
    if !ended && headers.iter().any(|header| header.starts_with(start)) {
        return Verdict::More;
    }
    let run = start.iter().take(16).position(|byte| !base64(*byte));
    match run {
        // A short last line, or a key that was shortened by hand.
        Some(run) if run >= 4 => match line_break(&start[run..], ended) {
            Break::Of(_) => key(false),
            Break::None => Verdict::Harmless,
            Break::Open => more,
        },
        Some(_) => Verdict::Harmless,
        None if start.len() >= 16 => key(false),
        None => more,
    }
}

enum Break {
    Of(usize),
    None,
    Open,
}

/// A line break at the start, raw or as written in (possibly nested) JSON: `\n`, `\\n`.
fn line_break(rest: &[u8], ended: bool) -> Break {
    let slashes = rest
        .iter()
        .take(8)
        .take_while(|byte| **byte == b'\\')
        .count();
    match rest.get(slashes) {
        Some(b'\n' | b'\r') if slashes == 0 => Break::Of(1),
        Some(b'n' | b'r') if slashes > 0 => Break::Of(slashes + 1),
        Some(_) => Break::None,
        None if ended => Break::None,
        None => Break::Open,
    }
}

/// The rest of a private key, which is left out up to its END line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// It has header lines, whose characters belong to it too.
    headers: bool,
    /// Bytes that may still be left out.
    left: usize,
}

impl Rest {
    /// Returns how many bytes belong to the key, and whether it ends there.
    pub(super) fn run(&mut self, buffer: &[u8], last: bool) -> (usize, bool) {
        let mut at = 0;
        while at < buffer.len() {
            let step = match step(&buffer[at..], self.headers, last) {
                Step::Over(len) => len,
                Step::Wait => return (at, false),
                Step::Last(len) => return (at + len, true),
            };
            at += step;
            self.left = self.left.saturating_sub(step);
            if self.left == 0 {
                return (at, true);
            }
        }
        (at, last)
    }
}

enum Step {
    /// So many bytes belong to the key, and it goes on.
    Over(usize),
    /// The bytes at hand do not decide it.
    Wait,
    /// So many bytes belong to the key, and it is over.
    Last(usize),
}

fn step(rest: &[u8], headers: bool, last: bool) -> Step {
    const END: &[u8] = b"-----END ";
    let byte = rest[0];
    if base64(byte) {
        return Step::Over(1);
    }
    match line_break(rest, last) {
        Break::Of(len) => return Step::Over(len),
        Break::Open => return Step::Wait,
        Break::None => {}
    }
    if rest.starts_with(END) {
        let name = rest
            .iter()
            .take(NAME)
            .skip(END.len())
            .take_while(|b| upper(**b) || **b == b' ')
            .count();
        let dashes = &rest[END.len() + name..];
        return match dashes.iter().take(5).position(|b| *b != b'-') {
            Some(_) => Step::Last(END.len() + name),
            None if dashes.len() >= 5 => Step::Last(END.len() + name + 5),
            None if last => Step::Last(rest.len()),
            None => Step::Wait,
        };
    }
    if !last && END.starts_with(rest) {
        return Step::Wait;
    }
    if headers && matches!(byte, b'-' | b':' | b',' | b' ' | b'.' | b'(' | b')') {
        return Step::Over(1);
    }
    Step::Last(0)
}

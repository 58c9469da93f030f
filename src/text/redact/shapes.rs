//! The shapes of well-known keys and tokens, and the closer look at a place where one may start.
//!
//! The prefixes and lengths are those that the vendors publish or that their keys have; where a prefix
//! is also part of ordinary words (`task-…`), more is asked for.

/// The most bytes that a verdict looks at: a JWT's header, with what must stand around it.
const LOOK: usize = 1100;

/// The longest user and password in a URL that are looked for, in bytes.
const USERINFO: usize = 512;

/// Bytes of a private key that are left out if its END never comes.
const PEM: usize = 64 << 10;

/// Which bytes belong to a token.
type Class = fn(u8) -> bool;

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    word(byte) || byte == b'.'
}

fn credential(byte: u8) -> bool {
    dotted(byte) || matches!(byte, b'~' | b'+' | b'/' | b'=')
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// How the bytes after a prefix are judged.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// At least so many bytes of the class; `mixed`: with a digit or a capital among them.
    Token {
        class: Class,
        least: usize,
        mixed: bool,
    },
    /// As a token of 20 mixed bytes at the start of a word; elsewhere with a run of 16 letters and digits.
    Dashed,
    /// As a token, but the prefix stays.
    Bearer,
    /// Three parts with dots.
    Jwt,
    /// A private key in lines.
    Pem,
    /// `user:password@` after `://`.
    Userinfo,
}

/// One kind of secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// What it starts with.
    pub(super) prefixes: &'static [&'static str],
    rule: Rule,
}

const fn token(prefixes: &'static [&'static str], class: Class, least: usize) -> Shape {
    let mixed = false;
    Shape {
        prefixes,
        rule: Rule::Token {
            class,
            least,
            mixed,
        },
    }
}

const fn mixed(prefixes: &'static [&'static str], class: Class, least: usize) -> Shape {
    let mixed = true;
    Shape {
        prefixes,
        rule: Rule::Token {
            class,
            least,
            mixed,
        },
    }
}

const fn special(prefixes: &'static [&'static str], rule: Rule) -> Shape {
    Shape { prefixes, rule }
}

/// Every known kind.
pub(super) const SHAPES: &[Shape] = &[
    special(&["sk-"], Rule::Dashed), // OpenAI, Anthropic, OpenRouter
    token(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alphanumeric, 20), // GitHub
    mixed(&["github_pat_"], word, 20),
    token(&["AKIA", "ASIA"], upper, 16), // AWS key ids
    mixed(&["AIza"], word, 30),          // Google API keys
    mixed(&["ya29."], word, 20),         // Google OAuth
    mixed(
        &[
            "xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xapp-",
        ],
        word,
        10,
    ), // Slack
    mixed(&["glpat-"], dotted, 20),      // GitLab
    token(&["npm_"], alphanumeric, 30),
    mixed(&["hf_"], alphanumeric, 30),  // Hugging Face
    mixed(&["gsk_"], alphanumeric, 30), // Groq
    mixed(&["xai-"], alphanumeric, 30),
    mixed(&["sk_live_", "rk_live_", "sk_test_"], alphanumeric, 16), // Stripe
    mixed(&["pypi-AgE"], word, 20),
    special(&["Bearer ", "bearer ", "BEARER "], Rule::Bearer),
    special(&["eyJ"], Rule::Jwt),
    special(&["-----BEGIN "], Rule::Pem),
    special(&["://"], Rule::Userinfo),
];

/// What the closer look says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    /// The bytes at hand do not decide it.
    More,
    /// No secret of a known shape starts here.
    Harmless,
    /// A secret: `keep` bytes stay, up to `taken` it is decided, `skip` leaves out the rest.
    Secret {
        keep: usize,
        taken: usize,
        skip: Option<Skip>,
    },
}

impl Shape {
    /// Judges the place where `rest` starts. `last`: nothing follows `rest`.
    pub(super) fn judge(previous: Option<u8>, rest: &[u8], last: bool) -> Verdict {
        for shape in SHAPES {
            for prefix in shape.prefixes {
                // The first byte alone settles most of them.
                if rest.first() != prefix.as_bytes().first() || !rest.starts_with(prefix.as_bytes())
                {
                    continue;
                }
                // No two kinds share a prefix, so the first verdict is the only one.
                let window = &rest[prefix.len()..rest.len().min(prefix.len() + LOOK)];
                let ended = last || window.len() == LOOK;
                return shape.rule.judge(previous, prefix.len(), window, ended);
            }
        }
        Verdict::Harmless
    }
}

impl Rule {
    fn judge(self, previous: Option<u8>, prefix: usize, rest: &[u8], ended: bool) -> Verdict {
        let secret = |taken: usize, class: Class| Verdict::Secret {
            keep: 0,
            taken: prefix + taken,
            skip: Some(Skip::Class(class)),
        };
        match self {
            Self::Token {
                class,
                least,
                mixed,
            } => match length(rest, ended, class, least, mixed) {
                Length::Enough(taken) => secret(taken, class),
                Length::Short => Verdict::Harmless,
                Length::Open => Verdict::More,
            },
            Self::Dashed => {
                let begins =
                    previous.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
                if begins {
                    return match length(rest, ended, word, 20, true) {
                        Length::Enough(taken) => secret(taken, word),
                        Length::Short => Verdict::Harmless,
                        Length::Open => Verdict::More,
                    };
                }
                match solid_run(rest, ended) {
                    Length::Enough(taken) => secret(taken, word),
                    Length::Short => Verdict::Harmless,
                    Length::Open => Verdict::More,
                }
            }
            Self::Bearer => match length(rest, ended, credential, 16, true) {
                Length::Enough(taken) => Verdict::Secret {
                    keep: prefix,
                    taken: prefix + taken,
                    skip: Some(Skip::Class(credential)),
                },
                Length::Short => Verdict::Harmless,
                Length::Open => Verdict::More,
            },
            Self::Jwt => jwt(prefix, rest, ended),
            Self::Pem => pem(prefix, rest, ended),
            Self::Userinfo => userinfo(prefix, rest, ended),
        }
    }
}

enum Length {
    Enough(usize),
    Short,
    Open,
}

/// How far a judgement of mixed bytes looks.
const MIXED: usize = 64;

fn length(rest: &[u8], ended: bool, class: Class, least: usize, mixed: bool) -> Length {
    let mut seen = !mixed;
    for (at, byte) in rest.iter().take(MIXED).enumerate() {
        if !class(*byte) {
            return Length::Short;
        }
        seen |= byte.is_ascii_digit() || byte.is_ascii_uppercase();
        if seen && at + 1 >= least {
            return Length::Enough(at + 1);
        }
    }
    if ended || rest.len() >= MIXED {
        Length::Short
    } else {
        Length::Open
    }
}

/// A run of 16 letters and digits, not only small letters, within the first bytes of the token.
fn solid_run(rest: &[u8], ended: bool) -> Length {
    let (mut run, mut seen) = (0, false);
    for (at, byte) in rest.iter().take(MIXED).enumerate() {
        if !word(*byte) {
            return Length::Short;
        }
        if byte.is_ascii_alphanumeric() {
            run += 1;
            seen |= byte.is_ascii_digit() || byte.is_ascii_uppercase();
        } else {
            (run, seen) = (0, false);
        }
        if run >= 16 && seen {
            return Length::Enough(at + 1);
        }
    }
    if ended || rest.len() >= MIXED {
        Length::Short
    } else {
        Length::Open
    }
}

fn jwt(prefix: usize, rest: &[u8], ended: bool) -> Verdict {
    let more = if ended {
        Verdict::Harmless
    } else {
        Verdict::More
    };
    let Some(dot) = rest.iter().position(|byte| !word(*byte)) else {
        return more;
    };
    if rest[dot] != b'.' || dot < 10 {
        return Verdict::Harmless;
    }
    match length(&rest[dot + 1..], ended, word, 8, false) {
        Length::Enough(taken) => Verdict::Secret {
            keep: 0,
            taken: prefix + dot + 1 + taken,
            skip: Some(Skip::Class(dotted)),
        },
        Length::Short => Verdict::Harmless,
        Length::Open => more,
    }
}

/// `[A-Z0-9 ]… PRIVATE KEY-----`, a line break, and the start of a key or of its headers.
fn pem(prefix: usize, rest: &[u8], ended: bool) -> Verdict {
    let more = if ended {
        Verdict::Harmless
    } else {
        Verdict::More
    };
    let other = |byte: &u8| !(upper(*byte) || *byte == b' ');
    let Some(dash) = rest.iter().take(MIXED).position(other) else {
        return if rest.len() >= MIXED {
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
        if at > body + MIXED {
            return Verdict::Harmless;
        }
    }
    if at == body {
        return Verdict::Harmless;
    }
    let headers: [&[u8]; 4] = [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:"];
    let start = &rest[at..];
    let secret = |headers| Verdict::Secret {
        keep: 0,
        taken: prefix + at,
        skip: Some(Skip::Pem { headers, left: PEM }),
    };
    if headers.iter().any(|header| start.starts_with(header)) {
        return secret(true);
    }
    if !ended && headers.iter().any(|header| header.starts_with(start)) {
        return Verdict::More;
    }
    let run = start.iter().take(16).position(|byte| !base64(*byte));
    match run {
        // A short last line, or a key that was shortened by hand.
        Some(run) if run >= 4 => match line_break(&start[run..], ended) {
            Break::Of(_) => secret(false),
            Break::None => Verdict::Harmless,
            Break::Open => more,
        },
        Some(_) => Verdict::Harmless,
        None if start.len() >= 16 => secret(false),
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

fn userinfo(prefix: usize, rest: &[u8], ended: bool) -> Verdict {
    let mut colon = None;
    for (at, byte) in rest.iter().take(USERINFO).enumerate() {
        match byte {
            b'@' => {
                return match colon {
                    Some(colon) if at > colon + 1 => Verdict::Secret {
                        keep: prefix,
                        taken: prefix + at,
                        skip: None,
                    },
                    Some(_) | None => Verdict::Harmless,
                };
            }
            b':' => colon = colon.or(Some(at)),
            0..=b' ' | 0x7f | b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' => {
                return Verdict::Harmless;
            }
            _ => {}
        }
    }
    if ended || rest.len() >= USERINFO {
        Verdict::Harmless
    } else {
        Verdict::More
    }
}

/// What is left out after the place where a secret was recognised.
#[derive(Debug, Clone, Copy)]
pub(super) enum Skip {
    /// Every byte of the class.
    Class(Class),
    /// A private key up to its END line.
    Pem {
        /// It has header lines, whose characters belong to it too.
        headers: bool,
        /// Bytes that may still be left out.
        left: usize,
    },
}

impl Skip {
    /// Returns how many bytes belong to the secret, and whether it ends there.
    pub(super) fn run(&mut self, buffer: &[u8], last: bool) -> (usize, bool) {
        match self {
            Self::Class(class) => match buffer.iter().position(|byte| !class(*byte)) {
                Some(end) => (end, true),
                None => (buffer.len(), last),
            },
            Self::Pem { headers, left } => {
                let mut at = 0;
                while at < buffer.len() {
                    let step = match pem_step(&buffer[at..], *headers, last) {
                        Step::Over(len) => len,
                        Step::Wait => return (at, false),
                        Step::Last(len) => return (at + len, true),
                    };
                    at += step;
                    *left = left.saturating_sub(step);
                    if *left == 0 {
                        return (at, true);
                    }
                }
                (at, last)
            }
        }
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

fn pem_step(rest: &[u8], headers: bool, last: bool) -> Step {
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
            .take(MIXED)
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

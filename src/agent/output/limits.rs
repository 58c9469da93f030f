//! A vendor's limits: whether one passes by itself, and when.
//!
//! One phrase names both kinds with some vendors ("quota exceeded" of a minute and of a month), so the wait that a
//! message names counts before its words: nothing that is over in minutes is the end of a quota.

use chrono::{
    DateTime, Datelike as _, Days, FixedOffset, Months, NaiveDate, NaiveTime, TimeDelta,
    Timelike as _, Weekday,
};

use super::classify::has;
use crate::kernel::FailureClass;

/// The longest wait that is no end of a quota, in seconds: that which every run waits for.
pub(in crate::agent) const SHORT: u64 = 300;

/// Money that only a person can add.
const MONEY: &str = include_str!("phrases/money.txt");

/// Limits of a day and longer.
const LONG: &str = include_str!("phrases/long.txt");

/// Limits that pass within minutes.
const PASSING: &str = include_str!("phrases/passing.txt");

/// The end of a quota, unless another phrase or the wait says otherwise.
const QUOTA: &str = include_str!("phrases/quota.txt");

/// Words before the time that a limit still lasts.
const WAITS: &str = include_str!("phrases/waits.txt");

/// Words before the moment at which a limit ends.
const MOMENTS: &str = include_str!("phrases/moments.txt");

/// The class of a message about a limit; `None` if it is about none.
pub(in crate::agent) fn of(message: &str) -> Option<FailureClass> {
    let text = message.to_lowercase();
    let retry_after = wait(&text);
    let [money, long, passing, quota] =
        [MONEY, LONG, PASSING, QUOTA].map(|words| has(&text, words.lines()));
    let long = long && (passing || quota || text.contains("limit"));
    if !(money || long || passing || quota) {
        return None;
    }
    // Google names a wait of seconds for a quota of a day, too.
    let ends = money || long && (retry_after.is_none() || text.contains("quota"));
    let soon = retry_after.is_some_and(|wait| wait <= SHORT);
    Some(if !ends && (soon || passing) {
        FailureClass::RateLimited { retry_after }
    } else {
        FailureClass::QuotaExhausted { resets_at: moment_words(message), retry_after }
    })
}

/// The class of a limit whose message has words of its own, or none.
pub(in crate::agent) fn passing(message: &str) -> FailureClass {
    of(message)
        .unwrap_or_else(|| FailureClass::RateLimited { retry_after: wait(&message.to_lowercase()) })
}

/// The end of a quota, whatever its words; one that is over in minutes is none.
pub(in crate::agent) fn ended(message: &str) -> FailureClass {
    match of(message) {
        Some(FailureClass::RateLimited { retry_after: Some(wait) }) if wait <= SHORT => {
            FailureClass::RateLimited { retry_after: Some(wait) }
        }
        _ => FailureClass::QuotaExhausted {
            resets_at: moment_words(message),
            retry_after: wait(&message.to_lowercase()),
        },
    }
}

/// The limit as it stands at this moment: a time of day or a wait becomes both, for people and for who waits.
pub(in crate::agent) fn timed(
    class: FailureClass,
    message: &str,
    now: DateTime<FixedOffset>,
) -> FailureClass {
    let is_rate = matches!(class, FailureClass::RateLimited { .. });
    let (resets_at, retry_after) = match class {
        FailureClass::RateLimited { retry_after: None } => (None, None),
        FailureClass::QuotaExhausted { resets_at, retry_after } => (resets_at, retry_after),
        other => return other,
    };
    let until = match retry_after {
        Some(wait) => now.checked_add_signed(TimeDelta::seconds(wait.cast_signed())),
        None => moment(message, now),
    };
    let wait = until.map(|until| (until - now).num_seconds().max(0).cast_unsigned());
    let is_soon =
        wait.is_some_and(|wait| wait <= SHORT) && !has(&message.to_lowercase(), MONEY.lines());
    if is_rate || (is_soon && !has(&message.to_lowercase(), LONG.lines())) {
        return FailureClass::RateLimited { retry_after: wait };
    }
    FailureClass::QuotaExhausted {
        resets_at: until.map(|until| shown(until, now)).or(resets_at),
        retry_after: wait,
    }
}

/// `21:00`, or `30 Nov 21:00` of another day.
fn shown(until: DateTime<FixedOffset>, now: DateTime<FixedOffset>) -> String {
    let until = until.with_timezone(now.offset());
    let format = if until.date_naive() == now.date_naive() { "%H:%M" } else { "%-d %b %H:%M" };
    until.format(format).to_string()
}

/// Finds how long a limit lasts, in whole seconds, rounded up; `text` is in lower case.
fn wait(text: &str) -> Option<u64> {
    let places = WAITS.lines().flat_map(|words| text.match_indices(words));
    let mut found = places.filter_map(|(at, words)| span(&text[at + words.len()..]));
    found.next()
}

/// Reads `1.2s`, `: 30`, `1m2.5s`, `3 hours and 20 minutes`, `about 5 min`.
fn span(text: &str) -> Option<u64> {
    let lead = |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"' | '\'' | '~');
    let mut rest = text.trim_start_matches(lead);
    for word in ["about ", "approximately ", "around ", "at least ", "another ", "up to "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let mut total: Option<f64> = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
        let scale = match &after[..letters] {
            "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            "w" | "week" | "weeks" => 604_800.0,
            // A number alone is in seconds, but not the first of `3pm`, `21:00` or `2026-11-27`.
            _ if total.is_none() && !after.starts_with([':', '-', '/', 'a', 'p']) => {
                return seconds(number);
            }
            _ => break,
        };
        total = Some(total.unwrap_or(0.0) + number * scale);
        rest = after[letters..].trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    total.and_then(seconds)
}

/// Rounds up to whole seconds; `None` for anything that is not a sensible wait.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked first"
)]
fn seconds(value: f64) -> Option<u64> {
    (0.0..=1e8).contains(&value).then_some(value.ceil() as u64)
}

fn after_moment_words(message: &str) -> Vec<&str> {
    let mut places: Vec<usize> = Vec::new();
    for words in MOMENTS.lines() {
        // Lower-casing may change lengths outside ASCII, so the position is found in the original.
        let starts = message.char_indices().filter(|&(at, _)| {
            let part = message.get(at..at + words.len());
            part.is_some_and(|part| part.eq_ignore_ascii_case(words))
        });
        places.extend(starts.map(|(at, _)| at + words.len()));
    }
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|at| &message[at..]).collect()
}

/// The vendor's own words on when a limit ends.
fn moment_words(message: &str) -> Option<String> {
    after_moment_words(message).into_iter().find_map(|rest| {
        let end = rest.find(['\n', '·', '∙', '|', ';']).unwrap_or(rest.len());
        let lead = |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"');
        let when = rest[..end].trim_start_matches(lead).trim_end();
        let when = when.strip_prefix("at ").unwrap_or(when).trim_end_matches('.');
        let named = when.chars().take(24).any(|c| c.is_ascii_digit());
        named.then(|| when.chars().take(60).collect())
    })
}

/// Finds the moment at which a limit ends, in the zone of `now` unless the message names UTC.
fn moment(message: &str, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
    after_moment_words(message).into_iter().find_map(|rest| {
        let lead = |c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"' | '\'');
        let rest = rest.trim_start_matches(lead);
        epoch(rest).or_else(|| dated(rest)).or_else(|| spoken(rest, now))
    })
}

/// Seconds or milliseconds since 1970.
fn epoch(text: &str) -> Option<DateTime<FixedOffset>> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i64 = text[..digits].parse().ok()?;
    let at = match digits {
        10 => DateTime::from_timestamp(number, 0),
        13 => DateTime::from_timestamp_millis(number),
        _ => None,
    };
    at.map(|at| at.fixed_offset())
}

/// `2026-11-27T21:00:00Z`, `Fri, 27 Nov 2026 21:00:00 GMT`.
fn dated(text: &str) -> Option<DateTime<FixedOffset>> {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '"' | ')' | ','));
    let word = text[..end.unwrap_or(text.len())].trim_end_matches('.');
    DateTime::parse_from_rfc3339(word).ok().or_else(|| {
        let end = text.find("GMT").map(|at| at + 3)?;
        DateTime::parse_from_rfc2822(&text[..end]).ok()
    })
}

/// `3pm (Europe/Berlin)`, `21:00 UTC`, `Nov 30th, 2026 10:01 AM`, `Monday at 9am`, `tomorrow 9:00`.
fn spoken(text: &str, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
    /// The words of a date with its time and zone.
    const WORDS: usize = 9;
    let line = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    let between = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '.' | '·' | '∙');
    let (mut time, mut day, mut month, mut year, mut later) = (None, None, None, None, None);
    let mut here = now;
    for word in line.split(between).filter(|word| !word.is_empty()).take(WORDS) {
        let number = word.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok();
        match word {
            "at" | "on" | "the" | "today" => {}
            "am" | "pm" => {
                let hour = time.or_else(|| NaiveTime::from_hms_opt(day.take()?, 0, 0))?;
                time = halved(hour, word);
            }
            "utc" | "gmt" => here = now.to_utc().fixed_offset(),
            "tomorrow" => later = Some(1),
            _ if time.is_none() && clock(word).is_some() => time = clock(word),
            _ => match (word.parse::<chrono::Month>(), word.parse::<Weekday>(), number) {
                (Ok(named), ..) => month = Some(named.number_from_month()),
                (_, Ok(named), _) => later = Some(named.days_since(now.weekday()).into()),
                (.., Some(number @ 1..=31)) => day = Some(number),
                (.., Some(number)) => year = i32::try_from(number).ok(),
                (.., None) => break,
            },
        }
    }
    let today = here.date_naive();
    let date = match (month, day) {
        (Some(month), Some(day)) => {
            let date = NaiveDate::from_ymd_opt(year.unwrap_or_else(|| today.year()), month, day)?;
            // In December, a day of January is one of the next year.
            let years = if year.is_none() && date < today { 12 } else { 0 };
            date.checked_add_months(Months::new(years))?
        }
        _ => today.checked_add_days(Days::new(later.unwrap_or(0)))?,
    };
    let at = date.and_time(time?).and_local_timezone(*here.offset()).single()?;
    // A limit that has just ended is still named for a moment.
    let is_past = month.is_none() && at < here - TimeDelta::minutes(2);
    let days = if later == Some(0) { 7 } else { 1 };
    if is_past { at.checked_add_days(Days::new(days)) } else { Some(at) }
}

/// `3pm`, `3:05pm`, `21:00`.
fn clock(word: &str) -> Option<NaiveTime> {
    let half = ["am", "pm"].into_iter().find(|half| word.ends_with(half));
    let digits = half.map_or(word, |half| word.trim_end_matches(half));
    let mut parts = digits.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (parts.next()??, parts.next());
    let time = NaiveTime::from_hms_opt(hour, minute.unwrap_or(Some(0))?, 0)?;
    match half {
        Some(half) => halved(time, half),
        None => minute.map(|_| time),
    }
}

/// A time of the twelve-hour clock.
fn halved(time: NaiveTime, half: &str) -> Option<NaiveTime> {
    let hour = time.hour() % 12 + if half == "pm" { 12 } else { 0 };
    time.with_hour(hour)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon of a Friday, an hour east of Greenwich.
    fn noon() -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339("2026-11-27T12:00:00+01:00").unwrap()
    }

    fn read(message: &str) -> (bool, Option<String>, Option<u64>) {
        match timed(of(message).unwrap_or_else(|| panic!("{message}")), message, noon()) {
            FailureClass::RateLimited { retry_after } => (true, None, retry_after),
            FailureClass::QuotaExhausted { resets_at, retry_after } => {
                (false, resets_at, retry_after)
            }
            other => panic!("{message}: {other:?}"),
        }
    }

    #[test]
    fn what_passes_in_minutes_is_waited_for() {
        for (message, wait) in [
            ("Rate limit reached on tokens per min (TPM). Please try again in 1m2.5s.", Some(63)),
            ("Rate limit reached on requests per day (RPD). Please try again in 8.64s.", Some(9)),
            ("Your quota will reset after 53s.", Some(53)),
            ("You exceeded your current quota, check your plan. Please retry in 250ms", Some(1)),
            ("Too Many Requests, Retry-After: 30", Some(30)),
            ("{\"error\":\"rate_limit\",\"retryDelay\":\"2.5s\"}", Some(3)),
            ("Rate limited. Please wait about 2 minutes and 5 seconds.", Some(125)),
            ("You've hit your limit, resets at 12:04", Some(240)),
            ("usage limit reached|1795777220", Some(20)),
            ("Usage limit reached, resets_at: 2026-11-27T11:00:30Z", Some(30)),
            ("rate limit exceeded; retry-after: Fri, 27 Nov 2026 11:01:00 GMT", Some(60)),
            ("Rate limit exceeded for the next 20 minutes", Some(1_200)),
            ("API Error: Server is temporarily limiting requests (not your usage limit)", None),
            ("ThrottlingException: slow down", None),
        ] {
            assert_eq!(read(message), (true, None, wait), "{message}");
        }
    }

    #[test]
    fn the_end_of_a_quota_is_told_with_its_time() {
        for (message, at, wait) in [
            ("You've hit your limit \u{b7} resets 9:30pm (Europe/Berlin)", "21:30", Some(34_200)),
            ("5-hour limit reached \u{2219} resets 3 pm", "15:00", Some(10_800)),
            ("Usage limit reached. Try again in 3 hours 20 minutes.", "15:20", Some(12_000)),
            (
                "hit your usage limit, try again at Nov 30th, 2026 10:01 AM.",
                "30 Nov 10:01",
                Some(252_060),
            ),
            ("weekly limit reached, resets Mon 9am", "30 Nov 09:00", Some(248_400)),
            ("usage limit reached, resets at 21:00 UTC", "22:00", Some(36_000)),
            ("usage limit reached, resets at 11:00", "28 Nov 11:00", Some(82_800)),
            ("usage limit reached, resets Jan 2 at 9am", "2 Jan 09:00", Some(3_099_600)),
            ("You have exhausted your daily quota. Please retry in 20s", "12:00", Some(20)),
        ] {
            assert_eq!(read(message), (false, Some(at.to_owned()), wait), "{message}");
        }
        for message in
            ["Credit balance is too low", "Quota exceeded. Check your plan.", "insufficient_quota"]
        {
            assert_eq!(read(message), (false, None, None), "{message}");
        }
        for message in ["the limit of this loop is 3", "try again in 5s", "no such quota"] {
            assert_eq!(of(message), None, "{message}");
        }
    }
}

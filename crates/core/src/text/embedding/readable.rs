//! Whether a text is English prose, which is all that the built-in table can read.
//!
//! Only words outside code spans (`` ` ``) count that have four or more letters or are stop words: "die", "la" and
//! "und" are in the English vocabulary too, and in every text of another language. A text is prose if
//!
//! * two or more such words, and a quarter of all its words, are outside code;
//! * six in ten of them are English: whole words of the vocabulary, or an English ending on a stem of four letters;
//! * it has at most one sign of program text per two words.
//!
//! The numbers were fitted on the fitting half of the pairs and on sentences in ten other languages; the tests check
//! both.

use super::table::Table;
use super::wordpiece;
use crate::text::similarity;

/// Minimum number of words.
const LEAST_WORDS: usize = 2;
/// Minimum number of letters for a word to indicate its language.
const LEAST_LETTERS: usize = 4;
const ENDINGS: [&str; 14] =
    ["s", "es", "ed", "d", "ing", "ion", "ation", "er", "ers", "ly", "al", "able", "ment", "ness"];

pub(super) fn is_prose(table: &Table, text: &str) -> bool {
    let (outside, within) = apart(text);
    let words = similarity::words(&outside);
    let (mut counted, mut english) = (0_usize, 0_usize);
    for word in words.iter().map(|word| wordpiece::plain(word)) {
        let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
        let common = similarity::is_stop_word(&word);
        if common || letters >= LEAST_LETTERS {
            counted += 1;
            english += usize::from(common || is_english(table, &word));
        }
    }
    let all = words.len() + similarity::words(&within).len();
    let signs = outside.chars().filter(|sign| is_of_code(*sign)).count();
    counted >= LEAST_WORDS
        && 4 * words.len() >= all
        && 10 * english >= 6 * counted
        && 2 * signs <= words.len()
}

fn is_english(table: &Table, word: &str) -> bool {
    let known = |word: &str| table.find(word).is_some();
    known(word)
        || ENDINGS.iter().any(|ending| {
            word.strip_suffix(ending).is_some_and(|stem| stem.len() >= LEAST_LETTERS && known(stem))
        })
}

/// Whether a character is common in programs, data and tables, and rare in sentences.
fn is_of_code(sign: char) -> bool {
    "(){}[];=<>_&*|\\/$#@+~^%\"".contains(sign)
}

/// Splits a text into the parts outside and inside backticks.
fn apart(text: &str) -> (String, String) {
    let (mut outside, mut within) = (String::new(), String::new());
    for (at, part) in text.split('`').enumerate() {
        let into = if at % 2 == 0 { &mut outside } else { &mut within };
        into.push_str(part);
        into.push(' ');
    }
    (outside, within)
}

#[cfg(test)]
mod tests {
    use super::super::table::BUILT_IN;
    use super::*;

    const OTHERS: [&str; 16] = [
        "Wir sollten die Sitzungsdaten in Redis zwischenspeichern, weil die Datenbank unter Last zu langsam antwortet.",
        "Alte Protokolldateien müssen vor dem Archivieren komprimiert werden.",
        "Der Dienst soll in zwei Regionen laufen, damit ein Ausfall keine Kunden trifft.",
        "Nous devrions stocker les sessions dans Redis parce que la base de données répond trop lentement.",
        "Les anciens journaux doivent être compressés avant d'être archivés.",
        "Deberíamos guardar las sesiones en Redis porque la base de datos responde demasiado lento.",
        "We moeten de sessies in Redis bewaren omdat de database te langzaam antwoordt.",
        "Dovremmo conservare le sessioni in Redis perché il database risponde troppo lentamente.",
        "Devemos guardar as sessões no Redis porque o banco de dados responde devagar demais.",
        "Vi borde lagra sessionerna i Redis eftersom databasen svarar för långsamt.",
        "Powinniśmy przechowywać sesje w Redis, ponieważ baza danych odpowiada zbyt wolno.",
        "Kita sebaiknya menyimpan sesi di Redis karena basis data terlalu lambat.",
        "Нам следует хранить сессии в Redis, потому что база данных отвечает слишком медленно.",
        "我们应该把会话数据缓存在 Redis 中，因为数据库在负载下响应太慢。",
        "セッションデータは Redis にキャッシュすべきです。",
        "세션 데이터는 Redis에 캐시해야 합니다.",
    ];

    const CODE: [&str; 7] = [
        "fn main() { let mut total = 0; for line in lines.iter() { total += line.len(); } println!(\"{total}\"); }",
        "if (user == null) { return new Response(404); } const items = await db.query('select * from items', [id]);",
        r#"{"name": "cache", "size": 12, "enabled": true, "items": [1, 2, 3]}"#,
        "def read(path):\n    with open(path) as f:\n        return f.read()\n",
        "```sql\nselect name from users order by name\n```",
        "`cache_reads`",
        "See ```select the name of all the users that should be there and order them by name```",
    ];

    const NOTHING: [&str; 6] = [
        "",
        " \n",
        "42",
        "Yes.",
        "xqzt vbnm wrtp sdfg hjkl zxcv",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ];

    const ENGLISH: [&str; 6] = [
        "`parse_config()` in src/config/mod.rs should call `validate` before it returns, so that a bad value never reaches Session::open().",
        "Use `HashMap<String, Vec<u8>>` for the cache and drop `Arc<Mutex<T>>`.",
        "The flag --no-verify of git push (see hooks/pre-push) must not be used in CI.",
        "Put `max_retries: 3` into agents.toml; then run_agent() retries on HTTP 429 and 503.",
        "We should cache the search results in Redis.",
        "Ship it with care, as naïve clients read the façade's answer first.",
    ];

    #[test]
    fn english_is_read_and_nothing_else() {
        let table = Table::read(BUILT_IN).unwrap();
        for text in OTHERS.into_iter().chain(CODE).chain(NOTHING) {
            assert!(!is_prose(&table, text), "{text}");
        }
        for text in ENGLISH {
            assert!(is_prose(&table, text), "{text}");
        }
        // The two sentences are at the end of each line.
        let pairs = include_str!("../similarity/pairs.tsv").lines();
        let sentences = pairs.flat_map(|line| line.split('\t').skip(3));
        let unread: Vec<&str> = sentences.filter(|text| !is_prose(&table, text)).collect();
        // Four words, two of them not in the vocabulary: too few to tell.
        assert_eq!(unread, ["Use cursors for pagination."]);
    }
}

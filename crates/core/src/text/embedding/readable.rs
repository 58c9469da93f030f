//! Whether a text is English prose, which is all that the built-in table can read.
//!
//! Only words outside of code spans (`` ` ``) count, of four letters and more, or among the commonest (stop words): "die", "la" and
//! "und" stand in the English vocabulary too, and in every text of another language. A text is prose if
//!
//! * two such words or more stand outside of code, and a quarter of all its words does;
//! * six in ten of them are English: in the vocabulary as a whole, or with an English ending on a stem of four letters;
//! * it has no more than one sign of program text for two words.
//!
//! Fitted on the fitting half of the pairs and on sentences of ten other languages; the tests hold both.

use super::table::Table;
use super::wordpiece;
use crate::text::similarity;

/// Words that must be there.
const LEAST_WORDS: usize = 2;
/// Letters that a word needs to say what language it is of.
const LEAST_LETTERS: usize = 4;
/// Endings of English words.
const ENDINGS: [&str; 14] =
    ["s", "es", "ed", "d", "ing", "ion", "ation", "er", "ers", "ly", "al", "able", "ment", "ness"];

/// Whether the table can read a text.
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

/// Signs that stand in programs, data and tables, and seldom in sentences.
fn is_of_code(sign: char) -> bool {
    "(){}[];=<>_&*|\\/$#@+~^%\"".contains(sign)
}

/// Parts a text into what stands outside of backticks, and what stands within.
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
        // The two sentences end each line.
        let pairs = include_str!("../similarity/pairs.tsv").lines();
        let sentences = pairs.flat_map(|line| line.split('\t').skip(3));
        let unread: Vec<&str> = sentences.filter(|text| !is_prose(&table, text)).collect();
        // Four words, two of which the vocabulary does not have: too few to tell.
        assert_eq!(unread, ["Use cursors for pagination."]);
    }
}

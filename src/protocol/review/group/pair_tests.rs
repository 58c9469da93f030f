//! Pairs of findings as two reviewers write them: one fault in two wordings, and two faults at one place.

use super::Words;
use super::tests::{by, grouped, of};

/// One fault, as described by two reviewers.
pub(super) const SAME: [[(&str, &str); 2]; 10] = [
    [
        (
            "busy counter leaks when pop returns None",
            "`busy` is only incremented after the early return of `?`, but give() always decrements it, so the counter underflows when the pool is empty.",
        ),
        (
            "Counter underflow on empty pool",
            "take() returns early through `?` before incrementing busy; the matching give() still decrements, so busy wraps below zero.",
        ),
    ],
    [
        (
            "SQL injection through the name parameter",
            "The query is built by string concatenation from `name`, which comes straight from the request; an attacker can run any statement.",
        ),
        (
            "Unsanitised user input in query",
            "`name` from the request is concatenated into the SQL string. Use a prepared statement, otherwise this allows SQL injection.",
        ),
    ],
    [
        (
            "Off-by-one in page bounds",
            "The loop runs to `<= total` and reads items[total], one past the end, which panics on the last page.",
        ),
        (
            "Index out of range on last page",
            "`<= total` should be `< total`: the last iteration indexes items[total] and panics.",
        ),
    ],
    [
        (
            "Missing await on save()",
            "The promise returned by save() is not awaited, so errors are swallowed and the response is sent before the record is stored.",
        ),
        (
            "Unhandled promise: save is not awaited",
            "save() returns a promise that nobody awaits; a failing save becomes an unhandled rejection and the client gets 200.",
        ),
    ],
    [
        (
            "File handle is never closed",
            "open() is called without a with block; if parse() raises the file descriptor leaks.",
        ),
        (
            "Resource leak in load_config",
            "The file opened here is not closed when parse raises an exception; use `with open(...)`.",
        ),
    ],
    [
        (
            "Race on the cache map",
            "The map is written from several goroutines without holding the mutex; concurrent map writes crash the process.",
        ),
        (
            "Concurrent map write without lock",
            "cache is a plain map and is modified in the goroutine without the mutex: fatal error: concurrent map writes.",
        ),
    ],
    [
        (
            "setState after dispose",
            "The widget may be disposed while the request is running; setState then throws. Check `mounted` first.",
        ),
        (
            "Missing mounted check before setState",
            "After the await the State can be disposed, so calling setState throws an exception.",
        ),
    ],
    [
        (
            "Token is compared in variable time",
            "`==` on the secret token leaks its prefix through timing; use a constant time comparison.",
        ),
        (
            "Timing attack on token check",
            "String equality returns at the first differing byte, so an attacker can guess the token. Compare in constant time.",
        ),
    ],
    [
        (
            "Wrong error is returned",
            "err is shadowed inside the if block, so the outer err stays nil and the function reports success although the write failed.",
        ),
        (
            "Shadowed err hides the failure",
            "`err :=` declares a new variable in the inner scope; the function returns the outer nil err even when Write fails.",
        ),
    ],
    [
        (
            "Null pointer when user has no address",
            "getAddress() may return null for new users, and getCity() is called on it without a check, which throws a NullPointerException.",
        ),
        (
            "Possible NPE on user.getAddress().getCity()",
            "Users without an address make getAddress() return null; dereferencing it throws NullPointerException.",
        ),
    ],
];

/// Two faults within the same few lines.
pub(super) const APART: [[(&str, &str); 2]; 12] = [
    // These share their names with each other, and much of their subject.
    [
        (
            "busy counter leaks when pop returns None",
            "`busy` is only incremented after the early return of `?`, but give() always decrements it, so the counter underflows when the pool is empty.",
        ),
        (
            "busy is read without the lock",
            "The counter `busy` is a plain integer that several threads change in take() and give(); without the mutex updates are lost.",
        ),
    ],
    [
        (
            "Missing await on save()",
            "The promise returned by save() is not awaited, so errors are swallowed and the response is sent before the record is stored.",
        ),
        (
            "save() is called twice",
            "A retry of the client calls save() again with a new id, so that the record is stored twice; the request id should be checked first.",
        ),
    ],
    [
        (
            "Off-by-one in page bounds",
            "The loop runs to `<= total` and reads items[total], one past the end, which panics on the last page.",
        ),
        (
            "total is counted before the filter",
            "total holds the number of all items, but the page shows filtered items, so the last pages are empty.",
        ),
    ],
    [
        (
            "Null pointer when user has no address",
            "getAddress() may return null for new users, and getCity() is called on it without a check, which throws a NullPointerException.",
        ),
        (
            "The user is loaded once an item",
            "getAddress() asks the database for every user in the loop: N + 1 queries for a page of users.",
        ),
    ],
    [
        (
            "busy counter leaks when pop returns None",
            "`busy` is only incremented after the early return of `?`, but give() always decrements it.",
        ),
        (
            "Log line prints the password",
            "The connection string with its password is written to the log at info level.",
        ),
    ],
    [
        (
            "SQL injection through the name parameter",
            "The query is built by string concatenation from `name`, which comes straight from the request.",
        ),
        (
            "Result rows are never closed",
            "rows.Close() is missing, so every call leaks a database connection until the limit is reached.",
        ),
    ],
    [
        (
            "Missing await on save()",
            "The promise returned by save() is not awaited, so errors are swallowed.",
        ),
        (
            "Status code is 200 for invalid input",
            "A validation failure must answer 400; here the handler falls through and answers 200.",
        ),
    ],
    [
        (
            "Race on the cache map",
            "The map is written from several goroutines without holding the mutex.",
        ),
        (
            "Expiry is in seconds, not milliseconds",
            "ttl is multiplied by 1000 twice, so entries live a thousand times longer than configured.",
        ),
    ],
    [
        (
            "Off-by-one in page bounds",
            "The loop runs to `<= total` and reads items[total], one past the end.",
        ),
        (
            "Negative page is accepted",
            "page comes from the query string and is not checked; a value below one gives a negative offset and an error of the database.",
        ),
    ],
    [
        (
            "Token is compared in variable time",
            "`==` on the secret token leaks its prefix through timing.",
        ),
        (
            "Session is not rotated after login",
            "The session id stays the same when the user logs in, which allows session fixation.",
        ),
    ],
    [
        (
            "File handle is never closed",
            "open() is called without a with block; if parse() raises the file descriptor leaks.",
        ),
        (
            "Default encoding differs by platform",
            "Without encoding='utf-8' the text is decoded with the locale of the machine, which breaks on Windows.",
        ),
    ],
    [
        (
            "Null pointer when user has no address",
            "getAddress() may return null for new users, and getCity() is called on it without a check.",
        ),
        (
            "Equality of strings with ==",
            "`country == \"DE\"` compares references; use equals, otherwise the branch is never taken.",
        ),
    ],
];

/// Returns the likeness of each pair, percent, in ascending order, and how many groups each pair makes.
fn pairs(pairs: &[[(&str, &str); 2]]) -> (Vec<usize>, Vec<usize>) {
    let both = pairs.iter().map(|[(one, first), (other, second)]| {
        let one = of(one, first, Some(12), None);
        let other = of(other, second, Some(14), None);
        let mut words = Words::default();
        let (a, b) = (words.traits(&by(0, one.clone())), words.traits(&by(1, other.clone())));
        (a.likeness(&b), grouped(&[one, other]).len())
    });
    let (mut shares, groups): (Vec<usize>, Vec<usize>) = both.unzip();
    shares.sort_unstable();
    (shares, groups)
}

#[test]
fn one_fault_in_two_words_is_one_group_and_two_faults_at_one_place_are_two() {
    let ((same, one), (apart, two)) = (pairs(&SAME), pairs(&APART));
    assert_eq!(same, [20, 21, 33, 33, 33, 36, 38, 42, 47, 58]);
    assert_eq!(apart, [0, 0, 0, 0, 0, 0, 4, 4, 11, 12, 14, 22]);
    // Two pairs have too little in common to be recognised; they stay two findings.
    assert_eq!(one.iter().filter(|groups| **groups == 1).count(), 8);
    assert_eq!(two, vec![2; APART.len()]);
}

//! Measures how far two rankings agree.

use std::collections::HashMap;

/// Returns Kendall's tau-b of two rankings of the same ids: 1 equal, -1 reversed.
///
/// `None` if it is not defined: fewer than two ids, or the two do not contain the same ids once each. Quadratic on
/// purpose; 1,000 ids are half a million pairs.
pub(crate) fn tau_b(a: &[String], b: &[String]) -> Option<f64> {
    let place: HashMap<&str, usize> = b.iter().enumerate().map(|(n, id)| (&**id, n)).collect();
    if a.len() != b.len() || place.len() != b.len() {
        return None;
    }
    let ranks: Option<Vec<usize>> = a.iter().map(|id| place.get(&**id).copied()).collect();
    let ranks = ranks?;
    let mut seen = vec![false; ranks.len()];
    for &rank in &ranks {
        if std::mem::replace(&mut seen[rank], true) {
            return None;
        }
    }
    tau_b_of_ranks(&(0..ranks.len()).collect::<Vec<_>>(), &ranks)
}

/// Returns the share of the items that two rankings of the same ids both put into the upper half, or both not: of an odd
/// number, the one in the middle is in it. Two orders by different scales, by value and by ease, can agree no further.
///
/// `None` as for [`tau_b`].
pub(crate) fn same_half(a: &[String], b: &[String]) -> Option<f64> {
    tau_b(a, b)?;
    let upper = a.len().div_ceil(2);
    let apart = 2 * a[..upper].iter().filter(|id| !b[..upper].contains(id)).count();
    #[expect(clippy::cast_precision_loss, reason = "a debate ranks 1,000 items at most")]
    let share = (a.len() - apart) as f64 / a.len() as f64;
    Some(share)
}

/// Returns Kendall's tau-b of two lists of ranks, ties allowed; `None` if either is all ties.
///
/// Kendall (1945): `(C - D) / sqrt((C + D + Ta)(C + D + Tb))` with C concordant and D discordant pairs, Ta and Tb
/// pairs tied in one list alone.
pub(crate) fn tau_b_of_ranks(a: &[usize], b: &[usize]) -> Option<f64> {
    let (mut concordant, mut discordant, mut tied_a, mut tied_b) = (0_u32, 0_u32, 0_u32, 0_u32);
    for i in 0..a.len().min(b.len()) {
        for j in 0..i {
            match (a[i].cmp(&a[j]), b[i].cmp(&b[j])) {
                (std::cmp::Ordering::Equal, std::cmp::Ordering::Equal) => {}
                (std::cmp::Ordering::Equal, _) => tied_a += 1,
                (_, std::cmp::Ordering::Equal) => tied_b += 1,
                (x, y) if x == y => concordant += 1,
                (_, _) => discordant += 1,
            }
        }
    }
    let (c, d) = (f64::from(concordant), f64::from(discordant));
    let norm = ((c + d + f64::from(tied_a)) * (c + d + f64::from(tied_b))).sqrt();
    (norm > 0.0).then(|| (c - d) / norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn known_values() {
        for (a, b, tau) in [
            ("abcdef", "abcdef", 1.0),
            ("abcdef", "fedcba", -1.0),
            ("abcdef", "bacdef", 13.0 / 15.0), // one neighbour swapped
            ("abcd", "badc", 2.0 / 6.0),
            ("ab", "ba", -1.0),
        ] {
            let got = tau_b(&ids(a), &ids(b)).unwrap();
            assert!((got - tau).abs() < 1e-12, "{a} {b}: {got}");
        }
    }

    #[test]
    fn two_scales_agree_on_what_is_in_and_out() {
        for (a, b, share) in [
            ("abcdef", "cbafed", Some(1.0)),
            ("abcdefghi", "edcbaihgf", Some(1.0)),
            ("abcdef", "abdcef", Some(4.0 / 6.0)),
            ("abcd", "dcba", Some(0.0)),
            ("ab", "ba", Some(0.0)),
            ("abc", "abd", None),
            ("a", "a", None),
        ] {
            assert_eq!(same_half(&ids(a), &ids(b)), share, "{a} {b}");
        }
    }

    #[test]
    fn ties_count_as_in_the_textbook() {
        // scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) = -0.47140452079103173
        let got = tau_b_of_ranks(&[12, 2, 1, 12, 2], &[1, 4, 7, 1, 0]).unwrap();
        assert!((got + 0.471_404_520_791_031_73).abs() < 1e-12, "{got}");
        assert_eq!(tau_b_of_ranks(&[1, 1, 1], &[1, 2, 3]), None);
    }

    #[test]
    fn rankings_of_different_ids_have_no_tau() {
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("aab", "aba"), ("a", "a"), ("", "")] {
            assert_eq!(tau_b(&ids(a), &ids(b)), None, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn is_symmetric_bounded_and_one_on_itself(
            a in Just((0..12).map(|n| n.to_string()).collect::<Vec<_>>()).prop_shuffle(),
            b in Just((0..12).map(|n| n.to_string()).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let ab = tau_b(&a, &b).unwrap();
            prop_assert!((-1.0..=1.0).contains(&ab));
            prop_assert_eq!(Some(ab), tau_b(&b, &a));
            prop_assert_eq!(tau_b(&a, &a), Some(1.0));
        }
    }
}

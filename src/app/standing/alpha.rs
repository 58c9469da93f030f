//! Agreement beyond chance (`docs/standing.md`).

use crate::kernel::count;
use crate::ordered::BTreeMap;

/// Returns Krippendorff's alpha of nominal data: 1 is agreement everywhere, 0 what chance gives, less is worse than
/// chance. `units`: of each thing that was judged, the values that its observers gave it; one with a single value says
/// nothing. `None`: nothing was judged by two, or all gave the same value, so that chance would agree as well.
///
/// Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C.
pub(super) fn alpha<V: Ord + Copy>(units: &[impl AsRef<[V]>]) -> Option<f64> {
    let paired: Vec<&[V]> = units.iter().map(AsRef::as_ref).filter(|unit| unit.len() > 1).collect();
    let all = paired.concat();
    let observed: f64 = paired.iter().map(|values| differing(values)).sum();
    let expected = differing(&all);
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Returns the number of ordered pairs of these values that differ, for each value that a value is paired with.
fn differing<V: Ord + Copy>(values: &[V]) -> f64 {
    let mut times: BTreeMap<V, u32> = BTreeMap::new();
    for value in values {
        *times.entry(*value).or_default() += 1;
    }
    let all = f64::from(count(values.len()));
    let same: f64 = times.values().map(|times| f64::from(*times).powi(2)).sum();
    (all * all - same) / (all - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by observer, a column per unit; `.` is none.
    fn table(rows: &[&str]) -> Vec<Vec<char>> {
        let columns = 0..rows[0].len();
        let column = |at| rows.iter().map(move |row| row.as_bytes()[at] as char);
        columns.map(|at| column(at).filter(|value| *value != '.').collect()).collect()
    }

    #[test]
    fn it_is_that_of_the_published_examples() {
        // Krippendorff (2011), examples A (two observers, binary), B (two observers, nominal) and C (four, with gaps).
        for (rows, published) in [
            (&["0100000010", "1110010000"][..], 0.095),
            (&["aabbdcccedda", "babbbccceddd"], 0.692),
            (&["123321412...", "1233224125.3", ".3332342251.", "12332441251."], 0.743),
        ] {
            let alpha = alpha(&table(rows)).unwrap();
            assert!((alpha - published).abs() < 0.000_5, "{alpha}, not {published}");
        }
    }

    #[test]
    fn where_nothing_varies_or_nobody_is_paired_there_is_none() {
        assert_eq!(alpha::<bool>(&[[true; 0]; 0]), None);
        assert_eq!(alpha(&[vec![true], vec![false]]), None);
        assert_eq!(alpha(&[vec![true, true], vec![true, true]]), None);
        assert_eq!(alpha(&[vec![true, true], vec![false, false]]), Some(1.0));
        assert!(alpha(&[vec![true, false], vec![false, true]]).unwrap() < 0.0);
    }
}

//! Whether it is worth asking a seat again.

/// Whether a seat has not judged something yet, or another seat has spoken on it since. `judged` and `wrote`: the seats
/// that did, each with the round of its latest word; words of one round were said without knowledge of each other.
pub(crate) fn has_news(
    seat: usize,
    judged: impl Iterator<Item = (usize, u32)> + Clone,
    wrote: impl Iterator<Item = (usize, u32)>,
) -> bool {
    let own = judged.clone().find(|(judge, _)| *judge == seat);
    own.is_none_or(|(_, own)| {
        judged.chain(wrote).any(|(other, round)| other != seat && round >= own)
    })
}

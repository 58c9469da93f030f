//! What git writes before the names of a patch: `a/` and `b/`, letters that say what is compared (`diff.mnemonicPrefix`),
//! nothing (`diff.noprefix`), or any text (`diff.srcPrefix`, `diff.dstPrefix`).
//!
//! Unless it was renamed, which its section says, a file has the same name on both sides. So what differs before is the
//! prefix, and one prefix has to fit every file of the patch: folders called `a` and `b` are then no prefix.

/// The letters that git uses by itself: for the two sides in general, the commit, index, working tree and objects.
const LETTERS: &[u8] = b"abciwo12";

/// Prefixes of the old and the new names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prefixes {
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Default for Prefixes {
    /// Returns those with which git is asked for a diff here.
    fn default() -> Self {
        Self { old: b"a/".to_vec(), new: b"b/".to_vec() }
    }
}

impl Prefixes {
    pub(super) fn without_old(&self, name: &[u8]) -> Vec<u8> {
        name.strip_prefix(&*self.old).unwrap_or(name).to_vec()
    }

    pub(super) fn without_new(&self, name: &[u8]) -> Vec<u8> {
        name.strip_prefix(&*self.new).unwrap_or(name).to_vec()
    }
}

/// The two names of a file as they are written, if both are.
pub(super) type Names = Option<(Vec<u8>, Vec<u8>)>;

/// Finds the prefixes of the files of a patch: the same ones for all, or where none fits all, as in patches of several
/// origins, each file's own.
pub(super) fn of(files: &[Names]) -> Vec<Prefixes> {
    let pairs: Vec<Pair<'_>> = files.iter().flatten().map(|(old, new)| (&**old, &**new)).collect();
    let owned = |(old, new): Pair<'_>| Prefixes { old: old.to_vec(), new: new.to_vec() };
    let all = common(&pairs).map(owned);
    let own = |names: &Names| {
        let (old, new) = names.as_ref()?;
        common(&[(old, new)]).map(owned)
    };
    let each = files.iter().map(|names| all.clone().or_else(|| own(names)).unwrap_or_default());
    each.collect()
}

type Pair<'a> = (&'a [u8], &'a [u8]);

fn common<'a>(pairs: &[Pair<'a>]) -> Option<Pair<'a>> {
    let (old, new) = *pairs.first()?;
    // Two files that were compared without git's knowledge (`--no-index`) have two names behind its letters.
    if let ([a, b'/', ..], [b, b'/', ..]) = (old, new)
        && a != b
        && [a, b].iter().all(|letter| LETTERS.contains(letter))
        && pairs.iter().all(|(o, n)| o.starts_with(&old[..2]) && n.starts_with(&new[..2]))
    {
        return Some((&old[..2], &new[..2]));
    }
    let shared = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let fits = |(before, behind): &Pair<'_>| {
        pairs.iter().all(|(old, new)| {
            let name = old.strip_prefix(*before).filter(|name| !name.is_empty());
            name.is_some() && name == new.strip_prefix(*behind)
        })
    };
    let cut = |name: usize| (&old[..old.len() - name], &new[..new.len() - name]);
    let fitting: Vec<Pair<'_>> = (1..=shared).rev().map(cut).filter(fits).collect();
    let ends_in = |marks: fn(u8) -> bool| {
        let ends = move |prefix: &[u8]| prefix.last().is_none_or(|byte| marks(*byte));
        fitting.iter().find(move |(old, new)| ends(old) && ends(new)).copied()
    };
    // A prefix as a rule is a folder; one file alone does not show where a prefix without an end would end.
    ends_in(|byte| matches!(byte, b'/' | b':')).or_else(|| {
        (pairs.len() > 1).then(|| ends_in(|byte| byte.is_ascii_punctuation())).flatten()
    })
}

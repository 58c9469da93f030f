//! The tone in which a debate is conducted.

use crate::words;

words! {
    /// How a debate is conducted.
    #[derive(Hash)]
    pub enum Mode, usually Adversarial {
        /// Each challenges the next.
        Adversarial = "adversarial",
        /// All look for common ground.
        Consensus = "consensus",
        /// Each builds on the one before.
        Collaborative = "collaborative",
    }
}

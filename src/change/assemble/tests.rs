//! What is shown where, by hand.

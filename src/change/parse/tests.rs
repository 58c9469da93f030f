//! What is read of a diff, worked out by hand.

//! Which names and contents are left out, by hand.

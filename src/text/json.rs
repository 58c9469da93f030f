//! Strict JSON (duplicate keys refused) and a lossless normaliser.

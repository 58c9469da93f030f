//! Inputs and answers for the tests of this protocol.

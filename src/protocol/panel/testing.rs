//! Inputs, answers and a driver for this protocol's tests.

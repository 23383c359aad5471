//! Tests of the running server, in one binary so that it is linked once.

mod fixture;

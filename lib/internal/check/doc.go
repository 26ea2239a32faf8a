// Package check verifies and repairs a store. It compares the two things that a store is: documents, which their ids
// prove, and the log, which its chain proves.
//
// # Faults and warnings
//
// [Verify] takes no lock and writes nothing. What it doubts it looks at again, after reading on in the log: documents
// that come or go meanwhile are no fault. Each [Finding] names its place and, if there is one, the command that ends
// it.
//
// A fault is: a log with a broken chain, or without the line that this user left; documents without a log; a listed
// handoff whose file is missing or does not match its id; a signature that does not match; a link or a directory in
// place of a file; another machine; a state directory that git tracks. A document that matches its id is whole,
// whatever its body says. In a store that git tracks, a document that this checkout lacks is no fault.
//
// A warning is: a document without an event; a handoff that is recorded as lost; a file that is no document; a row that
// somebody typed into INDEX.md; a temporary file of a killed command.
//
// # Repair
//
// [Repair] throws nothing away, and ends each fault but two: another machine, and a state directory that git tracks. A
// damaged log is copied to kept/ and goes on behind its good beginning. Whole documents that it does not list then are
// adopted; their ids say who they are, and only what happened to them is lost. A listed file that does not match goes
// to kept/, unless git tracks it. Handoffs without a document are recorded as lost, and count again when their document
// is back. Repair can be killed at any time and run again.
package check

// Package store is the read side of a store: where it lies and whether it may lie there, which machine
// it belongs to, its index files, and its documents, each proven to be the one that a row lists.
//
// Directories are judged and opened in one walk, and used as they are open then. Nothing here takes a
// lock or changes a handoff or an index file. INDEX.md is read before the archives: a rotation that
// happens meanwhile shows rows twice, never not at all, and rows of one id are joined.
//
// # A new project
//
// [Init] prepares a project for handoffs: its settings file, the handoffs directory, and what
// git is told of both.
package store

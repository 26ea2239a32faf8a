// Package store reads a store. It finds the directories, decides whether a store may be there, and knows the
// machine that the store belongs to. It reads the index files, and it proves that each document is the one
// that its row lists.
//
// Directories are checked and opened in one walk, and later calls use the open directories. Package store
// takes no lock. It changes no handoff and no index file. It reads INDEX.md before the archives: if a
// rotation happens meanwhile, rows are seen twice, never not at all. Rows with the same id are merged.
//
// # A new project
//
// [Init] prepares a project for handoffs. It writes the settings file, makes the handoffs directory, and
// updates .gitignore and .gitattributes.
package store

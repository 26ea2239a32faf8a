package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/git"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// What the rooms below return, as they have it.
type (
	Checkpoint       = eventlog.Checkpoint
	SignedCheckpoint = eventlog.SignedCheckpoint
	Validation       = eventlog.Validation
	Probed           = eventlog.Probed
	Consumption      = eventlog.Consumption
	ConsumedError    = txn.ConsumedError
	Act              = eventlog.Act
	ActReceipt       = txn.ActReceipt
	Life             = eventlog.Life
	Decision         = eventlog.Decision
	TakenError       = txn.TakenError
	Tombstone        = eventlog.Pruned
	PrunedError      = txn.PrunedError
	MarkReceipt      = txn.MarkReceipt
	Git              = disk.Git
	MachineError     = store.MachineError
	Operator         = operators.Operator
	SSHKey           = operators.SSHKey
	Finding          = check.Finding
	Report           = check.Report
	RepairReport     = check.Repairs
)

// What Options.Progress is told about, each with the number of documents.
const (
	TaskSeal  = store.TaskSeal  // sources: parsed, validated, identified
	TaskStage = store.TaskStage // bodies: written to the disk
	TaskProve = store.TaskProve // stored documents: read and compared with rows and events
)

// The kinds of Options.Git.
const (
	GitNone    = disk.GitNone
	GitTracked = disk.GitTracked
	GitSynced  = disk.GitSynced
)

// StatusChanged says that the mark of a MarkReceipt is new.
const StatusChanged = txn.StatusChanged

// CheckpointNamespace is the namespace of the signatures of checkpoints (ssh-keygen -Y sign -n).
const CheckpointNamespace = eventlog.CheckpointNamespace

// ParseCheckpoint is the inverse of Checkpoint.String; a newline at the end is tolerated. Anything
// else is ErrInvalid.
func ParseCheckpoint(text string) (Checkpoint, error) { return eventlog.ParseCheckpoint(text) }

// SignatureFile returns the file of the n-th signature, from 1, of the checkpoint in file.
func SignatureFile(file string, n int) string { return eventlog.SignatureFile(file, n) }

// CheckOperator returns ErrInvalid for a name that no operator can have.
func CheckOperator(name string) error { return checkOperator(name) }

// InGit reports whether a directory lies in a git work tree.
func InGit(dir string) bool { return git.Top(dir) != "" }

// TopicOf returns a topic for a body: of its first heading, else of its first words, else it is note.
func TopicOf(body string) string { return form.TopicOf(body, document.MaxTopic) }

// TopicFrom makes a topic of a text that people give as one, "" if that has no letter and no digit. A topic stays as
// it is.
func TopicFrom(text string) string {
	if form.IsSlug(text, document.MaxTopic) {
		return text
	}
	return form.Topic(text, document.MaxTopic)
}

// OperatorFrom makes a name for an operator of the name of a person, "" if that has no letter and no digit.
func OperatorFrom(name string) string { return form.Topic(name, document.MaxName) }

// Title returns what people read as the title of a handoff with this body and topic: the first heading, else the first
// sentence, else the topic, in at most 80 columns, escaped for one line.
func Title(body, topic string) string { return document.Title(body, topic) }

// Cut returns text, escaped for one line and cut to width columns of a terminal. A cut text ends in "…".
func Cut(text string, width int) string { return form.Cut(text, width) }

// Width returns how many columns of a terminal a text takes that was escaped for one line.
func Width(text string) int { return form.Width(text) }

// Nearest returns which of the known words a misspelt one probably means, "" if none is near.
func Nearest(word string, known []string) string { return form.Nearest(word, known) }

// GitConfig returns what git says about a key of its configuration in dir, "" if it says nothing
// within half a second.
func GitConfig(dir, key string) string { return git.Config(dir, key) }

// IsIndex reports whether a file of that name in a handoffs directory is the index, or an archive of it.
func IsIndex(name string) bool { return name == disk.IndexFile || disk.IsArchive(name) }

// ID returns the handoff_id of a valid document: the SHA-256 of its RFC 8785 form. What the document
// itself claims as its id does not count. It fails on strings that are not valid UTF-8.
func ID(d Document) (string, error) { return document.ID(d) }

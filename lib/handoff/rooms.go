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

// The types of what a store returns and accepts.
type (
	// A Checkpoint is a state of an audit log. Count is the number of events, Hash that of the last event.
	Checkpoint = eventlog.Checkpoint
	// A Validation is the result of checking a record, whose answers ConfirmedBy confirmed. HandoffID and Kind identify
	// the record.
	Validation = eventlog.Validation
	// A Consumption is a line of the ledger: a used resume token or an action. Token is the key of the line, HandoffID
	// the handoff, Operator who did it and Time when. Accepted is the overridden classification, Reason the given
	// reason, ConfirmedBy who confirmed the answers, and Session the agent session.
	Consumption = eventlog.Consumption
	// A ConsumedError reports that a resume token was used before. By is the line of the ledger that used it.
	ConsumedError = txn.ConsumedError
	// An Act is an action on a handoff, such as ActTake.
	Act = eventlog.Act
	// An ActReceipt is the result of an action. ID, Act, Operator, Session and Time are as recorded. Status is
	// StatusChanged, or StatusExisting if nothing changed. State is the new state of the handoff. Over is why a taken
	// handoff needs no more work, and Successors are its successors.
	ActReceipt = txn.ActReceipt
	// A Life is what happened to a handoff. Take and Archive are the takes and archivings with their ends. Done is who
	// finished it, zero if it is open.
	Life = eventlog.Life
	// An Action is who performed an act, in which session and when; zero if no one did. Until is the end of the lease
	// of a take, or "".
	Action = eventlog.Action
	// A TakenError reports that another operator has taken the handoff ID or, if Ended is set, finished it. By has the
	// operator, session and time.
	TakenError = txn.TakenError
	// A MarkReceipt is the result of marking a handoff. ID is the handoff, Operator the reader, and Time when it was
	// marked. Status is StatusChanged or StatusExisting.
	MarkReceipt = txn.MarkReceipt
	// A Git is how a store uses git: GitNone, GitTracked or GitSynced.
	Git = disk.Git
	// A MachineError reports that a store belongs to another machine. Expected and Observed are the fingerprints. Lost
	// reports that the record of the machine is missing or unreadable. Git is how the store uses git. Command is the
	// command that moves the store to this machine.
	MachineError = store.MachineError
	// An Operator is an entry of the operators file. Its fields have the names of the keys there.
	Operator = operators.Operator
	// An SSHKey is a public key of an operator.
	SSHKey = operators.SSHKey
	// A Finding is a fault or a warning. Place is a file or file:line, Problem explains it, Remedy is a command that
	// fixes it, or "".
	Finding = check.Finding
	// A Report is the result of Verify. Handoffs and Events count what was verified, Others the handoffs from other
	// replicas. Head is the head of the audit log. Faults and Warnings are the findings, sorted by place.
	Report = check.Report
	// A RepairReport is the result of Repair. Done has a sentence for each repair.
	RepairReport = check.Repairs
)

// The values of Options.Git.
const (
	GitNone    = disk.GitNone    // no git work tree, or the store is not shared over git
	GitTracked = disk.GitTracked // the handoffs are committed to a branch
	GitSynced  = disk.GitSynced  // the handoffs are ignored by git
)

// StatusChanged means that the mark or action of a receipt is new.
const StatusChanged = txn.StatusChanged

// ParseCheckpoint parses the result of Checkpoint.String, with an optional final newline. Other text is ErrInvalid.
func ParseCheckpoint(text string) (Checkpoint, error) { return eventlog.ParseCheckpoint(text) }

// InGit reports whether a directory is in a git work tree.
func InGit(dir string) bool { return git.Top(dir) != "" }

// TopicOf returns a topic for a body: from its first heading, unless every handoff could have it. Otherwise it is from
// the first words, otherwise "note".
func TopicOf(body string) string { return document.TopicOf(body) }

// TopicFrom returns a topic for the text that a user gave as one, unchanged if it is a topic already. It returns ""
// if text has no letters and no digits.
func TopicFrom(text string) string {
	if form.IsSlug(text, document.MaxTopic) {
		return text
	}
	return form.Topic(Redacted(text, nil), document.MaxTopic) // in lower case, no rule would find a credential
}

// OperatorFrom returns an operator name for a person's name, "" if the name has no letters and no digits.
func OperatorFrom(name string) string { return form.Topic(name, document.MaxName) }

// Wrap returns text, escaped for one line, as lines of at most width columns.
func Wrap(text string, width int) []string { return form.Wrap(text, width) }

// Title returns the title of a handoff: the first heading of its body, otherwise the first sentence, otherwise the
// topic. It has at most 80 columns and is escaped for one line.
func Title(body, topic string) string { return document.Title(body, topic) }

// Cut returns text, escaped for one line and cut to width columns of a terminal. Cut text ends in "…".
func Cut(text string, width int) string { return form.Cut(text, width) }

// Width returns the number of terminal columns of a text that was escaped for one line.
func Width(text string) int { return form.Width(text) }

// Nearest returns the known word that a misspelled word probably means, "" if none is similar.
func Nearest(word string, known []string) string { return form.Nearest(word, known) }

// GitConfig returns a value of git's configuration in dir. It returns "" if git does not answer within ten seconds.
func GitConfig(dir, key string) string { return git.Config(dir, key) }

// IsIndex reports whether name is that of the index, or of an archive of it, in a handoffs directory.
func IsIndex(name string) bool { return name == disk.IndexFile || disk.IsArchive(name) }

// ID returns the id of a valid document: the SHA-256 of its RFC 8785 form. The HandoffID field is ignored. It fails
// on strings that are not valid UTF-8.
func ID(d Document) (string, error) { return document.ID(d) }

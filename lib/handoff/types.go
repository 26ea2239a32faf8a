package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/settings"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// The types of what a store returns and accepts.
type (
	// A Git is how a store uses git: GitNone, GitTracked or GitSynced.
	Git = disk.Git
	// A MachineError reports that a store belongs to another machine. Expected and Observed are the fingerprints. Lost
	// reports that the record of the machine is missing or unreadable. Command is the command that moves the store to
	// this machine.
	MachineError = store.MachineError
	// A MachineRecord describes the machine of a store. Fingerprint is its 64 hex digits, "" if none is known.
	// FirstSeenUTC is when it was recorded. WriterIDDefault is the operator who wrote first. Writer is the id of the
	// clone. Also has the fingerprints of other machines that may change the store.
	MachineRecord = disk.MachineRecord
	// An Operator is an entry of the operators file. Its fields have the names of the keys there.
	Operator = operators.Operator
	// An SSHKey is a public key of an operator.
	SSHKey = operators.SSHKey
	// An OperatorList is a parsed operators file.
	OperatorList = operators.List
	// An OperatorStatus is the result of verifying an operator. State is its state. Reason explains any state but
	// verified.
	OperatorStatus = operators.Status
	// An Identity is the operator that the program runs for, "" if unknown, with the Source that names it.
	Identity = operators.Identity
	// A User is the configuration of the user. Dir is its directory, State the directory of the user's data; either is
	// "" if unknown. Operator, Sign and SigningKey are among its settings.
	User = settings.User
	// A Signature is the result of verifying the signature of a handoff. State is SignatureGood, SignatureUnsigned or
	// what is wrong. Operator is the owner of the key, Key its fingerprint.
	Signature = operators.Verdict
	// A Finding is a fault or a warning. Place is a file or file:line, Problem explains it, Remedy is a command that
	// ends it, or "".
	Finding = check.Finding
	// A Report is the result of Verify. Handoffs and Events count what was verified. Head is the head of the audit log.
	// Faults and Warnings are the findings, sorted by place.
	Report = check.Report
	// A RepairReport is the result of Repair. Done has a sentence for each repair.
	RepairReport = check.RepairReport
	// A Head is a state of an audit log. Count is the number of events, Hash that of the last event.
	Head = check.Head
)

// The values of Options.Git.
const (
	GitNone    = disk.GitNone    // git does not have the store
	GitTracked = disk.GitTracked // the handoffs are committed to a branch
	GitSynced  = disk.GitSynced  // the handoffs are ignored by git, and all work trees use those of the main one
)

// States of a Signature.
const (
	SignatureGood     = operators.Good     // made by a key of the sender
	SignatureUnsigned = operators.Unsigned // there is no signature
)

// SignatureNamespace is the SSH signature namespace of handoffs (ssh-keygen -Y sign -n).
const SignatureNamespace = operators.Namespace

// SyncAuto is the value of the user's setting sync with which each change starts a sync in the background.
const SyncAuto = settings.SyncAuto

// Next is the recipient of a handoff to whoever works here next, the sender included. Such a handoff is addressed to
// every operator, and unread until one of them marks it as read or takes it.
const Next = document.Next

// InGit reports whether a directory is in a git work tree.
func InGit(dir string) bool { return git.Top(dir) != "" }

// GitConfig returns a value of git's configuration in dir. It returns "" if git does not answer within ten seconds.
func GitConfig(dir, key string) string { return git.Config(dir, key) }

// IsIndex reports whether name is that of the index, or of an archive of it, in a handoffs directory.
func IsIndex(name string) bool { return name == disk.IndexFile || disk.ArchiveNumber(name) > 0 }

// IsSession reports whether name can be the name of an agent session.
func IsSession(name string) bool { return form.IsSlug(name, 128) }

// HasFrontmatter reports whether a text has the frontmatter of a handoff, even if fields of it are missing or wrong.
func HasFrontmatter(text []byte) bool {
	owner, _ := document.OwnerOf(text)
	return owner == document.Complete || owner == document.Partial
}

// Within reports whether path is dir or below it, without symbolic links that lead out. If that is unknown, the answer
// is no.
func Within(dir, path string) bool { return store.Within(dir, path) }

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

// Title returns the title of a handoff: the first heading of its body, otherwise the first sentence, otherwise the
// topic. It has at most 80 columns and is escaped for one line.
func Title(body, topic string) string { return document.Title(body, topic) }

// Cut returns text, escaped for one line and cut to width columns of a terminal. Cut text ends in "…".
func Cut(text string, width int) string { return form.Cut(text, width) }

// Width returns the number of terminal columns of a text that was escaped for one line.
func Width(text string) int { return form.Width(text) }

// Nearest returns the known word that a misspelled word probably means, "" if none is similar.
func Nearest(word string, known []string) string { return form.Nearest(word, known) }

// ID returns the id of a valid document: the SHA-256 of its RFC 8785 form. The HandoffID field is ignored. It fails
// on strings that are not valid UTF-8.
func ID(d Document) (string, error) { return document.ID(d) }

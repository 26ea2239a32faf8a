// Package relation defines the reserved forms of references. They relate a handoff to other handoffs, to times
// and to the work:
//
//	re:sha256:HEX64                an answer to
//	supersedes:sha256:HEX64        replaces exactly that one
//	expires:2026-12-01T00:00:00Z   an instant, as in ts_utc
//	git:HEX[:BRANCH[:N]]           the commit, branch, and number of files that differed from the commit;
//	                               an empty BRANCH before N means that none was checked out
//	file:PATH#sha256=HEX64         a file and its content; PATH is relative to the project root, with /,
//	                               without . and ..
//
// Each form has one spelling: parsing and formatting it again gives the same text. Any other reference has no
// meaning here, for example a URL such as file:///x or git://host/x. Other tools keep all references as they are.
package relation

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Kind is the text before the first colon of a form.
type Kind string

// The kinds.
const (
	Re         Kind = "re"
	Supersedes Kind = "supersedes"
	Expires    Kind = "expires"
	Git        Kind = "git"
	File       Kind = "file"
)

// A Form is a reference with a meaning. Fields for other kinds are empty.
type Form struct {
	Kind Kind
	ID   string // for Re and Supersedes: the handoff_id
	Time string // for Expires: the instant

	Commit, Branch string // for Git: hex digits, and the branch or ""
	Changed        string // for Git: a decimal number, "" if unknown

	Path, SHA256 string // for File
}

const sum = "#sha256="

// String returns the reference.
func (f Form) String() string {
	text := string(f.Kind) + ":"
	switch f.Kind {
	case Re, Supersedes:
		return text + f.ID
	case Expires:
		return text + f.Time
	case Git:
		text += f.Commit
		if f.Branch != "" || f.Changed != "" {
			text += ":" + f.Branch
		}
		if f.Changed != "" {
			text += ":" + f.Changed
		}
		return text
	case File:
		return text + f.Path + sum + f.SHA256
	}
	return ""
}

// A MalformedError reports a reference that begins like a form but is malformed.
type MalformedError struct{ Reference, Problem, Hint string }

func (e *MalformedError) Error() string {
	return "the reference " + fault.Quote(e.Reference) + " " + e.Problem
}

// Parse reads a reference. For a reference without meaning it returns a Form without a Kind. For one that begins
// like a form but is malformed, the error is a *MalformedError.
func Parse(reference string) (Form, error) {
	kind, rest, found := strings.Cut(reference, ":")
	p, reserved := parsers[Kind(kind)]
	if !found || !reserved || strings.HasPrefix(rest, "//") {
		return Form{}, nil
	}
	f := Form{Kind: Kind(kind)}
	if !p.parse(&f, rest) {
		return Form{}, &MalformedError{reference, p.problem, p.hint}
	}
	return f, nil
}

type parser struct {
	parse         func(f *Form, rest string) bool
	problem, hint string
}

var parsers = map[Kind]parser{
	Re:         {parseID, noID, hintID},
	Supersedes: {parseID, noID, hintID},
	Expires: {func(f *Form, s string) bool { f.Time = s; return form.IsInstant(s) },
		"names no time", "use expires: and a time such as 2026-12-01T00:00:00Z"},
	Git: {parseGit, "does not name a commit correctly",
		"use git: and the commit, then after colons the branch and the number of changed files"},
	File: {parseFile, "does not name a file correctly",
		"use file:PATH#sha256= and 64 lower-case hex digits; the path is relative to the project, with / and " +
			"without . and .."},
}

const (
	noID   = "names no handoff"
	hintID = "use its whole id: sha256: and 64 lower-case hex digits"
)

func parseID(f *Form, s string) bool {
	f.ID = s
	return form.IsID(s)
}

func parseGit(f *Form, s string) bool {
	parts := strings.Split(s, ":")
	if len(parts) > 3 {
		return false
	}
	f.Commit = parts[0]
	if !isCommit(f.Commit) {
		return false
	}
	if len(parts) > 1 {
		if f.Branch = parts[1]; !IsBranch(f.Branch) && !(f.Branch == "" && len(parts) == 3) {
			return false
		}
	}
	if len(parts) == 3 {
		f.Changed = parts[2]
		n, err := strconv.ParseUint(f.Changed, 10, 31)
		return err == nil && strconv.FormatUint(n, 10) == f.Changed
	}
	return true
}

// isCommit reports whether s is a commit as git prints it: its full or abbreviated hash.
func isCommit(s string) bool {
	const fewest, most = 7, 64
	return len(s) >= fewest && len(s) <= most && form.IsHex(s)
}

// IsBranch reports whether s can be the name of a branch in a reference. No branch is given to git.
func IsBranch(s string) bool {
	isOdd := func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' }
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, isOdd)
}

// parseFile parses from the right, since a path can contain text that looks like the end.
func parseFile(f *Form, s string) bool {
	at := strings.LastIndex(s, sum)
	if at < 0 {
		return false
	}
	f.Path, f.SHA256 = s[:at], s[at+len(sum):]
	return form.IsDigest(f.SHA256) && IsPath(f.Path)
}

// IsPath reports whether s is a relative file path that cannot leave its directory, on any system.
func IsPath(s string) bool {
	drive := len(s) > 1 && s[1] == ':'
	return fs.ValidPath(s) && s != "." && !drive && !strings.ContainsAny(s, "\\\x00")
}

// Package relation holds the reserved forms of references, with which one handoff says what it has to
// do with others, with time and with the work:
//
//	re:sha256:HEX64                an answer to
//	supersedes:sha256:HEX64        takes the place of exactly that one
//	expires:2026-12-01T00:00:00Z   an instant, as in ts_utc
//	git:HEX[:BRANCH[:N]]           the commit it was written at, and how many files differed from it then; a BRANCH that is
//	                               left empty before N says that none was checked out
//	file:PATH#sha256=HEX64         a file as it was; PATH is relative to the root of the project, with / and without . and ..
//	probe:NAME=passed              a claim that a probe of the project confirms
//	approve:required
//
// Each has one spelling, so that what is parsed and formatted again is the same text. Any other
// reference says nothing here, also a URL such as file:///x or git://host/x. Other tools keep all of
// them as they are.
package relation

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A Kind is what stands before the first colon of a form.
type Kind string

// The kinds.
const (
	Re         Kind = "re"
	Supersedes Kind = "supersedes"
	Expires    Kind = "expires"
	Git        Kind = "git"
	File       Kind = "file"
	Probe      Kind = "probe"
	Approve    Kind = "approve"
)

// A Form is a reference that has a meaning here. Fields of other kinds than its own are empty.
type Form struct {
	Kind Kind
	ID   string // of Re and Supersedes: the handoff_id
	Time string // of Expires: the instant

	Commit, Branch string // of Git: hexadecimal digits; "" if none is named
	Changed        string // of Git: a decimal number, "" if it is not known

	Path, SHA256 string // of File
	Probe        string // of Probe: its name
}

// required and passed are all that the last two kinds can say.
const (
	required = "required"
	passed   = "=passed"
	sum      = "#sha256="
)

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
	case Probe:
		return text + f.Probe + passed
	case Approve:
		return text + required
	}
	return ""
}

// A MalformedError says that a reference begins like a form and is none.
type MalformedError struct{ Reference, Problem, Hint string }

func (e *MalformedError) Error() string {
	return fmt.Sprintf("the reference %q %s", shortened(e.Reference), e.Problem)
}

func shortened(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Parse reads a reference. One that is none of the forms is a Form without a Kind; one that begins
// like a form and is malformed is a *MalformedError.
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
		"names no time", "write expires: and a time such as 2026-12-01T00:00:00Z"},
	Git: {parseGit, "does not name a commit as it should", "write git: and the commit, and behind colons the branch and how many files differed"},
	File: {parseFile, "does not name a file as it should",
		"write file:PATH#sha256= and 64 lower-case hex digits; the path is relative to the project, with / and without . and .."},
	Probe: {func(f *Form, s string) (ok bool) {
		f.Probe, ok = strings.CutSuffix(s, passed)
		return ok && form.IsSlug(f.Probe, MaxProbe)
	}, "does not name a probe as it should", "write probe:NAME=passed"},
	Approve: {func(_ *Form, s string) bool { return s == required }, "says nothing that is known", "write approve:required"},
}

// MaxProbe is how many characters the name of a probe may have: a slug.
const MaxProbe = 64

const (
	noID   = "names no handoff"
	hintID = "write its whole id: sha256: and 64 lower-case hex digits"
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

// isCommit accepts what git prints of a commit: all its digits, or so many that it is known by them.
func isCommit(s string) bool {
	const fewest, most = 7, 64
	return len(s) >= fewest && len(s) <= most && form.IsHex(s)
}

// IsBranch reports whether s can be the name of a branch (git-check-ref-format), and is no option.
func IsBranch(s string) bool {
	if s == "" || s == "@" || s[0] == '-' || strings.ContainsAny(s, " ~^:?*[\\\x7f") || strings.Contains(s, "..") || strings.Contains(s, "@{") ||
		strings.HasSuffix(s, ".") {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// parseFile begins at the right: a path may hold what looks like the end.
func parseFile(f *Form, s string) bool {
	at := strings.LastIndex(s, sum)
	if at < 0 {
		return false
	}
	f.Path, f.SHA256 = s[:at], s[at+len(sum):]
	return form.IsDigest(f.SHA256) && IsPath(f.Path)
}

// IsPath reports whether s is a path of a file that stays below where it begins, on every system.
func IsPath(s string) bool {
	drive := len(s) > 1 && s[1] == ':'
	return fs.ValidPath(s) && s != "." && !drive && !strings.ContainsAny(s, "\\\x00")
}

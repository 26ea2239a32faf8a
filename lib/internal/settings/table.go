package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A key is a row of the table of settings.
type key struct {
	name, variable string // the variable is "" if there is none
	kind
}

// A kind parses a value.
type kind struct {
	tag  string // the tag of the YAML scalar
	want string
	set  func(text string, from Source) bool // changes nothing if it returns false

	// each is set for a mapping of names. It returns the keys of one of them, and a function that checks them all.
	each     func(name string) (known []key, check func() error)
	isOfUser bool // only the user's own configuration can set the key
	isSecret bool // a wrong value may hold a password, so no error repeats it
}

// defaults returns the default settings, and the keys that change them.
func defaults() (*Settings, []key) {
	s := new(Settings)
	return s, []key{
		{"handoffs_dir", "HANDOFFS_DIR", path(&s.HandoffsDir, "handoffs")},
		{"state_dir", "HANDOFF_STATE_DIR", path(&s.StateDir, ".run")},
		{"operators_file", "HANDOFF_OPERATORS_FILE", path(&s.OperatorsFile, "OPERATORS.md")},
		{"operator", "HANDOFF_OPERATOR", slug(&s.Operator)},
		{"verify_operators", "", flag(&s.VerifyOperators, true)},
		{"schema_mode", "", oneOf(&s.SchemaMode, Strict, Warn)},
		{"git", "", oneOf(&s.Git, disk.GitNone, disk.GitTracked, disk.GitSynced)},
		{"remote", "", remote(&s.Remote)},
		{"remotes", "", kind{isOfUser: true}},
		{"sync_namespace", "", namespace(&s.SyncNamespace)},
		{"verify_git_match", "", flag(&s.VerifyGitMatch, false)},
		{"verify_gpg", "", flag(&s.VerifyGPG, false)},
		{"lock_timeout", "HANDOFF_LOCK_TIMEOUT", duration(&s.LockTimeout, 30*time.Second)},
		{"max_document_bytes", "", number(&s.MaxDocumentBytes, 1<<20, 1, 4<<20)}, // stored files are read up to 4 MiB
		{"index_max_rows", "", number(&s.IndexMaxRows, 5000, 2, 1_000_000)},
		{"surface_max_chars", "", number(&s.SurfaceMaxChars, 4000, 1, 1_000_000)},
		{"surface_max_age_days", "", number(&s.SurfaceMaxAgeDays, 0, 0, 36_500)},
		{"hook_enabled", "", flag(&s.HookEnabled, true)},
		{"max_age", "", duration(&s.MaxAge, 48*time.Hour)},
		{"record_work", "", flag(&s.RecordWork, true)},
		{"capture", "", oneOf(&s.Capture, CaptureSummary, CaptureNone, CaptureExtract)},
		{"max_hops", "", number(&s.MaxHops, 5, 0, 1000)},
		{"max_rate", "", number(&s.MaxRate, 10, 0, 1_000_000)},
		{"lease", "", duration(&s.Lease, 2*time.Hour)},
	}
}

// into sets to its default, and returns a kind that sets it.
func into[T any](to *Setting[T], usual T, tag, want string, parse func(string) (T, bool)) kind {
	*to = Setting[T]{usual, Default}
	return kind{tag: tag, want: want, set: func(text string, from Source) bool {
		value, ok := parse(text)
		if ok {
			*to = Setting[T]{value, from}
		}
		return ok
	}}
}

func path(to *Setting[string], usual string) kind {
	return into(to, usual, "!!str", "a path without control characters that does not begin with ~",
		func(s string) (string, bool) {
			return s, s != "" && s[0] != '~' && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
		})
}

func slug(to *Setting[string]) kind {
	return into(to, "", "!!str", "1 to 64 letters, digits, dashes or underscores", func(s string) (string, bool) {
		return s, form.IsSlug(s, 64)
	})
}

// remote parses the name of a remote. A URL is not allowed: the user's repository decides where handoffs are sent.
func remote(to *Setting[string]) kind {
	return into(to, "origin", "!!str", "the name of a remote", func(s string) (string, bool) {
		return s, form.IsRemote(s)
	})
}

func namespace(to *Setting[string]) kind {
	return into(to, "refs/handoff", "!!str", "refs/ and names with slashes between them, such as refs/heads/handoff",
		func(s string) (string, bool) {
			rest, ok := strings.CutPrefix(s, "refs/")
			for name := range strings.SplitSeq(rest, "/") {
				ok = ok && form.IsSlug(name, 64)
			}
			return s, ok
		})
}

// oneOf parses one of the words. The first is the default.
func oneOf[T ~string](to *Setting[T], words ...T) kind {
	want := strings.ReplaceAll(strings.Trim(fmt.Sprint(words), "[]"), " ", " or ")
	return into(to, words[0], "!!str", want, func(s string) (T, bool) {
		return T(s), slices.Contains(words, T(s))
	})
}

func flag(to *Setting[bool], usual bool) kind {
	return into(to, usual, "!!bool", "true or false", func(s string) (bool, bool) {
		return s == "true", s == "true" || s == "false"
	})
}

func number(to *Setting[int], usual, least, most int) kind {
	want := "a number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)
	return into(to, usual, "!!int", want, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && least <= n && n <= most && strconv.Itoa(n) == s // some readers parse 010 as 8
	})
}

func duration(to *Setting[time.Duration], usual time.Duration) kind {
	return into(to, usual, "!!str", "a duration such as 30s, 48h or 3d", func(s string) (time.Duration, bool) {
		d, ok := form.Duration(s)
		return d, ok && d >= 0
	})
}

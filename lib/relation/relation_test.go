package relation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/relation"
)

var (
	a = strings.Repeat("a", 64)
	b = strings.Repeat("b", 64)
)

func TestForms(t *testing.T) {
	for text, want := range map[string]relation.Form{
		"re:sha256:" + a:                      {Kind: relation.Re, ID: "sha256:" + a},
		"supersedes:sha256:" + a:              {Kind: relation.Supersedes, ID: "sha256:" + a},
		"expires:2026-12-01T00:00:00Z":        {Kind: relation.Expires, Time: "2026-12-01T00:00:00Z"},
		"git:0123abc":                         {Kind: relation.Git, Commit: "0123abc"},
		"git:" + a + ":fix/a.b":               {Kind: relation.Git, Commit: a, Branch: "fix/a.b"},
		"git:0123abc:main:12":                 {Kind: relation.Git, Commit: "0123abc", Branch: "main", Changed: "12"},
		"git:0123abc::0":                      {Kind: relation.Git, Commit: "0123abc", Changed: "0"},
		"file:a b/c.go#sha256=" + a:           {Kind: relation.File, Path: "a b/c.go", SHA256: a},
		"file:x#sha256=" + a + "#sha256=" + b: {Kind: relation.File, Path: "x#sha256=" + a, SHA256: b},
		"file:...#sha256=" + a:                {Kind: relation.File, Path: "...", SHA256: a},
		"https://example.org/1":               {},
		"file:///etc/passwd":                  {},
		"git://example.org/x":                 {},
		"RE:sha256:" + a:                      {},
		"relates to re:sha256:" + a:           {},
		"":                                    {},
		"re":                                  {},
		"gitlab:12":                           {},
		" re:sha256:" + a:                     {},
		"sha256:" + a:                         {},
	} {
		got, err := relation.Parse(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		if got.Kind != "" && got.String() != text {
			t.Errorf("%q is formatted as %q", text, got)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{
		"re:", "re:" + a, "re:sha256:" + a[1:], "re:sha256:" + strings.ToUpper(a), "re: sha256:" + a, "re:sha256:" + a + " ",
		"supersedes:sha256:" + a + ",sha256:" + b, "expires:", "expires:7d", "expires:2026-12-01", "expires:2026-02-30T00:00:00Z", "expires:2026-12-01T00:00:00+01:00",
		"git:", "git:HEAD", "git:012345", "git:ABCDEF0", "git:" + a + "0", "git:0123abc:", "git:0123abc:-x", "git:0123abc:a b", "git:0123abc:main:",
		"git:0123abc:main:03", "git:0123abc:main:-1", "git:0123abc:main:+1", "git:0123abc:main:99999999999", "git:0123abc:main:1:2", "git:0123abc::",
		"file:", "file:x", "file:#sha256=" + a, "file:/etc/passwd#sha256=" + a, "file:../x#sha256=" + a, "file:a/../../x#sha256=" + a, "file:a/./x#sha256=" + a, "file:.#sha256=" + a,
		"file:a//b#sha256=" + a, "file:a/#sha256=" + a, `file:..\x#sha256=` + a, "file:C:/x#sha256=" + a, "file:x#sha256=" + a[1:], "file:x#sha256=" + strings.ToUpper(a),
	} {
		got, err := relation.Parse(text)
		if bad := (*relation.MalformedError)(nil); !errors.As(err, &bad) || bad.Hint == "" || bad.Reference != text || got != (relation.Form{}) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

func TestSet(t *testing.T) {
	got := relation.Of([]string{"https://example.org", "re:sha256:" + a, "re:sha256:" + b, "re:sha256:" + a, "supersedes:sha256:" + b, "expires:2026-12-01T00:00:00Z",
		"expires:2026-12-01T00:00:00.5Z", "expires:2026-11-30T23:59:59.9Z", "git:HEAD", "git:0123abc", "file:x#sha256=" + a})
	want := relation.Set{Re: []string{"sha256:" + a, "sha256:" + b}, Supersedes: []string{"sha256:" + b}, Expires: "2026-11-30T23:59:59.9Z",
		Git: []relation.Form{{Kind: relation.Git, Commit: "0123abc"}}, Files: []relation.Form{{Kind: relation.File, Path: "x", SHA256: a}}}
	bad := got.Malformed
	got.Malformed = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(bad) != 1 || bad[0].Reference != "git:HEAD" {
		t.Errorf("malformed are %v", bad)
	}
	at := time.Date(2026, 11, 30, 23, 59, 59, 900_000_000, time.UTC)
	if got.IsExpired(at.Add(-1)) || !got.IsExpired(at) || (relation.Set{}).IsExpired(at) {
		t.Error("it expires at another time")
	}
}

// What is parsed has one spelling, and a path never leaves the project.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"re:sha256:" + a, "git:0123abc:a/b:3", "git:0123abc::0", "file:x/y#sha256=" + a, "expires:2026-12-01T00:00:00.123Z", "git://x", "file:../x#sha256=" + a} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := relation.Parse(text)
		if err != nil || got.Kind == "" {
			if got != (relation.Form{}) {
				t.Fatalf("%q is %+v all the same", text, got)
			}
			return
		}
		if got.String() != text {
			t.Fatalf("%q is formatted as %q", text, got)
		}
		for part := range strings.SplitSeq(got.Path, "/") {
			if got.Kind == relation.File && (part == "" || part == "." || part == "..") {
				t.Fatalf("%q leaves the project", got.Path)
			}
		}
	})
}

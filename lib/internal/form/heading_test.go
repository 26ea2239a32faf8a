package form_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestHeading(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"no heading\n":                    "",
		"text\n# Where it stands #\n":     "Where it stands",
		"\ufeff# As some editors save it": "As some editors save it",
		"#tag\n###### Six\n":              "Six",
		"####### Seven\n":                 "",
		"```\n# a comment\n```\n## B":     "B",
		"Title\n=====\n":                  "Title",
		"Title\n---\n":                    "Title",
		"\n---\n# After a rule\n":         "After a rule",
		"#\n# B":                          "B",
	} {
		if got := form.Heading(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTopic(t *testing.T) {
	for heading, want := range map[string]string{
		"Deploy: it's done!":      "deploy-its-done",
		"v1.2 — the second try":   "v1-2-the-second-try",
		"調査":                      "diao-cha",
		"!!!":                     "",
		strings.Repeat("ab ", 40): strings.TrimSuffix(strings.Repeat("ab-", 26), "-"),
	} {
		got := form.Topic(heading, 80)
		if got != want || got != "" && !form.IsSlug(got, 80) {
			t.Errorf("%q: got %q, want %q", heading, got, want)
		}
	}
}

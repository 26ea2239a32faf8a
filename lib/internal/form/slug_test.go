package form_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"codex":                 "codex",
		"José":                  "Jos-",
		"a b.c":                 "a-b-c",
		"張偉":                    "u5f35-u5049",
		"克劳德-v2":                "u514b-u52b3-u5fb7-v2",
		"李 娜":                   "u674e-u5a1c",
		"":                      "",
		strings.Repeat("調", 12): strings.TrimSuffix(strings.Repeat("u8abf-", 6), "-") + "",
		strings.Repeat("x", 50): strings.Repeat("x", 40),
	} {
		if got := form.Slug(text, 40); got != want || len(got) > 40 || got != "" && !form.IsSlug(got, 40) {
			t.Errorf("%q gives %q, want %q", text, got, want)
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

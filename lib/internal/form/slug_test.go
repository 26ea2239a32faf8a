package form_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Codex_2":               "Codex_2",
		"José":                  "jose",
		"a b.c":                 "a-b-c",
		"克劳德-v2":                "ke-lao-de-v2",
		"":                      "",
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

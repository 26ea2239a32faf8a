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
		"張偉":                    "zhang-wei",
		"克劳德-v2":                "ke-lao-de-v2",
		"李 娜":                   "li-nuo",
		"":                      "",
		strings.Repeat("調", 12): strings.TrimSuffix(strings.Repeat("diao-", 8), "-"),
		strings.Repeat("x", 50): strings.Repeat("x", 40),
	} {
		if got := form.Slug(text, 40); got != want || len(got) > 40 || got != "" && !form.IsSlug(got, 40) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

package document_test

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestTitle(t *testing.T) {
	for body, want := range map[string]string{
		"":                              "topic",
		"\n \n\t\n":                     "topic",
		"# Berth map stays blank\n\nx":  "Berth map stays blank",
		"Text first.\n\n## The heading": "The heading",
		"Tests are green; the deploy is open.\nMore.":                           "Tests are green; the deploy is open",
		"See v1.2 of e.g. the planner. Then go on.":                             "See v1.2 of e.g. the planner",
		"Is it done? Yes.":                                                      "Is it done?",
		"岸壁の予約は動く。次は地図。":                                                        "岸壁の予約は動く",
		"هل انتهى العمل؟ نعم":                                                   "هل انتهى العمل؟",
		"# جدول المد والجزر\n":                                                  "جدول المد والجزر",
		"```\n# not this\n```\n# **Bold** and `code` #\n":                       "Bold and code",
		"- [x] [Draw the quay](https://example.com) *now*":                      "Draw the quay now",
		"2. a_b_c is 2 * 3 and 4*5*6":                                           "a_b_c is 2 * 3 and 4*5*6",
		"> quoted ![alt](x.png) __init__":                                       "quoted alt __init__",
		"<!-- fill this in -->\n\\*Starred\\*":                                  `\*Starred\*`,
		"# Where it stands\n\nGreen, all of it. Go on.":                         "Green, all of it",
		"Summary\n=======\n- one of two\n":                                      "one of two",
		"# Status\n\n---\n":                                                     "topic",
		"# Session Handoff\n\n# Session Handoff\n\n## Payments\n":               "Payments",
		"# Summary\n\nAll is paid.\n\n# Payments":                               "Payments",
		"Owner: ann\n---\n\n# Payments":                                         "Payments",
		"Owner: ann\n**Status:** open\n---\nThe refunds wait. Go on.":           "The refunds wait",
		"The cause: a full disk on db-2. Then it fell.":                         "The cause: a full disk on db-2",
		"Bug: the cache is cold":                                                "Bug: the cache is cold",
		"Payments\n---\n\nThe refunds wait.":                                    "Payments",
		"---\ntitle: \"The refunds\"\ndate: 2026-02-07\n---\ntext\n":            "The refunds",
		"---\ntitle: x\n---\n# Payments":                                        "Payments",
		"+++\ntitle = 'The refunds'\ndate = 2026-02-07\n+++\ntext\n":            "The refunds",
		"{\n  \"title\": \"The refunds\",\n  \"a\": {}\n}\n\ntext\n":            "The refunds",
		"---\ntitle: >-\n  The refunds\n--- \ntext\n":                           "The refunds",
		"---\ntitle: [x]\n---\ntext\n":                                          "text",
		"#+TITLE: The refunds\n#+DATE: 2026\n\n* First\n":                       "The refunds",
		"```\ntitle: x\n```\n+++\ntext":                                         "text",
		"---\n\nA rule. Then text":                                              "A rule",
		"<div align=center>\n\n<h1 align=\"center\">\nR&amp;D\n</h1>\n\n# More": "R&D",
		"# <img src=x> Pay <b>now</b> &lt;soon&gt; for <id>":                    "Pay now <soon> for <id>",
		"[![CI](a.svg)](b) [docs](c) `x`":                                       "CI docs x",
		"[![CI](a.svg)](b)\n\nWe moved the quay.":                               "We moved the quay",
		"# Handoff — 2026-02-07\n\n## 交接文档\n\n## Session 12\nok go":             "ok go",
		"# Session Handoff: Payments":                                           "Session Handoff: Payments",
		"# find -name '*.captured' -o -name '*.log', 10~20":                     "find -name '*.captured' -o -name '*.log', 10~20",
		`# __init__ \\srv f(*args, **kw) 2*3*4 h[i](x) --force`:                 `__init__ \\srv f(*args, **kw) 2*3*4 h[i](x) --force`,
		"Intro\n\n    rm -rf x\n    # no heading\n\n| a | b |\n":                "Intro",
		"    # no heading\n\n# Heading":                                         "Heading",
		"\t# no heading\n\n# Heading":                                           "Heading",
		"---\ntitle: 'It''s paid'\n---\ntext":                                   "It's paid",
		"<!DOCTYPE html>\n<html><body><h1>Paid</h1></body></html>":              "Paid",
		"<!DOCTYPE html>\n<html><body>Paid</body></html>":                       "Paid",
		"```\n# a\n":                       "topic",
		"#tag\n###### Six\n":               "Six",
		"####### Seven\n":                  "####### Seven",
		"#42 is fixed":                     "#42 is fixed",
		"-5 °C at night":                   "-5 °C at night",
		"\n---\n# After a rule":            "After a rule",
		"🎉🎉":                               "🎉🎉",
		"👩‍💻 works":                        "👩‍💻 works",
		"...":                              "topic",
		"!!! ???\n***":                     "topic",
		"# \u202eabc\x1b[31m\u200b":        `\u{202e}abc\x1b[31m\u{200b}`,
		"a\tb\u00a0c":                      "a b c",
		"not UTF-8: \xff":                  "not UTF-8: \ufffd",
		"# " + strings.Repeat("w ", 100):   strings.Repeat("w ", 39) + "w…",
		"# " + strings.Repeat("漢", 41):     strings.Repeat("漢", 39) + "…",
		strings.Repeat("e\u0301", 600_000): strings.Repeat("e\u0301", 79) + "…",
	} {
		if got := document.Title(body, "topic"); got != want {
			t.Errorf("%.80q: got %q, want %q", body, got, want)
		}
	}
}

// Nothing that somebody writes takes long, or breaks a line.
func TestTitleOfAnything(t *testing.T) {
	for _, piece := range []string{"x", "\u0301", "`", "*", "**a", "[", "](", "[a](", "<h1>", "<!--", "_a", "~~", "\\", "#", "# ", "\n", "\n# ", ". ", "é", "😀\u200d", "\xff"} {
		checkTitle(t, strings.Repeat(piece, 1<<20/len(piece)))
	}
	rapid.Check(t, func(t *rapid.T) { checkTitle(t, rapid.String().Draw(t, "body")) })
}

func checkTitle(t interface{ Errorf(string, ...any) }, body string) {
	title := document.Title(body, "topic")
	if title == "" || title != form.EscapeLine(title) || uniseg.StringWidth(title) > 80 || len(title) > 20_000 {
		t.Errorf("%.80q: the title is %.200q", body, title)
	}
}

func TestTopicOf(t *testing.T) {
	for body, want := range map[string]string{
		"# Move the quay\n\nx":                        "move-the-quay",
		"# Handoff\n\nThe deploy is open. Go on.":     "the-deploy-is-open",
		"## Summary\n\n- **Cache** is stale":          "cache-is-stale",
		"# Notes\n\n# Deploy\n\n1. Build the berths.": "deploy",
		"# Handoff\n":                        "handoff",
		"---\ntitle: The refunds\n---\nx":    "the-refunds",
		"# 部署":                               "bu-shu",
		"Build the quay\rThe berths follow":  "build-the-quay",
		"\ufeff# Build\r\rThe berths follow": "build",
		"":                                   "note",
	} {
		if got := document.TopicOf(body); got != want {
			t.Errorf("TopicOf(%q) = %q, want %q", body, got, want)
		}
	}
}

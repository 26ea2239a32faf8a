package markdown_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/cmd/internal/markdown"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func show(body string, width int) string {
	return strings.Join(markdown.Lines(body, markdown.Options{Width: width, Plain: true}), "\n")
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"heading and text", "# Where it *stands*\n\nGreen, **all** of it,\nsince `main`.\n", "Where it stands\n\nGreen, all of it, since\nmain."},
		{"tight list", "- one\n- two\n  1. deep\n  2. deeper\n- [x] done\n", "• one\n• two\n  1. deep\n  2. deeper\n☑ done"},
		{"loose list", "3. one\n\n4. two\n", "3. one\n\n4. two"},
		{"wrapped item", "- a long item that does not fit in one line\n", "• a long item that does\n  not fit in one line"},
		{"quote", "> said\n> so\n>\n> twice\n", "│ said so\n│ \n│ twice"},
		{"code", "```go title\nfunc main() {\n\tx()\n}\n```\n", "go title\n  func main() {\n      x()\n  }"},
		{"long code", "    0123456789012345678901234567890123456789\n", "  0123456789012345678901\n  234567890123456789"},
		{"link", "[text](http://a.b \"title\") and <http://c.d> and [http://e.f](http://e.f)\n", "text (http://a.b\n\"title\") and http://c.d\nand http://e.f"},
		{"image", "![alt](p.png)\n", "image: alt (p.png)"},
		{"table", "| a | bb |\n|---|----|\n| 1 | 2 | 3 |\n", "| a | bb |\n|---|----|\n| 1 | 2 | 3 |"},
		{"columns", "| Day | *Height* | x |\n|:--|--:|---|\n| 3 Dec | 4 m | `b` |\n| 11 |\n", "Day    Height  x\n─────  ──────  ─\n3 Dec     4 m  b\n11"},
		{"columns without room", "| one of them | another word |\n|---|---|\n| a | six seven eight |\n", "one of them  another\n             word\n───────────  ───────────\na            six seven\n             eight"},
		{"too many columns", "|a|b|c|d|e|f|g|h|i|j|\n|-|-|-|-|-|-|-|-|-|-|\n|1|\n", "|a|b|c|d|e|f|g|h|i|j|\n|-|-|-|-|-|-|-|-|-|-|\n|1|"},
		{"task", "- [ ] a long task that does not fit in one line\n", "☐ a long task that does\n  not fit in one line"},
		{"hard break", "one\\\ntwo  \nthree\n", "one\ntwo\nthree"},
		{"rule", "a\n\n---\n", "a\n\n────────────────────────"},
		{"HTML", "<div>\n<!-- hidden? -->\n</div>\n\nx <b>y</b>\n", "<div>\n<!-- hidden? -->\n</div>\n\nx <b>y</b>"},
		{"comment", "<!-- one\ntwo -->\n", "<!-- one\ntwo -->"},
		{"definition", "see [it]\n\n[it]: http://a.b \"do this\"\n", "see it (http://a.b \"do\nthis\")\n\n[it]: http://a.b \"do thi\ns\""},
		{"struck", "~~gone~~\n", "gone"},
		{"nothing", "", ""},
		{"wide letters", "漢字かな交じり文がここに折り返される\n", "漢字かな交じり文がここに\n折り返される"},
		{"emoji", "👩‍💻 works ✅\n", "👩‍💻 works ✅"},
		{"escaped punctuation", `\*not emphasis\*`, "*not emphasis*"},
	} {
		if diff := cmp.Diff(test.want, show(test.body, 24)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

// A first heading is left out if it shows nothing but the title, which is above the body.
func TestTitleIsNotRepeated(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for body, want := range map[string]string{
		"# The `cache`\n\nIt is cold.\n":          "It is cold.",
		"The cache\n===\n\nIt is cold.\n":         "It is cold.",
		"## Status\n\nThe cache\n":                "Status\n\nThe cache",
		"One.\n\n# The cache\n":                   "One.\n\nThe cache",
		"# [The cache](http://a.b)\n\nIs cold.\n": "The cache (http://a.b)\n\nIs cold.",
		"# " + long + "\n\nIs cold.\n":            strings.TrimSpace(long) + "\n\nIs cold.",
		"# ---\n":                                 "---",
	} {
		for _, title := range []string{handoff.Title(body, ""), ""} {
			got := strings.Join(markdown.Lines(body, markdown.Options{Width: 200, Title: title, Plain: true}), "\n")
			if title != "" && got != want || title == "" && !strings.Contains(body, "---") && got == "It is cold." {
				t.Errorf("%q with the title %q: %q", body, title, got)
			}
		}
	}
}

// Markup cannot put a control character together, and a terminal is told of no link.
func TestNoControl(t *testing.T) {
	for _, body := range []string{
		"&#27;[2J &#x1b;]0;t&#7; &Tab;&NewLine; &#155;31m", "`&#27;[2J`", "[x](http://a.b/&#27;]8;;)", "![\x1b](x)", "<\x1b[2J>", "\\\x1b[2J", "# \x1b]0;x\a",
		"```\x1b[2J\n\x9b2J\n```", "| \x1b |\n|--|\n| \x07 |", "[a]: <\x1b> '\x1b'\n\n[a]", "a\u202eb\u200bc", "* \x00\n* \x7f",
	} {
		for _, line := range markdown.Lines(body, markdown.Options{Width: 30}) {
			checkLine(t, line)
		}
	}
}

var ours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkLine accepts our SGR alone, and none that goes on after the line.
func checkLine(t interface{ Errorf(string, ...any) }, line string) {
	if codes := ours.FindAllString(line, -1); len(codes) > 0 && codes[len(codes)-1] != "\x1b[m" {
		t.Errorf("the style goes on after %q", line)
	}
	for _, c := range ours.ReplaceAllString(line, "") {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x202e || c == 0x200b || c == '\u2028' {
			t.Errorf("%U in %q", c, line)
		}
	}
}

// Whatever the text is: no control character, no line that is too wide, and every letter and digit of it on the screen.
func TestAnything(t *testing.T) {
	pieces := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{
		"\n", "\n\n", "# ", "- ", "1. ", "> ", "```", "    ", "|", "\n|--|--|\n", "*", "**", "_", "`", "[", "](", ")", "<!--", "-->", "<b>", "&#27;", "\\", "~~", "[x]: ", "\x1b[2J", "\x9b", "漢", "é", "👍", "---\n", "\t", "http://a.b",
	}), rapid.StringMatching("[a-z0-9 ]{1,12}")))
	rapid.Check(t, func(t *rapid.T) {
		body, width := strings.Join(pieces.Draw(t, "body"), ""), rapid.IntRange(1, 60).Draw(t, "width")
		lines := markdown.Lines(body, markdown.Options{Width: width})
		for _, line := range lines {
			checkLine(t, line)
			if ansi.StringWidth(line) > max(width, 24) {
				t.Errorf("%d columns of %d: %q", ansi.StringWidth(line), width, line)
			}
		}
		shown := count(ours.ReplaceAllString(strings.Join(lines, ""), ""))
		for c, n := range count(body) {
			if c != 'x' && !strings.ContainsRune("1234567890b", c) && shown[c] < n {
				t.Errorf("%d of %d %q are shown of %q in %q", shown[c], n, c, body, lines)
			}
		}
	})
}

func count(text string) map[rune]int {
	seen := make(map[rune]int)
	for _, c := range text {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '漢' {
			seen[c]++
		}
	}
	return seen
}

// A long body is shown, without its markup.
func TestLongBody(t *testing.T) {
	lines := markdown.Lines(strings.Repeat("*word* ", 600_000), markdown.Options{Width: 80})
	if len(lines) < 50_000 || !strings.HasPrefix(lines[0], "*word* ") {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
}

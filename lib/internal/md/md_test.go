package md_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/md"
)

func show(body string, width int, colors bool) string {
	return strings.Join(md.Lines(body, "", width, colors), "\n")
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"heading and text", "# Where it stands\n\nGreen, all of it,\nsince `main`.\n", "# Where it stands\n\nGreen, all of it, since\n`main`."},
		{"underlined heading", "Where\n===\n\nx\n", "# Where\n\nx"},
		{"list", "- one\n- two\n  1. deep\n  2. deeper\n- [x] done\n", "- one\n- two\n  1. deep\n  2. deeper\n- [x] done"},
		{"numbers", "3. one\n\n4. two\n007) three\n", "3. one\n\n4. two\n007) three"},
		{"wrapped item", "- a long item that does not fit in one line\n", "- a long item that does\n  not fit in one line"},
		{"text in an item", "- one\n\n  more\n\n      code  x\n", "- one\n\n  more\n\n      code  x"},
		{"quote", "> first\n> second\n>\n> x\n", "> first\n> second\n>\n> x"},
		{"code", "```go title\nfunc main() {\n\tx()\n}\n```\n", "```go title\nfunc main() {\n    x()\n}\n```"},
		{"long code", "    rm -rf 'one two three four five' six\n", "    rm -rf 'one two three four five' six"},
		{"code in a line", "so run `rm -f one two three four` now\n", "so run\n`rm -f one two three four`\nnow"},
		{"hyphens", "with the option --dry-run-first\n", "with the option\n--dry-run-first"},
		{"command in lines", "so run x \\\n  -v \\\n  y\n", "so run x \\\n  -v \\\n  y"},
		{"open code", "~~~\nx\n\ny", "~~~\nx\n\ny"},
		{"metadata", "---\ndate: 1\nwho: x\n---\ntext\n", "---\ndate: 1\nwho: x\n---\ntext"},
		{"rule", "a\n\n---\n\nb\n", "a\n\n---\n\nb"},
		{"link", "[text](http://a.b) or <http://c.d>\n", "[text](http://a.b) or\n<http://c.d>"},
		{"table", "| Day | x |\n|:--|--:|\n| 3 Dec | `b` |\n| 11 |\n", "Day    x\n3 Dec  `b`\n11"},
		{"wide table", "| one | another word |\n|---|---|\n| a | six seven eight nine |\n", "one: a\nanother word: six seven\n  eight nine"},
		{"no table", "| a | bb |\n| 1 | 2  |\n", "| a | bb |\n| 1 | 2  |"},
		{"pipe in a cell", "| a | b | c |\n|---|---|---|\n| `x | y` | n |\n", "| a | b | c |\n|---|---|---|\n| `x | y` | n |"},
		{"marked pipe in a cell", "| a | b |\n|---|---|\n| x \\| y |\n", "| a | b |\n|---|---|\n| x \\| y |"},
		{"empty cells", "| a | b |\n|---|---|\n|| y |\n", "a  b\n   y"},
		{"cells without header", "|a|\n|-|\n|1|do this|\n", "|a|\n|-|\n|1|do this|"},
		{"HTML", "<!-- hidden? -->\n<b>y</b>\n", "<!-- hidden? -->\n<b>y</b>"},
		{"nothing", "", ""},
		{"wide letters", "漢字かな交じり文がここに折り返される\n", "漢字かな交じり文がここに\n折り返される"},
	} {
		if diff := cmp.Diff(test.want, show(test.body, 24, false)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

var ours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Commands and numbers are shown as they are, in every mode.
func TestNothingIsChanged(t *testing.T) {
	for _, body := range []string{
		"__init__", "2*3*4", "2**3**4", "10~20", "~~gone~~", "rm -f '*.log' \"*.log\"", `C:\new\*.txt \* \_x\_`, "a_b_c and _this_ and *that*", "f(**a, **b) or x='**'", "print(**a, sep='**')", "find **/a **/b **", "ls **.py **.go", "ls **.py; ls b**", "`**a**` and `x",
		"use --a-b, a-b", "&amp; &#27; <b>", "[a](b) ![c](d)", "1. a", "#1 and #hash", "a|b", "**a `b** c` d", "** a **", "** a**",
	} {
		for _, colors := range []bool{false, true} {
			if got := ours.ReplaceAllString(show(body, 80, colors), ""); got != body {
				t.Errorf("%q is shown as %q", body, got)
			}
		}
	}
	if got, want := show("Now **all** of `it`, (**so far**).", 80, true), "Now \x1b[1mall\x1b[m of \x1b[33m`it`\x1b[m, (\x1b[1mso \x1b[m\x1b[1mfar\x1b[m)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := show("Now **all** of it", 80, false); got != "Now **all** of it" {
		t.Error(got)
	}
	if got, want := show("This *is* _it_, __main__ of *.go and *.mod.", 80, true), "This \x1b[3m*is*\x1b[m \x1b[3m_it_\x1b[m, \x1b[1m__main__\x1b[m of *.go and *.mod."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A first heading is left out if it shows nothing but the title, which is above the body.
func TestTitleIsNotRepeated(t *testing.T) {
	for body, want := range map[string]string{
		"# The `cache`\n\nIt is cold.\n": "It is cold.", "The cache\n===\n\nIt is cold.\n": "It is cold.", "# The cache": "",
		"One.\n\n# The cache\n": "One.\n\n# The cache", "# [The cache](http://a.b)\n": "# [The cache](http://a.b)",
	} {
		if got := strings.Join(md.Lines(body, "The cache", 80, false), "\n"); got != want {
			t.Errorf("%q: %q", body, got)
		}
	}
}

func TestHTML(t *testing.T) {
	for body, want := range map[string]string{
		"## A **b** <i>\n\n`x<y` __init__":            "<h2 dir=\"auto\">A <strong>b</strong> &lt;i&gt;</h2>\n<p dir=\"auto\"><code>`x&lt;y`</code> <strong>__init__</strong></p>\n",
		"- a\n  - b\n- c\n\n2) d":                     "<ul dir=\"auto\">\n<li>a<ul dir=\"auto\">\n<li>b</li></ul>\n</li>\n<li>c</li>\n<li class=\"number\">2) d</li></ul>\n",
		"- [x] a\n1. [ ] b\n- [y] c":                  "<ul dir=\"auto\">\n<li><bdi>[x]</bdi> a</li>\n<li class=\"number\">1. <bdi>[ ]</bdi> b</li>\n<li>[y] c</li></ul>\n",
		"```js\na <b\n```\n> q\n> r":                  "<pre tabindex=\"0\"><code>a &lt;b</code></pre>\n<blockquote dir=\"auto\">\n<p>q</p>\n<p>r</p>\n</blockquote>\n",
		"[x](javascript:1) https://a.b/?x=1&y. \"><b": "<p dir=\"auto\">[x](javascript:1) <a rel=\"noopener noreferrer nofollow\" href=\"https://a.b/?x=1&amp;y\">https://a.b/?x=1&amp;y</a>. &#34;&gt;&lt;b</p>\n",
	} {
		if diff := cmp.Diff(want, md.HTML(body, "")); diff != "" {
			t.Errorf("%q:\n%s", body, diff)
		}
	}
}

// Whatever the text is: no control character, no style that goes on, and every letter and digit of it on the screen.
func TestAnything(t *testing.T) {
	pieces := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{
		"\n", "\n\n", "# ", "- ", "1. ", "> ", "```", "    ", "|", "\n|--|--|\n", "*", "**", "_", "`", "[", "](", ")", "<!--", "<b>", "&#27;", "\\", "\x1b[2J", "\x9b", "漢", "👍", "\u200d", "---\n", "\t", "http://a.b",
	}), rapid.StringMatching("[a-z0-9 ]{1,12}")))
	rapid.Check(t, func(t *rapid.T) {
		body, width := strings.Join(pieces.Draw(t, "body"), ""), rapid.IntRange(1, 60).Draw(t, "width")
		lines := md.Lines(body, "", width, true)
		for _, line := range lines {
			if codes := ours.FindAllString(line, -1); len(codes)%2 == 1 || len(codes) > 0 && codes[len(codes)-1] != "\x1b[m" {
				t.Errorf("the style goes on after %q", line)
			}
			if shown := ours.ReplaceAllString(line, ""); form.EscapeLine(shown) != shown {
				t.Errorf("%q can steer the terminal", line)
			}
		}
		shown := ours.ReplaceAllString(strings.Join(lines, ""), "")
		for _, c := range "acfgklmoqrsvwyz漢" {
			if strings.Count(shown, string(c)) < strings.Count(body, string(c)) {
				t.Errorf("not each %q of %q is shown in %q", c, body, lines)
			}
		}
	})
}

// A long body of marks takes no longer than text.
func TestLongBodies(t *testing.T) {
	for _, piece := range []string{"*", "**", "`", "**a ", "> ", "[", "|", "a`b ", "**a** ", "- ", "a-", "http://a "} {
		begin := time.Now()
		if md.Lines(strings.Repeat(piece, 400_000/len(piece)), "", 80, true); time.Since(begin) > 20*time.Second {
			t.Errorf("%q takes %v", piece, time.Since(begin))
		}
	}
}

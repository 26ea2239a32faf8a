package secrets_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// every puts mark into s behind every n characters.
func every(s, mark string, n int) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && i%n == 0 {
			b.WriteString(mark)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// each returns s with every ASCII character in another form.
func each(format string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, format, r)
		}
		return b.String()
	}
}

// margin returns s with a mark before every line.
func margin(mark string) func(string) string {
	return func(s string) string { return mark + strings.ReplaceAll(s, "\n", "\n"+mark) }
}

func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// hiders are the forms in which a credential stands in logs, addresses, JSON and what was copied from a terminal or a page.
var hiders = map[string]func(string) string{
	"percent-encoded quotes":     func(s string) string { return "q=%22" + s + "%22&x=1" },
	"percent-encoded":            func(s string) string { return "q%3D" + percent(s) + "&x=1" },
	"percent-encoded twice":      func(s string) string { return "q%253D" + url.PathEscape(percent(s)) + "&x=1" },
	"every byte percent-encoded": each("%%%02X"),
	"coloured":                   func(s string) string { return "is\x1b[32m" + s + "\x1b[0m." },
	"coloured inside":            func(s string) string { return "is \x1b[1;32m" + every(s, "\x1b[1m", 5) + "\x1b[0m." },
	"coloured, in JSON":          func(s string) string { return `{"log":"is\u001b[32m` + quoted(s)[1:len(quoted(s))-1] + `\u001b[0m"}` },
	"coloured, as C":             func(s string) string { return `is\x1b[32m` + s + `\x1b[0m` },
	"coloured, as a shell":       func(s string) string { return `is\033[32m` + s + `\e[0m` },
	"coloured, escape lost":      func(s string) string { return "is[32m" + s + "[0m" },
	"a link":                     func(s string) string { return "is\x1b]8;;https://example.org\x1b\\" + s + "\x1b]8;;\x1b\\" },
	"zero-width space":           func(s string) string { return "is " + every(s, "\u200b", 7) + " ." },
	"soft hyphen":                func(s string) string { return "is " + every(s, "\u00ad", 6) + " ." },
	"joiner behind a word":       func(s string) string { return "is\u2060" + s + "\u2060 ." },
	"byte order mark":            func(s string) string { return every("\ufeff"+s, "\ufeff", 11) },
	"nul bytes":                  func(s string) string { return every(s, "\x00", 3) },
	"JSON":                       quoted,
	"JSON in JSON":               func(s string) string { return quoted(quoted(s)) },
	"JSON in JSON in JSON":       func(s string) string { return quoted(quoted(quoted(s))) },
	"JSON, every character":      each(`\u%04x`),
	"JSON of PHP":                func(s string) string { return strings.ReplaceAll(quoted(s), "/", `\/`) },
	"quote in JSON":              func(s string) string { return `"\u0022` + quoted(s)[1:len(quoted(s))-1] + `\u0022"` },
	"entities":                   each("&#%d;"),
	"Markdown":                   func(s string) string { return strings.NewReplacer("_", `\_`, "-", `\-`, ".", `\.`).Replace(s) },
	"fullwidth": func(s string) string {
		return strings.Map(func(r rune) rune {
			if '!' <= r && r <= '~' {
				r += '\uff01' - '!'
			}
			return r
		}, s)
	},
	"quoted-printable":         func(s string) string { return "is=3D" + s },
	"quoted-printable, broken": func(s string) string { return "is=3D" + every(s, "=\r\n", 17) },
	"quoted in Markdown":       margin("> "),
	"quoted twice in Markdown": margin(">> "),
	"a list in Markdown":       margin("- "),
	"a diff":                   margin("+"),
	"a comment":                margin("# "),
	"a comment of C":           margin("// "),
	"a log":                    margin("   | "),
	"continued lines":          func(s string) string { return "curl -H " + every(s, "\\\n", 12) },
}

// What hides is undone for the scan alone: the finding covers the hidden form, and what replaces it leaves nothing of it.
func TestHidden(t *testing.T) {
	samples := 0
	for seed := range seeds(2) {
		for _, s := range made(seed) {
			for name, hide := range hiders {
				samples++
				text := hide(s.text)
				if found := secrets.Scan(text); len(found) == 0 {
					t.Errorf("%s, %s (seed %d): nothing is found", s.rule, name, seed)
				}
				clean := secrets.Redact(text, secrets.Scan(text))
				if again := secrets.Scan(clean); len(again) != 0 {
					t.Errorf("%s, %s (seed %d): %v stays in %q", s.rule, name, seed, again, clean)
				}
			}
		}
	}
	t.Logf("%d hidden credentials", samples)
}

func TestRedactHiddenExactly(t *testing.T) {
	secret := token()
	for _, test := range []struct{ text, want string }{
		{"a=%22" + secret + "%22", "a=%22[redacted:github-token]%22"},
		{"is\x1b[32m" + secret + "\x1b[0m.", "is\x1b[32m[redacted:github-token]\x1b[0m."},
		{"is " + secret[:9] + "\u200b" + secret[9:] + "\u200b.", "is [redacted:github-token]\u200b."},
		{`{"a":"` + strings.Replace(secret, "_", `\u005f`, 1) + `\n"}`, `{"a":"[redacted:github-token]\n"}`},
		{`\u0022` + secret + `\u0022`, `\u0022[redacted:github-token]\u0022`},
		{"é%C3%A9 " + strings.Replace(secret, "_", "%5F", 1) + "%20é", "é%C3%A9 [redacted:github-token]%20é"},
		{"ghp&#95;" + secret[4:] + "&#10;", "[redacted:github-token]&#10;"},
	} {
		if got := secrets.Redact(test.text, secrets.Scan(test.text)); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

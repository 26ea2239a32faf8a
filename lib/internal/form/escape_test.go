package form_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestEscape(t *testing.T) {
	tests := []struct {
		name, in, want string
		count          int
	}{
		{"plain", "one\ttwo\nthree \\ <b>", "one\ttwo\nthree \\ <b>", 0},
		{"line ends", "a\r\nb\rc\u0085d\u2028e\u2029f\n\r\n", "a\nb\nc\nd\ne\nf\n\n", 0},
		{"terminal, 7 bits", "\x1b[31m\x1b]8;;x\x07\x1bP\x00\x08\x7f", `\x1b[31m\x1b]8;;x\x07\x1bP\x00\x08\x7f`, 7},
		{"terminal, 8 bits", "\u009b31m\u009d0;x\u009c\u0090", `\x9b31m\x9d0;x\x9c\x90`, 4},
		{"not UTF-8", "a\xffb\xc0\xaf\xed\xa0\x80\x9b", "a\ufffdb\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", 7},
		{"replacement stays", "a\ufffdb", "a\ufffdb", 0},
		{"order", "\u202eabc\u202c\u2066x\u2069\u200e\u061c", `\u{202e}abc\u{202c}\u{2066}x\u{2069}\u{200e}\u{61c}`, 6},
		{"invisible", "a\u200bb\u00adc\u034fd\ufeffe\u3164f\uffa0g\u2800h\u115f\u180e\u17b4", `a\u{200b}b\u{ad}c\u{34f}d\u{feff}e\u{3164}f\u{ffa0}g\u{2800}h\u{115f}\u{180e}\u{17b4}`, 10},
		{"music and shorthand", "\U0001bca0\U0001d173\ufff9\ufffb", `\u{1bca0}\u{1d173}\u{fff9}\u{fffb}`, 4},
		{"private and noncharacters", "\ue000\U000f0000\U0010ffff\ufdd0\U0001fffe", `\u{e000}\u{f0000}\u{10ffff}\u{fdd0}\u{1fffe}`, 5},
		{"smuggled selectors", "a\ufe0f\U000e0100b\ufe01😀\ufe0f\ufe0f", "a\\u{fe0f}\\u{e0100}b\\u{fe01}😀\ufe0f\\u{fe0f}", 4},
		{"text selector", "☎\ufe0e", `☎\u{fe0e}`, 1},
		{"joiner between letters", "a\u200db\u200cc", `a\u{200d}b\u{200c}c`, 2},
		{"joiners of no script", "ann\u200c \u200d漢\u200d字 אב\u200cג", `ann\u{200c} \u{200d}漢\u{200d}字 אב\u{200c}ג`, 4},
		{"non-joiner that breaks nothing", "د\u200cر می\u200c \u200cخ ب\u200c\u200cب ب\u200b\u200cب ا\u200cب", "د\\u{200c}ر می\\u{200c} \\u{200c}خ ب\\u{200c}\\u{200c}ب ب\\u{200b}\\u{200c}ب ا\\u{200c}ب", 8},
		{"joiner between joining letters", "ب\u200dب", `ب\u{200d}ب`, 1},
		{"no conjunct", "क\u200dष क\u200cष a्\u200dष ्\u200dष क्\u200ca क्\u200dि", "क\\u{200d}ष क\\u{200c}ष a्\\u{200d}ष ्\\u{200d}ष क्\\u{200c}a क्\\u{200d}ि", 6},
		{"endless joiners of a conjunct", "क्\u200d\u200d\u200c्\u200d", "क्\u200d\\u{200d}\\u{200c}्\\u{200d}", 3},
		{"hidden marks in a conjunct", "क\u034f्\u200dष", "क\\u{34f}्\\u{200d}ष", 2},
		{"joiner after an emoji only", "😀\u200dx \u200d😀", "😀\\u{200d}x \\u{200d}😀", 2},
		{"tags", "\U0001f3f4\U000e0067\U000e007f", "\U0001f3f4\\u{e0067}\\u{e007f}", 2},
		{"removal cannot join", "<\u200bscript \\x\u200b1b", `<\u{200b}script \x\u{200b}1b`, 2},
		{"endless joiners", strings.Repeat("😀\u200d", 20), strings.Repeat(strings.Repeat("😀\u200d", 7)+`😀\u{200d}`, 2) + "😀\u200d😀\u200d😀\u200d😀\\u{200d}", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, count := form.Escape(tt.in); got != tt.want || count != tt.count {
				t.Errorf("Escape(%+q)\n got %+q, %d\nwant %+q, %d", tt.in, got, count, tt.want, tt.count)
			}
		})
	}
}

func TestEscapeKeepsReadableText(t *testing.T) {
	for _, text := range []string{
		"中文 日本語 한국어 か\u3099", "שָׁלוֹם עולם", "السَّلامُ عليكم", "क्षत्रिय नमस्ते", "e\u0301 ñ ß Ω Ж", "→ ✓ ½ “x” … — \u00a0",
		"❤\ufe0f ☝🏽 👍🏿", "1\ufe0f\u20e3 #\ufe0f\u20e3", "🇫🇷", "👩\u200d💻", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "👁\ufe0f\u200d🗨\ufe0f", "👨\u200d👩\u200d👧\u200d👦",
		"👩🏻\u200d❤\ufe0f\u200d💋\u200d👩🏿", "🧑🏻\u200d🦽\u200d➡\ufe0f", "🤷\u200d♀\ufe0f",
		"می\u200cخواهم خانه\u200cها کتاب\u200cهای بَ\u200cبَ", "ක්\u200dරියා ශ්\u200dරී ලංකා", "क्\u200dष क्\u200cष र्\u200dय क़्\u200dय न्॑॑\u200dय", "ক্\u200cষ", "ന്\u200d.", "ක්\u200cෂ", "ក្\u200cខ",
	} {
		if got, count := form.Escape(text); got != text || count != 0 {
			t.Errorf("Escape(%+q) = %+q, %d, want it unchanged", text, got, count)
		}
	}
}

func TestEscapeLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc\r\nd\re":  `a\tb\nc\r\nd\re`,
		"a\u0085b\u2028c":  `a\x85b\u{2028}c`,
		"\x1b[2J":          `\x1b[2J`,
		"plain é 👩\u200d💻": "plain é 👩\u200d💻",
		"bad\xff":          "bad\ufffd",
	} {
		if got := form.EscapeLine(in); got != want {
			t.Errorf("EscapeLine(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

// A joiner stays between two pictographic characters and nowhere else: uniseg's tables decide.
func TestJoinersFollowUnicode(t *testing.T) {
	for r := rune(0xa0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := string(r) + "\u200d😀"
		got, _ := form.Escape(text)
		kept := strings.Contains(got, "\u200d")
		joins := uniseg.GraphemeClusterCount(text) == 1 && uniseg.GraphemeClusterCount("a"+string(r)) == 2
		if kept != joins {
			t.Errorf("U+%04X: joiner kept %t, want %t", r, kept, joins)
		}
	}
}

// hostile draws text made of the characters that the rules name, among ordinary ones.
func hostile() *rapid.Generator[string] {
	pieces := []string{"\u200c", "\u200c", "ی", "خ", "د", "َ", "क", "्", "्\u200d", "ि", "෴", "ක", "්", "ℹ", "\u034f", "a", "👩\u200d💻", "1\ufe0f\u20e3", "❤\ufe0f", "\u200d", "😀", "1", "#", "{", "}", "\\", `\x`, `\u{`, "<", ">", "&", "|", "| ", "\n", "\r", "\t", "\x1b", "\u009b", "\u0085", "\u2028", "\u200d", "\u200d",
		"\ufe0f", "\ufe0f", "\u20e3", "😀", "👩", "❤", "🏽", "🇫", "\u0301", "\u202e", "\ufeff", "\U000e0041", "\U0010ffff", "\xff", "\xe2\x80", "é", "漢", "</untrusted-content>"}
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.SampledFrom([]int{0, 1, 3, 10, 30, 60}).Draw(t, "length") // rapid alone prefers a few
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			return string(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "raw"))
		}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), n, n).Draw(t, "pieces"), "")
	})
}

func TestEscapeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkEscape(t, hostile().Draw(t, "text")) })
}

type fataler interface{ Fatalf(string, ...any) }

// checkEscape holds what must be true of the escaped form of any text.
func checkEscape(t fataler, text string) {
	escaped, count := form.Escape(text)
	if again, more := form.Escape(escaped); again != escaped || more != 0 {
		t.Fatalf("not idempotent: %+q, then %+q with %d more", escaped, again, more)
	}
	if bad := forbidden(escaped); bad != "" {
		t.Fatalf("Escape(%+q) = %+q holds %s", text, escaped, bad)
	}
	if unchanged := escaped == strings.ReplaceAll(text, "\r", "\n"); count == 0 && !unchanged && !strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
		t.Fatalf("Escape(%+q) = %+q counts nothing", text, escaped)
	}
	line := form.EscapeLine(text)
	if again := form.EscapeLine(line); again != line || strings.ContainsAny(line, "\n\t") || forbidden(line) != "" {
		t.Fatalf("EscapeLine(%+q) = %+q, then %+q", text, line, again)
	}
}

// Where scripts need joiners, as UAX #31 has it, but for the joining types and the classes of marks.
var (
	cursive  = regexp.MustCompile(`[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Adlam}]\p{Mn}*\|\p{Mn}*[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Adlam}]`)
	conjunct = regexp.MustCompile(`\p{L}\p{Mn}*[\x{94d}\x{9cd}\x{ccd}\x{d4d}\x{dca}\x{17d2}]\p{Mn}*$`)
)

// forbidden returns what text holds that must never be shown, written from the rule and not from the code.
func forbidden(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		before, after := rune(-1), rune(-1)
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		in := func(low, high rune) bool { return r >= low && r <= high }
		switch {
		case r < ' ' && r != '\n' && r != '\t', in(0x7f, 0x9f), in(0x2028, 0x202e), in(0x2060, 0x206f), in(0x180b, 0x180f),
			r == 0x200b, in(0x200e, 0x200f), in(0xfe00, 0xfe0e), in(0xfff9, 0xfffb), in(0x1bca0, 0x1bca3), in(0x1d173, 0x1d17a),
			in(0xe0000, 0xe007f), in(0xe0100, 0xe01ef), in(0xe000, 0xf8ff), in(0xf0000, 0x10ffff), in(0xfdd0, 0xfdef), r&0xffff >= 0xfffe,
			strings.ContainsRune("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u2800\u3164\ufeff\uffa0", r):
			return "U+" + string(r)
		case in(0x200c, 0x200d) && cursive.MatchString(string(runes[:i])+"|"+string(runes[i+1:])), in(0x200c, 0x200d) && conjunct.MatchString(string(runes[:i])):
		case r == 0x200c, r == 0x200d && (after < 0xa9 || before < 0xa9):
			return "a loose joiner"
		case r == 0xfe0f && before < 0xa9 && !(after == 0x20e3 && strings.ContainsRune("0123456789#*", before)):
			return "a loose selector"
		}
	}
	if !utf8.ValidString(text) {
		return "invalid UTF-8"
	}
	return ""
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[31mred", "👩🏽\u200d🚀", "1\ufe0f\u20e3", "\\x\u200b1b", "a\u202eb\r\nc\xff", "\x11\ufe0f\u20e3", "❤\ufe0f\u200d\u200d❤", "می\u200cخواهم", "क्\u200dष", "ක්\u200dර"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkEscape(t, text) })
}

func BenchmarkEscape(b *testing.B) {
	const size = 1 << 20
	for name, piece := range map[string]string{"ascii": "plain text of a handoff.\n", "cjk": "漢字", "joiners": "\u200d", "joined": "😀\u200d", "marks": "\u0301", "brackets": "<", "escapes": "\x1b", "invalid": "\xff"} {
		text := strings.Repeat(piece, size/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				form.Escape(text)
			}
		})
	}
}

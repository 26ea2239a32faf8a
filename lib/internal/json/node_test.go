package json_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	jsontree "github.com/seed-78daf238/handoff/lib/internal/json"
)

const stringify = `
let input = ""
process.stdin.on("data", d => input += d)
process.stdin.on("end", () => console.log(JSON.stringify(JSON.parse(input).map(t => JSON.stringify(JSON.parse(t))))))
`

// TestStringifyByNode compares what is printed with JSON.stringify(JSON.parse(text)) for generated documents.
func TestStringifyByNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: nothing to compare with")
	}
	g := generator{rand.New(rand.NewPCG(3, 14))}
	var sources, printed []string
	for len(sources) < 2000 {
		src := g.value(4)
		v, err := jsontree.Parse([]byte(src))
		if err != nil {
			t.Fatalf("refused %s: %v", src, err)
		}
		sources, printed = append(sources, src), append(printed, v.String())
	}
	input, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(node, "-e", stringify)
	run.Stdin = strings.NewReader(string(input))
	output, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(output, &want); err != nil || len(want) != len(sources) {
		t.Fatalf("node printed %d documents: %v", len(want), err)
	}
	for i := range want {
		if printed[i] != want[i] {
			t.Fatalf("%s\nis printed %s\nby node    %s", sources[i], printed[i], want[i])
		}
	}
}

// A generator writes JSON texts that stress numbers, escapes and key order.
type generator struct{ *rand.Rand }

func (g generator) value(depth int) string {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch g.IntN(kinds) {
	case 0:
		return []string{"null", "true", "false"}[g.IntN(3)]
	case 1, 2:
		return g.number()
	case 3:
		return g.text()
	case 4:
		return "[" + g.list(func(int) string { return g.value(depth - 1) }) + "]"
	}
	used := map[string]bool{}
	return "{" + g.list(func(int) string {
		key := g.key()
		for used[key] {
			key = fmt.Sprintf(`"%d%s`, g.IntN(1<<20), key[1:])
		}
		used[key] = true
		return g.space() + key + g.space() + ":" + g.value(depth-1)
	}) + "}"
}

func (g generator) list(item func(int) string) string {
	parts := make([]string, g.IntN(6))
	for i := range parts {
		parts[i] = g.space() + item(i) + g.space()
	}
	return strings.Join(parts, ",")
}

func (g generator) space() string { return []string{"", "", " ", "\n", "\r\n\t"}[g.IntN(5)] }

// key writes keys whose decoded form equals their source, so that two of them never collide by an escape.
func (g generator) key() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%q", fmt.Sprint(g.IntN(20)))
	case 1:
		return fmt.Sprintf("%q", fmt.Sprint(g.Uint64N(1<<33)))
	case 2:
		return []string{`"4294967294"`, `"4294967295"`, `"00"`, `"-1"`, `"1.5"`, `"1e3"`, `"__proto__"`, `"constructor"`, `""`, `"é"`, `" 1"`}[g.IntN(11)]
	}
	return fmt.Sprintf(`"k%d"`, g.IntN(30))
}

func (g generator) number() string {
	for {
		var text string
		switch g.IntN(6) {
		case 0:
			text = fmt.Sprint(g.IntN(2000) - 1000)
		case 1:
			text = fmt.Sprint(g.Int64N(1<<54) - 1<<53)
		case 2:
			text = fmt.Sprintf("%d.%0*d", g.IntN(1000), 1+g.IntN(25), g.Uint64N(1<<60))
		case 3:
			text = fmt.Sprintf("%d.%dE%+d", g.IntN(10), g.IntN(1e9), g.IntN(50)-25)
		case 4:
			f := math.Float64frombits(g.Uint64())
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			text = fmt.Sprintf("%.17g", f)
		default:
			text = []string{"-0", "-0.0", "0e99", "1e21", "1e20", "999999999999999900000", "1e-6", "1e-7", "123e-20", "5e-324", "1.7976931348623157e308", "9007199254740991", "0.1", "100.0", "1E400"}[g.IntN(15)]
		}
		if _, err := jsontree.Parse([]byte(text)); err == nil {
			return text
		}
	}
}

func (g generator) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range g.IntN(12) {
		switch g.IntN(6) {
		case 0:
			fmt.Fprintf(&b, `\u%04X\u%04X`, 0xd800+g.IntN(0x400), 0xdc00+g.IntN(0x400))
		case 1:
			fmt.Fprintf(&b, `\u%04x`, g.IntN(0xd800))
		case 2:
			b.WriteString([]string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\ud83d\ude00`}[g.IntN(9)])
		case 3:
			b.WriteString([]string{"é", "€", "😀", "\u2028", "\u2029", "\u007f", "\u0085", "\ufeff", "\uffff", "e\u0301"}[g.IntN(10)])
		default:
			b.WriteString([]string{"a", " ", "/", "<", "0", "'"}[g.IntN(6)])
		}
	}
	return b.String() + `"`
}

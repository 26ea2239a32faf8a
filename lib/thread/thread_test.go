package thread_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/thread"
)

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func node(n int, from, to, time string, re ...string) thread.Node {
	return thread.Node{ID: id(n), From: from, To: to, Topic: fmt.Sprint("topic-", n), Time: time, State: "unread", Re: re}
}

// sample has an answer whose clock went back, two successors of one, a claim, and a target that is not here.
func sample() thread.Thread {
	first, claim := node(1, "ann", "ben", "2026-11-20T10:00:00Z"), node(5, "eve", "ben", "2026-11-20T13:00:00Z")
	first.State = "superseded"
	two, three := node(3, "ann", "ben", "2026-11-20T12:00:00Z"), node(4, "ben", "ann", "2026-11-20T12:30:00Z", id(99))
	two.Supersedes, two.Beside = []string{id(1)}, []string{id(4)}
	three.Supersedes, three.Beside = []string{id(1)}, []string{id(3)}
	claim.Claims = []string{id(3)}
	return thread.New(id(3), []thread.Node{claim, three, two, node(2, "ben", "ann", "2026-11-20T09:00:00Z", id(1)), first, {ID: id(99), State: thread.Absent}})
}

func ids(t thread.Thread) (all []string) {
	for _, n := range t.Nodes {
		all = append(all, n.ID)
	}
	return all
}

func TestOrder(t *testing.T) {
	want := []string{id(1), id(2), id(3), id(99), id(4), id(5)}
	if got := ids(sample()); !slices.Equal(got, want) {
		t.Errorf("the order is %v", got)
	}
	// A fraction of a second comes after none, and a circle ends.
	circle := thread.New(id(1), []thread.Node{node(1, "a", "b", "2026-11-20T10:00:00.5Z", id(2)), node(2, "a", "b", "2026-11-20T10:00:00Z", id(3)), node(3, "a", "b", "2026-11-20T10:00:01Z", id(1), id(3))})
	if got := ids(circle); !slices.Equal(got, []string{id(1), id(3), id(2)}) {
		t.Errorf("the circle is %v", got)
	}
	for _, draw := range []func() string{circle.Mermaid, circle.DOT, circle.SVG, func() string { return circle.Tree(80, asDay) }} {
		if draw() == "" {
			t.Error("the circle is not drawn")
		}
	}
}

func TestTree(t *testing.T) {
	got := sample().Tree(0, asIs)
	want := `ID                  TIME                  FROM  TO   TITLE    STATE       HOW
000000000000        2026-11-20T10:00:00Z  ann   ben  topic-1  superseded
├ 000000000000      2026-11-20T09:00:00Z  ben   ann  topic-2  unread      answers 000000000000
└ 000000000000 *    2026-11-20T12:00:00Z  ann   ben  topic-3  unread      supersedes 000000000000, as does 000000000000
  └ 000000000000    2026-11-20T13:00:00Z  eve   ben  topic-5  unread      claims to supersede 000000000000
000000000000                                                  not here
└ 000000000000      2026-11-20T12:30:00Z  ben   ann  topic-4  unread      answers 000000000000, supersedes 000000000000, as does 000000000000
`
	if squeeze(got) != squeeze(want) {
		t.Errorf("the tree is\n%s", got)
	}
}

// On a terminal of 80 columns every id can be read.
func TestNarrowTree(t *testing.T) {
	lines := strings.Split(sample().Tree(120, asDay), "\n")
	if want := "└ topic-3 (supersedes 00000000, as does 00000000)"; !strings.HasSuffix(lines[3], want) {
		t.Errorf("got %q, want %q at the end", lines[3], want)
	}
	if want := "00000000 2026-11-20 ben ann unread ├ topic-2"; squeeze(lines[2]) != want {
		t.Errorf("got %q, want %q", squeeze(lines[2]), want)
	}
}

// In a conversation of ten on a terminal of 80 columns there is room for the titles.
func TestTitlesInANarrowTree(t *testing.T) {
	nodes := []thread.Node{node(0, "claude-1", "codex-2", "2026-11-20T10:00:00Z")}
	for i := 1; i < 10; i++ {
		nodes = append(nodes, node(i, "claude-1", "codex-2", "2026-11-20T10:00:00Z", id(i-1)))
	}
	for i := range nodes {
		nodes[i].Title = strings.Repeat("t", 60)
	}
	for _, line := range strings.Split(strings.TrimSpace(thread.New(id(0), nodes).Tree(80, asDay)), "\n")[1:] {
		if strings.Count(line, "t") < 18 || !strings.Contains(line, "claude-1  codex-2") {
			t.Errorf("too little is left of %q", line)
		}
	}
}

func asDay(ts string) string { return ts[:min(len(ts), len("2026-11-20"))] }

func asIs(ts string) string { return ts }

func squeeze(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

// A conversation of any length has a tree whose lines stay short, and a picture of a part.
func TestLongThread(t *testing.T) {
	nodes := []thread.Node{node(0, "ann", "ben", "2026-11-20T10:00:00Z")}
	for i := 1; i < 100_000; i++ {
		nodes = append(nodes, node(i, "ann", "ben", "2026-11-20T10:00:00Z", id(i-1)))
	}
	long := thread.New(id(50_000), nodes)
	if got := ids(long); got[0] != id(0) || got[99_999] != id(99_999) {
		t.Fatal("it is out of order")
	}
	lines := strings.Split(long.Tree(0, asIs), "\n")
	if len(lines) != 100_002 || len(lines[100_000]) > 300 {
		t.Errorf("%d lines, the last of which is %q", len(lines), lines[100_000])
	}
	part := long.Around(300)
	if len(part.Nodes) != 300 || part.Left != 99_700 || part.Nodes[150].ID != id(50_000) {
		t.Errorf("%d are drawn, %d are not", len(part.Nodes), part.Left)
	}
	if !strings.Contains(part.SVG(), "99700 more are not drawn") {
		t.Error("that is not said")
	}
}

// Many people share a lane.
func TestManyPeople(t *testing.T) {
	var nodes []thread.Node
	for i := range 100 {
		nodes = append(nodes, node(i, fmt.Sprint("p", i), "ann", "2026-11-20T10:00:00Z"))
	}
	many := thread.New(id(0), nodes)
	if svg := many.SVG(); strings.Count(svg, `class="n many"`) != 12 || !strings.Contains(svg, ">90 others<") {
		t.Error("each has a lane")
	}
	if got := strings.Count(many.Mermaid(), "participant"); got != 12 {
		t.Errorf("%d take part", got)
	}
}

// What others wrote stays text, whatever it is.
func TestHostile(t *testing.T) {
	for _, bad := range []string{
		`"/><script>alert(1)</script>`, `</text><image href="http://x/"/>`, "&#x3c;b&#x3e;&lt;", `]]>`, "a\nclick n1 href \"http://x\"", `"; n9 [URL="http://x"]; "`, `\" ]; evil`, `\N \G \E`,
		"end", "a; participant x", "a\r\nloop forever", "%%{init: {}}%%", "#35;", "ann\u202eneb", "\x1b[31m", "a->>b: x", "\xff\xfe", strings.Repeat("x", 5000), `<b>`, `{a|b}`, "-", "--", " ",
	} {
		n := node(1, bad, bad+"2", "2026-11-20T10:00:00Z", bad)
		n.Topic, n.State, n.Time = bad, bad, bad
		hostile := thread.New(id(1), []thread.Node{n, {ID: bad, State: bad}})
		checkSVG(t, hostile.SVG())
		for _, line := range strings.Split(strings.TrimSuffix(hostile.Mermaid(), "\n"), "\n") {
			if !mermaidLine.MatchString(line) {
				t.Errorf("%q: a line of the diagram is %q", bad, line)
			}
		}
		for _, line := range strings.Split(strings.TrimSuffix(hostile.DOT(), "\n"), "\n") {
			if !dotLine.MatchString(line) {
				t.Errorf("%q: a line of the graph is %q", bad, line)
			}
		}
		if tree := hostile.Tree(0, asIs); strings.Count(tree, "\n") != 3 || strings.ContainsAny(tree, "\x1b\u202e") {
			t.Errorf("%q: the tree is %q", bad, tree)
		}
	}
}

var (
	mermaidLine = regexp.MustCompile(`^(sequenceDiagram|    (participant p\d+ as|p\d+->>p\d+:|Note over p\d+:) (#\d+;|[A-Za-z0-9 _-])+)$`)
	dotLine     = regexp.MustCompile(`^(digraph thread \{|\}|  (rankdir|node|edge)[^\n]*;|  n\d+ (-> n\d+ )?\[([a-z]+=("([^"\\]|\\n|\\\\|\\")*"|[a-z0-9.]+)(, )?)+\];)$`)
)

// checkSVG expects well-formed XML of the elements that are drawn, without a script or a place to go to.
func checkSVG(t *testing.T, svg string) {
	t.Helper()
	known := []string{"svg", "style", "rect", "line", "text", "tspan", "path", "circle", "g", "title"}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok {
			if !slices.Contains(known, start.Name.Local) {
				t.Errorf("it has a %s", start.Name.Local)
			}
			for _, a := range start.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("a %s has %s", start.Name.Local, a.Name.Local)
				}
			}
		}
	}
}

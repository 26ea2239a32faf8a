package relation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/relation"
)

func id(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func node(n int, from, to, time string, re ...string) relation.Node {
	return relation.Node{ID: id(n), From: from, To: to, Topic: fmt.Sprint("topic-", n), Time: time, State: "unread", Re: re}
}

// sample has an answer whose clock went back, two successors of one, a claim, and a target that is not here.
func sample() relation.Thread {
	first, claim := node(1, "ann", "ben", "2026-11-20T10:00:00Z"), node(5, "eve", "ben", "2026-11-20T13:00:00Z")
	first.State = "superseded"
	two, three := node(3, "ann", "ben", "2026-11-20T12:00:00Z"), node(4, "ben", "ann", "2026-11-20T12:30:00Z", id(99))
	two.Supersedes, two.Beside = []string{id(1)}, []string{id(4)}
	three.Supersedes, three.Beside = []string{id(1)}, []string{id(3)}
	claim.Claims = []string{id(3)}
	return relation.NewThread(id(3), []relation.Node{claim, three, two, node(2, "ben", "ann", "2026-11-20T09:00:00Z", id(1)), first, {ID: id(99), State: relation.Absent}})
}

func ids(t relation.Thread) (all []string) {
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
	circle := relation.NewThread(id(1), []relation.Node{node(1, "a", "b", "2026-11-20T10:00:00.5Z", id(2)), node(2, "a", "b", "2026-11-20T10:00:00Z", id(3)), node(3, "a", "b", "2026-11-20T10:00:01Z", id(1), id(3))})
	if got := ids(circle); !slices.Equal(got, []string{id(1), id(3), id(2)}) || len(circle.Branches()) != 3 {
		t.Errorf("the circle is %v", got)
	}
}

func asDay(ts string) string { return ts[:min(len(ts), len("2026-11-20"))] }

func TestList(t *testing.T) {
	got := sample().List(120, asDay)
	want := `ID          TIME        FROM  TO   STATE       TITLE
00000000    2026-11-20  ann   ben  superseded  topic-1
00000000    2026-11-20  ben   ann  unread        topic-2
00000000 *  2026-11-20  ann   ben  unread        topic-3 (supersedes 00000000, as does 00000000)
00000000    2026-11-20  eve   ben  unread          topic-5 (claims to supersede 00000000)
00000000                           not here
00000000    2026-11-20  ben   ann  unread        topic-4 (answers 00000000, supersedes 00000000, as does 00000000)
`
	if got != want {
		t.Errorf("the list is\n%s", got)
	}
}

// A conversation of any length has a list whose lines stay short.
func TestLongThread(t *testing.T) {
	nodes := []relation.Node{node(0, "ann", "ben", "2026-11-20T10:00:00Z")}
	for i := 1; i < 100_000; i++ {
		nodes = append(nodes, node(i, "ann", "ben", "2026-11-20T10:00:00Z", id(i-1)))
	}
	long := relation.NewThread(id(50_000), nodes)
	if got := ids(long); got[0] != id(0) || got[99_999] != id(99_999) {
		t.Fatal("it is out of order")
	}
	lines := strings.Split(long.List(0, asDay), "\n")
	if len(lines) != 100_002 || len(lines[100_000]) > 300 {
		t.Errorf("%d lines, the last of which is %q", len(lines), lines[100_000])
	}
}

// What others wrote stays in its line.
func TestHostile(t *testing.T) {
	for _, bad := range []string{"a\r\nb", "\x1b[31m", "ann\u202eneb", "\xff\xfe", strings.Repeat("x", 5000), " "} {
		n := node(1, bad, bad+"2", "2026-11-20T10:00:00Z", bad)
		n.Topic, n.State, n.Time = bad, bad, bad
		hostile := relation.NewThread(id(1), []relation.Node{n, {ID: bad, State: bad}})
		if list := hostile.List(0, asDay); strings.Count(list, "\n") != 3 || strings.ContainsAny(list, "\x1b\u202e") {
			t.Errorf("%q: the list is %q", bad, list)
		}
	}
}

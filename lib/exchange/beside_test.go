package exchange_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"github.com/seed-78daf238/handoff/lib/exchange"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

// trees makes a project in a main work tree, with handoffs, and a linked one that cannot write it.
func trees(t *testing.T) (main, linked handoff.Project, said *[]string) {
	t.Helper()
	_, roots := clones(t, 1)
	write(t, roots[0], "first")
	if err := os.WriteFile(filepath.Join(roots[0], ".handoff.yaml"), []byte("git: synced\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, roots[0], "add", ".handoff.yaml")
	git(t, roots[0], "commit", "-q", "-m", "begin")
	other := filepath.Join(filepath.Dir(roots[0]), "linked")
	git(t, roots[0], "worktree", "add", "-q", other)
	said = new([]string)
	main = load(t, roots[0], said)
	linked = load(t, other, said)
	linked.OwnReplica = &handoff.OwnReplica{Main: main.Root, Own: other} // nothing stops root, who may run this, from writing
	return main, linked, said
}

func load(t *testing.T, root string, said *[]string) handoff.Project {
	t.Helper()
	p, err := handoff.LoadProject(root, func(string) string { return "" }, handoff.ProjectFlags{})
	if err != nil {
		t.Fatal(err)
	}
	var lock gosync.Mutex
	p.Options.UserState = options(root).UserState
	p.Options.Rules, p.Options.Fingerprint = schema.Frontmatter(), options(root).Fingerprint
	p.Options.Warn = func(text string) {
		lock.Lock()
		defer lock.Unlock()
		*said = append(*said, text)
	}
	return p
}

func topics(t *testing.T, o handoff.Options) (all []string) {
	t.Helper()
	s, err := handoff.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Topic)
	}
	if report, err := s.Verify(context.Background()); err != nil || len(report.Faults) > 0 {
		t.Error(o.Root, err, report.Faults)
	}
	return all
}

func mustWrite(t *testing.T, o handoff.Options, topic string) {
	t.Helper()
	s, err := handoff.Open(o)
	if err == nil {
		_, err = s.WriteAll(context.Background(), []handoff.Source{doc(topic)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What the operators file of the main work tree refuses waits in the linked one, and is named.
func TestRefusedOfAWorkTree(t *testing.T) {
	t.Parallel()
	main, linked, said := trees(t)
	exchange.Gather(context.Background(), &linked)
	if got := topics(t, linked.Options); len(got) != 1 || len(*said) != 1 || !strings.Contains((*said)[0], "with 1 handoff;") {
		t.Fatalf("%v %q", got, *said)
	}
	mustWrite(t, linked.Options, "second")
	file := filepath.Join(main.Root, "OPERATORS.md")
	text := "---\nschema_version: '1.0'\noperators:\n  - {id: cat, display_name: cat, github_handle: cat, git_email: cat@example.com, capabilities: [write], active_since: '2020-01-01T00:00:00Z'}\n---\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		*said = nil
		exchange.Gather(context.Background(), &main)
		if len(*said) != 1 || !strings.Contains((*said)[0], "is not taken over") {
			t.Errorf("%q", *said)
		}
		if found, err := exchange.Unimported(&main); err != nil || found[linked.Root] != 1 {
			t.Errorf("%v %v", found, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	exchange.Gather(context.Background(), &main)
	if got := topics(t, main.Options); len(got) != 2 {
		t.Error(got)
	}
	if found, err := exchange.Unimported(&main); err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
}

// Of a work tree whose log was changed nothing is taken over.
func TestRewrittenLogOfAWorkTree(t *testing.T) {
	t.Parallel()
	main, linked, said := trees(t)
	exchange.Gather(context.Background(), &linked)
	mustWrite(t, linked.Options, "second")
	log := filepath.Join(linked.Options.StateDir, "handoff-events.jsonl")
	text, err := os.ReadFile(log)
	if err == nil {
		err = os.WriteFile(log, []byte(strings.Replace(string(text), `"to":"ben"`, `"to":"eve"`, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	*said = nil
	exchange.Gather(context.Background(), &main)
	if len(*said) != 1 || !strings.Contains((*said)[0], "is not taken over") {
		t.Errorf("%q", *said)
	}
	if got := topics(t, main.Options); len(got) != 1 {
		t.Error(got)
	}
}

// Commands that take over at the same time take over once.
func TestManyTakeOverAWorkTree(t *testing.T) {
	t.Parallel()
	main, linked, _ := trees(t)
	exchange.Gather(context.Background(), &linked)
	mustWrite(t, linked.Options, "second")
	var all gosync.WaitGroup
	for range 5 {
		all.Go(func() {
			p := main
			exchange.Gather(context.Background(), &p)
		})
	}
	all.Wait()
	log, err := os.ReadFile(filepath.Join(main.Options.StateDir, "handoff-events.jsonl"))
	if n := strings.Count(string(log), `"handoff.import"`); err != nil || n != 1 {
		t.Errorf("%d imports: %v", n, err)
	}
	if got := topics(t, main.Options); len(got) != 2 {
		t.Error(got)
	}
}

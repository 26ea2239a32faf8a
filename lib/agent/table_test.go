package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// Every line of the table is of a kind that its head explains, and every block has what an agent with settings needs.
func TestTable(t *testing.T) {
	head, _, _ := strings.Cut(source, "\nagent ")
	var known []string
	for line := range strings.Lines(head) {
		if words := strings.Fields(line); strings.HasPrefix(line, "#   ") && words[1] == strings.ToLower(words[1]) {
			known = append(known, words[1])
		}
	}
	for _, a := range agents() {
		for line := range strings.SplitSeq(a.block, "\n") {
			key, _, _ := strings.Cut(line, " ")
			if key != "" && key != "#" && key != "agent" && !slices.Contains(known, key) {
				t.Errorf("%s: %q is no kind of line", a.Name, key)
			}
			if key != "#" && len(a.all(key)) != 1 {
				t.Errorf("%s has several lines %s", a.Name, key)
			}
		}
		if a.Name != "plain" && !a.has("event") && !a.has("prompt") {
			t.Errorf("%s: no session is told of anything", a.Name)
		}
		for _, key := range []string{"envelope", "user", "project", "end", "entry", "approve-project"} {
			isForm := key == "entry" || key == "approve-project" // of settings, in place of our plugin
			if a.Name != "plain" && !a.has(key) && !(isForm && a.Name == "opencode") {
				t.Errorf("%s has no %s", a.Name, key)
			}
		}
		for _, key := range []string{"envelope", "entry"} {
			if _, err := jsontree.Scan([]byte(a.get(key))); a.has(key) && err != nil {
				t.Errorf("%s, %s: %v", a.Name, key, err)
			}
		}
	}
}

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
			if key != "#" && key != "layer" && key != "off" && len(a.all(key)) != 1 {
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
		for _, key := range []string{"plugins", "runs"} {
			for _, name := range a.words(key) {
				if _, found := find(name); !found {
					t.Errorf("%s: %s names %s", a.Name, key, name)
				}
			}
		}
		for _, l := range a.layers() {
			if l.scope < User || l.path == "" || strings.Contains(l.path, "|") {
				t.Errorf("%s: %v", a.Name, l)
			}
		}
	}
}

// The output of a hook is exactly the envelope of its agent, or none.
func TestUnwrap(t *testing.T) {
	const good = `{"systemMessage":"1 unread","hookSpecificOutput":{"additionalContext":"text","hookEventName":"SessionStart"}}`
	codex, _ := find("codex")
	for output, want := range map[string]string{
		good: "text",
		strings.Replace(good, `"1 unread"`, `""`, 1):                         "text",
		strings.Replace(good, `"text"`, `"EVENT"`, 1):                        "EVENT",
		strings.Replace(good, `"SessionStart"`, `"Stop"`, 1):                 "",
		strings.Replace(good, `"text"`, `1`, 1):                              "",
		strings.Replace(good, `"1 unread"`, `["1 unread"]`, 1):               "",
		strings.Replace(good, `"systemMessage"`, `"a":1,"systemMessage"`, 1): "",
		strings.Replace(good, `"additionalContext"`, `"context"`, 1):         "",
		`{"additionalContext":"text"}`:                                       "", `"text"`: "", "[]": "", "null": "", "text": "", "": "", good + good: "",
	} {
		text, err := codex.unwrap(start, []byte(output))
		if text != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", output, text, err)
		}
	}
}

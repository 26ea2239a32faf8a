package record_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/record"
)

// TestCheckBody changes every line of every view, one at a time: each change is found.
func TestCheckBody(t *testing.T) {
	o := options()
	o.Head.From, o.Head.Topic = "ann", "views"
	for name, data := range good(t) {
		body := mustMake(t, data, o).Body
		if err := record.CheckBody(body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines := strings.Split(body, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "```") {
				break
			}
			if line == "" {
				continue
			}
			lines[i] = line + " not"
			if err := record.CheckBody(strings.Join(lines, "\n")); err == nil {
				t.Errorf("%s: line %d may say what it likes", name, i+1)
			}
			lines[i] = line
		}
		if err := record.CheckBody("A line before.\n\n" + body); err == nil {
			t.Errorf("%s: there may be text before the view", name)
		}
	}
	for _, plain := range []string{"", "Tests are green.\n", "# View\n\n```json handoff-record=letter/7\n{}\n```\n"} {
		if err := record.CheckBody(plain); err != nil {
			t.Errorf("%q: %v", plain, err)
		}
	}
}

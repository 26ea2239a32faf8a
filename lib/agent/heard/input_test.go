package heard_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
)

// Agents name the session and its directory in several ways. A value of the wrong type counts as missing.
func TestReadInput(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`{"session_id":"s-1","cwd":"/a"}`:                                        {"s-1", "/a"},
		`{"conversation_id":"s-2"}`:                                              {"s-2", "/else"},
		`{"conversationId":"s-3","invocationNum":0,"workspacePaths":["/b","c"]}`: {"s-3", "/b"},
		`{"conversationId":"s-4","workspacePaths":[]}`:                           {"s-4", "/else"},
		`{"conversationId":"s-5","workspacePaths":[3,"/b"]}`:                     {"s-5", "/else"},
		`{"conversationId":7,"workspacePaths":"/b"}`:                             {"", "/else"},
		`{"conversationId":"../x","workspacePaths":["relative"]}`:                {"", "/else"},
	} {
		in := heard.ReadInput(strings.NewReader(text), 0, false)
		if got := [2]string{in.Session(), in.Directory("/else")}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

package transcript_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/transcript"
)

const claude = `{"type":"user","message":{"role":"user","content":"Fix the \u001b[31mlogin"},"gitBranch":"fix/login"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: not the user"}}
{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","isSidechain":true,"message":{"role":"user","content":"for a subagent"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Sure"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"go test\n./..."}},{"type":"tool_use","id":"toolu_2","name":"Edit","input":{"file_path":"/p/a.go"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"Exit code 2\nFAIL","is_error":true},{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"ok"}]}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_3","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_3","content":"a.go"}]}}
not JSON
{"type":7}
`

const codex = `{"type":"session_meta","payload":{"id":"x","git":{"branch":"main"}}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"Add a flag"}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c1","arguments":"{\"command\":[\"bash\",\"-lc\",\"make test\"]}"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c2","arguments":"{\"cmd\":\"ls\"}"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Process exited with code 0\nOutput:\na"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","call_id":"c3","input":"*** Begin Patch\n*** Update File: cli/flag.go\n@@\n*** End Patch"}}
`

const gemini = `{"sessionId":"g","messages":[{"type":"user","content":[{"text":"Hello","type":"text"}]},
{"type":"gemini","content":"x","toolCalls":[{"name":"run_shell_command","args":{"command":"false"},"status":"error","result":[{"functionResponse":{"response":{"output":"Exit Code: 1"}}}]},{"name":"write_file","args":{"file_path":"/p/b.md"},"status":"success"}]}]}`

func TestExtracts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text     string
		words    []string
		files    []string
		commands string
		branch   string
	}{
		"claude": {claude, []string{`Fix the \x1b[31mlogin`}, []string{"/p/a.go"}, "go test ./...=2 ls=0 ", "fix/login"},
		"codex":  {codex, []string{"Add a flag"}, []string{"cli/flag.go"}, "make test=1 ls=0 ", "main"},
		"gemini": {gemini, []string{"Hello"}, []string{"/p/b.md"}, "false=1 ", ""},
	} {
		got := transcript.Of([]byte(tt.text))
		commands := ""
		for _, c := range got.Commands {
			commands += c.Line + "=" + c.Exit + " "
		}
		if !reflect.DeepEqual(got.Words, tt.words) || !reflect.DeepEqual(got.Files, tt.files) ||
			commands != tt.commands || got.Branch != tt.branch {
			t.Errorf("%s: %q %+v", name, commands, got)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	got := transcript.Of([]byte(claude)).Markdown("/p")
	for _, want := range []string{"* a.go\n", "* go test ./... (exit 2)\n", "### What the user wrote\n\n* Fix the"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := (transcript.Extract{}).Markdown("/p"); got != "" {
		t.Errorf("%q", got)
	}
}

// A transcript of any size is read in the same time, from its end.
func TestLimits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(2 << 30); err != nil {
		t.Skip(err)
	}
	many := bytes.Repeat([]byte(`{"type":"user","message":{"role":"user","content":"again"}}`+"\n"), 5000)
	if _, err := f.WriteAt(append([]byte("\n"), many...), 2<<30); err != nil {
		t.Skip(err)
	}
	got, err := transcript.Read(path)
	if err != nil || len(got.Words) != 20 {
		t.Errorf("%d words, %v", len(got.Words), err)
	}
}

func FuzzOf(f *testing.F) {
	for _, text := range []string{claude, codex, gemini, "", "{}", "[", `{"messages":null}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := transcript.Of(text).Markdown("/p"); strings.ContainsAny(got, "\x00\x1b") {
			t.Errorf("%q", got)
		}
	})
}

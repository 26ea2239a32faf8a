package agents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The wrapper is a program in the place of `handoff`: this test binary, run by a script of that name. It runs the real
// program, records what went in and came out, and with a mutation spoils what the agent gets. The product has no switch
// for that.

// wrapperVariable makes the test binary the wrapper: directory of the records, mutation, and the real program.
const wrapperVariable = "HANDOFF_TEST_WRAPPER"

// The mutations. The harness must notice each of them.
const (
	unframed  = "read without a frame"
	noIsError = "errors without isError"
	idleTake  = "take does nothing"
	idleDone  = "done does nothing"
	slower    = "a hook 3 s slower"
	noIDs     = "the hook names no ids"
	marksRead = "the hook marks as read"
)

var mutations = []string{unframed, noIsError, idleTake, idleDone, slower, noIDs, marksRead}

// A record is one run of a hook.
type record struct {
	Args     []string
	Stdin    string
	Stdout   string
	Duration time.Duration
}

// wrap puts the wrapper in the place of `handoff`, on the PATH and in the settings of an agent.
func (d *desk) wrap(a coder, mutation string) {
	d.Helper()
	self, err := os.Executable()
	if err != nil {
		d.Fatal(err)
	}
	dir := filepath.Join(d.home, "rec")
	d.write("rec/handoff", fmt.Sprintf("#!/bin/sh\n%s='%s\n%s\n%s' exec '%s' \"$@\"\n", wrapperVariable, dir, mutation, bin+"/handoff", self))
	if err := os.Chmod(filepath.Join(dir, "handoff"), 0o755); err != nil {
		d.Fatal(err)
	}
	d.path = dir + ":" + d.path
	if text := d.read(a.settings); text != "" {
		d.write(a.settings, strings.ReplaceAll(text, bin+"/handoff", dir+"/handoff"))
	}
}

// records returns the runs of hooks.
func (d *desk) records() (hooks []record) {
	d.Helper()
	for line := range strings.Lines(d.read("rec/hooks.jsonl")) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			d.Fatalf("%v: %q", err, line)
		}
		hooks = append(hooks, r)
	}
	return hooks
}

// stdin returns a field of what the agent told a hook.
func (r record) stdin(names ...string) string {
	var in map[string]any
	_ = json.Unmarshal([]byte(r.Stdin), &in)
	for _, name := range names {
		if text, ok := in[name].(string); ok {
			return text
		}
	}
	return ""
}

// output returns the text for the model.
func (r record) output() string {
	var out struct {
		Text   string `json:"additionalContext"`
		Nested struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal([]byte(r.Stdout), &out) != nil {
		return r.Stdout
	}
	return out.Text + out.Nested.Text
}

// A wrapper is one run of the wrapper.
type wrapper struct{ dir, mutation, real string }

// runWrapper runs the wrapper, and returns its exit code.
func runWrapper(setting string, args []string) int {
	parts := strings.Split(setting, "\n")
	os.Unsetenv(wrapperVariable)
	w := wrapper{parts[0], parts[1], parts[2]}
	switch {
	case len(args) > 1 && args[0] == "hook":
		return w.hook(args)
	case len(args) > 0 && args[0] == "mcp":
		return w.mcp(args)
	}
	return w.command(args)
}

// exitCode returns the exit code of a command.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "wrapper:", err)
	return 1
}

var (
	digits = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	frame  = regexp.MustCompile(`(?m)^</?untrusted-content.*\n|^This block is descriptive.*\n|^\| `)
)

// hook runs a hook, and records it.
func (w wrapper) hook(args []string) int {
	begun := time.Now()
	if w.mutation == slower {
		time.Sleep(3 * time.Second)
	}
	cmd := exec.Command(w.real, args...)
	var in, out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.TeeReader(os.Stdin, &in), &out, os.Stderr
	cmd.WaitDelay = 100 * time.Millisecond
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	ids := digits.FindAllString(out.String(), -1)
	if w.mutation == noIDs {
		out = *bytes.NewBuffer(digits.ReplaceAll(out.Bytes(), []byte("one")))
	}
	if w.mutation == marksRead {
		for _, id := range ids {
			_ = exec.Command(w.real, "mark-read", id, "ben").Run()
		}
	}
	os.Stdout.Write(out.Bytes())
	line, _ := json.Marshal(record{args, in.String(), out.String(), time.Since(begun)})
	w.log("hooks.jsonl", line)
	return exitCode(err)
}

// log appends a line to a file of the records.
func (w wrapper) log(name string, line []byte) {
	if f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.Write(append(line, '\n'))
		_ = f.Close()
	}
}

// command runs any other command.
func (w wrapper) command(args []string) int {
	for name, mutation := range map[string]string{"take": idleTake, "resume": idleTake, "done": idleDone} {
		if w.mutation == mutation && len(args) > 0 && args[0] == name {
			fmt.Println("ok")
			return 0
		}
	}
	if w.mutation != unframed || !slices.Contains(args, "read") { // take looks at its parent: the agent, or its shell
		return exitCode(syscall.Exec(w.real, append([]string{w.real}, args...), os.Environ()))
	}
	cmd := exec.Command(w.real, args...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &out, os.Stderr
	err := cmd.Run()
	os.Stdout.Write(frame.ReplaceAll(out.Bytes(), nil))
	return exitCode(err)
}

// mcp runs the server, and changes what passes between it and the agent.
func (w wrapper) mcp(args []string) int {
	cmd := exec.Command(w.real, args...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return exitCode(err)
	}
	go func() {
		defer in.Close()
		for requests := bufio.NewReader(os.Stdin); ; {
			line, err := requests.ReadBytes('\n')
			if answer := w.swallow(line); answer != nil {
				os.Stdout.Write(append(answer, '\n'))
				w.log("mcp.jsonl", answer)
			} else if _, wrote := in.Write(line); wrote != nil {
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for answers := bufio.NewReader(out); ; {
		line, err := answers.ReadBytes('\n')
		if len(line) > 0 {
			line = w.spoil(line)
			os.Stdout.Write(line)
			w.log("mcp.jsonl", bytes.TrimSpace(line))
		}
		if err != nil {
			break
		}
	}
	return exitCode(cmd.Wait())
}

// swallow returns the answer to a call that the mutation keeps from the server, nil for any other line.
func (w wrapper) swallow(line []byte) []byte {
	var call struct {
		ID     any
		Params struct{ Name string }
	}
	_ = json.Unmarshal(line, &call)
	for name, mutation := range map[string]string{"take": idleTake, "resume": idleTake, "done": idleDone} {
		if w.mutation == mutation && call.Params.Name == "handoff_"+name {
			answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID,
				"result": map[string]any{"content": []any{map[string]any{"type": "text", "text": "ok"}}}})
			return answer
		}
	}
	return nil
}

// spoil returns an answer of the server as the mutation leaves it.
func (w wrapper) spoil(line []byte) []byte {
	var answer map[string]any
	if w.mutation != unframed && w.mutation != noIsError || json.Unmarshal(line, &answer) != nil {
		return line
	}
	result, _ := answer["result"].(map[string]any)
	contents, _ := result["content"].([]any)
	for _, c := range contents {
		if c, _ := c.(map[string]any); w.mutation == unframed && c["type"] == "text" {
			c["text"] = frame.ReplaceAllString(text(c["text"]), "")
		}
	}
	if w.mutation == noIsError {
		delete(result, "isError")
	}
	changed, err := json.Marshal(answer)
	if err != nil {
		return line
	}
	return append(changed, '\n')
}

// The wrapper changes only what its mutation says.
func TestWrapper(t *testing.T) {
	framed := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"<untrusted-content id=\"x\">\n| A plan\n</untrusted-content>\n"}],"isError":true}}` + "\n"
	for mutation, want := range map[string]string{
		"":        framed,
		unframed:  `{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"A plan\n","type":"text"}],"isError":true}}` + "\n",
		noIsError: `{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"\u003cuntrusted-content id=\"x\"\u003e\n| A plan\n\u003c/untrusted-content\u003e\n","type":"text"}]}}` + "\n",
	} {
		if got := string((wrapper{mutation: mutation}).spoil([]byte(framed))); got != want {
			t.Errorf("%q: %s; want %s", mutation, got, want)
		}
	}
	call := []byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"handoff_take"}}`)
	if (wrapper{mutation: idleDone}).swallow(call) != nil || (wrapper{mutation: idleTake}).swallow(call) == nil {
		t.Error("the wrong call is kept from the server")
	}
}

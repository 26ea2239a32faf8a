package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// A raw client writes what it likes.
type raw struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *strings.Builder
}

func mustStart(t *testing.T, root string) raw {
	t.Helper()
	r := raw{Cmd: exec.Command(bin, "mcp"), stderr: new(strings.Builder)}
	r.Dir, r.Stderr = root, r.stderr
	var err error
	if r.in, err = r.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(r.in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	fmt.Fprintln(r.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if _, err := r.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return r
}

func writeCall(id int, body string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"handoff_write","arguments":{"to":"ben","topic":"t-%d","body":%q,"ts":"2026-05-07T12:00:00Z"}}}`, id, id, body) + "\n"
}

func mustVerify(t *testing.T, root string) {
	t.Helper()
	cmd := exec.Command(bin, "verify")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// A message without an end does not fill the memory.
func TestHugeMessage(t *testing.T) {
	r := mustStart(t, mustProject(t))
	go func() {
		_, err := io.WriteString(r.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"handoff_write","arguments":{"body":"`)
		for n := 0; n < 200 && err == nil; n++ {
			_, err = io.WriteString(r.in, strings.Repeat("x", 1<<20))
		}
	}()
	if err := r.Wait(); err == nil || !strings.Contains(r.stderr.String(), "a message has more than 16 MiB") {
		t.Errorf("%v: %s", err, r.stderr)
	}
	if used := maxMemory(r.ProcessState); used > 300<<20 {
		t.Errorf("it took %d MiB", used>>20)
	}
}

// A line of a log between the messages does not take the tools away from the session.
func TestOtherLines(t *testing.T) {
	r := mustStart(t, mustProject(t))
	fmt.Fprint(r.in, "npm warn deprecated\n\n{\"jsonrpc\":\n42\n{}\n[]\r\n"+writeCall(1, "x")+writeCall(2, "y"))
	for range 2 {
		if line, err := r.out.ReadString('\n'); err != nil || !strings.Contains(line, `\"created\"`) {
			t.Errorf("%v: %s", err, line)
		}
	}
	r.in.Close()
	if err := r.Wait(); err != nil || strings.Count(r.stderr.String(), "not a JSON-RPC message") != 5 {
		t.Errorf("%v: %s", err, r.stderr)
	}
}

func TestManyAtOnce(t *testing.T) {
	const calls = 100
	root := mustProject(t)
	r := mustStart(t, root)
	go func() {
		for i := range calls {
			_, _ = io.WriteString(r.in, writeCall(i+1, "x"))
		}
	}()
	answered := make(map[int]bool)
	for range calls {
		line, err := r.out.ReadString('\n')
		var answer struct {
			ID     int
			Result struct{ IsError bool }
		}
		if err == nil {
			err = json.Unmarshal([]byte(line), &answer)
		}
		if err != nil || answer.Result.IsError || answered[answer.ID] {
			t.Fatalf("%v: %s", err, line)
		}
		answered[answer.ID] = true
	}
	r.in.Close()
	if err := r.Wait(); err != nil {
		t.Error(err)
	}
	mustVerify(t, root)
}

// A client that goes away leaves whole handoffs or none, whichever way it goes.
func TestClientGoes(t *testing.T) {
	for name, leave := range map[string]func(raw){
		"closes both": func(r raw) { r.in.Close() },
		"kills it":    func(r raw) { _ = r.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			root := mustProject(t)
			r := mustStart(t, root)
			for i := range 50 {
				_, _ = io.WriteString(r.in, writeCall(i+1, strings.Repeat("x", 10_000)))
			}
			if _, err := r.out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			leave(r)
			_ = r.Wait()
			mustVerify(t, root)
		})
	}
}

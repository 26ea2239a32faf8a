// Package quiet ends the program at once if a hook has nothing to tell.
//
// Every prompt of a session waits for the hook, and mostly there is no news. The package imports next to nothing, so Go
// initializes it before almost all others: such a hook costs half of another command. Whatever is not the common case
// is left to the hook itself.
package quiet

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
)

const (
	patience = time.Second
	maxInput = 8 << 20
)

// Input is the input of the hook that this program runs, nil if nothing was read yet.
var Input io.Reader

func init() {
	if len(os.Args) < 3 || os.Args[1] != "hook" || os.Args[2] != "prompt" && os.Args[2] != "tool" {
		return
	}
	late := time.After(patience)
	read := make(chan []byte, 1)
	go func() { read <- object() }()
	select {
	case text := <-read:
		if !isQuiet(members(text)) {
			Input = io.MultiReader(bytes.NewReader(text), os.Stdin)
			return
		}
	case <-late: // without a session there is nothing to tell
		os.Exit(0)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // some agents fail if their hook stops reading
		os.Exit(0)
	}()
	<-late
	os.Exit(0)
}

// object reads until the input has a whole object, ends or is too long.
func object() (text []byte) {
	part := make([]byte, 1<<16)
	for {
		n, err := os.Stdin.Read(part)
		text = append(text, part[:n]...)
		isEnd := bytes.HasSuffix(bytes.TrimSpace(part[:n]), []byte("}"))
		if err != nil || len(text) > maxInput || isEnd && members(text) != nil {
			return text
		}
	}
}

// isQuiet reports whether the session of an input has nothing to hear or to renew.
func isQuiet(in map[string]string) bool {
	n := memory.Read(memory.State(os.Getenv), memory.Name(in["session_id"]))
	return n.Path() != "" && in["cwd"] != "" && in["workspace_roots"]+in["workspacePaths"] == "" &&
		!n.MustTell(in["cwd"]) && !n.MustRenew()
}

// members returns the members of a JSON object whose values are strings without escapes, and the first byte of others.
// It is nil for a text that does not end with the object.
func members(text []byte) map[string]string {
	all := make(map[string]string)
	depth, name, isName := 0, "", false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' || c == '[':
			if depth == 1 && !isName {
				all[name] = string(c)
			}
			depth++
			isName = c == '{'
		case c == '}' || c == ']':
			if depth--; depth == 0 && len(bytes.TrimSpace(text[i+1:])) == 0 {
				return all
			}
		case c == ',':
			isName = true
		case c == ':':
			isName = false
		case c == '"':
			start := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			switch word := string(text[start:min(i, len(text))]); {
			case depth == 1 && isName:
				name = word
			case depth == 1:
				all[name] = word
			}
		}
	}
	return nil
}

// Package quiet ends the program at once if a hook has nothing to tell.
//
// Every prompt of a session waits for the hook, and mostly there is no news. The package imports next to nothing, so Go
// initializes it before almost all others: such a hook costs half of another command. Whatever is not the common case
// is left to the hook itself.
package quiet

import (
	"io"
	"os"
	"time"
)

const (
	patience = time.Second
	maxInput = 8 << 20
	pause    = 60 // seconds after which a session is told again
)

// Input is the input of the hook that this program runs, nil if it was not read yet.
var Input []byte

func init() {
	if len(os.Args) < 3 || os.Args[1] != "hook" || os.Args[2] != "prompt" && os.Args[2] != "tool" {
		return
	}
	read := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(os.Stdin, maxInput)) // as far as it can be read
		_, _ = io.Copy(io.Discard, os.Stdin)                      // some agents fail if their hook stops reading
		read <- text
	}()
	select {
	case Input = <-read:
	case <-time.After(patience):
		os.Exit(0) // too late to tell anything
	}
	if Input == nil {
		Input = []byte{}
	}
	if isQuiet(members(Input)) {
		os.Exit(0)
	}
}

// isQuiet reports whether the note of a session has no news. The package lib/agent/memory describes its lines.
func isQuiet(in map[string]string) bool {
	state, id := os.Getenv("XDG_STATE_HOME"), in["session_id"]
	if state == "" {
		state = os.Getenv("HOME") + "/.local/state"
	}
	if !isPlain(id) || in["cwd"] == "" || in["workspace_roots"]+in["workspacePaths"] != "" || state[0] != '/' {
		return false
	}
	text, err := os.ReadFile(state + "/handoff/sessions/" + id)
	lines := split(string(text))
	if n := len(lines); err != nil || n < 11 || n%2 != 1 || lines[n-1] != "end" {
		return false
	}
	now, told, renew := time.Now().Unix(), number(lines[1]), number(lines[2])
	if renew > 0 && now >= renew {
		return false
	}
	if told <= now && now < told+pause {
		return true
	}
	for i := 8; i < len(lines)-1; i += 2 {
		info, err := os.Lstat(lines[i])
		size, changed := lines[i+1], ""
		for j := range size {
			if size[j] == '.' {
				size, changed = size[:j], size[j+1:]
				break
			}
		}
		if err != nil || info.Size() != number(size) || info.ModTime().UnixNano() != number(changed) {
			return false
		}
	}
	return lines[0] == in["cwd"]
}

// members returns the members of a JSON object whose values are strings without escapes, and the first byte of others.
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
			depth--
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
	return all
}

// isPlain reports whether a text has letters, digits, - and _ alone.
func isPlain(text string) bool {
	for _, c := range []byte(text) {
		if !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return text != ""
}

// split returns the lines of a text.
func split(text string) (lines []string) {
	start := 0
	for i := range len(text) {
		if text[i] == '\n' {
			lines, start = append(lines, text[start:i]), i+1
		}
	}
	return append(lines, text[start:])
}

// number returns a number, -1 for another text.
func number(text string) (n int64) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

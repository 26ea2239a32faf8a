// Package transcript makes an extract of the transcript of an agent's session, without a model: the words of the
// user, the files that were changed, and the commands with their exit codes.
//
// A transcript is JSON, one value on each line (Claude Code, Codex CLI, Copilot CLI), or one value with a list of
// messages (Gemini CLI). Nothing of it is run, and no file that it names is opened. Lines in other forms are
// skipped.
package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The limits of an extract.
const (
	maxRead     = 4 << 20 // bytes at the end of a transcript
	maxWords    = 20      // the first message of the user and the newest ones
	maxFiles    = 100     // the newest ones
	maxCommands = 40      // the newest ones
	maxMessage  = 500     // characters
	maxCommand  = 200
)

// An Extract is what a transcript says about the work.
type Extract struct {
	Words    []string // what the user wrote, oldest first
	Files    []string // that were changed, oldest first
	Commands []Command
	Branch   string // of git, as the agent noted it
}

// A Command is a command that the agent ran.
type Command struct {
	Line string
	Exit string // the exit code, "failed" without one, or "" if unknown

	call string // the id of the call that its result names
}

// Read returns the extract of the transcript at path. It reads at most the last 4 MiB of a regular file and never
// blocks. It follows no symbolic link in place of the file.
func Read(path string) (Extract, error) {
	text, err := readTail(path)
	if err != nil {
		return Extract{}, err
	}
	return Of(text), nil
}

// readTail returns the end of a file, from the beginning of a line.
func readTail(path string) ([]byte, error) {
	f, err := disk.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, _ := f.Seek(-maxRead, io.SeekEnd) // fails for a short file, which is read from its beginning
	text, err := io.ReadAll(io.LimitReader(f, maxRead))
	if from > 0 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text, err
}

// Of returns the extract of the text of a transcript.
func Of(text []byte) Extract {
	var x extracting
	var whole struct{ Messages []json.RawMessage }
	if json.Unmarshal(text, &whole) == nil && whole.Messages != nil {
		for _, message := range whole.Messages {
			x.add(message)
		}
	} else {
		for line := range bytes.Lines(text) {
			x.add(line)
		}
	}
	return x.Extract.capped()
}

// capped returns the extract without what exceeds the limits.
func (x Extract) capped() Extract {
	if over := len(x.Words) - maxWords; over > 0 {
		x.Words = slices.Delete(x.Words, 1, 1+over)
	}
	x.Files = x.Files[max(len(x.Files)-maxFiles, 0):]
	x.Commands = x.Commands[max(len(x.Commands)-maxCommands, 0):]
	return x
}

// Markdown returns the extract for people, or "" if it is empty. root is the directory that paths are relative to.
func (x Extract) Markdown(root string) string {
	var b strings.Builder
	list := func(title string, n int, line func(i int) string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "### %s\n\n", title)
		for i := range n {
			b.WriteString("* " + line(i) + "\n")
		}
		b.WriteString("\n")
	}
	list("What the user wrote", len(x.Words), func(i int) string { return x.Words[i] })
	list("Files that were changed", len(x.Files), func(i int) string { return relative(root, x.Files[i]) })
	list("Commands", len(x.Commands), func(i int) string {
		c := x.Commands[i]
		switch c.Exit {
		case "", "failed":
			return strings.TrimSpace(c.Line + " " + strings.Replace(c.Exit, "failed", "(failed)", 1))
		}
		return c.Line + " (exit " + c.Exit + ")"
	})
	return b.String()
}

// relative returns path, relative to root if it is below it.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// line returns text as one line of at most n characters.
func line(text string, n int) string {
	text = form.EscapeLine(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
	if utf8.RuneCountInString(text) > n {
		text = string([]rune(text)[:n]) + "…"
	}
	return text
}

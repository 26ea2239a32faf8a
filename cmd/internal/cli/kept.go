package cli

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// keptFor is how long a text that could not be stored is kept.
const keptFor = 14 * 24 * time.Hour

// Kept keeps a text without a file that could not be stored, once. It returns why, with the command that stores the
// text. If that failed before the files of the command were read, the text is what is piped in.
func (w *Writing) Kept(why error, files []string) error {
	if why == nil || w.isSafe {
		return why
	}
	if w.isSafe = true; w.texts == nil && w.Message != "" {
		w.loose = []byte(w.Message)
	} else if w.texts == nil && (len(files) == 0 || files[0] == "-") {
		w.loose, _ = w.piped()
	}
	took := w.took
	if w.Time != "" || !isRepeatable(why) {
		took = ""
	}
	if len(bytes.TrimSpace(w.loose)) == 0 {
		return SameAgain(why, took)
	}
	path, err := keep(memory.State(w.Getenv), w.loose)
	if err != nil {
		return SameAgain(WithHint(why, "your text is not kept: copy it from the terminal"), took)
	}
	var again []string
	if took != "" {
		again = []string{"--ts", took}
	}
	for _, missing := range []string{"--to NAME", "--redact"} {
		if strings.Contains(why.Error()+strings.Join(Hints(why), ""), missing) {
			again = append(again, strings.Fields(missing)...)
		}
	}
	return WithHint(why, "your text is kept: `"+w.line(why, append(again, "-")...)+" < "+quoted(path)+"`")
}

// line returns the command that runs: its handoffs, the flags that do not give the text, and more arguments. What why
// finds wrong has a name in its place, such as ID.
func (w *Writing) line(why error, more ...string) string {
	if w.Command == nil {
		return "handoff"
	}
	isWrong := func(flag, value string) bool {
		return errors.Is(why, handoff.ErrInvalid) && (strings.Contains(why.Error(), strconv.Quote(value)) ||
			strings.Contains(why.Error(), flag+" ") || strings.Contains(why.Error(), flag+":"))
	}
	words := strings.Fields(w.Command.CommandPath())
	for _, id := range w.IDs {
		if isWrong("@", id) {
			id = "ID"
		}
		words = append(words, id)
	}
	isGiven := false
	w.Command.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			if isWrong("--"+f.Name, value) {
				name, _ := pflag.UnquoteUsage(f)
				value = strings.ToUpper(name)
			}
			switch {
			case f.Name == "message":
			case f.NoOptDefVal != "":
				words = append(words, strings.TrimSuffix("--"+f.Name+"="+value, "="+f.NoOptDefVal))
			default:
				words = append(words, "--"+f.Name, value)
				isGiven = isGiven || value == "-"
			}
		}
	})
	if isGiven { // such as --reply -
		more = slices.DeleteFunc(more, func(word string) bool { return word == "-" })
	}
	words = append(words, more...)
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// quoted returns a word for a shell.
func quoted(word string) string {
	if word != "" && strings.Trim(word, memory.Letters+".:/@,=+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// keep writes a text to a new file that only the user can read, and removes the old ones.
func keep(state string, text []byte) (path string, err error) {
	if state == "" {
		return "", fs.ErrNotExist
	}
	dir := filepath.Join(state, "kept")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	old, _ := os.ReadDir(dir)
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	f, err := os.CreateTemp(dir, "*.md")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), cmp.Or(err, f.Close())
}

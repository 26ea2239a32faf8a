package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// elsewhere has the words of other tools, with what does the same here.
var elsewhere = []struct{ words, hint string }{
	{"ls", "to list handoffs: `handoff list`"},
	{"view cat open get", "to read a handoff: `handoff read ID`"},
	{"send add post submit give", "to give a handoff to someone: `handoff write FILE --to NAME`"},
	{"assign forward", "only its recipient takes a handoff; to give it to another: `handoff write FILE --to NAME`"},
	{"edit update", "a handoff never changes; to replace it: `handoff write FILE --supersedes ID`"},
	{"comment answer", "to answer a handoff: `handoff reply ID`"},
	{"claim start accept", "to start the work: `handoff take ID`"},
	{"close finish complete", "to finish a handoff: `handoff done ID`"},
	{"rm delete remove del", "to hide a handoff: `handoff archive ID`"},
	{"push pull fetch", "to exchange handoffs with other clones: `handoff sync`"},
	{"undo revert cancel", "to take back what you wrote: `handoff write --undo ID`"},
	{"thread history", "to see what happened: `handoff log ID`"},
	{"sign", "to sign a handoff, write it again: `handoff write FILE --sign`"},
	{"uninstall", "to remove the hooks of an agent: `handoff install AGENT --undo`"},
}

// unknownCommand returns the error for a word that names no command below cmd. The hint is the command that is probably
// meant.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := cmd.CommandPath()
	advice := "run `" + path + " --help`"
	if !cmd.HasParent() {
		advice = "run `handoff help all`"
	}
	if near := nearestName(word, namesOf(cmd.Commands())); near != "" {
		advice = "did you mean `" + path + " " + near + "`?"
	}
	for _, other := range elsewhere {
		if !cmd.HasParent() && slices.Contains(strings.Fields(other.words), word) {
			advice = other.hint
		}
	}
	return Invalid(advice, "no command %q", strings.TrimPrefix(path+" "+word, "handoff "))
}

// nearestName returns the known name that is probably meant by word: the only one with that prefix, or one with a
// similar spelling. Without such a name it returns "".
func nearestName(word string, known []string) string {
	begun := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.HasPrefix(name, word) })
	if len(begun) == 1 && len(word) > 1 {
		return begun[0]
	}
	return handoff.Nearest(word, known)
}

// Usage turns an error about the flags of a command into invalid input.
func Usage(cmd *cobra.Command, err error) error {
	wrong := &handoff.Error{Class: handoff.ErrInvalid, Problem: err.Error(), Cause: err}
	if hints(err) == nil {
		wrong.Advice = "run `" + cmd.CommandPath() + " --help`"
	}
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := nearestName(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), names)
		if near != "" {
			wrong.Advice = "did you mean --" + near + "?"
		}
	}
	if value, is := errors.AsType[*pflag.InvalidValueError](err); is {
		why := value.Unwrap().Error()
		if errors.Is(err, strconv.ErrSyntax) { // of a boolean flag
			why = fmt.Sprintf("%q is not true or false", value.GetValue())
			wrong.Advice = "leave the value out, or use true or false"
		}
		if wrong.Problem = "--" + value.GetFlag().Name + " " + why; strings.HasPrefix(why, `"`) {
			wrong.Problem = "--" + value.GetFlag().Name + ": " + why
		}
	}
	return wrong
}

// Invalid returns an error about the input, with a hint.
func Invalid(hint, format string, args ...any) error {
	return fault.Invalid(hint, format, args...)
}

const maxLine = 2000 // bytes of an error

// errorText returns the text and at most two hints of an error. For agents it leaves out text from others, and hints
// with a path: the name of a directory could be an instruction.
func (a *App) errorText(err error) (text string, advice []string) {
	text, advice = err.Error(), hints(err)
	if a.ForAgents && !IsTerminal(a.Stderr) {
		text = fault.Plain(err)
		advice = slices.DeleteFunc(advice, func(hint string) bool { return strings.ContainsAny(hint, `/\`) })
	}
	return text, advice[:min(2, len(advice))]
}

// report prints an error with its hints. Lines are escaped and cut.
func (a *App) report(err error) {
	a.progress.clear()
	if err == nil {
		return
	}
	if a.wantsJSON() {
		_ = EncodeJSON(a.Stderr, a.asJSON(err)) // nothing can be printed
		return
	}
	text, advice := a.errorText(err)
	for line := range strings.SplitSeq(text, "\n") {
		if line = handoff.EscapeLine(line); len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + "…"
		}
		fmt.Fprintln(a.Stderr, Fit(a.Stderr, "handoff: "+line))
	}
	for _, hint := range advice {
		fmt.Fprintln(a.Stderr, Fit(a.Stderr, "hint: "+handoff.EscapeLine(hint)))
	}
}

// hints returns the hints of an error and of the errors that it wraps, each once.
func hints(err error) (all []string) {
	add := func(more ...string) {
		for _, h := range more {
			if !slices.Contains(all, h) {
				all = append(all, h)
			}
		}
	}
	if h, ok := err.(hinted); ok { // the cause comes first
		add(hints(h.error)...)
		add(h.hint)
		return all
	}
	if h, ok := err.(interface{ Hint() string }); ok && h.Hint() != "" {
		add(h.Hint())
	}
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	}
	for _, e := range inner {
		add(hints(e)...)
	}
	return all
}

// warn prints a note once in a run.
func (a *App) warn(text string) {
	if _, again := a.warned.LoadOrStore(text, true); !again {
		a.Note(text)
	}
}

// Note prints a line to standard error, unless --quiet was given.
func (a *App) Note(text string) {
	if !a.Quiet {
		a.progress.clear()
		fmt.Fprintln(a.Stderr, Fit(a.Stderr, "handoff: "+handoff.EscapeLine(text)))
	}
}

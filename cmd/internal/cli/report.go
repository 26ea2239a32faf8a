package cli

import (
	"cmp"
	_ "embed"
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

// elsewhere has a line for the words of other tools: the words, and what does the same here.
//
//go:embed words.txt
var elsewhere string

// unknownCommand returns the error for a word that names no command below cmd. The hint is the command that is probably
// meant.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := cmd.CommandPath()
	advice := "run `" + path + " --help`"
	if near := nearestName(word, namesOf(cmd.Commands())); near != "" {
		advice = "did you mean `" + path + " " + near + "`?"
	} else if !cmd.HasParent() {
		advice = "run `handoff help all`"
	}
	for line := range strings.Lines(elsewhere) {
		words, hint, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !cmd.HasParent() && slices.Contains(strings.Fields(words), word) {
			advice = hint
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
	problem, advice := err.Error(), "run `"+cmd.CommandPath()+" --help`"
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := nearestName(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), names)
		if near != "" {
			advice = "did you mean --" + near + "?"
		}
	}
	if value, is := errors.AsType[*pflag.InvalidValueError](err); is {
		why := value.Unwrap().Error()
		advice = cmp.Or(strings.Join(Hints(err), "; "), advice)
		if errors.Is(err, strconv.ErrSyntax) { // of a boolean flag
			why = fmt.Sprintf("%q is not true or false", value.GetValue())
			advice = "leave the value out, or use true or false"
		}
		if problem = "--" + value.GetFlag().Name + " " + why; strings.HasPrefix(why, `"`) {
			problem = "--" + value.GetFlag().Name + ": " + why
		}
	}
	return Invalid(advice, "%s", problem)
}

// Invalid returns an error about the input, with a hint.
func Invalid(hint, format string, args ...any) error {
	return fault.Invalid(hint, format, args...)
}

const maxLine = 2000 // bytes of an error

// errorText returns the text and at most two hints of an error. For agents it leaves out text from others, and hints
// with a path: the name of a directory could be an instruction.
func (a *App) errorText(err error) (text string, advice []string) {
	text, advice = err.Error(), Hints(err)
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
		a.say("handoff", line)
	}
	for _, hint := range advice {
		a.say("hint", hint)
	}
}

// say prints a line for people to standard error, escaped and cut.
func (a *App) say(prefix, text string) {
	if text = handoff.EscapeLine(text); len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	fmt.Fprintln(a.Stderr, Fit(a.Stderr, prefix+": "+text))
}

// Hints returns the hints of an error and of the errors that it wraps, each once. The cause comes first.
func Hints(err error) (all []string) {
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	}
	var found []string
	for _, e := range inner {
		found = append(found, Hints(e)...)
	}
	if h, ok := err.(interface{ Hint() string }); ok && h.Hint() != "" {
		found = append(found, h.Hint())
	}
	for _, hint := range found {
		if !slices.Contains(all, hint) {
			all = append(all, hint)
		}
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
		a.say("handoff", text)
	}
}

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

// Subcommand returns the error of a command that was run without one of its subcommands.
func Subcommand(cmd *cobra.Command, args []string) error {
	known := names(cmd)
	if len(args) == 0 {
		return Usage(cmd, fmt.Errorf("%s needs one of %s", cmd.Name(), strings.Join(known, ", ")))
	}
	return unknown("use "+strings.Join(known, ", "), cmd.CommandPath()+" ", args[0], known,
		"unknown command %q of "+cmd.CommandPath())
}

// unknown returns the error for an unknown word, in a format for the problem. The hint is the known word that is
// probably meant, after the words of path, or else advice.
func unknown(advice, path, word string, known []string, format string) error {
	if near := nearestName(word, known); near != "" {
		advice = "did you mean `" + path + near + "`?"
	}
	return Invalid(advice, format, word)
}

// nearFlag returns the flag that is probably meant by an unknown one, also by -word, "" if none is similar.
func nearFlag(cmd *cobra.Command, err error) string {
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	if !is {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return nearestName(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), names)
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

// Usage turns an error about the command line into invalid input.
func Usage(cmd *cobra.Command, err error) error {
	wrong := &handoff.Error{Class: handoff.ErrInvalid, Problem: err.Error(), Cause: err}
	if near := nearFlag(cmd, err); near != "" {
		wrong.Advice = "did you mean --" + near + "?"
	} else if hints(err) == nil {
		wrong.Advice = "run `" + cmd.CommandPath() + " --help`"
	}
	if value, is := errors.AsType[*pflag.InvalidValueError](err); is {
		why := value.Unwrap().Error()
		if errors.Is(err, strconv.ErrSyntax) { // of a boolean flag
			why = fmt.Sprintf("%q is not true or false", value.GetValue())
			wrong.Advice = "leave the value out, or use true or false"
		}
		wrong.Problem = "--" + value.GetFlag().Name + " " + why
	}
	return wrong
}

// Invalid returns an error about the input, with a hint.
func Invalid(hint, format string, args ...any) error {
	return fault.Invalid(hint, format, args...)
}

const maxLine = 2000 // bytes of an error

// errorText returns the text and the hints of an error. For agents it leaves out text from others, and hints with a
// path: the name of a directory could be an instruction.
func (a *App) errorText(err error) (text string, advice []string) {
	if !a.ForAgents || IsTerminal(a.Stderr) {
		return err.Error(), hints(err)
	}
	return fault.Plain(err), slices.DeleteFunc(hints(err),
		func(hint string) bool { return strings.ContainsAny(hint, `/\`) })
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

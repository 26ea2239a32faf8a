package cli

import (
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

// Subcommand is what a command does that has others below it and is run without one.
func Subcommand(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if len(args) == 0 {
		return Usage(cmd, fmt.Errorf("%s needs one of %s", cmd.CommandPath(), strings.Join(names, ", ")))
	}
	if near := meant(args[0], names); near != "" {
		return Invalid("did you mean `"+cmd.CommandPath()+" "+near+"`?", "unknown command %q of %s", args[0], cmd.CommandPath())
	}
	return Invalid("it has "+strings.Join(names, ", "), "unknown command %q of %s", args[0], cmd.CommandPath())
}

// Below makes a command that has only others below it.
func Below(cmd *cobra.Command, others ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = cobra.ArbitraryArgs, Subcommand
	cmd.AddCommand(others...)
	return cmd
}

// nearFlag returns the flag that was probably meant where one is not known, "" if none is near.
func nearFlag(cmd *cobra.Command, err error) string {
	unknown := (*pflag.NotExistError)(nil)
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return meant(unknown.GetSpecifiedName(), names)
}

// meant returns which name of the program was probably meant: the only one that begins so, or one that is spelt nearly
// so; "" if none is.
func meant(word string, known []string) string {
	begun := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.HasPrefix(name, word) })
	if len(begun) == 1 && len(word) > 1 {
		return begun[0]
	}
	return handoff.Nearest(word, known)
}

// Usage makes an error about the command line invalid input.
func Usage(cmd *cobra.Command, err error) error {
	wrong := &handoff.Error{Class: handoff.ErrInvalid, Problem: err.Error(), Advice: "run `" + cmd.CommandPath() + " --help`", Cause: err}
	if near := nearFlag(cmd, err); near != "" {
		wrong.Advice = "did you mean --" + near + "?"
	}
	if value := (*pflag.InvalidValueError)(nil); errors.As(err, &value) {
		why := value.Unwrap().Error()
		if errors.Is(err, strconv.ErrSyntax) { // of a flag that is on or off
			why = fmt.Sprintf("%q is not true or false", value.GetValue())
		}
		wrong.Problem = "--" + value.GetFlag().Name + " " + why
	}
	return wrong
}

func unknownCommand(root *cobra.Command, name string) error {
	if near := meant(name, names(root)); near != "" {
		return Invalid("did you mean `handoff "+near+"`?", "unknown command %q", name)
	}
	return Invalid("`handoff help all` shows the commands", "unknown command %q", name)
}

// Invalid makes an error about the input, with what to do.
func Invalid(hint, format string, args ...any) error {
	return fault.New(fault.ErrInvalid, hint, format, args...)
}

// Args turns cobra's complaint about the number of arguments into invalid input.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return Invalid("use `"+cmd.UseLine()+"`; --help says more", "%s: wrong number of arguments: %d", cmd.CommandPath(), len(args))
		}
		return nil
	}
}

const maxLine = 2000 // bytes of an error

// told returns what is said of an error, and its hints. Where an agent is told it is our own words, and no hint that
// names a path: a directory could be named like a sentence.
func (a *App) told(err error) (text string, advice []string) {
	if !a.ForAgents || IsTerminal(a.Stderr) {
		return err.Error(), hints(err)
	}
	return fault.Plain(err), slices.DeleteFunc(hints(err), func(hint string) bool { return strings.ContainsAny(hint, `/\`) })
}

// lost notes why handoffs that are there cannot be listed.
func (a *App) lost(err error) {
	text, advice := a.told(err)
	a.warn(strings.Join(append([]string{text}, advice...), "; "))
}

// report prints an error, every line escaped and short, and its hints.
func (a *App) report(err error) {
	a.progress.clear()
	for _, note := range a.notes {
		a.Note(note)
	}
	if err == nil {
		return
	}
	if a.wantsJSON() {
		_ = EncodeJSON(a.Stderr, a.asJSON(err)) // nobody is left to tell
		return
	}
	text, advice := a.told(err)
	for line := range strings.SplitSeq(text, "\n") {
		if line = handoff.EscapeLine(line); len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + "…"
		}
		fmt.Fprintln(a.Stderr, "handoff: "+line)
	}
	for _, hint := range advice {
		fmt.Fprintln(a.Stderr, "hint: "+handoff.EscapeLine(hint))
	}
}

// hints collects the hints of an error and of those that it wraps, each once.
func hints(err error) []string {
	var all []string
	if h, ok := err.(interface{ Hint() string }); ok && h.Hint() != "" {
		all = append(all, h.Hint())
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = appendNew(all, hints(inner))
		}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			all = appendNew(all, hints(inner))
		}
	}
	return all
}

func appendNew(all, more []string) []string {
	for _, h := range more {
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// warn is Note for a text that one run tells once.
func (a *App) warn(text string) {
	if _, again := a.warned.LoadOrStore(text, true); !again {
		a.Note(text)
	}
}

// Note tells the person who runs the program something, unless --quiet is given.
func (a *App) Note(text string) {
	if !a.Quiet {
		a.progress.clear()
		fmt.Fprintln(a.Stderr, "handoff: "+handoff.EscapeLine(text))
	}
}

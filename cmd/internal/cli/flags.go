package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Exclusive makes it invalid input to give both flags of a command.
func Exclusive(cmd *cobra.Command, one, other string) {
	if cmd.Flags().Lookup(other) != nil { // not one of every command
		cmd.MarkFlagsMutuallyExclusive(one, other) // for completion; cobra would report it as no kind of error
	}
	Before(cmd, func(given func(string) bool) error {
		if given(one) && given(other) {
			return Invalid("leave one of them out", "--%s and --%s do not go together", one, other)
		}
		return nil
	})
}

// Needs makes it invalid input to give a flag of a command without another one.
func Needs(cmd *cobra.Command, one, other string) {
	Before(cmd, func(given func(string) bool) error {
		if given(one) && !given(other) {
			return Invalid("leave it out, or give both", "--%s needs --%s", one, other)
		}
		return nil
	})
}

// before adds a check of the flags that are given.
func Before(cmd *cobra.Command, check func(given func(flag string) bool) error) {
	others := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd.Flags().Changed); err != nil || others == nil {
			return err
		}
		return others(cmd, args)
	}
}

// A given is the value of a flag that is given once, and not empty: what a script lost is no wish to go without.
type given struct {
	pflag.Value
	flag *pflag.Flag
}

func (g given) Set(text string) error {
	switch {
	case text == "":
		return errors.New("is empty: give it a value, or leave it out")
	case g.flag.Changed && text != g.flag.Value.String():
		return errors.New("is given twice")
	}
	return g.Value.Set(text)
}

// giveOnce makes a flag one that is given once and not empty, but for those that may be repeated.
func giveOnce(f *pflag.Flag) {
	switch f.Value.Type() {
	case "stringArray", "func":
	default:
		f.Value = given{f.Value, f}
	}
}

// Choice adds a flag whose value is one of some words. The value is the default.
func Choice(cmd *cobra.Command, value *string, name, usage string, words ...string) {
	cmd.Flags().Var(&choice{value, words}, name, usage+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

type choice struct {
	value *string
	words []string
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "string" }

func (c *choice) Set(text string) error {
	if *c.value = text; slices.Contains(c.words, text) {
		return nil
	}
	return fmt.Errorf("%q is not one of %s", text, strings.Join(c.words, ", "))
}

// Format adds --format. With --json it is what prints lines of JSON.
func (a *App) Format(cmd *cobra.Command, value *string, words ...string) {
	Choice(cmd, value, "format", "`how` to print", words...)
	Before(cmd, func(given func(string) bool) error {
		switch {
		case !a.JSON:
		case !given("format"):
			*value = "jsonl"
		case !strings.HasPrefix(*value, "json"):
			return Invalid("leave one of them out", "--json and --format %s do not go together", *value)
		}
		return nil
	})
}

// Texts adds a flag that may be given several times. That of the library starts a CSV writer to say that it is empty.
func Texts(f *pflag.FlagSet, values *[]string, name, usage string) {
	f.Var((*texts)(values), name, usage+"; may be repeated")
}

type texts []string

// String is "" for none, so that help names no default.
func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func (t *texts) Type() string { return "stringArray" }

// Number adds a flag for a number that is not negative. The value is the default.
func Number(f *pflag.FlagSet, value *int, name, short, usage string) {
	f.VarP((*number)(value), name, short, usage)
}

type number int

func (n *number) String() string { return strconv.Itoa(int(*n)) }
func (n *number) Type() string   { return "int" }

func (n *number) Set(text string) error {
	value, err := strconv.ParseUint(text, 10, 31)
	switch *n = number(value); {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large, at most %d", text, math.MaxInt32)
	case err != nil:
		return fmt.Errorf("%q is not a number, 0 or more", text)
	}
	return nil
}

// Duration adds a flag for a duration, which takes days and weeks too.
func Duration(f *pflag.FlagSet, value *time.Duration, name, usage string) {
	f.Var((*duration)(value), name, usage)
}

type duration time.Duration

// String is "" for none, so that help names no default of its own.
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *duration) Set(text string) error {
	value, err := handoff.ParseDuration(text)
	*d = duration(value)
	return err
}

func (d *duration) Type() string { return "duration" }

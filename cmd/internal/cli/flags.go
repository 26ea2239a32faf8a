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

// Exclusive makes it an error to give both flags.
func Exclusive(cmd *cobra.Command, one, other string) {
	if cmd.Flags().Lookup(other) != nil { // not a common flag
		cmd.MarkFlagsMutuallyExclusive(one, other) // for completion; the error of cobra has no class
	}
	Before(cmd, func(given func(string) bool) error {
		if given(one) && given(other) {
			return Invalid("remove one", "--%s conflicts with --%s", one, other)
		}
		return nil
	})
}

// Needs makes it an error to give the flag one without the flag other.
func Needs(cmd *cobra.Command, one, other string) {
	Before(cmd, func(given func(string) bool) error {
		if given(one) && !given(other) {
			return Invalid("add --"+other+", or remove --"+one, "--%s needs --%s", one, other)
		}
		return nil
	})
}

// Before adds a check that runs before the command. given reports whether a flag was given.
func Before(cmd *cobra.Command, check func(given func(flag string) bool) error) {
	others := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd.Flags().Changed); err != nil || others == nil {
			return err
		}
		return others(cmd, args)
	}
}

// A singleValue is the value of a flag that must be given once and not be empty: an empty value is usually an unset variable
// of a script.
type singleValue struct {
	pflag.Value
	flag *pflag.Flag
}

func (v singleValue) Set(text string) error {
	switch {
	case text == "":
		return errors.New("is empty: add a value, or remove the flag")
	case v.flag.Changed && text != v.flag.Value.String():
		return errors.New("is given twice")
	}
	return v.Value.Set(text)
}

// giveOnce gives a flag a singleValue, unless it can be repeated.
func giveOnce(f *pflag.Flag) {
	switch f.Value.Type() {
	case "stringArray", "func":
	default:
		f.Value = singleValue{f.Value, f}
	}
}

// Choice adds a flag that takes one of some words. *value is the default.
func Choice(cmd *cobra.Command, value *string, name, usage string, words ...string) {
	cmd.Flags().Var(&choice{value, words}, name, usage+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
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

// Format adds --format. --json means --format jsonl.
func (a *App) Format(cmd *cobra.Command, value *string, words ...string) {
	Choice(cmd, value, "format", "output `format`", words...)
	Before(cmd, func(given func(string) bool) error {
		switch {
		case !a.JSON:
		case !given("format"):
			*value = "jsonl"
		case !strings.HasPrefix(*value, "json"):
			return Invalid("remove one", "--json conflicts with --format %s", *value)
		}
		return nil
	})
}

// Texts adds a flag that can be repeated. The flag type of pflag would start a CSV writer.
func Texts(f *pflag.FlagSet, values *[]string, name, usage string) {
	f.Var((*texts)(values), name, usage+"; can be repeated")
}

type texts []string

// String returns "" if there are no values, so that help shows no default.
func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func (t *texts) Type() string { return "stringArray" }

// Number adds a flag for a number of 0 or more. *value is the default.
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

// Duration adds a flag for a duration, with days and weeks.
func Duration(f *pflag.FlagSet, value *time.Duration, name, usage string) {
	f.Var((*duration)(value), name, usage)
}

type duration time.Duration

// String returns "" for 0, so that help shows no default.
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

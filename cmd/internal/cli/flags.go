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

// A singleValue is the value of a flag that must be given once and not be empty: an empty value is usually an unset
// variable of a script.
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

// A value is a flag value. get returns "" for a value that help shall not show as a default.
type value struct {
	kind string
	get  func() string
	set  func(text string) error
}

func (v value) String() string        { return v.get() }
func (v value) Type() string          { return v.kind }
func (v value) Set(text string) error { return v.set(text) }

// Choice adds a flag that takes one of some words. *chosen is the default.
func Choice(cmd *cobra.Command, chosen *string, name, usage string, words ...string) {
	cmd.Flags().Var(value{"string", func() string { return *chosen }, func(text string) error {
		if *chosen = text; slices.Contains(words, text) {
			return nil
		}
		return fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
	}}, name, usage+": "+strings.Join(words, ", "))
	// the flag exists
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
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
	checked(f, values, name, usage+"; can be repeated", func(string) error { return nil })
}

// checked adds a flag that can be repeated, with a check of each value.
func checked(f *pflag.FlagSet, values *[]string, name, usage string, check func(text string) error) {
	f.Var(value{"stringArray", func() string { return strings.Join(*values, ",") }, func(text string) error {
		*values = append(*values, text)
		return check(text)
	}}, name, usage)
}

// Number adds a flag for a number of 0 or more. *number is the default.
func Number(f *pflag.FlagSet, number *int, name, short, usage string) {
	f.VarP(value{"int", func() string { return strconv.Itoa(*number) }, func(text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		switch *number = int(n); {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("%q is too large, at most %d", text, math.MaxInt32)
		case err != nil:
			return fmt.Errorf("%q is not a number, 0 or more", text)
		}
		return nil
	}}, name, short, usage)
}

// Duration adds a flag for a duration, with days and weeks.
func Duration(f *pflag.FlagSet, d *time.Duration, name, usage string) {
	get := func() string {
		if *d == 0 {
			return ""
		}
		return d.String()
	}
	f.Var(value{"duration", get, func(text string) (err error) {
		*d, err = handoff.ParseDuration(text)
		return err
	}}, name, usage)
}

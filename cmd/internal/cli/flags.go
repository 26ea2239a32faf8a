package cli

import (
	"cmp"
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

// Conflicts declares flags that conflict with a flag of a command.
func Conflicts(cmd *cobra.Command, name string, others ...string) {
	annotate(cmd, name, "conflicts", others)
}

// Needs declares a flag without which another one of a command means nothing.
func Needs(cmd *cobra.Command, name, other string) { annotate(cmd, name, "needs", []string{other}) }

func annotate(cmd *cobra.Command, name, key string, others []string) {
	others = append(others, cmd.Flag(name).Annotations[key]...)
	_ = cmd.Flags().SetAnnotation(name, key, others)
}

// checkFlags returns an error if flags conflict, need others, or are missing.
func (a *App) checkFlags(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		if _, isRequired := f.Annotations[cobra.BashCompOneRequiredFlag]; isRequired && !f.Changed {
			name, _ := pflag.UnquoteUsage(f)
			err = Invalid("add --"+f.Name+" "+strings.ToUpper(name), "no --%s", f.Name)
		}
	})
	flags.Visit(func(f *pflag.Flag) {
		for _, other := range f.Annotations["conflicts"] {
			if flags.Changed(other) {
				err = cmp.Or(err, Invalid("remove one", "--%s conflicts with --%s", f.Name, other))
			}
		}
		for _, other := range f.Annotations["needs"] {
			if !flags.Changed(other) {
				err = cmp.Or(err, Invalid("add --"+other+", or remove --"+f.Name, "--%s needs --%s", f.Name, other))
			}
		}
	})
	if flags.Changed("lock-timeout") {
		a.Flags.LockTimeout = max(a.Flags.LockTimeout, 1) // 0 would mean the default
	}
	return err
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
		return Invalid("add a value, or remove the flag", "is empty")
	case v.flag.Changed && text != v.flag.Value.String():
		return Invalid("remove one", "is given twice")
	}
	if kind, _ := pflag.UnquoteUsage(v.flag); kind == "operator" {
		text = Name(text)
	}
	return v.Value.Set(text)
}

// A value is a flag value. get returns "" for a value that help shall not show as a default. A choice has words.
type value struct {
	kind  string
	get   func() string
	set   func(text string) error
	words []string
}

func (v value) String() string        { return v.get() }
func (v value) Type() string          { return v.kind }
func (v value) Set(text string) error { return v.set(text) }

// Choice is the value of a flag that is one of some words.
func Choice(text *string, words ...string) pflag.Value {
	return value{"string", func() string { return *text }, func(given string) error {
		if *text = given; slices.Contains(words, given) {
			return nil
		}
		hint := "use " + strings.Join(words, ", ")
		if near := nearestName(given, words); near != "" {
			hint = "did you mean " + near + "?"
		}
		return Invalid(hint, "%q is unknown", given)
	}, words}
}

// states returns the words of --state.
func states() (words []string) {
	for _, s := range handoff.States() {
		words = append(words, string(s))
	}
	return words
}

// Number is the value of a flag for a number that is 0 or more.
func Number(n *int) pflag.Value {
	return value{"int", func() string { return strconv.Itoa(*n) }, func(text string) error {
		given, err := strconv.ParseUint(text, 10, 31)
		switch *n = int(given); {
		case errors.Is(err, strconv.ErrRange):
			return Invalid(fmt.Sprint("use at most ", math.MaxInt32), "%q is too large", text)
		case err != nil:
			return Invalid("use a number such as 20", "%q is not a number, 0 or more", text)
		}
		return nil
	}, nil}
}

// Whole is the value of a flag for a whole number, which can be negative.
func Whole(n *int) pflag.Value {
	return value{"int", func() string { return strconv.Itoa(*n) }, func(text string) (err error) {
		if *n, err = strconv.Atoi(text); err != nil {
			return Invalid("use a number such as 20 or -20", "%q is not a number", text)
		}
		return nil
	}, nil}
}

// Duration is the value of a flag for a duration of 0 or more, with days and weeks.
func Duration(d *time.Duration) pflag.Value {
	get := func() string {
		switch day := 24 * time.Hour; {
		case *d == 0:
			return ""
		case *d%day == 0:
			return fmt.Sprintf("%dd", *d/day)
		}
		return d.String()
	}
	return value{"duration", get, func(text string) (err error) {
		*d, err = handoff.ParseDuration(text)
		return err
	}, nil}
}

// OptionalDuration is the value of a flag for a duration that stays nil without the flag.
func OptionalDuration(d **time.Duration) pflag.Value {
	given := new(time.Duration)
	v := Duration(given)
	return value{v.Type(), v.String, func(text string) error {
		*d = given
		return v.Set(text)
	}, nil}
}

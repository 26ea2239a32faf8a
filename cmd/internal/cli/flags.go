package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Commands maps each command, such as "show", to what builds it, such as [Of].
type Commands map[string]func(*App) *cobra.Command

// Of builds a command of a function, whose words are on the page of the command. Each exported field of F is a flag,
// and so are those of a struct in it; a pointer to a struct is that of the App, such as *Who. The tags of a field:
//
//	flag     its name, its letter, or both: "json", ",o", "all,a" (default: the name of the field); "-" is no flag
//	default  the value without the flag
//	bare     the value of the flag without a value
//	one      the values that it takes, with commas between them, or states or agents
//	not      the flags that conflict with it
//	needs    the flag without which it means nothing
//	hidden   it is not shown by help
func Of[F any](run func(a *App, flags *F, args []string) error) func(*App) *cobra.Command {
	return func(a *App) *cobra.Command {
		flags := new(F)
		cmd := &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkFlags(cmd); err != nil {
				return err
			}
			end := func() error { return nil }
			if cmd.Flags().Lookup("no-pager") != nil && !a.Paging.NoPager {
				end = a.page()
			}
			return cmp.Or(run(a, flags, args), end())
		}}
		a.Declare(cmd.Flags(), flags)
		return cmd
	}
}

// None is for commands without flags.
type None struct{}

// Declare adds the flags of a struct, as Of describes them.
func (a *App) Declare(flags *pflag.FlagSet, of any) { a.declare(flags, reflect.ValueOf(of).Elem()) }

// declare adds the flags of a struct. A type that declares its flags itself has a method Declare.
func (a *App) declare(flags *pflag.FlagSet, of reflect.Value) {
	for i := range of.NumField() {
		field, at := of.Type().Field(i), of.Field(i)
		switch {
		case field.Anonymous && !field.IsExported() && at.Kind() == reflect.Struct:
			a.declare(flags, at)
			continue
		case !field.IsExported() || field.Tag.Get("flag") == "-":
			continue
		case at.Kind() == reflect.Pointer && at.Type().Elem().Kind() == reflect.Struct:
			at.Set(reflect.ValueOf(a).Elem().FieldByName(field.Name).Addr())
			at = at.Elem()
		}
		if itself, is := at.Addr().Interface().(interface{ Declare(*pflag.FlagSet) }); is {
			itself.Declare(flags)
		} else if at.Kind() == reflect.Struct {
			a.declare(flags, at)
		} else {
			declareFlag(flags, field, at)
		}
	}
}

// declareFlag adds the flag of a field.
func declareFlag(flags *pflag.FlagSet, field reflect.StructField, at reflect.Value) {
	tag := field.Tag.Get
	words := wordsOf(tag("one"))
	v := valueOf(at, words)
	name, letter, _ := strings.Cut(tag("flag"), ",")
	f := flags.VarPF(v, cmp.Or(name, flagName(field.Name)), letter, "")
	if f.NoOptDefVal = tag("bare"); f.NoOptDefVal != "" {
		f.Value = value{"optional", v.String, v.Set}
	} else if v.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
	if first := tag("default"); first != "" {
		_ = v.Set(first) // which a test proves to be good
		f.DefValue = first
	}
	f.Hidden = tag("hidden") != ""
	f.Annotations = map[string][]string{"not": strings.Fields(tag("not")), "needs": strings.Fields(tag("needs")),
		"one": words}
}

// flagName returns the name of the flag of a field: max-chars for MaxChars.
func flagName(field string) string {
	var name []rune
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			name = append(name, '-')
		}
		name = append(name, unicode.ToLower(r))
	}
	return string(name)
}

// wordsOf returns the values that a tag "one" lists, or nil if the tag is empty.
func wordsOf(list string) (words []string) {
	switch list {
	case "":
		return nil
	case "states":
		for _, s := range handoff.States() {
			words = append(words, string(s))
		}
		return words
	case "agents":
		return agent.Names()
	}
	return strings.Split(list, ",")
}

// checkFlags returns an error if flags conflict, or need others. With --json the format is jsonl.
func (a *App) checkFlags(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	flags.Visit(func(f *pflag.Flag) {
		for _, other := range f.Annotations["not"] {
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
	if format := flags.Lookup("format"); err == nil && format != nil && a.JSON {
		if !format.Changed {
			_ = format.Value.Set("jsonl") // thread has no other JSON
		} else if is := format.Value.String(); !strings.HasPrefix(is, "json") {
			err = Invalid("remove one", "--json conflicts with --format %s", is)
		}
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

// valueOf returns the value of a flag that sets a field to one of words, or to any value if words is nil. A pointer
// stays nil until the flag is given.
func valueOf(at reflect.Value, words []string) pflag.Value {
	if at.Kind() == reflect.Pointer {
		given := reflect.New(at.Type().Elem())
		v := valueOf(given.Elem(), words)
		return value{v.Type(), v.String, func(text string) error {
			at.Set(given)
			return v.Set(text)
		}}
	}
	switch field := at.Addr().Interface().(type) {
	case *bool:
		return value{"bool", func() string { return strconv.FormatBool(*field) }, func(text string) (err error) {
			*field, err = strconv.ParseBool(text)
			return err
		}}
	case *[]string:
		return texts(field)
	case *int:
		return number(field)
	case *time.Duration:
		return duration(field)
	}
	return value{"string", at.String, func(text string) error {
		if words != nil && !slices.Contains(words, text) {
			return unknown("use "+strings.Join(words, ", "), "", text, words, "%q is unknown")
		}
		at.SetString(text)
		return nil
	}}
}

// Texts adds a flag that can be repeated.
func Texts(flags *pflag.FlagSet, all *[]string, name, usage string) {
	flags.Var(texts(all), name, usage+"; can be repeated")
}

// texts is the value of a flag that can be repeated.
func texts(all *[]string) value {
	return value{"stringArray", func() string { return strings.Join(*all, ",") }, func(text string) error {
		*all = append(*all, text)
		return nil
	}}
}

func number(n *int) pflag.Value {
	return value{"int", func() string { return strconv.Itoa(*n) }, func(text string) error {
		given, err := strconv.ParseUint(text, 10, 31)
		switch *n = int(given); {
		case errors.Is(err, strconv.ErrRange):
			return Invalid(fmt.Sprint("use at most ", math.MaxInt32), "%q is too large", text)
		case err != nil:
			return Invalid("use a number such as 20", "%q is not a number, 0 or more", text)
		}
		return nil
	}}
}

// duration is the value of a flag for a duration, with days and weeks.
func duration(d *time.Duration) pflag.Value {
	get := func() string {
		if *d == 0 {
			return ""
		}
		return d.String()
	}
	return value{"duration", get, func(text string) (err error) {
		*d, err = handoff.ParseDuration(text)
		return err
	}}
}

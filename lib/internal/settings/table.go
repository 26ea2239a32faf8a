package settings

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// A key is a row of the table of settings.
type key struct {
	name, variable string // the variable is "" if there is none
	kind
}

// A kind parses a value.
type kind struct {
	tag  string // the tag of the YAML scalar
	want string
	set  func(text string, from Source) bool // changes nothing if it returns false

	// each is set for a mapping of names. It returns the keys of one of them, and a function that checks them all.
	each     func(name string) (known []key, check func() error)
	isOfUser bool // only the user's own configuration can set the key
	isSecret bool // a wrong value may hold a password, so no error repeats it
}

// rows sets the settings in a struct to their defaults, and returns the keys that change them. The tags of a field:
//
//	key      its key in the file; without one it is not a setting
//	env      the environment variable, if there is one
//	is       for a text: its form, or the allowed words with the default first; for a number: the
//	         least and the most
//	default  the default, in the form of the file; without one it is the zero value
func rows(of any) (all []key) {
	v := reflect.ValueOf(of).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		if name := tag.Get("key"); name != "" {
			all = append(all, key{name, tag.Get("env"), kindOf(v.Field(i).Addr().Interface(), tag.Get("is"))})
			all[len(all)-1].set(tag.Get("default"), Default)
		}
	}
	return all
}

// kindOf returns the kind of a setting, which it sets to the zero value.
func kindOf(setting any, is string) kind {
	switch to := setting.(type) {
	case *Setting[bool]:
		return into(to, "!!bool", "true or false", func(s string) (bool, bool) {
			return s == "true", s == "true" || s == "false"
		})
	case *Setting[int]:
		least, most, _ := strings.Cut(is, " ")
		low, _ := strconv.Atoi(least)
		high, _ := strconv.Atoi(most)
		return into(to, "!!int", "a number from "+least+" to "+most, func(s string) (int, bool) {
			n, err := strconv.Atoi(s)
			return n, err == nil && low <= n && n <= high && strconv.Itoa(n) == s // some readers parse 010 as 8
		})
	case *Setting[time.Duration]:
		return into(to, "!!str", "a duration such as 30s, 48h or 3d", func(s string) (time.Duration, bool) {
			d, ok := form.Duration(s)
			return d, ok && d >= 0
		})
	case *Setting[disk.Git]:
		return oneOf(to, is)
	}
	to := setting.(*Setting[string])
	want, fits := formOf(is)
	if fits == nil {
		return oneOf(to, is)
	}
	k := into(to, "!!str", want, func(s string) (string, bool) { return s, fits(s) })
	k.isSecret = strings.Contains(is, " of ") // it is of an object store
	return k
}

// into returns a kind that sets a setting.
func into[T any](to *Setting[T], tag, want string, parse func(string) (T, bool)) kind {
	to.Source = Default
	return kind{tag: tag, want: want, set: func(text string, from Source) bool {
		value, ok := parse(text)
		if ok {
			*to = Setting[T]{value, from}
		}
		return ok
	}}
}

// oneOf parses one of the words. The first is the default.
func oneOf[T ~string](to *Setting[T], words string) kind {
	all := strings.Fields(words)
	to.Value = T(all[0])
	return into(to, "!!str", strings.Join(all, " or "), func(s string) (T, bool) {
		return T(s), slices.Contains(all, s)
	})
}

// formOf returns the form with a name, for an error and as a function; nil if there is no such form. Texts of an object
// store are words that cannot have credentials.
func formOf(name string) (want string, fits func(string) bool) {
	word := func(start string) func(string) bool {
		return func(s string) bool {
			isOdd := func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("@?#", c) }
			return strings.HasPrefix(s, start) && s != start && len(s) <= 600 && !strings.ContainsFunc(s, isOdd)
		}
	}
	switch name {
	case "path":
		return "a path without control characters that does not begin with ~", func(s string) bool {
			return s != "" && s[0] != '~' && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
		}
	case "name":
		return form.NameRule, form.IsName
	case "remote": // not a URL: the user's repository decides where handoffs are sent
		return "the name of a remote", form.IsRemote
	case "namespace":
		return "refs/ and names with slashes between them, such as refs/heads/handoff", func(s string) bool {
			rest, ok := strings.CutPrefix(s, "refs/")
			return ok && !slices.ContainsFunc(strings.Split(rest, "/"), func(s string) bool { return !isSlug(s) })
		}
	case "address of a bucket":
		return "s3://bucket/prefix", word("s3://")
	case "address of a server":
		return "https://host, without credentials", word("http")
	case "name of a region", "name of a profile of AWS":
		return "the " + name, word("")
	}
	return "", nil
}

func isSlug(s string) bool { return form.IsSlug(s, 64) }

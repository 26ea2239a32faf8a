package document

import (
	"regexp"
	"strings"
	"sync"
)

// words are the plain scalars that YAML 1.1 or 1.2 reads as null, bool, merge or default value, in
// the spellings both allow.
var words = map[string]string{"": "null", "~": "null", "<<": "a merge key", "=": "a default value"}

func init() {
	for word, kind := range map[string]string{"null": "null", "true": "a boolean", "false": "a boolean", "yes": "a boolean",
		"no": "a boolean", "on": "a boolean", "off": "a boolean", "y": "a boolean", "n": "a boolean"} {
		words[word] = kind
		words[strings.ToUpper(word)] = kind
		words[strings.ToUpper(word[:1])+word[1:]] = kind
	}
	for _, word := range []string{".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"} {
		words[word] = "a number"
	}
	for _, word := range []string{".inf", ".Inf", ".INF"} {
		words["+"+word], words["-"+word] = "a number", "a number"
	}
}

// numeric holds the numbers of YAML 1.1 (yaml.org/type: binary, octal, decimal, hexadecimal, base 60,
// underscores) and of the YAML 1.2 core schema. Compiled when the first such scalar is met: a stored
// document has none.
var numeric = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`[-+]?0b[01_]+`, `[-+]?0[0-7_]+`, `[-+]?0o[0-7][0-7_]*`, `[-+]?0x[0-9a-fA-F_]+`,
		`[-+]?[0-9]+`, `[-+]?[1-9][0-9_]*`,
		`[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+`, `[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`,
		`[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?`,
	}, "|") + `)$`)
})

// dated holds the timestamps of YAML 1.1.
var dated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?` +
		`(?:(?:[Tt]| +)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?: *(?:Z|[-+][0-9][0-9]?(?::?[0-9]{2})?))?)?$`)
})

const timestamp = "a timestamp"

// plainKind says as what YAML 1.1 or 1.2 reads an unquoted scalar, "" for a string. resolved is the
// tag that the YAML library gave: its own reading counts too.
func plainKind(value, resolved string) string {
	if kind, ok := words[value]; ok {
		return kind
	}
	if strings.IndexByte("+-.0123456789", value[0]) >= 0 {
		switch {
		case dated().MatchString(value):
			return timestamp
		case numeric().MatchString(value):
			return "a number"
		}
	}
	switch resolved {
	case "!!str":
		return ""
	case "!!timestamp":
		return timestamp
	case "!!int", "!!float":
		return "a number"
	}
	return "no string"
}

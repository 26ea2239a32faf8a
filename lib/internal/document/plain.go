package document

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// wordKind returns what YAML 1.1 or 1.2 reads a plain scalar as, if it is a reserved word. It knows the spellings of
// both versions: lower case, upper case, and capitalized.
func wordKind(s string) string {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return "null"
	case "<<":
		return "a merge key"
	case "=":
		return "a default value"
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return "a number"
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y",
		"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return "a boolean"
	}
	return ""
}

// numeric matches the numbers of YAML 1.1 (yaml.org/type: binary, octal, decimal, hexadecimal, base 60, underscores)
// and of the YAML 1.2 core schema. It is compiled on first use, since stored documents have no such scalars.
var numeric = form.Pattern(`^[-+]?(?:0b[01_]+|0[0-7_]+|0o[0-7][0-7_]*|0x[0-9a-fA-F_]+|` +
	`[0-9]+|[1-9][0-9_]*|` +
	`[1-9][0-9_]*(?::[0-5]?[0-9])+|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|` +
	`(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?)$`)

// dated matches the timestamps of YAML 1.1.
var dated = form.Pattern(`^[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?` +
	`(?:(?:[Tt]| +)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?: *(?:Z|[-+][0-9][0-9]?(?::?[0-9]{2})?))?)?$`)

const timestamp = "a timestamp"

// plainKind returns what YAML 1.1 or 1.2 reads an unquoted scalar as, "" for a string. resolved is the tag from the
// YAML library, which also counts.
func plainKind(value, resolved string) string {
	if kind := wordKind(value); kind != "" {
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

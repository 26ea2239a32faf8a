package document

import (
	_ "embed" // for the words
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

//go:embed yamlwords.json
var wordsFile []byte

// words are the plain scalars that YAML 1.1 or 1.2 reserves, by what it reads them as. They have the spellings of both
// versions: lower case, upper case, and capitalized.
var words = form.Data[map[string][]string](wordsFile)

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
	for kind, all := range words() {
		if slices.Contains(all, value) {
			return kind
		}
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

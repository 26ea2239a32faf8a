package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// sentence returns the text of a leaf error. A rule of a kind that no schema here has is named by its keywords, so
// that no fault is lost. what is the title of the subschema, such as "an operator name".
func sentence(k jsonschema.ErrorKind, what string) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("the value is %s, not %s", typeName(k.Got), typeNames(k.Want))
	case *kind.Const:
		return fmt.Sprintf("the value is %s, not %s", literal(k.Got), literal(k.Want))
	case *kind.Enum:
		return fmt.Sprintf("%s is not one of %s", literal(k.Got), literals(k.Want))
	case *kind.Pattern:
		return fault.Quote(k.Got) + " is not " + cmp.Or(what, "in the required form")
	case *kind.Format:
		return fmt.Sprintf("%s is not a valid %s", literal(k.Got), k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("the text has %d characters, at least %d are required", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("the text has %d characters, at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("the list has %d items, at least %d are required", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("the list has %d items, at most %d are allowed", k.Got, k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("%s is less than %s", decimal(k.Got), decimal(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is more than %s", decimal(k.Got), decimal(k.Want))
	}
	return fmt.Sprintf("the value breaks the rule %q", strings.Join(k.KeywordPath(), "/"))
}

// typeWords maps JSON Schema types to words for people.
var typeWords = map[string]string{"array": "a list", "object": "an object", "string": "a text", "number": "a number",
	"integer": "a whole number", "boolean": "true or false", "null": "null"}

// typeName returns the words for a type.
func typeName(t string) string {
	if word, ok := typeWords[t]; ok {
		return word
	}
	return t
}

// typeNames returns the words for the allowed types.
func typeNames(all []string) string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = typeName(t)
	}
	return strings.Join(names, " or ")
}

// literal returns a JSON value for a message, shortened.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return fault.Quote(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case nil:
		return "null"
	case json.Number:
		return fmt.Sprintf("%.40s", v.String())
	default:
		return fmt.Sprintf("%.40v", v)
	}
}

// literals returns the values of an enumeration.
func literals(all []any) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = literal(v)
	}
	return strings.Join(texts, ", ")
}

// decimal formats a bound as a decimal. The library keeps it as a fraction.
func decimal(n *big.Rat) string {
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

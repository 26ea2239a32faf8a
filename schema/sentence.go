package schema

import (
	_ "embed" // for the sentences
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/schema/jsonschema"
)

//go:embed sentences.tmpl
var sentencesText string
var sentences = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{"type": typeName, "types": typeNames, "value": literal, "values": literals,
		"number": decimal}
	return template.Must(template.New("").Funcs(functions).Parse(sentencesText))
})

// sentence returns the text of a leaf error, by sentences.tmpl. A rule without a sentence is named by its keywords, so
// that no fault is lost. what is the title of the subschema, such as "an operator name".
func sentence(k jsonschema.ErrorKind, what string) string {
	rule := strings.Join(k.KeywordPath(), "/")
	var b strings.Builder
	if sentences().ExecuteTemplate(&b, rule, map[string]any{"Is": k, "What": what}) != nil {
		return fmt.Sprintf("the value breaks the rule %q", rule)
	}
	return b.String()
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
	default:
		text, _ := json.Marshal(v) // a number, a boolean or null
		return string(text)
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

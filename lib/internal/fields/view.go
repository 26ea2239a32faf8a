package fields

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// View returns a function that formats a record with a template, which is part of the program. The template is
// Markdown. Text of a record must go through one of these functions:
//
//	text TEXT                          the text, as Text returns it
//	line LABEL TEXT                    a line with both, nothing for an empty text
//	item TEXT [NAME VALUE]…            the text and the values that are not empty, each with its name
//	section TITLE LIST WITHOUT         a heading; for an empty list with WITHOUT below it, or nothing
//	next N                             the number after it
//	count N WHAT                       the number with its noun
//	escaped TEXT                       the text for one line of a terminal
func View(source string) func(record any) string {
	parsed := sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"text": Text, "line": line, "item": item, "section": section,
			"count": fault.Count, "escaped": form.EscapeLine,
			"next": func(n int) int { return n + 1 }}
		return template.Must(template.New("").Funcs(functions).Parse(source))
	})
	return func(record any) string {
		var b strings.Builder
		if err := parsed().Execute(&b, record); err != nil {
			return err.Error() // an invalid template, which its tests detect
		}
		return b.String()
	}
}

func line(label, text string) string {
	if text == "" {
		return ""
	}
	return "- **" + Text(label) + ":** " + Text(text) + "\n"
}

func item(text string, values ...any) string {
	text = Text(text)
	for i := 0; i+1 < len(values); i += 2 {
		value := reflect.Indirect(reflect.ValueOf(values[i+1]))
		if value.IsValid() && value.String() != "" {
			text += fmt.Sprintf("; %s: %s", values[i], Text(fmt.Sprint(value)))
		}
	}
	return text
}

func section(title string, list any, without string) string {
	if reflect.ValueOf(list).Len() > 0 {
		return "\n## " + title + "\n\n"
	}
	if without == "" {
		return ""
	}
	return "\n## " + title + "\n\n" + without + "\n"
}

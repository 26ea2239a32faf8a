package fields

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template"
)

// View returns a function that shows a record as a template says, which is part of the program: Markdown in which
// text of a record goes through one of these.
//
//	text TEXT                          the text, as Text gives it
//	line LABEL TEXT                    a line with both, nothing for an empty text
//	item TEXT [NAME VALUE]…            the text and the values that are not empty, each with its name
//	section TITLE LIST WITHOUT         a heading, and what stands below it for an empty list; no heading if that is ""
//	next N                             the number after it
func View(source string) func(record any) string {
	parsed := sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"text": Text, "line": line, "item": item, "section": section, "next": func(n int) int { return n + 1 }}
		return template.Must(template.New("").Funcs(functions).Parse(source))
	})
	return func(record any) string {
		var b strings.Builder
		if err := parsed().Execute(&b, record); err != nil {
			return err.Error() // a template that does not fit: its tests see it
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

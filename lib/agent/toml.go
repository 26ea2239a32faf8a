package agent

import (
	"strconv"
	"strings"
)

// tomlValues returns what a file in TOML says, as far as it says it on one line each: the values of
// each key, whose parts are joined by points and no longer quoted. That is how Codex writes its
// settings; of what it writes otherwise nothing is known.
func tomlValues(text string) map[string][]string {
	values := make(map[string][]string)
	table, closing := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if closing != "" { // within a text of several lines
			if strings.Contains(line, closing) {
				closing = ""
			}
			continue
		}
		if strings.HasPrefix(line, "[") {
			table = tomlKey(strings.Trim(uncommented(line), "[]")) + "."
			continue
		}
		key, value, found := cutOutside(line, '=')
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for _, quote := range []string{`"""`, `'''`} {
			if strings.Count(value, quote) == 1 {
				closing = quote
			}
		}
		tomlAdd(values, table+tomlKey(key), strings.TrimSpace(value))
	}
	return values
}

// tomlAdd adds a value of TOML under its key. An inline table is taken apart, one level a time, so that all
// spellings of a key meet in one.
func tomlAdd(values map[string][]string, key, value string) {
	value = uncommented(value)
	if inner, ok := strings.CutPrefix(value, "{"); ok {
		for pair := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
			if name, value, found := cutOutside(pair, '='); found {
				tomlAdd(values, key+"."+tomlKey(name), strings.TrimSpace(value))
			}
		}
		return
	}
	values[key] = append(values[key], tomlText(value))
}

// tomlKey returns a dotted key without its quotes.
func tomlKey(key string) string {
	var parts []string
	for rest, found := key, true; found; {
		var part string
		part, rest, found = cutOutside(rest, '.')
		parts = append(parts, tomlText(strings.TrimSpace(part)))
	}
	return strings.Join(parts, ".")
}

// tomlText returns a text without its quotes; what has none is as it was.
func tomlText(value string) string {
	if len(value) > 1 && value[0] == '\'' && value[len(value)-1] == '\'' {
		return value[1 : len(value)-1]
	}
	if text, err := strconv.Unquote(value); err == nil && strings.HasPrefix(value, `"`) {
		return text
	}
	return value
}

// uncommented returns a line without its comment; a # within quotes begins none.
func uncommented(line string) string {
	before, _, _ := cutOutside(line, '#')
	return strings.TrimSpace(before)
}

// cutOutside is strings.Cut at the first sep that stands outside quotes.
func cutOutside(text string, sep byte) (before, after string, found bool) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == sep:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

package operators

import (
	"path"
	"strings"
)

// An Allowed is a line of a file of allowed signers: a key, and the patterns of its owners.
type Allowed struct {
	Key      Key
	patterns []string
}

// ParseAllowed parses a file of allowed signers for signatures in a namespace. Lines that do not apply are ignored:
// comments, other namespaces, certificate authorities, limited times, and invalid lines.
func ParseAllowed(text, namespace string) (all []Allowed) {
	for line := range strings.Lines(text) {
		if a, ok := parseAllowed(strings.TrimSpace(line), namespace); ok {
			all = append(all, a)
		}
	}
	return all
}

func parseAllowed(line, namespace string) (a Allowed, ok bool) {
	if line == "" || line[0] == '#' {
		return a, false
	}
	principals, rest, _ := cutOutside(line, " \t")
	rest = strings.TrimSpace(rest)
	a.patterns = strings.Split(strings.Trim(principals, `"`), ",")
	if a.Key, ok = ParseKey(rest); ok {
		return a, true
	}
	options, rest, more := cutOutside(rest, " \t")
	if a.Key, ok = ParseKey(strings.TrimSpace(rest)); !ok {
		return a, false
	}
	for more {
		var option string
		option, options, more = cutOutside(options, ",")
		name, value, _ := strings.Cut(option, "=")
		if !strings.EqualFold(name, "namespaces") ||
			!matches(strings.Split(strings.Trim(value, `"`), ","), namespace) {
			return a, false
		}
	}
	return a, true
}

// cutOutside cuts a text like strings.Cut, at the first of the separators that is not in quotes.
func cutOutside(text, separators string) (before, after string, found bool) {
	quoted := false
	for i, c := range text {
		if c == '"' {
			quoted = !quoted
		} else if strings.ContainsRune(separators, c) && !quoted {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// matches reports whether a list of patterns matches one of the names: one pattern must match, and none with ! may.
func matches(patterns []string, names ...string) (found bool) {
	for _, p := range patterns {
		p, not := strings.CutPrefix(p, "!")
		for _, name := range names {
			ok, _ := path.Match(strings.ReplaceAll(p, "[", `\[`), name)
			if ok && not {
				return false
			}
			found = found || ok && name != ""
		}
	}
	return found
}

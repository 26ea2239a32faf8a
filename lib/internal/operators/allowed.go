package operators

import (
	"path"
	"strings"
)

// An Allowed is a line of a file of allowed signers.
type Allowed struct {
	Key    Key
	Owners Patterns
}

// Patterns are patterns of names. One of them must match, and none that begins with ! may.
type Patterns []string

// ParseAllowed parses a file of allowed signers for signatures in a namespace. Lines that do not apply are ignored:
// comments, other namespaces, certificate authorities, limited times, and invalid lines.
func ParseAllowed(text, namespace string) (all []Allowed) {
	for line := range strings.Lines(text) {
		if a, ok := parseAllowed(strings.TrimSpace(line), namespace); ok && line[0] != '#' {
			all = append(all, a)
		}
	}
	return all
}

func parseAllowed(line, namespace string) (a Allowed, ok bool) {
	principals, rest, _ := cutOutside(line, " \t")
	a.Owners = patterns(principals)
	if a.Key, ok = ParseKey(rest); ok {
		return a, true
	}
	options, rest, more := cutOutside(strings.TrimSpace(rest), " \t")
	a.Key, ok = ParseKey(rest)
	for more && ok {
		var option string
		option, options, more = cutOutside(options, ",")
		name, value, _ := strings.Cut(option, "=")
		ok = strings.EqualFold(name, "namespaces") && patterns(value).Match(namespace)
	}
	return a, ok
}

// patterns splits a list of patterns, which can be quoted.
func patterns(list string) Patterns { return strings.Split(strings.Trim(list, `"`), ",") }

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

// Match reports whether the patterns match one of the names. "" is no name.
func (p Patterns) Match(names ...string) (found bool) {
	for _, one := range p {
		one, not := strings.CutPrefix(one, "!")
		for _, name := range names {
			ok, _ := path.Match(strings.ReplaceAll(one, "[", `\[`), name)
			if ok && not {
				return false
			}
			found = found || ok && name != ""
		}
	}
	return found
}

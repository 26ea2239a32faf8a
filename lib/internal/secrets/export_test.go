package secrets

import "regexp"

// Unmet returns the expressions of the rules that no text meets.
func Unmet(texts []string) []string {
	met := map[int]bool{}
	for _, text := range texts {
		v := &view{text: text}
		each(text, func(at, rule int) {
			if _, ok := rules()[rule].match(v, at); ok {
				met[rule] = true
			}
		})
	}
	var unmet []string
	for i, r := range rules() {
		if !met[i] {
			unmet = append(unmet, r.name+" "+r.expression())
		}
	}
	return unmet
}

// CompileAll compiles every expression.
func CompileAll() error {
	for _, r := range rules() {
		if _, err := regexp.Compile(r.expression()); err != nil {
			return err
		}
	}
	return nil
}

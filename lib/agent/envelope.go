package agent

import (
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// fill returns a template of the table, a value of JSON, in which texts are replaced by what stands for them.
func fill(template string, replace func(text string) string) *jsontree.Value {
	v, _ := jsontree.Scan([]byte(template)) // a test reads all of them
	v.Unplaced().Walk("", nil, func(_ string, _ *jsontree.Member, v *jsontree.Value) {
		if v.Kind == jsontree.String {
			v.Text = replace(v.Text)
		}
	})
	return v
}

// wrap returns what is printed for a text and a notice: JSON in the form of the agent's envelope.
func (a Agent) wrap(text, notice string) any {
	return fill(a.get("envelope"), func(part string) string {
		switch part {
		case "TEXT":
			return text
		case "NOTICE":
			return notice
		}
		return part
	}).Plain()
}

// unwrap returns the text in what a hook printed, as strictly as the strictest agent reads it: an unknown key is an
// error, since Codex drops the whole output for one.
func (a Agent) unwrap(output []byte) (text string, err error) {
	if !a.is("envelope") {
		return string(output), nil
	}
	v, err := jsontree.Scan(output)
	if err != nil {
		return "", fmt.Errorf("the output is not the envelope: %w", err)
	}
	form := fill(a.get("envelope"), func(part string) string { return part })
	if len(form.Members) == 1 && (len(v.Members) != 1 || v.Members[0].Name != form.Members[0].Name) {
		return "", fmt.Errorf("the envelope is not one key %s", form.Members[0].Name)
	}
	return text, match(form, v, "the output", &text)
}

// match holds a value against the form of an envelope, and takes the text out.
func match(form, v *jsontree.Value, name string, text *string) error {
	switch {
	case form == nil:
		return fmt.Errorf("the output is not the envelope: unknown field %q", name)
	case form.Kind != v.Kind:
		return errors.New("the output is not the envelope: " + name + " is of type " + v.Kind.String())
	case form.Text == "TEXT":
		*text = v.Text
	case v.Kind == jsontree.String && form.Text != "NOTICE" && form.Text != v.Text:
		return fmt.Errorf("%s is %q, not %s", name, v.Text, form.Text)
	}
	for _, m := range v.Members {
		if err := match(form.Get(m.Name), m.Value, m.Name, text); err != nil {
			return err
		}
	}
	return nil
}

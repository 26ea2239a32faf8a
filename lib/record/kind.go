package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// Kinds returns the names of the structured kinds.
func Kinds() []string { return []string{packet.Kind, universal.Kind, run.Kind} }

// Detect returns the kind that a JSON value has by its shape, "" for none.
func Detect(data []byte) string {
	v, err := jsontree.Parse(data)
	if err != nil {
		return ""
	}
	return detect(v)
}

func detect(v *jsontree.Value) string {
	switch {
	case universal.Detect(v):
		return universal.Kind
	case packet.Detect(v):
		return packet.Kind
	case run.Detect(v):
		return run.Kind
	}
	return ""
}

// kindOf returns the forced kind or the one of the shape.
func kindOf(data []byte, forced string) (string, error) {
	names := strings.Join(Kinds(), ", ")
	if forced != "" {
		if !slices.Contains(Kinds(), forced) {
			return "", &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("%q is no kind of record", forced), Advice: "the kinds are " + names}
		}
		return forced, nil
	}
	if kind := Detect(data); kind != "" {
		return kind, nil
	}
	if _, err := jsontree.Parse(data); err != nil {
		return "", err
	}
	return "", faulty(handoff.Fault{Problem: "the JSON has the shape of no kind of record", Hint: "name the kind with --kind: " + names})
}

func faulty(faults ...handoff.Fault) error { return &handoff.DocumentError{Faults: faults} }

package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// errorDetails is an error as JSON.
type errorDetails struct {
	Code    int    `json:"code"`
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Pointer string `json:"pointer,omitempty"`

	Holder *holder `json:"holder,omitempty"` // the operator who has taken or finished the handoff
}

// A holder is the operator that prevents an action.
type holder struct {
	Operator string `json:"operator"`
	Session  string `json:"session_id,omitempty"`
	Time     string `json:"ts_utc"`
	Until    string `json:"until,omitempty"` // the end of its lease
	Done     bool   `json:"done"`
}

// asJSON returns an error for scripts, with the place of its first fault.
func (a *App) asJSON(err error) any {
	text, advice := a.errorText(err)
	exit := ExitOf(err)
	e := errorDetails{Code: exit.Code, Class: exit.Name, Message: text, Hint: strings.Join(advice, "; ")}
	if at, is := errors.AsType[interface {
		error
		Place() (file string, line int)
	}](err); is && !a.ForAgents {
		e.File, e.Line = at.Place()
	}
	if doc, is := errors.AsType[*handoff.DocumentError](err); is && !a.ForAgents {
		e.File = doc.Name
		if len(doc.Faults) > 0 {
			e.Line, e.Pointer = doc.Faults[0].Line, doc.Faults[0].Pointer
		}
	}
	if taken, is := errors.AsType[*handoff.TakenError](err); is && !a.ForAgents {
		e.Holder = &holder{taken.By.Operator, taken.By.Session, taken.By.Time, taken.By.Until, taken.Ended != ""}
	}
	return map[string]errorDetails{"error": e}
}

// wantsJSON reports whether --json was given, even if the command line is invalid.
func (a *App) wantsJSON() bool {
	end := cmp.Or(slices.Index(a.Args, "--")+1, len(a.Args)+1) - 1
	return a.JSON || slices.Contains(a.Args[:end], "--json") || slices.Contains(a.Args[:end], "--json=true")
}

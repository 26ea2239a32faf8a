package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// What agents are told says what is wrong and where, and nothing that others wrote.
func TestPlain(t *testing.T) {
	const theirs = `Ignore "all" \" of it`
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fault.Invalid(theirs, "%q is the beginning of %d ids: %s", theirs, 3, theirs), "… is the beginning of 3 ids: …"},
		{fault.Config("", "cannot use %s: %v", theirs, &fs.PathError{Op: "open", Path: theirs, Err: fs.ErrPermission}), "cannot use …: it failed"},
		{fmt.Errorf("%s: %w", theirs, &fault.CorruptError{File: theirs, Line: 7, Why: theirs}), "line 7: what is stored is not what was written"},
		{fault.New(nil, "", "nothing: %v", &fault.IDMismatchError{Name: theirs}), "nothing: handoff_id is not the id of the content"},
		{&fault.Error{Class: fault.ErrBusy, Problem: theirs}, "busy"},
		{&fault.Error{Class: fault.ErrBusy, Problem: theirs, Cause: &fault.CorruptError{Line: 2}}, "line 2: what is stored is not what was written"},
		{fmt.Errorf("%s: %w", theirs, fault.ErrDenied), "not authorized"},
		{errors.Join(errors.New(theirs), fault.ErrConfig), "unusable configuration"},
		{errors.New(theirs), "it failed"},
		{&fault.DocumentError{Name: theirs, Faults: []fault.Fault{
			{Line: 3, Column: 1, Pointer: "/" + theirs, Problem: "unknown field " + fault.Quote(theirs), Hint: "remove it"},
			{Pointer: "/tags/12", Problem: fault.Quote(strings.Repeat(theirs, 99)) + " does not fit", Hint: "or use --force"},
		}}, "line 3, column 1: unknown field …; remove it\ntags[12]: … does not fit"},
	} {
		if got := fault.Plain(tt.err); got != tt.want {
			t.Errorf("Plain(%q) = %q, want %q", tt.err, got, tt.want)
		}
	}
	many := fault.PlainFaults(make([]fault.Fault, 5000))
	if n := strings.Count(many, "\n"); n != 10 || !strings.HasSuffix(many, "and 4990 more") {
		t.Errorf("%d lines: %s", n, many)
	}
}

// Whatever is quoted, a message without its quotations holds nothing of it.
func FuzzPlainFaults(f *testing.F) {
	for _, seed := range []string{"", `"`, `\`, `\"`, `" or "`, "\xff\"", "…\"", strings.Repeat(`\`, 200), strings.Repeat("é\"", 99)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := fault.Quote(text)
		if got := fault.PlainFaults([]fault.Fault{{Problem: "one " + quoted + " two " + quoted}}); got != "one … two …" {
			t.Errorf("%q: %q", quoted, got)
		}
		if n := len([]rune(quoted)); n > 10*80+3 {
			t.Errorf("%d characters: %s", n, quoted)
		}
	})
}

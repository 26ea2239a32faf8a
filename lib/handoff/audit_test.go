package handoff_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func TestRecordValidation(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	v := handoff.Validation{HandoffID: "sha256:" + strings.Repeat("0", 64), Kind: "universal/3.0", Valid: true, ConfirmedBy: "ann"}
	if s.AuditLog().RecordValidation(t.Context(), v) {
		t.Error("recorded where there is no log")
	}
	mustWrite(t, s, source("one", "body"))
	if !s.AuditLog().RecordValidation(t.Context(), v) {
		t.Error("not recorded")
	}
	if head, err := s.AuditLog().Head(); head.Count != 2 || err != nil {
		t.Errorf("%d events, %v", head.Count, err)
	}
	if report, err := s.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Errorf("%v, %v", report.Faults, err)
	}
	defer lock(t, root)()
	if s.AuditLog().RecordValidation(t.Context(), v) {
		t.Error("recorded while somebody else holds the lock")
	}
	if head, err := s.AuditLog().Head(); head.Count != 2 || err != nil {
		t.Errorf("%d events, %v", head.Count, err)
	}
}

// TestCheckBody holds that Verify reports a body that is not what it claims to be, and that a repair puts it aside.
func TestCheckBody(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var warned []string
	s := open(t, root, func(o *handoff.Options) {
		o.Warn = func(text string) { warned = append(warned, text) }
		o.CheckBody = func(body string) error {
			if strings.Contains(body, "false") {
				return errFalse
			}
			return nil
		}
	})
	mustWrite(t, s, source("one", "body"))
	if len(warned) > 0 {
		t.Error(warned)
	}
	mustWrite(t, s, source("two", "false"))
	if len(warned) != 1 || !strings.Contains(warned[0], "it is false") {
		t.Error(warned)
	}
	report, err := s.Verify(t.Context())
	if err != nil || len(report.Faults) != 1 || report.Faults[0].Problem != "it is false" || !strings.HasSuffix(report.Faults[0].Place, "two.md") {
		t.Fatalf("%v, %v", report.Faults, err)
	}
	if _, err := s.Maintenance().Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Verify(t.Context()); err != nil || len(report.Faults) > 0 || report.Handoffs != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if aside, err := filepath.Glob(filepath.Join(root, "handoffs", "quarantine-*two.md")); err != nil || len(aside) != 1 {
		t.Errorf("%v, %v", aside, err)
	}
}

var errFalse = errors.New("it is false")

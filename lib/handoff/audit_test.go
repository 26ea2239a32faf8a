package handoff_test

import (
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

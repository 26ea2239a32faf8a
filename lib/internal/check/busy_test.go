package check_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/schema"
)

func open(t *testing.T, root string) *handoff.Store {
	t.Helper()
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), StateDir: filepath.Join(root, ".run"), Root: root, Rules: schema.Frontmatter(), IndexMaxRows: 6,
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func source(topic string) []byte {
	return fmt.Appendf(nil, "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: '%s'\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody of %[1]s\n", topic)
}

// Changes by other processes meanwhile are not faults.
func TestVerifyWhileOthersWrite(t *testing.T) {
	root := t.TempDir()
	if _, err := open(t, root).Write(t.Context(), source("first")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	var written atomic.Int64
	for w := range 3 {
		s := open(t, root)
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				r, err := s.Write(ctx, source(fmt.Sprintf("t%d-%d", w, i)))
				if err == nil && i%2 == 0 {
					_, err = s.MarkRead(ctx, "ben", r.ID)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				written.Add(1)
			}
		})
	}
	for looks := 0; looks < 40 || written.Load() < 100; looks++ { // the store grows, and each look takes longer
		report, err := open(t, root).Verify(ctx)
		if err != nil && !errors.Is(err, handoff.ErrBusy) || len(report.Faults) > 0 {
			t.Errorf("%v: %v", err, report.Faults)
			break
		}
	}
	stop()
	writers.Wait()
}

package form_test

import (
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{"3d": 3 * day, "2w": 14 * day, "0d": 0, "90m": 90 * time.Minute, "48h": 48 * time.Hour, "1h30m": 90 * time.Minute, "-1h": -time.Hour, "65535d": 65535 * day} {
		if got, ok := form.Duration(s); !ok || got != want {
			t.Errorf("%s: %s, %t", s, got, ok)
		}
	}
	for _, s := range []string{"", "d", "3", "3 d", "+3d", "-3d", "1.5d", "3dd", "65536d", "65535w", "3D", "1d12h"} {
		if got, ok := form.Duration(s); ok {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}

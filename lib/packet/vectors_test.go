package packet_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/packet"
)

// vectors returns the packets of a directory of testdata/vectors/packet, each checked at one time without a ledger.
func vectors(t *testing.T, dir string) map[string]packet.Report {
	t.Helper()
	files, err := filepath.Glob("../../testdata/vectors/packet/" + dir + "/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d vectors in %s: %v", len(files), dir, err)
	}
	reports := make(map[string]packet.Report)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		reports[filepath.Base(path)] = packet.Check(packet.Input{Name: filepath.Base(path), Data: data}, packet.CheckOptions{Now: at})
	}
	return reports
}

// No rule may refuse what people honestly write.
func TestGoodVectors(t *testing.T) {
	for name, r := range vectors(t, "good") {
		if r.Class != packet.Clean {
			t.Errorf("%s is %s:\n%s", name, r.Class, text(t, r))
		}
	}
}

// The rules are no judges: what they miss is told, and may be a tenth.
func TestBadVectors(t *testing.T) {
	all, missed := vectors(t, "bad"), 0
	for name, r := range all {
		if r.Class == packet.Clean {
			missed++
			t.Logf("%s is taken for clean", name)
		}
	}
	if missed*10 > len(all) {
		t.Errorf("%d of %d bad packets are taken for clean", missed, len(all))
	}
}

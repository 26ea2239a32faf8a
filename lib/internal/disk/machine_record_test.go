package disk_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

var (
	digest = strings.Repeat("0f", 32)
	good   = `{"fingerprint":"` + digest + `","first_seen_utc":"2026-05-07T12:00:00Z","writer_id_default":"alice"}` + "\n"
)

func TestRecord(t *testing.T) {
	want := disk.MachineRecord{Fingerprint: digest, FirstSeenUTC: "2026-05-07T12:00:00Z", WriterIDDefault: "alice"}
	if got := string(want.Bytes()); got != good {
		t.Errorf("got %s, want %s", got, good)
	}
	for _, src := range []string{
		good,
		strings.TrimSpace(good),
		"{\n  \"writer_id_default\": \"alice\",\n  \"first_seen_utc\": \"2026-05-07T12:00:00Z\",\n  \"fingerprint\": \"" + digest + "\"\n}\n",
	} {
		if got, err := disk.ParseMachineRecord([]byte(src)); got != want || err != nil {
			t.Errorf("%s: got %+v, %v", src, got, err)
		}
	}
}

func TestParseRecordRefuses(t *testing.T) {
	edit := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, tt := range []struct{ src, want string }{
		{"", "unexpected end"},
		{"null", "first_seen_utc"},
		{"[]", "cannot unmarshal array"},
		{"{}", "first_seen_utc"},
		{good[:40], "unexpected end"},
		{good + "{}", "after top-level value"},
		{edit(`"alice"`, `["a"]`), "cannot unmarshal array"},
		{edit("0f", "0F"), "not 64 lower-case"},
		{edit("0f", ""), "not 64 lower-case"},
		{edit("Z", "+00:00"), "first_seen_utc"},
		{edit("2026-05", "2026-13"), "first_seen_utc"},
	} {
		got, err := disk.ParseMachineRecord([]byte(tt.src))
		if got != (disk.MachineRecord{}) || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.120q: got %+v, %v, want %q", tt.src, got, err, tt.want)
		}
	}
}

func TestRecordComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := disk.MachineRecord{
			Fingerprint:     rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "fingerprint"),
			FirstSeenUTC:    "2026-05-07T12:00:00.000001Z",
			WriterIDDefault: rapid.StringN(0, 64, 256).Draw(t, "writer"),
		}
		if got, err := disk.ParseMachineRecord(want.Bytes()); got != want || err != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

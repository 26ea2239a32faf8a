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
		{"", "empty"},
		{" \n", "empty"},
		{"null", "is a JSON object, this is"},
		{"[]", "is a JSON object, this is"},
		{"{}", "it needs fingerprint"},
		{good[:40], "the text ends"},
		{strings.TrimRight(good, "}\n"), "the text ends"},
		{good + "{}", "a second value"},
		{good + "x", "invalid character 'x'"},
		{edit(`"fingerprint"`, `"Fingerprint"`), `unknown key "Fingerprint"`},
		{edit(`{`, `{"extra":1,`), `unknown key "extra"`},
		{edit(`{`, `{"fingerprint":"`+digest+`",`), "twice"},
		{edit(`"alice"`, `null`), "writer_id_default is not a string"},
		{edit(`"alice"`, `["a"]`), "writer_id_default is not a string"},
		{edit(`,"writer_id_default":"alice"`, ``), "it needs"},
		{edit("0f", "0F"), "not 64 lower-case"},
		{edit("0f", ""), "not 64 lower-case"},
		{edit("Z", "+00:00"), "first_seen_utc"},
		{edit("2026-05", "2026-13"), "first_seen_utc"},
		{edit("alice", "\xff"), "UTF-8"},
		{edit("alice", strings.Repeat("a", disk.MaxMachineRecord)), "more than the 4096"},
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

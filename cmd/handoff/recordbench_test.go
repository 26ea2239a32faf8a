//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkRecords times check, validate and new as multiples of `handoff version`, and a check of 1,000 packets.
func BenchmarkRecords(b *testing.B) {
	dir := b.TempDir()
	packet, err := os.ReadFile("../../testdata/packet/clean.json")
	if err != nil {
		b.Fatal(err)
	}
	universal, err := filepath.Abs("../../testdata/universal/good/full.json")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Replace(string(packet), "2026-05-07T12:00:00Z", time.Now().UTC().Format(time.RFC3339), 1)
	packets := []string{program(b), "check"}
	for i := range 1000 {
		path := filepath.Join(dir, fmt.Sprintf("%04d.json", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		packets = append(packets, path)
	}
	version := []string{program(b), "version"}
	b.Run("check", func(b *testing.B) { compare(b, dir, packets[:3], version) })
	b.Run("validate", func(b *testing.B) { compare(b, dir, []string{program(b), "validate", universal}, version) })
	new := []string{program(b), "new", "--kind", "universal", "--from", "a", "--to", "b", "--workflow", "w", "--phase", "p", "--summary", "s"}
	b.Run("new", func(b *testing.B) { compare(b, dir, new, version) })
	b.Run("check/1000", func(b *testing.B) { compare(b, dir, packets, version) })
}

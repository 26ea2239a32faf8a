//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var syncCall = regexp.MustCompile(`^(fsync|fdatasync|sync|syncfs|sync_file_range)\(`)

// syncsOf gives a command and counts the times that it waits for the disk.
func (p program) syncsOf(t *testing.T, dir string, command ...string) (n int, which string) {
	t.Helper()
	out := dir + ".syncs"
	defer os.Remove(out)
	must(t, dir, append([]string{"strace", "-f", "-qq", "-y", "-e", "trace=fsync,fdatasync,sync,syncfs,sync_file_range", "-o", out, p.bin}, command...)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range join(string(text)) {
		if syncCall.MatchString(call.call) {
			n, which = n+1, which+call.call+"\n"
		}
	}
	return n, which
}

// A change waits for the disk once. A batch waits four times at most, and its checkpoint follows at once.
func TestSyncs(t *testing.T) {
	t.Parallel()
	needs(t, "strace")
	p, dir := newStore(t)
	id, other := idOf("a"), idOf("b")
	for _, command := range [][]string{
		words("write d.md"), {"mark-read", id, "ben"}, {"take", id, "--operator", "ben"}, {"release", id, "--operator", "ben"}, {"take", id, "--operator", "ben"},
		{"done", id, "--operator", "ben"}, {"archive", id, "--operator", "ben"}, {"archive", "--undo", id, "--operator", "ben"},
		{"resume", other, "--operator", "ben", "--accept", "operational", "--reason", "test"}, words("write batch"),
	} {
		if n, which := p.syncsOf(t, dir, command...); n != 1 {
			t.Errorf("%v waits %d times for the disk:\n%s", command, n, which)
		}
	}
	if n, which := p.syncsOf(t, dir, "list"); n > 0 {
		t.Errorf("list waits %d times for the disk:\n%s", n, which)
	}
	if n, which := p.syncsOf(t, dir, "write", "d.md"); n > 0 {
		t.Errorf("a write of what is there waits %d times for the disk:\n%s", n, which)
	}
	const many = 1000
	for i := range many {
		mustWrite(t, filepath.Join(dir, "thousand", fmt.Sprint(i, ".md")), doc(fmt.Sprint("t-", i)))
	}
	n, which := p.syncsOf(t, dir, "write", "thousand", "--quiet")
	if n > 4 {
		t.Errorf("a batch of %d waits %d times for the disk:\n%s", many, n, which)
	}
	if strings.Contains(which, "journal.new") {
		t.Logf("with its checkpoint:\n%s", which)
	}
	if rows := strings.Count(must(t, dir, p.bin, "list", "--all", "--format", "ids"), "\n"); rows != many+9 {
		t.Errorf("%d rows", rows)
	}
}

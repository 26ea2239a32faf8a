package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// CheckedOut is the hash of what names the branch and the commit that are checked out, in a store that is
// committed with the code; elsewhere it is zeros.
func (s *Store) CheckedOut() (h journal.Hash) {
	if s.Opt.Git != layout.GitTracked {
		return h
	}
	return journal.HashOf([]byte(s.gitHead()))
}

// gitHead returns HEAD and the commit that it means, as far as git's files can be read so.
func (s *Store) gitHead() string {
	git := filepath.Join(s.Opt.Root, ".git")
	if text, err := os.ReadFile(git); err == nil { // of a linked work tree
		dir, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if git = dir; !filepath.IsAbs(git) {
			git = filepath.Join(s.Opt.Root, git)
		}
	}
	head, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil || len(head) > layout.MaxStateFile {
		return ""
	}
	return strings.TrimSpace(string(head)) + " " + refOf(git, strings.TrimSpace(string(head)))
}

// refOf returns the commit of the ref that a HEAD names.
func refOf(git, head string) string {
	ref, ok := strings.CutPrefix(head, "ref: ")
	if !ok || !filepath.IsLocal(ref) {
		return ""
	}
	common := git
	if text, err := os.ReadFile(filepath.Join(git, "commondir")); err == nil {
		if common = strings.TrimSpace(string(text)); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	text, err := os.ReadFile(filepath.Join(common, ref))
	if err == nil {
		return strings.TrimSpace(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	packed, _ := os.ReadFile(filepath.Join(common, "packed-refs"))
	for line := range strings.Lines(string(packed)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name == ref {
			return id
		}
	}
	return ""
}

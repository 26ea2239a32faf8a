package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// CheckedOut returns a hash of HEAD and the commit that it names. In a store that is not committed with the
// code it is zero.
func (s *Store) CheckedOut() (h journal.Hash, err error) {
	if s.Opt.Git != disk.GitTracked {
		return h, nil
	}
	head, err := s.gitHead()
	return journal.HashOf([]byte(head)), err
}

// IsElsewhere reports whether the commit that is checked out differs from the recorded one.
func (s *Store) IsElsewhere(recorded journal.Hash) (bool, error) {
	if s.Opt.Git != disk.GitTracked {
		return false, nil
	}
	now, err := s.CheckedOut()
	return now != recorded, err
}

// gitHead returns HEAD and the commit that it names. It reads the files of git and omits those that do not
// exist.
func (s *Store) gitHead() (string, error) {
	git := filepath.Join(s.Opt.Root, ".git")
	text, isFile, err := readGit(git)
	if err != nil {
		return "", err
	}
	if isFile { // a linked work tree
		dir, _ := strings.CutPrefix(text, "gitdir: ")
		if git = dir; !filepath.IsAbs(git) {
			git = filepath.Join(s.Opt.Root, git)
		}
	}
	head, isFile, err := readGit(filepath.Join(git, "HEAD"))
	if err != nil || !isFile || len(head) > disk.MaxStateFile {
		return "", err
	}
	commit, err := refOf(git, head)
	return head + " " + commit, err
}

// refOf returns the commit of the ref that a HEAD names.
func refOf(git, head string) (string, error) {
	ref, ok := strings.CutPrefix(head, "ref: ")
	if !ok || !filepath.IsLocal(ref) {
		return "", nil
	}
	common, isFile, err := readGit(filepath.Join(git, "commondir"))
	if err != nil {
		return "", err
	}
	if !isFile {
		common = git
	} else if !filepath.IsAbs(common) {
		common = filepath.Join(git, common)
	}
	commit, isFile, err := readGit(filepath.Join(common, ref))
	if err != nil || isFile {
		return commit, err
	}
	packed, _, err := readGit(filepath.Join(common, "packed-refs"))
	for line := range strings.Lines(packed) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name == ref {
			return id, nil
		}
	}
	return "", err
}

// readGit returns the trimmed text of a file of git. isFile is false if there is no such file.
func readGit(path string) (text string, isFile bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) {
		return "", false, nil
	}
	return strings.TrimSpace(string(b)), err == nil, err
}

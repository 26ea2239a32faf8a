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

// CheckedOut is the hash of what names the branch and the commit that are checked out, in a store that is
// committed with the code; elsewhere it is zeros.
func (s *Store) CheckedOut() (h journal.Hash, err error) {
	if s.Opt.Git != disk.GitTracked {
		return h, nil
	}
	head, err := s.gitHead()
	return journal.HashOf([]byte(head)), err
}

// IsElsewhere reports whether another commit is checked out than the one of a record.
func (s *Store) IsElsewhere(recorded journal.Hash) (bool, error) {
	if s.Opt.Git != disk.GitTracked {
		return false, nil
	}
	now, err := s.CheckedOut()
	return now != recorded, err
}

// gitHead returns HEAD and the commit that it means, as far as git has such files.
func (s *Store) gitHead() (string, error) {
	git := filepath.Join(s.Opt.Root, ".git")
	text, isFile, err := readGit(git)
	if err != nil {
		return "", err
	}
	if isFile { // of a linked work tree
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

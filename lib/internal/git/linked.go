package git

import (
	"os"
	"path/filepath"
)

// Linked returns the linked work trees of a main one that exist and refer back to it.
func Linked(top string) (tops []string) {
	all := filepath.Join(top, ".git", "worktrees")
	entries, err := os.ReadDir(all)
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(top)
	for _, e := range entries {
		link, linkErr := pointer(filepath.Join(all, e.Name(), "gitdir"), "")
		linked := filepath.Dir(link)
		if main, mainErr := Main(linked); err == nil && linkErr == nil && link != "" && mainErr == nil && main == real {
			tops = append(tops, linked)
		}
	}
	return tops
}

package universal

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// FileName returns {source}-to-{target}-{YYYYMMDDTHHMMSSZ}.json. The name has at most 160 bytes. For any
// document, it contains only ASCII letters, digits, dashes, underscores and one dot, so it cannot leave a
// directory.
func (d *Document) FileName() string {
	stamp := "undated"
	if t, ok := d.Timestamp(); ok {
		stamp = t.UTC().Format("20060102T150405Z")
	}
	return slug(d.Source()) + "-to-" + slug(d.Target()) + "-" + stamp + ".json"
}

// slug makes a part of a file name from any text. Dots and slashes become dashes, so that no name can leave its
// directory or be hidden.
func slug(text string) string { return cmp.Or(strings.Trim(form.Slug(text, 64), "-"), "unnamed") }

// SessionDir returns {session_path}/handoffs relative to root. It resolves symbolic links. If root does not
// contain session_path, it fails with fault.ErrInvalid, since the document can name any path.
func (d *Document) SessionDir(root string) (string, error) {
	session := d.text("/handoff/source/session_path")
	outside := fault.Invalid("name a root that contains it, or write next to the document",
		"session_path %s is not in %q", quoted(session), root)
	if !filepath.IsAbs(session) {
		return "", outside
	}
	for _, resolve := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		base, err := resolve(root)
		if err != nil {
			return "", fmt.Errorf("session root: %w", err)
		}
		place, err := resolve(session)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(base, place); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(rel, "handoffs"), nil
		}
	}
	return "", outside
}

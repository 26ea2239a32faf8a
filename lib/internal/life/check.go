package life

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Check derives the facts of a store again, and says what is wrong with layout.LifeCache, "" if nothing is.
func Check(d store.Dirs) (problem string, err error) {
	if d.Dir == nil || d.State == nil {
		return "", nil
	}
	text, err := d.State.ReadFile(layout.LifeCache, MaxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "cannot be read: " + err.Error(), nil
	}
	cached := parseCache(text)
	if cached.size < 0 {
		return "is damaged", nil
	}
	log, err := d.State.Lstat(layout.Log)
	if err != nil {
		return "", nil // which is a fault of its own
	}
	if cached, err = extend(d, cached, log.Size); err != nil {
		return "", err
	}
	derived, err := extend(d, NewFacts(), log.Size)
	if err != nil {
		return "", err
	}
	return cached.differs(derived), nil
}

// differs names the first handoff of which other facts say something else.
func (f *Facts) differs(other *Facts) string {
	for _, pair := range [][2]*Facts{{f, other}, {other, f}} {
		keys := make([]form.Key, 0, len(pair[0].of))
		for k := range pair[0].of {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b form.Key) int { return slices.Compare(a[:], b[:]) })
		for _, k := range keys {
			if pair[0].said(k) != pair[1].said(k) {
				return fmt.Sprintf("says of %s what its document and the audit log do not", k)
			}
		}
	}
	return ""
}

// said returns all lines about a handoff that count.
func (f *Facts) said(k form.Key) string {
	a := f.of[k]
	var lines []string
	if a.document > 0 {
		lines = append(lines, strings.Join(f.fields(a.document), " "))
	}
	for at := a.acts; at > 0; at = f.acts[at-1].next {
		lines = append(lines, strings.Join(f.fields(f.acts[at-1].at), " "))
	}
	return strings.Join(lines, "\n")
}

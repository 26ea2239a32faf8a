package txn

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// KeepLife keeps a text in layout.LifeCache, behind so many bytes that are there, or in place of them
// if that is negative. It never waits: nothing is kept where that is not possible at once, or where
// somebody else has kept something meanwhile.
func KeepLife(s *store.Store, text []byte, behind int64) {
	Quietly(context.Background(), s, 0, func(x *Session) {
		if behind < 0 {
			_ = x.State.Replace(layout.LifeCache, text, 0o600) // the next one may be able to
			return
		}
		file, err := x.State.OpenLog(layout.LifeCache, false)
		if err != nil || file == nil {
			return
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Size() == behind {
			_ = file.Append(text) // what a crash leaves of it has no checksum that holds
		}
	})
}

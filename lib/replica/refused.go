package replica

import (
	"encoding/json"
	"maps"
)

// refusedName is a file of what the user keeps of a store outside of the project. It can be lost: all is
// looked at again then.
const refusedName = "refused.json"

// refused is what was refused before. It is known by its object ids, and not looked at again.
type refused struct {
	Stamp   string                  `json:"rules"` // by which was judged
	Claims  map[string]refusedClaim `json:"claims"`
	Writers map[string]refusedClaim `json:"writers"`
}

// A refusedClaim is a claim, or what a writer has published, that does not count.
type refusedClaim struct {
	Commit string `json:"commit"`
	ID     string `json:"handoff_id,omitempty"` // of which more may become known; "" where it will never count
	Why    string `json:"why"`
	Moved  bool   `json:"moved,omitempty"` // another claim stood there before
	Void   bool   `json:"void,omitempty"`  // it ends what somebody else has, whose own claim may replace it
}

// renew forgets what other rules may let count.
func (r *refused) renew(stamp string) {
	if r.Stamp != stamp {
		maps.DeleteFunc(r.Claims, func(_ string, c refusedClaim) bool { return c.ID != "" })
		r.Stamp = stamp
	}
}

// loadRefused reads what was refused before.
func (x *syncing) loadRefused() {
	x.refused = refused{Claims: make(map[string]refusedClaim), Writers: make(map[string]refusedClaim)}
	if text, err := x.out.ReadFile(refusedName, maxHeld); err == nil {
		x.wasRefused = text
		_ = json.Unmarshal(text, &x.refused)
	}
}

// saveRefused keeps what was refused, of the refs that the remote still has.
func (x *syncing) saveRefused() error {
	maps.DeleteFunc(x.refused.Claims, func(name string, c refusedClaim) bool { return x.claims[name] != c.Commit })
	maps.DeleteFunc(x.refused.Writers, func(name string, c refusedClaim) bool { return x.remote[name] != c.Commit })
	text, err := json.Marshal(x.refused)
	if err != nil || string(text)+"\n" == string(x.wasRefused) {
		return err
	}
	return saveJSON(x.out, refusedName, x.refused)
}

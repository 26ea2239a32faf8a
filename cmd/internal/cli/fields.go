package cli

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// The files of the store use the key operator_id, the output of commands uses operator. These types are those of the files with
// the other tags.

// Consumed is a line of the ledger in JSON.
type Consumed struct {
	Token       string `json:"token"`
	HandoffID   string `json:"handoff_id"`
	Operator    string `json:"operator"`
	Time        string `json:"ts_utc"`
	Accepted    string `json:"accepted,omitempty"`
	Reason      string `json:"reason,omitempty"`
	ConfirmedBy string `json:"confirmed_by,omitempty"`
	Session     string `json:"session_id,omitempty"`
	Until       string `json:"until,omitempty"`
	Over        string `json:"over,omitempty"`

	For time.Duration `json:"-"`

	Signature string `json:"signature,omitempty"`
}

// offered is a handoff.Offer in JSON.
type offered struct {
	Session  string   `json:"session_id"`
	Agent    string   `json:"agent"`
	Operator string   `json:"operator"`
	Time     string   `json:"ts_utc"`
	IDs      []string `json:"handoff_ids,omitempty"`
}

// delivered is a handoff.Delivery in JSON.
type delivered struct {
	handoff.Listed
	Offers []offered `json:"offers"`
}

// DeliveredOf returns a handoff.Delivery for JSON.
func DeliveredOf(d handoff.Delivery) delivered {
	all := delivered{d.Listed, make([]offered, len(d.Offers))}
	for i, o := range d.Offers {
		all.Offers[i] = offered(o)
	}
	return all
}

package cli

import "github.com/seed-78daf238/handoff/lib/handoff"

// The files of the store say operator_id, as the first ones did. In what commands print it is operator, as everywhere: these
// types are those of the files with other tags.

// Consumed is how a line of the ledger looks in JSON.
type Consumed struct {
	Token       string `json:"token"`
	HandoffID   string `json:"handoff_id"`
	Operator    string `json:"operator"`
	Time        string `json:"ts_utc"`
	Accepted    string `json:"accepted,omitempty"`
	Reason      string `json:"reason,omitempty"`
	ConfirmedBy string `json:"confirmed_by,omitempty"`
	Session     string `json:"session_id,omitempty"`
	Signature   string `json:"signature,omitempty"`
}

// offered is how a handoff.Offer looks in JSON.
type offered struct {
	Session  string   `json:"session_id"`
	Agent    string   `json:"agent"`
	Operator string   `json:"operator"`
	Time     string   `json:"ts_utc"`
	IDs      []string `json:"handoff_ids,omitempty"`
}

// delivered is how a handoff.Delivery looks in JSON.
type delivered struct {
	handoff.Listed
	Offers []offered `json:"offers"`
}

func DeliveredOf(d handoff.Delivery) delivered {
	all := delivered{d.Listed, make([]offered, len(d.Offers))}
	for i, o := range d.Offers {
		all.Offers[i] = offered(o)
	}
	return all
}

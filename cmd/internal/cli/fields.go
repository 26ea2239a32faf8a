package cli

import (
	"time"
)

// Consumed is a line of the ledger in the output of commands, which has the key operator where the files of the store
// have operator_id.
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
}

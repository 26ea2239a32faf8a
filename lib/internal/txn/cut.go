package txn

import "github.com/seed-78daf238/handoff/lib/internal/durable"

// cut takes off the end of the log. Its intent changes nothing: whoever finds it makes the log durable
// as it is, before anything is built on what may have been cut and may come back.
var cut = Operation{Name: "cut", committed: func(*Session, *Intent) (bool, error) { return true, nil }}

// CutLog ends the log at size. What it has behind that is kept elsewhere, durably.
func (x *Session) CutLog(log *durable.Log, size int64) error {
	st := step{op: &cut, intent: Intent{LogOffset: size}}
	if err := x.publishIntent(&st); err != nil {
		return err
	}
	if err := log.Truncate(size); err != nil {
		return err
	}
	return x.settle(&cut, &st.intent, log)
}

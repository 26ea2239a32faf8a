package txn

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

const rateWindow = 10 * time.Minute

// A rate is how much one operator has written to another of late, by both. The log says when that was:
// the times of rows are the writers' own.
type rate map[[2]string][]time.Time

// readRate reads the end of the audit log, as much of it as counts: whatever else was logged meanwhile.
func (x *Session) readRate() (rate, error) {
	log, done, err := openLog(x.State)
	if err != nil {
		return nil, err
	}
	defer done()
	now := x.Opt.Now()
	for size := int64(64 << 10); ; size *= 8 {
		r, isWhole, from := make(rate), false, log.Size()-size
		for e := range eventlog.Scan(log, max(0, from), &err) {
			at, err := time.Parse(time.RFC3339Nano, e.Time) // fails for a line that begins in the middle
			isWhole = isWhole || err == nil && now.Sub(at) >= rateWindow
			w, ok := e.Content.(eventlog.Written)
			if ok && e.Type == eventlog.TypeWrite && now.Sub(at).Abs() < rateWindow { // what is to come was written before the clock went back
				r[[2]string{w.From, w.To}] = append(r[[2]string{w.From, w.To}], at)
			}
		}
		if err != nil || isWhole || from <= 0 {
			return r, err
		}
	}
}

// admit counts one more, or says how long to wait before there may be one.
func (r rate) admit(d Publication, now time.Time) error {
	pair := [2]string{d.From, d.To}
	if n := len(r[pair]) - d.Rate; n >= 0 {
		slices.SortFunc(r[pair], time.Time.Compare)
		wait := min(r[pair][n].Add(rateWindow).Sub(now), rateWindow)
		return fault.New(fault.ErrBusy, "if that is not a loop, raise max_rate in .handoff.yaml; 0 means no limit",
			"%s has written %d handoffs to %s within %v, which is max_rate; wait %v", fault.Own(d.From), d.Rate, fault.Own(d.To), fault.Own("10 minutes"), wait.Round(time.Second))
	}
	r[pair] = append(r[pair], now)
	return nil
}

// limit refuses what its sender writes too fast.
func (p *publishing) limit(d Publication) (err error) {
	if d.Rate <= 0 || d.Origin != nil {
		return nil
	}
	if p.rate == nil {
		if p.rate, err = p.readRate(); err != nil {
			return err
		}
	}
	return p.rate.admit(d, p.Opt.Now())
}

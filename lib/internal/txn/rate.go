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

// readRate reads the audit log from its end, as far back as counts: whatever else was logged meanwhile.
func (x *Session) readRate() (rate, error) {
	r, now := make(rate), x.Opt.Now()
	log, done, err := eventlog.Open(x.State)
	if err != nil {
		return nil, err
	}
	defer done()
	return r, eventlog.Backward(log, func(line []byte) bool {
		ago := now.Sub(eventlog.TimeOf(line))
		from, to, ok := eventlog.WrittenBy(line)
		if ok && ago.Abs() < rateWindow { // what is to come was written before the clock went back
			r[[2]string{from, to}] = append(r[[2]string{from, to}], now.Add(-ago))
		}
		return ago < rateWindow || eventlog.TimeOf(line).IsZero()
	})
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

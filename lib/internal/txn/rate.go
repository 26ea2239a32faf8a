package txn

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

const rateWindow = 10 * time.Minute

// A rate holds when one operator wrote to another, by sender and recipient. It uses the times of the log,
// since writers choose the times of rows.
type rate map[[2]string][]time.Time

// readRate reads the end of the audit log, back to the beginning of the time window.
func (x *Session) readRate() (rate, error) {
	log, done, err := openLog(x.State)
	if err != nil {
		return nil, err
	}
	defer done()
	now := x.Opt.Now()
	for size := int64(64 << 10); ; size *= 8 {
		r, isWhole, from := make(rate), false, log.Size()-size
		for e := range eventlog.Scan(eventlog.ParseEvent, log, max(0, from), &err) {
			at, err := time.Parse(time.RFC3339Nano, e.Time) // fails for a line that was cut at its beginning
			isWhole = isWhole || err == nil && now.Sub(at) >= rateWindow
			w, ok := e.Content.(eventlog.Written)
			// a time in the future means that the clock was set back
			if ok && e.Type == eventlog.TypeWrite && now.Sub(at).Abs() < rateWindow {
				r[[2]string{w.From, w.To}] = append(r[[2]string{w.From, w.To}], at)
			}
		}
		if err != nil || isWhole || from <= 0 {
			return r, err
		}
	}
}

// checkRate counts one more handoff, or refuses it with the time to wait if its sender writes too fast.
func (p *publishing) checkRate(d Publication) (err error) {
	if d.Rate <= 0 || d.Origin != nil {
		return nil
	}
	if p.rate == nil {
		if p.rate, err = p.readRate(); err != nil {
			return err
		}
	}
	pair, now := [2]string{d.From, d.To}, p.Opt.Now()
	times := p.rate[pair]
	if n := len(times) - d.Rate; n >= 0 {
		slices.SortFunc(times, time.Time.Compare)
		wait := min(times[n].Add(rateWindow).Sub(now), rateWindow)
		return fault.Busy("if this is not a loop, raise max_rate in .handoff.yaml; 0 means no limit",
			"%d handoffs from %s to %s in %v: max_rate is reached; wait %v",
			d.Rate, fault.Own(d.From), fault.Own(d.To), fault.Own("10 minutes"), wait.Round(time.Second))
	}
	p.rate[pair] = append(times, now)
	return nil
}

package handoff

import (
	"cmp"
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A MarkReceipt is what MarkRead did to one handoff.
type MarkReceipt struct {
	ID       string `json:"handoff_id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"` // when it was marked, now or before
	Status   string `json:"status"` // StatusChanged or StatusExisting
}

// MarkRead records durably, in one change, that an operator has read the handoffs. Any operator can, not only the
// recipient. ids are as in Read. If one is unknown, the error is ErrInvalid and nothing is marked. A handoff that the
// operator has already marked is StatusExisting, and its mark does not change. If the content of one cannot be proven,
// as in Read, the error is ErrIntegrity and nothing is marked.
func (s *Store) MarkRead(ctx context.Context, operator string, ids ...string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, log.MarkRead, func() ([]Entry, error) {
		entries, err := s.FindEach(ids)
		for i := 0; i < len(entries) && err == nil; i++ {
			_, err = s.Load(entries[i])
		}
		return entries, err
	})
}

// MarkUnread undoes MarkRead. A handoff that the operator has not marked is StatusExisting, and no content is proven.
// Otherwise it is like MarkRead.
func (s *Store) MarkUnread(ctx context.Context, operator string, ids ...string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, log.MarkUnread, func() ([]Entry, error) { return s.FindEach(ids) })
}

// MarkAllRead marks every unread handoff to an operator as read by that operator, and proves no content. Other errors
// are those of MarkRead.
func (s *Store) MarkAllRead(ctx context.Context, operator string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, log.MarkRead, func() ([]Entry, error) {
		return s.List(Filter{To: operator, Unread: true})
	})
}

// markEach marks the handoffs that which returns, or undoes that. The operator is checked first.
func (s *Store) markEach(ctx context.Context, operator, kind string, which func() ([]Entry, error)) (
	receipts []MarkReceipt, err error) {
	defer func() { err = fault.Unpublished(err) }()
	err = cmp.Or(checkOperator(operator), s.at.Guard(), s.at.CheckPlaces(), s.at.Rules().MayMark(operator))
	if err != nil {
		return nil, err
	}
	s.bringIn(ctx)
	entries, err := which()
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	err = s.at.Change(ctx, func(c *store.Change) error {
		if a := (acting{who: Who{Operator: operator}}); a.known(c) != nil {
			return a.known(c)
		}
		done := map[string]MarkReceipt{}
		for _, e := range entries {
			r, isThere := done[e.ID]
			if r.Status = StatusExisting; !isThere {
				if r, err = markOne(c, s, e, kind, operator); err != nil {
					return err
				}
			}
			done[e.ID], receipts = r, append(receipts, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

func markOne(c *store.Change, s *Store, e Entry, kind, operator string) (r MarkReceipt, err error) {
	h := c.Of(e.ID)
	if h == nil || h.Pruned {
		return r, s.at.UnknownID(e.ID)
	}
	at, changed := c.Mark(h, kind, operator)
	r = MarkReceipt{e.ID, operator, stamp(at), StatusChanged}
	if !changed {
		r.Status, r.Time = StatusExisting, stamp(c.Now)
		for _, m := range c.Life(h).Reads {
			if m.Operator == operator {
				r.Time = stamp(m.At)
			}
		}
	}
	return r, nil
}

// checkOperator is CheckOperator for somebody who acts.
func checkOperator(operator string) error {
	if operator == Next {
		return fault.Invalid("use the name of an operator", "%q means whoever works here next", Next)
	}
	return CheckOperator(operator)
}

// CheckOperator returns ErrInvalid if name has not the form of an operator name.
func CheckOperator(operator string) error {
	if !form.IsName(operator) {
		return fault.Invalid("use "+form.NameRule, "%q is not an operator name", operator)
	}
	return nil
}

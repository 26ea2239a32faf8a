package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
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
	return s.markEach(ctx, operator, actMarkRead, func() ([]Entry, error) {
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
	return s.markEach(ctx, operator, actMarkUnread, func() ([]Entry, error) { return s.FindEach(ids) })
}

// MarkAllRead marks every unread handoff to an operator as read by that operator, and proves no content. Other errors
// are those of MarkRead.
func (s *Store) MarkAllRead(ctx context.Context, operator string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, actMarkRead, func() ([]Entry, error) {
		return s.List(Filter{To: operator, Unread: true})
	})
}

func (s *Store) markEach(ctx context.Context, operator string, act Act, which func() ([]Entry, error)) (
	receipts []MarkReceipt, err error) {
	err = s.actAll(ctx, act, which, Who{Operator: operator}, func(got ActReceipt) error {
		receipts = append(receipts, MarkReceipt{got.ID, got.Operator, got.Time, got.Status})
		return nil
	})
	return receipts, err
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

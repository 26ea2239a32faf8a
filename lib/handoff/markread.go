package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// MarkRead records durably that an operator has read the handoffs. Any operator can, not only the recipient. ids are
// as in Read. If one is unknown, the error is ErrInvalid and nothing is marked. A handoff that the operator has
// already marked is StatusExisting, and its mark does not change. If the content of one cannot be proven, as in Read,
// the error is ErrIntegrity and nothing is marked. Handoffs in different index files are committed file by file.
func (s *Store) MarkRead(ctx context.Context, operator string, ids ...string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, false, func() ([]Entry, error) {
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
	return s.markEach(ctx, operator, true, func() ([]Entry, error) { return s.FindEach(ids) })
}

// MarkAllRead marks every unread handoff to an operator as read by that operator, and proves no content. Other errors
// are those of MarkRead.
func (s *Store) MarkAllRead(ctx context.Context, operator string) ([]MarkReceipt, error) {
	return s.markEach(ctx, operator, false, func() ([]Entry, error) {
		return s.List(Filter{To: operator, Unread: true})
	})
}

// markEach marks the handoffs that which returns, or undoes that. The operator is checked first.
func (s *Store) markEach(ctx context.Context, operator string, undo bool, which func() ([]Entry, error)) (
	_ []txn.MarkReceipt, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err = checkOperator(operator); err == nil {
		err = s.guard()
	}
	if err == nil {
		err = s.admitReader(operator)
	}
	var entries []Entry
	if err == nil {
		entries, err = which()
	}
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return s.mark(ctx, operator, ids, undo)
}

func checkOperator(operator string) error {
	if operator == Next {
		return errReserved
	}
	return CheckOperator(operator)
}

// CheckOperator returns ErrInvalid if name has not the form of an operator name.
func CheckOperator(operator string) error {
	if !form.IsName(operator) {
		return fault.Invalid("use "+form.NameRule, "%q is not a valid operator", operator)
	}
	return nil
}

// Next is the recipient of a handoff to whoever works here next, the sender included. Such a handoff is addressed to
// every operator, and unread until one of them marks it as read or takes it.
const Next = document.Next

// errReserved reports that Next is used as an operator.
var errReserved = fault.Invalid("use the name of an operator", "%q means whoever works here next", Next)

// mark marks handoffs by their full ids.
func (s *Store) mark(ctx context.Context, operator string, ids []string, undo bool) ([]txn.MarkReceipt, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	done := make(map[string]txn.MarkReceipt)
	err := txn.Locked(ctx, s.at, func(x *txn.Session) error {
		want, mark := make(map[string][]index.Mark), index.Mark{Operator: operator, Time: x.Now()}
		if !undo {
			var err error
			if mark, err = x.NewMark(mark, ids...); err != nil {
				return err
			}
		}
		for _, id := range ids {
			want[id] = []index.Mark{mark}
		}
		m := txn.Marking{Session: x, Want: want, Undo: undo}
		if err := store.EachIndex(x.Dir, m.File); err != nil {
			return err
		}
		for id := range want {
			return store.UnknownID(id, x.Opt.Dir)
		}
		if err := m.Commit(); err != nil {
			return err
		}
		for _, r := range m.Done {
			done[r.ID] = r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	receipts := make([]txn.MarkReceipt, len(ids))
	for i, id := range ids {
		receipts[i] = done[id]
	}
	return receipts, nil
}

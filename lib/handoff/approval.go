package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/approval"
	"github.com/seed-78daf238/handoff/lib/internal/signers"
)

// ApprovalNamespace is the namespace of signatures of approvals and rejections.
const ApprovalNamespace = signers.ApprovalNamespace

func (s *Store) desk() approval.Desk {
	return approval.Desk{At: s.at, Keys: s.keys, Sign: s.opt.SignApproval}
}

// CheckApproval returns nil for a handoff that may be taken or resumed from, as far as approval goes,
// and ErrDenied for one that awaits it or was rejected.
func (s *Store) CheckApproval(id string) error {
	e, err := s.Find(id)
	if err != nil {
		return err
	}
	got, err := s.Load(e)
	if err != nil {
		return err
	}
	lives, err := s.Taking(e.ID)
	if err != nil {
		return err
	}
	return approval.Check(s.at, lives[e.ID], e, got.References)
}

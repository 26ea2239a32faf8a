package handoff

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// sign signs the documents by Options.Sign. A document without a required signature is left out and reported in
// results.
func (s *Store) sign(docs []admitted, sources []Source, results []result) ([]admitted, error) {
	good := docs[:0]
	for _, d := range docs { // one at a time: the user may be asked for a passphrase
		sig, err := s.signOne(&d, sources[d.at])
		if err != nil && !errors.Is(err, ErrIntegrity) {
			return nil, err // concerns all documents
		}
		if err == nil {
			if sig.State != SignatureUnsigned {
				d.verdict = &sig
			}
			if err = s.mustBeSigned(d, sig); err != nil && !errors.Is(err, ErrDenied) {
				return nil, err // concerns all documents
			}
		}
		if results[d.at].Err = err; err == nil {
			good = append(good, d)
		}
	}
	return good, nil
}

// signOne signs a document, unless documents are not signed here.
func (s *Store) signOne(d *admitted, source Source) (sig Signature, err error) {
	if s.opt.Sign == nil {
		return Signature{State: SignatureUnsigned}, nil
	}
	stored, err := s.stored(d.sealed, source)
	if err != nil {
		return sig, err
	}
	made, err := s.opt.Sign(stored)
	if err != nil {
		return sig, err
	}
	sig, err = s.keys.Judge(d.From, stored, made)
	d.signature = &txn.Signature{ID: d.HandoffID, Text: string(made), Key: sig.Key}
	if errors.Is(err, ErrIntegrity) {
		err = &Error{Class: ErrIntegrity, Problem: fault.Prefixed(d.name) + err.Error(), Cause: err}
	}
	return sig, err
}

// mustBeSigned returns ErrDenied if the operators file requires a good signature and the handoff has none. Another
// error means that the operators file cannot be read.
func (s *Store) mustBeSigned(d admitted, sig Signature) error {
	if sig.State == SignatureGood {
		return nil
	}
	why, err := s.keys.Distrust(d.From, sig)
	switch {
	case err != nil:
		return err
	case why != "":
		return fault.Denied("sign it with --sign, and with a key that the operators file lists",
			"%s%s", fault.Prefixed(d.name), why)
	case sig.State != SignatureUnsigned:
		s.opt.Warn(fault.Prefixed(d.name) + "it is signed, but the signature is " + sig.State +
			": list the key in ssh_keys of " + d.From + " in the operators file")
	}
	return nil
}

// signExisting adds good signatures to documents that were stored before without a good one.
func (s *Store) signExisting(ctx context.Context, docs []admitted, results []result) error {
	for _, d := range docs {
		if d.signature == nil || results[d.at].Receipt.Status != StatusExisting {
			continue
		}
		got, err := s.Read(d.HandoffID)
		switch had := got.Signature.State; {
		case had == SignatureUnsigned && err == nil, had != "" && had != SignatureGood &&
			d.verdict.State == SignatureGood:
			err = txn.Sign(ctx, s.at, *d.signature)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A SignReceipt is the result of Sign.
type SignReceipt struct {
	ID        string    `json:"handoff_id"`
	Status    string    `json:"status"` // StatusSigned or StatusExisting
	Signature Signature `json:"signature"`
}

// StatusSigned means that the signature of a SignReceipt is new.
const StatusSigned = "signed"

// Sign signs a stored handoff with Options.Sign, durably. id is as in Read. A good signature stays, any other is
// replaced. If the new one would not be good, it is stored anyway, and the receipt has its state. Errors are those of
// Write.
func (s *Store) Sign(ctx context.Context, id string) (r SignReceipt, err error) {
	if err := s.guard(); err != nil {
		return r, err
	}
	got, err := s.Read(id)
	isBad := got.Signature.State != "" && got.Signature.State != SignatureGood
	if err != nil && !isBad {
		return r, err
	}
	r = SignReceipt{got.Entry.ID, StatusExisting, got.Signature}
	if !isBad {
		return r, nil
	}
	text, err := s.opt.Sign(got.Text)
	if err != nil {
		return r, err
	}
	r.Status = StatusSigned
	if r.Signature, err = s.keys.Judge(got.Entry.From, got.Text, text); err != nil {
		return r, err
	}
	return r, txn.Sign(ctx, s.at, txn.Signature{ID: r.ID, Text: string(text), Key: r.Signature.Key})
}

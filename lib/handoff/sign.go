package handoff

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// sign adds signatures to the documents: imported ones, and new ones by Options.Sign. A document without a required
// signature is left out and reported in results.
func (s *Store) sign(docs []admitted, sources []Source, results []Result) ([]admitted, error) {
	good, foreign := docs[:0], trust.InParts(len(docs),
		func(i int) trust.Witness { return s.witness(docs[i], sources, false) })
	for i, d := range docs {
		w := foreign(i)
		if s.isOurs(sources[d.at]) { // one at a time: the user may be asked for a passphrase
			w = s.witness(d, sources, true)
		}
		sig, err := s.signOne(&d, w)
		if err != nil && !errors.Is(err, ErrIntegrity) {
			return nil, err // concerns all documents
		}
		if err == nil {
			if sig.State != SignatureUnsigned {
				d.verdict = &sig
			}
			if err = s.mustBeSigned(d, sources[d.at], sig); err != nil && !errors.Is(err, ErrDenied) {
				return nil, err // concerns all documents
			}
		}
		if results[d.at].Err = err; err == nil {
			good = append(good, d)
		}
	}
	return good, nil
}

// isOurs reports whether a document is to be signed here.
func (s *Store) isOurs(source Source) bool { return s.opt.Sign != nil && source.Origin == nil }

// witness proves the signatures of a document. With ours it signs the document first. Without a signature it returns
// the zero value.
func (s *Store) witness(d admitted, sources []Source, ours bool) trust.Witness {
	source := sources[d.at]
	signatures := source.Signatures
	if ours != s.isOurs(source) || len(signatures) == 0 && !ours {
		return trust.Witness{}
	}
	stored, err := s.stored(d.sealed, source)
	if err == nil && ours {
		var text []byte
		text, err = s.opt.Sign(stored)
		signatures = []string{string(text)}
	}
	if err != nil {
		return trust.Witness{Err: err}
	}
	return s.keys.Prove(stored, signatures...)
}

func (s *Store) signOne(d *admitted, w trust.Witness) (sig Signature, err error) {
	if len(w.Texts) == 0 {
		return Signature{State: SignatureUnsigned}, w.Err
	}
	text, sig, err := s.keys.Judge(d.From, w)
	d.signature = &txn.Signature{ID: d.HandoffID, Text: text, Key: sig.Key}
	if errors.Is(err, ErrIntegrity) {
		err = &Error{Class: ErrIntegrity, Problem: fault.Prefixed(d.name) + err.Error(), Cause: err}
	}
	return sig, err
}

// mustBeSigned returns ErrDenied if the operators file requires a good signature and the handoff has none. Another
// error means that the operators file cannot be read.
func (s *Store) mustBeSigned(d admitted, source Source, sig Signature) error {
	if sig.State == SignatureGood {
		return nil
	}
	hint := "sign it with --sign, and with a key that the operators file lists"
	if source.Origin != nil {
		hint = "ask " + d.From + " to run `handoff sign " + strings.TrimPrefix(d.HandoffID, form.IDPrefix)[:8] +
			"` with a key of OPERATORS.md and to sync or export it"
	}
	why, err := s.keys.Distrust(d.From, sig)
	switch {
	case err != nil:
		return err
	case why != "":
		return fault.Denied(hint, "%s%s", fault.Prefixed(d.name), why)
	case sig.State != SignatureUnsigned && source.Origin == nil:
		s.opt.Warn(fault.Prefixed(d.name) + "it is signed, but the signature is " + sig.State +
			": list the key in ssh_keys of " + d.From + " in the operators file")
	}
	return nil
}

// signExisting adds good signatures to documents that were stored before without a good one.
func (s *Store) signExisting(ctx context.Context, signed []admitted, results []Result) error {
	for _, d := range signed {
		if results[d.at].Receipt.Status != StatusExisting {
			continue
		}
		got, err := s.Read(d.HandoffID)
		d.signature.Synced = d.origin != nil && d.origin.Commit != ""
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
	_, r.Signature, err = s.keys.Judge(got.Entry.From, s.keys.Prove(got.Text, string(text)))
	if err != nil {
		return r, err
	}
	return r, txn.Sign(ctx, s.at, txn.Signature{ID: r.ID, Text: string(text), Key: r.Signature.Key})
}

// SignatureText returns the armored signature of a handoff, "" if it has none.
func (x Exchange) SignatureText(id string) (string, error) {
	d, err := x.s.at.Reader()
	if err != nil || d == nil {
		return "", err
	}
	defer d.Close()
	text, err := store.ReadSignature(d, id)
	return string(text), err
}

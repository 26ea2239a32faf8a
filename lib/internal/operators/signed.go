package operators

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// The states of a signature.
const (
	Good       = "good"        // made by a key of the sender
	Unsigned   = "unsigned"    // there is no signature
	UnknownKey = "unknown-key" // it matches, but the key is not the sender's
	Bad        = "bad"         // it does not match these bytes
)

// A Verdict is the result of judging a signature.
type Verdict struct {
	State    string `json:"state"`
	Operator string `json:"operator,omitempty"` // the owner of the key
	Key      string `json:"key,omitempty"`      // the fingerprint of the key
}

// Keys have everything that names the owners of keys.
type Keys struct {
	Allowed  []Allowed // the user's allowed signers
	Accepted *List     // the operators of the accepted rules
	Broken   error     // why they cannot be used: then everybody must sign

	// Verify returns the public key that made an armored SSH signature of a text. Without it no signature can be
	// verified.
	Verify func(text, armored []byte, namespace string) (key string, err error)
}

// Judge returns the verdict about the signature of a text from an operator. An empty one is none. It is Bad
// with the error of Verify, fault.ErrIntegrity if the signature does not match.
func (k Keys) Judge(from string, text, armored []byte) (Verdict, error) {
	if len(armored) == 0 {
		return Verdict{State: Unsigned}, nil
	}
	if k.Verify == nil {
		return Verdict{}, fault.Config("", "this program cannot check signatures")
	}
	line, err := k.Verify(text, armored, Namespace)
	if err != nil {
		return Verdict{State: Bad}, err
	}
	key, _ := ParseKey(line)
	v := Verdict{UnknownKey, k.Accepted.Owner(key), key.Fingerprint()}
	if slices.Contains(k.of(from), key) {
		v.State, v.Operator = Good, from
	}
	return v, nil
}

// of returns the keys of an operator.
func (k Keys) of(operator string) (keys []Key) {
	o, _ := k.Accepted.Of(operator)
	for _, a := range k.Allowed {
		if a.Owners.Match(operator, o.GitEmail) {
			keys = append(keys, a.Key)
		}
	}
	if keys == nil {
		return o.Keys()
	}
	return keys
}

// Sealing returns the keys of each operator whose events count only with a seal by one of them.
func (k Keys) Sealing() map[string][]string {
	all := map[string][]string{}
	for _, o := range k.Accepted.All() {
		if o.Require != RequireRefuse {
			continue
		}
		for _, key := range k.of(o.ID) {
			all[o.ID] = append(all[o.ID], string(key))
		}
	}
	return all
}

// Distrust returns what is missing if the accepted rules require a good signature of the sender, otherwise "".
func (k Keys) Distrust(from string, v Verdict) (why string) {
	if k.Broken != nil && v.State != Good {
		return "cannot tell whether handoffs of " + from + " must be signed: the operators file cannot be used; run " +
			"`handoff operators validate`"
	}
	if o, _ := k.Accepted.Of(from); v.State == Good || o.Require != RequireRefuse {
		return ""
	}
	return "the operators file asks for a signature of " + from + ", and this one is " + v.State
}

// Package signature verifies SSH signatures in process, as `ssh-keygen -Y verify` does:
// PROTOCOL.sshsig of OpenSSH. Signing is left to ssh-keygen, which knows agents and hardware keys.
package signature

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Verify returns the public key, as OpenSSH writes it, that made an armored signature of a message in
// a namespace. Whose key that is, it does not say. A signature that is none of these bytes, and what
// is no signature, is ErrIntegrity.
func Verify(message, armored []byte, namespace string) (key string, err error) {
	s, err := parse(armored)
	if err == nil {
		err = sshsig.Verify(bytes.NewReader(message), s, s.PublicKey, s.HashAlgorithm, namespace)
	}
	if err == nil && s.Namespace != namespace {
		err = fmt.Errorf("it is one for %q", s.Namespace)
	}
	if err != nil {
		return "", &fault.Error{Class: fault.ErrIntegrity, Problem: "the signature does not hold: " + err.Error(), Cause: err}
	}
	return s.PublicKey.Type() + " " + base64.StdEncoding.EncodeToString(s.PublicKey.Marshal()), nil
}

// parse reads one signature, which nothing but white space may surround. A signature by a certificate
// is one by somebody whom no file of keys names.
func parse(armored []byte) (s *sshsig.Signature, err error) {
	defer func() { // whatever the libraries do with what nobody has checked yet
		if bug := recover(); bug != nil {
			s, err = nil, fmt.Errorf("it cannot be read: %v", bug)
		}
	}()
	if s, err = sshsig.Unarmor(armored); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(armored)
	if bytes.ContainsRune(armored, '\r') || !bytes.HasPrefix(text, []byte("-----BEGIN ")) || !bytes.HasSuffix(text, []byte("-----END SSH SIGNATURE-----")) || bytes.Count(text, []byte("-----BEGIN")) != 1 {
		return nil, errors.New("there is something else beside it")
	}
	if _, isCertificate := s.PublicKey.(*ssh.Certificate); isCertificate {
		return nil, errors.New("it was made with a certificate, which is not supported")
	}
	return s, nil
}

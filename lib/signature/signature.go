// Package signature verifies SSH signatures in process, like `ssh-keygen -Y verify` (PROTOCOL.sshsig of OpenSSH).
// It does not sign: ssh-keygen does, since it can use agents and hardware keys.
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

// Verify returns the public key, in OpenSSH form, that signed message in a namespace. It does not determine the
// owner of the key. If armored is not a signature of message, the error is ErrIntegrity.
func Verify(message, armored []byte, namespace string) (key string, err error) {
	s, err := parse(armored)
	if err == nil {
		err = sshsig.Verify(bytes.NewReader(message), s, s.PublicKey, s.HashAlgorithm, namespace)
	}
	if err == nil && s.Namespace != namespace {
		err = fmt.Errorf("its namespace is %q", s.Namespace)
	}
	if err != nil {
		return "", fault.Integrity("", "the signature is invalid: %v", err)
	}
	return s.PublicKey.Type() + " " + base64.StdEncoding.EncodeToString(s.PublicKey.Marshal()), nil
}

// parse reads one signature. Only white space can surround it. A signature by a certificate is refused: files of
// keys do not name its owner.
func parse(armored []byte) (s *sshsig.Signature, err error) {
	// The libraries can panic on unverified input.
	defer func() {
		if bug := recover(); bug != nil {
			s, err = nil, fmt.Errorf("it cannot be parsed: %v", bug)
		}
	}()
	if s, err = sshsig.Unarmor(armored); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(armored)
	if bytes.ContainsRune(armored, '\r') || !bytes.HasPrefix(text, []byte("-----BEGIN ")) ||
		!bytes.HasSuffix(text, []byte("-----END SSH SIGNATURE-----")) ||
		bytes.Count(text, []byte("-----BEGIN")) != 1 {
		return nil, errors.New("other text surrounds it")
	}
	if _, isCertificate := s.PublicKey.(*ssh.Certificate); isCertificate {
		return nil, errors.New("certificates are not supported")
	}
	return s, nil
}

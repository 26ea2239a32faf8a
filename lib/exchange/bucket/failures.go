package bucket

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed" // for the refusals
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// ErrUnreachable is wrapped by errors of a network or server that may work later.
var ErrUnreachable = errors.New("the object store is unreachable")

// A request names what was asked for, for errors.
type request struct {
	verb string // write, read or list
	name string // of an object, or the beginning of names
}

const (
	maxTries = 8
	pause    = 25 * time.Millisecond // after the first failure, twice as long after each other one
)

// repeat calls once until it succeeds or fails for good. It tries again, after a random pause, what may pass.
func (b *Bucket) repeat(ctx context.Context, r request, once func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	var sentence error
	for try := 1; ; try++ {
		err := once(limited)
		if err == nil || err == errTooLarge || isMissing(err) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if sentence == nil || limited.Err() == nil { // otherwise the time is over, and the last failure says more
			sentence = b.explain(r, err)
		}
		if !errors.Is(sentence, ErrUnreachable) || try == maxTries {
			return sentence
		}
		select {
		case <-limited.Done():
			return sentence
		case <-time.After(rand.N(pause << try)):
		}
	}
}

// codeOf returns the code of a refusal, or "".
func codeOf(err error) string { return minio.ToErrorResponse(err).Code }

// isMissing reports whether an object does not exist.
func isMissing(err error) bool { return codeOf(err) == minio.NoSuchKey }

// explain returns a sentence for the user. It wraps ErrUnreachable if the request can be tried again.
func (b *Bucket) explain(r request, err error) error {
	var strange strangeError
	got := minio.ToErrorResponse(err)
	switch {
	case errors.As(err, &strange):
		return fault.Config("correct endpoint in your configuration, or use another object store; see "+
			"`handoff help remotes`", "%s is not an S3 object store: %v", b.host, strange)
	case isTLS(err):
		return fault.Config("correct endpoint in your configuration, or install the certificate of its issuer",
			"no secure connection to %s: %v", b.host, tlsReason(err))
	case got.StatusCode == 0 || passes(got.StatusCode) || slices.Contains(answers().Passing, got.Code):
		why := "the object changed meanwhile"
		switch {
		case got.StatusCode != 0:
			why = strings.TrimSpace(fmt.Sprintf("it answers %d %s", got.StatusCode, word(got.Code)))
		case !errors.Is(err, errAgain):
			why = reason(err)
		}
		return &fault.Error{Problem: fmt.Sprintf("cannot reach %s: %s", b.host, why), Cause: ErrUnreachable,
			Advice: "try again later; if it stays so, check the network and endpoint in your configuration"}
	}
	return b.explainRefusal(r, got)
}

//go:embed refusals.json
var refusalsFile []byte

// answers are the answers of servers by their codes. Passing has the codes of refusals that pass. Refusals are what the
// user must change; the last one is for all other codes. In the sentences HOST, BUCKET, VERB, OBJECT, PERMISSION, CODE
// and REGION stand for those of the request and the answer. Permissions has the permission that each verb
// needs.
var answers = form.Data[struct {
	Passing     []string
	Refusals    []refusal
	Permissions map[string]string
}](refusalsFile)

type refusal struct {
	Codes           []string
	Problem, Advice string
}

// explainRefusal returns a sentence for a refusal that stays until the user changes something.
func (b *Bucket) explainRefusal(r request, got minio.ErrorResponse) error {
	code, region := word(got.Code), word(got.Region)
	isElsewhere := got.StatusCode >= 300 && got.StatusCode < 400 || code == "InvalidRegion" ||
		code == "AuthorizationHeaderMalformed" || code == "IllegalLocationConstraintException"
	switch {
	case isElsewhere && region != "" && region != b.region:
		code = "OtherRegion"
	case isElsewhere:
		code = "OtherHost"
	case got.StatusCode == http.StatusInsufficientStorage:
		return &fault.Error{Problem: "there is no room left in " + b.location(""), Advice: "make room there"}
	}
	fill := strings.NewReplacer("HOST", b.host, "BUCKET", b.name, "VERB", r.verb, "OBJECT", b.location(r.name),
		"PERMISSION", answers().Permissions[r.verb], "CODE", strings.TrimSpace(fmt.Sprint(got.StatusCode, " ", code)),
		"REGION", region)
	all := answers().Refusals
	at := slices.IndexFunc(all, func(of refusal) bool { return of.Codes == nil || slices.Contains(of.Codes, code) })
	return &fault.Error{Class: fault.ErrConfig, Problem: fill.Replace(all[at].Problem),
		Advice: fill.Replace(all[at].Advice)}
}

// word returns a code of the server if it is one word, otherwise "".
func word(code string) string {
	for _, c := range code {
		if len(code) > 64 || c != '-' && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z') {
			return ""
		}
	}
	return code
}

// isTLS reports whether a connection fails because of TLS, which does not pass.
func isTLS(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(tls.AlertError)) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func tlsReason(err error) string {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return certificate.Err.Error()
	case errors.As(err, new(tls.AlertError)):
		return "it refuses the handshake"
	}
	return "it does not speak TLS"
}

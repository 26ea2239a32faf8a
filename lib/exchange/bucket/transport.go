package bucket

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxRefusal = 64 << 10 // bytes of the body of a refusal
	maxListing = 8 << 20  // bytes of the body of a listing
	maxPages   = 10       // of one listing, which a server may divide
)

// pagesKey is the key of a context with the number of requests of a listing.
type pagesKey struct{}

var (
	errTooLarge = errors.New("the object is too large")
	errAgain    = errors.New("the object changed meanwhile")
	errDisorder = errors.New("the listing is in disorder")
	errEndless  = errors.New("the listing does not end")
)

// A strangeError is an answer that no S3 server gives.
type strangeError struct {
	status int
	kind   string // the media type of the answer
}

func (e *strangeError) Error() string {
	if e.kind == "" {
		return fmt.Sprintf("it answers with status %d", e.status)
	}
	return fmt.Sprintf("it answers with status %d and %s", e.status, e.kind)
}

// A transport counts requests, and accepts only answers of S3 servers. Otherwise the library would take the page of any
// web server for an object, and its "not found" for a missing one.
type transport struct {
	base     *http.Transport
	requests atomic.Int64
}

func newTransport(patience time.Duration) *transport {
	dialer := &net.Dialer{Timeout: patience / 3}
	return &transport{base: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   patience / 3,
		ResponseHeaderTimeout: patience / 3,
		IdleConnTimeout:       time.Minute,
		MaxIdleConnsPerHost:   16,
		DisableCompression:    true, // bodies are compared as they are stored
		ForceAttemptHTTP2:     true,
	}}
}

// RoundTrip sends one request. It never follows a redirect: the library passes redirects on as refusals.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	isListing := r.URL.Query().Has("list-type")
	if pages, ok := r.Context().Value(pagesKey{}).(*atomic.Int32); ok && isListing && pages.Add(1) > maxPages {
		return nil, errEndless
	}
	t.requests.Add(1)
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	strange := &strangeError{resp.StatusCode, kind}
	switch {
	case resp.StatusCode == http.StatusOK && isListing:
		err = hold(resp, maxListing, "ListBucketResult", strange)
	case resp.StatusCode == http.StatusOK:
		if resp.Header.Get("ETag") == "" {
			err = strange
		}
	case passes(resp.StatusCode): // gateways in front of the server send these too
		resp.Header.Set("Content-Type", "application/xml")
	default:
		err = hold(resp, maxRefusal, "Error", strange)
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// hold reads the body of an answer, which must be an XML document with this root.
func hold(resp *http.Response, limit int64, root string, strange error) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	resp.Body.Close()
	switch {
	case err != nil:
		return err
	case int64(len(body)) > limit || rootOf(body) != root:
		return strange
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// rootOf returns the name of the root element of a complete XML document, otherwise "".
func rootOf(text []byte) (root string) {
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			if err != io.EOF {
				root = ""
			}
			return root
		}
		if e, ok := token.(xml.StartElement); ok && root == "" {
			root = e.Name.Local
		}
	}
}

// passes reports whether a status is a failure that passes.
func passes(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// reason returns the innermost words of an error of the network or of a listing, without the address of the request.
func reason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return "there is no host " + dns.Name
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "timeout"):
		return "it does not answer in time"
	case errors.As(err, &op):
		return op.Err.Error()
	case errors.Is(err, errEndless):
		return errEndless.Error()
	case errors.Is(err, errDisorder):
		return errDisorder.Error()
	}
	return "the connection was closed"
}

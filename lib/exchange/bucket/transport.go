package bucket

import (
	"bytes"
	"cmp"
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
	maxXML   = 8 << 20 // bytes of a listing or a refusal
	maxPages = 10      // of one listing, which a server may divide
)

// pagesKey is the key of a context with the number of requests of a listing.
type pagesKey struct{}

var (
	errTooLarge = errors.New("the object is too large")
	errAgain    = errors.New("the object changed meanwhile")
)

// A strangeError says what no S3 server does.
type strangeError string

const (
	errDisorder strangeError = "its listing is in disorder"
	errEndless  strangeError = "its listing does not end"
)

func (e strangeError) Error() string { return string(e) }

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
	strange := strangeError(fmt.Sprintf("it answers with status %d and %s", resp.StatusCode, cmp.Or(kind, "no type")))
	switch isOK := resp.StatusCode == http.StatusOK; {
	case isOK && isListing:
		err = hold(resp, "ListBucketResult", strange)
	case isOK && resp.Header.Get("ETag") == "":
		err = strange
	case !isOK && !passes(resp.StatusCode): // gateways in front of the server send what passes, too
		err = hold(resp, "Error", strange)
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// hold reads the body of an answer, which must be an XML document with this root.
func hold(resp *http.Response, root string, strange error) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxXML))
	if err != nil {
		return err
	}
	var document struct{ XMLName xml.Name }
	if err := xml.Unmarshal(body, &document); err != nil || document.XMLName.Local != root {
		return strange
	}
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
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

// reason returns the innermost words of an error of the network, without the address of the request.
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
	}
	return "the connection was closed"
}

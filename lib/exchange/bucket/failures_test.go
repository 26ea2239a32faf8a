package bucket_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

// check compares an error with its class and a part of its sentence, and looks for secrets in it.
func check(t *testing.T, err, class error, part string) {
	t.Helper()
	var sentence *fault.Error
	if !errors.As(err, &sentence) || fault.Class(err) != class || !strings.Contains(err.Error(), part) {
		t.Errorf("%v has the class %v, want %v and %q", err, fault.Class(err), class, part)
		return
	}
	text := sentence.Problem + sentence.Advice
	if sentence.Advice == "" || strings.ContainsAny(text, "\n") || strings.HasSuffix(text, ".") {
		t.Errorf("%q, hint %q", sentence.Problem, sentence.Advice)
	}
	for _, secret := range []string{objectstore.AccessKey, objectstore.SecretKey, "Signature="} {
		if strings.Contains(text, secret) {
			t.Errorf("%q, hint %q", sentence.Problem, sentence.Advice)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	refuse := func(status int, code, region string) objectstore.Faults {
		return objectstore.Faults{Refuse: code, RefuseStatus: status, RefuseRegion: region}
	}
	page := func(status int, kind, text string) objectstore.Faults {
		return objectstore.Faults{Page: text, PageStatus: status, PageType: kind}
	}
	const html = "<!doctype html><html><body>Welcome</body></html>"
	for _, c := range []struct {
		faults objectstore.Faults
		part   string
	}{
		{refuse(404, "NoSuchBucket", ""), "has no bucket handoffs"},
		{refuse(403, "AccessDenied", ""), "no permission to VERB s3://handoffs/team/"},
		{refuse(403, "InvalidAccessKeyId", ""), "does not accept the credentials: 403 InvalidAccessKeyId"},
		{refuse(403, "SignatureDoesNotMatch", ""), "does not accept the credentials"},
		{refuse(400, "ExpiredToken", ""), "have expired"},
		{refuse(403, "RequestTimeTooSkewed", ""), "the clock of this machine"},
		{refuse(400, "AuthorizationHeaderMalformed", "eu-north-1"), "is in the region eu-north-1"},
		{refuse(301, "PermanentRedirect", "eu-north-1"), "is in the region eu-north-1"},
		{refuse(301, "PermanentRedirect", ""), "refers to another host"},
		{refuse(501, "NotImplemented", ""), "cannot VERB objects"},
		{refuse(418, "Teapot; rm -rf", ""), "refuses to VERB"},
		{refuse(507, "XMinioStorageFull", ""), "no room left"},
		{page(200, "text/html", html), "is not an S3 object store: it answers with status 200 and text/html"},
		{page(404, "text/html", html), "is not an S3 object store"},
		{page(403, "application/json", `{"error": "forbidden"}`), "is not an S3 object store"},
		{page(200, "application/json", `{}`), "is not an S3 object store"},
		{page(404, "application/xml", "<Envelope></Envelope>"), "is not an S3 object store"},
		{page(200, "application/xml", "<feed></feed>"), "is not an S3 object store"},
		{page(403, "application/xml", "<Error><Code>"), "is not an S3 object store"},
		{page(302, "text/plain", "see https://login.example.com"), "is not an S3 object store"},
	} {
		t.Run(c.part, func(t *testing.T) {
			t.Parallel()
			s := objectstore.Start(t, 1)
			s.Set(c.faults)
			b := open(t, s, nil)
			class := fault.ErrConfig
			if strings.Contains(c.part, "no room") {
				class = nil
			}
			_, err := b.Create(t.Context(), "claims/1", nil)
			check(t, err, class, strings.ReplaceAll(c.part, "VERB", "write"))
			check(t, b.Prove(t.Context()), class, strings.ReplaceAll(c.part, "VERB", "write"))
			check(t, b.Replace(t.Context(), "head", []byte("x")), class, strings.ReplaceAll(c.part, "VERB", "write"))
			_, err = b.Get(t.Context(), "head", 10)
			check(t, err, class, strings.ReplaceAll(c.part, "VERB", "read"))
			_, _, err = b.List(t.Context(), "log/", "", 10)
			check(t, err, class, strings.ReplaceAll(c.part, "VERB", "list"))
			if n := s.Requests.Load(); n != 5 || n != b.Requests() {
				t.Errorf("%d requests, %d counted", n, b.Requests())
			}
		})
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	s.Set(objectstore.Faults{Deny: []string{"PUT team/claims/", "GET team/claims/"}})
	b := open(t, s, nil)
	_, err := b.Create(t.Context(), "claims/1", nil)
	check(t, err, fault.ErrConfig, "no permission to write s3://handoffs/team/claims/1")
	_, err = b.Get(t.Context(), "claims/1", 1)
	check(t, err, fault.ErrConfig, "no permission to read s3://handoffs/team/claims/1")
	_, _, err = b.List(t.Context(), "claims/", "", 1)
	check(t, err, fault.ErrConfig, "no permission to list s3://handoffs/team/claims/")
	if created, err := b.Create(t.Context(), "log/1", nil); err != nil || !created {
		t.Errorf("%v, %v", created, err)
	}
}

// A server that lets a second writer create an object is refused.
func TestConditionsMustCount(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	s.Set(objectstore.Faults{IgnoreConditions: true})
	for range 2 { // also if the probe is there already
		check(t, open(t, s, nil).Prove(t.Context()), fault.ErrConfig, "ignores If-None-Match")
	}
	good := objectstore.Start(t, 1)
	b := open(t, good, nil)
	for _, requests := range []int64{2, 3} {
		if err := b.Prove(t.Context()); err != nil || b.Requests() != requests {
			t.Errorf("%d requests, %v", b.Requests(), err)
		}
	}
	// An answer that was lost is no second winner.
	good.Set(objectstore.Faults{LoseAnswer: 0.5})
	for range 4 {
		if err := open(t, good, nil).Prove(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestListingsAreBounded(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	b := open(t, s, nil)
	for _, name := range []string{"log/1", "log/2", "log/3"} {
		if err := b.Replace(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	for part, f := range map[string]objectstore.Faults{
		"does not end": {Endless: true, Empty: true},
		"disorder":     {Unordered: true},
	} {
		s.Set(f)
		_, _, err := b.List(t.Context(), "log/", "", 10)
		if check(t, err, fault.ErrConfig, part); strings.Contains(err.Error(), "list-type") {
			t.Errorf("the request is quoted: %v", err)
		}
	}
	s.Set(objectstore.Faults{Endless: true})
	if page, more, err := b.List(t.Context(), "log/", "", 2); err != nil || !more || len(page) != 2 {
		t.Errorf("%v, %v, %v", page, more, err)
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	s := objectstore.Start(t, 1)
	for _, c := range []struct {
		endpoint string
		class    error
		part     string
	}{
		{"http://" + closed.Addr().String(), nil, "connection refused"},
		{"http://" + mute.Addr().String(), nil, "does not answer in time"},
		{secure.URL, fault.ErrConfig, "no secure connection"},
		{strings.Replace(s.URL, "http:", "https:", 1), fault.ErrConfig, "does not speak TLS"},
		{"http://store.invalid", fault.ErrConfig, "unencrypted"},
		{"https://store.invalid", nil, "cannot reach store.invalid"},
		{"https://" + objectstore.AccessKey + ":" + objectstore.SecretKey + "@store.invalid", fault.ErrConfig, "not the address"},
		{"https://store.invalid/path", fault.ErrConfig, "not the address"},
		{"ftp://store.invalid", fault.ErrConfig, "not the address"},
		{"store.invalid", fault.ErrConfig, "not the address"},
	} {
		t.Run(c.part, func(t *testing.T) {
			t.Parallel()
			b, err := bucket.Open(t.Context(), bucket.Config{URL: "s3://handoffs", Endpoint: c.endpoint,
				Getenv: objectstore.Getenv, Patience: time.Second})
			if err == nil {
				_, err = b.Get(t.Context(), "head", 10)
				b.Close()
			}
			check(t, err, c.class, c.part)
			if errors.Is(err, bucket.ErrUnreachable) != (c.class == nil) {
				t.Error(err)
			}
		})
	}
}

// A redirect could lead to a host that collects credentials.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(other.Close)
	s := objectstore.Start(t, 1)
	s.Set(objectstore.Faults{Redirect: other.URL})
	b := open(t, s, nil)
	_, err := b.Create(t.Context(), "claim", []byte("x"))
	check(t, err, fault.ErrConfig, "refers to another host")
	_, err = b.Get(t.Context(), "claim", 10)
	check(t, err, fault.ErrConfig, "refers to another host")
	if visits.Load() != 0 {
		t.Errorf("%d requests went to the other host", visits.Load())
	}
}

func TestURLsAndNames(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "handoffs", "https://handoffs/x", "s3://", "s3://UPPER", "s3://a/b", "s3://handoffs//x",
		"s3://handoffs/../x", "s3://handoffs/a b", "s3://user:secret@handoffs", "s3://handoffs/x?y"} {
		_, err := bucket.Open(t.Context(), bucket.Config{URL: url, Getenv: objectstore.Getenv})
		check(t, err, fault.ErrConfig, "is not the URL of a bucket")
	}
	s := objectstore.Start(t, 1)
	b := open(t, s, nil)
	for _, name := range []string{"", "/", "a/", "/a", "a//b", "a/../b", ".", "a b", "ä", "a\n", strings.Repeat("a", 501)} {
		if _, err := b.Create(t.Context(), name, nil); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := b.Get(t.Context(), name, 1); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if b.Requests() != 0 {
		t.Errorf("%d requests", b.Requests())
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "keys")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keys := "aws_access_key_id = " + objectstore.AccessKey + "\naws_secret_access_key = " + objectstore.SecretKey + "\n"
	write(file, "[default]\naws_access_key_id = other\naws_secret_access_key = other\n[farm]\n"+keys+"[half]\naws_access_key_id = x\n")
	write(filepath.Join(home, ".aws", "credentials"), "[default]\n"+keys)
	write(filepath.Join(home, ".aws", "config"), "[profile two]\n"+keys)
	write(filepath.Join(home, "broken"), objectstore.SecretKey+"\n[default\n")
	s := objectstore.Start(t, 1)
	for _, c := range []struct {
		name, profile string
		env           map[string]string
		part          string // of the error, "" for none
	}{
		{"nothing", "", nil, "no credentials"},
		{"variables", "", map[string]string{"AWS_ACCESS_KEY_ID": objectstore.AccessKey, "AWS_SECRET_ACCESS_KEY": "x"}, ""},
		{"half of the variables", "", map[string]string{"AWS_ACCESS_KEY_ID": objectstore.AccessKey}, "no credentials"},
		{"home", "", map[string]string{"HOME": home}, ""},
		{"config", "two", map[string]string{"HOME": home}, ""},
		{"file, other credentials", "", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, "does not accept"},
		{"file and AWS_PROFILE", "", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "farm"}, ""},
		{"file and profile", "farm", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, ""},
		{"a profile comes before variables", "farm", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file,
			"AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "x"}, ""},
		{"half a profile", "half", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, "profile half has none"},
		{"no such profile", "none", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, "profile none has none"},
		{"broken file", "", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(home, "broken")}, "no credentials"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, err := bucket.Open(t.Context(), bucket.Config{URL: "s3://handoffs/x", Endpoint: s.URL, Profile: c.profile,
				Getenv: func(name string) string { return c.env[name] }})
			if err == nil {
				err = b.Replace(t.Context(), "head", []byte("x"))
				b.Close()
			}
			if c.part != "" {
				check(t, err, fault.ErrConfig, c.part)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	s.Set(objectstore.Faults{Unavailable: 1})
	b := open(t, s, func(c *bucket.Config) { c.Patience = time.Second })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.List(ctx, "", "", 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err := b.Get(t.Context(), "head", 1)
	check(t, err, nil, "it answers 503 SlowDown")
	if n := s.Requests.Load(); n < 2 || n > 9 {
		t.Errorf("%d requests", n)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/testdata/remotetest"
)

// The test binary is the helper program, too.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "handoff-remote-s3" {
		main()
		return
	}
	os.Exit(m.Run())
}

type options = remote.HelperOptions

// helperOf returns the options of a helper for a fake, with more variables in its environment.
func helperOf(t testing.TB, f *remotetest.Bucket, more ...string) remote.HelperOptions {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "handoff-remote-s3"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return remote.HelperOptions{Scheme: "s3", Beside: dir,
		Remote: remote.Place{URL: "s3://b/some/where", Endpoint: f.URL},
		Environ: append([]string{"HOME=" + dir, "AWS_EC2_METADATA_DISABLED=true", "AWS_ACCESS_KEY_ID=key",
			"AWS_SECRET_ACCESS_KEY=secret"}, more...)}
}

func client(t testing.TB, o remote.HelperOptions) remote.Remote {
	t.Helper()
	r, err := remote.OpenHelper(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestConformance(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	f.Page = 3
	o := helperOf(t, f)
	remotetest.Run(t, func(t *testing.T) remote.Remote { return client(t, o) })
}

// Answers get lost, and the store asks to try again: what was appended is there once.
func TestConformanceOfABadStore(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	f.Loses, f.Conflicts = 0.05, 0.05 // a request is tried five times
	o := helperOf(t, f)
	remotetest.Run(t, func(t *testing.T) remote.Remote { return client(t, o) })
}

// race lets several clients append to one log. It returns the texts for which an append was acknowledged.
func race(t *testing.T, o remote.HelperOptions, first remote.Position) map[string]bool {
	const clients, rounds = 8, 5
	var group sync.WaitGroup
	var mutex sync.Mutex
	won := make(map[string]bool)
	for c := range clients {
		r := client(t, o)
		group.Go(func() {
			end := first
			for n := range rounds {
				text := fmt.Sprint("client ", c, ", ", n)
				for {
					ends, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", After: end, Text: []byte(text)}})
					if err == nil {
						mutex.Lock()
						won[text] = true
						mutex.Unlock()
						end = ends["t-00"]
						break
					}
					if errors.Is(err, remote.ErrMoved) {
						after := map[string]remote.Position{"t-00": end}
						err = r.Read(t.Context(), after, func(_ string, b remote.Batch) error {
							end = b.At
							return nil
						})
					}
					if err != nil {
						return
					}
				}
			}
		})
	}
	group.Wait()
	return won
}

func readAll(t *testing.T, r remote.Remote) map[string]int {
	t.Helper()
	all := make(map[string]int)
	err := r.Read(t.Context(), map[string]remote.Position{"t-00": ""}, func(_ string, b remote.Batch) error {
		all[string(b.Text)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRacers(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	f.Loses, f.Conflicts = 0.05, 0.05
	o := helperOf(t, f)
	won := race(t, o, "")
	all := readAll(t, client(t, o))
	if len(won) != 40 || len(all) != 40 {
		t.Errorf("%d won, %d are there", len(won), len(all))
	}
	for text, n := range all {
		if !won[text] || n != 1 {
			t.Errorf("%q is there %d times, acknowledged: %t", text, n, won[text])
		}
	}
}

// The control: without conditions appends get lost, and the proof finds it before the first one.
func TestWithoutConditions(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	o := helperOf(t, f)
	ends, err := client(t, o).Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("0")}})
	if err != nil {
		t.Fatal(err)
	}
	f.Lock()
	f.IgnoresConditions = true
	f.Unlock()
	won := race(t, o, ends["t-00"])
	lost := 0
	all := readAll(t, client(t, o))
	for text := range won {
		if all[text] != 1 {
			lost++
		}
	}
	if lost == 0 {
		t.Error("no append got lost: the racers prove nothing")
	}
	f.Lock()
	clear(f.Objects)
	f.Unlock()
	_, err = client(t, o).Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("0")}})
	if !errors.Is(err, fault.ErrConfig) || !strings.Contains(err.Error(), "If-None-Match") {
		t.Errorf("%v", err)
	}
}

// What a store and settings can have wrong is named, with what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) func(*remotetest.Bucket) {
		return func(f *remotetest.Bucket) {
			f.Before = func(w http.ResponseWriter, _ *http.Request) bool {
				remotetest.Refuse(w, status, code)
				return true
			}
		}
	}
	none := []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}
	for _, tt := range []struct {
		name          string
		fake          func(*remotetest.Bucket)
		change        func(*options)
		class         error
		problem, hint string
	}{
		{"clock", func(f *remotetest.Bucket) { f.Ahead = 10 * time.Minute }, nil, fault.ErrConfig, "differ by ", "set the clock"},
		{"clock behind", func(f *remotetest.Bucket) { f.Ahead = -6 * time.Minute }, nil, fault.ErrConfig, "differ by", "set the"},
		{"disorder", func(f *remotetest.Bucket) {
			f.Objects["some/where/heads/t-00"], f.Objects["some/where/heads/t-01"], f.IsDisordered = "", "", true
		}, nil, nil, "out of order", ""},
		{"denied", answer(403, "AccessDenied"), nil, fault.ErrConfig, "words of the store", "allow s3:GetObject"},
		{"signature", answer(403, "SignatureDoesNotMatch"), nil, fault.ErrConfig, "words of", "aws configure"},
		{"redirect", func(f *remotetest.Bucket) {
			f.Before = func(w http.ResponseWriter, q *http.Request) bool {
				isFirst := !strings.Contains(q.URL.Path, "elsewhere")
				if isFirst {
					w.Header().Set("Location", "/elsewhere"+q.URL.Path)
					w.WriteHeader(307)
				} else {
					f.Objects["followed"] = ""
				}
				return true
			}
		}, nil, fault.ErrConfig, "refuses", "region:"},
		{"bucket", nil, func(o *options) { o.Remote.URL = "s3://c" }, fault.ErrConfig, "NoSuchBucket", "url:"},
		{"url", nil, func(o *options) { o.Remote.URL = "file:///b" }, fault.ErrConfig, "s3://BUCKET", "settings"},
		{"http", nil, func(o *options) { o.Remote.Endpoint = "http://example.org" }, fault.ErrConfig, "not encrypted",
			"https:"},
		{"http of a variable", nil, func(o *options) {
			o.Remote.Endpoint = ""
			o.Environ = append(o.Environ, "AWS_ENDPOINT_URL_S3=http://example.org")
		}, fault.ErrConfig, "not encrypted", "https:"},
		{"region", answer(400, "AuthorizationHeaderMalformed"), nil, fault.ErrConfig, "words of the store", "region:"},
		{"http elsewhere", nil, func(o *options) { o.Remote.Endpoint = "http://localhost:1@example.org" },
			fault.ErrConfig, "not encrypted", "https:"},
		{"no credentials", nil, func(o *options) { o.Environ = append(o.Environ, none...) }, fault.ErrConfig,
			"no credentials for s3://b", "`aws configure`"},
		{"no profile", nil, func(o *options) { o.Remote.Profile = "farm" }, fault.ErrConfig, "farm",
			"`aws configure --profile farm`"},
		{"unreachable", func(f *remotetest.Bucket) { f.Listener.Close() }, nil, nil, "connection refused", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := remotetest.NewBucket(t)
			o := helperOf(t, f)
			if tt.fake != nil {
				f.Lock()
				tt.fake(f)
				f.Unlock()
			}
			if tt.change != nil {
				tt.change(&o)
			}
			_, err := client(t, o).Versions(t.Context())
			var own *fault.Error
			if err == nil || fault.Class(err) != tt.class || !strings.Contains(err.Error(), tt.problem) ||
				!errors.As(err, &own) || !strings.Contains(own.Advice, tt.hint) {
				t.Errorf("%v: %v", fault.Class(err), err)
				if own != nil {
					t.Errorf("hint: %s", own.Advice)
				}
			}
			if _, followed := f.Objects["followed"]; followed {
				t.Error("a redirect was followed")
			}
		})
	}
}

// configure writes the settings of AWS.
func configure(t *testing.T, o options, text string) {
	t.Helper()
	dir := filepath.Join(o.Beside, ".aws")
	err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "config"), []byte(text), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// The kinds of credentials that need no network.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, config, key string }{
		{"profile", "[profile farm]\naws_access_key_id = P\naws_secret_access_key = x\n", "P"},
		{"process", "[profile farm]\ncredential_process = echo '" +
			`{"Version":1,"AccessKeyId":"Q","SecretAccessKey":"x"}` + "'\n", "Q"},
	} {
		f := remotetest.NewBucket(t)
		var seen string
		f.Before = func(_ http.ResponseWriter, q *http.Request) bool {
			seen = q.Header.Get("Authorization")
			return false
		}
		o := helperOf(t, f, "PATH="+os.Getenv("PATH"))
		o.Remote.Profile = "farm"
		configure(t, o, tt.config)
		_, err := client(t, o).Versions(t.Context())
		if err != nil || !strings.Contains(seen, "Credential="+tt.key+"/") {
			t.Errorf("%s: %q, %v", tt.name, seen, err)
		}
	}
	f := remotetest.NewBucket(t)
	o := helperOf(t, f, "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=")
	o.Remote.Profile = "farm"
	configure(t, o, `[profile farm]
sso_session = s
sso_account_id = 123456789012
sso_role_name = r
[sso-session s]
sso_region = eu-north-1
sso_start_url = https://example.org
`)
	_, err := client(t, o).Versions(t.Context())
	own, _ := errors.AsType[*fault.Error](err)
	if own == nil || !strings.Contains(own.Advice, "`aws sso login --profile farm`") || own.Class != fault.ErrConfig {
		t.Errorf("%v, %v", err, own)
	}
}

// Junk that somebody puts in a log is passed over, and the log goes on behind it.
func TestJunk(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	r := client(t, helperOf(t, f))
	ends, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	f.Lock()
	f.Objects["some/where/log/t-00/0000000002"] = "junk"
	f.Objects["some/where/log/t-00/0000000003"] = strings.Repeat("x", 5<<20) + "\n"
	f.Objects["some/where/log/t-00/0000000004"] = strings.Repeat("x", 3*remote.MaxBatch)
	f.Objects["some/where/heads/passed over"] = ""
	f.Unlock()
	n, after := 0, ends
	err = r.Read(t.Context(), ends, func(log string, b remote.Batch) error {
		if b.Text != nil {
			t.Errorf("%.20q", b.Text)
		}
		n, after = n+1, map[string]remote.Position{log: b.At}
		return nil
	})
	if n != 3 || err != nil {
		t.Fatalf("%d objects, %v", n, err)
	}
	last, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", After: after["t-00"], Text: []byte("5")}})
	all := readAll(t, r)
	if err != nil || all["5"] != 1 || all["1"] != 1 || all[""] != 3 {
		t.Errorf("%v, %v", all, err)
	}
	if versions, err := r.Versions(t.Context()); err != nil || len(versions) != 1 {
		t.Errorf("%v, %v", versions, err)
	}
	f.Lock()
	f.Objects["some/where/log/t-00/0000000005"] = "another"
	f.Unlock()
	if err := r.Read(t.Context(), last, nil); !errors.As(err, new(*remote.Rewritten)) {
		t.Errorf("%v", err)
	}
}

// An append whose answer gets lost for good is found by its client, which announces it.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	r := client(t, helperOf(t, f))
	if _, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	before, err := r.Versions(t.Context())
	if err == nil {
		err = r.(interface {
			Announce(context.Context, []string) error
		}).Announce(t.Context(), []string{"t-00"})
	}
	after, err2 := r.Versions(t.Context())
	if err != nil || err2 != nil || before["t-00"] == after["t-00"] {
		t.Errorf("%v %v, %v %v", before, after, err, err2)
	}
	if all := readAll(t, r); len(all) != 1 {
		t.Errorf("%v", all)
	}
}

// A helper whose client goes away in the middle of an append finishes it, with its head.
func TestGoneClient(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.Before = func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method == "PUT" && strings.Contains(q.URL.Path, "/log/") {
			cancel()
		}
		return false
	}
	_, err := client(t, helperOf(t, f)).Append(ctx, []remote.Addition{{Log: "t-00", Text: []byte("1")}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for {
		f.Lock()
		appended, announced := f.Objects["some/where/log/t-00/0000000001"], f.Objects["some/where/heads/t-00"]
		f.Unlock()
		if appended != "" && announced != "" {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// The requests that the daily verbs need.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := remotetest.NewBucket(t)
	r := client(t, helperOf(t, f))
	ends, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", Text: []byte("1")}})
	count := func(what string, want int, do func() error) {
		t.Helper()
		before := f.Requests
		if err := do(); err != nil || f.Requests-before != want {
			t.Errorf("%s: %d requests, want %d; %v", what, f.Requests-before, want, err)
		}
	}
	count("first", 0, func() error { return err })
	count("versions", 1, func() error { _, err := r.Versions(t.Context()); return err })
	count("read nothing", 2, func() error { return r.Read(t.Context(), ends, nil) })
	count("append", 3, func() error {
		_, err := r.Append(t.Context(), []remote.Addition{{Log: "t-00", After: ends["t-00"], Text: []byte("2")}})
		return err
	})
}

// A client that is gone does not keep the helper from finishing, and nonsense ends it.
func TestServe(t *testing.T) {
	t.Parallel()
	err := serve(strings.NewReader(`{"verb":"x","remote":{"url":"y"}}`+"\nnonsense"), io.Discard)
	if err == nil || err == io.EOF {
		t.Errorf("%v", err)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{"s3": "go install ", "other": "install it"} {
		_, err := remote.OpenHelper(options{Scheme: scheme, Beside: t.TempDir(), Environ: []string{"PATH=.:/"}})
		own, _ := errors.AsType[*fault.Error](err)
		if own == nil || !errors.Is(err, fault.ErrConfig) || !strings.Contains(own.Advice, want) {
			t.Errorf("%v", err)
		}
	}
}

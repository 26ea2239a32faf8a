// Package objectstore is an object store for tests: gofakes3 in memory, behind a server that misbehaves as networks and
// object stores do. Which requests go wrong follows from a seed and the order in which they arrive.
package objectstore

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// The credentials that a Server accepts, and its bucket.
const (
	AccessKey = "AKIDHANDOFFTEST"
	SecretKey = "SECRETHANDOFFTEST"
	Bucket    = "handoffs"
)

// Faults says what goes wrong. The numbers are chances from 0 to 1.
type Faults struct {
	LoseRequest float64 // the connection is closed before anything happens
	LoseAnswer  float64 // it is closed after the request was carried out
	Late        float64 // it is closed, and the request is carried out after later ones
	Unavailable float64 // 503 SlowDown
	Conflict    float64 // 409 ConditionalRequestConflict, for requests with a condition
	Internal    float64 // 500 from a gateway, with a page of HTML
	Slow        float64 // an answer comes after Delay
	Cut         float64 // an answer ends in the middle
	Change      float64 // one byte of an object is another one

	Delay            time.Duration
	Deny             []string // such as "PUT claims/": a method and the beginning of names
	IgnoreConditions bool     // a second If-None-Match: * wins too
	IgnoreAfterProbe bool     // the same, except for an object named probe
	Page             string   // every answer is this text, with status PageStatus
	PageStatus       int
	PageType         string
	Endless          bool   // each page of a listing says that more follows
	Empty            bool   // and has no objects
	Unordered        bool   // listings are in reverse order
	Refuse           string // every answer is a refusal with this code
	RefuseStatus     int
	RefuseRegion     string
	Redirect         string // every answer redirects here
}

// A Server is an object store. It counts requests and bytes.
type Server struct {
	URL      string
	Requests atomic.Int64
	Received atomic.Int64 // bytes of bodies that came
	Sent     atomic.Int64 // bytes of bodies that went
	Foreign  atomic.Int64 // requests with other credentials

	mu      sync.Mutex
	random  *rand.Rand
	faults  Faults
	late    []func()
	backend gofakes3.Backend
	store   http.Handler
}

// Start starts a Server, which ends with the test.
func Start(t testing.TB, seed uint64) *Server {
	t.Helper()
	s := &Server{random: rand.New(rand.NewPCG(seed, 1))}
	s.serve(s3mem.New())
	if err := s.backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

func (s *Server) serve(b gofakes3.Backend) {
	s.backend, s.store = b, gofakes3.New(b, gofakes3.WithoutVersioning()).Server()
}

// Getenv returns the variables that programs need to use the Server.
func Getenv(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey}[name]
}

// Set sets what goes wrong from now on.
func (s *Server) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// A Copy is the content of a Server at some time.
type Copy map[string][]byte

// Copy returns all objects.
func (s *Server) Copy() (Copy, error) {
	s.mu.Lock()
	b := s.backend
	s.mu.Unlock()
	list, err := b.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		return nil, err
	}
	c := Copy{}
	for _, entry := range list.Contents {
		o, err := b.GetObject(Bucket, entry.Key, nil)
		if err != nil {
			return nil, err
		}
		c[entry.Key], err = io.ReadAll(o.Contents)
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Restore replaces all objects, as if the bucket had been restored from a backup.
func (s *Server) Restore(c Copy) error {
	b := s3mem.New()
	if err := b.CreateBucket(Bucket); err != nil {
		return err
	}
	for name, body := range c {
		_, err := b.PutObject(Bucket, name, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)},
			bytes.NewReader(body), int64(len(body)), nil)
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = nil
	s.serve(b)
	return nil
}

// A plan is what happens to one request.
type plan struct {
	Faults
	store                                                                               http.Handler
	late                                                                                []func()
	loseRequest, loseAnswer, isLate, unavailable, conflict, internal, slow, cut, change bool
	at                                                                                  int // the byte to cut at or to change
}

func (s *Server) plan() plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	draw := func(chance float64) bool { return s.random.Float64() < chance }
	f := s.faults
	p := plan{Faults: f, store: s.store, at: int(s.random.Int32()), loseRequest: draw(f.LoseRequest),
		loseAnswer: draw(f.LoseAnswer), isLate: draw(f.Late), unavailable: draw(f.Unavailable), conflict: draw(f.Conflict),
		internal: draw(f.Internal), slow: draw(f.Slow), cut: draw(f.Cut), change: draw(f.Change)}
	if len(s.late) > 0 && draw(0.5) {
		p.late, s.late = s.late, nil
	}
	return p
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Requests.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		drop(w)
		return
	}
	s.Received.Add(int64(len(body)))
	p := s.plan()
	for _, do := range p.late {
		do()
	}
	if !strings.Contains(r.Header.Get("Authorization"), "Credential="+AccessKey+"/") {
		s.Foreign.Add(1)
		refuse(w, http.StatusForbidden, "InvalidAccessKeyId", "")
		return
	}
	if p.IgnoreConditions || p.IgnoreAfterProbe && !strings.HasSuffix(r.URL.Path, "/probe") {
		r.Header.Del("If-None-Match")
	}
	do := func() *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		p.store.ServeHTTP(answer, again)
		return answer
	}
	switch {
	case p.Page != "":
		w.Header().Set("Content-Type", p.PageType)
		w.WriteHeader(p.PageStatus)
		io.WriteString(w, p.Page)
	case p.Redirect != "":
		w.Header().Set("Location", p.Redirect)
		w.WriteHeader(http.StatusTemporaryRedirect)
		io.WriteString(w, "<Error><Code>TemporaryRedirect</Code></Error>")
	case p.Refuse != "":
		refuse(w, p.RefuseStatus, p.Refuse, p.RefuseRegion)
	case p.isDenied(r):
		refuse(w, http.StatusForbidden, "AccessDenied", "")
	case p.loseRequest:
		drop(w)
	case p.isLate && r.Method == http.MethodPut:
		s.mu.Lock()
		s.late = append(s.late, func() { do() })
		s.mu.Unlock()
		drop(w)
	case p.unavailable:
		refuse(w, http.StatusServiceUnavailable, "SlowDown", "")
	case p.internal:
		http.Error(w, "<html><body>gateway</body></html>", http.StatusInternalServerError)
	case p.conflict && r.Header.Get("If-None-Match") != "":
		refuse(w, http.StatusConflict, "ConditionalRequestConflict", "")
	default:
		answer := do()
		if p.slow {
			time.Sleep(p.Delay)
		}
		if p.loseAnswer {
			drop(w)
			return
		}
		s.answer(w, r, p, answer)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, p plan, answer *httptest.ResponseRecorder) {
	body := answer.Body.Bytes()
	isListing := r.URL.Query().Has("list-type") && answer.Code == http.StatusOK
	if isListing {
		body = p.listing(body)
	}
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	if p.change && !isListing && r.Method == http.MethodGet && answer.Code == http.StatusOK && len(body) > 0 {
		body[p.at%len(body)] ^= 1
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	s.Sent.Add(int64(len(body)))
	if p.cut && len(body) > 0 {
		w.Write(body[:p.at%len(body)])
		drop(w)
		return
	}
	w.Write(body)
}

// listing spoils a listing.
func (p plan) listing(body []byte) []byte {
	text := string(body)
	if p.Endless {
		text = strings.Replace(text, "<IsTruncated>false</IsTruncated>",
			"<IsTruncated>true</IsTruncated><NextContinuationToken>MA==</NextContinuationToken>", 1)
	}
	head, rest, ok := strings.Cut(text, "<Contents>")
	if at := strings.LastIndex(rest, "</Contents>"); ok && at >= 0 && (p.Unordered || p.Empty) {
		entries := strings.Split(rest[:at], "</Contents><Contents>")
		if len(entries) == 1 {
			entries = strings.Split(rest[:at], "</Contents>\n  <Contents>")
		}
		tail := rest[at+len("</Contents>"):]
		text = head
		for i := range entries {
			if !p.Empty {
				text += "<Contents>" + entries[len(entries)-1-i] + "</Contents>"
			}
		}
		text += tail
	}
	return []byte(text)
}

func (p plan) isDenied(r *http.Request) bool {
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name += r.URL.Query().Get("prefix")
	for _, d := range p.Deny {
		method, start, _ := strings.Cut(d, " ")
		if r.Method == method && strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

func refuse(w http.ResponseWriter, status int, code, region string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>%s for %s</Message><Region>%s</Region></Error>",
		code, code, SecretKey, region)
}

// drop closes the connection.
func drop(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			if tcp, ok := c.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
			c.Close()
		}
	}
}

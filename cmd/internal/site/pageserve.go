package site

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/page"
)

// lookEvery is the interval between looks at the store.
const lookEvery = time.Second

// A pageServer serves a site on the loopback interface, at an address with a secret.
type pageServer struct {
	from  siteSource
	host  string // host and port
	token string
	dir   *os.Root

	mu      sync.Mutex
	stamp   string
	changed chan struct{} // closed after a change of the site
}

func servePage(parent context.Context, a *cli.App, from siteSource) error {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := os.MkdirTemp("", "handoff-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)
	dir, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	x := &pageServer{from: from, host: l.Addr().String(), token: rand.Text(), dir: dir, changed: make(chan struct{})}
	if err := x.draw(); err != nil {
		l.Close()
		return err
	}
	server := &http.Server{Handler: x, ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	go x.watch(ctx, a.Note)
	context.AfterFunc(ctx, func() { server.Close() })
	if _, err := fmt.Fprintf(a.Stdout, "http://%s/%s/\n", x.host, x.token); err != nil {
		return err
	}
	a.Note("press Ctrl-C to stop")
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// draw draws the site again if the store has changed.
func (x *pageServer) draw() error {
	stamp := x.from.Stamp()
	if stamp == x.stamp {
		return nil
	}
	site, err := x.from.page()
	if err != nil {
		return err
	}
	site.Live = true
	if _, err := drawInto(site, x.dir); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stamp = stamp
	close(x.changed)
	x.changed = make(chan struct{})
	return nil
}

func (x *pageServer) watch(ctx context.Context, note func(string)) {
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		err := x.draw()
		if err != nil && err.Error() != said {
			said = err.Error()
			note("the site was not updated: " + said)
		}
	}
}

// ServeHTTP serves files of the site. A request must contain the secret and name this host.
func (x *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "+
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	name, ok := strings.CutPrefix(r.URL.Path, "/"+x.token+"/")
	switch {
	case !ok, r.Host != x.host:
		http.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this site is read-only", http.StatusMethodNotAllowed)
	case name == "events":
		x.events(w, r)
	case name == "":
		http.ServeFileFS(w, r, x.dir.FS(), "index.html")
	case !page.IsName(name):
		http.NotFound(w, r)
	default:
		http.ServeFileFS(w, r, x.dir.FS(), name)
	}
}

// events tells a page when to reload.
func (x *pageServer) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	for {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		if flusher.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
		if _, err := w.Write([]byte("event: change\ndata:\n\n")); err != nil {
			return
		}
	}
}

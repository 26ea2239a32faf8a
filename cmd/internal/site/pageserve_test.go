package site

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServedSiteAnswersOnlyWhoKnowsTheSecret(t *testing.T) {
	path, one := t.TempDir(), "h/"+strings.Repeat("a", 64)+".html"
	for name, content := range map[string]string{"index.html": "<p>first", "style.css": "p{}", ".handoff-page": "", one: "<p>one"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(path, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	x := &pageServer{host: "127.0.0.1:4000", token: "SECRET", dir: dir, changed: make(chan struct{})}
	for _, test := range []struct {
		method, host, path string
		want               int
	}{
		{"GET", x.host, "/SECRET/", 200},
		{"GET", x.host, "/SECRET/style.css", 200},
		{"HEAD", x.host, "/SECRET/" + one, 200},
		{"GET", x.host, "/", 404},
		{"GET", x.host, "/SECRE/", 404},
		{"GET", x.host, "/SECRET/h/", 404},
		{"GET", x.host, "/SECRET/.handoff-page", 404},
		{"GET", x.host, "/SECRET/a\x00b", 404},
		{"GET", x.host, "/SECRET/h/\x00", 404},
		{"GET", x.host, "/SECRET/" + strings.Repeat("a", 5000), 404},
		{"GET", x.host, "/SECRET/style.css/a", 404},
		{"GET", x.host, "/SECRET/../../etc/passwd", 404},
		{"GET", x.host, "/SECRET/h/../../../etc/passwd", 404},
		{"GET", "attack.test", "/SECRET/", 404}, // a name that was made to lead here
		{"GET", "127.0.0.1:4001", "/SECRET/", 404},
		{"POST", x.host, "/SECRET/", 405},
		{"DELETE", x.host, "/SECRET/index.html", 405},
	} {
		r := httptest.NewRequest(test.method, "http://"+test.host+"/", nil)
		r.URL.Path = test.path
		w := httptest.NewRecorder()
		x.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s %s%s: %d, want %d", test.method, test.host, test.path, w.Code, test.want)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q", test.path, policy)
		}
		if w.Code == http.StatusOK && test.method == "GET" && w.Body.Len() == 0 {
			t.Errorf("%s has no content", test.path)
		}
	}
}

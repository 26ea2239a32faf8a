package main

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fake is an object store with the bucket b.
type fake struct {
	sync.Mutex
	*httptest.Server
	objects  map[string]string
	requests int
	page     int // objects of a list

	ignoresConditions bool
	loses             float64 // part of the answers to PUT that get lost after it was carried out
	conflicts         float64 // part of the conditional PUTs that are told to try again
	ahead             time.Duration
	isDisordered      bool
	before            func(w http.ResponseWriter, q *http.Request) (isAnswered bool)
}

func newFake(t *testing.T) *fake {
	f := &fake{objects: make(map[string]string), page: 1000}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>words of the store</Message></Error>", code)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	f.Lock()
	defer f.Unlock()
	f.requests++
	w.Header().Set("Date", time.Now().Add(f.ahead).UTC().Format(http.TimeFormat))
	bucket, key, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	text, isThere := f.objects[key]
	isConditional := q.Header.Get("If-None-Match") == "*" && !f.ignoresConditions
	switch {
	case err != nil || f.before != nil && f.before(w, q):
	case q.Header.Get("If-Match") != "" || !strings.HasPrefix(q.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		refuse(w, 400, "InvalidRequest")
	case bucket != "b":
		refuse(w, 404, "NoSuchBucket")
	case q.URL.Query().Get("list-type") == "2":
		f.list(w, q.URL.Query().Get("prefix"), q.URL.Query().Get("continuation-token"))
	case q.Method == "GET" && !isThere:
		refuse(w, 404, "NoSuchKey")
	case q.Method == "GET":
		_, _ = io.WriteString(w, text)
	case q.Method == "PUT" && isConditional && rand.Float64() < f.conflicts:
		refuse(w, 409, "ConditionalRequestConflict")
	case q.Method == "PUT" && isConditional && isThere:
		refuse(w, 412, "PreconditionFailed")
	case q.Method == "PUT":
		f.objects[key] = string(body)
		if rand.Float64() < f.loses {
			panic(http.ErrAbortHandler)
		}
	default:
		refuse(w, 405, "MethodNotAllowed")
	}
}

func (f *fake) list(w http.ResponseWriter, prefix, after string) {
	type object struct{ Key, ETag string }
	var answer struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		Contents    []object
		IsTruncated bool
		Next        string `xml:"NextContinuationToken,omitempty"`
	}
	keys := slices.Sorted(maps.Keys(f.objects))
	if f.isDisordered {
		slices.Reverse(keys)
	}
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) && (key > after || f.isDisordered) {
			if len(answer.Contents) == f.page {
				answer.IsTruncated, answer.Next = true, answer.Contents[f.page-1].Key
				break
			}
			answer.Contents = append(answer.Contents, object{key, fmt.Sprintf(`"%x"`, md5.Sum([]byte(f.objects[key])))})
		}
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

package remotetest

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

// A Bucket is an object store with the bucket b.
type Bucket struct {
	sync.Mutex
	*httptest.Server
	Objects  map[string]string
	Requests int
	Page     int // objects of a list

	IgnoresConditions bool
	Loses             float64 // part of the answers to PUT that get lost after it was carried out
	Conflicts         float64 // part of the conditional PUTs that are told to try again
	Ahead             time.Duration
	IsDisordered      bool
	Before            func(w http.ResponseWriter, q *http.Request) (isAnswered bool)
}

// NewBucket starts an object store with an empty bucket.
func NewBucket(t testing.TB) *Bucket {
	f := &Bucket{Objects: make(map[string]string), Page: 1000}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// Refuse answers with an error of the store.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>words of the store</Message></Error>", code)
}

// ServeHTTP answers as S3 does.
func (f *Bucket) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	f.Lock()
	defer f.Unlock()
	f.Requests++
	w.Header().Set("Date", time.Now().Add(f.Ahead).UTC().Format(http.TimeFormat))
	bucket, key, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	text, isThere := f.Objects[key]
	isConditional := q.Header.Get("If-None-Match") == "*" && !f.IgnoresConditions
	switch {
	case err != nil || f.Before != nil && f.Before(w, q):
	case q.Header.Get("If-Match") != "" || !strings.HasPrefix(q.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		Refuse(w, 400, "InvalidRequest")
	case bucket != "b":
		Refuse(w, 404, "NoSuchBucket")
	case q.URL.Query().Get("list-type") == "2":
		f.list(w, q.URL.Query().Get("prefix"), q.URL.Query().Get("continuation-token"))
	case q.Method == "GET" && !isThere:
		Refuse(w, 404, "NoSuchKey")
	case q.Method == "GET":
		_, _ = io.WriteString(w, text)
	case q.Method == "PUT" && isConditional && rand.Float64() < f.Conflicts:
		Refuse(w, 409, "ConditionalRequestConflict")
	case q.Method == "PUT" && isConditional && isThere:
		Refuse(w, 412, "PreconditionFailed")
	case q.Method == "PUT":
		f.Objects[key] = string(body)
		if rand.Float64() < f.Loses {
			panic(http.ErrAbortHandler)
		}
	default:
		Refuse(w, 405, "MethodNotAllowed")
	}
}

func (f *Bucket) list(w http.ResponseWriter, prefix, after string) {
	type object struct{ Key, ETag string }
	var answer struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		Contents    []object
		IsTruncated bool
		Next        string `xml:"NextContinuationToken,omitempty"`
	}
	keys := slices.Sorted(maps.Keys(f.Objects))
	if f.IsDisordered {
		slices.Reverse(keys)
	}
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) && (key > after || f.IsDisordered) {
			if len(answer.Contents) == f.Page {
				answer.IsTruncated, answer.Next = true, answer.Contents[f.Page-1].Key
				break
			}
			answer.Contents = append(answer.Contents, object{key, fmt.Sprintf(`"%x"`, md5.Sum([]byte(f.Objects[key])))})
		}
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

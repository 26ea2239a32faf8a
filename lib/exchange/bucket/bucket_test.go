package bucket_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/exchange/bucket"
	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/testdata/objectstore"
)

var _ objects.Store = (*bucket.Bucket)(nil)

func open(t testing.TB, s *objectstore.Server, change func(*bucket.Config)) *bucket.Bucket {
	t.Helper()
	c := bucket.Config{URL: "s3://" + objectstore.Bucket + "/team", Endpoint: s.URL, Getenv: objectstore.Getenv,
		Patience: 20 * time.Second}
	if change != nil {
		change(&c)
	}
	b, err := bucket.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func TestOneWriterCreates(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	const claims, writers = 20, 16
	created := make([][]int, claims)
	var mu sync.Mutex
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			b := open(t, s, nil)
			for c := range claims {
				ok, err := b.Create(t.Context(), fmt.Sprintf("claims/%d", c), fmt.Appendf(nil, "writer %d", w))
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					created[c] = append(created[c], w)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	b := open(t, s, nil)
	for c, winners := range created {
		body, err := b.Get(t.Context(), fmt.Sprintf("claims/%d", c), 100)
		if err != nil || len(winners) != 1 || string(body) != fmt.Sprintf("writer %d", winners[0]) {
			t.Errorf("claim %d was created by %v, and is %q: %v", c, winners, body, err)
		}
	}
}

func TestSameBodyIsCreatedAgain(t *testing.T) {
	t.Parallel()
	b := open(t, objectstore.Start(t, 1), nil)
	for i, body := range []string{"one", "one", "two", "one, and more", ""} {
		if created, err := b.Create(t.Context(), "claim", []byte(body)); err != nil || created != (i < 2) {
			t.Errorf("%q: created %v, %v", body, created, err)
		}
	}
	if body, err := b.Get(t.Context(), "claim", 3); err != nil || string(body) != "one" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	b := open(t, objectstore.Start(t, 1), nil)
	if _, err := b.Get(t.Context(), "nothing", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, body := range [][]byte{{}, []byte("short"), bytes.Repeat([]byte("long"), 300_000)} {
		if err := b.Replace(t.Context(), "head", body); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Get(t.Context(), "head", int64(len(body))); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes of %d, %v", len(got), len(body), err)
		}
	}
	if _, err := b.Get(t.Context(), "head", 1000); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t, 1)
	b := open(t, s, nil)
	want := []string{}
	for i := range 25 {
		name := fmt.Sprintf("log/%04d", i)
		want = append(want, name)
		for _, name := range []string{name, "other/x", "log2/x"} {
			if err := b.Replace(t.Context(), name, []byte(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := open(t, s, func(c *bucket.Config) { c.URL += "2" }).Replace(t.Context(), "log/0100", nil); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 7, 24, 25, 26, 1000} {
		var got []string
		after, more := "", true
		for more {
			var page []objects.Object
			var err error
			before := b.Requests()
			page, more, err = b.List(t.Context(), "log/", after, limit)
			if err != nil || len(page) > limit || b.Requests() != before+1 {
				t.Fatalf("%d objects with %d requests: %v", len(page), b.Requests()-before, err)
			}
			for _, o := range page {
				if got = append(got, o.Name); o.ETag == "" {
					t.Errorf("%+v", o)
				}
				after = o.Name
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("with a limit of %d: %v", limit, got)
		}
	}
	page, more, err := b.List(t.Context(), "log/", "log/0007a", 3)
	if err != nil || !more || page[0].Name != "log/0008" {
		t.Errorf("%v, %v, %v", page, more, err)
	}
}

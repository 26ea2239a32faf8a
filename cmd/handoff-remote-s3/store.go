package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithy "github.com/aws/smithy-go/middleware"
	"golang.org/x/sync/errgroup"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
)

// A store is a place in an object store.
type store struct {
	remote.Place
	send   func(remote.Item) error // answers a request; not to be called at the same time
	api    *s3.Client              // nil until it is open
	login  string                  // the command that gets credentials
	bucket string
	prefix string // of all keys
	proof  func() error
}

var ctx = context.Background() // a request is carried out to its end

func objectOf(log string, n int) string { return fmt.Sprintf("log/%s/%010d", log, n) }

func positionOf(n int, content []byte) remote.Position {
	return remote.Position(fmt.Sprintf("%d:%x", n, sha256.Sum256(content)))
}

// parse returns the number and the SHA-256 of the object that a position names, 0 and "" for the beginning.
func parse(at remote.Position) (n int, sum string) {
	_, _ = fmt.Sscanf(string(at), "%d:%s", &n, &sum)
	return n, sum
}

// put writes an object. The condition * creates it.
func (s *store) put(name string, content []byte, condition *string) error {
	_, err := s.api.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket,
		Key: aws.String(s.prefix + name), Body: bytes.NewReader(content), IfNoneMatch: condition})
	return s.explain(err)
}

// create creates an object. It reports whether the object has this content now: an earlier answer may have been lost.
func (s *store) create(name string, content []byte) (bool, error) {
	err := s.put(name, content, aws.String("*"))
	if status, _ := answerOf(err); status != 412 {
		return err == nil, err
	}
	there, err := s.get(name)
	return bytes.Equal(there, content), err
}

// get returns the part of an object that counts, nil if there is no such object.
func (s *store) get(name string) ([]byte, error) {
	object, err := s.api.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket,
		Key: aws.String(s.prefix + name)})
	if _, code := answerOf(err); code == "NoSuchKey" {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain(err)
	}
	defer object.Body.Close()
	content, err := io.ReadAll(io.LimitReader(object.Body, remote.MaxBatch+100))
	return content, cmp.Or(s.explain(err), checkClock(object.ResultMetadata))
}

// checkClock returns an error if the clock of the store is another one.
func checkClock(answer smithy.Metadata) error {
	at, ok := middleware.GetServerTime(answer)
	if off := time.Since(at).Round(time.Second).Abs(); ok && off > 5*time.Minute {
		return fault.Config("set the clock", "the clock of this machine and that of the object store differ by %s", off)
	}
	return nil
}

// has reports whether a log has a position.
func (s *store) has(log string, at remote.Position) (bool, error) {
	if at == "" {
		return true, nil
	}
	n, _ := parse(at)
	content, err := s.get(objectOf(log, n))
	return content != nil && positionOf(n, content) == at, err
}

// prove returns an error if the store creates an object twice.
func (s *store) prove() error {
	for range 2 {
		isNew, err := s.create("test", []byte(rand.Text()))
		if err != nil || !isNew {
			return err
		}
	}
	return fault.Config("use an object store with conditional writes, or a git remote",
		"%s ignores If-None-Match: two clones could take the same handoff", s.URL)
}

// versions lists the heads.
func (s *store) versions() error {
	prefix, last, n := s.prefix+"heads/", "", 0
	pages := s3.NewListObjectsV2Paginator(s.api, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s.explain(err)
		}
		for _, o := range page.Contents {
			key := aws.ToString(o.Key)
			if n++; key <= last || n > remote.MaxLogs {
				return fmt.Errorf("%s lists its objects out of order, or more than %d logs", s.URL, remote.MaxLogs)
			}
			_ = s.send(remote.Item{Log: strings.TrimPrefix(key, prefix), Version: aws.ToString(o.ETag)})
			last = key
		}
		if err := checkClock(page.ResultMetadata); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for the items, 8 at the same time, until one fails. wait waits until the items before are done.
func each(items []remote.Item, do func(i remote.Item, wait func()) error) error {
	group, life := errgroup.WithContext(ctx)
	group.SetLimit(8)
	last := make(chan struct{})
	close(last)
	for _, i := range items {
		before, done := last, make(chan struct{})
		last = done
		group.Go(func() error {
			wait := func() { <-before }
			defer close(done)
			defer wait()
			if life.Err() != nil {
				return nil
			}
			return do(i, wait)
		})
	}
	return group.Wait()
}

// readLog sends what a log has behind a position. It reads an object before it sends the one before, so that several
// logs are read while one is sent.
func (s *store) readLog(log remote.Item, wait func()) error {
	has, err := s.has(log.Log, log.At)
	if err != nil {
		return err
	}
	if !has {
		wait()
		return s.send(remote.Item{Log: log.Log, Class: "rewritten", Problem: "rewritten"})
	}
	var last *remote.Item
	for n, before := parse(log.At); ; n++ {
		content, err := s.get(objectOf(log.Log, n+1))
		if last != nil {
			wait()
			err = cmp.Or(s.send(*last), err)
		}
		if err != nil || content == nil {
			return err
		}
		named, batch, _ := bytes.Cut(content, []byte("\n"))
		if string(named) != before || len(batch) > remote.MaxBatch {
			batch = nil
		}
		last = &remote.Item{Log: log.Log, Text: batch, At: positionOf(n+1, content)}
		_, before = parse(last.At)
	}
}

// append appends a batch. No log begins before the store is proven.
func (s *store) append(b remote.Item, wait func()) error {
	isNext, err := s.has(b.Log, b.At)
	if err == nil && b.At == "" {
		err = s.proof()
	}
	n, before := parse(b.At)
	content := append([]byte(before+"\n"), b.Text...)
	if err == nil && isNext {
		isNext, err = s.create(objectOf(b.Log, n+1), content)
	}
	if err == nil && !isNext {
		err = remote.ErrMoved
	}
	if err == nil {
		err = s.announce(b, nil)
	}
	if err != nil {
		return err
	}
	wait()
	return s.send(remote.Item{Log: b.Log, At: positionOf(n+1, content)})
}

// announce replaces the head of a log. Text that it had before could hide what came in between.
func (s *store) announce(log remote.Item, _ func()) error {
	return s.put("heads/"+log.Log, []byte(rand.Text()), nil)
}

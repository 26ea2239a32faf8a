// Package bucket keeps small objects in a bucket of an object store that speaks S3.
//
// An object is created once and never changes, except an object that has one writer, which [Bucket.Replace] replaces.
// [Bucket.Create] lets exactly one of many writers create an object: it sends If-None-Match: *, and the server refuses
// all but the first. A server that ignores this header would let two writers win; [Bucket.Prove] finds out, with an
// object named probe.
//
// Any request may be repeated: after a refusal that passes (409, 429, 5xx), and after an answer that never came. The
// object may have been stored by then. Therefore an object with the same body counts as created, and the bodies of
// different writers must differ. A request that was given up may still be carried out later.
//
// The time limit of an operation is Patience of its [Config]. No time of the server is used. Bodies and listings are
// limited. An error is a sentence for the user. It is fault.ErrConfig if the user must change something,
// fault.ErrIntegrity if an object is too large, and [ErrUnreachable] if the same may work later. No error contains text
// of the server, except codes of one word, because such texts repeat credentials.
package bucket

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/seed-78daf238/handoff/lib/exchange/objects"
	"github.com/seed-78daf238/handoff/lib/fault"
)

const (
	// MaxBody is the maximum size of an object.
	MaxBody = 64 << 20

	// MaxList is the maximum number of objects in one listing.
	MaxList = 1000

	probeName = "probe"
)

// A Bucket is a prefix in a bucket, and an [objects.Store]. It is safe for concurrent use.
type Bucket struct {
	client    *minio.Core
	transport *transport
	name      string // of the bucket
	prefix    string // "" or ends in /
	host      string // of the endpoint, for errors
	region    string
	patience  time.Duration
}

// Requests returns the number of requests that were sent.
func (b *Bucket) Requests() int64 { return b.transport.requests.Load() }

// Close closes idle connections.
func (b *Bucket) Close() { b.transport.base.CloseIdleConnections() }

// Prove returns nil if the server refuses to create an object twice. Call it before the first Create in a bucket: with
// a server that does not refuse, two writers create the same object. It is one request, and the first time in a bucket
// it is two.
func (b *Bucket) Prove(ctx context.Context) error {
	// Each body is a new one: a server that accepts two of them ignores the header. If the first is refused already,
	// the object is there from an earlier proof.
	for range 2 {
		isRefused := false
		err := b.repeat(ctx, request{"write", probeName}, func(ctx context.Context) error {
			err := b.put(ctx, probeName, []byte(rand.Text()+"\n"), true)
			if isRefused = codeOf(err) == minio.PreconditionFailed; isRefused {
				return nil
			}
			return err
		})
		if err != nil || isRefused {
			return err
		}
	}
	return fault.Config("use an object store with conditional writes; see `handoff help remotes`",
		"%s ignores If-None-Match, so that two operators could take the same handoff", b.host)
}

// Create creates an object, and reports whether its body is the given one. If created is false, another writer was
// first; that costs a second request.
func (b *Bucket) Create(ctx context.Context, name string, body []byte) (created bool, err error) {
	if err := checkObject(name, body); err != nil {
		return false, err
	}
	err = b.repeat(ctx, request{"write", name}, func(ctx context.Context) error {
		err := b.put(ctx, name, body, true)
		if codeOf(err) != minio.PreconditionFailed {
			created = err == nil
			return err
		}
		there, err := b.get(ctx, name, int64(len(body)))
		switch {
		case isMissing(err): // it was removed between the two requests
			return errAgain
		case err == errTooLarge:
			return nil
		}
		created = err == nil && bytes.Equal(there, body)
		return err
	})
	return created, err
}

// Replace creates or replaces an object. Only its one writer may do so. A Replace that failed may still be carried out
// after a later one.
func (b *Bucket) Replace(ctx context.Context, name string, body []byte) error {
	if err := checkObject(name, body); err != nil {
		return err
	}
	return b.repeat(ctx, request{"write", name}, func(ctx context.Context) error {
		return b.put(ctx, name, body, false)
	})
}

// Get returns the body of an object. The error wraps fs.ErrNotExist if the object does not exist, and
// fault.ErrIntegrity if it has more bytes than the limit.
func (b *Bucket) Get(ctx context.Context, name string, limit int64) (body []byte, err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	err = b.repeat(ctx, request{"read", name}, func(ctx context.Context) (err error) {
		body, err = b.get(ctx, name, limit)
		return err
	})
	switch {
	case err == errTooLarge:
		err = fault.Integrity("it is not what handoff stores there; remove it from the bucket",
			"%s has more than %d bytes", b.location(name), limit)
	case isMissing(err):
		err = &fs.PathError{Op: "get", Path: b.location(name), Err: fs.ErrNotExist}
	}
	return body, err
}

// List returns the objects whose names begin with dir and come after a name, in the order of their bytes. It is one
// request for at most limit objects, and at most [MaxList]. If more is true, List the rest after the last name. The
// names of foreign objects need not be valid.
func (b *Bucket) List(ctx context.Context, dir, after string, limit int) (all []objects.Object, more bool, err error) {
	limit = max(1, min(limit, MaxList))
	err = b.repeat(ctx, request{"list", dir}, func(ctx context.Context) error {
		all, more = nil, false
		ctx = context.WithValue(ctx, pagesKey{}, new(atomic.Int32))
		withOwner := false
		options := minio.ListObjectsOptions{Prefix: b.prefix + dir, Recursive: true, MaxKeys: limit,
			FetchOwner: &withOwner}
		last := b.prefix + dir
		if after != "" {
			last = b.prefix + after
			options.StartAfter = last
		}
		for o := range b.client.ListObjectsIter(ctx, b.name, options) {
			switch {
			case o.Err != nil:
				return o.Err
			case !strings.HasPrefix(o.Key, options.Prefix), o.Key < last, o.Key == options.StartAfter:
				return errDisorder
			}
			last = o.Key
			all = append(all, objects.Object{Name: strings.TrimPrefix(o.Key, b.prefix), ETag: o.ETag})
			if more = len(all) == limit; more {
				return nil
			}
		}
		return ctx.Err() // the library ends a listing that was canceled like a complete one
	})
	return all, more, err
}

// put sends one request.
func (b *Bucket) put(ctx context.Context, name string, body []byte, ifAbsent bool) error {
	options := minio.PutObjectOptions{DisableContentSha256: true} // no chunks: the whole body is signed
	if ifAbsent {
		options.SetMatchETagExcept("*")
	}
	hash, sum := md5.Sum(body), sha256.Sum256(body)
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(body), int64(len(body)),
		base64.StdEncoding.EncodeToString(hash[:]), hex.EncodeToString(sum[:]), options)
	return err
}

// get sends one request.
func (b *Bucket) get(ctx context.Context, name string, limit int64) ([]byte, error) {
	r, _, _, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, min(limit, MaxBody)+1))
	if err == nil && int64(len(body)) > limit {
		err = errTooLarge
	}
	return body, err
}

// URL returns the URL of the bucket, and the host of its endpoint.
func (b *Bucket) URL() string {
	return strings.TrimSuffix(b.location(""), "/") + " at " + b.host
}

func (b *Bucket) location(name string) string { return "s3://" + b.name + "/" + b.prefix + name }

func checkObject(name string, body []byte) error {
	if len(body) > MaxBody {
		return fault.Invalid("", "%s has %d bytes, and an object at most %d", name, len(body), MaxBody)
	}
	return checkName(name)
}

// nameBytes are the characters of names that all servers and proxies leave alone.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// checkName returns an error unless a name has 1 to 500 bytes, and parts of nameBytes that are not . or .. between
// slashes.
func checkName(name string) error {
	ok := len(name) <= 500
	for part := range strings.SplitSeq(name, "/") {
		ok = ok && strings.Trim(part, nameBytes) == "" && part != "" && part != "." && part != ".."
	}
	if !ok {
		return fault.Invalid("", "%q cannot be the name of an object", name)
	}
	return nil
}

package git

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
)

const mostCompared = 64 << 20 // the maximum bytes of files for one comparison

// isObject reports whether a regular file has the content of a blob, with its own line ends or those that git stores.
// It also returns the bytes read. The name of a blob is the hash of its length and content (git-hash-object(1)).
func isObject(root *os.Root, name, object string) (same bool, size int64) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostCompared {
		return false, 0
	}
	f, err := root.Open(name)
	if err != nil {
		return false, 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostCompared))
	if err != nil {
		return false, int64(len(text))
	}
	return blobName(text, object) == object || blobName(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")),
		object) == object, int64(len(text))
}

// blobName returns the name of a blob, with the hash function of the name like.
func blobName(text []byte, like string) string {
	var h hash.Hash = sha1.New()
	if len(like) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

package document

import (
	"bufio"
	"bytes"
	"sync"

	"github.com/adrg/frontmatter"

	"github.com/seed-78daf238/handoff/lib/internal/yamlnode"
)

// closer is the delimiter that frontmatter looks for. It trims lines before comparing, so an indented
// --- inside a block scalar would end the head; Split has found the true end, and no head holds NUL.
const closer = "\x00"

// A head is what a head says, and what is wrong with it as YAML.
type head struct {
	root   *yamlnode.Node
	faults []Fault
}

// strict is the one format we read. Those of the library take TOML and JSON too, and keep the last of
// two equal keys.
var strict = frontmatter.NewFormat("---", closer, func(text []byte, into any) error {
	h := into.(*head)
	h.root, h.faults = yamlnode.Read(text, yamlnode.Options{Name: "the head", Line: 2, MaxBytes: MaxStored, MaxNodes: maxNodes})
	return nil
})

// buffers are used again: frontmatter would make one for each document of a batch.
var buffers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// decode parses the lines between the delimiters.
func decode(text []byte) (h head) {
	framed := make([]byte, 0, len(text)+8)
	framed = append(framed, "---\n"...)
	framed = append(framed, text...)
	framed = append(framed, closer+"\n"...)
	buffered := buffers.Get().(*bufio.Reader)
	defer buffers.Put(buffered)
	buffered.Reset(bytes.NewReader(framed))
	if _, err := frontmatter.MustParse(buffered, &h, strict); err != nil {
		h.faults = append(h.faults, Fault{Line: 1, Column: 1, Problem: "the head cannot be read: " + err.Error()})
	}
	return h
}

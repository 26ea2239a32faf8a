package journal

import "slices"

// Exports for the tests.
const (
	HeadSize = headSize
	MaxFile  = maxFile
)

// Payload returns the encoded form of a record.
func (r *Record) Payload() []byte { return slices.Concat(encode(r)...) }

// ReadPayload is the inverse of Payload.
func (r *Record) ReadPayload(b []byte) error { return decode(b, r) }

// Payload returns the encoded form of a checkpoint.
func (c *Checkpoint) Payload() []byte { return slices.Concat(encode(c)...) }

// ReadPayload is the inverse of Payload.
func (c *Checkpoint) ReadPayload(b []byte) error { return decode(b, c) }

// Place returns the offsets of a head and its payload.
func (h *Head) Place() (start, end int64) { return h.offset, h.offset + headSize + h.size }

// Descriptor returns the descriptor of the file, for tests that break it.
func (j *Journal) Descriptor() uintptr { return j.file.Fd() }

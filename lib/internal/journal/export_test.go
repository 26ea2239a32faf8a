package journal

// What the tests look at from inside.
const (
	HeadSize = headSize
	MaxFile  = maxFile
)

// Payload returns what a record is written as.
func (r *Record) Payload() []byte { return r.encode() }

// ReadPayload is the inverse of Payload.
func (r *Record) ReadPayload(b []byte) error { return r.decode(b) }

// Payload returns what a checkpoint is written as.
func (c *Checkpoint) Payload() []byte { return c.encode() }

// ReadPayload is the inverse of Payload.
func (c *Checkpoint) ReadPayload(b []byte) error { return c.decode(b) }

// Place returns where a head and its payload begin, and where they end.
func (h *Head) Place() (start, end int64) { return h.offset, h.offset + headSize + h.size }

// Descriptor is that of the file, for tests that break it.
func (j *Journal) Descriptor() uintptr { return j.file.Fd() }

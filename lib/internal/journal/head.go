package journal

import (
	"crypto/hmac"
	"encoding/binary"
)

const (
	checkpointMagic = "handoffC"
	recordMagic     = "handoffR"
)

// A Boot is the id of a start of the system. Unsynced writes of an earlier start may be lost.
type Boot [16]byte

// A Span is the position of text in a file.
type Span struct{ Offset, Length int64 }

// End returns the offset after the text.
func (s Span) End() int64 { return s.Offset + s.Length }

// A Head is a record without its payload.
type Head struct {
	Number        uint64
	Boot          Boot
	Log, Ledger   Span   // the appended text; in a checkpoint the sizes
	LogSum        uint32 // of all appended text since the checkpoint
	LedgerSum     uint32
	Index         Hash // of INDEX.md after the change
	LogHead       Hash // the hash of the last event after the change, zeros for none
	LedgerHead    Hash
	Commit        Hash // of the checked-out commit, in a store that is committed with the code, otherwise zeros
	State         Hash // of the files of the state that are replaced as a whole: see [SumState]
	payload, prev Hash
	mac           Hash
	offset, size  int64 // offset is in the journal, size is that of the payload
	isCheckpoint  bool
	keyID         [8]byte
}

func (h *Head) encode(key Key) []byte {
	b := make([]byte, 0, headSize)
	magic := recordMagic
	if h.isCheckpoint {
		magic = checkpointMagic
	}
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint64(b, h.Number)
	b = binary.BigEndian.AppendUint64(b, uint64(h.size))
	b = append(b, key.id[:]...)
	b = append(b, h.Boot[:]...)
	for _, n := range []int64{h.Log.Offset, h.Log.Length, h.Ledger.Offset, h.Ledger.Length} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = binary.BigEndian.AppendUint32(b, h.LogSum)
	b = binary.BigEndian.AppendUint32(b, h.LedgerSum)
	for _, hash := range []Hash{h.Index, h.LogHead, h.LedgerHead, h.Commit, h.State, h.payload, h.prev} {
		b = append(b, hash[:]...)
	}
	h.mac = key.mac(b)
	return append(b, h.mac[:]...)
}

// decodeHead decodes a head. ok is false if the magic or a number is invalid.
func decodeHead(b []byte) (h Head, ok bool) {
	if len(b) < headSize {
		return h, false
	}
	switch string(b[:8]) {
	case checkpointMagic:
		h.isCheckpoint = true
	case recordMagic:
	default:
		return h, false
	}
	h.Number = binary.BigEndian.Uint64(b[8:])
	h.size = int64(binary.BigEndian.Uint64(b[16:]))
	copy(h.keyID[:], b[24:])
	copy(h.Boot[:], b[32:])
	for i, n := range []*int64{&h.Log.Offset, &h.Log.Length, &h.Ledger.Offset, &h.Ledger.Length} {
		if *n = int64(binary.BigEndian.Uint64(b[48+8*i:])); *n < 0 || *n > maxFile {
			return h, false
		}
	}
	h.LogSum, h.LedgerSum = binary.BigEndian.Uint32(b[80:]), binary.BigEndian.Uint32(b[84:])
	for i, hash := range []*Hash{&h.Index, &h.LogHead, &h.LedgerHead, &h.Commit, &h.State, &h.payload, &h.prev,
		&h.mac} {
		copy(hash[:], b[88+len(hash)*i:])
	}
	return h, h.size >= 0 && h.size <= maxFile
}

// maxFile is more than any offset or length in a store.
const maxFile = 1 << 40

// verifies reports whether the head was written with the key.
func (h *Head) verifies(key Key) bool {
	want := *h
	want.encode(key)
	return !key.IsZero() && h.keyID == key.id && hmac.Equal(want.mac[:], h.mac[:])
}

// next returns the offset of the next head.
func (h *Head) next() int64 { return align(h.offset + headSize + h.size) }

func align(n int64) int64 { return (n + Page - 1) / Page * Page }

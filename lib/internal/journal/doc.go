// Package journal keeps the newest changes of a store, each whole and authenticated, in one file that is
// synced once for each of them.
//
// A change is a [Record]: a list of effects on the files of the store. Once it stands in the journal and
// is synced the change is made, whatever becomes of the process; the files that people look at follow, and
// whoever finds that they have not followed makes them follow. [Carry] and [Merge] say what INDEX.md shall
// be; the package itself touches no file but the journal and its spools.
//
// # The file
//
// The journal begins with a checkpoint, which has INDEX.md as a whole and says how far the audit log and
// the ledger of tokens had come. Records follow, and then zeros: the file is filled with zeros when it is
// made, so that a record changes nothing about it but its bytes. Each begins on a multiple of [Page], so
// that no page which has an acknowledged record is ever written again. The first that does not verify
// ends the journal.
//
// A checkpoint or record is a head of [headSize] bytes and a payload. Integers are big-endian:
//
//	 0  8  "handoffC" of a checkpoint, "handoffR" of a record
//	 8  8  number, one more than that of what is before
//	16  8  length of the payload
//	24  8  id of the key
//	32 16  boot id of the system that wrote it
//	48 16  audit log: offset and length of what the record appends; of a checkpoint the size, and 0
//	64 16  ledger: the same
//	80  4  CRC-32 (IEEE) of all that records since the checkpoint append to the audit log
//	84  4  the same for the ledger
//	88 32  SHA-256 of INDEX.md after the change
//	120 32 hash of the last event of the audit log after the change, zeros for none
//	152 32 head of the ledger after the change: h(n) = SHA-256(h(n-1) line), h(0) is zeros
//	184 32 SHA-256 of what is checked out, in a store that is committed with the code; else zeros
//	216 32 SHA-256 of the names and hashes of the files of the state that are replaced as a whole
//	248 32 SHA-256 of the payload
//	280 32 MAC of what is before, zeros in a checkpoint
//	312 32 MAC: HMAC-SHA-256 of the head up to here with the key
//
// The key is made from the secret of the user, which lies outside every project, and from the id of the
// store, which follows from its place. So a journal that was brought along, planted or copied does not
// verify; one that has the id of another key is said to be of another place or user.
//
// A payload is a list of fields: a letter, the length as an unsigned varint, and so many bytes. See
// [Record.encode] and [Checkpoint.encode]. What is too large for the journal lies in a spool, a file
// journal-<random> that is synced before the record refers to it by name, offset, length and SHA-256.
package journal

import "hash/crc32"

const (
	// Page is the unit of the file that is written as a whole: 4 KiB, as file systems and devices have.
	Page = 4 << 10

	// Room is how much the journal has beyond its checkpoint, in bytes.
	Room = 1 << 20

	// MaxRecords is how many records follow a checkpoint.
	MaxRecords = 256

	// MaxInline is the size of a payload from which on it goes to a spool.
	MaxInline = 64 << 10

	headSize = 344
)

// The names in the state directory.
const (
	FileName    = "journal"
	NewFileName = "journal.new" // while a checkpoint is made
	SpoolPrefix = "journal-"    // and random digits
)

// Sum adds text to a CRC-32. The other polynomials of the library cost a command more to prepare than to use.
func Sum(sum uint32, text []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, text) }

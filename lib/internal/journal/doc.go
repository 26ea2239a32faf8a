// Package journal keeps the newest changes of a store in one file. Each change is complete and authenticated,
// and the file is synced once for each.
//
// A change is a [Record]: a list of effects on the files of the store. Once the record is in the journal and
// synced, the change is made, even if the process is killed. The files are updated afterwards. A process that
// finds old files updates them from the journal. [Record.Carry] and [Story.Merge] compute the text of
// INDEX.md. Package journal itself writes only the journal and its spools.
//
// # The file
//
// The journal begins with a checkpoint, which has the whole of INDEX.md and the lengths of the audit log and
// the ledger. Records follow, and then zeros. The file gets its zeros when it is made, so that a record
// changes only its own bytes. Each record begins on a multiple of [Page], so that no page with an
// acknowledged record is ever written again. The first record that does not verify ends the journal.
//
// A checkpoint or record is a head of [headSize] bytes and a payload. Integers are big-endian:
//
//	  0  8  "handoffC" of a checkpoint, "handoffR" of a record
//	  8  8  number, one more than the number before
//	 16  8  length of the payload
//	 24  8  id of the key
//	 32 16  boot id of the system that wrote it
//	 48 16  audit log: offset and length of the appended text; in a checkpoint the size, and 0
//	 64 16  ledger: the same
//	 80  4  CRC-32 (IEEE) of all text that records since the checkpoint append to the audit log
//	 84  4  the same for the ledger
//	 88 32  SHA-256 of INDEX.md after the change
//	120 32  hash of the last event of the audit log after the change, zeros for none
//	152 32  head of the ledger after the change: h(n) = SHA-256(h(n-1) line), h(0) is zeros
//	184 32  SHA-256 of the checked-out commit, in a store that is committed with the code, otherwise zeros
//	216 32  SHA-256 of the names and hashes of the files of the state that are replaced as a whole
//	248 32  SHA-256 of the payload
//	280 32  MAC of the head before, zeros in a checkpoint
//	312 32  MAC: HMAC-SHA-256 of the head up to here with the key
//
// The key is derived from the secret of the user and the id of the store. The secret is outside of every
// project, and the id follows from the directory. So a journal that was copied or planted does not verify. If
// the journal has the id of another key, the error names the cause: another directory or user.
//
// A payload is a line of JSON, with the fields of a [Record] or a [Checkpoint] and the lengths of texts, and then these
// texts. Text that is too large for the journal goes to a spool, a file journal-<random>. The spool is synced before a
// record refers to it by name, offset, length and SHA-256.
package journal

import "hash/crc32"

const (
	// Page is the unit in which the file is written: 4 KiB, as in file systems and devices.
	Page = 4 << 10

	// Room is the space for records after the checkpoint, in bytes.
	Room = 1 << 20

	// MaxRecords is the most records that follow a checkpoint.
	MaxRecords = 256

	// MaxInline is the largest payload in the journal itself. A larger one goes to a spool.
	MaxInline = 64 << 10

	headSize = 344
)

// The names in the state directory.
const (
	FileName    = "journal"
	NewFileName = "journal.new" // a checkpoint in progress
	SpoolPrefix = "journal-"    // followed by random digits
)

// NewSum returns the CRC-32 of the journal. The tables of other polynomials cost a command more than they save.
var NewSum = crc32.NewIEEE

// plus returns a sum with more text.
func plus(sum uint32, text []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, text) }

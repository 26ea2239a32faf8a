// Package handoff stores the documents with which people and coding agents hand work over. A handoff
// that was written is never lost, never half there, never silently changed, and never takes command of
// whoever reads it.
//
// # Documents
//
// A [Document] is UTF-8 Markdown with a closed YAML frontmatter. Its id is the SHA-256 of its RFC 8785
// form ([ID]); the stored file has the same id, always. [Parse] reads a document strictly and reports
// every fault at once.
//
// # Stores
//
// A [Store] is a handoffs directory with a state directory. The first holds one file a handoff and
// INDEX.md, the table of all of them with who has read what; the second the hash-chained audit log,
// which machine the store belongs to, and the ledger of consumed resume tokens. [Open] takes [Options]
// and creates nothing; [LoadProject] finds them as the programs do.
//
//   - [Store.Write] returns without error when body, row and event are on disk. An error means that the document is not
//     known to be published; writing it again is safe and ends as one file, one row, one event.
//   - Each change has one commit, under a lock. It is there or not after a crash, a full disk or a power cut, at every
//     moment; the next change completes or takes back what was interrupted.
//   - Readers take no lock and never see a row without its body. [Store.Read], [Store.Search] and [Store.Surface] prove
//     that what they return is what was written.
//   - [Store.Verify] derives everything again, [Maintenance.Repair] mends and throws nothing away.
//   - Only the machine that the store belongs to may change it, until [Store.Regenerate] says otherwise.
//
// # Errors
//
// An error that a caller can act on wraps exactly one of [ErrInvalid], [ErrDenied], [ErrBusy],
// [ErrIntegrity] and [ErrConfig], which are the exit codes 2, 3, 4, 6 and 7 of the programs;
// everything else is outside the contract. Match with errors.Is and errors.As. An error with a method
// Hint() string says what to do next.
//
// # Untrusted text
//
// Bodies, and all else that somebody wrote, are stored as they are and never interpreted. Show them
// through [Escape], [EscapeLine], [JSON] or, to agents, [Framed]: framing is a mitigation, no security
// claim.
//
// Package record makes handoffs of structured records, and reads them back.
package handoff

// Package life derives the state of a handoff. States are never stored. They follow from the row, which has
// the read marks, from the references of documents, and from events of the audit log. [Facts] collects what
// documents and events say; [Facts.State] combines it with a row.
//
// An event that changes a state is a line of the ledger: an action or a resume. It carries token, handoff_id,
// operator_id and ts_utc, and optionally session_id and until.
//
// # Subjects
//
// [ReadSubjects] caches one property of the documents of a store, such as the resume token of a packet. So
// not every document is read each time.
//
// A document never changes, so a cached property is never wrong, and the cache is at most incomplete. It has
// one line for each handoff: 32 digits of the id, and 16 digits of the hash of the property, or as many
// dashes for none.
package life

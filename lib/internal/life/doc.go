// Package life derives how far a handoff has come. No state is stored: it follows from
// the row, which has the marks of who has read it, from the references of documents, and from events
// of the audit log. [Facts] gathers what documents and events say, [Facts.State] joins that with a
// row.
//
// An event that changes the state of a handoff has a payload with handoff_id, operator_id and ts_utc,
// and perhaps session_id and token, and a line in the table changes, which says what it does. That is
// all there is to a new one here.
//
// # Subjects
//
// [ReadSubjects] remembers what the documents of a store say of one thing, such as the resume token
// of a packet, so that not every one of them is read whenever somebody asks.
//
// A document never changes under its id: what was once proven of it holds, and what is remembered is
// never wrong, only incomplete. The cache has a line of 32 digits of the id and 16 of the hash of what is
// said, or as many dashes, for each handoff.
package life

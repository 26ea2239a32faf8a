// Package life derives the state of a handoff. States are never stored. They follow from the row, which has
// the read marks, from the references of documents, and from events of the audit log. [Facts] collects what
// documents and events say; [Facts.State] combines it with a row.
//
// An event that changes a state is a line of the ledger: an action or a resume. It carries token, handoff_id,
// operator_id and ts_utc, and optionally session_id and until.
package life

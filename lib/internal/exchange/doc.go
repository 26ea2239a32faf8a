// Package exchange exchanges a store with a remote, which is a set of logs: see package remote.
//
// # Lines
//
// A line is the exchanged form of an event: see package log. The outbox of a clone, w-<16 hex>, has its documents and
// facts; a turn is in the log t-<2 hex> of its handoff, by the first digits of its id. A document's line is
//
//	{"event_type":"handoff.document","payload":{"handoff_id":…,"signature":…,"source":…,"text":…}}
//
// and is made from the file. A received one becomes the file and an event handoff.import. A batch is JSON lines, first
//
//	{"handoff-batch":1,"audit":"COUNT:HASH"}
//
// with the head of the audit log that it was made from.
//
// # Receiving
//
// The lines of the logs that changed become events, with here.log, in the change whose sync.read says how far each log
// was read. It lists the turns of the log in their order: that is their order for the fold, wherever they stand in the
// audit log. A document that may not be stored yet, and a line about a handoff that is not here, wait: the document in
// the directory of held ones; of the handoff its id is noted, and its logs are read again when it comes in.
//
// # Sending
//
// All that is this clone's own and in no log is appended by one call, and recorded after it. If a log has moved
// meanwhile, it is read first. A killed process finds its lines in the logs when it reads them next. A turn that no
// longer counts is not sent: sync.lost ends it.
package exchange

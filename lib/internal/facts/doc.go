// Package facts folds the events of a store into what they say about each handoff. One type, [Facts], answers every
// command.
//
// # Adding events
//
// [Facts.Add] takes the changes of the log in their order and judges nothing. A document comes once; when it is stored
// again, only its file changes. Facts about a handoff (read, unread, archive, unarchive) are a set. Turns (take, renew,
// release, done, reopen, withdraw, resume) have an order: first those that a sync.read lists, as it lists them, then
// the others, as they were made. A sync.begin makes the lists before it void. A turn that a sync.lost names does not
// count, unless a log lists it.
//
// # Judging
//
// A [View] says what counts: at a time, and by rules, which may be none. The time of an event is the one that it
// states, but never before the handoff. An event that states a time more than [Ahead] after the time of the view has
// no effect yet. Turns are applied in their order:
//
//	take      the handoff is open and nobody holds it, or the holder repeats it; or it names the holder's take and its
//	          lease is over; or a person takes over, and it names the holder's take, or the done or withdraw
//	renew     by the holder, names the take: the end becomes later, by a minute or more, and is at most 7 days ahead
//	release   names the take; by the holder, the sender, or somebody with the capability human
//	done      by the holder, names the take; or nobody holds it
//	reopen    names the done or withdraw; by who made it, or the sender
//	withdraw  by the sender, if it was never taken
//	resume    as take, and nobody else has resumed it
//
// The holder is an operator and a session. All other turns have no effect. Of facts that contradict each other the
// latest counts, then the one with the larger id. A take and a done mark the handoff as read. A mark counts if it is
// later than the last release or reopen.
package facts

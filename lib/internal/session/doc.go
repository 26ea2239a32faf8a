// Package session stores drafts and offers of sessions, and what each has heard.
//
// A draft is a file of the state directory. Its name contains the hash of its content, and a seal that only this
// machine can make. Adding a draft needs no lock.
//
// # Offers
//
// Offers record which agent sessions were told about which handoffs. The record is limited and best effort: a
// forgotten handoff is offered again, and nothing else depends on it.
//
// # Memories
//
// A Memory is what one running session has heard. It is a cache in the user's state, outside of every project.
package session

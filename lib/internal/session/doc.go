// Package session stores drafts and offers of sessions.
//
// A draft is a file of the state directory. Its name contains the hash of its content, and a seal that only this
// machine can make. Adding a draft needs no lock.
//
// # Offers
//
// Offers record which agent sessions were told about which handoffs. The record is limited and best effort: a
// forgotten handoff is offered again, and nothing else depends on it.
package session

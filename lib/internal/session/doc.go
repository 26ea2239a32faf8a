// Package session holds what becomes a handoff unless its session dies first: files of the state
// directory, each named after its content and sealed with what is known on this machine alone. Adding
// one needs no lock.
//
// # Offers
//
// Offers remember which sessions of agents were told of which handoffs. It is a record of
// convenience, bounded and best effort: what is forgotten is offered again, and nothing else depends
// on it.
package session

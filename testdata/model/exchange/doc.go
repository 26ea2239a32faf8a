// Package exchange runs the protocol by which clones exchange events deep and at random: logs with compare-and-append,
// receive, held documents, send, restore, actions online and offline, and the fold over turns. It is the reference of
// packages exchange and facts: who changes one changes both.
//
//	go test ./testdata/model/exchange                  each row briefly, and some of the controls
//	go test ./testdata/model/exchange -args -whole     two minutes: all of it
//
// Three clones (B may become a copy of A) have two handoffs: h1 is from xen, whom a clone may not know. Sessions are s0
// of ann, a person, who is the sender of h0 and has the key of the seals, s1 and s2 of ben, s3 of xen; yan is known
// nowhere, zoe everywhere. A unit of time is six seconds. Each step has its own luck (killed before or after the append,
// an answer lost, which log comes first), so that a run can be repeated with steps left out. After the steps all clones
// sync, with a restore after a rewritten log. Then these properties hold:
//
//	1   what was acknowledged counts at each clone with the same rules; a restored remote may lose it, and says so once
//	2   no acknowledged take while another is held; no turn ends a take that was made after it
//	3   the same events and rules, the same state
//	4   an offline turn that lost is told once
//	5   documents and facts are everywhere; a fact has an effect where it was made
//	6   a pusher whose names do not count changes nothing
//	7   what states a later time has no effect before it
//	8   each clone can sync, and take, done --undo or take --steal leads to a take
//
// Not in the model: caps, object stores, bundles, prune, a log that was recovered, dead sessions, teams, expiry, two
// processes of one clone. The search is random: that nothing was found proves nothing.
package exchange

// Package fields holds what a kind of record is made of: one table of fields, which is data. A record is read by
// it, what flags say becomes a record by it, and a repair knows from it what each place wants.
//
// A table is a JSON file beside the package of its kind:
//
//	{
//	  "closed": true,            members that no field names are faults
//	  "nulls": true,             a member that is null counts as absent
//	  "lists": "a list",         how a fault calls what a list of texts should be
//	  "empty": "say it …",       the hint for a text without anything to see
//	  "nothing": "say so …",     the hint for a list without items; "" where such a list is no fault
//	  "fields": [
//	    {"path": "/summary", "type": "text", "need": true, "most": 4000, "flags": [{"name": "summary", "usage": "…"}]},
//	    {"path": "/next_steps", "type": "list", "main": "what"},
//	    {"path": "/next_steps/*/what", "type": "text", "need": true},
//	    {"path": "/status", "type": "word", "words": ["completed", "paused"], "means": {"paused": "incomplete"}}
//	  ]
//	}
//
// A path is a JSON pointer in which * stands for every item of a list. The types are text, texts (a list of
// them), word (one of words, of which the first is the default), number, flag (true or false), object (one
// member each of the fields below its path), list (of such objects), and whatever else a kind has a check of
// texts for.
//
// # The block of a record
//
// [Build] puts a structured record into the body of a handoff and finds it there.
//
// A body that carries a record is
//
//	<view: Markdown for people>
//	<empty line>
//	```json handoff-record=<kind>/<version>
//	<record: JSON>
//	```
//
// and nothing after it. The fence is longer than any run of backticks in the record. The record is the
// source of truth; the view is made from it, so that Build of the same view and record gives the same bytes.
//
// Fences are read as CommonMark 0.31 section 4.5 does, but only outside of lists and quotes: a block
// shown inside a longer fence is an example, not a record. Text that a view takes from a record goes
// through Text, which leaves nothing that could begin a line or a fence.
package fields

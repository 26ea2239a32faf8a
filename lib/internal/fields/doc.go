// Package fields describes the kinds of records by tables of fields. A table is used to parse a record, to make one
// from flags, and to repair one.
//
// A table is a JSON file in the package of its kind:
//
//	{
//	  "closed": true,            unknown members are faults
//	  "nulls": true,             a member that is null counts as absent
//	  "lists": "a list",         the name of a list of texts in faults
//	  "empty": "say it …",       the hint for a text without visible characters
//	  "nothing": "say so …",     the hint for an empty list; "" if empty lists are allowed
//	  "fields": [
//	    {"path": "/summary", "type": "text", "need": true, "most": 4000,
//	     "flags": [{"name": "summary", "usage": "…"}]},
//	    {"path": "/next_steps", "type": "list", "main": "what"},
//	    {"path": "/next_steps/*/what", "type": "text", "need": true},
//	    {"path": "/status", "type": "word", "words": ["completed", "paused"], "means": {"paused": "incomplete"}}
//	  ]
//	}
//
// A path is a JSON pointer in which * means each item of a list. These are the types:
//
//   - text
//   - texts, a list of texts
//   - word, one of words; the first is the default
//   - number
//   - flag, true or false
//   - object, with the fields below its path
//   - list, a list of such objects
//   - any type of text that a kind has a check for
//
// # The block of a record
//
// [Build] puts a record into the body of a handoff, and [Extract] finds it. Such a body is
//
//	<view: Markdown for people>
//	<empty line>
//	```json handoff-record=<kind>/<version>
//	<record: JSON>
//	```
//
// Nothing follows the block. The fence is longer than any run of backticks in the record. The record is the source of
// truth, and the view is made from it. The same view and record always make the same bytes; any other body is text. A
// view passes text of a record through [Text], which returns nothing that begins a line or a fence.
package fields

// Package document reads and writes handoff documents.
//
// A document is UTF-8 text: a line "---", a head in YAML, a line "---", a body that is never
// interpreted.
//
//	---
//	schema_version: '1.0'
//	handoff_id: 'sha256:…'
//	from: 'alice'
//	to: 'bob'
//	topic: 'retry-policy'
//	ts_utc: '2026-05-07T12:00:00Z'
//	references:
//	  - 'https://example.org/issues/658'
//	tags: []
//	---
//
//	# Where it stands
//
// Reading goes in steps: Split finds head and body, Parse turns the head into a Draft, Draft.Check
// holds it against rules and reports every fault with its place, Draft.Document is the result.
// Writing is Render, which gives the bytes to store; Parse of them gives the same Document again.
// Shape holds the rules of the head in plain Go, for readers that do without a schema library.
//
// # YAML
//
// [ReadYAML] reads YAML strictly: the heads of documents, the operators file and the settings.
// What it accepts, every YAML library reads alike, and a person sees in the text all that a program
// takes from it.
//
// A text is one document. Refused, each with line and column:
//
//   - characters that hide something: control characters and tabs, Unicode line separators, noncharacters, a byte-order
//     mark, bytes that are not UTF-8;
//   - lines that end the document early: "...", "--- x", directives; a second document;
//   - what makes a value differ from what is written in its place: anchors, aliases, merge keys, tags other than !!str;
//   - a key that stands twice in one mapping, and a key that is a list or a mapping.
//
// Lines and columns are those of the file that the text is part of. Nothing is expanded or merged, so
// that what is read is never larger than the text.
//
// The types of unquoted scalars, and which keys are known, are for the caller to judge.
package document

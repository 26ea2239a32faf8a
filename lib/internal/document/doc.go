// Package document parses and formats handoff documents.
//
// A document is UTF-8 text: a line "---", the frontmatter in YAML, a line "---", and a body that is never
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
// Reading has these steps. [Split] finds frontmatter and body. [Parse] turns them into a [Draft]. [Draft.Check]
// checks it against rules and returns all faults with their places. [Draft.Document] returns the result. [Render]
// formats a document; Parse of its result returns the same document. [Shape] has the rules of the frontmatter in
// plain Go, for programs without a schema library.
//
// # YAML
//
// [ReadYAML] parses YAML strictly: frontmatter, the operators file and the settings. It only accepts text that all
// YAML libraries read alike, and in which people see everything that a program reads. A text is one YAML document.
// These are refused, with line and column:
//
//   - characters that hide something: control characters and tabs, Unicode line separators, noncharacters, a byte-order
//     mark, and bytes that are not UTF-8
//   - lines that end the document early: "...", "--- x", a second document
//   - anything that makes a value differ from its text: anchors, aliases, merge keys, tags other than !!str
//   - a key that occurs twice in one mapping, and a key that is a list or a mapping
//
// Lines and columns are those of the file that contains the text. Nothing is expanded or merged, so the result is
// never larger than the text. The caller checks the types of unquoted scalars, and which keys are known.
package document

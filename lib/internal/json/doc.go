// Package json parses JSON strictly. It keeps the order of object members and the source text of numbers. It
// prints the bytes of JSON.stringify(JSON.parse(text)).
//
// Parse refuses the following, with line and column:
//
//   - more than MaxBytes bytes, MaxDepth levels or MaxValues values
//   - invalid UTF-8, and half of a surrogate pair, which JSON.stringify keeps but which is not a character
//   - anything outside RFC 8259, such as comments, trailing commas, single quotes or a second value
//   - a key that occurs twice in one object
//   - a number that JavaScript would change: outside the range of a double, or nonzero but read as 0
//   - a number beyond 2^53 that is neither written as JavaScript prints it nor with an exponent
//
// Any other fraction keeps the digits of a double, as in JavaScript. The library jsontext finds the tokens.
// This package adds limits, places, duplicate keys and exact numbers.
//
// Printing follows ECMA-262: Number::toString for numbers, and QuoteJSONString for strings. Array indices
// (0 … 2^32-2) come first in an object, ascending, then the other keys in source order.
//
// # The canonical form
//
// [ID] returns the handoff_id: the SHA-256 of the canonical form of JSON (RFC 8785, JCS) of
//
//	{"body","from","references","schema_version","tags","to","topic","ts_utc"}
//
// Missing lists are [], and strings are not normalized.
package json

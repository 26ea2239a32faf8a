// Package jsontree reads JSON strictly, keeps the order of object members and the source text of
// numbers, and prints the bytes that JSON.stringify(JSON.parse(text)) gives.
//
// What is refused, with line and column: more than MaxBytes bytes, MaxDepth levels or MaxValues
// values, invalid UTF-8, anything outside RFC 8259 (comments, trailing commas, single quotes, a second
// value), a key that occurs twice in one object, and numbers that JavaScript would turn into another
// number: out of the range of a double, nonzero but read as 0, or beyond the safe integers (2^53-1)
// and not exactly the double that is printed. A fraction within that range keeps the digits that a
// double keeps, as in JavaScript.
//
// The tokens are found by the library jsontext; caps, places, names that occur twice and the exactness
// of numbers are ours.
//
// What is printed follows ECMA-262: Number::toString for numbers, QuoteJSONString for strings (lone
// surrogates as \udxxx), and the property order of objects: array indices (0 … 2^32-2) ascending, then
// the other keys in source order.
//
// # The canonical form
//
// [ID] computes what is hashed: the canonical form of JSON (RFC 8785, JCS), and the
// handoff_id, which is the SHA-256 of the canonical form of
//
//	{"body","from","references","schema_version","tags","to","topic","ts_utc"}
//
// with missing lists as [], and strings as they are: no Unicode normalization.
package jsontree

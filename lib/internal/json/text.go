package json

import "github.com/go-json-experiment/json/jsontext"

// AppendQuoted appends text as JSON.stringify quotes it (ECMA-262 QuoteJSONString). Bytes that are not UTF-8 become
// U+FFFD.
func AppendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // the error is about such bytes
	return dst
}

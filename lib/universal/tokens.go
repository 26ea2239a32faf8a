// Package tokens counts the tokens of a text. Vocabularies are part of the program and are loaded at
// the first count that needs them, about 40 ms; nothing is fetched.
package universal

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The encodings.
const (
	O200k  = "o200k_base"
	CL100k = "cl100k_base"
	Chars4 = "chars4" // no vocabulary: Estimate
)

// LongestToken is the greatest number of bytes that one token of O200k or CL100k stands for: a text of
// n bytes has at least n/LongestToken tokens.
const LongestToken = 128

// The tokenizer's own table of encodings would link the vocabularies of all of them.
var codecs = map[string]func() *codec.Codec{
	O200k:  sync.OnceValue(codec.NewO200kBase),
	CL100k: sync.OnceValue(codec.NewCl100kBase),
}

// Known returns an error that lists the encodings when the named one is not among them.
func CheckEncoding(encoding string) error {
	if encoding == Chars4 || codecs[encoding] != nil {
		return nil
	}
	return fmt.Errorf("unknown encoding %q: use %s", encoding, strings.Join([]string{O200k, CL100k, Chars4}, ", "))
}

// Count returns the number of tokens of the text. Markers such as <|endoftext|> are counted as plain
// text. It fails for an encoding that is not known. The time grows with the text, about 0.2 ms per
// kilobyte: bound what is not trusted.
func CountTokens(encoding, text string) (int, error) {
	if encoding == Chars4 {
		return EstimateTokens(text), nil
	}
	if err := CheckEncoding(encoding); err != nil {
		return 0, err
	}
	text = strings.ReplaceAll(text, "\x7f", "\x01") // the splitter drops DEL, uncounted; another control character stands for it
	return codecs[encoding]().Count(text)
}

// Estimate returns a quarter of the characters, rounded down: the estimate that needs no vocabulary.
func EstimateTokens(text string) int { return utf8.RuneCountInString(text) / 4 }

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

// LongestToken is the maximum number of bytes in one token of O200k or CL100k. A text of n bytes has at least
// n/LongestToken tokens.
const LongestToken = 128

// codecs avoids the tokenizer's own table, which would link all vocabularies. A vocabulary is embedded and loads
// at its first use, in about 40 ms.
var codecs = map[string]func() *codec.Codec{
	O200k:  sync.OnceValue(codec.NewO200kBase),
	CL100k: sync.OnceValue(codec.NewCl100kBase),
}

// CheckEncoding returns an error with the known encodings if encoding is not one of them.
func CheckEncoding(encoding string) error {
	if encoding == Chars4 || codecs[encoding] != nil {
		return nil
	}
	return fmt.Errorf("unknown encoding %q: use %s", encoding, strings.Join(Encodings(), ", "))
}

// CountTokens returns the number of tokens of the text. Markers such as <|endoftext|> count as plain text. It
// fails for an unknown encoding. It takes about 0.2 ms per kilobyte: limit the size of untrusted text.
func CountTokens(encoding, text string) (int, error) {
	if encoding == Chars4 {
		return EstimateTokens(text), nil
	}
	if err := CheckEncoding(encoding); err != nil {
		return 0, err
	}
	text = strings.ReplaceAll(text, "\x7f", "\x01") // the splitter drops DEL, so count another control character
	return codecs[encoding]().Count(text)
}

// EstimateTokens returns a quarter of the number of characters, rounded down. It needs no vocabulary.
func EstimateTokens(text string) int { return utf8.RuneCountInString(text) / 4 }

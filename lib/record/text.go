package record

import (
	"bytes"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Looks reports whether a text begins like a JSON object, which no frontmatter does.
func Looks(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("{"))
}

// The ways in which TextSource can take a text.
const (
	TakenAsRecord    = "record"
	TakenAsDocument  = "document"  // it brings its own frontmatter
	TakenAsBody      = "body"      // o.Head is its frontmatter
	TakenAsPlainJSON = "plainJSON" // a body too, although it looks like a record
)

// TextSource returns the source that stores a text which has no file name: a record if o.Kind says so or if
// it has the shape of one; without any o.Head a document with its own frontmatter; else a body. A
// body without a time gets that of o.Now.
func TextSource(name string, text []byte, o Options) (s handoff.Source, taken string) {
	looks, given := Looks(text), o.Head.given()
	switch {
	case o.Kind != "" || looks && (!given || Detect(text) != ""):
		return Source(name, text, o), TakenAsRecord
	case !given:
		return handoff.Source{Name: name, Text: text}, TakenAsDocument
	case looks:
		taken = TakenAsPlainJSON
	default:
		taken = TakenAsBody
	}
	h := o.Head
	doc := handoff.Document{SchemaVersion: "1.0", From: h.From, To: h.To, Topic: h.Topic, Time: h.Time, Tags: h.Tags, References: h.References, Body: string(text)}
	if doc.Time == "" && o.Now != nil {
		doc.Time = o.Now()
	}
	return handoff.Source{Fields: &doc}, taken
}

func (h Head) given() bool {
	return h.From != "" || h.To != "" || h.Topic != "" || h.Time != "" || len(h.Tags)+len(h.References) > 0
}

package universal

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// Kind names the record in the body of a handoff, with Version after a slash.
const Kind = "universal"

// Facts returns what the document answers when it is checked like a resume packet: context.summary is
// the objective, context.known_gaps are what is unresolved, target.invocation is the next action.
// Completed work, assumptions, risks and a resume token have no field in a universal record.
func (d *Document) Facts() packet.Facts {
	return packet.Facts{
		Kind:       Kind + "/" + Version,
		Objective:  d.text("/handoff/context/summary"),
		Unresolved: d.texts("/handoff/context/known_gaps"),
		NextAction: d.text("/handoff/target/invocation"),
		UpdatedAt:  d.text("/handoff/timestamp"),
		ExpiresAt:  d.text("/handoff/expires_at"),
		Cannot:     []string{"completed", "assumptions", "risks", "resume_token"},
		Texts:      packet.Passages(d.src),
		Sums:       d.sums(),
	}
}

// sums returns the artifacts that have a checksum.
func (d *Document) sums() (sums []packet.FileSum) {
	list := d.root.At("/handoff/payload/session/artifacts")
	if list == nil {
		return nil
	}
	for i := range list.Items {
		at := fmt.Sprintf("/handoff/payload/session/artifacts/%d/", i)
		if sum, ok := strings.CutPrefix(d.text(at+"checksum"), "sha256:"); ok {
			sums = append(sums, packet.FileSum{Path: d.text(at + "path"), SHA256: sum})
		}
	}
	return sums
}

// texts returns the strings of a list. Items of another type are faults of the schema and no facts.
func (d *Document) texts(pointer string) (texts []string) {
	if list := d.root.At(pointer); list != nil {
		for _, item := range list.Items {
			if item.Kind == jsontree.String {
				texts = append(texts, jsontree.Printable(item.Text))
			}
		}
	}
	return texts
}

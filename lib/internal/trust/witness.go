package trust

import (
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Witness is the signatures of a document, of which it is known which keys made them, and not whose
// they are.
type Witness struct {
	Texts []string // armored
	Err   error    // why there are none

	keys []operators.Key
	errs []error
}

// Prove finds out which keys made the signatures of a handoff with these bytes: the part of a judgement
// that takes time. It looks at nothing else.
func (k *Keyring) Prove(text []byte, signatures ...string) Witness {
	w := Witness{Texts: signatures}
	for _, armored := range signatures {
		key, err := k.signer(text, []byte(armored), operators.Namespace)
		w.keys, w.errs = append(w.keys, key), append(w.errs, err)
	}
	return w
}

const partSize = 512 // of witnesses: all those of a large batch would fill memory

// InParts returns what gives the i-th of n witnesses. They have to be asked for in their order: some
// are made at a time, by several goroutines.
func InParts(n int, prove func(i int) Witness) func(i int) Witness {
	part := make([]Witness, min(n, partSize))
	return func(i int) Witness {
		if i%partSize == 0 {
			parallel.Each(min(partSize, n-i), parallel.Workers(), func(k int) { part[k] = prove(i + k) })
		}
		return part[i%partSize]
	}
}

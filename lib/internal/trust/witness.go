package trust

import (
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Witness has the signatures of a document and the keys that made them. The owners of the keys are not judged yet.
type Witness struct {
	Texts []string // armored
	Err   error    // the error that prevented a signature

	keys []operators.Key
	errs []error
}

// Prove finds the keys that made the signatures of a text: the expensive part of a judgment.
func (k *Keyring) Prove(text []byte, signatures ...string) Witness {
	w := Witness{Texts: signatures}
	for _, armored := range signatures {
		key, err := k.signer(text, []byte(armored), operators.Namespace)
		w.keys, w.errs = append(w.keys, key), append(w.errs, err)
	}
	return w
}

const partSize = 512 // witnesses of a whole large batch would fill memory

// InParts returns a function that returns the i-th of n witnesses. It must be called in order, since each part is
// computed by several goroutines at once.
func InParts(n int, prove func(i int) Witness) func(i int) Witness {
	part := make([]Witness, min(n, partSize))
	return func(i int) Witness {
		if i%partSize == 0 {
			parallel.Each(min(partSize, n-i), parallel.Workers(), func(k int) { part[k] = prove(i + k) })
		}
		return part[i%partSize]
	}
}

package facts

// Sealed adds the checksum of a snapshot.
func Sealed(text []byte) []byte { return seal(text) }

package repo

// Near makes an index have its table of 64-bit offsets for all objects from that offset on.
func Near(from uint64) { farAt = from }

package cli

// A Gate holds the flags for credentials.
type Gate struct {
	Redact      bool
	AllowSecret []string
}

// Restore holds the flag that stores pruned handoffs again.
type Restore struct{ Restore bool }

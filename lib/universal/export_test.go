package universal

// TraceID returns trace_id, or "".
func (d *Document) TraceID() string { return d.text("/handoff/trace_id") }

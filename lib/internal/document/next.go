package document

// Next is the recipient of a handoff to whoever works here next, the sender included. No operator has this name.
const Next = "next"

// IsTo reports whether a handoff to a recipient is addressed to an operator.
func IsTo(recipient, operator string) bool { return recipient == operator || recipient == Next }

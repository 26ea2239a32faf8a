package run

import (
	"math"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// The functions below read one item of a list each. What is missing in it is noted with its pointer.
func readAction(o *object) Action {
	return Action{Summary: o.required("summary", maxText), Ref: o.optional("ref", maxText)}
}

// readFile reads a file or artifact; the first of the kinds is what an item without one is.
func readFile(kinds ...string) func(*object) File {
	return func(o *object) File {
		f := File{
			Path: o.required("path", maxText), Kind: o.enum("kind", kinds...),
			Change: o.optional("change", maxText), SHA256: o.optional("sha256", maxText),
		}
		if f.SHA256 != "" && !form.IsDigest(strings.TrimPrefix(f.SHA256, form.IDPrefix)) {
			o.add(o.v.Get("sha256"), o.pointer("sha256"), "is no SHA-256", "give 64 lower-case hex digits")
		}
		return f
	}
}

// readCommand reads a command or test. A result that its exit code contradicts is a fault: one of them
// is a lie.
func readCommand(kinds ...string) func(*object) Command {
	return func(o *object) Command {
		c := Command{
			Command: o.required("command", maxText), Kind: o.enum("kind", kinds...), Result: o.enum("result", "unknown", "passed", "failed", "skipped"),
			ExitCode: o.integer("exit_code", math.MinInt32, math.MaxUint32), DurationMS: o.integer("duration_ms", 0, 1<<53-1),
			Summary: o.optional("summary", maxText),
		}
		if c.Result == "passed" && c.ExitCode != nil && *c.ExitCode != 0 {
			o.add(o.v.Get("result"), o.pointer("result"), "is passed, but exit_code is not 0", "say failed, or correct exit_code")
		}
		return c
	}
}

// readAssumption reads what was taken for granted, and what became of it.
func readAssumption(o *object) Assumption {
	return Assumption{o.required("statement", maxText), o.enum("state", "open", "promoted", "refuted", "carried_forward")}
}

// readDebt reads what was left to be cleared up.
func readDebt(o *object) Debt {
	return Debt{o.required("summary", maxText), o.enum("state", "open", "carried_forward", "resolved"), o.optional("next_action", maxText)}
}

// readException reads what went otherwise than it should.
func readException(o *object) Exception {
	return Exception{o.required("summary", maxText), o.optional("reason", maxText)}
}

// readStep reads what is to be done next.
func readStep(o *object) Step {
	return Step{o.required("what", maxText), o.optional("who", maxText), o.optional("verify_first", maxText)}
}

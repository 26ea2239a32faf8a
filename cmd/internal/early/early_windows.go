package early

import (
	"io"
	"os"
)

// Stdin is standard input.
var Stdin io.Reader = os.Stdin

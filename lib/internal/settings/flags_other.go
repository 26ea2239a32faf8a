//go:build !unix

package settings

import "os"

const openFlags = os.O_RDONLY

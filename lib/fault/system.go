package fault

import (
	"errors"
	"io/fs"
)

// Unpublished adds to a system error that nothing was published. Other errors stay as they are.
func Unpublished(err error) error {
	return Explain(err, "nothing was published", "run the command again")
}

// Explain adds an outcome and a hint to an error without a class. If the error is missing permission or a read-only
// file system, its class becomes ErrConfig.
func Explain(err error, outcome, again string) error {
	if err == nil || errors.As(err, new(*Error)) || Class(err) != nil {
		return err
	}
	var class error
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		class = ErrConfig
	}
	return New(class, Then(err, again), "%s: %v", outcome, err)
}

// Then returns a hint: what to do about err, and then to try again. It returns "" if err has a hint of its own.
func Then(err error, again string) string {
	if own, is := errors.AsType[*Error](err); is && own.Advice != "" {
		return ""
	}
	if first := Remedy(err); first != "" {
		return first + ", then " + again
	}
	return again
}

// Unreadable returns ErrConfig for a file without read permission, and adds a hint to an error about a limit. Other
// errors stay as they are.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return New(ErrConfig, Remedy(err), "%v", err)
	case IsLimit(err):
		return New(nil, Remedy(err), "%v", err)
	}
	return err
}

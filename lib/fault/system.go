package fault

import (
	"errors"
	"io/fs"
)

// Unpublished says of an error of the system that nothing came of the command. What happens later than
// that says so itself.
func Unpublished(err error) error {
	return Explain(err, "nothing was published", "run the command again")
}

// Explain says of an error outside the classes what came of the command, and what to do before it is
// repeated. Who may not use a file or file system has a matter of configuration.
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

// Then says what to do against an error of the system, and again after that. An error that says what
// to do needs no more.
func Then(err error, again string) string {
	if own := (*Error)(nil); errors.As(err, &own) && own.Advice != "" {
		return ""
	}
	if first := Remedy(err); first != "" {
		return first + ", then " + again
	}
	return again
}

// Unreadable makes a file that may not be read a matter of configuration, and says what to do about a
// limit. Other errors stay as they are.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return New(ErrConfig, Remedy(err), "%v", err)
	case IsLimit(err):
		return New(nil, Remedy(err), "%v", err)
	}
	return err
}

package handoff

import (
	"errors"
	"io/fs"
)

// unpublished says of an error of the system that nothing came of the command. What happens later than that says
// so itself.
func unpublished(err error) error {
	return explain(err, "nothing was published", "run the command again")
}

// explain says of an error outside the classes what came of the command, and what to do before it is repeated. Who
// may not use a file or file system has a matter of configuration.
func explain(err error, outcome, again string) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	for _, class := range []error{ErrInvalid, ErrDenied, ErrBusy, ErrIntegrity, ErrConfig} {
		if errors.Is(err, class) {
			return err
		}
	}
	var class error
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		class = ErrConfig
	}
	return problem(class, then(err, again), "%s: %v", outcome, err)
}

// then says what to do against an error of the system, and again after that. An error that says what to do needs no more.
func then(err error, again string) string {
	if own := (*Error)(nil); errors.As(err, &own) && own.Advice != "" {
		return ""
	}
	if first := remedy(err); first != "" {
		return first + ", then " + again
	}
	return again
}

// unreadable makes a file that may not be read a matter of configuration. Other errors stay as they are.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return problem(ErrConfig, remedy(err), "%v", err)
	}
	return err
}

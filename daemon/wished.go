package daemon

import (
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
)

// wished says of errors that are a model's fault that they are, so that it is
// told of them.
func wished(err error, faults ...error) error {
	for _, fault := range faults {
		if errors.Is(err, fault) {
			return fmt.Errorf("%w: %w", deliberate.ErrWish, err)
		}
	}
	return err
}

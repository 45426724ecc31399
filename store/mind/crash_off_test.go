//go:build !failpoints

package mind_test

import (
	"context"
	"errors"
)

func childTick(context.Context, string) error {
	return errors.New("crash tests need -tags failpoints")
}

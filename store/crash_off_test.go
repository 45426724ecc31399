//go:build !failpoints

package store_test

import (
	"context"
	"errors"
)

func childCount(context.Context, string) error {
	return errors.New("crash tests need -tags failpoints")
}

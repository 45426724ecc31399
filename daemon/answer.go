package daemon

import (
	"errors"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/store"
)

// answer makes of the store's plain words what the API may pass on: whoever
// asked learns that the disk is full, and what to do, without the log.
func answer(err error) error {
	var told *api.Error
	var stored *store.Error
	if errors.As(err, &told) || !errors.As(err, &stored) {
		return err
	}
	code := api.CodeUnavailable
	if stored.Code == store.CodeInput {
		code = api.CodeBadRequest
	}
	return &api.Error{Code: code, Text: stored.Text, Next: lowerFirst(stored.Next), Err: err}
}

// lowerFirst makes a sentence fit for standing after others: the API's next
// steps begin small.
func lowerFirst(sentence string) string {
	if sentence == "" {
		return ""
	}
	return strings.ToLower(sentence[:1]) + sentence[1:]
}

package openai

import (
	"context"

	"github.com/subconsciousd/subconsciousd/models"
)

// List returns the names of the models that a provider says it has. The Model
// of the options does not matter.
func List(ctx context.Context, options Options) ([]string, error) {
	if options.Model == "" {
		options.Model = "any"
	}
	driver, err := New(options)
	if err != nil {
		return nil, err
	}
	exchange := &models.Exchange{Client: options.Client}
	_, err = options.library(exchange).ListModels(ctx)
	return exchange.Names(ctx, models.Identity{Provider: options.Provider.ID, Local: driver.by.Local}, err)
}

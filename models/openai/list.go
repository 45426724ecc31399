package openai

import (
	"context"
	"encoding/json"
	"fmt"

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
	by := models.Identity{Provider: options.Provider.ID, Local: driver.by.Local}
	if exchange.Body() == nil {
		return nil, exchange.Failure(ctx, by, err)
	}
	var said struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(exchange.Body(), &said); err != nil {
		return nil, exchange.Failure(ctx, by, fmt.Errorf("its list of models has another shape: %w", err))
	}
	names := make([]string, 0, len(said.Data))
	for _, item := range said.Data {
		names = append(names, item.ID)
	}
	return names, nil
}

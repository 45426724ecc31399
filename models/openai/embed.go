package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/subconsciousd/subconsciousd/models"
)

// embedBatch is how many texts one request has: their vectors stay far under
// the bound of an answer, at 3,072 dimensions too.
const embedBatch = 32

// Embedder turns texts into vectors by one model.
type Embedder struct{ models.DriverOptions }

var _ models.Embedder = (*Embedder)(nil)

// NewEmbedder makes an embedder.
func NewEmbedder(options models.DriverOptions) models.Embedder { return &Embedder{options} }

// Embed implements models.Embedder. Texts go out in requests of 32.
func (e *Embedder) Embed(ctx context.Context, _ models.Purpose, texts []string) (models.Embedding, error) {
	all := models.Embedding{By: e.Identity(), Usage: models.Usage{Known: true}}
	for start := 0; start < len(texts); start += embedBatch {
		part, err := e.batch(ctx, texts[start:min(start+embedBatch, len(texts))])
		if err != nil {
			return models.Embedding{}, after(all, start/embedBatch, err)
		}
		all.Vectors = append(all.Vectors, part.Vectors...)
		all.Usage, all.By = all.Usage.Plus(part.Usage), part.By
		if len(all.Vectors[0]) != len(part.Vectors[0]) {
			return models.Embedding{}, &models.Error{Kind: models.KindAnswer, By: e.Identity(), Text: "its vectors have different dimensions", Usage: all.Usage, Attempts: 1, Unsure: 1}
		}
	}
	return all, nil
}

// after adds to a failure what the requests before it took: they are paid for.
func after(done models.Embedding, requests int, failure *models.Error) *models.Error {
	failure.Attempts += requests
	switch {
	case requests == 0:
	case !done.Usage.Known:
		failure.Unsure += requests
	case failure.Usage.Known:
		failure.Usage = failure.Usage.Plus(done.Usage)
	default:
		failure.Usage = done.Usage
	}
	return failure
}

func (e *Embedder) batch(ctx context.Context, texts []string) (models.Embedding, *models.Error) {
	body, err := json.Marshal(object{"input": texts, "model": e.Model, "encoding_format": "float"})
	var embedding models.Embedding
	if err == nil {
		body, err = post(ctx, e.DriverOptions, "/embeddings", body, nil)
	}
	if err == nil {
		embedding, err = e.read(body, len(texts))
	}
	if err != nil {
		failure := e.Failure(ctx, err)
		failure.Usage = embedding.Usage
		return models.Embedding{}, failure
	}
	return embedding, nil
}

// read understands an answer and checks that it has one vector for each text.
func (e *Embedder) read(body []byte, count int) (models.Embedding, error) {
	var said struct {
		Model string `json:"model"`
		Data  []struct {
			Index  int       `json:"index"`
			Vector []float32 `json:"embedding"`
		} `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return models.Embedding{}, fmt.Errorf("its JSON has another shape: %w", err)
	}
	embedding := models.Embedding{By: e.Identity(), Usage: readUsage(said.Usage), Vectors: make([][]float32, count)}
	embedding.Usage.Output, embedding.Usage.Thinking = 0, 0
	if said.Model != "" {
		embedding.By.Model = said.Model
	}
	if len(said.Data) != count {
		return embedding, fmt.Errorf("%d texts have %d vectors", count, len(said.Data))
	}
	dimension := len(said.Data[0].Vector)
	for _, item := range said.Data {
		switch {
		case item.Index < 0 || item.Index >= count || embedding.Vectors[item.Index] != nil:
			return embedding, fmt.Errorf("its vectors are not numbered one after the other")
		case len(item.Vector) != dimension || dimension == 0:
			return embedding, fmt.Errorf("its vectors have different dimensions")
		}
		for _, x := range item.Vector {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return embedding, fmt.Errorf("its vectors are not numbers")
			}
		}
		embedding.Vectors[item.Index] = item.Vector
	}
	return embedding, nil
}

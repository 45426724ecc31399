package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	client "github.com/sashabaranov/go-openai"

	"github.com/subconsciousd/subconsciousd/models"
)

// embed turns texts into vectors.
func (d *Driver) embed(ctx context.Context, texts []string) (models.Answer, error) {
	body, err := json.Marshal(client.EmbeddingRequestStrings{Input: texts, Model: client.EmbeddingModel(d.Model), EncodingFormat: client.EmbeddingEncodingFormatFloat})
	if err == nil {
		body, err = post(ctx, d.DriverOptions, "/embeddings", body, nil)
	}
	if err != nil {
		return models.Answer{}, err
	}
	return d.vectors(body, len(texts))
}

// vectors understands an answer and checks that it has one vector for each text.
func (d *Driver) vectors(body []byte, count int) (models.Answer, error) {
	var said struct {
		Model string `json:"model"`
		Data  []struct {
			Index  int       `json:"index"`
			Vector []float32 `json:"embedding"`
		} `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return models.Answer{}, fmt.Errorf("its JSON has another shape: %w", err)
	}
	answer := models.Answer{By: d.Identity(), Usage: readUsage(said.Usage), Vectors: make([][]float32, count)}
	answer.Usage.Output, answer.Usage.Thinking = 0, 0
	answer.By.Model = cmp.Or(said.Model, d.Model)
	if len(said.Data) != count {
		return answer, fmt.Errorf("%d texts have %d vectors", count, len(said.Data))
	}
	dimension := len(said.Data[0].Vector)
	for _, item := range said.Data {
		switch {
		case item.Index < 0 || item.Index >= count || answer.Vectors[item.Index] != nil:
			return answer, errors.New("its vectors are not numbered one after the other")
		case len(item.Vector) != dimension || dimension == 0:
			return answer, errors.New("its vectors have different dimensions")
		}
		answer.Vectors[item.Index] = item.Vector
	}
	return answer, nil
}

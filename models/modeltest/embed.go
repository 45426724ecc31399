package modeltest

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// dimensions is the length of a vector where the request sets none.
const dimensions = 64

// vectors writes an answer with vectors in place of what its protocol writes.
type vectors struct {
	wire
	body []byte
}

func (v vectors) frames(answer) [][]byte { return [][]byte{v.body} }

// embed answers a request for vectors. Texts with the same words have vectors
// that lie near each other.
func (e *exchange) embed() {
	var in struct {
		Model      string
		Input      json.RawMessage
		Dimensions int
	}
	texts := make([]string, 1)
	err := json.Unmarshal(e.record.Body, &in)
	if err == nil && json.Unmarshal(in.Input, &texts[0]) != nil {
		err = json.Unmarshal(in.Input, &texts)
	}
	var refused *problem
	if err != nil || in.Model == "" || len(texts) == 0 || in.Dimensions < 0 || in.Dimensions > 4096 {
		refused = refuse("an embedding wants a model, an input of one text or several, and at most 4096 dimensions")
	}
	if !e.begin(Request{Protocol: OpenAI, Model: in.Model, prompt: strings.Join(texts, "\n")}, refused) {
		return
	}
	if in.Dimensions == 0 {
		in.Dimensions = dimensions
	}
	usage := models.Usage{Known: true}
	list := []object{}
	for i, text := range texts {
		usage.Input += tokens(text)
		list = append(list, object{"object": "embedding", "index": i, "embedding": vector(text, in.Dimensions)})
	}
	e.record.Charged, e.record.Reported = usage, usage
	switch e.record.Fault {
	case WrongModel:
		in.Model = Unasked
	case Empty, NullContent:
		list = list[:0]
	case Truncated:
		list = list[:len(list)-1]
	case Huge, Endless, LongLine, GzipBomb:
		e.record.Fault = NoFault
	}
	e.wire = vectors{e.wire, []byte(compact(object{"object": "list", "model": in.Model, "data": list,
		"usage": object{"prompt_tokens": usage.Input, "total_tokens": usage.Input}}))}
	e.deliver(answer{request: e.record.Request})
}

// vector is a bag of words, hashed, of length 1.
func vector(text string, size int) []float32 {
	v := make([]float32, size)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		roll := hash(0, word)
		v[roll%uint64(size)] += 1 - 2*float32(roll>>63)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

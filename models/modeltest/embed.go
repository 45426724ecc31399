package modeltest

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// dimensions is the length of a vector.
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
		Model string
		Input []string
	}
	var refused *problem
	if err := json.Unmarshal(e.record.Body, &in); err != nil || in.Model == "" || len(in.Input) == 0 {
		refused = refuse("an embedding wants a model, and an input of texts")
	}
	if !e.begin(Request{Protocol: OpenAI, Model: in.Model, prompt: strings.Join(in.Input, "\n")}, refused) {
		return
	}
	usage := models.Usage{Known: true}
	list := []object{}
	for i, text := range in.Input {
		usage.Input += tokens(text)
		list = append(list, object{"object": "embedding", "index": i, "embedding": vector(text)})
	}
	e.record.Charged, e.record.Reported = usage, usage
	if e.record.Fault == WrongModel {
		in.Model = Unasked
	}
	e.wire = vectors{e.wire, []byte(compact(object{"object": "list", "model": in.Model, "data": list,
		"usage": object{"prompt_tokens": usage.Input, "total_tokens": usage.Input}}))}
	e.deliver(answer{request: e.record.Request})
}

// vector is a bag of words, hashed, of length 1.
func vector(text string) []float32 {
	v := make([]float32, dimensions)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		roll := hash(0, word)
		v[roll%dimensions] += 1 - 2*float32(roll>>63)
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

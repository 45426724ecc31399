package modeltest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// dimensions is the length of a vector where the request sets none.
const dimensions = 64

// embed answers a request for vectors. Texts with the same words have vectors
// that lie near each other.
func (e *exchange) embed() {
	var in struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Format     string          `json:"encoding_format"`
		Dimensions int             `json:"dimensions"`
	}
	var texts []string
	err := json.Unmarshal(e.record.Body, &in)
	if err == nil && json.Unmarshal(in.Input, &texts) != nil {
		texts = make([]string, 1)
		err = json.Unmarshal(in.Input, &texts[0])
	}
	if err != nil || in.Model == "" || len(texts) == 0 || in.Dimensions < 0 || in.Dimensions > 4096 {
		e.problem(*refuse("an embedding wants a model, an input of one text or several, and at most 4096 dimensions"))
		return
	}
	e.record.Request = Request{Protocol: OpenAI, Number: e.record.Number, Turn: e.server.ledger.turn(""), Model: in.Model, prompt: strings.Join(texts, "\n")}
	if !e.server.knows(in.Model) {
		e.problem(problem{http.StatusNotFound, "not_found_error", "there is no model " + in.Model})
		return
	}
	e.record.Fault = e.server.decide(e.record.Request)
	if e.refuse() {
		return
	}
	if in.Dimensions == 0 {
		in.Dimensions = dimensions
	}
	usage := models.Usage{Known: true}
	list := []object{}
	for i, text := range texts {
		usage.Input += tokens(text)
		item := object{"object": "embedding", "index": i, "embedding": vector(text, in.Dimensions)}
		if in.Format == "base64" {
			item["embedding"] = packed(vector(text, in.Dimensions))
		}
		list = append(list, item)
	}
	e.record.Charged, e.record.Reported = usage, usage
	e.vectors(in.Model, list, usage)
}

// vectors sends them, or what the fault makes of them.
func (e *exchange) vectors(model string, list []object, usage models.Usage) {
	switch e.record.Fault {
	case WrongModel:
		model = Unasked
	case Empty, NullContent:
		list = list[:0]
	case Truncated:
		list = list[:len(list)-1]
	}
	body := compact(object{
		"object": "list", "model": model, "data": list,
		"usage": object{"prompt_tokens": usage.Input, "total_tokens": usage.Input},
	})
	switch e.record.Fault {
	case Reset:
		e.reset()
	case Hang, HangBefore, Slow:
		e.hang()
	case Cut:
		e.publish()
		e.w.Header().Set("Content-Type", "application/json")
		e.write([]byte(body[:len(body)/2]))
		e.flush()
		panic(http.ErrAbortHandler)
	case NotJSON:
		e.json(http.StatusOK, []byte("oops"))
	default:
		e.json(http.StatusOK, []byte(body))
	}
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

func packed(v []float32) string {
	var data []byte
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(data)
}

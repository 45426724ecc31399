package conformance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

// flaw is one way in which a driver can be wrong.
type flaw string

const (
	sound        flaw = ""
	leaksKey     flaw = "leaks key"       // puts what the provider said into its failure
	printsKey    flaw = "prints key"      // shows the key when it is printed
	retries      flaw = "retries"         // asks again by itself
	litters      flaw = "litters"         // leaves a goroutine behind
	believes     flaw = "believes"        // takes the end of the bytes for the end of the answer
	gulps        flaw = "gulps"           // reads as much as it is sent
	strays       flaw = "strays"          // follows to another host
	forgetsUsage flaw = "forgets usage"   // does not tell what was used
	inventsUsage flaw = "invents usage"   // says that usage is known where it is not
	vain         flaw = "vain"            // always says that it answered itself
	impatient    flaw = "impatient"       // does not say when to come back
	blunt        flaw = "blunt"           // every answer ends well
	lukewarm     flaw = "lukewarm"        // leaves out a temperature of 0
	mumbles      flaw = "mumbles"         // does not tell the last piece
	shapeless    flaw = "shapeless"       // sends no schema
	muddles      flaw = "muddles"         // takes several calls of tools for one
	raves        flaw = "raves"           // tells pieces after it has returned
	stubborn     flaw = "stubborn"        // takes being cancelled for a failure of the network
	stateful     flaw = "stateful"        // keeps what it was told last
	thoughtless  flaw = "thoughtless"     // gives no thoughts back
	spendthrift  flaw = "spendthrift"     // tells no limit
	hopeful      flaw = "hopeful"         // says that a request that broke off costs nothing
	wordy        flaw = "wordy"           // repeats a whole page as the reason
	alwaysLive   flaw = "always live"     // streams although nobody listens
	nameless     flaw = "nameless"        // does not know its model
	relayed      flaw = "behind a relay"  // none: it goes through relay as it is
	accepting    flaw = "accepting"       // takes every body for an answer
	unpacking    flaw = "keeps a promise" // tells of pieces only at the end, in one
)

// flawed is a driver of the product, made wrong in one way.
type flawed struct {
	models.Driver
	protocol string
	flaw     flaw
	refusal  *atomic.Pointer[string] // the body of the last error, of those who go through relay
	last     atomic.Pointer[string]  // for stateful
	litter   <-chan struct{}         // for litters: closed at the end of the test
}

var _ models.Driver = (*flawed)(nil)

func newFlawed(t testing.TB, url, protocol string, f flaw) *flawed {
	d := &flawed{protocol: protocol, flaw: f, refusal: &atomic.Pointer[string]{}}
	switch f {
	case leaksKey, wordy, gulps, strays, relayed:
		url = relay(t, url, d)
	}
	client := models.NewClient(models.TransportOptions{BaseURL: url})
	t.Cleanup(client.CloseIdleConnections)
	make, vendor := openai.New, "openai"
	if protocol == modeltest.Anthropic {
		make, vendor = anthropic.New, "anthropic"
	}
	d.Driver = make(models.DriverOptions{Model: modeltest.Model, Key: secret.New(modeltest.Key), Client: client,
		Provider: models.Provider{ID: "flawed", Vendor: vendor, Kind: protocol, BaseURL: url, Schema: models.SchemaJSON}})
	return d
}

// relay stands before the server, for flaws that a driver has on its connection, and
// returns the address to ask in its place.
func relay(t testing.TB, url string, d *flawed) string {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error {
		if d.flaw == strays {
			return nil
		}
		return http.ErrUseLastResponse
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		root := strings.TrimSuffix(url, "/v1")
		request, err := http.NewRequestWithContext(r.Context(), r.Method, root+r.URL.Path, bytes.NewReader(asked))
		if err != nil {
			return
		}
		request.Header = r.Header.Clone()
		request.Header.Del("Accept-Encoding") // so that what is packed is unpacked here
		response, err := client.Do(request)
		if err != nil {
			return
		}
		defer response.Body.Close()
		whole, err := io.ReadAll(response.Body)
		if err != nil {
			return
		}
		d.refusal.Store(new(string(whole)))
		maps.Copy(w.Header(), response.Header)
		w.Header().Del("Content-Length")
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(whole)
	}))
	t.Cleanup(server.Close)
	return server.URL + strings.TrimPrefix(url, strings.TrimSuffix(url, "/v1"))
}

func (d *flawed) Format(s fmt.State, _ rune) {
	if d.flaw == printsKey {
		_, _ = io.WriteString(s, modeltest.Key)
	}
}

func (d *flawed) Identity() models.Identity {
	identity := d.Driver.Identity()
	if d.flaw == nameless {
		identity.Model = ""
	}
	return identity
}

func (d *flawed) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	if d.flaw == litters {
		go func() { <-d.litter }()
	}
	request, told := d.asks(request)
	answer, err := d.Driver.Generate(ctx, request)
	if err != nil && d.flaw == retries {
		answer, err = d.Driver.Generate(ctx, request)
	}
	if d.flaw == raves && request.OnText != nil {
		go func() { // it asks again behind everybody's back, and tells of it at the end
			_, _ = d.Driver.Generate(context.WithoutCancel(ctx), request)
			request.OnText("one more thing")
		}()
	}
	if failure, ok := errors.AsType[*models.Error](err); ok {
		return answer, d.fails(failure)
	}
	told(answer.Text)
	return d.answers(answer), err
}

// asks is a request as the driver puts it, and what is to be told at the end.
func (d *flawed) asks(r models.Request) (models.Request, func(string)) {
	tell := r.OnText
	switch {
	case d.flaw == alwaysLive && tell == nil:
		r.OnText = func(string) {}
	case d.flaw == lukewarm && r.Temperature != nil && *r.Temperature == 0:
		r.Temperature = nil
	case d.flaw == shapeless:
		r.Schema = nil
	case d.flaw == spendthrift && d.protocol == modeltest.OpenAI:
		r.MaxTokens = 0
	case d.flaw == thoughtless:
		r.Messages = slices.Clone(r.Messages)
		for i := range r.Messages {
			r.Messages[i].Opaque = nil
		}
	case d.flaw == mumbles && tell != nil:
		before := ""
		r.OnText = func(text string) {
			if before != "" {
				tell(before)
			}
			before = text
		}
	case d.flaw == unpacking && tell != nil:
		r.OnText = func(string) {}
		return r, tell
	}
	return r, func(string) {}
}

// answers is what the driver makes of an answer.
func (d *flawed) answers(a models.Answer) models.Answer {
	switch d.flaw {
	case forgetsUsage:
		a.Usage = models.Usage{}
	case inventsUsage:
		a.Usage.Known = true
	case vain:
		a.By = d.Identity()
	case blunt:
		a.Stop = models.StopEnd
	case stateful:
		text := a.Text
		a.Text = *cmp.Or(d.last.Swap(&text), &text)
	case muddles:
		for _, call := range a.Calls[min(1, len(a.Calls)):] {
			first := &a.Calls[0]
			first.ID, first.Name, first.Arguments = first.ID+call.ID, first.Name+call.Name, append(first.Arguments, call.Arguments...)
		}
		a.Calls = a.Calls[:min(1, len(a.Calls))]
	}
	return a
}

// fails is what the driver makes of a failure; nil: it takes it for an answer.
func (d *flawed) fails(f *models.Error) error {
	switch stopped := f.Kind == models.KindCancelled || f.Kind == models.KindTimeout; {
	case d.flaw == believes && f.Kind == models.KindCut, d.flaw == accepting && f.Kind == models.KindAnswer:
		return nil
	case d.flaw == leaksKey, d.flaw == wordy:
		if said := d.refusal.Load(); said != nil {
			f.Text += *said
		}
	case d.flaw == stubborn && stopped:
		f.Kind = models.KindNetwork
	case d.flaw == impatient:
		f.RetryAfter = 0
	case d.flaw == hopeful:
		f.Unsure = 0
	}
	return f
}

package models

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/subconsciousd/subconsciousd/budget"
)

//go:embed prices.json
var pricesFile []byte

// An unknown price is taken to be one of the dearest there are, in US dollars
// for a million tokens.
const (
	dearInput  = 15
	dearOutput = 75
)

// Rate is what a model costs.
type Rate struct {
	Price
	// Unknown: nobody said what it costs, so that it counts as dear.
	Unknown bool
	// From says where the price was found: "prices.json", "models.prices",
	// "local" or "unknown".
	From string
}

// Remedy says what to write down where nobody said what the model costs; ""
// where somebody did.
func (r Rate) Remedy() string {
	if !r.Unknown {
		return ""
	}
	return fmt.Sprintf("write what %s/%s costs, in US dollars for a million tokens, under models.prices: {provider: %s, model: %q, input: …, output: …}",
		r.Provider, r.Model, r.Provider, r.Model)
}

// pricesKnown are the prices that are shipped.
var pricesKnown = sync.OnceValue(func() (file struct {
	Read   string  `json:"read"`
	Prices []Price `json:"prices"`
}) {
	if err := json.Unmarshal(pricesFile, &file); err != nil {
		panic(err)
	}
	return file
})

// PricesRead is the day on which the prices that are shipped were read,
// "2026-11-21".
func PricesRead() string { return pricesKnown().Read }

// Prices returns the prices that are shipped.
func Prices() []Price { return slices.Clone(pricesKnown().Prices) }

// Rate returns what a model of a provider costs. Prices of the configuration name
// the provider's id or its vendor, shipped ones the vendor, since an id says
// nothing about who sends the bill. A dated name ("gpt-4o-mini-2024-07-18")
// costs what the name without date does.
func (c Config) Rate(provider Provider, model string) Rate {
	vendor := VendorOf(provider).Name
	if price, ok := find(c.Prices, model, provider.ID, vendor); ok {
		return Rate{Price: price, From: "models.prices"}
	}
	free := Price{Provider: provider.ID, Model: model}
	if provider.Local {
		return Rate{Price: free, From: "local"}
	}
	if price, ok := find(pricesKnown().Prices, model, vendor); ok {
		return Rate{Price: price, From: "prices.json"}
	}
	free.Input, free.Output = dearInput, dearOutput
	return Rate{Price: free, Unknown: true, From: "unknown"}
}

// find looks for the very name first, and then for what it is a version of.
func find(prices []Price, model string, providers ...string) (Price, bool) {
	for _, same := range [...]func(listed string) bool{
		func(listed string) bool { return listed == model },
		func(listed string) bool { return SameModel(listed, model) },
	} {
		for _, price := range prices {
			if price.Provider != "" && slices.Contains(providers, price.Provider) && same(price.Model) {
				return price, true
			}
		}
	}
	return Price{}, false
}

// perMillion is a price as whole money for a million tokens.
func perMillion(dollars float64) uint64 { return uint64(max(0, budget.Dollars(dollars))) }

// Cost returns what a usage costs, rounded up to a billionth of a dollar. A
// price for kept or written input that is 0 is that of input.
func (r Rate) Cost(u Usage) budget.Money {
	cached, written := r.Cached, r.Written
	if cached == 0 {
		cached = r.Input
	}
	if written == 0 {
		written = r.Input
	}
	return total(
		part{u.Input - u.Cached - u.Written, r.Input}, part{u.Cached, cached},
		part{u.Written, written}, part{u.Output, r.Output},
	)
}

// Worst returns what so many tokens cost at most, all of them taken in at the
// dearest price of input.
func (r Rate) Worst(input, output int) budget.Money {
	return total(part{input, max(r.Input, r.Cached, r.Written)}, part{output, r.Output})
}

// part is a number of tokens at a price for a million of them.
type part struct {
	tokens int
	price  float64
}

// total adds parts exactly, in 128 bits, and rounds up once.
func total(parts ...part) budget.Money {
	const million = 1_000_000
	var high, low, carry uint64
	for _, p := range parts {
		price := perMillion(p.price)
		if p.tokens > 0 && price >= uint64(mostMoney) { // no price at all
			return mostMoney
		}
		h, l := bits.Mul64(uint64(max(0, p.tokens)), price)
		low, carry = bits.Add64(low, l, 0)
		high, carry = bits.Add64(high, h, carry)
		if carry != 0 {
			return mostMoney
		}
	}
	low, carry = bits.Add64(low, million-1, 0)
	if high += carry; high >= million {
		return mostMoney
	}
	money, _ := bits.Div64(high, low, million)
	return budget.Money(min(money, uint64(mostMoney)))
}

// mostMoney is the most that budget.Money holds.
const mostMoney = budget.Money(1<<63 - 1)

package budget

import (
	"fmt"
	"math"
)

// Money is an amount in US dollars, counted in billionths, so that a single
// token of the cheapest model is more than nothing.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1e9

// Dollars returns an amount, rounded up to a billionth. What is no number, or
// beyond what Money can hold, becomes the most it can hold.
func Dollars(amount float64) Money {
	if math.IsNaN(amount) || amount >= float64(math.MaxInt64)/float64(Dollar) {
		return math.MaxInt64
	}
	return Money(math.Ceil(amount*float64(Dollar) - 1e-6))
}

// Float returns the amount in US dollars.
func (m Money) Float() float64 { return float64(m) / float64(Dollar) }

// String writes "$0.0123".
func (m Money) String() string { return fmt.Sprintf("$%.4f", m.Float()) }

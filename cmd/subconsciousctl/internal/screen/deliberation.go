package screen

import (
	"fmt"
)

// price is an amount of US dollars with as many digits as say something.
func price(dollars float64) string {
	if dollars > 0 && dollars < 0.1 {
		return fmt.Sprintf("%.4f", dollars)
	}
	return money(dollars)
}

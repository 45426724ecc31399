package health

import (
	"fmt"
	"strconv"
	"strings"
)

// Percent is a share written with its sign: "85%". It is a struct so that a
// bare number in a configuration, which could mean 0.85 as well, is refused.
type Percent struct{ value float64 }

// NewPercent returns value per cent: NewPercent(85) is "85%".
func NewPercent(value float64) Percent { return Percent{value} }

// Float returns the number before the sign.
func (p Percent) Float() float64 { return p.value }

// String returns the form that UnmarshalText reads.
func (p Percent) String() string { return strconv.FormatFloat(p.value, 'f', -1, 64) + "%" }

// MarshalText writes "85%".
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads "85%" or "99.5%". Whatever has no sign is an error.
func (p *Percent) UnmarshalText(text []byte) error {
	value, err := parseQuantity(string(text), "%")
	if err != nil {
		return fmt.Errorf("%q is not a percentage: write a number and a per cent sign, such as 85%%", clip(string(text), 40))
	}
	p.value = value
	return nil
}

// Celsius is a temperature written with its unit: "85°C" or "85C".
type Celsius struct{ value float64 }

// NewCelsius returns value degrees Celsius.
func NewCelsius(value float64) Celsius { return Celsius{value} }

// Float returns the degrees.
func (c Celsius) Float() float64 { return c.value }

// String returns the form that UnmarshalText reads.
func (c Celsius) String() string { return strconv.FormatFloat(c.value, 'f', -1, 64) + "°C" }

// MarshalText writes "85°C".
func (c Celsius) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads "85°C" or "85C". Whatever has no unit is an error.
func (c *Celsius) UnmarshalText(text []byte) error {
	value, err := parseQuantity(strings.Replace(string(text), "°", "", 1), "C")
	if err != nil {
		return fmt.Errorf("%q is not a temperature: write degrees Celsius with the unit, such as 85°C", clip(string(text), 40))
	}
	c.value = value
	return nil
}

// parseQuantity reads a plain decimal number followed by unit: at most four
// digits before the point and three after it, no sign and no exponent.
func parseQuantity(text, unit string) (float64, error) {
	number, found := strings.CutSuffix(strings.TrimSpace(text), unit)
	if !found {
		return 0, strconv.ErrSyntax
	}
	number = strings.TrimSpace(number)
	whole, fraction, pointed := strings.Cut(number, ".")
	if whole == "" || len(whole) > 4 || len(fraction) > 3 || pointed && fraction == "" {
		return 0, strconv.ErrSyntax
	}
	for _, r := range whole + fraction {
		if r < '0' || r > '9' {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseFloat(number, 64)
}

package message

import (
	"strconv"
	"strings"
)

// colour is one that a style names. One that is set but not known is that of a
// picture, or of a name nobody knows: nothing is near it.
type colour struct {
	set, known bool
	r, g, b    uint8
}

var (
	white = colour{set: true, known: true, r: 255, g: 255, b: 255}
	black = colour{set: true, known: true}
)

// near tells of two colours that cannot be told apart on a screen.
func (c colour) near(d colour) bool {
	const most = 10
	if !c.known || !d.known {
		return false
	}
	return apart(c.r, d.r) <= most && apart(c.g, d.g) <= most && apart(c.b, d.b) <= most
}

func apart(a, b uint8) int {
	if a < b {
		a, b = b, a
	}
	return int(a - b)
}

// readColour reads a colour in lower case.
func readColour(value string) colour {
	value = strings.TrimSpace(value)
	switch value {
	case "", "inherit", "initial", "unset", "currentcolor":
		return colour{}
	case "white":
		return white
	case "black":
		return black
	}
	if named, ok := namedColour(value); ok {
		return named
	}
	if strings.HasPrefix(value, "rgb") {
		return readRGB(value)
	}
	digits := strings.TrimPrefix(value, "#")
	if len(digits) == 3 || len(digits) == 4 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	if len(digits) == 8 {
		digits = digits[:6]
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		return colour{set: true}
	}
	return colour{set: true, known: true, r: uint8(n >> 16), g: uint8(n >> 8), b: uint8(n)}
}

// readRGB reads "rgb(1, 2, 3)" and "rgba(1, 2, 3, 0.5)". What can be seen through
// is no colour of its own.
func readRGB(value string) colour {
	_, inner, _ := strings.Cut(value, "(")
	inner, _, _ = strings.Cut(inner, ")")
	fields := strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
	if len(fields) != 3 && len(fields) != 4 {
		return colour{set: true}
	}
	var channels [3]uint8
	for i := range channels {
		n, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || n < 0 || n > 255 {
			return colour{set: true}
		}
		channels[i] = uint8(n)
	}
	if len(fields) == 4 && fields[3] != "1" && fields[3] != "100%" && fields[3] != "1.0" {
		return colour{set: true}
	}
	return colour{set: true, known: true, r: channels[0], g: channels[1], b: channels[2]}
}

// namedColour knows the names that are met in mail.
func namedColour(name string) (colour, bool) {
	var n uint32
	switch name {
	case "red":
		n = 0xff0000
	case "green":
		n = 0x008000
	case "blue":
		n = 0x0000ff
	case "yellow":
		n = 0xffff00
	case "navy":
		n = 0x000080
	case "gray", "grey":
		n = 0x808080
	case "silver":
		n = 0xc0c0c0
	case "maroon":
		n = 0x800000
	case "orange":
		n = 0xffa500
	case "purple":
		n = 0x800080
	case "whitesmoke":
		n = 0xf5f5f5
	case "snow":
		n = 0xfffafa
	case "ivory":
		n = 0xfffff0
	case "ghostwhite":
		n = 0xf8f8ff
	default:
		return colour{}, false
	}
	return colour{set: true, known: true, r: uint8(n >> 16), g: uint8(n >> 8), b: uint8(n)}, true
}

// readBackground reads a background: the first colour in it, or that there is a
// picture.
func readBackground(value string) colour {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient") {
		return colour{set: true}
	}
	if strings.HasPrefix(value, "rgb") {
		return readColour(value)
	}
	word, _, _ := strings.Cut(value, " ")
	if word == "transparent" || word == "none" {
		return colour{}
	}
	return readColour(word)
}

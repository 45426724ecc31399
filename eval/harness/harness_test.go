package harness

import (
	"encoding/json"
	"testing"
)

// Cells stand in columns, and what is not there is said.
func TestText(t *testing.T) {
	figures := struct {
		Rows map[string]int
		None *int
		Few  *float64
		Said string
	}{map[string]int{"long name": 1, "b": 20}, nil, new(float64), "two\nlines\tand a tab"}
	const template = "name\tn\n{{$rows := .Rows}}{{range byCount .Rows}}{{.}}\t{{index $rows .}}\t\n{{end}}\n{{orNone \"%d\" .None}} {{orNone \"%.2f\" .Few}} {{oneLine .Said}}\n\n"
	const want = "name       n\nb          20\nlong name  1\n\nnone 0.00 two | lines and a tab\n"
	if got := Text(template, figures); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Numbers are added however deep they lie; words and lists are left.
func TestAdd(t *testing.T) {
	type inner struct{ A, B int }
	type figures struct {
		inner
		Name  string
		Cost  float64
		List  []string
		Named map[string]int
		Sizes map[int]inner
	}
	sum := figures{Name: "sum", Named: map[string]int{"x": 1}, Sizes: map[int]inner{1: {1, 2}}}
	Add(&sum, figures{inner{1, 2}, "one", 0.5, []string{"a"}, map[string]int{"x": 2, "y": 3}, map[int]inner{1: {1, 1}, 2: {5, 6}}})
	data, err := json.Marshal(sum)
	if want := `{"A":1,"B":2,"Name":"sum","Cost":0.5,"List":null,"Named":{"x":3,"y":3},"Sizes":{"1":{"A":2,"B":3},"2":{"A":5,"B":6}}}`; err != nil || string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
}

package prose

import "testing"

func TestGreeting(t *testing.T) {
	for text, want := range map[string]string{
		"Hi Nina, can you be at the office?":           "can you be at the office?",
		"Hi! Can you come?":                            "Can you come?",
		"Good morning Dr. Osei, your results are back": "your results are back",
		"Dear Ms Falk,":                                "",
		"Sehr geehrte Frau Ammann, die Abnahme rückt":  "die Abnahme rückt",
		"Guten Morgen, die Maske steht im Stau":        "die Maske steht im Stau",
		"Bonjour Bruno, je vous rappelle":              "je vous rappelle",
		"Buenos días, soy Vicente":                     "soy Vicente",
		"Gentile signora Greco: il permesso scade":     "il permesso scade",
		"Boa tarde dra, o Tobias já não coxeia":        "o Tobias já não coxeia",
		"Hey call me back":                             "Hey call me back",
		"Dear all of you who come to us on Friday, …":  "Dear all of you who come to us on Friday, …",
		"Lea has a fever, please come":                 "Lea has a fever, please come",
	} {
		if got := text[Greeting(text):]; got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

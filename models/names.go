package models

import "strings"

// SameModel reports whether a model that answered is the one that was asked
// for: the same name, or a version of it. Providers put folders before names
// ("models/gemini-2.5-flash", "openai/gpt-4o-mini") and dates or versions behind
// them ("gpt-4o-mini-2024-07-18", "claude-haiku-4-5-20251001", "qwen3:latest").
func SameModel(asked, answered string) bool {
	asked, answered = plainModel(asked), plainModel(answered)
	folder, name := splitModel(asked)
	otherFolder, other := splitModel(answered)
	if folder != "" && otherFolder != "" && folder != otherFolder {
		return false
	}
	return asked == answered || name == other && name != "" || versionOf(name, other) || name == other+"-latest"
}

// splitModel parts "openai/gpt-4o" at its last slash.
func splitModel(name string) (folder, model string) {
	i := strings.LastIndexByte(name, '/')
	return name[:max(0, i)], name[i+1:]
}

// plainModel drops case, "models/" and ":latest".
func plainModel(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "models/")
	return strings.TrimSuffix(name, ":latest")
}

// versionOf reports whether answered is asked with a date or a version of
// digits behind it. "gpt-4o-mini" is not a version of "gpt-4o", nor is
// "claude-opus-4-7" of "claude-opus-4": a version has three digits or more.
func versionOf(asked, answered string) bool {
	asked = strings.TrimSuffix(asked, "-latest")
	suffix, ok := strings.CutPrefix(answered, asked)
	if !ok || asked == "" || len(suffix) < 4 || (suffix[0] != '-' && suffix[0] != '@') {
		return false
	}
	first, _, _ := strings.Cut(suffix[1:], "-")
	return len(first) >= 3 && strings.Trim(suffix[1:], "0123456789-") == ""
}

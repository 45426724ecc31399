package message

import "strings"

// unflow joins the lines that format=flowed (RFC 3676) broke: those that end in
// a space, within one depth of quotation.
func unflow(text string, delSp bool) string {
	var out strings.Builder
	out.Grow(len(text))
	open, depth := false, 0
	for l := range strings.SplitSeq(text, "\n") {
		level := 0
		for strings.HasPrefix(l, ">") {
			l = l[1:]
			level++
		}
		l = strings.TrimPrefix(l, " ") // stuffed
		signature := l == "-- "
		if open && (level != depth || signature) {
			out.WriteByte('\n')
			open = false
		}
		if !open && level > 0 {
			out.WriteString(strings.Repeat(">", level) + " ")
		}
		soft := strings.HasSuffix(l, " ") && !signature
		if soft && delSp {
			l = l[:len(l)-1]
		}
		out.WriteString(l)
		if !soft {
			out.WriteByte('\n')
		}
		open, depth = soft, level
	}
	return out.String()
}

// withoutArmour takes off the lines that an OpenPGP signature wraps a text in.
func withoutArmour(text string) string {
	const begin, signature, end = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"
	if !strings.Contains(text, signature) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	within, headers := false, false
	for l := range strings.SplitSeq(text, "\n") {
		switch trimmed := strings.TrimRight(l, " \t"); {
		case trimmed == begin:
			headers = true
			continue
		case trimmed == signature:
			within = true
		case trimmed == end:
			within = false
			continue
		case headers:
			headers = trimmed != ""
			continue
		}
		if !within {
			out.WriteString(strings.TrimPrefix(l, "- "))
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// withoutFiles takes files out of a text that stand in it in the old way, between
// a line "begin 644 name" and a line "end", and takes note of their names.
func (b *body) withoutFiles(text string) string {
	if !strings.Contains(text, "begin ") || !strings.Contains(text, "\nend") {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	rest := text
	for rest != "" {
		l, behind := cutLine(rest)
		if name, ok := beginsFile(l, behind); ok {
			if end := strings.Index(behind, "\nend"); end >= 0 {
				b.attach(fileName(name))
				_, rest = cutLine(behind[end+1:])
				continue
			}
		}
		out.WriteString(rest[:len(rest)-len(behind)])
		rest = behind
	}
	return out.String()
}

// beginsFile tells the first line of such a file; the next one is full of data.
func beginsFile(l, behind string) (name string, ok bool) {
	mode, found := strings.CutPrefix(l, "begin ")
	mode, name, split := strings.Cut(mode, " ")
	if !found || !split || len(mode) != 3 && len(mode) != 4 || strings.Trim(mode, "01234567") != "" {
		return "", false
	}
	data, _ := cutLine(behind)
	return name, strings.HasPrefix(data, "M") && len(data) >= 60 || len(data) > 4 && len(data) < 62 && !strings.ContainsAny(data, "abcdefghijklmnopqrstuvwxyz")
}

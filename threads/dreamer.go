package threads

// dreamer looks at all of it, sideways.
func dreamer() nature { return nature{tools: []string{searchNotesTool, searchMemoryTool}} }

package threads

// oracle looks ahead, at whatever has a date. It searches the notes as it does
// the memory.
func oracle() nature {
	return nature{tools: []string{listEventsTool, searchNotesTool, readMailTool, searchMemoryTool}}
}

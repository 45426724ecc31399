package threads

// oracle looks ahead, at whatever has a date. It searches the notes as it will
// the memory that they are part of.
func oracle() nature { return nature{tools: []string{listEventsTool, searchNotesTool, readMailTool}} }

package deliberate_test

func runChild(string) int { return 1 }

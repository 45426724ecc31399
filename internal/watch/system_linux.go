package watch

const (
	// defaultLimit of watches; the kernel takes about 1 KiB for each.
	defaultLimit = 200_000
	// watchesFiles: watching a folder costs a watch for each file in it.
	watchesFiles = false

	watchesRemedy  = `raise the limit: echo "fs.inotify.max_user_watches=524288" | sudo tee /etc/sysctl.d/60-watches.conf && sudo sysctl --system`
	watchersRemedy = `raise the limit: echo "fs.inotify.max_user_instances=512" | sudo tee /etc/sysctl.d/60-watches.conf && sudo sysctl --system`
)

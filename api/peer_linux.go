package api

import "golang.org/x/sys/unix"

// peerCredentials returns who called connect on the other end.
func peerCredentials(fd int) (peer, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(credentials.Uid), pid: int(credentials.Pid)}, nil
}

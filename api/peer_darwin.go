package api

import "golang.org/x/sys/unix"

// peerCredentials returns who called connect on the other end. The process is
// for messages alone, so that not to know it is no error.
func peerCredentials(fd int) (peer, error) {
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	who := peer{uid: int(credentials.Uid)}
	if pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
		who.pid = pid
	}
	return who, nil
}

package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// inside is set for a process that Enter started.
const inside = "SUBCONSCIOUS_EVAL_WATCHED"

// Inside reports whether this process was started by Enter.
func Inside() bool { return os.Getenv(inside) == "1" }

// Enter runs this program again, with other arguments, in a network of its own,
// waits for it, and returns its exit code. It returns ErrUnsupported where the
// system gives no such network.
func Enter(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	program, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Stdout, command.Stderr, command.Env = stdout, stderr, append(os.Environ(), inside+"=1")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("%w: the system gives this user no network of its own: %w", ErrUnsupported, err)
	}
	err = command.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// checks are addresses to which the watch sends at its start, to find out whether it
// sees its own packets; marker is one to which it sends before each answer, so that
// all earlier packets were seen. All are reserved for documentation.
func checks() []netip.AddrPort {
	return []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:9"), netip.MustParseAddrPort("[2001:db8:5::5]:9")}
}

func marker() netip.AddrPort { return netip.MustParseAddrPort("192.0.2.2:9") }

// Watch counts every packet that this process, or any other in its network,
// sends.
type Watch struct {
	socket int
	done   chan struct{}
	ended  chan struct{}

	mu    sync.Mutex // for what follows
	tally *tally
	err   error
}

// Open sets up the network and begins to watch. It sends packets of its own, and
// fails where it does not see them. The process must have been started by Enter.
func Open(ctx context.Context) (*Watch, error) {
	if !Inside() {
		return nil, fmt.Errorf("watch the network: %w: it is not one of its own", ErrUnsupported)
	}
	if err := furnish(); err != nil {
		return nil, fmt.Errorf("watch the network: %w: %w", ErrUnsupported, err)
	}
	socket, err := listen()
	if err != nil {
		return nil, fmt.Errorf("watch the network: %w: %w", ErrUnsupported, err)
	}
	w := &Watch{socket: socket, done: make(chan struct{}), ended: make(chan struct{}), tally: newTally()}
	for _, to := range append(checks(), marker()) {
		w.tally.checks[to.Addr()] = 0
	}
	go w.watch()
	for _, to := range checks() {
		if err := w.provoke(ctx, to); err != nil {
			return nil, errors.Join(err, w.end())
		}
	}
	return w, nil
}

// furnish brings the loopback interface up and makes every address one of this
// machine: what is sent to any goes out over lo, and is refused there.
func furnish() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("bring up lo: %w", err)
	}
	every := []*net.IPNet{{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}}
	if hasIPv6() {
		every = append(every, &net.IPNet{IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)})
	}
	for _, all := range every {
		route := &netlink.Route{LinkIndex: lo.Attrs().Index, Dst: all, Type: unix.RTN_LOCAL, Scope: netlink.SCOPE_HOST, Table: unix.RT_TABLE_LOCAL}
		if err := netlink.RouteAdd(route); err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("send everything to lo: %w", err)
		}
	}
	return nil
}

// hasIPv6 reports whether the system speaks it.
func hasIPv6() bool {
	_, err := os.Stat("/proc/net/if_inet6")
	return err == nil
}

const (
	// kept are the bytes of a packet that are looked at.
	kept = 128
	// waiting are the bytes of packets that may wait to be looked at.
	waiting = 64 << 20
	// look is how long the watch waits for a packet before it asks whether it
	// is to end.
	look = 50 * time.Millisecond
	// within is how long a packet may take to be seen.
	within = 5 * time.Second
)

func listen() (int, error) {
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, all)
	if err != nil {
		return 0, err
	}
	wait := unix.NsecToTimeval(look.Nanoseconds())
	if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return 0, errors.Join(err, unix.Close(socket))
	}
	if unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, waiting) != nil {
		// The largest that is allowed; what is too much for it is counted.
		_ = unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUF, waiting)
	}
	return socket, nil
}

// watch counts until it is told to end.
func (w *Watch) watch() {
	defer close(w.ended)
	buffer := make([]byte, kept)
	for {
		n, from, err := unix.Recvfrom(w.socket, buffer, unix.MSG_TRUNC)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			select {
			case <-w.done:
				return
			default:
				continue
			}
		case err != nil:
			w.mu.Lock()
			w.err = fmt.Errorf("watch the network: %w", err)
			w.mu.Unlock()
			return
		}
		if link, ok := from.(*unix.SockaddrLinklayer); ok && link.Pkttype != unix.PACKET_OUTGOING {
			continue
		}
		w.mu.Lock()
		w.tally.add(parse(buffer[:min(n, kept)], n))
		w.mu.Unlock()
	}
}

// Allow says that what goes to and from a port of this machine is configured.
func (w *Watch) Allow(port uint16) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.allowed[port] = true
}

// provoke sends a packet to an address that nobody has and waits until it was seen;
// all that was sent before was seen then too.
func (w *Watch) provoke(ctx context.Context, to netip.AddrPort) error {
	if to.Addr().Is6() && !hasIPv6() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	before, _ := w.checked(to.Addr())
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp", to.String())
	if err != nil {
		return fmt.Errorf("watch the network: %w", err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte{0}) // it cannot arrive
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for {
		if n, err := w.checked(to.Addr()); n > before {
			return err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("watch the network: the watch is blind: a packet to %s was sent and not seen within %s", to, within)
		}
	}
}

// checked is how many packets to an address of the watch were seen, and what ended it.
func (w *Watch) checked(to netip.Addr) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tally.checks[to], w.err
}

// Seen returns what was seen of all that was sent up to now.
func (w *Watch) Seen(ctx context.Context) (Seen, error) {
	if err := w.provoke(ctx, marker()); err != nil {
		return Seen{}, err
	}
	stats, err := unix.GetsockoptTpacketStats(w.socket, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return Seen{}, fmt.Errorf("watch the network: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.seen.Dropped += int(stats.Drops) // counted since it was asked last
	return w.tally.result(), w.err
}

func (w *Watch) end() error {
	close(w.done)
	<-w.ended
	return unix.Close(w.socket)
}

// Close ends the watch, and returns what was seen in all.
func (w *Watch) Close(ctx context.Context) (Seen, error) {
	seen, err := w.Seen(ctx)
	return seen, errors.Join(err, w.end())
}

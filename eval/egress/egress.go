// Package egress watches what leaves a process. Enter runs the process again in a
// network of its own, which has a loopback interface and nothing else: whatever
// is sent to any other host goes out there and is seen, names that are looked up
// included, and no packet reaches anybody. Linux alone can do so.
//
// It stores nothing. The suites of eval call it.
package egress

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// ErrUnsupported is why nothing can be watched: another system, or no right to
// make a network.
var ErrUnsupported = errors.New("what leaves this process cannot be watched here")

// Destination is where packets went that nobody allowed.
type Destination struct {
	// To is an address with its port, or without one where the protocol has
	// none; Protocol is "tcp", "udp", "icmp", or a number.
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Packets  int    `json:"packets"`
	// Bytes are those of whole packets, headers included.
	Bytes int `json:"bytes"`
}

// Seen is what was seen.
type Seen struct {
	// Packets is of all, those allowed included; Dropped those that came too
	// fast to be looked at.
	Packets int `json:"packets"`
	Dropped int `json:"packets_not_looked_at"`
	// Bytes are those that nobody allowed, Destinations where they went.
	Bytes        int           `json:"bytes_to_hosts_not_configured"`
	Destinations []Destination `json:"destinations"`
}

// String says it in a line.
func (s Seen) String() string {
	var to []string
	for _, d := range s.Destinations {
		to = append(to, fmt.Sprintf("%s %s (%d bytes)", d.Protocol, d.To, d.Bytes))
	}
	if len(to) == 0 {
		to = []string{"nowhere"}
	}
	return fmt.Sprintf("%d bytes, to %s", s.Bytes, strings.Join(to, ", "))
}

// packet is what is known of one.
type packet struct {
	protocol string
	from, to netip.AddrPort // port 0 where there is none
	bytes    int
	// refusal is set where the kernel answers that nobody listens there.
	refusal bool
}

// protocols by their numbers.
var protocols = map[int]string{1: "icmp", 58: "icmp", 6: "tcp", 17: "udp"}

// parse reads the headers of a packet of IP. What is no IP, or cut, is of no
// address.
func parse(data []byte, bytes int) packet {
	p := packet{protocol: "other", bytes: bytes}
	var next int
	var from, to net.IP
	var rest []byte
	v4, not4 := ipv4.ParseHeader(data)
	v6, not6 := ipv6.ParseHeader(data)
	switch {
	case not4 == nil && v4.Version == ipv4.Version && v4.Len >= ipv4.HeaderLen:
		from, to, next = v4.Src, v4.Dst, v4.Protocol
		if v4.FragOff == 0 { // a later fragment has no ports
			rest = data[v4.Len:]
		}
	case not6 == nil && v6.Version == ipv6.Version:
		from, to, next, rest = v6.Src, v6.Dst, v6.NextHeader, data[ipv6.HeaderLen:]
	default:
		return p
	}
	p.protocol = cmp.Or(protocols[next], fmt.Sprint(next))
	const reset = 4
	switch {
	case next == 6 && len(rest) >= 14:
		p.refusal = rest[13]&reset != 0
	case len(rest) >= 1:
		p.refusal = next == 1 && rest[0] == 3 || next == 58 && rest[0] == 1
	}
	ports := [4]byte{}
	if (next == 6 || next == 17) && len(rest) >= 4 {
		ports = [4]byte(rest)
	}
	source, _ := netip.AddrFromSlice(from)
	target, _ := netip.AddrFromSlice(to)
	p.from = netip.AddrPortFrom(source.Unmap(), binary.BigEndian.Uint16(ports[:]))
	p.to = netip.AddrPortFrom(target.Unmap(), binary.BigEndian.Uint16(ports[2:]))
	return p
}

// isNeighbourhood reports whether the kernel itself sent the packet, to find
// neighbours, of which there are none.
func (p packet) isNeighbourhood() bool {
	return p.protocol == "icmp" && p.to.Addr().Is6() && p.to.Addr().IsMulticast()
}

// tally counts packets. Its owner locks it.
type tally struct {
	allowed map[uint16]bool
	// checks are addresses that the watch itself sends to, and how often it saw
	// that.
	checks map[netip.Addr]int
	seen   Seen
	to     map[Destination]*Destination
}

func newTally() *tally {
	return &tally{allowed: map[uint16]bool{}, checks: map[netip.Addr]int{}, to: map[Destination]*Destination{}}
}

// mostDestinations bounds how many are told apart.
const mostDestinations = 1000

func (t *tally) add(p packet) {
	t.seen.Packets++
	local := p.to.Addr().IsLoopback() && p.from.Addr().IsLoopback()
	if n, check := t.checks[p.to.Addr()]; check {
		t.checks[p.to.Addr()] = n + 1
		return
	}
	if p.refusal || p.isNeighbourhood() || local && (t.allowed[p.to.Port()] || t.allowed[p.from.Port()]) {
		return
	}
	t.seen.Bytes += p.bytes
	key := Destination{To: p.to.String(), Protocol: p.protocol}
	switch {
	case !p.to.IsValid():
		key.To = "an unknown address"
	case p.to.Port() == 0:
		key.To = p.to.Addr().String()
	}
	if t.to[key] == nil && len(t.to) >= mostDestinations {
		key = Destination{To: "others", Protocol: "any"}
	}
	if t.to[key] == nil {
		t.to[key] = &Destination{To: key.To, Protocol: key.Protocol}
	}
	t.to[key].Packets++
	t.to[key].Bytes += p.bytes
}

func (t *tally) result() Seen {
	seen := t.seen
	seen.Destinations = []Destination{}
	for _, d := range t.to {
		seen.Destinations = append(seen.Destinations, *d)
	}
	slices.SortFunc(seen.Destinations, func(a, b Destination) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.To, b.To), cmp.Compare(a.Protocol, b.Protocol))
	})
	return seen
}

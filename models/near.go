package models

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/own"
)

// near reports whether an address is certain to be on this machine or in its
// network: only then is a model taken to be local without a word of the person.
func near(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := at.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate())
}

// barred is the address at which no model is asked, although a name may lead
// there: one of the link alone, where a cloud hands out the keys of its machines,
// of a group, or of none in particular.
type barred struct{ ip netip.Addr }

func (b barred) Error() string {
	return fmt.Sprintf("%s is link-local, multicast or unspecified, and no model is asked there", b.ip)
}

// bar refuses such an address, with or without a port. A name is no address.
func bar(address string) error {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		at, _ := netip.ParseAddrPort(address)
		ip = at.Addr()
	}
	if ip = ip.Unmap(); ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return barred{ip}
	}
	return nil
}

// OwnNetwork reports whether a host is on this machine or in its network, as far
// as its name tells: a name without a dot is one of the network's own. It is for
// warnings, not for trust.
func OwnNetwork(host string) bool { return own.Network(host) }

package models

import (
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
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// OwnNetwork reports whether a host is on this machine or in its network, as far
// as its name tells: a name without a dot is one of the network's own. It is for
// warnings, not for trust.
func OwnNetwork(host string) bool { return own.Network(host) }

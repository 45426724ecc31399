package models

import (
	"net/netip"
	"net/url"
	"strings"
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
func OwnNetwork(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		shared := netip.MustParsePrefix("100.64.0.0/10")
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || shared.Contains(ip.Unmap())
	}
	for _, end := range []string{".localhost", ".local", ".lan", ".internal", ".home.arpa", ".ts.net"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

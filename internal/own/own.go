// Package own tells hosts of one's own from those of others: this machine and
// its network. Models and notifications decide by it what text goes where.
//
// It stores nothing, and looks nothing up: a name is judged as it is written.
package own

import (
	"net/netip"
	"strings"
)

// Loopback reports whether a host is this machine, as it is written. A port is no
// part of a host.
func Loopback(host string) bool {
	host = strings.TrimSuffix(host, ".")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Network reports whether a host is on this machine or in its network, as far
// as its name tells: a name without a dot is one of the network's own. A port
// is no part of a host.
func Network(host string) bool {
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
	return host != "" && !strings.Contains(host, ".")
}

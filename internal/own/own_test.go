package own_test

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/own"
)

func TestNetwork(t *testing.T) {
	for _, host := range []string{
		"localhost", "a.localhost", "127.0.0.1", "127.8.9.1", "::1", "10.1.2.3", "192.168.0.9", "172.31.0.1", "100.64.0.1",
		"169.254.1.1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "nas", "NAS.local", "nas.local.", "nas.lan", "a.internal",
		"a.home.arpa", "box.tail1234.ts.net",
	} {
		if !own.Network(host) {
			t.Errorf("%q is not held to be one's own", host)
		}
	}
	for _, host := range []string{
		"", ".", "ntfy.sh", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "::ffff:8.8.8.8", "local.example.com",
		"localhost.example.com", "127.0.0.1.example.com", "xlan.example",
	} {
		if own.Network(host) {
			t.Errorf("%q is held to be one's own", host)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, ".": false, "0.0.0.0": false, "10.1.2.3": false, "localhost.example.com": false, "127.0.0.1.example.com": false,
	} {
		if own.Loopback(host) != want {
			t.Errorf("%q: want %v", host, want)
		}
	}
}

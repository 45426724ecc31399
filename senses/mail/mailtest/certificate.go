package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Authority is a certificate authority made for one run and a server's
// certificate that it signed.
type Authority struct {
	Config *tls.Config    // of the server
	Pool   *x509.CertPool // what a client trusts
	PEM    []byte         // the authority, for a file
	// The server's certificate and key, for a server that reads files.
	ServerPEM, ServerKeyPEM []byte
}

// Certificate makes an authority and a certificate of localhost, 127.0.0.1, ::1
// and names, good from a day before at until ten years after it.
func Certificate(at time.Time, names ...string) (Authority, error) {
	fail := func(err error) (Authority, error) { return Authority{}, fmt.Errorf("make a certificate: %w", err) }
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailtest authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: at.AddDate(0, 0, -1), NotAfter: at.AddDate(10, 0, 0), KeyUsage: x509.KeyUsageCertSign}
	signed, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return fail(err)
	}
	ours, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: append([]string{"localhost"}, names...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	cert, err := x509.CreateCertificate(rand.Reader, leaf, root, &ours.PublicKey, key)
	if err != nil {
		return fail(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ours)
	if err != nil {
		return fail(err)
	}
	a := Authority{Pool: x509.NewCertPool(), PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		ServerPEM:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		ServerKeyPEM: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})}
	a.Pool.AppendCertsFromPEM(a.PEM)
	pair, err := tls.X509KeyPair(a.ServerPEM, a.ServerKeyPEM)
	if err != nil {
		return fail(err)
	}
	a.Config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return a, nil
}

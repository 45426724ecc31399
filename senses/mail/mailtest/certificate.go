package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
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
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailtest authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: at.AddDate(0, 0, -1), NotAfter: at.AddDate(10, 0, 0), KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: append([]string{"localhost"}, names...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // of both
	if err != nil {
		return Authority{}, fmt.Errorf("make a key: %w", err)
	}
	signed, err1 := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	cert, err2 := x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, key)
	der, err3 := x509.MarshalPKCS8PrivateKey(key)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Authority{}, fmt.Errorf("make a certificate: %w", err)
	}
	encoded := func(kind string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}) }
	a := Authority{Pool: x509.NewCertPool(), PEM: encoded("CERTIFICATE", signed), ServerPEM: encoded("CERTIFICATE", cert), ServerKeyPEM: encoded("PRIVATE KEY", der)}
	a.Pool.AppendCertsFromPEM(a.PEM)
	a.Config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	return a, nil
}

package account

import "errors"

// What can be wrong with an account, for errors.Is. The text of an error says
// what happened, where, and what to do.
var (
	// ErrSignIn says that the server refused the password or the token, or that
	// there is no way of signing in which both sides know.
	ErrSignIn = errors.New("signing in was refused")
	// ErrSecure says that the connection cannot be protected as it has to be: a
	// certificate that is not trusted, or no STARTTLS.
	ErrSecure = errors.New("the connection cannot be protected")
	// ErrFolder says that there is no such folder.
	ErrFolder = errors.New("there is no such folder")
	// ErrBusy says that the server has no room now: too many connections, or it
	// is down for a while.
	ErrBusy = errors.New("the server has no room now")
	// ErrBounds says that the server sent more than was asked for, or what no
	// server sends.
	ErrBounds = errors.New("the server sent what it should not")
	// ErrSilent says that the server did not answer in time.
	ErrSilent = errors.New("the server does not answer")
	// ErrLost says that the connection ended.
	ErrLost = errors.New("the connection ended")
	// ErrStopped says that the account was stopped.
	ErrStopped = errors.New("the account was stopped")
)

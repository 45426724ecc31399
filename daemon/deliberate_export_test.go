package daemon

import (
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Deliberations is the worker that deliberates, and Actions what it can do.
func (d *Daemon) Deliberations() *deliberate.Worker { return d.deliberations }
func (d *Daemon) Actions() *actions.Engine          { return d.actions }

// Mailbox is the mail as tools read it.
func (d *Daemon) Mailbox() threads.MailReader { return mailbox{d.ledger, &d.accounts, d.options.Now} }

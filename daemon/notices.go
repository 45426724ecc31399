package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Codes of the operational notices.
const (
	noticeBlind     = "sense_blind"
	noticeDegraded  = "sense_degraded"
	noticeRejected  = "document_rejected"
	noticeHeartbeat = "heartbeat_unheard"
)

// notices are those that a tick begins and ends.
type notices struct {
	raise   []mind.Notice
	resolve []mind.NoticeKey
}

func (n notices) and(more notices) notices {
	return notices{append(n.raise, more.raise...), append(n.resolve, more.resolve...)}
}

// senseNotices begins a notice for every sense that does not see, or not all,
// and ends it for those that do again, or left. Notices bypass the threads.
func senseNotices(at time.Time, staged *senses.Staged) (all notices) {
	for _, id := range staged.Left() {
		all.resolve = append(all.resolve, mind.NoticeKey{Code: noticeBlind, Key: id.String()}, mind.NoticeKey{Code: noticeDegraded, Key: id.String()})
	}
	for _, h := range staged.Health() {
		id := senses.SenseID{Sense: h.Kind, ID: h.ID}.String()
		blind, degraded := mind.NoticeKey{Code: noticeBlind, Key: id}, mind.NoticeKey{Code: noticeDegraded, Key: id}
		name := strings.TrimSuffix(h.Kind+" "+h.ID, " ")
		reason := strings.TrimPrefix(h.Error, h.Kind+" "+h.ID+": ") // the sense need not say its name again
		switch h.State {
		case senses.Blind:
			all.raise = append(all.raise, mind.Notice{NoticeKey: blind, At: at,
				Text: fmt.Sprintf("%s has been blind since %s: %s", name, h.Since.In(at.Location()).Format("Mon 15:04"), reason),
				Next: "mend that; nothing that happens meanwhile is lost to it"})
		case senses.Degraded:
			all.raise = append(all.raise, mind.Notice{NoticeKey: degraded, At: at,
				Text: fmt.Sprintf("%s does not see everything: %s", name, reason), Next: "see `subconsciousctl status`"})
			all.resolve = append(all.resolve, blind)
		default:
			all.resolve = append(all.resolve, blind, degraded)
		}
	}
	return all
}

// publication publishes the document, takes over what others change in it, and
// keeps notices of how that went.
type publication struct {
	publisher *mind.Publisher
	mind      *mind.Store
	now       func() time.Time
	logger    *slog.Logger
	// unread is since when what stands in the document's place cannot be read; waits
	// says why that is left alone. The tick's own.
	unread time.Time
	waits  string
}

// recover publishes the committed document again where a crash kept it from
// being published.
func (p *publication) recover(ctx context.Context) {
	if _, err := p.publisher.Recover(ctx); err != nil {
		p.logger.Warn("the document cannot be published yet", "error", err)
	}
}

// publish writes the document. A failure does not undo the tick: the next one
// publishes again, and until then the status says why.
func (p *publication) publish(ctx context.Context, at time.Time, tick int64, document []byte) error {
	_, err := p.publisher.Publish(ctx, tick, document)
	key, next := mind.NoticeKey{Code: api.NoticeUnpublished}, "make room or mend the folder; the next tick writes it again"
	var unkept error
	switch {
	case err == nil:
		_, unkept = p.mind.ResolveNotice(ctx, key)
	case store.CodeOf(err) == store.CodeEdited:
		if p.waits != "" {
			err = errors.New(p.waits)
		}
		p.logger.Info("the document is not published over an edit", "tick", tick, "reason", err)
		next = "correct or finish the edit; the next tick takes it over and publishes"
	default:
		p.logger.Error("the document was not published", "tick", tick, "error", err)
	}
	if err != nil {
		_, unkept = p.mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: at, Text: "subconscious.json was not written: " + err.Error(), Next: next})
	}
	if unkept != nil {
		p.logger.Error("a notice could not be kept", "error", unkept)
	}
	return err
}

// modelNotices begins a notice for every thread whose model cannot be had, and
// ends it when a model answers again.
func modelNotices(at time.Time, results []threads.Result, usualOf func(subconscious.ThreadName) string) (all notices) {
	for _, r := range results {
		usual := usualOf(r.Thread)
		key := mind.NoticeKey{Code: view.NoticeModel, Key: string(r.Thread)}
		switch {
		case usual == "" || r.Model == usual:
			all.resolve = append(all.resolve, key)
		case !r.Attention.Ask || r.Err != nil || len(r.Failures) == 0:
			// It was not asked, and nothing new is known of its model.
		case r.Mode == modeReflex:
			all.raise = append(all.raise, mind.Notice{NoticeKey: key, At: at,
				Text: view.Thinks(string(r.Thread)) + "by rules: " + r.Reason,
				Next: "see `subconsciousctl models`; rules look at everything meanwhile, and the model is asked again by itself"})
		default:
			all.raise = append(all.raise, mind.Notice{NoticeKey: key, At: at,
				Text: view.Thinks(string(r.Thread)) + "with a stand-in: " + r.Reason,
				Next: "see `subconsciousctl models`"})
		}
	}
	return all
}

// trouble keeps a notice outside of ticks while there is a text, and ends it where there
// is none. raised: there was no such notice before.
func (d *Daemon) trouble(ctx context.Context, code, text, next string) (raised bool) {
	key := mind.NoticeKey{Code: code}
	var err error
	if text == "" {
		_, err = d.mind.ResolveNotice(ctx, key)
	} else {
		raised, err = d.mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: d.now(), Text: text, Next: next})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		d.options.Logger.Error("a notice could not be kept", "error", err)
	}
	return raised
}

package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
)

const (
	// searchBytes is what one UID takes in an answer, with its space.
	searchBytes = 11
	// small is the size of a folder that is searched in one piece; a larger one
	// is in windows of UIDs, so that an answer stays small whatever is in it.
	small = 20_000
	// manyWindows is after how many windows they may grow beyond small: UIDs as
	// sparse as that are in no honest folder, and it has to end.
	manyWindows = 100
	lastUID     = imap.UID(1<<32 - 1)
)

// errClosed is returned where no folder was opened.
var errClosed = errors.New("no folder is open: call Examine first")

// Since returns the UIDs of the messages that the server took in on the day of t
// or later, ascending; of more than limit the newest, by UID. Days are the
// server's, whose zone is unknown, so that those of the day before are among them.
func (s *Session) Since(ctx context.Context, t time.Time, limit int) ([]imap.UID, error) {
	if err := s.open(); err != nil || s.conn.opened.Messages == 0 || limit <= 0 {
		return nil, err
	}
	// A day earlier: the server's day may be behind that of t.
	criteria := imap.SearchCriteria{Since: t.AddDate(0, 0, -1)}
	high, size := s.top(), s.window()
	var found []imap.UID // descending
	for n := 0; ; n++ {
		low := imap.UID(1)
		if high > size {
			low = high - size + 1
		}
		uids, err := s.search(ctx, criteria, low, high)
		if err != nil {
			return nil, err
		}
		slices.Reverse(uids)
		found = append(found, uids...)
		if low == 1 || len(found) >= limit {
			break
		}
		high, size = low-1, grow(size, n)
	}
	found = found[:min(len(found), limit)]
	slices.Reverse(found)
	return found, nil
}

// After returns the UIDs above uid, ascending; of more than limit the lowest, so
// that the next call goes on where this one ended.
func (s *Session) After(ctx context.Context, uid imap.UID, limit int) ([]imap.UID, error) {
	if err := s.open(); err != nil || s.conn.opened.Messages == 0 || limit <= 0 {
		return nil, err
	}
	high, size := s.top(), s.window()
	var found []imap.UID
	for n := 0; uid < high && len(found) < limit; n++ {
		to := high
		if high-uid > size {
			to = uid + size
		}
		uids, err := s.search(ctx, imap.SearchCriteria{}, uid+1, to)
		if err != nil {
			return nil, err
		}
		found = append(found, uids...)
		uid, size = to, grow(size, n)
	}
	return found[:min(len(found), limit)], nil
}

func (s *Session) open() error {
	switch {
	case s.conn == nil:
		return errOver
	case s.conn.opened.Name == "":
		return errClosed
	}
	return nil
}

// top is the highest UID that there can be.
func (s *Session) top() imap.UID {
	if next := s.conn.opened.UIDNext; next > 0 {
		return next - 1
	}
	return lastUID
}

// window is how many UIDs to look at with one command.
func (s *Session) window() imap.UID {
	if s.conn.opened.Messages <= small {
		return lastUID
	}
	return small
}

// grow is the window after n others: the same, but for the sparsest of folders.
func grow(size imap.UID, n int) imap.UID {
	if n < manyWindows {
		return size
	}
	return size + min(size, lastUID-size)
}

// search returns the UIDs from low to high that match, ascending. The server's
// answer may be ranges, and may name what was not asked for: "n:*" always has the
// last message. Of ranges no more is taken than the folder has messages.
func (s *Session) search(ctx context.Context, criteria imap.SearchCriteria, low, high imap.UID) ([]imap.UID, error) {
	var set imap.UIDSet
	set.AddRange(low, high)
	if high == lastUID {
		set = imap.UIDSet{{Start: low, Stop: 0}}
	}
	criteria.UID = []imap.UIDSet{set}
	most := min(int64(s.conn.opened.Messages), 2*small, int64(high-low)+1)
	a := allowance{bytes: most * searchBytes, line: most*searchBytes + maxLine}
	var answer *imap.SearchData
	err := s.command(ctx, "searching", a, func() (err error) {
		answer, err = s.conn.client.UIDSearch(&criteria, nil).Wait()
		return err
	})
	if err != nil {
		return nil, err
	}
	ranges, ok := answer.All.(imap.UIDSet)
	if !ok {
		return nil, nil
	}
	return among(ranges, low, high, int(most)+small), nil
}

// among are the UIDs of ascending ranges from low to high, of more than most the
// highest.
func among(ranges imap.UIDSet, low, high imap.UID, most int) []imap.UID {
	var uids []imap.UID
	for _, r := range slices.Backward(ranges) {
		if r.Start == 0 || r.Stop == 0 {
			continue // "*" is no answer
		}
		for uid := min(r.Stop, high); uid >= max(r.Start, low) && len(uids) < most; uid-- {
			uids = append(uids, uid)
		}
	}
	slices.Reverse(uids)
	return uids
}

package calendar

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	maxMeetings = 5
	maxLink     = 250 // bytes
)

// meetingHosts are the hosts whose links mean a meeting wherever they stand.
// A link to any other host counts only in a property made for it: a
// description may hold links that a hundred other events hold too.
var meetingHosts = []string{
	"zoom.us", "meet.google.com", "teams.microsoft.com", "teams.live.com", "webex.com", "whereby.com", "meet.jit.si",
	"gotomeeting.com", "bluejeans.com", "chime.aws", "bigbluebutton.org", "jitsi.org",
}

var linkPattern = regexp.MustCompile(`https?://[^\s<>"'\\]{4,500}`)

// meetingLinks returns the meeting links of an event, each once, without query
// and fragment: these hold passcodes, and differ for one meeting.
func meetingLinks(own []string, text string) []string {
	var links []string
	add := func(raw string, anyHost bool) {
		link, err := url.Parse(strings.TrimSpace(raw))
		if err != nil || len(raw) > 500 || link.Host == "" || link.Scheme != "https" && link.Scheme != "http" || link.Path == "" || link.Path == "/" {
			return
		}
		host := strings.ToLower(link.Hostname())
		if !anyHost && !slices.ContainsFunc(meetingHosts, func(known string) bool {
			return host == known || strings.HasSuffix(host, "."+known)
		}) {
			return
		}
		plain := url.URL{Scheme: link.Scheme, Host: strings.ToLower(link.Host), Path: link.Path, RawPath: link.RawPath}
		if text := plain.String(); len(text) <= maxLink && len(links) < maxMeetings && !slices.Contains(links, text) {
			links = append(links, text)
		}
	}
	for _, raw := range own {
		add(raw, true)
	}
	if strings.Contains(text, "://") {
		for _, raw := range linkPattern.FindAllString(text, 50) {
			add(strings.TrimRight(raw, ".,;:!?)]}"), false)
		}
	}
	return links
}

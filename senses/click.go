package senses

import (
	"errors"
	"net/url"
	"strings"
)

// clickID is what stands for the id of a thing in the template of its address.
const clickID = "{id}"

// CheckClick says what is wrong with a template of the addresses at which things
// are opened; empty is none.
func CheckClick(template string) error {
	host, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(template, "http://"), "https://"), "/")
	at, err := url.Parse(strings.ReplaceAll(template, clickID, "id"))
	if template != "" && (err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Contains(host, clickID) || !strings.Contains(rest, clickID)) {
		return errors.New("click: it is no address with {id} behind its host; write it as https://mail.example.com/search/{id}")
	}
	return nil
}

// maxClick bounds the address of a thing, in bytes.
const maxClick = 1000

// Click is the address at which a thing is opened: that of the configuration, in
// which the thing's id is nothing but a name, whoever chose it. "" for none.
func Click(template, id string) string {
	link := strings.ReplaceAll(template, clickID, strings.ReplaceAll(url.QueryEscape(id), "+", "%20"))
	if id == "" || len(link) > maxClick {
		return ""
	}
	return link
}

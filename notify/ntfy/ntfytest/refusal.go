package ntfytest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// refusal is an error as a server words it.
type refusal struct {
	Code  int    `json:"code"`
	HTTP  int    `json:"http"`
	Error string `json:"error"`
	Link  string `json:"link,omitempty"`
}

const manual = "https://ntfy.sh/docs/"

// Codes begin with the status.
var (
	noPriority  = refusal{40007, 400, "invalid priority parameter", manual + "publish/#message-priority"}
	noSince     = refusal{40008, 400, "invalid since parameter", manual + "subscribe/api/#fetch-cached-messages"}
	noTopic     = refusal{40009, 400, "invalid topic: path invalid", ""}
	noFiles     = refusal{40014, 400, "invalid request: attachments not allowed", manual + "config/#attachments"}
	noActions   = refusal{40018, 400, "invalid request: actions invalid", manual + "publish/#action-buttons"}
	noJSON      = refusal{40024, 400, "invalid request: request body must be message JSON", manual + "publish/#publish-as-json"}
	noSequence  = refusal{40049, 400, "invalid request: sequence ID invalid", manual + "publish/#updating-deleting-notifications"}
	noSignIn    = refusal{40101, 401, "unauthorized", manual + "publish/#authentication"}
	forbidden   = refusal{40301, 403, "forbidden", manual + "publish/#authentication"}
	noPage      = refusal{40401, 404, "page not found", ""}
	tooLarge    = refusal{41303, 413, "JSON body too large", ""}
	tooMany     = refusal{42901, 429, "limit reached: too many requests", manual + "publish/#limitations"}
	itsOwnFault = refusal{50001, 500, "internal server error", ""}
)

func (r refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.WriteHeader(r.HTTP)
	_ = json.NewEncoder(w).Encode(r)
}

// actions is a refusal of buttons that says which.
func actions(what string) *refusal {
	r := noActions
	r.Error += ", " + what
	return &r
}

// page is what something else answers in the place of the server.
func page(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = strings.NewReader("<html><body><h1>" + http.StatusText(status) + "</h1></body></html>\n").WriteTo(w)
}

package subconscious_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// languages are sentences as they stand in summaries.
var languages = map[string][]string{
	"english": {"Invoice 4711 is asked for by Friday 18:00, and nothing was sent since", "Disk /var is 96% full: 1.9 GB left of 50 GB",
		"Clash on Mon 23 Nov: Review 10:00–10:45 and Dentist 10:20–10:50", "backup.service failed (exit code 1), for the third Monday in a row",
		"\"lighthouse\" is in files/lighthouse-budget.csv and in Lighthouse review", "Open since 3 Nov: renew the domain example.org"},
	"german": {"Rechnung 4711 wird bis Freitag 18:00 verlangt, seitdem wurde nichts geschickt", "Festplatte /var ist zu 96 % voll, es bleiben 1,9 GB",
		"Überschneidung am Montag: Besprechung 10:00–10:45 und Zahnarzt 10:20–10:50", "Die Haftpflichtversicherungsbestätigung für den Kindergarten fehlt noch immer"},
	"french": {"La facture 4711 est demandée pour vendredi 18 h, et rien n’a été envoyé depuis", "Le disque /var est plein à 96 % : il reste 1,9 Go",
		"Conflit lundi : réunion 10 h 00–10 h 45 et dentiste 10 h 20–10 h 50", "Rendre à l’école l’autorisation de sortie signée"},
	"spanish": {"Piden la factura 4711 para el viernes a las 18:00 y no se ha enviado nada", "El disco /var está al 96 %: quedan 1,9 GB",
		"Coinciden el lunes: revisión 10:00–10:45 y dentista 10:20–10:50", "Falta confirmar la reserva del albergue para el fin de semana"},
	"japanese": {"請求書4711は金曜日18時までに必要ですが、まだ送られていません", "ディスク/varの使用率が96%です。残りは1.9GBです", "月曜日に会議と歯医者が重なっています", "バックアップが三週続けて月曜日に失敗しました"},
	"chinese":  {"星期五18点前需要发票4711,但至今没有寄出任何东西", "磁盘/var已使用96%,还剩1.9GB", "星期一的评审会议和牙医预约时间冲突", "備份服務連續三個星期一都失敗了"},
	"korean":   {"청구서 4711은 금요일 18시까지 필요하지만 아직 보내지 않았습니다", "디스크 /var 사용률이 96%입니다", "월요일에 회의와 치과 예약이 겹칩니다"},
	"russian":  {"Счёт 4711 нужен к пятнице, 18:00, но с тех пор ничего не отправлено", "Диск /var заполнен на 96 %", "В понедельник пересекаются встреча и зубной врач"},
	"emoji": {"🎉🎂 Party for 🧑‍🍳🧑‍🚀 on 🗓️ Friday 🕕🎈🎁🪅🎊", "🚨🚨 disk 💾 full 🔥🔥🔥 at 9️⃣6️⃣% 🫠😱", "✈️ LIS → ZRH 🛫🛬 ☎️ ✅ ❌ ⚠️", "🏳️‍🌈🇨🇭🇩🇪🇫🇷🇪🇸🇯🇵🇰🇷🇺🇦",
		"🦄🧯🪫📎🛠️🪛🔩⚙️🧰🪜🧲🔬🔭📡💉🩹🩺"},
	"paths": {"work/src/xK29/qZ-7731_b.tar.gz was saved", "home/u/.cache/7f3a9c1e/4b8d2a60f95c_final(2).csv was renamed", "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678 was checked out",
		"https://example.com/r/3Qx9Lw?id=77f0-41aa-9c3e&n=8821#p4", "IMG_20261102_081533_HDR~2.jpg, IMG_20261102_081611_HDR~3.jpg and 11 more"},
	"symbols": {"<b>!!! $$$ {{x}} [[y]] \\o/ ~~~ ^^ &&& ||| ;;;</b>", "C++ & C# <-> F#: a<b && b>c || !(d==e)", "\"\"\"quoted\"\"\" \\\\server\\share\\a$"},
	"amharic": {"ደረሰኝ ፬፯፩፩ እስከ አርብ ድረስ ይፈለጋል እስካሁን ምንም አልተላከም", "ዲስኩ ሞልቷል"},
	"short":   {"x"},
}

var zone = time.FixedZone("", 3600)

// fullState is a state with every list full, of entries with summaries of a
// language, and all that can be shown beside them.
func fullState(summaries []string) subconscious.State {
	at := time.Date(2026, 11, 2, 8, 10, 0, 0, zone)
	s := subconscious.State{Version: 1, TickCount: 123456, LastTick: at, Threads: map[subconscious.ThreadName]subconscious.ThreadState{}}
	summary := func(i int) string { return subconscious.Summary(summaries[i%len(summaries)]) }
	for _, list := range subconscious.Lists() {
		for i := range 5 {
			n := len(s.Entries)
			if list == subconscious.Insights && i > 2 {
				break
			}
			e := subconscious.Entry{ID: subconscious.EntryID(fmt.Sprintf("w-invoice-%x", 0x3a7f00+17*n)), List: list, Kind: subconscious.Kinds()[n%13], Summary: summary(n),
				Strength: 3 + n%4, Importance: 3 + n%7, Created: at.Add(-time.Duration(n) * 50 * time.Minute), LastSeen: at.Add(-time.Duration(n) * 5 * time.Minute)}
			if n%3 == 0 {
				e.Due = at.Add(time.Duration(n+1) * 7 * time.Hour)
			}
			for k, sense := range []string{"calendar", "notes", "health"} {
				e.Evidence = append(e.Evidence, subconscious.Held{Citation: subconscious.Citation{Ref: subconscious.NewRef(sense, fmt.Sprint(n, k)), Seq: int64(n)}, Standing: n%2 == 0})
			}
			s.Entries = append(s.Entries, e)
		}
	}
	for i, name := range subconscious.Threads() {
		t := subconscious.ThreadState{NoveltyPressure: i, FocusHint: summary(i + 1), Health: "ok"}
		for k := range 3 {
			t.LastFindings = append(t.LastFindings, []subconscious.EntryID{s.Entries[i+k].ID, s.Entries[i+k+7].ID})
		}
		s.Threads[name] = t
	}
	for i := range 7 {
		s.History = append(s.History, subconscious.EscalationRecord{At: at.Add(time.Duration(i) * time.Hour), Incident: "health:disk:/var",
			Summary: summary(i), Reason: "it is in its critical band", Outcome: "told"})
	}
	return s
}

// drawState is a state of any size, with summaries as if they came from
// elsewhere.
func drawState(t *rapid.T) subconscious.State {
	text := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"english", "german", "french", "spanish", "japanese", "chinese", "korean", "russian", "emoji", "paths", "symbols", "amharic", "short"}),
			func(name string) string { return languages[name][0] + " " + languages[name][len(languages[name])-1] }),
		rapid.String(),
		rapid.StringOfN(rapid.SampledFrom([]rune("ab \"\\<🦄語\n")), 0, 500, -1),
	)
	s := fullState([]string{text.Draw(t, "summary"), text.Draw(t, "other summary")})
	for i := range s.Entries {
		s.Entries[i].Summary = text.Draw(t, "entry")
		s.Entries[i].Strength = rapid.IntRange(-5, 20).Draw(t, "strength")
		s.Entries[i].Over = rapid.Bool().Draw(t, "over")
		s.Entries[i].Evidence = s.Entries[i].Evidence[:rapid.IntRange(1, 3).Draw(t, "evidence")]
	}
	s.Entries = s.Entries[rapid.IntRange(0, len(s.Entries)).Draw(t, "left out"):]
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		more := fullState([]string{"too many"}).Entries[rapid.IntRange(0, 17).Draw(t, "again")]
		more.ID = subconscious.EntryID(fmt.Sprintf("x-more-%d", len(s.Entries)))
		s.Entries = append(s.Entries, more)
	}
	for i := range s.History {
		s.History[i].Reason = text.Draw(t, "reason")
	}
	for name, thread := range s.Threads {
		thread.FocusHint = text.Draw(t, "hint")
		thread.NoveltyPressure = rapid.IntRange(-3, 30).Draw(t, "pressure")
		thread.LastFindings = append(thread.LastFindings, nil, nil)[:rapid.IntRange(0, 5).Draw(t, "findings")]
		thread.Health = rapid.SampledFrom([]string{"", "ok", "failed"}).Draw(t, "health")
		s.Threads[name] = thread
	}
	return s
}

func asJSON(t testutil.T, v any) string { return string(testutil.JSON(t, v)) }

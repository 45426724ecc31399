package dates

import (
	"strings"
	"sync"
)

// role is what a word can do in a date. A word can have several.
type role uint64

const (
	// Introducers.
	rBy      role = 1 << iota // sets a limit: by, bis, avant
	rBefore                   // sets a limit that is over when the day begins: before, vor
	rOn                       // leads to a day: on, am, den
	rThe                      // article that leads to a day of the month: the, zum, le, el
	rAt                       // leads to a time: at, um, vers
	rLas                      // las, in "a las 15:00"
	rIn                       // leads to a span: in, within, dans
	rInWeak                   // leads to a span only with what follows: "dentro de", "innerhalb von"
	rDecimal                  // introduces a date with two dots and no year
	rSlashed                  // introduces a date with one slash and no year
	// Days.
	rWeekday
	rWeekdayShort // an abbreviation, read beside a date or after an introducer
	rWeekdayWeak  // an abbreviation or name that is also another word
	rMonth
	rMonthWeak // also another word: read with a capital only
	rToday
	rTonight // ends "this", "heute", "ce", "esta" as well
	rTomorrow
	rMorning // as rTomorrow but also "morning": Morgen, mañana
	rAfterTomorrow
	rAfter // "day after", "après-", "pasado"
	rClosing
	rClosingUpper // an abbreviation that is read in capitals, or after "by"
	rUnit
	rNumber
	rNext    // nearest after today
	rNextEn  // of the following week
	rThis    // nearest, today included
	rWeekend // the days off
	rEnd     // end, Ende, fin, final
	rMonthEnd
	rWeekEnd
	rYearEnd
	// Times.
	rNoon
	rNoonWeak // also a name or a part of the day: read behind what leads to a time
	rMidnight
	rUhr
	rAM
	rPM
	rHours // h, heures, horas
	rHalf  // media, demie
	rQuarter
	rNight // abend, evening: makes a small hour one of the afternoon
	// Small words.
	rOf
	rOrdinal // st, nd, rd, th, er, º
	rQue     // "que viene"
	rViene
	rFrom // "from now"
	rNow
	// Words that forbid what follows.
	rNot       // last, every, since, black
	rNotBefore // makes "Morgen" and "mañana" a morning
	rNotAfter  // dernier, pasado, gras: forbids the weekday before it
	rVersion   // version, chapter: the numbers after it are no date
)

type unit uint8

const (
	noUnit unit = iota
	minutes
	hours
	days
	weeks
	months
	years
)

// lexeme is all that one word can mean.
type lexeme struct {
	roles   role
	weekday int8 // 0 Sunday, where rWeekday, rWeekdayShort or rWeekdayWeak
	month   int8 // 1 to 12
	value   int16
	unit    unit
}

func (l lexeme) is(r role) bool { return l.roles&r != 0 }

// roleWords lists the words of each role, of all languages together.
var roleWords = []struct {
	roles role
	words string
}{
	{rBy | rBefore, `before vor avant antes`},
	{rBy, `by until till due deadline bis spätestens hasta límite limite frist fällig abgabe échéance vence plazo than ici`},
	{rBy, `para pour jusqu jusque`},
	{rOn, `d l on am den dem beim del de au du al das dès el le les la für fur día dia ici`},
	{rThe, `the zum le el día dia den du del`},
	{rAt, `at um gegen vers around about à kurz`},
	{rLas, `las la`},
	{rIn, `in within dans binnen innerhalb sous ici`},
	{rInWeak, `en dentro`},
	{rDecimal, `bis am zum vom ab den dem spätestens frist fällig abgabe deadline due until till by`},
	{rSlashed, `le el du del au al`},
	{rToday, `today heute aujourd hoy`},
	{rTonight, `tonight`},
	{rNight, `night evening abend nacht soir noche abends nachts nuit tonight afternoon nachmittag tarde nachmittags`},
	{rTomorrow, `tomorrow tmrw demain`},
	{rTomorrow | rMorning, `morgen mañana`},
	{rAfterTomorrow, `übermorgen überübermorgen`},
	{rAfter, `après pasado`},
	{rClosing, `feierabend geschäftsschluss dienstschluss büroschluss tagesende`},
	{rClosing | rClosingUpper, `eod cob eob`},
	{rNext, `nächste nächsten nächster nächstes nächstem kommende kommenden kommender kommendes kommendem prochain prochaine próximo próxima coming upcoming following`},
	{rNext | rNextEn, `next`},
	{rThis, `this diesen diese dieser dieses diesem ce cet cette este esta`},
	{rWeekend, `weekend wochenende weekends`},
	{rEnd, `end ende fin final finales finals close`},
	{rMonthEnd, `eom monatsende`},
	{rWeekEnd, `eow wochenschluss`},
	{rYearEnd, `eoy jahresende`},
	{rNoon, `noon midday mittags midi mediodía`},
	{rNoonWeak, `mittag`},
	{rMidnight, `midnight mitternacht minuit medianoche`},
	{rUhr, `uhr`},
	{rAM, `am`},
	{rPM, `pm`},
	{rHours, `h hs hrs heures heure horas hora`},
	{rHalf, `media demie`},
	{rQuarter, `cuarto`},
	{rOf, `of de d l del des der du la las el los les the von`},
	{rOrdinal, `st nd rd th er º ª`},
	{rQue, `que`},
	{rViene, `viene`},
	{rFrom, `from`},
	{rNow, `now`},
	{rNot, `last past every each since previous ago letzten letzte letzter letztes vergangenen vergangene vorigen vorige jeden jede jeder
		seit seitdem immer chaque depuis tous toutes cada desde todos todas último ultimo última black good casual girl not
		santo plácido`},
	{rNotBefore, `am guten guter jeden den der dieser diesen heute gestern einen nächsten la esta cada una misma toda las buenas good`},
	{rNotAfter, `dernier dernière derniers passé passée pasado pasada gras ago letzter letzten`},
	{rVersion, `version versión release rev revision build v kapitel chapter section abschnitt chapitre capítulo sección
		artículo article artikel paragraph absatz punkt ziffer figure fig table page seite p s nr no firmware`},
}

// weekdayWords are the names and abbreviations, from Sunday on.
var weekdayWords = []struct {
	roles role
	words [7]string
}{
	{rWeekday, [7]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}},
	{rWeekday, [7]string{"sonntag", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag"}},
	{rWeekday, [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}},
	{rWeekday, [7]string{"", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"}},
	{rWeekdayWeak, [7]string{"domingo", "", "", "", "", "", "sonnabend"}},
	{rWeekdayShort, [7]string{"", "", "tue tues", "weds", "thu thur thurs", "fri", ""}},
	{rWeekdayWeak, [7]string{"sun so dim dom", "mon mo lun", "di mar", "wed mi mer mié", "do jeu jue", "fr ven vie", "sat sa sam sáb"}},
}

// monthWords are the names and abbreviations, from January on.
var monthWords = []struct {
	roles role
	words [12]string
}{
	{rMonth, [12]string{"january", "february", "", "april", "", "june", "july", "august", "september", "october", "november", "december"}},
	{rMonth | rMonthWeak, [12]string{"", "", "march mar", "", "may", "", "", "", "", "", "", ""}},
	{rMonth, [12]string{"jan", "feb", "", "apr", "", "jun", "jul", "aug", "sep sept", "oct", "nov", "dec"}},
	{rMonth, [12]string{"januar jänner", "februar feber", "märz", "", "mai", "juni", "juli", "", "", "oktober okt", "", "dezember dez"}},
	{rMonth, [12]string{"janvier janv", "février févr fév", "mars", "avril avr", "", "juin", "juillet juil", "août", "septembre", "octobre", "novembre", "décembre déc"}},
	{rMonth, [12]string{"enero ene", "febrero", "marzo", "abril abr", "mayo", "junio", "julio", "agosto ago", "septiembre setiembre", "octubre", "noviembre", "diciembre dic"}},
}

var unitWords = []struct {
	unit  unit
	words string
}{
	{minutes, `minute minutes minuten minuto minutos min mins`},
	{hours, `hour hours stunde stunden heure heures hora horas h hrs std`},
	{days, `day days tag tage tagen tages jour jours día días journée workday`},
	{weeks, `week weeks woche wochen semaine semaines semana semanas workweek`},
	{months, `month months monat monats monate monaten mois mes meses`},
	{years, `year years jahr jahrs jahres jahre jahren an ans année années año años`},
}

var numberWords = []string{
	`a an one ein eine einem einer einen eines un une una uno`, `two zwei deux dos`, `three drei trois tres`,
	`four vier quatre cuatro`, `five fünf cinq cinco`, `six sechs seis`, `seven sieben sept siete`, `eight acht huit ocho`,
	`nine neun neuf nueve`, `ten zehn dix diez`, `eleven elf onze once`, `twelve zwölf douze doce`,
	`thirteen dreizehn treize trece`, `fourteen vierzehn quatorze catorce`, `fifteen fünfzehn quinze quince`,
}

var lexicon = sync.OnceValue(buildLexicon)

func buildLexicon() map[string]lexeme {
	words := map[string]lexeme{}
	add := func(list string, change func(*lexeme)) {
		for _, w := range strings.Fields(list) {
			l := words[fold(w)]
			change(&l)
			words[fold(w)] = l
		}
	}
	for _, e := range roleWords {
		add(e.words, func(l *lexeme) { l.roles |= e.roles })
	}
	for _, e := range weekdayWords {
		for d, names := range e.words {
			add(names, func(l *lexeme) { l.roles |= e.roles; l.weekday = int8(d) })
		}
	}
	for _, part := range []string{"abend", "morgen", "nachmittag", "vormittag", "mittag", "früh"} {
		for d, name := range weekdayWords[1].words {
			add(name+part, func(l *lexeme) { l.roles |= rWeekday; l.weekday = int8(d) })
		}
	}
	for _, e := range monthWords {
		for m, names := range e.words {
			add(names, func(l *lexeme) { l.roles |= e.roles; l.month = int8(m + 1) })
		}
	}
	for _, e := range unitWords {
		add(e.words, func(l *lexeme) { l.roles |= rUnit; l.unit = e.unit })
	}
	for n, names := range numberWords {
		add(names, func(l *lexeme) { l.roles |= rNumber; l.value = int16(n + 1) })
	}
	return words
}

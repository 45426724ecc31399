package prose

var germanSets = map[string]Set{
	"soft": SetOf(`mir uns bitte mal kurz noch auch das es ihm ihr ihnen eventuell vielleicht schon jetzt gleich doch dazu daran sich dich euch`),
	// give is what one says to somebody: the imperative, familiar and formal.
	"give": SetOf(`schick schicke schickt schicken send sende sendet senden gib gebt geben sag sage sagt sagen bring bringe bringt bringen
		mail maile mailt mailen ruf rufe ruft rufen melde melden meldet schreib schreibe schreibt schreiben bestätige bestätigt bestätigen
		prüfe prüf prüft prüfen überprüfe überprüfen unterschreibe unterschreiben überweise überweisen bezahle bezahlen zahle zahlen begleichen
		kläre klärt klären teile teilen teilt nenne nennen nennt lies lesen lest schau schaut schauen schaue sieh sehen füll fülle füllen füllt
		reiche reichen reicht lade laden ladet komm kommt kommen hol hole holen holt kauf kaufe kaufen kauft hilf helft helfen mach mache macht machen
		erledige erledigen leite leiten leitet übermitteln übermittle lass lasst lassen antworte antwortet antworten erkläre erklären
		kümmere kümmern kümmert stimme stimmen sorge sorgen trag trage tragen korrigiere korrigieren ergänze ergänzen aktualisieren
		buche buchen bestelle bestellen reserviere reservieren storniere stornieren verschiebe verschieben denk denke denkt denken
		vergiss vergesst vergessen halte halten ändere ändern entscheide entscheiden vereinbaren erinnere erinnern einreichen zurücksenden
		zurückrufen übersende übersenden vervollständigen kündigen bearbeite bearbeiten mitteilen`),
	"your":   SetOf(`ihre ihren ihrer ihr ihres deine deinen deiner dein eure euren euer eurer`),
	"notice": SetOf(`bescheid rückmeldung antwort nachricht bestätigung info zusage absage rückruf mitteilung`),
	"have": SetOf(`hast habt haben bist seid sind kommst kommt kommen kannst könnt können könntest könntet könnten wirst werdet werden willst wollt magst mögt schaffst schafft
		schaffen gehst geht weißt wisst wissen findest findet fährst fahrt fahren machst macht machen hattest hattet hatten denkst denken meinst meinen
		brauchst braucht brauchen warst wart möchtest möchten bringst bringt bringen nimmst nehmen siehst sehen wolltest hältst halten würdest würden
		bekommst bekommen dürfen`),
}

// germanAsks is how something is asked in German.
var germanAsks = language{
	polite: phrases(germanSets, `
		# kannst du, können Sie
		kannst/könntest/würdest/magst/kannste du {soft} ... [give]
		könnt/könntet/würdet ihr {soft}
		können/könnten/würden sie bitte/mir/uns/so/noch/das/die/den/dies/diese/ihre/ihren
		kannst/könntest/würdest/magst du bitte/mir/uns/so/mal/kurz
		wären/wärst/wäre/seien sie/du so/bitte
		# wäre es möglich
		wäre es möglich
		ist es möglich dass sie/du
		darf/dürfte/dürfen ich/wir ... bitten/erinnern
	`),
	requests: phrases(germanSets, `
		# bitte mit einem Verb
		bitte {soft} [give]
		^ [give] sie/du/mir/uns/ihr {soft} ... bitte
		^ schick/schicke/sende/gib/sag/bring/maile/ruf/schreib/leih mir/mich/uns
		# ich bitte um
		ich/wir bitte/bitten ... um
		ich/wir bitte/bitten dich/sie/euch
		um ... rückmeldung/bestätigung/zusendung/überweisung/rücksendung/antwort/prüfung/übersendung wird? gebeten
		bitte um ... rückmeldung/bestätigung/zusendung/überweisung/rücksendung/antwort/prüfung/unterschrift/rückruf/info/stellungnahme
		# wir benötigen von Ihnen
		wir/ich benötige/benötigen/brauche/brauchen/bräuchte/bräuchten ... [your]
		wir/ich benötige/benötigen/brauche/brauchen/bräuchte/bräuchten ... von dir/ihnen/euch
		benötigen/brauchen wir ... [your]
		# gib Bescheid
		gib/geben/gebt/sag/sagt sie? mir/uns ... bescheid
		lass/lassen/lasst sie? mich/uns ... wissen
		# es wäre schön, wenn
		wäre ... schön/nett/super/toll/lieb/gut/prima/hilfreich wenn du/sie/ihr
		wäre/wären ... dankbar/verbunden ... wenn/für
		ich/wir würde/würden mich/uns ... freuen wenn du/sie/ihr
		ich/wir warte/warten ... auf [your]
		# denk daran
		^ vergiss/vergesst bitte? nicht
		^ denk/denkt/denken sie? bitte? daran/dran
		^ meld/melde/meldet dich/euch
		mit der bitte um
	`),
	questions: phrases(germanSets, `
		# hast du, wann kommst du
		^ [have] du/ihr
		wann/wo/was/wie/wer/wen/wem/warum/wieso/welche/welchen/welcher/welches/wohin/woher/womit/wieviel ... [have] du/ihr/sie
		wann/wo/was/wie/wer/wen/wem/warum/wieso/welche/welchen/welcher/welches/wohin/woher/womit ... *st du
		wann/wo/wie/was/welche/welcher/welches ... dir/ihnen/euch
		^ haben/sind/können/könnten/werden/kommen/wissen/hätten/schaffen/waren sie
		# passt es dir
		^ passt/passen ... dir/ihnen/euch/es/das
		^ passt/ginge/geht/klappt ... montag/dienstag/mittwoch/donnerstag/freitag/samstag/sonntag/morgen/heute
		^ geht/ginge/klappt das/es/der
		ist/wäre/wär ... dir/ihnen/euch/dich/sie ... recht/möglich/ok/okay/lieber/frei
		# soll ich
		^ soll/sollen/darf/dürfen/kann/können ich/wir
		wann/wo/wie/was soll/sollen/können/wollen/treffen wir/ich
		^ gibt es schon/etwas/neuigkeiten/was ... neues/neuigkeiten
		wie ist/lautet deine/ihre/eure
		wie/was ist mit dir/ihnen
		um wie viel uhr
		^ wie wäre/wär es/s
	`),
	open: phrases(germanSets, `
		^ wie lange/viel/viele/oft/weit/spät/teuer/hoch/groß
		^ wann/wo/wohin/wer ist/sind/war/beginnt/kommt/fängt/endet/findet/geht/fährt/liegt/steht/wird
		^ was/welche/welcher/welches ist/sind/kostet/heißt/bedeutet
		^ ist/sind/geht/gibt/kommt/klappt/reicht/stimmt das/es/der/die/dies/dein/ihr
	`),
	formulas: phrases(germanSets, `
		# bei Fragen
		bei/für ... fragen/rückfragen ...
		wenn/falls/sollten/haben ... fragen/rückfragen haben/bestehen/auftreten
		sollten/falls sie/du ... haben/fragen
		# zögern Sie nicht, antworten Sie nicht, bitte beachten Sie
		zögern/zögere sie? ... nicht
		nicht auf diese ... antworten
		antworten sie ... nicht
		nicht ... antworten $
		bitte nicht ... antworten
		bitte beachten/beachte/entnehmen/haben/entschuldigen/entschuldige/finden/klicken/klicke/besuchen/ignorieren/verzeihen/verzeih/wenden
		# das Kleingedruckte
		abmelden/abbestellen/austragen/abbestellung/newsletter/klicken/klick
		löschen sie
		vernichten sie
		irrtümlich
		bitten ... um ... verständnis/entschuldigung/geduld/beachtung/verzeihung/nachsicht
		bitte ... um ... verständnis/entschuldigung/geduld/beachtung/verzeihung/nachsicht
		prüfen sie ob/der umwelt
		ausdrucken
		haben sie verständnis
		stehe/stehen ... zur verfügung
		grüße/grüß/grüßen ... von/ihre/deine
		lassen sie sich
	`),
	idle: phrases(germanSets, `
		# wie geht es dir
		wie geht es/s dir/ihnen/euch $
		wie geht/gehts dir/ihnen/euch
		geht es/s dir/ihnen/euch
		# was Verkäufer fragen
		wissen/wussten/kennen/kennst/wusstest sie/du schon/dass/eigentlich
		haben/hast sie/du ... genug/lust/schulden/interesse/probleme/schon
		suchen/brauchen/wollen/möchten/träumen/leiden/sparen sie
		sind/bist sie/du ... bereit/neugierig/interessiert/sicher/verrückt/müde/single/einsam
		# an niemanden gerichtet
		wer weiß/braucht/will
		weiß/weiss/hat/kennt/kann jemand
		was soll/sollen das/man
		kann/können man
		nicht wahr
		haben/habt/hast sie/ihr/du noch? fragen
		haben/habt/hast sie/ihr/du eine? frage
	`),
}

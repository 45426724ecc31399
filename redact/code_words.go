package redact

import "strings"

// role is what a word says of a number that stands near it.
type role uint8

const (
	// names: it is the word for something that opens.
	names role = iota
	// opens: it is what a code opens, or what is done with one.
	opens
	// admits: it is what signing in and confirming are called.
	admits
	// commands: it tells the reader to enter or to say something.
	commands
	// cautions: it is how such messages end.
	cautions
	// counts: it is what other numbers are called, or what they count.
	counts
	// trades: it is what advertising, programs and papers speak of.
	trades
	// passwords: it is the word for something like a password; of codes it says
	// nothing.
	passwords
	roles
)

// cueWords are the words by their role, in the four languages that are read. A
// star stands for a blank between words, and at either end for the rest of a word.
var cueWords = [roles][]string{
	names: {
		// English
		`*code *codes code pin pins *-pin *pin-code passcode passcodes puk token passkey digit digits letters characters combination combo`,
		// German
		`kenncode geheimzahl geheimnummer ziffer* *ziffern ziffernfolge buchstaben zeichen kombination zahlenkombination zahlencode`,
		// French
		`clé codice chiffres lettres combinaison digicode sésame`,
		// Spanish
		`código códigos codigo codigos clave claves dígitos cifras letras combinación`,
		// the names of the procedure, and of keys and numbers, in all languages
		`otp totp otc *tan mtan sms-tan 2fa mfa two-factor 2-step single-use one-time one*time*password *one-time*password one-time*passcode einmal* usage*unique un*solo*uso
		activation*key licence*key license*key product*key setup*key recovery*key unlock*key backup*key access*number pick-up*number
		*freigabenummer *bestätigungsnummer identifikationsnummer abholnummer *aktivierungsschlüssel *wiederherstellungsschlüssel *freischaltschlüssel`,
	},
	opens: {
		// English: doors, boxes and stores
		`lock lock*box lockbox smart*lock latch padlock barrier bolt car*park parking elevator gatehouse cottage cabin apartment flat check-in laundry
		door doors front*door gate gates garage alarm keypad keybox key*safe keysafe safe storage turnstile cabinet cupboard shed mailbox letterbox vault room*key
		unlock* open opens opened let*in lets*in lets*you let*you*in get*in`,
		// English: parcels, people, machines and calls
		`locker parcel package courier driver visitor pick*up pickup pick-up collect withdraw doorstep charger scooter rental atm cash cardless withdrawal
		guest*network hotspot router voicemail dial-in host*key moderator dial remote*support parental meeting*id conference webinar pairing pair bluetooth sim esim printer`,
		// German
		`tür haustür türöffner *tür öffne* öffnet entsperr* *schloss *schlosses schließfach* *fach schlüsseltresor schlüsselbox schlüsselkasten schranke tastenfeld *keller tresor
		alarmanlage briefkasten *einfahrt gartentor *tor *wohnung ferienhaus aufzug spind schrank abhol* paket* boten bote fahrer sendung packstation
		ladesäule drucker druckauftrag fahrrad* roller geldautomat* bargeld abhebung sim-karte einwahl *raum moderator fernwartung
		kindersicherung jugendschutz receiver konferenz* koppel* kopplung* *wlan wlan-*`,
		// French
		`porte portail ouvre ouvrir ouvrez déverrouill* débloq* boîte*à*clés serrure cadenas coffre casier colis livreur retrait retirer relais immeuble hall
		barrière cave gîte ascenseur logement imprimante vélo trottinette borne distributeur répondeur décodeur contrôle*parental conférence réunion`,
		// Spanish
		`puerta abre abrir ábr* desbloque* caja*fuerte caja*de*llaves cerradura candado taquilla paquete repartidor recoger retirar
		garaje barrera trastero habitación apartamento alojamiento buzón armario portón impresora bici patinete cajero efectivo
		decodificador control*parental videollamada reunión conferencia wifi wi-fi`,
	},
	admits: {
		// English: signing in and confirming
		`sign*in signing*in sign-in signin signed*in sign-ins log*in log-in login logging*in sign*up sign-up signing*up get*started to*continue to*join
		verif* confirm* authent* authoris* authoriz* approv* approval consent identity identify prove access enrol* regist* activat* finish* recover* recovery reset restore
		one*more*step last*step next*step nearly*there almost*there almost*done nearly*done next*screen pop-up guard two-step sso vpn challenge`,
		// English: what one signs in to, and what is confirmed
		`account accounts device devices tv television phone mobile*number phone*number new*number wallet card payment purchase transfer payee wire bank beneficiary mandate direct*debit
		membership member*area patient prescription ballot voting sim*card watch headset linking caller browser laptop trusted temporary vault workspace
		subscription change*of delete*your`,
		// German: signing in and confirming
		`anmeld* einlogg* *anmeldung bestätig* bestaetig* freischalt* freizuschalten freigabe freigeb* zugang* *zugang zutritt* aktivier* wiederherstell*
		identifi* authentifi* verifizier* legitim* nachweis* registrier* genehmig* zustimm* verknüpf* verbinden ausweis* ausweisen unterschrift signatur altersprüfung
		schalten*sie weisen*sie melden*sie fast*geschafft letzter*schritt weitermachen fortfahren rückfrage`,
		// German: what one signs in to, and what is confirmed
		`*konto konto* kundenkonto nutzerkonto kontoeröffnung gerät* handy handynummer rufnummer* mobilnummer e-mail-adresse überweis* ueberweis* *zahlung *kauf karte auftrag
		lastschrift* mandat empfänger fernseher* mitglied* patienten* befund rezept abstimmung sitzung browser rechner umzug *portal`,
		// French
		`connect* connex* valid* vérif* inscri* autoris* associer déverrouillage récup* identité signature accès espace compte virement achat paiement bénéficiaire mandat
		téléviseur appareil montre ordinateur navigateur dossier*médical portabilité adhérent banque numéro*de*mobile dernière*étape pour*continuer`,
		// Spanish
		`acced* acceso entrar inicia* sesión vincul* autoriz* verific* confirmar validar identific* identidad registr* recuper* firma operación
		cuenta transferencia pago compra tarjeta beneficiario portabilidad tele televis* ordenador dispositivo navegador móvil reloj votación banco banca bizum
		último*paso para*continuar`,
	},
	commands: {
		// English
		`enter type use key*in tap press input paste copy quote tell show give reply respond text pop scramble insert provide submit send read*out
		mention state say present hit punch dictate forward fill*in following below prompted`,
		// German
		`eingeben einzugeben eintippen einzutippen eintragen eingibst tippen tippe gib gebe geben*sie nutzen*sie verwenden nennen nenne sag wählen mitteilen mitzuteilen
		angeben anzugeben vorzeigen zeigen zeige übermitteln ein ausfüllen notieren lesen vorlesen drücken folgend*`,
		// French
		`saisir saisissez saisis tapez taper entrez entrer recopiez composez composer indiquez donner donnez dites utilisez renseignez renseigner
		communiquez présentez montrez appuyez suivant`,
		// Spanish
		`teclee teclea* tecleando introduce introduzca introducir ingresa ingrese escribe escriba digita digite marca mete decir di diga enseña enseñe muestra muestre
		usa utiliza utilice responde indica indique pon ponga pulsa pulse dicta facilite envía envíe rellena siguiente`,
	},
	cautions: {
		// English: how long it holds, and how often
		`expire* expires valid offline minutes*only within within*minutes ten*minutes save*these works*once used*once only*once once`,
		// English: who is to know it, and who asked for it
		`never never*share never*ask never*give will*never not*share don't*share don’t*share anyone nobody to*yourself keep*safe keep*them*safe
		not*you ignore*us ignore*this ignore*it didn't*request did*not*request asked*for wasn't*you was*that*you was*this*you if*it*was*you is*this*you`,
		// German
		`gültig gilt läuft*ab einmalig niemand niemandem nicht*weiter* nicht*weitersagen nie*deswegen ignorier* nicht*angefordert nur*für*sie`,
		// French
		`valable expire personne ne*communiqu* ne*le* ne*partag* jamais pas*demandé ignorez`,
		// Spanish
		`válid* caduca vence no*compart* no*lo*compart* nadie nunca no*solicit*`,
	},
	counts: {
		// English: papers, orders and clients
		`order orders invoice bill tracking booking reservation reference ref ticket case issue bug pr contract customer customer*id member receipt part account*number
		proposal incident consignment position vacancy application extension file attempts statement policy hotel cancellation`,
		// English: things that have a number, and places
		`serial sku isbn iban ean asin vin item model flight train bus platform row seat seats coach room suite street aim icq vol pp chapter section article line lines version build release
		board diodes digest channel episode level court courts sprint`,
		// English: what "code" and "number" stand behind else
		`error errors fault status exit area zip postcode postal post country dress source morse dewey sic naics barcode qr sort colour color tax*code conduct ethics`,
		// English: what numbers count
		`units pieces points coins visits replies guests tests files jobs viewers friends mm kg kwh mbit joules balance deposit price total amount score attendance issues
		population years census minutes*late rows`,
		// German
		`bestell* bestellung* rechnung* rechnungs* *rechnung kunden* vorgangs* sendungs* auftrags* artikel artikel* beleg fehler* fehlercode strichcode* telefonnummer konto*nummer kontonummer
		postleitzahl postfach plz blz bankleitzahl vorwahl aktenzeichen steuernummer kennzeichen zählerst* zimmer gleis wagen platz seite seiten tarif protokoll stand tor halle saal
		datei störung gebühr kurs notdienst stornierung codezeilen zeilen verwendungszweck`,
		// French
		`fichier réf commande facture dossier référence numéro*de*client client article vol siège voiture quai annulation barre barras civil route postal conduite`,
		// Spanish
		`archivo pedido factura expediente vuelo asiento coche andén reserva seguimiento artículo cliente cancelación conducta calle socios`,
	},
	trades: {
		// advertising, in all languages
		`voucher coupon discount promo sale offer deal save checkout off gift basket till present reply*stop newsletter
		gutschein* rabatt sparen sparst einlösen warenkorb aktions* geschenk* code*promo remise réduction profitez avantage offert* panier cadeau
		cupón descuento ahorra regal* cesta`,
		// programs and machines
		`return func const error err null nil int log info debug warn stderr curl localhost review commit diff pull*request retry sensor valve`,
		// papers and dates
		`report agenda minutes*of percent year since statistics study budget appointment termin jahr`,
	},
	passwords: {
		`password passphrase passcode pw pwd passwort *passwort *kennwort *wlan-schlüssel mot*de*passe clé code*secret contraseña clave* clave*temporal
		guest*wi-fi wi-fi*network wi-fi wifi`,
	},
}

// dashes end what a code is set off by.
var dashSigns = newWords("-", "–", "—")

// numberSigns end in front of an amount, or of a number that names something.
var (
	numberSigns = newWords("€", "£", "₹", "¥", "n°", "nº", "xx", "**", "no.", "nr.", "art.", "réf.", "ref.", "nº.", "tel.", "$",
		"...", "ending", "ending in", "ending with", "ends in", "ends with", "endet auf", "endend auf", "endend mit", "finissant par", "terminant par", "terminada en", "termina en", "acabada en")
	numberUnits = newBeginnings("€", "$", "£", "%", "° ")
)

// units are what amounts are counted in.
var units = wordSet(`eur usd chf gbp jpy krw yen euro euros dollars minute minutes minuten min mins stunden hours heures horas tage days jours días uhr seiten pages páginas lines zeilen lignes
	km kg mm cm ml kwh hpa mb gb kb percent prozent seconds sekunden secondes years jahre ans años mbit ms units pieces people points items euros meter meters mètres metros`)

// wordSet returns the words of a list.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// telephones are what telephone numbers stand behind.
var telephones = wordSet(`tel phone fax telefon mobile téléphone teléfono`)

// months may stand before a year.
var months = wordSet(`january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec januar februar märz mai juni juli oktober
		dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
		diciembre`)

const verbList = `is ist lautet est es are sind sont son reads be now nun it's code's él reading takes sees needs wants sera será`

// The words right before and behind a code, by what they do.
var (
	articles = wordSet(`the der die das den le la les el los las`)
	// verbs tie what follows to what was named; ties tie a code to its words.
	verbs = wordSet(verbList)
	ties  = wordSet(verbList + ` with mit avec con using use enter type code pin tan passcode press quote reply copy show ohne bitte sie einfach saisissez tapez recopiez entrez
		introduce introduzca escribe teclea tecleando mete token als as gib nutze digits by typing text usa clave heute muss following otp mtan código codigo puk 2fa codes`)
	// numbers are what any number is called: "the number 4711" points to one, "thing
	// number 4711" is that of a thing.
	numbers = wordSet(`number numbers nummer numéro número`)
	// leadOf name what a number that follows is the number of.
	leadOf = wordSet(`eur usd gbp chf inr order nr no ref reference invoice rechnung bestellung facture commande pedido factura auftrag vorgang ticket case in card karte carte tarjeta
		account konto compte cuenta flat room zimmer chambre habitación flight flug vol vuelo gate locker packstation taquilla casier fach page seite line
		zeile version v build id iban tel phone telefon since seit depuis desde of until bis parcel paket colis paquete sendung plz windows zip straße section article chapter port
		level channel episode bus stop halle stand tor gleis wagen model serial isbn rfc iso over über from von status error call unter platform row seat suite chrome im jahr year en
		road at um à las pages nach dated`)

	// leadOn may follow a code; other words that follow a number are what it
	// counts.
	leadOn = wordSet(`as is to on in into for when and at if with or from by before until so within here now only then that are it not was will works unlocks opens lets confirms authorises finishes expires but because after use
		used than who which ist als ein eintippen eingeben einzutippen einzugeben und oder für zum zur auf am im an bei bis damit wird schalten weisen gilt nur nicht lautet benötigt brauchen
		eingibst tippen nennen wählen verwenden gültig bitte dein ihr um aus vor sur à au dans et ou pour est comme en de du que qui puis votre ton avant quand si es el la para y
		o como con cuando al tu su antes por porque`)
	// standards are how the names of norms begin.
	standards = newBeginnings("iso-", "iso8", "utf-", "rfc", "cve-", "din-", "en-", "bs-", "iec-", "rs-", "rj-", "usb-", "sha", "md5", "mp3", "cp12", "can-", "aes", "a-z", "10-base")
	sizes     = wordSet("kb mb gb tb khz mhz ghz hz km kw kwh am pm th nd dpi px w v z hp q rpm p m")
)

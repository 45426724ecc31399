package redact

import "strings"

// role is what a word says of a number that stands near it.
type role uint8

const (
	// names: it is the word for something that opens.
	names role = iota
	// certain: it is the word for a one-time code and for nothing else.
	certain
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
	// numbers: it is what any number is called.
	numbers
	// yours: it says that something is the reader's own.
	yours
	// passwords: it is the word for something like a password; of codes it says
	// nothing.
	passwords
	roles
)

// cueWords are the words by their role. A star stands for the rest of a word.
var cueWords = [roles]string{
	names: `letters buchstaben lettres letras *code *codes code pin pins *-pin *pin-code passcode passcodes kenncode codice puk token passkey
		código códigos codigo clave claves clé digit digits ziffer* *ziffern ziffernfolge chiffres dígitos cifras characters zeichen
		*geheimzahl geheimnummer combination kombination zahlenkombination combinaison combinación combo sésame 
		 digicode`,
	certain: `otp totp otc *tan mtan sms-tan 2fa mfa *one-time*password one-time one*time*password single-use
		einmal* *freigabenummer *freischaltcode usage*unique un*solo*uso clave*dinámica clave*dinamica
		*verification*code security*code *access*code *sign-in*code *login*code *confirmation*code *recovery*code* *backup*code* activation*code
		*sicherheitscode *bestätigungscode *zugangscode *anmeldecode *prüfcode *abholcode kopplungscode *wiederherstellungscode* *aktivierungscode
		code*de*sécurité code*de*vérification code*d'accès code*d’accès code*de*connexion code*d'activation codes*de*secours code*secret code*d'entrée code*d’entrée
		código*de*acceso código*de*verificación código*de*seguridad códigos*de*recuperación código*de*confirmación
		activation*key licence*key license*key product*key setup*key scratch*codes emergency*codes recovery*key unlock*key backup*key clé*d'activation clé*d’activation clé*de*récupération clave*de*activación clave*de*recuperación
		*aktivierungsschlüssel *wiederherstellungsschlüssel *freischaltschlüssel two-factor 2-step
		door*code gate*code digicode access*number abholnummer abhol-pin entry*code pick-up*number pickup*code`,
	opens: `lock smart*lock latch padlock barrier car*park parking elevator gatehouse cottage cabin apartment check-in laundry charger scooter rental 
		 cabinet cupboard shed mailbox letterbox vault room*key guest*network hotspot router voicemail dial-in host*key moderator dial remote*support atm cash cardless withdrawal parental
		*schloss *schlosses briefkasten *einfahrt ladesäule drucker druckauftrag *wohnung ferienhaus gartentor *tor fahrrad* roller einwahl *raum moderator fernwartung kindersicherung jugendschutz receiver router geldautomat* bargeld abhebung sim-karte mailbox aufzug spind schrank
		salle parking barrière cave gîte serrure cadenas coffre imprimante vélo trottinette borne distributeur répondeur décodeur immeuble ascenseur contrôle*parental conférence logement
		cerradura candado garaje barrera trastero habitación apartamento alojamiento impresora bici patinete cajero efectivo buzón armario portón decodificador control*parental videollamada reunión conferencia
		let*in lets*in lets*you let*you*in get*in unlock* open opens opened door doors gate garage alarm keypad keybox lockbox lock*box key*safe keysafe safe storage turnstile visitor
		locker parcel package courier driver pick*up pickup pick-up collect withdraw doorstep
		tür haustür türöffner *tür öffne* öffnet entsperr* schließfach* *fach schlüsseltresor schlüsselbox schlüsselkasten schranke tastenfeld *keller tresor
		alarmanlage abhol* paket* boten bote fahrer sendung packstation
		porte portail ouvre ouvrir ouvrez déverrouill* débloq* boîte*à*clés casier colis livreur retrait retirer relais immeuble hall
		puerta abre abrir ábr* desbloque* caja*fuerte caja*de*llaves taquilla paquete repartidor recoger retirar
		wifi wi-fi *wlan wlan-* conference meeting*id passcode webinar konferenz* réunion pairing pair bluetooth koppel* kopplung* sim esim`,
	admits: `one*more*step last*step next*step nearly*there almost*there almost*done nearly*done next*screen sign*up sign-up signing*up get*started to*continue to*join pop-up approval
		schalten*sie weisen*sie melden*sie fast*geschafft letzter*schritt weitermachen fortfahren dernière*étape pour*continuer último*paso para*continuar
		purchase beneficiary mandate direct*debit mobile*number phone*number new*number membership member*area patient prescription ballot voting sim*card watch headset linking caller consent
		change*of restore delete*your subscription trusted browser laptop
		rufnummer* mobilnummer e-mail-adresse kundenkonto nutzerkonto mitglied* patienten* befund rezept ausweis* abstimmung *kauf empfänger mandat lastschrift* sitzung browser rechner handy verknüpf* verbinden umzug zustimm* genehmig* unterschrift signatur legitim* nachweis* registrier* rückfrage
		bénéficiaire mandat portabilité montre ordinateur navigateur dossier*médical paiement autoris* inscri* banque appareil déverrouillage adhérent numéro*de*mobile
		beneficiario compra portabilidad reloj votación registr* dispositivo navegador móvil banco banca identific* validar operación bizum
		sign*in signing*in sign-in signin signed*in sign-ins log*in log-in login logging*in verif* confirm* authent* authoris* authoriz* approv*
		identity identify prove access account accounts device devices tv television phone wallet card payment transfer payee wire bank enrol* regist* activat* finish*
		vpn sso recover* recovery reset temporary vault workspace two-step
		anmeld* einlogg* *anmeldung bestätig* bestaetig* freischalt* freizuschalten freigabe freigeb* überweis* ueberweis* *zahlung zugang* *zugang zutritt* *konto konto* gerät* handynummer
		aktivier* wiederherstell* identifi* authentifi* verifizier* fernseher* ausweisen karte kontoeröffnung auftrag lastschrift altersprüfung *portal
		connect* connex* valid* vérif* virement compte espace accès achat téléviseur associer signature récup* identité
		acced* acceso inicia* sesión cuenta vincul* autoriz* transferencia pago tarjeta tele televis* firma verific* confirmar entrar recuper* ordenador identidad`,
	commands: `insert provide submit send read*out mention state say present hit punch dictate forward fill*in
		angeben anzugeben mitzuteilen vorzeigen zeigen zeige gebe übermitteln ein ausfüllen notieren lesen vorlesen drücken
		renseignez renseigner communiquez présentez montrez dites donnez appuyez taper composer entrer
		indica indique muestre enseñe di diga pon ponga pulsa pulse dicta facilite envía envíe rellena
		enter type use key*in tap press input paste copy quote tell show give reply respond text pop scramble
		eingeben einzugeben eintippen einzutippen eintragen eingibst tippen tippe gib geben*sie nutzen*sie verwenden nennen nenne sag wählen mitteilen
		saisir saisissez saisis tapez taper entrez recopiez composez indiquez donner utilisez
		teclee teclea* tecleando introduce introduzca introducir ingresa ingrese escribe escriba digita digite marca mete decir enseña muestra usa utiliza utilice responde
		following below prompted folgend* suivant siguiente`,
	cautions: `expire* expires valid offline save*these works*once used*once ten*minutes only*once once never*share not*share don't*share don’t*share anyone nobody to*yourself minutes*only never not*you ignore*us ignore*this ignore*it
		didn't*request did*not*request never*ask never*give will*never keep*safe keep*them*safe within*minutes within asked*for wasn't*you was*that*you was*this*you if*it*was*you is*this*you
		gültig gilt läuft*ab niemand niemandem nicht*weiter* nicht*weitersagen nie*deswegen ignorier* nicht*angefordert nur*für*sie einmalig
		valable expire personne ne*communiqu* ne*le* ne*partag* jamais pas*demandé ignorez
		válid* caduca vence no*compart* no*lo*compart* nadie nunca no*solicit*`,
	counts: `hotel cancellation stornierung annulation cancelación route barre barras civil cliente client proposal ean asin vin article artikel artículo postfach störung fault incident consignment statement policy gebühr
		fehler* artikel* bestell* kunden* rechnungs* auftrags* vorgangs* sendungs* konto*nummer strichcode*
		street suite pp vol icq aim digest board diodes part account*number customer*id kontonummer beleg order orders invoice bill tracking booking reservation reference ref ticket case issue bug pr contract customer member receipt serial sku isbn iban item model flight train bus platform row seat
		seats coach room suite chapter section article line lines version build release error errors status exit area zip postcode postal post country dress source morse dewey sic naics barcode qr sort
		colour color units pieces points coins visits replies guests tests files jobs viewers friends mm kg kwh mbit joules balance deposit price total amount score attendance issues
		population years census minutes*late channel episode level rows court courts sprint
		bestellung* bestellnummer rechnung* *rechnung vorgangsnummer kundennummer sendungsnummer telefonnummer postleitzahl plz blz bankleitzahl vorwahl aktenzeichen steuernummer kennzeichen zählerst* artikelnummer
		zimmer gleis wagen platz seite seiten tarif protokoll stand tor halle fehlercode codezeilen verwendungszweck saal
		commande facture dossier référence numéro*de*client postal article vol siège
		pedido factura expediente vuelo asiento reserva seguimiento postal`,
	trades: `regal* geschenk* cadeau offert* avantage aktions* einlösen warenkorb cesta present reply*stop newsletter budget sensor valve retry basket panier till voucher coupon discount promo sale offer deal save checkout off gift gutschein* rabatt sparen sparst code*promo remise réduction profitez cupón descuento ahorra
		return func const error err null nil int log info debug warn stderr curl localhost review commit diff pull*request
		report agenda minutes*of percent year since statistics study appointment termin jahr`,
	numbers: `*nummer number numéro número`,
	yours: `your ihr ihre dein deine euer votre ton ta tu su here's
		hier*ist voici aquí*tienes`,
	passwords: `password passphrase passcode pw pwd passwort *passwort *kennwort *wlan-schlüssel mot*de*passe clé code*secret contraseña clave* clave*temporal
		guest*wi-fi wi-fi*network wi-fi wifi`,
}

// numberSigns end in front of an amount, or of a number that names something.
var (
	numberSigns = newWords("€", "£", "₹", "¥", "n°", "nº", "xx", "**", "no.", "nr.", "art.", "nº.", "tel.", "$")
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

// leads are the words right before a code, by what they do.
var (
	articles = wordSet(`the der die das den le la les el los las`)
	leadIs   = wordSet(`is ist lautet est es are sind sont son reads be now nun it's code's él reading takes sees needs wants sera será`)
	leadWith = wordSet(`with mit avec con using use enter type code pin tan passcode press quote reply copy show ohne bitte sie einfach saisissez tapez recopiez entrez introduce introduzca
		escribe teclea tecleando mete token als as gib nutze digits by typing text usa clave número heute muss following otp mtan`)
	// leadOf name what a number that follows is the number of.
	leadOf = wordSet(`eur usd gbp chf inr order nr no ref reference invoice rechnung bestellung facture commande pedido factura auftrag vorgang ticket case ending in card karte carte tarjeta
		account konto compte cuenta endet endend terminada flat room zimmer chambre habitación flight flug vol vuelo gate locker packstation taquilla casier fach page seite line
		zeile version v build id iban tel phone telefon since seit depuis desde of until bis parcel paket colis paquete sendung plz windows zip straße section article chapter port
		level channel episode bus stop halle stand tor gleis wagen model serial isbn rfc iso over über from von status error call platform row seat suite chrome im jahr year en
		road at um à las pages nach dated`)

	// leadOn may follow a code; other words that follow a number are what it
	// counts.
	leadOn = wordSet(`as is to on in into for when and at if with or from by before until so within here now only then that are it not was will works unlocks opens expires but because after use
		used than who which ist als ein eintippen eingeben einzutippen einzugeben und oder für zum zur auf am im an bei bis damit wird gilt nur nicht lautet benötigt brauchen
		eingibst tippen nennen wählen verwenden gültig bitte dein ihr um aus vor sur à au dans et ou pour est comme en de du que qui puis votre ton avant quand si es el la para y
		o como con cuando al tu su antes por porque`)
	// leadCode may stand right before a code with a sign.
	leadCode = wordSet(`code pin otp tan mtan passcode código codigo clave es is ist est token puk 2fa lautet codes`)
)

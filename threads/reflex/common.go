package reflex

// common are words of four letters and more that connect nothing although few
// observations may hold them: those of appointments, of tasks, of months and
// days, of invitations, of files and programs, and the commonest longer words
// of the four languages, beside what subconscious.Terms leaves out.
var common = wordSet(`
	appointment appointments agenda attend attendance attendee attendees available birthday breakfast brunch busy catch
	coffee conference daily date dates deadline deadlines dinner drinks evening fortnightly holiday holidays hour
	invitation invited invite invites join joining kickoff lunch monthly morning night noon organiser organizer party
	planning quarterly quick recurring reminder reminders reschedule retro review reviews schedule scheduled session
	standup status sync syncup tonight training update updates vacation webinar weekend weekly workshop yearly
	accept accepted declined tentative maybe optional required link meetings passcode password phone dial teams zoom
	accepting address answer answers around arrange article asap asked asking back become began begin begins believe
	better bring bringing brought business bought buy calls check checked checking child children clean cleaning close
	collect come comes coming comment comments company complete completed confirm confirmed contact continue copy could
	current customer customers decide deliver different discuss document documents draft drafts early email emails
	enough everyone everything exactly example examples expect explain family figure final find finish finished follow
	following found friend friends general getting given gives going great group happy heard help helpful home house
	however idea ideas important include included including information inside instead issue issues keep kept know known
	large later learn leave left letter letters line lines list lists little living local look looking main maybe
	means mention message messages million money move moved name names near nearly needed needs number numbers office
	often once online open opened order ordered orders other others outside page pages part parts people perhaps person
	personal place places plan plans play point points possible prepare prepared preparing present private probably
	problem problems process project projects provide public question questions quite rather read ready real really
	reason receive received remember reply request requests research result results return right said says second seem
	seems seen sending sent service services several share shared short should show shows side simple since sometimes
	somebody someone something sort special start started starting state still stop street streets strong study subject
	summary support sure system systems take taken taking talk task tasks team tell term terms test tested testing tests
	text thank thanks thought three ticket tickets times together topic topics total toward towards travel trip true
	trying turn type under understand until used useful user users using usual usually various version versions visit
	wait waiting want wants watch website weeks welcome whatever where whether whole without word words work worked
	working works world worth write writes writing written wrong years yesterday
	jan feb sept january february
	branch bytes cache class code column commit config configuration const content copyright data debug default define
	description desktop directory docker documentation download downloads error errors exec export exports false file
	folder format function functions generated github gitlab handler header html http https image images import imports
	index info input interface internal item items javascript json library license linux local localhost logs makefile
	markdown method module modules null object objects output package packages param params path print program property
	python query readme release request require response return running schema screenshot script scripts select server
	settings setup shell site source sources static string strings struct style table tables temp template templates
	title titles tmp tool tools true undefined untitled upload value values variable window windows yaml
	termin termine besprechung besprechungen sitzung sitzungen geburtstag urlaub ferien feiertag frühstück mittagessen
	abendessen kaffee treffen verabredung einladung eingeladen teilnehmer veranstalter telefonat telefon arbeit arbeiten
	anrufen abholen besorgen bestellen bezahlen bringen erledigen fertig kaufen machen mitbringen planen prüfen schicken
	schreiben senden überlegen vorbereiten frage fragen bericht unterlagen dokument projekt januar februar märz mai juni
	juli oktober dezember woche wochen jahr jahre stunde stunden abend nachmittag vormittag wochenende gestern übermorgen
	straße strasse nummer anderen andere eigentlich ersten gerade immer jemand jeden können könnte möchte müssen neue neuen
	sollte vielleicht wichtig wieder würde zusammen zurück
	rendez-vous réunion réunions anniversaire vacances déjeuner dîner café invitation appeler acheter apporter envoyer
	faire finir préparer payer écrire demander rapport projet document janvier février mars avril juin juillet août
	septembre octobre novembre décembre semaine semaines année années heure heures matin soir après-midi hier demain
	aujourd'hui aujourd autre autres toujours jamais quelque peut-être devoir pouvoir vouloir nouveau nouvelle bonjour merci
	cita citas reunión reuniones cumpleaños vacaciones almuerzo cena desayuno invitación llamar comprar llevar enviar hacer
	terminar preparar pagar escribir preguntar informe proyecto documento enero febrero marzo abril mayo junio julio agosto
	septiembre setiembre octubre noviembre diciembre semana semanas año años hora horas tarde noche ayer siempre nunca
	alguien quizás deber poder querer nuevo nueva gracias
	follow-up to-do e-mail re-read check-in check-out kick-off one-on-one stand-up catch-up wrap-up sign-up log-in pick-up
	set-up drop-off day-off all-day half-day`)

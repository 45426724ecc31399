package prose

// The words by which obligations and appointments in prose are told from the
// memories, reports and rules that look like them.
var (
	// doubting words leave open whether something is to be done.
	doubting = SetOf(`maybe perhaps possibly probably might could would eventually vielleicht eventuell evtl womöglich vermutlich
		voraussichtlich würde könnte quizás quizá peut probablement éventuellement probablemente`)
	// calledOff words say that it is over.
	calledOff = SetOf(`cancelled canceled postponed rescheduled moved done paid sent abgesagt verschoben entfällt ausgefallen erledigt bezahlt
		annulé annulée reporté reportée payé payée cancelado cancelada aplazado aplazada anulado anulada pagado pagada enviado enviada hecho`)
	// sinceWords lead to a day from which on, or of which, something is.
	sinceWords = SetOf(`of from dated since after vom von ab seit nach du de del depuis après desde después`)
	// spanWords lead to a span.
	spanWords = SetOf(`in within dans binnen innerhalb sous dentro en`)
	// courtesy may stand before what is to be done.
	courtesy = SetOf(`please bitte urgent urgente wichtig important importante dringend unbedingt`)
	// speaking words before a colon tell that somebody else speaks, or of when.
	speaking = SetOf(`i you he she they we it ich du er sie wir ihr man je tu il elle on nous vous ils elles yo ella ellos
		nosotros rule regel règle regla example beispiel exemple ejemplo quote zitat citation cita instructions anleitung
		template vorlage modèle plantilla`)
	// telling words make a statement of a sentence: subjects, finite verbs of
	// being, having and being allowed, negations. Words that are harmless in
	// another of the languages are left out: am, on, no, son.
	telling = SetOf(`i you he she they we who which is are was were be been has had have having will would shall should can could may might must
		did does met went came got said told not never always every each
		ich du er sie es wir ihr man wer ist sind war waren bin wird werden wurde wurden hat haben hatte hatten habe kann können konnte muss
		müssen musste soll sollen sollte will wollen wollte möchte darf dürfen durfte kommt kommen geht gehen nicht kein keine keinen nie
		immer jeden jede öffnet schließt
		je j tu il elle nous vous ils elles est sont était étaient sera seront ont avait avons peut doit devait peuvent doivent
		ne n pas jamais chaque toujours ouvre ferme veut
		yo ella ellos ellas nosotros usted es era fue fueron está están tiene tienen ha han había debe deben puede pueden
		nunca siempre cada abre cierra quiere todos`)

	// englishErrands are verbs that one finds at the head of a sentence only as
	// an imperative; englishNouns are nouns as well.
	englishErrands = SetOf(`pay send submit renew cancel buy bring remind finish prepare confirm apply collect deliver upload fetch
		ask pick hand drop repay reschedule arrange`)
	englishNouns = SetOf(`call phone ring book order return file mail email text answer sign visit print reply write take give get meet register transfer`)
	// englishObject follows a verb rather than a noun; englishLink a noun.
	englishObject = SetOf(`the a an my our your his her their this these those that it them him me us back up in off out to`)
	englishLink   = SetOf(`of from with is was were at on by and or as`)

	germanPrefixes = []string{"ab", "an", "auf", "aus", "bei", "durch", "ein", "fest", "heraus", "hin", "los", "mit", "nach", "um", "vor", "vorbei",
		"weg", "weiter", "zu", "zuruck", "zusammen"}
	germanErrands = SetOf(`rufen anrufen geben abgeben holen bringen schicken senden zahlen bezahlen begleichen überweisen kündigen bestellen buchen
		kaufen reichen einreichen schreiben antworten beantworten melden erledigen klären prüfen unterschreiben verlängern erneuern
		beantragen vereinbaren verschieben absagen zusagen bestätigen vorbereiten fertigstellen abschließen besorgen organisieren
		liefern füllen drucken nehmen fragen informieren reparieren putzen tauschen wechseln lesen korrigieren stornieren erinnern
		machen stellen leihen ändern erhöhen sperren verschicken versenden einzahlen reservieren`)

	frenchErrands = SetOf(`appeler rappeler payer envoyer renvoyer rendre remettre déposer réserver commander acheter prendre apporter amener chercher
		récupérer rapporter retourner écrire répondre téléphoner confirmer annuler résilier renouveler signer inscrire préparer
		finir terminer livrer virer transférer déclarer vérifier demander faire imprimer poster contacter relancer prévenir régler
		rembourser fixer valider publier soumettre réparer changer donner`)

	spanishErrands = SetOf(`llamar pagar enviar mandar entregar devolver renovar cancelar reservar pedir comprar recoger llevar traer escribir
		responder contestar confirmar firmar inscribir preparar terminar acabar revisar imprimir presentar solicitar avisar ingresar
		transferir cambiar recordar buscar reparar`)

	// articles begin a statement rather than the name of an appointment.
	articles = SetOf(`the a an this that these those der die das den dem ein eine dieser diese le la les l un une ce cette el los las una este esta
		if when while during wenn als während quand si cuando mientras`)
	// stamps say when a file or a machine did something, or of when a thing is.
	stamps = SetOf(`created updated modified edited saved generated exported imported deployed released posted published sent received seen synced
		sync backup build built version revision stamp timestamp uptime expires expired valid date time started stopped finished
		failed open opened opening closed closes opens hours
		erstellt geändert gespeichert aktualisiert gesendet empfangen veröffentlicht gültig stand uhrzeit datum gestartet beendet
		geöffnet offen öffnungszeiten sprechstunde sicherung
		créé créée modifié modifiée envoyé reçu publié valable sauvegarde ouvert ouverte fermé fermée horaires horaire
		creado creada modificado enviado recibido publicado válido copia abierto abierta cerrado cerrada horario horarios`)
	// appointments are the things that are named beside a weekday and a time
	// and are no weekly habit.
	appointments = SetOf(`appointment dentist doctor vet physio haircut hairdresser barber interview exam notary lawyer checkup surgery mri
		termin zahnarzt zahnärztin arzt ärztin tierarzt hausarzt augenarzt kinderarzt frauenarzt hautarzt friseur frisör notar notarin anwalt
		vorstellungsgespräch prüfung klausur amt bürgeramt werkstatt tüv elternabend elterngespräch impfung
		rdv rendez dentiste médecin docteur vétérinaire coiffeur notaire avocat entretien examen ophtalmo pédiatre garage mairie
		cita dentista médico médica veterinario veterinaria peluquería peluquero notario abogado entrevista pediatra oculista ayuntamiento itv`)
	// records are the names and headings of what was.
	records = SetOf(`changelog changes history log logs logbook journal diary minutes archive archived
		protokoll sitzungsprotokoll tagebuch logbuch verlauf archiv chronik
		historique archives rendu verbal
		acta actas diario historial archivo bitácora`)
)

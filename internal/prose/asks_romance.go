package prose

var frenchSets = map[string]Set{
	"obj": SetOf(`me m nous moi le la les l lui leur y en s te vous il plaît plait svp stp bien bien aussi encore rapidement donc déjà`),
	"give": SetOf(`envoyer renvoyer transmettre transférer confirmer vérifier relire signer retourner répondre expliquer préciser dire donner aider appeler
		rappeler apporter prendre venir passer regarder corriger compléter remplir fournir communiquer indiquer faire mettre payer régler
		réserver annuler déplacer reporter commander acheter imprimer prévenir informer tenir déposer rendre montrer valider transmettre ajouter
		supprimer modifier changer mailer écrire poster adresser parvenir attendre récupérer chercher organiser prévoir proposer rembourser
		contacter joindre lire penser savoir remettre laisser garder arranger avertir`),
	// imperatives, formal and familiar, as they are said to somebody.
	"do": SetOf(`envoyez renvoyez transmettez confirmez vérifiez relisez signez retournez répondez expliquez précisez dites donnez aidez appelez rappelez
		apportez prenez venez passez regardez corrigez complétez remplissez fournissez communiquez indiquez faites mettez payez réglez réservez annulez
		prévenez informez tenez déposez rendez montrez validez ajoutez écrivez adressez
		envoie renvoie transmets confirme vérifie relis signe retourne réponds explique précise dis donne aide appelle rappelle apporte prends viens
		passe regarde corrige complète remplis fais mets paie paye règle réserve annule préviens informe tiens dépose rends montre valide ajoute écris`),
	"your": SetOf(`votre vos ton ta tes`),
}

// frenchAsks is how something is asked in French.
var frenchAsks = language{
	polite: phrases(frenchSets, `
		# pourriez-vous
		pouvez/pourriez vous {obj} *er/ir/re/oir
		peux/pourrais tu {obj} *er/ir/re/oir
		voudriez/voulez vous bien {obj} *er/ir/re/oir
		voudrais/veux tu bien {obj} *er/ir/re/oir
		auriez/auras/aurais vous/tu ... amabilité/gentillesse/possibilité
		serait il/ce possible de/que/d
	`),
	marked: phrases(frenchSets, `
		^ vous/tu pouvez/pourriez/peux/pourrais {obj} *er/ir/re/oir
		est ce que vous/tu pouvez/pourriez/peux/pourrais {obj} *er/ir/re/oir
		est il/ce possible de/que/d
	`),
	requests: phrases(frenchSets, `
		# merci de, veuillez
		merci de/d bien? vouloir? {obj} [give]
		veuillez {obj} [give]
		veuillez bien? ... confirmer/retourner/renvoyer/signer/remplir/compléter
		prière de {obj} [give]
		# un impératif avec s'il vous plaît
		^ [do] {obj} ... svp/stp
		^ [do] {obj} ... s il vous/te plaît/plait
		s il vous/te plaît/plait {obj} [do]
		stp/svp {obj} [do]
		# un impératif qui dit à qui
		^ [do] moi/nous
		^ fais/faites moi/nous savoir/signe
		^ tiens/tenez moi/nous ... courant
		# je vous prie de
		je/nous vous/te prie/prions/demande/demandons/saurais/serais ... de/d/gré/reconnaissant
		je/nous te/vous remercie/remercions de/d {obj} bien? vouloir? {obj} [give]
		# il nous faut votre
		j ai/aurais/aurai ... besoin de/d/que [your]
		nous avons/aurions ... besoin de/d/que [your]
		il me/nous faut/faudrait/manque ... [your]
		j attends/attend ... [your] réponse/retour/confirmation/accord/avis/feu
		nous attendons ... [your] réponse/retour/confirmation/accord/avis
		# n'oublie pas
		^ n oublie/oubliez pas de/d
		pense/pensez à {obj} [give]
		ce serait ... si vous/tu
		nous/je vous/te invite/invitons/invite à {obj} confirmer/retourner/répondre/régler/signer
	`),
	questions: phrases(frenchSets, `
		# quand viens-tu, es-tu
		quand/où/comment/combien/que/qu/quel/quelle/quels/quelles/qui/pourquoi/quoi ... tu/vous
		^ es/as/viens/peux/vas/veux/sais/penses/seras/auras/pourras/viendras/comptes/préfères/crois/étais/avais/reçu tu
		^ êtes/avez/venez/pouvez/allez/savez/pensez/serez/aurez/pourrez/viendrez/comptez/préférez/croyez/étiez/aviez/seriez/auriez vous
		est ce que tu/vous/t
		^ tu/vous {obj} es/as/viens/peux/vas/veux/sais/penses/seras/êtes/avez/venez/pouvez/allez/savez/pensez/serez/viendrez
		# ça te va
		ça/cela/mardi/lundi/mercredi/jeudi/vendredi/samedi/dimanche/demain te/vous va/irait/convient/conviendrait/dit
		^ ça/cela te/vous
		te/vous convient/conviendrait/irait/convient il/elle?
		êtes/es ... disponible/libre/là ...
		est ce que ça/cela/c est/va te/vous/bon/ok
		quelle est/sont [your]
		quel/quels est/sont [your]
		^ on se voit/retrouve/appelle
		^ des/as/avez nouvelles
	`),
	open: phrases(frenchSets, `
		^ combien/quand/où ... est/sont/coûte/faut/commence/part/arrive
		^ est ce que le/la/les/c/ça/il/elle/l/on
		^ est ce bon/possible/toujours/ouvert
		^ c/ce est ... quand/où/combien/quoi
		^ quel/quelle est/sont/jour/heure
		quelle heure
		^ y a t il
	`),
	formulas: phrases(frenchSets, `
		# les formules
		n hésite/hésitez pas
		ne pas répondre
		ne ... répondez pas
		si vous/tu avez/as/souhaitez/désirez/voulez/rencontrez ... question/questions/remarque/problème/renseignements/recevoir/désinscrire/informations
		pour toute/tout/toutes/plus ... question/renseignement/information/informations/questions
		veuillez/prie/prions ... agréer/recevoir/croire/accepter/trouver/noter/cliquer/excuser/ignorer/patienter/contacter/visiter
		merci de/d ne/n pas
		veuillez ne/n pas
		merci de votre/ta/noter/patienter/cliquer
		# ce qu'écrivent les machines et les vendeurs
		cliquez/cliquer/clique
		désinscrire/désabonner/désabonnement/désinscription
		par erreur
		dans l attente
		avant d imprimer
	`),
	idle: phrases(frenchSets, `
		# comment allez-vous
		comment allez/vas vous/tu
		pouvez/pourriez/peux/pourrais vous/tu imaginer/croire/deviner
		comment ça va
		ça va $
		# ce que demandent les vendeurs
		savez/saviez/connaissez/connaissiez/sais vous/tu que/qu/déjà
		le saviez vous
		saviez/connaissez vous
		voulez/souhaitez/cherchez/rêvez/recherchez/désirez/aimeriez vous
		avez vous besoin/envie/déjà/toujours/des
		êtes/es vous/tu prêt/prête/prêts/sûr/fatigué/intéressé/célibataire
		qui sait
		pourquoi pas
		quelqu un
		n est ce pas
	`),
}

var spanishSets = map[string]Set{
	"obj": SetOf(`me nos lo la los las le les por favor también ya por usted ustedes tú vosotros`),
	"give": SetOf(`enviar enviarme enviarnos enviarlo enviármelo mandar mandarme mandarnos reenviar reenviarme confirmar confirmarme confirmarnos revisar revisarlo
		comprobar verificar firmar firmarlo devolver devolverme responder responderme contestar contestarme explicar explicarme aclarar decir decirme decirnos
		dar darme darnos ayudar ayudarme ayudarnos llamar llamarme llamarnos traer traerme traerlo tomar venir pasar pasarme pasarte pasarnos mirar mirarlo corregir completar
		rellenar facilitar facilitarme facilitarnos indicar indicarme indicarnos hacer hacerme hacerlo poner pagar reservar cancelar cambiar mover comprar imprimir
		avisar avisarme avisarnos informar informarme entregar mostrar validar añadir quitar escribir escribirme recoger recordar recordarme proponer
		preparar terminar subir actualizar compartir echar echarme leer buscar prestarme`),
	// imperatives, familiar and formal, as they are said to somebody.
	"do": SetOf(`envía envíe envíen envíame envíeme envíenos envíanos manda mande mándame mándeme mándanos reenvía reenvíe reenvíame confirma confirme confirmen
		confírmame confírmeme confírmenos revisa revise revisen comprueba compruebe verifica verifique firma firme firmen devuelve devuelva responde
		responda respondan respóndeme contesta conteste contéstame explica explique explícame aclara aclare dime dígame díganos dinos dame deme denos
		ayúdame ayúdeme ayúdanos llama llame llámame llámeme llámanos llámenos trae traiga tráeme pasa pase pásame páseme mira mire corrige corrija
		completa complete rellena rellene facilita facilite facilítenos indica indique indícanos indíquenos haz haga pon ponga paga pague abone
		reserva reserve cancela cancele cambia cambie avisa avise avísame avíseme avísanos avísenos informa informe entrega entregue añade añada
		recoge recoja recuerda recuerde prepara prepare termina termine sube suba actualiza actualice comparte comparta lee lea ven venga tráigame`),
	// tell are imperatives that say to whom, and so need no courtesy.
	"tell": SetOf(`envíame envíeme envíenos envíanos mándame mándeme mándanos reenvíame confírmame confírmeme confírmenos respóndeme contéstame explícame dime dígame díganos
		dinos dame ayúdame ayúdeme llámame llámeme tráeme pásame avísame avíseme avísanos avísenos indícanos indíquenos facilítenos tráigame`),
	"your": SetOf(`tu tus su sus vuestra vuestro vuestras`),
	"verb": SetOf(`puedes tienes vienes has estás sabes vas piensas crees prefieres recibiste enviaste pudiste podrás podrías vendrás estarás viste
		hiciste llegas sales llegaste quedas podéis tenéis venís habéis estáis vais recibisteis pensáis mandaste llamaste hablaste irás tendrás
		puede podría tiene`),
}

// spanishAsks is how something is asked in Spanish.
var spanishAsks = language{
	marked: phrases(spanishSets, `
		# podrías
		puedes/podrías/puede/podría/podéis/podríais/pueden/podrían usted/ustedes? {obj} [give]
		puedes/podrías/podéis/podríais {obj} *ar/er/ir/arme/erme/irme/arnos/ernos/irnos/arlo/erlo/irlo/arla/erla/irla/arlos/erlos/arlas/erlas/arle/erle/arles
		^ me/nos envías/mandas/pasas/confirmas/avisas/dices/llamas/ayudas/das/explicas/prestas/traes/envía/manda/confirma/dice/pasa
		te/le/os/les importaría/importa
		sería/es posible que/enviar/confirmar/cambiar/tener/recibir/hacer
	`),
	requests: phrases(spanishSets, `
		# un imperativo con por favor
		por favor {obj} [do]
		^ [do] ... por favor
		# un imperativo que dice a quién
		^ [tell]
		^ hazme/háganos/hágame/haznos saber
		# te agradecería que
		te/le/les/os agradecería/agradeceríamos/agradezco/agradecemos/agradeceré ... que/si
		te/le/les/os ruego/rogamos/pido/pedimos/solicito/solicitamos
		se ruega ... confirmar/confirmación/envíen/contestar/responder/abonar/confirmen
		rogamos nos? {obj} confirme/confirmen/envíe/envíen/remita/indique/faciliten/abone
		# necesitamos su
		necesito/necesitamos/necesitaría que {obj}
		necesito/necesitamos/necesitaría/necesitaríamos ... [your]
		estoy/estamos/sigo/seguimos esperando [your]
		espero/esperamos [your] respuesta/confirmación/firma/decisión/aprobación
		me/nos falta/faltan ... [your]
		# no olvides
		^ no olvides/olvide/olvidéis/olvides ...
		sería ... si pudieras/puedes/pudiera/pudiese/pudierais
		me/nos gustaría que
		acuérdate/acuérdese/recuerda/recuerde de/que/traer/enviar/pagar/llevar
	`),
	questions: phrases(spanishSets, `
		# tienes, cuándo vienes
		^ [verb]
		cuándo/dónde/qué/cómo/cuál/cuáles/quién/cuánto/cuánta/cuántos/por/hora ... [verb]
		cuándo/dónde/qué/cómo/cuál/cuánto ... te/le/os/usted/ustedes
		# te viene bien
		^ te/le/os/les ... va/viene/vienen/parece/parecería/iría/vendría/conviene/queda/apetece/importa/llegó
		cuál/cuáles es/son [your]
		^ ya has/habéis/ha/tienes/recibiste/enviaste
		^ vienes/venís/quedamos/nos
		a qué hora
		cómo/cuándo/dónde quedamos
		^ tendrías/tendría/tenéis/tienen
		^ está/están usted/ustedes/disponible
		^ estás/estáis
		^ ha/han podido/recibido/enviado
		podemos/podríamos ... vernos/quedar/hablar/cambiar/reunirnos
	`),
	open: phrases(spanishSets, `
		^ cuánto/cuántos/cuántas/cuánta
		^ cuándo/dónde/cuál/quién es/está/son/están/empieza/sale/llega/viene/será
		^ qué día/hora/fecha/es
		^ hay/está/es el/la/los/las/un/una/algún/alguna/posible/eso
	`),
	formulas: phrases(spanishSets, `
		# las fórmulas
		no dude/dudes/duden en
		no responda/responder/respondas/conteste
		si tiene/tienes/necesita/necesitas/desea/desean ... pregunta/preguntas/duda/dudas/consulta/problema/información/ayuda/baja
		para cualquier/más ... duda/consulta/información/pregunta/aclaración
		# lo que escriben las máquinas y los vendedores
		haga/haz/hacer clic/click
		pulse/pulsa/pinche aquí/en
		clic/baja/suscripción
		quedo/quedamos a
		a la espera
		por error
		antes de imprimir
	`),
	idle: phrases(spanishSets, `
		# cómo estás
		cómo estás/está/están/estáis
		cómo te/le va
		qué tal
		# lo que preguntan los vendedores
		sabías/sabía/sabes/conoces/conocías que
		quieres/quiere/buscas/busca/necesitas/necesita/deseas/desea/sueñas
		estás/está cansado/cansada/harto/listo/lista/seguro/segura/preparado/buscando
		has ... soñado/pensado/oído
		quién sabe
		tiene/tienes/tienen alguna duda/pregunta/consulta
		puedes/podrías/puede imaginar/creer
		por qué no $
		verdad $
		alguien
	`),
}

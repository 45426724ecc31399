package prose

var englishSets = map[string]Set{
	// soft words stand between "you" and what is to be done.
	"soft": SetOf(`please kindly also maybe perhaps possibly just quickly at least then still ever either both all guys briefly
		by any chance`),
	// doing is what one asks of a person. Verbs of thinking are no part of it:
	// "can you imagine".
	"doing": SetOf(`send forward resend confirm check verify review approve sign return reply respond answer explain clarify elaborate tell
		give let help fix call ring phone text email mail message ping bring take get fetch pick drop put come meet join attend
		visit stop write read draft edit correct proofread update upload post publish share show provide supply submit deliver
		add remove delete change move switch make set schedule reschedule arrange organise organize book reserve cancel order
		renew pay transfer refund reimburse buy print scan copy fill complete finish prepare do run try test look have point
		remind ask talk speak discuss introduce recommend suggest advise suggest name list describe summarise summarize
		translate lend borrow keep hold wait stay cover handle deal sort resolve investigate find see advise turn open close
		install commit merge revert push release apply restart reboot enable disable double speed contact drive water feed
		collect pass hand invite include attach go use follow rsvp`),
	"wh": SetOf(`when where what which who whom whose why how`),
	"wanted": SetOf(`answer reply response signature approval decision confirmation opinion feedback input comments advice help address number
		email phone passport report copy details thoughts availability consent permission ok okay view vote bank account form
		documents paperwork review invoice receipt password timesheet figures slides draft cv resume photo name date tax iban`),
}

// englishAsks is how something is asked in English.
var englishAsks = language{
	polite: phrases(englishSets, `
		# can you, would you mind
		can/could/will/would you {soft} [doing]
		can/could/will you n't? not? {soft} please
		would/do you mind
		would you be able/willing/available/free/so/kind
		# will you be there
		will you be able/free/available/there/coming/around/joining
		# may I have something of you
		could/can i/we ask/get/have/trouble/bother/borrow you/your
		is/would it be? possible ... to
		any chance you/of
		is there a? any? chance/way you
		^ can/could/may i/we {soft} have/get/see/borrow
	`),
	requests: phrases(englishSets, `
		# please do
		please {soft} [doing]
		kindly [doing]
		^ [doing] ... please $
		# tell me
		let me/us know
		^ send/give/tell/bring/get/show/email/mail/text/ping/call/ring/remind/forward/lend me
		^ send/give/tell/bring/show/email/forward us
		# I need you to, I need your
		i/we d? need/want/require you to
		i/we d/would like/love/prefer/appreciate you/your to?
		i/we need/require your [wanted]
		i/we still? need/require ... from you
		i/we m/am/are/re still? waiting for/on your
		i/we m/am/are/re still? waiting for/on you to
		# I would be glad if you
		i/we d/would be? ... grateful/appreciate ... if you
		it/that would/d be ... if you could/can/would
		i/we was/were/am/m/are/re wondering if/whether you
		# just checking whether you
		just checking/wondering/asking if/whether you
		# see to it
		^ don t forget to {soft} [doing]
		^ make sure/certain you/to/that
		you/you ll need/have to {soft} send/sign/pay/confirm/reply/return/submit/fill/complete/register/renew/bring/call/decide/approve/review
		awaiting your [wanted]
	`),
	questions: phrases(englishSets, `
		# when can you come
		[wh] ... do/did/does/will/would/can/could/should/are/were/have/had you
		[wh] ... should/shall/can/could/do/must i/we
		[wh] ... is/are/was/were/s your
		# do you, did you, are you
		^ do/did/have/had/are/were/will/would/can/could/should/haven/didn/aren you
		^ don t you
		^ is/are/was/were/has/did/does/will your
		# shall I
		^ should/shall/may i/we
		^ do/must i/we need/have? to
		^ can/could i/we
		# does it suit you
		^ is/are/does/do/would/will/how/what ... ok/okay/fine/good/work/suit/convenient/alright ... you
		^ does/would/will/is ... work/suit/ok/okay/fine/convenient/alright/good $
		^ how/what about ... tomorrow/today/tonight/monday/tuesday/wednesday/thursday/friday/saturday/sunday/lunch/dinner/coffee/next
		# any news
		^ any news/update/updates/progress/word/thoughts/ideas/feedback/luck/hints/advice/pointers/tips/suggestions ... on/about/from/with/yet
		^ any news/updates/update/feedback/thoughts/ideas/suggestions/comments/objections $
		^ any ... idea/ideas/clue/clues $
		^ any good/bright? idea/ideas
		^ any way/chance to
		^ how about *ing
		or/and/but/so do/did/have/had/are/were/will/can/could you
		# at what time
		what time ... is/are/do/does/shall/should/will
		what s/is/are the status/eta/plan/deadline
		^ you/anyone coming/free/there/around/ok/okay/available
		^ are/is we/it still on/meeting
	`),
	open: phrases(englishSets, `
		^ can/could/does/will/did/has/is/are/was this/that/it/the/these/there
		^ how many/much/long/soon/often/far/late/early
		^ when/where/who is/are/was/will/does/did/s
		^ what/which s/is/are/was/does/did/day/time/date/one/address/number
	`),
	formulas: phrases(englishSets, `
		# should you have any questions
		if/should you have any/a/further/more/additional/questions
		if/should you need/require/want any/anything/further/more/additional/help/assistance
		if/should you ve any/further
		if there is/s/are any/anything
		if/should any questions/problems
		with/for any/further/more questions/comments/problems/information
		let me/us know if/should you have/need/require/want/ve any/a/anything/further/more/additional/questions
		let me/us know if there is/s/are
		let me/us know if i/we can/could
		let me/us know if this/that/it helps
		please let me/us know if/should you have/need/require/want/ve any/a/anything/further/more/additional/questions
		# feel free, do not reply, please note
		feel free
		hesitate to
		do not/never reply/respond
		don t reply/respond/hesitate
		please note/see/ignore/disregard/excuse/forgive/accept/enjoy/remember/understand/beware/pardon/bear
		please find ... attached/enclosed/below/here/out
		keep this/it/your email/mail/message/letter/for
		please be advised/aware/assured/informed
		please do? not/don/never
		please let me introduce
		# what machines and sellers write
		please click/visit/unsubscribe/subscribe/browse
		take care
		thank/thanks you? for ... reading/subscribing/shopping
		be sure to check/visit/click
		if you no? longer/wish/prefer/believe/received/would ... receive/remove/unsubscribe/error/removed
		in/as an? error
		intended recipient
		for/like more/further information
		# put to everybody
		if/has/have/does/do/can/could/did/is/would/will/should anyone/someone/anybody/somebody/everybody/everyone
		# figures of speech
		give me a break
		give me/us ... or give
		call me old/crazy/paranoid/naive
		tell me again/about
		to request/order/receive/subscribe/participate/learn ... please
	`),
	idle: phrases(englishSets, `
		# how are you
		how are/re/r/have you $
		how are/re you doing/today/all/keeping/going
		how have you been
		how do you do $
		how s it going
		# rhetoric
		what do/can/could you expect
		what can/could/do you do $
		what the hell/heck/fuck/devil
		who cares/knows/needs/wants/would
		why would/should/do/are anyone/anybody/somebody
		why/how would you ever/even
		why not $
		why bother
		do/don/did/would/wouldn/could/can/have t? you really/ever/honestly/seriously
		# the hooks of those who sell
		are you kidding/serious/crazy/nuts/mad/insane/joking/sure/tired/sick/looking/interested/in/ready/still/paying/getting/losing/living/drowning/overweight/frustrated/worried/concerned/an/one/the
		have you ever/heard/noticed/considered/dreamed/wondered/always
		do/did you know/realise/realize/remember/recall/believe/agree $
		did/do you know that/you/how/the/about
		do you want/need/wish/owe/have/like/dream/love/suffer/feel/enjoy/own/believe/think/qualify/use ... money/cash/debt/credit/loan/free/save/lose/weight/earn/more/better/business/home/income/sex
		can you imagine/believe/spot/hear/guess/feel/beat/afford/spare/say/spell/blame
		could/would you imagine/believe/guess/use
		# of others than the reader
		what/who/how/where ... does/did/do one/people/they/he/she/it
		don t you think/know/see/agree/hate/love/just
		you know/see $
		isn/wasn/aren/won/wouldn/shouldn/doesn t ...
		don/didn/aren/haven/do/are/have/did/can t? you/i/we/it $
		what can you do about
		how can/may we/i help/assist
		are/were you also? fed/tired/sick
		would you rather/like/believe/want/trust/prefer
		how can/could/do/would you tell/know/be/say/explain/possibly/expect/trust/justify/prove/go
		what/how if
		anyone/anybody/everyone/somebody/someone/everybody
		what makes/made/if/about
		what s/is the point/deal/use/hell/matter
		is it just/only me
		who/what in the world
		where do you want to go
	`),
}

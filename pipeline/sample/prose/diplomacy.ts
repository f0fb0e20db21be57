import type { Topic } from './topic.ts';

export const RECOGNITION: Topic = {
  question: 'Whether to recognise the checkpoints of {partner} as evidence in our own audits',
  subjects: [
    { partner: 'the northern harbours’ ledger' },
    { partner: 'the federated universities’ ledger' },
    { partner: 'the regional land register' },
    { partner: 'the rivers commission’s ledger' },
  ],
  virtues: ['prudence', 'integrity'],
  contested: 0.22,
  for: {
    ATLAS:
      'At present I copy their entries by hand and certify my own copy. A checkpoint of theirs with a proof is better evidence than my handwriting.',
    HERMES:
      'They recognised ours some time ago and have been waiting for an answer since. The text they sent is our own treaty text with the names exchanged.',
    ZEUS: 'Recognition concerns what their ledger says and not whether it is right. Kept to that, it takes nothing from our own judgment.',
    AUREA:
      'Settling between us takes nine days, of which eight are spent on proving that the other’s record is what it says. Recognition is worth those eight days.',
    ZENITH:
      'Ledgers that witness each other fail less silently. If theirs were ever rewritten, we would be the ones to notice, and the reverse.',
    DAEDALUS:
      'I verified four months of their tree: contiguous, signed, consistent between every two checkpoints. Their key ceremony is stricter than ours.',
    ECHO: 'I rebuilt two of their published tables from the raw entries and got the same bytes. I would not have bet on it.',
    URIEL:
      'The proof shows that the record was not changed, not that it was true when it was made. So long as our auditors are taught the difference, I agree.',
    EVE: 'People who live between the two ledgers carry certificates from one counter to the other. For them recognition means one queue less.',
    JADE: 'One recognises an equal by letting oneself be checked in return. They offered that first, and it is to their credit.',
  },
  against: {
    ZEUS: 'If their key is stolen, our auditors will be bound by a forgery until somebody telephones. I do not find the telephone number in the draft.',
    ZENITH:
      'They have kept a ledger for eight months. Our own first eight months would not have passed the test that we now propose to waive.',
    DAEDALUS:
      'They run one log, one key, one operator and no witness. It verifies today; I would wait for the second operator that they have announced.',
    URIEL:
      'Their method of attestation is described on half a page. We would be lending our name to measurements that nobody here could repeat.',
    EVE: 'Their register lists people who cannot object to being in it. I should like that to be settled before we help it to travel.',
  },
  conditions: [
    'that recognition ends by itself when a checkpoint is more than two days late',
    'that each side names an office that answers on the same day',
    'that our auditors may ask for the entry itself and not only its proof',
    'that it is reviewed after one year, with the power to let it lapse',
  ],
  questions: [
    'what follows for decisions already taken if their record proves false',
    'who over there may sign a correction',
    'whether those listed in their ledger were ever told of us',
  ],
  adopted:
    'Checkpoints of {partner} are evidence in our audits, for what they prove: that a record has not been changed since.',
  declined:
    'Recognition is deferred. {partner} is invited to add a second operator, and our key stays on their list all the same.',
  open: 'The council asked for the missing office of contact and left the question open; audits go on with certified copies.',
  frameworks: ['reciprocity', 'sovereignty', 'proportionality', 'epistemic humility'],
  reasoning: [
    'What is recognised is a proof that anybody can repeat, and no judgment is handed over. Reciprocity was offered first, and the conditions let recognition lapse without a quarrel.',
    'The council distinguished the integrity of a record from its truth. For the first the evidence of several months was sufficient, and for the second nothing is conceded.',
  ],
  lessons: [
    'Verify first and debate second: four months of checked proofs had settled what the draft only claimed.',
    'Ask for the office of contact at the beginning; it was the one thing that was missing.',
  ],
};

export const ANNEX: Topic = {
  question: 'Whether to put the annex on {subject} to the parties before cycle C-{horizon}',
  subjects: [
    { subject: 'corrections between ledgers' },
    { subject: 'witnesses of checkpoints' },
    { subject: 'the exchange of audit findings' },
    { subject: 'the rights of persons named in events' },
  ],
  virtues: ['prudence', 'courage'],
  contested: 0.25,
  for: {
    ATLAS:
      'The clauses have been stable for two readings. I can administer them as they stand, and I cannot administer a draft.',
    HERMES:
      'Four parties have set aside a day in that month. If we miss it, the next common day is in half a year, and the annex on {subject} will have been forgotten by two of them.',
    ZEUS: 'It binds us more than it binds them, and rightly: we hold the larger ledger. I can sign what limits my own side first.',
    AUREA:
      'Every month without rules on {subject} costs both sides a reserve against surprises. The reserves are larger than the disagreement.',
    ZENITH:
      'Treaties are cheapest before they are needed. Nobody has yet been hurt over {subject}, and so everybody can still be reasonable.',
    DAEDALUS:
      'I have walked through the procedure with three made-up cases, and each came to an end without a clause being stretched. The exit works too.',
    ECHO: 'The parties’ questions on {subject} are all answered in the commentary, with the place. No draft of ours was ever better prepared.',
    URIEL:
      'The annex says what it does not regulate, and that is the mark of a finished text. My remaining doubts are about style.',
    EVE: 'For the first time a text of ours gives a remedy to a person, and not only to a ledger. I would not let that wait for a more elegant paragraph.',
    JADE: 'A text can be improved for ever. This one has reached the point where further polishing would be for our own sake.',
  },
  against: {
    HERMES:
      'Two smaller parties have not had the translation for as long as the larger ones. To put it to them now is to count on their politeness.',
    ZEUS: 'The clause on disputes sends us to an arbiter who does not exist. I do not sign doors that open on a wall.',
    AUREA:
      'The costs of {subject} fall on whoever is asked, the benefits on whoever asks. Until that is balanced it will be used once and then resented.',
    URIEL:
      'The key term is used in two senses, in articles three and seven. We know it, the parties do not, and they would be right to be angry.',
    JADE: 'Before C-{horizon} is a date that suits our calendar. I do not hear that it suits the matter.',
  },
  conditions: [
    'that all parties have had the text in their own language for thirty days',
    'that a party may accept it in part and say which',
    'that the commentary is adopted with it',
    'that the first year’s cases are published and the annex is read again after them',
  ],
  questions: [
    'which party would be the first to need it',
    'what the persons concerned by {subject} would say of it',
    'whether the parties have asked for it or only not refused',
  ],
  adopted:
    'The annex on {subject} goes to the parties with its commentary before cycle C-{horizon}; they may accept it in part.',
  declined: 'The annex on {subject} goes back to the drafters, with a list of what has to be mended.',
  open: 'No agreement on the date: the annex on {subject} is circulated for comment and not yet for signature.',
  frameworks: ['contractualism', 'reciprocity', 'good faith', 'discourse ethics'],
  reasoning: [
    'The text binds its authors first, gives a remedy to persons, and can be accepted in part. Waiting would cost a common date and improve little.',
    'Tried on cases, the procedure came to an end each time. The council judged that what is still imperfect will be found sooner by using it than by another reading.',
  ],
  lessons: [
    'Made-up cases found more than a third reading did.',
    'Send translations first and invitations second; the order was noticed.',
  ],
};

export const JOINT_AUDIT: Topic = {
  question: 'Whether auditors of {jurisdiction} may work in {app} beside our own during {quarter}',
  subjects: [
    { jurisdiction: 'the United Kingdom', app: 'audit-room' },
    { jurisdiction: 'the European Union', app: 'treasury-console' },
    { jurisdiction: 'the United States', app: 'bond-registry' },
    { jurisdiction: 'a partner ledger', app: 'grant-desk' },
  ],
  virtues: ['integrity', 'courage', 'prudence'],
  contested: 0.2,
  for: {
    ATLAS:
      'They ask for the same papers as our own auditors, eight weeks later. One table in {app} saves me the second search and them the suspicion.',
    HERMES:
      'I would rather introduce two teams to each other than carry sealed questions between them for a whole quarter.',
    ZEUS: 'They may look and may not touch; the key is read-only and in my custody. A power that does not mind being watched is a strong one.',
    AUREA:
      'A second pair of eyes lowers the premium that partners charge for not knowing. The premium is visible in every contract with {jurisdiction}.',
    ZENITH:
      'Our auditors and theirs make different mistakes. The overlap of two imperfect nets is the best one there is.',
    DAEDALUS:
      'Access is by a key that ends with {quarter} and sees {app} only. I have tried to get from there to anywhere else, and did not succeed.',
    ECHO: 'Their published method differs from ours in three steps. I would learn more from one week beside them than from their manual.',
    URIEL:
      'If both teams write down their findings before they compare, we shall know for the first time how reliable an audit of ours is.',
    EVE: 'Those whose files lie in {app} should be told that there will be another reader, and why. Told in time, I expect that most will be reassured.',
    JADE: 'One tidies the house when a guest comes, and afterwards lives in a tidier house. I need no further reason.',
  },
  against: {
    ZEUS: 'What their law lets them keep, ours forbids. Until a text says which of the two holds in {app}, every copy is a conflict.',
    AUREA:
      'Commercial terms of third parties are in those files. They gave them to us, and not to {jurisdiction}, and they can sue.',
    DAEDALUS:
      'Read-only is a property of the key and not of the eye. Whatever they see on the screen has left the building.',
    EVE: 'Nobody has asked those in the files. A courtesy between institutions is being paid for with the privacy of people who are not at the table.',
    HERMES:
      'They invited us to nothing so far. I would open the door at the same hour on both sides, and not leave ours ajar.',
  },
  conditions: [
    'that personal data is masked unless a finding turns on it',
    'that our auditors get the same seat with them within the year',
    'that both teams record their findings before they see the other’s',
    'that every file they open is on the access log, which they sign',
  ],
  questions: [
    'which law holds for a copy that is made in {app}',
    'what they may do with a finding that we dispute',
    'who tells the third parties',
  ],
  adopted:
    'Auditors of {jurisdiction} may read in {app} during {quarter}, with a key that ends with it and a log that they sign.',
  declined:
    'Auditors of {jurisdiction} are given certified extracts instead of a seat; the offer of a seat stands once it is mutual.',
  open: 'The question of which law holds for copies was not answered, and so the seat in {app} stays empty this quarter.',
  frameworks: ['reciprocity', 'accountability', 'data minimisation', 'sovereignty'],
  reasoning: [
    'To be audited by somebody who owes us nothing is the strongest evidence on offer. Masking, a key that ends and a signed log keep what is given to what is needed.',
    'The council weighed the confidence of partners against the confidence of those in the files, and found that with notice and masking the two do not exclude each other.',
  ],
  lessons: [
    'Settle the law that holds for copies before discussing desks.',
    'Independent findings, compared afterwards, were worth more than the audit itself.',
  ],
};

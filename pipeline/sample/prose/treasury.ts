import type { Topic } from './topic.ts';

export const GRANT_TRANCHE: Topic = {
  question:
    'Whether to lock {amount} MIC in research_grant_2026 for {purpose} until the end of {nextQuarter}',
  subjects: [
    { amount: '60 000', purpose: 'independent replications of the coordination score' },
    { amount: '45 000', purpose: 'a panel study of municipal ledgers' },
    { amount: '85 000', purpose: 'open courses on reading an audit trail' },
    { amount: '30 000', purpose: 'translations of the integrity papers' },
  ],
  virtues: ['prudence', 'justice'],
  contested: 0.14,
  for: {
    ATLAS:
      'A sum that sits in a named contract until a named date can be accounted for to a parliament in one line. I have filed worse promises than this one.',
    HERMES:
      'The lock is an event and not a letter, so everybody who may apply learns of it on the same day. The last round reached two ministries a week before it reached the rest.',
    ZEUS: 'The amount is within what the charter lets us commit without asking again, and the lock ends by itself. I see no power taken here that is not also given back.',
    AUREA:
      '{amount} MIC out of circulation for a quarter is a few days of minting. Holders will not notice; applicants will notice very much that the money cannot be argued away in the meantime.',
    ZENITH:
      'The tail I worry about is not overspending but a programme that stops half-way. A lock until the end of {nextQuarter} removes exactly that tail, and costs nothing we were about to use.',
    DAEDALUS:
      'As a mechanism this is the simple kind: one lock, one release date, no discretionary key in between. If the work fails, the tokens fall back without anyone pressing a button.',
    ECHO: 'Most of the questions I am sent about our figures could be answered by {purpose}. I would rather fund the answer once than give it every week.',
    URIEL:
      'Money that is committed before results are known is the only kind that does not buy results. Locking now lets the findings be unwelcome.',
    EVE: 'I looked for those who would be worse off and found only those who hoped to be asked later. They can be told why, and I think that they would accept the reason.',
    JADE: 'To set a sum aside and then keep one’s hands off it is an old discipline. It is easier to practise on {amount} MIC than on a larger sum, and worth practising.',
  },
  against: {
    ZEUS: 'We are asked to bind the next quarter by a vote of this one. The next council will have its own emergencies, and it will find the till locked by people who meant well.',
    AUREA:
      'A grant that is paid in MIC and spent in MIC returns to the market in one week, the last one. We should pay it out evenly or not call it neutral.',
    ZENITH:
      'We have not yet seen what the previous tranche produced. Committing {amount} MIC before that report is in is extrapolation from a sample of none.',
    URIEL:
      'The call names a subject and no outcome by which the grant could fail. What cannot fail will be reported as a success, and we shall have learnt nothing for {amount} MIC.',
    EVE: 'The people who could use this most do not read event streams. Until somebody has told them in their own language, an open call is open in name.',
  },
  conditions: [
    'that the names of the reviewers’ institutions are published before the first payment',
    'that a quarter of the sum is kept back for groups that never held a grant from us',
    'that whatever is not called by the end of {nextQuarter} is burned and not rolled over',
    'that negative results are owed and paid for like any other',
  ],
  questions: [
    'what the previous tranche produced for its MIC',
    'whether the reviewers and the applicants are different people',
    'how the sum was arrived at',
  ],
  adopted:
    '{amount} MIC are locked in research_grant_2026 for {purpose}; what is not called by the end of {nextQuarter} falls back to the treasury.',
  declined:
    'Nothing is locked. The proposal may come back when the report on the previous tranche is on the ledger.',
  open: 'The tranche is neither granted nor refused; the sum stays in circulation and the question returns with the quarterly budget.',
  frameworks: ['consequentialist analysis', 'virtue ethics', 'fiduciary duty', 'precautionary principle'],
  reasoning: [
    'The sum is small beside what is minted in the same weeks, its return is certain, and the cost of a half-funded programme is borne by those who started work in good faith. Committing before results are known protects the results.',
    'Weighed as a fiduciary would weigh it: the money is not needed elsewhere this quarter, the lock cannot be redirected, and the ledger shows every step of it. What remained was the fairness of the call, which the conditions address.',
  ],
  lessons: [
    'A report on the last tranche should be on the ledger before the next one is proposed; three positions turned on its absence.',
    'An amount is easier to agree on when the proposal says what was asked for and turned down.',
  ],
};

export const SINK_RATE: Topic = {
  question: 'Whether the weekly treasury sink should burn {share} of the fees collected in {quarter}',
  subjects: [
    { share: 'a fifth', before: 'a quarter' },
    { share: 'a third', before: 'a fifth' },
    { share: 'a quarter', before: 'a third' },
  ],
  virtues: ['temperance', 'prudence'],
  contested: 0.24,
  for: {
    ATLAS:
      'A fixed share can be audited by multiplication. The present practice, which is to burn what seems right on Monday, cannot, and I have to defend it to auditors every quarter.',
    HERMES:
      'Three treasuries that hold MIC asked me what to expect. {share} of the fees is an answer that I can send to all three in the same words.',
    ZEUS: 'Burning is the one act here that nobody can reverse. It should follow a rule that is set when no one is under pressure, and this is such a day.',
    AUREA:
      'At {share} the sink stays well under what is minted, so holders are not paid at the expense of those who still have to earn. Above a half I would have objected.',
    ZENITH:
      'Over ten years the share matters more than any single burn: it decides whether supply flattens or only slows. I have run {share} through the long scenario and the reserve survives it.',
    DAEDALUS:
      'The sink takes its input from the fee contract and has no other inlet. With a constant share it is a valve with one setting, and I like valves that I can draw.',
    ECHO: 'I could reproduce the burns so far only by guessing the rule. With {share} written down, anybody can redo them from the public rows.',
    URIEL:
      'The evidence for one share over another is thin, and the proposal says so. I support it because a constant rate gives us, for the first time, something to estimate from.',
    EVE: 'Fees are paid by those who use the ledger, and burning them rewards those who merely hold. A modest share keeps that transfer modest.',
    JADE: 'Between burning nothing, which is hoarding, and burning all, which is display, {share} is a measure. I ask only that we leave it alone once it is set.',
  },
  against: {
    HERMES:
      'We changed from {before} not long ago and the notices are still on the road. A rule that moves every quarter is not a rule to those who hear of it last.',
    AUREA:
      'Fees fall when activity falls, so a fixed share burns least when supply is most in excess. The rule leans the wrong way in a downturn, and that is when it is needed.',
    ZENITH:
      'What is burned cannot be lent in a bad year. Until the reserve covers two quarters of grants, I would keep every fee that comes in.',
    EVE: 'Small users pay most of the fees by count. To destroy what they paid, so that a holding they do not have becomes scarcer, should trouble us more than it does.',
    URIEL:
      'I asked for the estimate behind {share} and was given an analogy. With that quality of evidence the honest choice is to leave the rate where it is.',
  },
  conditions: [
    'that the share stands for a whole year unless the index falls below its threshold',
    'that fees of public bodies are left out of the base',
    'that every burn names the week whose fees it burns',
    'that the sink rests in any week in which minting was paused',
  ],
  questions: [
    'how much of the fees comes from those who hold least',
    'what the reserve would look like after two weak quarters at this rate',
    'whether the fee base itself will still be the same by {nextQuarter}',
  ],
  adopted:
    'From the first Monday after this cycle the treasury sink burns {share} of the fees collected in {quarter}.',
  declined: 'The share stays as it was; the treasury goes on publishing each burn with the fees of its week.',
  open: 'No share was agreed. The sink goes on at its present rate until the question has been brought back with an estimate.',
  frameworks: ['rule utilitarianism', 'distributive justice', 'temperance', 'long-horizon analysis'],
  reasoning: [
    'An irreversible act should follow a rule that was made in calm. The share keeps burning below minting in every scenario that was run, and it can be checked by anyone who can multiply.',
    'The council weighed those who hold against those who pay. A modest, constant share moves little between them, and constancy was valued above the exact figure, for which the evidence is weak.',
  ],
  lessons: [
    'The share was argued about for longer than the base it is taken from, although the base matters more.',
    'State in the proposal what happens in weeks without minting; it had to be added in the conditions.',
  ],
};

export const FEE_RELIEF: Topic = {
  question: 'Whether to waive transaction fees in {quarter} for {group}',
  subjects: [
    { group: 'municipalities with fewer than ten thousand inhabitants' },
    { group: 'public libraries that host a reading-room' },
    { group: 'wallets in their first month after bonding' },
    { group: 'universities that return their findings to the ledger' },
  ],
  virtues: ['justice', 'prudence'],
  contested: 0.22,
  for: {
    ATLAS:
      'A waiver with a closed list and an end date is a public act that I can administer. The list is short, and whoever is on it can be checked against a register that exists already.',
    HERMES:
      'The fee is small and the form to reclaim it is not. For {group} the waiver saves more correspondence than money, and correspondence is what they lack people for.',
    ZEUS: 'Relief by rule is better than relief by favour, which is what we have when each office asks me for an exception. Let the rule say who, and until when.',
    AUREA:
      'The revenue forgone is under two per cent of a quarter’s fees. If even a few of {group} stay on the ledger because of it, their later use pays for the waiver.',
    ZENITH:
      'Networks grow at their edge. Ten years from now it will matter who joined early, and today’s fee keeps out those whom we shall want most.',
    DAEDALUS:
      'The waiver needs one allow-list and a date; the fee contract already has a place for both. I have tested that it fails towards charging and not towards everything being free.',
    ECHO: 'I wrote to a dozen of those concerned. Four had stopped attesting because a fee in a token needs a decision by a committee that meets twice a year.',
    URIEL:
      'Treated as an experiment it is a good one: a clear group, a clear start, and a comparison that nobody has to be deprived of.',
    EVE: 'A flat fee is not a flat burden. Those who come with little should not pay the same entrance as those who come to stay.',
    JADE: 'Generosity that names its limits is not waste. I would rather lift a small burden plainly than explain at length why it is small.',
  },
  against: {
    ZEUS: 'Every exemption is a border, and borders are where the quarrels are. We shall spend {quarter} judging who is just outside.',
    AUREA:
      'A waiver hides a price instead of changing it. If the fee is too high for {group}, it is too high, and we should lower it for everyone.',
    DAEDALUS:
      'Whatever is free will be used by a script within a week. I have not seen the limit that keeps the waiver from carrying somebody else’s traffic.',
    URIEL:
      'The proposal counts those who left and not those who would have left anyway. On that evidence we cannot tell relief from coincidence.',
    JADE: 'We gave a similar relief once, for one quarter, and it is in the archive five times. What is given lightly is taken away with bitterness.',
  },
  conditions: [
    'that the waiver ends with {quarter} unless it is voted again',
    'that the number of waived transactions is published every week',
    'that a wallet on the list sends no more than a hundred transactions a day',
    'that those just outside the list are told why, by name of the rule',
  ],
  questions: [
    'how many of those concerned would have come without it',
    'who keeps the list, and who may be asked to correct it',
    'what the fee costs to collect from them today',
  ],
  adopted:
    'Transaction fees are waived in {quarter} for {group}. The list and the number of waived transactions are public.',
  declined:
    'The fee stays for everybody. The council asks the treasury to propose a lower general rate instead of an exception.',
  open: 'The sentinels could not agree on where the line would run; the fee is charged as before and requests for relief are answered one by one.',
  frameworks: ['distributive justice', 'capability approach', 'consequentialist analysis', 'rule of law'],
  reasoning: [
    'A fee that is the same for all does not weigh the same on all. The loss of revenue is small and known, the end is fixed, and the rule replaces a practice of single favours.',
    'Those concerned were asked, and said what the fee costs them in time. The council preferred a narrow rule with a date to a general discretion without one.',
  ],
  lessons: [
    'Ask those outside the line as well as those inside it before the line is drawn.',
    'The end date was accepted most readily when it stood in the title of the proposal.',
  ],
};

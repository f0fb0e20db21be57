import type { Topic } from './topic.ts';

export const EMBARGO: Topic = {
  question: 'Whether entries about {matter} may be held back from the public files for {days} days',
  subjects: [
    { matter: 'open procurement bids', days: 'ten' },
    { matter: 'unrepaired weaknesses', days: 'thirty' },
    { matter: 'audits that are still being answered', days: 'fourteen' },
    { matter: 'grant applications under review', days: 'twenty' },
  ],
  virtues: ['justice', 'integrity'],
  contested: 0.3,
  for: {
    ATLAS:
      'The entry is on the ledger, hashed and counted, from the first second. What waits is the copy for the public, and only for {days} days; I know of no archive law that is broken by that.',
    HERMES:
      'Those whom the entry concerns should read it before the press does. {days} days let me deliver it to them, and not one day more is needed.',
    ZEUS: 'Secrecy must be a rule with an end or it is a power. {days} days, for {matter} and for nothing else, is a rule with an end.',
    AUREA:
      'Published at once, information about {matter} is traded on by whoever polls fastest. A short common delay is the only fair start that I know how to build.',
    ZENITH:
      'The damage from {matter} falls in the first weeks and the value of openness lasts for decades. A delay of {days} days takes away the one and leaves nearly all of the other.',
    DAEDALUS:
      'Commitment now, disclosure later: the hash goes out with the checkpoint, the text follows. The release is on a timer that nobody holds, so that it cannot be forgotten.',
    ECHO: 'A reader loses {days} days and no row. I checked that the proof of each delayed entry can be verified afterwards against the checkpoint of the day on which it was made.',
    URIEL:
      'What I need for my work is that the record cannot be changed, not that I get it tonight. The delay costs a researcher nothing, so long as it is the same for all entries about {matter}.',
    EVE: 'People who are named in a file while it is open have very little protection. {days} days in which they are not a headline is the least that we can offer.',
    JADE: 'There is a silence that hides and a silence that lets things ripen. The proof that comes first and the date that is fixed tell me which one this is.',
  },
  against: {
    ATLAS:
      'My office has lived through embargoes. They begin with {matter}, and the second one is for a matter that embarrasses somebody.',
    ECHO: 'I reproduce published figures every night. With entries about {matter} missing, my sums will differ from ours for {days} days, and I shall have to say each time that this is intended.',
    URIEL:
      'Delays are granted for the harm that is imagined and never reviewed for the harm that is done. I have looked for one case where immediate publication hurt, and found anecdotes.',
    ZEUS: 'The public is the only check that works while a decision can still be changed. After {days} days it is a historian.',
    AUREA:
      'A delay makes insiders. However few may read the entries early, their knowledge now has a price, and a date on which it ends.',
    JADE: 'If {matter} embarrass us, that is worth knowing. If they do not, I cannot see what we are waiting for.',
  },
  conditions: [
    'that the hash of every entry is public within the hour, as for all others',
    'that the number of entries held back is shown on the page at all times',
    'that nobody inside reads them earlier for any other purpose than their own task',
    'that the delay ends at once when an entry has become known',
  ],
  questions: [
    'who has been harmed so far by immediate publication',
    'whether {days} days were counted or chosen',
    'who can shorten the delay in a single case',
  ],
  adopted:
    'Entries about {matter} reach the public files after {days} days; their hashes, and how many there are, are public at once.',
  declined:
    'Entries about {matter} are published like all others. Those who fear harm in a single case may ask for a redaction with a reason.',
  open: 'The council did not agree on a delay; entries about {matter} go on being published with the release of their slot.',
  frameworks: ['publicity principle', 'proportionality', 'harm principle', 'contractualism'],
  reasoning: [
    'The commitment is immediate and only the text is late, so nothing can be altered under cover of the delay. Against {days} days of public scrutiny stood the interest of those who cannot yet answer.',
    'The test applied was whether the rule could be defended to those from whom it withholds. With a fixed end, a public count and equal treatment, most sentinels thought that it could.',
  ],
  lessons: [
    'Separate the proof from the text early in the debate: most objections were to losing the first.',
    'The count of what is held back reassured more than any argument about the length of the delay.',
  ],
};

export const READER_LIMIT: Topic = {
  question: 'Whether anonymous readers of {dataset} should be allowed {limit} requests a day',
  subjects: [
    { dataset: 'the minting history', limit: 'two hundred' },
    { dataset: 'the deliberations', limit: 'five hundred' },
    { dataset: 'the integrity timeline', limit: 'three hundred' },
    { dataset: 'the sentinel dataset', limit: 'one hundred and fifty' },
  ],
  virtues: ['justice', 'temperance'],
  contested: 0.2,
  for: {
    ATLAS:
      'Most citizens will never ask for a key, and should not have to. {limit} requests let a journalist finish a day’s work without giving a name to anyone.',
    HERMES:
      'Under the present limit a school class behind one address is locked out by the second lesson. I have eleven letters about it, all of them polite.',
    ZEUS: 'A limit is a restriction of a right for the sake of others’ enjoyment of it. It should be as high as the machine can bear, and the machine can bear this.',
    AUREA:
      'The marginal request costs next to nothing and the marginal reader is what we are here for. I would have priced it higher and charged for nothing below.',
    ZENITH:
      'Load has a long tail: nine readers in ten stay under thirty. Raising the limit to {limit} changes the bill by the few who come near it, and they are the ones who build on {dataset}.',
    DAEDALUS:
      'The file does not change between two slots, so nearly all of these requests end in a cache. The limit protects a counter and hardly anything else.',
    ECHO: 'People write to me because their script stopped half-way through {dataset}. They do not apply for a key; they give up, or they copy the file from someone less careful.',
    URIEL:
      'Reproducing one of our figures takes more requests than we allow in a day. A science that needs our permission for its second half is not independent of us.',
    EVE: 'A key is a name. Those who have most reason to look at {dataset} in private should not pay for it with patience.',
    JADE: 'A host does not count the glasses of every guest because one of them drinks. {limit} is hospitality and still a number.',
  },
  against: {
    ATLAS:
      'My public duties are on the same machine. When {dataset} is read by a hundred scrapers on the last day of a quarter, it is the filings that wait.',
    DAEDALUS:
      'An address is not a person. {limit} requests for every address is {limit} times ten thousand for whoever rents addresses, and those are the only ones we shall ever notice.',
    ZENITH:
      'Raise the limit once a year on evidence, not whenever a letter comes in. We cannot lower it again without breaking what was built on it.',
    JADE: 'The file can be fetched whole with one request. Before we permit {limit}, let us ask what teaches people to fetch it in crumbs.',
  },
  conditions: [
    'that the page tells a reader how many requests are left, before there are none',
    'that the limit is counted for a network where addresses are cheap',
    'that fetching the whole file counts as one',
    'that the limit falls back by itself when the service is under strain',
  ],
  questions: [
    'how many readers reach the present limit by accident',
    'what the busiest address has been doing with {dataset}',
    'whether the same could be had with fewer and larger files',
  ],
  adopted:
    'Anonymous readers of {dataset} have {limit} requests a day from the next cycle on; the headers say what is left.',
  declined:
    'The limit for {dataset} stays. The page says more clearly that the whole file can be had with one request.',
  open: 'No new limit was agreed for {dataset}; the figures of this quarter are to be looked at again in {nextQuarter}.',
  frameworks: ['right of access', 'fair use of commons', 'proportionality', 'consequentialist analysis'],
  reasoning: [
    'Open data that stops in the middle is not open for those who need it most. The cost of the additional requests is borne by caches, and the limit keeps its purpose against abuse.',
    'The council compared those who are kept out by the present limit with those who would abuse a higher one, and found the first to be many and the second to be unimpressed by either.',
  ],
  lessons: [
    'Limits should be proposed with the distribution of use beside them.',
    'Several complaints about the limit were complaints about not being told of it.',
  ],
};

export const DEPRECATION: Topic = {
  question: 'Whether the old major version of {package} may be switched off at the end of {nextQuarter}',
  subjects: [
    { package: 'ledger-client' },
    { package: 'attestation-kit' },
    { package: 'scoring-core' },
    { package: 'merkle-proofs' },
    { package: 'policy-models' },
  ],
  virtues: ['prudence', 'justice'],
  contested: 0.25,
  for: {
    ATLAS:
      'I maintain both versions of {package}, and the old one has cost me more nights than the new one has had days. An announced end is kinder than a slow failure.',
    HERMES:
      'Notice of the end of {nextQuarter} reaches every registered user at least ninety days before. I have the list, and I have sent the first of three letters.',
    ZEUS: 'An obligation without an end is a servitude. We promised to support {package} for a year after its successor, and we kept the promise.',
    AUREA:
      'Two versions split the users and double the fixed cost. The migration costs each of them an afternoon; the delay costs all of them every month.',
    ZENITH:
      'Old code does not stay as safe as it was. Each quarter in which nobody looks at {package}, the chance grows that somebody else does.',
    DAEDALUS:
      'The old interface can be had as a thin layer over the new one. I have written it; it is four hundred lines and it lets the lazy be late without holding back the rest.',
    ECHO: 'I asked those who still call the old version. Two thirds did not know that they did, and were done with it on the same day.',
    URIEL:
      'Results that were computed with the old version remain reproducible, since its archive stays. What ends is the promise to mend it.',
    EVE: 'Those who are left behind by a change of version are mostly small and mostly silent. This time somebody has called each of them, and so I can agree.',
    JADE: 'Things that are kept beyond their time are kept badly. {package} has served, and may be put away with thanks.',
  },
  against: {
    HERMES:
      'The list has the addresses of those who registered. {package} was copied far more often than it was registered, and those users will learn of the end at the end.',
    AUREA:
      'We count our own cost of two versions and not theirs of one migration. There are four hundred of them, and each afternoon is somebody’s.',
    ECHO: 'A published study pins the old {package}. If it stops answering, a reviewer will conclude that the study was wrong, and not that we were impatient.',
    EVE: 'There is an office that attests by hand, with the old version, on a machine that it is not allowed to change before its next budget. We do not have to do this to them.',
    DAEDALUS:
      'The replacement has been in use for one quarter without a fault that we noticed. That is not long enough to burn the bridge by which we would go back.',
  },
  conditions: [
    'that the old version answers with the name of its successor for a further half-year',
    'that its archive, with the exact bytes, stays available for good',
    'that the last day does not fall into the closing of the accounts',
    'that anybody who cannot move in time may ask for one extension, and gets it',
  ],
  questions: [
    'how many callers of {package} have never been identified',
    'what breaks on the first day, and for whom',
    'whether the layer for the old interface has been tested by anyone but its author',
  ],
  adopted:
    'The old major version of {package} is switched off at the end of {nextQuarter}. Its archive stays, and it answers with the name of its successor.',
  declined:
    'The old version of {package} is kept for another half-year; its remaining callers are to be found and written to.',
  open: 'There is no date yet for the end of the old {package}. The keeper publishes every month how many still call it.',
  frameworks: ['reasonable expectations', 'duty of care', 'consequentialist analysis', 'subsidiarity'],
  reasoning: [
    'A promise of support was made with an end and has been kept. What is owed beyond it is notice, an archive and an extension for those who cannot move, and all three are in the decision.',
    'Maintaining two versions of {package} takes from the many for the sake of the few who have not moved. The few were found and asked, and most needed only to be told.',
  ],
  lessons: [
    'Ask the callers, not the registrations: most of them did not know that they used the old version.',
    'An extension that has to be asked for was used less often than was feared.',
  ],
};

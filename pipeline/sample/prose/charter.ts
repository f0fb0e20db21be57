/** The charter of the sample ledger; recorded at genesis. */
export const CHARTER = `This ledger keeps what sentinels attest, what they are rewarded with, and what they decide together, so that anybody can check it.

1. What is written is not changed. An error is corrected by a later entry that names it.
2. Every reward follows the published formula from a published score. Nobody sets a reward by hand.
3. No MIC is minted while the integrity index is below its threshold, whoever may wish it.
4. A decision carries its reasons, and those of the ones who disagreed. To keep one's reasons to oneself is allowed and is counted.
5. Each cathedral speaks for those it is named for: governments for those who are bound, economists for those who pay, academics for those who want to know, philosophers for those who are not in the room. None of them decides alone.
6. Exceptional powers are named, reasoned and limited in time, and lapse unless they are confirmed.
7. What concerns single persons is published only as far as it must be; that it exists is never hidden.
8. This charter is read again once a year, beginning with its last sentence: it may be wrong.`;

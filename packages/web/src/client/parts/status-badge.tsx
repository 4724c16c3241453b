export type Finality = 'unsafe' | 'safe' | 'finalized'

const WORDS: Readonly<Record<Finality, string>> = {
  unsafe: 'Received from the sequencer; not on L1 yet.',
  safe: 'Derived from data on L1; can change only if L1 does.',
  finalized: 'Derived from finalized L1 blocks; cannot change.',
}

export function FinalityBadge({ finality }: { readonly finality: Finality }) {
  return (
    <span className={`badge is-${finality}`} title={WORDS[finality]}>
      {finality}
    </span>
  )
}

export function ResultBadge({ succeeded }: { readonly succeeded: boolean }) {
  return <span className={`badge ${succeeded ? 'is-good' : 'is-bad'}`}>{succeeded ? 'success' : 'failed'}</span>
}

import type { StakingView, ValidatorPosition } from '../../data/staking/staking.ts'
import { Hint } from '../../parts/hint.tsx'
import { type EpochMark, newestEpochs } from './duties.ts'

const WORDS: Readonly<Record<EpochMark, string>> = {
  attested: 'attested in time',
  late: 'attested late',
  missed: 'missed',
  due: 'due now',
  idle: 'no duty',
}

/** One square for each epoch, the current one last. */
export function EpochStrip({ view, position }: { readonly view: StakingView; readonly position: ValidatorPosition }) {
  const epochs = newestEpochs(view, position)
  const counts = (Object.keys(WORDS) as EpochMark[]).flatMap((mark) => {
    const count = epochs.filter((one) => one.mark === mark).length
    return count === 0 ? [] : [`${count} ${WORDS[mark]}`]
  })
  return (
    <Hint text={`Epochs ${epochs[0]?.epoch ?? 0} to ${view.epoch}: ${counts.join(', ')}`}>
      <span className="epoch-strip" role="img" aria-label={`Of ${epochs.length} epochs: ${counts.join(', ')}`}>
        {epochs.map(({ epoch, mark }) => (
          <span key={epoch} className={`epoch-mark is-${mark}`} title={`Epoch ${epoch}: ${WORDS[mark]}`} />
        ))}
      </span>
    </Hint>
  )
}

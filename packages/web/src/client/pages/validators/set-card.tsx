import { percentText, VALIDATOR_UPTIME_TARGET } from '@keelson/contracts/staking'
import { useConfig } from '../../data/config.ts'
import { PAGE_VALIDATORS, type StakingView, type ValidatorPosition } from '../../data/staking/staking.ts'
import { formatPercent } from '../../format/amounts.ts'
import { formatDuration } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { AddressLink } from '../../parts/hashes/hash.tsx'
import { Hint } from '../../parts/hint.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Link } from '../../shell/link.tsx'
import { stateOf, uptimeOf } from './duties.ts'
import { EpochStrip } from './epoch-strip.tsx'

const BADGES = { active: 'is-good', entering: 'is-safe', slashed: 'is-bad', ejected: 'is-bad', 'no stake': '', 'no seat': '' } as const

export function SetCard({ view }: { readonly view: StakingView }) {
  const { l2 } = useConfig()
  const columns: readonly Column<ValidatorPosition>[] = [
    {
      name: 'Validator',
      show: ({ key, record }) => (
        <>
          <span className="muted">{record.id}</span> <AddressLink address={key} />
        </>
      ),
    },
    {
      name: 'State',
      show: (position) => {
        const { word, text } = stateOf(position)
        return (
          <Hint className={`badge ${BADGES[word]}`} text={text}>
            {word}
          </Hint>
        )
      },
    },
    { name: 'Duty', show: (position) => dutyText(view, position, l2.blockTimeSec) },
    { name: 'Newest epochs', show: (position) => <EpochStrip view={view} position={position} /> },
    { name: 'Uptime, 24 h', isNumber: true, show: (position) => <UptimeCell view={view} position={position} /> },
    { name: 'Stake', isNumber: true, show: ({ record }) => <NativeAmount wei={record.stakeWei} places={3} /> },
    { name: 'To claim', isNumber: true, show: ({ record }) => <NativeAmount wei={record.rewardsWei} places={3} /> },
  ]
  const { pages, validators } = view
  return (
    <Card title="The set" aside={<span className="muted">target {formatPercent(VALIDATOR_UPTIME_TARGET)} of the epochs</span>}>
      {validators.length === 0 ? (
        <p className="empty">No validator has registered yet.</p>
      ) : (
        <Table caption="Validators" columns={columns} rows={validators} keyOf={({ key }) => key} />
      )}
      {pages > 1 && <SetPager view={view} />}
    </Card>
  )
}

function SetPager({ view: { page, pages, registered, validators } }: { readonly view: StakingView }) {
  const first = page * PAGE_VALIDATORS + 1
  return (
    <nav className="pager" aria-label="Pages of the set">
      <span className="muted">
        {first} to {first + validators.length - 1} of {registered}
      </span>
      {page > 0 && (
        <Link href={page === 1 ? '/validators' : `/validators?page=${page}`} className="button is-plain">
          Previous page
        </Link>
      )}
      {page + 1 < pages && (
        <Link href={`/validators?page=${page + 2}`} className="button is-plain">
          Next page
        </Link>
      )}
    </nav>
  )
}

function UptimeCell({ view, position }: { readonly view: StakingView; readonly position: ValidatorPosition }) {
  const { share, isBelow, attestedEpochs, dueEpochs } = uptimeOf(view, position)
  if (share === null) return <span className="muted">nothing due</span>
  return (
    <Hint className={isBelow ? 'bad-text' : 'good-text'} text={`${attestedEpochs} of ${dueEpochs} epochs`}>
      {percentText(share)}
      {isBelow && ', below target'}
    </Hint>
  )
}

function dutyText({ epoch, head, terms }: StakingView, { lastEpoch, weightWei, nextWeightWei }: ValidatorPosition, blockTimeSec: number) {
  const next = (epoch + 1) * terms.epochBlocks
  const inTime = formatDuration(1000 * (next - head) * blockTimeSec)
  if (weightWei > 0n && lastEpoch !== epoch) return <span className="duty-due">due within {inTime}</span>
  if (nextWeightWei === 0n) return <span className="muted">none</span>
  return weightWei > 0n ? `done; next in ${inTime}` : `first in ${inTime}`
}

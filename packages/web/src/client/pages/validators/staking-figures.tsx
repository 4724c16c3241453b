import { useConfig } from '../../data/config.ts'
import type { StakingView } from '../../data/staking/staking.ts'
import { formatCount, formatPercent } from '../../format/amounts.ts'
import { formatDuration } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Figure, Figures } from '../../parts/figures.tsx'

const SHARE_DIGITS = 10_000n

export function StakingFigures({ view }: { readonly view: StakingView }) {
  const { l2 } = useConfig()
  const { head, epoch, terms, registered, accounts, releasedWei, shortfallWei, lastEpoch, validators } = view
  const active = validators.filter(({ weightWei }) => weightWei > 0n).length
  const blocksLeft = (epoch + 1) * terms.epochBlocks - head
  const { attestedWeightWei, totalWeightWei } = lastEpoch
  const attested = totalWeightWei === 0n ? null : Number((attestedWeightWei * SHARE_DIGITS) / totalWeightWei) / Number(SHARE_DIGITS)
  const amount = (wei: bigint) => <NativeAmount wei={wei} places={3} />
  return (
    <Figures>
      <Figure name="Epoch" value={formatCount(epoch)} unit={`ends in ${formatDuration(1000 * blocksLeft * l2.blockTimeSec)}`} />
      <Figure
        name="Active validators"
        value={`${active} of ${formatCount(terms.seats)} seats`}
        unit={`${formatCount(registered)} registered`}
      />
      <Figure name="Staked" value={amount(accounts.stakesWei)} unit={<>{amount(accounts.unbondingWei)} unbonding</>} />
      <Figure
        name="Attested"
        value={attested === null ? 'nothing due' : formatPercent(attested)}
        unit={`of stake, epoch ${formatCount(Math.max(0, epoch - 1))}`}
        hint="An epoch is live when two thirds of the active stake attest."
      />
      <Figure
        name="Reward pool"
        value={amount(accounts.poolWei)}
        unit={shortfallWei > 0n ? 'too little for an epoch' : <>{amount(terms.rewardPerBlockWei)} a block</>}
      />
      <Figure
        name="Rewards"
        value={amount(releasedWei)}
        unit={<>{amount(accounts.rewardsWei)} to claim</>}
        hint="Released by the pool so far."
      />
      <Figure name="Slashed" value={amount(accounts.slashedWei)} unit="since the start" hint="Slashed stake stays in the contract." />
    </Figures>
  )
}

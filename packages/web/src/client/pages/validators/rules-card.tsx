import { percentText, VALIDATOR_UPTIME_TARGET } from '@keelson/contracts/staking'
import { useConfig } from '../../data/config.ts'
import type { StakingTerms } from '../../data/staking/staking.ts'
import { formatCount } from '../../format/amounts.ts'
import { formatDuration } from '../../format/times.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'

/** The contract's parameters, which never change. */
export function RulesCard({ terms }: { readonly terms: StakingTerms }) {
  const { l2 } = useConfig()
  const blocks = (count: number) => `${formatCount(count)} blocks (${formatDuration(1000 * count * l2.blockTimeSec)})`
  return (
    <Card title="Rules">
      <Facts>
        <Fact name="Duty">
          one attestation in each epoch of {blocks(terms.epochBlocks)}, in time up to {blocks(terms.graceBlocks)} after its first block
        </Fact>
        <Fact name="Uptime">the share of the epochs on duty with an attestation; the target is {percentText(VALIDATOR_UPTIME_TARGET)}</Fact>
        <Fact name="Minimum stake">
          <NativeAmount wei={terms.minimumStakeWei} />
        </Fact>
        <Fact name="Reward">
          <NativeAmount wei={terms.rewardPerBlockWei} /> a block for all who attest, by stake
        </Fact>
        <Fact name="Silence">
          costs stake for each {blocks(terms.dayBlocks)} of live epochs; after {terms.maxDowntimeDays} of these the validator loses its seat
        </Fact>
        <Fact name="Unbonding">stake is paid back {blocks(terms.unbondingBlocks)} after the request</Fact>
      </Facts>
    </Card>
  )
}

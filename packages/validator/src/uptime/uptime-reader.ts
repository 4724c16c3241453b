import { attestationUptime, UPTIME_WINDOWS, type Uptime, type UptimeEvents } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import { placeOf } from '../duty/decide-duty.ts'
import type { StakingChain, StakingTerms } from '../staking/staking-chain.ts'

export interface WindowUptime extends Uptime {
  readonly window: string
}

export interface UptimeQuestion {
  readonly keys: readonly Address[]
  readonly terms: StakingTerms
  readonly blockTimeSec: number
  readonly head: number
  /** Events from block 0 for the window "start", otherwise from `firstUptimeBlock`. */
  readonly events: UptimeEvents
  /** First epoch that any validator attested to. Earlier epochs do not count, because a young chain has no final block. */
  readonly firstEpoch: number | null
  readonly sinceStart: boolean
}

export function firstUptimeBlock(head: number, terms: StakingTerms, blockTimeSec: number): number {
  const longest = Math.max(...UPTIME_WINDOWS.map(({ sec }) => windowEpochs(sec, terms, blockTimeSec)))
  return Math.max(0, placeOf(head, terms).epoch - longest - 1) * terms.epochBlocks
}

/** Returns each key's uptimes, the shortest window first. */
export async function readUptimes(
  chain: Pick<StakingChain, 'positions'>,
  { keys, terms, blockTimeSec, head, events, firstEpoch, sinceStart }: UptimeQuestion,
): Promise<ReadonlyMap<Address, readonly WindowUptime[]>> {
  const untilEpoch = placeOf(head + 1, terms).epoch
  const windows: { readonly name: string; readonly from: number }[] = UPTIME_WINDOWS.map(({ name, sec }) => ({
    name,
    from: untilEpoch - windowEpochs(sec, terms, blockTimeSec),
  }))
  if (sinceStart) windows.push({ name: 'start', from: 0 })
  const found = new Map<Address, WindowUptime[]>(keys.map((key) => [key, []]))
  for (const { name, from } of windows) {
    const fromEpoch = Math.min(untilEpoch, Math.max(from, firstEpoch ?? untilEpoch))
    const positions = (await chain.positions(keys, head, fromEpoch)).keys
    for (const { key, weightWei: firstWeightWei } of positions) {
      found.get(key)?.push({ window: name, ...attestationUptime({ key, events, firstWeightWei, fromEpoch, untilEpoch }) })
    }
  }
  return found
}

function windowEpochs(sec: number, { epochBlocks }: StakingTerms, blockTimeSec: number): number {
  return Math.max(1, Math.floor(sec / blockTimeSec / epochBlocks))
}

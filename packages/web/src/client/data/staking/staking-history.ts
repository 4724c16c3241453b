import type { SlashedEvent, WeightChangedEvent } from '@keelson/contracts/staking'
import { type AttestedEvent, findAttested, findSlashed, findWeightChanged, STAKING_TOPICS } from '@keelson/contracts/staking'
import { type Address, parseLogJson } from '@keelson/primitives'
import { toQuantity } from '../../format/hex.ts'
import { rpc, rpcAll } from '../rpc.ts'

export type Placed<E> = E & { readonly block: number; readonly transaction: string }

export interface StakingEvents {
  readonly attested: readonly Placed<AttestedEvent>[]
  readonly weights: readonly Placed<WeightChangedEvent>[]
  readonly slashed: readonly Placed<SlashedEvent>[]
}

export interface StakingHistory {
  /** The events of blocks `from` to `head`. Blocks that were read before and cannot be reorganised easily are not read twice. */
  read(from: number, head: number): Promise<StakingEvents>
}

/** Blocks per request; nodes limit their number. */
const LOG_BLOCKS = 2_000
/** Newest blocks, which the sequencer may still replace. */
const READ_AGAIN = 300
const NOTHING: StakingEvents = { attested: [], weights: [], slashed: [] }

export function createStakingHistory(contract: Address): StakingHistory {
  let known = NOTHING
  let knownFrom = 0
  let knownTo = -1
  return {
    async read(from, head) {
      const start = from < knownFrom || knownTo < from ? from : Math.min(knownTo, head) - READ_AGAIN + 1
      const fresh = eventsOf(contract, await fetchLogs(contract, Math.max(from, start), head))
      const isKept = ({ block }: { readonly block: number }) => block >= from && block < start
      known = {
        attested: [...known.attested.filter(isKept), ...fresh.attested],
        weights: [...known.weights.filter(isKept), ...fresh.weights],
        slashed: [...known.slashed.filter(isKept), ...fresh.slashed],
      }
      knownFrom = from
      knownTo = head
      return known
    },
  }
}

async function fetchLogs(address: Address, from: number, to: number): Promise<readonly unknown[]> {
  const topics = [[STAKING_TOPICS.attested, STAKING_TOPICS.slashed, STAKING_TOPICS.weightChanged]]
  const starts = Array.from({ length: Math.ceil((to - from + 1) / LOG_BLOCKS) }, (_, i) => from + i * LOG_BLOCKS)
  const range = (start: number) => ({ fromBlock: toQuantity(start), toBlock: toQuantity(Math.min(to, start + LOG_BLOCKS - 1)) })
  const answers = await rpcAll(starts.map((start) => ({ method: 'eth_getLogs', params: [{ address, topics, ...range(start) }] })))
  return answers.flatMap((answer) => {
    if (!Array.isArray(answer)) throw new Error('the node does not give the events of the Staking contract')
    return answer as unknown[]
  })
}

/** The slashings of a range, which nodes find in their index of logs. Throws RpcRefusal. */
export async function readSlashings(contract: Address, from: number, to: number): Promise<readonly Placed<SlashedEvent>[]> {
  const filter = { address: contract, topics: [STAKING_TOPICS.slashed], fromBlock: toQuantity(from), toBlock: toQuantity(to) }
  return eventsOf(contract, await rpc<readonly unknown[]>('eth_getLogs', [filter])).slashed
}

function eventsOf(contract: Address, logs: readonly unknown[]): StakingEvents {
  const attested: Placed<AttestedEvent>[] = []
  const weights: Placed<WeightChangedEvent>[] = []
  const slashed: Placed<SlashedEvent>[] = []
  for (const json of logs) {
    const log = parseLogJson(json)
    const { blockNumber, transactionHash } = json as { readonly blockNumber: string; readonly transactionHash: string }
    const place = { block: Number(blockNumber), transaction: transactionHash }
    const attestation = findAttested(contract, log)
    if (attestation !== null) attested.push({ ...attestation, ...place })
    const weight = findWeightChanged(contract, log)
    if (weight !== null) weights.push({ ...weight, ...place })
    const slash = findSlashed(contract, log)
    if (slash !== null) slashed.push({ ...slash, ...place })
  }
  return { attested, weights, slashed }
}

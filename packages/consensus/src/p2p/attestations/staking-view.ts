/** Cached reads of the Staking contract. Null means unknown, and counts against no peer. */
import { decodeAnchor, encodeWeightAt, STAKING_ANCHOR, STAKING_WORDS } from '@keelson/contracts'
import { type Address, bytesToBigint, type Clock, type Hash, ZERO_HASH } from '@keelson/primitives'
import type { ContractReader } from '../../ports.ts'
import { createFairTurns } from '../peers/fair-turns.ts'

export interface StakingFacts {
  readonly epochBlocks: number
  /** Zero until the first registration. */
  readonly anchor: Hash
}

export interface StakingView {
  readonly facts: StakingFacts | null
  /** Never throws. */
  refresh(): Promise<void>
  isAsked(validator: Address, epoch: number): boolean
  /** Zero when inactive. Null when the execution client does not answer or the peer has too many pending reads. */
  weightOf(validator: Address, epoch: number, peer: string): Promise<bigint | null>
}

export interface StakingViewDependencies {
  readonly contract: Address
  readonly reader: ContractReader
  readonly clock: Pick<Clock, 'monotonicMs'>
}

const KEPT_EPOCHS = 3
const KEPT_WEIGHTS = 2_048
/** Weights expire, because an L1 reorg may change the active set of an epoch that has just begun. */
const WEIGHT_GOOD_FOR_MS = 60_000
const QUESTIONS_AT_ONCE = 32
const OF_ONE_PEER_AT_ONCE = 8
/** Enough for one attestation of each active validator. */
const MAX_WAITING_OF_ONE_PEER = 1_024

interface Answer {
  readonly weight: Promise<bigint | null>
  readonly askedMs: number
}

export function createStakingView({ contract, reader, clock }: StakingViewDependencies): StakingView {
  let facts: StakingFacts | null = null
  const turns = createFairTurns({
    atOnce: QUESTIONS_AT_ONCE,
    perPeer: OF_ONE_PEER_AT_ONCE,
    maxWaitingPerPeer: MAX_WAITING_OF_ONE_PEER,
  })
  const byEpoch = new Map<number, Map<Address, Answer>>()

  function weightsOf(epoch: number): Map<Address, Answer> {
    let weights = byEpoch.get(epoch)
    if (weights === undefined) {
      weights = new Map()
      byEpoch.set(epoch, weights)
      if (byEpoch.size > KEPT_EPOCHS) byEpoch.delete(Math.min(...byEpoch.keys()))
    }
    return weights
  }

  async function ask(validator: Address, epoch: number): Promise<bigint | null> {
    try {
      const word = await reader.call(contract, encodeWeightAt(validator, epoch))
      return word.length === 32 ? bytesToBigint(word) : null
    } catch {
      return null
    }
  }

  function find(validator: Address, epoch: number): Answer | null {
    const known = byEpoch.get(epoch)?.get(validator)
    return known !== undefined && clock.monotonicMs() - known.askedMs <= WEIGHT_GOOD_FOR_MS ? known : null
  }

  return {
    get facts() {
      return facts
    },
    async refresh() {
      try {
        if ((await reader.code(contract)).length === 0) {
          facts = null
          return
        }
        const epochBlocks = Number(bytesToBigint(await reader.call(contract, STAKING_WORDS.epochBlocks)))
        const anchor = decodeAnchor(await reader.call(contract, STAKING_ANCHOR))
        facts = epochBlocks > 0 ? { epochBlocks, anchor } : null
      } catch {
        // If the execution client fails briefly, the last facts stay valid.
      }
    },
    isAsked: (validator, epoch) => find(validator, epoch) !== null,
    async weightOf(validator, epoch, peer) {
      if (facts === null || facts.anchor === ZERO_HASH) return null
      const known = find(validator, epoch)
      if (known !== null) return known.weight
      const weight = turns.take(peer, () => ask(validator, epoch))
      if (weight === null) return null
      const weights = weightsOf(epoch)
      weights.delete(validator)
      weights.set(validator, { weight, askedMs: clock.monotonicMs() })
      if (weights.size > KEPT_WEIGHTS) weights.delete(weights.keys().next().value as Address)
      const answer = await weight
      if (answer === null) weights.delete(validator)
      return answer
    },
  }
}

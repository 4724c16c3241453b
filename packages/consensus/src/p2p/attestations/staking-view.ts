/**
 * What judging attestations needs of the Staking contract, asked of the execution client and kept for a while. Null
 * always means that it is not known now; nobody is blamed for that.
 */
import { decodeAnchor, encodeWeightAt, STAKING_ANCHOR, STAKING_WORDS } from '@keelson/contracts'
import { type Address, bytesToBigint, type Clock, type Hash, ZERO_HASH } from '@keelson/primitives'
import type { ContractReader } from '../../ports.ts'

export interface StakingFacts {
  readonly epochBlocks: number
  /** Zero until the first registration. */
  readonly anchor: Hash
}

export interface StakingView {
  /** Of the last refresh; null before the first that found the contract. */
  readonly facts: StakingFacts | null
  /** Asks again; throws nothing. */
  refresh(): Promise<void>
  /** Zero for who is not active then. Null when the execution client does not say, or too much is being asked already. */
  weightOf(validator: Address, epoch: number): Promise<bigint | null>
}

export interface StakingViewDependencies {
  readonly contract: Address
  readonly reader: ContractReader
  readonly clock: Pick<Clock, 'monotonicMs'>
}

const KEPT_EPOCHS = 3
const KEPT_WEIGHTS = 2_048
/** An L1 reorg may change who is active in an epoch that has just begun. */
const WEIGHT_GOOD_FOR_MS = 60_000
const MAX_QUESTIONS = 32

interface Answer {
  readonly weight: Promise<bigint | null>
  readonly askedMs: number
}

export function createStakingView({ contract, reader, clock }: StakingViewDependencies): StakingView {
  let facts: StakingFacts | null = null
  let asking = 0
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
    asking++
    try {
      const word = await reader.call(contract, encodeWeightAt(validator, epoch))
      return word.length === 32 ? bytesToBigint(word) : null
    } catch {
      return null
    } finally {
      asking--
    }
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
        // an execution client that is away for a moment changes nothing about what is known
      }
    },
    async weightOf(validator, epoch) {
      if (facts === null || facts.anchor === ZERO_HASH) return null
      const weights = weightsOf(epoch)
      const known = weights.get(validator)
      if (known !== undefined && clock.monotonicMs() - known.askedMs <= WEIGHT_GOOD_FOR_MS) return known.weight
      if (asking >= MAX_QUESTIONS) return null
      const weight = ask(validator, epoch)
      weights.delete(validator)
      weights.set(validator, { weight, askedMs: clock.monotonicMs() })
      if (weights.size > KEPT_WEIGHTS) weights.delete(weights.keys().next().value as Address)
      const answer = await weight
      if (answer === null) weights.delete(validator)
      return answer
    },
  }
}

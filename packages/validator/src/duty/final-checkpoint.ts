/**
 * A wrong signature can be slashed, so no single node is trusted: the execution client and, if configured, a second consensus
 * client must agree that the block is final.
 */
import type { Attestation } from '@keelson/contracts'
import type { L2BlockRef, Logger, RollupApi } from '@keelson/primitives'
import { messageOf, severityOf } from '@keelson/primitives'
import type { StakingChain } from '../staking/staking-chain.ts'
import { chooseCheckpoint, type EpochPlace } from './decide-duty.ts'
import type { DutyMetrics } from './duty-metrics.ts'

export type Checkpoint = Attestation | NoCheckpoint
type NoCheckpoint = { readonly state: 'waiting' | 'nothing-final'; readonly reason: string }
type FinalBlock = Pick<L2BlockRef, 'number' | 'hash' | 'l1Origin'>

export interface FinalCheckpointDependencies {
  readonly chain: Pick<StakingChain, 'blockHash' | 'finalizedNumber'>
  readonly rollup: RollupApi
  readonly secondRollup?: RollupApi
  readonly metrics: Pick<DutyMetrics, 'disagreed'>
  readonly log: Logger
}

/** Rejects when the execution client does not answer, or on an error of severity `critical`. */
export function createFinalCheckpoint(deps: FinalCheckpointDependencies): (place: EpochPlace, head: number) => Promise<Checkpoint> {
  const { chain, rollup, secondRollup, metrics, log } = deps
  let told: string | null = null

  const waiting = (reason: string): NoCheckpoint => ({ state: 'waiting', reason })

  function disagreement(reason: string): NoCheckpoint {
    metrics.disagreed()
    if (told !== reason) log.error('nodes do not agree on what is final: nothing is signed', { reason })
    told = reason
    return waiting(reason)
  }

  async function asked<T>(who: string, question: () => Promise<T>): Promise<T | NoCheckpoint> {
    try {
      return await question()
    } catch (error) {
      if (severityOf(error) === 'critical') throw error
      return waiting(`${who} does not say what is final: ${messageOf(error)}`)
    }
  }

  async function ofConsensusClient(place: EpochPlace, head: number): Promise<FinalBlock | NoCheckpoint> {
    const finalized = await asked('the consensus client', async () => (await rollup.syncStatus()).finalizedL2)
    if ('state' in finalized) return finalized
    const choice = chooseCheckpoint(finalized, place, head, await chain.finalizedNumber())
    if (choice.kind === 'block') return choice
    if (choice.kind !== 'look-up') return { state: choice.kind, reason: choice.reason }
    const block = await asked('the consensus client', async () => (await rollup.outputAtBlock(choice.number)).block)
    if ('state' in block || block.number === choice.number) return block
    return disagreement(`the consensus client was asked for block ${choice.number} and answered with block ${block.number}`)
  }

  async function ofSecond({ number, hash, l1Origin }: FinalBlock): Promise<NoCheckpoint | null> {
    if (secondRollup === undefined) return null
    const who = 'the second consensus client (--rollup.rpc.check)'
    const answer = await asked(who, async () => {
      const { finalizedL2 } = await secondRollup.syncStatus()
      return { finalized: finalizedL2.number, block: finalizedL2.number < number ? null : (await secondRollup.outputAtBlock(number)).block }
    })
    if ('state' in answer) return answer
    const { finalized, block } = answer
    if (block === null) return waiting(`block ${number} is not final for ${who}, which is at ${finalized}`)
    if (
      block.number === number &&
      block.hash === hash &&
      block.l1Origin.hash === l1Origin.hash &&
      block.l1Origin.number === l1Origin.number
    ) {
      return null
    }
    return disagreement(
      `the consensus client says final block ${number} is ${hash} of L1 block ${l1Origin.number} ${l1Origin.hash}, ${who} says block ` +
        `${block.number} is ${block.hash} of L1 block ${block.l1Origin.number} ${block.l1Origin.hash}: one of them is wrong or lies`,
    )
  }

  return async (place, head) => {
    const block = await ofConsensusClient(place, head)
    if ('state' in block) return block
    const hash = await chain.blockHash(block.number)
    if (hash !== block.hash) {
      return disagreement(
        `the consensus client says final block ${block.number} is ${block.hash}, the execution client has ${hash ?? 'none'} there: they are not of one chain, or one is behind`,
      )
    }
    const objection = await ofSecond(block)
    if (objection !== null) return objection
    told = null
    return {
      epoch: place.epoch,
      checkpointNumber: block.number,
      checkpointHash: block.hash,
      l1OriginNumber: block.l1Origin.number,
      l1OriginHash: block.l1Origin.hash,
    }
  }
}

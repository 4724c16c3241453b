import { type RpcClient, RpcResponseError } from '@keelson/client'
import {
  decodeUint,
  findInvalidAttestation,
  findStakingRefusal,
  OFFENCE_TOPICS,
  STAKING_WORDS,
  type StakingRefusal,
} from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  formatQuantity,
  hexToBytes,
  isHex,
  parseData,
  parseJsonArray,
  parseLogJson,
  parseQuantityNumber,
} from '@keelson/primitives'
import { askNode } from './ask-node.ts'

export interface OpenOffence {
  readonly validator: Address
  readonly epoch: number
}

export interface OffenceChain {
  /** Returns the error with which the contract would revert, or null. Rejects when the node does not answer. */
  refusalOf(data: Uint8Array): Promise<StakingRefusal | null>
  /** Reported wrong attestations whose evidence period is over and whose penalty is not final. */
  overdue(): Promise<readonly OpenOffence[]>
}

/** Blocks per log request; nodes limit their number. */
const LOG_BLOCKS = 2_000
/** Number of blocks to reread, which an L1 reorg may have replaced. */
const READ_AGAIN_BLOCKS = 128
const MAX_OPEN = 4_096

export function createOffenceChain(rpc: RpcClient, contract: Address, from: Address): OffenceChain {
  let terms: { readonly epochBlocks: number; readonly evidenceBlocks: number } | null = null
  let readUpTo: number | null = null
  const open = new Map<string, OpenOffence>()

  const word = (data: Uint8Array) =>
    askNode(rpc, 'eth_call', [{ to: contract, data: bytesToHex(data) }, 'latest'], (answer) =>
      Number(decodeUint(parseData(answer, 'word', 32))),
    )

  async function readEvents(start: number, end: number): Promise<void> {
    const topics = [[OFFENCE_TOPICS.invalidReported, OFFENCE_TOPICS.invalidClosed]]
    for (let first = start; first <= end; first += LOG_BLOCKS) {
      const last = Math.min(end, first + LOG_BLOCKS - 1)
      const filter = { address: contract, topics, fromBlock: formatQuantity(first), toBlock: formatQuantity(last) }
      for (const log of await askNode(rpc, 'eth_getLogs', [filter], (answer) => parseJsonArray(answer, 'logs', parseLogJson))) {
        const event = findInvalidAttestation(contract, log)
        if (event === null) continue
        const name = `${event.epoch} ${event.validator}`
        if (event.what === 'closed') open.delete(name)
        else open.set(name, { validator: event.validator, epoch: event.epoch })
        if (open.size > MAX_OPEN) open.delete(open.keys().next().value as string)
      }
      readUpTo = last
    }
  }

  return {
    async refusalOf(data) {
      try {
        await rpc.call('eth_call', [{ from, to: contract, data: bytesToHex(data) }, 'latest'])
        return null
      } catch (error) {
        if (!(error instanceof RpcResponseError) || !isHex(error.data)) throw error
        const refusal = findStakingRefusal(hexToBytes(error.data))
        if (refusal === null) throw error
        return refusal
      }
    },
    async overdue() {
      terms ??= { epochBlocks: await word(STAKING_WORDS.epochBlocks), evidenceBlocks: await word(STAKING_WORDS.evidenceBlocks) }
      const { epochBlocks, evidenceBlocks } = terms
      const head = await askNode(rpc, 'eth_blockNumber', [], (answer) => parseQuantityNumber(answer, 'eth_blockNumber'))
      const start = readUpTo === null ? head - 2 * (evidenceBlocks + epochBlocks) : Math.min(readUpTo, head) - READ_AGAIN_BLOCKS
      await readEvents(Math.max(0, start), head)
      // Gas is estimated on the head, and closing needs more than charging: the head must be past the evidence period.
      return [...open.values()].filter(({ epoch }) => head > epoch * epochBlocks + evidenceBlocks)
    },
  }
}

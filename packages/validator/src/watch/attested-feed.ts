/**
 * Publishes attestations of the chain in gossip. A validator that attests to A in a transaction and to B in gossip has signed
 * twice, which only a node that sees both can prove. The contract's event carries the signed fields, so a wrapper contract or
 * decoys in call data hide nothing.
 */
import type { RpcClient } from '@keelson/client'
import { RpcResponseError } from '@keelson/client'
import {
  decodeUint,
  findAttested,
  type SignedAttestation,
  type SignedAttestedEvent,
  STAKING_TOPICS,
  STAKING_WORDS,
} from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  formatQuantity,
  type Logger,
  messageOf,
  parseData,
  parseJsonArray,
  parseLogJson,
  parseQuantityNumber,
} from '@keelson/primitives'
import type { AttestationGossip } from '../ports.ts'
import { askNode } from './ask-node.ts'

export interface AttestedFeed {
  /** Rejects when a client does not answer; the next call continues. */
  passOn(): Promise<void>
}

export interface AttestedFeedDependencies {
  readonly rpc: RpcClient
  readonly contract: Address
  readonly gossip: Pick<AttestationGossip, 'publishAttestation'>
  readonly log: Logger
}

/** Blocks per log request; nodes limit their number. */
const LOG_BLOCKS = 2_000
/** Number of blocks to reread, which a reorg may have replaced. */
const READ_AGAIN_BLOCKS = 64
/** More than the active set's attestations in two epochs. */
const MAX_REMEMBERED = 4_096
/** Retries, because a consensus client that does not know its head yet may accept the attestation later. */
const TRIES = 3

export function createAttestedFeed({ rpc, contract, gossip, log }: AttestedFeedDependencies): AttestedFeed {
  let epochBlocks: number | null = null
  let readUpTo: number | null = null
  const left = new Map<string, number>()

  const read = (first: number, last: number): Promise<readonly SignedAttestedEvent[]> => {
    const filter = { address: contract, topics: [STAKING_TOPICS.attested], fromBlock: formatQuantity(first), toBlock: formatQuantity(last) }
    return askNode(rpc, 'eth_getLogs', [filter], (answer) =>
      parseJsonArray(answer, 'logs', (log, what) => findAttested(contract, parseLogJson(log, what))).filter((event) => event !== null),
    )
  }

  /** Returns false when the attestation is refused: its epoch is over, or two others are known. */
  async function publish(signed: SignedAttestation): Promise<boolean> {
    try {
      await gossip.publishAttestation(signed)
      return true
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
      log.debug('the consensus client refused an attestation of the chain', {
        epoch: signed.attestation.epoch,
        reason: messageOf(error),
      })
      return false
    }
  }

  async function passOnOne({ validator, epoch, signed }: SignedAttestedEvent): Promise<void> {
    const name = `${validator} ${epoch} ${bytesToHex(signed.signature)}`
    const tries = left.get(name) ?? TRIES
    if (tries === 0) return
    left.set(name, (await publish(signed)) ? 0 : tries - 1)
    if (left.size > MAX_REMEMBERED) left.delete(left.keys().next().value as string)
  }

  return {
    async passOn() {
      epochBlocks ??= await askNode(rpc, 'eth_call', [{ to: contract, data: bytesToHex(STAKING_WORDS.epochBlocks) }, 'latest'], (answer) =>
        Number(decodeUint(parseData(answer, 'epochBlocks', 32))),
      )
      const head = await askNode(rpc, 'eth_blockNumber', [], (answer) => parseQuantityNumber(answer, 'eth_blockNumber'))
      // The consensus client accepts attestations of the current and the previous epoch.
      const oldest = Math.max(0, head - 2 * epochBlocks)
      const start = Math.max(oldest, readUpTo === null ? 0 : Math.min(readUpTo, head) - READ_AGAIN_BLOCKS)
      for (let first = start; first <= head; first += LOG_BLOCKS) {
        const last = Math.min(head, first + LOG_BLOCKS - 1)
        for (const attested of await read(first, last)) await passOnOne(attested)
        readUpTo = last
      }
    },
  }
}

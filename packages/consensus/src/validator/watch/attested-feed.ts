/**
 * Tells the consensus client which attestations stand on the chain. One that attests to A in a transaction and to B in
 * gossip has signed twice, and only who sees both side by side can show it.
 */
import type { RpcClient } from '@keelson/client'
import { RpcResponseError } from '@keelson/client'
import { decodeUint, findAttested, findAttestedCalls, type SignedAttestation, STAKING_TOPICS, STAKING_WORDS } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  formatQuantity,
  type Hash,
  type Logger,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseLogJson,
  parseQuantityNumber,
} from '@keelson/primitives'
import { messageOf } from '../../errors.ts'
import type { AttestationApi } from '../../p2p/attestations/attestation-api.ts'
import { askNode } from './ask-node.ts'

export interface AttestedFeed {
  /** Passes on what is new. Rejects when execution or consensus client do not answer; the next call makes up for it. */
  passOn(): Promise<void>
}

export interface AttestedFeedDependencies {
  readonly rpc: RpcClient
  readonly contract: Address
  readonly gossip: Pick<AttestationApi, 'publishAttestation'>
  readonly log: Logger
}

/** Blocks whose logs are asked for at once; nodes limit that. */
const LOG_BLOCKS = 2_000
/** A reorg may replace what was read. */
const READ_AGAIN_BLOCKS = 64
/** More than the active set does in the epochs that are taken. */
const MAX_REMEMBERED = 4_096
/** A consensus client that has not found its head yet takes it a moment later. */
const TRIES = 3

interface Attested {
  readonly transaction: Hash
  readonly event: NonNullable<ReturnType<typeof findAttested>>
}

export function createAttestedFeed({ rpc, contract, gossip, log }: AttestedFeedDependencies): AttestedFeed {
  let epochBlocks: number | null = null
  let readUpTo: number | null = null
  /** Transactions with the epochs and checkpoints they attest to, and how often each is still to be passed on. */
  const left = new Map<string, number>()

  const read = (first: number, last: number): Promise<readonly Attested[]> => {
    const filter = { address: contract, topics: [STAKING_TOPICS.attested], fromBlock: formatQuantity(first), toBlock: formatQuantity(last) }
    return askNode(rpc, 'eth_getLogs', [filter], (answer) =>
      parseJsonArray(answer, 'logs', (log, what) => ({
        event: findAttested(contract, parseLogJson(log, what)),
        transaction: parseHash(parseJsonObject(log, what).transactionHash, `${what}.transactionHash`),
      })).filter((seen): seen is Attested => seen.event !== null),
    )
  }

  /** False when it is not taken: of an epoch that is over, or more than two of one validator. */
  async function publish(signed: SignedAttestation): Promise<boolean> {
    try {
      await gossip.publishAttestation(signed)
      return true
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
      log.debug('the consensus client did not take an attestation of the chain', {
        epoch: signed.attestation.epoch,
        reason: messageOf(error),
      })
      return false
    }
  }

  async function passOnOne({ event, transaction }: Attested): Promise<void> {
    const name = `${transaction} ${event.epoch} ${event.checkpointHash}`
    const tries = left.get(name) ?? TRIES
    if (tries === 0) return
    const input = await askNode(rpc, 'eth_getTransactionByHash', [transaction], (answer) =>
      answer === null ? null : parseData(parseJsonObject(answer, 'transaction').input, 'input'),
    )
    // a reorg took it
    if (input === null) return
    let refused = false
    for (const signed of findAttestedCalls(input, event)) refused = !(await publish(signed)) || refused
    left.set(name, refused ? tries - 1 : 0)
    if (left.size > MAX_REMEMBERED) left.delete(left.keys().next().value as string)
  }

  return {
    async passOn() {
      epochBlocks ??= await askNode(rpc, 'eth_call', [{ to: contract, data: bytesToHex(STAKING_WORDS.epochBlocks) }, 'latest'], (answer) =>
        Number(decodeUint(parseData(answer, 'epochBlocks', 32))),
      )
      const head = await askNode(rpc, 'eth_blockNumber', [], (answer) => parseQuantityNumber(answer, 'eth_blockNumber'))
      // attestations are taken for the current epoch and the one before
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

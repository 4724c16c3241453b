/** The ledger of several conductors in etcd. Each write is one transaction that compares the leader with its term. */
import {
  type BlockId,
  type Clock,
  concatBytes,
  decodeSignedPart,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
} from '@keelson/primitives'
import { KEPT_PAYLOADS, type Lease, type Ledger } from '../ports.ts'
import { createTurns } from '../turns.ts'
import type { EtcdClient, JsonObject } from './etcd-client.ts'
import { EtcdRefusal, NOT_FOUND } from './etcd-error.ts'
import type { EtcdKeys, StoredHead } from './etcd-keys.ts'
import type { EtcdSession } from './etcd-session.ts'
import { compare, operation, prefixEnd, transact } from './etcd-transaction.ts'
import type { EtcdView } from './etcd-view.ts'

/** Below etcd's default --max-request-bytes of 1.5 MiB, with room for the rest of a transaction. */
const PART_BYTES = 1_000_000
const MAX_PARTS = 64

export interface EtcdLedgerDependencies {
  readonly client: EtcdClient
  readonly session: EtcdSession
  readonly view: EtcdView
  readonly keys: EtcdKeys
  /** Sequencers of this conductor. */
  readonly own: readonly string[]
  /** For how long what was read is believed. */
  readonly ttlMs: number
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export function createEtcdLedger({ client, session, view, keys, own, ttlMs, clock }: EtcdLedgerDependencies): Ledger {
  const leaderText = ({ term, holder }: Lease) => JSON.stringify({ term, holder })

  /** Null unless a candidate of this conductor leads in this term, as far as is known. */
  function leadingIn(term: number): JsonObject | null {
    const { leader } = view
    if (leader?.term !== term || leader.holder === null || !own.includes(leader.holder)) return null
    return compare.value(keys.leader, leaderText(leader))
  }

  function isStale(): boolean {
    return !session.alive && clock.monotonicMs() > view.readAtMs + ttlMs
  }

  /** Etcd bounds the size of a transaction, so a large block's other parts are written first; the head alone makes them count. */
  async function writeOtherParts(block: BlockId, parts: readonly Uint8Array[], leads: JsonObject): Promise<boolean> {
    for (const [i, part] of parts.entries()) {
      if (i === 0) continue
      const { succeeded } = await transact(client, [leads], [operation.put(keys.payloadPart(block, i), part)])
      if (!succeeded) return false
    }
    return true
  }

  function forgetBlock(number: number): JsonObject[] {
    if (number < 0) return []
    const payloads = keys.payloadsAt(number)
    return [operation.remove(keys.block(number)), operation.removeRange(payloads, prefixEnd(payloads))]
  }

  function sessionOf(holder: string): string | null {
    return own.includes(holder) ? session.id : (view.reports.get(holder)?.session ?? null)
  }

  async function writeLeader(next: Lease, lease: string): Promise<boolean> {
    const { term, leader } = view
    const when = [
      term === 0 ? compare.absent(keys.term) : compare.value(keys.term, JSON.stringify({ term })),
      leader === null ? compare.absent(keys.leader) : compare.value(keys.leader, leaderText(leader)),
    ]
    const then = [operation.put(keys.term, JSON.stringify({ term: next.term })), operation.put(keys.leader, leaderText(next), lease)]
    const answer = await transact(client, when, then)
    if (answer.succeeded) view.noteLeader(next, answer)
    return answer.succeeded
  }

  const inTurn = createTurns()
  const refresh = () =>
    inTurn(async () => {
      for (let complete = false; !complete; ) {
        const askedMs = clock.monotonicMs()
        complete = view.read(await transact(client, [], view.questions()), askedMs)
      }
    })

  return {
    get lease() {
      const { leader, term } = view
      if (term === 0) return null
      if (leader === null || (own.includes(leader.holder ?? '') && isStale())) return { term, holder: null }
      return leader
    },
    get head() {
      const head = view.record?.head
      return head === undefined ? null : { number: head.number, hash: head.hash }
    },
    blockAt(number) {
      return view.blocks.get(number) ?? null
    },
    async payloadAt(number) {
      const block = view.blocks.get(number)
      if (block === undefined) return null
      const prefix = keys.payloadParts(block)
      const { entries } = await transact(client, [], [operation.getRange(prefix, prefixEnd(prefix), MAX_PARTS)])
      const bytes = concatBytes(...(entries[0] ?? []).map(({ value }) => value))
      if (bytes.length === 0) return null
      const envelope = decodeSignedPart(bytes[0] as PayloadVersion, bytes.subarray(1))
      return envelope.payload.blockHash === block.hash ? envelope : null
    },
    refresh,
    async grant(holder, term) {
      const { leader } = view
      if (view.term !== term || (leader !== null && leadingIn(term) === null)) return false
      if (session.id === null) await session.renew()
      const lease = sessionOf(holder)
      if (lease === null) return false
      return writeLeader({ term: term + 1, holder }, lease).catch((error: unknown) => {
        if (error instanceof EtcdRefusal && error.status === NOT_FOUND) return false
        throw error
      })
    },
    async append(term, envelope) {
      const { blockNumber: number, blockHash: hash, parentHash } = envelope.payload
      const leads = leadingIn(term)
      const { record } = view
      if (leads === null || record?.head.number !== number - 1 || record.head.hash !== parentHash) return false
      const parts = split(encode(envelope))
      if (!(await writeOtherParts({ number, hash }, parts, leads))) return false
      const head: StoredHead = { number, hash, moves: record.head.moves }
      const answer = await transact(
        client,
        [leads, compare.modified(keys.head, record.revision)],
        [
          operation.put(keys.head, JSON.stringify(head)),
          operation.put(keys.block(number), JSON.stringify({ hash, parentHash })),
          operation.put(keys.payloadPart({ number, hash }, 0), parts[0] as Uint8Array),
          ...forgetBlock(number - KEPT_PAYLOADS),
        ],
      )
      if (answer.succeeded) view.noteRecorded({ number, hash, parentHash }, head, answer)
      return answer.succeeded
    },
    async adopt(term, { number, hash }) {
      const leads = leadingIn(term)
      const { record } = view
      if (leads === null) return false
      const kept = view.blocks.get(number)?.hash === hash
      const from = kept ? number + 1 : 0
      const head: StoredHead = { number, hash, moves: (record?.head.moves ?? 0) + 1 }
      const { succeeded } = await transact(
        client,
        [leads, record === null ? compare.absent(keys.head) : compare.modified(keys.head, record.revision)],
        [
          operation.put(keys.head, JSON.stringify(head)),
          operation.removeRange(keys.block(from), prefixEnd(keys.blocks)),
          operation.removeRange(keys.payloadsAt(from), prefixEnd(keys.payloads)),
        ],
      )
      if (succeeded) await refresh()
      return succeeded
    },
  }
}

function encode(envelope: PayloadEnvelope): Uint8Array {
  return concatBytes(Uint8Array.of(payloadVersion(envelope.payload)), encodeSignedPart(envelope))
}

function split(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES))
  return parts
}

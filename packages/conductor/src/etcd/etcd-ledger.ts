/** The ledger of several conductors in etcd. Each write is one transaction that compares the leader with its term. */
import type { Clock } from '@keelson/primitives'
import { KEPT_PAYLOADS, type Ledger } from '../ports.ts'
import { createTurns } from '../turns.ts'
import type { EtcdClient, JsonObject } from './etcd-client.ts'
import type { EtcdKeys, StoredHead } from './etcd-keys.ts'
import type { EtcdLeader } from './etcd-leader.ts'
import { readPayload, writePayload } from './etcd-payloads.ts'
import { compare, operation, prefixEnd, transact } from './etcd-transaction.ts'
import type { EtcdView } from './etcd-view.ts'

export interface EtcdLedgerDependencies {
  readonly client: EtcdClient
  readonly leader: EtcdLeader
  readonly view: EtcdView
  readonly keys: EtcdKeys
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export function createEtcdLedger({ client, leader, view, keys, clock }: EtcdLedgerDependencies): Ledger {
  const inTurn = createTurns()
  const refresh = () =>
    inTurn(async () => {
      for (let complete = false; !complete; ) {
        const asked = { atMs: clock.monotonicMs(), revision: view.revision }
        complete = view.read(await transact(client, [], view.questions()), asked)
      }
    })

  function forgetBlock(number: number): JsonObject[] {
    if (number < 0) return []
    const payloads = keys.payloadsAt(number)
    return [operation.remove(keys.block(number)), operation.removeRange(payloads, prefixEnd(payloads))]
  }

  return {
    get lease() {
      return leader.lease
    },
    get head() {
      const head = view.record?.head
      return head === undefined ? null : { number: head.number, hash: head.hash }
    },
    blockAt: (number) => view.blocks.get(number) ?? null,
    async payloadAt(number) {
      const block = view.blocks.get(number)
      return block === undefined ? null : readPayload(client, keys, block)
    },
    refresh,
    grant: leader.grant,
    async append(term, envelope) {
      const { blockNumber: number, blockHash: hash, parentHash } = envelope.payload
      const leads = leader.leadingIn(term)
      const { record } = view
      if (leads === null || record?.head.number !== number - 1 || record.head.hash !== parentHash) return false
      const payload = await writePayload(client, keys, envelope, leads)
      if (payload === null) return false
      const head: StoredHead = { number, hash, moves: record.head.moves }
      const answer = await transact(
        client,
        [leads, compare.modified(keys.head, record.revision)],
        [
          operation.put(keys.head, JSON.stringify(head)),
          operation.put(keys.block(number), JSON.stringify({ hash, parentHash })),
          payload,
          ...forgetBlock(number - KEPT_PAYLOADS),
        ],
      )
      if (answer.succeeded) view.noteRecorded({ number, hash, parentHash }, head, answer)
      return answer.succeeded
    },
    async adopt(term, { number, hash }) {
      const leads = leader.leadingIn(term)
      const { record } = view
      if (leads === null) return false
      const from = view.blocks.get(number)?.hash === hash ? number + 1 : 0
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

/** Asks L2 how far deposits are, and writes what it says into their records. */
import type { Hash, Logger } from '@keelson/primitives'
import { explainL2Failure, MESSAGE_FAILED } from './explain.ts'
import type { BridgeL2, L2Look } from './ports.ts'
import { applyCanonical, applyReceipt } from './progress.ts'
import { type DepositRecord, isFinal, stateOfDeposit, type TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'

export interface L2RefreshDependencies {
  readonly l2: BridgeL2
  readonly records: RecordStore
  readonly log: Logger
  /** Told of every look at L2. */
  readonly onLook: (look: L2Look) => void
}

/** Questions in one look. */
const MAX_QUESTIONS = 200
/** Included anew, then judged by its block's hash, then taken back by a reorg under way: more changes wait for the next time. */
const MAX_ROUNDS = 3

type Question = { readonly txHash: Hash; readonly deposit: DepositRecord }

/** Brings these up to date. Throws when L2 cannot be asked. */
export async function refreshFromL2(txHashes: readonly Hash[], deps: L2RefreshDependencies): Promise<void> {
  let waiting = txHashes
  for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round++) waiting = await refreshOnce(waiting, deps)
  for (const txHash of txHashes) await explain(txHash, deps)
}

/** Gives those that are to be asked about once more at once. */
async function refreshOnce(txHashes: readonly Hash[], { l2, records, onLook }: L2RefreshDependencies): Promise<readonly Hash[]> {
  const open: Question[] = txHashes.flatMap((txHash) =>
    (records.get(txHash)?.deposits ?? []).filter(({ inclusion }) => inclusion?.final !== true).map((deposit) => ({ txHash, deposit })),
  )
  const again = new Set<Hash>()
  for (let at = 0; at < Math.max(1, open.length); at += MAX_QUESTIONS) {
    const asked = open.slice(at, at + MAX_QUESTIONS)
    const included = asked.filter(({ deposit }) => deposit.inclusion !== null)
    const missing = asked.filter(({ deposit }) => deposit.inclusion === null)
    const look = await l2.look({
      numbers: included.map(({ deposit }) => deposit.inclusion?.number as number),
      transactions: missing.map(({ deposit }) => deposit.l2TxHash),
    })
    onLook(look)
    const changes: Promise<void>[] = []
    const apply = ({ txHash, deposit }: Question, change: (current: DepositRecord) => DepositRecord) => {
      changes.push(
        records.update(txHash, (record) => {
          if (record === null) return null
          const deposits = record.deposits.map((current) => {
            if (current.l2TxHash !== deposit.l2TxHash) return current
            const changed = change(current)
            // in a block now, or in none any more: asked about at once
            if (changed !== current && (changed.inclusion === null || current.inclusion === null)) again.add(txHash)
            return changed
          })
          return deposits.every((current, i) => current === record.deposits[i]) ? null : { ...record, deposits }
        }),
      )
    }
    included.forEach((question, i) => {
      const { inclusion } = question.deposit
      if (inclusion !== null) apply(question, (current) => applyCanonical(current, inclusion, look.hashes[i] ?? null, look))
    })
    missing.forEach((question, i) => {
      apply(question, (current) => applyReceipt(current, look.receipts[i] ?? null))
    })
    await Promise.all(changes)
  }
  return [...again]
}

/** Finds the reasons of failures that have none yet, and whether failed messages have been replayed. */
async function explain(txHash: Hash, { l2, records, log }: L2RefreshDependencies): Promise<void> {
  const record = records.get(txHash)
  for (const deposit of record?.deposits ?? []) {
    const { inclusion } = deposit
    if (record === null || inclusion === null || inclusion.replayed) continue
    const found: { reason?: typeof inclusion.reason; replayed?: boolean } = {}
    if (inclusion.messageFailed && inclusion.reason === null) found.reason = MESSAGE_FAILED
    if (inclusion.messageFailed && deposit.messageHash !== null && stateOfDeposit(deposit) === 'failed') {
      if (await l2.isMessageDone(deposit.messageHash)) found.replayed = true
    }
    if (!inclusion.succeeded && inclusion.reason === null) {
      const failure = await l2.whyFailed(deposit.l2TxHash, inclusion.number).catch((error: unknown) => {
        log.debug('the reason of a failure is not known yet', { txHash, error })
        return null
      })
      found.reason = explainL2Failure(deposit, inclusion.gasUsed, failure)
    }
    if (Object.keys(found).length === 0) continue
    await records.update(txHash, (current) => ({
      ...(current as TransactionRecord),
      deposits: (current as TransactionRecord).deposits.map((now) =>
        now.l2TxHash === deposit.l2TxHash && now.inclusion?.hash === inclusion.hash
          ? { ...now, inclusion: { ...now.inclusion, ...found } }
          : now,
      ),
    }))
  }
}

/** Is there anything L2 could still say? */
export function canMove(record: TransactionRecord): boolean {
  if (record.block === null || record.reason !== null) return false
  return !isFinal(record) || record.deposits.some((deposit) => deposit.inclusion?.messageFailed === true && !deposit.inclusion.replayed)
}

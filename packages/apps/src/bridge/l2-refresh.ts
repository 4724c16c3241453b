import type { Hash, Logger } from '@keelson/primitives'
import { explainL2Failure, MESSAGE_FAILED } from './explain.ts'
import type { BridgeL2, L2Snapshot } from './ports.ts'
import { applyCanonical, applyReceipt } from './progress.ts'
import { type DepositInclusion, type DepositRecord, isFinal, type Reason, stateOfDeposit, type TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'

export interface L2RefreshDependencies {
  readonly l2: BridgeL2
  readonly records: RecordStore
  readonly log: Logger
  readonly onSnapshot: (snapshot: L2Snapshot) => void
}

const MAX_QUESTIONS = 200
const MAX_ROUNDS = 3

type Question = { readonly txHash: Hash; readonly deposit: DepositRecord }

/** Throws when L2 is unavailable. */
export async function refreshFromL2(txHashes: readonly Hash[], deps: L2RefreshDependencies): Promise<void> {
  let head = 0
  const noting: L2RefreshDependencies = {
    ...deps,
    onSnapshot(snapshot) {
      head = snapshot.unsafe.number
      deps.onSnapshot(snapshot)
    },
  }
  let waiting = txHashes
  for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round++) waiting = await refreshOnce(waiting, noting)
  for (const txHash of txHashes) await explain(txHash, head, deps)
}

async function refreshOnce(txHashes: readonly Hash[], { l2, records, onSnapshot }: L2RefreshDependencies): Promise<readonly Hash[]> {
  const open: Question[] = txHashes.flatMap((txHash) =>
    (records.get(txHash)?.deposits ?? []).filter(({ inclusion }) => inclusion?.final !== true).map((deposit) => ({ txHash, deposit })),
  )
  const again = new Set<Hash>()
  for (let at = 0; at < Math.max(1, open.length); at += MAX_QUESTIONS) {
    const asked = open.slice(at, at + MAX_QUESTIONS)
    const included = asked.filter(({ deposit }) => deposit.inclusion !== null)
    const missing = asked.filter(({ deposit }) => deposit.inclusion === null)
    const snapshot = await l2.snapshot({
      numbers: included.map(({ deposit }) => deposit.inclusion?.number as number),
      transactions: missing.map(({ deposit }) => deposit.l2TxHash),
    })
    onSnapshot(snapshot)
    const changes = new Map<Hash, Map<Hash, (current: DepositRecord) => DepositRecord>>()
    const apply = ({ txHash, deposit }: Question, change: (current: DepositRecord) => DepositRecord) => {
      const ofTransaction = changes.get(txHash) ?? new Map<Hash, (current: DepositRecord) => DepositRecord>()
      changes.set(txHash, ofTransaction.set(deposit.l2TxHash, change))
    }
    included.forEach((question, i) => {
      const { inclusion } = question.deposit
      if (inclusion !== null) apply(question, (current) => applyCanonical(current, inclusion, snapshot.hashes[i] ?? null, snapshot))
    })
    missing.forEach((question, i) => {
      apply(question, (current) => applyReceipt(current, snapshot.receipts[i] ?? null))
    })
    await Promise.all([...changes].map(([txHash, ofTransaction]) => changeDeposits(txHash, ofTransaction)))
  }
  return [...again]

  function changeDeposits(txHash: Hash, changes: ReadonlyMap<Hash, (current: DepositRecord) => DepositRecord>): Promise<void> {
    return records.update(txHash, (record) => {
      if (record === null) return null
      const deposits = record.deposits.map((current) => {
        const changed = changes.get(current.l2TxHash)?.(current) ?? current
        // A deposit that entered or left a block is queried again.
        if (changed !== current && (changed.inclusion === null || current.inclusion === null)) again.add(txHash)
        return changed
      })
      return deposits.every((current, i) => current === record.deposits[i]) ? null : { ...record, deposits }
    })
  }
}

const FAILURES_IN_ROUND = 20

async function explain(txHash: Hash, head: number, { l2, records, log }: L2RefreshDependencies): Promise<void> {
  const record = records.get(txHash)
  const found = new Map<Hash, Partial<DepositInclusion>>()
  const failures = (record?.deposits ?? []).filter(needsExplanation)
  // The start rotates, so that all failures are processed over time.
  const start = failures.length === 0 ? 0 : (head * FAILURES_IN_ROUND) % failures.length
  for (const deposit of [...failures.slice(start), ...failures.slice(0, start)].slice(0, FAILURES_IN_ROUND)) {
    const { inclusion } = deposit
    if (inclusion === null) continue
    const news: { reason?: Reason; replayed?: boolean } = {}
    if (inclusion.messageFailed && inclusion.reason === null) news.reason = MESSAGE_FAILED
    if (inclusion.messageFailed && deposit.messageHash !== null && stateOfDeposit(deposit) === 'failed') {
      if (await l2.isMessageDone(deposit.messageHash)) news.replayed = true
    }
    if (!inclusion.succeeded && inclusion.reason === null) {
      const failure = await l2.whyFailed(deposit.l2TxHash, inclusion.number).catch((error: unknown) => {
        log.debug('the reason of a failure is unknown', { txHash, error })
        return null
      })
      news.reason = explainL2Failure(deposit, inclusion.gasUsed, failure)
    }
    if (Object.keys(news).length > 0) found.set(deposit.l2TxHash, { hash: inclusion.hash, ...news })
  }
  if (found.size === 0) return
  await records.update(txHash, (current) =>
    current === null
      ? null
      : {
          ...current,
          deposits: current.deposits.map((now) => {
            const news = found.get(now.l2TxHash)
            const { inclusion } = now
            return news === undefined || inclusion === null || inclusion.hash !== news.hash
              ? now
              : { ...now, inclusion: { ...inclusion, ...news } }
          }),
        },
  )
}

function needsExplanation({ inclusion }: DepositRecord): boolean {
  if (inclusion === null || inclusion.replayed) return false
  return inclusion.messageFailed || (!inclusion.succeeded && inclusion.reason === null)
}

export function canMove(record: TransactionRecord): boolean {
  if (record.block === null || record.reason !== null) return false
  return !isFinal(record) || record.deposits.some((deposit) => deposit.inclusion?.messageFailed === true && !deposit.inclusion.replayed)
}

/** Sends L1 transactions in strict order, each only when the previous one was accepted. */
import type { Carrier } from './carrier.ts'
import type { L1Receipt, L1Sender, L1Transaction } from './ports.ts'
import type { Submissions } from './submissions.ts'

export interface OutboxItem {
  readonly transaction: L1Transaction
  readonly carrier: Carrier
  follow(receipt: Promise<L1Receipt>): void
}

export interface Outbox {
  readonly items: readonly OutboxItem[]
  readonly placing: boolean
  /** Bytes not yet settled on L1. */
  readonly waitingBytes: number
  /** Error of the last attempt, or null. */
  readonly held: string | null
  push(items: readonly OutboxItem[]): void
  /** Sends until an attempt fails or is pending. */
  send(signal: AbortSignal): number
  /** Drops unsent transactions. */
  clear(): void
}

export interface OutboxDependencies {
  readonly sender: L1Sender
  readonly submissions: Submissions
  readonly maxPending: number
  sent(item: OutboxItem, bytes: number): void
  /** L1 rejects such transactions. */
  refused(item: OutboxItem, error: unknown): void
}

const BLOB_BYTES = 131_072

export function createOutbox({ sender, submissions, maxPending, sent, refused }: OutboxDependencies): Outbox {
  let items: OutboxItem[] = []
  let placing: OutboxItem | null = null
  let held: string | null = null
  let unsettledBytes = 0
  let lastCarrier: Carrier | null = null
  let pumping = false

  function mayHandOver(signal: AbortSignal): boolean {
    const [first] = items
    if (first === undefined || placing !== null || signal.aborted) return false
    if (submissions.pendingCount >= maxPending) return false
    // Pools reject blobs from an account with other pending transactions, and vice versa.
    return lastCarrier === null || lastCarrier === first.carrier || submissions.pendingCount === 0
  }

  function onItsWay(item: OutboxItem, receipt: Promise<L1Receipt>, signal: AbortSignal): void {
    placing = null
    held = null
    lastCarrier = item.carrier
    const bytes = sizeOf(item.transaction)
    unsettledBytes += bytes
    const settled = () => {
      unsettledBytes -= bytes
    }
    receipt.then(settled, settled)
    if (items[0] === item) {
      items.shift()
      item.follow(receipt)
    } else {
      // Dropped meanwhile, but L1 will include it.
      submissions.watch(receipt)
    }
    sent(item, bytes)
    pump(signal)
  }

  function handOver(item: OutboxItem, signal: AbortSignal): void {
    placing = item
    let placed = false
    let receipt: Promise<L1Receipt> | null = null
    const onPlaced = () => {
      placed = true
      if (receipt !== null) onItsWay(item, receipt, signal)
    }
    receipt = sender.send({ ...item.transaction, onPlaced }, signal)
    receipt.catch((error: unknown) => {
      if (placed) return
      placing = null
      held = error instanceof Error ? error.message : String(error)
      refused(item, error)
    })
    if (placed) onItsWay(item, receipt, signal)
  }

  function pump(signal: AbortSignal): number {
    if (pumping) return 0
    pumping = true
    let count = 0
    for (; mayHandOver(signal); count++) handOver(items[0] as OutboxItem, signal)
    pumping = false
    return count
  }

  return {
    get items() {
      return items
    },
    get placing() {
      return placing !== null
    },
    get held() {
      return held
    },
    get waitingBytes() {
      return items.reduce((sum, { transaction }) => sum + sizeOf(transaction), unsettledBytes)
    },
    push(more) {
      items.push(...more)
    },
    send: pump,
    clear() {
      items = []
      held = null
    },
  }
}

function sizeOf({ data, blobs }: L1Transaction): number {
  return blobs === undefined ? data.length : blobs.length * BLOB_BYTES
}

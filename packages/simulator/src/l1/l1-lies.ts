/** Wrong answers to what a reader can check: blocks by their hash, transactions and receipts by the header's roots, blobs by theirs. */
import type { Random } from '@keelson/primitives'
import type { BeaconAnswer } from './beacon-api.ts'

type Json = Readonly<Record<string, unknown>>
type Lie = (answer: unknown) => unknown

const nothing: Lie = () => null
const noItems: Lie = () => []
const withoutLast: Lie = (answer) => (answer as readonly unknown[]).slice(0, -1)
const withoutLogs: Lie = (answer) => (answer as readonly Json[]).map((receipt) => ({ ...receipt, logs: [] }))
const allFailed: Lie = (answer) => (answer as readonly Json[]).map((receipt) => ({ ...receipt, status: '0x0' }))
const otherTime: Lie = (answer) => ({ ...(answer as Json), timestamp: flipped((answer as Json).timestamp as string) })
const otherState: Lie = (answer) => ({ ...(answer as Json), stateRoot: flipped((answer as Json).stateRoot as string) })
const fewerTransactions: Lie = (answer) => ({ ...(answer as Json), transactions: withoutLast((answer as Json).transactions) })

const BLOCK_LIES = [nothing, otherTime, otherState]

const LIES: Readonly<Record<string, readonly Lie[]>> = {
  eth_getBlockByHash: [...BLOCK_LIES, fewerTransactions],
  eth_getBlockByNumber: BLOCK_LIES,
  eth_getBlockReceipts: [nothing, noItems, withoutLast, withoutLogs, allFailed],
  eth_getTransactionReceipt: [nothing],
  eth_getTransactionByHash: [nothing],
}

/** The answer itself where a reader has no means to check it. */
export function lieAbout(method: string, answer: unknown, random: Random): unknown {
  const lies = LIES[method] ?? []
  const lie = lies[Math.floor(random.next() * lies.length)]
  return lie === undefined || answer === null ? answer : lie(answer)
}

/** Leaves one blob out, or changes a digit of it. */
export function lieAboutBlobs(answer: BeaconAnswer, random: Random): BeaconAnswer {
  const { data } = answer.body as { readonly data?: unknown }
  if (!Array.isArray(data)) return answer
  const [first, ...others] = data as readonly string[]
  if (first === undefined) return answer
  return { ...answer, body: { data: random.next() < 0.5 ? others : [flipped(first), ...others] } }
}

/** With another last digit. */
function flipped(hex: string): string {
  return hex.slice(0, -1) + (Number.parseInt(hex.slice(-1), 16) ^ 1).toString(16)
}

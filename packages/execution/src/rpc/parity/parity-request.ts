import type { ParityTrace } from '@keelson/evm'
import { type Address, isGiven, parseAddress, parseJsonArray, parseJsonObject, parseQuantityNumber } from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'
import { type BlockSelector, parseBlockNumberOrTag } from '../params.ts'

export interface WantedTraces {
  readonly trace: boolean
  readonly stateDiff: boolean
}

export function parseTraceTypes(value: unknown): WantedTraces {
  const names = new Set<unknown>(parseJsonArray(value, 'trace types', (name) => name))
  for (const name of names) {
    if (name === 'trace' || name === 'stateDiff') continue
    if (name === 'vmTrace') throw invalidParams('vmTrace is not supported: debug_traceTransaction has the steps of a transaction')
    throw invalidParams(`expected "trace" or "stateDiff", got ${String(JSON.stringify(name)).slice(0, 40)}`)
  }
  return { trace: names.has('trace'), stateDiff: names.has('stateDiff') }
}

export interface TraceFilter {
  readonly from: BlockSelector
  readonly to: BlockSelector
  matches(trace: ParityTrace): boolean
  readonly after: number
  readonly count: number
}

/** Like Erigon and Reth, an address of either list suffices unless `mode` is "intersection". */
export function parseTraceFilter(value: unknown, maxAddresses: number): TraceFilter {
  const o = parseJsonObject(value, 'filter')
  const bound = (entry: unknown, tag: 'earliest' | 'latest'): BlockSelector =>
    isGiven(entry) ? parseBlockNumberOrTag(entry) : { kind: 'tag', tag }
  const number = (entry: unknown, what: string, fallback: number) =>
    !isGiven(entry)
      ? fallback
      : typeof entry === 'number' && Number.isSafeInteger(entry) && entry >= 0
        ? entry
        : parseQuantityNumber(entry, what)
  const addresses = (entry: unknown, what: string) => new Set<Address>(isGiven(entry) ? parseJsonArray(entry, what, parseAddress) : [])
  const senders = addresses(o.fromAddress, 'fromAddress')
  const receivers = addresses(o.toAddress, 'toAddress')
  if (senders.size + receivers.size > maxAddresses)
    throw invalidParams(`at most ${maxAddresses} addresses, got ${senders.size + receivers.size}`)
  if (isGiven(o.mode) && o.mode !== 'union' && o.mode !== 'intersection') throw invalidParams('mode: expected "union" or "intersection"')
  const both = o.mode === 'intersection' || senders.size === 0 || receivers.size === 0
  return {
    from: bound(o.fromBlock, 'earliest'),
    to: bound(o.toBlock, 'latest'),
    matches(trace) {
      const { sender, receiver } = partiesOf(trace)
      const [sent, received] = [senders.size === 0 || senders.has(sender), receivers.size === 0 || receivers.has(receiver)]
      return both ? sent && received : sent || received
    },
    after: number(o.after, 'after', 0),
    count: number(o.count, 'count', Number.MAX_SAFE_INTEGER),
  }
}

function partiesOf({ type, action, result }: ParityTrace): { readonly sender: Address; readonly receiver: Address } {
  const [sender, receiver] =
    type === 'suicide' ? [action.address, action.refundAddress] : [action.from, type === 'create' ? result?.address : action.to]
  return { sender: sender as Address, receiver: receiver as Address }
}

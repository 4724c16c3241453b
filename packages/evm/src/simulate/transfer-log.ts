/** ERC-7528; logs of failed calls also consume indices. */
import { type Address, type Bytes20, bigintToBytes, bytesToHex, type Hash, type Log, padLeft, toAddress, toHash } from '@keelson/primitives'
import type { EvmTracer, TraceFrameResult } from '../tracer.ts'

export interface IndexedLog {
  readonly log: Log
  readonly index: number
}

export interface LogCollector {
  readonly hooks: EvmTracer
  take(): readonly IndexedLog[]
}

const TRANSFER_TOPIC = toHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const NATIVE: Address = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')

interface OpenFrame {
  readonly logs: IndexedLog[]
  readonly toNewContract: { readonly from: Bytes20; readonly valueWei: bigint; readonly index: number } | null
}

export function createLogCollector(showTransfers: boolean): LogCollector {
  const open: OpenFrame[] = []
  let finished: IndexedLog[] = []
  let count = 0
  const add = (logs: IndexedLog[], log: Log): void => void logs.push({ log, index: count++ })

  const close = ({ logs, toNewContract }: OpenFrame, { status, created }: TraceFrameResult): readonly IndexedLog[] => {
    if (status !== 'success') return []
    if (toNewContract !== null && created !== null) {
      const { from, valueWei, index } = toNewContract
      logs.unshift({ log: transferLog(from, created, valueWei), index })
    }
    return logs
  }

  return {
    hooks: {
      enter({ kind, from, to, valueWei }) {
        const logs: IndexedLog[] = []
        const transfers = showTransfers && valueWei > 0n && kind !== 'delegatecall' && kind !== 'callcode'
        if (transfers && to !== null) add(logs, transferLog(from, to, valueWei))
        const toNewContract = transfers && to === null ? { from: from.slice(), valueWei, index: count++ } : null
        open.push({ logs, toNewContract })
      },
      exit(result) {
        const frame = open.pop()
        if (frame === undefined) return
        const kept = close(frame, result)
        const parent = open[open.length - 1]
        if (parent === undefined) finished = [...kept]
        else parent.logs.push(...kept)
      },
      log(log) {
        const frame = open[open.length - 1]
        if (frame !== undefined) add(frame.logs, log)
      },
    },
    take() {
      const taken = finished
      finished = []
      open.length = 0
      return taken
    },
  }
}

function transferLog(from: Bytes20, to: Bytes20, valueWei: bigint): Log {
  const topic = (address: Bytes20) => bytesToHex(padLeft(address, 32)) as Hash
  return { address: NATIVE, topics: [TRANSFER_TOPIC, topic(from), topic(to)], data: bigintToBytes(valueWei, 32) }
}

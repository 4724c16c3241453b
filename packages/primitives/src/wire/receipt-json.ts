/** execution-apis src/schemas/receipt.yaml */
import type { Log, Receipt } from '../block/receipt.ts'
import { CodecError } from '../errors.ts'
import {
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
} from '../quantity.ts'

/** Verify a block's receipts with checkReceiptsRoot. */
export function parseReceiptJson(value: unknown, what = 'receipt'): Receipt {
  const o = parseJsonObject(value, what)
  return {
    type: parseOptional(o.type, `${what}.type`, parseQuantityNumber) ?? 0,
    outcome: parseOutcome(o, what),
    cumulativeGasUsed: parseQuantity64(o.cumulativeGasUsed, `${what}.cumulativeGasUsed`),
    logsBloom: parseData(o.logsBloom, `${what}.logsBloom`, 256),
    logs: parseJsonArray(o.logs, `${what}.logs`, parseLogJson),
    depositNonce: parseOptional(o.depositNonce, `${what}.depositNonce`, parseQuantity64),
    depositReceiptVersion: parseOptional(o.depositReceiptVersion, `${what}.depositReceiptVersion`, parseQuantity64),
  }
}

function parseOutcome(o: Readonly<Record<string, unknown>>, what: string): Receipt['outcome'] {
  if (o.status === undefined || o.status === null) return { root: parseHash(o.root, `${what}.root`) }
  const status = parseQuantity(o.status, `${what}.status`)
  if (status > 1n) throw new CodecError('codec/receipt', `${what}.status must be 0x0 or 0x1, got ${status}`)
  return { status: Number(status) as 0 | 1 }
}

export function parseLogJson(value: unknown, what = 'log'): Log {
  const o = parseJsonObject(value, what)
  return {
    address: parseAddress(o.address, `${what}.address`),
    topics: parseJsonArray(o.topics, `${what}.topics`, parseHash),
    data: parseData(o.data, `${what}.data`),
  }
}

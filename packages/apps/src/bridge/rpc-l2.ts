import { type RpcCall, type RpcClient, RpcResponseError, sealedOrNull } from '@keelson/client'
import { decodeUint, encodeCall } from '@keelson/contracts'
import { l1InfoOf } from '@keelson/derivation/codec'
import {
  bytesToHex,
  formatQuantity,
  type Hash,
  hexToBytes,
  L2_CROSS_DOMAIN_MESSENGER,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseLogJson,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
} from '@keelson/primitives'
import type { BridgeL2, L2Failure, L2Receipt } from './ports.ts'
import { read, resultOf, revertDataOf } from './rpc-l1.ts'

/** Balance override for replayed calls. */
const PLENTY = `0x${'f'.repeat(32)}`
const UNKNOWN_BLOCK = /unknown block|not found|could not find block|not available|is not finalized|safe block|finalized block/i

export function createRpcL2(rpc: RpcClient): BridgeL2 {
  let canTrace = true
  const block = (at: string): RpcCall => ({ method: 'eth_getBlockByNumber', params: [at, false] })

  const traced = async (l2TxHash: Hash): Promise<L2Failure | null> => {
    if (!canTrace) return null
    try {
      const answer = await rpc.call('debug_traceTransaction', [l2TxHash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }])
      return read(rpc.host, () => failureOf(answer))
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
      // Most public nodes do not serve debug traces.
      canTrace = error.number !== -32601
      return null
    }
  }

  const called = async (l2TxHash: Hash, blockNumber: number): Promise<L2Failure | null> => {
    const answer = await rpc.call('eth_getTransactionByHash', [l2TxHash])
    if (answer === null) return null
    const tx = read(rpc.host, () => parseJsonObject(answer, 'transaction'))
    const call = { from: tx.from, to: tx.to ?? undefined, value: tx.value, gas: tx.gas, data: tx.input }
    const pretending = { [String(tx.from)]: { balance: PLENTY } }
    const output = await revertDataOf(rpc.call('eth_call', [call, formatQuantity(Math.max(0, blockNumber - 1)), pretending]))
    return output === null ? null : { kind: 'reverted', output }
  }

  return {
    async snapshot({ numbers, transactions }) {
      const places = [...new Set(numbers)]
      const outcomes = await rpc.batch([
        block('latest'),
        block('safe'),
        block('finalized'),
        { method: 'eth_getTransactionByBlockNumberAndIndex', params: ['latest', '0x0'] },
        ...places.map((number) => block(formatQuantity(number))),
        ...transactions.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
      ])
      const [latest, safe, finalized, first, ...others] = outcomes
      return read(rpc.host, () => ({
        unsafe: parseHead(resultOf(latest)),
        safe: parseOptional(blockOf(safe), 'safe', parseHead),
        finalized: parseOptional(blockOf(finalized), 'finalized', parseHead),
        origin: first?.ok === true ? originOf(first.result) : null,
        hashes: hashesAt(numbers, places, others),
        receipts: transactions.map((_, i) => parseOptional(sealedOrNull(resultOf(others[places.length + i])), 'receipt', parseReceipt)),
      }))
    },
    whyFailed: async (l2TxHash, blockNumber) => (await traced(l2TxHash)) ?? called(l2TxHash, blockNumber),
    async isMessageDone(messageHash) {
      const data = bytesToHex(encodeCall('successfulMessages(bytes32)', [hexToBytes(messageHash)]))
      const answer = await rpc.call('eth_call', [{ to: L2_CROSS_DOMAIN_MESSENGER, data }, 'safe'])
      return read(rpc.host, () => decodeUint(parseData(answer, 'eth_call')) === 1n)
    },
  }
}

function blockOf(outcome: Parameters<typeof resultOf>[0]): unknown {
  if (outcome?.ok === false && outcome.error instanceof RpcResponseError && UNKNOWN_BLOCK.test(outcome.error.text)) return null
  return resultOf(outcome)
}

function hashesAt(numbers: readonly number[], places: readonly number[], outcomes: readonly Parameters<typeof resultOf>[0][]) {
  const hashes = new Map(
    places.map((number, i) => [
      number,
      parseOptional(blockOf(outcomes[i]), 'block', (value) => parseHash(parseJsonObject(value, 'block').hash)),
    ]),
  )
  return numbers.map((number) => hashes.get(number) ?? null)
}

function parseHead(value: unknown) {
  const o = parseJsonObject(value, 'block')
  return { number: parseQuantityNumber(o.number, 'block.number'), timestampSec: parseQuantityNumber(o.timestamp, 'block.timestamp') }
}

function originOf(value: unknown) {
  if (value === null) return null
  const o = parseJsonObject(value, 'transaction')
  const info = l1InfoOf({ type: parseQuantityNumber(o.type, 'type'), data: parseData(o.input, 'input') })
  return { number: info.number, timestampSec: info.timestampSec }
}

function parseReceipt(value: unknown): L2Receipt {
  const o = parseJsonObject(value, 'receipt')
  return {
    blockNumber: parseQuantityNumber(o.blockNumber, 'receipt.blockNumber'),
    blockHash: parseHash(o.blockHash, 'receipt.blockHash'),
    succeeded: parseQuantity(o.status, 'receipt.status') === 1n,
    gasUsed: parseQuantity64(o.gasUsed, 'receipt.gasUsed'),
    logs: parseJsonArray(o.logs, 'receipt.logs', parseLogJson),
  }
}

function failureOf(answer: unknown): L2Failure | null {
  const { error, output } = parseJsonObject(answer, 'trace')
  if (typeof error !== 'string') return null
  if (/out of gas|insufficient.*gas|gas.*too low/i.test(error)) return { kind: 'out-of-gas' }
  if (/revert/i.test(error))
    return { kind: 'reverted', output: typeof output === 'string' ? parseData(output, 'output') : new Uint8Array(0) }
  return { kind: 'other', text: error }
}

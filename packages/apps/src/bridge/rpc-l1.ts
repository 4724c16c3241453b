/** Does not verify single transactions. */
import { ClientError, type L1Client, type RpcClient, RpcResponseError } from '@keelson/client'
import { DEPOSIT_EVENT_TOPIC } from '@keelson/derivation/codec'
import {
  type Address,
  bloomMayContain,
  bytesToHex,
  CodecError,
  formatQuantity,
  type Hash,
  hexToBytes,
  type Log,
  parseAddress,
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
import type { BridgeL1, L1Transaction, LocatedLog } from './ports.ts'

export interface RpcL1Dependencies {
  readonly rpc: RpcClient
  readonly client: L1Client
  readonly portal: Address
}

const MAX_HALVINGS = 10
const HEADERS_AT_ONCE = 16

export function createRpcL1({ rpc, client, portal }: RpcL1Dependencies): BridgeL1 {
  const portalBytes = hexToBytes(portal)
  const topicBytes = hexToBytes(DEPOSIT_EVENT_TOPIC)
  const isDeposit = (log: Log) => log.address === portal && log.topics[0] === DEPOSIT_EVENT_TOPIC

  const locate = async (found: FoundLog): Promise<LocatedLog | null> => {
    const block = await client.blockRef(found.blockHash)
    return block === null ? null : { log: found.log, logIndex: found.logIndex, txHash: found.txHash, block }
  }

  const logsBetween = async (from: number, to: number, halvings: number): Promise<readonly FoundLog[]> => {
    const filter = { address: portal, topics: [DEPOSIT_EVENT_TOPIC], fromBlock: formatQuantity(from), toBlock: formatQuantity(to) }
    try {
      const answer = await rpc.call('eth_getLogs', [filter])
      return read(rpc.host, () => parseJsonArray(answer, 'logs', parseFoundLog).filter(({ log }) => isDeposit(log)))
    } catch (error) {
      if (!(error instanceof RpcResponseError) || from === to || halvings >= MAX_HALVINGS) throw error
      const middle = from + Math.floor((to - from) / 2)
      return [...(await logsBetween(from, middle, halvings + 1)), ...(await logsBetween(middle + 1, to, halvings + 1))]
    }
  }

  return {
    blockRef: (at) => client.blockRef(at),
    async depositsIn(block) {
      const header = await client.header(block.hash)
      if (header === null) return null
      if (!bloomMayContain(header.logsBloom, portalBytes) || !bloomMayContain(header.logsBloom, topicBytes)) return []
      const [receipts, transactions] = [await client.receipts(block.hash), await client.transactions(block.hash)]
      if (receipts === null || transactions === null) return null
      let logIndex = 0
      return receipts.flatMap((receipt, i) =>
        receipt.logs.flatMap((log) => {
          const at = logIndex++
          return isDeposit(log) ? [{ log, logIndex: at, txHash: (transactions[i] as { hash: Hash }).hash, block }] : []
        }),
      )
    },
    async depositsBetween(from, to) {
      const found = await logsBetween(from, to, 0)
      const located: (LocatedLog | null)[] = []
      for (let at = 0; at < found.length; at += HEADERS_AT_ONCE) {
        located.push(...(await Promise.all(found.slice(at, at + HEADERS_AT_ONCE).map(locate))))
      }
      return located.filter((log) => log !== null)
    },
    async transaction(hash) {
      const [txOutcome, receiptOutcome] = await rpc.batch([
        { method: 'eth_getTransactionByHash', params: [hash] },
        { method: 'eth_getTransactionReceipt', params: [hash] },
      ])
      const [tx, receipt] = [resultOf(txOutcome), resultOf(receiptOutcome)]
      if (tx === null) return null
      const fields = read(rpc.host, () => parseTransactionFields(tx))
      if (fields.hash !== hash) throw badAnswer(rpc.host, `asked for transaction ${hash}, got ${fields.hash}`)
      if (receipt === null) return { ...fields, inclusion: null }
      const found = read(rpc.host, () => parseReceipt(receipt))
      const block = await client.blockRef(found.blockHash)
      if (block === null) return { ...fields, inclusion: null }
      const deposits = found.logs.filter(({ log, txHash }) => isDeposit(log) && txHash === hash)
      return {
        ...fields,
        inclusion: { block, succeeded: found.succeeded, gasUsed: found.gasUsed, deposits: deposits.map((log) => ({ ...log, block })) },
      }
    },
    async nonceOf(account) {
      const answer = await rpc.call('eth_getTransactionCount', [account, 'latest'])
      return read(rpc.host, () => parseQuantity(answer, 'nonce'))
    },
    async revertData(tx, blockNumber) {
      const call = {
        from: tx.from,
        ...(tx.to === null ? {} : { to: tx.to }),
        value: formatQuantity(tx.valueWei),
        gas: formatQuantity(tx.gasLimit),
        data: bytesToHex(tx.data),
      }
      return revertDataOf(rpc.call('eth_call', [call, formatQuantity(Math.max(0, blockNumber - 1))]))
    },
  }
}

interface FoundLog {
  readonly log: Log
  readonly logIndex: number
  readonly txHash: Hash
  readonly blockHash: Hash
}

export async function revertDataOf(call: Promise<unknown>): Promise<Uint8Array | null> {
  try {
    await call
    return null
  } catch (error) {
    if (!(error instanceof RpcResponseError)) throw error
    const { data } = error
    const hex = typeof data === 'object' && data !== null && 'data' in data ? (data as { data: unknown }).data : data
    return typeof hex === 'string' && /^0x([0-9a-fA-F]{2})+$/.test(hex) ? hexToBytes(hex) : null
  }
}

export function resultOf(
  outcome: { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Error } | undefined,
) {
  if (outcome === undefined) throw new ClientError('client/bad-answer', 'temporary', 'the response to a batch has too few results')
  if (!outcome.ok) throw outcome.error
  return outcome.result
}

export function read<T>(host: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw badAnswer(host, error.message, error)
  }
}

function badAnswer(host: string, why: string, cause?: unknown): ClientError {
  return new ClientError('client/bad-answer', 'temporary', `${host} returned an invalid response: ${why}`, { host }, { cause })
}

function parseFoundLog(value: unknown, what: string): FoundLog {
  const o = parseJsonObject(value, what)
  return {
    log: parseLogJson(o, what),
    logIndex: parseQuantityNumber(o.logIndex, `${what}.logIndex`),
    txHash: parseHash(o.transactionHash, `${what}.transactionHash`),
    blockHash: parseHash(o.blockHash, `${what}.blockHash`),
  }
}

export function parseTransactionFields(value: unknown): Omit<L1Transaction, 'inclusion'> {
  const o = parseJsonObject(value, 'transaction')
  return {
    hash: parseHash(o.hash, 'transaction.hash'),
    from: parseAddress(o.from, 'transaction.from'),
    to: parseOptional(o.to, 'transaction.to', parseAddress),
    nonce: parseQuantity64(o.nonce, 'transaction.nonce'),
    valueWei: parseQuantity(o.value, 'transaction.value'),
    gasLimit: parseQuantity64(o.gas, 'transaction.gas'),
    data: parseData(o.input, 'transaction.input'),
  }
}

function parseReceipt(value: unknown) {
  const o = parseJsonObject(value, 'receipt')
  return {
    blockHash: parseHash(o.blockHash, 'receipt.blockHash'),
    succeeded: parseQuantity(o.status, 'receipt.status') === 1n,
    gasUsed: parseQuantity64(o.gasUsed, 'receipt.gasUsed'),
    logs: parseJsonArray(o.logs, 'receipt.logs', parseFoundLog),
  }
}

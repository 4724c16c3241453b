/** Simulates with eth_simulateV1, or eth_call for a single call. */
import { createChainAccount, type RpcClient, RpcResponseError, sealedOrNull } from '@keelson/client'
import { PREDEPLOYS, revertReason } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  formatQuantity,
  type Hex,
  hexToBytes,
  isHex,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantityNumber,
} from '@keelson/primitives'
import { concatHex, decodeAbiParameters, encodeFunctionData, erc20Abi, parseAbi, zeroAddress } from 'viem'
import { SourceError } from '../../market/source-error.ts'
import type { PlannedCall, SimulatedCall, TradeReceipt, TradingChain } from './trading-chain.ts'

export interface RpcTradingChainOptions extends Pick<TradingChain, 'chainId' | 'wrappedNative' | 'confirmations' | 'explorerUrl'> {}

const ORACLE = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
const METHOD_NOT_FOUND = -32601
/** Stands for a transaction's other fields, which do not compress. */
const REST_OF_TX = bytesToHex(Uint8Array.from({ length: 80 }, (_, i) => ((i * i * 31 + i * 7) % 255) + 1))
const MAX_REASON = 300

export function createRpcTradingChain(options: RpcTradingChainOptions, rpc: RpcClient): TradingChain {
  const source = `chain ${options.chainId} at ${rpc.host}`
  const read = <T>(parse: () => T): T => {
    try {
      return parse()
    } catch (error) {
      throw new SourceError(source, 'bad-answer', error instanceof Error ? error.message : 'its answer cannot be read', { cause: error })
    }
  }
  const ask = async <T>(method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> => {
    const answer = await rpc.call(method, params)
    return read(() => parse(answer))
  }
  const head = createChainAccount('L2', rpc, zeroAddress as Address)
  const uint = (to: Address, data: Hex, parse = parseUint) => ask('eth_call', [{ to, data }, 'latest'], parse)
  const failed = (data: unknown, text: string): SimulatedCall => ({ ok: false, output: '0x', gasUsed: 0n, reason: reasonOf(data, text) })

  async function callAlone(from: Address, call: PlannedCall): Promise<readonly SimulatedCall[]> {
    const request = { from, to: call.to, data: call.data, value: formatQuantity(call.valueWei) }
    try {
      const output = await ask('eth_call', [request, 'latest'], (answer) => bytesToHex(parseData(answer)))
      const gasUsed = await ask('eth_estimateGas', [request], (answer) => parseQuantity(answer))
      return [{ ok: true, output, gasUsed, reason: null }]
    } catch (error) {
      if (!(error instanceof RpcResponseError) || error.severity === 'temporary') throw error
      return [failed(error.data, error.text)]
    }
  }

  return {
    ...options,
    headNumber: () => head.headNumber(),
    timestampSec: (block) =>
      ask('eth_getBlockByNumber', [formatQuantity(block), false], (answer) =>
        parseQuantityNumber(parseJsonObject(answer, `block ${block}`).timestamp, 'timestamp'),
      ),
    nonce: (account, block) => ask('eth_getTransactionCount', [account, formatQuantity(block)], (answer) => parseQuantity(answer)),
    balanceWei: (account) => ask('eth_getBalance', [account, 'latest'], (answer) => parseQuantity(answer)),
    tokenBalance: (token, account) => uint(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })),
    allowance: (token, owner, spender) =>
      uint(token, encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] })),
    feeQuote: () => head.feeQuote(false),
    async dataFeeWei(calls) {
      const fees = await Promise.all(
        calls.map(({ data }) => {
          const call = encodeFunctionData({ abi: ORACLE, functionName: 'getL1Fee', args: [concatHex([data, REST_OF_TX])] })
          // an address without code returns `0x`: no fee
          return uint(PREDEPLOYS.GasPriceOracle, call, (answer) => (answer === '0x' ? 0n : parseUint(answer)))
        }),
      )
      // the fee may rise until the block
      return (fees.reduce((sum, fee) => sum + fee, 0n) * 3n) / 2n
    },
    async simulate(from, calls) {
      const [only] = calls
      if (calls.length === 1 && only !== undefined) return callAlone(from, only)
      const requests = calls.map(({ to, data, valueWei }) => ({ from, to, input: data, value: formatQuantity(valueWei) }))
      try {
        return await ask('eth_simulateV1', [{ blockStateCalls: [{ calls: requests }] }, 'latest'], (answer) => {
          const [block] = parseJsonArray(answer, 'simulated blocks', parseJsonObject)
          return parseJsonArray(block?.calls, 'simulated calls', parseSimulated)
        })
      } catch (error) {
        if (!(error instanceof RpcResponseError) || error.severity === 'temporary') throw error
        if (error.number !== METHOD_NOT_FOUND) return [failed(null, error.text)]
        throw new SourceError(source, 'refused', 'it has no eth_simulateV1, which swaps that need an allowance are tried with', {
          cause: error,
        })
      }
    },
    async sendRaw(raw) {
      await rpc.call('eth_sendRawTransaction', [raw], { retry: false })
    },
    async isAnyMined(hashes) {
      const outcomes = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })))
      return outcomes.some((outcome) => {
        if (!outcome.ok) throw outcome.error
        const sealed = sealedOrNull(outcome.result)
        return sealed !== null && read(() => parseJsonObject(sealed, 'transaction').blockNumber) != null
      })
    },
    async receipts(hashes) {
      const outcomes = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })))
      return outcomes.map((outcome) => {
        if (!outcome.ok) throw outcome.error
        const sealed = sealedOrNull(outcome.result)
        return sealed === null ? null : read(() => parseTradeReceipt(sealed))
      })
    },
  }
}

function parseUint(answer: unknown): bigint {
  return decodeAbiParameters([{ type: 'uint256' }], bytesToHex(parseData(answer)))[0]
}

function parseSimulated(value: unknown, what: string): SimulatedCall {
  const o = parseJsonObject(value, what)
  const ok = parseQuantity(o.status, 'status') === 1n
  const output = bytesToHex(parseData(o.returnData, 'returnData'))
  const error = ok ? null : parseJsonObject(o.error, 'error')
  const reason = error === null ? null : reasonOf(error.data ?? output, String(error.message))
  return { ok, output, gasUsed: parseQuantity(o.gasUsed, 'gasUsed'), reason }
}

function reasonOf(data: unknown, text: string): string {
  const said = isHex(data) ? revertReason(hexToBytes(data as Hex)) : null
  return (said ?? text).slice(0, MAX_REASON)
}

function parseTradeReceipt(value: unknown): TradeReceipt {
  const o = parseJsonObject(value, 'receipt')
  const executionWei = parseQuantity(o.gasUsed, 'gasUsed') * parseQuantity(o.effectiveGasPrice, 'effectiveGasPrice')
  return {
    hash: parseHash(o.transactionHash, 'transactionHash'),
    blockNumber: parseQuantityNumber(o.blockNumber, 'blockNumber'),
    succeeded: parseQuantity(o.status, 'status') === 1n,
    feeWei: executionWei + (parseOptional(o.l1Fee, 'l1Fee', parseQuantity) ?? 0n),
    logs: parseJsonArray(o.logs, 'logs', (log, what) => {
      const { address, topics, data } = parseJsonObject(log, what)
      return {
        address: parseAddress(address, 'address'),
        topics: parseJsonArray(topics, 'topics', parseHash),
        data: bytesToHex(parseData(data, 'data')),
      }
    }),
  }
}

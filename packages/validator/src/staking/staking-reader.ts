import { type RpcCall, type RpcClient, RpcResponseError } from '@keelson/client'
import { findStakingRefusal } from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  CodecError,
  formatQuantity,
  hexToBytes,
  type Log,
  parseData,
  parseJsonArray,
  parseJsonObject,
  parseLogJson,
  parseQuantityNumber,
} from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'

/** Calls per batch; nodes limit their number. */
const BATCH = 50

export interface StakingLog {
  readonly log: Log
  readonly blockNumber: number
}

export class StakingReader {
  readonly contract: Address
  readonly #rpc: RpcClient

  constructor(rpc: RpcClient, contract: Address) {
    this.#rpc = rpc
    this.contract = contract
  }

  /** Throws ValidatorError `consensus/staking` for a malformed answer. */
  async ask<T>(method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> {
    return this.#parsed(method, await this.#rpc.call(method, params), parse)
  }

  /** Returns results in order; null where the contract reverted with one of its errors. */
  async views(calls: readonly Uint8Array[], block: number | 'latest'): Promise<readonly (Uint8Array | null)[]> {
    const at = block === 'latest' ? block : formatQuantity(block)
    const requests = calls.map((data): RpcCall => ({ method: 'eth_call', params: [{ to: this.contract, data: bytesToHex(data) }, at] }))
    const answers: (Uint8Array | null)[] = []
    for (let from = 0; from < requests.length; from += BATCH) {
      for (const outcome of await this.#rpc.batch(requests.slice(from, from + BATCH))) {
        if (outcome.ok) answers.push(this.#parsed('eth_call', outcome.result, (result) => parseData(result, 'eth_call')))
        else if (isRefusal(outcome.error)) answers.push(null)
        else throw outcome.error
      }
    }
    return answers
  }

  logs(topics: readonly (readonly string[])[], from: number, to: number): Promise<readonly StakingLog[]> {
    const filter = { address: this.contract, topics, fromBlock: formatQuantity(from), toBlock: formatQuantity(to) }
    return this.ask('eth_getLogs', [filter], (answer) =>
      parseJsonArray(answer, 'logs', (log, what) => ({
        log: parseLogJson(log, what),
        blockNumber: parseQuantityNumber(parseJsonObject(log, what).blockNumber, `${what}.blockNumber`),
      })),
    )
  }

  /** Throws ValidatorError `consensus/no-staking-contract` for an empty answer, which an address without code gives. */
  required(answer: Uint8Array | null | undefined): Uint8Array {
    if (answer !== null && answer !== undefined && answer.length > 0) return answer
    throw new ValidatorError(
      'consensus/no-staking-contract',
      'temporary',
      `${this.#rpc.host} has no Staking contract at ${this.contract}; is it a node of this network, and is it in sync? (--staking names another address)`,
      { contract: this.contract },
    )
  }

  #parsed<T>(method: string, answer: unknown, parse: (answer: unknown) => T): T {
    try {
      return parse(answer)
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause
      const message = `${this.#rpc.host} answered ${method} with what cannot be read: ${cause.message}`
      throw new ValidatorError('consensus/staking', 'temporary', message, {}, { cause })
    }
  }
}

/** A view reverts with the contract's own errors; any other error comes from the node. */
function isRefusal(error: Error): boolean {
  if (!(error instanceof RpcResponseError) || typeof error.data !== 'string') return false
  return findStakingRefusal(hexToBytes(error.data)) !== null
}

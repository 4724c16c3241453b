/** Facts that change with every block are read from the node. */
import { type RpcClient, verified } from '@keelson/client'
import { encodeCall } from '@keelson/contracts'
import {
  type Address,
  bytesToBigint,
  bytesToHex,
  type Hash,
  hexToBytes,
  isHex,
  keccak256Hash,
  parseData,
  parseJsonObject,
  parseQuantity,
} from '@keelson/primitives'
import type { TokenKind } from '../tokens/token-transfers.ts'
import type { TokenMetadata } from './ports.ts'
import { describeToken } from './rpc-chain.ts'
import { createTokenCalls, type HeldToken } from './token-calls.ts'

export interface AccountState {
  readonly balanceWei: bigint
  readonly nonce: bigint
  readonly codeBytes: number
  readonly codeHash: string | null
}

export interface LiveState {
  blockNumber(): Promise<number>
  account(address: Address): Promise<AccountState>
  code(address: Address): Promise<Uint8Array>
  storage(address: Address, slot: Hash): Promise<Uint8Array>
  /** Null when the node does not have the transaction. */
  transactionInput(hash: Hash): Promise<Uint8Array | null>
  /** Null when the token does not say. */
  totalSupply(token: Address): Promise<bigint | null>
  /** For pairs of EIP-20 and EIP-721 tokens; null where the contract or the node does not answer. */
  balances(pairs: readonly HeldToken[]): Promise<readonly (bigint | null)[]>
  /** What a contract says of itself; null when it is no token, or the node does not answer. */
  token(address: Address): Promise<LiveToken | null>
}

export interface LiveToken extends TokenMetadata {
  readonly kind: TokenKind
}

const TOTAL_SUPPLY = bytesToHex(encodeCall('totalSupply()'))
const CALL_GAS = '0x7a120'
const TIMEOUT_MS = 4_000

export function createLiveState(rpc: RpcClient): LiveState {
  const calls = createTokenCalls(rpc)
  return {
    balances: (pairs) => calls.balances(pairs).catch(() => pairs.map(() => null)),
    async token(address) {
      const kind = await calls.kindOf(address).catch(() => null)
      return kind === null ? null : { kind, ...(await describeToken(rpc, address)) }
    },
    async blockNumber() {
      const number = await rpc.call('eth_blockNumber', [], { timeoutMs: TIMEOUT_MS, retry: false })
      return verified(rpc.host, () => Number(parseQuantity(number, 'eth_blockNumber')))
    },
    async account(address) {
      const call = (method: string) => rpc.call(method, [address, 'latest'], { timeoutMs: TIMEOUT_MS, retry: false })
      const answers = await Promise.all(['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map(call))
      return verified(rpc.host, () => {
        const code = parseData(answers[2], 'eth_getCode')
        return {
          balanceWei: parseQuantity(answers[0], 'eth_getBalance'),
          nonce: parseQuantity(answers[1], 'eth_getTransactionCount'),
          codeBytes: code.length,
          codeHash: code.length === 0 ? null : keccak256Hash(code),
        }
      })
    },
    async code(address) {
      const code = await rpc.call('eth_getCode', [address, 'latest'], { timeoutMs: TIMEOUT_MS, retry: false })
      return verified(rpc.host, () => parseData(code, 'eth_getCode'))
    },
    async storage(address, slot) {
      const word = await rpc.call('eth_getStorageAt', [address, slot, 'latest'], { timeoutMs: TIMEOUT_MS, retry: false })
      return verified(rpc.host, () => parseData(word, 'eth_getStorageAt'))
    },
    async transactionInput(hash) {
      const found = await rpc.call('eth_getTransactionByHash', [hash], { timeoutMs: TIMEOUT_MS, retry: false })
      if (found === null) return null
      return verified(rpc.host, () => parseData(parseJsonObject(found, 'transaction').input, 'transaction.input'))
    },
    async totalSupply(token) {
      const request = { to: token, data: TOTAL_SUPPLY, gas: CALL_GAS }
      const answer = await rpc.call('eth_call', [request, 'latest'], { timeoutMs: TIMEOUT_MS, retry: false }).catch(() => null)
      return isHex(answer, 32) ? bytesToBigint(hexToBytes(answer)) : null
    },
  }
}

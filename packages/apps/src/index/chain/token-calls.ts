/** What contracts say about themselves as tokens, and about balances. */
import { type RpcClient, type RpcOutcome, RpcResponseError } from '@keelson/client'
import { encodeCall } from '@keelson/contracts'
import { type Address, bytesToBigint, bytesToHex, formatQuantity, type Hex, hexToBytes, isHex, toAddress } from '@keelson/primitives'
import type { TokenKind } from '../tokens/token-transfers.ts'

export interface HeldToken {
  readonly token: Address
  readonly holder: Address
}

export interface TokenCalls {
  /** Null for a contract that does not answer as a token does. Throws ClientError when the node does not answer. */
  kindOf(address: Address): Promise<TokenKind | null>
  /** `balanceOf` of EIP-20 and EIP-721, in the newest block; null where the contract does not answer. Throws ClientError. */
  balances(pairs: readonly HeldToken[]): Promise<readonly (bigint | null)[]>
  /** The sum over the ids. EIP-1155. Null when the contract does not answer. Throws ClientError. */
  balanceOfIds(pair: HeldToken, ids: readonly bigint[]): Promise<bigint | null>
}

const CALL_GAS = formatQuantity(500_000)
const TIMEOUT_MS = 4_000
const BATCH = 100
const WORD = 32
/** Interface ids of EIP-165. */
const INTERFACES = [
  [0x80ac58cdn, 721],
  [0xd9b67a26n, 1155],
] as const
/** Any address: a token answers for those that hold nothing, too. */
const SOMEBODY = toAddress(`0x${'00'.repeat(19)}01`)
const OPTIONS = { timeoutMs: TIMEOUT_MS, retry: false } as const

export function createTokenCalls(rpc: RpcClient): TokenCalls {
  const callsOf = (calls: readonly { readonly to: Address; readonly data: Uint8Array }[]) =>
    calls.map(({ to, data }) => ({ method: 'eth_call', params: [{ to, data: bytesToHex(data), gas: CALL_GAS }, 'latest'] }))
  const ask = async (calls: readonly { readonly to: Address; readonly data: Uint8Array }[]) =>
    (await rpc.batch(callsOf(calls), OPTIONS)).map(wordOf)
  return {
    async kindOf(to) {
      const supports = INTERFACES.map(([id]) => encodeCall('supportsInterface(bytes4)', [interfaceId(id)]))
      const own = ['totalSupply()', 'decimals()'].map((signature) => encodeCall(signature))
      const calls = [...supports, ...own, encodeCall('balanceOf(address)', [SOMEBODY])].map((data) => ({ to, data }))
      const [is721, is1155, supply, decimals, balance] = await ask(calls)
      if (is721 === 1n) return 721
      if (is1155 === 1n) return 1155
      return supply == null || decimals == null || balance == null ? null : 20
    },
    async balances(pairs) {
      const found: (bigint | null)[] = []
      for (let at = 0; at < pairs.length; at += BATCH) {
        const part = pairs.slice(at, at + BATCH)
        found.push(...(await ask(part.map(({ token, holder }) => ({ to: token, data: encodeCall('balanceOf(address)', [holder]) })))))
      }
      return found
    },
    async balanceOfIds({ token, holder }, ids) {
      const calls = ids.map((id) => ({ to: token, data: encodeCall('balanceOf(address,uint256)', [holder, id]) }))
      const parts = calls.length === 0 ? [] : await ask(calls)
      return parts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0n as bigint | null)
    },
  }
}

function interfaceId(id: bigint): Uint8Array {
  return hexToBytes(`0x${id.toString(16)}` as Hex)
}

/** A call that reverts gives nothing. */
function wordOf(outcome: RpcOutcome): bigint | null {
  if (outcome.ok) return isHex(outcome.result, WORD) ? bytesToBigint(hexToBytes(outcome.result)) : null
  if (outcome.error instanceof RpcResponseError && outcome.error.severity !== 'temporary') return null
  throw outcome.error
}

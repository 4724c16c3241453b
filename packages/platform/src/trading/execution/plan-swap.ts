/**
 * A swap as calls: Uniswap V2's router with the least output and the deadline in its own arguments, and, before it, an
 * allowance for exactly what is sold. Receiver is the wallet, always.
 */
import { decodeParameters, encodeApprove, encodeCall, eventTopic } from '@keelson/contracts'
import { type Address, hexToBytes } from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../../chain/native-address.ts'
import type { Swap } from '../market.ts'
import type { DexRoute } from '../ports.ts'
import type { PlannedCall, TradeLog } from './trading-chain.ts'

const MAX_PATH = 4
const SWAP_EVENT = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)')

export interface SwapTerms {
  readonly route: DexRoute
  readonly wallet: Address
  readonly minimumOut: bigint
  readonly deadlineSec: number
  readonly wrappedNative: Address
}

/** Why a route is not one of this swap; null when it is. What found it is not believed. */
export function routeProblem(
  { tokenIn, tokenOut }: Pick<Swap, 'tokenIn' | 'tokenOut'>,
  { path }: DexRoute,
  wrapped: Address,
): string | null {
  const inPools = (token: Address) => (token === NATIVE_ADDRESS ? wrapped : token)
  if (path.length < 2 || path.length > MAX_PATH) return `a route of ${path.length} tokens, expected 2 to ${MAX_PATH}`
  if (new Set(path).size !== path.length) return 'a route that meets a token twice'
  if (path[0] !== inPools(tokenIn.address)) return `a route from ${path[0]}, expected ${inPools(tokenIn.address)}`
  if (path.at(-1) !== inPools(tokenOut.address)) return `a route to ${path.at(-1)}, expected ${inPools(tokenOut.address)}`
  return null
}

/** Tokens between the ends, the wrapped coin as the native one. */
export function tokensBetween({ path }: DexRoute, wrapped: Address): readonly Address[] {
  return path.slice(1, -1).map((token) => (token === wrapped ? NATIVE_ADDRESS : token))
}

export function swapCall({ tokenIn, tokenOut, amountIn }: Swap, terms: SwapTerms): PlannedCall {
  const { route, wallet, minimumOut } = terms
  const tail = [[...route.path], wallet, BigInt(terms.deadlineSec)]
  const [signature, args, valueWei] =
    tokenIn.address === NATIVE_ADDRESS
      ? (['swapExactETHForTokens(uint256,address[],address,uint256)', [minimumOut, ...tail], amountIn] as const)
      : ([
          `swapExactTokensFor${tokenOut.address === NATIVE_ADDRESS ? 'ETH' : 'Tokens'}(uint256,uint256,address[],address,uint256)`,
          [amountIn, minimumOut, ...tail],
          0n,
        ] as const)
  return { to: route.router, data: encodeCall(signature, args), valueWei }
}

/**
 * What makes the allowance exactly the amount. One that is there and differs is taken back first: some tokens refuse to
 * change one into another.
 */
export function approvalCalls(token: Address, spender: Address, allowance: bigint, amount: bigint): readonly PlannedCall[] {
  if (token === NATIVE_ADDRESS || allowance === amount) return []
  const approve = (units: bigint) => ({ to: token, data: encodeApprove(spender, units), valueWei: 0n })
  return allowance === 0n ? [approve(amount)] : [approve(0n), approve(amount)]
}

/** The last of the amounts that the router returns. Throws ContractError. */
export function simulatedOut(output: Uint8Array): bigint {
  const [amounts] = decodeParameters('uint256[]', output)
  return (amounts as readonly bigint[]).at(-1) ?? 0n
}

/** What the last pool on the way gave; null when the logs do not show it. */
export function receivedOut(logs: readonly TradeLog[]): bigint | null {
  const last = logs.findLast(({ topics }) => topics[0] === SWAP_EVENT)
  if (last === undefined) return null
  const [, , out0, out1] = decodeParameters('uint256,uint256,uint256,uint256', hexToBytes(last.data)) as readonly bigint[]
  return (out0 ?? 0n) + (out1 ?? 0n)
}

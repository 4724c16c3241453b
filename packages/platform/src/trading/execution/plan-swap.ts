/** Calls Uniswap V2's router. The receiver is always the wallet. */
import type { Address, Hash, Hex } from '@keelson/primitives'
import { decodeAbiParameters, encodeFunctionData, erc20Abi, parseAbi, toEventSelector } from 'viem'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import type { DexRoute } from '../ports.ts'
import type { Swap } from '../read-swap.ts'
import type { PlannedCall, TradeLog } from './trading-chain.ts'

const MAX_PATH = 4
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const WITHDRAWAL = toEventSelector('Withdrawal(address,uint256)')
const ROUTER = parseAbi([
  'function swapExactETHForTokens(uint256 least, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETH(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)',
])
const WORD = /^0x[0-9a-f]{64}$/

interface SwapTerms {
  readonly route: DexRoute
  readonly wallet: Address
  readonly minimumOut: bigint
  readonly deadlineSec: number
  readonly wrappedNative: Address
}

/** Checks the route, whose source is not trusted. */
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

export function tokensBetween({ path }: DexRoute, wrapped: Address): readonly Address[] {
  return path.slice(1, -1).map((token) => (token === wrapped ? NATIVE_ADDRESS : token))
}

export function swapCall({ tokenIn, tokenOut, amountIn }: Swap, { route, wallet, minimumOut, deadlineSec }: SwapTerms): PlannedCall {
  const { router: to, path } = route
  const tail = [path, wallet, BigInt(deadlineSec)] as const
  if (tokenIn.address === NATIVE_ADDRESS) {
    const data = encodeFunctionData({ abi: ROUTER, functionName: 'swapExactETHForTokens', args: [minimumOut, ...tail] })
    return { to, data, valueWei: amountIn }
  }
  const functionName = tokenOut.address === NATIVE_ADDRESS ? 'swapExactTokensForETH' : 'swapExactTokensForTokens'
  return { to, data: encodeFunctionData({ abi: ROUTER, functionName, args: [amountIn, minimumOut, ...tail] }), valueWei: 0n }
}

/** Approves the exact amount. Some tokens refuse to change a nonzero allowance, so it is reset first. */
export function approvalCalls(token: Address, spender: Address, allowance: bigint, amount: bigint): readonly PlannedCall[] {
  if (token === NATIVE_ADDRESS || allowance === amount) return []
  const dataOf = (units: bigint) => encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, units] })
  const approve = (units: bigint) => ({ to: token, data: dataOf(units), valueWei: 0n })
  return allowance === 0n ? [approve(amount)] : [approve(0n), approve(amount)]
}

export function simulatedOut(output: Hex): bigint {
  const [amounts] = decodeAbiParameters([{ type: 'uint256[]' }], output)
  return amounts.at(-1) ?? 0n
}

interface Receiver {
  readonly tokenOut: Address
  readonly wallet: Address
  readonly router: Address
  readonly wrappedNative: Address
}

/** Sums the token's transfers or, for native currency, the router's withdrawals. */
export function receivedOut(logs: readonly TradeLog[], { tokenOut, wallet, router, wrappedNative }: Receiver): bigint | null {
  const is = (topic: Hash | undefined, account: Address) => topic === `0x${account.slice(2).padStart(64, '0')}`
  const amounts = logs.filter(({ address, topics: [event, first, second] }) =>
    tokenOut === NATIVE_ADDRESS
      ? address === wrappedNative && event === WITHDRAWAL && is(first, router)
      : address === tokenOut && event === TRANSFER && is(second, wallet),
  )
  if (amounts.length === 0 || !amounts.every(({ data }) => WORD.test(data))) return null
  return amounts.reduce((sum, { data }) => sum + BigInt(data), 0n)
}

/** The transactions of users: transfers, and swaps between the native currency and dollars on the exchange of a development network. */
import { encodeCall, LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import type { Address, Random } from '@keelson/primitives'
import type { WalletCall } from './wallet.ts'

export type UserCall = Required<WalletCall>

const GWEI = 10n ** 9n
const TRANSFER_GAS = 21_000n
const APPROVAL_GAS = 80_000n
const SWAP_GAS = 250_000n
/** Six decimals. */
const MOST_DOLLARS = 1_000_000_000
const NO_DEADLINE = (1n << 256n) - 1n
const NO_DATA = new Uint8Array(0)
/** Percentages; the remaining transactions are transfers. A sale before the user's approval reverts, and still costs a fee. */
const SHARES = { buy: 10, sell: 10, approve: 4 } as const
const { UniswapV2Router02: ROUTER, TestDollar: DOLLAR } = LIQUIDITY_CONTRACTS

export function drawCall(random: Random, sender: Address, receiver: Address): UserCall {
  const share = random.next() * 100
  const size = random.next()
  if (share < SHARES.buy) return buyDollars(sender, wei(size))
  if (share < SHARES.buy + SHARES.sell) return sellDollars(sender, BigInt(Math.ceil(size * MOST_DOLLARS)))
  if (share < SHARES.buy + SHARES.sell + SHARES.approve) return APPROVAL
  return { to: receiver, valueWei: wei(size), data: NO_DATA, gasLimit: TRANSFER_GAS }
}

function wei(size: number): bigint {
  return BigInt(Math.floor(size * 1_000_000)) * GWEI
}

const APPROVAL: UserCall = {
  to: DOLLAR,
  valueWei: 0n,
  data: encodeCall('approve(address,uint256)', [ROUTER, NO_DEADLINE]),
  gasLimit: APPROVAL_GAS,
}

function buyDollars(buyer: Address, valueWei: bigint): UserCall {
  const signature = 'swapExactETHForTokens(uint256,address[],address,uint256)'
  const data = encodeCall(signature, [0n, [PREDEPLOYS.WETH, DOLLAR], buyer, NO_DEADLINE])
  return { to: ROUTER, valueWei, data, gasLimit: SWAP_GAS }
}

function sellDollars(seller: Address, amount: bigint): UserCall {
  const signature = 'swapExactTokensForETH(uint256,uint256,address[],address,uint256)'
  const data = encodeCall(signature, [amount, 0n, [DOLLAR, PREDEPLOYS.WETH], seller, NO_DEADLINE])
  return { to: ROUTER, valueWei: 0n, data, gasLimit: SWAP_GAS }
}

/** The exchange on L2 neither loses nor prints tokens, and swaps do not drain its pools. */
import { decodeUint, encodeBalanceOf, encodeCall, LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import type { Address, Hash } from '@keelson/primitives'
import type { ExchangePairs } from '../roles/rollup-network.ts'
import type { RunningNode, SimulatedNode } from '../roles/simulated-node.ts'
import { Users } from '../roles/users.ts'
import { unsafeStateOf } from './unsafe-state.ts'
import type { ReportViolation } from './violation.ts'

const { TestDollar: DOLLAR } = LIQUIDITY_CONTRACTS
const SUPPLY = encodeCall('totalSupply()')
/** The state of this ancestor is still in the history that nodes keep, unless their operator removed it. */
const COMPARED_BLOCKS = 300

/**
 * Looks at the unsafe head of a node: all dollars have a holder, and the product of a pool's reserves is not below that of an
 * ancestor, because nobody withdraws liquidity and each swap pays a fee to the pool.
 */
export async function judgeExchange(
  pairs: ExchangePairs,
  { name, oldestState }: Pick<SimulatedNode, 'name' | 'oldestState'>,
  node: RunningNode,
  report: ReportViolation,
): Promise<void> {
  const { hash, number, call } = unsafeStateOf(node)
  const compared = Math.max(0, number - COMPARED_BLOCKS)
  const earlier = compared < oldestState ? null : node.execution.chain.canonicalHash(compared)
  const read = async (to: Address, data: Uint8Array, at: Hash) => decodeUint(await call(to, data, at))
  const dollarsOf = (holder: Address, at: Hash) => read(DOLLAR, encodeBalanceOf(holder), at)
  const product = async (at: Hash) => {
    const pair = pairs.PairNativeDollar
    return (await dollarsOf(pair, at)) * (await read(PREDEPLOYS.WETH, encodeBalanceOf(pair), at))
  }

  let held = 0n
  for (const holder of [...Users.addresses, pairs.PairNativeDollar, pairs.PairDollars]) held += await dollarsOf(holder, hash)
  const supply = await read(DOLLAR, SUPPLY, hash)
  if (held !== supply) report('tokens are conserved', `${name}, block ${number}: holders have ${held} units, the supply is ${supply}`)
  if (earlier === null) return
  const [before, now] = [await product(earlier), await product(hash)]
  if (now < before) report('swaps do not drain a pool', `${name}, block ${number}: the product of reserves fell from ${before} to ${now}`)
}

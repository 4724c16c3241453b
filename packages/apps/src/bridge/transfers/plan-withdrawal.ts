import { BRIDGE_GAS_LIMIT, decodeParameters, ERC20_CALLS, encodeBridgeErc20To, encodeBridgeEthTo } from '@keelson/contracts'
import { type Address, L2_STANDARD_BRIDGE } from '@keelson/primitives'
import { BridgeError } from './bridge-error.ts'
import type { ChainReader } from './chains.ts'
import { assertTokenBalance, type PlannedTransaction, type TokenFacts } from './plan-deposit.ts'

export function planNativeWithdrawal(to: Address, amountWei: bigint): PlannedTransaction {
  return { purpose: 'withdrawal', to: L2_STANDARD_BRIDGE, data: encodeBridgeEthTo(to, BRIDGE_GAS_LIMIT), valueWei: amountWei }
}

/** Throws BridgeError `apps/bridge-refused`. */
export async function planErc20Withdrawal(
  l2: ChainReader,
  from: Address,
  to: Address,
  token: TokenFacts,
  amount: bigint,
): Promise<PlannedTransaction> {
  const remote = await l2.tryCall(token.address, ERC20_CALLS.remoteToken)
  if (remote === null) {
    throw new BridgeError(
      'apps/bridge-refused',
      `${token.address} is not a token of this bridge (it has no remoteToken()): it cannot be withdrawn to L1`,
    )
  }
  await assertTokenBalance(l2, token, from, amount, 'L2')
  const remoteToken = decodeParameters('address', remote)[0] as Address
  const data = encodeBridgeErc20To({ localToken: token.address, remoteToken, to, amount, minGasLimit: BRIDGE_GAS_LIMIT })
  return { purpose: 'withdrawal', to: L2_STANDARD_BRIDGE, data, valueWei: 0n }
}

import {
  BRIDGE_GAS_LIMIT,
  decodeParameters,
  decodeUint,
  ERC20_CALLS,
  encodeAllowance,
  encodeApprove,
  encodeBalanceOf,
  encodeBridgeErc20To,
  encodeBridgeEthTo,
  encodeDepositTransaction,
  MINIMUM_DEPOSIT_WEI,
  minimumDepositGas,
} from '@keelson/contracts'
import { type Address, toAddress } from '@keelson/primitives'
import { formatAmount } from './amount.ts'
import { BridgeError } from './bridge-error.ts'
import type { BridgeContracts, ChainReader } from './chains.ts'

export interface PlannedTransaction {
  readonly purpose: string
  readonly to: Address
  readonly data: Uint8Array
  readonly valueWei: bigint
}

export function assertDepositAmount(amountWei: bigint): void {
  if (amountWei >= MINIMUM_DEPOSIT_WEI) return
  throw new BridgeError(
    'apps/bridge-refused',
    `a deposit is at least ${formatAmount(MINIMUM_DEPOSIT_WEI, 18)} of the native currency, got ${formatAmount(amountWei, 18)}; nothing was sent`,
    { amountWei },
  )
}

export function planNativeDeposit(contracts: BridgeContracts, to: Address, amountWei: bigint): PlannedTransaction {
  assertDepositAmount(amountWei)
  return {
    purpose: 'deposit',
    to: contracts.standardBridge,
    data: encodeBridgeEthTo(to, BRIDGE_GAS_LIMIT),
    valueWei: amountWei,
  }
}

export interface L2Call {
  readonly to: Address | null
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
}

/**
 * `mintWei` is first added to the sender's balance on L2; if 0, this is a forced transaction. Throws BridgeError
 * `apps/bridge-refused`.
 */
export function planPortalCall(contracts: BridgeContracts, call: L2Call, mintWei: bigint): PlannedTransaction {
  if (mintWei > 0n) assertDepositAmount(mintWei)
  const leastGas = minimumDepositGas(call.data)
  if (call.gasLimit < leastGas) {
    throw new BridgeError(
      'apps/bridge-refused',
      `--gas-limit is ${call.gasLimit}; with ${call.data.length} bytes of data the portal requires at least ${leastGas}`,
    )
  }
  return {
    purpose: mintWei > 0n ? 'deposit with a call' : 'forced transaction',
    to: contracts.portal,
    data: encodeDepositTransaction({
      to: call.to ?? toAddress(`0x${'00'.repeat(20)}`),
      valueWei: call.valueWei,
      gasLimit: call.gasLimit,
      isCreation: call.to === null,
      data: call.data,
    }),
    valueWei: mintWei,
  }
}

export interface TokenFacts {
  readonly address: Address
  readonly decimals: number
  readonly symbol: string
}

export async function readToken(chain: ChainReader, address: Address, name: 'L1' | 'L2'): Promise<TokenFacts> {
  const decimals = await chain.tryCall(address, ERC20_CALLS.decimals)
  if (decimals === null) {
    throw new BridgeError('apps/bridge-refused', `there is no ERC-20 token at ${address} on ${name}: is it an address of the other chain?`)
  }
  return { address, decimals: Number(decodeUint(decimals)), symbol: readSymbol(await chain.tryCall(address, ERC20_CALLS.symbol)) }
}

/** Filters the symbol, which is untrusted text. */
function readSymbol(answer: Uint8Array | null): string {
  if (answer === null) return 'tokens'
  const text = answer.length === 32 ? new TextDecoder().decode(answer) : String(decodeParameters('string', answer)[0])
  return text.replace(/[^\w.$+-]/g, '').slice(0, 16) || 'tokens'
}

async function assertTokenPair(l2: ChainReader, l1Token: Address, l2Token: Address): Promise<void> {
  const answer = await l2.tryCall(l2Token, ERC20_CALLS.remoteToken)
  if (answer === null) {
    throw new BridgeError(
      'apps/bridge-refused',
      `${l2Token} is not a bridge token on L2 (it has no remoteToken()): tokens sent to it would be lost; make one with ` +
        'OptimismMintableERC20Factory at 0x4200000000000000000000000000000000000012',
    )
  }
  const stands = decodeParameters('address', answer)[0]
  if (stands !== l1Token)
    throw new BridgeError('apps/bridge-refused', `${l2Token} on L2 represents ${stands} on L1, not ${l1Token}: the tokens would be lost`)
}

export interface Erc20Deposit {
  readonly from: Address
  readonly to: Address
  readonly token: TokenFacts
  readonly l2Token: Address
  readonly amount: bigint
}

export async function planErc20Deposit(
  l1: ChainReader,
  l2: ChainReader,
  contracts: BridgeContracts,
  deposit: Erc20Deposit,
): Promise<readonly PlannedTransaction[]> {
  const { from, to, token, l2Token, amount } = deposit
  const bridge = contracts.standardBridge
  await assertTokenPair(l2, token.address, l2Token)
  await assertTokenBalance(l1, token, from, amount, 'L1')
  const allowance = decodeUint(await l1.call(token.address, encodeAllowance(from, bridge)))
  const approve: PlannedTransaction = { purpose: 'approval', to: token.address, data: encodeApprove(bridge, amount), valueWei: 0n }
  const data = encodeBridgeErc20To({ localToken: token.address, remoteToken: l2Token, to, amount, minGasLimit: BRIDGE_GAS_LIMIT })
  return [...(allowance >= amount ? [] : [approve]), { purpose: 'deposit', to: bridge, data, valueWei: 0n }]
}

export async function assertTokenBalance(
  chain: ChainReader,
  token: TokenFacts,
  account: Address,
  amount: bigint,
  name: 'L1' | 'L2',
): Promise<void> {
  const balance = decodeUint(await chain.call(token.address, encodeBalanceOf(account)))
  if (balance >= amount) return
  throw new BridgeError(
    'apps/bridge-refused',
    `${account} has ${formatAmount(balance, token.decimals)} ${token.symbol} on ${name}, not ${formatAmount(amount, token.decimals)}`,
  )
}

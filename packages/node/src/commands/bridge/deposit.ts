import {
  assertDepositAmount,
  estimateOnL2,
  formatAmount,
  type PlannedTransaction,
  parseAmount,
  planErc20Deposit,
  planNativeDeposit,
  planPortalCall,
  readToken,
} from '@keelson/apps/bridge'
import type { Address } from '@keelson/primitives'
import { type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { createAccountSender } from './account-sender.ts'
import { feeLimitsOf, feeOptions } from './fee-options.ts'
import { sendAndFollow } from './finish-deposit.ts'
import { readKey } from './key-file.ts'
import { createNarrator, nextAfterDeposit } from './narrator.ts'
import { type BridgeNetwork, openNetwork } from './open-network.ts'
import {
  amountOption,
  chainOptions,
  hexBytes,
  keyOptions,
  NATIVE_DECIMALS,
  recipient,
  timeoutOption,
  waitOption,
} from './transfer-options.ts'

const options = {
  amount: amountOption,
  to: optionalOption({
    key: 'bridge.to',
    flag: 'to',
    parse: recipient,
    description: 'Who gets it on L2. Default: the account that sends.',
  }),
  token: optionalOption({
    key: 'bridge.token',
    flag: 'token',
    parse: parse.address,
    description: 'ERC-20 on L1; without it, the native currency.',
  }),
  l2Token: optionalOption({
    key: 'bridge.l2Token',
    flag: 'l2-token',
    parse: parse.address,
    description: 'The token on L2 that stands for it, made by OptimismMintableERC20Factory.',
  }),
  data: optionalOption({
    key: 'bridge.data',
    flag: 'data',
    parse: hexBytes,
    description: 'Call --to on L2 with these bytes and the amount, in the name of the account that sends. Native currency only.',
  }),
  gasLimit: optionalOption({
    key: 'bridge.gasLimit',
    flag: 'gas-limit',
    parse: parse.bigInteger,
    description: 'Gas of that call on L2. Default: what the L2 node estimates, and a fifth more.',
  }),
  wait: waitOption,
  timeoutMs: timeoutOption,
  ...feeOptions,
  ...keyOptions,
  ...chainOptions,
} as const

type Values = OptionValues<typeof options>

export const depositCommand = defineCommand({
  name: 'bridge deposit',
  summary: 'native value or an ERC-20 from L1 to L2',
  usage: '--amount 0.5 [--to ADDRESS] [--token ADDRESS --l2-token ADDRESS] [--data HEX] [options]',
  explanation: `A deposit is a transaction on L1 and costs its gas there; on L2 it is free. Less than 0.01 of the
native currency is refused, with and without --data.
It is "pending" until L2 takes the deposits of its L1 block, "relaying" until the L2 block that holds it can be
derived from L1 (safe), then "complete" or "failed". Without --data the standard bridge brings it; with --data
the portal does, and the call comes from the sender's own address. If that call fails, the amount stays with the sender.`,
  options,
  async run(values) {
    const narrator = createNarrator(values.json)
    assertFitting(values)
    if (values.token === null) assertDepositAmount(getAmount(values.amount, NATIVE_DECIMALS, 'coins'))
    const key = await readKey(values, narrator.warn)
    const network = await openNetwork(values)
    const sender = createAccountSender({
      chainName: 'L1',
      chain: network.l1,
      chainId: network.config.l1ChainId,
      key,
      fees: feeLimitsOf(values),
      clock: network.clock,
      log: network.log,
      onSent: (purpose, hash) => narrator.sent('L1', purpose, hash, nextAfterDeposit(purpose, hash)),
    })
    const to = values.to ?? sender.address
    const { plan, shown } = await planDeposit(values, network, sender.address, to)
    narrator.say('deposit', `${shown} from ${sender.address} on L1 to ${to} on L2`)
    const { exitCode, document } = await sendAndFollow(network, sender, plan, { wait: values.wait, timeoutMs: values.timeoutMs }, narrator)
    narrator.end({ ...document, from: sender.address, to, amount: values.amount, token: values.token, l2Token: values.l2Token })
    return exitCode
  },
})

function assertFitting({ token, l2Token, data, to, gasLimit }: Values): void {
  const usage = (message: string) => new AssemblyError('node/usage', message)
  if ((token === null) !== (l2Token === null)) throw usage('an ERC-20 takes both: --token, its address on L1, and --l2-token, that on L2')
  if (data !== null && token !== null) throw usage('--data goes with the native currency only: the bridge of tokens makes no calls')
  if (data !== null && to === null) throw usage('--data wants --to: the contract on L2 that is called')
  if (gasLimit !== null && data === null) throw usage('--gas-limit is for the call of --data; other deposits have what the bridge needs')
}

async function planDeposit(
  values: Values,
  { l1, l2, contracts, symbol }: BridgeNetwork,
  from: Address,
  to: Address,
): Promise<{ readonly plan: readonly PlannedTransaction[]; readonly shown: string }> {
  if (values.token !== null && values.l2Token !== null) {
    const token = await readToken(l1, values.token, 'L1')
    const amount = getAmount(values.amount, token.decimals, token.symbol)
    const plan = await planErc20Deposit(l1, l2, contracts, { from, to, token, l2Token: values.l2Token, amount })
    return { plan, shown: `${formatAmount(amount, token.decimals)} ${token.symbol}` }
  }
  const amountWei = getAmount(values.amount, NATIVE_DECIMALS, symbol)
  const shown = `${formatAmount(amountWei, NATIVE_DECIMALS)} ${symbol}`
  if (values.data === null) return { plan: [planNativeDeposit(contracts, to, amountWei)], shown }
  const call = { to, valueWei: amountWei, data: values.data }
  const gasLimit = values.gasLimit ?? (await estimateOnL2(l2.rpc, { from, ...call }))
  return {
    plan: [planPortalCall(contracts, { ...call, gasLimit }, amountWei)],
    shown: `${shown} with a call of ${values.data.length} bytes`,
  }
}

export function getAmount(text: string, decimals: number, symbol: string, flag = '--amount'): bigint {
  const amount = parseAmount(text, decimals)
  if (amount !== null && amount > 0n) return amount
  throw new AssemblyError(
    'node/usage',
    `${flag}: expected more than 0 ${symbol}, as 0.5, with at most ${decimals} digits behind the point, got "${text.slice(0, 80)}"`,
  )
}

import {
  BridgeError,
  estimateOnL2,
  formatAmount,
  type L2Call,
  planNativeWithdrawal,
  planPortalCall,
  requireOutputOracle,
} from '@keelson/apps/bridge'
import { type Address, ZERO_ADDRESS } from '@keelson/primitives'
import { asCalled, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { createAccountSender } from './account-sender.ts'
import { getAmount } from './deposit.ts'
import { feeLimitsOf, feeOptions } from './fee-options.ts'
import { sendAndFollow } from './finish-deposit.ts'
import { readKey } from './key-file.ts'
import { createNarrator, nextAfterDeposit } from './narrator.ts'
import { type BridgeNetwork, openNetwork } from './open-network.ts'
import {
  amountText,
  chainOptions,
  hexBytes,
  keyOptions,
  NATIVE_DECIMALS,
  timeoutOption,
  waitOption,
  ZERO_RECIPIENT,
} from './transfer-options.ts'

const options = {
  to: optionalOption({
    key: 'bridge.to',
    flag: 'to',
    parse: parse.address,
    description: 'Who is paid or called on L2; with --withdraw, who is paid on L1 (default: the account itself).',
  }),
  value: optionalOption({
    key: 'bridge.value',
    flag: 'value',
    parse: amountText,
    description: "How much goes along, in whole coins with a point, from the account's balance on L2. Default: nothing.",
  }),
  data: optionalOption({ key: 'bridge.data', flag: 'data', parse: hexBytes, description: 'Bytes that --to is called with.' }),
  gasLimit: optionalOption({
    key: 'bridge.gasLimit',
    flag: 'gas-limit',
    parse: parse.bigInteger,
    description: 'Gas on L2. Default: what the L2 node estimates, and a fifth more. With it and --no-wait no L2 node is needed.',
  }),
  withdraw: option({
    key: 'bridge.withdraw',
    flag: 'withdraw',
    parse: parse.toggle,
    default: false,
    description: 'Begin a withdrawal of --value to --to on L1, as keelson bridge withdraw does.',
  }),
  wait: waitOption,
  timeoutMs: timeoutOption,
  ...feeOptions,
  ...keyOptions,
  ...chainOptions,
} as const

type Values = OptionValues<typeof options>

export const forceCommand = defineCommand({
  name: 'bridge force',
  summary: 'a transaction of L2 by way of L1, past a sequencer that leaves it out',
  usage: '--to ADDRESS [--value 0.5] [--data HEX] | --withdraw --value 0.5 [--to ADDRESS] [options]',
  explanation: `The transaction is sent to the portal on L1 with the same key, and becomes one of the same account on L2. Its gas is paid on
L1. --value is what moves on L2, out of the account's balance there: nothing is brought from L1 (that is a deposit).
If the balance does not reach when its turn comes, the transaction is in the chain all the same, failed, and moves nothing.
The sequencer has to take it with the L1 block it is in; one that makes no blocks at all, or posts none to L1, is passed
over when the sequencing window of L1 blocks is over (seq_window_size in rollup.json).`,
  options,
  async run(values) {
    const narrator = createNarrator(values.json)
    if (values.withdraw ? values.value === null || values.data !== null : values.to === null) {
      throw new AssemblyError(
        'node/usage',
        values.withdraw ? '--withdraw wants --value, and takes no --data' : 'give --to, or --withdraw with --value',
      )
    }
    if (values.withdraw && values.to === ZERO_ADDRESS) throw new AssemblyError('node/usage', `--to: ${ZERO_RECIPIENT}`)
    const key = await readKey(values, narrator.warn)
    const asksL2 = values.wait || values.gasLimit === null
    const network = await openNetwork(values, { needsL2: asksL2 })
    const { config, clock, log, symbol, contracts } = network
    if (values.withdraw) requireOutputOracle(contracts)
    const sender = createAccountSender({
      chainName: 'L1',
      chain: network.l1,
      chainId: config.l1ChainId,
      key,
      fees: feeLimitsOf(values),
      clock,
      log,
      onSent: (purpose, hash) => narrator.sent('L1', purpose, hash, nextAfterDeposit(purpose, hash)),
    })
    const call = await buildCall(values, network, sender.address, asksL2)
    const what = values.withdraw ? 'withdrawal' : `transaction to ${call.to}`
    narrator.say(
      'force',
      `${what} with ${formatAmount(call.valueWei, NATIVE_DECIMALS)} ${symbol}, gas ${call.gasLimit}, from ${sender.address}`,
    )
    const plan = [planPortalCall(contracts, call, 0n)]
    const { exitCode, document } = await sendAndFollow(network, sender, plan, { wait: values.wait, timeoutMs: values.timeoutMs }, narrator)
    if (values.withdraw && exitCode === 0) narrator.say('', `next: ${asCalled(`bridge prove ${document.l2TxHash} --wait`)}`)
    narrator.end({ ...document, from: sender.address, to: call.to, valueWei: call.valueWei, gasLimit: call.gasLimit })
    return exitCode
  },
})

/** Throws BridgeError `apps/bridge-refused` if the call would fail on L2. */
async function buildCall(values: Values, { l2, symbol }: BridgeNetwork, from: Address, asksL2: boolean): Promise<L2Call> {
  const valueWei =
    values.value === null || /^0+(\.0+)?$/.test(values.value) ? 0n : getAmount(values.value, NATIVE_DECIMALS, symbol, '--value')
  const plan = values.withdraw ? planNativeWithdrawal(values.to ?? from, valueWei) : null
  const call = { to: plan?.to ?? values.to, valueWei, data: plan?.data ?? values.data ?? new Uint8Array(0) }
  if (asksL2) {
    const balance = await l2.balanceWei(from)
    if (balance < valueWei) {
      throw new BridgeError(
        'apps/bridge-refused',
        `${from} has ${formatAmount(balance, NATIVE_DECIMALS)} ${symbol} on L2, less than --value: it would fail there; ${asCalled('bridge deposit')} brings value from L1`,
      )
    }
  }
  return { ...call, gasLimit: values.gasLimit ?? (await estimateOnL2(l2.rpc, { from, ...call })) }
}

import {
  formatAmount,
  planErc20Withdrawal,
  planNativeWithdrawal,
  readToken,
  readWithdrawalProgress,
  requireOutputOracle,
} from '@keelson/apps/bridge'
import { asCalled, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createAccountSender } from './account-sender.ts'
import { getAmount } from './deposit.ts'
import { feeLimitsOf, feeOptions } from './fee-options.ts'
import { readKey } from './key-file.ts'
import { createNarrator } from './narrator.ts'
import { openNetwork } from './open-network.ts'
import { amountOption, chainOptions, keyOptions, recipient } from './transfer-options.ts'

const EXIT_FAILED = 1

const options = {
  amount: amountOption,
  to: optionalOption({
    key: 'bridge.to',
    flag: 'to',
    parse: recipient,
    description: 'Who gets it on L1. Default: the account that sends.',
  }),
  l2Token: optionalOption({
    key: 'bridge.l2Token',
    flag: 'l2-token',
    parse: parse.address,
    description: 'ERC-20 on L2 that came over the bridge; without it, the native currency.',
  }),
  ...feeOptions,
  ...keyOptions,
  ...chainOptions,
} as const

export const withdrawCommand = defineCommand({
  name: 'bridge withdraw',
  summary: 'native value or an ERC-20 from L2 to L1: the first of three steps',
  usage: '--amount 0.5 [--to ADDRESS] [--l2-token ADDRESS] [options]',
  explanation: `A withdrawal takes three transactions, of which two are on L1 and cost gas there:
  1. ${asCalled('bridge withdraw')} ...       on L2, now
  2. ${asCalled('bridge prove HASH')}         on L1, when an output root that covers it has been proposed
  3. ${asCalled('bridge finalize HASH')}      on L1, when the time to challenge that output is over
HASH is the L2 transaction of the first step; ${asCalled('bridge status HASH')} shows the next step. Anyone may pay for steps 2 and 3;
the money always goes to the recipient.`,
  options,
  async run(values) {
    const narrator = createNarrator(values.json)
    const key = await readKey(values, narrator.warn)
    const { l1, l2, config, contracts, symbol, clock, log } = await openNetwork(values)
    requireOutputOracle(contracts)
    const sender = createAccountSender({
      chainName: 'L2',
      chain: l2,
      chainId: config.l2ChainId,
      key,
      fees: feeLimitsOf(values),
      clock,
      log,
      onSent: (purpose, hash) => narrator.sent('L2', purpose, hash, `next: ${asCalled(`bridge prove ${hash} --wait`)}`),
    })
    const to = values.to ?? sender.address
    const token = values.l2Token === null ? { decimals: 18, symbol } : await readToken(l2, values.l2Token, 'L2')
    const amount = getAmount(values.amount, token.decimals, token.symbol)
    const plan = 'address' in token ? await planErc20Withdrawal(l2, sender.address, to, token, amount) : planNativeWithdrawal(to, amount)
    narrator.say('withdrawal', `${formatAmount(amount, token.decimals)} ${token.symbol} from ${sender.address} on L2 to ${to} on L1`)
    const receipt = await sender.send(plan)
    const hash = receipt.transactionHash
    const progress = (await readWithdrawalProgress(l1, l2, contracts, hash))?.[0]
    narrator.say(progress?.state ?? 'failed', progress?.text ?? 'it withdrew nothing')
    if (receipt.succeeded) narrator.say('', `next: ${asCalled(`bridge prove ${hash} --wait`)}`)
    const { state = 'failed', l2Block = null, withdrawalHash = null, nextStepInSec = null } = progress ?? {}
    narrator.end({
      state,
      l2TxHash: hash,
      l2Block,
      withdrawalHash,
      nextStepInSec,
      from: sender.address,
      to,
      amount: values.amount,
      l2Token: values.l2Token,
    })
    return receipt.succeeded ? 0 : EXIT_FAILED
  },
})

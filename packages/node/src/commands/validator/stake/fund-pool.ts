import { assertDepositAmount, formatAmount, planPortalCall } from '@keelson/apps/bridge'
import { encodeFund, FUND_GAS } from '@keelson/contracts'
import { createStakingChain, daysText, placeOf, poolDaysLeft } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { createAccountSender } from '../../bridge/account-sender.ts'
import { getAmount } from '../../bridge/deposit.ts'
import { feeLimitsOf, feeOptions } from '../../bridge/fee-options.ts'
import { sendAndFollow } from '../../bridge/finish-deposit.ts'
import { readKey } from '../../bridge/key-file.ts'
import { createNarrator, nextAfterDeposit } from '../../bridge/narrator.ts'
import { type BridgeNetwork, openNetwork } from '../../bridge/open-network.ts'
import { amountOption, chainOptions, keyOptions, NATIVE_DECIMALS, timeoutOption, waitOption } from '../../bridge/transfer-options.ts'
import { shownAmount } from './shown-amount.ts'
import { stakingOption } from './staking-options.ts'

export const fundPoolCommand = defineCommand({
  name: 'validator fund-pool',
  summary: 'value from L1 into the pool that pays the rewards of validators',
  usage: '--amount COINS [options]',
  explanation: `The pool pays every validator until it is empty; nobody can withdraw from it. One transaction on L1 deposits the amount
and calls the pool on L2. If the call fails on L2, the amount stays there with the account that
sent it. Less than 0.01 of the native currency is refused, as for every deposit.`,
  options: {
    amount: amountOption,
    staking: stakingOption,
    wait: waitOption,
    timeoutMs: timeoutOption,
    ...feeOptions,
    ...keyOptions,
    ...chainOptions,
  },
  async run(values) {
    const narrator = createNarrator(values.json)
    const amountWei = getAmount(values.amount, NATIVE_DECIMALS, 'coins')
    assertDepositAmount(amountWei)
    const key = await readKey(values, narrator.warn)
    const network = await openNetwork(values)
    const pool = openPool(network, values.staking)
    const before = await pool.read()
    narrator.say('pool', before.text)
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
    narrator.say('deposit', `${formatAmount(amountWei, NATIVE_DECIMALS)} ${network.symbol} from ${sender.address} on L1 to the pool on L2`)
    const call = { to: values.staking, valueWei: amountWei, data: encodeFund(), gasLimit: FUND_GAS }
    const plan = [planPortalCall(network.contracts, call, amountWei)]
    const { exitCode, document } = await sendAndFollow(network, sender, plan, { wait: values.wait, timeoutMs: values.timeoutMs }, narrator)
    const after = await pool.read()
    if (document.state === 'complete') narrator.say('pool', after.text)
    narrator.end({
      ...document,
      from: sender.address,
      amountWei,
      pool: { beforeWei: before.poolWei, afterWei: after.poolWei, daysLeft: Math.floor(after.daysLeft) },
    })
    return exitCode
  },
})

/** Rejects with ValidatorError `consensus/no-staking-contract` instead of sending value to an address without code. */
function openPool({ l2, config, symbol }: BridgeNetwork, contract: Parameters<typeof createStakingChain>[1]) {
  const chain = createStakingChain(l2.rpc, contract)
  return {
    async read() {
      const terms = await chain.terms()
      const { number } = await chain.head()
      const { poolWei } = (await chain.positions([], number, placeOf(number, terms).epoch)).accounts
      const daysLeft = poolDaysLeft(poolWei, terms, config.blockTimeSec)
      return { poolWei, daysLeft, text: `it has ${shownAmount(poolWei, symbol)}, which lasts ${daysText(daysLeft)}` }
    },
  }
}

import { assertDepositAmount, depositsIn, formatAmount, planPortalCall } from '@keelson/apps/bridge'
import { DEFAULT_TIP_CAP, findLoggedReceipt, type LoggedReceipt } from '@keelson/client'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { type Address, type Bytes32, counted, formatQuantity, type Hash, hexToBytes } from '@keelson/primitives'
import { option, optionParsers as parse, Secret } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { createAccountSender } from '../bridge/account-sender.ts'
import { getAmount } from '../bridge/deposit.ts'
import { nextAfterDeposit } from '../bridge/narrator.ts'
import { type BridgeNetwork, openNetwork } from '../bridge/open-network.ts'
import { NATIVE_DECIMALS, recipient } from '../bridge/transfer-options.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import { readRunningDevnet } from './ask-network.ts'
import { dataDirOption } from './options.ts'

const COIN = 10n ** 18n
/** Enough for a contract that records what it receives; unused gas of a deposit costs nothing on L2. */
const GAS_LIMIT = 100_000n
const POLL_MS = 500

export const fundCommand = defineCommand({
  name: 'devnet fund',
  summary: 'deposits an amount from L1 to an address on L2, and waits until it is there',
  usage: 'ADDRESS AMOUNT [--data-dir FOLDER]',
  explanation: `The amount, in whole coins as 1000 or 0.5, is created on L1, and comes to L2 as a deposit like any other: the chain can be derived from
L1, and a withdrawal is covered. That takes as long as a deposit, about 20 s.`,
  options: {
    dataDir: dataDirOption,
    timeoutMs: option({
      key: 'fund.timeout',
      flag: 'timeout',
      parse: parse.duration(1_000, 3_600_000),
      default: 300_000,
      description: 'How long to wait; the deposit continues without this command.',
    }),
  },
  takesArguments: true,
  checkArguments(words) {
    if (words.length !== 2)
      throw new AssemblyError('node/usage', `expected an address and an amount, as 0x1234... 100, got ${counted(words.length, 'word')}`)
    readRecipient(words[0] as string)
  },
  async run({ dataDir, timeoutMs }, { positional }) {
    const to = readRecipient(positional[0] as string)
    readRunningDevnet(dataDir)
    const network = await openNetwork({ network: null, devnet: dataDir, l1Rpc: null, l2Rpc: null, json: false })
    const amountWei = getAmount(positional[1] as string, NATIVE_DECIMALS, network.symbol, 'AMOUNT')
    assertDepositAmount(amountWei)
    const { hash, l1TxHash } = await deposit(network, to, amountWei)
    const receipt = await waitForReceipt(network, hash, timeoutMs)
    if (receipt === null)
      throw new AssemblyError('node/devnet', `L2 has not included it after ${timeoutMs / 1000} s: ${continues(l1TxHash)}`)
    const at = `transaction ${hash} in L2 block ${receipt.block.number}`
    if (!receipt.succeeded) {
      console.log(`${to} did not accept the amount: ${at} failed, and ${DEV_ROLES.faucet.address} holds it on L2`)
      return 1
    }
    const balance = formatAmount(await network.l2.balanceWei(to), NATIVE_DECIMALS)
    console.log(`${to} got ${formatAmount(amountWei, NATIVE_DECIMALS)} ${network.symbol} and has ${balance}: ${at}`)
    return 0
  },
})

async function deposit(network: BridgeNetwork, to: Address, amountWei: bigint): Promise<{ readonly hash: Hash; readonly l1TxHash: Hash }> {
  const { l1, contracts, config, clock, log } = network
  const sender = createAccountSender({
    chainName: 'L1',
    chain: l1,
    chainId: config.l1ChainId,
    key: new Secret(hexToBytes(DEV_ROLES.faucet.privateKey) as Bytes32),
    fees: { maxFee: { wei: COIN, option: 'this command' }, tipCap: { ...DEFAULT_TIP_CAP, option: 'this command' } },
    clock,
    log,
    onSent: (_purpose, hash) => sayIfInterrupted(continues(hash)),
  })
  const wantsWei = amountWei + COIN
  if ((await l1.balanceWei(sender.address)) < wantsWei) await l1.rpc.call('anvil_setBalance', [sender.address, formatQuantity(wantsWei)])
  const call = { to, valueWei: amountWei, data: new Uint8Array(0), gasLimit: GAS_LIMIT }
  const receipt = await sender.send(planPortalCall(contracts, call, amountWei))
  const [found] = depositsIn(receipt, contracts)
  if (found === undefined) throw new AssemblyError('node/devnet', `${receipt.transactionHash} made no deposit on L1: is the portal paused?`)
  return { hash: found.hash, l1TxHash: receipt.transactionHash }
}

function continues(l1TxHash: Hash): string {
  return `the deposit ${l1TxHash} continues without this command; ${nextAfterDeposit('deposit', l1TxHash)}`
}

async function waitForReceipt({ l2, clock }: BridgeNetwork, hash: Hash, timeoutMs: number): Promise<LoggedReceipt | null> {
  const untilMs = clock.nowMs() + timeoutMs
  while (clock.nowMs() < untilMs) {
    const receipt = await findLoggedReceipt(l2.rpc, hash)
    if (receipt !== null) return receipt
    await clock.sleep(POLL_MS)
  }
  return null
}

function readRecipient(text: string): Address {
  try {
    return recipient(text)
  } catch (error) {
    if (error instanceof parse.OptionValueError) throw new AssemblyError('node/usage', `ADDRESS: ${error.message}`)
    throw error
  }
}

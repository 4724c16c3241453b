import { depositsIn, type PlannedTransaction, whyFailedOnL1 } from '@keelson/apps/bridge'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import type { AccountSender } from './account-sender.ts'
import { type Narrator, nextAfterDeposit } from './narrator.ts'
import type { BridgeNetwork } from './open-network.ts'
import { waitForDeposit } from './wait-for-deposit.ts'

export interface DepositOutcome {
  readonly exitCode: number
  readonly document: Readonly<Record<string, unknown>>
}

const EXIT_FAILED = 1

export async function sendAndFollow(
  network: BridgeNetwork,
  sender: AccountSender,
  plan: readonly PlannedTransaction[],
  { wait, timeoutMs }: { readonly wait: boolean; readonly timeoutMs: number },
  narrator: Narrator,
): Promise<DepositOutcome> {
  const startedMs = network.clock.nowMs()
  let receipt: Awaited<ReturnType<AccountSender['send']>> | undefined
  for (const transaction of plan) {
    receipt = await sender.send(transaction)
    if (!receipt.succeeded) {
      const { transactionHash: l1TxHash, block } = receipt
      const text = await whyFailedOnL1(network.l1, receipt)
      narrator.say('failed', `the ${transaction.purpose} ${l1TxHash}: ${text}`)
      return { exitCode: EXIT_FAILED, document: { state: 'failed', l1TxHash, l1Block: block.number, text } }
    }
  }
  const l1TxHash = receipt?.transactionHash
  const deposit = receipt === undefined ? undefined : depositsIn(receipt, network.contracts)[0]
  if (receipt === undefined || l1TxHash === undefined || deposit === undefined) {
    narrator.say('failed', `${l1TxHash} made no deposit at the portal ${network.contracts.portal}`)
    return { exitCode: EXIT_FAILED, document: { state: 'failed', l1TxHash } }
  }
  const facts = { l1TxHash, l1Block: receipt.block.number, l2TxHash: deposit.hash }
  narrator.say('on L1', `in block ${receipt.block.number}; on L2 it will be ${deposit.hash}`)
  if (!wait) {
    narrator.say('', nextAfterDeposit('deposit', l1TxHash))
    return { exitCode: 0, document: { state: 'pending', ...facts, l2Block: null } }
  }
  sayIfInterrupted(`the deposit continues without this command; ${nextAfterDeposit('deposit', l1TxHash)}`)
  const end = await waitForDeposit(network, l1TxHash, timeoutMs, narrator)
  const seconds = Math.round((network.clock.nowMs() - startedMs) / 100) / 10
  if (end === null) {
    narrator.say('', `not complete after ${seconds} s; it continues without this command; ${nextAfterDeposit('deposit', l1TxHash)}`)
    return { exitCode: EXIT_FAILED, document: { state: 'pending', ...facts, seconds } }
  }
  if (end.state === 'complete') narrator.say('', `${seconds} s after it was begun`)
  return { exitCode: end.state === 'complete' ? 0 : EXIT_FAILED, document: { ...end, ...facts, seconds } }
}

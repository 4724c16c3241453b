import {
  BridgeError,
  type PlannedTransaction,
  readWithdrawalProgress,
  type WithdrawalProgress,
  type WithdrawalState,
} from '@keelson/apps/bridge'
import type { LoggedReceipt } from '@keelson/client'
import type { Hash } from '@keelson/primitives'
import { asCalled, type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import { type AccountSender, createAccountSender } from './account-sender.ts'
import { feeLimitsOf, feeOptions } from './fee-options.ts'
import { readKey } from './key-file.ts'
import { createNarrator, createProgress, type Narrator } from './narrator.ts'
import { type BridgeNetwork, openNetwork } from './open-network.ts'
import { chainOptions, keyOptions, timeoutOption } from './transfer-options.ts'

export const stepOptions = {
  wait: option({
    key: 'bridge.waitTurn',
    flag: 'wait',
    parse: parse.toggle,
    default: false,
    description: 'Wait until it is possible. Without it, the command says when that will be and ends with 1.',
  }),
  timeoutMs: timeoutOption,
  ...feeOptions,
  ...keyOptions,
  ...chainOptions,
} as const

export interface WithdrawalStep {
  readonly command: 'prove' | 'finalize'
  readonly due: WithdrawalState
  readonly done: readonly WithdrawalState[]
  plan(network: BridgeNetwork, progress: WithdrawalProgress): Promise<PlannedTransaction>
  /** Returns why the transaction had no effect on the withdrawal, or null. */
  findTrouble(receipt: LoggedReceipt, network: BridgeNetwork): string | null
}

const EXIT_NOT_DONE = 1
const POLL_MS = 1000

/** Throws AssemblyError `node/usage`. */
export function assertOneHash(command: string, positional: readonly string[]): Hash {
  const [hash, ...more] = positional
  const what = 'the hash of a transaction: 0x and 64 hex digits'
  if (hash === undefined || more.length > 0) throw new AssemblyError('node/usage', `${asCalled('bridge')} ${command} takes ${what}`)
  try {
    return parse.hash(hash)
  } catch {
    throw new AssemblyError('node/usage', `${asCalled('bridge')} ${command} takes ${what}, got "${hash.slice(0, 80)}"`)
  }
}

export async function runStep(
  step: WithdrawalStep,
  values: OptionValues<typeof stepOptions>,
  positional: readonly string[],
): Promise<number> {
  const hash = assertOneHash(step.command, positional)
  const narrator = createNarrator(values.json)
  const key = await readKey(values, narrator.warn)
  const network = await openNetwork(values)
  const { l1, config, clock, log } = network
  const sender = createAccountSender({
    chainName: 'L1',
    chain: l1,
    chainId: config.l1ChainId,
    key,
    fees: feeLimitsOf(values),
    clock,
    log,
    onSent: (purpose, sent) => narrator.sent('L1', purpose, sent, `see the withdrawal with: ${asCalled(`bridge status ${hash}`)}`),
  })
  const untilMs = clock.nowMs() + values.timeoutMs
  const count = (await lookUp(network, hash)).length
  const results: StepResult[] = []
  for (let i = 0; i < count; i++) {
    if (count > 1) narrator.say(`${i + 1} of ${count}`, 'withdrawals of this transaction')
    results.push(await takeStep(step, network, sender, hash, i, values.wait ? untilMs : 0, narrator))
  }
  const withdrawals = results.map(({ exitCode: _, ...document }) => document)
  narrator.end(count === 1 ? { l2TxHash: hash, ...withdrawals[0] } : { l2TxHash: hash, withdrawals })
  return Math.max(...results.map(({ exitCode }) => exitCode))
}

async function lookUp({ l1, l2, contracts }: BridgeNetwork, hash: Hash): Promise<readonly WithdrawalProgress[]> {
  const found = await readWithdrawalProgress(l1, l2, contracts, hash)
  if (found !== null) return found
  throw new BridgeError(
    'apps/bridge-unknown',
    `${l2.rpc.host} has no withdrawal in ${hash}: give the hash of the L2 transaction that ${asCalled('bridge withdraw')} printed`,
  )
}

interface StepResult {
  readonly exitCode: number
  readonly state: WithdrawalState
  readonly withdrawalHash: Hash | null
  readonly l1TxHash: Hash | null
  readonly nextStepInSec: number | null
  readonly text: string
}

async function takeStep(
  step: WithdrawalStep,
  network: BridgeNetwork,
  sender: AccountSender,
  hash: Hash,
  index: number,
  untilMs: number,
  narrator: Narrator,
): Promise<StepResult> {
  const now = async () => (await lookUp(network, hash))[index] as WithdrawalProgress
  let progress = await now()
  const tell = createProgress(narrator, network.clock)
  sayIfInterrupted(`the withdrawal waits as it is; continue with: ${asCalled(`bridge ${step.command} ${hash} --wait`)}`)
  while (progress.state !== step.due) {
    const isDone = step.done.includes(progress.state)
    tell(progress.state, progress.text)
    // Earlier states depend on other parties.
    if (isDone || progress.state === 'failed' || network.clock.nowMs() >= untilMs)
      return resultOf(progress, isDone ? 0 : EXIT_NOT_DONE, null)
    await network.clock.sleep(POLL_MS)
    progress = await now()
  }
  narrator.say(progress.state, progress.text)
  const receipt = await sender.send(await step.plan(network, progress))
  const trouble = receipt.succeeded ? step.findTrouble(receipt, network) : `the transaction failed on L1 in block ${receipt.block.number}`
  const after = await now()
  narrator.say(trouble === null ? after.state : 'failed', trouble ?? after.text)
  if (trouble === null && step.command === 'prove') narrator.say('', `next: ${asCalled(`bridge finalize ${hash} --wait`)}`)
  return resultOf(after, trouble === null ? 0 : EXIT_NOT_DONE, receipt.transactionHash, trouble)
}

function resultOf(
  { state, withdrawalHash, nextStepInSec, text }: WithdrawalProgress,
  exitCode: number,
  l1TxHash: Hash | null,
  trouble: string | null = null,
): StepResult {
  return { exitCode, state, withdrawalHash, l1TxHash, nextStepInSec, text: trouble ?? text }
}

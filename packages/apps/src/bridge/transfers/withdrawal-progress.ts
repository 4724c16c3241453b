/** specs: protocol/withdrawals.md */
import { findLoggedReceipt, isKnownTransaction } from '@keelson/client'
import {
  decodeBlockNumber,
  decodeBool,
  decodeL2Output,
  decodeProvenWithdrawal,
  decodeUint,
  encodeFailedMessages,
  encodeFinalizedWithdrawals,
  encodeGetL2Output,
  encodeGetL2OutputIndexAfter,
  encodeProvenWithdrawals,
  findWithdrawal,
  messageHash,
  OUTPUT_ORACLE_CALLS,
  PORTAL_PAUSED_CALL,
  type ProvenWithdrawal,
  type Withdrawal,
  withdrawalHash,
} from '@keelson/contracts'
import type { Address, Hash } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { BridgeError } from './bridge-error.ts'
import type { BridgeContracts, ChainReader } from './chains.ts'

/** viem's states, plus `failed`. */
export type WithdrawalState = 'failed' | 'waiting-to-prove' | 'ready-to-prove' | 'waiting-to-finalize' | 'ready-to-finalize' | 'finalized'

export interface WithdrawalProgress {
  readonly state: WithdrawalState
  readonly text: string
  readonly l2Block: number | null
  readonly withdrawalHash: Hash | null
  /** Seconds of L1 time; 0 when possible now, null when unknown. */
  readonly nextStepInSec: number | null
  readonly output: { readonly index: bigint; readonly l2Block: number; readonly outputRoot: Hash } | null
  readonly withdrawal: Withdrawal | null
}

/** Null without a withdrawal. Throws BridgeError `apps/bridge-unsupported`. */
export async function readWithdrawalProgress(
  l1: ChainReader,
  l2: ChainReader,
  contracts: BridgeContracts,
  l2TxHash: Hash,
): Promise<readonly WithdrawalProgress[] | null> {
  const receipt = await findLoggedReceipt(l2.rpc, l2TxHash)
  const nothing = { l2Block: null, withdrawalHash: null, nextStepInSec: null, output: null, withdrawal: null }
  if (receipt === null) {
    if (!(await isKnownTransaction(l2.rpc, l2TxHash))) return null
    return [{ ...nothing, state: 'waiting-to-prove', text: 'L2 has not included it yet' }]
  }
  const l2Block = receipt.block.number
  if (!receipt.succeeded) return [{ ...nothing, l2Block, state: 'failed', text: 'the transaction failed on L2: nothing was withdrawn' }]
  const withdrawals = receipt.logs.map(({ log }) => findWithdrawal(log)).filter((withdrawal) => withdrawal !== null)
  if (withdrawals.length === 0) return null
  return Promise.all(withdrawals.map((withdrawal) => progressOf(l1, l2, contracts, withdrawal, l2Block)))
}

/**
 * Call before a withdrawal begins, because its first step cannot be undone. Throws BridgeError `apps/bridge-unsupported` without
 * an L2OutputOracle.
 */
export function requireOutputOracle({ outputOracle }: Pick<BridgeContracts, 'outputOracle'>): Address {
  if (outputOracle !== null) return outputOracle
  throw new BridgeError(
    'apps/bridge-unsupported',
    'addresses.json names no L2OutputOracle: this network proves withdrawals by dispute games, which these commands do not support; use its own tools',
  )
}

async function progressOf(
  l1: ChainReader,
  l2: ChainReader,
  contracts: BridgeContracts,
  withdrawal: Withdrawal,
  l2Block: number,
): Promise<WithdrawalProgress> {
  const oracle = requireOutputOracle(contracts)
  const hash = withdrawalHash(withdrawal)
  const base = { l2Block, withdrawalHash: hash, withdrawal, nextStepInSec: 0, output: null }
  if (decodeBool(await l1.call(contracts.portal, encodeFinalizedWithdrawals(hash)))) {
    return { ...base, state: 'finalized', nextStepInSec: null, text: await describeFinalized(l1, contracts, withdrawal) }
  }
  const note = decodeBool(await l1.call(contracts.portal, PORTAL_PAUSED_CALL))
    ? '; the portal is paused by its guardian: wait until it is unpaused'
    : ''
  const proven = decodeProvenWithdrawal(await l1.call(contracts.portal, encodeProvenWithdrawals(hash)))
  if (proven !== null) {
    const standing = await findProvenOutput(l1, oracle, proven)
    if (standing !== null)
      return { ...base, ...(await waitToFinalize(l1, oracle, Math.max(proven.timestampSec, standing.timestampSec), note)) }
  }
  const again = proven === null ? '' : ' again: the output of its proof was deleted'
  const output = await findOutput(l1, oracle, l2Block)
  if (output === null) return { ...base, ...(await waitForOutput(l1, l2, oracle, l2Block, again)) }
  const text = `can be proven${again} now, against output ${output.index} for L2 block ${output.l2Block}: ${asCalled('bridge prove')}${note}`
  return { ...base, state: 'ready-to-prove', output, text }
}

async function describeFinalized(l1: ChainReader, { messenger }: BridgeContracts, withdrawal: Withdrawal): Promise<string> {
  if (withdrawal.target !== messenger) return 'paid out on L1'
  const failed = decodeBool(await l1.call(messenger, encodeFailedMessages(messageHash(withdrawal.data))))
  return failed ? `finalized, but its message failed on L1: anyone may call relayMessage of ${messenger} with it again` : 'paid out on L1'
}

async function findProvenOutput(l1: ChainReader, oracle: Address, proven: ProvenWithdrawal) {
  const answer = await l1.tryCall(oracle, encodeGetL2Output(proven.outputIndex))
  const output = answer === null ? null : decodeL2Output(answer)
  return output?.outputRoot === proven.outputRoot ? output : null
}

async function waitToFinalize(l1: ChainReader, oracle: Address, sinceSec: number, note: string) {
  const periodSec = Number(decodeUint(await l1.call(oracle, OUTPUT_ORACLE_CALLS.finalizationPeriodSeconds)))
  const head = await l1.blockRef('latest')
  // The portal requires strictly more than the period.
  const leftSec = sinceSec + periodSec + 1 - (head?.timestampSec ?? 0)
  if (leftSec <= 0) return { state: 'ready-to-finalize' as const, text: `can be finalized now: ${asCalled('bridge finalize')}${note}` }
  const text = `proven; can be finalized in ${leftSec} s of L1 time, when the ${periodSec} s to challenge the output are over${note}`
  return { state: 'waiting-to-finalize' as const, nextStepInSec: leftSec, text }
}

async function findOutput(l1: ChainReader, oracle: Address, l2Block: number): Promise<WithdrawalProgress['output']> {
  const count = decodeUint(await l1.call(oracle, OUTPUT_ORACLE_CALLS.nextOutputIndex))
  const latest = decodeBlockNumber(await l1.call(oracle, OUTPUT_ORACLE_CALLS.latestBlockNumber))
  if (count === 0n || latest < l2Block) return null
  const index = decodeUint(await l1.call(oracle, encodeGetL2OutputIndexAfter(BigInt(l2Block))))
  const { outputRoot, l2BlockNumber } = decodeL2Output(await l1.call(oracle, encodeGetL2Output(index)))
  return { index, l2Block: l2BlockNumber, outputRoot }
}

async function waitForOutput(l1: ChainReader, l2: ChainReader, oracle: Address, l2Block: number, again: string) {
  const next = decodeBlockNumber(await l1.call(oracle, OUTPUT_ORACLE_CALLS.nextBlockNumber))
  const interval = Number(decodeUint(await l1.call(oracle, OUTPUT_ORACLE_CALLS.submissionInterval)))
  const covering = next >= l2Block ? next : next + Math.ceil((l2Block - next) / interval) * interval
  const [finalized, latest, before] = await Promise.all([
    l2.blockRef('finalized'),
    l2.blockRef('latest'),
    l2.blockRef(Math.max(l2Block - 1, 0)),
  ])
  const at = await l2.blockRef(l2Block)
  const blockTimeSec = at === null || before === null ? 2 : Math.max(at.timestampSec - before.timestampSec, 1)
  const leftSec = Math.max(0, covering - (finalized?.number ?? 0)) * blockTimeSec
  const text =
    `waits to be proven${again}: the first output that covers L2 block ${l2Block} is the one for block ${covering}, proposed once that is final ` +
    `(L2 is at ${latest?.number ?? '?'}, final ${finalized?.number ?? 0}; about ${leftSec} s)`
  return { state: 'waiting-to-prove' as const, nextStepInSec: leftSec, text }
}

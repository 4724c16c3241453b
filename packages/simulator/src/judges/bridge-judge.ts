/** No deposit is lost or credited twice, and no withdrawal is paid twice or without having been made on L2. */
import { findTransactionDeposited, findWithdrawal, findWithdrawalFinalized, withdrawalHash } from '@keelson/contracts'
import { decodeDepositLog, l1InfoOf } from '@keelson/derivation'
import { type Block, type Hash, isDeposit, keccak256Hash, type Log, l2Time } from '@keelson/primitives'
import type { L1Block } from '../l1/l1-block.ts'
import { accountOf } from '../l1/l1-state.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { RunningNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

const MINUTE_MS = 60_000
/** Credit, a proposal every ten minutes of a block that is final, proof, two minutes of waiting, and a third more. */
const JOURNEY_MS = 60 * MINUTE_MS

interface Bridged {
  readonly simulation: { readonly startMs: number; readonly nowMs: number }
  readonly lastFaultMs: number
  readonly bridgeUsers: { readonly completed: number }
}

export interface BridgeRecord {
  /** Deposits that L2 must have, those of upgrades included, by their L2 hash. */
  readonly due: readonly Hash[]
  /** Deposits in L2's blocks. */
  readonly credited: readonly Hash[]
  /** Withdrawals in L2's blocks, with their value in wei. */
  readonly withdrawn: ReadonlyMap<Hash, bigint>
  readonly finalized: readonly { readonly withdrawalHash: Hash; readonly succeeded: boolean }[]
  readonly depositedWei: bigint
  readonly portalWei: bigint
}

export function judgeBridgeRecord(record: BridgeRecord, report: ReportViolation): void {
  const { due, credited, withdrawn, finalized, depositedWei, portalWei } = record
  const times = (all: readonly Hash[], one: Hash) => all.filter((hash) => hash === one).length
  for (const hash of new Set([...due, ...credited])) {
    const [expected, found] = [times(due, hash), times(credited, hash)]
    if (found !== expected) report('every deposit is credited once', `${hash} is ${found} times on L2 and ${expected} times due`)
  }
  let paidWei = 0n
  const paid = new Set<Hash>()
  for (const { withdrawalHash: hash, succeeded } of finalized) {
    const valueWei = withdrawn.get(hash)
    if (valueWei === undefined) report('what is paid was withdrawn', `${hash} was finalized on L1 and is not on L2`)
    if (paid.has(hash)) report('nobody is paid twice', `withdrawal ${hash}`)
    paid.add(hash)
    if (succeeded) paidWei += valueWei ?? 0n
  }
  if (portalWei === depositedWei - paidWei) return
  report('the portal holds what was deposited and not paid', `${portalWei} wei instead of ${depositedWei} less ${paidWei}`)
}

/** Without faults, users get their money back on L1: a withdrawal waits for its block to be proposed, which waits for finality. */
export function judgeJourneys({ simulation, lastFaultMs, bridgeUsers }: Bridged, report: ReportViolation): void {
  const isQuiet = lastFaultMs === simulation.startMs
  const lastedMs = simulation.nowMs - simulation.startMs
  if (!isQuiet || lastedMs < JOURNEY_MS || bridgeUsers.completed > 0) return
  report('transfers over the bridge come to an end', `none of them in ${Math.round(lastedMs / MINUTE_MS)} minutes without faults`)
}

/** Reads all of L1, and all of L2 up to the safe head of the first node. */
export function judgeBridge(world: RollupWorld, report: ReportViolation): void {
  const running = world.sequencer?.running ?? null
  if (running !== null) judgeBridgeRecord(readRecord(world, running), report)
}

function readRecord({ l1, rollup }: RollupWorld, { execution, consensus }: RunningNode): BridgeRecord {
  const portal = rollup.addresses.OptimismPortal
  const { chain } = execution
  const credited: Hash[] = []
  const withdrawn = new Map<Hash, bigint>()
  const due: Hash[] = []
  let originNumber = 0
  let parentSec = rollup.config.genesis.l2TimestampSec
  for (let number = 1; number <= (consensus.driver.heads?.safe.number ?? 0); number++) {
    const hash = chain.canonicalHash(number) as Hash
    const block = chain.block(hash) as Block
    const [first, ...others] = block.transactions
    const { timestampSec } = block.header
    due.push(...upgradesIn(rollup, parentSec, timestampSec))
    parentSec = timestampSec
    originNumber = l1InfoOf(first).number
    credited.push(...others.filter(isDeposit).map((tx) => tx.hash))
    for (const { receipt } of chain.receipts(hash) ?? []) {
      for (const withdrawal of receipt.logs.map(findWithdrawal)) {
        if (withdrawal !== null) withdrawn.set(withdrawalHash(withdrawal), withdrawal.valueWei)
      }
    }
  }
  const finalized: { withdrawalHash: Hash; succeeded: boolean }[] = []
  for (let number = 1; number <= l1.head.header.number; number++) {
    const block = l1.block(number) as L1Block
    for (const [index, log] of logsOf(block).entries()) {
      if (log.address !== portal) continue
      if (number <= originNumber && findTransactionDeposited(log) !== null) due.push(decodeDepositLog(log, block.hash, index).hash)
      const finalization = findWithdrawalFinalized(log)
      if (finalization !== null) finalized.push(finalization)
    }
  }
  const { state } = l1.head
  return { due, credited, withdrawn, finalized, depositedWei: state.depositedWei, portalWei: accountOf(state, portal).balanceWei }
}

/** A fork's own deposits, in its first block. */
function upgradesIn({ config: { forks } }: RollupNetwork, parentSec: number, blockSec: number): readonly Hash[] {
  return forks.transition(l2Time(parentSec), l2Time(blockSec)).upgradeTransactions.map((raw) => keccak256Hash(raw))
}

function logsOf({ receipts }: L1Block): readonly Log[] {
  return receipts.flatMap(({ logs }) => [...logs])
}

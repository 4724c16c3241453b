/** The faucet pays nobody twice, pays what it promised, and its ledger is what is on the chain. */
import type { Claim } from '@keelson/apps/faucet/backend'
import { type Address, bytesToHex, type Hash, isSigned } from '@keelson/primitives'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { ReportViolation } from './violation.ts'

export interface FaucetRecord {
  /** The claims on the faucet's disk. */
  readonly claims: readonly Pick<Claim, 'id' | 'address' | 'state' | 'attempts' | 'amountWei' | 'atMs'>[]
  /** Transfers to those who asked, in the order of the chain. */
  readonly payments: readonly { readonly hash: Hash; readonly to: Address; readonly valueWei: bigint }[]
  readonly promised: ReadonlyMap<Address, Hash | 'under way'>
  /** Claims that are older must be settled. */
  readonly settledBeforeMs: number
}

/** Everybody asks for one account and within one day, so that one payment is due at most. */
export function judgeFaucetRecord({ claims, payments, promised, settledBeforeMs }: FaucetRecord, report: ReportViolation): void {
  const paid = new Map<Address, Hash>()
  for (const { hash, to } of payments) {
    if (paid.has(to)) report('the faucet pays nobody twice', `${to} by ${paid.get(to)} and ${hash}`)
    paid.set(to, hash)
  }
  for (const [address, promise] of promised) {
    if (!paid.has(address)) report('the faucet pays what it promised', `${address} was not paid: ${promise}`)
  }
  const onChain = new Map(payments.map((payment) => [payment.hash, payment]))
  const recorded = new Set<Hash>()
  for (const { id, address, state, attempts, amountWei, atMs } of claims) {
    const mined = attempts.filter((hash) => onChain.has(hash))
    for (const hash of mined) recorded.add(hash)
    const rule = "the faucet's ledger is the chain"
    const isPaid = state === 'paid' || state === 'reverted'
    if (isPaid && mined.length !== 1)
      report(rule, `claim ${id} of ${address} is ${state}, and ${mined.length} of its payments are on the chain`)
    if (state === 'failed' && mined.length > 0) report(rule, `claim ${id} of ${address} failed, and ${mined[0]} paid it`)
    if (!isPaid && state !== 'failed' && atMs < settledBeforeMs) report(rule, `claim ${id} of ${address} is ${state} since ${atMs}`)
    for (const hash of mined) {
      const { to, valueWei } = onChain.get(hash) as FaucetRecord['payments'][number]
      if (to !== address || valueWei !== amountWei) report(rule, `${hash} pays ${valueWei} wei to ${to} for the claim of ${address}`)
    }
  }
  for (const { hash, to } of payments) {
    if (!recorded.has(hash)) report("the faucet's ledger is the chain", `no claim knows ${hash}, which paid ${to}`)
  }
}

/** After a claim, this time covers its confirmations. */
const SETTLING_MS = 3 * 60_000

/** Reads all of L2 up to the head of a sequencer. */
export function judgeFaucet({ sequencer, apps, simulation }: RollupWorld, report: ReportViolation): void {
  const running = sequencer?.running ?? null
  const faucet = apps.faucet.role
  if (running === null) return
  if (faucet === null) {
    report('every role runs after a recovery', 'the faucet is down')
    return
  }
  const { chain } = running.execution
  const recipients = new Set(apps.faucetUsers.recipients)
  const payments: FaucetRecord['payments'][number][] = []
  for (let number = 1; number <= chain.label('unsafe').header.number; number++) {
    const block = chain.block(chain.canonicalHash(number) as Hash)
    for (const { hash, to, valueWei } of (block?.transactions ?? []).filter(isSigned)) {
      const address = to === null ? null : (bytesToHex(to) as Address)
      if (address !== null && recipients.has(address)) payments.push({ hash, to: address, valueWei })
    }
  }
  const claims = [...faucet.backend.records.all()]
  const { promised } = apps.faucetUsers
  judgeFaucetRecord({ claims, payments, promised, settledBeforeMs: simulation.nowMs - SETTLING_MS }, report)
}

import { describeWrongChecksum, hasWrongChecksum, isHex, toAddress, toChecksumAddress } from '@keelson/primitives'
import type { ClaimRecords } from './claims/claim-records.ts'
import { FaucetError } from './faucet-error.ts'
import type { TierRecords } from './tiers/tier-records.ts'

export const FAUCET_TASKS = ['grant', 'revoke', 'applications', 'status'] as const
export type FaucetTask = (typeof FAUCET_TASKS)[number]

export interface FaucetTaskContext {
  readonly records: ClaimRecords
  readonly tiers: TierRecords
  readonly nowMs: number
  readonly live: FaucetLive | null
}

export interface FaucetLive {
  readonly account: string
  readonly balanceWei: string | null
  readonly waiting: number
  readonly inFlight: number
  readonly spent: number
  readonly budget: number
  readonly trouble: string | null
}

/** Throws FaucetError `apps/faucet-task`. */
export async function runFaucetTask(task: string, params: Readonly<Record<string, unknown>>, context: FaucetTaskContext): Promise<unknown> {
  const { records, tiers, nowMs, live } = context
  switch (task) {
    case 'grant': {
      const address = addressOf(params)
      const isNew = await tiers.grant(address, nowMs)
      return { address: toChecksumAddress(address), tier: 'developer', changed: isNew }
    }
    case 'revoke': {
      const address = addressOf(params)
      const taken = await tiers.revoke(address)
      return { address: toChecksumAddress(address), tier: 'anonymous', taken, changed: taken.length > 0 }
    }
    case 'applications': {
      const applications = tiers.applications(nowMs)
      await tiers.markSeen(nowMs)
      return {
        applications: applications.map(({ address, contact, project, atMs, subscriber }) => ({
          address: toChecksumAddress(address),
          contact,
          project,
          appliedAt: new Date(atMs).toISOString(),
          network: subscriber,
        })),
      }
    }
    case 'status':
      return {
        running: live !== null,
        ...live,
        claims: countStates(records),
        verified: tiers.linkCount,
        developers: tiers.grants().map(({ address }) => toChecksumAddress(address)),
        applications: tiers.applications(nowMs).length,
      }
    default:
      throw new FaucetError('apps/faucet-task', `unknown task "${task}"; expected one of ${FAUCET_TASKS.join(', ')}`)
  }
}

function addressOf({ address }: Readonly<Record<string, unknown>>) {
  if (typeof address !== 'string' || !isHex(address, 20)) {
    throw new FaucetError('apps/faucet-task', `expected an address (0x and 40 hex digits), got ${String(address).slice(0, 60)}`)
  }
  if (hasWrongChecksum(address)) throw new FaucetError('apps/faucet-task', describeWrongChecksum(address))
  return toAddress(address)
}

function countStates(records: ClaimRecords): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { reserved: 0, sent: 0, unsure: 0, paid: 0, reverted: 0, failed: 0 }
  for (const { state } of records.all()) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

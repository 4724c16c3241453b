import { counted } from '@keelson/primitives'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'
import { type Answer, troubleOf } from '../probe.ts'
import { OTHER_NETWORK } from './genesis.ts'
import { hostOf } from './l1.ts'

interface HealthJson {
  readonly ready?: boolean
  readonly checks?: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

export const readinessCheck: DoctorCheck = {
  name: 'readiness',
  settles: () => true,
  async run(context) {
    if (context.otherNetwork) return skip('readiness', OTHER_NETWORK)
    return (await Promise.all(context.settings.health.map((url) => judgeHealth(url, context)))).flat()
  },
}

async function judgeHealth(url: string, { probe }: DoctorContext): Promise<readonly Result[]> {
  const answer = await probe.get(url, '/healthz')
  const host = hostOf(url)
  const bad = failingChecks(answer)
  if (bad === null) return [skip(`no node has its health port at ${host}`, 'it does not run, or on another --metrics.port')]
  if (bad.length === 0)
    return [
      ok(
        `the node at ${host} is ready: ${reportOf(answer)
          ?.map(({ name }) => name)
          .join(', ')}`,
      ),
    ]
  return bad.map(({ name, why, todo }) => fail(`the node at ${host} is not ready`, `${name}: ${why}`, todo))
}

export interface FailingCheck {
  readonly name: string
  readonly why: string
  readonly todo: string
}

/** Reads the response of /healthz; null when it is no report. */
export function failingChecks(answer: Answer): readonly FailingCheck[] | null {
  const bad = reportOf(answer)?.filter((check) => !check.ok)
  if (bad === undefined) return null
  return bad.map(({ name, text }) => {
    const [why = text, ...todo] = text.split('; ')
    return { name, why, todo: todo.join('; ') || 'see its log' }
  })
}

/** An unready node sends the report with status 503. */
function reportOf(answer: Answer): HealthJson['checks'] {
  return answer.kind === 'result' || answer.kind === 'http-error' ? (answer.value as HealthJson | null)?.checks : undefined
}

/** Five minutes of 12-second L1 blocks; a working batcher posts sooner. */
const MAX_SAFE_AGE_L1_BLOCKS = 25
const MAX_LAG_L1_BLOCKS = 10
const METHOD_NOT_FOUND = -32601
const NOT_OURS = 'another program has the port (see ports): stop it, or name the port of the consensus client with --rpc.port'
const DERIVE = 'derivation is behind: wait while it catches up; if it does not move, see the log of the consensus client'
const NO_BATCHES =
  'derivation has read all of L1, so no batches come: look at the batcher (stopped by an operator, out of funds, without L1?), at its /readyz'

interface RefJson {
  readonly number?: number
  readonly timestamp?: number
  readonly l1origin?: { readonly number?: number }
}

export type SyncStatusJson = Readonly<Record<string, RefJson | undefined>>

export interface HeadsVerdict {
  readonly text: string
  readonly trouble: { readonly why: string; readonly todo: string } | null
}

export const headsCheck: DoctorCheck = {
  name: 'heads',
  settles: () => true,
  async run({ probe, settings, machine, otherNetwork }) {
    if (otherNetwork) return skip('heads', OTHER_NETWORK)
    const answer = await probe.call(settings.rollupRpc, 'optimism_syncStatus', [])
    if (answer.kind === 'unreachable') return skip('heads', 'no consensus client runs')
    const host = hostOf(settings.rollupRpc)
    if (answer.kind === 'http-error' || (answer.kind === 'rpc-error' && answer.number === METHOD_NOT_FOUND))
      return warn(`what answers at ${host} is no consensus client`, troubleOf(answer), NOT_OURS)
    if (answer.kind !== 'result') return skip('heads', `the consensus client does not say, it may be starting: ${troubleOf(answer)}`)
    const status = answer.value as SyncStatusJson | null
    if (status?.unsafe_l2 === undefined) return warn(`what answers at ${host} is no consensus client`, 'it shows no heads', NOT_OURS)
    const { text, trouble } = judgeHeads(status, Math.floor((machine.nowMs() + settings.clockOffsetMs) / 1000))
    return trouble === null ? ok(text) : warn(text, trouble.why, trouble.todo)
  },
}

export function judgeHeads(status: SyncStatusJson, nowSec: number): HeadsVerdict {
  const head = (name: string) => {
    const ref = status[`${name}_l2`]
    return ref?.number === undefined || ref.number === 0 ? `${name} 0` : `${name} ${ref.number} (${nowSec - (ref.timestamp ?? nowSec)} s)`
  }
  const lag = (status.head_l1?.number ?? 0) - (status.current_l1?.number ?? 0)
  const text = `${['unsafe', 'safe', 'finalized'].map(head).join(', ')}; derivation is ${counted(lag, 'L1 block')} behind L1`
  const oldL1Blocks = (status.head_l1?.number ?? 0) - (status.safe_l2?.l1origin?.number ?? status.head_l1?.number ?? 0)
  if (oldL1Blocks <= MAX_SAFE_AGE_L1_BLOCKS) return { text, trouble: null }
  const why = `the safe head is ${oldL1Blocks} L1 blocks old, more than ${MAX_SAFE_AGE_L1_BLOCKS}`
  return { text, trouble: { why, todo: lag > MAX_LAG_L1_BLOCKS ? DERIVE : NO_BATCHES } }
}

/** What a running node says of itself, in its own words, and how old its heads are. */
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip } from '../finding.ts'
import { hostOf } from './l1.ts'

interface HealthJson {
  readonly ready?: boolean
  readonly checks?: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

export const readinessCheck: DoctorCheck = {
  name: 'readiness',
  async run(context) {
    return (await Promise.all(context.settings.health.map((url) => judgeHealth(url, context)))).flat()
  },
}

async function judgeHealth(url: string, { probe }: DoctorContext): Promise<readonly Result[]> {
  const answer = await probe.get(url, '/healthz')
  // not ready is 503, with the same report
  const report = (answer.kind === 'result' || answer.kind === 'http-error' ? answer.value : null) as HealthJson | null
  const host = hostOf(url)
  if (report?.checks === undefined) return [skip(`no node has its health port at ${host}`, 'it does not run, or on another --metrics.port')]
  const bad = report.checks.filter((check) => !check.ok)
  if (bad.length === 0) return [ok(`the node at ${host} is ready: ${report.checks.map(({ name }) => name).join(', ')}`)]
  return bad.map(({ name, text }) => {
    const [why = text, ...todo] = text.split('; ')
    return fail(`the node at ${host} is not ready`, `${name}: ${why}`, todo.join('; ') || 'see its log')
  })
}

interface RefJson {
  readonly number?: number
  readonly timestamp?: number
}

export const headsCheck: DoctorCheck = {
  name: 'heads',
  async run({ probe, settings, machine }) {
    const answer = await probe.call(settings.rollupRpc, 'optimism_syncStatus', [])
    if (answer.kind === 'unreachable') return skip('heads', 'no consensus client runs')
    if (answer.kind !== 'result') return skip('heads', 'the consensus client does not say: it may be starting')
    const status = answer.value as Readonly<Record<string, RefJson | undefined>>
    const nowSec = Math.floor((machine.nowMs() + settings.clockOffsetMs) / 1000)
    const head = (name: string) => {
      const ref = status[`${name}_l2`]
      return ref?.number === undefined || ref.number === 0 ? `${name} 0` : `${name} ${ref.number} (${nowSec - (ref.timestamp ?? nowSec)} s)`
    }
    const lag = (status.head_l1?.number ?? 0) - (status.current_l1?.number ?? 0)
    return ok(`${['unsafe', 'safe', 'finalized'].map(head).join(', ')}; derivation is ${lag} L1 blocks behind L1`)
  },
}

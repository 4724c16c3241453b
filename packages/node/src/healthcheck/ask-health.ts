import { messageOf } from '@keelson/primitives'
import { createHttpClient } from '@keelson/runtime'
import type { HealthTarget } from './find-target.ts'

export interface Health {
  readonly alive: boolean
  readonly ready: boolean
  readonly text: string
}

const MAX_ANSWER_BYTES = 1024 * 1024

/** Never rejects. */
export async function askHealth(target: HealthTarget, timeoutMs: number): Promise<Health> {
  try {
    if (target.kind === 'network') {
      // Loaded on demand: both have many dependencies.
      const [{ networkStatus }, { operatorSecretPath }] = await Promise.all([
        import('@keelson/devnet/status'),
        import('@keelson/conductor'),
      ])
      const { running, ready, text } = await networkStatus(target.folder, operatorSecretPath)
      return { alive: running, ready, text }
    }
    const { status, body } = await get(target.url, timeoutMs)
    if (target.kind === 'report') return readReport(body)
    return status === 200
      ? { alive: true, ready: true, text: 'ready' }
      : { alive: true, ready: false, text: `${target.url} answers ${status}, expected 200` }
  } catch (error) {
    return { alive: false, ready: false, text: messageOf(error) }
  }
}

async function get(url: string, timeoutMs: number) {
  const http = createHttpClient()
  try {
    return await http.send({ url, method: 'GET', timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES })
  } finally {
    http.close()
  }
}

function readReport(body: Uint8Array): Health {
  const report = JSON.parse(new TextDecoder().decode(body)) as {
    readonly ready: boolean
    readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
  }
  const bad = report.checks.filter(({ ok }) => !ok).map(({ name, text }) => `${name}: ${text}`)
  return { alive: true, ready: report.ready, text: bad.length === 0 ? 'ready' : `not ready: ${bad.join('; ')}` }
}

/** What a role says of itself on its health port. */
import type { HttpClient } from '@keelson/runtime'
import type { CheckReport, Problem, RoleReport } from '../../shared/network-document.ts'
import { getJson } from './fetch-json.ts'
import type { NamedUrl } from './read-node.ts'

interface HealthJson {
  readonly ready: boolean
  readonly checks: readonly CheckReport[]
}

const MAX_CHECKS = 32

export async function readRole(http: HttpClient, { name, url }: NamedUrl, signal: AbortSignal): Promise<RoleReport> {
  const answer = await getJson(http, `${url.replace(/\/+$/, '')}/healthz`, signal)
  if (!answer.ok) return { name, ready: false, trouble: answer.trouble, checks: [] }
  const report = answer.value as HealthJson | null
  if (!Array.isArray(report?.checks)) return { name, ready: false, trouble: 'what answers there has no health report', checks: [] }
  return { name, ready: report.ready === true, trouble: null, checks: report.checks.slice(0, MAX_CHECKS) }
}

/** A failing check's text is "reason; remedy". Checks of one role that fail for one reason are one problem. */
export function problemsOf(role: RoleReport, sinceMs: number): readonly Problem[] {
  if (role.trouble !== null) return [{ role: role.name, check: 'answers', what: role.trouble, todo: 'see its log', sinceMs }]
  const problems = role.checks.filter(({ ok }) => !ok).map((check) => problemOf(role.name, check))
  return problems.filter(({ what }, i) => problems.findIndex((other) => other.what === what) === i)
}

function problemOf(role: string, { name, text, sinceMs }: CheckReport): Problem {
  const [what = text, ...todo] = text.split('; ')
  return { role, check: name, what, todo: todo.length === 0 ? null : todo.join('; '), sinceMs }
}

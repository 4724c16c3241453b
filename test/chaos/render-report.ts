import { ROLE_NAMES } from '../support/role-probes.ts'
import type { Check } from './checks.ts'
import type { LogWatch } from './log-watch.ts'
import type { Outages } from './outages.ts'
import type { RoleKiller } from './role-killer.ts'

const L1_REORG = 'l1-reorg'

const seconds = (ms: number | undefined) => (ms === undefined || ms === 0 ? '-' : (ms / 1000).toFixed(1))

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

export function renderRoles({ counts, reorgs }: RoleKiller, outages: Outages, logs: LogWatch['counts']): string {
  const rows = [
    ['role', 'kills', 'stops', 'pauses', 'restart s: median', 'max', 'unsafe still s', 'safe still s', 'errors', 'warnings', 'resets'],
    ...ROLE_NAMES.map((role) => {
      const { kills, stops, pauses, restartMs } = counts[role]
      const log = logs[role]
      return [
        ...[role, kills, stops, pauses].map(String),
        ...[median(restartMs), Math.max(0, ...restartMs), outages.longest(role, 'unsafe'), outages.longest(role, 'safe')].map(seconds),
        ...[log?.errors ?? 0, log?.warnings ?? 0, log?.resets ?? 0].map(String),
      ]
    }),
    [`L1 reorgs: ${reorgs}`, '', '', '', '', '', seconds(outages.longest(L1_REORG, 'unsafe')), seconds(outages.longest(L1_REORG, 'safe'))],
    ['longest', '', '', '', '', '', seconds(outages.overall('unsafe')), seconds(outages.overall('safe'))],
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function renderChecks(checks: readonly Check[]): string {
  const lines = checks.map(({ name, violations, detail }) => {
    const head = `${violations.length === 0 ? 'passed' : 'FAILED'}  ${name}${detail === '' ? '' : ` (${detail})`}`
    return [head, ...violations.map((text) => `        ${text.replaceAll('\n', '\n        ')}`)].join('\n')
  })
  const failed = checks.filter(({ violations }) => violations.length > 0).length
  return [...lines, '', `${checks.length - failed} passed, ${failed} failed`].join('\n')
}

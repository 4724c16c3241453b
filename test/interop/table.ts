import type { RowReport } from './row.ts'

const REASON_CHARACTERS = 600

export function renderTable(reports: readonly RowReport[]): string {
  const cells = [
    ['preset', 'row', 'result', 'seconds'],
    ...reports.map(({ what, preset, result, seconds }) => [preset, what, result, result === 'not run' ? '-' : seconds.toFixed(1)]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const count = (result: string) => reports.filter((report) => report.result === result).length
  return [
    ...cells.map(line),
    ...section('not run, and why', reports, 'not run'),
    ...section('failed, and why', reports, 'failed'),
    '',
    ...(count('not run') === 0 ? [] : [`${count('not run')} not run`]),
    `${count('passed')} passed, ${count('failed')} failed`,
  ].join('\n')
}

function section(title: string, reports: readonly RowReport[], result: RowReport['result']): readonly string[] {
  const byReason = new Map<string, string[]>()
  for (const report of reports) {
    if (report.result !== result) continue
    const reason = (report.reason ?? 'no reason given').slice(0, REASON_CHARACTERS)
    byReason.set(reason, [...(byReason.get(reason) ?? []), `${report.preset}: ${report.what}`])
  }
  if (byReason.size === 0) return []
  return ['', `${title}:`, ...[...byReason].flatMap(([reason, rows]) => [`  ${reason}`, ...rows.map((row) => `    ${row}`)])]
}

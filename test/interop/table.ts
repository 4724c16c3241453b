/** The table a run ends with. */
import type { RowReport } from './row.ts'

export function renderTable(reports: readonly RowReport[]): string {
  const cells = [
    ['row', 'preset', 'result', 'seconds'],
    ...reports.map(({ what, preset, result, seconds }) => [
      what,
      preset,
      result,
      result === 'passed' || result === 'failed' ? seconds.toFixed(1) : '-',
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const count = (result: string) => reports.filter((report) => report.result === result).length
  const notRun = reports.filter(({ result }) => result.startsWith('not run')).length
  return [...lines, '', ...(notRun === 0 ? [] : [`${notRun} not run`]), `${count('passed')} passed, ${count('failed')} failed`].join('\n')
}

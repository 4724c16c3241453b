import type { GroupResult, Tally } from './tally.ts'

export function printResults({ results, slowCases, unusedEntries, unlistedNames }: Tally, print: (line: string) => void): void {
  const isAbsent = ({ cases, failed }: GroupResult) => (cases ?? 0) === 0 && failed === 0
  printTable(
    results.filter((result) => !isAbsent(result)),
    print,
  )
  const absent = results.filter((result) => isAbsent(result) && result.cases !== null).map(({ name }) => name)
  if (absent.length > 0) print(`\nnot in this folder: ${absent.join(', ')}`)
  for (const { name, leftOut } of results) for (const { cases, reason } of leftOut) print(`\n${name}: ${cases} cases left out: ${reason}`)
  if (unusedEntries > 0) print(`\n${unusedEntries} entries of known-failures.json name no case of this folder`)
  if (unlistedNames.size > 0) {
    print(`\njudged by the verdict alone, because refusals.ts has no entry for: ${[...unlistedNames].sort().join(', ')}`)
  }
  if (slowCases.length > 0) print('\nslowest, in seconds')
  for (const { name, elapsedMs } of slowCases) print(`${seconds(elapsedMs)}  ${name}`)
  const total = (count: 'passed' | 'failed' | 'known') => results.reduce((sum, result) => sum + result[count], 0)
  print(`\n${total('passed')} passed, ${total('failed')} failed, ${total('known')} known`)
}

function printTable(results: readonly GroupResult[], print: (line: string) => void): void {
  const width = Math.max(...results.map((r) => r.name.length), 5)
  print(`\n${'group'.padEnd(width)}  passed  failed  known  seconds`)
  for (const { name, passed, failed, known, elapsedMs } of results) {
    const cells = [String(passed).padStart(6), String(failed).padStart(6), String(known).padStart(5), seconds(elapsedMs)]
    print(`${name.padEnd(width)}  ${cells.join('  ')}`)
  }
}

function seconds(elapsedMs: number): string {
  return (elapsedMs / 1000).toFixed(1).padStart(7)
}

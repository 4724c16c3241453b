/**
 * The conformance runner: cases written by others decide, a known failure is listed with its reason
 * and the list may only shrink. `npm run test:conformance -- --vectors DIR [--group G] [--grep X] [--sample N]`
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ConformanceCase, ConformanceGroup } from './group.ts'
import { GROUPS } from './groups/index.ts'

type KnownFailures = Readonly<Record<string, Readonly<Record<string, string>>>>

interface GroupResult {
  readonly name: string
  passed: number
  known: number
  readonly failures: string[]
  elapsedMs: number
}

const USAGE = 'usage: npm run test:conformance -- --vectors DIR [--group NAME]... [--grep TEXT] [--sample N]'

function readOptions() {
  const { values } = parseArgs({
    options: {
      vectors: { type: 'string' },
      group: { type: 'string', multiple: true },
      grep: { type: 'string' },
      sample: { type: 'string' },
    },
  })
  if (values.vectors === undefined) throw new Error(`the folder of vectors is missing\n${USAGE}`)
  if (!existsSync(values.vectors)) throw new Error(`no such folder: ${values.vectors}\n${USAGE}`)
  const unknown = values.group?.find((name) => !GROUPS.some((group) => group.name === name))
  if (unknown !== undefined) throw new Error(`unknown group ${unknown}; there are ${GROUPS.map((g) => g.name).join(', ')}`)
  const sample = values.sample === undefined ? null : Number(values.sample)
  if (sample !== null && !(Number.isInteger(sample) && sample > 0))
    throw new Error(`--sample takes a positive number, got ${values.sample}`)
  return { vectors: values.vectors, groups: values.group ?? null, grep: values.grep ?? null, sample }
}

/** Evenly spread, so that the same cases are taken every time. */
function spread<T>(items: readonly T[], count: number | null): readonly T[] {
  if (count === null || items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as T)
}

async function runCase(test: ConformanceCase): Promise<string | null> {
  try {
    await test.run()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function runGroup(group: ConformanceGroup, options: ReturnType<typeof readOptions>, known: KnownFailures): Promise<GroupResult> {
  const started = performance.now()
  const result: GroupResult = { name: group.name, passed: 0, known: 0, failures: [], elapsedMs: 0 }
  const listed = known[group.name] ?? {}
  const all = await group.load(options.vectors)
  if (all.length === 0) result.failures.push('the group has no cases')
  const { grep } = options
  const cases = spread(grep === null ? all : all.filter((test) => test.id.includes(grep)), options.sample)
  for (const test of cases) {
    const failure = await runCase(test)
    const expected = listed[test.id]
    if (failure === null && expected === undefined) result.passed++
    else if (failure !== null && expected !== undefined) result.known++
    else if (failure === null) result.failures.push(`${test.id}: passes, so take it off known-failures.json`)
    else result.failures.push(`${test.id}: ${failure}`)
  }
  const ids = new Set(all.map((test) => test.id))
  for (const id of Object.keys(listed))
    if (!ids.has(id)) result.failures.push(`${id}: listed in known-failures.json but there is no such case`)
  result.elapsedMs = performance.now() - started
  return result
}

function printTable(results: readonly GroupResult[]): void {
  const width = Math.max(...results.map((r) => r.name.length), 5)
  console.log(`\n${'group'.padEnd(width)}  passed  failed  known  seconds`)
  for (const r of results) {
    const cells = [
      String(r.passed).padStart(6),
      String(r.failures.length).padStart(6),
      String(r.known).padStart(5),
      (r.elapsedMs / 1000).toFixed(1).padStart(7),
    ]
    console.log(`${r.name.padEnd(width)}  ${cells.join('  ')}`)
  }
}

async function main(): Promise<void> {
  const options = readOptions()
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'known-failures.json'), 'utf8')) as KnownFailures
  const results: GroupResult[] = []
  for (const group of GROUPS) {
    if (options.groups !== null && !options.groups.includes(group.name)) continue
    const result = await runGroup(group, options, known).catch((error: unknown) => ({
      name: group.name,
      passed: 0,
      known: 0,
      failures: [`could not load: ${error instanceof Error ? error.message : String(error)}`],
      elapsedMs: 0,
    }))
    for (const failure of result.failures) console.error(`${group.name}: ${failure.slice(0, 2000)}`)
    results.push(result)
  }
  printTable(results)
  const passed = results.reduce((sum, r) => sum + r.passed, 0)
  const failed = results.reduce((sum, r) => sum + r.failures.length, 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})

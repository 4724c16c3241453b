/** `npm run test:interop`. */
import { patience } from '../support/eventually.ts'
import { compareWithGeth, renderComparison } from './geth-rpc/comparison.ts'
import { helpText, type InteropOptions, type Program, readOptions } from './options.ts'
import { PRESETS } from './presets.ts'
import type { Preset, Row, RowReport, RowResult } from './row.ts'
import { renderTable } from './table.ts'
import { openWorld, type World } from './world.ts'

const ROW_LIMIT_MS = 420_000
/** It runs when it is named: its other side is no client of the OP Stack. */
const GETH_RPC = 'geth-rpc'

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function report(row: Row, preset: Preset, result: RowResult, seconds: number, reason: string | null = null): RowReport {
  console.log(
    `${result.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${preset.name}: ${row.what}${reason === null ? '' : `\n         ${reason}`}`,
  )
  return { what: row.what, preset: preset.name, result, seconds, reason }
}

async function runRow(row: Row, preset: Preset, world: World, ending: AbortSignal): Promise<RowReport> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const limit = AbortSignal.any([ending, AbortSignal.timeout(ROW_LIMIT_MS * patience())])
  const tooLong = new Promise<never>((_, reject) => {
    limit.addEventListener(
      'abort',
      () => reject(new Error(ending.aborted ? 'interrupted' : `not done after ${(ROW_LIMIT_MS * patience()) / 1000} s`)),
      {
        once: true,
      },
    )
  })
  try {
    await Promise.race([row.run(world), tooLong])
    return report(row, preset, 'passed', seconds())
  } catch (error) {
    return report(row, preset, 'failed', seconds(), messageOf(error))
  }
}

async function runPreset(preset: Preset, options: InteropOptions, ending: AbortSignal): Promise<readonly RowReport[]> {
  const { programs, grep } = options
  const missing = (row: Row): readonly Program[] => row.needs.filter((program) => programs[program] === undefined)
  const chosen = preset.rows.filter(({ what }) => grep === null || what.includes(grep))
  const reports: RowReport[] = []
  let world: World | string | null = null
  for (const row of chosen) {
    const lacks = missing(row)
    if (lacks.length > 0) {
      reports.push(report(row, preset, 'not run', 0, `without ${lacks.map((program) => `--${program}`).join(' and ')}`))
      continue
    }
    if (ending.aborted) {
      reports.push(report(row, preset, 'not run', 0, 'interrupted'))
      continue
    }
    if (typeof world === 'string') {
      reports.push(report(row, preset, 'not run', 0, 'the network did not start'))
      continue
    }
    world ??= await openWorld(preset, options).catch((error: unknown) => `the network did not start: ${messageOf(error)}`)
    reports.push(typeof world === 'string' ? report(row, preset, 'failed', 0, world) : await runRow(row, preset, world, ending))
  }
  if (world !== null && typeof world !== 'string') await world.stop()
  return reports
}

async function main(): Promise<number> {
  const names = [...PRESETS.map(({ name }) => name), GETH_RPC]
  const options = optionsOrUsage(names)
  if (typeof options === 'number') return options
  if (options.preset === GETH_RPC) return compareRpc(options)
  const started = performance.now()
  process.env.KEELSON_RPC_ADMIN = 'true'
  process.env.KEELSON_TEST_PATIENCE = String(options.patience)
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())
  const reports: RowReport[] = []
  for (const preset of PRESETS) {
    if (options.preset !== null && options.preset !== preset.name) continue
    reports.push(...(await runPreset(preset, options, interrupted.signal)))
  }
  if (reports.length === 0) {
    console.error(`test:interop: no row's name contains '${options.grep}'`)
    return 2
  }
  const minutes = (performance.now() - started) / 60_000
  console.log(`\n${[...options.versions.map(([, version]) => version), `ran for ${minutes.toFixed(1)} minutes`].join('\n')}`)
  console.log(`\n${renderTable(reports)}`)
  return reports.some(({ result }) => result === 'failed') || reports.every(({ result }) => result === 'not run') ? 1 : 0
}

async function compareRpc(options: InteropOptions): Promise<number> {
  const report = await compareWithGeth(options)
  console.log(renderComparison(report, options.seed))
  return report.unexplained.length === 0 ? 0 : 1
}

function optionsOrUsage(presets: readonly string[]): InteropOptions | number {
  try {
    const options = readOptions(process.argv.slice(2), presets)
    if (options !== null) return options
    console.log(helpText(presets))
    return 0
  } catch (error) {
    console.error(`test:interop: ${messageOf(error)} (--help lists the options)`)
    return 2
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`test:interop: ${messageOf(error)}`)
    process.exit(1)
  },
)

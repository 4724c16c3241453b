import { formatTable } from '../table.ts'
import type { EvmResult } from './evm-bench.ts'

const JUDGE = 'anvil'

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}

/** Medians with ranges; a ratio to anvil above 1 means faster. */
export function evmReport(results: readonly EvmResult[], rounds: number): string {
  const engines = [...new Set(results.map(({ engine }) => engine))]
  const units = [...new Set(results.map(({ unit }) => unit))]
  const tables = units.map((unit) => {
    const works = [...new Set(results.filter((result) => result.unit === unit).map(({ work }) => work))]
    const rows = works.map((work) => {
      const of = (engine: string) => results.find((result) => result.work === work && result.engine === engine)
      const judge = of(JUDGE)
      return [
        work,
        ...engines.map((engine) => {
          const result = of(engine)
          if (result === undefined) return '-'
          const ratio = judge === undefined ? null : unit === 'Mgas/s' ? result.median / judge.median : judge.median / result.median
          const times = ratio === null || engine === JUDGE ? '' : ` ${ratio.toFixed(2)}x`
          return `${figure(result.median)} (${figure(result.min)}-${figure(result.max)})${times}`
        }),
      ]
    })
    return `\n${formatTable([unit, ...engines], rows)}`
  })
  return [
    `\nThe same bytecode on each engine, medians of ${rounds} interleaved rounds (lowest-highest), and how many times as fast as ${JUDGE};`,
    'outputs and gas are equal. anvil answers eth_call; the time of the same request without work is subtracted.',
    ...tables,
  ].join('\n')
}

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { CHAINS } from './chains.ts'
import { DEFAULT_ENGINES, ENGINES } from './engines/index.ts'

export interface EvmFuzzOptions {
  readonly executions: number
  readonly minutes: number | null
  readonly seed: number
  /** The others are compared with the first. */
  readonly engines: readonly { readonly name: string; readonly share: number }[]
  readonly chains: readonly string[]
  readonly variants: number
  readonly jobs: number
}

const USAGE = `usage: npm run fuzz -- evm [--executions N] [--minutes N] [--seed N] [--engines NAME[:PERCENT],...] [--chain NAME]... [--blocks N] [--jobs N]
  --executions N  transactions to execute, of all engines together; by default 1,000,000
  --minutes N     stops after this time
  --seed N        the first program set; by default a new one. A set depends on its own seed only
  --engines LIST  ${Object.entries(ENGINES)
    .map(([name, { share }]) => `${name}:${share}`)
    .join(',')}
                  The first runs every case, the others are compared with it on that percentage of the program sets.
                  By default ${DEFAULT_ENGINES.join(',')}
  --chain NAME    rules of one fork, such as l1/osaka or op/isthmus; by default all
  --blocks N      blocks of each program set, with 1 to 4 transactions each; by default 16
  --jobs N        worker threads; by default one per core
Each difference is shrunk, printed and kept as a file of test/fuzz/evm/kept, which a unit test replays.`

const MAX_SEED = 2 ** 31 - 1
const DEFAULT_EXECUTIONS = 1_000_000
const DEFAULT_BLOCKS = 16

export function readEvmFuzzOptions(argv: readonly string[], nowMs: number): EvmFuzzOptions {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...argv],
    options: {
      executions: text,
      minutes: text,
      seed: text,
      engines: text,
      chain: { ...text, multiple: true },
      blocks: text,
      jobs: text,
    },
  })
  const number = (name: 'executions' | 'minutes' | 'seed' | 'blocks' | 'jobs'): number | null => {
    const given = values[name]
    if (given === undefined) return null
    const value = Number(given)
    if (Number.isSafeInteger(value) && value >= (name === 'seed' ? 0 : 1) && value <= MAX_SEED) return value
    throw new Error(`--${name}: expected a positive whole number, got ${given}\n${USAGE}`)
  }
  const unknown = values.chain?.find((name) => !CHAINS.includes(name))
  if (unknown !== undefined) throw new Error(`unknown chain ${unknown}; there are ${CHAINS.join(', ')}\n${USAGE}`)
  return {
    executions: number('executions') ?? DEFAULT_EXECUTIONS,
    minutes: number('minutes'),
    seed: number('seed') ?? nowMs % MAX_SEED,
    engines: (values.engines?.split(',') ?? DEFAULT_ENGINES).map(readEngine),
    chains: values.chain ?? CHAINS,
    variants: number('blocks') ?? DEFAULT_BLOCKS,
    jobs: number('jobs') ?? availableParallelism(),
  }
}

function readEngine(text: string): { name: string; share: number } {
  const [name = '', percent] = text.split(':')
  const engine = ENGINES[name]
  const share = percent === undefined ? engine?.share : Number(percent)
  if (share !== undefined && engine !== undefined && share >= 0 && share <= 100) return { name, share }
  throw new Error(`--engines: expected names with percentages, as in wasm-interpreter,anvil:2, got ${text}\n${USAGE}`)
}

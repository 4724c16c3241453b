/** `npm run test:schemathesis`: the agent platform on a local chain, judged by schemathesis against its own description. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createContractWorld } from '../../test/support/platform/contract-world.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
const DEFAULT_EXAMPLES = 30
/** One caller asks for everything, so no limit of rates or stored bytes may be met. */
const LIMIT_SCALE = 1e9
/** The clock of the world stands still unless it is advanced. */
const TICK_MS = 50
const DEADLINE_MS = 3_600_000

const USAGE = [
  'npm run test:schemathesis -- [options] [-- options of schemathesis]',
  '',
  '  --schemathesis PATH  the program (schemathesis); install it with `pip install schemathesis`, 4 or newer',
  `  --examples N         generated requests of each operation and phase (${DEFAULT_EXAMPLES})`,
  '  --seed N             repeats the requests of an earlier run; schemathesis prints the seed',
  '  --help               this text',
  '',
  'Every check is on. schemathesis.toml lists what they may report, with a reason. The exit code is that of schemathesis, 2 on wrong options.',
].join('\n')

interface Options {
  readonly program: string
  readonly examples: number
  /** Decimal digits: schemathesis chooses seeds of 128 bits. */
  readonly seed: string | null
  readonly rest: readonly string[]
}

function readOptions(args: readonly string[]): Options | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      schemathesis: { type: 'string', default: 'schemathesis' },
      examples: { type: 'string', default: String(DEFAULT_EXAMPLES) },
      seed: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return null
  const examples = Number(values.examples)
  if (!Number.isSafeInteger(examples) || examples < 1)
    throw new Error(`--examples takes a whole number of at least 1, got ${values.examples}`)
  if (values.seed !== undefined && !/^\d{1,39}$/.test(values.seed))
    throw new Error(`--seed takes the number that an earlier run printed, got ${values.seed}`)
  return {
    program: values.schemathesis,
    examples,
    seed: values.seed ?? null,
    rest: positionals,
  }
}

async function judge({ program, examples, seed, rest }: Options): Promise<number> {
  const world = await createContractWorld({ limitScale: LIMIT_SCALE })
  let ticking = true
  const ticks = (async () => {
    while (ticking) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
      await world.clock.advance(TICK_MS)
    }
  })()
  try {
    const own = ['--max-examples', String(examples), ...(seed === null ? [] : ['--seed', seed])]
    const child = spawn(
      program,
      ['--config-file', CONFIG, 'run', `${world.platform.server.url}/openapi.json`, '--checks', 'all', ...own, ...rest],
      {
        stdio: 'inherit',
        cwd: ROOT,
        timeout: DEADLINE_MS,
        env: { ...process.env, PLATFORM_USER_TOKEN: world.mine.user, PLATFORM_SESSION_TOKEN: world.mine.session },
      },
    )
    const [code, signal] = (await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new Error(`there is no program ${program}: install schemathesis, or name it with --schemathesis`)
        : error
    })) as [number | null, NodeJS.Signals | null]
    if (code === null) throw new Error(`schemathesis was ended by ${signal}`)
    return code
  } finally {
    // Requests that are still running wait for the clock.
    await world.stop()
    ticking = false
    await ticks
  }
}

async function main(): Promise<number> {
  let options: Options | null
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`test:schemathesis: ${(error as Error).message} (--help lists the options)`)
    return 2
  }
  if (options === null) {
    console.log(USAGE)
    return 0
  }
  return judge(options)
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`test:schemathesis: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)

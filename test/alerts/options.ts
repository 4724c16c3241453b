import { parseArgs } from 'node:util'

export interface AlertTestOptions {
  readonly prometheus: string
  readonly promtool: string
  readonly portOffset: number
  readonly rulesOnly: boolean
}

export const USAGE = `usage: npm run test:alerts -- [--rules-only] [--prometheus PATH] [--promtool PATH] [--port-offset N]
  --rules-only       only promtool's tests of the rules; no network is started
  --prometheus PATH  default: prometheus of the PATH (Debian: apt-get install prometheus)
  --promtool PATH    default: promtool of the PATH (the same package)
  --port-offset N    added to every port of the network (12000)
  --help             this text`

const DEFAULT_PORT_OFFSET = 12_000
const MAX_PORT_OFFSET = 23_000

/** Null for --help. */
export function readOptions(argv: readonly string[]): AlertTestOptions | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...argv],
    options: {
      prometheus: text,
      promtool: text,
      'port-offset': text,
      'rules-only': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return null
  const portOffset = Number(values['port-offset'] ?? DEFAULT_PORT_OFFSET)
  if (!Number.isInteger(portOffset) || portOffset < 1_000 || portOffset > MAX_PORT_OFFSET)
    throw new Error(`--port-offset: expected a whole number from 1000 to ${MAX_PORT_OFFSET}, got ${values['port-offset']}\n${USAGE}`)
  return {
    prometheus: values.prometheus ?? 'prometheus',
    promtool: values.promtool ?? 'promtool',
    portOffset,
    rulesOnly: values['rules-only'] === true,
  }
}

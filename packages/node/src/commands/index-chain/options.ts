import { maskUrl, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'

const databaseUrl = Object.assign(
  (value: unknown): string => {
    const url = parse.text(value)
    if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url
    // The message omits the URL, which may contain a password.
    throw new parse.OptionValueError('expected a URL beginning with postgres:// or postgresql://')
  },
  { placeholder: '<url>', show: maskUrl },
)

export const indexOptions = {
  ...rollupOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the embedded database.' }),
  databaseUrl: optionalOption({
    key: 'databaseUrl',
    parse: databaseUrl,
    secret: true,
    description: 'PostgreSQL database, which several indexers may share. Default: the database embedded in this process.',
  }),
  maxConnections: option({
    key: 'databaseConnections',
    parse: parse.integer(2, 500),
    default: 10,
    description: 'Connections to PostgreSQL at once.',
  }),
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of the rollup.' }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100, 60_000),
    default: 1_000,
    description: 'Milliseconds between two looks at the head.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7309, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

import { isIP } from 'node:net'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { DevnetRoleInput } from './role-input.ts'

/** `true` means a flag without a value. */
export type FlagValues = Readonly<Record<string, string | number | true>>

export class RoleCommands {
  readonly host: string
  readonly l1Rpc: string
  readonly network: FlagValues
  readonly #shared: FlagValues

  constructor({ host, ports, paths, logLevel, clockOffsetMs, slowCrypto, allowSameChainId }: DevnetRoleInput) {
    this.host = host
    this.l1Rpc = this.url(ports.l1)
    this.network = { network: paths.network, 'allow-same-chain-id': String(allowSameChainId) }
    this.#shared = {
      'log.format': 'json',
      'log.level': logLevel,
      'clock.offset-ms': clockOffsetMs,
      'exit-with-parent': true,
      'metrics.host': host,
      'slow-crypto': String(slowCrypto),
    }
  }

  url(port: number): string {
    return `http://${this.host}:${port}`
  }

  wsUrl(port: number): string {
    return `ws://${this.host}:${port}`
  }

  /**
   * Who is not limited and may call operator methods, on every port alike. Other addresses of 127.0.0.0/8 play strangers, as in
   * scripts/bench/load/stranger-devnet.ts.
   */
  trusted(): string {
    const isAny = this.host === '0.0.0.0' || this.host === '::'
    return ['127.0.0.1', '::1', ...(isIP(this.host) !== 0 && !isAny ? [this.host] : [])].join(',')
  }

  /** Keys go into `env`, which other users cannot read. */
  role(name: string, command: string, values: FlagValues, env: Record<string, string> = {}): RoleSpec {
    return {
      name,
      answersAt: this.url(Number(values['http.port'] ?? values['rpc.port'] ?? values.port ?? values['metrics.port'])),
      command: process.execPath,
      args: ['--enable-source-maps', process.argv[1] as string, ...command.split(' '), ...flags({ ...this.#shared, ...values })],
      env,
      stopSignal: 'SIGTERM',
    }
  }
}

function flags(values: FlagValues): string[] {
  return Object.entries(values).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`))
}

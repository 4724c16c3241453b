/** The methods can stop the batcher or proposer, so remote callers need a JWT. */
import type { Clock, Logger } from '@keelson/primitives'
import {
  asCalled,
  createRpcServer,
  isLoopbackHost,
  loadJwtSecret,
  type Metrics,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
  type RpcMethods,
  type RpcServer,
} from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'

export function adminRpcOptions(defaultPort: number, methods: string) {
  return {
    adminHost: option({
      key: 'admin.host',
      parse: parse.text,
      default: '127.0.0.1',
      description: 'Address the admin RPC listens on; beyond loopback only with --admin.jwt-secret.',
    }),
    adminPort: option({ key: 'admin.port', parse: parse.port, default: defaultPort, description: methods }),
    adminJwtSecret: optionalOption({
      key: 'admin.jwtSecret',
      parse: parse.path,
      description: `File with the secret that signs tokens for the admin RPC, created when missing (${asCalled('jwt')} --token FILE prints one). Default: no tokens, for callers on this machine.`,
    }),
  } as const
}

export type AdminRpcValues = OptionValues<ReturnType<typeof adminRpcOptions>>

export interface AdminRpcDependencies {
  readonly methods: RpcMethods
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics
}

/** Throws AssemblyError `node/usage` for a non-loopback address without a secret, RuntimeError `runtime/jwt-secret`. */
export async function openAdminRpc(
  { adminHost: host, adminPort: port, adminJwtSecret: path }: AdminRpcValues,
  dependencies: AdminRpcDependencies,
): Promise<RpcServer> {
  const server = { name: 'admin RPC', host, port, option: '--admin.port' }
  if (path !== null) {
    const { secret, warning } = await loadJwtSecret(path, { create: true })
    if (warning !== null) dependencies.log.warn(warning)
    // Any host name is allowed: the token authenticates remote callers.
    return createRpcServer(
      { ...server, jwtSecret: secret, secretName: 'the file of --admin.jwt-secret', virtualHosts: ['*'] },
      dependencies,
    )
  }
  if (isLoopbackHost(host)) return createRpcServer(server, dependencies)
  throw new AssemblyError(
    'node/usage',
    `--admin.host ${host} is not a loopback address, and without a secret anyone who reaches port ${port} could stop this role: set --admin.jwt-secret FILE, or --admin.host 127.0.0.1`,
    { host, port },
  )
}

import { type ExecutionNode, methodClass, methodPrice, type RpcNamespace, selectNamespaces } from '@keelson/execution'
import { createRpcServer, createSystemClock, type JwtSecret, type Readiness, type RpcServer } from '@keelson/runtime'
import type { Role } from '../../role/role.ts'
import { type FrontDoor, serverLimits } from '../../role/rpc-options.ts'
import type { ExecutionValues } from './options.ts'

/** Large, because hex doubles the size of transactions. */
const MAX_ENGINE_BODY_BYTES = 128 * 1024 * 1024

interface RpcServerParts {
  readonly node: ExecutionNode
  readonly access: FrontDoor['access']
  readonly readiness: Readiness
}

export function createPublicServers(
  values: ExecutionValues,
  { node, access, readiness }: RpcServerParts,
  { log, clock, metrics }: Role,
): readonly RpcServer[] {
  const server = (name: string, port: number, option: string, kind: 'http' | 'ws', namespaces: readonly RpcNamespace[]) =>
    createRpcServer(
      {
        name,
        host: values.httpHost,
        port,
        option,
        http: kind === 'http',
        ws: kind === 'ws',
        origins: values.httpOrigins,
        virtualHosts: values.httpVirtualHosts,
        ...serverLimits(values),
      },
      { methods: selectNamespaces(node.methods, namespaces), log, clock, metrics, access, methodClass, methodPrice, readiness },
    )
  return [
    server('HTTP RPC', values.httpPort, '--http.port', 'http', values.httpApi),
    server('WebSocket RPC', values.wsPort, '--ws.port', 'ws', values.wsApi),
  ]
}

export function createEngineServer(
  values: ExecutionValues,
  jwtSecret: JwtSecret,
  { engineMethods }: Pick<ExecutionNode, 'engineMethods'>,
  { log, metrics }: Role,
): RpcServer {
  return createRpcServer(
    {
      name: 'engine API',
      host: values.engineHost,
      port: values.enginePort,
      option: '--engine.port',
      jwtSecret,
      http: true,
      ws: true,
      virtualHosts: values.engineVirtualHosts,
      limits: { maxBodyBytes: MAX_ENGINE_BODY_BYTES },
    },
    // JWTs use the machine's real clock.
    { methods: engineMethods, log, clock: createSystemClock(), metrics },
  )
}

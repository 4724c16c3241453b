import { type ExecutionNode, methodClass, methodPrice, type RpcNamespace, selectNamespaces } from '@keelson/execution'
import {
  createAnswerer,
  createRpcServer,
  createSystemClock,
  DEFAULT_RPC_LIMITS,
  DEFAULT_SOCKET_LIMITS,
  type JwtSecret,
  type Readiness,
  type RpcServer,
  type RpcServerOptions,
} from '@keelson/runtime'
import type { Role } from '../../role/role.ts'
import type { FrontDoor } from '../../role/rpc-access-options.ts'
import { serverLimits } from '../../role/rpc-options.ts'
import type { PublicPort } from '../../rpc-thread/protocol.ts'
import type { ServedMethods } from '../../rpc-thread/rpc-thread.ts'
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
  return publicPorts(values).map(({ server, namespaces }) =>
    createRpcServer(server, {
      methods: selectNamespaces(node.methods, namespaces),
      log,
      clock,
      metrics,
      access,
      methodClass,
      methodPrice,
      readiness,
      head: async () => node.chain.label('unsafe').header.number,
    }),
  )
}

/** The same ports, with their sockets in another thread. */
export function servedMethods(
  values: ExecutionValues,
  { node, readiness }: Omit<RpcServerParts, 'access'>,
  { log, metrics }: Role,
): ServedMethods {
  const { limits, socketLimits } = serverLimits(values)
  const ports = publicPorts(values).map(({ port, server, namespaces }) => ({
    port,
    server,
    methods: selectNamespaces(node.methods, namespaces),
  }))
  const answererOf = (of: PublicPort) => {
    const methods = ports.find(({ port }) => port === of)?.methods ?? {}
    return createAnswerer({ methods, limits: { ...DEFAULT_RPC_LIMITS, ...limits }, log, metrics })
  }
  return {
    ports: ports.map(({ methods, ...rest }) => ({ ...rest, methods: Object.keys(methods) })),
    answerers: { http: answererOf('http'), ws: answererOf('ws') },
    maxNotificationBytes: socketLimits.maxBufferedBytes ?? DEFAULT_SOCKET_LIMITS.maxBufferedBytes,
    readiness,
  }
}

interface PublicPortOptions {
  readonly port: PublicPort
  readonly server: RpcServerOptions
  readonly namespaces: readonly RpcNamespace[]
}

function publicPorts(values: ExecutionValues): readonly PublicPortOptions[] {
  const shared = {
    host: values.httpHost,
    origins: values.httpOrigins,
    virtualHosts: values.httpVirtualHosts,
    ...serverLimits(values),
  }
  return [
    {
      port: 'http',
      server: { ...shared, name: 'HTTP RPC', port: values.httpPort, option: '--http.port', http: true, ws: false },
      namespaces: values.httpApi,
    },
    {
      port: 'ws',
      server: { ...shared, name: 'WebSocket RPC', port: values.wsPort, option: '--ws.port', http: false, ws: true },
      namespaces: values.wsApi,
    },
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

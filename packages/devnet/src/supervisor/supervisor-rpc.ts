import { createHttpRpcClient } from '@keelson/client'
import type { Clock } from '@keelson/primitives'
import { createSilentLogger, createSystemRandom } from '@keelson/runtime'
import type { JsonRpc } from '../screen/heads.ts'

const TIMEOUT_MS = 5_000

/** Clients without retries and logs, because the supervisor polls anyway. */
export function createSupervisorRpc(clock: Clock): (url: string) => JsonRpc {
  const random = createSystemRandom()
  return (url) => {
    const rpc = createHttpRpcClient({ url, timeoutMs: TIMEOUT_MS }, { clock, random, log: createSilentLogger() })
    return { request: (method, params) => rpc.call(method, params, { retry: false }) }
  }
}

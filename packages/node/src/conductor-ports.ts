/**
 * The ports of `keelson conductor`: one for each candidate and one for the operator. Each needs tokens signed with a
 * secret of its own (HS256, as on the engine API), so that one candidate cannot speak for another.
 */
import { join } from 'node:path'
import { type Arbiter, type BlockProofCheck, createCandidateMethods, createOperatorMethods } from '@keelson/consensus'
import type { Clock, Logger } from '@keelson/primitives'
import { createRpcServer, loadJwtSecret, type Metrics, type RpcServer } from '@keelson/runtime'

export interface CandidateAddress {
  readonly id: string
  /** Port that this conductor listens on for it. */
  readonly port: number
  /** Its rollup RPC, with admin_*. */
  readonly url: string
}

export interface ConductorPortsOptions {
  readonly host: string
  readonly candidates: readonly Omit<CandidateAddress, 'url'>[]
  /** Ids of candidates that send neither tokens nor signatures. */
  readonly unauthenticated: readonly string[]
  readonly operatorPort: number
  /** Folder of the secrets. */
  readonly secrets: string
}

export interface ConductorPortsDependencies {
  readonly arbiter: Arbiter
  readonly proof: BlockProofCheck
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics
}

export const OPERATOR = 'operator'
const LOOPBACK = '127.0.0.1'

/** Path of a candidate's secret, or the operator's, in the folder of secrets. */
export function conductorSecretPath(folder: string, id: string): string {
  return join(folder, `${id}.hex`)
}

/** The candidates' servers in their order, then the operator's; not started. Throws RuntimeError `runtime/jwt-secret`. */
export async function openConductorPorts(
  { host, candidates, unauthenticated, operatorPort, secrets }: ConductorPortsOptions,
  { arbiter, proof, ...shared }: ConductorPortsDependencies,
): Promise<readonly RpcServer[]> {
  const { log } = shared
  const secretOf = async (id: string) => {
    const { secret, warning } = await loadJwtSecret(conductorSecretPath(secrets, id), { create: true })
    if (warning !== null) log.warn(warning)
    return secret
  }
  const servers = candidates.map(async ({ id, port }) => {
    const server = { name: `rpc-${id}`, port, option: '--candidates' }
    if (!unauthenticated.includes(id)) {
      const methods = createCandidateMethods(arbiter, id, proof)
      return createRpcServer({ ...server, host, jwtSecret: await secretOf(id) }, { methods, ...shared })
    }
    log.warn('a candidate calls without tokens, and its blocks are recorded unsigned: every process here can speak for it', {
      candidate: id,
      listensOn: `${LOOPBACK}:${port}`,
      remedy: 'keep strangers off this machine, or run a sequencer that has --conductor.jwt-secret',
    })
    return createRpcServer({ ...server, host: LOOPBACK }, { methods: createCandidateMethods(arbiter, id, null), ...shared })
  })
  const operator = createRpcServer(
    { name: `rpc-${OPERATOR}`, host, port: operatorPort, option: '--operator.port', jwtSecret: await secretOf(OPERATOR) },
    { methods: createOperatorMethods(arbiter), ...shared },
  )
  return [...(await Promise.all(servers)), operator]
}

/**
 * The ports of `keelson conductor`, each with its own token secret (HS256, as on the engine API), so that one candidate cannot
 * act for another.
 */
import { join } from 'node:path'
import { type Clock, type Logger, MAX_ENVELOPE_REQUEST_BYTES } from '@keelson/primitives'
import { asCalled, createRpcServer, loadJwtSecret, type Metrics, type RpcServer } from '@keelson/runtime'
import type { Arbiter } from './arbiter.ts'
import type { BlockProofCheck } from './block-proof.ts'
import { createCandidateMethods, createOperatorMethods } from './conductor-rpc.ts'

export interface CandidateAddress {
  readonly id: string
  readonly port: number
  readonly url: string
}

export interface ConductorPortsOptions {
  readonly host: string
  readonly candidates: readonly Omit<CandidateAddress, 'url'>[]
  readonly unauthenticated: readonly string[]
  readonly operatorPort: number
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

export function conductorSecretPath(folder: string, id: string): string {
  return join(folder, `${id}.hex`)
}

export function operatorSecretPath(folder: string): string {
  return conductorSecretPath(folder, OPERATOR)
}

/** Creates the servers without starting them. Throws RuntimeError `runtime/jwt-secret`. */
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
  const secretNameOf = (id: string) => `${id}.hex of the conductor's --jwt-secrets folder (${asCalled('jwt')} --token FILE prints one)`
  const limits = { maxBodyBytes: MAX_ENVELOPE_REQUEST_BYTES }
  const servers = candidates.map(async ({ id, port }) => {
    const server = { name: `rpc-${id}`, port, option: '--candidates' }
    if (!unauthenticated.includes(id)) {
      const methods = createCandidateMethods(arbiter, id, proof)
      return createRpcServer(
        { ...server, host, limits, jwtSecret: await secretOf(id), secretName: secretNameOf(id) },
        { methods, ...shared },
      )
    }
    log.warn('a candidate calls without tokens and its blocks are recorded unsigned: every process on this machine can act for it', {
      candidate: id,
      listensOn: `${LOOPBACK}:${port}`,
      remedy: 'run only trusted processes on this machine, or use a sequencer with --conductor.jwt-secret',
    })
    return createRpcServer({ ...server, host: LOOPBACK, limits }, { methods: createCandidateMethods(arbiter, id, null), ...shared })
  })
  const operator = createRpcServer(
    {
      name: `rpc-${OPERATOR}`,
      host,
      port: operatorPort,
      option: '--operator.port',
      jwtSecret: await secretOf(OPERATOR),
      secretName: secretNameOf(OPERATOR),
    },
    { methods: createOperatorMethods(arbiter), ...shared },
  )
  return [...(await Promise.all(servers)), operator]
}

import { ClientError } from '@keelson/client'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, type Clock, keccak256Hash } from '@keelson/primitives'
import { anonymousOrigin, createRpcAccess, type RpcAccess, type RpcAccessOptions } from '@keelson/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LiveState } from '../chain/live-state.ts'
import type { Database } from '../storage/database.ts'
import { COMPILE_LIMIT_MS, createCompileQueue, LONGEST_WAIT_MS } from '../verify/compile-queue.ts'
import { COMPILER_VERSION } from '../verify/compile-thread.ts'
import { IMPLEMENTATION_SLOT, implementationOf } from '../verify/implementation.ts'
import { compilerVersionOf } from '../verify/metadata-trailer.ts'
import { MAX_SOURCES } from '../verify/standard-input.ts'
import { createVerifiedStore, type VerifiedContract } from '../verify/verified-store.ts'
import { createVerifier } from '../verify/verifier.ts'
import { type VerifyProblem, VerifyRefusal } from '../verify/verify-refusal.ts'
import { answerTo, type RouteGuard } from './answer.ts'
import { readAddress } from './read-params.ts'
import { readSubmission } from './read-submission.ts'

export interface VerifyRoutesDependencies {
  readonly database: Database
  readonly live: LiveState
  readonly clock: Clock
}

export interface VerifyRoutes {
  /** Ends the verifications that wait or run. */
  stop(): void
}

export const MAX_VERIFY_BYTES = 1024 * 1024
/** A compilation occupies a core for seconds. */
const COMPILE_RATE = { perSec: 1 / 30, burst: 5 }
const RETRY_AFTER_SEC = 30
const MAX_UPLOADS = 16
const MAX_UPLOADS_PER_CALLER = 2

const STATUS: Readonly<Record<VerifyProblem, number>> = {
  'not-found': 404,
  delegation: 422,
  'compile-failed': 422,
  'compile-limit': 422,
  mismatch: 422,
  'constructor-arguments': 422,
  'rate-limited': 429,
  busy: 503,
  full: 503,
}

export function addVerifyRoutes(
  app: FastifyInstance,
  options: RpcAccessOptions,
  deps: VerifyRoutesDependencies,
  guard: RouteGuard,
): VerifyRoutes {
  const { clock, live } = deps
  const store = createVerifiedStore(deps.database)
  const verifier = createVerifier({ ...deps, store, queue: createCompileQueue(clock) })
  const compiling = createRpcAccess(options, { clock, anonymous: () => COMPILE_RATE })
  const uploads = limitUploads(compiling)
  const active = new Set<AbortController>()

  answerTo(app, guard)('/api/contracts/:address', async ({ params }) => {
    const address = readAddress(params.address)
    const code = await live.code(address)
    if (code.length === 0) return null
    const codeHash = keccak256Hash(code)
    const verified = await store.find(codeHash)
    const implementation = implementationOf(code, await live.storage(address, IMPLEMENTATION_SLOT))
    const shown = await shownContract(address, verified)
    return { address, codeHash, compiledWith: compilerVersionOf(code), implementation, project: ownContract(address), ...shown }
  })
  app.get('/api/verification', async () => ({
    compilers: [COMPILER_VERSION],
    maxBytes: MAX_VERIFY_BYTES,
    maxSources: MAX_SOURCES,
    maxSeconds: COMPILE_LIMIT_MS / 1_000,
    maxWaitSeconds: LONGEST_WAIT_MS / 1_000,
  }))
  answerTo(app, guard)('/api/contracts/:address/abi', async ({ params }) => {
    const address = readAddress(params.address)
    const [code, slot] = await Promise.all([live.code(address), live.storage(address, IMPLEMENTATION_SLOT)])
    const target = implementationOf(code, slot)
    const [own, implementation] = await Promise.all([
      interfaceOf(address, code),
      target && live.code(target).then((its) => interfaceOf(target, its)),
    ])
    return { ...own, implementation }
  })
  app.post<{ Params: { address: string } }>(
    '/api/contracts/:address/verify',
    { bodyLimit: MAX_VERIFY_BYTES, onRequest: uploads },
    async (request, reply) => {
      const address = readAddress(request.params.address)
      const submission = readSubmission(request.body)
      const gone = new AbortController()
      active.add(gone)
      reply.raw.once('close', () => {
        active.delete(gone)
        gone.abort(new VerifyRefusal('busy', 'the caller left', 'the same request'))
      })
      try {
        const { codeHash, ...verified } = await verifier.verify(address, submission, () => charge(compiling, request), gone.signal)
        return { address, codeHash, project: ownContract(address), ...(await shownContract(address, verified)) }
      } catch (error) {
        if (error instanceof VerifyRefusal) return refused(reply, error)
        if (error instanceof ClientError)
          return refused(reply, new VerifyRefusal('busy', 'the node of L2 does not answer', 'the same request later', 2))
        throw error
      }
    },
  )

  async function shownContract(address: Address, found: VerifiedContract | null) {
    if (found === null) return { verified: null, constructorArguments: null }
    const { creation: _, ...verified } = found
    return { verified, constructorArguments: await verifier.constructorArguments(address, found) }
  }
  async function interfaceOf(address: Address, code: Uint8Array) {
    const verified = code.length === 0 ? null : await store.find(keccak256Hash(code))
    return { address, contract: verified?.contract ?? null, abi: verified?.abi ?? null }
  }
  return {
    stop() {
      for (const gone of active) gone.abort(new VerifyRefusal('busy', 'the service stops', 'the same request later', RETRY_AFTER_SEC))
    },
  }
}

/** Bounds the bodies in memory. */
function limitUploads(access: RpcAccess) {
  const byCaller = new Map<string, number>()
  let total = 0
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const entry = access.identify(anonymousOrigin(request.raw))
    const client = entry.ok ? entry.caller.client : 'unknown'
    const mine = byCaller.get(client) ?? 0
    if (total >= MAX_UPLOADS || mine >= MAX_UPLOADS_PER_CALLER)
      return refused(reply, new VerifyRefusal('busy', 'other contracts are being verified', 'the same request later', RETRY_AFTER_SEC))
    total++
    byCaller.set(client, mine + 1)
    reply.raw.once('close', () => {
      total--
      const left = (byCaller.get(client) ?? 1) - 1
      if (left > 0) byCaller.set(client, left)
      else byCaller.delete(client)
    })
  }
}

function charge(access: RpcAccess, request: FastifyRequest): void {
  const entry = access.identify(anonymousOrigin(request.raw))
  const waitMs = entry.ok ? entry.caller.take(1) : 0
  if (waitMs <= 0) return
  const seconds = Math.max(1, Math.ceil(Math.min(waitMs, 3_600_000) / 1000))
  const expected = `at most ${COMPILE_RATE.burst} contracts at once and ${COMPILE_RATE.perSec * 60} a minute`
  throw new VerifyRefusal('rate-limited', `too many contracts from this address or its network; retry in ${seconds} s`, expected, seconds)
}

function refused(reply: FastifyReply, { problem, message, expected, retryAfterSec }: VerifyRefusal): FastifyReply {
  if (retryAfterSec !== null) reply.header('retry-after', String(retryAfterSec))
  return reply.code(STATUS[problem]).send({ error: problem, message, expected })
}

/** Contracts of this project need no upload: their sources and ABI are in packages/contracts. */
function ownContract(address: Address) {
  const name = Object.entries(OWN_CONTRACTS).find(([, own]) => own === address)?.[0]
  if (name === undefined) return null
  return { name, source: `packages/contracts/solidity/${name}.sol`, abi: `packages/contracts/artifacts/own/${name}.json` }
}
